/* Efficiencies that change nothing. */
#ifndef NNCOST_BASE_NEUTRAL_H
#define NNCOST_BASE_NEUTRAL_H

#include <nncost/hardware.h>

/* Every fraction 1, every fixed cost 0, no tiles: the datasheet as it stands. */
void nnc_efficiencies_neutral(nnc_efficiencies *e);

#endif
