#include "cli/search/buyer_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/table.h"
#include "render/text.h"

static nnc_cell get_days(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return nnc_number_cell(row->run_s);
}

static nnc_cell get_cost(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    char amount[NNC_NUMBER_TEXT];
    if (isnan(row->cost)) {
        return (nnc_cell){ .kind = NNC_CELL_NULL };
    }
    snprintf(text, NNC_METRIC_TEXT_MAX, "%s %s", nnc_count_text(row->cost, amount), row->currency);
    return nnc_text_cell(text);
}

static nnc_cell get_energy(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return nnc_number_cell(row->energy_j / 3.6e6);
}

static nnc_cell get_word(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    return row->found ? nnc_text_cell(nnc_plan_word(&row->plan, text)) : nnc_text_cell(row->reason);
}

static nnc_cell get_limit(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? nnc_text_cell(nnc_bound_name(row->bound))
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_devices(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row->plan.devices }
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_memory(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    (void)text;
    return row->found ? (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = row->memory_bytes }
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

static nnc_cell get_plan(const nnc_place *place, char text[NNC_METRIC_TEXT_MAX])
{
    const nnc_choice_row *row = place->record;
    return row->found ? nnc_text_cell(nnc_plan_word(&row->plan, text))
                      : (nnc_cell){ .kind = NNC_CELL_NULL };
}

/* With a name for programs, with a head for people. */
static const nnc_metric choice_rows[] = {
    NNC_TEXT(nnc_choice_row, id, .head = "device", .help = "Id of the device."),
    NNC_AS("devices", WHOLE, .get = get_devices, .head = "devices", .help = "Devices of the plan."),
    NNC_NUMBER(nnc_choice_row, step_s, .head = "step", .unit = "s", .help = "Time of one step."),
    NNC_AS("run_s", NUMBER, .get = get_days, .head = "run", .unit = "s",
           .help = "Time of the whole run."),
    NNC_HEAD("cost", TEXT, .get = get_cost),
    NNC_AS("cost", NUMBER, NNC_IN(nnc_choice_row, cost),
           .help = "Cost of the whole run, or of a step where its length is not known."),
    NNC_TEXT(nnc_choice_row, currency, .help = "Currency of the cost and the price."),
    NNC_AS("energy_kwh", NUMBER, .get = get_energy, .head = "kWh", .show = NNC_SHOW_COUNT,
           .drop = 3, .help = "Energy of the whole run, or of a step at the rated power."),
    NNC_AS("memory_bytes", WHOLE, .get = get_memory, .head = "memory", .unit = "B", .drop = 2,
           .help = "Memory on the fullest device."),
    NNC_NUMBER(nnc_choice_row, mfu, .head = "MFU", .show = NNC_SHOW_PERCENT, .drop = 4,
               .help = "Model FLOPs utilisation of the step."),
    NNC_AS("bound", TEXT, .get = get_limit, .head = "limit", .help = "What limits the step most."),
    NNC_HEAD("plan", TEXT, .get = get_word),
    NNC_AS("plan", TEXT, .get = get_plan, .help = "The plan in one word."),
    NNC_TEXT(nnc_choice_row, software, .help = "Software profile of the plan."),
    NNC_AS("basis", ENUM, NNC_IN(nnc_choice_row, basis),
           .names = { nnc_basis_name, NNC_BASIS_COUNT },
           .help = "What the device's efficiencies rest on."),
    NNC_NUMBER(nnc_choice_row, device_hours, .help = "Devices times hours of the whole run."),
    NNC_NUMBER(nnc_choice_row, price, .help = "Price of one device for one hour."),
    NNC_TEXT(nnc_choice_row, seller, .help = "Whose price it is."),
    NNC_TEXT(nnc_choice_row, date, .help = "When it was asked."),
    NNC_TEXT(nnc_choice_row, reason, .help = "Why no plan is shown."),
    NNC_TEXT(nnc_choice_row, command, .help = "The command that estimates the plan."),
};
static const nnc_metrics choice_metrics = NNC_METRICS("a device", choice_rows, nnc_choice_row);

static const nnc_metric document_rows[] = {
    NNC_TEXT(nnc_choices, model),
    NNC_TEXT(nnc_choices, aim),
    NNC_WHOLE(nnc_choices, global_batch),
    { .name = "devices",
      .type = NNC_METRIC_LIST,
      NNC_IN(nnc_choices, rows),
      NNC_COUNT(nnc_choices, count),
      .rows = &choice_metrics },
};
static const nnc_metrics document =
    NNC_METRICS("devices to choose from", document_rows, nnc_choices);

static nnc_lines lines_of(const void *record)
{
    const nnc_choices *choices = record;
    return (nnc_lines){ &choice_metrics, choices, choices->rows, choices->count };
}

static void write_unmeasured(nnc_buffer *out, const nnc_choices *choices)
{
    int32_t count = 0;
    for (int32_t i = 0; i < choices->count; i++) {
        if (choices->rows[i].found && choices->rows[i].basis == NNC_BASIS_DEFAULT) {
            nnc_buffer_print(out, "%s%s",
                             count++ > 0 ? ", "
                                         : "\nnot measured, with efficiencies of similar devices: ",
                             choices->rows[i].id);
        }
    }
    nnc_buffer_text(out, count > 0 ? "\n" : "");
}

/* What a cost is of, its heading says. */
static void write_table(nnc_buffer *out, nnc_style style, const nnc_choices *choices)
{
    nnc_table table = { .count = 0 };
    bool run = true;
    for (int32_t i = 0; i < choices->count; i++) {
        run = run && !(choices->rows[i].found && isnan(choices->rows[i].run_s));
    }
    nnc_table_heads(&table, &choice_metrics);
    for (int i = 0; i < table.count; i++) {
        nnc_head *head = &table.heads[i];
        if (strcmp(head->text, "cost") == 0) {
            head->text = run ? "run cost" : "step cost";
        } else if (strcmp(head->text, "run") == 0 && !run) {
            head->text = NULL;
        }
        if (head->text != NULL && strcmp(head->text, "kWh") == 0) {
            head->text = run ? "run kWh" : "step kWh";
        }
    }
    nnc_table_records(&table, lines_of(choices));
    nnc_table_write(&table, out, style);
}

/* Sellers differ more than devices do, so each is named. */
static void write_prices(nnc_buffer *out, const nnc_choices *choices)
{
    int32_t count = 0;
    for (int32_t i = 0; i < choices->count; i++) {
        const nnc_choice_row *row = &choices->rows[i];
        char amount[NNC_NUMBER_TEXT];
        if (isnan(row->price)) {
            continue;
        }
        nnc_buffer_print(out, "%s%s %s %s/h", count++ > 0 ? "; " : "\nprices: ", row->id,
                         nnc_count_text(row->price, amount), row->currency);
        if (row->seller != NULL) {
            nnc_buffer_print(out, " (%s%s%s)", row->seller, row->date != NULL ? ", " : "",
                             row->date != NULL ? row->date : "");
        }
    }
    nnc_buffer_text(out, count > 0 ? "\n" : "");
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_choices *choices = record;
    nnc_buffer_print(out, "%s, global batch %" PRId64 "%s; of each device %s\n\n", choices->model,
                     choices->global_batch,
                     choices->batch_chosen ? " (chosen: about 4 million tokens)" : "",
                     choices->aim);
    write_table(out, style, choices);
    write_prices(out, choices);
    write_unmeasured(out, choices);
    nnc_buffer_byte(out, '\n');
    for (int32_t i = 0; i < choices->count; i++) {
        if (choices->rows[i].command != NULL) {
            nnc_buffer_print(out, "    %s\n", choices->rows[i].command);
        }
    }
}

const nnc_view nnc_choices_view = {
    .schema = "nncost.choices/1", .document = &document, .lines = lines_of, .page = write_page
};
