#include "shape/shape_internal.h"
