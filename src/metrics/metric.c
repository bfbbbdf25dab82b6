#include <assert.h>

#include "base/base_internal.h"
#include "metrics/metrics_internal.h"
#include "shape/shape_internal.h"

static const nnc_cell no_value = { .kind = NNC_CELL_NULL };

/* Base of a row's offsets; NULL when the pointer to it is NULL. */
static const char *base_of(const nnc_metric *row, const void *record)
{
    const char *at = record;
    if (row->hop > 0 && at != NULL) {
        memcpy(&at, &at[row->hop - 1], sizeof at);
    }
    return at;
}

static int64_t whole_at(const char *at, size_t size)
{
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

nnc_cell nnc_number_cell(double number)
{
    return isfinite(number) ? (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number } : no_value;
}

nnc_cell nnc_text_cell(const char *text)
{
    return text != NULL ? (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text } : no_value;
}

nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index,
                         char text[NNC_METRIC_TEXT_MAX])
{
    if (row->get != NULL) {
        return row->get(place, text);
    }
    const char *at = base_of(row, place->record);
    if (at == NULL) {
        return no_value;
    }
    const size_t size = row->each_count > 0 ? sizeof(int64_t) : row->size; /* int64_t or double */
    at += row->offset + (size_t)index * size;
    const char *pointer = NULL;
    double number = 0;
    int64_t whole = 0;
    bool flag = false;
    switch (row->type) {
    case NNC_METRIC_NUMBER: memcpy(&number, at, sizeof number); return nnc_number_cell(number);
    case NNC_METRIC_WHOLE:
        whole = whole_at(at, size);
        return row->blank_zero && whole == 0 ? no_value
                                             : (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole };
    case NNC_METRIC_BOOL:
        memcpy(&flag, at, sizeof flag);
        return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag };
    case NNC_METRIC_TEXT: memcpy(&pointer, at, sizeof pointer); return nnc_text_cell(pointer);
    case NNC_METRIC_CHARS: return nnc_text_cell(at);
    case NNC_METRIC_ENUM:
        whole = whole_at(at, size);
        return whole >= 0 && whole < row->names.count
                   ? nnc_text_cell(row->names.of((unsigned)whole))
                   : no_value;
    default: return no_value;
    }
}

nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place)
{
    const char *base = base_of(row, place->record);
    nnc_place inside = *place;
    inside.record = base != NULL ? base + row->offset : NULL;
    return inside;
}

nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place)
{
    const char *base = base_of(row, place->record);
    nnc_lines lines = { .metrics = row->rows, .owner = place->record };
    if (base != NULL) {
        lines.count = whole_at(base + row->count_offset, row->count_size);
        lines.records = base + row->offset;
        if (!row->in_place) {
            memcpy(&lines.records, base + row->offset, sizeof lines.records);
        }
    }
    return lines;
}

nnc_place nnc_line_place(const nnc_lines *lines, int64_t index)
{
    return (nnc_place){ .record = (const char *)lines->records +
                                  (size_t)index * lines->metrics->record_size,
                        .owner = lines->owner,
                        .index = index };
}

bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place)
{
    return lines->metrics->listed == NULL || lines->metrics->listed(place);
}

/* ---- columns ---- */

/* Collects columns: the first pass counts them, the second fills the list. */
typedef struct finder {
    nnc_arena *arena;
    nnc_column *list; /* NULL: only count */
    int32_t count;
    const nnc_metric *inside[NNC_COLUMN_DEPTH];
    int depth;
    bool failed;
} finder;

static void add_column(finder *f, const char *prefix, const nnc_metric *row, int32_t index)
{
    char name[192], number[16];
    nnc_column *column = f->list != NULL ? &f->list[f->count] : NULL;
    f->count++;
    if (column == NULL) {
        return;
    }
    snprintf(number, sizeof number, "%" PRId32, index);
    snprintf(name, sizeof name, "%s%s%s%s", prefix, row->name, row->each_count > 0 ? "." : "",
             row->each_count == 0                 ? ""
             : nnc_metric_rare(row)->each != NULL ? nnc_metric_rare(row)->each((unsigned)index)
                                                  : number);
    *column = (nnc_column){
        .name = nnc_arena_strdup(f->arena, name), .metric = row, .index = index, .depth = f->depth
    };
    memcpy(column->inside, f->inside, sizeof f->inside);
    f->failed = f->failed || column->name == NULL;
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void find_columns(finder *f, const nnc_metrics *metrics, const char *prefix)
{
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
        } else if (row->name != NULL && row->type != NNC_METRIC_LIST &&
                   row->type != NNC_METRIC_TEXTS) {
            for (int32_t k = 0; k < values; k++) {
                add_column(f, prefix, row, k);
            }
        }
    }
}

nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns)
{
    finder f = { .arena = arena };
    *columns = (nnc_columns){ .count = 0 };
    find_columns(&f, metrics, "");
    f.list = nnc_arena_array(arena, (size_t)f.count + 1, sizeof *f.list);
    if (f.list == NULL) {
        return NNC_NO_MEMORY;
    }
    f.count = 0;
    find_columns(&f, metrics, "");
    if (f.failed) {
        return NNC_NO_MEMORY;
    }
    *columns = (nnc_columns){ f.list, f.count };
    return NNC_OK;
}

bool nnc_column_is_full(const nnc_column *column)
{
    bool full = column->metric->full;
    for (int i = 0; i < column->depth; i++) {
        full = full || column->inside[i]->full;
    }
    return full;
}

nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX])
{
    for (int i = 0; i < column->depth; i++) {
        place = nnc_metric_inside(column->inside[i], &place);
    }
    return nnc_metric_read(column->metric, &place, column->index, text);
}

/* ---- names ---- */

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name)
{
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

/* Does `full` end with a dot and `word`? */
static bool ends_so(const char *full, const char *word)
{
    const size_t whole = strlen(full), part = strlen(word);
    return part > 0 && whole > part && full[whole - part - 1] == '.' &&
           strcmp(full + whole - part, word) == 0;
}

/* An input of the plan gives way to a result of the same name: "tokens" is "work.tokens". */
static bool gives_way(const char *full)
{
    return strncmp(full, "plan.", strlen("plan.")) == 0;
}

nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word)
{
    nnc_name_match match = { -1, -1 };
    const char *full = NULL, *found = NULL;
    for (int32_t i = 0; i < count; i++) {
        memcpy(&full, (const char *)names + (size_t)i * stride, sizeof full);
        if (strcmp(full, word) == 0) {
            return (nnc_name_match){ i, -1 };
        }
        if (!ends_so(full, word) || (found != NULL && gives_way(full) && !gives_way(found))) {
            continue;
        }
        if (found == NULL || (gives_way(found) && !gives_way(full))) {
            match = (nnc_name_match){ i, -1 };
            found = full;
        } else {
            match.other = match.other < 0 ? i : match.other;
        }
    }
    return match;
}

/* ----  ---- */

static const char *const past_names[NNC_PAST_COUNT] = { "none", "too_few", "device",
                                                        "all_devices" };

const char *nnc_past_name(unsigned of)
{
    return of < NNC_PAST_COUNT ? past_names[of] : "?";
}

static void add_track(nnc_past *past, const nnc_track *one)
{
    const double all = (double)(past->unseen + one->unseen);
    past->error += (one->error - past->error) * (double)one->unseen / all;
    past->bias += (one->bias - past->bias) * (double)one->unseen / all;
    past->rows += one->rows;
    past->unseen += one->unseen;
}

nnc_past nnc_report_past(const nnc_report *report)
{
    const nnc_model *model = report->model;
    const nnc_software *software = report->software;
    const bool experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    const char *family = experts ? "experts" : nnc_family_name(model->family);
    nnc_past here = { .of = NNC_PAST_DEVICE }, all = { .of = NNC_PAST_ALL_DEVICES };
    if (report->result->plan.mode != NNC_MODE_PREDICTED ||
        (software->compared_count == 0 && software->date[0] == '\0')) {
        return (nnc_past){ .of = NNC_PAST_NONE };
    }
    for (int32_t i = 0; i < software->compared_count; i++) {
        const nnc_track *one = &software->compared[i];
        if (one->unseen > 0 && strcmp(one->family, family) == 0) {
            add_track(&all, one);
            if (strcmp(one->device, report->device->id) == 0) {
                add_track(&here, one);
            }
        }
    }
    here.device_rows = all.device_rows = here.unseen;
    if (all.unseen < NNC_PAST_FEWEST) {
        all.of = NNC_PAST_FEW;
        all.error = all.bias = (double)NAN;
    }
    return here.unseen < NNC_PAST_FEWEST ? all : here;
}

const nnc_price *nnc_report_price(const nnc_report *report)
{
    const nnc_device *device = report->device;
    return isnan(report->result->plan.price) && device->price_count > 0 ? device->prices : NULL;
}

const char *nnc_price_currency(const nnc_device *device)
{
    return device->price_count > 0 ? device->prices->currency : "USD";
}

const char *nnc_report_currency(const nnc_report *report)
{
    return isnan(report->result->price_per_device_hour) ? NULL : nnc_price_currency(report->device);
}

const char *nnc_launch_advice(const nnc_result *result)
{
    if (result->bound != NNC_BOUND_HOST) {
        return NULL;
    }
    return result->host_s > 0.5 * result->bound_s[NNC_BOUND_HOST]
               ? "the host limits the step: record ops once and replay them (CUDA graphs, "
                 "torch.compile), or make each op larger (a larger --micro-batch)"
               : "the fixed costs of kernels limit the step: make each kernel larger (a larger "
                 "--micro-batch, fewer of them)";
}

int64_t nnc_padded_rows(const nnc_report *report)
{
    const int64_t rows = nnc_model_sizes_of(report->model).vocab;
    const int64_t padded = nnc_vocab_split(rows, report->result->plan.tensor);
    return padded != rows ? padded : 0;
}

double nnc_report_unit_cost(const nnc_result *result, nnc_derivation *why)
{
    double unit_cost = 0.0;
    if (result->tokens > 0) {
        NNC_SET_AS(why, "per_million_tokens", unit_cost, NULL,
                   1e6 * result->cost_step / (double)result->tokens);
    } else {
        NNC_SET_AS(why, "per_thousand_samples", unit_cost, NULL,
                   1e3 * result->cost_step / (double)result->plan.global_batch);
    }
    return unit_cost;
}

double nnc_report_sustained_flops_per_s(const nnc_report *report)
{
    const nnc_efficiencies *e = &report->device->efficiency;
    const double fraction =
        e->gemm[report->result->plan.precision].sustained_fraction * e->calibration;
    return nnc_min(fraction, 1.0) * report->result->peak_flops_per_s;
}

double nnc_report_sustained_bytes_per_s(const nnc_report *report)
{
    const nnc_efficiencies *e = &report->device->efficiency;
    return e->pointwise.memory_fraction * report->device->mem_bytes_per_s;
}

const char *nnc_report_sentence(const nnc_report *report, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_result *r = report->result;
    const nnc_model *model = report->model;
    const nnc_device *device = report->device;
    char step[NNC_NUMBER_TEXT], total[NNC_NUMBER_TEXT], capacity[NNC_NUMBER_TEXT], many[32] = "",
                                                                                   set[160] = "";
    if (report->overrides != NULL && report->overrides[0] != '\0') {
        snprintf(set, sizeof set, " with %.120s", report->overrides);
    }
    if (r->plan.devices > 1) {
        snprintf(many, sizeof many, "%" PRId32 " x ", r->plan.devices);
    }
    snprintf(text, NNC_METRIC_TEXT_MAX,
             "One step of %.48s%s takes %s%s on %s%.48s and is bound by %s, %.1f%% of it; it %s: "
             "%s of %s "
             "per device.",
             model->name[0] != '\0' ? model->name : model->id, set,
             r->plan.mode == NNC_MODE_IDEAL ? "at least " : "", nnc_unit_text(r->step_s, "s", step),
             many, device->name[0] != '\0' ? device->name : device->id, nnc_bound_name(r->bound),
             100.0 * r->bound_s[r->bound] / r->step_s,
             r->verdict == NNC_FITS    ? "fits"
             : r->verdict == NNC_TIGHT ? "is tight"
                                       : "does not fit",
             nnc_unit_text((double)r->memory.total_bytes, "B", total),
             nnc_unit_text((double)r->memory.capacity_bytes, "B", capacity));
    return text;
}
