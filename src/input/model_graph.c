/* Files of the graph family: any network as a list of ops.   docs/graph.md */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "input/family_fields.h"
#include "input/graph_read.h"
#include "input/read.h"

static const nnc_field fields[] = { NNC_COMMON_FIELDS };

/* Names of fields that all files have: no number can be called so. */
static bool is_common(const char *name)
{
    return nnc_field_of_key(&nnc_graph_fields.table, name) != NULL;
}

/* The fields of this network: those of all graphs, and a row for each number that may be set. */
static const nnc_field_table *own_fields(nnc_json root, const struct nnc_graph_net *net)
{
    nnc_arena *arena = root.doc->arena;
    nnc_field *list =
        nnc_arena_array(arena, NNC_COUNT_OF(fields) + NNC_GRAPH_LETS_MAX, sizeof *list);
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
                           "a name that every model has, expected another");
        }
        if (net->lets[i].count == 0) {
            list[count++] = (nnc_field){ .name = net->let_names[i],
                                         .type = NNC_FIELD_I64,
                                         .offset = (uint32_t)(offsetof(nnc_model, graph.lets) +
                                                              (size_t)i * sizeof(int64_t)),
                                         .size = sizeof(int64_t),
                                         .max = (double)NNC_GRAPH_NUMBER_MAX,
                                         .help = "A number of this network." };
        }
    }
    *table = (nnc_field_table){ "graph", list, count };
    return table;
}

static void check_published(nnc_json root, const nnc_model *model)
{
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    if (model->published_params > 0 &&
        nnc_graph_measure(model->graph.net, model->graph.lets, &sizes, &fault) &&
        sizes.params != model->published_params) {
        nnc_json_fault(root, "published_params",
                       "not what the ops have, expected %" PRId64 ", found %" PRId64, sizes.params,
                       model->published_params);
    }
}

void nnc_graph_take(nnc_json root, nnc_model *model)
{
    model->graph.net = nnc_graph_read(root, model->graph.lets);
    if (model->graph.net != NULL) {
        model->graph.fields = own_fields(root, model->graph.net);
    }
}

void nnc_graph_tower(nnc_json at, nnc_model *model)
{
    static const char *const tower_keys[] = { "let", "input", "define", "ops", "note", NULL };
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    nnc_graph *tower = &model->towers[model->tower_count];
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object with an input and ops");
        return;
    }
    for (nnc_json key = nnc_json_first(at); key.node != NULL; key = nnc_json_next(key)) {
        if (!nnc_is_one_of(nnc_json_key(key), tower_keys)) {
            nnc_json_fault(key, NULL, "unknown key of a tower, expected let, input, define or ops");
            return;
        }
    }
    tower->net = nnc_graph_read(at, tower->lets);
    if (tower->net == NULL) {
        return;
    }
    if (!nnc_graph_measure(tower->net, tower->lets, &sizes, &fault)) {
        nnc_json_fault(at, fault.where, "%s", fault.what);
        return;
    }
    model->tower_count++;
}

static void complete(nnc_json root, nnc_model *model)
{
    if (model->graph.net == NULL) { /* else a configuration has named it */
        nnc_graph_take(root, model);
    }
    if (model->graph.net != NULL) {
        check_published(root, model);
    }
}

static void rules(nnc_json at, const nnc_model *model)
{
    nnc_graph_fault fault;
    nnc_graph_sizes sizes;
    if (!nnc_graph_measure(model->graph.net, model->graph.lets, &sizes, &fault)) {
        nnc_json_fault(at, fault.where, "%s", fault.what);
    }
}

static const char *const keys[] = { "schema", "aliases", "sources", "references", "like",
                                    "let",    "input",   "define",  "ops",        NULL };

const nnc_family_fields nnc_graph_fields = {
    .table = { "graph", fields, NNC_COUNT_OF(fields) },
    .complete = complete,
    .rules = rules,
    .keys = keys,
};
