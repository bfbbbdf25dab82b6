#include "cli/views_internal.h"
