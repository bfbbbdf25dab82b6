#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "input/kind.h"
#include "onnx/onnx_import.h"

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

static nnc_status run(nnc_session *session, nnc_error *err)
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
    .run = run,
};
