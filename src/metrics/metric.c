
#include <assert.h>

#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "graph/graph_internal.h"
#include "metrics/metrics_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

static const nnc_cell no_value = { .kind = NNC_CELL_NULL };

/* Returns the struct that contains the value of a row of a metrics table. If row->hop is 0, the record itself contains
 * the value. If row->hop is above 0, the record has a pointer to the struct with the value, at the offset row->hop - 1;
 * if this pointer is NULL, the function returns NULL. */
static const char *base_of(const nnc_metric *row, const void *record) {
    const char *at = record;
    if (row->hop > 0 && at != NULL) { memcpy(&at, &at[row->hop - 1], sizeof at); }
    return at;
}

static int64_t whole_at(const char *at, size_t size) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    assert(size == sizeof narrow);
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

nnc_cell nnc_number_cell(double number) {
    return isfinite(number) ? (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number } : no_value;
}

nnc_cell nnc_text_cell(const char *text) {
    return text != NULL ? (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text } : no_value;
}

nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index, char text[NNC_METRIC_TEXT_MAX]) {
    nnc_metric_get *get = nnc_metric_getter(row);
    if (get != NULL) { return get(place, text); }
    const char *at = base_of(row, place->record);
    if (at == NULL) { return no_value; }
    const size_t size = row->each_count > 0 ? sizeof(int64_t) : row->size; /* bytes of one element of an array: an
                                                                            * int64_t or a double */
    at += row->offset + (size_t)index * size;
    const char *pointer = NULL;
    double number = 0;
    int64_t whole = 0;
    bool flag = false;
    switch (row->type) {
    case NNC_METRIC_NUMBER: memcpy(&number, at, sizeof number); return nnc_number_cell(number);
    case NNC_METRIC_WHOLE:
        whole = whole_at(at, size);
        return row->blank_zero && whole == 0 ? no_value : (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole };
    case NNC_METRIC_BOOL: memcpy(&flag, at, sizeof flag); return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag };
    case NNC_METRIC_TEXT: memcpy(&pointer, at, sizeof pointer); return nnc_text_cell(pointer);
    case NNC_METRIC_CHARS: return nnc_text_cell(at);
    case NNC_METRIC_ENUM:
        whole = whole_at(at, size);
        return whole >= 0 && whole < row->values ? nnc_text_cell(row->name_of((unsigned)whole)) : no_value;
    default: return no_value;
    }
}

int nnc_metric_parts(const nnc_metrics *metrics, const void *record, double above,
                     nnc_metric_part parts[NNC_METRIC_PARTS_MAX]) {
    const nnc_place place = { .record = record };
    char text[NNC_METRIC_TEXT_MAX];
    int count = 0;
    for (size_t i = 0; i < metrics->count && count < NNC_METRIC_PARTS_MAX; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->head == NULL || nnc_metric_rare(row)->part_of == NULL) { continue; }
        const nnc_cell cell = nnc_metric_read(row, &place, 0, text);
        const double value = cell.kind == NNC_CELL_WHOLE    ? (double)cell.whole
                             : cell.kind == NNC_CELL_NUMBER ? cell.number
                                                            : 0.0;
        if (value > above && (value > 0.0 || value < 0.0)) { parts[count++] = (nnc_metric_part){ row, value }; }
    }
    return count;
}

nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place) {
    const char *base = base_of(row, place->record);
    nnc_place inside = *place;
    inside.record = base != NULL ? base + row->offset : NULL;
    return inside;
}

nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place) {
    const char *base = base_of(row, place->record);
    nnc_lines lines = { .metrics = row->rows, .owner = place->record };
    if (base != NULL) {
        lines.count = whole_at(base + row->count_offset, row->count_size);
        lines.records = base + row->offset;
        if (!row->in_place) { memcpy(&lines.records, base + row->offset, sizeof lines.records); }
    }
    return lines;
}

nnc_place nnc_line_place(const nnc_lines *lines, int64_t index) {
    return (nnc_place){ .record = (const char *)lines->records + (size_t)index * lines->metrics->record_size,
                        .owner = lines->owner,
                        .index = index };
}

bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place) {
    return lines->metrics->listed == NULL || lines->metrics->listed(place);
}

/* State of find_columns, which runs twice over a metrics table: the first run counts the columns, the second run fills
 * `list`. */
typedef struct finder {
    nnc_arena *arena;
    nnc_column *list; /* list that the second run fills; NULL in the first run, which only counts the columns */
    int32_t count;
    const nnc_metric *inside[NNC_COLUMN_DEPTH];
    int depth;
    bool failed;
} finder;

static void add_column(finder *f, const char *prefix, const nnc_metric *row, int32_t index) {
    char name[192], number[16];
    nnc_column *column = f->list != NULL ? &f->list[f->count] : NULL;
    f->count++;
    if (column == NULL) { return; }
    snprintf(number, sizeof number, "%" PRId32, index);
    snprintf(name, sizeof name, "%s%s%s%s", prefix, row->name, row->each_count > 0 ? "." : "",
             row->each_count == 0                 ? ""
             : nnc_metric_rare(row)->each != NULL ? nnc_metric_rare(row)->each((unsigned)index)
                                                  : number);
    *column =
        (nnc_column){ .name = nnc_arena_strdup(f->arena, name), .metric = row, .index = index, .depth = f->depth };
    memcpy(column->inside, f->inside, sizeof f->inside);
    column->joins = f->count > 1 && column[-1].depth == f->depth &&
                    nnc_same_bytes(column[-1].inside, f->inside, (size_t)f->depth * sizeof f->inside[0]);
    f->failed = f->failed || column->name == NULL;
}

/* The recursion follows nested tables, which are only a few levels deep. NOLINTNEXTLINE(misc-no-recursion) */
static void find_columns(finder *f, const nnc_metrics *metrics, const char *prefix) {
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const int32_t values = row->each_count > 0 ? row->each_count : 1;
        if (row->type == NNC_METRIC_OBJECT) {
            char inner[96];
            assert(f->depth < NNC_COLUMN_DEPTH);
            snprintf(inner, sizeof inner, "%s%s%s", prefix, row->name != NULL ? row->name : "",
                     row->name != NULL ? "." : "");
            f->inside[f->depth++] = row;
            find_columns(f, row->rows, inner);
            f->depth--;
        } else if (row->name != NULL && row->type != NNC_METRIC_LIST && row->type != NNC_METRIC_TEXTS) {
            for (int32_t k = 0; k < values; k++) { add_column(f, prefix, row, k); }
        }
    }
}

nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns) {
    finder f = { .arena = arena };
    *columns = (nnc_columns){ .count = 0 };
    find_columns(&f, metrics, "");
    f.list = nnc_arena_array(arena, (size_t)f.count + 1, sizeof *f.list);
    if (f.list == NULL) { return NNC_NO_MEMORY; }
    f.count = 0;
    find_columns(&f, metrics, "");
    if (f.failed) { return NNC_NO_MEMORY; }
    *columns = (nnc_columns){ f.list, f.count };
    return NNC_OK;
}

bool nnc_column_is_full(const nnc_column *column) {
    bool full = column->metric->full;
    for (int i = 0; i < column->depth; i++) { full = full || column->inside[i]->full; }
    return full;
}

nnc_place nnc_column_place(const nnc_column *column, nnc_place place) {
    for (int i = 0; i < column->depth; i++) { place = nnc_metric_inside(column->inside[i], &place); }
    return place;
}

nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX]) {
    place = nnc_column_place(column, place);
    return nnc_metric_read(column->metric, &place, column->index, text);
}

/* The recursion follows nested tables, which are only a few levels deep. NOLINTNEXTLINE(misc-no-recursion) */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name) {
    const nnc_metric *found = NULL;
    for (size_t i = 0; i < metrics->count && found == NULL; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const size_t length = row->name != NULL ? strlen(row->name) : 0;
        const bool begins = row->name != NULL && strncmp(name, row->name, length) == 0;
        if (row->type == NNC_METRIC_OBJECT && row->name == NULL) {
            found = nnc_metric_find(row->rows, name);
        } else if (row->type == NNC_METRIC_OBJECT && begins && name[length] == '.') {
            found = nnc_metric_find(row->rows, name + length + 1);
        } else if (begins && name[length] == (row->each_count > 0 ? '.' : '\0')) {
            found = row;
        }
    }
    return found;
}

/* Tests whether the name `full` ends with a dot and the text `word`. */
static bool ends_so(const char *full, const char *word) {
    const size_t whole = strlen(full), part = strlen(word);
    return part > 0 && whole > part && full[whole - part - 1] == '.' && strcmp(full + whole - part, word) == 0;
}

/* Tests whether the full name of a metric begins with "plan.". If the user writes a short name such as "tokens" that is
 * the end of the name of a result and of an input of the plan, the result "work.tokens" is used, not the input
 * "plan.tokens". */
static bool gives_way(const char *full) { return nnc_begins(full, "plan."); }

nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word) {
    nnc_name_match match = { -1, -1 };
    const char *full = NULL, *found = NULL;
    for (int32_t i = 0; i < count; i++) {
        memcpy(&full, (const char *)names + (size_t)i * stride, sizeof full);
        if (strcmp(full, word) == 0) { return (nnc_name_match){ i, -1 }; }
        if (!ends_so(full, word) || (found != NULL && gives_way(full) && !gives_way(found))) { continue; }
        if (found == NULL || (gives_way(found) && !gives_way(full))) {
            match = (nnc_name_match){ i, -1 };
            found = full;
        } else {
            match.other = match.other < 0 ? i : match.other;
        }
    }
    return match;
}

/* ---- errors of earlier predictions, from measured steps of the same model family and software profile ---- */

static const char *const past_names[NNC_PAST_COUNT] = { "none",        "too_few",       "device",
                                                        "all_devices", "other_devices", "seen" };

const char *nnc_past_name(unsigned of) { return of < NNC_PAST_COUNT ? past_names[of] : "?"; }

static void add_track(nnc_past *past, const nnc_track *one) {
    const double all = (double)(past->unseen + one->unseen);
    past->error += (one->error - past->error) * (double)one->unseen / all;
    past->bias += (one->bias - past->bias) * (double)one->unseen / all;
    past->rows += one->rows;
    past->unseen += one->unseen;
}

bool nnc_report_is_implausible(const nnc_report *report) {
    return report->device->implausible || report->software->implausible ||
           !nnc_is_as_published(report->result, report->model);
}

/* Tests whether the device is a CPU. A CPU is its own host: no time is needed to issue kernels, and there is no link
 * between host and device. A GPU has a link to its host, even if the option --host 0 sets the time to issue a kernel to
 * 0. */
static bool is_cpu(const nnc_device *device) { return device->host.kernel_s == 0.0 && isnan(device->host.bytes_per_s); }

bool nnc_past_lacks_cpu(const nnc_report *report) {
    return is_cpu(report->device) && report->past.of == NNC_PAST_FEW && report->past.rows == 0;
}

/* The printed range of the mean error goes from mean error / factor to mean error x factor, and should contain the mean
 * error of any group of ten or more measured steps that does not contribute to the printed mean error. The factor
 * beyond_models applies to the mean error of one device: 22 of 23 groups of steps of models that do not contribute to
 * this mean error are within a factor of 2. The factor beyond_sources applies to the mean error of all devices: 32 of
 * 35 groups of steps from sources that do not contribute to this mean error are within a factor of 3.5
 * (tests/levels.py). */
static const double beyond_models = 2.0, beyond_sources = 3.5;

static nnc_past with_range(nnc_past past) {
    const double factor = past.of == NNC_PAST_DEVICE || past.of == NNC_PAST_SEEN ? beyond_models : beyond_sources;
    past.error_range[0] = past.error / factor;
    past.error_range[1] = past.error * factor;
    return past;
}

nnc_past nnc_report_past(const nnc_report *report) {
    const nnc_model *model = report->model;
    const nnc_software *software = report->software;
    const bool experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    const char *family = experts ? "experts" : nnc_family_name(model->family);
    nnc_past here = { .of = NNC_PAST_DEVICE }, all = { .of = NNC_PAST_ALL_DEVICES }, seen = { .of = NNC_PAST_NONE };
    if (report->result->plan.mode != NNC_MODE_PREDICTED || nnc_report_is_implausible(report) || model->stand_in ||
        (report->result->plan.train & NNC_TRAIN_NONE) != 0 || /* all measured steps are training steps */
        (software->compared_count == 0 && software->date[0] == '\0')) {
        return (nnc_past){ .of = NNC_PAST_NONE };
    }
    for (int32_t i = 0; i < software->compared_count; i++) {
        const nnc_track *one = &software->compared[i];
        const bool own = strcmp(one->device, report->device->id) == 0;
        if (strcmp(one->family, family) != 0 || (is_cpu(report->device) && !own)) { continue; }
        if (one->unseen > 0) {
            add_track(&all, one);
            if (own) { add_track(&here, one); }
        }
        if (own && one->all_error > 0.0) {
            seen = (nnc_past){ .of = NNC_PAST_SEEN,
                               .device_rows = one->unseen,
                               .rows = one->rows,
                               .unseen = one->unseen,
                               .error = one->all_error,
                               .bias = one->all_bias };
        }
    }
    here.device_rows = all.device_rows = here.unseen;
    all.of = here.unseen == 0 ? NNC_PAST_OTHER_DEVICES : all.of;
    if (all.unseen < NNC_PAST_FEWEST) {
        all.of = NNC_PAST_FEW;
        all.error = all.bias = (double)NAN;
    }
    return with_range(here.unseen >= NNC_PAST_FEWEST ? here : seen.error > all.error ? seen : all);
}

const nnc_price *nnc_report_price(const nnc_report *report) {
    const nnc_device *device = report->device;
    return isnan(report->result->plan.price) && device->price_count > 0 ? device->prices : NULL;
}

const char *nnc_price_currency(const nnc_device *device) {
    return device->price_count > 0 ? device->prices->currency : "USD";
}

const char *nnc_report_currency(const nnc_report *report) {
    return isnan(report->result->price_per_device_hour) ? NULL : nnc_price_currency(report->device);
}

const char *nnc_launch_advice(const nnc_result *result) {
    if (result->bound != NNC_BOUND_HOST) { return NULL; }
    return result->host_s > 0.5 * result->bound_s[NNC_BOUND_HOST]
               ? "the host limits the step: record ops once and replay them (CUDA graphs, "
                 "torch.compile), or make each op larger (a larger --micro-batch)"
               : "the fixed costs of kernels limit the step: make each kernel larger (a larger --micro-batch, fewer "
                 "micro-batches)";
}

int64_t nnc_padded_rows(const nnc_report *report) {
    const int64_t rows = nnc_model_sizes_of(report->model).vocab;
    const int64_t padded = nnc_vocab_split(rows, report->result->plan.tensor);
    return padded != rows ? padded : 0;
}

double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why) {
    double unit_cost = 0.0;
    if (result->tokens > 0) {
        NNC_SET_AS(why, "per_million_tokens", unit_cost, NULL, 1e6 * result->cost_step / (double)result->tokens);
    } else {
        NNC_SET_AS(why, "per_thousand_samples", unit_cost, NULL,
                   1e3 * result->cost_step / (double)result->plan.global_batch);
    }
    return unit_cost;
}

double nnc_report_sustained_flops_per_s(const nnc_report *report) {
    const nnc_efficiencies *e = &report->device->efficiency;
    const double fraction = e->gemm[report->result->plan.precision].sustained_fraction * e->calibration;
    return nnc_min(fraction, 1.0) * report->result->peak_flops_per_s;
}

double nnc_report_sustained_bytes_per_s(const nnc_report *report) {
    const nnc_efficiencies *e = &report->device->efficiency;
    return e->pointwise.memory_fraction * report->device->mem_bytes_per_s;
}

bool nnc_report_may_fit(const nnc_report *report) {
    const nnc_result *r = report->result;
    return r->verdict == NNC_OVER_MEMORY && report->least_bytes > 0 && report->least_bytes <= r->memory.capacity_bytes;
}

enum { WORDS_MAX = 256 };

/* Writes the verdict on memory with its numbers, for example "it fits: 3.7 GB of 85.9 GB per device". For a plan that
 * does not fit, adds the first advised change with which it fits, if the options of this change are short. */
static void write_memory_words(const nnc_report *report, char words[WORDS_MAX]) {
    const nnc_result *r = report->result;
    char total[NNC_NUMBER_TEXT], capacity[NNC_NUMBER_TEXT];
    nnc_unit_text((double)r->memory.total_bytes, "B", total);
    nnc_unit_text((double)r->memory.capacity_bytes, "B", capacity);
    snprintf(words, WORDS_MAX, "it %s: %s of %s per device",
             r->verdict == NNC_FITS          ? "fits"
             : r->verdict == NNC_OVER_MEMORY ? "does not fit"
                                             : "is tight",
             total, capacity);
    if (r->verdict == NNC_OVER_MEMORY && report->advice_count > 0 &&
        strlen(report->advice[0].text) <= NNC_SENTENCE_CHANGE) {
        nnc_text_append(words, WORDS_MAX, "; ", "it %s with %s",
                        report->advice[0].verdict == NNC_TIGHT ? "is tight" : "fits", report->advice[0].text);
    }
}

enum { NAME_MAX_BYTES = 96 };

const char *nnc_report_model_name(const nnc_report *report) {
    const nnc_model *model = report->model;
    const char *own = model->name[0] != '\0' ? model->name : model->id;
    const char *asked = report->model_asked, *slash = asked != NULL ? strrchr(asked, '/') : NULL;
    char names[2][NAME_MAX_BYTES];
    if (slash == NULL || slash[1] == '\0' || model->path == NULL || strstr(model->path, asked) != NULL ||
        model->family != NNC_FAMILY_DECODER) {
        return own;
    }
    nnc_letters_of(own, names[0], NAME_MAX_BYTES);
    nnc_letters_of(slash + 1, names[1], NAME_MAX_BYTES);
    return strstr(names[0], names[1]) != NULL || strstr(names[1], names[0]) != NULL ? own : slash + 1;
}

double nnc_report_issue_s(const nnc_report *report) {
    const bool known = report->model != NULL;
    return known ? nnc_issue_s(report->model, &report->result->plan, report->device) : report->device->host.kernel_s;
}

const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_result *r = report->result;
    const nnc_model *model = report->model;
    const nnc_device *device = report->device;
    char step[NNC_NUMBER_TEXT], many[32] = "", set[100] = "", memory[WORDS_MAX];
    if (report->overrides != NULL && report->overrides[0] != '\0') {
        snprintf(set, sizeof set, " with %.90s%s", report->overrides, strlen(report->overrides) > 90 ? "..." : "");
    }
    if (r->plan.devices > 1) { snprintf(many, sizeof many, "%" PRId32 " x ", r->plan.devices); }
    write_memory_words(report, memory);
    snprintf(text, NNC_METRIC_TEXT_MAX,
             "One %s of %.48s%s takes %s%s on %s%.60s and is bound by %s (%.1f%% of the time); %.170s.",
             nnc_is_forward_pass(model, &r->plan) ? "forward pass" : "step", nnc_report_model_name(report), set,
             r->plan.mode == NNC_MODE_IDEAL ? "at least " : "", nnc_unit_text(r->step_s, "s", step), many,
             device->name[0] != '\0' ? device->name : device->id, nnc_bound_name(r->bound),
             100.0 * r->bound_s[r->bound] / r->step_s, memory);
    return text;
}

/* ---- metrics tables for the lists of an estimate: ops, stages, intervals, sensitivities ---- */

NNC_GET(get_op_name, nnc_op_cost, nnc_text_cell(nnc_op_name(self->op)))

static nnc_cell get_op_path(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_op_cost *cost = place->record;
    return nnc_text_cell(nnc_op_path(cost->op, text, NNC_METRIC_TEXT_MAX));
}

static bool is_kept(const nnc_op *op) { return op->phase == NNC_PHASE_FORWARD; }

NNC_GET(get_op_kept, nnc_op_cost, nnc_number_cell(is_kept(self->op) ? nnc_op_kept_bytes(self->op) : (double)NAN))

NNC_GET(get_op_kind, nnc_op_cost, nnc_text_cell(nnc_op_kind_name(self->op)))

static nnc_cell get_op_shape(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_op_cost *cost = place->record;
    nnc_op_shape(cost->op, text, NNC_METRIC_TEXT_MAX);
    return nnc_text_cell(text);
}

NNC_GET(get_op_intensity, nnc_op_cost, nnc_number_cell(nnc_intensity(&self->work)))

NNC_GET(get_op_share, nnc_op_cost, nnc_number_cell(self->time_s * self->repeat / NNC_OWNER(nnc_report)->result->step_s))

NNC_GET(get_op_network_s, nnc_op_cost, nnc_number_cell(self->link != NULL ? self->network_s : (double)NAN))

static const nnc_metric op_rows[] = {
    NNC_AS("name", TEXT, .get = get_op_name, .help = "Name of the op."),
    NNC_AS("path", TEXT, .get = get_op_path, .help = "Name of the op without the name of its part of the network."),
    NNC_AS("kind", TEXT, .get = get_op_kind,
           .help = "Kind of the op; for pointwise ops and collectives, the name of the function or collective."),
    NNC_AS("phase", ENUM, NNC_VIA(nnc_op_cost, op), NNC_IN(nnc_op, phase), .name_of = nnc_phase_name,
           .values = NNC_PHASE_COUNT, .help = "Phase of the step in which the op runs."),
    NNC_AS("group", ENUM, NNC_VIA(nnc_op_cost, op), NNC_IN(nnc_op, group), .name_of = nnc_group_name,
           .values = NNC_GROUP_COUNT, .help = "Part of the network to which the op belongs."),
    NNC_NUMBER(nnc_op_cost, repeat, .show = NNC_SHOW_COUNT,
               .help = "Number of instances of the op in one step on one device."),
    NNC_AS("shape", TEXT, .get = get_op_shape, .help = "Dimensions of the op; for a matrix product m, n and k."),
    NNC_AS("flops", NUMBER, NNC_IN(nnc_op_cost, work.flops), .unit = "FLOP",
           .help = "FLOPs of one instance of the op on the matrix units."),
    NNC_AS("vector_flops", NUMBER, NNC_IN(nnc_op_cost, work.vector_flops), .unit = "FLOP",
           .help = "FLOPs of one instance of the op on the vector units."),
    NNC_AS("read_bytes", NUMBER, NNC_IN(nnc_op_cost, work.read_bytes), .unit = "B",
           .help = "Bytes that one instance of the op reads from memory."),
    NNC_AS("write_bytes", NUMBER, NNC_IN(nnc_op_cost, work.write_bytes), .unit = "B",
           .help = "Bytes that one instance of the op writes to memory."),
    NNC_AS("kept_bytes", NUMBER, .get = get_op_kept, .unit = "B",
           .help = "Bytes that one instance of a forward op keeps for backward, unless its block is recomputed."),
    NNC_AS("intensity_flops_per_byte", NUMBER, .get = get_op_intensity, .unit = "FLOP/B", .show = NNC_SHOW_COUNT,
           .help = "Arithmetic intensity: FLOPs per byte read or written."),
    NNC_NUMBER(nnc_op_cost, time_s, .unit = "s",
               .help = "Time of one instance of the op, without communication that overlaps with compute."),
    NNC_AS("share", NUMBER, .get = get_op_share, .show = NNC_SHOW_PERCENT,
           .help = "Share of the step that all instances of the op take."),
    NNC_NAMED(nnc_op_cost, bound, nnc_bound_name, NNC_BOUND_COUNT, .help = "Resource that bounds the op."),
    NNC_TEXT(nnc_op_cost, link, .help = "The link on which a collective takes longest."),
    NNC_AS("network_s", NUMBER, .get = get_op_network_s, .unit = "s",
           .help = "Time of a collective, overlapped or not."),
};

/* Outputs leave out an op that the busiest stage does not run. */
NNC_IF(is_run, nnc_op_cost, self->repeat > 0)

const nnc_metrics nnc_op_metrics = { .what = "one op of the step",
                                     .rows = op_rows,
                                     .count = sizeof op_rows / sizeof op_rows[0],
                                     .record_size = sizeof(nnc_op_cost),
                                     .listed = is_run };

NNC_GET(get_stage, void, nnc_whole_cell(place->index))

NNC_GET(get_ends, nnc_stage,
        nnc_text_cell(self->embedding && self->head ? "embedding, head"
                      : self->embedding             ? "embedding"
                      : self->head                  ? "head"
                                                    : ""))

/* Returns the seconds in which a stage computes only weight gradients in the backward of one micro-batch; null if the
 * schedule computes the weight gradients together with the gradients of the inputs. */
NNC_GET(get_shown_weight_s, nnc_stage, nnc_number_cell(self->weight_s > 0 ? self->weight_s : (double)NAN))

NNC_GET(get_busiest, void, nnc_text_cell(place->index == NNC_OWNER(nnc_report)->result->stage ? "busiest" : ""))

NNC_GET(get_stage_fits, nnc_stage, nnc_bool_cell(self->memory.headroom_bytes >= 0))

static const nnc_metric stage_time_rows[] = {
    NNC_AS("stage", WHOLE, .get = get_stage, .head = "stage", .help = "Number of the pipeline stage, from 0."),
    NNC_WHOLE(nnc_stage, layers, .head = "layers", .help = "Number of layers of the stage."),
    NNC_HEAD("and", TEXT, .get = get_ends, .drop = 4),
    NNC_BOOL(nnc_stage, embedding, .help = "Whether the stage holds the embedding."),
    NNC_AS("head", BOOL, NNC_IN(nnc_stage, head), .help = "Whether the stage holds the head."),
    NNC_WHOLE(nnc_stage, params, .head = "params", .show = NNC_SHOW_SCALED, .drop = 3,
              .help = "Parameters of one rank of the stage."),
    NNC_NUMBER(nnc_stage, forward_s, .head = "forward", .unit = "s",
               .help = "Time of the forward pass of one micro-batch."),
    NNC_NUMBER(nnc_stage, backward_s, .head = "backward", .unit = "s",
               .help = "Time of the backward pass of one micro-batch."),
    NNC_HEAD("weight", NUMBER, .get = get_shown_weight_s, .unit = "s", .drop = 2),
    NNC_NUMBER(nnc_stage, weight_s, .unit = "s",
               .help = "Time of the weight gradients of one micro-batch, for schedules that compute them separately."),
    NNC_NUMBER(nnc_stage, busy_s, .head = "busy", .unit = "s", .help = "Time of all passes of the stage in one step."),
    NNC_NUMBER(nnc_stage, bubble_s, .head = "bubble", .unit = "s", .help = "Idle time of the stage in the step."),
    NNC_NUMBER(nnc_stage, exchange_s, .unit = "s", .help = "Time of exposed collectives that run once per step."),
    NNC_NUMBER(nnc_stage, update_s, .unit = "s", .help = "Time of the optimizer's update."),
    NNC_NUMBER(nnc_stage, in_flight, .head = "in flight", .show = NNC_SHOW_COUNT,
               .help = "Micro-batches whose activations the stage keeps at the same time."),
    NNC_HEAD("", TEXT, .get = get_busiest, .drop = 1),
};
const nnc_metrics nnc_stage_time_metrics = NNC_METRICS("times of a pipeline stage", stage_time_rows, nnc_stage);

static const nnc_metric stage_rows[] = {
    NNC_ROWS(&nnc_stage_time_metrics),
    NNC_ROWS(&nnc_memory_metrics, NNC_IN(nnc_stage, memory)),
    NNC_AS("fits", BOOL, .get = get_stage_fits, .help = "Whether the stage fits into the device memory."),
};
const nnc_metrics nnc_stage_metrics = NNC_METRICS("one pipeline stage", stage_rows, nnc_stage);

NNC_GET(get_micro_batch, nnc_interval,
        (nnc_cell){ .kind = self->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL, .whole = self->micro_batch })

NNC_GET(get_chunk, nnc_interval,
        (nnc_cell){ .kind = self->micro_batch >= 0 ? NNC_CELL_WHOLE : NNC_CELL_NULL, .whole = self->chunk })

static const nnc_metric interval_rows[] = {
    NNC_WHOLE(nnc_interval, stage, .help = "Number of the pipeline stage, from 0."),
    NNC_NAMED(nnc_interval, activity, nnc_activity_name, NNC_ACTIVITY_COUNT,
              .help = "Kind of work that the stage does from start_s to end_s, or idle."),
    NNC_AS("micro_batch", WHOLE, .get = get_micro_batch,
           .help = "Number of the micro-batch, from 0; null outside a pass."),
    NNC_AS("chunk", WHOLE, .get = get_chunk,
           .help =
               "Number of the chunk of an interleaved stage, or of the direction in DualPipe; null outside a pass."),
    NNC_NUMBER(nnc_interval, start_s, .unit = "s", .help = "Time at which the activity of the stage begins."),
    NNC_NUMBER(nnc_interval, end_s, .unit = "s", .help = "Time at which the activity of the stage ends."),
};
const nnc_metrics nnc_interval_metrics =
    NNC_METRICS("one activity of a pipeline stage, with its start and end", interval_rows, nnc_interval);

NNC_GET(get_lever, nnc_sensitivity,
        nnc_text_cell(nnc_sensitivity_parameter_name(self->figure, NNC_OWNER(nnc_report)->result->plan.precision,
                                                     text)))

/* Returns the value of the device parameter that the sensitivity varies, as text with its unit. */
NNC_GET(get_shown_value, nnc_sensitivity,
        nnc_text_cell(nnc_unit_text(self->value, nnc_sensitivity_parameter_unit(self->figure), text)))

static nnc_cell get_shown_elasticity(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX]) {
    const nnc_sensitivity *entry = place->record;
    /* the sum with 0.0 turns -0 into 0, so that no minus sign is printed */
    snprintf(text, NNC_METRIC_TEXT_MAX, "%.3f", entry->elasticity + 0.0);
    return nnc_text_cell(text);
}

NNC_GET(get_change, nnc_sensitivity, nnc_number_cell(self->doubled_s / NNC_OWNER(nnc_report)->result->step_s - 1.0))

static const nnc_metric sensitivity_rows[] = {
    NNC_AS("figure", TEXT, .get = get_lever, .head = "figure",
           .help = "Parameter of the device file, as --set names it."),
    NNC_NUMBER(nnc_sensitivity, value, .help = "Value of the parameter in the device file."),
    NNC_HEAD("value", NUMBER, .get = get_shown_value),
    NNC_NUMBER(nnc_sensitivity, elasticity,
               .help = "Change of the step in percent when the parameter grows by one percent."),
    NNC_HEAD("elasticity", NUMBER, .get = get_shown_elasticity),
    NNC_AS("step_if_doubled_s", NUMBER, NNC_IN(nnc_sensitivity, doubled_s), .head = "step if doubled", .unit = "s",
           .help = "Time of one step if the parameter has twice its value."),
    NNC_HEAD("change", NUMBER, .get = get_change, .show = NNC_SHOW_PERCENT, .drop = 1),
    NNC_NUMBER(nnc_sensitivity, needed,
               .help = "For the parameter mem_bytes: the memory that the plan needs; null for other parameters."),
};
const nnc_metrics nnc_sensitivity_metrics =
    NNC_METRICS("gain from one parameter of the device", sensitivity_rows, nnc_sensitivity);
