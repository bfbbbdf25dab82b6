/* Functions of src/cost: seconds of one op on one device, seconds of one collective between ranks, bytes in the memory
 * of one device. Whole training steps are computed in other folders (src/pipeline, src/estimate), which call the
 * functions of src/cost.
 *
 * The file op_time.c computes the seconds of an op on one device from its work (roofline, matmul, attention, conv). The
 * file collective.c computes the seconds of a collective from the bytes that it moves over a route. The file network.c
 * finds the route of a group of ranks, which is the links that the group uses; it also computes the seconds of a plan's
 * communication, and the busy time of each fabric. The file op_rows.c makes the op table from the op list of one rank:
 * forward, recomputed and backward ops with their times. The file memory.c computes the bytes in the memory of a device
 * from the ops that it holds. The file peak_moment.c finds the moment of backward with the most bytes. The file heap.c
 * computes the bytes that a step on a CPU writes to new memory.
 *
 * A function with a parameter `nnc_derivation *why` adds its formulas to this derivation (base/base_internal.h). If
 * `why` is NULL, the function adds no formulas and returns exactly the same result. */
#ifndef NNCOST_COST_COST_INTERNAL_H
#define NNCOST_COST_COST_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* ---- op_time.c: seconds of one op on one device ---- */

/* Times of one instance of an op in seconds. compute_s: time that the compute units need; memory_s: time that the
 * memory needs; fixed_s: time that does not depend on the size of the op. time_s: time of the op, at least fixed_s +
 * max(compute_s, memory_s). bound: the resource with the largest of the three times; fixed_s counts for the host. */
typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Returns the seconds of one op by the roofline model with the fitted efficiencies of the device:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * f and g are the fractions of the peak and of the memory bandwidth that this kind of kernel reaches; t0 is the fixed
 * time of the kernel. Without fitted values f and g are 1 and t0 is 0. Matrix products, convolutions and fused
 * attention have more detailed formulas; without fitted values, all of them give the time t of the roofline. If the
 * vector peak of the device is not known, the term vector_flops / vector peak is left out. The function must not be
 * called for collectives, whose time nnc_network_exchange_s returns. Source: Williams, Waterman, Patterson, CACM 52(4),
 * 2009.   [roofline] [gemm-time] [flash-time] [conv-time] */
nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why);

/* Returns a lower bound of the time of a matrix product. The bound is proportional to the number of tokens: with r
 * times as many tokens (r >= 1), r times the returned value is a lower bound too. The returned value is the time for
 * the FLOPs of the product at the rate of short kernels. The formula counts two tokens per expert less than the product
 * has, because numbers of tokens are rounded. Returns 0 for an op that is no matrix product. */
double nnc_product_least_s(const nnc_device *device, const nnc_op *op, const nnc_work *work);

/* Adds the FLOPs and bytes of an op to a derivation as operands, so that formulas that are added later can use them. */
NNC_SAYING void nnc_say_work(const nnc_work *work, nnc_derivation *why) {
    NNC_PUT(why, work->flops, "FLOP");
    NNC_PUT(why, work->vector_flops, "FLOP");
    NNC_PUT(why, work->read_bytes, "B");
    NNC_PUT(why, work->write_bytes, "B");
}

/* ---- network.c: the links that a group of ranks uses (its route) ---- */

/* The links that a group of ranks r, r + stride, r + 2 stride ... uses. All groups with the same stride communicate at
 * the same time, so each rate of a route is the rate that one of these groups gets. If `inner` is 1, the members
 * inner_* have no meaning; if `outer` is 1, the members outer_* have no meaning. */
typedef struct nnc_route {
    int32_t size;             /* number of ranks in the group that uses the route */
    int32_t inner, outer;     /* inner: number of ranks of the group in one scale-up domain; outer: number of domains
                               * that the group spans */
    double inner_bytes_per_s; /* rate of all links of one rank to other ranks of the group in its domain, in one
                               * direction */
    double inner_latency_s;
    /* rate with which one rank sends to other domains, limited by NICs and oversubscription */
    double outer_bytes_per_s;
    double outer_latency_s;
    double link_bytes_per_s; /* rate from one rank to another rank of the group in its domain; on a torus, rate of one
                              * whole link */
    int32_t axes;            /* torus, ring: number of axes that the ranks inside a domain span; 0 = every pair of ranks
                              * has a direct path */
    int32_t axis_length[3];  /* number of ranks of the group along each axis of the torus or ring */
    /* along each axis: number of links from one rank of the group to the next, which is also the number of groups that
     * share each link */
    int32_t axis_stride[3];
    bool axis_wraps[3];
    const nnc_collective_efficiencies *fitted; /* fitted values of the device for collectives; NULL = the device has
                                                * none */
    double knee_bytes;                         /* knee of the slower link in bytes: smaller messages do not reach the
                                                * bandwidth of the link */
    bool reduces_in_switch;
    const char *link; /* link that limits the time of large messages, "scale_up" or "scale_out"; static storage */
} nnc_route;

/* Finds the route of a group of `size` ranks whose rank numbers differ by `stride`, among `devices` ranks. A scale-up
 * domain has devices_per_node ranks (0 = scale_up.devices of the device file). On a torus, devices_per_node is the size
 * of a slice, at most the size of the pod. Without a scale-up fabric (kind none) every rank is a domain of its own.
 * Successive rank numbers fill one domain before the next domain; on a torus they fill the shortest axis first. size,
 * stride and devices must be at least 1. If the group does not fill domains evenly, route->inner is rounded down and
 * route->outer is rounded up. A latency that the device file does not give is 0. NNC_BAD_SPEC: err names the value that
 * the device file lacks (scale_up.devices, scale_up.bytes_per_s, scale_out.bytes_per_s).   [routes] */
nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node, int32_t size,
                          int32_t stride, nnc_route *route, nnc_error *err);

/* ---- collective.c: seconds of a collective over a route ---- */

/* Flags for algorithms of collectives. Combined flags are the allowed algorithms; a collective uses the fastest allowed
 * algorithm. */
enum {
    NNC_ALGORITHM_RING = 1, /* ring; in an all-to-all over several domains: direct sends between all pairs */
    NNC_ALGORITHM_TREE = 2,
    NNC_ALGORITHM_HIERARCHICAL = 4,
    NNC_ALGORITHM_IN_NETWORK = 8,
    NNC_ALGORITHM_ALL = 15
};

/* Returns the seconds of one collective at datasheet rates. bytes: size of the full tensor, which is the result of an
 * all-gather, the input of a reduce-scatter, the data that one rank sends in an all-to-all, or the message of a p2p or
 * broadcast. Returns 0 for a group of one rank. A link with a knee of V0 bytes is slower for small messages: S bytes
 * take as long as S (1 + sqrt(V0 / S)) bytes on a link without a knee; V0 is the knee of the slower link of the route.
 * Sources: Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing 35(12), 2009 (double
 * tree); "How to Scale Your Model", jax-ml.github.io/scaling-book (torus).   [collectives] */
double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes);
/* Returns the seconds of a collective at datasheet rates, as nnc_collective_s does, but with the algorithms in
 * `allowed` only. If no allowed algorithm works on the route, uses the first algorithm that works, which is the ring in
 * most cases. A torus has its own algorithms, which are always allowed. */
double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed);
/* Returns the seconds that nnc_collective_by_s returns, and sets *by to the name of the used algorithm: "ring", "tree"
 * ... */
double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed,
                            nnc_derivation *why, const char **by);

/* Returns the seconds t of a collective with the fitted efficiencies of the device. Without fitted efficiencies,
 * returns the seconds that nnc_collective_s returns.
 *     t = R (1 + sqrt(knee_bytes / V)) + fixed_s + log2_s log2(n) + scale_out_fixed_s
 * V is the number of bytes that one rank sends, and n is the number of ranks of the group in one domain. R is the time
 * of nnc_collective_s at the rates that collectives reach, which are link rate x bus_fraction (1 - small_group_loss /
 * n^2) and NIC rate x scale_out_fraction. R does not include the reduction in the network switch, because the fitted
 * rates were measured with this reduction. The term scale_out_fixed_s is added only if the group spans several domains.
 * [collectives-fitted] */
double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes);
double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes, nnc_derivation *why,
                                      const char **by);

/* Returns the bytes that one rank sends in a collective of `size` ranks if the algorithm is a ring. bytes: size of the
 * full tensor. */
double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes);

/* ---- network.c: routes of a plan, seconds and loads of its communication ---- */

/* Groups of ranks that communicate. Gradients of parameters outside experts are summed over data x context ranks,
 * gradients of experts over the ranks that hold the same experts. A shard group consists of ranks that together hold
 * one copy of the tensors that ZeRO divides. A replica group consists of ranks that hold the same part of the tensors
 * that ZeRO divides. */
typedef enum nnc_route_kind {
    NNC_ROUTE_TENSOR,
    NNC_ROUTE_CONTEXT,
    NNC_ROUTE_EXPERT,
    NNC_ROUTES_OF_LAYERS, /* number of the kinds of groups listed above; these groups run the collectives inside
                           * layers */
    NNC_ROUTE_SHARD = NNC_ROUTES_OF_LAYERS,
    NNC_ROUTE_REPLICA,
    NNC_ROUTE_EXPERT_SHARD,
    NNC_ROUTE_EXPERT_REPLICA,
    NNC_ROUTE_PIPELINE,
    NNC_ROUTE_COUNT
} nnc_route_kind;

/* Host memory bandwidth per device in B/s, if the device file gives none: 307.2e9 B/s for each of two sockets (eight
 * channels of DDR5-4800), divided by eight devices. */
#define NNC_HOST_MEM_BYTES_PER_S 76.8e9

/* Share of the host memory bandwidth that optimizer updates in host memory reach. Fitted: see docs/accuracy.md. */
#define NNC_HOST_UPDATE_SHARE 0.3

typedef struct nnc_network {
    nnc_route routes[NNC_ROUTE_COUNT];
    double host_bytes_per_s;
    double host_mem_bytes_per_s;
} nnc_network;

/* Kinds of work for offload, stored in the member `route` of an offload communication: a transfer over the link between
 * device and host, or an optimizer update in host memory. */
enum { NNC_OFFLOAD_HOST_LINK, NNC_OFFLOAD_HOST_MEMORY };

/* Finds the routes of all groups of ranks of a legal plan. NNC_BAD_SPEC: err names the value that the device file
 * lacks. */
nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network, nnc_error *err);

/* Returns the kind of group of ranks that runs a collective. Must not be called for transfers of offload, which use the
 * host link and have no group of ranks. */
static inline nnc_route_kind nnc_network_route_of(const nnc_collective_op *exchange) {
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Returns the mean number of domains, out of `domains`, that the copies of a token reach in dispatch. Reads the
 * members copies, groups and groups_met of `op`.   [experts] */
double nnc_network_reached_domains(const nnc_collective_op *op, double domains, nnc_derivation *why);

/* Returns the bytes that a collective moves over its route. In dispatch and combine, each token has k copies, which go
 * to random ranks in M scale-up domains. Software that sends a token only once to each domain (once_per_node) sends the
 * token on average to
 *     M (1 - (1 - 1/M)^k)
 * domains, not k times. ideal = true assumes once_per_node in every plan.   [experts] */
double nnc_network_carried_bytes(const nnc_network *network, const nnc_collective_op *exchange, bool ideal,
                                 nnc_derivation *why);

/* Tests whether two collectives take the same time: all values that determine the time are equal. */
bool nnc_network_same(const nnc_collective_op *a, const nnc_collective_op *b);

/* Returns the seconds of one collective in a training step. Sets *link to the name of the link that limits the
 * collective. */
double nnc_network_exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **link);
/* Adds to a derivation the formula for the seconds of a collective (network_s). Returns the name of the used
 * algorithm. */
const char *nnc_network_say_s(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

typedef enum nnc_fabric { NNC_FABRIC_SCALE_UP, NNC_FABRIC_SCALE_OUT, NNC_FABRIC_HOST, NNC_FABRICS } nnc_fabric;

/* Returns the name of a fabric: "scale_up", "scale_out" or "host". */
const char *nnc_fabric_name(nnc_fabric fabric);

/* A lane is the set of fabrics that a collective occupies. The lane depends on the positions of the ranks, not on the
 * speeds of the links. Two collectives can run at the same time if their lanes have no fabric in common. */
typedef enum nnc_lane {
    NNC_LANE_SCALE_UP,  /* links inside scale-up domains */
    NNC_LANE_SCALE_OUT, /* links between scale-up domains; the group has one rank in each domain */
    NNC_LANE_HOST,
    NNC_LANE_BOTH, /* links inside scale-up domains and links between domains */
    NNC_LANES
} nnc_lane;

/* Returns the lane of a collective. The function is inline, because searches call it for every row of every plan. */
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

/* Sets load_s[fabric] to the seconds for which a collective occupies the links of one rank on this fabric, at datasheet
 * rates. The occupied time contains only the bytes that every algorithm must move, and no latency. Links inside domains
 * and links between domains are different, so each fabric has its own time. [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_collective_op *exchange, double load_s[NNC_FABRICS]);
/* Adds to a derivation the formula for the occupied time of a collective, under the name network_s: the sum of its
 * times on all fabrics. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

/* ---- op_rows.c: the op table of one micro-batch on one rank ---- */

/* Largest number of rows of an op table. Each op of a list has at most one forward row, one recomputed row and
 * NNC_BACKWARD_MAX backward rows. After the rows of all ops come at most NNC_STEP_ROWS_MAX rows for the whole step,
 * such as the update. */
enum { NNC_STEP_ROWS_MAX = 32, NNC_ROWS_MAX = NNC_OPS_MAX * (2 + NNC_BACKWARD_MAX) + NNC_STEP_ROWS_MAX };

/* A function that is called in place of nnc_op_time and returns the same times, for example from a cache. `context` is
 * the first argument of the function that replaces nnc_op_time. */
typedef struct nnc_op_timer {
    nnc_timing (*time)(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work);
    void *context;
} nnc_op_timer;

/* Places of the rows of one op in the op table. forward: index of the forward row (-1 = the op has no forward row);
 * backward: index of the first backward row; backward_count: number of backward rows, without the recomputed row. */
typedef struct nnc_op_place {
    int16_t forward, backward, backward_count;
} nnc_op_place;

typedef struct nnc_rows {
    int32_t count, forward_count; /* count: number of all rows; forward_count: number of forward rows, which come
                                   * first */
    int32_t fresh;                /* index of the first row whose time was computed for the current network; earlier
                                   * rows were copied from another table */
    const nnc_op_timer *timer;    /* function that computes the times of rows; NULL = nnc_op_time */
    nnc_op_place places[NNC_OPS_MAX];
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX]; /* ops of the recomputed, backward and update rows, to which rows[i].op points */
} nnc_rows;

typedef enum nnc_part {
    NNC_PART_FORWARD,
    NNC_PART_BACKWARD,
    NNC_PART_RECOMPUTE,
    NNC_PART_COMM, /* collectives of gradients between data ranks, once per step */
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

/* Builds the op table of a list of forward ops of one rank. The op table begins with the forward rows of all ops. The
 * recomputed row (if the op is recomputed) and the backward rows of each op follow, from the last op to the first. The
 * repeat of a row is the number of instances of the op in one micro-batch, over all layers. network NULL: the plan has
 * no communication. device NULL: the rows get work, but no times. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                    nnc_rows *rows);

/* An op list that is similar to the op list for which a table is built, and the op table of the similar list.
 * nnc_rows_build_like copies the rows of the ops that are equal in both lists and have the same index in both. */
typedef struct nnc_rows_like {
    const nnc_op_list *list; /* the similar op list; NULL = no similar op list is known */
    int32_t count;           /* number of ops at the beginning of `list` whose rows are in `rows` */
    const nnc_rows *rows;    /* op table of the similar op list, with times on the same device */
    bool same_routes;
} nnc_rows_like;
void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, const nnc_rows_like *like, nnc_rows *rows);

/* Computes the times of all collectives in an op table again, after the routes between ranks have changed to the routes
 * of `network`. */
void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network);

/* Sets the share of micro-batches whose weight gradients are added to gradients of earlier micro-batches, and computes
 * the times of the weight gradient rows again. */
void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share);

/* Builds an op table with only the rows of the ops whose index in the list is `first` or larger. */
void nnc_rows_build_rest(const nnc_op_list *list, int32_t first, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, nnc_rows *rows);

/* Joins two op tables for one op list: `base` has the rows of the first ops, `rest` has the rows of all further ops.
 * The rows of the result point to ops in `base` and `rest`, which must stay in memory as long as the result is used. */
void nnc_rows_join(const nnc_rows *base, const nnc_rows *rest, nnc_rows *rows);

/* Tests whether a row is a compute-bound matrix product or attention. A compute-bound row gets slower if fewer units
 * are free or the clock is lower. */
bool nnc_row_fills_units(const nnc_op_cost *row);

/* nnc_rows_lent_factor returns the factor by which matrix products and attention get slower while kernels of expert
 * communication occupy some units of the device (network_units of the profile); 1 = they get no slower.
 * nnc_row_lent_factor returns the factor by which one such op gets slower if its compute takes `factor` times as long.
 * For an op that memory limits, the returned factor is less than `factor`, and it is 1 if memory also limits the op on
 * fewer units. nnc_rows_lend multiplies the times of matrix products and attention by their factors. */
double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan, const nnc_software *software);
double nnc_row_lent_factor(double compute_s, double memory_s, nnc_bound bound, double factor);
void nnc_rows_lend(nnc_rows *rows, double factor);

/* Appends a row to an op table: a copy of `op`, with its work and its time. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network,
                  double repeat);

/* Returns the power in watts that the device may draw: the smaller of its board limit and the power cap of the user.
 * NaN = the device file gives no board limit, and the user set no cap. */
double nnc_power_limit(const nnc_device *device);

/* Checks, if the user sets a power cap, that the device file has the power values from which the slowdown is computed.
 * NNC_BAD_SPEC: power values are missing, or the cap is not above the idle power. */
nnc_status nnc_power_check(const nnc_device *device, nnc_error *err);

/* Makes the times of compute-bound matrix products and attention longer if the average power of a pass would be above
 * the power limit of the device. Changes no row of the op table if the average power is below the limit, or if the
 * device file has no power values.
 *     p = (sum(s F / P) + sum(m B / M)) / T        power of the work, relative to power_w
 *     slowdown = max(1, (p / (limit / power_w - i))^g)
 * The device file gives power_w, the board limit. The idle device draws the share i of power_w, the matrix units draw
 * the share s at their peak P (FLOP/s), and the memory draws the share m at its bandwidth M (B/s). F and B are the
 * FLOPs and the bytes of a row of the op table, T is the time of all rows in seconds at full clock, and g is an
 * exponent from the device file. If the time T of a pass grows, its power p falls; but for g <= 1 the product of T and
 * the slowdown grows, so that a pass with a longer T never ends earlier. Source of the values: docs/accuracy.md.
 * [power-limit] */
void nnc_power_throttle(nnc_rows *rows, const nnc_device *device);

/* ---- memory.c: bytes in the memory of one device ---- */

/* Returns how many times an op occurs in one instance of its segment (for example in one layer). */
static inline double nnc_op_instances(const nnc_op_list *list, const nnc_op *op) {
    return (double)op->repeat / (double)list->segments[op->segment].instances;
}

/* Returns the number of trained parameters of an op; 0 if the weights of the op are frozen, or if they are a table that
 * is updated in place. */
static inline double nnc_op_trained_params(const nnc_op *op) {
    const nnc_weights *w = &op->weights;
    return op->frozen || op->in_place ? 0.0 : (double)w->count * (double)w->rows * (double)w->cols + (double)w->vector;
}

/* Numbers of parameters, and other sizes from which the work and the memory of an optimizer are computed, summed over
 * ops. */
typedef struct nnc_parameters {
    double params, matrix_params, factored_elements, orthogonalise_flops;
    double projected_params, projected_elements, projected_products;
    double table_params; /* the parameters in tables that are updated in place; `params` includes them */
} nnc_parameters;

/* Sums of parameters and bytes over the ops of one instance of a segment on one rank. A segment is the embedding,
 * successive equal layers (one instance is one layer), or the head. A pipeline stage has several instances of a
 * segment. */
typedef struct nnc_segment_sums {
    nnc_parameters dense, expert;         /* trained parameters: outside experts (dense), and of experts (expert); fewer
                                           * ranks have copies of the parameters of experts */
    nnc_parameters frozen, frozen_expert; /* frozen parameters: outside experts (frozen), and of experts
                                           * (frozen_expert) */
    double kept_bytes;                    /* bytes that forward keeps for backward if nothing is recomputed */
    double input_bytes;                   /* bytes kept under full recomputation: inputs of recompute blocks, and
                                           * tensors of ops outside blocks */
    double live_bytes;                    /* bytes of the tensors of the largest recompute block, which are all in
                                           * memory while backward runs the block again */
    double again_bytes;                   /* if single modules are recomputed: the most bytes that backward computes
                                           * again within one recompute block */
    double unit_params;                   /* trained parameters of the ZeRO-3 unit with the most trained parameters */
    double unit_frozen;                   /* frozen parameters of the ZeRO-3 unit with the most frozen parameters */
    double transient_bytes;               /* bytes of the largest working set that an op has in backward */
    const char *transient_what;           /* name of the largest working set in outputs; NULL = "gradients of
                                           * activations" */
} nnc_segment_sums;

/* Computes the sums of parameters and bytes over the ops of each segment of an op list: sums[s] for the segment with
 * index s. */
void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* The layers that one device of a pipeline holds, as the number of instances of each segment. */
typedef struct nnc_stage_residency {
    int64_t instances[NNC_SEGMENTS_MAX];
    int64_t recomputed[NNC_SEGMENTS_MAX]; /* number of instances that backward runs again from their kept inputs (full
                                           * recomputation) */
    int32_t segments;                     /* number of segments; array elements with this index and above are unused */
    double in_flight;                     /* number of micro-batches whose activations the device keeps at the same
                                           * time */
    bool uneven;                          /* true: the chunks of the device hold different segments, so each segment has
                                           * its own number in `flight` */
    bool uneven_layers;                   /* true: the chunks also differ in their numbers of layers, not only in
                                           * embedding and head */
    bool odd_more;                        /* true: odd_chunk has more layers than the other chunks of the device */
    /* index of the only chunk that differs from the other chunks; -1 = no chunk or several chunks differ */
    int32_t odd_chunk;
    double flight[NNC_SEGMENTS_MAX]; /* number of micro-batches whose activations of this segment the device keeps
                                      * at its memory peak */
} nnc_stage_residency;

/* Tests whether two devices of a pipeline hold the same layers and recompute the same number of layers. The two devices
 * may differ in their numbers of micro-batches in flight. */
static inline bool nnc_stage_residency_same(const nnc_stage_residency *a, const nnc_stage_residency *b) {
    bool same = true;
    for (int32_t s = 0; s < a->segments; s++) {
        same = same && a->instances[s] == b->instances[s] && a->recomputed[s] == b->recomputed[s];
    }
    return same;
}
/* Copies an nnc_stage_residency without its member `flight`. The arrays of the struct are copied only up to the number
 * of segments. */
void nnc_stage_residency_copy(nnc_stage_residency *to, const nnc_stage_residency *from);
/* Sets the number of micro-batches in flight of a device (in_flight), and the same number for each of its segments
 * (flight). */
void nnc_holding_keep(nnc_stage_residency *holding, double in_flight);
/* Returns the bytes that one micro-batch keeps for backward in all instances of a segment on one device. */
double nnc_segment_kept_bytes(const nnc_segment_sums *sum, const nnc_stage_residency *holding, const nnc_plan *plan,
                              int32_t segment);

/* Bytes that one micro-batch keeps for backward in the memory of one device. */
typedef struct nnc_kept {
    double bytes;
    double largest_layer_bytes;
    /* bytes that one micro-batch keeps for backward in the segments that are not layers: embedding and head */
    double ends_bytes;
    /* segment_bytes: bytes that one micro-batch keeps for backward in each segment; flight: number of micro-batches
     * whose activations of a segment are in memory at the peak of the device */
    double segment_bytes[NNC_SEGMENTS_MAX], flight[NNC_SEGMENTS_MAX];
    /* true: for some segment, `flight` differs from the in_flight of the device (nnc_stage_residency) */
    bool uneven;
} nnc_kept;

/* Sums of parameters and bytes over all segments that one device holds. The sums over segments are the values before
 * ZeRO and offload are applied. */
typedef struct nnc_resident_bytes {
    /* parameters on the device: trained outside experts (dense), trained of experts (expert), frozen outside experts
     * (frozen), frozen of experts (frozen_expert) */
    nnc_parameters dense, expert, frozen, frozen_expert;
    /* parameters of frozen helper models on the device: outside experts (helper), of experts (helper_expert) */
    nnc_parameters helper, helper_expert;
    nnc_kept kept;
    /* op_bytes: working set of an op; block_bytes: live bytes of a recomputed block; op_bytes and block_bytes are those
     * of the segment in which op_bytes + block_bytes is largest */
    double op_bytes, block_bytes;
    const char *op_what;
    /* unit_params: trained parameters of the ZeRO-3 unit with the most trained parameters; unit_frozen: frozen
     * parameters of the unit with the most frozen parameters */
    double unit_params, unit_frozen;
    /* true: the memory peak was computed as one moment of backward, because gradients appear in backward while
     * activations are freed */
    bool replayed;
    struct {
        double gradient_bytes, activation_bytes, op_bytes, block_bytes, cast_bytes, workspace_bytes;
        const char *what;
    } peak; /* if `replayed` is true: the bytes in memory at the moment of backward that needs the most bytes */
    nnc_launches launches; /* numbers of kernel launches that a captured program recorded for its optimizers */
    /* bytes of the largest temporary tensor, taken as half of the largest working set of an op */
    double largest_block_bytes;
} nnc_resident_bytes;
nnc_resident_bytes nnc_resident_bytes_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_plan *plan,
                                         const nnc_software *software);

/* Returns the working bytes of a device: the activations of its micro-batches in flight, plus the largest working set
 * of an op and of a recomputed block. All bytes of a device except its working bytes follow from its parameters, the
 * ZeRO stage and offload. Therefore, if two plans differ only in working bytes, the plan with more working bytes never
 * needs less memory. An exception is a single device whose peak is computed as one moment of backward. */
double nnc_working_bytes(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                         const nnc_stage_residency *holding, const nnc_plan *plan);

/* Returns the bytes in the memory of a device at the peak of a step: weights, gradients and optimizer states, as the
 * precision policy and the ZeRO stage determine; activations of the micro-batches in flight (under full recomputation
 * only inputs of blocks); the largest working set. nnc_memory_say does the same and records the formulas in a
 * derivation. Sources: ZeRO arXiv:1910.02054; docs/formulas.md.   [memory] */
nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                         const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes);
nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                          const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                          nnc_derivation *why);
/* Returns the memory of a device, as nnc_memory_of does, from the sums over its segments (*held) that the caller has
 * computed. Plans that differ only in ZeRO stage and offload have equal sums, so a search computes the sums once for
 * all of them. */
nnc_memory nnc_memory_of_resident(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                                  const nnc_stage_residency *holding, const nnc_plan *plan,
                                  const nnc_software *software, int64_t capacity_bytes);
/* Returns a copy of *same, the memory of a device that holds the same layers as `holding`. In the returned copy, the
 * activations, and all values that depend on activations, are computed for the number of micro-batches in flight in
 * `holding`. */
nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software);

/* Returns the verdict for a plan (fits, tight, or does not fit), from the total bytes on a device and the range in
 * which its measured peak is expected (total_interval_bytes). */
nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes);
/* Returns the probability that a device needs more bytes than its capacity. Assumes that the needed bytes have a
 * lognormal distribution around total_bytes and lie in total_interval_bytes with a probability of 90 %. */
double nnc_memory_risk(const nnc_memory *memory, int64_t capacity_bytes);

/* Returns the number of all parameters, trained and frozen, that a device holds before ZeRO divides them over ranks. */
double nnc_stage_residency_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding);
/* Returns the numbers of trained parameters on a device: of experts if `expert` is true, and outside experts if it is
 * false. */
nnc_parameters nnc_stage_residency_trained(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                           bool expert);
/* Sets in *update the numbers of parameters that one device updates: `dense` and `expert`, divided by the ranks that
 * share them under ZeRO. */
void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert, const nnc_plan *plan,
                           nnc_update *update);

/* Returns the bytes of frozen parameters. The matrices of linear layers have the format that the plan sets for frozen
 * weights. Tables that are updated in place take 4 B per parameter; all other parameters take 2 B, or 4 B if the plan
 * stores frozen weights in 32 bits. */
double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan);

/* Return the number of ranks over which ZeRO divides parameters: nnc_dense_shards for parameters outside experts,
 * nnc_expert_shards for parameters of experts. Without ZeRO, nnc_dense_shards and nnc_expert_shards return 1. */
double nnc_dense_shards(const nnc_plan *plan);
double nnc_expert_shards(const nnc_plan *plan);

/* Tests whether the plan is a pipeline in ZeRO 3 without resharding. In a pipeline without resharding each stage adds
 * up whole gradients over the micro-batches and scatters the sums after the last micro-batch. Source: in PyTorch,
 * backward_maybe_with_nosync of torch/distributed/pipelining/stage.py turns set_requires_gradient_sync and
 * set_reshard_after_backward off. */
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

/* Returns the bytes that an optimizer update allocates if its kernels run over lists of tensors (foreach): for Adam and
 * RMSprop, the square root of the second moment of all parameters. Returns 0 if the update uses other kernels than
 * foreach. [optimizer-kernels] */
double nnc_list_update_bytes(const nnc_resident_bytes *held, const nnc_plan *plan);
extern const char *const nnc_update_what; /* the name that outputs give to the bytes of nnc_list_update_bytes */

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
    nnc_hole *holes; /* blocks of the heap that are free and lie below its top, sorted by address */
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
