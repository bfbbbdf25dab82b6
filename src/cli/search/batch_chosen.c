#include "cli/search/batch_chosen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "input/field.h"
#include "input/kind.h"
#include "input/read.h"
#include "record/plan_file_load.h"
#include "shape/family.h"

enum { USUAL_TOKENS = 4194304 }; /* of a batch of a language model in pre-training */

/* The batch and the sequence among the options; 0 = not given. */
static nnc_status read_given(const nnc_given *given, nnc_plan *plan, nnc_error *err)
{
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        if (strcmp(setting->field->name, "global_batch") == 0 ||
            strcmp(setting->field->name, "seq_len") == 0) {
            const nnc_status status = nnc_plan_set(plan, setting->field->name, setting->value, err);
            if (status != NNC_OK) {
                nnc_option_name(setting->field->name, err->where);
                return status;
            }
        }
    }
    return NNC_OK;
}

nnc_status nnc_batch_choose(nnc_session *session, nnc_arena *arena, int64_t *global_batch,
                            bool *chosen, nnc_error *err)
{
    nnc_given *given = &session->options.given;
    nnc_plan plan = nnc_plan_default();
    const nnc_plans *plans = NULL;
    const nnc_model *model = NULL;
    *chosen = false;
    plan.seq_len = 0;
    NNC_TRY(read_given(given, &plan, err));
    *global_batch = plan.global_batch;
    NNC_TRY(nnc_plans_open(session->specs, arena, session->options.operands[0], &plans, err));
    if (*global_batch > 0 || plans != NULL) {
        return NNC_OK;
    }
    NNC_TRY(nnc_model_load(session->specs, session->options.operands[0], &model, err));
    const int64_t seq_len = plan.seq_len > 0 ? plan.seq_len : nnc_model_sizes_of(model).seq_len;
    if (seq_len == 0 || given->setting_count == NNC_SETTINGS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--global-batch",
                        "missing, expected the number that every plan is for");
    }
    char number[24];
    *chosen = true;
    *global_batch = 1;
    while (*global_batch * 2 * seq_len <= USUAL_TOKENS) {
        *global_batch *= 2;
    }
    snprintf(number, sizeof number, "%" PRId64, *global_batch);
    const char *value = nnc_arena_strdup(arena, number);
    if (value == NULL) {
        return nnc_no_memory(err);
    }
    given->settings[given->setting_count++] =
        (nnc_setting){ nnc_field_of_key(&nnc_plan_table, "global_batch"), value };
    return NNC_OK;
}

nnc_status nnc_found_estimate(const nnc_session *session, const nnc_search_report *report,
                              const nnc_found *found, nnc_scratch *scratch, nnc_arena *arena,
                              const nnc_result **result, nnc_error *err)
{
    nnc_profiles profiles;
    nnc_result *made = nnc_arena_alloc(arena, sizeof *made);
    if (made == NULL) {
        return nnc_no_memory(err);
    }
    *result = made;
    NNC_TRY(nnc_profiles_asked(session->specs, session->options.given.software, &profiles, err));
    return nnc_estimate(report->model, report->device,
                        nnc_profile_of(&profiles, report->model, report->device, &found->plan),
                        &found->plan, scratch, made, err);
}
