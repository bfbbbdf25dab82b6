#include "graph/graph_internal.h"
