#include "cost/network.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

typedef enum axis { TENSOR, CONTEXT, DATA, PIPELINE, AXES } axis;

static const axis orders[NNC_ORDER_COUNT][AXES] = {
    [NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE] = { TENSOR, CONTEXT, DATA, PIPELINE },
    [NNC_ORDER_TENSOR_CONTEXT_PIPELINE_DATA] = { TENSOR, CONTEXT, PIPELINE, DATA },
    [NNC_ORDER_TENSOR_PIPELINE_CONTEXT_DATA] = { TENSOR, PIPELINE, CONTEXT, DATA },
};

/* Distance between neighbours along each axis. */
static void strides_of(const nnc_plan *plan, int32_t strides[AXES])
{
    const int32_t degrees[AXES] = { plan->tensor, plan->context, plan->data, plan->pipeline };
    int32_t stride = 1;
    for (int i = 0; i < AXES; i++) {
        const axis a = orders[plan->rank_order][i];
        strides[a] = stride;
        stride *= degrees[a];
    }
}

nnc_status nnc_network_find(const nnc_device *device, const nnc_plan *plan, nnc_network *network,
                            nnc_error *err)
{
    int32_t strides[AXES];
    strides_of(plan, strides);
    const int32_t replicas = plan->data * plan->context;
    const bool adjacent = strides[DATA] == strides[CONTEXT] * plan->context;
    /* Data and context ranks that are not neighbours are reached at the longer distance. */
    const int32_t base = plan->context == 1 || !adjacent ? strides[DATA] : strides[CONTEXT];
    const int32_t same_experts = replicas / plan->expert;
    const int32_t expert_shard = plan->shard < same_experts ? plan->shard : same_experts;
    const struct {
        int32_t size, stride;
    } groups[NNC_ROUTE_COUNT] = {
        [NNC_ROUTE_TENSOR] = { plan->tensor, strides[TENSOR] },
        [NNC_ROUTE_CONTEXT] = { plan->context, strides[CONTEXT] },
        [NNC_ROUTE_EXPERT] = { plan->expert, base },
        [NNC_ROUTE_SHARD] = { plan->shard, base },
        [NNC_ROUTE_REPLICA] = { replicas / plan->shard, base * plan->shard },
        [NNC_ROUTE_EXPERT_SHARD] = { expert_shard, base * plan->expert },
        [NNC_ROUTE_EXPERT_REPLICA] = { same_experts / expert_shard,
                                       base * plan->expert * expert_shard },
        [NNC_ROUTE_PIPELINE] = { plan->pipeline, strides[PIPELINE] },
    };
    memset(network, 0, sizeof *network);
    network->host_bytes_per_s = device->host.bytes_per_s;
    network->host_mem_bytes_per_s =
        isnan(device->host.mem_bytes_per_s) ? 0.0 : device->host.mem_bytes_per_s;
    for (int i = 0; i < NNC_ROUTE_COUNT; i++) {
        network->routes[i].size = 1;
        if (groups[i].size > 1) {
            NNC_TRY(nnc_route_find(device, plan->devices, plan->devices_per_node, groups[i].size,
                                   groups[i].stride, &network->routes[i], err));
        }
    }
    if (plan->offload != 0 && isnan(device->host.bytes_per_s)) {
        return nnc_fail(err, NNC_BAD_SPEC, device->id,
                        "offload needs host.bytes_per_s, which the device file does not record, "
                        "expected --set host.bytes_per_s=...");
    }
    if ((plan->offload & NNC_OFFLOAD_OPTIMIZER) != 0 && isnan(device->host.mem_bytes_per_s)) {
        return nnc_fail(
            err, NNC_BAD_SPEC, device->id,
            "an update in host memory needs host.mem_bytes_per_s, which the device file "
            "does not record, expected --set host.mem_bytes_per_s=...");
    }
    return NNC_OK;
}

nnc_route_kind nnc_network_route_of(const nnc_exchange *exchange)
{
    switch (exchange->comm) {
    case NNC_COMM_TENSOR: return NNC_ROUTE_TENSOR;
    case NNC_COMM_CONTEXT: return NNC_ROUTE_CONTEXT;
    case NNC_COMM_EXPERT: return NNC_ROUTE_EXPERT;
    case NNC_COMM_PIPELINE: return NNC_ROUTE_PIPELINE;
    default: return (nnc_route_kind)exchange->route;
    }
}

/* Over the host link, or in host memory. */
static double offload_s(const nnc_network *network, const nnc_exchange *exchange)
{
    return exchange->bytes / (exchange->route == NNC_OFFLOAD_HOST_MEMORY
                                  ? network->host_mem_bytes_per_s
                                  : network->host_bytes_per_s);
}

double nnc_network_bytes(const nnc_network *network, const nnc_exchange *exchange, bool ideal)
{
    const double domains = network->routes[nnc_network_route_of(exchange)].outer;
    const double copies = exchange->copies;
    if (!(copies > 1.0 && domains > 1.0 && (ideal || exchange->once_per_node))) {
        return exchange->bytes;
    }
    return exchange->bytes * domains * (1.0 - pow(1.0 - 1.0 / domains, copies)) / copies;
}

static double exchange_s(const nnc_network *network, const nnc_exchange *exchange, bool ideal,
                         const char **link)
{
    const double count = exchange->count > 0.0 ? exchange->count : 1.0;
    const nnc_route *route = &network->routes[nnc_network_route_of(exchange)];
    if (exchange->comm == NNC_COMM_OFFLOAD) {
        *link = "host";
        return count * offload_s(network, exchange);
    }
    *link = route->link;
    const double bytes = nnc_network_bytes(network, exchange, ideal);
    const double plain_s = nnc_collective_s(route, exchange->forward, bytes);
    if (route->fitted == NULL || !(plain_s > 0.0)) {
        return count * plain_s;
    }
    const double fitted_s =
        nnc_collective_predicted_s(route, exchange->forward, bytes) + route->fitted->step_fixed_s;
    /* A vendor's latency per step may be longer than what a whole call was measured to take. */
    return count * (ideal ? nnc_min(plain_s, fitted_s) : fitted_s);
}

double nnc_network_exchange_s(const nnc_network *network, const nnc_exchange *exchange,
                              const char **link)
{
    return exchange_s(network, exchange, false, link);
}

double nnc_network_ideal_s(const nnc_network *network, const nnc_exchange *exchange,
                           const char **link)
{
    return exchange_s(network, exchange, true, link);
}
