#include "shape/shape_internal.h"
#define nnc_shard nnc_list_shard /* the old name */
