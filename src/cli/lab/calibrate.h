/* One run of calibrate, and what comes of it. */
#ifndef NNCOST_CLI_LAB_CALIBRATE_H
#define NNCOST_CLI_LAB_CALIBRATE_H

#include "cli/lab/calibration_view.h"
#include "cli/lab/measured_rows.h"
#include "lab/fit.h"

typedef struct nnc_calibrate {
    nnc_session *session;
    nnc_arena *arena;
    nnc_scenario *scenario;
    const char *asked;        /* --device; of what is served NULL = any */
    const char *held;         /* --hold-out; NULL = none */
    const nnc_device *device; /* of what is served NULL */
    nnc_device start;         /* the device after the options */
    nnc_software engine;      /* of what is served: the profile whose figures are fitted */
    nnc_row_choice choice;
    nnc_measured_file *files;
    int32_t file_count;
    nnc_fit *fit;
    nnc_left_out *unused;
    int32_t unused_count, other_devices, room;
    int32_t held_count;    /* rows that --hold-out names */
    const char *last_name; /* of a row's device, to look each up once */
    bool last_is_ours;
} nnc_calibrate;

/* Id of the device, or of what is served the engine, whose figures are fitted. */
const char *nnc_calibrate_subject(const nnc_calibrate *c);
/* Reads the files: what can be used goes into the fit, the rest is counted with its reason. */
nnc_status nnc_calibrate_read(nnc_calibrate *c, nnc_error *err);
/* Rows that the figures are fitted to. */
int32_t nnc_calibrate_rows(const nnc_fit *fit);

/* Writes the new device file. */
nnc_status nnc_calibrate_write(nnc_calibrate *c, const char *path, nnc_error *err);
/* Writes the report to the session's output; written: path of the device file, NULL = none. */
nnc_status nnc_calibrate_report(nnc_calibrate *c, const char *written, nnc_error *err);

#endif
