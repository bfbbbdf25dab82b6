#include "store/store_internal.h"
