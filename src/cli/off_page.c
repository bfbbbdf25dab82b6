/* What stands in a page in a browser for the commands that it has not. */
#include "base/error.h"
#include "cli/command.h"

nnc_status nnc_run_off_page(nnc_session *session, nnc_error *err)
{
    (void)session;
    return nnc_fail(
        err, NNC_BAD_USAGE, "command",
        "expected the program itself: a page has neither measured files nor pipes, found the page");
}
