/* Reads the measured rows that options of the command line select, and loads the model, device, software profile and
 * plan of each row. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "trace/trace_internal.h"

/* ---- the options --only, --fold and --group ---- */

static const char *const group_keys[] = { "file", "source", "device", "framework", "model" };
enum { TORUS_HOST_MOST = 8 };
enum { GROUP_KEYS = sizeof group_keys / sizeof group_keys[0] };

static nnc_status read_fold(const char *text, nnc_row_choice *into, nnc_error *err) {
    char part[24];
    const char *given = text;
    if (text == NULL) { return NNC_OK; }
    into->others = strncmp(text, "not:", 4) == 0;
    text += into->others ? 4 : 0;
    const size_t length = strcspn(text, "/");
    snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : 0), text);
    if (text[length] != '/' || !nnc_read_i64(part, &into->part) || !nnc_read_i64(text + length + 1, &into->parts) ||
        into->part < 1 || into->part > into->parts) {
        return nnc_fail(err, NNC_BAD_USAGE, "--fold", "expected K/N or not:K/N with K from 1 to N, found \"%s\"",
                        given);
    }
    return NNC_OK;
}

static nnc_status read_group(const char *text, nnc_row_choice *into, nnc_error *err) {
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        int key = 0;
        while (key < GROUP_KEYS && (strlen(group_keys[key]) != length || memcmp(group_keys[key], text, length) != 0)) {
            key++;
        }
        if (key == GROUP_KEYS) {
            return nnc_fail(err, NNC_BAD_USAGE, "--group",
                            "expected file, source, device, framework, model, found \"%.*s\"", (int)length, text);
        }
        into->together |= 1u << key;
        text += length + (text[length] == ',');
    }
    return NNC_OK;
}

nnc_status nnc_row_choice_read(const nnc_options *options, nnc_row_choice *choice, nnc_error *err) {
    *choice = (nnc_row_choice){ .only = options->only };
    NNC_TRY(read_fold(options->fold, choice, err));
    return read_group(options->group, choice, err);
}

void nnc_row_choice_by_model(nnc_row_choice *choice) {
    for (int key = 0; key < GROUP_KEYS; key++) {
        const bool both = strcmp(group_keys[key], "source") == 0 || strcmp(group_keys[key], "model") == 0;
        choice->together |= both ? 1u << key : 0u;
    }
}

bool nnc_row_passes(const nnc_row_choice *choice, const nnc_measured *row) {
    return choice->only == NULL || strstr(row->id, choice->only) != NULL;
}

uint64_t nnc_row_digest(const nnc_row_choice *choice, const nnc_measured *row) {
    const char *slash = strrchr(row->file, '/');
    const char *const values[GROUP_KEYS] = {
        slash != NULL ? slash + 1 : row->file, row->source, row->device, row->framework, row->model_name,
    };
    uint32_t crc = 0;
    bool first = true;
    if (choice->together == 0) { return nnc_digest_bytes(NNC_DIGEST_START, row->id, strlen(row->id)); }
    for (int key = 0; key < GROUP_KEYS; key++) {
        if ((choice->together >> key & 1u) != 0) {
            crc = first ? crc : nnc_crc32(crc, "/", 1);
            crc = nnc_crc32(crc, values[key], strlen(values[key]));
            first = false;
        }
    }
    return crc;
}

bool nnc_row_in_fold(const nnc_row_choice *choice, const nnc_measured *row) {
    if (choice->parts == 0) { return true; }
    const uint64_t digest = nnc_row_digest(choice, row);
    const bool inside = digest % (uint64_t)choice->parts == (uint64_t)(choice->part - 1);
    return inside != choice->others;
}

nnc_status nnc_row_load_device(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, const char **id,
                               nnc_error *err) {
    const nnc_device *device = NULL;
    const nnc_status status = nnc_device_load(specs, row->device, &device, err);
    if (status == NNC_OK) {
        scenario->device = *device;
        *id = device->id;
    } else if (status == NNC_UNKNOWN_ID) {
        nnc_fail(err, status, "hardware", "no device file for \"%.64s\"", row->device);
    }
    return status;
}

static nnc_status load_model(nnc_specs *specs, const nnc_measured *row, nnc_scenario *scenario, nnc_error *err) {
    static const nnc_model stand_in = { .id = "none",
                                        .family = NNC_FAMILY_DECODER,
                                        .decoder = { .layers = 1,
                                                     .hidden = 1,
                                                     .heads = 1,
                                                     .kv_heads = 1,
                                                     .head_dim = 2,
                                                     .ffn_hidden = 1,
                                                     .vocab = 1,
                                                     .vocab_multiple = 1,
                                                     .seq_len = 1 } };
    const nnc_model *model = row->model != NULL ? row->model : &stand_in;
    if (row->model_id != NULL) { NNC_TRY(nnc_model_load(specs, row->model_id, &model, err)); }
    scenario->model = *model;
    if (row->model_id != NULL) { NNC_TRY(nnc_specs_take_library(specs, row->model_id, &scenario->model, err)); }
    if (row->implementation != NNC_IMPLEMENTATION_NONE) {
        nnc_implementation_take(row->implementation, &scenario->model);
    }
    nnc_specs_take_implementation(specs, &scenario->model);
    return NNC_OK;
}

NNC_ENUM_NAMES(nnc_level, NNC_LEVEL_LIST)

/* Loads the software profile with which nncost estimates the row's plan by default, that is, without the option
 * --software. */
static nnc_status choose_software(nnc_specs *specs, nnc_scenario *s, nnc_error *err) {
    const nnc_software *software = NULL;
    NNC_TRY(nnc_profile_load(specs, nnc_profile_kind_of(&s->model, &s->device, &s->plan), &software, err));
    s->software = *software;
    return NNC_OK;
}

/* Finds the framework release that the version text of a row names: "Megatron-Core r0.8.0", "MLPerf v5.1; NVIDIA
 * NeMo". */
static nnc_status find_in_version(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err) {
    const char *number = ask->version + strcspn(ask->version, "0123456789");
    nnc_release_ask named = *ask;
    named.framework = ask->version;
    named.version = number;
    return number > ask->version && *number != '\0' ? nnc_release_find(specs, &named, release, err) : NNC_OK;
}

/* Finds the framework release with which a row was measured. The version text of a row may name a program, such as
 * "Megatron-Core r0.8.0". If the version text begins with the first word of the row's framework (such as "Megatron" of
 * Megatron-LM), the function first searches the release of the program in the version text, and then the release of the
 * framework with this version. If the version text begins with another word, the function first searches the release of
 * the framework, and then the release of the program in the version text. */
static nnc_status find_release(nnc_specs *specs, const nnc_release_ask *ask, nnc_release *release, nnc_error *err) {
    const size_t word = strcspn(ask->framework, " -");
    *release = (nnc_release){ .entry = NULL };
    if (word > 0 && strncmp(ask->framework, ask->version, word) == 0) {
        NNC_TRY(find_in_version(specs, ask, release, err));
    }
    if (release->entry == NULL && word > 0) { NNC_TRY(nnc_release_find(specs, ask, release, err)); }
    return release->entry != NULL ? NNC_OK : find_in_version(specs, ask, release, err);
}

/* Loads the software profile of a row that names a framework but no profile. If the value of --level allows the use of
 * the framework release, the function loads the profile of this release, otherwise the default profile of the plan.
 * With --level plan, the function loads the default profile, and sets its attention kernel to the kernel of the
 * release. */
static nnc_status load_framework(nnc_specs *specs, nnc_level level, const nnc_measured *row, nnc_scenario *s,
                                 nnc_error *err) {
    const nnc_given given = { nnc_measured_gives, row };
    const nnc_release_ask ask = { .framework = row->framework,
                                  .version = row->version,
                                  .device = s->device.id,
                                  .model = row->model_name,
                                  .family = nnc_family_name(s->model.family) };
    s->release = (nnc_release){ .entry = NULL };
    if (level != NNC_LEVEL_USER) { NNC_TRY(find_release(specs, &ask, &s->release, err)); }
    if (s->release.entry == NULL) { return choose_software(specs, s, err); }
    s->software = *s->release.software;
    NNC_TRY(nnc_scenario_release(s, &given, row->model_name, err));
    if (level == NNC_LEVEL_PLAN) {
        const nnc_software released = s->software;
        NNC_TRY(choose_software(specs, s, err));
        s->software.flash_kernel = released.flash_kernel;
        s->software.unfused_attention = released.unfused_attention;
    }
    return NNC_OK;
}

static nnc_status load_software(nnc_specs *specs, const nnc_options *options, const nnc_measured *row,
                                nnc_scenario *scenario, nnc_error *err) {
    const char *asked = options->given.software;
    if (row->kind == NNC_MEASURED_STEP && row->software == NULL) {
        NNC_TRY(load_framework(specs, (nnc_level)options->level, row, scenario, err));
        return asked == NULL ? NNC_OK : nnc_software_asked(specs, asked, &scenario->software, err);
    }
    asked = asked != NULL ? asked : row->software;
    const nnc_status status = nnc_software_asked(specs, asked, &scenario->software, err);
    return status == NNC_UNKNOWN_ID && asked == row->software
               ? nnc_fail(err, status, "framework", "%.64s has no profile", asked)
               : status;
}

nnc_status nnc_row_load(nnc_specs *specs, const nnc_options *options, const nnc_measured *row, nnc_scenario *scenario,
                        nnc_error *err) {
    nnc_status status = load_model(specs, row, scenario, err);
    scenario->plan = row->plan;
    if (status == NNC_OK) { status = load_software(specs, options, row, scenario, err); }
    /* Tables of TPUs state the number of devices per host, four or eight. The number of devices per host is ignored,
     * because hosts do not limit the links of a torus. */
    if (scenario->device.scale_up.kind == NNC_LINK_TORUS && scenario->plan.devices_per_node <= TORUS_HOST_MOST) {
        scenario->plan.devices_per_node = 0;
    }
    if (!isnan(row->internode_bytes_per_s)) { scenario->device.scale_out.bytes_per_s = row->internode_bytes_per_s; }
    for (int32_t i = 0; i < row->field_count && status == NNC_OK; i++) {
        const nnc_measured_field *field = &row->fields[i];
        status = field->of_device ? nnc_device_set(&scenario->device, field->name, field->value, err)
                                  : nnc_software_set(&scenario->software, field->name, field->value, err);
    }
    return status;
}

/* Writes the operators of a trace as a CSV table of measurements: one row for each operator shape, with the mean time
 * of a call. */
static void put_trace(nnc_buffer *table, const nnc_trace_sum *sum, const char *device) {
    nnc_buffer_text(table, "id,device,op,dtype,batch,m,n,k,measured_s\n");
    for (int64_t i = 0; i < sum->row_count; i++) {
        const nnc_trace_row *r = &sum->rows[i];
        const nnc_trace_kind kind = { r->op, r->dims, r->types, r->values };
        nnc_trace_sizes of;
        if (!r->linked || !nnc_trace_sizes_of(&kind, r->tf32, &of)) { continue; }
        char k[24] = "", batch[24] = "";
        if (of.k > 0) {
            snprintf(k, sizeof k, "%lld", (long long)of.k);
            snprintf(batch, sizeof batch, "%lld", (long long)of.batch);
        }
        nnc_buffer_print(table, "%s/%s/%lldx%lldx%s/%s,%s,%s,%s,%s,%lld,%lld,%s,%.9g\n", of.op,
                         nnc_dtype_name(of.dtype), (long long)of.m, (long long)of.n, k, batch, device, of.op,
                         nnc_dtype_name(of.dtype), batch, (long long)of.m, (long long)of.n, k,
                         r->measured_s / (double)r->calls);
    }
}

/* Loads the operators of a trace as measured rows of one device: the device that --device names, or else the device
 * that the trace names. */
static nnc_status load_trace(nnc_session *session, const char *path, nnc_measured_file *file, nnc_error *err) {
    nnc_trace *trace = NULL;
    nnc_trace_sum sum;
    nnc_buffer table = { 0 };
    NNC_TRY(nnc_trace_read(path, &trace, err));
    nnc_status status = nnc_trace_sum_up(trace, path, NULL, &sum, err);
    const char *asked = session->options.device;
    const char *device = asked != NULL ? asked : trace->device;
    if (status == NNC_OK && device == NULL) {
        status = nnc_fail(err, NNC_BAD_USAGE, "--device",
                          "missing, expected the device that ran %.400s, because the trace does not name it", path);
    }
    if (status == NNC_OK) {
        put_trace(&table, &sum, device);
        status = table.failed ? nnc_no_memory(err)
                              : nnc_measured_parse(session->specs, path, table.bytes, table.size, file, err);
    }
    nnc_buffer_free(&table);
    nnc_trace_free(trace);
    return status;
}

static nnc_status load_rows(nnc_session *session, const char *path, nnc_measured_file *file, nnc_error *err) {
    return nnc_trace_is(path) ? load_trace(session, path, file, err)
                              : nnc_measured_load(session->specs, path, file, err);
}

nnc_status nnc_rows_read(nnc_session *session, const nnc_row_choice *choice, nnc_arena *arena,
                         nnc_measured_file **files, int32_t *count, nnc_error *err) {
    const nnc_options *options = &session->options;
    bool any = choice->only == NULL;
    *files = nnc_arena_array(arena, (size_t)options->operand_count, sizeof **files);
    NNC_GOT(*files, err);
    for (*count = 0; *count < options->operand_count; (*count)++) {
        nnc_measured_file *file = &(*files)[*count];
        NNC_TRY(load_rows(session, options->operands[*count], file, err));
        for (int32_t i = 0; i < file->count && !any; i++) { any = nnc_row_passes(choice, &file->rows[i]); }
    }
    return any ? NNC_OK
               : nnc_fail(err, NNC_BAD_USAGE, "--only", "no row has this text in its id, found \"%s\"", choice->only);
}

/* ---- counting rows that are left out ---- */

static const nnc_metric rows[] = {
    NNC_TEXT(nnc_left_out, file, .help = "Name of the file."),
    NNC_WHOLE(nnc_left_out, rows, .head = "rows", .help = "Number of rows that are not used for this reason."),
    NNC_HEAD("file", TEXT, NNC_IN(nnc_left_out, file)),
    NNC_TEXT(nnc_left_out, reason, .head = "reason", .shrinks = true, .help = "Reason why the rows are not used."),
    NNC_TEXT(nnc_left_out, first, .head = "the first", .shrinks = true, .drop = 1,
             .help = "Id of one row that is not used for this reason."),
};
const nnc_metrics nnc_left_out_metrics = NNC_METRICS("rows that are not used", rows, nnc_left_out);

void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row, const char *reason) {
    const char *file = nnc_measured_file_name(row->file);
    for (int32_t i = 0; i < *count; i++) {
        if (strcmp(list[i].reason, reason) == 0 && strcmp(list[i].file, file) == 0) {
            list[i].rows++;
            return;
        }
    }
    list[(*count)++] = (nnc_left_out){ file, reason, row->id, 1 };
}

nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason, nnc_error *err) {
    char text[sizeof why->where + sizeof why->what + 4];
    *reason = NULL;
    if (why->status == NNC_IO || why->status == NNC_NO_MEMORY) {
        *err = *why;
        return why->status;
    }
    /* Prints the name of the file without its folder, so that the output does not depend on the place of the data
     * folder. */
    const char *file = why->where[0] == '/' ? strrchr(why->where, '/') + 1 : why->where;
    snprintf(text, sizeof text, "%s: %s", file, why->what);
    *reason = nnc_arena_strdup(arena, text);
    return *reason != NULL ? NNC_OK : nnc_no_memory(err);
}
