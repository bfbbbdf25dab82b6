/* Tests how the communication of gradients and gathered weights overlaps with compute, in every family of models.
 * Gradients are sent in buckets of a given number of bytes. ZeRO 3 gathers units, which are blocks of layers. */
#include "draw.h"
#include "estimate/estimate_internal.h"
#include "suite.h"

static nnc_result sd1_on_a100(int32_t devices, int32_t zero) {
    const nnc_model *sd1 = NULL;
    const nnc_device *a100 = NULL;
    const nnc_software *compiled = NULL;
    nnc_plan plan = nnc_plan_default();
    plan.devices = devices;
    plan.micro_batch = 4;
    plan.zero = zero;
    ck_assert_int_eq(nnc_model_load(specs, "sd1-unet", &sd1, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-compile", &compiled, NULL), NNC_OK);
    return estimate_with(sd1, a100, compiled, &plan);
}

/* 1.7 GB of gradients are sent in 66 buckets of 25 MiB. Only the last bucket has no compute to overlap with. */
START_TEST(a_unet_hides_its_gradients) {
    const nnc_result r = sd1_on_a100(8, 0); /* over NVLink */
    const double all_s = r.communication_s[NNC_COMM_DATA], exposed_s = r.exposed_s[NNC_COMM_DATA];
    ck_assert_double_gt(exposed_s, 0.0);
    ck_assert_double_lt(exposed_s, 0.1 * all_s);
    near(exposed_s / all_s, 26214400.0 / (2.0 * (double)r.params), 1e-9);
}
END_TEST

/* With ZeRO 3 the U-Net gathers its weights block by block. The gather of the first block is exposed. At any time, the
 * device holds the gathered weights of two blocks, not of the whole network. */
START_TEST(a_unet_is_gathered_by_blocks) {
    const nnc_result whole = sd1_on_a100(64, 2), sharded = sd1_on_a100(64, 3);
    ck_assert_double_gt(sharded.exposed_s[NNC_COMM_DATA], 0.0);
    ck_assert_double_lt(sharded.exposed_s[NNC_COMM_DATA], 0.2 * sharded.communication_s[NNC_COMM_DATA]);
    ck_assert_int_lt(sharded.memory.total_bytes, whole.memory.total_bytes);
    ck_assert_int_lt(sharded.memory.transient_bytes, 2 * sharded.params);
}
END_TEST

/* The word table of GPT-2 has 31 % of the gradients. The gradients of the word table are reduced last, when no compute
 * is left to overlap with. */
START_TEST(a_table_is_not_cut) {
    const nnc_model *gpt2 = NULL;
    const nnc_device *h100 = NULL;
    const nnc_software software = nnc_software_default();
    nnc_plan plan = nnc_plan_default();
    plan.devices = 8;
    plan.micro_batch = 16;
    ck_assert_int_eq(nnc_model_load(specs, "gpt2", &gpt2, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    const nnc_result r = estimate_with(gpt2, h100, &software, &plan);
    const double table =
        (double)(gpt2->decoder.vocab + gpt2->decoder.seq_len) * (double)gpt2->decoder.hidden / (double)r.params;
    near(r.exposed_s[NNC_COMM_DATA] / r.communication_s[NNC_COMM_DATA], table, 1e-9);
}
END_TEST

/* Tensor ranks communicate over NVLink while gradients cross the network. The communication of tensor ranks and that of
 * gradients use different links, so full overlap is never slower than partial overlap. */
START_TEST(fabrics_do_not_share_a_window) {
    const nnc_model *llama = NULL;
    const nnc_device *h100 = NULL;
    const nnc_software *eager = NULL;
    nnc_plan plan = nnc_plan_default();
    plan.tensor = 8;
    plan.data = 8;
    plan.zero = 2;
    plan.seq_len = 2048;
    plan.sequence_parallel = true;
    plan.optimizer = NNC_OPTIMIZER_ADAM8BIT;
    plan.recompute = NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION;
    ck_assert_int_eq(nnc_model_load(specs, "llama3-8b", &llama, NULL), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "h100", &h100, NULL), NNC_OK);
    ck_assert_int_eq(nnc_software_load(specs, "torch-eager", &eager, NULL), NNC_OK);
    const nnc_result usual = estimate_with(llama, h100, eager, &plan);
    plan.overlap = 1.0;
    const nnc_result hidden = estimate_with(llama, h100, eager, &plan);
    ck_assert_double_le(hidden.step_s, usual.step_s);
}
END_TEST

/* ---- rows by hand ---- */

/* The links that a lane occupies, as one bit per link. Communication on two lanes competes if the lanes have a link in
 * common. */
static const unsigned links_of[NNC_LANES] = {
    [NNC_LANE_SCALE_UP] = 1, [NNC_LANE_SCALE_OUT] = 2, [NNC_LANE_HOST] = 4, [NNC_LANE_BOTH] = 1 | 2
};

/* Times of one segment in one part of a pass, such as backward. */
typedef struct pass_part {
    double compute_s, attention_s, issue_s, weight_s;
    /* ring_s: time to send the blocks of ring attention, which overlaps with attention */
    double all_s[NNC_COMM_COUNT], ring_s;
    unsigned links[NNC_COMM_COUNT];
    double exposed_s[NNC_COMM_COUNT]; /* without the ring */
    double hidden_s[NNC_COMM_COUNT], ring_exposed_s;
} pass_part;

/* docs/formulas.md#overlap: compute of C seconds and communication of N seconds take t = C + N - share min(C, N). The
 * formula is applied to each kind of communication, in a fixed order. C is the compute time that is left for a kind of
 * communication. Kinds of communication that were added earlier on the same links make C shorter by the time that
 * overlaps with them. Kinds of communication that were added earlier on other links make C longer by their exposed
 * time. If the weights are gathered in n units, the gather of the first unit is exposed. The blocks of ring attention
 * come first: they overlap with a share of the attention. */
static void expose(pass_part *p, const nnc_overlap *overlap, nnc_part part, double units) {
    const double ring_hidden_s =
        overlap->share[NNC_COMM_CONTEXT] * fmin(p->ring_s, p->attention_s * overlap->ring_share);
    p->ring_exposed_s = p->ring_s - ring_hidden_s;
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        const bool backward_tensor = k == NNC_COMM_TENSOR && part == NNC_PART_BACKWARD;
        const double share = k == NNC_COMM_CONTEXT ? overlap->context_ahead
                             : backward_tensor     ? overlap->tensor_backward
                                                   : overlap->share[k];
        const double first_s = k == NNC_COMM_DATA && units > 1.0 ? p->all_s[k] / units : 0.0;
        const bool meets_ring = (p->links[k] & p->links[NNC_COMM_CONTEXT]) != 0;
        double left_s = p->compute_s + (meets_ring ? -ring_hidden_s : p->ring_exposed_s);
        for (int before = 0; before < k; before++) {
            left_s += (p->links[k] & p->links[before]) != 0 ? -p->hidden_s[before] : p->exposed_s[before];
        }
        p->hidden_s[k] = share * fmin(p->all_s[k] - first_s, fmax(left_s, 0.0));
        p->exposed_s[k] = p->all_s[k] - p->hidden_s[k];
    }
}

typedef struct drawn_rows {
    nnc_rows rows;
    nnc_op_list list;
    nnc_network network;
    nnc_overlap overlap;
    nnc_launch launch;
    pass_part parts[NNC_SEGMENTS_MAX][NNC_PASS_PARTS];
} drawn_rows;

static void add_row(drawn_rows *d, nnc_op op, double time_s) {
    op.segment = (int32_t)d->list.segment_count - 1;
    nnc_op *kept = &d->rows.ops[d->rows.count];
    nnc_op_cost *row = &d->rows.rows[d->rows.count++];
    *kept = op;
    *row = (nnc_op_cost){ .op = kept, .repeat = (double)between(1, 4), .time_s = time_s };
    pass_part *p = &d->parts[op.segment][nnc_part_of(row)];
    const double all_s = time_s * row->repeat;
    if (op.kind != NNC_OP_COLLECTIVE) {
        p->compute_s += op.phase == NNC_PHASE_GRAD_WEIGHT && d->overlap.weight_apart ? 0.0 : all_s;
        p->attention_s += op.kind == NNC_OP_FLASH ? all_s : 0.0;
        p->weight_s += op.phase == NNC_PHASE_GRAD_WEIGHT ? all_s : 0.0;
    } else {
        row->network_s = time_s;
        *(op.u.collective.hides ? &p->ring_s : &p->all_s[op.u.collective.comm]) += all_s;
        const nnc_lane lane = nnc_lane_of(&d->network, &op.u.collective);
        p->links[op.u.collective.comm] |= time_s > 0.0 ? links_of[lane] : 0;
    }
    const double products = op.kind == NNC_OP_MATMUL ? (double)op.u.matmul.experts : 0.0;
    p->issue_s += row->repeat * (d->launch.op_s + (products > 1 ? products : 0) * d->launch.product_s);
}

static void draw_part(drawn_rows *d, nnc_phase phase) {
    const nnc_op product = { .kind = NNC_OP_MATMUL, .phase = phase, .u.matmul.experts = between(0, 2) };
    const nnc_op attention = { .kind = NNC_OP_FLASH, .phase = phase };
    add_row(d, product, scaled(0.1, 10.0));
    if (phase != NNC_PHASE_GRAD_WEIGHT && coin()) { add_row(d, attention, scaled(0.1, 10.0)); }
    for (int k = 0; k < NNC_COMM_COUNT && phase != NNC_PHASE_GRAD_WEIGHT; k++) {
        for (uint64_t count = draw(3); count > 0; count--) {
            nnc_op exchange = { .kind = NNC_OP_COLLECTIVE, .phase = phase };
            exchange.u.collective.comm = (nnc_comm)k;
            exchange.u.collective.hides = k == NNC_COMM_CONTEXT && coin();
            exchange.u.collective.route = k == NNC_COMM_DATA ? NNC_ROUTE_SHARD + (int32_t)draw(2) : 0;
            add_row(d, exchange, scaled(0.1, 10.0));
        }
    }
}

static void draw_rows(drawn_rows *d, int number) {
    seed(number);
    memset(d, 0, sizeof *d);
    for (int k = 0; k < NNC_COMM_COUNT; k++) { d->overlap.share[k] = (double)draw(5) / 4.0; }
    d->overlap.tensor_backward = (double)draw(5) / 4.0;
    d->overlap.context_ahead = (double)draw(3) / 2.0;
    d->overlap.ring_share = 0.5 + 0.5 * (double)draw(2);
    d->overlap.weight_apart = coin();
    d->launch.op_s = coin() ? 0.0 : scaled(0.1, 10.0);
    d->launch.product_s = coin() ? 0.0 : scaled(0.1, 10.0);
    for (int r = 0; r < NNC_ROUTE_COUNT; r++) {
        d->network.routes[r].inner = power(1);
        d->network.routes[r].outer = power(1);
    }
    while (d->list.segment_count < 3) {
        nnc_segment *segment = &d->list.segments[d->list.segment_count];
        segment->instances = between(1, 3);
        if (coin()) { /* blocks as in a U-Net */
            d->list.blocks[d->list.block_count++] =
                (nnc_block){ .repeat = segment->instances * between(1, 3), .segment = d->list.segment_count };
        }
        d->list.segment_count++;
        draw_part(d, NNC_PHASE_FORWARD);
        draw_part(d, NNC_PHASE_BACKWARD);
        draw_part(d, NNC_PHASE_GRAD_WEIGHT);
        draw_part(d, NNC_PHASE_RECOMPUTE);
    }
}

static double units_of(const drawn_rows *d, int32_t segment) {
    for (int32_t i = 0; i < d->list.block_count; i++) {
        if (d->list.blocks[i].segment == segment) { return (double)d->list.blocks[i].repeat; }
    }
    return (double)d->list.segments[segment].instances;
}

/* Draws rows of every kind of communication on every lane. The exposed time of each row is equal to the result of the
 * formula. */
START_TEST(rows_are_exposed_by_the_formula) {
    drawn_rows *d = malloc(sizeof *d);
    ck_assert_ptr_nonnull(d);
    for (int number = 0; number < 300; number++) {
        draw_rows(d, number);
        for (int32_t s = 0; s < d->list.segment_count; s++) {
            for (int part = 0; part < NNC_PASS_PARTS; part++) {
                expose(&d->parts[s][part], &d->overlap, (nnc_part)part, units_of(d, s));
            }
        }
        nnc_rows_overlap(&d->rows, &d->list, &d->network, &d->overlap, NULL);
        for (int32_t i = 0; i < d->rows.count; i++) {
            const nnc_op_cost *row = &d->rows.rows[i];
            const pass_part *p = &d->parts[row->op->segment][nnc_part_of(row)];
            if (row->op->kind == NNC_OP_COLLECTIVE) {
                const nnc_collective_op *e = &row->op->u.collective;
                const double share =
                    e->hides ? p->ring_exposed_s / p->ring_s : p->exposed_s[e->comm] / p->all_s[e->comm];
                ck_assert_double_eq_tol(row->time_s, row->network_s * share, 1e-9);
            }
        }
    }
    free(d);
}
END_TEST

/* The times of the rows of a segment add up to the time of one instance of the segment. With d seconds of the device
 * and i seconds of the host to issue the kernels, the time is (d^4 + i^4)^(1/4) (docs/formulas.md#launch). A lane is
 * free while the device runs anything that does not use the links of the lane. */
START_TEST(rows_add_up_to_segments) {
    static nnc_segment_time units[NNC_SEGMENTS_MAX];
    drawn_rows *d = malloc(sizeof *d);
    ck_assert_ptr_nonnull(d);
    for (int number = 0; number < 300; number++) {
        draw_rows(d, number);
        nnc_rows_overlap(&d->rows, &d->list, &d->network, &d->overlap, NULL);
        nnc_segment_times_sum(&d->rows, &d->list, &d->network, &d->launch, units, NULL);
        for (int32_t s = 0; s < d->list.segment_count; s++) {
            const double instances = (double)d->list.segments[s].instances;
            double weight_s = 0.0;
            for (int part = 0; part < NNC_PASS_PARTS; part++) {
                double device_s = 0.0, free_s[NNC_LANES] = { 0 };
                for (int32_t i = 0; i < d->rows.count; i++) {
                    const nnc_op_cost *row = &d->rows.rows[i];
                    if (row->op->segment != s || (int)nnc_part_of(row) != part) { continue; }
                    device_s += row->time_s * row->repeat / instances;
                    const bool exchange = row->op->kind == NNC_OP_COLLECTIVE;
                    const unsigned links = exchange ? links_of[nnc_lane_of(&d->network, &row->op->u.collective)] : 0;
                    for (int f = 0; f < NNC_LANES; f++) {
                        const double busy_s = (links & links_of[f]) != 0 ? row->network_s : 0.0;
                        free_s[f] += (row->time_s - busy_s) * row->repeat / instances;
                    }
                }
                const double issue_s = d->parts[s][part].issue_s / instances;
                const double whole_s = pow(pow(device_s, 4.0) + pow(issue_s, 4.0), 0.25);
                const double found_s = part == NNC_PART_FORWARD    ? units[s].forward_s
                                       : part == NNC_PART_BACKWARD ? units[s].backward_s
                                                                   : units[s].recompute_s;
                near(found_s, whole_s, 1e-9);
                ck_assert_double_eq_tol(units[s].host_s[part], whole_s - device_s, 1e-9 * whole_s);
                for (int f = 0; f < NNC_LANES; f++) {
                    ck_assert_double_eq_tol(units[s].free_s[part][f], free_s[f], 1e-9 * whole_s);
                }
                weight_s += d->parts[s][part].weight_s / instances;
            }
            near(units[s].weight_s, weight_s, 1e-9);
        }
    }
    free(d);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        a_unet_hides_its_gradients,    a_unet_is_gathered_by_blocks,    a_table_is_not_cut,
        fabrics_do_not_share_a_window, rows_are_exposed_by_the_formula, rows_add_up_to_segments,
    };
    return run_tests_with("beside_data", open_support, close_support, tests, COUNT_OF(tests));
}
