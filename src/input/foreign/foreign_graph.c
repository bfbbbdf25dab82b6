/* Networks of configurations that are lists of ops. */
#include <string.h>

#include "input/foreign/foreign.h"
#include "input/graph_read.h"

void nnc_foreign_graph_read(nnc_foreign_file *file)
{
    const nnc_foreign_graph *graph = nnc_foreign_graphs;
    const nnc_architecture *row = file->row;
    while (row != NULL && row->graph == NULL) {
        row = nnc_foreign_row(row->like);
    }
    if (row == NULL) {
        return;
    }
    while (graph->name != NULL && strcmp(graph->name, row->graph) != 0) {
        graph++;
    }
    if (graph->name == NULL) {
        nnc_json_fault(file->at, NULL, "%s: no list of ops", row->graph);
        return;
    }
    nnc_json_doc doc = { .faults = file->at.doc->faults,
                         .arena = file->at.doc->arena,
                         .text = graph->text,
                         .size = graph->size };
    if (nnc_json_parse(&doc)) {
        nnc_graph_take(nnc_json_root(&doc), file->model);
    }
    nnc_json_free(&doc);
}
