/* Reads the commands of a shell script that make a file from a template, without running them:
 *
 *     sed "s/BATCH_SIZE/${SIZE}/" template.json | sed "s/STAGE/2/" >config.json
 *
 * Only replacements of plain words are understood. The file of any other command stays unknown. */
#include <ctype.h>
#include <string.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

/* A replacement "s/word/by/g"; is_global: of each place in a line, not only the first. */
typedef struct replacement {
    const char *word, *by;
    size_t word_length, by_length;
    bool is_global;
} replacement;

/* Reads the text of a replacement. The value may contain the mark between its parts, if it is not known: the last mark
 * ends it. Returns false if the text is another command of sed. */
static bool read_replacement(const char *text, replacement *of) {
    const char mark = text[0] == 's' ? text[1] : '\0';
    const char *by = mark != '\0' && !isalnum((unsigned char)mark) ? strchr(text + 2, mark) : NULL;
    const char *end = by != NULL ? strrchr(by + 1, mark) : NULL;
    if (end == NULL) { return false; }
    *of = (replacement){ .word = text + 2, .by = by + 1 };
    of->word_length = (size_t)(by - of->word);
    of->by_length = (size_t)(end - of->by);
    of->is_global = strcmp(end + 1, "g") == 0;
    for (size_t i = 0; i < of->word_length; i++) {
        if (!isalnum((unsigned char)of->word[i]) && strchr("_- <>@%\"", of->word[i]) == NULL) { return false; }
    }
    return of->word_length > 0 && memchr(of->by, '&', of->by_length) == NULL &&
           memchr(of->by, '\\', of->by_length) == NULL && (of->is_global || end[1] == '\0');
}

/* Returns a text after a replacement, in the arena; NULL = out of memory. */
static const char *replace(nnc_shell *s, const char *text, const replacement *of) {
    nnc_buffer out = { 0 };
    bool done = false; /* true: the first place of the line is replaced */
    while (*text != '\0') {
        const bool is = !(done && !of->is_global) && strncmp(text, of->word, of->word_length) == 0;
        done = is || (done && *text != '\n');
        nnc_buffer_put(&out, is ? of->by : text, is ? of->by_length : 1);
        text += is ? of->word_length : 1;
    }
    nnc_buffer_byte(&out, '\0');
    const char *made = out.failed ? NULL : nnc_arena_strdup(s->arena, out.bytes);
    nnc_buffer_free(&out);
    if (made == NULL) { s->status = nnc_no_memory(s->err); }
    return made;
}

/* Returns the text of a file that the script made, or of a file near the script; NULL = there is no such file. */
static const char *text_of(const nnc_shell *s, const char *path) {
    for (const nnc_script_file *file = s->script->files; file != NULL; file = file->next) {
        if (strcmp(file->path, path) == 0) { return file->text; }
    }
    return s->script->read != NULL ? s->script->read(s->script->context, path) : NULL;
}

/* Returns the text that "sed EXPRESSION.. FILE" writes; piped: the text that it reads if it has no FILE. NULL = not
 * known. */
static const char *edited(nnc_shell *s, const nnc_script_words *w, const char *piped) {
    replacement list[32];
    size_t count = 0;
    bool has_option = false;
    const char *text = piped;
    for (int32_t i = 1; i < w->count; i++) {
        const char *word = w->items[i].text;
        const bool is_option = strcmp(word, "-e") == 0 && i + 1 < w->count;
        if (word[0] == '-' && !is_option) { return NULL; }
        if (is_option || (count == 0 && !has_option)) {
            word = is_option ? w->items[++i].text : word;
            if (count == NNC_COUNT_OF(list) || !read_replacement(word, &list[count++])) { return NULL; }
        } else {
            text = text_of(s, word);
        }
        has_option = has_option || is_option;
    }
    for (size_t i = 0; i < count && text != NULL; i++) { text = replace(s, text, &list[i]); }
    return text;
}

void nnc_shell_edit(nnc_shell *s, const nnc_script_words *w, const char *file, bool is_piped) {
    const char *first = w->items[0].text, *text = s->stream;
    s->stream = NULL;
    if (s->runs == NNC_RUNS_NOT || s->marker != NULL || (file == NULL && !is_piped)) { return; }
    if (strcmp(first, "sed") == 0) {
        text = edited(s, w, text);
    } else if (strcmp(first, "cat") == 0 && w->count <= 2) {
        text = w->count == 2 ? text_of(s, w->items[1].text) : text;
    } else {
        return;
    }
    if (text == NULL || !nnc_shell_goes_on(s)) { return; }
    if (is_piped) {
        s->stream = text;
        return;
    }
    nnc_script_cells cells = { 0 };
    nnc_script_cells_put_text(s, &cells, text, strlen(text), true);
    s->into = file;
    s->writes = s->runs;
    if (nnc_shell_goes_on(s)) { nnc_shell_write_file(s, &cells); }
    s->into = NULL;
    nnc_buffer_free(&cells.bytes);
}
