#include "cost/cost_internal.h"
