#include <nncost/status.h>
