/* Where the result goes, and what may stand in it. */
#ifndef NNCOST_CLI_OUTPUT_H
#define NNCOST_CLI_OUTPUT_H

#include <stddef.h>

#include "cli/option.h"
#include "render/format.h"

/* Width and colour for what options say and standard output is. */
nnc_style nnc_output_style(const nnc_options *options);

/* Writes text to the file at path, or to standard output if path is NULL. A regular file appears
 * whole or not at all. Fails with NNC_IO. */
nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err);

#endif
