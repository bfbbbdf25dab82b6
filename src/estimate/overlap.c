/* Overlap of communication with compute, and the seconds of one layer of each segment.
 *
 * In each segment and part of a pass, communication overlaps with the compute of the same part. Two lanes (sets of
 * links, see nnc_lane) that share no links can overlap with the same seconds of compute. If two lanes share links, each
 * second of compute overlaps with communication of only one of them. First the transfers of ring attention overlap with
 * the attention; then all other kinds of communication overlap with compute, in the order of nnc_comm. [overlap]
 * [launch] */
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"

nnc_overlap nnc_overlap_of(const nnc_plan *plan, const nnc_software *software) {
    const nnc_overlap own = { .share = { [NNC_COMM_TENSOR] = software->overlap_tensor,
                                         [NNC_COMM_CONTEXT] = software->overlap_context,
                                         [NNC_COMM_EXPERT] = software->overlap_expert,
                                         [NNC_COMM_DATA] = software->overlap_data,
                                         [NNC_COMM_PIPELINE] = software->overlap_pipeline,
                                         [NNC_COMM_OFFLOAD] = software->overlap_offload } };
    nnc_overlap overlap = own;
    overlap.weight_apart = nnc_schedule_splits(plan);
    overlap.tensor_backward =
        isnan(software->overlap_tensor_backward) ? software->overlap_tensor : software->overlap_tensor_backward;
    if (nnc_schedule_dual(plan)) { /* the first forward of each stage runs before any backward, so its communication has
                                    * no backward to overlap with */
        const double alone = (double)plan->pipeline / (double)plan->micro_batches;
        overlap.share[NNC_COMM_EXPERT] *= nnc_max(0.0, 1.0 - alone);
    }
    overlap.context_ahead = 0.0;
    overlap.ring_share = plan->context > 1 ? 1.0 - 1.0 / (double)plan->context : 1.0;
    for (int i = 0; i < NNC_COMM_COUNT && !isnan(plan->overlap); i++) {
        overlap.share[i] = overlap.tensor_backward = overlap.context_ahead = plan->overlap;
    }
    return overlap;
}

/* Seconds of compute in one part of a pass of one segment, and of each kind of communication that could overlap with
 * this compute. */
typedef struct budget {
    double compute_s, attention_s;
    /* number of ZeRO-3 units; the weights of the first unit are gathered before any compute, so this gathering cannot
     * overlap */
    double units;
    bool exchanges;
    nnc_lane lanes[NNC_COMM_COUNT]; /* lane (set of links) that each kind of communication uses */
    /* seconds of each kind of communication / seconds of the compute that it can overlap with. beside_s: quotient for
     * ring transfers, which can overlap only with attention. behind_s: quotient for all other communication, which can
     * overlap with any compute */
    double beside_s[NNC_COMM_COUNT], behind_s[NNC_COMM_COUNT];
} budget;

/* For each kind of communication: share (0 to 1) that does not overlap with compute. First array: share of the ring
 * transfers, which can overlap only with the attention; second array: share of all other communication, which can
 * overlap with any compute. */
typedef struct exposed {
    double beside[NNC_COMM_COUNT], behind[NNC_COMM_COUNT];
} exposed;

static inline void collect(const nnc_op_cost *row, const nnc_network *network, const nnc_overlap *overlap, budget *b) {
    const double time_s = row->time_s * row->repeat;
    if (nnc_op_is_collective(row->op)) {
        const nnc_collective_op *e = &row->op->u.collective;
        const nnc_lane lane = nnc_lane_of(network, e);
        b->exchanges = true;
        const bool first = b->beside_s[e->comm] + b->behind_s[e->comm] <= 0.0;
        b->lanes[e->comm] = first || b->lanes[e->comm] == lane ? lane : NNC_LANE_BOTH;
        *(e->hides ? &b->beside_s[e->comm] : &b->behind_s[e->comm]) += time_s;
    } else if (row->op->phase != NNC_PHASE_GRAD_WEIGHT || !overlap->weight_apart) {
        b->compute_s += time_s;
        b->attention_s += nnc_op_row_of(row->op)->hides_ring ? time_s : 0.0;
    }
}

static double share_of(const nnc_overlap *overlap, int comm, nnc_part part) {
    return comm == NNC_COMM_TENSOR && part == NNC_PART_BACKWARD ? overlap->tensor_backward : overlap->share[comm];
}

/* Overlaps exchange_s seconds of communication with *left_s seconds of compute. The overlap is `share` x the shorter of
 * the two times, and is subtracted from *left_s. Returns the fraction of the communication that stays exposed. */
NNC_SAYING double hide(double exchange_s, double share, double *left_s, nnc_derivation *why) {
    NNC_LET(why, overlap, NULL, share);
    NNC_LET(why, window_s, "s", *left_s);
    NNC_PUT(why, exchange_s, "s");
    NNC_SAY(why, overlapped_s, "s", overlap * nnc_min(exchange_s, window_s));
    NNC_NOTE(why, "time of all collectives of this kind in one pass that compute overlaps; window_s: compute that no "
                  "other traffic on this fabric uses (for data and offload also traffic on other fabrics)");
    *left_s = window_s - overlapped_s;
    double exposed_rest = 1.0;
    if (exchange_s > 0.0) { NNC_SET(why, exposed_rest, NULL, (exchange_s - overlapped_s) / exchange_s); }
    return exposed_rest;
}

/* State of each lane in one segment and part of a pass. left_s: seconds of compute in which no communication on the
 * links of the lane runs yet. exposed_s: seconds in which the device waits for communication of the lane. */
typedef struct windows {
    double left_s[NNC_LANES], exposed_s[NNC_LANES];
} windows;

/* Notes that hidden_s seconds of communication of `lane` overlap with compute, and that exposed_s seconds do not.
 * Subtracts hidden_s from left_s of `lane` and of all lanes that share links with `lane`. Adds exposed_s to
 * w->exposed_s of `lane`. */
static void use(windows *w, nnc_lane lane, double hidden_s, double exposed_s) {
    for (int f = 0; f < NNC_LANES && hidden_s > 0.0; f++) {
        w->left_s[f] -= nnc_lanes_meet((nnc_lane)f, lane) ? hidden_s : 0.0;
    }
    w->exposed_s[lane] += exposed_s;
}

/* Returns the exposed seconds of all lanes that share no links with `lane`. During the exposed seconds of other lanes
 * the device waits, and communication of `lane` can run on its own links. */
static double beside_waits_s(const windows *w, nnc_lane lane) {
    double waits_s = 0.0;
    for (int f = 0; f < NNC_LANES; f++) { waits_s += nnc_lanes_meet((nnc_lane)f, lane) ? 0.0 : w->exposed_s[f]; }
    return waits_s;
}

/* Computes the exposed share of each kind of communication in one part of a pass of one segment. asked: collective
 * whose formulas are recorded in `why`; NULL = no formulas are recorded. */
NNC_SAYING void settle(const budget *b, const nnc_overlap *overlap, nnc_part part, const nnc_collective_op *asked,
                       exposed *shares, nnc_derivation *why) {
    windows w = { { 0 }, { 0 } };
    double attention[NNC_LANES];
    for (int f = 0; f < NNC_LANES; f++) {
        attention[f] = b->attention_s * overlap->ring_share;
        w.left_s[f] = b->compute_s;
    }
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        nnc_derivation *const said = asked != NULL && asked->hides && (int)asked->comm == k ? why : NULL;
        if (!(b->beside_s[k] > 0.0) && said == NULL) {
            /* a kind of communication without ring transfers: no row of the op table uses its share in this array */
            shares->beside[k] = 1.0;
            continue;
        }
        const nnc_lane f = b->lanes[k];
        const double before = attention[f];
        const double exposed_rest = hide(b->beside_s[k], share_of(overlap, k, part), &attention[f], said);
        NNC_SAY(said, exposed_share, NULL, exposed_rest);
        shares->beside[k] = exposed_share;
        use(&w, f, before - attention[f], b->beside_s[k] * exposed_share);
    }
    for (int k = 0; k < NNC_COMM_COUNT; k++) {
        nnc_derivation *const said = asked != NULL && !asked->hides && (int)asked->comm == k ? why : NULL;
        if (!(b->behind_s[k] > 0.0) && said == NULL) {
            shares->behind[k] = 1.0;
            continue;
        }
        const nnc_lane f = b->lanes[k];
        const bool prefetched = k == NNC_COMM_DATA && b->units > 1.0;
        NNC_LET(said, all_s, "s", b->behind_s[k]);
        NNC_LET(said, units, NULL, b->units);
        double first_s = 0.0;
        if (prefetched) {
            NNC_SET(said, first_s, "s", all_s / units);
            NNC_NOTE(said, "nothing can overlap the all-gather of the first unit");
        }
        const double rest_s = all_s - first_s, waits_s = beside_waits_s(&w, f);
        double left_s = nnc_max(0.0, w.left_s[f] + waits_s);
        const double share = k == NNC_COMM_CONTEXT ? overlap->context_ahead : share_of(overlap, k, part);
        const double exposed_rest = hide(rest_s, share, &left_s, said);
        shares->behind[k] = 1.0;
        if (all_s > 0.0) {
            NNC_PUT(said, rest_s, "s");
            NNC_PUT(said, first_s, "s");
            NNC_PUT(said, exposed_rest, NULL);
            NNC_SAY(said, exposed_share, NULL, (first_s + rest_s * exposed_rest) / all_s);
            shares->behind[k] = exposed_share;
        }
        use(&w, f, all_s * (1.0 - shares->behind[k]), all_s * shares->behind[k]);
    }
}

/* Records in `why` the formulas of the exposed time of a collective. index: row of the collective in the op table. */
static void say_hidden(const budget *b, const nnc_overlap *overlap, const nnc_op_cost *row, int32_t index,
                       nnc_derivation *why) {
    exposed shares;
    const nnc_collective_op *e = &row->op->u.collective;
    nnc_say_of_row(why, index);
    settle(b, overlap, nnc_part_of(row), e, &shares, why);
    const double exposed_share = e->hides ? shares.beside[e->comm] : shares.behind[e->comm];
    NNC_PUT(why, exposed_share, NULL);
    NNC_PUT(why, row->network_s, "s");
    NNC_SAY(why, time_s, "s", row->network_s * exposed_share);
    NNC_NOTE(why, "exposed communication; the overlap is set by --overlap or the software profile");
    (void)time_s;
    nnc_say_of_step(why);
}

static bool any_collective(const nnc_rows *rows) {
    for (int32_t i = 0; i < rows->count; i++) {
        if (nnc_op_is_collective(rows->rows[i].op)) { return true; }
    }
    return false;
}

NNC_SAYING void hide_rows(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                          const nnc_overlap *overlap, nnc_derivation *why) {
    budget budgets[NNC_SEGMENTS_MAX][NNC_PASS_PARTS];
    /* exposed shares of each segment and part of a pass; not set for a part without communication */
    exposed shares[NNC_SEGMENTS_MAX][NNC_PASS_PARTS];
    if (!any_collective(rows)) { return; }
    memset(budgets, 0, sizeof budgets[0] * (size_t)list->segment_count);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        collect(row, network, overlap, &budgets[row->op->segment][nnc_part_of(row)]);
    }
    for (int32_t s = 0; s < list->segment_count; s++) {
        for (int p = 0; p < NNC_PASS_PARTS; p++) {
            if (!budgets[s][p].exchanges) { continue; }
            budgets[s][p].units = (double)list->segments[s].instances * nnc_list_units(list, s);
            settle(&budgets[s][p], overlap, (nnc_part)p, NULL, &shares[s][p], NULL);
        }
    }
    for (int32_t i = 0; i < rows->count; i++) {
        nnc_op_cost *row = &rows->rows[i];
        if (nnc_op_is_collective(row->op)) {
            const nnc_collective_op *e = &row->op->u.collective;
            const nnc_part part = nnc_part_of(row);
            const exposed *x = &shares[row->op->segment][part];
            row->time_s *= e->hides ? x->beside[e->comm] : x->behind[e->comm];
            NNC_WHEN(why, say_hidden(&budgets[row->op->segment][part], overlap, row, i, why));
        }
    }
}

void nnc_rows_overlap(nnc_rows *rows, const nnc_op_list *list, const nnc_network *network, const nnc_overlap *overlap,
                      nnc_derivation *why) {
    if (why != NULL) {
        hide_rows(rows, list, network, overlap, why);
    } else {
        hide_rows(rows, list, network, overlap, NULL);
    }
}

/* Returns the seconds of one part of a pass of one layer. On entry unit->host_s[part] is the time in which the host
 * issues the ops of the part; the function replaces it by the seconds by which the part takes longer because the device
 * waits for the host. name: name of the formula that `why` records. */
NNC_SAYING double part_s(nnc_segment_time *unit, nnc_part part, const char *name, nnc_derivation *why) {
    double device_s = unit->compute_s[part];
    for (int k = 0; k < NNC_COMM_COUNT; k++) { device_s += unit->exposed_s[part][k]; }
    const double issue_s = unit->host_s[part];
    if (issue_s > 0.0) {
        NNC_PUT(why, device_s, "s");
        NNC_PUT(why, issue_s, "s");
        const double larger_s = nnc_max(device_s, issue_s);
        const double ratio = nnc_min(device_s, issue_s) / larger_s;
        NNC_PUT(why, larger_s, "s");
        NNC_PUT(why, ratio, NULL);
        NNC_SET_AS(why, name, unit->host_s[part], "s", larger_s * sqrt(sqrt(1.0 + nnc_pow4(ratio))) - device_s);
        NNC_NOTE(why, "time that the host adds to one instance: (device^4 + issue^4)^(1/4) - device; larger_s: larger "
                      "of device_s and issue_s; ratio: smaller over larger");
    }
    return device_s + unit->host_s[part];
}

/* A collective takes time_s seconds, and occupies its links for network_s of these seconds. Adds to unit->free_s of
 * each lane the seconds in which the links of the lane are free: time_s - network_s for lanes that share links with the
 * collective, time_s for all other lanes. */
static inline void add_free(nnc_segment_time *unit, nnc_part part, double time_s, double network_s, nnc_lane lane) {
    for (int f = 0; f < NNC_LANES; f++) {
        unit->free_s[part][f] += time_s - (nnc_lanes_meet((nnc_lane)f, lane) ? network_s : 0.0);
    }
}

/* ---- two clocks for captured programs: the host issues kernels one by one, the device runs them ---- */

/* A kernel starts when the host has issued it and the kernel before has ended. The host can issue at most QUEUE kernels
 * that the device has not ended yet. For a row of n kernels that the host issues from time h on, the row ends at
 *     end = max(end of the row before + d, h + s + d, h + n s + d / n)
 * d: device time of all n kernels; s: host time to issue one kernel.   [issue] */
enum { QUEUE = 1000, RING = 1024 };

typedef struct clocks {
    double host_s, device_s, kernel_s;
    double issued; /* number of kernels that the host has issued since the clocks started */
    uint32_t first, last;
    /* for each of the last RING rows: upto = number of kernels that were issued up to the end of the row; ended_s =
     * time at which the device ends the row */
    double upto[RING], ended_s[RING];
} clocks;

/* Moves the clock of the host and the clock of the device forward by one row. hooks_s: seconds of the host before it
 * issues the first kernel. Returns the seconds in which the device waits for the host. */
static inline double issue_row(clocks *c, double kernels, double hooks_s, double time_s) {
    const double before_s = c->device_s + time_s;
    c->host_s += hooks_s;
    if (!(kernels > 0.0)) {
        c->device_s = before_s;
        return 0.0;
    }
    c->issued += kernels;
    while (c->first != c->last && (c->upto[c->first % RING] <= c->issued - QUEUE || c->last - c->first == RING - 1)) {
        c->host_s = nnc_max(c->host_s, c->ended_s[c->first++ % RING]);
    }
    const double first_s = c->host_s + c->kernel_s;
    c->host_s += kernels * c->kernel_s;
    c->device_s = nnc_max(before_s, nnc_max(first_s + time_s, c->host_s + time_s / kernels));
    c->upto[c->last % RING] = c->issued;
    c->ended_s[c->last++ % RING] = c->device_s;
    return c->device_s - before_s;
}

/* Moves the clocks of host and device through all layers of segment s, either in forward or in backward. Adds to
 * unit->host_s the seconds per layer, as a mean over the layers, in which the device waits for the host. */
static void issue_segment(clocks *c, const nnc_rows *rows, const nnc_op_list *list, const nnc_launch *launch, int32_t s,
                          bool forward, nnc_segment_time *unit) {
    const double instances = (double)list->segments[s].instances;
    /* begin, end: range of rows that contains all rows of the segment, so that the loop over the layers reads few rows
     * of other segments */
    int32_t begin = forward ? 0 : rows->forward_count, end = forward ? rows->forward_count : rows->count;
    while (begin < end && rows->rows[begin].op->segment != s) { begin++; }
    while (end > begin && rows->rows[end - 1].op->segment != s) { end--; }
    for (int64_t k = 0; k < list->segments[s].instances; k++) {
        for (int32_t i = begin; i < end; i++) {
            const nnc_op_cost *row = &rows->rows[i];
            if (row->op->segment != s) { continue; }
            const double repeat = row->repeat / instances;
            const double hooks_s = launch->gradient_s > 0.0 ? nnc_hooks_of_op_s(launch, row->op) * repeat : 0.0;
            const double waits_s = issue_row(c, nnc_op_issued(row->op).kernels * repeat, hooks_s, row->time_s * repeat);
            if (waits_s > 0.0) { unit->host_s[nnc_part_of(row)] += waits_s / instances; }
        }
    }
}

/* Moves the clocks of host and device through two equal passes. Writes the waiting times of the second pass to host_s,
 * because the first pass is not typical: it starts while no kernel is issued. */
static void issue_pass(const nnc_rows *rows, const nnc_op_list *list, const nnc_launch *launch,
                       nnc_segment_time units[NNC_SEGMENTS_MAX]) {
    clocks c; /* `c` is not initialised as a whole, because its arrays are written before they are read */
    c.host_s = c.device_s = c.issued = 0.0;
    c.kernel_s = launch->kernel_s;
    c.first = c.last = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t s = 0; s < list->segment_count; s++) {
            memset(units[s].host_s, 0, sizeof units[s].host_s);
            issue_segment(&c, rows, list, launch, s, true, &units[s]);
        }
        for (int32_t s = list->segment_count - 1; s >= 0; s--) {
            issue_segment(&c, rows, list, launch, s, false, &units[s]);
        }
    }
    units[0].lead_s = c.device_s - c.host_s;
}

/* Returns the seconds of one part of a pass of one layer: compute, exposed communication, and waiting for the host. */
static double issued_part_s(const nnc_segment_time *unit, nnc_part part) {
    double part_s = unit->compute_s[part] + unit->host_s[part];
    for (int k = 0; k < NNC_COMM_COUNT; k++) { part_s += unit->exposed_s[part][k]; }
    return part_s;
}

NNC_SAYING void sum_units(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                          const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why) {
    memset(units, 0, sizeof units[0] * (size_t)list->segment_count);
    for (int32_t i = 0; i < rows->count; i++) {
        const nnc_op_cost *row = &rows->rows[i];
        nnc_segment_time *unit = &units[row->op->segment];
        const nnc_part part = nnc_part_of(row);
        const double instances = (double)list->segments[row->op->segment].instances;
        const double time_s = row->time_s * row->repeat / instances;
        unit->host_s[part] += nnc_launch_of_op_s(launch, row->op) * row->repeat / instances;
        if (nnc_op_is_collective(row->op)) {
            unit->exposed_s[part][row->op->u.collective.comm] += time_s;
            add_free(unit, part, time_s, row->network_s * row->repeat / instances,
                     nnc_lane_of(network, &row->op->u.collective));
        } else {
            unit->compute_s[part] += time_s;
            for (int f = 0; f < NNC_LANES; f++) { unit->free_s[part][f] += time_s; }
            unit->weight_s += row->op->phase == NNC_PHASE_GRAD_WEIGHT ? time_s : 0.0;
        }
    }
    if (launch->kernel_s > 0.0) { issue_pass(rows, list, launch, units); }
    for (int32_t s = 0; s < list->segment_count; s++) {
        if (launch->kernel_s > 0.0) {
            units[s].forward_s = issued_part_s(&units[s], NNC_PART_FORWARD);
            units[s].backward_s = issued_part_s(&units[s], NNC_PART_BACKWARD);
            units[s].recompute_s = issued_part_s(&units[s], NNC_PART_RECOMPUTE);
            continue;
        }
        char names[NNC_PASS_PARTS][NNC_SAY_NAME];
        for (int p = 0; p < NNC_PASS_PARTS; p++) { NNC_WHEN(why, nnc_say_name("host", s, (nnc_part)p, names[p])); }
        units[s].forward_s = part_s(&units[s], NNC_PART_FORWARD, names[NNC_PART_FORWARD], why);
        units[s].backward_s = part_s(&units[s], NNC_PART_BACKWARD, names[NNC_PART_BACKWARD], why);
        units[s].recompute_s = part_s(&units[s], NNC_PART_RECOMPUTE, names[NNC_PART_RECOMPUTE], why);
    }
}

void nnc_segment_times_sum(const nnc_rows *rows, const nnc_op_list *list, const nnc_network *network,
                           const nnc_launch *launch, nnc_segment_time units[NNC_SEGMENTS_MAX], nnc_derivation *why) {
    if (why != NULL) {
        sum_units(rows, list, network, launch, units, why);
    } else {
        sum_units(rows, list, network, launch, units, NULL);
    }
}

void nnc_step_segment_times(const nnc_step *step, nnc_rows *rows, nnc_segment_time units[NNC_SEGMENTS_MAX]) {
    const nnc_overlap overlap = nnc_overlap_of(step->plan, step->software);
    if (step->network != NULL) { nnc_rows_overlap(rows, step->list, step->network, &overlap, step->why); }
    nnc_segment_times_sum(rows, step->list, step->network, &step->launch, units, step->why);
}
