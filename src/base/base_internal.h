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

/* ---- systems ----
 * Linux has all that the program uses. macOS has no /proc. A browser page (WASI) and Windows have no processes, signals
 * or symbolic links as POSIX has them. Windows opens files as text and hands them to child processes unless it is told
 * otherwise. */

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

/* Writes status, where and the formatted message into err (which may be NULL); returns status. Control characters
 * are replaced by '?', so that a message stays on one line. */
nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...) NNC_PRINTF(4, 5);
nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format, va_list args)
    NNC_PRINTF(4, 0);

/* Fills err with "nncost: out of memory" and returns NNC_NO_MEMORY. */
nnc_status nnc_no_memory(nnc_error *err);

/* Adds a prefix to the place of an error, err->where: "outer: where". */
void nnc_error_within(nnc_error *err, const char *outer);

/* Returns the status of a call from the enclosing function when the call fails. For functions without a cleanup. */
#define NNC_TRY(call)                                            \
    do {                                                         \
        const nnc_status nnc_try_status = (call);                \
        if (nnc_try_status != NNC_OK) { return nnc_try_status; } \
    } while (0)

/* Returns NNC_NO_MEMORY from the enclosing function when an allocation failed. For functions without a cleanup. */
#define NNC_GOT(pointer, err)                                 \
    do {                                                      \
        if ((pointer) == NULL) { return nnc_no_memory(err); } \
    } while (0)

/* Reports an error when a public function gets NULL for a pointer that it needs: "nnc_estimate: no model ...". */
nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err);

/* Returns NNC_BAD_USAGE from the enclosing function when a pointer is NULL. For functions that return a status. */
#define NNC_NEED(pointer) NNC_TRY(nnc_need(__func__, #pointer, (pointer) != NULL, err))

/* Returns the name with the smallest edit distance to `text`. Returns NULL if each distance is more than a third of the
 * letters of the longer text, or if `text` is too long to compare. */
const char *nnc_nearest(const char *text, const char *const *names, size_t count);

/* ---- names of enumerators ---- */

#define NNC_ENUM_FIRST(text, ...) text
#define NNC_ENUM_TEXT(name, ...) \
    case name: return NNC_ENUM_FIRST(__VA_ARGS__, "");

/* Defines const char *TYPE_name(TYPE value), which returns the text of a value in the list; "?" for other values. An
 * array of texts would have pointers, which the loader writes at each start. */
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

/* A row holds further data about one value of an enumeration. It is defined as NNC_ROW(VALUE). { LIST(NNC_ROW_AT) } is
 * a table of pointers to the rows; it does not compile when a value has no row. */
#define NNC_ROW(value) nnc_row_of_##value
#define NNC_ROW_AT(name, ...) [name] = &NNC_ROW(name),

/* Does not compile when a table lacks the last value of its enumeration. tests/unit/test_rows.c finds other gaps. */
#define NNC_ROW_EACH(rows, values) _Static_assert(sizeof(rows) / sizeof(rows)[0] == (values), "a value has no row")

/* The names of an enumeration: the number of values, and a function that returns the name of each. */
typedef struct nnc_names {
    const char *(*of)(unsigned value); /* returns the name of a value; NULL = the enumeration has no names */
    int count;
} nnc_names;

/* Return the value of an enumeration whose name is `text`; -1 = no such value. nnc_names_find_nocase ignores case, for
 * text that people type. */
int nnc_names_find(nnc_names names, const char *text);
int nnc_names_find_nocase(nnc_names names, const char *text);

/* ---- structs that begin with their size ----
 * The first member is the size of the struct as the caller compiled it: an older program has a shorter struct than
 * this library, a newer program a longer one. Members are only ever appended. */

/* Copies `given` over the start of `full`, which holds the defaults. If `given` is longer than `full`, the members that
 * this library does not know must be zero. what: name of the struct, "nnc_plan". NNC_BAD_USAGE: the size is not set, or
 * an unknown member is not zero. */
nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what, nnc_error *err);

/* Copies as much of `full` into `given` as fits, and sets further bytes of `given` to zero. The size that is stored in
 * `given` does not change. */
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

/* Return the larger and the smaller of two numbers; NaN if either is NaN, unlike fmax and fmin. */
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

/* Computes ceil(x) without a library call, for x > 0 and far below 2^63. */
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
/* Reads a whole text as a whole number: accepts "1e3"; returns false for "1.5". */
bool nnc_read_i64(const char *text, int64_t *out);

/* Reads a number with an optional unit. unit: the SI unit of the value, which decides the suffixes:
 *     "s"              ns, us, ms, s, min, h, d, w
 *     "B", "B/s", ...  prefixes k M G T P by 1000, for bytes also Ki Mi Gi Ti by 1024; the unit itself is optional
 *                      ("2GiB", "3.35TB/s", "3.35T")
 *     NULL, "tokens"   k, M, B (or G), T for 10^3, 10^6, 10^9, 10^12. If `whole` is set and the unit is tokens, k and M
 *                      mean 1024 and 1024^2
 * Returns false if the text is not such a number. */
bool nnc_read_quantity(const char *text, const char *unit, bool whole, double *out);

/* Reads a quantity whose unit is not known in advance. The unit must follow the number and must have only one meaning:
 * times, and bytes, B/s and FLOP/s with a prefix ("860ms", "80GB", "400TFLOP/s"). Accepts plain numbers; refuses "8k",
 * "10B", "5m". Returns false if it refuses the text. */
bool nnc_read_typed(const char *text, double *out);

/* NNC_CURRENCY_TEXT: bytes of a currency. nnc_read_money reads an amount with or without currency ("USD", "$", "EUR"
 * ...) and "/h": "2.5 USD/h", "200k". currency: upper case; "" = not given. Returns false if the text is no amount of
 * money. */
enum { NNC_CURRENCY_TEXT = 4 };
bool nnc_read_money(const char *text, double *out, char currency[NNC_CURRENCY_TEXT]);

/* NNC_NUMBER_TEXT: bytes of a number as text. nnc_number_text writes the shortest decimal text with at most 12 digits
 * and returns it, nnc_number_write returns its length. The decimal point is always '.'; NaN and infinities become
 * "null". */
enum { NNC_NUMBER_TEXT = 32 };
char *nnc_number_text(double value, char text[NNC_NUMBER_TEXT]);
size_t nnc_number_write(double value, char text[NNC_NUMBER_TEXT]);
/* Works as nnc_number_write, and sets *read to the number that nnc_read_double reads from the text; 0 for "null". */
size_t nnc_number_write_read(double value, char text[NNC_NUMBER_TEXT], double *read);
/* Writes a whole number as decimal text. Returns the length. */
size_t nnc_whole_write(int64_t value, char text[NNC_NUMBER_TEXT]);

/* Corrects text from printf: replaces the decimal point of the caller's locale, of any length, by '.', and makes "1e15"
 * of "1e+15" and "1e-5" of "1e-05". */
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
/* Returns a list with space for more than count entries: the list itself if it has the space, else a copy twice as
 * large. NULL when out of memory; the old list then stays valid. */
void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size);
/* Makes the arena own a block from malloc: the block is freed together with the arena. Returns false when out of
 * memory; the block is then freed at once. */
bool nnc_arena_own(nnc_arena *arena, void *allocated);
char *nnc_arena_strdup(nnc_arena *arena, const char *text);

/* ---- buffer: bytes that grow ----
 * All output goes through buffers. A cleared buffer keeps its memory, so a buffer that is used again stops allocating.
 * `failed` stays set once it is set: functions that write ignore it, and the reader of the bytes checks it. */

typedef struct nnc_buffer { /* starts as { 0 } */
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
void nnc_buffer_clear(nnc_buffer *buffer); /* keeps the memory */
void nnc_buffer_free(nnc_buffer *buffer);

/* Appends the separator (unless the text is empty) and then the formatted text. `size` is the space of the text with
 * its NUL; what does not fit is cut off. */
void nnc_text_append(char *text, size_t size, const char *separator, const char *format, ...) NNC_PRINTF(4, 5);

/* Writes the short name of names[index] to `name`: the fewest last parts of the dotted name that no other name ends in
 * (case is ignored), joined by '_'. "step.step_s" becomes step_s, "step.interval_s.0" becomes interval_s_0. */
void nnc_short_name(const char *const *names, int count, int index, char *name, size_t size);

/* ---- text ---- */

/* Returns the number of bytes of the valid UTF-8 character at the start of text; 0 = not valid. */
size_t nnc_utf8_length(const char *text, size_t size);

/* Returns the number of bytes of the control character at the start of a NUL-terminated text; 0 = no control character.
 * These are C0 (NUL included), C1, characters that change the direction of text or end a line, and "##[" and "##vso[",
 * which CI runners execute. Terminals and pages must not get one. */
size_t nnc_control_length(const char *text);

/* Returns the number of printable ASCII characters, other than quotes, backslashes and '#', at the start of text; at
 * most `most`. Every output format writes these characters unchanged, and most output consists of them. */
size_t nnc_plain_length(const char *text, size_t most);

/* Writes a text as a JSON string, in quotes. Control characters are escaped; bytes that are not UTF-8 become \ufffd. */
void nnc_put_json_text(nnc_buffer *out, const char *text);

/* Writes a text as a word for a shell: without quotes if that is safe, else in single quotes. */
void nnc_shell_word(nnc_buffer *out, const char *text);

/* Splits a line in place at spaces outside quotes. A backslash quotes the next character. Returns the number of words;
 * -1 if there are more than `most`. */
int nnc_shell_split(char *line, char **words, int most);

/* Pack a row of cells into bytes, and unpack it. The texts of unpacked cells point into the bytes. */
void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count);
void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count);

/* ---- digests: did something change? ----
 * FNV-1a with 64 bits. It detects accidental changes, not forgeries. Source: Fowler, Noll, Vo, draft-eastlake-fnv. */

#define NNC_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* Add data to a digest and return the result: bytes; a text with its NUL, so that two texts in a row stay distinct; a
 * number, independent of byte order. */
uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size);
uint64_t nnc_digest_text(uint64_t digest, const char *text);
uint64_t nnc_digest_number(uint64_t digest, uint64_t number);
/* Tests whether a digest was given before, and remembers it. seen: `slots` numbers, at first all 0. slots: at least
 * twice the number of digests. Digests that differ only in their last bit count as equal. */
bool nnc_digest_repeats(uint64_t *seen, size_t slots, uint64_t digest);

/* NNC_DIGEST_TEXT: bytes of a digest as text. nnc_digest_print writes sixteen hexadecimal digits and returns text. */
enum { NNC_DIGEST_TEXT = 17 };
char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT]);

/* Computes CRC-32 as in zlib and PNG, for hashes that other programs must be able to compute. Start with 0. */
uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size);

/* ---- atomic files: a file appears complete or not at all ----
 * The new content is written to a temporary file in the folder of the target, which then replaces the target. */

typedef struct nnc_atomic_file {
    char *target;    /* file to replace; for a symbolic link, the file that the link names; NULL = not open */
    char *temporary; /* path of the temporary file; NULL = it has no name yet */
    int descriptor;  /* descriptor of the temporary file */
} nnc_atomic_file;

/* Creates an empty temporary file with the permissions of the file at `path`, or of a new file. If the system supports
 * it, the temporary file has no name, so that no file remains when the process is killed. After success call
 * nnc_atomic_file_keep or nnc_atomic_file_drop. Returns false on failure: no file remains, and errno has the cause. */
bool nnc_atomic_file_open(nnc_atomic_file *file, const char *path);

/* Creates a temporary file with a name (.nncost- and six letters), for libraries that open files by name. Fails like
 * nnc_atomic_file_open. */
bool nnc_atomic_file_open_named(nnc_atomic_file *file, const char *path);

/* Closes the temporary file and replaces the target by it. durable: first waits until the bytes are on disk. Returns
 * false on failure: the target is unchanged, and errno has the cause. */
bool nnc_atomic_file_keep(nnc_atomic_file *file, bool durable);

/* Removes the temporary file; the target is unchanged. No effect on a file that is not open. */
void nnc_atomic_file_drop(nnc_atomic_file *file);

/* Replaces the content of a file by a text, and returns when the text is on disk. Returns false on failure: the file is
 * unchanged, and errno has the cause. */
bool nnc_atomic_file_write(const char *path, const char *text, size_t size);

/* NNC_ROOTS_VARIABLE: environment variable that may list folders (real paths, joined by ':'). nnc_open_to_read opens a
 * file to read; with the variable only regular files and folders inside these folders; other files fail with EACCES.
 * Returns -1 on failure; errno then has the cause. */
#define NNC_ROOTS_VARIABLE "NNCOST_ROOTS"
int nnc_open_to_read(const char *path);

/* Writes size bytes to a descriptor. Returns the number written: fewer only on an error, and errno has the cause. */
size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size);

/* Writes the path of the running program, with '/' between its parts. Returns false when it is not known. */
bool nnc_program_path(char *path, size_t size);

/* Prepares the process: a full disk quota becomes an error of write() instead of a signal, and input and output are
 * bytes, not text. On Windows also replaces '\\' in the words of the command line by '/', which all other code
 * expects. */
void nnc_system_prepare(int argc, char **argv);

/* ---- threads ---- */

/* Returns the number of processors that the system has; 1 = unknown. */
int32_t nnc_threads_available(void);

enum { NNC_THREADS_MAX = 256 };

/* Calls `work` once for each of `count` contexts (an array of structs of `size` bytes). The first call runs in the
 * calling thread, every other call in its own thread (at most NNC_THREADS_MAX). If a thread cannot be started, its
 * context is skipped. So all contexts must share one queue of work, which a single context can finish. */
void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count);

/* ---- system libraries that are loaded when first needed ---- */

/* Loads a library, finds the functions with the given names, and writes them in the same order into a struct of
 * function pointers. The library stays loaded. Commands that do not need the library start faster, because it is loaded
 * late. package: the Debian package that the error message names. NNC_IO: the library or a function is missing. */
nnc_status nnc_dlopen_functions(const char *library, const char *package, const char *const *names, size_t count,
                                void *functions, nnc_error *err);

/* ---- expressions (derivation.c) ----
 * Reads expressions: "tensor * pipeline <= 64 && micro_batch > 1" for --where, "2 * heads + 1" in graph files.
 *
 *     ||   &&   == != < <= > >=   + -   * / %   ! -   ( )   numbers   names   'text'
 *
 * The operators on the left are applied last, as in C. Operators of the same level group from the left. The reader
 * passes operands and operators to the callbacks in postfix order: an operator follows its operands. */

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
    NNC_OPERATOR_COUNT, /* number of operators with two operands */
    NNC_OPERATOR_NOT = NNC_OPERATOR_COUNT,
    NNC_OPERATOR_NEGATE
} nnc_operator;

/* Sets of the operators that a grammar of expressions allows, one bit each. */
enum {
    NNC_OPERATORS_ARITHMETIC =
        1 << NNC_OPERATOR_ADD | 1 << NNC_OPERATOR_SUBTRACT | 1 << NNC_OPERATOR_MULTIPLY | 1 << NNC_OPERATOR_DIVIDE,
    NNC_OPERATORS_ALL = (1 << (NNC_OPERATOR_NEGATE + 1)) - 1
};

/* A grammar and its callbacks. A callback that returns false or 0 has reported an error, and reading ends. */
typedef struct nnc_expression_reader {
    unsigned operators;
    int nesting_max;        /* deepest nesting of brackets and signs */
    const char *name_marks; /* further characters of names after the first letter, besides letters and digits */
    size_t (*number)(void *context, const char *at); /* returns the number of characters read */
    bool (*name)(void *context, const char *name, size_t length);
    bool (*text)(void *context, const char *text,
                 size_t length); /* receives a text without its quotes; NULL = the grammar has no texts */
    bool (*operate)(void *context, nnc_operator of);
    void (*refuse)(void *context, const char *expected, const char *at);
} nnc_expression_reader;

/* Reads a whole text. Returns false when it is no expression of the grammar, or a callback reported an error. */
bool nnc_expression_read(const nnc_expression_reader *reader, const char *text, void *context);

#endif
