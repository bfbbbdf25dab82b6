/* What sampling of images shows. */
#ifndef NNCOST_CLI_SERVE_SERVE_IMAGES_VIEW_H
#define NNCOST_CLI_SERVE_SERVE_IMAGES_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

/* Of an nnc_report that makes images. */
extern const nnc_view nnc_images_view;

#endif
