#include <stdio.h>
#include <string.h>

#include "cli/option.h"
#include "cli/option_table.h"
#include "input/flags.h"

static const char *field_argument(const nnc_field *field)
{
    switch (field->type) {
    case NNC_FIELD_BOOL: return "[=off]";
    case NNC_FIELD_ENUM: return " NAME";
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_OFFLOAD: return " LIST";
    case NNC_FIELD_F64: return " X";
    default: return " N";
    }
}

/* Adds a part to a text, separated by a blank. */
static void append(char *text, size_t size, const char *before, const char *part, const char *after)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s%s", used > 0 ? " " : "", before, part, after);
}

/* Fields of the plan stand together by group, only the first of them names it. */
static const char *group_of(const nnc_field_table *table, const nnc_field *field)
{
    while (field->group == NULL && field > table->fields) {
        field--;
    }
    return field->group;
}

static void describe_field(const nnc_field_table *table, const nnc_field *field,
                           nnc_option_text *text)
{
    const size_t size = sizeof text->help;
    char expected[160];
    nnc_option_name(field->name, text->name);
    snprintf(text->argument, sizeof text->argument, "%s", field_argument(field));
    text->field = field;
    text->of_plan = table == &nnc_plan_table;
    text->group = group_of(table, field);
    text->takes = text->of_plan               ? NNC_TAKES_PLAN
                  : table == &nnc_run_table   ? NNC_TAKES_RUN
                  : table == &nnc_serve_table ? NNC_TAKES_SERVE
                                              : NNC_TAKES_BUDGET;
    append(text->help, size, "", field->help != NULL ? field->help : "", "");
    if (nnc_flags_of(field->type) != NULL) {
        nnc_field_expected(field, expected, sizeof expected);
        append(text->help, size, "", expected, "");
    }
    if (field->type == NNC_FIELD_ENUM && field->names.count > 1) {
        text->values = field->names;
        text->help_of = field->help_of;
        for (int i = 0; i < field->names.count; i++) {
            append(text->help, size, "", field->names.of((unsigned)i),
                   i + 1 < field->names.count ? "," : "");
        }
    }
    if (field->alias != NULL) {
        nnc_option_name(field->alias, text->alias);
        append(text->help, size, "Also ", text->alias, ".");
    }
    if (field->default_text != NULL) {
        append(text->help, size, "[", field->default_text, "]");
    }
}

static void describe_own(const nnc_own_option *own, nnc_option_text *text)
{
    nnc_option_name(own->name, text->name);
    if (own->argument != NULL) {
        snprintf(text->argument, sizeof text->argument, " %s", own->argument);
    }
    snprintf(text->help, sizeof text->help, "%s", own->help);
    text->values = (nnc_names){ own->value_name, own->value_count };
    text->group = own->group;
    text->takes = own->takes;
}

bool nnc_option_at(unsigned takes, int index, nnc_option_text *text)
{
    const int plan_count = (takes & NNC_TAKES_PLAN) ? (int)nnc_plan_table.count : 0;
    *text = (nnc_option_text){ 0 };
    if (index < plan_count) {
        describe_field(&nnc_plan_table, &nnc_plan_table.fields[index], text);
        return true;
    }
    int left = index - plan_count;
    const int run_count = (takes & NNC_TAKES_RUN) ? (int)nnc_run_table.count : 0;
    if (left < run_count) {
        describe_field(&nnc_run_table, &nnc_run_table.fields[left], text);
        return true;
    }
    left -= run_count;
    const int serve_count = (takes & NNC_TAKES_SERVE) ? (int)nnc_serve_table.count : 0;
    if (left < serve_count) {
        describe_field(&nnc_serve_table, &nnc_serve_table.fields[left], text);
        return true;
    }
    left -= serve_count;
    const int budget_count = (takes & NNC_TAKES_BUDGET) ? (int)nnc_budget_table.count : 0;
    if (left < budget_count) {
        describe_field(&nnc_budget_table, &nnc_budget_table.fields[left], text);
        return true;
    }
    left -= budget_count;
    for (int i = 0; i < nnc_own_option_count; i++) {
        if ((nnc_own_options[i].takes & takes) && left-- == 0) {
            describe_own(&nnc_own_options[i], text);
            return true;
        }
    }
    return false;
}
