#include "estimate/estimate_internal.h"
