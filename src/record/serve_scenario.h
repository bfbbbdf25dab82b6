#include "scenario/scenario_internal.h"
