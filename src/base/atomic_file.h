#include "base/base_internal.h"
