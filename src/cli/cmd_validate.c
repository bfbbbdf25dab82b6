#include <stdio.h>

#include "cli/command.h"
#include "render/record.h"

/* Faults go to standard error as they are found; the worst decides the exit code. */
static void print_fault(void *context, const nnc_error *fault)
{
    int *exit_code = context;
    const int code = nnc_status_exit_code(fault->status);
    fprintf(stderr, "nncost: %s: %s\n", fault->where, fault->what);
    *exit_code = code > *exit_code ? code : *exit_code;
}

static void write_ok(const nnc_session *session)
{
    const nnc_options *options = &session->options;
    nnc_record record = { 0 };
    if (options->format == NNC_FORMAT_JSON) {
        record = nnc_record_begin(session->out, "nncost.validate/1");
        nnc_record_list(&record, "files");
    } else if (options->format == NNC_FORMAT_CSV) {
        record = nnc_record_csv(session->out);
        nnc_record_row(&record, true);
        nnc_record_text(&record, "file", "");
        nnc_record_bool(&record, "ok", true);
        nnc_record_row_end(&record);
    }
    for (int i = 0; i < options->operand_count; i++) {
        if (options->format == NNC_FORMAT_TABLE || options->format == NNC_FORMAT_MARKDOWN) {
            nnc_buffer_print(session->out, "%s%s: ok\n",
                             options->format == NNC_FORMAT_MARKDOWN ? "- " : "",
                             options->operands[i]);
            continue;
        }
        if (record.csv) {
            nnc_record_row(&record, false);
        } else {
            nnc_record_object(&record, NULL);
        }
        nnc_record_text(&record, "file", options->operands[i]);
        nnc_record_bool(&record, "ok", true);
        if (record.csv) {
            nnc_record_row_end(&record);
        } else {
            nnc_record_close(&record);
        }
    }
    if (options->format == NNC_FORMAT_JSON) {
        nnc_record_close(&record);
        nnc_record_end(&record);
    }
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    (void)err;
    for (int i = 0; i < session->options.operand_count; i++) {
        nnc_spec_validate(session->specs, session->options.operands[i], print_fault,
                          &session->exit_code);
    }
    if (session->exit_code == 0) {
        write_ok(session);
    }
    return NNC_OK;
}

const nnc_command nnc_cmd_validate = {
    .name = "validate",
    .operands = "FILE...",
    .summary = "Check device, model, software and plan files: every fault, one per line.",
    .notes = "Faults go to standard error, and the exit code is 3. Without any, each file is "
             "reported as ok.",
    .min_operands = 1,
    .max_operands = 1000000,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
