#include "plot/plot_internal.h"
