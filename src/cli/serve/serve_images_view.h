/* What sampling of images shows. */
#ifndef NNCOST_CLI_SERVE_SERVE_IMAGES_VIEW_H
#define NNCOST_CLI_SERVE_SERVE_IMAGES_VIEW_H

#include "metrics/report.h"
#include "render/format.h"
#include "serve/serve_images.h"

typedef struct nnc_images_report {
    const nnc_report *report; /* model, device */
    const nnc_software *software;
    const nnc_images *images;
} nnc_images_report;

extern const nnc_view nnc_images_view;

#endif
