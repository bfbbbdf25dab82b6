/* Compiles expressions of a graph file to postfix code: "2 * heads + 1" becomes 2, heads, *, 1, +. */
#include <ctype.h>

#include "base/base_internal.h"
#include "input/input_internal.h"

enum { CODE_MAX = 64, EXPRESSION_NESTING_MAX = 17, DIGITS_MAX = 15 };

typedef struct parser {
    nnc_json at;
    const nnc_expr_scope *scope;
    const char *text;
    nnc_code code[CODE_MAX];
    /* count: number of entries in `code`; waiting: number of values on the stack after these entries were evaluated */
    int32_t count, waiting;
} parser;

static void refuse(void *context, const char *expected, const char *at) {
    const parser *p = context;
    if (*at == '\0') {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found the end of \"%.60s\"", expected, p->text);
    } else {
        nnc_json_fault(p->at, NULL, "not an expression, expected %s, found \"%.20s\" in \"%.60s\"", expected, at,
                       p->text);
    }
}

static bool put(parser *p, nnc_code_kind kind, int64_t value) {
    p->waiting += kind <= NNC_CODE_ARG ? 1 : -1;
    if (p->count == CODE_MAX || p->waiting > NNC_GRAPH_STACK_MAX) {
        return nnc_json_fault(p->at, NULL, "too long an expression, expected fewer parts in \"%.60s\"", p->text);
    }
    p->code[p->count++] = (nnc_code){ kind, value };
    return true;
}

static int32_t index_of(const char *const *names, int32_t count, const char *text, size_t length) {
    for (int32_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) { return i; }
    }
    return -1;
}

static bool put_name(void *context, const char *name, size_t length) {
    parser *p = context;
    const nnc_expr_scope *s = p->scope;
    const char *known[NNC_GRAPH_LETS_MAX + NNC_GRAPH_ARGS_MAX];
    char found[64];
    size_t count = 0;
    const int32_t arg = index_of(s->args, s->arg_count, name, length);
    const int32_t let = index_of(s->lets, s->let_count, name, length);
    if (arg >= 0 || let >= 0) { return put(p, arg >= 0 ? NNC_CODE_ARG : NNC_CODE_LET, arg >= 0 ? arg : let); }
    for (int32_t i = 0; i < s->arg_count; i++) { known[count++] = s->args[i]; }
    for (int32_t i = 0; i < s->let_count; i++) { known[count++] = s->lets[i]; }
    snprintf(found, sizeof found, "%.*s", (int)length, name);
    const char *near = nnc_nearest(found, known, count);
    return nnc_json_fault(
        p->at, NULL,
        "unknown name, expected a name of \"let\" or an argument of the surrounding macro%s%s%s, found \"%s\"",
        near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "", found);
}

static size_t put_number(void *context, const char *at) {
    char digits[DIGITS_MAX + 1];
    int64_t value = 0;
    const size_t length = strspn(at, "0123456789");
    snprintf(digits, sizeof digits, "%.*s", (int)(length < DIGITS_MAX ? length : DIGITS_MAX), at);
    if (length > DIGITS_MAX || isalpha((unsigned char)at[length]) || at[length] == '_' ||
        !nnc_read_i64(digits, &value)) {
        refuse(context, "a whole number below 1e15", at);
        return 0;
    }
    return put(context, NNC_CODE_NUMBER, value) ? length : 0;
}

static bool put_operator(void *context, nnc_operator of) {
    return put(context,
               of == NNC_OPERATOR_ADD        ? NNC_CODE_ADD
               : of == NNC_OPERATOR_SUBTRACT ? NNC_CODE_SUBTRACT
               : of == NNC_OPERATOR_MULTIPLY ? NNC_CODE_MULTIPLY
                                             : NNC_CODE_DIVIDE,
               0);
}

static bool read_text(parser *p) {
    static const nnc_expression_reader grammar = { .operators = NNC_OPERATORS_ARITHMETIC,
                                                   .nesting_max = EXPRESSION_NESTING_MAX,
                                                   .name_marks = "_",
                                                   .number = put_number,
                                                   .name = put_name,
                                                   .operate = put_operator,
                                                   .refuse = refuse };
    return nnc_expression_read(&grammar, p->text, p);
}

static bool keep(parser *p, nnc_expr *expr) {
    nnc_arena *arena = p->at.doc->arena;
    nnc_code *code = nnc_arena_array(arena, (size_t)p->count, sizeof *code);
    const char *text = nnc_arena_strdup(arena, p->text);
    if (code == NULL || text == NULL) { return nnc_faults_no_memory(p->at.doc->faults); }
    memcpy(code, p->code, (size_t)p->count * sizeof *code);
    *expr = (nnc_expr){ code, p->count, text };
    return true;
}

/* Reads an expression of a graph file: a whole number, true or false (1 or 0), or a string that consists of numbers,
 * names, the operators + - * / and parentheses. If the input is not valid, notes an error and returns false. */
static bool expr_read(nnc_json at, const nnc_expr_scope *scope, nnc_expr *expr) {
    char text[NNC_NUMBER_TEXT];
    parser p = { .at = at, .scope = scope };
    if (nnc_json_type_of(at) == NNC_JSON_TEXT) {
        p.text = nnc_json_text(at);
        return read_text(&p) && keep(&p, expr);
    }
    const bool is_switch = nnc_json_type_of(at) == NNC_JSON_BOOL;
    const double value = is_switch ? (double)nnc_json_bool(at) : nnc_json_number(at);
    if ((!is_switch && nnc_json_type_of(at) != NNC_JSON_NUMBER) || value != floor(value) ||
        fabs(value) > (double)NNC_GRAPH_NUMBER_MAX) {
        return nnc_json_mismatch(at, "wrong type", "a whole number or a text of numbers, names and + - * /");
    }
    p.text = nnc_number_text(value, text);
    return put(&p, NNC_CODE_NUMBER, (int64_t)value) && keep(&p, expr);
}

/* ---- Reads models of the graph family: any network as a list of ops (docs/graph.md).
 *
 * A file has numbers with names ("let"), the shape of its input, macros ("define") and a list of steps ("ops": an op,
 * or a repeat or macro with steps inside). Every name is resolved while the file is read: a step refers to numbers,
 * tensors and macros by index or pointer. */

enum { PATH_MAX_SIZE = 256, DEFINES_MAX = 128, TENSOR_NAMES_MAX = 512, NESTING_MAX = 12 };

/* State of reading a graph file. */
typedef struct reader {
    struct nnc_graph_net *net;
    nnc_arena *arena;
    nnc_faults *faults;
    nnc_graph_define *defines; /* the define_count macros of the graph file that are already read */
    int32_t define_count;
    /* the macro whose ops are being read; NULL = the ops that are being read belong to no macro */
    const nnc_graph_define *inside;
    /* names of all tensors that the reader has found so far; an op refers to a tensor by its index in this list */
    const char **names;
    int32_t name_count;
    int depth;
    char path[PATH_MAX_SIZE];
} reader;

static nnc_graph_ops read_ops(reader *r, nnc_json at);

/* ---- names of numbers, macros and tensors ---- */

static const char *copy_text(reader *r, const char *text) {
    const char *copy = nnc_arena_strdup(r->arena, text);
    if (copy == NULL) { nnc_faults_no_memory(r->faults); }
    return copy;
}

static nnc_expr_scope scope_of(const reader *r) {
    return (nnc_expr_scope){ .lets = r->net->let_names,
                             .let_count = r->net->let_count,
                             .args = r->inside != NULL ? r->inside->args : NULL,
                             .arg_count = r->inside != NULL ? r->inside->arg_count : 0 };
}

static bool read_expr(const reader *r, nnc_json at, nnc_expr *expr) {
    const nnc_expr_scope scope = scope_of(r);
    return expr_read(at, &scope, expr);
}

static const char *read_name(reader *r, nnc_json at, const char *text) {
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length == 0 || length > 40 || text[length] != '\0' || (text[0] >= '0' && text[0] <= '9')) {
        nnc_json_fault(at, NULL, "not a name, expected letters, digits and _, a letter first, found \"%.60s\"", text);
        return NULL;
    }
    return copy_text(r, text);
}

static int32_t tensor_name(reader *r, nnc_json at) {
    if (!nnc_json_expect(at, NNC_JSON_TEXT, "the name of a tensor")) { return -1; }
    for (int32_t i = 0; i < r->name_count; i++) {
        if (strcmp(r->names[i], nnc_json_text(at)) == 0) { return i; }
    }
    const char *name = read_name(r, at, nnc_json_text(at));
    if (name == NULL) { return -1; }
    if (r->name_count == TENSOR_NAMES_MAX) {
        nnc_json_fault(at, NULL, "too many names, expected at most %d", TENSOR_NAMES_MAX);
        return -1;
    }
    r->names[r->name_count] = name;
    return r->name_count++;
}

/* ---- reads the list "ops" ---- */

static bool is_key(nnc_json at, const char *key) { return key != NULL && strcmp(nnc_json_key(at), key) == 0; }

static void refuse_key(nnc_json at, const char *what, const char *const *keys) {
    const nnc_field_table none = { what, NULL, 0 };
    nnc_refuse_unknown(at, &none, keys);
}

static int32_t word_of(nnc_json at, const nnc_graph_param *param) {
    char expected[256] = "one of";
    int32_t i = 0;
    for (; param->words[i] != NULL; i++) {
        const size_t used = strlen(expected);
        if (nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(param->words[i], nnc_json_text(at)) == 0) { return i; }
        snprintf(expected + used, sizeof expected - used, "%s %s", i > 0 ? "," : "", param->words[i]);
    }
    nnc_json_mismatch(at, "unknown value", expected);
    return -1;
}

static void read_shape(const reader *r, nnc_json at, nnc_graph_node *node) {
    const int count = nnc_json_type_of(at) == NNC_JSON_LIST ? nnc_json_count(at) : 0;
    if (count < 1 || count > NNC_GRAPH_RANK_MAX) {
        nnc_json_mismatch(at, "wrong shape", "a list of 1 to 4 numbers, the batch left out");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!read_expr(r, item, &node->shape[node->shape_count++])) { return; }
    }
}

static void read_param(reader *r, nnc_json at, const nnc_graph_param *param, nnc_graph_node *node,
                       nnc_graph_value *value) {
    switch (param->type) {
    case NNC_GRAPH_NUMBER: read_expr(r, at, &value->number); break;
    case NNC_GRAPH_WORD: value->index = word_of(at, param); break;
    case NNC_GRAPH_TENSOR: value->index = tensor_name(r, at); break;
    case NNC_GRAPH_SHAPE: read_shape(r, at, node); break;
    }
}

static const nnc_names groups = { nnc_group_name, NNC_GROUP_COUNT };

static void read_group(nnc_json at, nnc_graph_node *node) {
    const int group = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_names_find(groups, nnc_json_text(at)) : -1;
    if (group < 0 || group == NNC_GROUP_OPTIMIZER || group == NNC_GROUP_NETWORK) {
        nnc_json_mismatch(at, "unknown group", "embedding, attention, mlp, norm, conv, resample, time or head");
        return;
    }
    node->group = (nnc_group)group;
}

/* Returns the label of an op, such as "bottleneck.conv": the name of the macro that contains the op, a dot, and the
 * name of the op; the kind of op replaces a missing name. */
static const char *label_of(reader *r, nnc_json at, const nnc_graph_node *node) {
    char label[96];
    const nnc_json name = nnc_json_get(at, "name");
    const char *own = nnc_graph_kind_name(node->kind);
    if (nnc_json_type_of(name) == NNC_JSON_TEXT) {
        own = nnc_json_text(name);
    } else if (nnc_json_type_of(name) != NNC_JSON_ABSENT) {
        nnc_json_mismatch(name, "wrong type", "text");
    }
    snprintf(label, sizeof label, "%s%s%.40s", r->inside != NULL ? r->inside->name : "", r->inside != NULL ? "." : "",
             own);
    for (char *c = label; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') { *c = '?'; }
    }
    return copy_text(r, label);
}

static void read_op(reader *r, nnc_json at, nnc_graph_node *node) {
    const char *keys[NNC_GRAPH_PARAMS_MAX + 8] = { "op", "as", "name", "group", "note" };
    const nnc_graph_kind_row *row = nnc_graph_kind_row_of(node->kind);
    size_t count = 5;
    for (int32_t i = 0; i < row->param_count; i++) {
        if (row->params[i].name != NULL) { keys[count++] = row->params[i].name; }
        node->values[i].index = -1;
    }
    node->group = NNC_GROUP_COUNT;
    node->label = label_of(r, at, node);
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        int32_t i = 0;
        while (i < row->param_count && !is_key(item, row->params[i].name)) { i++; }
        if (i < row->param_count) {
            read_param(r, item, &row->params[i], node, &node->values[i]);
        } else if (is_key(item, "group")) {
            read_group(item, node);
        } else if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            refuse_key(item, nnc_graph_kind_name(node->kind), keys);
        }
    }
    for (int32_t i = 0; i < row->param_count && nnc_json_go_on(at); i++) {
        const nnc_graph_param *param = &row->params[i];
        if (param->required && nnc_json_type_of(nnc_json_get(at, param->name)) == NNC_JSON_ABSENT) {
            nnc_json_fault(at, param->name, "missing, expected this key for a %s, found nothing",
                           nnc_graph_kind_name(node->kind));
        }
    }
}

static const nnc_names kinds = { (const char *(*)(unsigned))nnc_graph_kind_name, NNC_GRAPH_KIND_COUNT };

static void find_kind(nnc_json at, nnc_graph_node *node, bool *found) {
    const char *names[NNC_GRAPH_KIND_COUNT];
    const bool text = nnc_json_type_of(at) == NNC_JSON_TEXT;
    const int kind = text ? nnc_names_find(kinds, nnc_json_text(at)) : -1;
    *found = kind >= 0;
    if (*found) {
        node->kind = (nnc_graph_kind)kind;
        return;
    }
    for (int i = 0; i < NNC_GRAPH_KIND_COUNT; i++) { names[i] = nnc_graph_kind_name((nnc_graph_kind)i); }
    const char *near = text ? nnc_nearest(nnc_json_text(at), names, NNC_GRAPH_KIND_COUNT) : NULL;
    nnc_json_fault(at, NULL, "unknown op%s%s%s, found %.60s", near != NULL ? ", perhaps \"" : "",
                   near != NULL ? near : "", near != NULL ? "\"" : "", text ? nnc_json_text(at) : "no name");
}

static void read_use(reader *r, nnc_json at, nnc_graph_node *node) {
    const char *names[DEFINES_MAX];
    const char *keys[NNC_GRAPH_ARGS_MAX + 4] = { "use", "as", "note" };
    const nnc_json name = nnc_json_get(at, "use");
    const bool text = nnc_json_type_of(name) == NNC_JSON_TEXT;
    for (int32_t i = 0; i < r->define_count; i++) {
        names[i] = r->defines[i].name;
        if (text && strcmp(nnc_json_text(name), names[i]) == 0) { node->define = &r->defines[i]; }
    }
    if (node->define == NULL) {
        const char *near = text ? nnc_nearest(nnc_json_text(name), names, (size_t)r->define_count) : NULL;
        nnc_json_fault(name, NULL, "unknown macro, expected one defined above%s%s%s, found \"%.60s\"",
                       near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "",
                       text ? nnc_json_text(name) : "");
        return;
    }
    for (int32_t i = 0; i < node->define->arg_count; i++) { keys[3 + i] = node->define->args[i]; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        int32_t i = 0;
        while (i < node->define->arg_count && !is_key(item, node->define->args[i])) { i++; }
        if (i < node->define->arg_count) {
            read_expr(r, item, &node->args[i]);
        } else if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            refuse_key(item, node->define->name, keys);
        }
    }
    for (int32_t i = 0; i < node->define->arg_count && nnc_json_go_on(at); i++) {
        if (node->args[i].count == 0 && node->define->defaults[i].count == 0) {
            nnc_json_fault(at, node->define->args[i], "missing, expected this argument when %s is used, found nothing",
                           node->define->name);
        }
    }
}

/* Reads an entry of "ops" that contains a list of further entries: a repeat, an if, or a list of ops with shared
 * weights (tied) or untrained weights (frozen). key: the key that tells which kind of entry it is. */
static void read_around(reader *r, nnc_json at, const char *key, nnc_graph_node *node) {
    const char *const keys[] = { key, "ops", "as", "note", NULL };
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) { refuse_key(item, key, keys); }
    }
    if (read_expr(r, nnc_json_get(at, key), &node->count)) {
        const size_t used = strlen(r->path);
        snprintf(r->path + used, sizeof r->path - used, ".ops");
        node->ops = read_ops(r, nnc_json_get(at, "ops"));
        r->path[used] = '\0';
    }
}

static void read_names_only(nnc_json at) {
    static const char *const keys[] = { "as", "from", "note", NULL };
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) { refuse_key(item, "step", keys); }
    }
}

static void read_node(reader *r, nnc_json at, nnc_graph_node *node) {
    static const struct {
        const char *key;
        nnc_graph_step step;
    } steps[] = { { "op", NNC_STEP_OP },     { "use", NNC_STEP_USE },   { "repeat", NNC_STEP_REPEAT },
                  { "if", NNC_STEP_IF },     { "tied", NNC_STEP_TIED }, { "frozen", NNC_STEP_FROZEN },
                  { "from", NNC_STEP_FROM }, { "as", NNC_STEP_AS } };
    size_t i = 0;
    bool found = true;
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "a step: an object with op, use, repeat, if, tied, frozen, from or as")) {
        return;
    }
    while (i < NNC_COUNT_OF(steps) && nnc_json_type_of(nnc_json_get(at, steps[i].key)) == NNC_JSON_ABSENT) { i++; }
    if (i == NNC_COUNT_OF(steps)) {
        nnc_json_fault(at, NULL, "not a step, expected op, use, repeat, if, tied, frozen, from or as, found none");
        return;
    }
    node->step = steps[i].step;
    switch (node->step) {
    case NNC_STEP_OP:
        find_kind(nnc_json_get(at, "op"), node, &found);
        if (found) { read_op(r, at, node); }
        break;
    case NNC_STEP_USE: read_use(r, at, node); break;
    case NNC_STEP_REPEAT:
    case NNC_STEP_TIED:
    case NNC_STEP_FROZEN:
    case NNC_STEP_IF: read_around(r, at, steps[i].key, node); break;
    default: read_names_only(at);
    }
    if (node->step == NNC_STEP_FROM) { node->from = tensor_name(r, nnc_json_get(at, "from")); }
    const nnc_json as = nnc_json_get(at, "as");
    if (as.node != NULL) { node->as = tensor_name(r, as); }
}

/* Reads a list of entries with the key "ops", and returns the list. If an entry has a key "ops", too, the function
 * calls itself, through read_node, for this inner list. */
static nnc_graph_ops read_ops(reader *r, nnc_json at) {
    nnc_graph_ops ops = { NULL, 0 };
    const size_t used = strlen(r->path);
    if (nnc_json_type_of(at) != NNC_JSON_LIST || nnc_json_count(at) < 1) {
        nnc_json_fault(at.node != NULL ? at : (nnc_json){ at.doc, NULL }, at.node != NULL ? NULL : r->path,
                       "expected a list of steps, found %s", at.node != NULL ? "something else" : "nothing");
        return ops;
    }
    if (r->depth == NESTING_MAX) {
        nnc_json_fault(at, NULL, "too deep, expected at most %d lists inside each other", NESTING_MAX);
        return ops;
    }
    nnc_graph_node *nodes = nnc_arena_array(r->arena, (size_t)nnc_json_count(at), sizeof *nodes);
    if (nodes == NULL) {
        nnc_faults_no_memory(r->faults);
        return ops;
    }
    r->depth++;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        nnc_graph_node *node = &nodes[ops.count];
        *node = (nnc_graph_node){ .as = -1, .from = -1 };
        snprintf(r->path + used, sizeof r->path - used, "[%d]", ops.count++);
        node->where = copy_text(r, r->path);
        read_node(r, item, node);
    }
    r->depth--;
    r->path[used] = '\0';
    ops.nodes = nodes;
    return ops;
}

/* ---- reads a graph file: numbers (let), input, macros, ops ---- */

static void read_lets(reader *r, nnc_json at, int64_t *values) {
    struct nnc_graph_net *net = r->net;
    if (at.node != NULL && !nnc_json_expect(at, NNC_JSON_OBJECT, "an object of numbers by name")) { return; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        nnc_expr expr = { 0 };
        const char *name = read_name(r, item, nnc_json_key(item));
        if (name == NULL || !read_expr(r, item, &expr)) { return; }
        if (net->let_count == NNC_GRAPH_LETS_MAX) {
            nnc_json_fault(item, NULL, "too many numbers, expected at most %d", NNC_GRAPH_LETS_MAX);
            return;
        }
        net->let_names[net->let_count] = name;
        if (expr.count == 1 && expr.code[0].kind == NNC_CODE_NUMBER) {
            values[net->let_count] = expr.code[0].value;
        } else {
            net->lets[net->let_count] = expr;
        }
        net->let_count++;
    }
}

static void read_args(reader *r, nnc_json at, nnc_graph_define *define) {
    if (at.node != NULL && !nnc_json_expect(at, NNC_JSON_OBJECT, "an object of defaults by name")) { return; }
    r->inside = define;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        const char *name = read_name(r, item, nnc_json_key(item));
        if (define->arg_count == NNC_GRAPH_ARGS_MAX) {
            nnc_json_fault(item, NULL, "too many arguments, expected at most %d", NNC_GRAPH_ARGS_MAX);
            return;
        }
        if (name == NULL ||
            (nnc_json_type_of(item) != NNC_JSON_NULL && !read_expr(r, item, &define->defaults[define->arg_count]))) {
            return;
        }
        define->args[define->arg_count++] = name;
    }
}

static void read_defines(reader *r, nnc_json at) {
    static const char *const keys[] = { "args", "ops", "note", NULL };
    if (at.node != NULL && !nnc_json_expect(at, NNC_JSON_OBJECT, "an object of macros by name")) { return; }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item); item = nnc_json_next(item)) {
        if (r->define_count == DEFINES_MAX) {
            nnc_json_fault(item, NULL, "too many macros, expected at most %d", DEFINES_MAX);
            return;
        }
        if (!nnc_json_expect(item, NNC_JSON_OBJECT, "an object with args and ops")) { return; }
        nnc_graph_define *define = &r->defines[r->define_count];
        define->name = read_name(r, item, nnc_json_key(item));
        for (nnc_json key = nnc_json_first(item); key.node != NULL; key = nnc_json_next(key)) {
            if (!nnc_is_one_of(nnc_json_key(key), keys)) { refuse_key(key, "macro", keys); }
        }
        if (define->name == NULL) { return; }
        read_args(r, nnc_json_get(item, "args"), define);
        snprintf(r->path, sizeof r->path, "define.%s.ops", define->name);
        define->ops = read_ops(r, nnc_json_get(item, "ops"));
        r->define_count++;
    }
    r->inside = NULL;
}

static void read_input(reader *r, nnc_json root) {
    struct nnc_graph_net *net = r->net;
    const nnc_json at = nnc_json_get(root, "input");
    net->input = (nnc_graph_node){ .step = NNC_STEP_OP, .as = -1, .from = -1, .where = "input" };
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_fault(root, "input", "missing or of a wrong type, expected an object with a shape or tokens");
        return;
    }
    read_op(r, at, &net->input);
    const nnc_json as = nnc_json_get(at, "as");
    if (as.node != NULL) { net->input.as = tensor_name(r, as); }
    const nnc_graph_node *input = &net->input;
    const nnc_expr *length = input->shape_count > 0 ? &input->shape[input->shape_count - 1] : &input->values[0].number;
    net->images = input->shape_count >= 3;
    net->length_let = -1;
    if (length->count == 1 && length->code[0].kind == NNC_CODE_LET && net->lets[length->code[0].value].count == 0) {
        net->length_let = (int32_t)length->code[0].value;
    }
}

/* Returns the repeat whose iterations are the layers of the network: the only repeat at the top level of "ops". NULL =
 * the top level has no repeat, or several. */
static const nnc_graph_node *find_layers(const nnc_graph_ops *ops) {
    const nnc_graph_node *found = NULL;
    for (int32_t i = 0; i < ops->count; i++) {
        if (ops->nodes[i].step == NNC_STEP_REPEAT) {
            if (found != NULL) { return NULL; }
            found = &ops->nodes[i];
        }
    }
    return found;
}

static const struct nnc_graph_net *read_net(nnc_json root, int64_t lets[NNC_GRAPH_LETS_MAX]) {
    nnc_arena *arena = root.doc->arena;
    reader r = { .arena = arena, .faults = root.doc->faults };
    r.net = nnc_arena_alloc(arena, sizeof *r.net);
    r.defines = nnc_arena_array(arena, DEFINES_MAX, sizeof *r.defines);
    r.names = nnc_arena_array(arena, TENSOR_NAMES_MAX, sizeof *r.names);
    if (r.net == NULL || r.defines == NULL || r.names == NULL) {
        nnc_faults_no_memory(r.faults);
        return NULL;
    }
    memset(lets, 0, NNC_GRAPH_LETS_MAX * sizeof *lets);
    read_lets(&r, nnc_json_get(root, "let"), lets);
    if (r.faults->count == 0) { read_input(&r, root); }
    if (r.faults->count == 0) { read_defines(&r, nnc_json_get(root, "define")); }
    if (r.faults->count == 0) {
        snprintf(r.path, sizeof r.path, "ops");
        const nnc_json ops = nnc_json_get(root, "ops");
        if (ops.node == NULL) {
            nnc_json_fault(root, "ops", "missing, expected a list of steps, found nothing");
        } else {
            r.net->ops = read_ops(&r, ops);
        }
    }
    static const char *const parts[] = { "input", "define", "ops" };
    for (int i = 0; i < 3; i++) { r.net->texts[i] = nnc_json_copy(nnc_json_get(root, parts[i])); }
    r.net->names = r.names;
    r.net->name_count = r.name_count;
    r.net->layers = find_layers(&r.net->ops);
    return r.faults->count == 0 ? r.net : NULL;
}

/* ---- the model: its fields and checks, and its towers ---- */

static const nnc_field fields[] = { NNC_COMMON_FIELDS };

/* Tests whether `name` is the name of a field that models of every family have. A number under "let" must not have the
 * name of a field that models of every family have. */
static bool is_common(const char *name) { return nnc_field_of_key(&nnc_graph_fields.table, name) != NULL; }

/* Makes the field table of a graph model. The table has the fields that models of every family have. The field table of
 * a graph model also has a field for each entry of "let" that is a plain number, so that users can set the number. */
static const nnc_field_table *own_fields(nnc_json root, const struct nnc_graph_net *net) {
    nnc_arena *arena = root.doc->arena;
    nnc_field *list = nnc_arena_array(arena, NNC_COUNT_OF(fields) + NNC_GRAPH_LETS_MAX, sizeof *list);
    nnc_field_table *table = nnc_arena_alloc(arena, sizeof *table);
    size_t count = NNC_COUNT_OF(fields);
    if (list == NULL || table == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return NULL;
    }
    memcpy(list, fields, sizeof fields);
    for (int32_t i = 0; i < net->let_count; i++) {
        if (is_common(net->let_names[i])) {
            nnc_json_fault(nnc_json_get(root, "let"), net->let_names[i],
                           "a name that every model has already, expected another name");
        }
        if (net->lets[i].count == 0) {
            list[count++] =
                (nnc_field){ .name = net->let_names[i],
                             .type = NNC_FIELD_I64,
                             .offset = (uint32_t)(offsetof(nnc_model, graph.lets) + (size_t)i * sizeof(int64_t)),
                             .size = sizeof(int64_t),
                             .max = (double)NNC_GRAPH_NUMBER_MAX,
                             .help = "A number of this network." };
        }
    }
    *table = (nnc_field_table){ "graph", list, count };
    return table;
}

static void check_published(nnc_json root, const nnc_model *model) {
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    if (model->published_params > 0 && nnc_graph_measure(model->graph.net, model->graph.lets, &sizes, &fault) &&
        sizes.params != model->published_params) {
        nnc_json_fault(root, "published_params",
                       "is not the number of parameters of the ops, expected %" PRId64 ", found %" PRId64, sizes.params,
                       model->published_params);
    }
}

void nnc_graph_take(nnc_json root, nnc_model *model) {
    model->graph.net = read_net(root, model->graph.lets);
    if (model->graph.net != NULL) { model->graph.fields = own_fields(root, model->graph.net); }
}

void nnc_graph_tower(nnc_json at, nnc_model *model) {
    static const char *const tower_keys[] = { "let", "input", "define", "ops", "note", NULL };
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    nnc_graph *tower = &model->towers[model->tower_count];
    if (!nnc_json_expect(at, NNC_JSON_OBJECT, "an object with an input and ops")) { return; }
    for (nnc_json key = nnc_json_first(at); key.node != NULL; key = nnc_json_next(key)) {
        if (!nnc_is_one_of(nnc_json_key(key), tower_keys)) {
            nnc_json_fault(key, NULL, "unknown key of a tower, expected let, input, define or ops");
            return;
        }
    }
    tower->net = read_net(at, tower->lets);
    if (tower->net == NULL) { return; }
    if (!nnc_graph_measure(tower->net, tower->lets, &sizes, &fault)) {
        nnc_json_fault(at, fault.where, "%s", fault.what);
        return;
    }
    model->tower_count++;
}

static void complete_graph(nnc_json root, nnc_model *model) {
    /* The network of a foreign configuration is already in model->graph.net. A network without a foreign configuration
     * is read from the graph file. */
    if (model->graph.net == NULL) { nnc_graph_take(root, model); }
    if (model->graph.net != NULL) { check_published(root, model); }
}

static void graph_rules(nnc_json at, const nnc_model *model) {
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    if (!nnc_graph_measure(model->graph.net, model->graph.lets, &sizes, &fault)) {
        nnc_json_fault(at, fault.where, "%s", fault.what);
    }
}

static const char *const model_keys[] = { "schema", "aliases", "sources", "references", "like",
                                          "let",    "input",   "define",  "ops",        NULL };

const nnc_family_fields nnc_graph_fields = {
    .table = { "graph", fields, NNC_COUNT_OF(fields) },
    .complete = complete_graph,
    .rules = graph_rules,
    .keys = model_keys,
};
