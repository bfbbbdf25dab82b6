#include <nncost/nncost.h>

const char *nnc_version(void)
{
    return NNCOST_VERSION;
}
