#include "base/names.h"
#include "op/work.h"

NNC_ENUM_TEXTS(nnc_flops_convention, NNC_CONVENTION_LIST)

static const char all_pairs[] = "of a pass, attention over all pairs",
                  masked_pairs[] = "of a pass, attention over the pairs that the mask leaves";
static const nnc_convention NNC_ROW(NNC_CONVENTION_PALM) = { false, false, all_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_CAUSAL) = { true, false, masked_pairs };
static const nnc_convention NNC_ROW(NNC_CONVENTION_6ND) = { false, true, all_pairs };
static const nnc_convention *const rows[] = { NNC_CONVENTION_LIST(NNC_ROW_AT) };

const nnc_convention *nnc_convention_of(nnc_flops_convention convention)
{
    return rows[convention];
}
