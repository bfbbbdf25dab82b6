/* Parts of a JSON answer, for assistants: a whole estimate is 20 kB, and 2 kB of it answer the question.
 *
 * A path such as "step.step_s" names a member; it goes through lists, so "best.step_s" is that of each plan. A path that names
 * an object or a list takes all of it. Without paths, lists are cut and deep objects are left out until the answer is short. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"

enum { SHORT_BYTES = 2000, PATH_BYTES = 256 };

/* A choice of members. */
typedef struct choice {
    const char *const *paths; /* up to NULL; NULL = all members down to `depth` */
    bool *found;              /* by path: it names a member; NULL = nobody asks */
    int most, depth;          /* elements of each list; levels of objects */
    bool cut;                 /* a list had more */
    nnc_buffer *out;
} choice;

typedef enum reach { REACH_NONE, REACH_BELOW, REACH_ALL } reach;

/* Is the member at `at` chosen, or a member below it? */
static reach reach_of(choice *c, const char *at)
{
    const size_t length = strlen(at);
    reach found = c->paths == NULL || length == 0 ? REACH_BELOW : REACH_NONE;
    for (int i = 0; c->paths != NULL && c->paths[i] != NULL && length > 0; i++) {
        const size_t wanted = strlen(c->paths[i]);
        const bool same = strncmp(c->paths[i], at, wanted < length ? wanted : length) == 0;
        if (same && wanted <= length && (at[wanted] == '.' || at[wanted] == '\0')) {
            if (c->found != NULL) {
                c->found[i] = true;
            }
            return REACH_ALL;
        }
        if (same && wanted > length && c->paths[i][length] == '.') {
            found = REACH_BELOW;
        }
    }
    return found;
}

static bool is_container(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_OBJECT || nnc_json_type_of(at) == NNC_JSON_LIST;
}

static void put_value(choice *c, nnc_json at, const char *path, bool all, int depth);

static void put_object(choice *c, nnc_json at, const char *path, bool all, int depth)
{
    bool more = false;
    nnc_buffer_byte(c->out, '{');
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        char below[PATH_BYTES];
        snprintf(below, sizeof below, "%s%s%s", path, path[0] != '\0' ? "." : "",
                 nnc_json_key(one));
        const reach kept = all ? REACH_ALL : reach_of(c, below);
        const bool leaf = !is_container(one);
        if (kept == REACH_NONE || (leaf && kept == REACH_BELOW && c->paths != NULL) ||
            (!leaf && depth <= 1)) {
            continue;
        }
        nnc_buffer_text(c->out, more ? "," : "");
        nnc_put_json_text(c->out, nnc_json_key(one));
        nnc_buffer_byte(c->out, ':');
        put_value(c, one, below, kept == REACH_ALL, depth - 1);
        more = true;
    }
    nnc_buffer_byte(c->out, '}');
}

static void put_value(choice *c, nnc_json at, const char *path, bool all, int depth)
{
    int count = 0;
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_OBJECT: put_object(c, at, path, all, depth); return;
    case NNC_JSON_LIST:
        nnc_buffer_byte(c->out, '[');
        for (nnc_json one = nnc_json_first(at); one.node != NULL && count < c->most;
             one = nnc_json_next(one), count++) {
            nnc_buffer_text(c->out, count > 0 ? "," : "");
            put_value(c, one, path, all, depth);
        }
        c->cut = c->cut || count < nnc_json_count(at);
        nnc_buffer_byte(c->out, ']');
        return;
    case NNC_JSON_TEXT: nnc_put_json_text(c->out, nnc_json_text(at)); return;
    case NNC_JSON_NUMBER: nnc_buffer_number(c->out, nnc_json_number(at)); return;
    case NNC_JSON_BOOL: nnc_buffer_text(c->out, nnc_json_bool(at) ? "true" : "false"); return;
    default: nnc_buffer_text(c->out, "null");
    }
}

/* The first path that names no member, -1: all do. */
static int first_missing(const choice *c)
{
    int i = 0;
    while (c->paths[i] != NULL && c->found[i]) {
        i++;
    }
    return c->paths[i] != NULL ? i : -1;
}

static nnc_status refuse_path(nnc_json root, const char *path, nnc_error *err)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    char head[PATH_BYTES];
    size_t count = 0;
    snprintf(head, sizeof head, "%.*s", (int)strcspn(path, "."), path);
    const nnc_json top = nnc_json_get(root, head);
    const nnc_json in = nnc_json_type_of(top) == NNC_JSON_OBJECT ? top : root;
    for (nnc_json one = nnc_json_first(in); one.node != NULL && count < NAMES_MAX;
         one = nnc_json_next(one)) {
        names[count++] = nnc_json_key(one);
    }
    const char *word =
        in.node == top.node && strchr(path, '.') != NULL ? strchr(path, '.') + 1 : path;
    const char *nearest = nnc_nearest(word, names, count);
    return nearest != NULL
               ? nnc_fail(err, NNC_BAD_USAGE, "fields",
                          "no such member of the answer, did you mean \"%s%s%s\"?, found \"%.60s\"",
                          in.node == top.node ? head : "", in.node == top.node ? "." : "", nearest,
                          path)
               : nnc_fail(err, NNC_BAD_USAGE, "fields",
                          "no such member of the answer, expected a path such as "
                          "\"step.step_s\", found \"%.60s\"",
                          path);
}

/* Cuts lists, then leaves out deep objects, until the answer is short. Says so in the answer. */
static void shorten(choice *c, nnc_json root)
{
    static const struct {
        int most, depth;
    } cuts[] = {
        { 200, 9 }, { 20, 9 }, { 10, 9 }, { 5, 9 }, { 3, 3 }, { 2, 2 }, { 0, 2 }, { 0, 1 }
    };
    const size_t begin = c->out->size;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        c->out->size = begin;
        c->most = cuts[i].most;
        c->depth = cuts[i].depth;
        c->cut = false;
        put_value(c, root, "", false, c->depth);
        if (c->out->size - begin <= SHORT_BYTES) {
            break;
        }
    }
    if (c->cut && !c->out->failed) {
        c->out->size--; /* the closing brace */
        nnc_buffer_print(c->out, ",\"lists_cut_to\":%d}", c->most);
    }
}

nnc_status nnc_mcp_select(nnc_json root, const char *const *paths, bool exact, nnc_buffer *out,
                          nnc_error *err)
{
    bool found[NNC_MCP_FIELDS_MAX] = { false };
    choice c = { .paths = paths, .found = found, .most = INT32_MAX, .depth = 99, .out = out };
    if (!exact) {
        shorten(&c, root);
        return NNC_OK;
    }
    put_value(&c, root, "", false, c.depth);
    const int missing = first_missing(&c);
    return missing < 0 ? NNC_OK : refuse_path(root, paths[missing], err);
}
