/* A forward op list and a plan -> the ops of one rank. */
#ifndef NNCOST_PARALLEL_SHARD_H
#define NNCOST_PARALLEL_SHARD_H

#include "shape/list.h"

/* Divides the dims of every op by the degrees of tensor, context and expert parallelism, in place.
 * Data and pipeline parallelism leave an op as it is: they deal out samples and layers. The plan
 * must be legal (nnc_plan_resolve). Work that ranks share adds up to the whole; what is replicated
 * (norms without sequence parallelism, the router, key and value heads fewer than tensor ranks) is
 * done by every rank.
 * Sources: Megatron-LM arXiv:1909.08053, sequence parallelism arXiv:2205.05198, context parallelism
 * arXiv:2310.01889 and arXiv:2309.14509.   [sharding] */
void nnc_shard(nnc_op_list *list, const nnc_plan *plan);

#endif
