#include "lab/lab_internal.h"
