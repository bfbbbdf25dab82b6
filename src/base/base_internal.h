/* Tools for every folder: errors, names of enumerators, numbers, memory, text, files and threads. This folder is
 * independent of neural networks, and includes no other folder.
 *
 *     error.c     fills nnc_error; finds the nearest name to a misspelt one; structs that begin with their size
 *     number.c    checked products, strict reading, 12-digit printing; the only place with unit prefixes
 *     buffer.c    memory that is freed all at once (arena), growing buffers, UTF-8, JSON and shell quoting, packed
 *                 cells, digests
 *     platform.c  atomic files and threads, and what differs between systems
 *     dlopen.c    system libraries that are loaded when first needed
 *
 * This header includes the C library headers that most files need. A file that needs further headers includes them
 * itself.
 *
 * derivation.h (arithmetic that records its formulas, and expressions: derivation.c) is a separate header: it defines
 * macros with short names, and only the folders that compute need them. */
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
 * The program uses the functions of Linux. macOS lacks /proc. WebAssembly (WASI) and Windows lack POSIX processes,
 * signals and symbolic links. On Windows, files are opened in text mode and are inherited by child processes, unless
 * O_BINARY and O_NOINHERIT are given. */

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

/* ---- errors ---- */

/* Write status, where and the formatted message into err (which may be NULL), and return status. Control characters are
 * replaced by '?', so that a message stays on one line. */
nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...) NNC_PRINTF(4, 5);
nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format, va_list args)
    NNC_PRINTF(4, 0);

/* Fills err with "nncost: out of memory" and returns NNC_NO_MEMORY. */
nnc_status nnc_no_memory(nnc_error *err);

/* Adds a prefix to the place of an error, err->where: "outer: where". */
void nnc_error_within(nnc_error *err, const char *outer);

/* If a call fails, returns its status from the enclosing function. Only for functions that have nothing to release. */
#define NNC_TRY(call)                                            \
    do {                                                         \
        const nnc_status nnc_try_status = (call);                \
        if (nnc_try_status != NNC_OK) { return nnc_try_status; } \
    } while (0)

/* If a pointer is NULL after an allocation, returns NNC_NO_MEMORY from the enclosing function. Only for functions that
 * have nothing to release. */
#define NNC_GOT(pointer, err)                                 \
    do {                                                      \
        if ((pointer) == NULL) { return nnc_no_memory(err); } \
    } while (0)

/* If `given` is false, fills err with "no WHAT, expected a pointer to it, found NULL" at the place `function`, and
 * returns NNC_BAD_USAGE. Public functions call it for each pointer that must not be NULL. */
nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err);

/* If an argument of a public function is NULL, returns NNC_BAD_USAGE from this function. The function must return an
 * nnc_status and have a parameter err. */
#define NNC_NEED(pointer) NNC_TRY(nnc_need(__func__, #pointer, (pointer) != NULL, err))

/* Returns the name with the smallest edit distance to `text`. Returns NULL if the smallest distance is more than a
 * third of the length of the longer text, or if `text` has more than 64 characters. */
const char *nnc_nearest(const char *text, const char *const *names, size_t count);

/* ---- names of enumerators ---- */

#define NNC_ENUM_FIRST(text, ...) text
#define NNC_ENUM_TEXT(name, ...) \
    case name: return NNC_ENUM_FIRST(__VA_ARGS__, "");

/* Defines const char *TYPE_name(TYPE value), which returns the text of a value in the list; "?" for other values. A
 * switch is used instead of an array of strings, because the loader would have to write the pointers of the array at
 * each start of the program. */
#define NNC_ENUM_NAMES(type, list)                                             \
    const char *type##_name(type value) {                                      \
        switch ((unsigned)value) { list(NNC_ENUM_TEXT) default : return "?"; } \
    }

#define NNC_ENUM_SECOND(text, help, ...) help
#define NNC_ENUM_HELP(name, ...) \
    case name: return NNC_ENUM_SECOND(__VA_ARGS__, "", "");

/* Defines TYPE_name as NNC_ENUM_NAMES does, and const char *TYPE_help(TYPE value), which returns the help of a value in
 * the list. */
#define NNC_ENUM_TEXTS(type, list)                                             \
    NNC_ENUM_NAMES(type, list)                                                 \
    const char *type##_help(type value) {                                      \
        switch ((unsigned)value) { list(NNC_ENUM_HELP) default : return "?"; } \
    }

/* A row is a struct with further data about one value of an enumeration; it is defined with the name NNC_ROW(VALUE). {
 * LIST(NNC_ROW_AT) } makes a table of pointers to all rows; the table does not compile if a value has no row. */
#define NNC_ROW(value) nnc_row_of_##value
#define NNC_ROW_AT(name, ...) [name] = &NNC_ROW(name),

/* Fails to compile if the table `rows` has no entry for the last value of its enumeration. tests/unit/test_rows.c finds
 * other missing entries. */
#define NNC_ROW_EACH(rows, values) _Static_assert(sizeof(rows) / sizeof(rows)[0] == (values), "a value has no row")

/* The number of values of an enumeration, and a function that returns the name of each value. */
typedef struct nnc_names {
    const char *(*of)(unsigned value); /* returns the name of a value; NULL = the enumeration has no names */
    int count;
} nnc_names;

/* Return the value of an enumeration whose name is `text`; -1 = no value has this name. nnc_names_find_nocase accepts
 * upper and lower case, for text that people type. */
int nnc_names_find(nnc_names names, const char *text);
int nnc_names_find_nocase(nnc_names names, const char *text);

/* ---- structs that begin with their size ----
 * The first member is the size that the struct had when the caller was compiled: a caller built for an older version of
 * this library has a shorter struct, one built for a newer version a longer struct. New members are only added at the
 * end. */

/* Copies `given` over the start of `full`, which holds the defaults. If `given` is longer than `full`, the members that
 * this library does not know must be zero. what: name of the struct, "nnc_plan". NNC_BAD_USAGE: the size is not set, or
 * an unknown member is not zero. */
nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what, nnc_error *err);

/* Copies `full` into `given`, as far as it fits; if `given` is longer, sets its further bytes to zero. Leaves the first
 * member of `given`, its size, unchanged. */
void nnc_sized_write(void *given, const void *full, size_t full_size);

/* Checks the first member of the struct `given`, its size. full_size: size of the struct in this library. what: name of
 * the struct, "nnc_plan". NNC_BAD_USAGE: the size is not set, or far too large. */
nnc_status nnc_sized_check(const void *given, size_t full_size, const char *what, nnc_error *err);

/* ---- numbers ---- */

/* Writes a * b or a + b into *out. Returns false on overflow; *out is then unchanged. */
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

/* Return the larger (nnc_max) or the smaller (nnc_min) of two numbers; NaN if one of them is NaN, unlike fmax and
 * fmin. */
static inline double nnc_max(double a, double b) { return isnan(a) || a > b ? a : b; }
static inline double nnc_min(double a, double b) { return isnan(a) || a < b ? a : b; }
static inline double nnc_pow4(double x) { return x * x * x * x; }

/* Tests whether a text contains another text, without regard to upper and lower case. */
bool nnc_contains_nocase(const char *text, const char *part);

/* Tests whether a text begins with another text. */
static inline bool nnc_begins(const char *text, const char *begin) { return strncmp(text, begin, strlen(begin)) == 0; }

/* Tests whether a text ends with another text. */
static inline bool nnc_ends_in(const char *text, const char *end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Computes ceil(x) without a library call. x must be above 0 and far below 2^63. */
static inline double nnc_ceil(double x) {
    const double whole = (double)(int64_t)x;
    return whole < x ? whole + 1.0 : whole;
}

/* Computes ceil(a / b) for a >= 0, b > 0. */
static inline int64_t nnc_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* Returns the length of the number at the start of text, by the grammar of JSON ("-0.5e9"; not "01", "1.", "+1", ".5",
 * "inf"); 0 = no number. */
size_t nnc_number_span(const char *text, size_t size);

/* Reads a whole text as a finite decimal number ("80e9", "-5", "0.5"). Returns false for any other text, such as hex,
 * inf, nan, or blanks. Does not depend on the locale. */
bool nnc_read_double(const char *text, double *out);
/* Sorts numbers, the least first. */
void nnc_sort_numbers(double *values, size_t count);
/* Sorts `values` in place and returns their median, for an even count the mean of the middle two. count >= 1. */
double nnc_median(double *values, size_t count);
/* Reads a text as a whole number. Accepts "1e3"; returns false for "1.5" and for numbers above 2^53. */
bool nnc_read_i64(const char *text, int64_t *out);

/* Reads a number with an optional unit, such as "2GiB". Returns false for other texts. unit: the SI unit of *out; it
 * decides which suffixes are accepted:
 *     "s"              ns, us, ms, s, min, h, d, w
 *     "B", "B/s", ...  prefixes k M G T P E by 1000, for bytes also Ki Mi Gi Ti by 1024; the unit may be left out
 *                      ("2GiB", "3.35TB/s", "3.35T")
 *     NULL, "tokens"   k, M, B (or G), T for 10^3, 10^6, 10^9, 10^12. If `whole` is set and the unit is "tokens", k and
 *                      M mean 1024 and 1024^2 */
bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out);

/* Reads a quantity whose unit is not known in advance. Accepts plain numbers, times ("860ms"), and bytes, B/s and
 * FLOP/s with a prefix ("80GB", "400TFLOP/s"). Returns false for a suffix with two possible meanings: "8k", "10B",
 * "5m". */
bool nnc_read_typed(const char *text, double *out);

/* nnc_read_money reads an amount with an optional prefix, currency ("USD", "$", "EUR" ...) and "/h": "2.5 USD/h",
 * "200k". `currency` receives the three upper-case letters of the currency and a NUL (NNC_CURRENCY_TEXT bytes); "" =
 * the text names no currency. Returns false if the text is no amount of money. */
enum { NNC_CURRENCY_TEXT = 4 };
bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT]);

/* Write a number as the shortest decimal text with at most 12 digits; the decimal point is always '.', NaN and
 * infinities become "null". nnc_number_text returns the text, nnc_number_write its length. NNC_NUMBER_TEXT: bytes that
 * the text may need. */
enum { NNC_NUMBER_TEXT = 32 };
char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT]);
size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT]);
/* Writes the same text as nnc_number_write, and sets *read to the number that nnc_read_double would read from this text
 * (0 for "null"). */
size_t nnc_number_write_read(double value, char text[NNC_NUMBER_TEXT], double *read);
/* Writes a whole number as decimal text. Returns the length of the text. */
size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT]);

/* Correct a number that printf wrote. nnc_fix_point replaces the decimal point of the caller's locale (one or more
 * bytes) by '.'; nnc_shorten_exponent makes "1e15" of "1e+15" and "1e-5" of "1e-05". */
void nnc_fix_point(char *text);
void nnc_shorten_exponent(char *text);

/* Writes a value with an SI prefix and four significant digits: 0.0123 "s" -> "12.30 ms", 8.59e10 "B" -> "85.90 GB",
 * 3.12e14 "FLOP/s" -> "312.0 TFLOP/s"; NaN -> "-". Bytes and FLOPs have no prefix below 1. From 7200 seconds the unit
 * is hours, days or years. Returns text. */
char *nnc_unit_text(double value, const char *unit, char text[NNC_NUMBER_TEXT]);

/* ---- arena: memory that is freed all at once ---- */

typedef struct nnc_arena nnc_arena;

nnc_arena *nnc_arena_create(void); /* Returns NULL when out of memory. */
void nnc_arena_destroy(nnc_arena *arena);
/* Returns zeroed memory, aligned for any type; NULL when out of memory. */
void *nnc_arena_alloc(nnc_arena *arena, size_t size);
/* Returns a zeroed array of count elements of `size` bytes; NULL when out of memory or when the product overflows. */
void *nnc_arena_array(nnc_arena *arena, size_t count, size_t size);
/* Returns a list with space for more than `count` entries: the same list if count < *capacity, else a copy with twice
 * the capacity. Returns NULL when out of memory; the old list then stays valid. */
void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size);
/* Makes the arena own a block of memory from malloc(), which is then freed together with the arena. Returns false when
 * out of memory; the block has then been freed. */
bool nnc_arena_own(nnc_arena *arena, void *allocated);
char *nnc_arena_strdup(nnc_arena *arena, const char *text);

/* ---- buffer: an array of bytes that grows ----
 * All output is written into buffers. A cleared buffer keeps its memory, so a buffer that is used again soon allocates
 * no more. When memory runs out, `failed` is set and stays set; writing functions do not report it, so whoever uses the
 * bytes checks it. */

typedef struct nnc_buffer { /* a new buffer is initialised with { 0 } */
    char *bytes;
    size_t size, capacity;
    bool failed; /* true: memory ran out, and some bytes are missing */
} nnc_buffer;

void nnc_buffer_put(nnc_buffer *buffer, const void *bytes, size_t size);
void nnc_buffer_text(nnc_buffer *buffer, const char *text);
void nnc_buffer_byte(nnc_buffer *buffer, char byte);
void nnc_buffer_number(nnc_buffer *buffer, double value); /* appends the text of nnc_number_text */
void nnc_buffer_whole(nnc_buffer *buffer, int64_t value);
void nnc_buffer_blanks(nnc_buffer *buffer, int count); /* appends blanks; no effect if count < 1 */
void nnc_buffer_print(nnc_buffer *buffer, const char *format, ...) NNC_PRINTF(2, 3);
void nnc_buffer_clear(nnc_buffer *buffer); /* makes the buffer empty, but keeps its memory */
void nnc_buffer_free(nnc_buffer *buffer);

/* Appends the separator (unless `text` is empty) and then the formatted text to `text`. `size` is the size of the array
 * `text` in bytes; characters that do not fit are cut off. */
void nnc_text_append(char *text, size_t size, const char *separator, const char *format, ...) NNC_PRINTF(4, 5);

/* Writes the short name of names[index] to `name`: the shortest end of the dotted name that is no end of another
 * name (case is ignored), with '_' in place of '.'. "step.step_s" becomes step_s, "step.interval_s.0" becomes
 * interval_s_0. */
void nnc_short_name(const char *const *names, int count, int index, char *name, size_t size);

/* ---- text: UTF-8, control characters, JSON, shell words ---- */

/* Returns the number of bytes of the valid UTF-8 character at the start of text; 0 = not valid. */
size_t nnc_utf8_length(const char *text, size_t size);

/* Returns the number of bytes of the control character at the start of a NUL-terminated text; 0 = no control character.
 * Counted as control characters are C0 (NUL included), C1, invisible characters, characters that change the direction
 * of text or end a line, and the texts "##[" and "##vso[", which CI runners execute. No control character may be
 * printed to a terminal or a page. */
size_t nnc_control_length(const char *text);

/* Returns the number of printable ASCII characters, other than '"', '\\' and '#', at the start of `text`, but not more
 * than `most`. Every output format writes these characters unchanged. */
size_t nnc_plain_length(const char *text, size_t most);

/* Writes a text as a JSON string, in quotes. Control characters are escaped; bytes that are not UTF-8 become \ufffd. */
void nnc_put_json_text(nnc_buffer *out, const char *text);

/* Writes a text as one word of a shell command: without quotes if it has only letters, digits and safe punctuation,
 * else in single quotes. */
void nnc_shell_word(nnc_buffer *out, const char *text);

/* Splits a line in place into words at blanks outside quotes, as a shell does. A backslash makes the next character
 * part of the word. Returns the number of words; -1 if there are more than `most`. */
int nnc_shell_split(char *line, char **words, int most);

/* nnc_cells_pack appends a row of cells to a buffer as bytes; nnc_cells_unpack reads them again. The texts of unpacked
 * cells point into these bytes. */
void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count);
void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count);

/* ---- digests: hashes that show whether data changed ----
 * FNV-1a with 64 bits. A digest detects accidental changes, but no forgery. Source: Fowler, Noll, Vo,
 * draft-eastlake-fnv. */

#define NNC_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Add data to a digest and return the new digest. nnc_digest_text includes the NUL, so that "a", "bc" and "ab", "c"
 * give different digests. The digest of a number does not depend on the byte order of the machine. */
uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size);
uint64_t nnc_digest_text(uint64_t digest, const char *text);
uint64_t nnc_digest_number(uint64_t digest, uint64_t number);
/* Tests whether this function got the digest before, and stores the digest in the hash table `seen`. `seen` has `slots`
 * numbers, all 0 at first; `slots` must be at least twice the number of digests. Digests that differ only in their
 * lowest bit count as equal. */
bool nnc_digest_repeats(uint64_t *seen, size_t slots, uint64_t digest);

/* NNC_DIGEST_TEXT: bytes of a digest as text. nnc_digest_print writes sixteen hexadecimal digits and returns text. */
enum { NNC_DIGEST_TEXT = 17 };
char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT]);

/* Computes the CRC-32 of zlib and PNG, for hashes that other programs must be able to compute. crc: 0 for the first
 * bytes, then the result of the previous call. */
uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size);

/* ---- atomic files: a file appears complete or not at all ----
 * The new content is written to a temporary file in the folder of the target, which then replaces the target. */

typedef struct nnc_atomic_file {
    char *target;    /* file to replace; for a symbolic link, the file that the link names; NULL = not open */
    char *temporary; /* path of the temporary file; NULL = the file has no name yet */
    int descriptor;  /* descriptor of the temporary file */
} nnc_atomic_file;

/* Creates an empty temporary file with the permissions that the file at `path` has, or that a new file would get. If
 * the system supports it, the temporary file has no name, so no file remains when the process is killed. After success
 * the caller calls nnc_atomic_file_keep or nnc_atomic_file_drop. Returns false on failure: no file remains, and errno
 * has the cause. */
bool nnc_atomic_file_open(nnc_atomic_file *file, const char *path);

/* Does the same as nnc_atomic_file_open, but the temporary file has a name (.nncost- and six letters), for libraries
 * that open files by name. */
bool nnc_atomic_file_open_named(nnc_atomic_file *file, const char *path);

/* Closes the temporary file and replaces the target by it. If `durable` is set, waits first until the bytes are on
 * disk. Returns false on failure: the target is unchanged, and errno has the cause. */
bool nnc_atomic_file_keep(nnc_atomic_file *file, bool durable);

/* Removes the temporary file; the target is unchanged. No effect on a file that is not open. */
void nnc_atomic_file_drop(nnc_atomic_file *file);

/* Replaces the content of a file by a text, and returns when the text is on disk. Returns false on failure: the file is
 * unchanged, and errno has the cause. */
bool nnc_atomic_file_write(const char *path, const char *text, size_t size);

/* Opens a file to read. If the environment variable NNCOST_ROOTS is set, it lists folders (real paths, joined by ':',
 * on Windows ';'): then only regular files and folders inside them are opened, and other files fail with EACCES.
 * Returns the descriptor, or -1 with the cause in errno. */
#define NNC_ROOTS_VARIABLE "NNCOST_ROOTS"
int nnc_open_to_read(const char *path);

/* Writes `size` bytes to a file descriptor. Returns the number of bytes written; if it is smaller than `size`, errno
 * has the cause. */
size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size);

/* Writes the path of the running program to `path`, with '/' between folders. Returns false if the path is not
 * known. */
bool nnc_program_path(char *path, size_t size);

/* Prepares the process. A file that reaches the size limit of the process makes write() fail instead of ending the
 * process by a signal. On Windows, standard input and output transfer bytes unchanged, and '\\' in arguments becomes
 * '/', which all other code expects. */
void nnc_system_prepare(int argc, char **argv);

/* ---- threads ---- */

/* Returns the number of processors of the system; 1 if the number is unknown. */
int32_t nnc_threads_available(void);

enum { NNC_THREADS_MAX = 256 };

/* Calls `work` once for each of `count` contexts (an array of structs of `size` bytes). The first call runs in the
 * calling thread, each other call in a thread of its own (at most NNC_THREADS_MAX). If a thread cannot be started, no
 * call is made for its context; so the contexts must share one queue of work, which the calls that run can finish
 * alone. */
void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count);

/* ---- system libraries that are loaded when first needed (dlopen.c) ---- */

/* Loads a shared library, finds its functions with the given names, and writes their addresses in the same order into
 * the struct of function pointers `functions`. The library stays loaded. package: the Debian package that the error
 * message names. NNC_IO: the library or a function is missing. NNC_NO_MEMORY: memory ran out. */
nnc_status nnc_dlopen_functions(const char *library, const char *package, const char *const *names, size_t count,
                                void *functions, nnc_error *err);

/* ---- expressions (derivation.c) ----
 * Reads expressions: "tensor * pipeline <= 64 && micro_batch > 1" for --where, "2 * heads + 1" in graph files.
 *
 *     ||   &&   == != < <= > >=   + -   * / %   ! -   ( )   numbers   names   'text'
 *
 * Operators with the lowest precedence stand on the left of this line. Operators of equal precedence are applied from
 * left to right. The parser passes operands and operators to the callbacks in postfix order: an operator follows its
 * operands. */

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
    NNC_OPERATOR_COUNT, /* number of operators with two operands; the operators from here on have one operand */
    NNC_OPERATOR_NOT = NNC_OPERATOR_COUNT,
    NNC_OPERATOR_NEGATE
} nnc_operator;

/* Sets of operators that an expression may contain, one bit for each operator. */
enum {
    NNC_OPERATORS_ARITHMETIC =
        1 << NNC_OPERATOR_ADD | 1 << NNC_OPERATOR_SUBTRACT | 1 << NNC_OPERATOR_MULTIPLY | 1 << NNC_OPERATOR_DIVIDE,
    NNC_OPERATORS_ALL = (1 << (NNC_OPERATOR_NEGATE + 1)) - 1
};

/* The operators that an expression may contain, and the callbacks of the parser. A callback that returns false or 0 has
 * reported an error, and the parser stops. */
typedef struct nnc_expression_reader {
    unsigned operators;
    int nesting_max;        /* deepest nesting of brackets and signs that is accepted */
    const char *name_marks; /* characters other than letters and digits that a name may contain */
    size_t (*number)(void *context, const char *at); /* reads the number at `at`; returns the number of characters
                                                      * read */
    bool (*name)(void *context, const char *name, size_t length);
    /* receives a text without its quotes; NULL = texts are not allowed */
    bool (*text)(void *context, const char *text, size_t length);
    bool (*operate)(void *context, nnc_operator of);
    void (*refuse)(void *context, const char *expected, const char *at);
} nnc_expression_reader;

/* Reads a whole text as an expression. Returns false if the text is no expression of this grammar, or if a callback
 * reported an error. */
bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context);

#endif
