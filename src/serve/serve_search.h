#include "serve/serve_internal.h"
