/* SPDX-License-Identifier: Apache-2.0 */
/* A cell: one value in a row of the results of a sweep. */
#ifndef NNCOST_CELL_H
#define NNCOST_CELL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nnc_cell_kind {
    NNC_CELL_NULL, /* NNC_CELL_NULL: the row of the results has no value in the column of the cell */
    NNC_CELL_NUMBER,
    NNC_CELL_WHOLE,
    NNC_CELL_BOOL,
    NNC_CELL_TEXT
} nnc_cell_kind;

typedef struct nnc_cell {
    nnc_cell_kind kind;
    union {
        double number;
        int64_t whole;
        bool flag;
        /* the text of a text cell; it ends with a NUL, and the object that made the cell frees it */
        const char *text;
    };
} nnc_cell;

#ifdef __cplusplus
}
#endif

#endif
