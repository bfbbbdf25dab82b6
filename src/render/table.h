#include "render/render_internal.h"
