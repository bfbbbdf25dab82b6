/* search MODEL DEVICE,DEVICE ...: which device to take. */
#ifndef NNCOST_CLI_SEARCH_BUYER_H
#define NNCOST_CLI_SEARCH_BUYER_H

#include "cli/command.h"

/* Are there several devices? */
bool nnc_buyer_asked(const nnc_options *options);
nnc_status nnc_buyer_run(nnc_session *session, nnc_error *err);

#endif
