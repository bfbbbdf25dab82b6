#include "cli/command_line.h"

#include <string.h>

#include "base/error.h"
#include "base/shell_word.h"
#include "input/field.h"

static void put_pair(nnc_buffer *out, const char *option, const char *value)
{
    if (value != NULL) {
        nnc_buffer_print(out, " %s ", option);
        nnc_shell_word(out, value);
    }
}

void nnc_command_option(nnc_buffer *out, const nnc_field *field, const char *value)
{
    char name[NNC_OPTION_NAME];
    nnc_option_name(field->name, name);
    if (field->type != NNC_FIELD_BOOL) {
        put_pair(out, name, value);
    } else if (strcmp(value, "on") == 0) {
        nnc_buffer_print(out, " %s", name);
    } else { /* its value is optional, so it is no word of its own */
        nnc_buffer_print(out, " %s=%s", name, value);
    }
}

void nnc_command_put(nnc_buffer *out, const nnc_command_asked *asked)
{
    const nnc_given *given = asked->given;
    nnc_buffer_text(out, "nncost estimate ");
    nnc_shell_word(out, asked->model);
    if (asked->device != NULL) {
        nnc_buffer_byte(out, ' ');
        nnc_shell_word(out, asked->device);
    }
    put_pair(out, "--scenario", asked->scenario);
    put_pair(out, "--software", given->software);
    put_pair(out, "--cluster", given->cluster);
    put_pair(out, "--seller", given->seller);
    put_pair(out, "--offer", given->offer);
    put_pair(out, "--region", given->region);
    put_pair(out, "--building", given->building);
    nnc_buffer_text(out, asked->lenient ? " --lenient" : "");
    for (int i = 0; i < given->setting_count; i++) {
        nnc_command_option(out, given->settings[i].field, given->settings[i].value);
    }
    for (int i = 0; i < given->set_count; i++) {
        put_pair(out, "--set", given->sets[i]);
    }
}

const char *nnc_command_keep(nnc_arena *arena, nnc_buffer *out)
{
    nnc_buffer_byte(out, '\0');
    const char *text = out->failed ? NULL : nnc_arena_strdup(arena, out->bytes);
    nnc_buffer_clear(out);
    return text;
}

/* ---- plans that a search has found ---- */

static bool is_given(const nnc_given *given, const char *name)
{
    for (int i = 0; i < given->setting_count; i++) {
        if (strcmp(given->settings[i].field->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is a choice told by the rest of the command? What a plan file says of it would stand against it. */
static bool follows(const nnc_field *field, const nnc_plan *plan, bool of_plan_file)
{
    if (strcmp(field->name, "schedule") == 0) {
        return plan->pipeline == 1;
    }
    return !of_plan_file &&
           (strcmp(field->name, "data") == 0 || strcmp(field->name, "micro_batches") == 0);
}

/* The rows of a table, and of those whose rows stand in it. NOLINTNEXTLINE(misc-no-recursion) */
static void put_choices(nnc_buffer *out, const nnc_metrics *choices, const nnc_command_asked *asked,
                        const nnc_plan *plan, bool of_plan_file)
{
    const nnc_plan usual = nnc_plan_default();
    for (size_t i = 0; i < choices->count; i++) {
        const nnc_metric *row = &choices->rows[i];
        char value[NNC_METRIC_TEXT_MAX], usually[NNC_METRIC_TEXT_MAX];
        if (row->name == NULL) {
            put_choices(out, row->rows, asked, plan, of_plan_file);
            continue;
        }
        for (size_t k = 0; k < nnc_plan_table.count; k++) {
            const nnc_field *field = &nnc_plan_table.fields[k];
            if (strcmp(field->name, row->name) != 0 || is_given(asked->given, field->name) ||
                follows(field, plan, of_plan_file)) {
                continue;
            }
            nnc_field_text(field, plan, value, sizeof value);
            nnc_field_text(field, &usual, usually, sizeof usually);
            if (of_plan_file || strcmp(value, usually) != 0) {
                nnc_command_option(out, field, value);
            }
        }
    }
}

/* All of a report's plans, one after the other; NULL past the last. */
static nnc_found *found_at(nnc_search_report *report, int32_t index)
{
    nnc_search_result *result = report->result;
    for (int32_t i = 0; i < report->size_count; i++) {
        if (report->sizes[i].found && index-- == 0) {
            return &report->sizes[i].best;
        }
        if (report->sizes[i].any_missed && index-- == 0) {
            return &report->sizes[i].missed;
        }
    }
    if (report->sizes != NULL || result == NULL) {
        return NULL;
    }
    if (index < result->best_count) {
        return &result->best[index];
    }
    index -= result->best_count;
    if (index < result->pareto_count) {
        return &result->pareto[index];
    }
    return index == result->pareto_count && result->any_missed ? &result->missed : NULL;
}

nnc_status nnc_command_all(nnc_arena *arena, const nnc_command_asked *asked, bool of_plan_file,
                           nnc_search_report *report, nnc_error *err)
{
    nnc_buffer text = { 0 };
    nnc_status status = NNC_OK;
    nnc_found *found = NULL;
    for (int32_t i = 0; status == NNC_OK && (found = found_at(report, i)) != NULL; i++) {
        nnc_command_put(&text, asked);
        put_choices(&text, &nnc_plan_choice_metrics, asked, &found->plan, of_plan_file);
        found->command = nnc_command_keep(arena, &text);
        status = found->command != NULL ? NNC_OK : nnc_no_memory(err);
    }
    nnc_buffer_free(&text);
    return status;
}
