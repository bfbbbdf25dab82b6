/* The steps of a graph file: from JSON to nodes, every name looked up. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "base/number.h"
#include "input/graph_reader.h"
#include "input/read.h"

const char *nnc_graph_text_copy(nnc_graph_reader *r, const char *text)
{
    const char *copy = nnc_arena_strdup(r->arena, text);
    if (copy == NULL) {
        nnc_faults_no_memory(r->faults);
    }
    return copy;
}

static nnc_expr_scope scope_of(const nnc_graph_reader *r)
{
    return (nnc_expr_scope){ .lets = r->net->let_names,
                             .let_count = r->net->let_count,
                             .args = r->inside != NULL ? r->inside->args : NULL,
                             .arg_count = r->inside != NULL ? r->inside->arg_count : 0 };
}

bool nnc_graph_read_expr(const nnc_graph_reader *r, nnc_json at, nnc_expr *expr)
{
    const nnc_expr_scope scope = scope_of(r);
    return nnc_expr_read(at, &scope, expr);
}

const char *nnc_graph_read_name(nnc_graph_reader *r, nnc_json at, const char *text)
{
    const size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (length == 0 || length > 40 || text[length] != '\0' || (text[0] >= '0' && text[0] <= '9')) {
        nnc_json_fault(at, NULL,
                       "not a name, expected letters, digits and _, a letter first, found "
                       "\"%.60s\"",
                       text);
        return NULL;
    }
    return nnc_graph_text_copy(r, text);
}

int32_t nnc_graph_tensor_name(nnc_graph_reader *r, nnc_json at)
{
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong type", "the name of a tensor");
        return -1;
    }
    for (int32_t i = 0; i < r->name_count; i++) {
        if (strcmp(r->names[i], nnc_json_text(at)) == 0) {
            return i;
        }
    }
    const char *name = nnc_graph_read_name(r, at, nnc_json_text(at));
    if (name == NULL) {
        return -1;
    }
    if (r->name_count == NNC_GRAPH_TENSOR_NAMES_MAX) {
        nnc_json_fault(at, NULL, "too many names, expected at most %d", NNC_GRAPH_TENSOR_NAMES_MAX);
        return -1;
    }
    r->names[r->name_count] = name;
    return r->name_count++;
}

/* ---- nodes ---- */

static bool is_key(nnc_json at, const char *key)
{
    return key != NULL && strcmp(nnc_json_key(at), key) == 0;
}

void nnc_graph_refuse_key(nnc_json at, const char *what, const char *const *keys)
{
    const nnc_field_table none = { what, NULL, 0 };
    nnc_refuse_unknown(at, &none, keys);
}

static int32_t word_of(nnc_json at, const nnc_graph_param *param)
{
    char expected[256] = "one of";
    int32_t i = 0;
    for (; param->words[i] != NULL; i++) {
        const size_t used = strlen(expected);
        if (nnc_json_type_of(at) == NNC_JSON_TEXT &&
            strcmp(param->words[i], nnc_json_text(at)) == 0) {
            return i;
        }
        snprintf(expected + used, sizeof expected - used, "%s %s", i > 0 ? "," : "",
                 param->words[i]);
    }
    nnc_json_mismatch(at, "unknown value", expected);
    return -1;
}

static void read_shape(const nnc_graph_reader *r, nnc_json at, nnc_graph_node *node)
{
    const int count = nnc_json_type_of(at) == NNC_JSON_LIST ? nnc_json_count(at) : 0;
    if (count < 1 || count > 3) {
        nnc_json_mismatch(at, "wrong shape", "a list of 1 to 3 numbers, the batch left out");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!nnc_graph_read_expr(r, item, &node->shape[node->shape_count++])) {
            return;
        }
    }
}

static void read_param(nnc_graph_reader *r, nnc_json at, const nnc_graph_param *param,
                       nnc_graph_node *node, nnc_graph_value *value)
{
    switch (param->type) {
    case NNC_GRAPH_NUMBER: nnc_graph_read_expr(r, at, &value->number); break;
    case NNC_GRAPH_WORD: value->index = word_of(at, param); break;
    case NNC_GRAPH_TENSOR: value->index = nnc_graph_tensor_name(r, at); break;
    case NNC_GRAPH_SHAPE: read_shape(r, at, node); break;
    }
}

static const nnc_names groups = { nnc_group_name, NNC_GROUP_COUNT };

static void read_group(nnc_json at, nnc_graph_node *node)
{
    const int group =
        nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_names_find(groups, nnc_json_text(at)) : -1;
    if (group < 0 || group == NNC_GROUP_OPTIMIZER || group == NNC_GROUP_NETWORK) {
        nnc_json_mismatch(at, "unknown group",
                          "embedding, attention, mlp, norm, conv, resample, time or head");
        return;
    }
    node->group = (nnc_group)group;
}

/* "bottleneck.conv": the macro around, and the op's own name or its kind. */
static const char *label_of(nnc_graph_reader *r, nnc_json at, const nnc_graph_node *node)
{
    char label[96];
    const nnc_json name = nnc_json_get(at, "name");
    const char *own = nnc_graph_kind_name(node->kind);
    if (nnc_json_type_of(name) == NNC_JSON_TEXT) {
        own = nnc_json_text(name);
    } else if (nnc_json_type_of(name) != NNC_JSON_ABSENT) {
        nnc_json_mismatch(name, "wrong type", "text");
    }
    snprintf(label, sizeof label, "%s%s%.40s", r->inside != NULL ? r->inside->name : "",
             r->inside != NULL ? "." : "", own);
    for (char *c = label; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    return nnc_graph_text_copy(r, label);
}

void nnc_graph_read_op(nnc_graph_reader *r, nnc_json at, nnc_graph_node *node)
{
    const char *keys[NNC_GRAPH_PARAMS_MAX + 8] = { "op", "as", "name", "group", "note" };
    const nnc_graph_kind_row *row = nnc_graph_kind_row_of(node->kind);
    size_t count = 5;
    for (int32_t i = 0; i < row->param_count; i++) {
        if (row->params[i].name != NULL) {
            keys[count++] = row->params[i].name;
        }
        node->values[i].index = -1;
    }
    node->group = NNC_GROUP_COUNT;
    node->label = label_of(r, at, node);
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        int32_t i = 0;
        while (i < row->param_count && !is_key(item, row->params[i].name)) {
            i++;
        }
        if (i < row->param_count) {
            read_param(r, item, &row->params[i], node, &node->values[i]);
        } else if (is_key(item, "group")) {
            read_group(item, node);
        } else if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_graph_refuse_key(item, nnc_graph_kind_name(node->kind), keys);
        }
    }
    for (int32_t i = 0; i < row->param_count && nnc_json_go_on(at); i++) {
        const nnc_graph_param *param = &row->params[i];
        if (param->required && nnc_json_type_of(nnc_json_get(at, param->name)) == NNC_JSON_ABSENT) {
            nnc_json_fault(at, param->name, "missing, expected it for a %s, found nothing",
                           nnc_graph_kind_name(node->kind));
        }
    }
}

static const nnc_names kinds = { (const char *(*)(unsigned))nnc_graph_kind_name,
                                 NNC_GRAPH_KIND_COUNT };

static void find_kind(nnc_json at, nnc_graph_node *node, bool *found)
{
    const char *names[NNC_GRAPH_KIND_COUNT];
    const bool text = nnc_json_type_of(at) == NNC_JSON_TEXT;
    const int kind = text ? nnc_names_find(kinds, nnc_json_text(at)) : -1;
    *found = kind >= 0;
    if (*found) {
        node->kind = (nnc_graph_kind)kind;
        return;
    }
    for (int i = 0; i < NNC_GRAPH_KIND_COUNT; i++) {
        names[i] = nnc_graph_kind_name((nnc_graph_kind)i);
    }
    const char *near = text ? nnc_nearest(nnc_json_text(at), names, NNC_GRAPH_KIND_COUNT) : NULL;
    nnc_json_fault(at, NULL, "unknown op%s%s%s, found %.60s", near != NULL ? ", perhaps \"" : "",
                   near != NULL ? near : "", near != NULL ? "\"" : "",
                   text ? nnc_json_text(at) : "no name");
}

static void read_use(nnc_graph_reader *r, nnc_json at, nnc_graph_node *node)
{
    const char *names[NNC_GRAPH_DEFINES_MAX];
    const char *keys[NNC_GRAPH_ARGS_MAX + 4] = { "use", "as", "note" };
    const nnc_json name = nnc_json_get(at, "use");
    const bool text = nnc_json_type_of(name) == NNC_JSON_TEXT;
    for (int32_t i = 0; i < r->define_count; i++) {
        names[i] = r->defines[i].name;
        if (text && strcmp(nnc_json_text(name), names[i]) == 0) {
            node->define = &r->defines[i];
        }
    }
    if (node->define == NULL) {
        const char *near =
            text ? nnc_nearest(nnc_json_text(name), names, (size_t)r->define_count) : NULL;
        nnc_json_fault(name, NULL,
                       "unknown macro, expected one defined above%s%s%s, found \"%.60s\"",
                       near != NULL ? ", perhaps \"" : "", near != NULL ? near : "",
                       near != NULL ? "\"" : "", text ? nnc_json_text(name) : "");
        return;
    }
    for (int32_t i = 0; i < node->define->arg_count; i++) {
        keys[3 + i] = node->define->args[i];
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        int32_t i = 0;
        while (i < node->define->arg_count && !is_key(item, node->define->args[i])) {
            i++;
        }
        if (i < node->define->arg_count) {
            nnc_graph_read_expr(r, item, &node->args[i]);
        } else if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_graph_refuse_key(item, node->define->name, keys);
        }
    }
    for (int32_t i = 0; i < node->define->arg_count && nnc_json_go_on(at); i++) {
        if (node->args[i].count == 0 && node->define->defaults[i].count == 0) {
            nnc_json_fault(at, node->define->args[i],
                           "missing, expected it where %s is used, found nothing",
                           node->define->name);
        }
    }
}

/* A step that has others inside. */
static void read_around(nnc_graph_reader *r, nnc_json at, const char *key, nnc_graph_node *node)
{
    const char *const keys[] = { key, "ops", "as", "note", NULL };
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_graph_refuse_key(item, key, keys);
        }
    }
    if (nnc_graph_read_expr(r, nnc_json_get(at, key), &node->count)) {
        const size_t used = strlen(r->path);
        snprintf(r->path + used, sizeof r->path - used, ".ops");
        node->ops = nnc_graph_read_ops(r, nnc_json_get(at, "ops"));
        r->path[used] = '\0';
    }
}

static void read_names_only(nnc_json at)
{
    static const char *const keys[] = { "as", "from", "note", NULL };
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (!nnc_is_one_of(nnc_json_key(item), keys)) {
            nnc_graph_refuse_key(item, "step", keys);
        }
    }
}

static void read_node(nnc_graph_reader *r, nnc_json at, nnc_graph_node *node)
{
    static const struct {
        const char *key;
        nnc_graph_step step;
    } steps[] = { { "op", NNC_STEP_OP },         { "use", NNC_STEP_USE },
                  { "repeat", NNC_STEP_REPEAT }, { "if", NNC_STEP_IF },
                  { "tied", NNC_STEP_TIED },     { "frozen", NNC_STEP_FROZEN },
                  { "from", NNC_STEP_FROM },     { "as", NNC_STEP_AS } };
    size_t i = 0;
    bool found = true;
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type",
                          "a step: an object with op, use, repeat, if, tied, frozen, from or as");
        return;
    }
    while (i < NNC_COUNT_OF(steps) &&
           nnc_json_type_of(nnc_json_get(at, steps[i].key)) == NNC_JSON_ABSENT) {
        i++;
    }
    if (i == NNC_COUNT_OF(steps)) {
        nnc_json_fault(
            at, NULL,
            "not a step, expected op, use, repeat, if, tied, frozen, from or as, found none");
        return;
    }
    node->step = steps[i].step;
    switch (node->step) {
    case NNC_STEP_OP:
        find_kind(nnc_json_get(at, "op"), node, &found);
        if (found) {
            nnc_graph_read_op(r, at, node);
        }
        break;
    case NNC_STEP_USE: read_use(r, at, node); break;
    case NNC_STEP_REPEAT:
    case NNC_STEP_TIED:
    case NNC_STEP_FROZEN:
    case NNC_STEP_IF: read_around(r, at, steps[i].key, node); break;
    default: read_names_only(at);
    }
    if (node->step == NNC_STEP_FROM) {
        node->from = nnc_graph_tensor_name(r, nnc_json_get(at, "from"));
    }
    const nnc_json as = nnc_json_get(at, "as");
    if (as.node != NULL) {
        node->as = nnc_graph_tensor_name(r, as);
    }
}

/* Calls itself through read_node as deep as steps nest. */
nnc_graph_ops nnc_graph_read_ops(nnc_graph_reader *r, nnc_json at)
{
    nnc_graph_ops ops = { NULL, 0 };
    const size_t used = strlen(r->path);
    if (nnc_json_type_of(at) != NNC_JSON_LIST || nnc_json_count(at) < 1) {
        nnc_json_fault(at.node != NULL ? at : (nnc_json){ at.doc, NULL },
                       at.node != NULL ? NULL : r->path, "expected a list of steps, found %s",
                       at.node != NULL ? "something else" : "nothing");
        return ops;
    }
    if (r->depth == NNC_GRAPH_NESTING_MAX) {
        nnc_json_fault(at, NULL, "too deep, expected at most %d lists inside each other",
                       NNC_GRAPH_NESTING_MAX);
        return ops;
    }
    nnc_graph_node *nodes = nnc_arena_array(r->arena, (size_t)nnc_json_count(at), sizeof *nodes);
    if (nodes == NULL) {
        nnc_faults_no_memory(r->faults);
        return ops;
    }
    r->depth++;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        nnc_graph_node *node = &nodes[ops.count];
        *node = (nnc_graph_node){ .as = -1, .from = -1 };
        snprintf(r->path + used, sizeof r->path - used, "[%d]", ops.count++);
        node->where = nnc_graph_text_copy(r, r->path);
        read_node(r, item, node);
    }
    r->depth--;
    r->path[used] = '\0';
    ops.nodes = nodes;
    return ops;
}
