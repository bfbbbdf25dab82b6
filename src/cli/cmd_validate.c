/* validate checks files; import turns an ONNX file into a model file. */
#include <stdio.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "onnx/onnx_import.h"
#include "render/render_internal.h"

/* Prints a fault to standard error; the worst fault decides the exit code. */
static void print_fault(void *context, const nnc_error *fault)
{
    int *exit_code = context;
    const int code = nnc_status_exit_code(fault->status);
    fprintf(stderr, "nncost: %s: %s\n", fault->where, fault->what);
    *exit_code = code > *exit_code ? code : *exit_code;
}

/* Only files without a fault are listed. */
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
    .summary = "Check device, model, software, cluster and plan files, and list every fault.",
    .notes =
        "Faults are printed to standard error, one per line, and the exit code is 3. If there are "
        "none, each file is reported as ok.",
    .min_operands = 1,
    .max_operands = 1000000,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_MODEL,
    .run = run_validate,
};

/* ---- import ---- */

/* Prints what the import could not keep, one line each, to standard error: standard output is the model file. */
static void print_notes(const char *path, const char *notes)
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
    print_notes(path, notes);
    return NNC_OK;
}

const nnc_command nnc_cmd_import = {
    .name = "import",
    .operands = "FILE.onnx [AXES]",
    .summary = "Convert an ONNX file to a model file of the graph family, on standard output.",
    .notes =
        "nncost import net.onnx > net.json. Shapes follow from the input; its batch becomes 1. "
        "AXES "
        "sets the size of other axes that have a name or no size: sequence=128,x.2=48 (the third "
        "axis of input x). Norms, GELU and attention that are exported as many nodes become one "
        "step. If a node cannot be converted, the error names it and nothing is written. Standard "
        "error lists what the export has lost: batch norms folded into convolutions, dropout, the "
        "loss. 'nncost estimate net.onnx DEVICE' imports the file by itself.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run_import,
};
