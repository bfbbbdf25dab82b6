/* What `nncost check` and `nncost diff` found, in every format. */
#ifndef NNCOST_CLI_RECORD_CHECK_VIEW_H
#define NNCOST_CLI_RECORD_CHECK_VIEW_H

#include "record/check_report.h"
#include "render/format.h"

/* What --format takes here: those of every command, and two for what runs checks. */
extern const nnc_format nnc_format_junit, nnc_format_github;
enum { NNC_CHECK_FORMAT_COUNT = NNC_FORMAT_COUNT + 2 };
const nnc_format *nnc_check_format_at(unsigned index);
const char *nnc_check_format_name(unsigned index); /* "?" past the last */

/* Of an nnc_check_report. */
extern const nnc_view nnc_check_output, nnc_diff_output;

/* "USD" of what is money; "" of all else. */
const char *nnc_change_currency(const nnc_check_row *row, const nnc_change *change);

/* At most `most` changes as a table. */
void nnc_changes_write(nnc_buffer *out, nnc_style style, const nnc_check_row *row, int32_t most,
                       const char *old_head, const char *now_head);

#endif
