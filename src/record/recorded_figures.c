#include "record/recorded_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/report.h"

enum { FIGURE_NAME_MAX = 256, FIGURES_MAX = 10000 };

static const char *name_for(nnc_arena *arena, const nnc_figure_list *into, const char *name)
{
    const nnc_figures like = into->like;
    const bool known = into->count < like.count && strcmp(like.list[into->count].name, name) == 0;
    return known ? like.list[into->count].name : nnc_arena_strdup(arena, name);
}

static const char *text_for(nnc_arena *arena, const nnc_figure_list *into, const char *text)
{
    const char *last = into->count < into->like.count ? into->like.list[into->count].text : NULL;
    return last != NULL && strcmp(last, text) == 0 ? last : nnc_arena_strdup(arena, text);
}

/* A figure of this program is a number or a text as its metric is; others may be what they like. Most have the
 * kind of the one in their place in `like`. */
static bool is_of_kind(const nnc_figure_list *into, const nnc_figure *figure)
{
    const nnc_figures like = into->like;
    const bool text = figure->text != NULL;
    if (into->count < like.count && like.list[into->count].name == figure->name &&
        (like.list[into->count].text != NULL) == text) {
        return true;
    }
    const nnc_metric *metric = nnc_figure_metric(figure->name);
    const nnc_metric_type type = metric != NULL ? metric->type : NNC_METRIC_ANY;
    return type == NNC_METRIC_NUMBER || type == NNC_METRIC_WHOLE ? !text
           : type <= NNC_METRIC_ENUM                             ? text
                                                                 : true;
}

/* What is counted in a unit is there or not. */
static bool is_in_range(const nnc_figure *figure)
{
    const nnc_metric *metric = figure->number < 0.0 ? nnc_figure_metric(figure->name) : NULL;
    return metric == NULL || metric->unit == NULL || metric->any_sign;
}

static void add_figure(nnc_json at, const char *name, nnc_figure_list *into)
{
    nnc_arena *arena = at.doc->arena;
    nnc_figure *list =
        nnc_arena_grow(arena, into->list, into->count, &into->capacity, sizeof(*list));
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return;
    }
    into->list = list;
    nnc_figure figure = { .name = name_for(arena, into, name), .number = (double)NAN };
    bool kept = figure.name != NULL;
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_NUMBER: figure.number = nnc_json_number(at); break;
    case NNC_JSON_BOOL: figure.text = nnc_json_bool(at) ? "true" : "false"; break;
    default:
        figure.text = text_for(arena, into, nnc_json_text(at));
        kept = kept && figure.text != NULL;
        break;
    }
    if (!kept) {
        nnc_faults_no_memory(at.doc->faults);
    } else if (is_of_kind(into, &figure) && is_in_range(&figure)) {
        into->list[into->count++] = figure;
    } else if (into->quiet) {
        into->faulty = true;
    } else if (!is_in_range(&figure)) {
        nnc_json_mismatch(at, "out of range", "at least 0");
    } else {
        nnc_json_mismatch(at, "wrong type", figure.text != NULL ? "a number" : "a text");
    }
}

/* Puts a part of a name behind the first `used` bytes; the new length, 0 = there is no room. */
static size_t append_part(char *name, size_t used, const char *part)
{
    const size_t dot = used > 0 ? 1 : 0, length = strlen(part);
    if (used + dot + length >= FIGURE_NAME_MAX) {
        return 0;
    }
    name[used] = '.';
    memcpy(name + used + dot, part, length + 1);
    return used + dot + length;
}

/* Lists of texts or objects, such as advice, are for people; an estimate nests only so deep. */
static void flatten(nnc_json at, char *name, size_t used, nnc_figure_list *into)
{
    const bool list = nnc_json_type_of(at) == NNC_JSON_LIST;
    int index = 0;
    for (nnc_json item = nnc_json_first(at);
         item.node != NULL && nnc_json_go_on(item) && into->count < FIGURES_MAX;
         item = nnc_json_next(item), index++) {
        const nnc_json_type type = nnc_json_type_of(item);
        char place[16];
        if (list) {
            snprintf(place, sizeof(place), "%d", index);
        }
        const size_t length = append_part(name, used, list ? place : nnc_json_key(item));
        if (length == 0 && into->quiet) {
            into->faulty = true;
            return;
        }
        if (length == 0) {
            nnc_json_fault(item, NULL, "name too long or empty, expected at most %d bytes",
                           FIGURE_NAME_MAX - 1);
            return;
        }
        if (type == NNC_JSON_OBJECT ? !list : type == NNC_JSON_LIST) {
            flatten(item, name, length, into);
        } else if (type != NNC_JSON_NULL && type != NNC_JSON_OBJECT &&
                   !(list && type == NNC_JSON_TEXT)) {
            add_figure(item, name, into);
        }
    }
}

void nnc_figures_add(nnc_json at, const char *prefix, nnc_figure_list *into)
{
    char name[FIGURE_NAME_MAX];
    const int used = snprintf(name, sizeof(name), "%s", prefix);
    flatten(at, name, (size_t)used, into);
}
