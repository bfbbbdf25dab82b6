#include <stdlib.h>
#include <string.h>

#include "input/file.h"
#include "input/kind.h"
#include "input/place.h"
#include "record/plan_file.h"

/* The kind has to be known before the file can be read by its table. */
static void read_any(nnc_json_doc *doc, nnc_specs *specs, const char *path)
{
    char stem[256];
    const nnc_json root = nnc_json_root(doc);
    const bool cluster = nnc_is_cluster(root);
    if (nnc_is_catalogue(root)) {
        nnc_spec_stem(path, false, stem, sizeof stem);
        nnc_catalogue_read_open(doc, specs, nnc_is_pipe(path) ? NULL : stem);
        return;
    }
    if (nnc_is_architecture(root)) {
        nnc_spec_stem(path, false, stem, sizeof stem);
        nnc_architecture_read_open(doc, specs, nnc_is_pipe(path) ? NULL : stem);
        return;
    }
    const nnc_spec_kind kind = cluster ? NNC_SPEC_DEVICE : nnc_spec_kind_of(root);
    void *spec =
        kind != NNC_SPEC_KIND_COUNT ? nnc_arena_alloc(doc->arena, nnc_spec_kinds[kind].size) : NULL;
    nnc_spec_stem(path, false, stem, sizeof(stem));
    const char *named = nnc_is_pipe(path) ? NULL : stem;
    if (spec == NULL && kind != NNC_SPEC_KIND_COUNT) {
        nnc_faults_no_memory(doc->faults);
    } else if (cluster) {
        nnc_cluster_read_open(doc, specs, named, spec);
    } else if (spec != NULL) {
        nnc_spec_read_open(doc, specs, kind, named, spec);
    }
}

int nnc_spec_validate(nnc_specs *specs, const char *asked, nnc_fault_fn *report, void *context)
{
    char *text = NULL;
    size_t size = 0;
    nnc_error err;
    const char *path = asked;
    if (specs == NULL || asked == NULL || report == NULL) {
        return 1;
    }
    if (nnc_is_folder(asked) && nnc_place_of_model(specs, asked, &path, &err) != NNC_OK) {
        report(context, &err);
        return 1;
    }
    if (nnc_plans_text(specs, path, &text, &size, &err) != NNC_OK) {
        report(context, &err);
        return 1;
    }
    const bool plan_file = strstr(text, "\"nncost.plans/") != NULL;
    if (!plan_file && size > NNC_FILE_BYTES_MAX) {
        free(text);
        nnc_file_too_large(path, NNC_FILE_BYTES_MAX, &err);
        report(context, &err);
        return 1;
    }
    nnc_faults faults = { .name = path, .report = report, .context = context };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .foreign = true,
                         .lenient = nnc_specs_are_lenient(specs) };
    if (plan_file) {
        nnc_plans plans;
        nnc_plans_parse(doc.arena, text, size, &faults, &plans);
    } else if (nnc_json_parse(&doc)) {
        read_any(&doc, specs, path);
    }
    nnc_json_free(&doc);
    free(text);
    return faults.count;
}
