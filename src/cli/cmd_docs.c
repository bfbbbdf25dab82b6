#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/docs.h"

static const char *const schema_names[NNC_SPEC_KIND_COUNT] = {
    [NNC_SPEC_DEVICE] = "device",
    [NNC_SPEC_MODEL] = "model",
    [NNC_SPEC_SOFTWARE] = "software",
};

static nnc_status write_schema(nnc_session *session, nnc_error *err)
{
    if (session->options.operand_count < 2) {
        return nnc_fail(err, NNC_BAD_USAGE, "schema",
                        "too few arguments, expected schema device|model|software");
    }
    const char *asked = session->options.operands[1];
    for (int kind = 0; kind < NNC_SPEC_KIND_COUNT; kind++) {
        if (strcmp(asked, schema_names[kind]) == 0) {
            nnc_docs_schema(session->out, (nnc_spec_kind)kind);
            return NNC_OK;
        }
    }
    return nnc_fail(err, NNC_BAD_USAGE, "schema",
                    "unknown schema, expected one of device, model, software, found \"%s\"", asked);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const char *what = session->options.operands[0];
    if (strcmp(what, "schema") == 0) {
        return write_schema(session, err);
    }
    const bool man = strcmp(what, "man") == 0;
    if (!man && strcmp(what, "completion") != 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "docs",
                        "unknown document, expected one of man, schema, completion, found \"%s\"",
                        what);
    }
    if (session->options.operand_count > 1) {
        return nnc_fail(err, NNC_BAD_USAGE, session->options.operands[1],
                        "one argument too many, expected docs %s", what);
    }
    (man ? nnc_docs_man : nnc_docs_completion)(session->out);
    return NNC_OK;
}

const nnc_command nnc_cmd_docs = {
    .name = "docs",
    .operands = "man|completion|schema KIND",
    .summary = "The man page, the bash completion, or the JSON Schema of a kind of file.",
    .notes = "KIND is device, model or software. Each document has one form, which --format does "
             "not change.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
