#include "cli/search/search_found.h"

#include <math.h>
#include <stdio.h>
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

NNC_GET(get_cost, nnc_found, nnc_number_cell(nnc_found_spent(self, NULL).amount))

/* What decides what the devices do is never dropped where a plan uses it. */
static const nnc_metric column_rows[] = {
    NNC_HEAD("devices", WHOLE, NNC_IN(nnc_found, plan.devices)),
    NNC_HEAD("step", NUMBER, NNC_IN(nnc_found, step_s), .unit = "s"),
    NNC_HEAD("run", NUMBER, NNC_IN(nnc_found, run_s), .unit = "s"),
    NNC_HEAD("cost", NUMBER, .get = get_cost, .show = NNC_SHOW_COUNT),
    NNC_HEAD("memory", WHOLE, NNC_IN(nnc_found, memory_bytes), .unit = "B"),
    NNC_HEAD("MFU", NUMBER, NNC_IN(nnc_found, mfu), .show = NNC_SHOW_PERCENT, .drop = 6),
    NNC_HEAD("software", CHARS, NNC_IN(nnc_found, software), .shrinks = true),
    NNC_ROWS(&nnc_plan_choice_metrics, NNC_IN(nnc_found, plan)),
    NNC_HEAD("bubble", NUMBER, NNC_IN(nnc_found, bubble_share), .show = NNC_SHOW_PERCENT,
             .drop = 1),
};
enum { DEVICES, STEP, RUN, COST, MEMORY, MFU, SOFTWARE };
static const nnc_metrics columns = NNC_METRICS("a plan that fits", column_rows, nnc_found);

/* Of the columns that most plans leave at nothing, those that no plan uses go first. */
static void drop_unused(nnc_table *table, const nnc_found *list, int32_t count)
{
    struct {
        const char *head;
        bool used;
        int drop;
    } rare[] = { { "virtual", false, 5 },
                 { "context", false, 3 },
                 { "expert", false, 2 },
                 { "offload", false, 4 } };
    for (int32_t i = 0; i < count; i++) {
        rare[0].used |= list[i].plan.virtual_stages > 1;
        rare[1].used |= list[i].plan.context > 1;
        rare[2].used |= list[i].plan.expert > 1;
        rare[3].used |= list[i].plan.offload != 0;
    }
    for (int c = 0; c < table->count; c++) {
        for (size_t i = 0; i < sizeof rare / sizeof rare[0]; i++) {
            if (table->heads[c].text != NULL && strcmp(table->heads[c].text, rare[i].head) == 0 &&
                !rare[i].used) {
                table->heads[c].drop = rare[i].drop;
            }
        }
    }
}

bool nnc_found_differ(const nnc_found *list, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        if (strcmp(list[i].software, list[0].software) != 0) {
            return true;
        }
    }
    return false;
}

void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                     const char *currency, bool sizes)
{
    const bool run = count > 0 && !isnan(list[0].run_s);
    char head[64] = "";
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &columns);
    table.heads[DEVICES].text = sizes ? table.heads[DEVICES].text : NULL;
    table.heads[RUN].text = run ? table.heads[RUN].text : NULL;
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
    drop_unused(&table, list, count);
    nnc_table_records(&table, (nnc_lines){ &columns, NULL, list, count });
    nnc_table_write(&table, out, style);
}
