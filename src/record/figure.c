/* Figures by name. */
#include <stdio.h>
#include <string.h>

#include <nncost/check.h>

#include "base/error.h"
#include "metrics/metric.h"

enum { NAMES_MAX = 512 };

/* Is `name` all of `figure`, or its end after a dot? */
static bool ends(const char *figure, const char *name)
{
    const size_t whole = strlen(figure), part = strlen(name);
    if (part > whole || strcmp(figure + whole - part, name) != 0) {
        return false;
    }
    return part == whole || (part > 0 && figure[whole - part - 1] == '.');
}

int nnc_figure_match(const char *name, const char *figure)
{
    const size_t length = name != NULL && figure != NULL ? strlen(name) : 0;
    if (length == 0) {
        return name != NULL && figure != NULL ? 0 : -1;
    }
    const bool begins =
        strncmp(figure, name, length) == 0 && (figure[length] == '.' || figure[length] == '\0');
    return begins || ends(figure, name) ? (int)length : -1;
}

/* Short names are misspelt as often as full ones. */
static const nnc_figure *unknown(nnc_figures figures, const char *name, nnc_error *err)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (int32_t i = 0; i < figures.count && count + 2 <= NAMES_MAX; i++) {
        const char *dot = strrchr(figures.list[i].name, '.');
        names[count++] = figures.list[i].name;
        if (dot != NULL) {
            names[count++] = dot + 1;
        }
    }
    const char *near = nnc_nearest(name, names, count);
    nnc_fail(err, NNC_BAD_SPEC, name,
             "unknown figure, expected a name of the JSON output such as step_s or "
             "memory.total_bytes%s%s%s, found \"%.60s\"",
             near != NULL ? ", perhaps \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "",
             name);
    return NULL;
}

const nnc_figure *nnc_figure_find(nnc_figures figures, const char *name, nnc_error *err)
{
    const nnc_figure *list = figures.list;
    if (nnc_need(__func__, "name", name != NULL, err) != NNC_OK) {
        return NULL;
    }
    if (figures.count == 0) {
        return unknown(figures, name, err);
    }
    const nnc_name_match match = nnc_name_find(&list[0].name, sizeof list[0], figures.count, name);
    if (match.other >= 0) {
        nnc_fail(err, NNC_BAD_SPEC, name,
                 "ambiguous, expected a full name such as %s or %s, found \"%.60s\"",
                 list[match.index].name, list[match.other].name, name);
        return NULL;
    }
    return match.index >= 0 ? &list[match.index] : unknown(figures, name, err);
}
