/* "references": texts that a file cites by short keys. */
#ifndef NNCOST_INPUT_REFERENCES_H
#define NNCOST_INPUT_REFERENCES_H

#include "input/json.h"

/* Puts the text of each "@key" in "sources", in a price's "source" and in any "fitted_on" in its place; a
 * key that neither this file nor one that it is like has is a fault. */
void nnc_references_expand(nnc_json root);

#endif
