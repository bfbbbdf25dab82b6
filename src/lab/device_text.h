/* A device file with other efficiency figures, or a software profile with others of its engine, as text. */
#ifndef NNCOST_LAB_DEVICE_TEXT_H
#define NNCOST_LAB_DEVICE_TEXT_H

#include <nncost/hardware.h>
#include <nncost/spec.h>

#include "base/arena.h"

typedef struct nnc_fitted_value {
    const char *name; /* "efficiency.gemm.bf16.fixed_s" */
    double value;
    const char *fitted_on; /* what it was fitted on */
} nnc_fitted_value;

typedef struct nnc_device_change {
    const char *id;  /* of the new file; another one than the old file's drops the aliases */
    nnc_basis basis; /* of the new figures; the better one of it and the old is written */
    const nnc_fitted_value *values;
    int32_t count;
    bool engine; /* the file is a profile, and its "serving" object changes */
} nnc_device_change;

/* The file at path with these figures in its "efficiency" (of a profile: "serving") object, which is written anew: figures in
 * the order of the field table, objects of single kernels on a line. Everything else stays byte for
 * byte, but for the blanks between the members of the file. The text lives in the arena, *size bytes
 * and a NUL. What is written reads back, or the call fails. */
nnc_status nnc_device_with_figures(nnc_specs *specs, const char *path,
                                   const nnc_device_change *change, const char **text, size_t *size,
                                   nnc_error *err);

/* A numeric figure of a device. */
typedef struct nnc_figure_place {
    double *value; /* in the device */
    char name[80]; /* in full: "efficiency.calibration" */
} nnc_figure_place;

/* Finds it by its dotted name, "efficiency." in front or not. Fails with NNC_BAD_USAGE, naming the
 * nearest field. */
nnc_status nnc_figure_find_place(nnc_device *device, const char *name, nnc_figure_place *place,
                                 nnc_error *err);
/* The same of an engine's profile, "serving." in front or not. */
nnc_status nnc_engine_find_place(nnc_software *software, const char *name, nnc_figure_place *place,
                                 nnc_error *err);

#endif
