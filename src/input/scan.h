/* JSON text: what cJSON lets pass, and what is wrong with a text that it refuses. */
#ifndef NNCOST_INPUT_SCAN_H
#define NNCOST_INPUT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NNC_SCAN_DEPTH_MAX = 64,
    NNC_SCAN_VALUES_MAX = 10000,                /* keeps the tree small */
    NNC_SCAN_VALUES_MANY = 700000,              /* of a configuration as others write it */
    NNC_SCAN_VALUES_RECORDED = 50 * 1000 * 1000 /* of a file that holds many recorded estimates */
};

/* Both count from 1; a column is a character, not a byte. */
typedef struct nnc_position {
    long line, column;
} nnc_position;

typedef struct nnc_scan_fault {
    nnc_position at;
    char what[160]; /* "bad syntax, expected a value, found '}'" */
} nnc_scan_fault;

/* false: the text has a number, a text or a character that cJSON accepts and RFC 8259 does not, or it may
 * be deeper than the limit above or hold more than values_max values. Says nothing about how lexemes
 * follow each other: that is cJSON's part. */
bool nnc_scan_lexemes(const char *text, size_t size, int values_max);

/* Is the whole text one JSON value (RFC 8259) with valid UTF-8, finite numbers of at most 63
 * characters, within those limits? If not, fault says why and where. Only for a text that was refused.
 * What it leaves to cJSON: unpaired surrogates in \u escapes. */
bool nnc_scan(const char *text, size_t size, int values_max, nnc_scan_fault *fault);

/* The position of a place in the text. */
nnc_position nnc_scan_position(const char *text, const char *at);

#endif
