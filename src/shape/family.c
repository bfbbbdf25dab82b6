/* The table of families, and helpers of their rules. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/base_internal.h"
#include "shape/shape_internal.h"

static const nnc_family_row *const rows[] = {
#define NNC_FAMILY_ROW(name, text, help, row) [name] = &nnc_##row##_family,
    NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW
};

const nnc_family_row *nnc_family_of(const nnc_model *model)
{
    return rows[model->family];
}

nnc_model_sizes nnc_model_sizes_of(const nnc_model *model)
{
    return rows[model->family]->sizes(model);
}

int64_t nnc_vocab_split(int64_t words, int32_t tensor)
{
    const int64_t multiple = 128 * (int64_t)tensor;
    return words % tensor == 0 ? words : nnc_ceil_div(words, multiple) * multiple;
}

void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list)
{
    list->count = 0;
    list->block_count = 0;
    list->segment_count = 0;
    list->mixed_count = 0;
    list->truncated = false;
    list->overflow = false;
    list->recorded = false;
    list->input_bytes = 0.0;
    list->tokens = 0;
    list->lookup_params = 0;
    list->stream_elements = 0;
    list->tied_rows = list->tied_cols = list->next_layers = 0;
    rows[model->family]->lower(model, &(nnc_writer){ list, how, 1, -1, NULL });
    nnc_list_train(list, how);
    nnc_list_issue(list, model, how);
    if (how->software->library_kept) {
        nnc_list_keep_by_library(list, how, model);
    }
}

nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan,
                                   nnc_error *err)
{
    const char *family = nnc_family_name(model->family);
    if (plan->seq_len > 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--seq-len", "a %s takes images, not tokens",
                        family);
    }
    if (!isnan(plan->tokens)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--tokens",
                        "a %s trains on images, expected --samples", family);
    }
    if (nnc_convention_of(plan->flops_convention)->by_params) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--flops-convention",
                        "%s counts one use of each parameter per token, and a %s counts images",
                        nnc_flops_convention_name(plan->flops_convention), family);
    }
    if (plan->activations == NNC_ACTIVATIONS_KORTHIKANTI) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--activations",
                        "the korthikanti formula counts a GPT, expected per-op");
    }
    plan->image = plan->image > 0 ? plan->image : image;
    return NNC_OK;
}

enum { NEAR_ENOUGH = 1000000 }; /* limit of the search for a legal value */

/* "4 or 6": the nearest divisors of whole, below and above value. */
static void nearest_divisors(int64_t whole, int64_t value, char *text, size_t size)
{
    int64_t below = 0, above = 0;
    for (int64_t i = value; i >= 1 && below == 0; i--) {
        below = whole % i == 0 ? i : 0;
    }
    for (int64_t i = value + 1; i <= whole && i <= value + NEAR_ENOUGH && above == 0; i++) {
        above = whole % i == 0 ? i : 0;
    }
    if (below > 0 && above > 0) {
        snprintf(text, size, "%" PRId64 " or %" PRId64, below, above);
    } else {
        snprintf(text, size, "%" PRId64, below > 0 ? below : above);
    }
}

nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks,
                       nnc_error *err)
{
    char legal[64];
    if (ranks <= 1 || whole % ranks == 0) {
        return NNC_OK;
    }
    if (err == NULL) { /* no message to write */
        return NNC_ILLEGAL_PLAN;
    }
    nearest_divisors(whole, ranks, legal, sizeof legal);
    return nnc_fail(err, NNC_ILLEGAL_PLAN, option,
                    "%s %" PRId64 " does not divide over %" PRId64 " ranks, expected %s", what,
                    whole, ranks, legal);
}
