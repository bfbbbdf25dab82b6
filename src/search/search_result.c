/* What a search found, for those who do not see its members. */
#include <stdlib.h>

#include <nncost/search.h>

nnc_search_result *nnc_search_result_create(void)
{
    return calloc(1, sizeof(nnc_search_result));
}

void nnc_search_result_destroy(nnc_search_result *result)
{
    free(result);
}

nnc_search_tally nnc_search_result_tally(const nnc_search_result *result)
{
    if (result == NULL) {
        return (nnc_search_tally){ 0 };
    }
    return (nnc_search_tally){ .space = result->space,
                               .covered = result->covered,
                               .evaluated = result->evaluated,
                               .pruned = result->pruned,
                               .feasible = result->feasible,
                               .legal = result->legal };
}

const nnc_found *nnc_search_result_best(const nnc_search_result *result, int32_t index)
{
    return result != NULL && index >= 0 && index < result->best_count ? &result->best[index] : NULL;
}

const nnc_found *nnc_search_result_pareto(const nnc_search_result *result, int32_t index)
{
    return result != NULL && index >= 0 && index < result->pareto_count ? &result->pareto[index]
                                                                        : NULL;
}

const nnc_found *nnc_search_result_missed(const nnc_search_result *result)
{
    return result != NULL && result->any_missed ? &result->missed : NULL;
}
