#include <math.h>
#include <string.h>

#include "explain/explain.h"

#define INSIDE "(inner - 1) * inner_latency_s + (inner - 1) / inner * moved / inner_bytes_per_s"
#define ACROSS(bytes) \
    "(outer - 1) * outer_latency_s + (outer - 1) / outer * " bytes " / outer_bytes_per_s"
#define RING "(ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s"

static bool is_all_reduce(const nnc_op *op)
{
    return op->u.exchange.forward == NNC_ALL_REDUCE;
}

static const char *levels_formula(const nnc_op *op, const nnc_ranks *ranks)
{
    switch (op->u.exchange.forward) {
    case NNC_ALL_REDUCE:
        return ranks->outer > 1 ? "2 * (" INSIDE " + " ACROSS("moved / inner") ")"
                                : "2 * (" INSIDE ")";
    case NNC_ALL_TO_ALL: return INSIDE " + " ACROSS("moved");
    default: break;
    }
    return ranks->outer > 1 ? INSIDE " + " ACROSS("moved / inner") : INSIDE;
}

/* All-to-all runs pair by pair where the others run a ring. */
static const char *ring_formula(const nnc_op *op, const nnc_ranks *ranks)
{
    const bool both = ranks->inner > 1 && ranks->outer > 1;
    switch (op->u.exchange.forward) {
    case NNC_ALL_REDUCE: return "2 * (" RING ")";
    case NNC_BROADCAST: return "(ranks - 1) * latency_s + moved / bytes_per_s";
    case NNC_ALL_TO_ALL:
        if (both) {
            return "(inner - 1) * inner_latency_s + (ranks - inner) * outer_latency_s + moved / "
                   "ranks * max((inner - 1) / inner_bytes_per_s, (ranks - inner) / "
                   "outer_bytes_per_s)";
        }
        break;
    default: break;
    }
    return RING;
}

/* A torus exchanges along all its axes at once, and bytes are on their way while the next leave. */
static const char *torus_formula(const nnc_op *op, const nnc_ranks *ranks)
{
    if (op->u.exchange.forward == NNC_ALL_TO_ALL || ranks->outer > 1) {
        return "the slowest axis of the torus, then what crosses domains";
    }
    return is_all_reduce(op)
               ? "2 * max((inner - 1) / inner * moved / inner_bytes_per_s, hops * inner_latency_s)"
               : "max((inner - 1) / inner * moved / inner_bytes_per_s, hops * inner_latency_s)";
}

static const char *network_formula(const nnc_op *op, const nnc_ranks *ranks)
{
    if (ranks->hops > 0 && ranks->algorithm != NNC_BY_HOP) {
        return torus_formula(op, ranks);
    }
    switch (ranks->algorithm) {
    case NNC_BY_TREE:
        return is_all_reduce(op) ? "2 * tree_latency_s + 2 * moved / bytes_per_s"
                                 : "a binomial tree: its depth times latency and message";
    case NNC_BY_LEVELS: return levels_formula(op, ranks);
    case NNC_BY_LEVEL_TREE:
        return "2 * (" INSIDE ") + 2 * outer_depth * outer_latency_s + 2 * moved / inner / "
               "outer_bytes_per_s";
    case NNC_BY_SWITCH: return "2 * inner_latency_s + moved / inner_bytes_per_s";
    case NNC_BY_HOP:
        return ranks->hops > 0 ? "the longest hop: latency + moved / its rate"
                               : "latency_s + moved / bytes_per_s";
    case NNC_BY_HOST_LINK:
    case NNC_BY_HOST_MEMORY: return "moved / bytes_per_s";
    case NNC_BY_RING:
    case NNC_ALGORITHM_COUNT: break;
    }
    return ring_formula(op, ranks);
}

static double depth(int32_t ranks)
{
    return ceil(log2((double)ranks));
}

static void fill_scope(nnc_scope *scope, const nnc_report *report, const nnc_op_cost *cost,
                       const nnc_ranks *ranks)
{
    const nnc_exchange *e = &cost->op->u.exchange;
    const double knee = ranks->knee_bytes;
    scope->count = 0;
    nnc_scope_add(scope, "bytes", ranks->bytes, "B");
    nnc_scope_add(scope, "knee_bytes", knee, "B");
    nnc_scope_add(scope, "moved", ranks->bytes + sqrt(knee * ranks->bytes), "B");
    nnc_scope_add(scope, "count", e->count > 0 ? e->count : 1.0, NULL);
    nnc_scope_add(scope, "ranks", ranks->size, NULL);
    nnc_scope_add(scope, "inner", ranks->inner, NULL);
    nnc_scope_add(scope, "outer", ranks->outer, NULL);
    nnc_scope_add(scope, "inner_bytes_per_s", ranks->inner_bytes_per_s, "B/s");
    nnc_scope_add(scope, "inner_latency_s", ranks->inner_latency_s, "s");
    nnc_scope_add(scope, "outer_bytes_per_s", ranks->outer_bytes_per_s, "B/s");
    nnc_scope_add(scope, "outer_latency_s", ranks->outer_latency_s, "s");
    nnc_scope_add(scope, "bytes_per_s", ranks->ring_bytes_per_s, "B/s");
    nnc_scope_add(scope, "latency_s", ranks->ring_latency_s, "s");
    nnc_scope_add(scope, "stretch", ranks->stretch, NULL);
    nnc_scope_add(scope, "fixed_s", ranks->fixed_s, "s");
    nnc_scope_add(scope, "hops", ranks->hops, NULL);
    nnc_scope_add(scope, "outer_depth", depth(ranks->outer), NULL);
    nnc_scope_add(scope, "tree_latency_s",
                  depth(ranks->inner) * ranks->inner_latency_s +
                      depth(ranks->outer) * ranks->outer_latency_s,
                  "s");
    nnc_scope_add(scope, "network_s", cost->network_s, "s");
    nnc_scope_add(scope, "hidden_s", fmax(0.0, cost->network_s - cost->time_s), "s");
    nnc_scope_add(scope, "time_s", cost->time_s, "s");
    nnc_scope_add(scope, "repeat", cost->repeat, NULL);
    nnc_scope_add(scope, "step_s", report->result->step_s, "s");
}

/* "8 ranks inside one domain, over scale_up, by ring". */
static void route_text(const nnc_ranks *ranks, char *text, size_t size)
{
    const char *link = ranks->link != NULL ? ranks->link : "?";
    if (ranks->algorithm == NNC_BY_HOST_LINK || ranks->algorithm == NNC_BY_HOST_MEMORY) {
        snprintf(text, size, "between the device and host memory, over %s",
                 nnc_algorithm_name(ranks->algorithm));
    } else if (ranks->outer == 1) {
        snprintf(text, size, "%d ranks inside one domain, over %s, by %s", (int)ranks->size, link,
                 nnc_algorithm_name(ranks->algorithm));
    } else {
        snprintf(text, size, "%d ranks, %d in each of %d domains, slowed by %s, by %s",
                 (int)ranks->size, (int)ranks->inner, (int)ranks->outer, link,
                 nnc_algorithm_name(ranks->algorithm));
    }
}

static void network_text(const nnc_op *op, const nnc_ranks *ranks, char *text, size_t size)
{
    const bool fitted = ranks->stretch > 1.0 || ranks->fixed_s > 0.0;
    const bool several = op->u.exchange.count > 0;
    snprintf(text, size, "%s%s%s%s%s", several ? "count * (" : "", fitted ? "stretch * (" : "",
             network_formula(op, ranks), fitted ? ") + fixed_s" : "", several ? ")" : "");
}

void nnc_explain_exchange(nnc_explainer *explainer, const nnc_report *report,
                          const nnc_op_cost *cost)
{
    nnc_scope scope;
    char of[64], route[160], network[512];
    const nnc_op *op = cost->op;
    if (report->scratch == NULL) {
        return;
    }
    const nnc_ranks ranks = nnc_scratch_ranks(report->scratch, cost);
    fill_scope(&scope, report, cost, &ranks);
    route_text(&ranks, route, sizeof route);
    snprintf(of, sizeof of, "%s %s", op->name, nnc_phase_name(op->phase));
    network_text(op, &ranks, network, sizeof network);
    nnc_explain_heading(explainer, "%s: %s of %s ranks, %.0f in one step", of, nnc_op_kind_name(op),
                        nnc_comm_name(op->u.exchange.comm), cost->repeat);
    const bool fitted = ranks.stretch > 1.0 || ranks.fixed_s > 0.0;
    const nnc_derivation lines[] = {
        { .name = "moved",
          .unit = "B",
          .formula = "bytes + sqrt(knee_bytes * bytes)",
          .meaning = "what is exchanged, the whole tensor; small messages take as long as larger "
                     "ones where the link has a knee",
          .result = ranks.bytes + sqrt(ranks.knee_bytes * ranks.bytes) },
        { .name = "ranks", .formula = "inner * outer", .meaning = route, .result = ranks.size },
        { .name = "network_s",
          .unit = "s",
          .formula = network,
          .meaning = fitted ? "hidden or not; rates are those collectives reach, one direction, of "
                              "one rank; stretch: small messages"
                            : "hidden or not; rates are one direction, of one rank",
          .source = "Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel "
                    "Computing 35(12), 2009 (tree)",
          .result = cost->network_s },
        { .name = "time_s",
          .unit = "s",
          .formula = "network_s - hidden_s",
          .meaning = "what no compute hides, by --overlap or the software profile",
          .result = cost->time_s },
        { .name = "share",
          .formula = "time_s * repeat / step_s",
          .result = cost->time_s * cost->repeat / report->result->step_s },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const bool plain = i == 0 && !(ranks.knee_bytes > 0);
        nnc_derivation line = lines[i];
        line.formula = plain ? "bytes" : line.formula;
        line.meaning =
            !plain ? line.meaning
            : ranks.bytes < op->u.exchange.bytes
                ? "what is exchanged, each token once per domain that holds an expert of its"
                : "what is exchanged, the whole tensor";
        nnc_explain_line(explainer, of, &scope, &line);
    }
}
