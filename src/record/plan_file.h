#include "record/record_internal.h"
