/* The pool over MPI ranks, one thread each: rank 0 hands out chunks, puts the batches in order and emits them,
 * and works itself while no batch waits; who has nothing to do sleeps. Without MPI there is one rank. */
#ifndef NNCOST_SWEEP_RANKS_H
#define NNCOST_SWEEP_RANKS_H

#include "sweep/pool.h"

typedef struct nnc_crew {
    int rank, size;
} nnc_crew;

nnc_crew nnc_crew_begin(void);
void nnc_crew_end(void);

/* Ends all ranks at once; returns where there is one. For what not all ranks know of. */
void nnc_crew_abandon(nnc_crew crew, nnc_status status);

/* Rank 0's number, to every rank. */
int64_t nnc_crew_share(int64_t mine);

/* Is it the same on every rank? Every rank must ask; told to those on which it differs from rank 0's. */
bool nnc_crew_same(uint64_t mine);
/* The first rank that says so; -1 = none does. Every rank must ask. */
int nnc_crew_first(nnc_crew crew, bool mine);

/* Is all well on every rank, and the digest of what it read that of rank 0? Every rank must ask. If not, the
 * first rank that has failed keeps its status, to say why and end with its code, and that of the others becomes
 * NNC_OK, since mpirun may stop what still writes once a code is not 0. */
bool nnc_crew_all_well(nnc_crew crew, uint64_t digest, nnc_status *status, nnc_error *err);

/* Sleeps for a moment. Only in a build with MPI. */
void nnc_crew_nap(void);
/* Sleeps until a request of MPI (an MPI_Request) is done. Only in a build with MPI. */
void nnc_crew_wait(void *request);

/* As nnc_pool_run, which it is for a crew of one. Every rank must call it with the same rows; of a larger crew
 * threads do not count, emit on rank 0 only. */
nnc_status nnc_crew_run(nnc_crew crew, const nnc_pool *pool, nnc_error *err);

#endif
