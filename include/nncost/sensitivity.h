#include <nncost/estimate.h>
