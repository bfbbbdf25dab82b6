/* Text as JSON has it. */
#ifndef NNCOST_BASE_JSON_TEXT_H
#define NNCOST_BASE_JSON_TEXT_H

#include "base/buffer.h"

/* In quotes. Controls and what a workflow obeys are escaped, bytes that are no UTF-8 replaced. */
void nnc_put_json_text(nnc_buffer *out, const char *text);

#endif
