#include "search/search_limits.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "estimate/plan_asked.h"
#include "input/read.h"

void nnc_search_init(nnc_search *search, size_t struct_size)
{
    nnc_search unset;
    if (search == NULL || struct_size < sizeof struct_size) {
        return;
    }
    memset(&unset, 0, sizeof unset);
    unset.base = nnc_plan_default();
    unset.best = 10;
    unset.threads = 1;
    search->struct_size = struct_size;
    nnc_sized_write(search, &unset, sizeof unset);
}

static nnc_status out_of_range(const char *member, double least, double most, double found,
                               nnc_error *err)
{
    char where[64];
    snprintf(where, sizeof where, "nnc_search.%s", member);
    return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %g to %g, found %g", least,
                    most, found);
}

static nnc_status check_number(const char *member, double least, double most, double found,
                               nnc_error *err)
{
    return found >= least && found <= most ? NNC_OK : out_of_range(member, least, most, found, err);
}

/* Values that the field of the plan may have, and no more than there is room for. */
static nnc_status check_choice(const char *member, const nnc_choice *choice, nnc_error *err)
{
    const nnc_field *field = nnc_field_of_key(&nnc_plan_table, member);
    NNC_TRY(check_number(member, 0, NNC_SEARCH_VALUES, choice->count, err));
    for (int32_t i = 0; i < choice->count; i++) {
        nnc_plan plan = nnc_plan_default();
        const int64_t value = choice->values[i];
        const bool fits = field->type == NNC_FIELD_BOOL  ? value == 0 || value == 1
                          : field->type == NNC_FIELD_I64 ? value >= 1
                                                         : value >= 0 && value <= INT32_MAX;
        nnc_field_store(field, (char *)&plan + field->offset, 0, (double)value);
        if (!fits || nnc_plan_check(&plan, NULL) != NNC_OK) {
            char where[64], expected[256];
            snprintf(where, sizeof where, "nnc_search.%s.values[%d]", member, (int)i);
            nnc_field_expected(field, expected, sizeof expected);
            return nnc_fail(err, NNC_BAD_USAGE, where, "out of range, expected %s, found %" PRId64,
                            expected, value);
        }
    }
    return NNC_OK;
}

static nnc_status check_choices(const nnc_search *s, nnc_error *err)
{
    const struct {
        const char *member;
        const nnc_choice *choice;
    } choices[] = { { "tensor", &s->tensor },
                    { "pipeline", &s->pipeline },
                    { "context", &s->context },
                    { "expert", &s->expert },
                    { "virtual_stages", &s->virtual_stages },
                    { "micro_batch", &s->micro_batch },
                    { "zero", &s->zero },
                    { "sequence_parallel", &s->sequence_parallel },
                    { "recompute", &s->recompute },
                    { "schedule", &s->schedule },
                    { "offload", &s->offload } };
    for (size_t i = 0; i < NNC_COUNT_OF(choices); i++) {
        NNC_TRY(check_choice(choices[i].member, choices[i].choice, err));
    }
    return NNC_OK;
}

nnc_status nnc_search_read(const nnc_search *given, nnc_search *search, nnc_error *err)
{
    if (given == NULL) {
        return nnc_need("nnc_search_run", "search", false, err);
    }
    assert(search != NULL);
    nnc_search_init(search, sizeof *search);
    NNC_TRY(nnc_sized_read(search, sizeof *search, given, "nnc_search", err));
    NNC_TRY(nnc_plan_read(&given->base, &search->base, err));
    NNC_TRY(check_choices(search, err));
    NNC_TRY(check_number("base.devices", 1, INT32_MAX, search->base.devices, err));
    NNC_TRY(check_number("base.global_batch", 1, 1e12, (double)search->base.global_batch, err));
    NNC_TRY(check_number("mem_bytes", 0, 0x1p53, (double)search->mem_bytes, err));
    NNC_TRY(check_number("deadline_s", 0, 1e18, search->deadline_s, err));
    NNC_TRY(check_number("budget", 0, 1e18, search->budget, err));
    NNC_TRY(check_number("objective", 0, NNC_OBJECTIVE_COUNT - 1, (int)search->objective, err));
    NNC_TRY(check_number("best", 1, NNC_SEARCH_BEST_MAX, search->best, err));
    NNC_TRY(check_number("threads", 1, 256, search->threads, err));
    NNC_TRY(check_number("shards", 0, INT32_MAX, search->shards, err));
    return check_number("shard", search->shards > 0 ? 1 : 0, search->shards, search->shard, err);
}
