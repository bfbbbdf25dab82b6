#include "memo/memo_internal.h"
