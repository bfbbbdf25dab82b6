#include "sweep/sweep_internal.h"
