#include "base/names.h"

#include <string.h>

int nnc_names_find(nnc_names names, const char *text)
{
    for (int i = 0; i < names.count; i++) {
        if (strcmp(names.of((unsigned)i), text) == 0) {
            return i;
        }
    }
    return -1;
}
