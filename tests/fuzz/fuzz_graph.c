/* Fuzzes the reader of graph files with the code of fuzz_capture.c, because graphs and captured programs are models.
 * Only the corpus differs from that of fuzz_capture. */
#include "fuzz_capture.c"
