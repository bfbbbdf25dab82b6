/* Fuzzes the reader of graph files with the code of fuzz_capture.c, because both kinds of files are models. Only the
 * corpus differs. */
#include "fuzz_capture.c"
