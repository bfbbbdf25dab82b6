#include "cli/serve/slo.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "metrics/report.h"

static const char option[] = "--slo";

/* Figures of nnc_serve that are one number each, at most of a section. */
static bool is_figure(const nnc_column *column)
{
    const nnc_metric *row = column->metric;
    const nnc_metric *inside = column->depth > 0 ? column->inside[column->depth - 1] : NULL;
    return row->type == NNC_METRIC_NUMBER && row->each_count == 0 && row->get == NULL &&
           row->hop == 0 && inside != NULL && inside->hop > 0 && inside->size == 0 &&
           strncmp(column->name, "plan.", 5) != 0;
}

static nnc_status unknown(const nnc_columns *columns, const char *word, nnc_error *err)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int32_t i = 0; i < columns->count && count < NAMES_MAX; i++) {
        if (is_figure(&columns->list[i])) {
            names[count++] = strchr(columns->list[i].name, '.') + 1;
        }
    }
    const char *nearest = nnc_nearest(word, names, count);
    return nnc_fail(
        err, NNC_BAD_USAGE, option,
        "no such figure, expected one such as ttft_s, tpot_s or tokens_per_s_per_user%s%s, "
        "found \"%s\"",
        nearest != NULL ? ", perhaps " : "", nearest != NULL ? nearest : "", word);
}

static nnc_status read_one(const nnc_columns *columns, const char *text, nnc_serve_limit *limit,
                           nnc_error *err)
{
    char word[96];
    const char *sign = strpbrk(text, "<>");
    if (sign == NULL || sign[1] != '=' || sign == text || (size_t)(sign - text) >= sizeof word) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "expected FIGURE<=NUMBER or FIGURE>=NUMBER, found \"%s\"", text);
    }
    snprintf(word, sizeof word, "%.*s", (int)(sign - text), text);
    const nnc_name_match match =
        nnc_name_find(&columns->list[0].name, sizeof columns->list[0], columns->count, word);
    if (match.index < 0 || !is_figure(&columns->list[match.index])) {
        return unknown(columns, word, err);
    }
    const nnc_column *column = &columns->list[match.index];
    *limit = (nnc_serve_limit){ .name = column->name,
                                .offset = column->metric->offset,
                                .at_least = *sign == '>' };
    if (!nnc_read_quantity(sign + 2, column->metric->unit, false, &limit->value) ||
        !(limit->value > 0.0)) {
        return nnc_fail(err, NNC_BAD_USAGE, option,
                        "expected a number above 0 after %s%c=, found \"%s\"", word, *sign,
                        sign + 2);
    }
    return NNC_OK;
}

nnc_status nnc_slo_read(const char *text, nnc_arena *arena,
                        nnc_serve_limit limits[NNC_SERVE_LIMITS], int32_t *count, nnc_error *err)
{
    nnc_columns columns;
    *count = 0;
    if (text == NULL) {
        return NNC_OK;
    }
    char *copy = nnc_arena_strdup(arena, text);
    if (copy == NULL || nnc_columns_of(&nnc_serve_metrics, arena, &columns) != NNC_OK) {
        return nnc_no_memory(err);
    }
    for (char *at = copy; at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        at += strspn(at, " ");
        if (*count == NNC_SERVE_LIMITS) {
            return nnc_fail(err, NNC_BAD_USAGE, option, "more than %d limits", NNC_SERVE_LIMITS);
        }
        NNC_TRY(read_one(&columns, at, &limits[(*count)++], err));
        at = comma;
    }
    return NNC_OK;
}
