/* What a program asks of a search, as this library knows it. */
#ifndef NNCOST_SEARCH_SEARCH_LIMITS_H
#define NNCOST_SEARCH_SEARCH_LIMITS_H

#include <nncost/search.h>

/* A search of any size, its limits checked. NNC_BAD_USAGE or NNC_ILLEGAL_PLAN; err names the member. */
nnc_status nnc_search_read(const nnc_search *given, nnc_search *search, nnc_error *err);

#endif
