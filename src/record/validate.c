#include <stdlib.h>
#include <string.h>

#include "input/file.h"
#include "input/kind.h"
#include "record/plan_file.h"

/* The kind has to be known before the file can be read by its table. */
static nnc_spec_kind kind_of(const nnc_json_doc *doc)
{
    nnc_json_doc copy = *doc;
    nnc_spec_kind kind = NNC_SPEC_KIND_COUNT;
    if (nnc_json_parse(&copy)) {
        kind = nnc_spec_kind_of(nnc_json_root(&copy));
    }
    nnc_json_free(&copy);
    return kind;
}

/* Is it a cluster? Says nothing about a file that is no JSON. */
static bool is_cluster(const nnc_json_doc *doc)
{
    nnc_faults quiet = { .name = doc->faults->name };
    nnc_json_doc copy = *doc;
    copy.faults = &quiet;
    const bool found = nnc_json_parse(&copy) && nnc_is_cluster(nnc_json_root(&copy));
    nnc_json_free(&copy);
    return found;
}

int nnc_spec_validate(nnc_specs *specs, const char *path, nnc_fault_fn *report, void *context)
{
    char *text = NULL;
    size_t size = 0;
    nnc_error err;
    if (nnc_file_read(path, &text, &size, &err) != NNC_OK) {
        report(context, &err);
        return 1;
    }
    nnc_faults faults = { .name = path, .report = report, .context = context };
    const nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    if (strstr(text, "\"nncost.plans/") != NULL) {
        nnc_plans plans;
        nnc_plans_parse(doc.arena, text, size, &faults, &plans);
        free(text);
        return faults.count;
    }
    const bool cluster = is_cluster(&doc);
    const nnc_spec_kind kind = cluster ? NNC_SPEC_DEVICE : kind_of(&doc);
    if (kind != NNC_SPEC_KIND_COUNT) {
        char stem[256];
        void *spec = nnc_arena_alloc(doc.arena, nnc_spec_kinds[kind].size);
        nnc_spec_stem(path, false, stem, sizeof(stem));
        if (spec != NULL && cluster) {
            nnc_cluster_read(doc.arena, stem, text, size, &faults, spec);
        } else if (spec == NULL) {
            nnc_faults_no_memory(&faults);
        } else {
            nnc_spec_read(doc.arena, kind, stem, text, size, &faults, spec);
        }
    }
    free(text);
    return faults.count;
}
