#include "base/error.h"
#include "cli/command.h"
#include "record/plan_file.h"

static nnc_status run(nnc_session *session, nnc_error *err)
{
    const nnc_options *options = &session->options;
    nnc_check *check = NULL;
    if (options->forget) {
        return options->update
                   ? nnc_fail(err, NNC_BAD_USAGE, "--forget", "cannot stand beside --update")
                   : nnc_plans_forget(session->specs, options->operands[0], err);
    }
    nnc_status status =
        nnc_check_make(session->specs, options->operands[0],
                       options->update ? NNC_KEEPS_ESTIMATES : NNC_KEEPS_CHANGES, &check, err);
    if (status == NNC_OK && options->update) {
        status = nnc_check_update(check, err);
    }
    if (status == NNC_OK) {
        session->exit_code = nnc_check_passed(check) ? 0 : 1;
        nnc_view_write(session->out, session->style, &nnc_check_output, nnc_check_report_of(check));
    }
    nnc_check_destroy(check);
    return status;
}

const nnc_command nnc_cmd_check = {
    .name = "check",
    .operands = "PLANS.json",
    .summary = "A plan file's estimates again: what moved since they were recorded, and why, and "
               "which requirements are missed.",
    .notes =
        "Exits with 1 when a figure moved past its tolerance (none by default: all 12 digits "
        "count), a scenario was added or removed, or a requirement is missed. --update "
        "accepts what moved: it writes the file's \"recorded\" part, whole or not at all, and "
        "leaves every other byte as it is; --forget takes that part out, so that 'git merge-file' "
        "can merge the rest. --format also takes junit, and github for the "
        "annotations of a "
        "workflow. 'nncost init' prints a plan file to begin with.",
    .min_operands = 1,
    .max_operands = 1,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_CHECK,
    .run = run,
};
