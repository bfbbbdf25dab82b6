/* A model as the file that it could have come from. */
#ifndef NNCOST_CLI_MODEL_TEXT_H
#define NNCOST_CLI_MODEL_TEXT_H

#include <nncost/model.h>

#include "base/buffer.h"

/* Fields at their defaults are left out. What another program's file left open stands under "note". */
void nnc_model_write(nnc_buffer *out, const nnc_model *model);

#endif
