#include "cli/search/search_found.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/table.h"
#include "render/text.h"

nnc_spent nnc_found_spent(const nnc_found *found, const char *currency)
{
    const bool run = !isnan(found->run_s);
    const double money = run ? found->cost_run : found->cost_step;
    if (!isnan(money)) {
        return (nnc_spent){ run ? "run cost" : "step cost", money, currency };
    }
    return run ? (nnc_spent){ "device-hours", found->device_hours, NULL }
               : (nnc_spent){ "device-s", found->device_s, NULL };
}

const char *nnc_spent_text(const nnc_found *found, const char *currency, char text[NNC_SPENT_TEXT])
{
    const nnc_spent spent = nnc_found_spent(found, currency);
    char amount[NNC_NUMBER_TEXT];
    snprintf(text, NNC_SPENT_TEXT, "%s %s%s%s", spent.what, nnc_count_text(spent.amount, amount),
             spent.currency != NULL ? " " : "", spent.currency != NULL ? spent.currency : "");
    return text;
}

/* A row of the table: a plan, and how many more there are of its step and its memory. */
typedef struct row {
    nnc_found found;
    int32_t like;
} row;

NNC_GET(get_energy, row, nnc_number_cell(self->found.energy_j / 3.6e6))
NNC_GET(get_carbon, row, nnc_number_cell(self->found.carbon_kg / 1000.0))
NNC_GET(get_cost, row, nnc_number_cell(nnc_found_spent(&self->found, NULL).amount))

static nnc_cell get_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const row *self = place->record;
    nnc_plan_word(&self->found.plan, text);
    if (self->like > 0) {
        const size_t used = strlen(text);
        snprintf(text + used, NNC_METRIC_TEXT_MAX - used, " (+%" PRId32 ")", self->like);
    }
    return nnc_text_cell(text);
}

#define FOUND(member) NNC_IN(row, found.member)
static const nnc_metric column_rows[] = {
    NNC_HEAD("devices", WHOLE, FOUND(plan.devices)),
    NNC_HEAD("step", NUMBER, FOUND(step_s), .unit = "s"),
    NNC_HEAD("run", NUMBER, FOUND(run_s), .unit = "s"),
    NNC_HEAD("cost", NUMBER, .get = get_cost, .show = NNC_SHOW_COUNT),
    NNC_HEAD("goodput", NUMBER, FOUND(goodput), .show = NNC_SHOW_PERCENT, .drop = 4),
    NNC_HEAD("kWh", NUMBER, .get = get_energy, .show = NNC_SHOW_COUNT, .drop = 3),
    NNC_HEAD("t CO2e", NUMBER, .get = get_carbon, .show = NNC_SHOW_COUNT, .drop = 5),
    NNC_HEAD("memory", WHOLE, FOUND(memory_bytes), .unit = "B", .drop = 3),
    NNC_HEAD("MFU", NUMBER, FOUND(mfu), .show = NNC_SHOW_PERCENT, .drop = 2),
    NNC_HEAD("bubble", NUMBER, FOUND(bubble_share), .show = NNC_SHOW_PERCENT, .drop = 1),
    NNC_HEAD("software", CHARS, FOUND(software), .shrinks = true),
    NNC_HEAD("plan", TEXT, .get = get_plan),
};
#undef FOUND
enum { DEVICES, STEP, RUN, COST, GOODPUT, ENERGY, CARBON, MEMORY, MFU, BUBBLE, SOFTWARE };
static const nnc_metrics columns = NNC_METRICS("a plan that fits", column_rows, row);

bool nnc_found_differ(const nnc_found *list, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        if (strcmp(list[i].software, list[0].software) != 0) {
            return true;
        }
    }
    return false;
}

/* Do two plans read the same but for their words? */
static bool is_like(const nnc_found *a, const nnc_found *b)
{
    char left[NNC_NUMBER_TEXT], right[NNC_NUMBER_TEXT];
    return a->plan.devices == b->plan.devices && strcmp(a->software, b->software) == 0 &&
           strcmp(nnc_unit_text(a->step_s, "s", left), nnc_unit_text(b->step_s, "s", right)) == 0 &&
           strcmp(nnc_unit_text((double)a->memory_bytes, "B", left),
                  nnc_unit_text((double)b->memory_bytes, "B", right)) == 0;
}

/* Neighbours that read the same become one row. */
static int32_t fold(const nnc_found *list, int32_t count, row *rows)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        if (kept > 0 && is_like(&rows[kept - 1].found, &list[i])) {
            rows[kept - 1].like++;
        } else {
            rows[kept++] = (row){ .found = list[i] };
        }
    }
    return kept;
}

void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                     const char *currency, bool sizes)
{
    const bool run = count > 0 && !isnan(list[0].run_s);
    char head[64] = "";
    nnc_table table = { .count = 0 };
    row *rows = calloc((size_t)count + 1, sizeof *rows);
    if (rows == NULL) {
        out->failed = true;
        return;
    }
    const int32_t kept = fold(list, count, rows);
    nnc_table_heads(&table, &columns);
    table.heads[DEVICES].text = sizes ? table.heads[DEVICES].text : NULL;
    table.heads[RUN].text = run ? table.heads[RUN].text : NULL;
    table.heads[GOODPUT].text = run && list[0].goodput < 1.0 ? table.heads[GOODPUT].text : NULL;
    table.heads[ENERGY].text = run && list[0].energy_j > 0.0 ? table.heads[ENERGY].text : NULL;
    table.heads[CARBON].text = run && list[0].carbon_kg > 0.0 ? table.heads[CARBON].text : NULL;
    if (run || (sizes && count > 0)) {
        const nnc_spent spent = nnc_found_spent(&list[0], currency);
        if (spent.currency != NULL) { /* "run USD" */
            snprintf(head, sizeof head, "%s %s", run ? "run" : "step", spent.currency);
        } else {
            snprintf(head, sizeof head, "%s", spent.what);
        }
    }
    table.heads[COST].text = *head != '\0' ? head : NULL;
    table.heads[SOFTWARE].text = nnc_found_differ(list, count) ? table.heads[SOFTWARE].text : NULL;
    nnc_table_records(&table, (nnc_lines){ &columns, NULL, rows, kept });
    nnc_table_write(&table, out, style);
    if (kept < count) {
        nnc_buffer_text(out, "(+N): N more plans of the same step and memory\n");
    }
    free(rows);
}
