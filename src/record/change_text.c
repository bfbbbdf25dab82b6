/* Figures and changes as people read them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "record/check_report.h"
#include "render/text.h"

/* NULL = a pure number, or none that this version knows. */
static const char *unit_of(const char *name)
{
    const nnc_metric *metric = nnc_figure_metric(name);
    return metric != NULL ? metric->unit : NULL;
}

static void put_text(char *into, size_t size, const char *text)
{
    int columns = 0;
    size_t length = 0;
    for (; text[length] != '\0' && length + 4 < size && columns < 40; length++) {
        columns += ((unsigned char)text[length] & 0xC0u) != 0x80u;
    }
    while (((unsigned char)text[length] & 0xC0u) == 0x80u) {
        length--;
    }
    snprintf(into, size, "%.*s%s", (int)length, text, text[length] != '\0' ? ".." : "");
}

static void plain_text(const nnc_figure *figure, char *into, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    if (figure == NULL) {
        snprintf(into, size, "-");
    } else if (figure->text != NULL) {
        put_text(into, size, figure->text);
    } else {
        snprintf(into, size, "%s", nnc_number_text(figure->number, number));
    }
}

/* Four digits with a unit where the name has one; small whole numbers as they are. */
static void short_text(const nnc_figure *figure, char *into, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    const char *unit = figure != NULL && figure->text == NULL ? unit_of(figure->name) : NULL;
    if (unit != NULL) {
        snprintf(into, size, "%s", nnc_unit_text(figure->number, unit, number));
    } else if (figure == NULL || figure->text != NULL ||
               (figure->number == floor(figure->number) && fabs(figure->number) < 1e6)) {
        plain_text(figure, into, size);
    } else {
        snprintf(into, size, "%s", nnc_count_text(figure->number, number));
    }
}

/* Every digit. */
static void full_text(const nnc_figure *figure, char *into, size_t size)
{
    const char *unit = figure != NULL && figure->text == NULL ? unit_of(figure->name) : NULL;
    plain_text(figure, into, size);
    if (unit != NULL) {
        const size_t used = strlen(into);
        snprintf(into + used, size - used, " %s", unit);
    }
}

static void percent_text(double relative, char *into, size_t size)
{
    if (isnan(relative)) {
        into[0] = '\0';
    } else if (fabs(relative) >= 10) { /* "x 11.5" says more than +1050 % */
        snprintf(into, size, "x %.4g", 1 + relative);
    } else {
        snprintf(into, size, "%+.3g%%", 100 * relative);
    }
}

nnc_change_text nnc_change_text_of(const nnc_change *change)
{
    nnc_change_text text = { .old = "" };
    short_text(change->old, text.old, sizeof text.old);
    short_text(change->now, text.now, sizeof text.now);
    if (strcmp(text.old, text.now) == 0) {
        full_text(change->old, text.old, sizeof text.old);
        full_text(change->now, text.now, sizeof text.now);
    }
    percent_text(change->relative, text.percent, sizeof text.percent);
    return text;
}

const char *nnc_change_name(const nnc_change *change)
{
    return (change->old != NULL ? change->old : change->now)->name;
}

void nnc_verdict_text(const nnc_check_verdict *verdict, char *text, size_t size)
{
    char found[64], limit[64];
    const nnc_figure *figure = verdict->figure;
    const nnc_requirement *asked = verdict->requirement;
    const bool known = figure->text != NULL || !isnan(figure->number);
    const nnc_figure line = { .name = figure->name, .text = asked->text, .number = asked->number };
    short_text(figure, found, sizeof found);
    short_text(&line, limit, sizeof limit);
    if (strcmp(found, limit) == 0) { /* they differ past the fourth digit */
        full_text(figure, found, sizeof found);
        full_text(&line, limit, sizeof limit);
    }
    const bool as_typed = strstr(asked->rule, limit) != NULL;
    snprintf(text, size, "%s %s%s%s%s, found %s", asked->name, asked->rule, as_typed ? "" : " (",
             as_typed ? "" : limit, as_typed ? "" : ")",
             known ? found : "nothing: the plan gives no such figure");
}

static const nnc_change *change_of(const nnc_check_row *row, const char *name)
{
    for (int32_t i = 0; i < row->change_count; i++) {
        const nnc_change *change = &row->changes[i];
        if (change->kind == NNC_CHANGE_MOVED && strcmp(nnc_change_name(change), name) == 0) {
            return change;
        }
    }
    return NULL;
}

void nnc_check_headline(const nnc_check_row *row, char *text, size_t size)
{
    static const struct {
        const char *what, *name;
    } totals[] = { { "step", "step.step_s" },
                   { "per token", "latency.tpot_s" },
                   { "first token", "latency.ttft_s" },
                   { "memory", "memory.total_bytes" } };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof totals / sizeof totals[0] && used < size; i++) {
        const nnc_change *change = change_of(row, totals[i].name);
        double moved_by = 0;
        if (change == NULL) {
            continue;
        }
        const nnc_change_text pair = nnc_change_text_of(change);
        const char *part = nnc_figures_responsible(row->old, row->now, totals[i].name, &moved_by);
        const char *dot = part != NULL ? strchr(part, '.') : NULL;
        const int n =
            snprintf(text + used, size - used, "%s%s %s -> %s (%s)%s%s", used > 0 ? "; " : "",
                     totals[i].what, pair.old, pair.now, pair.percent,
                     part != NULL ? ", most of it " : "", dot != NULL ? dot + 1 : "");
        used += n > 0 ? (size_t)n : 0;
    }
}
