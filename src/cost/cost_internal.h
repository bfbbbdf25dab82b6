/* Costs of single things: seconds of an op on one device, seconds of a collective between ranks, bytes in the memory of
 * a device. Folders to the right of this one compute whole steps.
 *
 *     op_time.c      work of an op             -> seconds on one device (roofline, matmul, attention, conv)
 *     collective.c   bytes over a route        -> seconds
 *     network.c      a group of ranks          -> its route: the links that it uses
 *                    a plan, a communication   -> seconds; busy time of each fabric
 *     op_rows.c      op list of one rank       -> table of forward, recomputed and backward ops with their times
 *     memory.c       ops that a device holds   -> bytes in its memory
 *     peak_moment.c  ops of one device         -> bytes at the moment of backward with the most bytes
 *     heap.c         ops of a step on a CPU    -> bytes that the step writes to new memory
 *
 * A function with a parameter `nnc_derivation *why` adds its formulas to this derivation (base/derivation.h). With NULL
 * it adds none; its result is equal in every bit. */
#ifndef NNCOST_COST_COST_INTERNAL_H
#define NNCOST_COST_COST_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* ---- op_time.c: seconds of one op on one device ---- */

/* Times of one instance of an op. compute_s and memory_s: seconds that the units and the memory would each need alone.
 * fixed_s: time that does not depend on the size. time_s: time of the op, at least fixed_s plus the larger of compute_s
 * and memory_s. bound: the resource with the larger time, or the host if fixed_s is larger than both times. */
typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Returns the seconds of one op by the roofline model with the fitted efficiencies of the device:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * f and g are the fractions of the peak and of the bandwidth that this kind of kernel reaches, t0 is its fixed time;
 * without fitted values f and g are 1 and t0 is 0. Matrix products, convolutions and fused attention have more detailed
 * formulas; without fitted values these are equal to the formula above. A device that does not publish its vector peak
 * has no vector time. Not for collectives (nnc_network_exchange_s). Source: Williams, Waterman, Patterson, CACM 52(4),
 * 2009.   [roofline] [gemm-time] [flash-time] [conv-time] */
nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why);

/* Returns a lower bound of the time of a matrix product that is proportional to its tokens: with r >= 1 times the
 * tokens, the bound is r times as long, and still a lower bound. It is the time of the product's FLOPs at the rate
 * of short kernels, without two rows of tokens per expert, because numbers of rows are rounded. Returns 0 for other
 * ops. */
double nnc_product_least_s(const nnc_device *device, const nnc_op *op, const nnc_work *work);

/* Adds FLOPs and bytes of an op to a derivation, so that later formulas can use them as operands. */
NNC_SAYING void nnc_say_work(const nnc_work *work, nnc_derivation *why) {
    NNC_PUT(why, work->flops, "FLOP");
    NNC_PUT(why, work->vector_flops, "FLOP");
    NNC_PUT(why, work->read_bytes, "B");
    NNC_PUT(why, work->write_bytes, "B");
}

/* ---- network.c: the links that a group of ranks uses (its route) ---- */

/* The links that a group of ranks r, r + stride, ... uses. All groups of the same kind communicate at the same time,
 * so each rate is the share of one group. The members inner_* are not used if `inner` is 1, outer_* not if `outer`
 * is 1. */
typedef struct nnc_route {
    int32_t size;             /* number of ranks in the group */
    int32_t inner, outer;     /* inner: number of ranks of the group in one scale-up domain; outer: number of domains
                               * that the group spans */
    double inner_bytes_per_s; /* rate of all links of one rank to other ranks of the group in its domain, in one
                               * direction */
    double inner_latency_s;
    double outer_bytes_per_s; /* rate of one rank through the NICs to other domains, after oversubscription */
    double outer_latency_s;
    double link_bytes_per_s; /* rate from one rank to another rank of the group in its domain; on a torus, rate of one
                              * whole link */
    int32_t axes;            /* torus, ring: number of axes that the ranks inside a domain span; 0 = every pair of ranks
                              * has a direct path */
    int32_t axis_length[3];  /* number of ranks of the group along each axis */
    int32_t axis_stride[3];  /* number of links from one rank of the group to the next along each axis; as many groups
                              * share each link */
    bool axis_wraps[3];
    const nnc_collective_efficiencies *fitted; /* fitted values of the device for collectives; NULL = the device has
                                                * none */
    double knee_bytes;                         /* knee of the slower link in bytes: smaller messages do not reach the
                                                * bandwidth of the link */
    bool reduces_in_switch;
    const char *link; /* name of the link that limits large messages, "scale_up" or "scale_out"; static storage */
} nnc_route;

/* Finds the route of a group of `size` ranks whose rank numbers differ by `stride`, in a world of `devices` ranks. A
 * scale-up domain has devices_per_node ranks (0 = scale_up.devices of the device file). On a torus, devices_per_node is
 * the size of a slice, at most the pod. Without a scale-up fabric (kind none) every rank is a domain of its own. Ranks
 * fill one domain before the next, and on a torus the shortest axis first. All counts are at least 1. If the group does
 * not fill domains evenly, route->inner is rounded down and route->outer up. A latency that the device file does not
 * give counts as 0. NNC_BAD_SPEC: err names the value that the device file lacks (scale_up.devices,
 * scale_up.bytes_per_s, scale_out.bytes_per_s).   [routes] */
nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node, int32_t size,
                          int32_t stride, nnc_route *route, nnc_error *err);

/* ---- collective.c: seconds of a collective over a route ---- */

/* Flags for a set of algorithms. A collective uses the fastest algorithm of the set that is allowed. */
enum {
    NNC_ALGORITHM_RING = 1, /* ring; of an all-to-all over several domains: each pair of ranks sends directly */
    NNC_ALGORITHM_TREE = 2,
    NNC_ALGORITHM_HIERARCHICAL = 4,
    NNC_ALGORITHM_IN_NETWORK = 8,
    NNC_ALGORITHM_ALL = 15
};

/* Returns the seconds of one collective at datasheet rates. bytes: the full tensor, which is the result of an
 * all-gather, the input of a reduce-scatter, the send buffer of one rank in an all-to-all, the message of a p2p or
 * broadcast. Returns 0 for a group of one rank. A link with a knee of V0 bytes is slower for small messages: S bytes
 * take as long as S (1 + sqrt(V0 / S)) bytes on a link without a knee; V0 is the knee of the slower link of the route.
 * Sources: Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing 35(12), 2009 (double
 * tree); "How to Scale Your Model", jax-ml.github.io/scaling-book (torus).   [collectives] */
double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes);
/* Returns the seconds of a collective as nnc_collective_s does, but uses only the algorithms in `allowed`. If none of
 * them works on the route, uses the first algorithm that works on it, mostly the ring. A torus always uses its own
 * algorithms. */
double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed);
/* Returns the seconds of a collective as nnc_collective_by_s does, and sets *by to the name of the algorithm: "ring",
 * "tree", ... */
double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed,
                            nnc_derivation *why, const char **by);

/* Returns the seconds of a collective with the fitted efficiencies of the device; without fitted values, those of
 * nnc_collective_s:
 *     t = R (1 + sqrt(knee_bytes / V)) + fixed_s + log2_s log2(n) + scale_out_fixed_s
 * V: bytes that one rank sends. n: ranks of the group in one domain. R: time of nnc_collective_s at the rates that
 * collectives reach (link rate x bus_fraction (1 - small_group_loss / n^2), NIC rate x scale_out_fraction), without
 * reduction in the switch, because the fitted rate includes its gain. The term scale_out_fixed_s counts only for a
 * group that spans several domains.   [collectives-fitted] */
double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes);
double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes, nnc_derivation *why,
                                      const char **by);

/* Returns the bytes that one rank sends in a collective of `size` ranks with a ring algorithm. */
double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes);

/* ---- network.c: routes of a plan, seconds and loads of its communication ---- */

/* Groups of ranks that communicate. Gradients of parameters outside experts are summed over data x context ranks,
 * gradients of experts over the ranks that hold the same experts. A shard group: ranks that together hold one copy of
 * the tensors that ZeRO divides. A replica group: ranks that hold the same part of these tensors. */
typedef enum nnc_route_kind {
    NNC_ROUTE_TENSOR,
    NNC_ROUTE_CONTEXT,
    NNC_ROUTE_EXPERT,
    NNC_ROUTES_OF_LAYERS, /* number of kinds above, which collectives inside layers use */
    NNC_ROUTE_SHARD = NNC_ROUTES_OF_LAYERS,
    NNC_ROUTE_REPLICA,
    NNC_ROUTE_EXPERT_SHARD,
    NNC_ROUTE_EXPERT_REPLICA,
    NNC_ROUTE_PIPELINE,
    NNC_ROUTE_COUNT
} nnc_route_kind;

/* Host memory bandwidth in B/s per device if the device file gives none: 307.2e9 B/s for each of two sockets (eight
 * channels of DDR5-4800), shared by eight devices. */
#define NNC_HOST_MEM_BYTES_PER_S 76.8e9

/* Share of the host's memory bandwidth that optimizer updates on the host reach. Fitted: see docs/accuracy.md. */
#define NNC_HOST_UPDATE_SHARE 0.3

typedef struct nnc_network {
    nnc_route routes[NNC_ROUTE_COUNT];
    double host_bytes_per_s;
    double host_mem_bytes_per_s;
} nnc_network;

/* Kinds of offload work, as the member `route` of an offload communication: a transfer over the link between device and
 * host, or an optimizer update in host memory. */
enum { NNC_OFFLOAD_HOST_LINK, NNC_OFFLOAD_HOST_MEMORY };

/* Finds the routes of all groups of ranks of a legal plan. NNC_BAD_SPEC: err names the value that the device file
 * lacks. */
nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network, nnc_error *err);

/* Returns the kind of the group of ranks that runs a collective. Not for offload, which uses the host link and has no
 * group. */
static inline nnc_route_kind nnc_network_route_of(const nnc_collective_op *exchange) {
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Returns the bytes that a collective moves over its route. In dispatch and combine, the k copies of a token go to
 * random ranks in M scale-up domains. Software that sends each token only once per domain (once_per_node) sends it on
 * average to
 *     M (1 - (1 - 1/M)^k)
 * domains instead of k times. ideal = true assumes such software under every plan.   [experts] */
double nnc_network_carried_bytes(const nnc_network *network, const nnc_collective_op *exchange, bool ideal,
                                 nnc_derivation *why);

/* Tests whether two collectives are equal in all values that decide their time. */
bool nnc_network_same(const nnc_collective_op *a, const nnc_collective_op *b);

/* Returns the seconds of one collective in a training step. Sets *link to the name of the link that limits this
 * collective. */
double nnc_network_exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **link);
/* Adds the formula of network_s, the seconds of a collective, to a derivation. Returns the name of the algorithm. */
const char *nnc_network_say_s(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

typedef enum nnc_fabric { NNC_FABRIC_SCALE_UP, NNC_FABRIC_SCALE_OUT, NNC_FABRIC_HOST, NNC_FABRICS } nnc_fabric;

/* Returns the name of a fabric: "scale_up", "scale_out", "host". */
const char *nnc_fabric_name(nnc_fabric fabric);

/* The fabrics that a collective occupies. Only the positions of its ranks decide this, not the speeds of the links. Two
 * collectives run at the same time if their lanes have no fabric in common. */
typedef enum nnc_lane {
    NNC_LANE_SCALE_UP,  /* links inside scale-up domains */
    NNC_LANE_SCALE_OUT, /* links between domains; each domain has one rank of the group */
    NNC_LANE_HOST,
    NNC_LANE_BOTH, /* links inside domains and links between domains */
    NNC_LANES
} nnc_lane;

/* Returns the lane of a collective. An inline function, because it is called for every row of every plan. */
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

/* Sets load_s[fabric] to the seconds for which a collective occupies the links of one rank on each fabric, at datasheet
 * rates. Counts only bytes that every algorithm has to move, and no latency. Links inside and between domains are
 * different links, so each fabric has its own time.   [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_collective_op *exchange, double load_s[NNC_FABRICS]);
/* Adds the formula of network_s to a derivation; here network_s is the sum of the times on all fabrics. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

/* ---- op_rows.c: the op table of one micro-batch ---- */

/* Largest number of rows of an op table: each op of a list has at most one forward row, one recomputed row and
 * NNC_BACKWARD_MAX backward rows; after them come at most NNC_STEP_ROWS_MAX rows of the whole step, such as the
 * update. */
enum { NNC_STEP_ROWS_MAX = 32, NNC_ROWS_MAX = NNC_OPS_MAX * (2 + NNC_BACKWARD_MAX) + NNC_STEP_ROWS_MAX };

/* A function that replaces nnc_op_time and returns the same results, for example from a cache; `context` is its first
 * argument. */
typedef struct nnc_op_timer {
    nnc_timing (*time)(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work);
    void *context;
} nnc_op_timer;

/* Indices of the rows of one op in the op table: its forward row (-1 = it has none) and its first backward row; and the
 * number of its backward rows, without the recomputed row. */
typedef struct nnc_op_place {
    int16_t forward, backward, backward_count;
} nnc_op_place;

typedef struct nnc_rows {
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX];     /* the ops of recomputed, backward and update rows; rows[i].op points to them */
    int32_t count, forward_count; /* count: number of all rows; forward_count: number of forward rows, which come
                                   * first */
    int32_t fresh;                /* index of the first row whose time was computed for the current network; earlier
                                   * rows were copied from another table */
    nnc_op_place places[NNC_OPS_MAX];
    const nnc_op_timer *timer; /* function that computes the times of the rows; NULL = nnc_op_time */
} nnc_rows;

typedef enum nnc_part {
    NNC_PART_FORWARD,
    NNC_PART_BACKWARD,
    NNC_PART_RECOMPUTE,
    NNC_PART_COMM, /* collectives of gradients over the data ranks, once per step */
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

/* Builds the op table of a list of forward ops of one rank: first the rows of all forward ops; then, from the last op
 * to the first, the recomputed row (if there is one) and the backward rows of each op. The repeat of a row is the
 * number of its instances in one micro-batch, over all layers. network NULL: there is no communication. device NULL:
 * only the work of the rows is needed, no times. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                    nnc_rows *rows);

/* A similar op list and its op table. nnc_rows_build_like copies the rows of all ops that are equal in both lists and
 * have the same index. */
typedef struct nnc_rows_like {
    const nnc_op_list *list; /* the similar op list; NULL = no similar list is known */
    int32_t count;           /* only the first `count` ops of the list have rows in the table */
    const nnc_rows *rows;    /* op table of `list`, the similar op list, with times on the same device */
    bool same_routes;
} nnc_rows_like;
void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, const nnc_rows_like *like, nnc_rows *rows);

/* Computes the times of all collectives in a table again, for the routes of another network. */
void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network);

/* Sets the share of micro-batches whose weight gradient is added to an existing gradient, and computes the times of
 * weight gradients again. */
void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share);

/* Builds an op table that has only the rows of the ops from index `first` on. */
void nnc_rows_build_rest(const nnc_op_list *list, int32_t first, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, nnc_rows *rows);

/* Joins two op tables of one list: `base` has the rows of its first ops, `rest` those of the other ops. The rows of the
 * result point to ops in `base` and `rest`, which must exist as long as the result. */
void nnc_rows_join(const nnc_rows *base, const nnc_rows *rest, nnc_rows *rows);

/* Tests whether a row is a compute-bound matrix product or attention, which gets slower with fewer units or a lower
 * clock. */
bool nnc_row_fills_units(const nnc_op_cost *row);

/* nnc_rows_lent_factor returns the factor by which compute-bound matrix products and attention get slower while kernels
 * of expert communication occupy some compute units (network_units of the profile); 1 = no slowdown. nnc_rows_lend
 * applies the factor to the rows. */
double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan, const nnc_software *software);
void nnc_rows_lend(nnc_rows *rows, double factor);

/* Appends a row for a copy of `op`, with its work and time. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network,
                  double repeat);

/* Returns the watts that the device may draw: its board limit, or the power cap that the user sets if it is lower. NaN
 * = the device file gives no board limit, and there is no cap. */
double nnc_power_limit(const nnc_device *device);

/* If the user sets a power cap: checks that the device file has the power values that the slowdown needs. NNC_BAD_SPEC:
 * values are missing, or the cap is not above the idle power. */
nnc_status nnc_power_check(const nnc_device *device, nnc_error *err);

/* Slows down the compute-bound matrix products and attention of a pass if its average power would be above the limit.
 * Changes no row if the power is below the limit, or if the device file has no power values.
 *     p = (sum(s F / P) + sum(m B / M)) / T        power of the work, relative to power_w
 *     slowdown = max(1, (p / (limit / power_w - i))^g)
 * power_w: board limit. i: idle share of power_w. s: share that the matrix units draw at their peak P (FLOP/s). m:
 * share that the memory draws at its bandwidth M (B/s). F, B: FLOPs and bytes of a row. T: seconds of all rows at full
 * clock. g: exponent from the device file. p falls if T grows, but for g <= 1 T times the slowdown still grows, so a
 * pass with longer T never ends earlier. Source of the values: docs/accuracy.md.   [power-limit] */
void nnc_power_throttle(nnc_rows *rows, const nnc_device *device);

/* ---- memory.c: bytes in the memory of one device ---- */

/* Returns the number of instances of an op in one instance of its segment, such as one layer. */
static inline double nnc_op_instances(const nnc_op_list *list, const nnc_op *op) {
    return (double)op->repeat / (double)list->segments[op->segment].instances;
}

/* Returns the number of trained parameters of an op; 0 if its weights are frozen, or are a table that is updated in
 * place. */
static inline double nnc_op_trained_params(const nnc_op *op) {
    const nnc_weights *w = &op->weights;
    return op->frozen || op->in_place ? 0.0 : (double)w->count * (double)w->rows * (double)w->cols + (double)w->vector;
}

/* Numbers of parameters and other sizes that an optimizer needs, summed over ops. */
typedef struct nnc_parameters {
    double params, matrix_params, factored_elements, orthogonalise_flops;
    double projected_params, projected_elements, projected_products;
    double table_params; /* number of parameters in tables that are updated in place; they are part of `params` */
} nnc_parameters;

/* Sums over the ops of one instance of a segment (the embedding, one of several equal layers, the head) on one rank. A
 * pipeline stage holds several instances of a segment. */
typedef struct nnc_segment_sums {
    nnc_parameters dense, expert;         /* trained parameters: outside experts (dense), and of experts (expert), which
                                           * fewer ranks have copies of */
    nnc_parameters frozen, frozen_expert; /* frozen parameters: outside experts (frozen), and of experts
                                           * (frozen_expert) */
    double kept_bytes;                    /* bytes kept for backward if nothing is recomputed */
    double input_bytes;                   /* bytes kept under full recomputation: inputs of recompute blocks, and
                                           * tensors of ops outside blocks */
    double live_bytes;                    /* bytes of the tensors of the largest recompute block, which are all in
                                           * memory while backward runs the block again */
    double again_bytes;                   /* if single modules are recomputed: the most bytes that backward computes
                                           * again within one recompute block */
    double unit_params;                   /* trained parameters of the ZeRO-3 unit that has the most */
    double unit_frozen;                   /* frozen parameters of the ZeRO-3 unit that has the most */
    double transient_bytes;               /* bytes of the largest working set of an op in backward */
    const char *transient_what;           /* name of the largest working set in outputs; NULL = "gradients of
                                           * activations" */
} nnc_segment_sums;

/* Computes the sums of all segments of the list: sums[s] for segment s. */
void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* The layers that one device of the pipeline holds: number of instances of each segment. */
typedef struct nnc_stage_residency {
    int64_t instances[NNC_SEGMENTS_MAX];
    int64_t recomputed[NNC_SEGMENTS_MAX]; /* number of instances that backward runs again from their kept inputs (full
                                           * recomputation) */
    int32_t segments;                     /* number of segments; array elements from this index on are not set */
    double in_flight;                     /* number of micro-batches whose activations the device keeps at the same
                                           * time */
    bool uneven;                          /* true: the chunks of the device hold different segments, so each segment has
                                           * its own number in `flight` */
    bool uneven_layers;                   /* true: the chunks also differ in their numbers of layers, not only in
                                           * embedding and head */
    bool odd_more;                        /* true: odd_chunk holds more layers than the other chunks */
    int32_t odd_chunk;                    /* index of the only chunk that differs from the others; -1 = no chunk
                                           * differs, or more than one */
    double flight[NNC_SEGMENTS_MAX];      /* number of micro-batches whose activations of this segment the device keeps
                                           * at its memory peak */
} nnc_stage_residency;

/* Tests whether two devices hold the same layers and recompute the same number of them. Their micro-batches in flight
 * may differ. */
static inline bool nnc_stage_residency_same(const nnc_stage_residency *a, const nnc_stage_residency *b) {
    bool same = true;
    for (int32_t s = 0; s < a->segments; s++) {
        same = same && a->instances[s] == b->instances[s] && a->recomputed[s] == b->recomputed[s];
    }
    return same;
}
/* Copies all members except `flight`, and of the arrays only the elements of the segments of `from`. */
void nnc_stage_residency_copy(nnc_stage_residency *to, const nnc_stage_residency *from);
/* Sets the micro-batches in flight of a device (in_flight), and of each of its segments (flight), to the same
 * number. */
void nnc_holding_keep(nnc_stage_residency *holding, double in_flight);
/* Returns the bytes that one micro-batch keeps in all instances of a segment on a device. */
double nnc_segment_kept_bytes(const nnc_segment_sums *sum, const nnc_stage_residency *holding, const nnc_plan *plan,
                              int32_t segment);

/* Bytes that one micro-batch keeps for backward on one device. */
typedef struct nnc_kept {
    double bytes;
    double largest_layer_bytes;
    double ends_bytes; /* kept bytes of embedding and head, the segments that are not layers */
    /* of each segment: its kept bytes (segment_bytes), and its micro-batches in flight as in nnc_stage_residency
     * (flight) */
    double segment_bytes[NNC_SEGMENTS_MAX], flight[NNC_SEGMENTS_MAX];
    /* true: the number in flight of some segment is not in_flight of nnc_stage_residency */
    bool uneven;
} nnc_kept;

/* Sums over all segments that a device holds, before ZeRO and offload are applied. */
typedef struct nnc_resident_bytes {
    /* parameters on the device: trained outside experts (dense), trained of experts (expert), frozen outside experts
     * (frozen), frozen of experts (frozen_expert) */
    nnc_parameters dense, expert, frozen, frozen_expert;
    /* parameters of frozen helper models on the device: outside experts (helper), of experts (helper_expert) */
    nnc_parameters helper, helper_expert;
    nnc_kept kept;
    double op_bytes, block_bytes; /* working set of an op (op_bytes) and live bytes of a recomputed block (block_bytes),
                                   * both of the segment for which their sum is largest */
    const char *op_what;
    double unit_params, unit_frozen; /* the largest number of trained (unit_params) and of frozen parameters
                                      * (unit_frozen) in one ZeRO-3 unit */
    bool replayed;                   /* true: gradients appear in backward while activations are freed, so the peak was
                                      * computed as one moment of backward */
    struct {
        double gradient_bytes, activation_bytes, op_bytes, block_bytes, cast_bytes, workspace_bytes;
        const char *what;
    } peak;                     /* if `replayed` is true: bytes at the moment of backward with the most bytes in
                                 * memory */
    double largest_block_bytes; /* bytes of the largest short-lived tensor: half of the largest working set of an op */
} nnc_resident_bytes;
nnc_resident_bytes nnc_resident_bytes_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_plan *plan,
                                         const nnc_software *software);

/* Returns the working bytes of a device: the activations of its micro-batches in flight, plus the largest working set
 * of an op and of a recomputed block. The other bytes of the device follow from its parameters, the ZeRO stage and
 * offload. So if two plans differ only in working bytes, the one with more working bytes never needs less memory; an
 * exception is a single device whose peak is computed as one moment of backward. */
double nnc_working_bytes(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                         const nnc_stage_residency *holding, const nnc_plan *plan);

/* Returns the bytes in the memory of a device at the peak of a step: weights, gradients and optimizer states, by
 * precision policy and ZeRO stage; activations of the micro-batches in flight (under full recomputation only inputs of
 * blocks); the largest working set. nnc_memory_say also adds the formulas to a derivation. Sources: ZeRO
 * arXiv:1910.02054; docs/formulas.md.   [memory] */
nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                         const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes);
nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                          const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                          nnc_derivation *why);
/* Returns the same as nnc_memory_of, from sums of the device that were computed before. Plans that differ only in ZeRO
 * stage and offload have the same sums. */
nnc_memory nnc_memory_of_resident(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                                  const nnc_stage_residency *holding, const nnc_plan *plan,
                                  const nnc_software *software, int64_t capacity_bytes);
/* Returns a copy of *same (the memory of a device with the same layers) in which the activations, and all values that
 * depend on them, are computed for the micro-batches in flight of `holding`. */
nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software);

/* Returns whether a plan fits, is tight, or does not fit, from total_bytes and the range of measured peaks
 * (total_interval_bytes). */
nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes);
/* Returns the probability that a device needs more bytes than its capacity. Assumes that the needed bytes have a
 * lognormal distribution around total_bytes and lie in total_interval_bytes with a probability of 90 %. */
double nnc_memory_risk(const nnc_memory *memory, int64_t capacity_bytes);

/* Returns the number of parameters of a device, trained and frozen, before ZeRO divides them. */
double nnc_stage_residency_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding);
/* Returns the trained parameters of a device: those of experts if `expert` is true, else those outside experts. */
nnc_parameters nnc_stage_residency_trained(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                           bool expert);
/* Sets the sizes of an optimizer update to the parameters that one device updates, after ZeRO. */
void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert, const nnc_plan *plan,
                           nnc_update *update);

/* Returns the bytes of frozen parameters. The plan decides the format of the matrices of linear layers. Tables that are
 * updated in place take 4 B per parameter; all other parameters take 2 B, or 4 B if the plan stores frozen weights in
 * 32 bits. */
double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan);

/* Return the number of ranks that divide parameters under ZeRO: outside experts (nnc_dense_shards), of experts
 * (nnc_expert_shards); 1 = without ZeRO. */
double nnc_dense_shards(const nnc_plan *plan);
double nnc_expert_shards(const nnc_plan *plan);

/* Tests whether the plan is a pipeline in ZeRO 3 without resharding: it adds up whole gradients and scatters them after
 * the last micro-batch. PyTorch does so: backward_maybe_with_nosync of torch/distributed/pipelining/stage.py turns
 * set_requires_gradient_sync and set_reshard_after_backward off. */
bool nnc_gradients_stay_whole(const nnc_plan *plan);

/* Returns the activation bytes of one GPT layer with a plain MLP for one micro-batch, by the published formula:
 *     s b h (10 + 24 / t + 5 a s / (h t))
 * s: sequence length. b: micro-batch. h: hidden size. a: heads. t: tensor ranks. With sequence parallelism the whole
 * expression is divided by t, with selective recomputation the last term is left out, and with full recomputation only
 * 2 s b h is kept. Source: Korthikanti et al., arXiv:2205.05198, table 2.   [korthikanti] */
double nnc_korthikanti_layer_bytes(const nnc_decoder *decoder, const nnc_plan *plan);

/* ---- peak_moment.c: the memory peak as one moment of backward ---- */

/* Finds the moment of backward with the most bytes in memory, and sets held->peak to its bytes. Does nothing unless the
 * plan has one device and one micro-batch, because only then do gradients appear while activations are freed. */
void nnc_peak_moment(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                     const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                     nnc_resident_bytes *held);

/* Returns the bytes that an update over lists of tensors (foreach) allocates: for Adam and RMSprop the square root of
 * the second moment of all parameters; 0 for other kernels.   [optimizer-kernels] */
double nnc_list_update_bytes(const nnc_resident_bytes *held, const nnc_plan *plan);
extern const char *const nnc_update_what; /* name of the bytes of nnc_list_update_bytes in outputs */

/* ---- heap.c: new memory of a step on a CPU ---- */

/* The heap of a program on a CPU, as malloc of glibc 2.36 manages it. A block takes the smallest free hole that is
 * large enough, else the top of the heap. If the top is too small, a block of at least mapped_least bytes is mapped
 * separately, and any other block extends the heap. Freeing a mapped block raises mapped_least to its size and
 * trim_least to twice its size. If at least trim_least bytes are free at the end of the heap, this end is given back to
 * the operating system. Pages of mapped blocks are new to the program, and so are pages of the heap above the address
 * `touched`. Source: functions sysmalloc, _int_malloc, _int_free, systrim and free in malloc.c of glibc. */
typedef struct nnc_hole {
    int64_t at, size;
} nnc_hole;
typedef struct nnc_heap {
    int64_t mapped_least, trim_least, top, end, touched;
    double new_bytes;
    int32_t count;
    nnc_hole *holes; /* free blocks below the top of the heap, in the order of their addresses */
} nnc_heap;
enum { NNC_HEAP_MAPPED = -1 };
/* Allocates a block of `bytes` bytes and returns its address in the heap; NNC_HEAP_MAPPED = malloc maps the block
 * separately. */
int64_t nnc_heap_take(nnc_heap *heap, int64_t bytes);
void nnc_heap_free(nnc_heap *heap, int64_t at, int64_t bytes);

/* Returns the bytes that a training step on a CPU writes to memory that is new to the program, per trained parameter.
 * (PyTorch on a CPU takes each tensor from malloc and frees it.) passes: passes per step. NaN: memory ran out. */
double nnc_new_bytes_per_param(const nnc_op_list *list, const nnc_plan *plan, const nnc_software *software,
                               int64_t passes);

#endif
