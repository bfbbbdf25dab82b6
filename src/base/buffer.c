/* Text functions: growing buffers, UTF-8 and control characters, JSON strings, words of a shell command, packed cells,
 * digests. */
#include <ctype.h>
#include <stdalign.h>
#include <strings.h>

#include "base/base_internal.h"

static bool grow(nnc_buffer *buffer, size_t size) {
    size_t capacity = buffer->capacity > 0 ? buffer->capacity : 1024;
    while (capacity - buffer->size < size && capacity <= SIZE_MAX / 2) { capacity *= 2; }
    char *bytes = capacity - buffer->size < size ? NULL : realloc(buffer->bytes, capacity);
    if (bytes == NULL) {
        buffer->failed = true;
        return false;
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

static inline bool reserve(nnc_buffer *buffer, size_t size) {
    return size <= buffer->capacity - buffer->size || grow(buffer, size);
}

void nnc_buffer_put(nnc_buffer *buffer, const void *bytes, size_t size) {
    if (size > 0 && reserve(buffer, size)) {
        memcpy(buffer->bytes + buffer->size, bytes, size);
        buffer->size += size;
    }
}

void nnc_buffer_text(nnc_buffer *buffer, const char *text) { nnc_buffer_put(buffer, text, strlen(text)); }

void nnc_buffer_byte(nnc_buffer *buffer, char byte) {
    if (reserve(buffer, 1)) { buffer->bytes[buffer->size++] = byte; }
}

void nnc_buffer_number(nnc_buffer *buffer, double value) {
    if (reserve(buffer, NNC_NUMBER_TEXT)) { buffer->size += nnc_number_write(value, buffer->bytes + buffer->size); }
}

void nnc_buffer_whole(nnc_buffer *buffer, int64_t value) {
    if (reserve(buffer, NNC_NUMBER_TEXT)) { buffer->size += nnc_whole_write(value, buffer->bytes + buffer->size); }
}

void nnc_buffer_blanks(nnc_buffer *buffer, int count) {
    if (count > 0 && reserve(buffer, (size_t)count)) {
        memset(buffer->bytes + buffer->size, ' ', (size_t)count);
        buffer->size += (size_t)count;
    }
}

void nnc_buffer_print(nnc_buffer *buffer, const char *format, ...) {
    va_list arguments;
    for (bool again = true; again;) {
        const size_t space = buffer->capacity - buffer->size;
        char *end = space > 0 ? buffer->bytes + buffer->size : NULL;
        va_start(arguments, format);
        const int length = vsnprintf(end, space, format, arguments);
        va_end(arguments);
        again = length >= 0 && (size_t)length >= space;
        if (length < 0 || (again && !reserve(buffer, (size_t)length + 1))) {
            buffer->failed = true;
            return;
        }
        buffer->size += again ? 0 : (size_t)length;
    }
}

void nnc_buffer_clear(nnc_buffer *buffer) {
    buffer->size = 0;
    buffer->failed = false;
}

void nnc_buffer_free(nnc_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (nnc_buffer){ 0 };
}

void nnc_text_append(char *text, size_t size, const char *separator, const char *format, ...) {
    const size_t used = strlen(text), gap = used > 0 ? strlen(separator) : 0;
    va_list arguments;
    if (used + gap < size) {
        snprintf(text + used, size - used, "%s", used > 0 ? separator : "");
        va_start(arguments, format);
        vsnprintf(text + used + gap, size - used - gap, format, arguments);
        va_end(arguments);
    }
}

/* ---- UTF-8 characters and control characters ---- */

/* Checks a UTF-8 character. The first byte of a UTF-8 character decides how many bytes the character has and which
 * values its second byte may have; the third and the fourth byte lie between hexadecimal 80 and BF. Source: The Unicode
 * Standard, table 3-7 (no overlong forms, no surrogates, up to U+10FFFF). */
size_t nnc_utf8_length(const char *text, size_t size) {
    const unsigned char *s = (const unsigned char *)text;
    if (size == 0) { return 0; }
    if (s[0] < 0x80) { return 1; }
    const size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || size < length) { return 0; }
    const unsigned low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    const unsigned high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) { return 0; }
    for (size_t i = 2; i < length; i++) {
        if (s[i] < 0x80 || s[i] > 0xBF) { return 0; }
    }
    return length;
}

/* Tests whether the text begins with "##", then any number of lower-case letters, then "[": "##[" or "##vso[". CI
 * runners execute the text after "##[" or "##vso[" as a command, at any position in a line. Source:
 * github.com/actions/runner, ActionCommand.cs; learn.microsoft.com, "Logging commands". */
static bool is_runner_command(const char *text) {
    return text[0] == '#' && text[1] == '#' && text[2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz")] == '[';
}

/* The table `controls` has the control characters and invisible characters of The Unicode Standard 15, tables 2-3 and
 * 23-1, annex 9, table 4. The last range of `controls` has the tag letters, which are invisible. */
size_t nnc_control_length(const char *text) {
    static const struct {
        unsigned first, last;
    } controls[] = { { 0x00, 0x1F },     { 0x7F, 0x9F },      { 0xAD, 0xAD },     { 0x61C, 0x61C },
                     { 0x180E, 0x180E }, { 0x200B, 0x200F },  { 0x2028, 0x202E }, { 0x2060, 0x206F },
                     { 0xFEFF, 0xFEFF }, { 0xE0000, 0xE007F } };
    const unsigned char *s = (const unsigned char *)text;
    unsigned code = s[0];
    size_t length = 1;
    if (code >= 0x80) {
        length = nnc_utf8_length(text, strnlen(text, 4));
        code = length == 2   ? (s[0] & 0x1FU) << 6U | (s[1] & 0x3FU)
               : length == 3 ? (s[0] & 0x0FU) << 12U | (s[1] & 0x3FU) << 6U | (s[2] & 0x3FU)
               : length == 4 ? (s[0] & 0x07U) << 18U | (s[1] & 0x3FU) << 12U | (s[2] & 0x3FU) << 6U | (s[3] & 0x3FU)
                             : ' ';
    }
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        if (code >= controls[i].first && code <= controls[i].last) { return length; }
    }
    return is_runner_command(text) ? 1 : 0;
}

size_t nnc_plain_length(const char *text, size_t most) {
    /* The table `plain` has one bit for each character from ' ' to '~'. The bit of a character is 1 if the character is
     * plain; only '"', '#' and '\\' are not plain. */
    static const uint64_t plain[2] = { ~(uint64_t)0 << ' ' & ~((uint64_t)1 << '"') & ~((uint64_t)1 << '#'),
                                       ~(uint64_t)0 >> 1 & ~((uint64_t)1 << ('\\' - 64)) };
    size_t length = 0;
    for (unsigned char c = 0; length < most; length++) {
        c = (unsigned char)text[length];
        if (c > '~' || (plain[c >> 6] >> (c & 63) & 1) == 0) { break; }
    }
    return length;
}

/* ---- writing a text as a JSON string ---- */

/* Writes one UTF-8 character of `length` bytes as a JSON escape \uXXXX. A character above U+FFFF is written as two
 * escapes. Source: RFC 8259, section 7. */
static void put_escape(nnc_buffer *out, const char *text, size_t length) {
    unsigned code = (unsigned char)text[0] & (length == 1 ? 0x7FU : 0xFFU >> (length + 1));
    for (size_t i = 1; i < length; i++) { code = code << 6U | ((unsigned char)text[i] & 0x3FU); }
    if (code > 0xFFFF) {
        nnc_buffer_print(out, "\\u%04x", 0xD800 + ((code - 0x10000) >> 10U));
        code = 0xDC00 + (code & 0x3FFU);
    }
    nnc_buffer_print(out, "\\u%04x", code);
}

void nnc_put_json_text(nnc_buffer *out, const char *text) {
    const size_t begin = nnc_plain_length(text, SIZE_MAX);
    nnc_buffer_byte(out, '"');
    /* Most texts consist of plain characters only, so the first call of nnc_buffer_put usually appends the whole
     * text. */
    nnc_buffer_put(out, text, begin);
    text += begin;
    for (size_t left = strlen(text); left > 0;) {
        const size_t plain = nnc_plain_length(text, left);
        const size_t length = plain > 0 ? plain : nnc_utf8_length(text, left);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
        } else if (length == 0) {
            nnc_buffer_text(out, "\\ufffd");
        } else if (*text == '"' || *text == '\\') {
            nnc_buffer_byte(out, '\\');
            nnc_buffer_byte(out, *text);
        } else if (nnc_control_length(text) > 0) {
            put_escape(out, text, length);
        } else {
            nnc_buffer_put(out, text, length);
        }
        text += length > 0 ? length : 1;
        left -= length > 0 ? length : 1;
    }
    nnc_buffer_byte(out, '"');
}

/* ---- shell words: quoting a word, and splitting a line into words ---- */

/* Tests whether a shell reads a character as itself, without quotes. */
static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && strchr("-_./=,:+@%", c) != NULL);
}

void nnc_shell_word(nnc_buffer *out, const char *text) {
    const char *c = text;
    while (is_plain(*c)) { c++; }
    if (c > text && *c == '\0') {
        nnc_buffer_text(out, text);
        return;
    }
    nnc_buffer_byte(out, '\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            nnc_buffer_text(out, "'\\''");
        } else {
            nnc_buffer_byte(out, *text);
        }
    }
    nnc_buffer_byte(out, '\'');
}

/* Copies one word of a shell command from `from` to `to`, without the quotes and backslashes of the word, and ends the
 * copy with a NUL. `to` may point to an earlier character of the line that contains `from`. Returns the position after
 * the blank that ends the word. */
static char *take_word(char *from, char *to) {
    char quote = '\0';
    for (; *from != '\0' && (quote != '\0' || strchr(" \t\n", *from) == NULL); from++) {
        if (*from == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*from == '\'' || *from == '"')) {
            quote = *from;
        } else {
            from += *from == '\\' && quote != '\'' && from[1] != '\0' ? 1 : 0;
            *to++ = *from;
        }
    }
    char *end = *from != '\0' ? from + 1 : from;
    *to = '\0';
    return end;
}

int nnc_shell_split(char *line, char **words, int most) {
    int count = 0;
    for (line += strspn(line, " \t\n"); *line != '\0'; line += strspn(line, " \t\n")) {
        if (count == most) { return -1; }
        words[count++] = line;
        line = take_word(line, line);
    }
    return count;
}

/* ---- packed cells: each cell is stored as one byte for its kind, then its value ---- */

static void pack(nnc_buffer *out, const nnc_cell *cell) {
    nnc_buffer_byte(out, (char)cell->kind);
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER: nnc_buffer_put(out, &cell->number, sizeof cell->number); break;
    case NNC_CELL_WHOLE: nnc_buffer_put(out, &cell->whole, sizeof cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_byte(out, (char)cell->flag); break;
    case NNC_CELL_TEXT: nnc_buffer_put(out, cell->text, strlen(cell->text) + 1); break;
    }
}

void nnc_cells_pack(nnc_buffer *out, const nnc_cell *cells, int count) {
    for (int i = 0; i < count; i++) { pack(out, &cells[i]); }
}

void nnc_cells_unpack(const char *packed, nnc_cell *cells, int count) {
    for (int i = 0; i < count; i++) {
        nnc_cell *cell = &cells[i];
        cell->kind = (nnc_cell_kind)*packed++;
        switch (cell->kind) {
        case NNC_CELL_NULL: break;
        case NNC_CELL_NUMBER:
            memcpy(&cell->number, packed, sizeof cell->number);
            packed += sizeof cell->number;
            break;
        case NNC_CELL_WHOLE:
            memcpy(&cell->whole, packed, sizeof cell->whole);
            packed += sizeof cell->whole;
            break;
        case NNC_CELL_BOOL: cell->flag = *packed++ != 0; break;
        case NNC_CELL_TEXT:
            cell->text = packed;
            packed += strlen(packed) + 1;
            break;
        }
    }
}

/* ---- digests: hashes of bytes, texts and numbers ---- */

#define DIGEST_PRIME UINT64_C(0x100000001b3)

uint64_t nnc_digest_bytes(uint64_t digest, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ at[i]) * DIGEST_PRIME; /* the numbers are unsigned, so the product is reduced modulo 2^64 */
    }
    return digest;
}

uint64_t nnc_digest_text(uint64_t digest, const char *text) { return nnc_digest_bytes(digest, text, strlen(text) + 1); }

uint64_t nnc_digest_number(uint64_t digest, uint64_t number) {
    /* Adds a number up to 0xFF to a digest. A number up to 0xFF is stored in eight bytes, like every number, and its
     * seven upper bytes are 0. A byte of 0 only multiplies the digest by DIGEST_PRIME, so the factor for the whole
     * number is the eighth power of DIGEST_PRIME. */
    if (number <= 0xFF) { return (digest ^ number) * UINT64_C(0x1efac7090aef4a21); }
    for (int i = 0; i < 8; i++, number >>= 8) { digest = (digest ^ (number & 0xFF)) * DIGEST_PRIME; }
    return digest;
}

bool nnc_digest_repeats(uint64_t *seen, size_t slots, uint64_t digest) {
    size_t place = digest >> 32;
    digest |= 1; /* the last bit of a stored digest is set, because 0 marks an empty slot */
    while (seen[place % slots] != 0 && seen[place % slots] != digest) { place++; }
    const bool repeats = seen[place % slots] == digest;
    seen[place % slots] = digest;
    return repeats;
}

uint32_t nnc_crc32(uint32_t crc, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++) { crc = (crc >> 1) ^ ((crc & 1u) != 0 ? UINT32_C(0xedb88320) : 0); }
    }
    return ~crc;
}

char *nnc_digest_print(uint64_t digest, char text[NNC_DIGEST_TEXT]) {
    snprintf(text, NNC_DIGEST_TEXT, "%016" PRIx64, digest);
    return text;
}

/* ---- short names of metrics, used as names of columns ---- */

/* Tests whether a name other than names[own] is equal to `end`, or ends in "." followed by `end`. Upper and lower case
 * count as equal, as in column names of SQL. */
static bool is_shared(const char *end, const char *const *names, int count, int own) {
    const size_t length = strlen(end);
    for (int i = 0; i < count; i++) {
        const size_t whole = strlen(names[i]);
        if (i != own && whole >= length && strcasecmp(names[i] + whole - length, end) == 0 &&
            (whole == length || names[i][whole - length - 1] == '.')) {
            return true;
        }
    }
    return false;
}

void nnc_short_name(const char *const *names, int count, int index, char *name, size_t size) {
    const char *begin = names[index], *end = begin + strlen(begin);
    for (const char *at = end; at > begin; at--) {
        if (at[-1] == '.' && isalpha((unsigned char)*at) && !is_shared(at, names, count, index)) {
            begin = at;
            break;
        }
    }
    snprintf(name, size, "%s", begin);
    for (char *dot = name; (dot = strchr(dot, '.')) != NULL;) { *dot = '_'; }
}

/* ---- arena: a list of memory blocks, newest first ----
 * An allocation takes the next free bytes of the newest block; if the newest block has too few free bytes, a new block
 * is added. All blocks are freed together when the arena is destroyed. */

/* BLOCK_BYTES: size of the first block of an arena. A device or a model needs less than BLOCK_BYTES, so most sets of
 * specs need only one block. Each further block is as large as all earlier blocks together, up to BLOCK_MAX, because
 * freeing many small blocks takes long. BLOCK_SMALL: largest block that malloc() may take from memory that was freed
 * before. */
enum { BLOCK_BYTES = 16 * 1024, BLOCK_SMALL = 128 * 1024, BLOCK_MAX = 1024 * 1024 };

typedef struct block {
    struct block *next;
    size_t used, size;
    /* true: the block was used before and has old bytes, so each allocation clears the bytes that it returns */
    bool used_before;
    alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct owned {
    const struct owned *next;
    void *allocated;
} owned;

struct nnc_arena {
    block *blocks; /* list of the memory blocks of the arena, the newest first */
    size_t size;   /* sum of the sizes of all blocks, in bytes */
    const owned *owned;
};

nnc_arena *nnc_arena_create(void) { return calloc(1, sizeof(nnc_arena)); }

void nnc_arena_destroy(nnc_arena *arena) {
    if (arena == NULL) { return; }
    /* The memory from malloc() that the arena owns is freed before the blocks, because the list `owned` of this memory
     * is stored in the blocks. */
    for (const owned *o = arena->owned; o != NULL; o = o->next) { free(o->allocated); }
    for (block *b = arena->blocks; b != NULL;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

static block *add_block(nnc_arena *arena, size_t need) {
    const size_t usual = arena->size < BLOCK_BYTES ? BLOCK_BYTES : arena->size < BLOCK_MAX ? arena->size : BLOCK_MAX;
    const size_t size = need > usual ? need : usual;
    /* Small blocks are allocated by malloc(), because calloc() would clear the whole block, including pages that are
     * never used. Large blocks are allocated by calloc(), which gets pages from the system that already contain only
     * zeros. */
    const bool small = size <= BLOCK_SMALL;
    block *b = small ? malloc(sizeof(block) + size) : calloc(1, sizeof(block) + size);
    if (b == NULL) { return NULL; }
    *b = (block){ .next = arena->blocks, .size = size, .used_before = small };
    arena->blocks = b;
    arena->size += size;
    return b;
}

void *nnc_arena_alloc(nnc_arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > PTRDIFF_MAX - sizeof(block) - align) { return NULL; /* no block can have as many bytes as `size` */ }
    size = (size + align - 1) / align * align;
    block *b = arena->blocks;
    if (b == NULL || b->size - b->used < size) {
        b = add_block(arena, size);
        if (b == NULL) { return NULL; }
    }
    void *bytes = b->bytes + b->used;
    b->used += size;
    return b->used_before ? memset(bytes, 0, size) : bytes;
}

void *nnc_arena_array(nnc_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) { return NULL; }
    return nnc_arena_alloc(arena, count * size);
}

/* Lengthens the newest allocation of an arena where it is, from `old` to `size` bytes. Returns false if another
 * allocation is newer, or if the block has too few free bytes. */
static bool lengthen(nnc_arena *arena, const void *allocated, size_t old, size_t size) {
    block *b = arena->blocks;
    if (b == NULL || old % alignof(max_align_t) != 0 || old > b->used || size > b->size - (b->used - old) ||
        allocated != b->bytes + b->used - old) {
        return false;
    }
    if (b->used_before) { memset(b->bytes + b->used, 0, size - old); }
    b->used += size - old;
    return true;
}

void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size) {
    if (count < *capacity) { return list; }
    const int32_t larger = *capacity > 0 ? 2 * *capacity : 64;
    /* A list has space for at least 64 elements, so the size of a list in bytes is a multiple of the alignment, as
     * lengthen() requires. */
    if (lengthen(arena, list, (size_t)*capacity * size, (size_t)larger * size)) {
        *capacity = larger;
        return list;
    }
    void *copy = nnc_arena_array(arena, (size_t)larger, size);
    if (copy != NULL) { *capacity = larger; }
    return copy != NULL && count > 0 ? memcpy(copy, list, (size_t)count * size) : copy;
}

char *nnc_arena_strdup(nnc_arena *arena, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = nnc_arena_alloc(arena, size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

bool nnc_arena_own(nnc_arena *arena, void *allocated) {
    owned *o = nnc_arena_alloc(arena, sizeof *o);
    if (o == NULL) {
        free(allocated);
        return false;
    }
    *o = (owned){ arena->owned, allocated };
    arena->owned = o;
    return true;
}
