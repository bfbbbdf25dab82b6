/* What serving shows. */
#ifndef NNCOST_CLI_SERVE_SERVE_VIEW_H
#define NNCOST_CLI_SERVE_SERVE_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

/* Of an nnc_report that is served: the answer with its ops, and the ops alone. */
extern const nnc_view nnc_serve_view, nnc_serve_ops_view;

#endif
