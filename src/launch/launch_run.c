/* Divides a run file of the MosaicML platform (mcli) into its parts:
 *
 *     command: composer train.py /mnt/config/parameters.yaml      a script
 *     parameters: { max_seq_len: 2048, ... }                      the text of the file that the command names
 *     compute: { gpus: 8 }                                        the number of devices
 *
 * Each part keeps the line numbers of the run file. */
#include <stdlib.h>
#include <string.h>

#include "launch/launch_internal.h"

bool nnc_run_file_is(nnc_json root) {
    static const char *const others[] = { "image", "compute", "integrations", "parameters" };
    const nnc_json command = nnc_json_get(root, "command");
    int count = 0;
    for (size_t i = 0; i < NNC_COUNT_OF(others); i++) { count += nnc_json_get(root, others[i]).node != NULL; }
    return command.node != NULL && nnc_json_type_of(command) == NNC_JSON_TEXT && count >= 2;
}

/* Returns a text after as many line breaks as bring it to its line; NULL = out of memory. */
static const char *on_line(nnc_arena *arena, long line, const char *text, size_t length) {
    const size_t breaks = line > 1 ? (size_t)line - 1 : 0;
    char *made = nnc_arena_alloc(arena, breaks + length + 1);
    if (made == NULL) { return NULL; }
    memset(made, '\n', breaks);
    memcpy(made + breaks, text, length);
    made[breaks + length] = '\0';
    return made;
}

nnc_status nnc_run_file_read(nnc_arena *arena, const nnc_document *d, nnc_run_file *parts, nnc_error *err) {
    const nnc_json root = nnc_json_root(&d->doc), command = nnc_json_get(root, "command");
    const nnc_json devices = nnc_json_get(nnc_json_get(root, "compute"), "gpus");
    const char *text = nnc_json_text(command);
    char launcher[64] = "{}";
    /* the text of a block begins on the line after its key */
    parts->command = on_line(arena, nnc_json_line(command) + (strchr(text, '\n') != NULL), text, strlen(text));
    parts->parameters = "{}";
    nnc_walk w = nnc_walk_begin(d->doc.text);
    while (nnc_walk_member(&w, true)) {
        const bool is = nnc_walk_key_is(&w, "parameters");
        const size_t begin = w.at;
        const long line = w.line;
        nnc_walk_value(&w);
        if (is && d->doc.text[begin] == '{') {
            parts->parameters = on_line(arena, line, d->doc.text + begin, w.at - begin);
        }
    }
    if (devices.node != NULL && nnc_json_type_of(devices) == NNC_JSON_NUMBER) {
        snprintf(launcher, sizeof launcher, "{\"world-size\":%.0f}", nnc_json_number(devices));
    }
    parts->devices = on_line(arena, nnc_json_line(devices.node != NULL ? devices : root), launcher, strlen(launcher));
    return parts->command == NULL || parts->parameters == NULL || parts->devices == NULL ? nnc_no_memory(err) : NNC_OK;
}
