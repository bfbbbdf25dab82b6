/* Rows and columns of text, aligned for a terminal or as a Markdown table. */
#ifndef NNCOST_RENDER_GRID_H
#define NNCOST_RENDER_GRID_H

#include "base/arena.h"
#include "render/style.h"

typedef struct nnc_grid_column {
    const char *head;
    bool left;    /* text to the left; numbers stand to the right */
    bool shrinks; /* cut where the line would be too long */
    int drop;     /* left out where even that is too long, lowest first; 0 = never */
} nnc_grid_column;

typedef struct nnc_grid {
    nnc_arena *arena;
    const nnc_grid_column *columns;
    int column_count;
    const char **cells; /* row by row */
    int count, capacity;
    bool failed; /* out of memory */
} nnc_grid;

nnc_grid nnc_grid_begin(nnc_arena *arena, const nnc_grid_column *columns, int column_count);
/* Appends a cell; rows fill up from the left. */
void nnc_grid_cell(nnc_grid *grid, const char *text);
void nnc_grid_count(nnc_grid *grid, int64_t count);
void nnc_grid_share(nnc_grid *grid, double share); /* "12.34%", "-" for NaN */
/* Writes a line above a grid, after an empty one. */
void nnc_grid_heading(nnc_buffer *out, nnc_style style, const char *text);
/* Writes the grid; NNC_NO_MEMORY if a cell got lost. */
nnc_status nnc_grid_write(const nnc_grid *grid, nnc_buffer *out, nnc_style style);

#endif
