#include "estimate/estimate_internal.h"
/* Old names; src/explain has another nnc_asked. */
#define nnc_asked nnc_estimate_args
#define nnc_asked_read nnc_estimate_args_read
