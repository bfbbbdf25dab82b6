/* validate checks files; import turns an ONNX file into a model file. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli_internal.h"
#include "input/kind.h"
#include "onnx/onnx_import.h"
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

static nnc_status run_validate(nnc_session *session, nnc_error *err)
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
    .run = run_validate,
};

/* ---- import ---- */

/* What the file has lost goes to standard error, a line each: standard output is the model file. */
static void say(const char *path, const char *notes)
{
    while (notes != NULL && *notes != '\0') {
        const size_t length = strcspn(notes, "\n");
        nnc_error note;
        nnc_fail(&note, NNC_OK, path, "note: %.*s", (int)length, notes); /* without controls */
        fprintf(stderr, "nncost: %s: %s\n", note.where, note.what);
        notes += length + (notes[length] == '\n');
    }
}

static nnc_status run_import(nnc_session *session, nnc_error *err)
{
    const char *path = session->options.operands[0], *notes = NULL;
    const char *slash = strrchr(path, '/');
    const char *axes = session->options.operand_count > 1 ? session->options.operands[1] : NULL;
    char id[64], *text = NULL;
    size_t size = 0;
    snprintf(id, sizeof id, "%s", slash != NULL ? slash + 1 : path);
    if (nnc_onnx_is_file(id)) {
        id[strlen(id) - 5] = '\0';
    }
    NNC_TRY(nnc_onnx_import(path, id, axes, nnc_specs_arena(session->specs), &text, &size, &notes,
                            err));
    nnc_buffer_put(session->out, text, size);
    say(path, notes);
    return NNC_OK;
}

const nnc_command nnc_cmd_import = {
    .name = "import",
    .operands = "FILE.onnx [AXES]",
    .summary = "An ONNX file as a model file of the graph family, on standard output.",
    .notes =
        "nncost import net.onnx > net.json. Shapes are worked out from the input, whose batch "
        "becomes 1; "
        "AXES gives other axes that have a name or no size theirs, sequence=128,x.2=48 (the third "
        "axis "
        "of input x); "
        "norms, GELU and attention that are written as many nodes become one step. A node that has "
        "no "
        "place is named, and nothing is written. What an export has lost (batch norms folded into "
        "convolutions, dropout, the loss) is said on standard error. 'nncost estimate net.onnx "
        "DEVICE' "
        "does the same on the way.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run_import,
};
