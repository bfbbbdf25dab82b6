#include "op/op_internal.h"
