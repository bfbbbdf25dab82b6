/* Tests how layers are divided over pipeline stages (the partition). */
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "memo/memo_internal.h"

/* Stores the number of layers of each virtual stage in `held`. The op list contains a word table, `layers` equal
 * layers, and a head. */
static void deal_of(const nnc_plan *plan, int64_t layers, int64_t *held) {
    static nnc_op_list list;
    static nnc_stage_partition partition;
    list.segment_count = 3;
    list.segments[0] = list.segments[2] = (nnc_segment){ .instances = 1, .layer = false };
    list.segments[1] = (nnc_segment){ .instances = layers, .layer = true };
    nnc_partition_layers(&list, plan, &partition);
    for (int32_t v = 0; v < partition.virtual_stages; v++) { held[v] = partition.shares[v].instances[1]; }
    ck_assert_int_eq(partition.shares[0].instances[0], 1);
    ck_assert_int_eq(partition.shares[partition.virtual_stages - 1].instances[2], 1);
}

/* Source: Llama 3.1 405B, arXiv:2407.21783, section 3.3.2. The first stage has the word table, the last stage has the
 * head, and each of these two stages has one layer less than a middle stage. The cases are: 6 layers, a word table and
 * a head over 4 virtual stages; 10 layers as 1, 3, 3 and 3 layers per stage; two chunks of layers on each of three
 * stages. */
START_TEST(uneven_stages) {
    nnc_plan plan = nnc_plan_default();
    int64_t held[6] = { 0 };
    nnc_error err = { 0 };
    plan.schedule = NNC_SCHEDULE_1F1B;
    plan.pipeline = 4;
    plan.ends_as_layers = true;
    deal_of(&plan, 6, held);
    ck_assert(held[0] == 1 && held[1] == 2 && held[2] == 2 && held[3] == 1);
    deal_of(&plan, 2, held); /* stage 0 holds only the word table, and stage 3 holds only the head */
    ck_assert(held[0] == 0 && held[1] == 1 && held[2] == 1 && held[3] == 0);
    ck_assert_int_eq(nnc_schedule_resolve(&plan, 2, &err), NNC_OK);
    ck_assert_int_eq(nnc_schedule_resolve(&plan, 1, &err), NNC_ILLEGAL_PLAN);
    plan.ends_as_layers = false;
    ck_assert_int_eq(nnc_schedule_resolve(&plan, 2, &err), NNC_ILLEGAL_PLAN);
    plan.first_stage_layers = 1;
    deal_of(&plan, 10, held);
    ck_assert(held[0] == 1 && held[1] == 3 && held[2] == 3 && held[3] == 3);
    plan.last_stage_layers = 10; /* nothing left */
    ck_assert_int_eq(nnc_schedule_resolve(&plan, 10, &err), NNC_ILLEGAL_PLAN);
    plan.schedule = NNC_SCHEDULE_INTERLEAVED;
    plan.pipeline = 3;
    plan.virtual_stages = 2;
    plan.first_stage_layers = 2;
    plan.last_stage_layers = 3;
    ck_assert_int_eq(nnc_schedule_resolve(&plan, 9, &err), NNC_OK);
    deal_of(&plan, 9, held);
    ck_assert(held[0] == 1 && held[1] == 2 && held[2] == 2);
    ck_assert(held[3] == 1 && held[4] == 2 && held[5] == 1);
}
END_TEST

/* Returns how many of `total` slots are before virtual stage v, if `count` virtual stages share the slots. All slots
 * are assigned in order, and each of the first total % count stages gets one slot more than each later stage. */
static int64_t slots_before(int64_t total, int64_t count, int64_t v) {
    return v * (total / count) + (v < total % count ? v : total % count);
}

/* The numbers of layers of the first and the last stage are given. The test uses all pipelines with few stages, chunks
 * and layers. The chunks of the first stage share its layers evenly, and so do the chunks of the last stage. The chunks
 * of the middle stages share the layers that remain. If layers are left over, earlier chunks get one layer more. */
START_TEST(given_ends_keep_their_layers) {
    for (int i = 0; i < 5 * 3 * 5 * 5; i++) {
        nnc_plan plan = nnc_plan_default();
        const int32_t p = 2 + i % 5, chunks = 1 + i / 5 % 3;
        const int64_t first = i / 15 % 5, last = i / 75;
        const int64_t others = p - (first > 0) - (last > 0);
        plan.schedule = NNC_SCHEDULE_INTERLEAVED;
        plan.pipeline = p;
        plan.virtual_stages = chunks;
        plan.first_stage_layers = (int32_t)first;
        plan.last_stage_layers = (int32_t)last;
        for (int64_t rest = others > 0 ? others * chunks : 0; rest <= 3 * others * chunks; rest++) {
            int64_t held[6 * 3] = { 0 }, number = 0, sum = 0;
            deal_of(&plan, first + last + rest, held);
            for (int32_t v = 0; v < p * chunks; v++) {
                const int32_t stage = v % p, chunk = v / p;
                int64_t wanted = 0;
                if (stage == 0 && first > 0) {
                    wanted = slots_before(first, chunks, chunk + 1) - slots_before(first, chunks, chunk);
                } else if (stage == p - 1 && last > 0) {
                    wanted = slots_before(last, chunks, chunk + 1) - slots_before(last, chunks, chunk);
                } else {
                    wanted =
                        slots_before(rest, others * chunks, number + 1) - slots_before(rest, others * chunks, number);
                    number++;
                }
                ck_assert_int_eq(held[v], wanted);
                sum += wanted;
            }
            ck_assert_int_eq(sum, first + last + rest);
        }
    }
}
END_TEST

/* An op list has two kinds of layers in sequence. The test divides this list over many numbers of virtual stages. Each
 * layer is assigned once and in order, and equal stages are recognised. */
START_TEST(every_layer_is_dealt_out_once) {
    static nnc_op_list list;
    static nnc_stage_partition partition;
    nnc_plan plan = nnc_plan_default();
    plan.schedule = NNC_SCHEDULE_INTERLEAVED;
    list.segment_count = 4;
    list.segments[0] = list.segments[3] = (nnc_segment){ .instances = 1, .layer = false };
    for (int64_t dense = 1; dense <= 9; dense += 4) {
        for (int64_t all = dense; all <= 40; all++) {
            list.segments[1] = (nnc_segment){ .instances = dense, .layer = true };
            list.segments[2] = (nnc_segment){ .instances = all - dense, .layer = true };
            for (int i = 0; i < 2 * 8 * 5; i++) {
                const int64_t ends = i % 2;
                plan.ends_as_layers = ends > 0;
                plan.pipeline = 1 + i / 2 % 8;
                plan.virtual_stages = 1 + i / 16;
                nnc_partition_layers(&list, &plan, &partition);
                const int32_t count = partition.virtual_stages;
                ck_assert_int_eq(count, plan.pipeline > 1 ? plan.pipeline * plan.virtual_stages : 1);
                for (int32_t v = 0; v < count; v++) {
                    const int64_t *held = partition.shares[v].instances;
                    int64_t from = slots_before(all + 2 * ends, count, v) - ends;
                    int64_t to = slots_before(all + 2 * ends, count, v + 1) - ends;
                    from = from > 0 ? from : 0;
                    to = to < all ? to : all;
                    const int64_t first = (to < dense ? to : dense) - (from < dense ? from : dense);
                    ck_assert_int_eq(held[1], first);
                    ck_assert_int_eq(held[1] + held[2], to > from ? to - from : 0);
                    ck_assert(held[0] == (v == 0) && held[3] == (v == count - 1));
                    ck_assert(!partition.alike[v] ||
                              memcmp(held, partition.shares[v - 1].instances, sizeof partition.shares[v]) == 0);
                }
            }
        }
    }
}
END_TEST

/* Two kinds of layers alternate in random order. Each stage holds the right number of layers of each kind, and stages
 * that are marked as equal are equal. With one kind of layer, every middle stage that is equal to the previous stage is
 * marked as equal. */
START_TEST(alternating_layers_are_dealt_out) {
    static nnc_op_list list;
    static nnc_stage_partition partition;
    nnc_plan plan = nnc_plan_default();
    plan.schedule = NNC_SCHEDULE_1F1B;
    list.segment_count = 2; /* this op list has only layers, no word table and no head */
    for (int number = 0; number < 200; number++) {
        seed(number);
        const int64_t layers = between(8, 40);
        int64_t kinds[2] = { 0 }, next = 0;
        list.mixed_count = number % 2 == 0 ? (int32_t)layers : 0;
        for (int64_t i = 0; i < layers; i++) {
            list.mixed[i] = (uint8_t)(list.mixed_count > 0 ? draw(2) : 0);
            kinds[list.mixed[i]]++;
        }
        list.segments[0] = (nnc_segment){ .instances = kinds[0], .layer = true };
        list.segments[1] = (nnc_segment){ .instances = kinds[1], .layer = true };
        plan.pipeline = (int32_t)between(2, 8);
        nnc_partition_layers(&list, &plan, &partition);
        for (int32_t v = 0; v < plan.pipeline; v++) {
            const int64_t size = slots_before(layers, plan.pipeline, v + 1) - next;
            int64_t held[2] = { 0 };
            for (int64_t i = next; i < next + size; i++) { held[list.mixed[i]]++; }
            next += size;
            ck_assert_int_eq(partition.shares[v].instances[0], held[0]);
            ck_assert_int_eq(partition.shares[v].instances[1], held[1]);
            const bool same =
                v > 0 && memcmp(&partition.shares[v], &partition.shares[v - 1], sizeof partition.shares[v]) == 0;
            ck_assert(!partition.alike[v] || same);
            if (list.mixed_count == 0 && v > 1 && v < plan.pipeline - 1) { ck_assert(partition.alike[v] == same); }
        }
    }
}
END_TEST

/* 12 layers are divided over 2 stages x 3 chunks, 2 layers per chunk. All chunks of a device are equal, except the last
 * chunk, which also has the head. */
START_TEST(equal_chunks_are_even) {
    static nnc_op_list list;
    nnc_step_memory *m = calloc(1, sizeof *m);
    nnc_plan plan = nnc_plan_default();
    ck_assert_ptr_nonnull(m);
    list.segment_count = 2;
    list.segments[0] = (nnc_segment){ .instances = 12, .layer = true };
    list.segments[1] = (nnc_segment){ .instances = 1, .layer = false };
    plan.schedule = NNC_SCHEDULE_INTERLEAVED;
    plan.pipeline = 2;
    plan.virtual_stages = 3;
    plan.micro_batches = 4;
    const nnc_step step = { .plan = &plan, .list = &list };
    nnc_step_partition(&step, m);
    ck_assert(!m->holdings[0].uneven && !m->holdings[0].uneven_layers);
    ck_assert_int_eq(m->holdings[0].odd_chunk, -1);
    ck_assert(m->holdings[1].uneven && !m->holdings[1].uneven_layers);
    ck_assert_int_eq(m->holdings[1].odd_chunk, 2);
    ck_assert(m->holdings[1].odd_more);
    /* the last chunk of device 1 has one layer less than each earlier chunk, and also has the head */
    list.segments[0].instances = 11;
    nnc_step_partition(&step, m);
    ck_assert(m->holdings[1].uneven && m->holdings[1].uneven_layers);
    ck_assert_int_eq(m->holdings[1].odd_chunk, -1);
    free(m);
}
END_TEST

static bool same_deal(const nnc_step_memory *a, const nnc_step_memory *b, int32_t stages) {
    bool same = a->partition.virtual_stages == b->partition.virtual_stages &&
                a->partition.stages == b->partition.stages && a->partition.segments == b->partition.segments;
    for (int32_t v = 0; same && v < a->partition.virtual_stages; v++) {
        same = a->partition.alike[v] == b->partition.alike[v] &&
               memcmp(&a->partition.shares[v], &b->partition.shares[v], sizeof a->partition.shares[v]) == 0;
    }
    for (int32_t d = 0; same && d < stages; d++) {
        const nnc_stage_residency *x = &a->holdings[d], *y = &b->holdings[d];
        same = a->alike[d] == b->alike[d] && nnc_stage_residency_same(x, y) && x->segments == y->segments &&
               x->uneven == y->uneven && x->uneven_layers == y->uneven_layers && !(x->in_flight < y->in_flight) &&
               !(x->in_flight > y->in_flight);
    }
    return same;
}

/* The cache of partitions gives the same partitions as nnc_step_partition, even for pipelines that are too long for the
 * cache. */
START_TEST(a_partition_is_found_again) {
    static nnc_op_list list;
    nnc_scratch *own = nnc_scratch_create();
    nnc_step_memory *first = calloc(1, sizeof *first);
    const nnc_schedule schedules[] = { NNC_SCHEDULE_GPIPE, NNC_SCHEDULE_1F1B, NNC_SCHEDULE_INTERLEAVED,
                                       NNC_SCHEDULE_ZB_V, NNC_SCHEDULE_DUALPIPE };
    ck_assert(first != NULL && own != NULL);
    ck_assert(nnc_scratch_share(own, NULL, NULL, true));
    const nnc_step_memory *second = &own->step;
    seed(0);
    list.segment_count = 3;
    list.segments[0] = list.segments[2] = (nnc_segment){ .instances = 1, .layer = false };
    list.segments[1] = (nnc_segment){ .instances = 96, .layer = true };
    for (int i = 0; i < 20000; i++) {
        nnc_plan plan = nnc_plan_default();
        plan.schedule = schedules[draw(5)];
        plan.pipeline = draw(4) == 0 ? 48 : 2 * (int32_t)(1 + draw(8));
        plan.virtual_stages = plan.schedule == NNC_SCHEDULE_INTERLEAVED ? 1 + (int32_t)draw(6) : 1;
        plan.recompute = draw(2) == 0 ? NNC_RECOMPUTE_FULL : NNC_RECOMPUTE_NORM;
        plan.micro_batches = 2 * plan.pipeline + 2 * (int64_t)draw(9);
        const nnc_step step = { .plan = &plan, .list = &list };
        nnc_step_partition(&step, first);
        nnc_step_partition_recall(own, &step, nnc_list_layers_digest(step.list));
        ck_assert_msg(same_deal(first, second, plan.pipeline), "%d stages, schedule %d", (int)plan.pipeline,
                      (int)plan.schedule);
    }
    free(first);
    nnc_scratch_destroy(own);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        uneven_stages,         every_layer_is_dealt_out_once, alternating_layers_are_dealt_out,
        equal_chunks_are_even, a_partition_is_found_again,    given_ends_keep_their_layers,
    };
    return run_tests("deal", tests, COUNT_OF(tests));
}
