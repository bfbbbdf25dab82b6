/* What a collective loads on each fabric at least, whatever algorithm runs it. */
#ifndef NNCOST_COST_FABRIC_H
#define NNCOST_COST_FABRIC_H

#include "cost/network.h"

typedef enum nnc_fabric {
    NNC_FABRIC_SCALE_UP,
    NNC_FABRIC_SCALE_OUT,
    NNC_FABRIC_HOST,
    NNC_FABRICS
} nnc_fabric;

/* "scale_up", "scale_out", "host"; static. */
const char *nnc_fabric_name(nnc_fabric fabric);

/* Seconds that one rank's links of each fabric are busy with an exchange, at the rates of the datasheet:
 * the bytes that have to pass, which no algorithm gets below, without latency. Inside a domain and
 * between domains they pass over different links, so the sums of several exchanges stand for themselves.
 * [fabric-loads] */
void nnc_fabric_load(const nnc_network *network, const nnc_exchange *exchange,
                     double load_s[NNC_FABRICS]);
/* The same, saying how: leaves network_s, the sum of the loads. */
void nnc_fabric_say_load(const nnc_network *network, const nnc_exchange *exchange,
                         nnc_derivation *why);

#endif
