#include "base/names.h"
#include "op/work.h"

static const char all_pairs[] = "of a pass, attention over all pairs",
                  wide_pairs[] = "of a pass, attention over all pairs, of a window over its width",
                  masked_pairs[] = "of a pass, attention over the pairs that the mask leaves";
static const nnc_convention NNC_ROW(NNC_CONVENTION_PALM) = { NNC_COUNTS_WINDOW, false, wide_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_CAUSAL) = { NNC_COUNTS_MASK, false,
                                                               masked_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_6ND) = { NNC_COUNTS_ALL, true, all_pairs };
static const nnc_convention *const rows[] = { NNC_CONVENTION_LIST(NNC_ROW_AT) };

const nnc_convention *nnc_convention_of(nnc_flops_convention convention)
{
    return rows[convention];
}
