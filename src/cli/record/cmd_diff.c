#include "base/error.h"
#include "cli/command.h"

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **paths = session->options.operands;
    nnc_check_report report;
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status =
        arena != NULL ? nnc_diff_make(arena, paths[0], paths[1], &report, err) : nnc_no_memory(err);
    if (status == NNC_OK) {
        nnc_view_write(session->out, session->style, &nnc_diff_output, &report);
    }
    nnc_arena_destroy(arena);
    return status;
}

const nnc_command nnc_cmd_diff = {
    .name = "diff",
    .operands = "OLD NEW",
    .summary = "Two estimates: what changed, largest first, and the op or part responsible.",
    .notes = "OLD and NEW are outputs of 'nncost estimate --format json', or plan files with "
             "recorded estimates, which are matched by scenario. A pipe will do: "
             "git show main:plans.json | nncost diff /dev/stdin plans.json. Exits with 0 whether "
             "they differ or not; 'nncost check' is the one that judges.",
    .min_operands = 2,
    .max_operands = 2,
    .takes = NNC_TAKES_COMMON,
    .run = run,
};
