/* Graph files, read and estimated. A captured program is a model too, so the target is the same: only the corpus
 * differs. */
#include "fuzz_capture.c"
