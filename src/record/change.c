/* What differs between two lists of figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/check.h>

#include "base/number.h"
#include "metrics/report.h"

/* Two estimates mostly list the same figures in the same order: the search goes on from the last
 * find. */
static const nnc_figure *find_from(nnc_figures figures, int32_t *next, const char *name)
{
    for (int32_t i = 0; i < figures.count; i++) {
        const int32_t at = (*next + i) % figures.count;
        if (strcmp(figures.list[at].name, name) == 0) {
            *next = at + 1;
            return figures.list + at;
        }
    }
    return NULL;
}

/* A number nobody knows is not there. */
static bool is_known(const nnc_figure *figure)
{
    return figure != NULL && (figure->text != NULL || !isnan(figure->number));
}

/* Do both read the same at 12 significant digits? */
static bool same_number(double a, double b)
{
    char a_text[NNC_NUMBER_TEXT], b_text[NNC_NUMBER_TEXT];
    if (a == b) {
        return true;
    }
    if (fabs(a - b) > 1e-10 * fabs(a)) {
        return false; /* no need to print them */
    }
    return strcmp(nnc_number_text(a, a_text), nnc_number_text(b, b_text)) == 0;
}

static bool same(const nnc_figure *old, const nnc_figure *now)
{
    if (old->text != NULL || now->text != NULL) {
        return old->text != NULL && now->text != NULL && strcmp(old->text, now->text) == 0;
    }
    return same_number(old->number, now->number);
}

static bool is_tolerated(const nnc_figure *old, const nnc_figure *now,
                         const nnc_tolerance *tolerances, int32_t count)
{
    const nnc_tolerance *best = NULL;
    int best_length = -1;
    for (int32_t i = 0; i < count; i++) {
        const int length = nnc_figure_match(tolerances[i].name, old->name);
        if (length > best_length) {
            best = &tolerances[i];
            best_length = length;
        }
    }
    if (best == NULL || old->text != NULL || now->text != NULL) {
        return false;
    }
    return fabs(now->number - old->number) <=
           nnc_max(best->absolute, best->relative * fabs(old->number));
}

static bool is_input(const char *name)
{
    static const char *const inputs[] = { "model.", "device.", "plan." };
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (strncmp(name, inputs[i], strlen(inputs[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* From zero every change is infinitely large. */
static double size_of(const nnc_change *change)
{
    const bool number = change->kind != NNC_CHANGE_GONE && change->kind != NNC_CHANGE_NEW &&
                        change->old->text == NULL && change->now->text == NULL;
    if (!number) {
        return -1;
    }
    return isnan(change->relative) ? HUGE_VAL : fabs(change->relative);
}

static const char *name_of(const nnc_change *change)
{
    return (change->old != NULL ? change->old : change->now)->name;
}

/* What decides comes first: time, memory, money. */
static int rank_of(const nnc_change *change)
{
    static const char *const first[] = { "step.step_s", "latency.tpot_s", "latency.ttft_s",
                                         "memory.total_bytes", "cost." };
    enum { RANKS = sizeof first / sizeof first[0] };
    int rank = change->kind == NNC_CHANGE_MOVED ? 0 : RANKS;
    while (rank < RANKS && strncmp(name_of(change), first[rank], strlen(first[rank])) != 0) {
        rank++;
    }
    return rank;
}

/* A total order, so that the result does not depend on the library's qsort. What a newer version
 * adds says least. */
static int by_size(const void *a, const void *b)
{
    const nnc_change *left = a, *right = b;
    const bool left_new = left->kind == NNC_CHANGE_NEW, right_new = right->kind == NNC_CHANGE_NEW;
    if (left_new != right_new) {
        return right_new ? -1 : 1;
    }
    if (rank_of(left) != rank_of(right)) {
        return rank_of(left) - rank_of(right);
    }
    if (left->input != right->input) {
        return left->input ? -1 : 1;
    }
    if (left->kind != right->kind) {
        return left->kind < right->kind ? -1 : 1;
    }
    const double left_size = size_of(left), right_size = size_of(right);
    if (left_size != right_size) {
        return left_size > right_size ? -1 : 1;
    }
    return strcmp(name_of(left), name_of(right));
}

static nnc_change change_of(const nnc_figure *old, const nnc_figure *now, bool tolerated)
{
    nnc_change change = { .old = old, .now = now, .relative = (double)NAN };
    change.kind = !is_known(now)   ? NNC_CHANGE_GONE
                  : !is_known(old) ? NNC_CHANGE_NEW
                  : tolerated      ? NNC_CHANGE_WITHIN
                                   : NNC_CHANGE_MOVED;
    change.input = is_input(name_of(&change));
    if (change.kind != NNC_CHANGE_GONE && change.kind != NNC_CHANGE_NEW && old->text == NULL &&
        now->text == NULL && old->number != 0) {
        change.relative = (now->number - old->number) / fabs(old->number);
    }
    return change;
}

int32_t nnc_figures_compare(nnc_figures old, nnc_figures now, const nnc_tolerance *tolerances,
                            int32_t tolerance_count, nnc_change *changes)
{
    int32_t count = 0, next = 0;
    if (changes == NULL) {
        return 0;
    }
    for (int32_t i = 0; i < old.count; i++) {
        const nnc_figure *was = &old.list[i], *is = find_from(now, &next, was->name);
        if (!is_known(was) || (is_known(is) && same(was, is))) {
            continue;
        }
        const bool tolerated = is_known(is) && is_tolerated(was, is, tolerances, tolerance_count);
        changes[count++] = change_of(was, is_known(is) ? is : NULL, tolerated);
    }
    next = 0;
    for (int32_t i = 0; i < now.count; i++) {
        const nnc_figure *is = &now.list[i];
        if (is_known(is) && !is_known(find_from(old, &next, is->name))) {
            changes[count++] = change_of(NULL, is, false);
        }
    }
    if (count > 0) {
        qsort(changes, (size_t)count, sizeof *changes, by_size);
    }
    return count;
}

/* By how much a figure moved; 0 when it is not in both. */
static double moved(nnc_figures old, nnc_figures now, const char *name)
{
    int32_t next = 0;
    const nnc_figure *was = find_from(old, &next, name);
    next = 0;
    const nnc_figure *is = find_from(now, &next, name);
    if (!is_known(was) || !is_known(is) || was->text != NULL || is->text != NULL || same(was, is)) {
        return 0;
    }
    return is->number - was->number;
}

/* Is a figure a summand of the total? */
static bool is_part(const char *name, const char *total)
{
    const nnc_metric *metric = nnc_figure_metric(name);
    return metric != NULL && nnc_metric_rare(metric)->part_of != NULL &&
           strcmp(nnc_metric_rare(metric)->part_of, total) == 0;
}

const char *nnc_figures_responsible(nnc_figures old, nnc_figures now, const char *total,
                                    double *moved_by)
{
    if (total == NULL || moved_by == NULL) {
        return NULL;
    }
    const double all = moved(old, now, total), direction = all < 0 ? -1 : 1;
    const char *found = NULL;
    *moved_by = 0;
    for (int32_t i = 0; all != 0 && i < now.count; i++) {
        const char *name = now.list[i].name;
        const double by = is_part(name, total) ? moved(old, now, name) : 0;
        if (by * direction > *moved_by * direction) {
            *moved_by = by;
            found = name;
        }
    }
    return found;
}
