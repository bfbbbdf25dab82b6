/* One file of any kind: from text to struct. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/file.h"
#include "input/kind.h"
#include "input/place.h"

const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT] = {
    [NNC_SPEC_DEVICE] = { .what = "device",
                          .plural = "devices",
                          .folder = "hw",
                          .argument = "DEVICE",
                          .schema = "nncost.device/1",
                          .size = sizeof(nnc_device),
                          .path_offset = offsetof(nnc_device, path),
                          .has_aliases = true,
                          .read = nnc_device_read },
    [NNC_SPEC_MODEL] = { .what = "model",
                         .plural = "models",
                         .folder = "models",
                         .argument = "MODEL",
                         .schema = "nncost.model/1",
                         .size = sizeof(nnc_model),
                         .path_offset = offsetof(nnc_model, path),
                         .has_aliases = true,
                         .read = nnc_model_read },
    [NNC_SPEC_SOFTWARE] = { .what = "software profile",
                            .plural = "software",
                            .folder = "software",
                            .argument = "--software",
                            .schema = "nncost.software/1",
                            .size = sizeof(nnc_software),
                            .path_offset = offsetof(nnc_software, path),
                            .read = nnc_software_read },
};

nnc_spec_kind nnc_spec_kind_said(nnc_json root)
{
    const nnc_json at = nnc_json_get(root, "schema");
    int kind = 0;
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        return nnc_is_foreign(root) ? NNC_SPEC_MODEL : NNC_SPEC_KIND_COUNT;
    }
    while (kind < NNC_SPEC_KIND_COUNT &&
           strcmp(nnc_spec_kinds[kind].schema, nnc_json_text(at)) != 0) {
        kind++;
    }
    return (nnc_spec_kind)kind;
}

nnc_spec_kind nnc_spec_kind_of(nnc_json root)
{
    const nnc_spec_kind kind = nnc_spec_kind_said(root);
    const nnc_json at = nnc_json_get(root, "schema");
    if (kind == NNC_SPEC_KIND_COUNT && at.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected the kind of file, found nothing");
    } else if (kind == NNC_SPEC_KIND_COUNT) {
        nnc_json_mismatch(at, "unknown schema",
                          "nncost.device/1, nncost.model/1, nncost.software/1, nncost.cluster/1, "
                          "nncost.plans/1, nncost.prices/1, nncost.grid/1 or nncost.foreign/1");
    }
    return kind;
}

void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem,
                        void *out)
{
    doc->specs = specs;
    if (nnc_spec_complete(doc, specs, kind)) {
        nnc_spec_kinds[kind].read(nnc_json_root(doc), stem, out);
    }
}

nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text,
                         size_t size, nnc_faults *faults, void *out)
{
    nnc_json_doc doc = { .faults = faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .foreign = kind == NNC_SPEC_MODEL,
                         .lenient = nnc_specs_are_lenient(specs) };
    if (nnc_json_parse(&doc)) {
        nnc_spec_read_open(&doc, specs, kind, stem, out);
    }
    nnc_json_free(&doc);
    return faults->status;
}

/* "hw/h100.json" -> "h100"; a config.json is called after its folder. */
void nnc_spec_stem(const char *path, bool config, char *stem, size_t size)
{
    const char *end = path + strlen(path);
    const char *slash = strrchr(path, '/');
    const char *begin = slash != NULL ? slash + 1 : path;
    if (config && slash != NULL && slash > path && strcmp(begin, "config.json") == 0) {
        end = slash;
        begin = end;
        while (begin > path && begin[-1] != '/') {
            begin--;
        }
    } else if (end - begin > 5 && strcmp(end - 5, ".json") == 0) {
        end -= 5;
    }
    snprintf(stem, size, "%.*s", (int)(end - begin), begin);
}

void nnc_spec_name(nnc_model *model, const char *path)
{
    if (model->id[0] == '\0') {
        nnc_spec_stem(path != NULL && path[0] != '\0' ? path : "model", true, model->id,
                      sizeof(model->id));
        snprintf(model->name, sizeof(model->name), "%s", model->id);
    }
}

static nnc_status read_text(nnc_specs *specs, nnc_spec_kind kind, const char *path,
                            const char *text, size_t size, const void **out, nnc_error *err)
{
    char stem[256];
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_faults faults = { .name = path, .err = err };
    void *spec = nnc_arena_alloc(arena, nnc_spec_kinds[kind].size);
    nnc_spec_stem(path, false, stem, sizeof(stem));
    if (spec == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    NNC_TRY(nnc_spec_read(specs, kind, nnc_is_pipe(path) ? NULL : stem, text, size, &faults, spec));
    if (kind == NNC_SPEC_MODEL) {
        nnc_spec_name(spec, nnc_is_pipe(path) ? NULL : path);
    }
    const char *copy = nnc_arena_strdup(arena, path);
    if (copy == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    memcpy((char *)spec + nnc_spec_kinds[kind].path_offset, &copy, sizeof(copy));
    *out = spec;
    return NNC_OK;
}

nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out,
                         nnc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    const nnc_status status = read_text(specs, kind, path, text, size, out, err);
    free(text);
    return status;
}

nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy,
                         nnc_error *err)
{
    if (size > NNC_FILE_BYTES_MAX) {
        return nnc_fail(err, NNC_BAD_SPEC, name, "too large, expected at most 16 MB, found more");
    }
    *copy = malloc(size + 1);
    if (*copy == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory");
    }
    if (size > 0) {
        memcpy(*copy, text, size);
    }
    (*copy)[size] = '\0';
    return NNC_OK;
}

static nnc_status parse(nnc_specs *specs, nnc_spec_kind kind, const char *name, const char *text,
                        size_t size, void *out, nnc_error *err)
{
    nnc_faults faults = { .name = name, .err = err };
    char *copy = NULL;
    NNC_TRY(nnc_text_copy(name, text, size, &copy, err));
    const nnc_status status = nnc_spec_read(specs, kind, NULL, copy, size, &faults, out);
    free(copy);
    return status;
}

nnc_status nnc_device_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                 nnc_device *device, nnc_error *err)
{
    return parse(specs, NNC_SPEC_DEVICE, name, text, size, device, err);
}

nnc_status nnc_model_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                nnc_model *model, nnc_error *err)
{
    NNC_TRY(parse(specs, NNC_SPEC_MODEL, name, text, size, model, err));
    nnc_spec_name(model, name);
    return NNC_OK;
}

nnc_status nnc_software_parse_into(nnc_specs *specs, const char *name, const char *text,
                                   size_t size, nnc_software *software, nnc_error *err)
{
    return parse(specs, NNC_SPEC_SOFTWARE, name, text, size, software, err);
}
