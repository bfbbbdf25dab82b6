/* An estimate to be read by people. */
#ifndef NNCOST_REPORT_ESTIMATE_TEXT_H
#define NNCOST_REPORT_ESTIMATE_TEXT_H

#include "report/report.h"

nnc_status nnc_estimate_write_text(FILE *out, nnc_style style, const nnc_report *report);

#endif
