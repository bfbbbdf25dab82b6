/* Costs of single things: seconds of an op on one device, seconds of a collective between ranks, bytes that stay
 * resident on a device. Other folders compute whole steps.
 *
 *     op_time.c     work of an op            -> seconds on one device (roofline, matmul, attention, conv)
 *     collective.c  bytes over a route       -> seconds
 *     network.c     a group of ranks         -> the links that it uses (its route)
 *                   a plan, a communication  -> its seconds; load of each fabric
 *     op_rows.c     op list of one rank      -> table of forward, recomputed and backward ops with their times
 *     memory.c      ops that a device holds  -> resident bytes
 *     heap.c        ops of a step on a CPU   -> bytes that it writes to new memory
 *
 * A function with a parameter `nnc_derivation *why` also records its formulas there (base/derivation.h). With NULL it
 * records no formula; its results are bitwise equal. */
#ifndef NNCOST_COST_COST_INTERNAL_H
#define NNCOST_COST_COST_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* ---- op_time.c: seconds of one op on one device ---- */

/* Times of one instance of an op. compute_s and memory_s are the seconds that each resource needs alone. time_s, the
 * time of the op, is at least fixed_s plus the larger of compute_s and memory_s. bound is the resource with the larger
 * time, or the host if fixed_s exceeds both times. */
typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Returns the seconds of one op by the roofline model and the fitted efficiencies of the device:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * f, g and t0 are the fractions and the fixed cost for the kind of op; without fitted values they are 1, 1 and 0.
 * Matrix products, convolutions and fused attention have more detailed formulas, which reduce to this one. A device
 * that does not publish its vector peak has no vector time. Collectives have their own functions below.
 * Source: Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] [gemm-time] [flash-time] [conv-time] */
nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why);

/* Returns a lower bound of the time of a matrix product that grows with its tokens: with r >= 1 times the tokens, the
 * product takes at least r times as long. It is the time of its FLOPs at the rate of short kernels. It leaves out two
 * rows of each expert, because numbers of rows are rounded. 0 for other ops. */
double nnc_product_least_s(const nnc_device *device, const nnc_op *op, const nnc_work *work);

/* Records FLOPs and bytes of an op, so that formulas recorded later can use them as operands. */
NNC_SAYING void nnc_say_work(const nnc_work *work, nnc_derivation *why) {
    NNC_PUT(why, work->flops, "FLOP");
    NNC_PUT(why, work->vector_flops, "FLOP");
    NNC_PUT(why, work->read_bytes, "B");
    NNC_PUT(why, work->write_bytes, "B");
}

/* ---- network.c: the links of a group of ranks ---- */

/* Links that the ranks r, r + stride, ... of one group use. Groups of the same kind run at the same time, so each rate
 * is the share of one group. inner_* are unused when inner is 1, outer_* when outer is 1. */
typedef struct nnc_route {
    int32_t size;             /* ranks in the group */
    int32_t inner, outer;     /* inner: ranks of the group inside one scale-up domain; outer: number of domains */
    double inner_bytes_per_s; /* rate of all links of one rank that lead to the group, in one direction */
    double inner_latency_s;
    double outer_bytes_per_s; /* share of one rank in the rate of the NICs, after oversubscription */
    double outer_latency_s;
    double link_bytes_per_s; /* rate from one inner rank to another; torus: rate of one whole link */
    int32_t axes;            /* torus, ring: number of axes that the inner ranks span; 0 = every pair of ranks has a
                              * direct path */
    int32_t axis_length[3];  /* number of ranks of the group along each axis */
    int32_t axis_stride[3];  /* number of links from one rank of the group to the next; as many groups share a link */
    bool axis_wraps[3];
    const nnc_collective_efficiencies *fitted; /* fitted values of the device; NULL = without fitted values */
    double knee_bytes;                         /* knee of the slower link: smaller messages reach less bandwidth */
    bool reduces_in_switch;
    const char *link; /* name of the slower link, "scale_up" or "scale_out"; static storage */
} nnc_route;

/* Finds the route of a group of `size` ranks at distance `stride` in a world of `devices` ranks. A scale-up domain has
 * devices_per_node ranks (0 = scale_up.devices). On a torus, devices_per_node is the size of a slice, at most the pod.
 * Without a scale-up fabric (kind none) every rank is its own domain. Ranks fill one domain before the next, and in a
 * torus the shortest axis first. All counts are at least 1. When stride and size do not divide the domain, inner is
 * rounded down and outer up. A latency that is not recorded counts as 0. NNC_BAD_SPEC: err names the value that the
 * route needs and the device file lacks (scale_up.devices, scale_up.bytes_per_s, scale_out.bytes_per_s).   [routes] */
nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node, int32_t size,
                          int32_t stride, nnc_route *route, nnc_error *err);

/* ---- collective.c: seconds of a collective over a route ---- */

/* Flags for a set of allowed algorithms. A collective uses the fastest algorithm of the set. */
enum {
    NNC_ALGORITHM_RING = 1, /* ring; for an all-to-all over several domains: each pair of ranks directly */
    NNC_ALGORITHM_TREE = 2,
    NNC_ALGORITHM_HIERARCHICAL = 4,
    NNC_ALGORITHM_IN_NETWORK = 8,
    NNC_ALGORITHM_ALL = 15
};

/* Returns the seconds of one collective at datasheet rates. bytes is the full tensor: the result of an all-gather, the
 * input of a reduce-scatter, the send buffer of one rank in an all-to-all, the message of a p2p or broadcast. Returns 0
 * for a group of one rank. A link with a knee V0 delays small messages: S bytes take as long as S (1 + sqrt(V0 / S))
 * bytes without a knee. V0 is the knee of the slower link. Sources: Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders,
 * Speck, Traeff, Parallel Computing 35(12), 2009 (double tree); "How to Scale Your Model",
 * jax-ml.github.io/scaling-book (torus).   [collectives] */
double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes);
/* Returns the seconds of a collective like nnc_collective_s, but uses only the algorithms in `allowed`. If the route
 * can use none of them, the first algorithm of the route runs, mostly the ring. A torus has only its own algorithms. */
double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed);
/* Returns the seconds of a collective like nnc_collective_by_s, and sets *by to the name of the algorithm: "ring",
 * "tree", ... */
double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed,
                            nnc_derivation *why, const char **by);

/* Returns the seconds of a collective with the fitted efficiencies of the device. Without fitted values, it is equal
 * to nnc_collective_s. V is the bytes that one rank sends, n the number of ranks of the group inside one domain. R is
 * the time of nnc_collective_s at the rates that collectives reach (link rate x bus_fraction
 * (1 - small_group_loss / n^2), NIC x scale_out_fraction). R excludes reduction in the switch, because the fitted rate
 * includes that gain:
 *     t = R (1 + sqrt(knee_bytes / V)) + fixed_s + log2_s log2(n) + scale_out_fixed_s
 * The last term counts only for a group that leaves its domain.   [collectives-fitted] */
double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes);
double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes, nnc_derivation *why,
                                      const char **by);

/* Returns the bytes that one rank sends in a ring algorithm of the collective. */
double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes);

/* ---- network.c: routes of a plan, seconds and loads of its communication ---- */

/* Groups of ranks that communicate. Gradients of parameters outside experts are summed over data x context ranks.
 * Gradients of experts are summed over the ranks that hold the same experts. The ranks of a shard group together hold
 * one copy of the tensors that ZeRO divides. A replica group has the ranks that hold the same part of these tensors. */
typedef enum nnc_route_kind {
    NNC_ROUTE_TENSOR,
    NNC_ROUTE_CONTEXT,
    NNC_ROUTE_EXPERT,
    NNC_ROUTES_OF_LAYERS, /* number of routes that the collectives inside layers use */
    NNC_ROUTE_SHARD = NNC_ROUTES_OF_LAYERS,
    NNC_ROUTE_REPLICA,
    NNC_ROUTE_EXPERT_SHARD,
    NNC_ROUTE_EXPERT_REPLICA,
    NNC_ROUTE_PIPELINE,
    NNC_ROUTE_COUNT
} nnc_route_kind;

/* Host memory bandwidth per device if the device file records none: two sockets with eight channels of DDR5-4800,
 * 307.2e9 B/s per socket, shared by eight devices. */
#define NNC_HOST_MEM_BYTES_PER_S 76.8e9

/* Share of a host's memory bandwidth that optimizer updates on the host reach. Fitted: see docs/accuracy.md. */
#define NNC_HOST_UPDATE_SHARE 0.3

typedef struct nnc_network {
    nnc_route routes[NNC_ROUTE_COUNT];
    double host_bytes_per_s;
    double host_mem_bytes_per_s;
} nnc_network;

/* Kinds of offload work: a transfer over the link to the host, or an optimizer update in host memory. */
enum { NNC_OFFLOAD_HOST_LINK, NNC_OFFLOAD_HOST_MEMORY };

/* Finds the routes of a legal plan. NNC_BAD_SPEC: err names the value that the device file lacks. */
nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network, nnc_error *err);

/* Returns the kind of rank group of a collective. Offload communication has no rank group; it uses the host link. */
static inline nnc_route_kind nnc_network_route_of(const nnc_collective_op *exchange) {
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Returns the bytes that the route of a collective carries. In dispatch and combine, the k copies of a token go to
 * random ranks of M domains. Software that sends each token only once per domain sends it on average to
 *     M (1 - (1 - 1/M)^k)
 * domains instead of k times. ideal = true assumes such software for every plan.   [experts] */
double nnc_network_carried_bytes(const nnc_network *network, const nnc_collective_op *exchange, bool ideal,
                                 nnc_derivation *why);

/* Tests whether two collectives take the same time on any network. */
bool nnc_network_same(const nnc_collective_op *a, const nnc_collective_op *b);

/* Returns the seconds of one collective in a training step. Sets *link to the name of the link that limits it. */
double nnc_network_exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **link);
/* Records the formula of network_s, the seconds of a collective. Returns the name of its algorithm. */
const char *nnc_network_say_s(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

typedef enum nnc_fabric { NNC_FABRIC_SCALE_UP, NNC_FABRIC_SCALE_OUT, NNC_FABRIC_HOST, NNC_FABRICS } nnc_fabric;

/* Returns the name of a fabric: "scale_up", "scale_out", "host". */
const char *nnc_fabric_name(nnc_fabric fabric);

/* The fabrics that a collective needs. The places of the ranks decide the fabrics, not the speed of the links.
 * Collectives whose lanes share no fabric run at the same time. */
typedef enum nnc_lane {
    NNC_LANE_SCALE_UP,  /* links within domains */
    NNC_LANE_SCALE_OUT, /* links between domains; each domain has one rank of the group */
    NNC_LANE_HOST,
    NNC_LANE_BOTH, /* links within and between domains */
    NNC_LANES
} nnc_lane;

/* Returns the lane (fabrics) of a collective. Inline, because it is called for every row of every plan. */
static inline nnc_lane nnc_lane_of(const nnc_network *network, const nnc_collective_op *exchange) {
    if (exchange->comm == NNC_COMM_OFFLOAD) { return NNC_LANE_HOST; }
    const nnc_route *route = network != NULL ? &network->routes[nnc_network_route_of(exchange)] : NULL;
    return route == NULL || route->outer <= 1 ? NNC_LANE_SCALE_UP
           : route->inner > 1                 ? NNC_LANE_BOTH
                                              : NNC_LANE_SCALE_OUT;
}

static inline bool nnc_lanes_meet(nnc_lane a, nnc_lane b) {
    return a == b || (a == NNC_LANE_BOTH && b != NNC_LANE_HOST) || (b == NNC_LANE_BOTH && a != NNC_LANE_HOST);
}

/* Sets load_s to the seconds that a collective keeps the links of one rank busy, on each fabric, at datasheet rates.
 * Counts only bytes that no algorithm can avoid, and no latency. Links inside and between domains are different links,
 * so each fabric has its own sum. [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_collective_op *exchange, double load_s[NNC_FABRICS]);
/* Records the formula of network_s, here the sum of the loads of all fabrics. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

/* ---- op_rows.c: the op table of one micro-batch ---- */

/* Each op of a list has at most one forward row, one recomputed row and its backward rows. Rows of the whole step
 * follow them, for example of the update. */
enum { NNC_STEP_ROWS_MAX = 32, NNC_ROWS_MAX = NNC_OPS_MAX * (2 + NNC_BACKWARD_MAX) + NNC_STEP_ROWS_MAX };

/* A function, with its context, that replaces nnc_op_time and returns equal results, for example from a cache. */
typedef struct nnc_op_timer {
    nnc_timing (*time)(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work);
    void *context;
} nnc_op_timer;

/* Indices of the rows of one op: the forward row (-1 = no forward row) and the first backward row; and the number of
 * backward rows. The recomputed row is not counted. */
typedef struct nnc_op_place {
    int16_t forward, backward, backward_count;
} nnc_op_place;

typedef struct nnc_rows {
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX];     /* copies of the ops of recomputed, backward and update rows */
    int32_t count, forward_count; /* count: all rows; forward_count: forward rows, which come first */
    int32_t fresh;                /* index of the first row whose times were computed for the current network */
    nnc_op_place places[NNC_OPS_MAX];
    const nnc_op_timer *timer; /* computes the times of the rows; NULL = nnc_op_time */
} nnc_rows;

typedef enum nnc_part {
    NNC_PART_FORWARD,
    NNC_PART_BACKWARD,
    NNC_PART_RECOMPUTE,
    NNC_PART_COMM, /* communication of gradients over the data ranks, once per step */
    NNC_PART_UPDATE,
    NNC_PARTS
} nnc_part;

static inline nnc_part nnc_part_of(const nnc_op_cost *row) {
    switch (row->op->phase) {
    case NNC_PHASE_FORWARD: return NNC_PART_FORWARD;
    case NNC_PHASE_RECOMPUTE: return NNC_PART_RECOMPUTE;
    case NNC_PHASE_COMM: return NNC_PART_COMM;
    case NNC_PHASE_UPDATE: return NNC_PART_UPDATE;
    default: return NNC_PART_BACKWARD;
    }
}

/* Writes the rows of the forward list of one rank: all forward ops; then, from the last op to the first, the recomputed
 * instance and the backward ops of each op. The repeat of a row counts its instances in one micro-batch, all layers
 * together. network may be NULL when there is no communication. device may be NULL when only the work is needed,
 * without times. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                    nnc_rows *rows);

/* A similar op list and its table. nnc_rows_build_like copies the rows of those ops that are equal in both lists and
 * have the same index. */
typedef struct nnc_rows_like {
    const nnc_op_list *list; /* the similar op list; NULL = no similar list */
    int32_t count;           /* number of ops at the start of the list whose rows are in the table */
    const nnc_rows *rows;    /* op table of the similar list, timed on the same device */
    bool same_routes;
} nnc_rows_like;
void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, const nnc_rows_like *like, nnc_rows *rows);

/* Times all collectives of a table again, on the routes of another network. */
void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network);

/* Sets the share of micro-batches that add to an existing weight gradient, and times the weight-gradient rows again. */
void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share);

/* Builds an op table of only those ops of a list that begin at index `first`. */
void nnc_rows_build_rest(const nnc_op_list *list, int32_t first, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, nnc_rows *rows);

/* Builds the table of a list from `base`, the table of its first ops, and `rest`, the table of the other ops. Rows of
 * the result point to ops in `base` and `rest`, which must outlive it. */
void nnc_rows_join(const nnc_rows *base, const nnc_rows *rest, nnc_rows *rows);

/* Tests whether a row is a compute-bound product or attention, which fewer units or a lower clock slow down. */
bool nnc_row_fills_units(const nnc_op_cost *row);

/* Returns the factor by which compute-bound products and attentions (see nnc_row_fills_units) get slower while kernels
 * of expert communication occupy some compute units; 1 = no slowdown. */
double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan, const nnc_software *software);
void nnc_rows_lend(nnc_rows *rows, double factor);

/* Appends a row for a copy of `op` with its work and time. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network,
                  double repeat);

/* Returns the watts that the device may draw: its board limit, or a lower cap that the user sets. NaN = not
 * recorded. */
double nnc_power_limit(const nnc_device *device);

/* Checks that the device file has the power values that its power cap needs. NNC_BAD_SPEC: values are missing, or the
 * cap is not above the idle power. */
nnc_status nnc_power_check(const nnc_device *device, nnc_error *err);

/* Slows down the compute-bound matrix products and attention of a pass if its average power would exceed the limit.
 * Changes no row if the power stays below the limit, or if the device file has no power values. i is the idle share of
 * power_w, s the share that the matrix units draw at their peak P, m the share that the memory draws at its bandwidth
 * M. F and B are the FLOPs and bytes of a row, T the seconds of all rows at full clock, g the exponent of the device
 * file:
 *     p = (sum(s F / P) + sum(m B / M)) / T        power of the work, relative to power_w
 *     slowdown = max(1, (p / (limit / power_w - i))^g)
 * p falls as T grows, but T times the slowdown grows for g <= 1, so a longer pass never ends earlier.
 * Source of the values: docs/accuracy.md.   [power-limit] */
void nnc_power_throttle(nnc_rows *rows, const nnc_device *device);

/* ---- memory.c: resident bytes of one device ---- */

/* Returns how often an op runs in one instance of its segment. */
static inline double nnc_op_instances(const nnc_op_list *list, const nnc_op *op) {
    return (double)op->repeat / (double)list->segments[op->segment].instances;
}

/* Returns the trained parameters of an op; 0 if they are frozen, or in tables that are updated in place. */
static inline double nnc_op_trained_params(const nnc_op *op) {
    const nnc_weights *w = &op->weights;
    return op->frozen || op->in_place ? 0.0 : (double)w->count * (double)w->rows * (double)w->cols + (double)w->vector;
}

/* Parameter counts that an optimizer needs. */
typedef struct nnc_parameters {
    double params, matrix_params, factored_elements, orthogonalise_flops;
    double projected_params, projected_elements, projected_products;
    double table_params; /* number of params in tables that are updated in place */
} nnc_parameters;

/* Sums for one instance of a segment (the embedding, one of several equal layers, the head) on one rank. A pipeline
 * stage holds several instances of each segment. */
typedef struct nnc_segment_sums {
    nnc_parameters dense, expert;         /* dense: trained parameters outside experts; expert: trained parameters of
                                           * experts, which fewer ranks copy */
    nnc_parameters frozen, frozen_expert; /* parameters that are not trained: frozen outside experts, frozen_expert
                                           * of experts */
    double kept_bytes;                    /* bytes kept for backward without recomputation */
    double input_bytes;                   /* bytes kept with full recomputation: inputs of recompute blocks, and
                                           * tensors of ops outside blocks */
    double live_bytes;                    /* live bytes of the largest recompute block while backward runs it again */
    double again_bytes;                   /* most bytes that recomputation of single modules computes again in one
                                           * recompute block */
    double unit_params;                   /* trained parameters of the ZeRO-3 unit with the most of them */
    double unit_frozen;                   /* frozen parameters of the ZeRO-3 unit with the most of them */
    double transient_bytes;               /* bytes of the largest working set of one op in backward */
    const char *transient_what;           /* name of the op with the largest working set */
} nnc_segment_sums;

/* Computes the sums of each segment of the list: sums[0] to sums[list->segment_count - 1]. */
void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* Number of instances of each segment that one device of the pipeline holds. */
typedef struct nnc_stage_residency {
    int64_t instances[NNC_SEGMENTS_MAX];
    int64_t recomputed[NNC_SEGMENTS_MAX]; /* number of instances that backward runs again from their inputs */
    int32_t segments;                     /* number of segments; later entries of the arrays are unset */
    double in_flight;                     /* number of micro-batches whose activations are kept at the same time */
    bool uneven;                          /* true: chunks of the device hold different segments, and `flight` has a
                                           * number for each segment */
    bool uneven_layers;                   /* true: the chunks also differ in their layers, not only in embedding and
                                           * head */
    bool odd_more;                        /* true: odd_chunk holds more than the other chunks */
    int32_t odd_chunk;                    /* the only chunk that differs from the others; -1 = several chunks differ */
    double flight[NNC_SEGMENTS_MAX];      /* micro-batches in flight of each segment, at the memory peak of the
                                           * device */
} nnc_stage_residency;

/* Tests whether two devices hold the same layers and recompute the same layers. Their micro-batches in flight may
 * differ. */
static inline bool nnc_stage_residency_same(const nnc_stage_residency *a, const nnc_stage_residency *b) {
    bool same = true;
    for (int32_t s = 0; s < a->segments; s++) {
        same = same && a->instances[s] == b->instances[s] && a->recomputed[s] == b->recomputed[s];
    }
    return same;
}
/* Copies the counts of the segments of `from`. Entries of *to past `segments` stay unchanged. */
void nnc_stage_residency_copy(nnc_stage_residency *to, const nnc_stage_residency *from);
/* Sets the same number of micro-batches in flight for all segments. */
void nnc_holding_keep(nnc_stage_residency *holding, double in_flight);
/* Returns the bytes that one micro-batch keeps in all instances of a segment. */
double nnc_segment_kept_bytes(const nnc_segment_sums *sum, const nnc_stage_residency *holding, const nnc_plan *plan,
                              int32_t segment);

/* Bytes that one micro-batch keeps for backward. */
typedef struct nnc_kept {
    double bytes;
    double largest_layer_bytes;
    double ends_bytes; /* kept bytes of embedding and head, the segments that are not layers */
    double segment_bytes[NNC_SEGMENTS_MAX], flight[NNC_SEGMENTS_MAX]; /* segment_bytes: kept bytes of each segment;
                                                                       * flight: micro-batches in flight of each
                                                                       * segment, as in nnc_stage_residency */
    bool uneven;                                                      /* true: for some segment the number of
                                                                       * micro-batches in flight differs from
                                                                       * in_flight */
} nnc_kept;

/* Sums over the segments of a device, before sharding by ZeRO and offload. */
typedef struct nnc_resident_bytes {
    nnc_parameters dense, expert, frozen, frozen_expert; /* parameters on the device: trained outside experts (dense),
                                                          * trained of experts, frozen outside experts, frozen of
                                                          * experts */
    nnc_parameters helper, helper_expert;                /* parameters of frozen helper models: helper outside
                                                          * experts, helper_expert of experts */
    nnc_kept kept;
    double op_bytes, block_bytes; /* op_bytes: working set of an op; block_bytes: live bytes of a recomputed block;
                                   * both belong to the segment where their sum is largest */
    const char *op_what;
    double unit_params, unit_frozen; /* unit_params: most trained parameters in one ZeRO-3 unit; unit_frozen: most
                                      * frozen parameters in one ZeRO-3 unit */
    bool replayed;                   /* true: gradients appear while activations are freed, so the peak is one moment of
                                      * backward */
    struct {
        double gradient_bytes, activation_bytes, op_bytes, block_bytes, cast_bytes, workspace_bytes;
        const char *what;
    } peak;                     /* bytes at the moment of backward with the most bytes in memory; set only if `replayed`
                                 * is true */
    double largest_block_bytes; /* bytes of the largest short-lived tensor: half of the largest working set */
} nnc_resident_bytes;
nnc_resident_bytes nnc_resident_bytes_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_plan *plan,
                                         const nnc_software *software);

/* Returns the working bytes of a device: activations of the micro-batches in flight, and the largest working set (the
 * temporary memory of an op). All other bytes follow from the device's parameters, ZeRO stage and offload. If only
 * working bytes grow, the memory never falls; this does not hold for a single device, whose peak is one moment of
 * backward. */
double nnc_working_bytes(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                         const nnc_stage_residency *holding, const nnc_plan *plan);

/* Returns the bytes on a device at the peak of a step: weights, gradients and optimizer states by precision policy and
 * ZeRO stage; activations of the micro-batches in flight (with recomputation only block inputs); the largest working
 * set. Sources: ZeRO arXiv:1910.02054; docs/formulas.md.   [memory] */
nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                         const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes);
nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                          const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                          nnc_derivation *why);
/* Returns the bytes on a device like nnc_memory_of, but from precomputed sums of the stage. Plans that differ only in
 * ZeRO stage and offload have the same sums. */
nnc_memory nnc_memory_of_resident(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                                  const nnc_stage_residency *holding, const nnc_plan *plan,
                                  const nnc_software *software, int64_t capacity_bytes);
/* Returns a copy of *same (the memory of a device) in which the activations, and all values that depend on them, are
 * computed for the micro-batches in flight of `holding`. */
nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software);

/* Compares total_bytes and the range of measured peaks with the capacity; returns whether the plan fits. */
nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes);
/* Returns the probability that a device needs more than its capacity. Assumes that the memory has a lognormal
 * distribution around total_bytes, and lies inside total_interval_bytes with a probability of 90 %. */
double nnc_memory_risk(const nnc_memory *memory, int64_t capacity_bytes);

/* Returns the number of parameters that a device holds, trained or not, before ZeRO shards them. */
double nnc_stage_residency_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding);
/* Returns the trained parameters of all instances on a device: of experts if expert is true, else of all other ops. */
nnc_parameters nnc_stage_residency_trained(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                           bool expert);
/* Computes the parameter counts of an optimizer update: the parameters that one device updates, after ZeRO. */
void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert, const nnc_plan *plan,
                           nnc_update *update);

/* Returns the bytes of parameters that are not trained. The plan sets the format of matrices of linear layers. Tables
 * that are updated in place take 4 B per parameter. Other parameters take 4 B if the plan stores frozen weights in 32
 * bits, else 2 B. */
double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan);

/* Return the number of ranks over which ZeRO divides parameters: outside experts (dense), of experts (expert). */
double nnc_dense_shards(const nnc_plan *plan);
double nnc_expert_shards(const nnc_plan *plan);

/* Tests whether a pipeline in ZeRO 3 adds up whole gradients and scatters them after its last micro-batch. PyTorch does
 * so: backward_maybe_with_nosync of torch/distributed/pipelining/stage.py turns set_requires_gradient_sync and
 * set_reshard_after_backward off. */
bool nnc_gradients_stay_whole(const nnc_plan *plan);

/* Returns the activation bytes of one GPT layer with plain MLPs for one micro-batch, by the published formula:
 *     s b h (10 + 24 / t + 5 a s / (h t))
 * for sequence length s, micro-batch b, hidden size h, a heads and t tensor ranks. Sequence parallelism divides the
 * whole expression by t. Selective recomputation drops the last term. Full recomputation keeps only 2 s b h.
 * Source: Korthikanti et al., arXiv:2205.05198, table 2.   [korthikanti] */
double nnc_korthikanti_layer_bytes(const nnc_decoder *decoder, const nnc_plan *plan);

/* ---- peak_moment.c: the memory peak as one moment of backward ---- */

/* Finds the moment of backward at which the most bytes are in memory, and sets held->peak to its bytes. Does nothing
 * except on one device with one micro-batch: only there do gradients appear while activations are freed. */
void nnc_peak_moment(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                     const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                     nnc_resident_bytes *held);

/* Returns the bytes that an update over lists of tensors allocates: for Adam and RMSprop the root of the second moment
 * of all parameters.   [optimizer-kernels] */
double nnc_list_update_bytes(const nnc_resident_bytes *held, const nnc_plan *plan);
extern const char *const nnc_update_what; /* name of these bytes in outputs */

/* ---- heap.c: new memory of a step on a CPU ---- */

/* The heap of a program on a CPU, as malloc of glibc 2.36 keeps it: a block takes the smallest hole that holds it, else
 * the top of the heap. If the top is too small, a block of at least mapped_least bytes is mapped alone, and any other
 * block extends the heap. A mapped block that is freed raises mapped_least to its size and trim_least to twice its
 * size. If at least trim_least bytes are free at the end of the heap, the end goes back to the operating system. Pages
 * of mapped blocks are new, and so are pages above address `touched`. Source: functions sysmalloc, _int_malloc,
 * _int_free, systrim and free in malloc.c of glibc. */
typedef struct nnc_hole {
    int64_t at, size;
} nnc_hole;
typedef struct nnc_heap {
    int64_t mapped_least, trim_least, top, end, touched;
    double new_bytes;
    int32_t count;
    nnc_hole *holes; /* free chunks below the top, by address */
} nnc_heap;
enum { NNC_HEAP_MAPPED = -1 };
/* Takes a block of `bytes` bytes from the heap and returns its address. NNC_HEAP_MAPPED = the block is not in the
 * heap: malloc maps it separately. */
int64_t nnc_heap_take(nnc_heap *heap, int64_t bytes);
void nnc_heap_free(nnc_heap *heap, int64_t at, int64_t bytes);

/* Returns the bytes that a step writes to memory new to the program, per trained parameter: PyTorch on a CPU takes each
 * tensor from malloc and frees it. NaN: memory ran out. */
double nnc_new_bytes_per_param(const nnc_op_list *list, const nnc_plan *plan, const nnc_software *software,
                               int64_t passes);

#endif
