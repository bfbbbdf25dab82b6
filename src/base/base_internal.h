/* Functions that all folders of src/ use: errors, names of enumerators, numbers, memory, text, files and threads. The
 * code of src/base knows nothing about neural networks, and includes headers of no other folder.
 *
 * The file error.c fills an nnc_error, finds the name that is most similar to a misspelt one, and copies structs that
 * begin with their size.
 * The file number.c multiplies with a check for overflow, reads numbers with their units and prefixes strictly, and
 * prints numbers with 12 digits. The file buffer.c has the functions for arenas (memory that is freed all at once),
 * growing buffers, UTF-8 characters, quotes of texts in JSON and in a shell, packed table cells, and digests. The file
 * platform.c replaces files atomically, runs functions in threads, and has the code that differs between operating
 * systems.
 * The file dlopen.c loads a system library when the program first needs it.
 * The file derivation.c has arithmetic that records its formulas, and the parser of expressions.
 *
 * This header includes the C library headers that most files need. A file that needs further headers includes them
 * itself. */
#ifndef NNCOST_BASE_BASE_INTERNAL_H
#define NNCOST_BASE_BASE_INTERNAL_H

#ifdef __FAST_MATH__
#error "-ffast-math: an unknown number is NaN here, and sums have one order; build without it"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nncost/cell.h>
#include <nncost/status.h>

/* ---- differences between operating systems ----
 * The program nncost uses functions and files of Linux; macOS lacks the folder /proc. WebAssembly (WASI) and Windows
 * lack POSIX processes, signals and symbolic links. Windows opens files in text mode and lets child processes inherit
 * them, unless O_BINARY and O_NOINHERIT are given. */

#if defined(__wasi__) || defined(_WIN32)
#define NNC_NO_PROCESSES
#endif

#if defined(_WIN32)
#define O_CLOEXEC (O_NOINHERIT | O_BINARY)
#define NNC_HOME_VARIABLE "USERPROFILE"
#define getc_unlocked getc
enum { NNC_PATH_SEPARATOR = ';' };
#else
#define NNC_HOME_VARIABLE "HOME"
enum { NNC_PATH_SEPARATOR = ':' };
#endif

/* ---- functions that fill an nnc_error or return its status ---- */

/* These functions write a status, a formatted message and the place of the error (err->where) into err, which may be
 * NULL, and return the status. Control characters of the message are replaced by '?', so that the message stays on one
 * line. */
nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...) NNC_PRINTF(4, 5);
nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format, va_list args)
    NNC_PRINTF(4, 0);

/* Fills err with "nncost: out of memory" and returns NNC_NO_MEMORY. */
nnc_status nnc_no_memory(nnc_error *err);

/* Adds a prefix and ": " to err->where, the text that says where an error is: "inner" becomes "outer: inner". */
void nnc_error_within(nnc_error *err, const char *outer);

/* Evaluates an expression that returns an nnc_status; if the status is an error, returns the status from the function
 * that uses NNC_TRY. A function may use NNC_TRY only if it has nothing to release when NNC_TRY returns from it. */
#define NNC_TRY(call)                                            \
    do {                                                         \
        const nnc_status nnc_try_status = (call);                \
        if (nnc_try_status != NNC_OK) { return nnc_try_status; } \
    } while (0)

/* Tests a pointer that an allocation has returned; if it is NULL, returns NNC_NO_MEMORY from the function that uses
 * NNC_GOT. A function may use NNC_GOT only if it has nothing to release when NNC_GOT returns from it. */
#define NNC_GOT(pointer, err)                                 \
    do {                                                      \
        if ((pointer) == NULL) { return nnc_no_memory(err); } \
    } while (0)

/* The argument `given` of nnc_need is false if a required pointer is missing. If the argument `given` is false,
 * nnc_need fills err with "no WHAT, expected a pointer to it, found NULL" at the place `function`, and returns
 * NNC_BAD_USAGE. Public functions call nnc_need for each pointer that must not be NULL. */
nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err);

/* If an argument of a public function is NULL, returns NNC_BAD_USAGE from the public function. The public function that
 * uses NNC_NEED must return an nnc_status and have a parameter err. */
#define NNC_NEED(pointer) NNC_TRY(nnc_need(__func__, #pointer, (pointer) != NULL, err))

/* Tests whether two names begin with the same word, which ends with a hyphen: "vit-large" and "vit-b-16". */
bool nnc_begins_alike(const char *a, const char *b);
/* Tests whether the known name `name` is a better suggestion for a misspelt name `text` than the best suggestion so
 * far, `near`. `name` is better if there is no suggestion yet (`near` is NULL), or if `name` begins with the same word
 * as `text` but `near` does not. If a name has the form "OWNER/NAME", the owner is not compared. */
bool nnc_nearer(const char *text, const char *name, const char *near);
/* Returns the name in a list with the smallest edit distance to `text`; names that begin with the same word as `text`
 * are preferred to all names that begin with another word. A name is skipped if its edit distance to `text` is more
 * than a third of the length of the longer of the two texts (the name and `text`). Returns NULL if all names were
 * skipped, or if `text` has more than 64 characters. */
const char *nnc_nearest(const char *text, const char *const *names, size_t count);
/* Tests whether a list of names has the name `name`. The list of names ends with NULL; a NULL pointer to the list
 * stands for a list without names. */
bool nnc_is_one_of(const char *name, const char *const *names);

/* ---- functions that return the names of enumerators ---- */

#define NNC_ENUM_FIRST(text, ...) text
#define NNC_ENUM_TEXT(name, ...) \
    case name: return NNC_ENUM_FIRST(__VA_ARGS__, "");

/* Defines const char *TYPE_name(TYPE value), which returns the text of `value` in the list, and "?" for a value outside
 * the list. The function uses a switch, not an array of strings: the loader would have to write the pointers of an
 * array at each start of the program. */
#define NNC_ENUM_NAMES(type, list)                                             \
    const char *type##_name(type value) {                                      \
        switch ((unsigned)value) { list(NNC_ENUM_TEXT) default : return "?"; } \
    }

#define NNC_ENUM_SECOND(text, help, ...) help
#define NNC_ENUM_HELP(name, ...) \
    case name: return NNC_ENUM_SECOND(__VA_ARGS__, "", "");

/* Defines TYPE_name as NNC_ENUM_NAMES does, and const char *TYPE_help(TYPE value), which returns the help text of
 * `value` in the list. */
#define NNC_ENUM_TEXTS(type, list)                                             \
    NNC_ENUM_NAMES(type, list)                                                 \
    const char *type##_help(type value) {                                      \
        switch ((unsigned)value) { list(NNC_ENUM_HELP) default : return "?"; } \
    }

/* A row is a struct with data about one value of an enumeration; the name of this struct variable is NNC_ROW(VALUE).
 * The initializer { LIST(NNC_ROW_AT) } makes a table of pointers to the rows of all values; the table does not compile
 * if a value has no row. */
#define NNC_ROW(value) nnc_row_of_##value
#define NNC_ROW_AT(name, ...) [name] = &NNC_ROW(name),

/* The table `rows` of an enumeration must have an entry for the last value; without this entry, the program does not
 * compile. The test tests/unit/test_rows.c finds missing entries for values before the last value. */
#define NNC_ROW_EACH(rows, values) _Static_assert(sizeof(rows) / sizeof(rows)[0] == (values), "a value has no row")

/* A pair that describes an enumeration: a function that returns the name of each value, and the number of values. */
typedef struct nnc_names {
    /* function that returns the name of a value; NULL = the values have no names */
    const char *(*of)(unsigned value);
    int count;
} nnc_names;

/* These functions return the value of an enumeration whose name is `text`; -1 = no value has this name.
 * nnc_names_find_nocase ignores upper and lower case, for text that people type. */
int nnc_names_find(nnc_names names, const char *text);
int nnc_names_find_nocase(nnc_names names, const char *text);

/* ---- structs that begin with their size ----
 * The first member of a struct of this kind is the size that the struct had when the caller was compiled. A caller
 * compiled for an older version of this library has a shorter struct, and a caller compiled for a newer version has a
 * longer struct. New members are only added at the end of a struct. */

/* The struct `full` has the default of every member; the function replaces the first bytes of `full` by the struct
 * `given` of a caller. If `given` is longer than `full`, the members of `given` after the end of `full`, which this
 * library does not know, must be zero. what: name of the struct, such as "nnc_plan". NNC_BAD_USAGE: the size of `given`
 * is not set, or an unknown member is not zero. */
nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what, nnc_error *err);

/* Copies `full` into the struct `given` of a caller, up to the size of `given`. If `given` is longer than `full`, sets
 * the bytes of `given` after the size of `full` to zero. The first member of `given`, its size, is not changed. */
void nnc_sized_write(void *given, const void *full, size_t full_size);

/* Checks the first member of the struct `given`, the size that the caller has set. full_size: size of the struct in
 * this library. what: name of the struct, "nnc_plan". Returns NNC_BAD_USAGE if the caller has not set the size, or if
 * the size is far too large. */
nnc_status nnc_sized_check(const void *given, size_t full_size, const char *what, nnc_error *err);

/* ---- arithmetic, and reading and writing of numbers ---- */

/* These functions write a * b or a + b into *out. If the result of one of these functions overflows, the function
 * returns false and leaves *out unchanged. */
static inline bool nnc_mul_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) { return false; }
    *out = product;
    return true;
}
static inline bool nnc_add_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) { return false; }
    *out = sum;
    return true;
}

/* Return the larger (nnc_max) or the smaller (nnc_min) of two numbers. If one of the two numbers is NaN, nnc_max and
 * nnc_min return NaN; fmax and fmin of the C library would return the number that is not NaN. */
static inline double nnc_max(double a, double b) { return isnan(a) || a > b ? a : b; }
static inline double nnc_min(double a, double b) { return isnan(a) || a < b ? a : b; }
static inline double nnc_pow4(double x) { return x * x * x * x; }

/* Tests whether a text contains another text; upper and lower case count as equal. */
bool nnc_contains_nocase(const char *text, const char *part);

/* Writes the letters and digits of a text in lower case, and a NUL; at most `size` bytes. */
void nnc_letters_of(const char *text, char *letters, size_t size);

/* Tests whether a text begins with another text. */
static inline bool nnc_begins(const char *text, const char *begin) { return strncmp(text, begin, strlen(begin)) == 0; }

/* Tests whether a text ends with another text. */
static inline bool nnc_ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Rounds x up to a whole number without a library call. x must be above 0 and far below 2^63. */
static inline double nnc_ceil(double x) {
    const double whole = (double)(int64_t)x;
    return whole < x ? whole + 1.0 : whole;
}

/* Divides a >= 0 by b > 0 and rounds the quotient up. */
static inline int64_t nnc_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* Returns the length of the number at the start of `text`, by the grammar of JSON, which allows "-0.5e9" but not "01",
 * "1.", "+1", ".5" or "inf"; 0 = `text` does not begin with a number. */
size_t nnc_number_span(const char *text, size_t size);

/* Reads a whole text as a finite decimal number ("80e9", "-5", "0.5"). Returns false for every other text, such as a
 * hexadecimal number, "inf", "nan" or blanks. The result does not depend on the locale. */
bool nnc_read_double(const char *text, double *out);
/* Rounds `value` to `digits` significant digits. */
double nnc_rounded(double value, int digits);
/* Sorts numbers in increasing order. */
void nnc_sort_numbers(double *values, size_t count);
/* Sorts `values` in place and returns their median; for an even number of values, the mean of the two middle values.
 * count must be at least 1. */
double nnc_median(double *values, size_t count);
/* Reads a text as a whole number. The text may have an exponent ("1e3"). Returns false for "1.5" and for numbers above
 * 2^53. */
bool nnc_read_i64(const char *text, int64_t *out);

/* Reads a number with an optional unit, such as "2GiB". Returns false if the text is not a number, or if its unit does
 * not fit `unit`. `unit` is the SI unit of *out, and decides which suffixes the text may have:
 *     "s"              ns, us, ms, s, min, h, d, w
 *     "B", "B/s", ...  prefixes k M G T P E by 1000, for bytes also Ki Mi Gi Ti by 1024; the unit may be left out
 *                      ("2GiB", "3.35TB/s", "3.35T")
 *     NULL, "tokens"   k, M, B (or G), T for 10^3, 10^6, 10^9, 10^12
 * If `whole` is true and `unit` is "tokens", k means 1024 and M means 1024^2. */
bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out);

/* Reads a quantity in any unit: a plain number, a time ("860ms"), or bytes, B/s or FLOP/s with a prefix ("80GB",
 * "400TFLOP/s"). Returns false for a suffix with two possible meanings: "8k", "10B", "5m". */
bool nnc_read_typed(const char *text, double *out);

/* nnc_read_money reads an amount of money: a number with an optional prefix, an optional currency ("USD", "$", "EUR"
 * ...) and an optional "/h", such as "2.5 USD/h" or "200k". `currency` gets the three upper-case letters of the
 * currency and a NUL (NNC_CURRENCY_TEXT bytes); "" = the text names no currency. Returns false if the text is no amount
 * of money. */
enum { NNC_CURRENCY_TEXT = 4 };
bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT]);

/* These functions write a number as the shortest decimal text with at most 12 digits. The decimal point is '.' in every
 * locale; NaN and infinities become "null". nnc_number_text returns the text, nnc_number_write the length of the text.
 * NNC_NUMBER_TEXT: largest number of bytes of the text of a number, with its NUL. */
enum { NNC_NUMBER_TEXT = 32 };
char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT]);
size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT]);
/* Writes the text of nnc_number_write for a number, and sets *read to the number that nnc_read_double would read from
 * this text (0 for "null"). */
size_t nnc_number_write_read(double value, char text[NNC_NUMBER_TEXT], double *read);
/* Writes a whole number as decimal text. Returns the number of written characters. */
size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT]);
/* Writes a number from 0 to 99999.5 with 0 to 6 decimals, in the form of printf("%.*f"). Returns false if rounding is
 * uncertain: the number is so near to the middle between two decimal numbers that the rounding error of a
 * multiplication could change the last digit. */
bool nnc_decimals_write(double value, int decimals, char *text);

/* These functions correct a number that printf has written. nnc_fix_point replaces the decimal point of the caller's
 * locale (one or more bytes) by '.'; nnc_shorten_exponent changes "1e+15" to "1e15" and "1e-05" to "1e-5". */
void nnc_fix_point(char *text);
void nnc_shorten_exponent(char *text);

/* Writes a value with its unit, an SI prefix and four significant digits: 0.0123 "s" -> "12.30 ms", 8.59e10 "B" ->
 * "85.90 GB", 3.12e14 "FLOP/s" -> "312.0 TFLOP/s"; NaN -> "-". Values in bytes or FLOPs below 1 have no prefix. Times
 * of 7200 seconds and more are written in hours, days or years. Returns the written text. */
char *nnc_unit_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

/* Formats a number: "1,557,611,200", "16.73", "0.0001234". Numbers of 1000 or more have all digits before the decimal
 * point, in groups of three; smaller numbers have four significant digits; NaN becomes "-". The result is written to
 * `text`, which is returned. */
char *nnc_count_text(double value, char text[NNC_NUMBER_TEXT]);

/* ---- arena: a set of allocations that are freed together ---- */

typedef struct nnc_arena nnc_arena;

nnc_arena *nnc_arena_create(void); /* Creates an arena; returns NULL when out of memory. */
void nnc_arena_destroy(nnc_arena *arena);
/* Returns `size` bytes of an arena, zeroed and aligned for any type; NULL when out of memory. */
void *nnc_arena_alloc(nnc_arena *arena, size_t size);
/* Returns a zeroed array of `count` elements of `size` bytes in an arena; NULL when out of memory or when count x size
 * overflows. */
void *nnc_arena_array(nnc_arena *arena, size_t count, size_t size);
/* Makes space for one more entry of a list with `count` entries. Returns the list itself if count < *capacity, else a
 * copy of the list with twice the capacity. Returns NULL when out of memory; the old list is then unchanged. */
void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size);
/* Makes the arena the owner of a block of memory from malloc(), so that the block is freed together with the arena.
 * Returns false when out of memory; the function has then freed the block. */
bool nnc_arena_own(nnc_arena *arena, void *allocated);
char *nnc_arena_strdup(nnc_arena *arena, const char *text);

/* ---- buffer: an array of bytes that grows ----
 * All output of the program is first written into a buffer. nnc_buffer_clear removes the text of a buffer but keeps its
 * memory. A buffer that is used many times allocates no more memory when it has space for its longest text. If an
 * allocation fails, the member `failed` becomes true and stays true. Functions that write into a buffer return no
 * error, so the code that reads the bytes of a buffer has to check `failed`. */

typedef struct nnc_buffer { /* a new nnc_buffer is initialised with { 0 } */
    char *bytes;
    size_t size, capacity;
    bool failed; /* true: an allocation failed, so bytes of the text are missing */
} nnc_buffer;

void nnc_buffer_put(nnc_buffer *buffer, const void *bytes, size_t size);
void nnc_buffer_text(nnc_buffer *buffer, const char *text);
void nnc_buffer_byte(nnc_buffer *buffer, char byte);
void nnc_buffer_number(nnc_buffer *buffer, double value); /* appends a number in the form of nnc_number_text */
void nnc_buffer_whole(nnc_buffer *buffer, int64_t value);
/* appends `count` blanks; appends nothing if count is below 1 */
void nnc_buffer_blanks(nnc_buffer *buffer, int count);
void nnc_buffer_print(nnc_buffer *buffer, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_buffer_clear(nnc_buffer *buffer); /* removes all text from the buffer, but keeps its memory */
void nnc_buffer_free(nnc_buffer *buffer);

/* Appends a separator and a formatted text to `text`; the separator is left out if `text` is empty. `size` is the size
 * of the array `text` in bytes; characters that do not fit are cut off. */
void nnc_text_append(char *text, size_t size, const char *separator, const char *format, ...) NNC_PRINTF(4, 5);

/* Writes a short name of the dotted name names[index] to `name`. The short name is the shortest end of the dotted name
 * that is not the end of any other name in `names`; upper and lower case count as equal. Each '.' of the short name is
 * written as '_'. "step.step_s" becomes step_s, "step.interval_s.0" becomes interval_s_0. */
void nnc_short_name(const char *const *names, int count, int index, char *name, size_t size);

/* ---- text: UTF-8, control characters, JSON strings, words of a shell command ---- */

/* Returns the number of bytes of the UTF-8 character at the start of `text`; 0 = the first bytes are no valid UTF-8. */
size_t nnc_utf8_length(const char *text, size_t size);

/* Returns the number of bytes of the control character at the start of a NUL-terminated text; 0 = the text does not
 * begin with a control character. The function counts these as control characters: C0 (NUL included), C1, invisible
 * characters, characters that change the direction of text or end a line, and the texts "##[" and "##vso[", which CI
 * runners execute. nncost prints no control characters of its input to a terminal or a page. */
size_t nnc_control_length(const char *text);

/* Returns the number of plain characters at the start of `text`, but not more than `most`. Plain characters are
 * printable ASCII characters except '"', '\\' and '#': every output format writes these characters unchanged. */
size_t nnc_plain_length(const char *text, size_t most);

/* Writes a text as a JSON string in quotes. Control characters are escaped; a byte that is no valid UTF-8 becomes
 * \ufffd. */
void nnc_put_json_text(nnc_buffer *out, const char *text);

/* Writes a text as one word of a shell command: without quotes if the text has only letters, digits and punctuation
 * that a shell does not interpret, else in single quotes. */
void nnc_shell_word(nnc_buffer *out, const char *text);

/* Splits a line, in place, into words at the blanks outside quotes, as a shell does. A backslash before a character
 * removes the special meaning of this character for the shell. Returns the number of words; -1 if the line has more
 * than `most` words. */
int nnc_shell_split(char *line, char **words, int most);

/* nnc_cells_pack appends the cells of a row to a buffer, in a binary form; nnc_cells_unpack reads the cells from this
 * form. The texts of the cells that nnc_cells_unpack returns point into the bytes of the buffer. */
void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count);
void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count);

/* ---- digests: numbers that show whether data have changed ----
 * The digest is FNV-1a with 64 bits. A digest detects accidental changes; it does not protect against changes on
 * purpose. Source: Fowler, Noll, Vo, draft-eastlake-fnv. */

#define NNC_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Each of these functions adds data to a digest and returns the new digest. nnc_digest_text adds the text with its NUL,
 * so that "a", "bc" and "ab", "c" give different digests. The digest of a number does not depend on the byte order of
 * the machine. */
uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size);
uint64_t nnc_digest_text(uint64_t digest, const char *text);
uint64_t nnc_digest_number(uint64_t digest, uint64_t number);
/* Stores a digest in the hash table `seen`, and returns true if the table already contained the digest. `seen` has
 * `slots` numbers, all 0 at first; `slots` must be at least twice the number of digests. Two digests that differ only
 * in their lowest bit count as equal. */
bool nnc_digest_repeats(uint64_t *seen, size_t slots, uint64_t digest);

/* nnc_digest_print writes a digest as sixteen hexadecimal digits and returns the written text. NNC_DIGEST_TEXT: number
 * of bytes of the sixteen hexadecimal digits and a NUL. */
enum { NNC_DIGEST_TEXT = 17 };
char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT]);

/* Computes the CRC-32 of zlib and PNG. nncost uses CRC-32 if other programs must be able to compute the same checksum.
 * crc: 0 for the first bytes; for further bytes, the result of the previous call. */
uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size);

/* ---- atomic files: a file is replaced completely or not at all ----
 * The new content is written to a temporary file in the folder of the target file. The temporary file then replaces the
 * target file. */

typedef struct nnc_atomic_file {
    /* path of the file to replace; for a symbolic link, the path of the file to which the link points. NULL = the
     * nnc_atomic_file is not open */
    char *target;
    char *temporary; /* path of the temporary file; NULL = the temporary file has no name */
    int descriptor;  /* file descriptor of the temporary file */
} nnc_atomic_file;

/* Creates an empty temporary file. The temporary file gets the permissions of the file at `path`, or the permissions of
 * a new file if `path` does not exist. If the system supports files without a name, the temporary file has no name, so
 * no file remains if the process is killed. After success the caller calls nnc_atomic_file_keep or
 * nnc_atomic_file_drop. Returns false on failure: no file remains, and errno has the cause. */
bool nnc_atomic_file_open(nnc_atomic_file *file, const char *path);

/* Opens a temporary file as nnc_atomic_file_open does, but gives it a name (.nncost- and six letters). Libraries that
 * open a file by its name need a named file. */
bool nnc_atomic_file_open_named(nnc_atomic_file *file, const char *path);

/* Closes the temporary file, which then replaces the target file. If `durable` is true, first waits until the bytes of
 * the temporary file are on disk. Returns false on failure: the target is unchanged, and errno has the cause. */
bool nnc_atomic_file_keep(nnc_atomic_file *file, bool durable);

/* Removes the temporary file and leaves the target file unchanged. Does nothing if the nnc_atomic_file is not open. */
void nnc_atomic_file_drop(nnc_atomic_file *file);

/* Replaces the content of a file by a text, and returns when the text is on disk. Returns false on failure: the file is
 * then unchanged, and errno has the cause. */
bool nnc_atomic_file_write(const char *path, const char *text, size_t size);

/* Opens a file to read. The environment variable NNCOST_ROOTS can restrict the files: it lists folders (real paths,
 * joined by ':', on Windows by ';'), and only regular files and folders inside these folders are opened; all other
 * files fail with EACCES. Returns the file descriptor, or -1 with the cause in errno. */
#define NNC_ROOTS_VARIABLE "NNCOST_ROOTS"
int nnc_open_to_read(const char *path);

/* Writes `size` bytes to a file descriptor. Returns the number of bytes written; if fewer than `size` bytes were
 * written, errno has the cause. */
size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size);

/* Writes the path of the running program to `path`, with '/' between folders. Returns false if the system does not tell
 * the path. */
bool nnc_program_path(char *path, size_t size);

/* Sets up the process at its start. After this setup, a write beyond the file size limit of the process makes write()
 * fail, and no signal ends the process. After this setup on Windows, standard input and output transfer bytes
 * unchanged, and '\\' in arguments is replaced by '/', because the code of nncost separates folders by '/'. */
void nnc_system_prepare(int argc, char **argv);

/* ---- threads: running one function in several threads at the same time ---- */

/* Returns the number of processors of the computer; 1 if the system does not tell the number. */
int32_t nnc_threads_available(void);

enum { NNC_THREADS_MAX = 256 };

/* Calls the function `work` once for each of `count` contexts (an array of structs of `size` bytes). The first call
 * runs in the calling thread, each further call in its own thread (at most NNC_THREADS_MAX). If a thread cannot be
 * started, `work` is not called for its context. Therefore all calls of `work` must take their tasks from one shared
 * queue; if one thread cannot be started, the calls in the started threads do all tasks. */
void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count);

/* ---- system libraries that the program loads when it first needs them (dlopen.c) ---- */

/* Loads a shared library, finds its functions with the given names, and writes the addresses of the functions, in the
 * order of the names, into `functions`, a struct of function pointers. The library stays loaded. package: the Debian
 * package that the error message names. Returns NNC_IO if the library or one of its functions is missing.
 * NNC_NO_MEMORY: memory ran out. */
nnc_status nnc_dlopen_functions(const char *library, const char *package, const char *const *names, size_t count,
                                void *functions, nnc_error *err);

/* ---- expressions (derivation.c) ----
 * The parser reads expressions: "tensor * pipeline <= 64 && micro_batch > 1" in --where, "2 * heads + 1" in graph
 * files. An expression consists of numbers, names, texts such as 'text', brackets and operators.
 *
 * The operators, from the lowest to the highest precedence: ||, &&, then == != < <= > >=, then + -, then * / %, then
 * the prefixes ! and -. Operators of equal precedence are applied from left to right.
 * The parser passes operands and operators to the callbacks in postfix order: an operator comes after the operands to
 * which it applies. */

typedef enum nnc_operator {
    NNC_OPERATOR_OR,
    NNC_OPERATOR_AND,
    NNC_OPERATOR_EQUAL,
    NNC_OPERATOR_NOT_EQUAL,
    NNC_OPERATOR_AT_MOST,
    NNC_OPERATOR_AT_LEAST,
    NNC_OPERATOR_LESS,
    NNC_OPERATOR_MORE,
    NNC_OPERATOR_ADD,
    NNC_OPERATOR_SUBTRACT,
    NNC_OPERATOR_MULTIPLY,
    NNC_OPERATOR_DIVIDE,
    NNC_OPERATOR_REMAINDER,
    /* number of operators that have two operands; the operators after this enumerator have one operand */
    NNC_OPERATOR_COUNT,
    NNC_OPERATOR_NOT = NNC_OPERATOR_COUNT,
    NNC_OPERATOR_NEGATE
} nnc_operator;

/* Sets of operators, with one bit for each operator. A set of operators says which operators an expression may
 * contain. */
enum {
    NNC_OPERATORS_ARITHMETIC =
        1 << NNC_OPERATOR_ADD | 1 << NNC_OPERATOR_SUBTRACT | 1 << NNC_OPERATOR_MULTIPLY | 1 << NNC_OPERATOR_DIVIDE,
    NNC_OPERATORS_ALL = (1 << (NNC_OPERATOR_NEGATE + 1)) - 1
};

/* Settings of the expression parser: the operators that an expression may contain, and callbacks for the numbers,
 * names, texts and operators of the expression. If a callback returns false or 0, it has already reported an error, and
 * the parser stops. */
typedef struct nnc_expression_reader {
    unsigned operators;
    int nesting_max;        /* largest nesting depth of brackets and signs that the parser accepts */
    const char *name_marks; /* characters that a name may contain in addition to letters and digits */
    size_t (*number)(void *context, const char *at); /* reads the number at `at`; returns the number of characters
                                                      * read */
    bool (*name)(void *context, const char *name, size_t length);
    /* callback for a text in quotes; the callback gets the text without the quotes. NULL = an expression must not
     * contain texts */
    bool (*text)(void *context, const char *text, size_t length);
    bool (*operate)(void *context, nnc_operator of);
    void (*refuse)(void *context, const char *expected, const char *at);
} nnc_expression_reader;

/* Reads a whole text as one expression. Returns false if the text does not follow the grammar of expressions, or if a
 * callback reported an error. */
bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context);

/* ---- derivations: arithmetic that records its formulas (derivation.c) ----
 * The macros below compute a value and record the formula of the value. The parameter `why` of a function is a
 * derivation or NULL, and does not change the result of the function. With a derivation, the function records each
 * formula as the code writes it, the values of the operands, and the result of the formula. `nncost explain` prints the
 * recorded lines, so it prints the formulas that the program has computed.
 *
 * NNC_LET(why, m, NULL, (double)p->m) adds an operand, and defines it as const double m.
 * NNC_SAY(why, flops, "FLOP", 2.0 * m * n * k) adds a line, and defines its result as const double flops.
 * NNC_SET(why, work.read_bytes, "B", m * k * bytes) adds a line, and assigns its result to an existing variable.
 * NNC_PUT(why, work.write_bytes, "B") adds an existing variable as an operand.
 * NNC_NOTE(why, "one multiply and one add per term") adds the meaning of the last line.
 *
 * The third argument of NNC_LET, NNC_SAY, NNC_SET and NNC_PUT is the unit of the value; NULL = a number without
 * unit. */
typedef struct nnc_derivation nnc_derivation;

/* One line of a derivation: name = formula = formula with numbers = value. */
typedef struct nnc_line {
    const char *of; /* op or part of the step to which the formula belongs: "attn.qkv forward"; "" = no op */
    const char *name, *unit;
    /* formula: the formula with the names of its operands; numbers: the formula with the values of its operands in
     * place of the names */
    const char *formula, *numbers;
    const char *where; /* the operands of the formula and their units, one per line: "rate 3 B/s" */
    /* meaning: the line in words; source: publication of the formula; NULL = not given */
    const char *meaning, *source;
    double value;
} nnc_line;

nnc_derivation *nnc_derivation_create(void); /* returns NULL if out of memory */
void nnc_derivation_destroy(nnc_derivation *why);
/* Sets *lines to the lines of a derivation and *count to the number of lines. The derivation owns the array. Returns
 * false if memory ran out or a text of the derivation was too long. */
bool nnc_derivation_lines(const nnc_derivation *why, const nnc_line **lines, int *count);

/* Removes all lines and all operands from a derivation. */
void nnc_derivation_clear(nnc_derivation *why);

/* Sets the op or part of the step that is stored in later lines of a derivation (nnc_line.of). */
void nnc_say_of(nnc_derivation *why, const char *format, ...) NNC_PRINTF(2, 3);

/* These functions add to a derivation: an operand, a line, a note about the last line, or the source of the last line.
 * The macros NNC_LET, NNC_SAY, NNC_SET_AS, NNC_NOTE and NNC_SOURCE call these functions if why != NULL; `name` and
 * `formula` are then C source text. */
void nnc_say_let(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_line(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_named(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
void nnc_say_note(nnc_derivation *why, const char *meaning);
void nnc_say_source(nnc_derivation *why, const char *source);

/* These functions add an operand or a line whose texts are not C source: the name can be "exposed_comm.data", the
 * formula "a + b". */
void nnc_say_operand(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_formula(nnc_derivation *why, const char *name, const char *unit, const char *formula, double value);
/* Appends to a derivation a copy of a line of another derivation. */
void nnc_say_copy(nnc_derivation *why, const nnc_line *line);
/* These functions add a line whose formula is a sum of terms: call nnc_say_term for each term, then nnc_say_sum. Terms
 * with the value 0 do not appear in the formula. */
void nnc_say_term(nnc_derivation *why, const char *name, const char *unit, double value);
void nnc_say_sum(nnc_derivation *why, const char *name, const char *unit, double value);

/* ---- the text of a formula, and the names in it ---- */

enum { NNC_FORMULA_MAX = 4096 };
typedef struct nnc_formula {
    char text[NNC_FORMULA_MAX];
    size_t used;
    bool failed; /* true: the formula was longer than the array `text`, so its end is missing */
} nnc_formula;

/* Returns the next name in a formula, searched from *at on; NULL = no further name. *size receives the length of the
 * name, and *at is set to the character after the name. A name may contain dots: "exposed_comm.data". */
const char *nnc_formula_name(const char **at, size_t *size);

/* ---- macros that compute a value and record the formula of the value ---- */

#define NNC_LET(why, name, unit, value) \
    const double name = (value);        \
    NNC_PUT(why, name, unit)

#define NNC_SAY(why, name, unit, formula) \
    const double name = (formula);        \
    NNC_WHEN(why, nnc_say_line((why), #name, (unit), #formula, name))

/* NNC_SET assigns the value of a formula to `target`, a variable of type double or of an integer type, and adds a line
 * with the formula and the value to the derivation. */
#define NNC_SET(why, target, unit, formula) \
    (target) = (formula);                   \
    NNC_WHEN(why, nnc_say_line((why), #target, (unit), #formula, (double)(target)))

/* NNC_SET_AS does the same as NNC_SET, but the derivation shows the string `name` in place of the variable name
 * `target`. */
#define NNC_SET_AS(why, name, target, unit, formula) \
    (target) = (formula);                            \
    NNC_WHEN(why, nnc_say_named((why), (name), (unit), #formula, (double)(target)))

#define NNC_PUT(why, name, unit) NNC_WHEN(why, nnc_say_let((why), #name, (unit), (double)(name)))
#define NNC_NOTE(why, text) NNC_WHEN(why, nnc_say_note((why), (text)))
#define NNC_SOURCE(why, text) NNC_WHEN(why, nnc_say_source((why), (text)))

#define NNC_WHEN(why, call)          \
    do {                             \
        if ((why) != NULL) { call; } \
    } while (0)

/* NNC_SAYING marks a function with a parameter `why` that is called very often. The compiler inlines functions marked
 * NNC_SAYING, so that a call with why = NULL spends no time on recording. In a program optimised for size, the compiler
 * does not inline functions marked NNC_SAYING. */
#ifdef __OPTIMIZE_SIZE__
#define NNC_SAYING static inline
#else
#define NNC_SAYING static inline __attribute__((always_inline))
#endif

#endif
