/* An estimate as a flat list of figures. */
#ifndef NNCOST_RECORD_RECORDED_FIGURES_H
#define NNCOST_RECORD_RECORDED_FIGURES_H

#include <stdbool.h>

#include <nncost/check.h>

#include "input/json.h"

/* In the document's arena. */
typedef struct nnc_figure_list {
    nnc_figure *list;
    int32_t count, capacity;
    nnc_figures like; /* an earlier list: most estimates share their names */
    bool quiet;       /* faults are not noted */
    bool faulty;      /* there was one */
} nnc_figure_list;

/* Adds every number, text and truth value below `at`, called "prefix.key.key"; the prefix is "" or
 * shorter than 64 bytes. Faults are noted. */
void nnc_figures_add(nnc_json at, const char *prefix, nnc_figure_list *into);

#endif
