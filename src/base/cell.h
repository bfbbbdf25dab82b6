/* Cells as bytes. */
#ifndef NNCOST_BASE_CELL_H
#define NNCOST_BASE_CELL_H

#include <nncost/cell.h>

#include "base/buffer.h"

/* A row of cells as bytes, and back; texts then point into them. */
void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count);
void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count);

#endif
