/* Costs of single things: seconds of an op on one device, seconds of a collective between ranks, bytes that
 * stay resident on a device. Nothing here knows a whole step.
 *
 *     op_time.c     work of an op            -> seconds on one device (roofline, matmul, attention, conv)
 *     link.c        a group of ranks         -> the links that it uses (its route)
 *     collective.c  bytes over a route       -> seconds
 *     network.c     a plan, a communication  -> its route and seconds; load of each fabric
 *     op_rows.c     op list of one rank      -> table of forward, recomputed and backward ops with their times
 *     memory.c      ops that a device holds  -> resident bytes
 *
 * A function that takes `nnc_derivation *why` returns the same digits with NULL; otherwise it also records its
 * formulas there (base/derivation.h). */
#ifndef NNCOST_COST_COST_INTERNAL_H
#define NNCOST_COST_COST_INTERNAL_H

#include <nncost/estimate.h>
#include <nncost/status.h>

#include "base/base_internal.h"
#include "base/derivation.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* ---- op_time.c: seconds of one op on one device ---- */

/* One instance. compute_s and memory_s: each resource alone. time_s: at least the larger of the two, at most
 * their sum, plus fixed_s. bound: the larger of the two, or host when fixed_s exceeds both. */
typedef struct nnc_timing {
    double compute_s, memory_s, fixed_s, time_s;
    nnc_bound bound;
} nnc_timing;

/* Seconds of one op by the roofline model and the fitted efficiencies of the device:
 *     t = max(flops / (f peak), vector_flops / vector peak, bytes / (g bandwidth)) + t0
 * f, g and t0 are the fractions and the fixed cost of its kind; 1, 1 and 0 where nothing is fitted. Matrix
 * products, convolutions and fused attention have more detailed forms, which reduce to this one. A device that
 * does not publish its vector peak counts no vector time. Not for collectives.
 * Source: Williams, Waterman, Patterson, CACM 52(4), 2009.   [roofline] [gemm-time] [flash-time] [conv-time] */
nnc_timing nnc_op_time(const nnc_device *device, const nnc_op *op, const nnc_work *work);
nnc_timing nnc_op_say_time(const nnc_device *device, const nnc_op *op, const nnc_work *work, nnc_derivation *why);

/* Records the work of an op as operands of the formulas that follow. */
NNC_SAYING void nnc_say_work(const nnc_work *work, nnc_derivation *why)
{
    NNC_PUT(why, work->flops, "FLOP");
    NNC_PUT(why, work->vector_flops, "FLOP");
    NNC_PUT(why, work->read_bytes, "B");
    NNC_PUT(why, work->write_bytes, "B");
}

/* ---- link.c: the links of a group of ranks ---- */

/* Links that the ranks r, r + stride, ... of one group use. Groups of the same kind run at the same time, so a
 * rate is the share of one group. inner_* are unused when inner is 1, outer_* when outer is 1. */
typedef struct nnc_route {
    int32_t size;             /* ranks in the group */
    int32_t inner, outer;     /* ranks inside one scale-up domain; number of domains */
    double inner_bytes_per_s; /* rate of all links of one rank that lead to the group, one
                               * direction */
    double inner_latency_s;
    double outer_bytes_per_s; /* per rank: its share of the NICs, after oversubscription */
    double outer_latency_s;
    double link_bytes_per_s; /* rate from one inner rank to another; torus: rate of one link, not
                              * shared */
    int32_t axes;            /* torus, ring: axes that the inner ranks span; 0 = all pairs are joined */
    int32_t axis_length[3];  /* ranks of the group along an axis */
    int32_t axis_stride[3];  /* links from one rank to the next; this many groups share them */
    bool axis_wraps[3];
    const nnc_collective_efficiencies *fitted; /* fitted values of the device; NULL = nothing
                                                * fitted */
    double knee_bytes;                         /* knee of the slower link: small messages reach less bandwidth */
    bool reduces_in_switch;
    const char *link; /* the slower link, "scale_up" or "scale_out"; static */
} nnc_route;

/* Finds the route of a group of `size` ranks at distance `stride` in a world of `devices` ranks.
 * devices_per_node of them share a scale-up domain (0 = scale_up.devices); on a torus it is the size of a slice,
 * at most the pod. Without a scale-up fabric (kind none) every rank is its own domain. Ranks fill one domain
 * before the next, and in a torus the shortest axis first. Counts are at least 1. When stride and size do not
 * divide the domain, inner is rounded down and outer up. A latency that is not recorded counts as 0.
 * NNC_BAD_SPEC: err names the value that the route needs and the device file lacks (scale_up.devices,
 * scale_up.bytes_per_s, scale_out.bytes_per_s).   [routes] */
nnc_status nnc_route_find(const nnc_device *device, int32_t devices, int32_t devices_per_node, int32_t size,
                          int32_t stride, nnc_route *route, nnc_error *err);

/* ---- collective.c: seconds of a collective over a route ---- */

/* A set of algorithms that may be used; the fastest of them counts. */
enum {
    NNC_ALGORITHM_RING = 1, /* all-to-all: each pair directly */
    NNC_ALGORITHM_TREE = 2,
    NNC_ALGORITHM_HIERARCHICAL = 4,
    NNC_ALGORITHM_IN_NETWORK = 8,
    NNC_ALGORITHM_ALL = 15
};

/* Seconds of one collective at datasheet rates. bytes is the full tensor: the result of an all-gather, the input
 * of a reduce-scatter, the send buffer of one rank in an all-to-all, the message of a p2p or broadcast. 0 for a
 * group of one rank. S bytes take as long as S (1 + sqrt(V0 / S)) would, V0 the knee of the slower link.
 * Sources: Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing 35(12), 2009
 * (double tree); "How to Scale Your Model", jax-ml.github.io/scaling-book (torus).   [collectives] */
double nnc_collective_s(const nnc_route *route, nnc_collective kind, double bytes);
/* Allows some algorithms only; the ring if none of them applies. A torus has only its own algorithms. */
double nnc_collective_by_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed);
/* *by names the algorithm that runs: "ring", "tree", ... */
double nnc_collective_say_s(const nnc_route *route, nnc_collective kind, double bytes, unsigned allowed,
                            nnc_derivation *why, const char **by);

/* Seconds with the fitted efficiencies of the device; without any, as above. V: bytes that one rank sends, n: its
 * ranks inside one domain, R: the time above at the rates that collectives reach (link rate x bus_fraction
 * (1 - small_group_loss / n^2), NIC x scale_out_fraction), without reduction in the switch, whose gain is part of
 * the fitted rate:
 *     t = R (1 + sqrt(knee_bytes / V)) + fixed_s + log2_s log2(n) + scale_out_fixed_s
 * The last term counts only for a group that leaves its domain.   [collectives-fitted] */
double nnc_collective_predicted_s(const nnc_route *route, nnc_collective kind, double bytes);
double nnc_collective_say_predicted_s(const nnc_route *route, nnc_collective kind, double bytes, nnc_derivation *why,
                                      const char **by);

/* Bytes that one rank sends in a ring algorithm of the collective. */
double nnc_collective_sent_bytes(nnc_collective kind, int32_t size, double bytes);

/* ---- network.c: routes of a plan, seconds and loads of its communication ---- */

/* Groups of ranks that communicate. Dense gradients are summed over data x context ranks, gradients of experts
 * over those ranks that hold the same experts. A shard group shares one copy of sharded states; its replicas
 * hold the other copies. */
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

/* Share of host memory bandwidth per device when the device file records none: two sockets with eight channels of
 * DDR5-4800, 307.2e9 B/s each, for eight devices. */
#define NNC_HOST_MEM_BYTES_PER_S 76.8e9

/* Share of a host's memory bandwidth that its optimizer updates reach. Fitted: see docs/accuracy.md. */
#define NNC_HOST_UPDATE_SHARE 0.3

typedef struct nnc_network {
    nnc_route routes[NNC_ROUTE_COUNT];
    double host_bytes_per_s;
    double host_mem_bytes_per_s;
} nnc_network;

/* Route of offload communication: the link to the host, or host memory alone. */
enum { NNC_OFFLOAD_HOST_LINK, NNC_OFFLOAD_HOST_MEMORY };

/* Finds the routes of a legal plan. NNC_BAD_SPEC: err names the value that the device file lacks. */
nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network, nnc_error *err);

/* The group of ranks of a collective. Offload uses the host link and has none. */
static inline nnc_route_kind nnc_network_route_of(const nnc_collective_op *exchange)
{
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Bytes of a collective that its route carries. A token whose k copies go to random ranks of M domains may be
 * sent once to each domain that gets a copy, on average to
 *     M (1 - (1 - 1/M)^k)
 * domains. ideal: software always does so.   [experts] */
double nnc_network_carried_bytes(const nnc_network *network, const nnc_collective_op *exchange, bool ideal,
                                 nnc_derivation *why);

/* Do two collectives take equally long on any network? */
bool nnc_network_same(const nnc_collective_op *a, const nnc_collective_op *b);

/* Seconds of one collective in a training step, and the link that it loads. */
double nnc_network_exchange_s(const nnc_network *network, const nnc_collective_op *exchange, const char **link);
/* Records the line network_s; returns the name of the algorithm. */
const char *nnc_network_say_s(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

typedef enum nnc_fabric { NNC_FABRIC_SCALE_UP, NNC_FABRIC_SCALE_OUT, NNC_FABRIC_HOST, NNC_FABRICS } nnc_fabric;

/* "scale_up", "scale_out", "host"; static. */
const char *nnc_fabric_name(nnc_fabric fabric);

/* The fabrics that a collective needs. It depends on the places of its ranks, not on link speed: collectives whose
 * lanes do not meet run at the same time. */
typedef enum nnc_lane {
    NNC_LANE_SCALE_UP,  /* within domains */
    NNC_LANE_SCALE_OUT, /* links between domains, one rank in each */
    NNC_LANE_HOST,
    NNC_LANE_BOTH, /* links within and between domains */
    NNC_LANES
} nnc_lane;

/* Inline: called for every row of every plan. */
static inline nnc_lane nnc_lane_of(const nnc_network *network, const nnc_collective_op *exchange)
{
    if (exchange->comm == NNC_COMM_OFFLOAD) {
        return NNC_LANE_HOST;
    }
    const nnc_route *route = network != NULL ? &network->routes[nnc_network_route_of(exchange)] : NULL;
    return route == NULL || route->outer <= 1 ? NNC_LANE_SCALE_UP
           : route->inner > 1                 ? NNC_LANE_BOTH
                                              : NNC_LANE_SCALE_OUT;
}

static inline bool nnc_lanes_meet(nnc_lane a, nnc_lane b)
{
    return a == b || (a == NNC_LANE_BOTH && b != NNC_LANE_HOST) || (b == NNC_LANE_BOTH && a != NNC_LANE_HOST);
}

/* Seconds that a collective keeps the links of one rank busy on each fabric, at datasheet rates: the bytes that
 * must pass whatever the algorithm, without latency. Links inside and between domains are different links, so
 * each fabric has a sum of its own.   [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_collective_op *exchange, double load_s[NNC_FABRICS]);
/* Records the line network_s, the sum of the loads. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_collective_op *exchange, nnc_derivation *why);

/* ---- op_rows.c: the op table of one micro-batch ---- */

/* Each op of a list has at most a forward row, a recomputed row and its backward rows; the rest of the step follows. */
enum { NNC_STEP_ROWS_MAX = 32, NNC_ROWS_MAX = NNC_OPS_MAX * (2 + NNC_BACKWARD_MAX) + NNC_STEP_ROWS_MAX };

/* A function with the same results as nnc_op_time. */
typedef struct nnc_op_timer {
    nnc_timing (*time)(void *context, const nnc_device *device, const nnc_op *op, const nnc_work *work);
    void *context;
} nnc_op_timer;

/* Rows of one op of the list: the first forward row (-1 = no forward row), the first backward row and their
 * number, without the recomputed row. */
typedef struct nnc_op_place {
    int16_t forward, backward, backward_count;
} nnc_op_place;

typedef struct nnc_rows {
    nnc_op_cost rows[NNC_ROWS_MAX];
    nnc_op ops[NNC_ROWS_MAX];     /* ops of the backward and update rows */
    int32_t count, forward_count; /* forward rows come first */
    int32_t fresh;                /* rows from here on are timed on one network */
    nnc_op_place places[NNC_OPS_MAX];
    const nnc_op_timer *timer; /* NULL: nnc_op_time */
} nnc_rows;

/* The parts of a step. */
typedef enum nnc_part {
    NNC_PART_FORWARD,
    NNC_PART_BACKWARD,
    NNC_PART_RECOMPUTE,
    NNC_PART_COMM, /* once per step: gradients of data parallelism */
    NNC_PART_UPDATE,
    NNC_PARTS
} nnc_part;

static inline nnc_part nnc_part_of(const nnc_op_cost *row)
{
    switch (row->op->phase) {
    case NNC_PHASE_FORWARD: return NNC_PART_FORWARD;
    case NNC_PHASE_RECOMPUTE: return NNC_PART_RECOMPUTE;
    case NNC_PHASE_COMM: return NNC_PART_COMM;
    case NNC_PHASE_UPDATE: return NNC_PART_UPDATE;
    default: return NNC_PART_BACKWARD;
    }
}

/* Expands the forward list of one rank: the forward ops; then, from the last op to the first, its recomputed
 * instance and its backward ops. repeat: instances in one micro-batch, all layers together. network may be NULL
 * when there is no communication, device when only the work is needed, without times. */
void nnc_rows_build(const nnc_op_list *list, const nnc_device *device, const nnc_network *network, const nnc_plan *plan,
                    nnc_rows *rows);

/* The table of a similar list. Rows of equal ops in equal places are copied from it. */
typedef struct nnc_rows_like {
    const nnc_op_list *list; /* NULL: there is no such table */
    int32_t count;           /* ops of the list that the table covers */
    const nnc_rows *rows;    /* rows of the same device */
    bool same_routes;
} nnc_rows_like;
void nnc_rows_build_like(const nnc_op_list *list, const nnc_device *device, const nnc_network *network,
                         const nnc_plan *plan, const nnc_rows_like *like, nnc_rows *rows);

/* Times the collectives again on other routes. */
void nnc_rows_reroute(nnc_rows *rows, const nnc_network *network);

/* Sets the share of passes that add to an existing weight gradient, and times those rows again. */
void nnc_rows_accumulate(nnc_rows *rows, const nnc_device *device, double share);

/* Builds the table of a list from the table of its ops before `first`. The result points into base. */
void nnc_rows_join(const nnc_rows *base, const nnc_op_list *list, int32_t first, const nnc_device *device,
                   const nnc_network *network, const nnc_plan *plan, nnc_rows *rows);

/* Compute-bound matrix products and attention: fewer units or a lower clock make them slower. */
bool nnc_row_fills_units(const nnc_op_cost *row);

/* Slowdown of such rows while the kernels of expert communication occupy some units; 1 = none. */
double nnc_rows_lent_factor(const nnc_device *device, const nnc_plan *plan, const nnc_software *software);
void nnc_rows_lend(nnc_rows *rows, double factor);

/* Appends a copy of one op. */
void nnc_rows_add(nnc_rows *rows, const nnc_op *op, const nnc_device *device, const nnc_network *network,
                  double repeat);

/* Watts that the device may draw continuously: its board limit, or a lower cap. NaN = not recorded. */
double nnc_power_limit(const nnc_device *device);

/* Checks that the device file describes its power well enough for its cap. NNC_BAD_SPEC: values are missing, or
 * the cap is not above the idle power. */
nnc_status nnc_power_check(const nnc_device *device, nnc_error *err);

/* Slows down compute-bound matrix products and attention of a pass whose average power would exceed the limit; nothing
 * if it would not, or if the device file has no power values. i: idle share of power_w, s: share of the matrix units at
 * their peak P, m: share of the memory at its bandwidth M, T: seconds of all rows at full clock:
 *     p = (sum s F / P + sum m B / M) / T          power of the work, relative to power_w
 *     slowdown = max(1, (p / (limit / power_w - i))^g)
 * p falls with T, and T slowdown grows with T for g <= 1, so a longer pass never ends earlier.
 * Source of the values: docs/accuracy.md.   [power-limit] */
void nnc_power_throttle(nnc_rows *rows, const nnc_device *device);

/* ---- memory.c: resident bytes of one device ---- */

/* Parameters as an optimizer sees them. */
typedef struct nnc_parameters {
    double params, matrix_params, factored_elements, orthogonalise_flops;
} nnc_parameters;

/* One instance of a segment (the embedding, a run of equal layers, the head) on one rank. A pipeline stage holds a
 * number of instances of each segment. */
typedef struct nnc_segment_sums {
    nnc_parameters dense, expert;         /* trained parameters; fewer ranks hold copies of
                                           * experts */
    nnc_parameters frozen, frozen_expert; /* not trained */
    double kept_bytes;                    /* bytes kept for backward without recomputation */
    double input_bytes;                   /* kept with full recomputation: block inputs, and ops outside blocks */
    double live_bytes;                    /* the largest block while it is recomputed */
    double again_bytes;                   /* recomputed modules of the largest block */
    double unit_params;                   /* trained parameters of the largest unit that ZeRO-3 gathers: a block */
    double unit_frozen;                   /* untrained parameters of the largest unit */
    double transient_bytes;               /* the largest working set of one op in backward */
    const char *transient_what;           /* names that working set */
} nnc_segment_sums;

/* Fills sums[0 .. list->segment_count - 1]. */
void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

/* Segments that one device of the pipeline holds. */
typedef struct nnc_stage_residency {
    int64_t instances[NNC_SEGMENTS_MAX];
    int64_t recomputed[NNC_SEGMENTS_MAX]; /* instances that backward runs again from their inputs */
    int32_t segments;                     /* segments of the list; entries past it are unset */
    double in_flight;                     /* micro-batches whose activations are kept at once */
    bool uneven;                          /* chunks of the device hold different segments: see flight */
    bool uneven_layers;                   /* true: the chunks differ in more than table and head */
    bool odd_more;                        /* the odd chunk holds more than the other chunks */
    int32_t odd_chunk;                    /* the only chunk that differs from the others; -1 = several
                                      * differ */
    double flight[NNC_SEGMENTS_MAX];      /* in_flight of each segment, at the peak of the device */
} nnc_stage_residency;

/* Do two devices hold the same layers, recomputed in the same way? Micro-batches in flight may differ. */
static inline bool nnc_stage_residency_same(const nnc_stage_residency *a, const nnc_stage_residency *b)
{
    bool same = true;
    for (int32_t s = 0; s < a->segments; s++) {
        same = same && a->instances[s] == b->instances[s] && a->recomputed[s] == b->recomputed[s];
    }
    return same;
}
/* Copies the segments in use, not the unset rest. */
void nnc_stage_residency_copy(nnc_stage_residency *to, const nnc_stage_residency *from);
/* Sets the micro-batches in flight, the same for all segments. */
void nnc_holding_keep(nnc_stage_residency *holding, double in_flight);
/* Bytes that one pass keeps of all instances of a segment. */
double nnc_segment_kept_bytes(const nnc_segment_sums *sum, const nnc_stage_residency *holding, const nnc_plan *plan,
                              int32_t segment);

/* Kept for backward by one micro-batch. */
typedef struct nnc_kept {
    double bytes;
    double largest_layer_bytes;
    double ends_bytes; /* bytes of the segments that are not layers: embedding and head */
    double segment_bytes[NNC_SEGMENTS_MAX], flight[NNC_SEGMENTS_MAX]; /* see nnc_stage_residency */
    bool uneven;                                                      /* true: flight differs from in_flight */
} nnc_kept;

/* Sums over the segments of a device, before ZeRO and offload reduce them. */
typedef struct nnc_resident_bytes {
    nnc_parameters dense, expert, frozen, frozen_expert; /* see nnc_stage_residency_trained */
    nnc_kept kept;
    double op_bytes, block_bytes; /* segment where their sum is largest: working set of an op, live bytes of a
                      * recomputed block */
    const char *op_what;
    double unit_params, unit_frozen; /* parameters of the largest unit */
    bool replayed;                   /* gradients appear while activations are freed: the peak is one moment of
                    * backward */
    struct {
        double gradient_bytes, activation_bytes, op_bytes, block_bytes, cast_bytes, workspace_bytes;
        const char *what;
    } peak;                     /* tensors that live at that moment; see replay in memory.c */
    double largest_block_bytes; /* the largest tensor that lives only for a while */
} nnc_resident_bytes;
nnc_resident_bytes nnc_resident_bytes_of(const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                                         const nnc_stage_residency *holding, const nnc_plan *plan,
                                         const nnc_software *software);

/* Bytes on a device at the peak of a step: weights, gradients and optimizer states by precision policy and ZeRO
 * stage; activations kept for the micro-batches in flight, or only block inputs with recomputation; the largest
 * working set. Sources: ZeRO arXiv:1910.02054; docs/formulas.md.   [memory] */
nnc_memory nnc_memory_of(const nnc_model *model, const nnc_op_list *list, const nnc_segment_sums sums[NNC_SEGMENTS_MAX],
                         const nnc_stage_residency *holding, const nnc_plan *plan, const nnc_software *software,
                         int64_t capacity_bytes);
nnc_memory nnc_memory_say(const nnc_model *model, const nnc_op_list *list,
                          const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                          const nnc_plan *plan, const nnc_software *software, int64_t capacity_bytes,
                          nnc_derivation *why);
/* nnc_memory_of from the sums: plans that differ only in ZeRO stage and offload have the same sums. */
nnc_memory nnc_memory_of_resident(const nnc_model *model, const nnc_op_list *list, const nnc_resident_bytes *held,
                                  const nnc_stage_residency *holding, const nnc_plan *plan,
                                  const nnc_software *software, int64_t capacity_bytes);
/* Memory of the same device with another number of micro-batches in flight: activations, and the shares of the
 * total, change. */
nnc_memory nnc_memory_in_flight(const nnc_memory *same, const nnc_model *model, const nnc_op_list *list,
                                const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding,
                                const nnc_plan *plan, const nnc_software *software);

/* Does it fit into the capacity? */
nnc_verdict nnc_memory_verdict(const nnc_memory *memory, int64_t capacity_bytes);
/* Probability that it takes more: 90 % of a lognormal distribution around total_bytes lie in the interval. */
double nnc_memory_risk(const nnc_memory *memory, int64_t capacity_bytes);

/* All parameters of a device, before ZeRO shards them. */
double nnc_stage_residency_params(const nnc_segment_sums sums[NNC_SEGMENTS_MAX], const nnc_stage_residency *holding);
/* Parameters of all instances: trained, or not trained; of dense layers, or of experts. */
nnc_parameters nnc_stage_residency_trained(const nnc_segment_sums *sums, const nnc_stage_residency *holding,
                                           bool expert);
/* Fills the sums of an update: parameters that one device updates, after ZeRO. */
void nnc_parameters_update(const nnc_parameters *dense, const nnc_parameters *expert, const nnc_plan *plan,
                           nnc_update *update);

/* Bytes of parameters that are not trained: matrices of linear layers as the plan stores them, others 2 B each. */
double nnc_frozen_bytes(const nnc_parameters *frozen, const nnc_plan *plan);

/* Ranks over which ZeRO shards dense and expert parameters. */
double nnc_dense_shards(const nnc_plan *plan);
double nnc_expert_shards(const nnc_plan *plan);

/* Activations of one GPT layer with plain MLPs by the published formula, bytes of one micro-batch:
 *     s b h (10 + 24 / t + 5 a s / (h t)), divided by t as a whole with sequence parallelism,
 * without the last term under selective recomputation, 2 s b h under full recomputation.
 * Source: Korthikanti et al., arXiv:2205.05198, table 2.   [korthikanti] */
double nnc_korthikanti_layer_bytes(const nnc_decoder *decoder, const nnc_plan *plan);

#endif
