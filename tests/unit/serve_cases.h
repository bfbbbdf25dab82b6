/* Helpers for the tests of serving. */
#ifndef NNCOST_SERVE_CASES_H
#define NNCOST_SERVE_CASES_H

#include "support.h"

static inline void ok(nnc_status status, const nnc_error *err) {
    ck_assert_msg(status == NNC_OK, "%s: %s", err->where, err->what);
}

#endif
