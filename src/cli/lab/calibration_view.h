#include "cli/lab/cli_lab.h"
