/* Compares commands of a script. Commands that start the same program count once. */
#include <string.h>

#include "launch/launch_internal.h"

/* Returns the key of the command's options that says which node of several the command is for; NULL = none. */
static const char *rank_of_node(nnc_json options) {
    static const char *const ranks[] = { "node-rank", "headless", "data-parallel-start-rank", NULL };
    for (int i = 0; ranks[i] != NULL; i++) {
        if (nnc_json_get(options, ranks[i]).node != NULL) { return ranks[i]; }
    }
    return NULL;
}

/* Tests whether another command has all options of a command, with the same values, except the options `places`. */
static bool has_options_of(nnc_json options, nnc_json other, const char *const *places) {
    for (nnc_json at = nnc_json_first(options); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json same = nnc_json_get(other, nnc_json_key(at));
        const char *own = nnc_json_copy(at), *value = same.node != NULL ? nnc_json_copy(same) : NULL;
        const bool equal = own != NULL && value != NULL && strcmp(own, value) == 0;
        if (!equal && !nnc_is_one_of(nnc_json_key(at), places)) { return false; }
    }
    return true;
}

bool nnc_commands_start_same(nnc_specs *specs, const nnc_shell_command *a, const nnc_shell_command *b) {
    /* options that say where the processes of a node run */
    static const char *const places[] = { "node-rank", "headless", "data-parallel-start-rank", "host", "port", NULL };
    static const char *const none[] = { NULL };
    nnc_error err;
    nnc_document one = { .faults = { .name = "", .err = &err } }, other = { .faults = { .name = "", .err = &err } };
    bool same = false;
    if (nnc_document_parse(specs, &one, a->options, strlen(a->options)) == NNC_OK &&
        nnc_document_parse(specs, &other, b->options, strlen(b->options)) == NNC_OK) {
        const nnc_json first = nnc_json_root(&one.doc), second = nnc_json_root(&other.doc);
        const char *const *ignored = rank_of_node(second) != NULL ? places : none;
        same = has_options_of(first, second, ignored) && has_options_of(second, first, ignored);
    }
    nnc_document_free(&one);
    nnc_document_free(&other);
    return same;
}
