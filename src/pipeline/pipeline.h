#include "pipeline/pipeline_internal.h"
