/* The rows of a sweep: one after the other, without allocating. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "estimate/scratch.h"
#include "sweep/sweep.h"
#include "sweep/sweep_order.h"

/* What of a row is known, in the order in which it costs more to know. */
typedef enum known { KNOWN_AXES, KNOWN_SPECS, KNOWN_FIGURES } known;

/* What is said of a plan over memory. */
typedef struct over {
    int64_t total_bytes, capacity_bytes;
    char text[3 * NNC_NUMBER_TEXT];
} over;

struct nnc_sweeper {
    const nnc_sweep *sweep;
    nnc_point point;
    nnc_result result;
    int32_t places[NNC_SWEEP_AXES_MAX];
    known known;                         /* which cells are those of this row */
    nnc_cell cells[NNC_SWEEP_SLOTS_MAX]; /* by slot */
    nnc_cell shown[NNC_TABLE_COLUMNS];   /* by column */
    char (*texts)[NNC_METRIC_TEXT_MAX];  /* by slot */
    int64_t specs_moves;                 /* that the fields of model and device were read at */
    char reason[sizeof(nnc_error)];      /* both its texts and what joins them */
    over over;                           /* of the last row that was */
    nnc_buffer command;                  /* of the row, where it is asked for; keeps its memory */
    nnc_order order;
    nnc_batch held; /* of rows out of their order */
};

/* Does anything that is shown, tested or sorted by take more than a brief estimate? */
static bool asks_full(const nnc_sweep *sweep)
{
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        if (slot->kind == NNC_NAME_FIGURE &&
            nnc_column_is_full(&sweep->figures.list[slot->index])) {
            return true;
        }
    }
    return false;
}

nnc_sweeper *nnc_sweeper_create(const nnc_sweep *sweep)
{
    nnc_sweeper *sweeper = calloc(1, sizeof *sweeper);
    if (sweeper == NULL) {
        return NULL;
    }
    sweeper->sweep = sweep;
    sweeper->point.axes = &sweep->axes;
    sweeper->point.scratch = nnc_scratch_create();
    sweeper->texts = calloc(NNC_SWEEP_SLOTS_MAX, sizeof *sweeper->texts);
    nnc_point *point = &sweeper->point;
    if (point->scratch == NULL || sweeper->texts == NULL ||
        !nnc_scratch_share(point->scratch, &point->model, &point->device)) {
        nnc_sweeper_destroy(sweeper);
        return NULL;
    }
    point->scratch->brief = !asks_full(sweep);
    nnc_order_find(sweep, &sweeper->order);
    return sweeper;
}

void nnc_sweeper_destroy(nnc_sweeper *sweeper)
{
    if (sweeper != NULL) {
        nnc_scratch_destroy(sweeper->point.scratch);
        free(sweeper->texts);
        nnc_buffer_free(&sweeper->command);
        nnc_batch_free(&sweeper->held);
        free(sweeper);
    }
}

static known known_from(const nnc_slot *slot)
{
    switch (slot->kind) {
    case NNC_NAME_ROW:
    case NNC_NAME_COMMAND:
    case NNC_NAME_AXIS: return KNOWN_AXES;
    case NNC_NAME_FIELD: return slot->target == NNC_SWEEP_PLAN_FIELD ? KNOWN_FIGURES : KNOWN_SPECS;
    default: return KNOWN_FIGURES;
    }
}

static void fill_axes(nnc_sweeper *s, int64_t row)
{
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

/* The fields of model and device; figures stay empty until there is an estimate. */
static void fill_specs(nnc_sweeper *s)
{
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
            s->cells[i] =
                nnc_field_cell(slot, &s->point, &s->point.plan, s->texts[i], NNC_METRIC_TEXT_MAX);
        }
    }
}

static void fill_verdict(nnc_sweeper *s, nnc_sweep_verdict verdict, const char *reason)
{
    const nnc_sweep *sweep = s->sweep;
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_name_kind kind = sweep->slots[i].kind;
        if (kind == NNC_NAME_VERDICT) {
            s->cells[i] =
                (nnc_cell){ .kind = NNC_CELL_TEXT, .text = nnc_sweep_verdict_name(verdict) };
        } else if (kind == NNC_NAME_REASON && reason != NULL) {
            s->cells[i] = (nnc_cell){ .kind = NNC_CELL_TEXT, .text = reason };
        }
    }
}

/* The figures of the estimate, and the fields of the plan as it was resolved. */
static void fill_late(nnc_sweeper *s)
{
    const nnc_sweep *sweep = s->sweep;
    const nnc_report report = { .cluster = sweep->cluster,
                                .model = &s->point.model,
                                .device = &s->point.device,
                                .software = &s->point.software,
                                .software_chosen = sweep->axes.profiles != NULL,
                                .result = &s->result };
    const nnc_place place = { .record = &report };
    for (int32_t i = 0; i < sweep->slot_count; i++) {
        const nnc_slot *slot = &sweep->slots[i];
        if (slot->kind == NNC_NAME_FIGURE) {
            s->cells[i] = nnc_column_read(&sweep->figures.list[slot->index], place, s->texts[i]);
        } else if (slot->kind == NNC_NAME_FIELD && slot->target == NNC_SWEEP_PLAN_FIELD) {
            s->cells[i] =
                nnc_field_cell(slot, &s->point, &s->result.plan, s->texts[i], NNC_METRIC_TEXT_MAX);
        }
    }
    s->known = KNOWN_FIGURES;
}

static const nnc_cell *read_cell(void *context, int32_t slot)
{
    const nnc_sweeper *s = context;
    return known_from(&s->sweep->slots[slot]) <= s->known ? &s->cells[slot] : NULL;
}

/* All constraints together. */
static nnc_truth test(nnc_sweeper *s)
{
    nnc_truth all = NNC_TRUE;
    for (int32_t i = 0; i < s->sweep->where_count; i++) {
        const nnc_truth one = nnc_where_test(&s->sweep->where[i], read_cell, s);
        if (one == NNC_FALSE) {
            return NNC_FALSE;
        }
        all = one == NNC_NOT_KNOWN_YET ? one : all;
    }
    return all;
}

static double key_of(const nnc_sweeper *s)
{
    const nnc_sweep *sweep = s->sweep;
    const nnc_cell *cell = sweep->by >= 0 ? &s->cells[sweep->by] : NULL;
    const double value = cell == NULL                    ? 0.0
                         : cell->kind == NNC_CELL_WHOLE  ? (double)cell->whole
                         : cell->kind == NNC_CELL_BOOL   ? (double)cell->flag
                         : cell->kind == NNC_CELL_NUMBER ? cell->number
                                                         : (double)NAN;
    return isnan(value) ? (double)INFINITY : sweep->by_falls ? -value : value;
}

static void write_row(nnc_sweeper *s, int64_t row, nnc_batch *batch)
{
    const nnc_sweep *sweep = s->sweep;
    batch->bytes.failed = batch->bytes.failed || s->command.failed;
    for (int32_t i = 0; i < sweep->column_count; i++) {
        s->shown[i] = s->cells[sweep->columns[i]];
    }
    if (sweep->format != NULL) {
        sweep->format->line(&batch->bytes, (nnc_heads){ sweep->heads, sweep->column_count },
                            s->shown);
    } else {
        nnc_cells_pack(&batch->bytes, s->shown, sweep->column_count);
    }
    nnc_batch_mark(batch, row, key_of(s));
}

static void over_memory(nnc_sweeper *s)
{
    char needed[NNC_NUMBER_TEXT], capacity[NNC_NUMBER_TEXT];
    const nnc_memory *memory = &s->result.memory;
    over *told = &s->over; /* rows in a row often need as much */
    if (told->total_bytes != memory->total_bytes ||
        told->capacity_bytes != memory->capacity_bytes) {
        told->total_bytes = memory->total_bytes;
        told->capacity_bytes = memory->capacity_bytes;
        snprintf(told->text, sizeof told->text, "memory: needs %s of %s",
                 nnc_unit_text((double)memory->total_bytes, "B", needed),
                 nnc_unit_text((double)memory->capacity_bytes, "B", capacity));
    }
    fill_verdict(s, NNC_SWEEP_OVER_MEMORY, told->text);
}

static void do_illegal(nnc_sweeper *s, int64_t row, nnc_truth met, const nnc_error *why,
                       nnc_batch *batch)
{
    batch->tally.illegal++;
    /* A constraint on figures is not met by a plan that has none. */
    if (s->sweep->all && met == NNC_TRUE) {
        snprintf(s->reason, sizeof s->reason, "%s: %s", why->where, why->what);
        fill_verdict(s, NNC_SWEEP_ILLEGAL, s->reason);
        write_row(s, row, batch);
    }
}

static void do_row(nnc_sweeper *s, int64_t row, nnc_batch *batch)
{
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
        fill_verdict(s, NNC_SWEEP_FITS, NULL);
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

/* Rows that run the same ops one after the other, which share more; they are handed on in their order. */
static void work_mixed(nnc_sweeper *s, nnc_batch *batch)
{
    nnc_turn *turns = s->order.turns;
    nnc_batch_row row;
    nnc_batch_clear(&s->held);
    for (int64_t i = 0; i < batch->count; i++) {
        const int64_t at = turns[i].row;
        const size_t mark = s->held.marks.size;
        do_row(s, nnc_sweep_row_at(s->sweep, batch->first + at), &s->held);
        turns[at].mark = s->held.marks.size > mark ? mark : NNC_NO_MARK;
    }
    for (int64_t i = 0; i < batch->count; i++) {
        if (turns[i].mark != NNC_NO_MARK && nnc_batch_next(&s->held, &turns[i].mark, &row)) {
            nnc_buffer_put(&batch->bytes, row.bytes, row.size);
            nnc_batch_mark(batch, row.number, row.key);
        }
    }
    nnc_tally_add(&batch->tally, &s->held.tally);
    batch->bytes.failed = batch->bytes.failed || s->held.bytes.failed || s->held.marks.failed;
}

void nnc_sweeper_work(void *sweeper, nnc_batch *batch)
{
    nnc_sweeper *s = sweeper;
    if (nnc_order_take(s->sweep, &s->order, batch)) {
        work_mixed(s, batch);
        return;
    }
    for (int64_t i = batch->first; i < batch->first + batch->count; i++) {
        do_row(s, nnc_sweep_row_at(s->sweep, i), batch);
    }
}

int64_t nnc_sweeper_chunk(const nnc_sweeper *sweeper)
{
    return nnc_order_chunk(sweeper->sweep, &sweeper->order);
}
