/* For systems without threads. */
#include "sweep/pool.h"

nnc_status nnc_pool_run(const nnc_pool *pool, nnc_error *err)
{
    return nnc_pool_run_alone(pool, nnc_pool_chunks(pool), err);
}
