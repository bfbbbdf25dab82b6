#include <stdio.h>

#include "cli/command.h"
#include "render/text.h"

/* Faults go to standard error as they are found; the worst decides the exit code. */
static void print_fault(void *context, const nnc_error *fault)
{
    int *exit_code = context;
    const int code = nnc_status_exit_code(fault->status);
    fprintf(stderr, "nncost: %s: %s\n", fault->where, fault->what);
    *exit_code = code > *exit_code ? code : *exit_code;
}

/* A file without a fault: the only kind that is listed. */
NNC_GET(get_ok, void, nnc_bool_cell(true))

NNC_GET(get_file, void, nnc_text_cell(*(char *const *)self))

static const nnc_metric file_rows[] = {
    NNC_AS("file", TEXT, .get = get_file),
    NNC_AS("ok", BOOL, .get = get_ok),
};
static const nnc_metrics files = NNC_METRICS("a file without fault", file_rows, char *);

static const nnc_metric document_rows[] = {
    NNC_AS("files", LIST, NNC_IN(nnc_options, operands), NNC_COUNT(nnc_options, operand_count),
           .rows = &files),
};
static const nnc_metrics document = NNC_METRICS("files", document_rows, nnc_options);

static nnc_lines lines_of(const void *record)
{
    const nnc_options *options = record;
    return (nnc_lines){ &files, options, options->operands, options->operand_count };
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    const nnc_options *options = record;
    for (int i = 0; i < options->operand_count; i++) {
        nnc_buffer_text(out, style.format == &nnc_format_markdown ? "- " : "");
        nnc_put_plain(out, options->operands[i], nnc_text_width(options->operands[i]));
        nnc_buffer_text(out, ": ok\n");
    }
}

static const nnc_view view = {
    .schema = "nncost.validate/1", .document = &document, .lines = lines_of, .page = write_page
};

static nnc_status run(nnc_session *session, nnc_error *err)
{
    (void)err;
    for (int i = 0; i < session->options.operand_count; i++) {
        nnc_spec_validate(session->specs, session->options.operands[i], print_fault,
                          &session->exit_code);
    }
    if (session->exit_code == 0) {
        nnc_view_write(session->out, session->style, &view, &session->options);
    }
    return NNC_OK;
}

const nnc_command nnc_cmd_validate = {
    .name = "validate",
    .operands = "FILE...",
    .summary = "Check device, model, software, cluster and plan files: every fault, one per line.",
    .notes = "Faults go to standard error, and the exit code is 3. Without any, each file is "
             "reported as ok.",
    .min_operands = 1,
    .max_operands = 1000000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_MODEL,
    .run = run,
};
