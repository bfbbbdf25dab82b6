#include "run/run_internal.h"
