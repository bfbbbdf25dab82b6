#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/docs.h"

static const char *const input_names[NNC_SPEC_KIND_COUNT] = {
    [NNC_SPEC_DEVICE] = "device",
    [NNC_SPEC_MODEL] = "model",
    [NNC_SPEC_SOFTWARE] = "software",
};

/* Kinds of files first, plan files among them, then outputs; NULL past the last. */
enum { PLAN = NNC_SPEC_KIND_COUNT, OUTPUTS };

static const char *schema_name(int index)
{
    return index < PLAN    ? input_names[index]
           : index == PLAN ? "plan"
                           : nnc_docs_output_name(index - OUTPUTS);
}

static const char *schema_title(int index)
{
    return index < PLAN    ? nnc_docs_file_title((nnc_spec_kind)index)
           : index == PLAN ? "Plan file"
                           : nnc_docs_output_title(index - OUTPUTS);
}

/* "device, model ...": all kinds, with commas. */
static void list_schemas(char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; schema_name(i) != NULL && used < size; i++) {
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", schema_name(i));
    }
}

static nnc_status write_schema(nnc_session *session, nnc_error *err)
{
    char kinds[256];
    if (session->options.operand_count < 2) {
        for (int i = 0; schema_name(i) != NULL; i++) {
            nnc_buffer_print(session->out, "%-10s %s\n", schema_name(i), schema_title(i));
        }
        return NNC_OK;
    }
    const char *asked = session->options.operands[1];
    int kind = 0;
    while (schema_name(kind) != NULL && strcmp(asked, schema_name(kind)) != 0) {
        kind++;
    }
    if (schema_name(kind) == NULL) {
        list_schemas(kinds, sizeof kinds);
        return nnc_fail(err, NNC_BAD_USAGE, "schema",
                        "unknown schema, expected one of %s, found \"%s\"", kinds, asked);
    }
    if (kind < PLAN) {
        nnc_docs_schema(session->out, (nnc_spec_kind)kind);
        return NNC_OK;
    }
    if (kind == PLAN) {
        nnc_docs_plan_schema(session->out);
        return NNC_OK;
    }
    return nnc_docs_output_schema(session->out, kind - OUTPUTS) == NNC_OK ? NNC_OK
                                                                          : nnc_no_memory(err);
}

static nnc_status write_completion(nnc_session *session, nnc_error *err)
{
    const char *shell = session->options.operands[1];
    static const struct {
        const char *name;
        void (*write)(nnc_buffer *out);
    } shells[] = { { "bash", nnc_docs_completion_bash },
                   { "zsh", nnc_docs_completion_zsh },
                   { "fish", nnc_docs_completion_fish } };
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(session->out);
            return NNC_OK;
        }
    }
    return nnc_fail(err, NNC_BAD_USAGE, "completion",
                    "unknown shell, expected bash, zsh or fish, found \"%s\"", shell);
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const char *what = session->options.operands[0];
    if (strcmp(what, "schema") == 0) {
        return write_schema(session, err);
    }
    if (strcmp(what, "man") == 0 && session->options.operand_count > 1) {
        if (strcmp(session->options.operands[1], "files") != 0) {
            return nnc_fail(err, NNC_BAD_USAGE, "man", "unknown page, expected files, found \"%s\"",
                            session->options.operands[1]);
        }
        nnc_docs_man_files(session->out);
        return NNC_OK;
    }
    if (strcmp(what, "completion") == 0 && session->options.operand_count > 1) {
        return write_completion(session, err);
    }
    static const struct {
        const char *name;
        void (*write)(nnc_buffer *out);
    } documents[] = { { "man", nnc_docs_man },
                      { "completion", nnc_docs_completion_bash },
                      { "options", nnc_docs_options } };
    const size_t count = sizeof documents / sizeof documents[0];
    size_t found = 0;
    while (found < count && strcmp(what, documents[found].name) != 0) {
        found++;
    }
    if (found == count) {
        return nnc_fail(
            err, NNC_BAD_USAGE, "docs",
            "unknown document, expected one of man, schema, completion, options, found \"%s\"",
            what);
    }
    if (session->options.operand_count > 1) {
        return nnc_fail(err, NNC_BAD_USAGE, session->options.operands[1],
                        "one argument too many, expected docs %s", what);
    }
    documents[found].write(session->out);
    return NNC_OK;
}

const nnc_command nnc_cmd_docs = {
    .name = "docs",
    .operands = "man [files]|completion [SHELL]|options|schema [KIND]",
    .summary = "The man pages nncost(1) and nncost-files(5), the completion of a shell (bash, zsh, "
               "fish), all options, or the "
               "JSON Schema of a kind of file or "
               "output.",
    .notes =
        "KIND is device, model, software or plan, for files; or estimate, ops, compare, run, "
        "budget, "
        "search, "
        "sweep, check, diff, accuracy or calibrate, for what these commands print with "
        "--format json; without KIND they are listed. options: every command and option as JSON, "
        "with kind, choices, limits, unit and default, to make a form of. Each document has one "
        "form, which "
        "--format does not change.",
    .min_operands = 1,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
