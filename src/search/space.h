#include "search/search_internal.h"
