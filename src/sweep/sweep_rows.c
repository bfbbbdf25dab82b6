/* Evaluates the rows of a sweep. A point moves from row to row, and only values that differ from the row before are
 * set. A constraint is tested as soon as the values in the constraint are known, so most rows that a constraint
 * excludes need no estimate. The rows of a chunk can be evaluated in another order than the order of output. */
#include <assert.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "memo/memo_internal.h"
#include "sweep/sweep_internal.h"

/* ---- points: setting the model, device, profile and plan of a row ---- */

nnc_status nnc_point_set(nnc_point *point, const nnc_sweep_axis *axis, int32_t index, nnc_error *err) {
    switch (axis->target) {
    case NNC_SWEEP_MODEL: point->model = *(const nnc_model *)axis->specs[index]; break;
    case NNC_SWEEP_DEVICE: point->device = *(const nnc_device *)axis->specs[index]; break;
    case NNC_SWEEP_SOFTWARE: point->software = *(const nnc_software *)axis->specs[index]; break;
    case NNC_SWEEP_PLAN_FIELD:
        if (axis->bytes != NULL) { /* copies the value in its binary form, which was stored when the axis was added */
            memcpy((char *)&point->plan + axis->offset, axis->bytes + (size_t)index * axis->size, axis->size);
            return NNC_OK;
        }
        return nnc_plan_set(&point->plan, axis->field, axis->values[index], err);
    case NNC_SWEEP_MODEL_FIELD: return nnc_model_set(&point->model, axis->field, axis->values[index], err);
    case NNC_SWEEP_DEVICE_FIELD: return nnc_device_set(&point->device, axis->field, axis->values[index], err);
    }
    return NNC_OK;
}

/* Tests whether the field that this axis varies gets another value because a new model or a new device has been
 * loaded. */
static bool is_lost(const nnc_sweep_axis *axis, bool model_loaded, bool device_loaded) {
    return (axis->target == NNC_SWEEP_MODEL_FIELD && model_loaded) ||
           (axis->target == NNC_SWEEP_DEVICE_FIELD && device_loaded);
}

static void check_specs(nnc_point *point) {
    point->specs_moves++;
    nnc_estimate_cache_begin(point->scratch->shared, &point->model,
                             &point->device); /* an op list that was cached before is valid until the model or device
                                               * changes */
    point->spec_fault.status = NNC_OK;
    if (nnc_model_check(&point->model, point->model.id, &point->spec_fault) == NNC_OK) {
        nnc_device_check(&point->device, point->device.id, &point->spec_fault);
    }
}

/* Sets axes of whole models and devices before axes of their fields, because a field of the loaded model or device is
 * changed after loading. */
void nnc_point_move(nnc_point *point, int64_t row) {
    int32_t places[NNC_SWEEP_AXES_MAX];
    bool model_loaded = false, device_loaded = false, specs_moved = false;
    const nnc_sweep_axes *axes = point->axes;
    if (!point->placed) {
        point->plan = nnc_plan_default();
        point->software = nnc_software_default();
    }
    nnc_sweep_place(axes, row, places);
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        const int32_t place = places[axis->group];
        if (point->placed && place == point->places[axis->group] && !is_lost(axis, model_loaded, device_loaded)) {
            continue;
        }
        const nnc_status status = nnc_point_set(point, axis, place, NULL);
        assert(status == NNC_OK);
        (void)status;
        model_loaded = model_loaded || axis->target == NNC_SWEEP_MODEL;
        device_loaded = device_loaded || axis->target == NNC_SWEEP_DEVICE;
        specs_moved = specs_moved || (axis->target != NNC_SWEEP_PLAN_FIELD && axis->target != NNC_SWEEP_SOFTWARE);
    }
    memcpy(point->places, places, sizeof *places * (size_t)axes->group_count);
    point->placed = true;
    if (specs_moved) { check_specs(point); }
    if (axes->profiles != NULL) {
        const nnc_profile_kind usual = nnc_profile_kind_of(&point->model, &point->device, &point->plan);
        const nnc_profile_kind kind =
            axes->each ? usual : nnc_profile_kind_kept(&point->model, &point->device, &axes->kept_plan, axes->kept);
        const nnc_software *profile = axes->profiles->of[kind];
        point->usual = kind == usual || strcmp(profile->id, axes->profiles->of[usual]->id) == 0;
        if (profile != point->profile) {
            point->software = *profile;
            point->profile = profile;
        }
    }
}

/* Tests whether one of the sweep's axes varies this field of the plan. */
static bool is_given(const void *in, const char *field) {
    const nnc_sweep_axes *axes = in;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        if (axis->target == NNC_SWEEP_PLAN_FIELD && strcmp(axis->field, field) == 0) { return true; }
    }
    return false;
}

/* Estimates a row whose profile is one of a release of a framework. Copies model, software and plan; sets the fields
 * that the release fixes and that no axis varies; sets the switches of the release; then estimates the copies. */
static nnc_status estimate_release(nnc_point *point, nnc_result *result, nnc_error *err) {
    const nnc_release_ask ask = { .software = &point->software,
                                  .device = point->device.id,
                                  .model = point->model.id,
                                  .family = nnc_family_name(point->model.family) };
    const nnc_given given = { is_given, point->axes };
    nnc_plan plan = point->plan;
    nnc_release release;
    point->filled = point->model;
    point->switched = point->software;
    NNC_TRY(nnc_release_find(NULL, &ask, &release, err));
    if (release.entry != NULL) {
        nnc_release_fill(release.entry, &given, &point->filled, &plan);
        NNC_TRY(nnc_release_switch(&release, &ask, &plan, &point->switched, err));
    }
    nnc_estimate_cache_begin(point->scratch->shared, &point->filled, &point->device);
    point->is_filled = true;
    return nnc_estimate_read(&point->filled, &point->device, &point->switched, &plan, point->scratch, result, err);
}

nnc_status nnc_point_estimate(nnc_point *point, nnc_result *result, nnc_error *err) {
    if (point->spec_fault.status != NNC_OK) {
        if (err != NULL) { *err = point->spec_fault; }
        return point->spec_fault.status;
    }
    /* an axis lists the profiles, and the profile of this row belongs to a release (only such profiles have a date) */
    if (point->axes->profiles == NULL && point->software.date[0] != '\0') {
        return estimate_release(point, result, err);
    }
    if (point->is_filled) {
        nnc_estimate_cache_begin(point->scratch->shared, &point->model, &point->device);
        point->is_filled = false;
    }
    return nnc_estimate_read(&point->model, &point->device, &point->software, &point->plan, point->scratch, result,
                             err);
}

/* ---- the order in which the rows of a chunk are evaluated ---- */

/* Rows that run equal ops are evaluated one after the other, because these rows share the cached op list. In a sweep of
 * 3,072 plans whose slow axis is micro_batches, evaluating rows with equal ops together needs 30 % fewer CPU
 * instructions. The order of evaluation saves nothing if the slow axes of the sweep already decide the ops. */

/* Returns the row number in the sweep of the row that has index `place` in the shard. */
static int64_t row_at(const nnc_sweep *sweep, int64_t place) {
    return sweep->shard.number - 1 + place * sweep->shard.of;
}

/* Entry number i in the order of evaluation. The two members of the entry describe different rows: `row` is the row
 * that is evaluated as number i; `mark` is about the row that has index i in the chunk. */
typedef struct turn {
    int64_t row; /* index in the chunk of the row that is evaluated as number i */
    size_t mark; /* offset in `marks` of the batch, where the number, sort key and end of the row are; NO_MARK = the row
                  * is left out */
} turn;
#define NO_MARK SIZE_MAX

typedef struct row_order {
    /* for each group of axes, true = the values of the group decide which ops a rank runs */
    bool decides[NNC_SWEEP_AXES_MAX];
    /* true: a group of axes whose values decide the ops varies faster than a group whose values do not */
    bool mixed;
    int64_t keys[NNC_POOL_CHUNK_MAX]; /* sort key of each row: values of the groups that decide the ops as one number,
                                       * then the place of the row in the chunk */
    turn turns[NNC_POOL_CHUNK_MAX];
} row_order;

/* Tests whether a rank runs different ops with the first and with the last value of an axis. The test always returns
 * true for an axis that does not vary a field of the plan. */
static bool decides_ops(const nnc_sweep *sweep, const nnc_sweep_axis *axis) {
    nnc_plan first = sweep->point.plan, last = first;
    if (axis->target != NNC_SWEEP_PLAN_FIELD || axis->bytes == NULL) { return true; }
    memcpy((char *)&first + axis->offset, axis->bytes, axis->size);
    memcpy((char *)&last + axis->offset, axis->bytes + (size_t)(axis->count - 1) * axis->size, axis->size);
    first = nnc_plan_lowering_key(&first);
    last = nnc_plan_lowering_key(&last);
    return !nnc_same_bytes(&first, &last, sizeof first);
}

static void find_order(const nnc_sweep *sweep, row_order *order) {
    const nnc_sweep_axes *axes = &sweep->axes;
    bool other = false;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        order->decides[axis->group] = order->decides[axis->group] || decides_ops(sweep, axis);
    }
    for (int32_t g = 0; g < axes->group_count; g++) {
        order->mixed = order->mixed || (other && order->decides[g] && axes->lengths[g] > 1);
        other = other || (!order->decides[g] && axes->lengths[g] > 1);
    }
}

/* Returns the number of rows in a chunk. In a larger chunk, more rows share an op list. In a short sweep, however, each
 * thread needs a chunk, and rows with many columns must not need more memory. */
static int64_t chunk_of(const nnc_sweep *sweep, const row_order *order) {
    enum { CHUNKS = 32, CELLS = 16384 };
    const int64_t share = sweep->shard_rows / CHUNKS,
                  narrow = CELLS / (sweep->column_count > 0 ? sweep->column_count : 1),
                  most = share < narrow ? share : narrow;
    return !order->mixed || most < NNC_POOL_CHUNK ? NNC_POOL_CHUNK
           : most < NNC_POOL_CHUNK_MAX            ? most
                                                  : NNC_POOL_CHUNK_MAX;
}

static int64_t key_of_ops(const nnc_sweep_axes *axes, const row_order *order, int64_t row) {
    int32_t places[NNC_SWEEP_AXES_MAX];
    int64_t key = 0;
    nnc_sweep_place(axes, row, places);
    for (int32_t g = 0; g < axes->group_count; g++) {
        key = order->decides[g] ? key * axes->lengths[g] + places[g] : key;
    }
    return key;
}

static int by_key(const void *a, const void *b) {
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Determines the order in which the rows of a chunk are evaluated, so that rows with equal ops follow each other.
 * Returns false if the rows are evaluated in the order of their numbers. */
static bool order_rows(const nnc_sweep *sweep, row_order *order, const nnc_batch *batch) {
    bool rises = true;
    int64_t *keys = order->keys, before = 0;
    for (int64_t i = 0; order->mixed && i < batch->count; i++) {
        const int64_t key = key_of_ops(&sweep->axes, order, row_at(sweep, batch->first + i));
        /* the product cannot overflow, because a sweep has at most 1e15 rows and not more keys than rows */
        keys[i] = key * NNC_POOL_CHUNK_MAX + i;
        rises = rises && key >= before;
        before = key;
    }
    if (rises) { return false; }
    qsort(keys, (size_t)batch->count, sizeof keys[0], by_key);
    for (int64_t i = 0; i < batch->count; i++) { order->turns[i].row = keys[i] % NNC_POOL_CHUNK_MAX; }
    return true;
}

/* Says which cells of the current row have values: first only values of axes, then fields of model and device as well,
 * then metrics as well. Evaluating rows allocates no memory. */
typedef enum known { KNOWN_AXES, KNOWN_SPECS, KNOWN_FIGURES } known;

/* Text that explains why a plan does not fit in memory, and the two numbers of bytes in this text. */
typedef struct over {
    int64_t total_bytes, capacity_bytes;
    char text[3 * NNC_NUMBER_TEXT];
} over;

struct nnc_sweeper {
    const nnc_sweep *sweep;
    nnc_point point;
    nnc_result result;
    int32_t places[NNC_SWEEP_AXES_MAX];
    known known;                         /* which cells in `cells` already have the values of the current row */
    nnc_cell cells[NNC_SWEEP_SLOTS_MAX]; /* for each entry of sweep->slots, its value in the current row */
    nnc_cell shown[NNC_TABLE_COLUMNS];   /* for each column of the output, its cell in the current row */
    char (*texts)[NNC_METRIC_TEXT_MAX];  /* for each entry of sweep->slots, memory for the text of its value */
    int64_t specs_moves;                 /* value of specs_moves of the point when the fields of model and device were
                                          * last read */
    char reason[sizeof(nnc_error)];      /* text of the error of an illegal plan: the place and the message of the
                                          * error */
    over over;                           /* reason text of the last plan that did not fit; it is used again if the next
                                          * plan that does not fit needs the same memory */
    /* command line of the current row, if a column shows it; the memory is used again for the next row */
    nnc_buffer command;
    row_order order;
    /* batch for rows that are evaluated in another order; afterwards the rows are copied from it in the order of their
     * numbers */
    nnc_batch held;
};

/* Tests whether a column, a constraint or the sort key names a value that a brief estimate does not compute. */
static bool asks_full(const nnc_sweep *sweep) {
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        if (slot->kind == NNC_NAME_FIGURE && nnc_column_is_full(&sweep->figures.list[slot->index])) { return true; }
    }
    return false;
}

nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep) {
    nnc_sweeper *sweeper = calloc(1, sizeof *sweeper);
    if (sweeper == NULL) { return NULL; }
    sweeper->sweep = sweep;
    sweeper->point.axes = &sweep->axes;
    sweeper->point.scratch = nnc_scratch_create();
    sweeper->texts = calloc(NNC_SWEEP_SLOTS_MAX, sizeof *sweeper->texts);
    nnc_point *point = &sweeper->point;
    if (point->scratch == NULL || sweeper->texts == NULL ||
        !nnc_scratch_share(point->scratch, &point->model, &point->device, false)) {
        nnc_sweeper_destroy(sweeper);
        return NULL;
    }
    point->scratch->brief = !asks_full(sweep);
    /* unless the sweep keeps all rows (--all), an estimate computes only the verdict of a plan that does not fit */
    point->scratch->fits_only = point->scratch->verdict_only = !sweep->all;
    find_order(sweep, &sweeper->order);
    return sweeper;
}

void nnc_sweeper_destroy(nnc_sweeper *sweeper) {
    if (sweeper != NULL) {
        nnc_scratch_destroy(sweeper->point.scratch);
        free(sweeper->texts);
        nnc_buffer_free(&sweeper->command);
        nnc_batch_free(&sweeper->held);
        free(sweeper);
    }
}

static known known_from(const nnc_slot *slot) {
    switch (slot->kind) {
    case NNC_NAME_ROW:
    case NNC_NAME_COMMAND:
    case NNC_NAME_AXIS: return KNOWN_AXES;
    case NNC_NAME_FIELD: return slot->target == NNC_SWEEP_PLAN_FIELD ? KNOWN_FIGURES : KNOWN_SPECS;
    default: return KNOWN_FIGURES;
    }
}

static void fill_axes(nnc_sweeper *s, int64_t row) {
    const nnc_sweep *sweep = s->sweep;
    s->known = KNOWN_AXES;
    nnc_sweep_place(&sweep->axes, row, s->places);
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        if (slot->kind == NNC_NAME_ROW) {
            s->cells[i] = (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row };
        } else if (slot->kind == NNC_NAME_COMMAND) {
            nnc_sweep_command(sweep, s->places, &s->command);
            s->cells[i] = nnc_text_cell(s->command.failed ? NULL : s->command.bytes);
        } else if (slot->kind == NNC_NAME_AXIS) {
            const nnc_sweep_axis *axis = &sweep->axes.axes[slot->index];
            s->cells[i] = axis->cells[s->places[axis->group]];
        }
    }
}

/* Fills in the cells with fields of the model and the device. Cells with metrics stay empty until the row is
 * estimated. */
static void fill_specs(nnc_sweeper *s) {
    const nnc_sweep *sweep = s->sweep;
    const bool moved = s->specs_moves != s->point.specs_moves;
    s->specs_moves = s->point.specs_moves;
    s->known = KNOWN_SPECS;
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        const known from = known_from(slot);
        if (from == KNOWN_FIGURES) {
            s->cells[i].kind = NNC_CELL_NULL;
        } else if (from == KNOWN_SPECS && moved) {
            s->cells[i] = nnc_field_cell(slot, &s->point, &s->point.plan, s->texts[i], NNC_METRIC_TEXT_MAX);
        }
    }
}

static void fill_verdict(nnc_sweeper *s, nnc_sweep_verdict verdict, const char *reason) {
    const nnc_sweep *sweep = s->sweep;
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_name_kind kind = sweep->slots[i].kind;
        if (kind == NNC_NAME_VERDICT) {
            s->cells[i] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = nnc_sweep_verdict_name(verdict) };
        } else if (kind == NNC_NAME_REASON && reason != NULL) {
            s->cells[i] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = reason };
        }
    }
}

/* Returns the difference between the step time of the row and the step time of the same plan with the software profile
 * of the sweep's first row; a null cell if the plan cannot be estimated with this profile. */
static nnc_cell framework_of(nnc_sweeper *s) {
    const nnc_software *first = s->sweep->axes.first;
    nnc_point *point = &s->point;
    nnc_result same = s->result;
    const bool fits_only = point->scratch->fits_only;
    /* the step time is needed even if the plan does not fit in memory with the other software profile */
    point->scratch->fits_only = false;
    const bool done =
        first == NULL || strcmp(first->id, point->software.id) == 0 ||
        nnc_estimate_read(&point->model, &point->device, first, &point->plan, point->scratch, &same, NULL) == NNC_OK;
    point->scratch->fits_only = fits_only;
    if (!done) { return (nnc_cell){ .kind = NNC_CELL_NULL }; }
    return (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = s->result.step_s - same.step_s };
}

/* Fills in the cells with metrics of the estimate, and the cells with fields of the plan, whose defaults are known
 * after the estimate. */
static void fill_late(nnc_sweeper *s) {
    const nnc_sweep *sweep = s->sweep;
    const nnc_report report = { .cluster = sweep->cluster,
                                .model = &s->point.model,
                                .device = &s->point.device,
                                .software = &s->point.software,
                                .software_chosen = s->point.usual,
                                .result = &s->result };
    const nnc_place place = { .record = &report };
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        if (slot->kind == NNC_NAME_FRAMEWORK) {
            s->cells[i] = framework_of(s);
        } else if (slot->kind == NNC_NAME_FIGURE) {
            s->cells[i] = nnc_column_read(&sweep->figures.list[slot->index], place, s->texts[i]);
        } else if (slot->kind == NNC_NAME_FIELD && slot->target == NNC_SWEEP_PLAN_FIELD) {
            s->cells[i] = nnc_field_cell(slot, &s->point, &s->result.plan, s->texts[i], NNC_METRIC_TEXT_MAX);
        }
    }
    s->known = KNOWN_FIGURES;
}

static const nnc_cell *read_cell(void *context, int32_t slot) {
    const nnc_sweeper *s = context;
    return known_from(&s->sweep->slots[slot]) <= s->known ? &s->cells[slot] : NULL;
}

/* Tests whether the current row meets all constraints (--where). Returns NNC_NOT_KNOWN_YET if the row breaks no
 * constraint so far, but some values in the constraints are not known yet. */
static nnc_truth test(nnc_sweeper *s) {
    nnc_truth all = NNC_TRUE;
    for (int32_t i = 0; i < s->sweep->where_count; i++) {
        const nnc_truth one = nnc_where_test(&s->sweep->where[i], read_cell, s);
        if (one == NNC_FALSE) { return NNC_FALSE; }
        all = one == NNC_NOT_KNOWN_YET ? one : all;
    }
    return all;
}

static double key_of(const nnc_sweeper *s) {
    const nnc_sweep *sweep = s->sweep;
    const nnc_cell *cell = sweep->by >= 0 ? &s->cells[sweep->by] : NULL;
    const double value = cell == NULL                    ? 0.0
                         : cell->kind == NNC_CELL_WHOLE  ? (double)cell->whole
                         : cell->kind == NNC_CELL_BOOL   ? (double)cell->flag
                         : cell->kind == NNC_CELL_NUMBER ? cell->number
                                                         : (double)NAN;
    return isnan(value) ? (double)INFINITY : sweep->by_falls ? -value : value;
}

static void write_row(nnc_sweeper *s, int64_t row, nnc_batch *batch) {
    const nnc_sweep *sweep = s->sweep;
    batch->bytes.failed = batch->bytes.failed || s->command.failed;
    for (int32_t i = 0; i < sweep->column_count; i++) { s->shown[i] = s->cells[sweep->columns[i]]; }
    if (sweep->format != NULL) {
        sweep->format->line(&batch->bytes, (nnc_heads){ sweep->heads, sweep->column_count }, s->shown);
    } else {
        nnc_cells_pack(&batch->bytes, s->shown, sweep->column_count);
    }
    nnc_batch_mark(batch, row, key_of(s));
}

static void over_memory(nnc_sweeper *s) {
    char needed[NNC_NUMBER_TEXT], capacity[NNC_NUMBER_TEXT];
    const nnc_memory *memory = &s->result.memory;
    over *told = &s->over;
    if (told->total_bytes != memory->total_bytes || told->capacity_bytes != memory->capacity_bytes) {
        told->total_bytes = memory->total_bytes;
        told->capacity_bytes = memory->capacity_bytes;
        snprintf(told->text, sizeof told->text, "memory: needs %s of %s",
                 nnc_unit_text((double)memory->total_bytes, "B", needed),
                 nnc_unit_text((double)memory->capacity_bytes, "B", capacity));
    }
    fill_verdict(s, NNC_SWEEP_OVER_MEMORY, told->text);
}

static void do_illegal(nnc_sweeper *s, int64_t row, nnc_truth met, const nnc_error *why, nnc_batch *batch) {
    batch->tally.illegal++;
    /* a row with an illegal plan has no metrics, so it does not meet a constraint on metrics */
    if (s->sweep->all && met == NNC_TRUE) {
        snprintf(s->reason, sizeof s->reason, "%s: %s", why->where, why->what);
        fill_verdict(s, NNC_SWEEP_ILLEGAL, s->reason);
        write_row(s, row, batch);
    }
}

static void do_row(nnc_sweeper *s, int64_t row, nnc_batch *batch) {
    const bool all = s->sweep->all;
    nnc_error why;
    fill_axes(s, row);
    nnc_truth met = test(s);
    if (met != NNC_FALSE) {
        nnc_point_move(&s->point, row);
        fill_specs(s);
        met = met == NNC_NOT_KNOWN_YET ? test(s) : met;
    }
    if (met == NNC_FALSE) {
        batch->tally.excluded++;
        return;
    }
    if (nnc_point_estimate(&s->point, &s->result, all ? &why : NULL) != NNC_OK) {
        do_illegal(s, row, met, &why, batch);
        return;
    }
    const bool fits = s->result.verdict != NNC_OVER_MEMORY;
    if (!fits && !all) {
        batch->tally.over_memory++;
        return;
    }
    fill_late(s);
    if (fits) {
        fill_verdict(s, NNC_SWEEP_FITS, s->point.device.implausible ? "implausible values" : NULL);
    } else {
        over_memory(s);
    }
    met = met == NNC_NOT_KNOWN_YET ? test(s) : met;
    if (met != NNC_TRUE) {
        batch->tally.excluded++;
        return;
    }
    batch->tally.fitting += fits;
    batch->tally.over_memory += !fits;
    write_row(s, row, batch);
}

/* Evaluates the rows of a chunk in an order in which rows with equal ops follow each other, then writes the rows to the
 * batch in the order of their numbers. */
static void work_mixed(nnc_sweeper *s, nnc_batch *batch) {
    turn *turns = s->order.turns;
    nnc_batch_row row;
    nnc_batch_clear(&s->held);
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t at = turns[i].row;
        const size_t mark = s->held.marks.size;
        do_row(s, row_at(s->sweep, batch->first + at), &s->held);
        turns[at].mark = s->held.marks.size > mark ? mark : NO_MARK;
    }
    for (int64_t i = 0; i < batch->count; i++) {
        if (turns[i].mark != NO_MARK && nnc_batch_next(&s->held, &turns[i].mark, &row)) {
            nnc_buffer_put(&batch->bytes, row.bytes, row.size);
            nnc_batch_mark(batch, row.number, row.key);
        }
    }
    nnc_tally_add(&batch->tally, &s->held.tally);
    batch->bytes.failed = batch->bytes.failed || s->held.bytes.failed || s->held.marks.failed;
}

void nnc_sweeper_work(void *sweeper, nnc_batch *batch) {
    nnc_sweeper *s = sweeper;
    if (order_rows(s->sweep, &s->order, batch)) {
        work_mixed(s, batch);
        return;
    }
    for (int64_t i = batch->first; i < batch->first + batch->count; i++) { do_row(s, row_at(s->sweep, i), batch); }
}

int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper) { return chunk_of(sweeper->sweep, &sweeper->order); }
