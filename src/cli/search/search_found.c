#include "cli/search/search_found.h"

#include <math.h>
#include <string.h>

#include "render/table.h"

const char *nnc_found_cost(const nnc_found *found, double *cost)
{
    if (!isnan(found->run_s)) {
        const bool priced = !isnan(found->cost_run);
        *cost = priced ? found->cost_run : found->device_hours;
        return priced ? "run cost" : "device-hours";
    }
    const bool priced = !isnan(found->cost_step);
    *cost = priced ? found->cost_step : found->device_s;
    return priced ? "step cost" : "device-s";
}

static nnc_cell get_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    double spent = 0.0;
    (void)text;
    (void)nnc_found_cost(place->record, &spent);
    return nnc_number_cell(spent);
}

/* What decides what the devices do is never dropped where a plan uses it. */
static const nnc_metric column_rows[] = {
    NNC_HEAD("devices", WHOLE, NNC_IN(nnc_found, plan.devices)),
    NNC_HEAD("step", NUMBER, NNC_IN(nnc_found, step_s), .unit = "s"),
    NNC_HEAD("run", NUMBER, NNC_IN(nnc_found, run_s), .unit = "s"),
    NNC_HEAD("cost", NUMBER, .get = get_cost, .show = NNC_SHOW_COUNT),
    NNC_HEAD("memory", WHOLE, NNC_IN(nnc_found, memory_bytes), .unit = "B"),
    NNC_HEAD("MFU", NUMBER, NNC_IN(nnc_found, mfu), .show = NNC_SHOW_PERCENT, .drop = 6),
    NNC_ROWS(&nnc_plan_choice_metrics, NNC_IN(nnc_found, plan)),
    NNC_HEAD("bubble", NUMBER, NNC_IN(nnc_found, bubble_share), .show = NNC_SHOW_PERCENT,
             .drop = 1),
};
enum { DEVICES, STEP, RUN, COST };
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

void nnc_found_write(nnc_buffer *out, nnc_style style, const nnc_found *list, int32_t count,
                     bool sizes)
{
    const bool run = count > 0 && !isnan(list[0].run_s);
    double spent = 0.0;
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, &columns);
    table.heads[DEVICES].text = sizes ? table.heads[DEVICES].text : NULL;
    table.heads[RUN].text = run ? table.heads[RUN].text : NULL;
    table.heads[COST].text = run || (sizes && count > 0) ? nnc_found_cost(&list[0], &spent) : NULL;
    drop_unused(&table, list, count);
    nnc_table_records(&table, (nnc_lines){ &columns, NULL, list, count });
    nnc_table_write(&table, out, style);
}
