#include <nncost/status.h>

int nnc_status_exit_code(nnc_status status)
{
    switch (status) {
#define EXIT_CODE(name, exit_code, text) \
    case name: return exit_code;
        NNC_STATUS_LIST(EXIT_CODE)
#undef EXIT_CODE
    case NNC_STATUS_COUNT: break;
    }
    return 4;
}

const char *nnc_status_text(nnc_status status)
{
    switch (status) {
#define TEXT(name, exit_code, text) \
    case name: return text;
        NNC_STATUS_LIST(TEXT)
#undef TEXT
    case NNC_STATUS_COUNT: break;
    }
    return "?";
}
