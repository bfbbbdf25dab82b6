#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/search/search_view.h"
#include "store/merge.h"

static bool is_csv(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".csv") == 0;
}

/* The session writes it. */
static nnc_status merge_search(nnc_session *session, const char *out, char *const *shards,
                               int count, nnc_error *err)
{
    const nnc_style style = { .format = is_csv(out) ? &nnc_format_csv : &nnc_format_json };
    nnc_search_report report;
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status = arena != NULL
                                  ? nnc_search_merge(arena, shards, count, NULL, &report, err)
                                  : nnc_no_memory(err);
    if (status == NNC_OK) {
        nnc_report_search(session->out, style, &report);
        session->options.output = out;
        session->exit_code = nnc_search_answered(&report) ? 0 : 1;
    }
    nnc_arena_destroy(arena);
    return status;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    /* An input in the place of OUT must not be lost. */
    if (access(options->operands[0], F_OK) == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, options->operands[0],
                        "is there already, expected the name of a new file first");
    }
    bool search = false;
    NNC_TRY(nnc_search_shard_is(options->operands[1], &search, err));
    if (search) {
        return merge_search(session, options->operands[0], options->operands + 1,
                            options->operand_count - 1, err);
    }
    return nnc_merge(options->operands[0], options->operands + 1, options->operand_count - 1, err);
}

const nnc_command nnc_cmd_merge = {
    .name = "merge",
    .operands = "OUT SHARD...",
    .summary =
        "The shards of a sweep or of a search as one file, as one run would have written it.",
    .notes =
        "Shards are CSV, JSON lines or databases that 'nncost sweep --shard' wrote. Databases "
        "must be complete and all there; they become one database, or CSV or JSON lines where "
        "OUT ends in .csv or .json. Shards of a search are what 'nncost search --shard --format "
        "json' wrote; they must all be there, and become JSON, or CSV where OUT ends in .csv. Then "
        "exits with 1 when no plan fits.",
    .min_operands = 2,
    .max_operands = 100000,
    .takes = NNC_TAKES_HELP,
    .run = run,
};
