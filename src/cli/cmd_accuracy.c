#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/score.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/scenario.h"
#include "report/accuracy.h"
#include "score/stats.h"

/* "not:2/5": rows whose id falls into the second of five parts are left out. */
typedef struct fold {
    int64_t part, parts; /* from 1; parts 0 = all rows */
    bool others;
    unsigned together; /* flags of the keys below that are equal in a part; 0 = the id */
} fold;

static const char *const group_keys[] = { "file", "device", "framework", "model" };
enum { GROUP_KEYS = sizeof group_keys / sizeof group_keys[0] };

typedef struct accuracy {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scratch *scratch;
    nnc_scenario *scenario;
    const nnc_model *stand_in; /* what --set model.X is checked with, for kernels */
    fold fold;
    nnc_measured_file *files;
    int32_t file_count;
    nnc_scored *rows;
    int32_t count;
} accuracy;

static nnc_status read_fold(const char *text, fold *into, nnc_error *err)
{
    char part[24];
    const char *given = text;
    if (text == NULL) {
        return NNC_OK;
    }
    into->others = strncmp(text, "not:", 4) == 0;
    text += into->others ? 4 : 0;
    const size_t length = strcspn(text, "/");
    snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : 0), text);
    if (text[length] != '/' || !nnc_read_i64(part, &into->part) ||
        !nnc_read_i64(text + length + 1, &into->parts) || into->part < 1 ||
        into->part > into->parts) {
        return nnc_fail(err, NNC_BAD_USAGE, "--fold",
                        "expected K/N or not:K/N with K from 1 to N, found \"%s\"", given);
    }
    return NNC_OK;
}

static nnc_status read_group(const char *text, fold *into, nnc_error *err)
{
    if (text != NULL && into->parts == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--group", "needs --fold K/N");
    }
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        int key = 0;
        while (key < GROUP_KEYS &&
               (strlen(group_keys[key]) != length || memcmp(group_keys[key], text, length) != 0)) {
            key++;
        }
        if (key == GROUP_KEYS) {
            return nnc_fail(err, NNC_BAD_USAGE, "--group",
                            "expected file, device, framework, model, found \"%.*s\"", (int)length,
                            text);
        }
        into->together |= 1u << key;
        text += length + (text[length] == ',');
    }
    return NNC_OK;
}

static uint64_t digest_of(const nnc_measured *row, unsigned together)
{
    const char *slash = strrchr(row->file, '/');
    const char *const values[GROUP_KEYS] = {
        slash != NULL ? slash + 1 : row->file,
        row->device,
        row->framework,
        row->model_id != NULL ? row->model_id
        : row->model != NULL  ? row->model->name
                              : "",
    };
    uint64_t digest = NNC_DIGEST_START;
    if (together == 0) {
        return nnc_digest_bytes(digest, row->id, strlen(row->id));
    }
    for (int key = 0; key < GROUP_KEYS; key++) {
        if ((together >> key & 1u) != 0) {
            digest = nnc_digest_text(digest, values[key]);
        }
    }
    return digest;
}

static bool is_wanted(const accuracy *a, const nnc_measured *row)
{
    const char *only = a->session->options.only;
    if (only != NULL && strstr(row->id, only) == NULL) {
        return false;
    }
    if (a->fold.parts == 0) {
        return true;
    }
    const uint64_t digest = digest_of(row, a->fold.together);
    const bool inside = digest % (uint64_t)a->fold.parts == (uint64_t)(a->fold.part - 1);
    return inside != a->fold.others;
}

/* What no estimate can be made of is a row that cannot be expressed; the rest ends the command. */
static nnc_status give_reason(accuracy *a, nnc_scored *scored, const nnc_error *why, nnc_error *err)
{
    char text[sizeof why->where + sizeof why->what + 4];
    if (why->status == NNC_IO || why->status == NNC_NO_MEMORY) {
        *err = *why;
        return why->status;
    }
    snprintf(text, sizeof text, "%s: %s", why->where, why->what);
    scored->reason = nnc_arena_strdup(a->arena, text);
    return scored->reason != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status load_device(accuracy *a, const nnc_measured *row, nnc_scored *scored,
                              nnc_error *why)
{
    const nnc_device *device = NULL;
    const nnc_status status = nnc_device_load(a->session->specs, row->device, &device, why);
    if (status == NNC_OK) {
        a->scenario->device = *device;
        scored->device = device->id;
    } else if (status == NNC_UNKNOWN_ID) {
        nnc_fail(why, status, "hardware", "no device file for \"%.64s\"", row->device);
    }
    return status;
}

static nnc_status load_model(accuracy *a, const nnc_measured *row, nnc_error *why)
{
    const nnc_model *model = row->model != NULL ? row->model : a->stand_in;
    nnc_status status = NNC_OK;
    if (row->model_id != NULL) {
        status = nnc_model_load(a->session->specs, row->model_id, &model, why);
    }
    if (status == NNC_OK) {
        a->scenario->model = *model;
    }
    return status;
}

static nnc_status load_software(accuracy *a, const nnc_measured *row, nnc_error *why)
{
    const char *given = a->session->options.software;
    const char *asked = given != NULL ? given : row->software;
    return nnc_software_asked(a->session->specs, asked, &a->scenario->software, why);
}

/* Loads what a row names, lets the options change it, and predicts. */
static nnc_status score(accuracy *a, const nnc_measured *row, nnc_scored *scored, nnc_error *err)
{
    nnc_scenario *s = a->scenario;
    nnc_error why = { 0 };
    nnc_status status = load_device(a, row, scored, &why);
    if (row->reason != NULL) {
        scored->reason = row->reason;
        return NNC_OK;
    }
    if (status == NNC_OK) {
        status = load_model(a, row, &why);
    }
    if (status == NNC_OK) {
        status = load_software(a, row, &why);
    }
    if (status != NNC_OK) {
        return give_reason(a, scored, &why, err);
    }
    s->plan = row->plan;
    if (!isnan(row->internode_bytes_per_s)) {
        s->device.scale_out.bytes_per_s = row->internode_bytes_per_s;
    }
    status = nnc_scenario_apply(a->session->specs, &a->session->options, s, err);
    if (status != NNC_OK) {
        return status;
    }
    const char *id = scored->device; /* of its file; the scenario is the next row's */
    status =
        nnc_score_row(row, &s->model, &s->device, &s->software, &s->plan, a->scratch, scored, &why);
    scored->device = id;
    return status == NNC_OK ? NNC_OK : give_reason(a, scored, &why, err);
}

static nnc_status read_files(accuracy *a, nnc_error *err)
{
    const nnc_options *options = &a->session->options;
    size_t rows = 0;
    a->files = nnc_arena_array(a->arena, (size_t)options->operand_count, sizeof *a->files);
    if (a->files == NULL) {
        return nnc_no_memory(err);
    }
    for (int i = 0; i < options->operand_count; i++) {
        nnc_measured_file *file = &a->files[a->file_count++];
        const nnc_status status =
            nnc_measured_load(a->session->specs, options->operands[i], file, err);
        if (status != NNC_OK) {
            return status;
        }
        rows += (size_t)file->count;
    }
    a->rows = nnc_arena_array(a->arena, rows + 1, sizeof *a->rows);
    return a->rows != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status score_files(accuracy *a, nnc_error *err)
{
    nnc_status status = NNC_OK;
    for (int32_t f = 0; f < a->file_count; f++) {
        for (int32_t i = 0; i < a->files[f].count && status == NNC_OK; i++) {
            const nnc_measured *row = &a->files[f].rows[i];
            if (!is_wanted(a, row)) {
                continue;
            }
            nnc_scored *scored = &a->rows[a->count++];
            *scored = (nnc_scored){ .row = row,
                                    .predicted_s = NAN,
                                    .low_s = NAN,
                                    .high_s = NAN,
                                    .lower_bound_s = NAN,
                                    .error = NAN,
                                    .model_flops = NAN,
                                    .predicted_bytes = NAN,
                                    .memory_error = NAN };
            status = score(a, row, scored, err);
        }
    }
    return status;
}

static nnc_status report(accuracy *a, nnc_error *err)
{
    nnc_accuracy_report found = {
        .files = a->files,
        .file_count = a->file_count,
        .rows = a->rows,
        .count = a->count,
        .overrides = a->scenario->overrides[0] != '\0' ? a->scenario->overrides : NULL,
        .all_rows = a->session->options.rows,
    };
    found.groups = nnc_score_groups(a->arena, a->rows, a->count, &found.group_count);
    if (found.groups == NULL ||
        nnc_report_accuracy(a->session->out, a->session->style, &found) != NNC_OK) {
        return nnc_no_memory(err);
    }
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
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
    accuracy a = { .session = session,
                   .arena = nnc_arena_create(),
                   .scratch = nnc_scratch_create(),
                   .scenario = calloc(1, sizeof(nnc_scenario)),
                   .stand_in = &stand_in };
    nnc_status status = NNC_NO_MEMORY;
    if (a.arena == NULL || a.scratch == NULL || a.scenario == NULL) {
        nnc_no_memory(err);
        goto done;
    }
    status = read_fold(session->options.fold, &a.fold, err);
    if (status == NNC_OK) {
        status = read_group(session->options.group, &a.fold, err);
    }
    if (status == NNC_OK) {
        status = read_files(&a, err);
    }
    if (status == NNC_OK) {
        status = score_files(&a, err);
    }
    if (status == NNC_OK) {
        status = report(&a, err);
    }
done:
    free(a.scenario);
    nnc_scratch_destroy(a.scratch);
    nnc_arena_destroy(a.arena);
    return status;
}

const nnc_command nnc_cmd_accuracy = {
    .name = "accuracy",
    .operands = "FILE.csv...",
    .summary = "Predictions beside measurements: mean, median and largest errors per file, device "
               "and framework.",
    .notes = "Each file holds measured training steps, kernels or collectives, one per line; "
             "tests/published/README.md names the columns. A row that cannot be expressed is "
             "listed with the reason, one that leaves recompute or another deciding field open is "
             "scored apart from the rest. An error is predicted / measured - 1. Options of the "
             "plan and --set hold for every row, in place of what it says.",
    .min_operands = 1,
    .max_operands = 10000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN | NNC_TAKES_SCORE,
    .run = run,
};
