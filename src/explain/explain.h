#include "explain/explain_internal.h"
