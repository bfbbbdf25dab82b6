/* One walk over JSON text: refuses what cJSON lets pass, and finds the line of a value, which cJSON
 * does not keep. */
#ifndef NNCOST_INPUT_SCAN_H
#define NNCOST_INPUT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NNC_SCAN_DEPTH_MAX = 64,
    NNC_SCAN_VALUES_MAX = 10000,  /* keeps the tree small */
    NNC_SCAN_VALUES_MANY = 700000 /* of a file that holds many recorded estimates */
};

/* Both count from 1; a column is a character, not a byte. */
typedef struct nnc_position {
    long line, column;
} nnc_position;

typedef struct nnc_scan_fault {
    nnc_position at;
    char what[160]; /* "bad syntax, expected a value, found '}'" */
} nnc_scan_fault;

/* Is the whole text one JSON value (RFC 8259) with valid UTF-8, finite numbers of at most 63
 * characters, no deeper than the limit above and of at most values_max values? If not, fault says why
 * and where.
 * What it leaves to cJSON: unpaired surrogates in \u escapes. */
bool nnc_scan(const char *text, size_t size, int values_max, nnc_scan_fault *fault);

/* Where value number `ordinal` of a text that passed nnc_scan begins, counted from 0 in the order of
 * the text; for the value of a key, where the key begins. */
nnc_position nnc_scan_value(const char *text, size_t size, int ordinal);

/* The position of a place in the text. */
nnc_position nnc_scan_position(const char *text, const char *at);

#endif
