/* A graph file: its numbers, its input, its macros, its steps. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "input/graph_reader.h"
#include "input/read.h"

static void read_lets(nnc_graph_reader *r, nnc_json at, int64_t *values)
{
    struct nnc_graph_net *net = r->net;
    if (at.node != NULL && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object of numbers by name");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        nnc_expr expr = { 0 };
        const char *name = nnc_graph_read_name(r, item, nnc_json_key(item));
        if (name == NULL || !nnc_graph_read_expr(r, item, &expr)) {
            return;
        }
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

static void read_args(nnc_graph_reader *r, nnc_json at, nnc_graph_define *define)
{
    if (at.node != NULL && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object of defaults by name");
        return;
    }
    r->inside = define;
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        const char *name = nnc_graph_read_name(r, item, nnc_json_key(item));
        if (define->arg_count == NNC_GRAPH_ARGS_MAX) {
            nnc_json_fault(item, NULL, "too many arguments, expected at most %d",
                           NNC_GRAPH_ARGS_MAX);
            return;
        }
        if (name == NULL || (nnc_json_type_of(item) != NNC_JSON_NULL &&
                             !nnc_graph_read_expr(r, item, &define->defaults[define->arg_count]))) {
            return;
        }
        define->args[define->arg_count++] = name;
    }
}

static void read_defines(nnc_graph_reader *r, nnc_json at)
{
    static const char *const keys[] = { "args", "ops", "note", NULL };
    if (at.node != NULL && nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object of macros by name");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        if (r->define_count == NNC_GRAPH_DEFINES_MAX) {
            nnc_json_fault(item, NULL, "too many macros, expected at most %d",
                           NNC_GRAPH_DEFINES_MAX);
            return;
        }
        if (nnc_json_type_of(item) != NNC_JSON_OBJECT) {
            nnc_json_mismatch(item, "wrong type", "an object with args and ops");
            return;
        }
        nnc_graph_define *define = &r->defines[r->define_count];
        define->name = nnc_graph_read_name(r, item, nnc_json_key(item));
        for (nnc_json key = nnc_json_first(item); key.node != NULL; key = nnc_json_next(key)) {
            if (!nnc_is_one_of(nnc_json_key(key), keys)) {
                nnc_graph_refuse_key(key, "macro", keys);
            }
        }
        if (define->name == NULL) {
            return;
        }
        read_args(r, nnc_json_get(item, "args"), define);
        snprintf(r->path, sizeof r->path, "define.%s.ops", define->name);
        define->ops = nnc_graph_read_ops(r, nnc_json_get(item, "ops"));
        r->define_count++;
    }
    r->inside = NULL;
}

static void read_input(nnc_graph_reader *r, nnc_json root)
{
    struct nnc_graph_net *net = r->net;
    const nnc_json at = nnc_json_get(root, "input");
    net->input = (nnc_graph_node){ .step = NNC_STEP_OP, .as = -1, .from = -1, .where = "input" };
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_fault(root, "input",
                       "missing or of a wrong type, expected an object with a shape or "
                       "tokens");
        return;
    }
    nnc_graph_read_op(r, at, &net->input);
    const nnc_json as = nnc_json_get(at, "as");
    if (as.node != NULL) {
        net->input.as = nnc_graph_tensor_name(r, as);
    }
    const nnc_graph_node *input = &net->input;
    const nnc_expr *length =
        input->shape_count > 0 ? &input->shape[input->shape_count - 1] : &input->values[0].number;
    net->images = input->shape_count == 3;
    net->length_let = -1;
    if (length->count == 1 && length->code[0].kind == NNC_CODE_LET &&
        net->lets[length->code[0].value].count == 0) {
        net->length_let = (int32_t)length->code[0].value;
    }
}

/* The one repeat among the steps of the network itself. */
static const nnc_graph_node *find_layers(const nnc_graph_ops *ops)
{
    const nnc_graph_node *found = NULL;
    for (int32_t i = 0; i < ops->count; i++) {
        if (ops->nodes[i].step == NNC_STEP_REPEAT) {
            if (found != NULL) {
                return NULL;
            }
            found = &ops->nodes[i];
        }
    }
    return found;
}

const struct nnc_graph_net *nnc_graph_read(nnc_json root, int64_t lets[NNC_GRAPH_LETS_MAX])
{
    nnc_arena *arena = root.doc->arena;
    nnc_graph_reader r = { .arena = arena, .faults = root.doc->faults };
    r.net = nnc_arena_alloc(arena, sizeof *r.net);
    r.defines = nnc_arena_array(arena, NNC_GRAPH_DEFINES_MAX, sizeof *r.defines);
    r.names = nnc_arena_array(arena, NNC_GRAPH_TENSOR_NAMES_MAX, sizeof *r.names);
    if (r.net == NULL || r.defines == NULL || r.names == NULL) {
        nnc_faults_no_memory(r.faults);
        return NULL;
    }
    memset(lets, 0, NNC_GRAPH_LETS_MAX * sizeof *lets);
    read_lets(&r, nnc_json_get(root, "let"), lets);
    if (r.faults->count == 0) {
        read_input(&r, root);
    }
    if (r.faults->count == 0) {
        read_defines(&r, nnc_json_get(root, "define"));
    }
    if (r.faults->count == 0) {
        snprintf(r.path, sizeof r.path, "ops");
        const nnc_json ops = nnc_json_get(root, "ops");
        if (ops.node == NULL) {
            nnc_json_fault(root, "ops", "missing, expected a list of steps, found nothing");
        } else {
            r.net->ops = nnc_graph_read_ops(&r, ops);
        }
    }
    static const char *const parts[] = { "input", "define", "ops" };
    for (int i = 0; i < 3; i++) {
        r.net->texts[i] = nnc_json_copy(nnc_json_get(root, parts[i]));
    }
    r.net->names = r.names;
    r.net->name_count = r.name_count;
    r.net->layers = find_layers(&r.net->ops);
    return r.faults->count == 0 ? r.net : NULL;
}
