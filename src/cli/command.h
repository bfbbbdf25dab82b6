/* What a subcommand is: one of these per cmd_<name>.c, and a row in main.c. */
#ifndef NNCOST_CLI_COMMAND_H
#define NNCOST_CLI_COMMAND_H

#include <nncost/spec.h>

#include "cli/option.h"
#include "render/format.h"

typedef struct nnc_session {
    nnc_options options;
    nnc_style style;
    nnc_specs *specs;
    const char *data;     /* the folder of the data that came with the program; NULL = none */
    nnc_buffer *out;      /* memory: shown only once the command has succeeded */
    nnc_buffer arguments; /* of the command line, the command among them; each ends with a NUL */
    bool inside;          /* run by another command: what it prints is all that it leaves */
    int exit_code;        /* of a command that succeeded: 0, or 1 when the answer is no */
} nnc_session;

/* What the operands of a command ask for, where that takes fewer options than the command has. */
typedef struct nnc_form {
    char name[32]; /* "report diff" */
    unsigned takes;
} nnc_form;

typedef struct nnc_command {
    const char *name;
    const char *operands; /* "MODEL DEVICE" */
    const char *summary;  /* one line */
    const char *notes;    /* closing paragraph of --help; NULL = none */
    int min_operands, max_operands;
    unsigned takes;                                           /* NNC_TAKES_... */
    void (*form)(const nnc_options *options, nnc_form *form); /* NULL = it has one */
    bool crew;                                                /* ranks share its work */
    const struct nnc_command *serving; /* what it is with --serve; NULL = it has no such form */
    nnc_status (*run)(nnc_session *session, nnc_error *err);
} nnc_command;

extern const nnc_command nnc_cmd_estimate, nnc_cmd_ops, nnc_cmd_op, nnc_cmd_compare, nnc_cmd_list,
    nnc_cmd_show, nnc_cmd_validate, nnc_cmd_explain, nnc_cmd_search, nnc_cmd_docs, nnc_cmd_check,
    nnc_cmd_diff, nnc_cmd_init, nnc_cmd_run, nnc_cmd_budget, nnc_cmd_sweep, nnc_cmd_merge,
    nnc_cmd_accuracy, nnc_cmd_calibrate, nnc_cmd_plot, nnc_cmd_report, nnc_cmd_mcp, nnc_cmd_import,
    nnc_cmd_explore, nnc_cmd_serve, nnc_cmd_scale;

/* A page in a browser has no measured files and no pipe: what needs them is told so, and weighs nothing there. */
#ifdef __wasi__
#define NNC_OFF_PAGE(run) (1 ? nnc_run_off_page : (run))
#else
#define NNC_OFF_PAGE(run) run
#endif
nnc_status nnc_run_off_page(nnc_session *session, nnc_error *err);

/* Forms of others, with --serve. */
extern const nnc_command nnc_cmd_serve_ops, nnc_cmd_serve_search, nnc_cmd_serve_sweep,
    nnc_cmd_serve_compare, nnc_cmd_serve_explain, nnc_cmd_serve_calibrate, nnc_cmd_serve_init;

/* Runs a command line inside the program, what it prints into out; options that write a file are refused. NNC_OK with an
 * answer of "no", too. */
nnc_status nnc_command_call(int argc, char **argv, nnc_buffer *out, nnc_error *err);

/* The line that 'nncost mcp' answers to a message; none where it asks for nothing. */
nnc_status nnc_mcp_answer(const char *line, size_t size, nnc_buffer *out, nnc_error *err);

/* Number index of all commands, in the order of help; NULL past the last. */
const nnc_command *nnc_command_at(int index);

#endif
