/* A model, a device and an engine as they were asked for on the command line. */
#ifndef NNCOST_CLI_SERVE_SERVE_ASKED_H
#define NNCOST_CLI_SERVE_SERVE_ASKED_H

#include "base/arena.h"
#include "cli/command.h"
#include "record/serve_scenario.h"

/* Loads what the operands name: a model and a device, or a plan file, whose --scenario is taken, and a device in
 * place of its own (NULL = its own). What comes from a plan file lives in the arena. */
nnc_status nnc_serve_load_asked(nnc_session *session, nnc_arena *arena, const char *model_asked,
                                const char *device_asked, nnc_serve_scenario *scenario,
                                nnc_error *err);

/* The same, serves it, and hands it to write. */
typedef nnc_status nnc_serve_writer(nnc_session *session, nnc_serve_scenario *scenario,
                                    nnc_error *err);
nnc_status nnc_serve_report(nnc_session *session, const char *model_asked, const char *device_asked,
                            nnc_serve_writer *write, nnc_error *err);

#endif
