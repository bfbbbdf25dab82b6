#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "store/merge.h"

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    /* An input in the place of OUT must not be lost. */
    if (access(options->operands[0], F_OK) == 0) {
        return nnc_fail(err, NNC_BAD_USAGE, options->operands[0],
                        "is there already, expected the name of a new file first");
    }
    return nnc_merge(options->operands[0], options->operands + 1, options->operand_count - 1, err);
}

const nnc_command nnc_cmd_merge = {
    .name = "merge",
    .operands = "OUT SHARD...",
    .summary = "The shards of a sweep as one file, in the order of their rows.",
    .notes = "Shards are CSV, JSON lines or databases that 'nncost sweep --shard' wrote. Databases "
             "must be complete and all there; they become one database, or CSV or JSON lines where "
             "OUT ends in .csv or .json.",
    .min_operands = 2,
    .max_operands = 100000,
    .takes = NNC_TAKES_HELP,
    .run = run,
};
