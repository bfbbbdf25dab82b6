/* nncost scale: finds the best plan for each of several numbers of devices, the efficiency of each number of devices,
 * and the parts of a step that take more device time than in the most efficient row. */
#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"

/* Parts of device time: first five parts of a step, then one part for each kind of communication. */
typedef enum scale_part {
    NNC_SCALE_COMPUTE, /* device time of forward and backward */
    NNC_SCALE_RECOMPUTE,
    NNC_SCALE_UPDATE,
    NNC_SCALE_BUBBLE,
    NNC_SCALE_HOST,
    NNC_SCALE_COMM, /* device time of the first kind of communication; further kinds follow */
    NNC_SCALE_COUNT = NNC_SCALE_COMM + NNC_COMM_COUNT
} scale_part;

/* A row of the result: a number of devices and the best plan on them. The nnc_best is the first member, because the
 * getters of nnc_best read this struct. */
typedef struct scale_row {
    nnc_best best;
    int32_t devices;
    double framework_s; /* with --software any: step time of the plan - step time of the same plan with the software
                         * profile of the first plan, in seconds; otherwise NaN */
    double efficiency;  /* throughput per device of this row / largest throughput per device of all rows */
    /* For each part of the device time, a share: (device time of the part in this row - device time of the part in the
     * best row) / device time of the whole step in this row. The best row is the row with the largest throughput per
     * device. A negative share means that the part takes less device time in this row than in the best row. */
    double lost[NNC_SCALE_COUNT];
} scale_row;

typedef struct nnc_scale {
    const char *model, *device;
    const char *overrides; /* text of the changes by the option --set; NULL = the option is not given */
    int64_t global_batch;
    const char *batch_chosen; /* text that says how the command chose the batch; "" = an option gives the batch */
    int32_t base;             /* index of the row with the largest throughput per device; -1 = no row has a plan */
    scale_row *rows;
    int32_t count;
} nnc_scale;

static const char *part_name(unsigned part) {
    static const char *const names[NNC_SCALE_COMM] = { "compute", "recompute", "update", "bubble", "host" };
    return part < NNC_SCALE_COMM ? names[part] : nnc_comm_name(part - NNC_SCALE_COMM);
}

/* Returns the part with the largest share in `lost`. If `than` is the index of a part, returns the part with the next
 * smaller share in `lost`; if `than` is -1, all parts are candidates. Returns -1 if the largest remaining share is
 * below 0.5 %. */
static int most_lost(const scale_row *row, int than) {
    int most = -1;
    for (int i = 0; i < NNC_SCALE_COUNT; i++) {
        const bool next = than < 0 || row->lost[i] < row->lost[than] || (i > than && row->lost[i] <= row->lost[than]);
        if (i != than && next && row->lost[i] >= 0.005 && (most < 0 || row->lost[i] > row->lost[most])) { most = i; }
    }
    return row->best.result != NULL ? most : -1;
}

NNC_GET(get_broke, scale_row, nnc_text_cell(most_lost(self, -1) >= 0 ? part_name((unsigned)most_lost(self, -1)) : NULL))

/* Writes the names of the parts that lose the most device time, with the lost shares of the device time: "data 12.3%,
 * update 4.0%". */
static nnc_cell get_lost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const scale_row *row = place->record;
    const int first = most_lost(row, -1), second = first >= 0 ? most_lost(row, first) : -1;
    char share[NNC_NUMBER_TEXT], other[NNC_NUMBER_TEXT];
    if (first < 0) { return nnc_text_cell(NULL); }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s%s%s%s%s", part_name((unsigned)first),
             nnc_percent_text(row->lost[first], share), second >= 0 ? ", " : "",
             second >= 0 ? part_name((unsigned)second) : "", second >= 0 ? " " : "",
             second >= 0 ? nnc_percent_text(row->lost[second], other) : "");
    return nnc_text_cell(text);
}

NNC_GET(get_tokens_per_s, scale_row,
        nnc_number_cell(self->best.result != NULL && self->best.result->tokens > 0 ? self->best.result->tokens_per_s
                                                                                   : (double)NAN))

/* Writes the best plan of a row. For a row without a plan, writes the beginning of the reason, up to the colon; the
 * page has the complete reason below the table. */
static nnc_cell get_shown_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_best *best = place->record;
    if (best->result != NULL) { return nnc_best_plan(place, text); }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.*s", (int)strcspn(best->reason, ":"), best->reason);
    return nnc_text_cell(text);
}

#define BEST(member) NNC_IN(scale_row, best.member)
#define FOUND(member) NNC_IN(scale_row, best.found.member)
/* Rows of this table with a name are metrics of the JSON and CSV output. Rows with a heading are columns of the
 * page. */
static const nnc_metric scale_rows[] = {
    NNC_WHOLE(scale_row, devices, .head = "devices", .help = "Number of devices."),
    NNC_AS("step_s", NUMBER, FOUND(step_s), .head = "step", .unit = "s",
           .help = "Time of one optimizer step of the best plan.", .more = NNC_MORE(.same_as = "step.step_s")),
    NNC_AS("tokens_per_s", NUMBER, .get = get_tokens_per_s, .head = "tokens/s", .show = NNC_SHOW_COUNT, .drop = 4,
           .help = "Tokens trained on per second; null for images.",
           .more = NNC_MORE(.same_as = "throughput.tokens_per_s")),
    NNC_AS("samples_per_s", NUMBER, NNC_VIA(scale_row, best.result), NNC_IN(nnc_result, samples_per_s),
           .head = "samples/s", .show = NNC_SHOW_COUNT, .drop = 4, .help = "Sequences or images trained on per second.",
           .more = NNC_MORE(.same_as = "throughput.samples_per_s")),
    NNC_AS("scaling_efficiency", NUMBER, NNC_IN(scale_row, efficiency), .head = "efficiency", .show = NNC_SHOW_PERCENT,
           .help = "Throughput per device divided by the highest throughput per device of all numbers of devices, for "
                   "the same batch."),
    NNC_HEAD("lost to", TEXT, .get = get_lost),
    NNC_AS("lost", NUMBER, NNC_IN(scale_row, lost), .each_count = NNC_SCALE_COUNT,
           .help = "For each part of the step: device time (devices x time) that exceeds the device time of the "
                   "part on base_devices, divided by the device time of the whole step of this row. The losses of "
                   "all parts add up to 1 - scaling_efficiency.",
           .more = NNC_MORE(.each = part_name)),
    NNC_AS("lost_to", TEXT, .get = get_broke,
           .help = "Part with the largest loss; null if every part loses less than half a percent."),
    NNC_AS("run_s", NUMBER, FOUND(run_s), .head = "run", .unit = "s", .drop = 5, .help = "Time of the whole run.",
           .more = NNC_MORE(.same_as = "cost.run_s")),
    NNC_HEAD("cost", TEXT, .get = nnc_best_cost, .drop = 3),
    NNC_AS("cost", NUMBER, BEST(cost),
           .help = "Cost of the whole run, or of a step if the length of the run is not known."),
    NNC_AS("currency", TEXT, BEST(currency), .help = "Currency of the cost."),
    NNC_AS("memory_bytes", WHOLE, .get = nnc_best_memory, .head = "memory", .unit = "B", .drop = 1,
           .help = "Memory of the fullest device.", .more = NNC_MORE(.same_as = "memory.total_bytes")),
    NNC_AS("mfu", NUMBER, FOUND(mfu), .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 2,
           .help = "Model FLOPs utilisation.", .more = NNC_MORE(.same_as = "throughput.mfu")),
    NNC_HEAD("plan", TEXT, .get = get_shown_plan),
    NNC_AS("plan", TEXT, .get = nnc_best_plan, .help = "The plan in short form, such as dp64 zero1 mb1."),
    NNC_HEAD("software", TEXT, BEST(software)),
    NNC_HEAD("of it framework", NUMBER, NNC_IN(scale_row, framework_s), .unit = "s"),
    NNC_AS("software", TEXT, BEST(software), .help = "Software profile of the plan."),
    NNC_AS("framework_s", NUMBER, NNC_IN(scale_row, framework_s), .unit = "s",
           .help = "Step time minus the step time of this plan with the software profile of the first row; null: "
                   "the row has the profile of the first row."),
    NNC_AS("reason", TEXT, BEST(reason), .help = "Reason why no plan is shown."),
    NNC_AS("command", TEXT, FOUND(command), .help = "The command that estimates the plan."),
};
static const nnc_metrics scale_metrics = NNC_METRICS("one size", scale_rows, scale_row);

NNC_GET(get_base, nnc_scale,
        self->base >= 0 ? nnc_whole_cell(self->rows[self->base].devices) : (nnc_cell){ .kind = NNC_CELL_NULL })

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_scale, model, .help = "Id of the model."),
    NNC_TEXT(nnc_scale, device, .help = "Id of the device."),
    NNC_WHOLE(nnc_scale, global_batch, .help = "Sequences or images of a step, equal for all numbers of devices."),
    NNC_AS("base_devices", WHOLE, .get = get_base,
           .help = "Number of devices with the highest throughput per device; scaling_efficiency is relative to "
                   "this throughput. null: there is no plan."),
    { .name = "sizes",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_scale, rows),
      NNC_COUNT(nnc_scale, count),
      .rows = &scale_metrics },
};
static const nnc_metrics document = NNC_METRICS("how a step scales", document_rows, nnc_scale);

/* Writes the table of `scale`. The columns for tokens, samples, the run and the cost are left out if all their cells
 * are empty. */
static void write_table(nnc_buffer *out, nnc_style style, const nnc_scale *scale) {
    nnc_table table = { .count = 0 };
    bool tokens = false, run = false, cost = false, mixed = false;
    for (int32_t i = 0; i < scale->count; i++) {
        const nnc_best *best = &scale->rows[i].best;
        tokens = tokens || (best->result != NULL && best->result->tokens > 0);
        run = run || !isnan(best->found.run_s);
        cost = cost || !isnan(best->cost);
        mixed = mixed || !isnan(scale->rows[i].framework_s);
    }
    nnc_table_heads(&table, &scale_metrics);
    nnc_table_rename(&table, tokens ? "samples/s" : "tokens/s", NULL);
    nnc_table_rename(&table, "run", run ? "run" : NULL);
    nnc_table_rename(&table, "cost", !cost ? NULL : run ? "run cost" : "step cost");
    nnc_table_rename(&table, "software", mixed ? "software" : NULL);
    nnc_table_rename(&table, "of it framework", mixed ? "of it framework" : NULL);
    nnc_table_records(&table, (nnc_lines){ &scale_metrics, scale, scale->rows, scale->count });
    nnc_table_write(&table, out, style);
}

static const char *plural_of(int32_t devices) { return devices == 1 ? "" : "s"; }

/* Writes the largest number of devices with an efficiency of 90 % or more, and the part that loses the most device time
 * on the next number of devices. */
static void write_verdict(nnc_buffer *out, nnc_style style, const nnc_scale *scale) {
    const scale_row *good = &scale->rows[scale->base], *first_bad = NULL;
    for (int32_t i = scale->base + 1; i < scale->count; i++) {
        const scale_row *row = &scale->rows[i];
        if (row->best.result != NULL && row->efficiency >= 0.9 && first_bad == NULL) {
            good = row;
        } else if (row->best.result != NULL && first_bad == NULL) {
            first_bad = row;
        }
    }
    const int32_t least = scale->rows[scale->base].devices;
    nnc_buffer_byte(out, '\n');
    nnc_sheet_line(out, style,
                   "efficiency is throughput per device relative to %" PRId32
                   " device%s; a loss is a share of the device time of its row",
                   least, plural_of(least));
    nnc_buffer_print(out, "the efficiency is 90%% or more up to %" PRId32 " device%s", good->devices,
                     plural_of(good->devices));
    if (first_bad == NULL) {
        nnc_buffer_text(out, ", the largest number\n");
        return;
    }
    const int most = most_lost(first_bad, -1);
    nnc_buffer_print(out, ";\nwith %" PRId32 " devices, the largest loss of device time comes from %s%s\n",
                     first_bad->devices, part_name((unsigned)(most >= 0 ? most : NNC_SCALE_COMPUTE)),
                     most >= NNC_SCALE_COMM ? " collectives" : "");
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_scale *scale = record;
    nnc_buffer_print(out, "%s%s%s on %s, global batch %" PRId64 "%s; the best plan of each size\n\n", scale->model,
                     scale->overrides != NULL ? " with " : "", scale->overrides != NULL ? scale->overrides : "",
                     scale->device, scale->global_batch, scale->batch_chosen);
    write_table(out, style, scale);
    for (int32_t i = 0; i < scale->count; i++) {
        const scale_row *row = &scale->rows[i];
        if (row->best.result == NULL && strchr(row->best.reason, ':') != NULL) {
            nnc_buffer_byte(out, '\n');
            nnc_sheet_line(out, style, "%" PRId32 " device%s: %s", row->devices, plural_of(row->devices),
                           row->best.reason);
        }
    }
    if (scale->base < 0) { return; }
    write_verdict(out, style, scale);
    nnc_buffer_byte(out, '\n');
    for (int32_t i = 0; i < scale->count; i++) { nnc_best_command(out, &scale->rows[i].best); }
}

const nnc_view nnc_scale_view = {
    .schema = "nncost.scale/1", .document = &document, .list = "sizes", .page = write_page
};

#define ROUNDING 1e-12

/* Arguments of the function that writes the result of a `scale` command. */
typedef struct scaler {
    nnc_scratch *scratch;
    nnc_scale scale;
} scaler;

/* Computes the device time of each part of a step. The parts add up to the device time of the step. */
static void device_time(const nnc_result *r, double parts[NNC_SCALE_COUNT]) {
    const double devices = (double)r->plan.devices;
    parts[NNC_SCALE_COMPUTE] = devices * (r->forward_s + r->backward_s);
    parts[NNC_SCALE_RECOMPUTE] = devices * r->recompute_s;
    parts[NNC_SCALE_UPDATE] = devices * r->update_s;
    parts[NNC_SCALE_BUBBLE] = devices * r->bubble_s;
    parts[NNC_SCALE_HOST] = devices * r->host_s;
    for (int i = 0; i < NNC_COMM_COUNT; i++) { parts[NNC_SCALE_COMM + i] = devices * r->exposed_s[i]; }
}

static nnc_status give_reason(nnc_arena *arena, const nnc_search_size *size, nnc_best *best, nnc_error *err) {
    char text[1100];
    const bool legal = size->why.status == NNC_OK;
    if (legal) {
        snprintf(text, sizeof text, "%s", size->any_missed ? "misses the deadline or the budget" : "no plan fits");
    } else {
        snprintf(text, sizeof text, "no plan is legal: %s %s", size->why.where, size->why.what);
    }
    best->reason = nnc_arena_strdup(arena, text);
    return best->reason != NULL ? NNC_OK : nnc_no_memory(err);
}

static double device_s(const scale_row *row) { return row->best.found.step_s * row->devices; }

/* Computes the efficiency of each row: its throughput per device / the largest throughput per device of all rows. (The
 * row with the fewest devices need not be the best, because plans with little memory may be slower.) Before the call,
 * `lost` has the device time of each part; after the call, `lost` has the shares that scale_row describes. */
static void compare_sizes(nnc_scale *scale) {
    double base[NNC_SCALE_COUNT];
    if (scale->base < 0) { return; }
    const scale_row *best = &scale->rows[scale->base];
    const double best_s = device_s(best);
    memcpy(base, best->lost, sizeof base);
    for (int32_t i = 0; i < scale->count; i++) {
        scale_row *row = &scale->rows[i];
        if (row->best.result == NULL) { continue; }
        row->efficiency = nnc_min(1.0, best_s / device_s(row));
        for (int part = 0; part < NNC_SCALE_COUNT; part++) {
            const double lost = (row->lost[part] - base[part]) / device_s(row);
            row->lost[part] = fabs(lost) < ROUNDING ? 0.0 : lost;
        }
    }
}

/* Sets row->framework_s: step time of the plan with its own software profile - step time of the plan with the profile
 * of the first plan. Leaves framework_s unchanged if the plan's profile is the profile of the first plan, or if the
 * plan is not allowed with the profile of the first plan. */
static nnc_status split_step(nnc_session *session, const nnc_search_report *report, const scale_row *first,
                             nnc_scratch *scratch, scale_row *row, nnc_error *err) {
    const nnc_software *software = NULL;
    nnc_result same;
    if (strcmp(first->best.software, row->best.software) == 0) { return NNC_OK; }
    NNC_TRY(nnc_software_load(session->specs, first->best.software, &software, err));
    if (nnc_estimate(report->model, report->device, software, &row->best.found.plan, scratch, &same, NULL) == NNC_OK) {
        row->framework_s = row->best.found.step_s - same.step_s;
    }
    return NNC_OK;
}

static nnc_status fill(nnc_session *session, scaler *s, const nnc_search_report *report, nnc_error *err) {
    nnc_scale *scale = &s->scale;
    const scale_row *first = NULL;
    for (int32_t i = 0; i < report->size_count; i++) {
        const nnc_search_size *size = &report->sizes[i];
        scale_row *row = &scale->rows[scale->count++];
        nnc_best *best = &row->best;
        *row = (scale_row){ .devices = size->devices, .efficiency = (double)NAN, .framework_s = (double)NAN };
        for (int part = 0; part < NNC_SCALE_COUNT; part++) { row->lost[part] = (double)NAN; }
        NNC_TRY(nnc_best_fill(session, report, size->found ? &size->best : NULL, s->scratch, best, err));
        if (!size->found) {
            NNC_TRY(give_reason(nnc_specs_arena(session->specs), size, best, err));
            continue;
        }
        first = first != NULL ? first : row;
        NNC_TRY(split_step(session, report, first, s->scratch, row, err));
        device_time(best->result, row->lost);
        if (scale->base < 0 || device_s(row) < (1.0 - ROUNDING) * device_s(&scale->rows[scale->base])) {
            scale->base = i;
        }
    }
    compare_sizes(scale);
    return NNC_OK;
}

static nnc_status write(nnc_session *session, void *context, const nnc_search_report *report, nnc_error *err) {
    scaler *s = context;
    nnc_scale *scale = &s->scale;
    if (report->sizes == NULL || report->digest != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, report->sizes == NULL ? "--devices" : "--shard",
                        report->sizes == NULL ? "a single number of devices, expected several numbers, such as "
                                                "1,8,64 or 8..512"
                                              : "'scale' cannot be divided into shards; 'search' has this option");
    }
    scale->rows = nnc_arena_array(nnc_specs_arena(session->specs), (size_t)report->size_count + 1, sizeof *scale->rows);
    NNC_GOT(scale->rows, err);
    scale->model = report->model->id;
    scale->device = report->device->id;
    scale->overrides = report->overrides;
    scale->global_batch = report->search->base.global_batch;
    scale->base = -1;
    NNC_TRY(fill(session, s, report, err));
    nnc_view_write(session->out, session->style, &nnc_scale_view, scale);
    return NNC_OK;
}

/* Adds the option --devices with the default numbers of devices (1, 8, 64, 512, 4096) if the command line has no such
 * option. */
static nnc_status choose_sizes(nnc_options *options, nnc_error *err) {
    nnc_scenario_args *given = &options->given;
    if (nnc_scenario_setting(given, "devices") != NULL) { return NNC_OK; }
    if (given->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--devices", "missing, expected numbers of devices, such as 8..512");
    }
    given->settings[given->setting_count++] =
        (nnc_setting){ nnc_field_of_key(&nnc_plan_table, "devices"), "1..4096*8" };
    return NNC_OK;
}

static nnc_status search_all_sizes(nnc_session *session, scaler *s, nnc_error *err) {
    const nnc_options *options = &session->options;
    const char *device = options->operands[1];
    int64_t batch = 0;
    session->options.search.one_software = true;
    if (s->scratch == NULL) { return nnc_no_memory(err); }
    if (device != NULL && strchr(device, ',') != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                        "several devices, expected one device, found \"%s\"; 'nncost search' compares several devices",
                        device);
    }
    NNC_TRY(choose_sizes(&session->options, err));
    NNC_TRY(nnc_batch_choose(session, options->operands[0], &batch, &s->scale.batch_chosen, err));
    return nnc_search_args_run(session, options->operands[0], device, write, s, err);
}

/* Tests whether options give the amount of training, so that each row has a whole run. */
static bool has_amount(const nnc_scenario_args *given) {
    static const char *const amounts[] = { "tokens", "samples", "epochs", "days", "device_hours" };
    bool found = false;
    for (size_t i = 0; i < NNC_COUNT_OF(amounts); i++) {
        found = found || nnc_scenario_setting(given, amounts[i]) != NULL;
    }
    return found;
}

static nnc_status run(nnc_session *session, nnc_error *err) {
    if (nnc_option_typed(&session->options, "--best")) {
        return nnc_fail(err, NNC_BAD_USAGE, "--best",
                        "is not an option of 'scale', because 'scale' shows one plan for each number of devices");
    }
    if (!has_amount(&session->options.given)) {
        NNC_TRY(nnc_run_options_refuse(&session->options.given, false, "--tokens or --samples", err));
    }
    scaler s = { .scratch = nnc_scratch_create() };
    const nnc_status status = search_all_sizes(session, &s, err);
    nnc_scratch_destroy(s.scratch);
    return status;
}

const nnc_command nnc_cmd_scale = {
    .name = "scale",
    .operands = "MODEL DEVICE | PLANS.json [DEVICE]",
    .summary = "The gain of more devices: step, throughput, efficiency, and where device time is lost.",
    .notes =
        "For each number of --devices [1..4096*8: 1, 8, 64, 512, 4096], the command prints the best plan that "
        "'search' finds for the same batch and options. All plans have the software profile of the first number of "
        "devices above 1 that has a plan; with --software any, each plan has its own profile. Without "
        "--global-batch, the command chooses and prints a batch of about 4 million tokens, or of 64 sequences if "
        "adapters are trained. Efficiency is throughput per device divided by the highest throughput per device. If "
        "the efficiency is below 100%, the table names the part of the step that takes more device time than in the "
        "plan with the highest throughput per device: compute (smaller products), recompute, update, bubble, host, "
        "or the collectives of tensor, context, expert, data or pipeline ranks. 'nncost plot scaling' draws the "
        "throughput relative to the smallest number of devices. The command exits with 1 if no number of devices has "
        "a plan.",
    .min_operands = 1,
    .max_operands = 2,
    .takes =
        NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN | NNC_TAKES_SCENARIO | NNC_TAKES_SEARCH,
    .run = run,
};
