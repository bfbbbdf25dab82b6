/* A device, model or software profile: every field, and where it comes from. */
#ifndef NNCOST_CLI_SHOW_VIEW_H
#define NNCOST_CLI_SHOW_VIEW_H

#include "input/field.h"
#include "input/kind.h"
#include "render/format.h"

/* A loaded spec of any kind, and what its table says about it. */
typedef struct nnc_spec_view {
    const char *kind, *path;
    const nnc_field_table *table;
    const void *object;
    const nnc_source *sources;
    int32_t source_count;
    const nnc_device *device; /* NULL unless it is one */
    nnc_lineage *lineage;     /* NULL unless it is like another */
    const nnc_model *model;   /* NULL unless it is one */
} nnc_spec_view;

/* NNC_OK or NNC_NO_MEMORY. */
nnc_status nnc_spec_write(nnc_buffer *out, nnc_style style, const nnc_spec_view *view);

#endif
