/* Fuzzes the reader of graph files with the code of fuzz_capture.c, because graphs and captured programs are models.
 * fuzz_graph differs from fuzz_capture only in its corpus. */
#include "fuzz_capture.c"
