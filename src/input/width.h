/* What goes with a width that is set. */
#ifndef NNCOST_INPUT_WIDTH_H
#define NNCOST_INPUT_WIDTH_H

#include <nncost/model.h>

#include "input/json.h"

/* Keeps the widths of the file, from which those that are not set follow. */
void nnc_widths_record(nnc_model *model);

/* After `field` was set: with hidden, heads of the same width and layers as wide in proportion, but for
 * those that are set too, in any order. */
void nnc_widths_follow(nnc_model *model, const char *field);

/* What followed: "heads=20, ffn_hidden=5120"; "" = nothing. */
void nnc_widths_text(const nnc_model *model, char *text, size_t size);

/* Notes a fault for each that does not come out whole. */
void nnc_widths_check(nnc_json at, const nnc_model *model);

#endif
