/* Two recordings side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/check_report.h"

static const nnc_recorded_estimate *find(const nnc_recorded *recorded, const char *id)
{
    for (int32_t i = 0; i < recorded->estimate_count; i++) {
        if (strcmp(recorded->estimates[i].id, id) == 0) {
            return &recorded->estimates[i];
        }
    }
    return NULL;
}

/* ---- ops ---- */

/* Adds an op's time in the step to the row of its name and phase. */
static void add_op(nnc_check_op *rows, int32_t *count, const nnc_recorded_op *op, bool now)
{
    int32_t i = 0;
    while (i < *count &&
           (strcmp(rows[i].name, op->name) != 0 || strcmp(rows[i].phase, op->phase) != 0)) {
        i++;
    }
    if (i == *count) {
        rows[(*count)++] = (nnc_check_op){ op->name, op->phase, (double)NAN, (double)NAN };
    }
    double *sum = now ? &rows[i].now_s : &rows[i].old_s;
    *sum = (isnan(*sum) ? 0 : *sum) + op->repeat * op->time_s;
}

static double change_of(const nnc_check_op *op)
{
    return fabs((isnan(op->now_s) ? 0 : op->now_s) - (isnan(op->old_s) ? 0 : op->old_s));
}

static int by_change(const void *a, const void *b)
{
    const nnc_check_op *left = a, *right = b;
    const double left_change = change_of(left), right_change = change_of(right);
    if (left_change != right_change) {
        return left_change > right_change ? -1 : 1;
    }
    const int names = strcmp(left->name, right->name);
    return names != 0 ? names : strcmp(left->phase, right->phase);
}

static bool compare_ops(nnc_arena *arena, const nnc_recorded_estimate *old,
                        const nnc_recorded_estimate *now, nnc_check_row *row)
{
    int32_t count = 0;
    if (old->op_count == 0 || now->op_count == 0) {
        return true;
    }
    nnc_check_op *ops =
        nnc_arena_array(arena, (size_t)old->op_count + (size_t)now->op_count, sizeof *ops);
    if (ops == NULL) {
        return false;
    }
    for (int32_t i = 0; i < old->op_count; i++) {
        add_op(ops, &count, &old->ops[i], false);
    }
    for (int32_t i = 0; i < now->op_count; i++) {
        add_op(ops, &count, &now->ops[i], true);
    }
    qsort(ops, (size_t)count, sizeof *ops, by_change);
    while (count > 0 && change_of(&ops[count - 1]) == 0) {
        count--;
    }
    row->ops = ops;
    row->op_count = count;
    return true;
}

/* ---- estimates ---- */

static bool compare(nnc_arena *arena, const nnc_recorded_estimate *old,
                    const nnc_recorded_estimate *now, nnc_check_row *row)
{
    const nnc_figures was = { nnc_packed_list(arena, &old->figures),
                              nnc_packed_count(&old->figures) };
    const nnc_figures is = { nnc_packed_list(arena, &now->figures),
                             nnc_packed_count(&now->figures) };
    const size_t room = (size_t)was.count + (size_t)is.count;
    nnc_change *changes = nnc_arena_array(arena, room + 1, sizeof *changes);
    *row = (nnc_check_row){ .id = now->id, .old = was, .now = is };
    if (changes == NULL || was.list == NULL || is.list == NULL) {
        return false;
    }
    row->changes = changes;
    row->change_count = nnc_figures_compare(was, is, NULL, 0, changes);
    row->state = row->change_count > 0 ? NNC_CHECK_MOVED : NNC_CHECK_SAME;
    return compare_ops(arena, old, now, row);
}

/* One estimate against one other, whatever their names; else by name, in the order of the new. */
static nnc_check_row *compare_all(nnc_arena *arena, const nnc_recorded *old,
                                  const nnc_recorded *now, int32_t *count)
{
    const bool single = old->estimate_count == 1 && now->estimate_count == 1;
    const size_t room = (size_t)old->estimate_count + (size_t)now->estimate_count;
    nnc_check_row *rows = nnc_arena_array(arena, room + 1, sizeof *rows);
    *count = 0;
    for (int32_t i = 0; rows != NULL && i < now->estimate_count; i++) {
        const nnc_recorded_estimate *is = &now->estimates[i];
        const nnc_recorded_estimate *was = single ? &old->estimates[0] : find(old, is->id);
        nnc_check_row *row = &rows[(*count)++];
        if (was == NULL) {
            *row = (nnc_check_row){ .id = is->id, .state = NNC_CHECK_ADDED };
        } else if (!compare(arena, was, is, row)) {
            return NULL;
        }
    }
    for (int32_t i = 0; rows != NULL && !single && i < old->estimate_count; i++) {
        if (find(now, old->estimates[i].id) == NULL) {
            rows[(*count)++] =
                (nnc_check_row){ .id = old->estimates[i].id, .state = NNC_CHECK_REMOVED };
        }
    }
    return rows;
}

nnc_status nnc_diff_make(nnc_arena *arena, const char *old_path, const char *now_path,
                         nnc_check_report *report, nnc_error *err)
{
    nnc_recorded old, now;
    NNC_TRY(nnc_recorded_read(arena, old_path, &old, err));
    NNC_TRY(nnc_recorded_read(arena, now_path, &now, err));
    *report = (nnc_check_report){
        .path = old_path, .other = now_path, .tool = now.tool, .old_tool = old.tool
    };
    report->rows = compare_all(arena, &old, &now, &report->row_count);
    return report->rows != NULL ? nnc_check_list_changes(arena, report, err) : nnc_no_memory(err);
}
