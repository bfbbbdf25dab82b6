/* Compares the best plans of a search and its Pareto front with the result of comparing all pairs of plans. Only a few
 * different times and sizes of plans occur, so many plans are equal in time, memory or both. */
#include "draw.h"
#include "search/search_internal.h"
#include "suite.h"

enum { PLANS = 40, BEST = 5 };

static nnc_found plans[2 * NNC_PARETO_MAX];
static nnc_front front, other, before;

static bool smaller(const double a[3], const double b[3]) {
    int i = 0;
    while (i < 2 && a[i] == b[i]) { i++; }
    return a[i] < b[i];
}

/* Orders plans by the objective (time or memory), then by memory or time, the quantity that is not the objective, then
 * by the index. */
static bool is_better(nnc_objective objective, const nnc_found *a, const nnc_found *b) {
    const bool memory = objective == NNC_OBJECTIVE_MEMORY;
    const double bytes[] = { (double)a->memory_bytes, (double)b->memory_bytes };
    const double x[] = { memory ? bytes[0] : a->step_s, memory ? a->step_s : bytes[0], (double)a->index };
    const double y[] = { memory ? bytes[1] : b->step_s, memory ? b->step_s : bytes[1], (double)b->index };
    return smaller(x, y);
}

static bool dominates(const nnc_found *a, const nnc_found *b) {
    return a->step_s <= b->step_s && a->memory_bytes <= b->memory_bytes &&
           (a->step_s < b->step_s || a->memory_bytes < b->memory_bytes || a->index < b->index);
}

/* A plan has the place n in this order if n plans are better. A plan is one of the best plans if fewer than BEST plans
 * are better. */
static void check_front(nnc_objective objective, int count) {
    int32_t on_front = 0;
    for (int i = 0; i < count; i++) {
        int32_t place = 0, faster = 0;
        bool beaten = false;
        for (int k = 0; k < count; k++) {
            bool also = false;
            place += is_better(objective, &plans[k], &plans[i]);
            beaten = beaten || dominates(&plans[k], &plans[i]);
            for (int j = 0; j < count; j++) { also = also || dominates(&plans[j], &plans[k]); }
            faster += !also && plans[k].step_s < plans[i].step_s;
        }
        ck_assert(place >= BEST || front.best[place].index == plans[i].index);
        ck_assert(beaten || front.pareto[faster].index == plans[i].index);
        on_front += !beaten;
    }
    ck_assert_int_eq(front.best_count, count < BEST ? count : BEST);
    ck_assert_int_eq(front.pareto_count, on_front);
    ck_assert(!front.truncated);
}

static bool same_front(const nnc_front *a, const nnc_front *b) {
    bool same = a->best_count == b->best_count && a->pareto_count == b->pareto_count;
    for (int i = 0; same && i < a->best_count; i++) { same = a->best[i].index == b->best[i].index; }
    for (int i = 0; same && i < a->pareto_count; i++) { same = a->pareto[i].index == b->pareto[i].index; }
    return same;
}

static void draw_plans(int count) {
    for (int i = 0; i < count; i++) {
        plans[i].index = (uint64_t)i;
        plans[i].step_s = (double)between(1, 12);
        plans[i].memory_bytes = between(1, 12);
    }
    for (int i = count - 1; i > 0; i--) { /* any order */
        const nnc_found held = plans[i];
        const int64_t k = between(0, i);
        plans[i] = plans[k];
        plans[k] = held;
    }
}

/* A plan is added if it changes the front. A plan is pruned only if neither the plan nor any plan with at least its
 * time and memory can change the front. */
START_TEST(fronts_hold_the_best) {
    for (int number = 0; number < 150; number++) {
        seed(number);
        const nnc_objective objective = coin() ? NNC_OBJECTIVE_MEMORY : NNC_OBJECTIVE_TIME;
        const int count = (int)between(1, PLANS);
        draw_plans(count);
        nnc_front_clear(&front);
        for (int i = 0; i < count; i++) {
            const nnc_found *one = &plans[i];
            const bool taken = nnc_front_takes(&front, objective, BEST, one->index, one->step_s, one->memory_bytes);
            const bool pruned = nnc_front_beats(&front, objective, BEST, one->step_s, one->memory_bytes);
            /* finds the slowest plan of the front that is not slower than plan `one`; `below` is true if this plan of
             * the front is faster than `one` and needs no more memory */
            bool below = false;
            for (int k = 0; k < front.pareto_count; k++) {
                below = front.pareto[k].step_s <= one->step_s
                            ? front.pareto[k].step_s < one->step_s && front.pareto[k].memory_bytes <= one->memory_bytes
                            : below;
            }
            const nnc_found first = { .step_s = one->step_s, .memory_bytes = one->memory_bytes };
            ck_assert(pruned ==
                      (front.best_count == BEST && below && !is_better(objective, &first, &front.best[BEST - 1])));
            ck_assert(!pruned || !taken);
            nnc_front_copy(&before, &front);
            nnc_front_add(&front, objective, BEST, one);
            ck_assert(taken == !same_front(&before, &front));
            check_front(objective, i + 1);
        }
    }
}
END_TEST

/* The plans are divided over several fronts. The merged fronts must be equal to the front of all plans. */
START_TEST(merged_fronts_are_one) {
    for (int number = 0; number < 150; number++) {
        seed(number);
        const nnc_objective objective = coin() ? NNC_OBJECTIVE_MEMORY : NNC_OBJECTIVE_TIME;
        const int count = (int)between(1, PLANS);
        nnc_found *fastest = NULL;
        draw_plans(count);
        nnc_front_clear(&front);
        for (int i = 0; i < count;) {
            nnc_front_clear(&other);
            for (const int end = i + (int)between(1, 10); i < end && i < count; i++) {
                nnc_front_add(&other, objective, BEST, &plans[i]);
                if (coin()) {
                    nnc_front_miss(&other, &plans[i]);
                    fastest =
                        fastest == NULL || is_better(NNC_OBJECTIVE_TIME, &plans[i], fastest) ? &plans[i] : fastest;
                }
            }
            nnc_front_merge(&front, objective, BEST, &other);
        }
        check_front(objective, count);
        ck_assert(front.any_missed == (fastest != NULL));
        ck_assert(fastest == NULL || front.missed.index == fastest->index);
    }
}
END_TEST

/* The test adds one plan more than a front can store. The front leaves out the plan with the least memory and marks
 * itself as truncated. A front that is merged with a truncated front, or copied from a truncated front, is also marked
 * as truncated. */
START_TEST(full_fronts_say_so) {
    for (int more = 0; more < 2; more++) {
        const int count = NNC_PARETO_MAX + more;
        seed(more);
        draw_plans(count);
        nnc_front_clear(&front);
        for (int i = 0; i < count; i++) {
            plans[i].step_s = (double)plans[i].index;
            plans[i].memory_bytes = count - (int64_t)plans[i].index;
            nnc_front_add(&front, NNC_OBJECTIVE_TIME, BEST, &plans[i]);
        }
        ck_assert_int_eq(front.pareto_count, NNC_PARETO_MAX);
        for (int i = 0; i < NNC_PARETO_MAX; i++) { ck_assert_int_eq((int)front.pareto[i].index, i); }
        ck_assert(front.truncated == (more > 0));
        nnc_front_clear(&other);
        ck_assert(!other.truncated);
        nnc_front_merge(&front, NNC_OBJECTIVE_TIME, BEST, &other);
        ck_assert(front.truncated == (more > 0));
        nnc_front_merge(&other, NNC_OBJECTIVE_TIME, BEST, &front);
        ck_assert(other.truncated == (more > 0));
        nnc_front_copy(&other, &front);
        ck_assert(other.truncated == (more > 0));
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { fronts_hold_the_best, merged_fronts_are_one, full_fronts_say_so };
    return run_tests_with("front", NULL, NULL, tests, COUNT_OF(tests));
}
