/* explore: the program as one page for a browser, with the command line that it starts with. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "render/render_internal.h"

/* The place of the first command line in the page. */
static const char mark[] = "<meta name=\"nnc-start\" content=\"";

/* Reads the page: it is installed with the data, or in the build folder of the source tree. */
static nnc_status read_page(const char *data, char **text, size_t *size, nnc_error *err)
{
    static const char *const places[] = { "explorer.html", "build/web/explorer.html" };
    char path[PATH_MAX + 32];
    for (size_t i = 0; data != NULL && i < sizeof places / sizeof places[0]; i++) {
        nnc_error missing;
        snprintf(path, sizeof path, "%s/%s", data, places[i]);
        if (nnc_file_read(path, text, size, &missing) == NNC_OK) {
            return NNC_OK;
        }
    }
    return nnc_fail(err, NNC_IO, "explorer.html",
                    "is not installed with this program; in the source tree, tools/web builds it");
}

/* A page reads no files except those that are dropped on it, so the operands must be ids. */
static nnc_status check(nnc_session *session, nnc_arena *arena, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_scenario *scenario = nnc_arena_alloc(arena, sizeof *scenario);
    if (scenario == NULL) {
        return nnc_no_memory(err);
    }
    if (options->operand_count == 1) {
        return nnc_fail(err, NNC_BAD_USAGE, "explore", "too few arguments, expected MODEL DEVICE");
    }
    for (int i = 0; i < options->operand_count; i++) {
        if (nnc_is_path(options->operands[i])) {
            return nnc_fail(err, NNC_BAD_USAGE, options->operands[i],
                            "is a file, which a page cannot read; drop it on the page instead");
        }
    }
    return options->operand_count == 0
               ? NNC_OK
               : nnc_scenario_load_args(session, arena, options->operands[0], options->operands[1],
                                        scenario, err);
}

/* Puts the first command line: that of this command, with "estimate" for "explore" and without --output. */
static void put_start(nnc_buffer *out, const nnc_session *session)
{
    const char *end = session->arguments.bytes + session->arguments.size;
    nnc_buffer words = { 0 };
    if (session->options.operand_count == 0) {
        return;
    }
    nnc_buffer_text(&words, "estimate");
    for (const char *at = session->arguments.bytes + strlen(session->arguments.bytes) + 1; at < end;
         at += strlen(at) + 1) {
        if (strncmp(at, "--output", 8) != 0) {
            nnc_buffer_byte(&words, ' ');
            nnc_shell_word(&words, at);
        } else if (at[8] == '\0') {
            at += sizeof "--output";
        }
    }
    nnc_buffer_byte(&words, '\0');
    out->failed = out->failed || words.failed;
    nnc_put_xml(out, words.failed ? "" : words.bytes);
    nnc_buffer_free(&words);
}

static nnc_status write_page(nnc_session *session, const char *page, size_t size, nnc_error *err)
{
    const char *path =
        session->options.output != NULL ? session->options.output : "nncost-explorer.html";
    const char *at = strstr(page, mark);
    nnc_buffer text = { 0 };
    if (at == NULL) {
        return nnc_fail(err, NNC_BAD_SPEC, "explorer.html", "is not the page of this program");
    }
    at += sizeof mark - 1;
    nnc_buffer_put(&text, page, (size_t)(at - page));
    put_start(&text, session);
    nnc_buffer_put(&text, at, size - (size_t)(at - page));
    const nnc_status status =
        text.failed ? nnc_no_memory(err) : nnc_output_write(path, text.bytes, text.size, err);
    nnc_buffer_free(&text);
    session->options.output = NULL; /* already written */
    nnc_buffer_print(session->out, "%s\n", path);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char *page = NULL;
    size_t size = 0;
    nnc_arena *arena = nnc_arena_create();
    nnc_status status = arena != NULL ? check(session, arena, err) : nnc_no_memory(err);
    if (status == NNC_OK) {
        status = read_page(session->data, &page, &size, err);
    }
    if (status == NNC_OK && page != NULL) {
        status = write_page(session, page, size, err);
    }
    free(page);
    nnc_arena_destroy(arena);
    return status;
}

const nnc_command nnc_cmd_explore = {
    .name = "explore",
    .operands = "[MODEL DEVICE]",
    .summary = "The whole program as one page for a browser, which starts with this estimate.",
    .notes =
        "Writes nncost-explorer.html, or the file of --output, and prints its path. The page needs "
        "no server and sends nothing over a network: open it from disk, put it on any web server, "
        "or mail it. It has the command line of this program, with a form, pictures, links and "
        "explanations. Drop model and device files on it to use them.",
    .min_operands = 0,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_LAUNCH | NNC_TAKES_PLAN | NNC_TAKES_RUN,
    .run = run,
};
