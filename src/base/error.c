/* Errors: texts of status codes, filling an nnc_error, finding the name most similar to a misspelt one, names of
 * enumerators, and structs that begin with their size. */
#include <ctype.h>
#include <strings.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"

/* Replaces each control character and each byte of invalid UTF-8 in the text of an error by '?'. */
static void sanitise(char *text) {
    const size_t size = strlen(text);
    for (size_t i = 0; i < size;) {
        const size_t length = nnc_utf8_length(text + i, size - i);
        const size_t bad = length == 0 ? 1 : nnc_control_length(text + i);
        memset(text + i, '?', bad);
        i += bad > 0 ? bad : length;
    }
}

nnc_status nnc_vfail(nnc_error *err, nnc_status status, const char *where, const char *format, va_list args) {
    if (err != NULL) {
        /* the message is first written to a separate array, because the arguments of the format may point into
         * err->what */
        char what[sizeof(err->what)];
        vsnprintf(what, sizeof(what), format, args);
        err->status = status;
        snprintf(err->where, sizeof(err->where), "%s", where);
        memcpy(err->what, what, sizeof(what));
        sanitise(err->where);
        sanitise(err->what);
    }
    return status;
}

nnc_status nnc_fail(nnc_error *err, nnc_status status, const char *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    nnc_vfail(err, status, where, format, args);
    va_end(args);
    return status;
}

void nnc_error_within(nnc_error *err, const char *outer) {
    if (err != NULL) {
        char where[sizeof err->where];
        snprintf(where, sizeof where, "%.*s: ", (int)(sizeof where / 2), outer);
        nnc_text_append(where, sizeof where, "", "%s", err->where);
        memcpy(err->where, where, sizeof where);
        sanitise(err->where);
    }
}

enum { NAME_MAX_LENGTH = 64 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the edit distance of two texts: the smallest number of edits (a letter inserted, deleted, replaced, or
 * swapped with a neighbour) that turn one text into the other (optimal string alignment). */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NAME_MAX_LENGTH + 1]; /* the last three rows of the matrix of edit distances, used in turn */
    for (size_t j = 0; j <= b_length; j++) { rows[0][j] = j; }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

bool nnc_contains_nocase(const char *text, const char *part) {
    const size_t length = strlen(part);
    for (; *text != '\0' && strncasecmp(text, part, length) != 0; text++) {}
    return *text != '\0' || length == 0;
}

void nnc_letters_of(const char *text, char *letters, size_t size) {
    size_t length = 0;
    for (; *text != '\0' && length + 1 < size; text++) {
        if (isalnum((unsigned char)*text)) { letters[length++] = (char)tolower((unsigned char)*text); }
    }
    letters[length] = '\0';
}

/* Returns the number of letters that two texts have in common, in any order. counts: how often each letter occurs in
 * the first text. */
static size_t common_letters(const unsigned char counts[256], const char *text) {
    unsigned char left[256];
    size_t common = 0;
    memcpy(left, counts, sizeof left);
    for (; *text != '\0'; text++) {
        unsigned char *of = &left[(unsigned char)*text];
        if (*of > 0) {
            (*of)--;
            common++;
        }
    }
    return common;
}

bool nnc_is_one_of(const char *name, const char *const *names) {
    for (; names != NULL && *names != NULL; names++) {
        if ((*names)[0] == name[0] && strcmp(*names, name) == 0) { return true; }
    }
    return false;
}

bool nnc_begins_alike(const char *a, const char *b) {
    const size_t word = strcspn(a, "-");
    return word > 0 && a[word] == '-' && strncasecmp(a, b, word + 1) == 0;
}

bool nnc_nearer(const char *text, const char *name, const char *near) {
    const char *slash = strrchr(name, '/');
    return near == NULL || (nnc_begins_alike(text, slash != NULL ? slash + 1 : name) && !nnc_begins_alike(text, near));
}

const char *nnc_nearest(const char *text, const char *const *names, size_t count) {
    const size_t length = strlen(text);
    const char *best = NULL;
    /* edit distance, plus an addition for names whose first word differs from the first word of the misspelt name */
    size_t best_cost = 2 * NAME_MAX_LENGTH + 1;
    unsigned char counts[256] = { 0 };
    if (length > NAME_MAX_LENGTH) { return NULL; }
    for (size_t i = 0; i < length; i++) { counts[(unsigned char)text[i]]++; }
    for (size_t i = 0; i < count; i++) {
        const size_t name_length = strlen(names[i]);
        if (name_length > NAME_MAX_LENGTH) { continue; }
        const size_t letters = length > name_length ? length : name_length;
        /* Lower bound of an edit distance: each letter that only one of the texts has needs an edit. The lower bound
         * makes most computations of edit distances unnecessary. */
        const size_t least = letters - common_letters(counts, names[i]);
        const size_t surcharge = nnc_begins_alike(text, names[i]) ? 0 : NAME_MAX_LENGTH;
        if (least * 3 > letters || least + surcharge >= best_cost) { continue; }
        const size_t distance = edit_distance(text, length, names[i], name_length);
        if (distance * 3 <= letters && distance + surcharge < best_cost) {
            best = names[i];
            best_cost = distance + surcharge;
        }
    }
    return best;
}

nnc_status nnc_no_memory(nnc_error *err) { return nnc_fail(err, NNC_NO_MEMORY, "nncost", "out of memory"); }

nnc_status nnc_need(const char *function, const char *what, bool given, nnc_error *err) {
    if (given) { return NNC_OK; }
    return nnc_fail(err, NNC_BAD_USAGE, function, "no %s, expected a pointer to it, found NULL", what);
}

int nnc_status_exit_code(nnc_status status) {
    switch (status) {
#define EXIT_CODE(name, exit_code, text) \
    case name: return exit_code;
        NNC_STATUS_LIST(EXIT_CODE)
#undef EXIT_CODE
    case NNC_STATUS_COUNT: break;
    }
    return 4;
}

const char *nnc_status_text(nnc_status status) {
    switch (status) {
#define TEXT(name, exit_code, text) \
    case name: return text;
        NNC_STATUS_LIST(TEXT)
#undef TEXT
    case NNC_STATUS_COUNT: break;
    }
    return "?";
}

/* Largest size in bytes that a struct of a caller may have. A larger value means that the caller has not set the member
 * struct_size. */
enum { SIZE_MAX_KNOWN = 1 << 20 };

static size_t size_of(const void *given) {
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    return size;
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

nnc_status nnc_sized_check(const void *given, size_t full_size, const char *what, nnc_error *err) {
    const size_t size = size_of(given);
    if (size <= sizeof size || size > SIZE_MAX_KNOWN) {
        char where[64];
        snprintf(where, sizeof where, "%s.struct_size", what);
        return nnc_fail(err, NNC_BAD_USAGE, where, "not set, expected %zu as %s_default sets it, found %zu", full_size,
                        what, size);
    }
    return NNC_OK;
}

nnc_status nnc_sized_read(void *full, size_t full_size, const void *given, const char *what, nnc_error *err) {
    NNC_TRY(nnc_sized_check(given, full_size, what, err));
    const size_t size = size_of(given);
    for (size_t i = full_size; i < size; i++) {
        if (((const unsigned char *)given)[i] != 0) {
            return nnc_fail(err, NNC_BAD_USAGE, what,
                            "has members that this library does not know, expected a struct of %zu bytes or "
                            "zeros after them, found %zu",
                            full_size, size);
        }
    }
    memcpy(full, given, least_of(size, full_size));
    memcpy(full, &full_size, sizeof full_size);
    return NNC_OK;
}

void nnc_sized_write(void *given, const void *full, size_t full_size) {
    const size_t size = size_of(given), shared = least_of(size, full_size);
    memcpy((char *)given + sizeof size, (const char *)full + sizeof size, shared - sizeof size);
    memset((char *)given + shared, 0, size - shared);
}

int nnc_names_find(nnc_names names, const char *text) {
    for (int i = 0; i < names.count; i++) {
        if (strcmp(names.of((unsigned)i), text) == 0) { return i; }
    }
    return -1;
}

int nnc_names_find_nocase(nnc_names names, const char *text) {
    int found = nnc_names_find(names, text);
    for (int i = 0; i < names.count && found < 0; i++) {
        found = strcasecmp(names.of((unsigned)i), text) == 0 ? i : -1;
    }
    return found;
}

const char *nnc_version(void) { return NNCOST_VERSION; }
