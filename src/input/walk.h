#include "input/input_internal.h"
