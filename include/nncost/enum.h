/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerations declared together with the texts of their values. A list has every value once, with
 * its text as files, options and output spell it and, where people choose it, a line of help:
 *     #define NNC_COLOUR_LIST(X)            \
 *         X(NNC_RED, "red", "Like a rose.") \
 *         X(NNC_BLUE, "blue", "Like the sky.")
 *     NNC_ENUM(nnc_colour, NNC_COLOUR_LIST, NNC_COLOUR_COUNT);
 * The last name is that of the number of values. */
#ifndef NNCOST_ENUM_H
#define NNCOST_ENUM_H

#define NNC_ENUM_VALUE(name, ...) name,
/* NOLINTNEXTLINE(bugprone-macro-parentheses): names take none */
#define NNC_ENUM(type, list, count) typedef enum type { list(NNC_ENUM_VALUE) count } type

#endif
