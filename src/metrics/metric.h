#include "metrics/metrics_internal.h"
