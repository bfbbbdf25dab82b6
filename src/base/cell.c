#include "base/cell.h"

#include <string.h>

static void pack(nnc_buffer *out, const nnc_cell *cell)
{
    nnc_buffer_byte(out, (char)cell->kind);
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER: nnc_buffer_put(out, &cell->number, sizeof cell->number); break;
    case NNC_CELL_WHOLE: nnc_buffer_put(out, &cell->whole, sizeof cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_byte(out, (char)cell->flag); break;
    case NNC_CELL_TEXT: nnc_buffer_put(out, cell->text, strlen(cell->text) + 1); break;
    }
}

void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        pack(out, &cells[i]);
    }
}

void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count)
{
    for (int i = 0; i < count; i++) {
        nnc_cell *cell = &cells[i];
        cell->kind = (nnc_cell_kind)*packed++;
        switch (cell->kind) {
        case NNC_CELL_NULL: break;
        case NNC_CELL_NUMBER:
            memcpy(&cell->number, packed, sizeof cell->number);
            packed += sizeof cell->number;
            break;
        case NNC_CELL_WHOLE:
            memcpy(&cell->whole, packed, sizeof cell->whole);
            packed += sizeof cell->whole;
            break;
        case NNC_CELL_BOOL: cell->flag = *packed++ != 0; break;
        case NNC_CELL_TEXT:
            cell->text = packed;
            packed += strlen(packed) + 1;
            break;
        }
    }
}
