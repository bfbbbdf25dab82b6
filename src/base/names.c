#include "base/names.h"

#include <string.h>
#include <strings.h>

int nnc_names_find(nnc_names names, const char *text)
{
    for (int i = 0; i < names.count; i++) {
        if (strcmp(names.of((unsigned)i), text) == 0) {
            return i;
        }
    }
    return -1;
}

int nnc_names_find_typed(nnc_names names, const char *text)
{
    int found = nnc_names_find(names, text);
    for (int i = 0; i < names.count && found < 0; i++) {
        found = strcasecmp(names.of((unsigned)i), text) == 0 ? i : -1;
    }
    return found;
}
