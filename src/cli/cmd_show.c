#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/model_text.h"
#include "cli/show_view.h"
#include "input/file.h"
#include "input/kind.h"
#include "input/place.h"

static nnc_spec_view view_device(const nnc_device *device)
{
    return (nnc_spec_view){ .kind = "device",
                            .path = device->path,
                            .table = &nnc_device_table,
                            .object = device,
                            .sources = device->sources,
                            .source_count = device->source_count,
                            .device = device };
}

static nnc_spec_view view_model(const nnc_model *model)
{
    return (nnc_spec_view){ .kind = "model",
                            .path = model->path,
                            .table = nnc_model_table_of(model),
                            .object = model,
                            .sources = model->sources,
                            .source_count = model->source_count,
                            .model = model };
}

static nnc_spec_view view_software(const nnc_software *software)
{
    return (nnc_spec_view){ .kind = "software",
                            .path = software->path,
                            .table = &nnc_software_table,
                            .object = software,
                            .sources = software->sources,
                            .source_count = software->source_count };
}

static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, nnc_spec_view *view,
                       nnc_error *err)
{
    const nnc_device *device = NULL;
    const nnc_model *model = NULL;
    const nnc_software *software = NULL;
    nnc_status status = NNC_OK;
    if (kind == NNC_SPEC_DEVICE) {
        status = nnc_device_load(specs, id, &device, err);
        *view = status == NNC_OK ? view_device(device) : *view;
    } else if (kind == NNC_SPEC_MODEL) {
        status = nnc_model_load(specs, id, &model, err);
        *view = status == NNC_OK ? view_model(model) : *view;
    } else {
        status = nnc_software_load(specs, id, &software, err);
        *view = status == NNC_OK ? view_software(software) : *view;
    }
    return status == NNC_OK ? nnc_lineage_open(specs, kind, view->path, &view->lineage, err)
                            : status;
}

/* The kind that a file says it is; a file that says nothing can only be a model. */
static nnc_spec_kind sniff(nnc_specs *specs, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    nnc_spec_kind kind = NNC_SPEC_MODEL;
    if (!nnc_is_folder(path) && nnc_specs_read(specs, path, &text, &size, NULL) == NNC_OK) {
        kind = strstr(text, "\"nncost.device/") != NULL     ? NNC_SPEC_DEVICE
               : strstr(text, "\"nncost.software/") != NULL ? NNC_SPEC_SOFTWARE
                                                            : NNC_SPEC_MODEL;
    }
    free(text);
    return kind;
}

static nnc_status unknown_id(nnc_specs *specs, const char *id, nnc_error *err)
{
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    size_t name_count = 0;
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const char *const *ids = NULL;
        int32_t count = 0;
        const nnc_status status = nnc_specs_list(specs, (nnc_spec_kind)kind, &ids, &count, err);
        if (status != NNC_OK) {
            return status;
        }
        for (int32_t i = 0; i < count && name_count < NAMES_MAX; i++) {
            names[name_count++] = ids[i];
        }
    }
    const char *nearest = nnc_nearest(id, names, name_count);
    return nearest != NULL
               ? nnc_fail(err, NNC_UNKNOWN_ID, id,
                          "no device, model or software profile of this id, did you mean %s?",
                          nearest)
               : nnc_fail(err, NNC_UNKNOWN_ID, id,
                          "no device, model or software profile of this id, see 'nncost list'");
}

static nnc_status find(nnc_specs *specs, const char *id, nnc_spec_view *view, nnc_error *err)
{
    if (nnc_is_path(id) || nnc_is_folder(id)) {
        return load(specs, sniff(specs, id), id, view, err);
    }
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        const nnc_status status = load(specs, (nnc_spec_kind)kind, id, view, err);
        if (status != NNC_UNKNOWN_ID) {
            return status;
        }
    }
    return unknown_id(specs, id, err);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    nnc_spec_view view = { 0 };
    NNC_TRY(find(session->specs, session->options.operands[0], &view, err));
    assert(view.table != NULL);
    const bool file = view.model != NULL && session->style.format == &nnc_format_json;
    nnc_status status = NNC_OK;
    if (file) { /* to be edited and read back */
        nnc_model_write(session->out, view.model);
    } else {
        status = nnc_spec_write(session->out, session->style, &view);
    }
    nnc_lineage_close(view.lineage);
    return status == NNC_OK ? NNC_OK : nnc_no_memory(err);
}

const nnc_command nnc_cmd_show = {
    .name = "show",
    .operands = "ID",
    .summary = "A device, model or software profile: the file it came from, every field, the "
               "sources.",
    .notes = "A model in --format json is a file that reads back.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_MODEL,
    .run = run,
};
