#include "render/style.h"

#include "base/names.h"

NNC_ENUM_NAMES(nnc_format, NNC_FORMAT_LIST)
