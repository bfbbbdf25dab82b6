#include "base/derivation.h"
