/* The pool over MPI ranks: rank 0 hands out chunks as ranks ask for them, puts the batches in order
 * and emits them; the others work, one thread each. Without MPI there is one rank. */
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

/* Does rank 0 say so? Every rank must ask. */
bool nnc_crew_agree(bool mine);
/* Rank 0's number, to every rank. */
int64_t nnc_crew_share(int64_t mine);

/* Is it the same on every rank? Every rank must ask; told to those on which it differs from rank 0's. */
bool nnc_crew_same(uint64_t mine);
/* The first rank that says so; -1 = none does. Every rank must ask. */
int nnc_crew_first(nnc_crew crew, bool mine);

/* As nnc_pool_run, which it is for a crew of one. Every rank must call it with the same rows; workers
 * and work count on all but rank 0 of a larger crew, threads not at all, emit on rank 0 only. */
nnc_status nnc_crew_run(nnc_crew crew, const nnc_pool *pool, nnc_error *err);

#endif
