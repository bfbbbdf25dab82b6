/* Cells of measured files as numbers and words. */
#include "lab/measured_cells.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

bool nnc_cell_given(const nnc_measured_cells *cells, nnc_measured_column column)
{
    return cells->text[column][0] != '\0';
}

int64_t nnc_cell_whole(const nnc_measured_cells *cells, nnc_measured_column column)
{
    const int64_t most = 1000000000000000;
    int64_t value = 0;
    if (!nnc_read_i64(cells->text[column], &value)) {
        return 0;
    }
    return value < -most ? -most : value > most ? most : value;
}

int32_t nnc_cell_degree(const nnc_measured_cells *cells, nnc_measured_column column, int32_t empty)
{
    const int64_t value = nnc_cell_whole(cells, column);
    if (!nnc_cell_given(cells, column)) {
        return empty;
    }
    return value < -1 ? -1 : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

double nnc_cell_number(const nnc_measured_cells *cells, nnc_measured_column column)
{
    double value = NAN;
    return nnc_read_double(cells->text[column], &value) ? value : NAN;
}

bool nnc_cell_starts(const nnc_measured_cells *cells, nnc_measured_column column,
                     const char *prefix)
{
    return strncmp(cells->text[column], prefix, strlen(prefix)) == 0;
}

void nnc_measured_refuse(nnc_measured_cells *cells, nnc_measured *row, const char *format, ...)
{
    char text[320];
    va_list args;
    if (row->reason != NULL) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    row->reason = nnc_arena_strdup(cells->arena, text);
    cells->no_memory = cells->no_memory || row->reason == NULL;
}
