/* Images of shipped devices, models and software profiles. An image is the content of the struct that was read from a
 * file at build time. When a command reads a shipped file, it takes the image instead of parsing the file. It parses
 * the file if the text of the file, or of a file in its chain of "like" keys, has changed since the build.
 *
 * All images are one list of 64-bit words: number of images; position of the first text; for each image the digest of
 * its file and its position, sorted by digest; the images; the texts. An image has: kind of spec and number of files in
 * the chain; id and digest of each of these files; two bits for each word of the struct (the word is 0, NaN, or another
 * value); the words with another value; the lists of the struct. A text is given by its position plus 1; 0 = NULL. */
#include "input/input_internal.h"

enum { WORD = sizeof(uint64_t), ZERO = 0, UNKNOWN, OTHER };

/* A list that the struct of a kind of spec points to. at, count_at: offsets in the struct of the pointer and of the
 * number of elements; size: bytes of an element; texts: number of pointers to text in an element; text_at: offsets of
 * these pointers in the element. */
typedef struct list {
    nnc_spec_kind kind;
    size_t at, count_at, size;
    size_t text_at[3];
    int texts;
} list;

#define LIST(kind_, type, list_, count_, element, ...)                                                           \
    {                                                                                                            \
        .kind = kind_, .at = offsetof(type, list_), .count_at = offsetof(type, count_), .size = sizeof(element), \
        __VA_ARGS__                                                                                              \
    }

static const list lists[] = {
    LIST(NNC_SPEC_DEVICE, nnc_device, prices, price_count, nnc_price, .texts = 3,
         .text_at = { offsetof(nnc_price, where), offsetof(nnc_price, date), offsetof(nnc_price, source) }),
    LIST(NNC_SPEC_DEVICE, nnc_device, aliases, alias_count, const char *, .texts = 1),
    LIST(NNC_SPEC_DEVICE, nnc_device, sources, source_count, nnc_source, .texts = 2,
         .text_at = { offsetof(nnc_source, key), offsetof(nnc_source, text) }),
    LIST(NNC_SPEC_MODEL, nnc_model, aliases, alias_count, const char *, .texts = 1),
    LIST(NNC_SPEC_MODEL, nnc_model, sources, source_count, nnc_source, .texts = 2,
         .text_at = { offsetof(nnc_source, key), offsetof(nnc_source, text) }),
    LIST(NNC_SPEC_SOFTWARE, nnc_software, ranges, range_count, nnc_range, .texts = 0),
    LIST(NNC_SPEC_SOFTWARE, nnc_software, stands_for, stands_for_count, nnc_framework, .texts = 0),
    LIST(NNC_SPEC_SOFTWARE, nnc_software, recipes, recipe_count, nnc_recipe, .texts = 0),
    LIST(NNC_SPEC_SOFTWARE, nnc_software, compared, compared_count, nnc_track, .texts = 0),
    LIST(NNC_SPEC_SOFTWARE, nnc_software, sources, source_count, nnc_source, .texts = 2,
         .text_at = { offsetof(nnc_source, key), offsetof(nnc_source, text) }),
};
enum { LISTS = sizeof lists / sizeof lists[0] };

static uint64_t mix(uint64_t digest, uint64_t word) {
    digest = (digest ^ word) * 0x9E3779B97F4A7C15u;
    return digest ^ digest >> 32;
}

uint64_t nnc_image_digest(const char *text, size_t size) {
    uint64_t digest = size, word, next;
    size_t i = 0;
    for (; size - i >= 2 * sizeof word; i += 2 * sizeof word) {
        memcpy(&word, text + i, WORD);
        memcpy(&next, text + i + WORD, WORD);
        digest = mix(digest, word) + next;
    }
    for (; size - i >= WORD; i += WORD) {
        memcpy(&word, text + i, WORD);
        digest = mix(digest, word);
    }
    word = 0;
    memcpy(&word, text + i, size - i);
    return i < size ? mix(digest, word) : digest;
}

/* ---- writes images ---- */

static void put(nnc_buffer *out, uint64_t word) { nnc_buffer_put(out, (const char *)&word, sizeof word); }

static void put_bytes(nnc_buffer *out, const void *bytes, size_t size) {
    static const char zeros[WORD] = { 0 };
    nnc_buffer_put(out, bytes, size);
    nnc_buffer_put(out, zeros, (WORD - size % WORD) % WORD);
}

/* Returns the position of `text` in the texts of all images, plus 1; adds the text if it is not there. text NULL:
 * returns 0. */
static uint64_t place_of(nnc_buffer *texts, const char *text) {
    size_t at = 0;
    if (text == NULL) { return 0; }
    while (at < texts->size && strcmp(texts->bytes + at, text) != 0) { at += strlen(texts->bytes + at) + 1; }
    if (at == texts->size) { nnc_buffer_put(texts, text, strlen(text) + 1); }
    return at + 1;
}

static uint64_t nan_word(void) {
    const double nan = (double)NAN;
    uint64_t word;
    memcpy(&word, &nan, sizeof word);
    return word;
}

static uint64_t word_of(const char *bytes, size_t i) {
    uint64_t word;
    memcpy(&word, bytes + i * WORD, sizeof word);
    return word;
}

static void put_struct(nnc_buffer *out, const char *bytes, size_t count) {
    const uint64_t nan = nan_word();
    for (size_t i = 0; i < count; i += 32) {
        uint64_t kinds = 0;
        for (size_t k = 0; k < 32 && i + k < count; k++) {
            const uint64_t word = word_of(bytes, i + k);
            kinds |= (uint64_t)(word == 0 ? ZERO : word == nan ? UNKNOWN : OTHER) << (2 * k);
        }
        put(out, kinds);
    }
    for (size_t i = 0; i < count; i++) {
        if (word_of(bytes, i) != 0 && word_of(bytes, i) != nan) { put(out, word_of(bytes, i)); }
    }
}

static void put_list(nnc_buffer *out, nnc_buffer *texts, const list *l, const char *elements, int32_t count) {
    put(out, (uint64_t)count);
    const size_t begin = out->size;
    put_bytes(out, elements, l->size * (size_t)count);
    for (int32_t i = 0; i < count && !out->failed; i++) {
        for (int k = 0; k < l->texts; k++) {
            const size_t at = l->size * (size_t)i + l->text_at[k];
            const char *text;
            memcpy(&text, elements + at, sizeof text);
            const uint64_t place = place_of(texts, text);
            memcpy(out->bytes + begin + at, &place, sizeof text);
        }
    }
}

bool nnc_image_write(nnc_specs *specs, nnc_spec_kind kind, const void *spec, const char *const *likes,
                     const uint64_t *digests, int count, nnc_buffer *out, nnc_buffer *texts) {
    const size_t size = nnc_spec_kinds[kind].size;
    char *copy = nnc_arena_alloc(nnc_specs_arena(specs), size);
    if (copy == NULL || size % WORD != 0) { return false; }
    memcpy(copy, spec, size);
    memset(copy + nnc_spec_kinds[kind].path_offset, 0, sizeof spec);
    for (int i = 0; i < LISTS; i++) {
        if (lists[i].kind == kind) {
            memset(copy + lists[i].at, 0, sizeof spec);
            memset(copy + lists[i].count_at, 0, sizeof(int32_t));
        }
    }
    put(out, (uint64_t)kind | (uint64_t)count << 8);
    for (int i = 0; i < count; i++) {
        put(out, place_of(texts, likes[i]));
        put(out, digests[i]);
    }
    put_struct(out, copy, size / WORD);
    for (int i = 0; i < LISTS; i++) {
        const char *elements;
        int32_t elements_count;
        if (lists[i].kind != kind) { continue; }
        memcpy(&elements, (const char *)spec + lists[i].at, sizeof elements);
        memcpy(&elements_count, (const char *)spec + lists[i].count_at, sizeof elements_count);
        put_list(out, texts, &lists[i], elements, elements_count);
    }
    return !out->failed && !texts->failed;
}

/* ---- reads images ---- */

static const char *text_at(const char *texts, uint64_t place) { return place > 0 ? texts + place - 1 : NULL; }

static void get_struct(const uint64_t **at, char *bytes, size_t count) {
    const uint64_t nan = nan_word(), *kinds = *at;
    *at += (count + 31) / 32;
    for (size_t i = 0; i < count; i += 32, kinds++) {
        char *place = bytes + i * WORD;
        /* an image does not store words that are 0, because the struct is all 0 before the image is read */
        for (uint64_t left = *kinds; left != 0; left >>= 2, place += WORD) {
            if ((left & 3) != ZERO) { memcpy(place, (left & 3) == UNKNOWN ? &nan : (*at)++, WORD); }
        }
    }
}

static bool get_list(nnc_arena *arena, const char *texts, const uint64_t **at, const list *l, char *spec) {
    const int32_t count = (int32_t) * (*at)++;
    const size_t size = l->size * (size_t)count;
    char *elements = count > 0 ? nnc_arena_alloc(arena, size) : NULL;
    if (elements == NULL) { return count == 0; }
    memcpy(elements, *at, size);
    *at += (size + WORD - 1) / WORD;
    for (int32_t i = 0; i < count; i++) {
        for (int k = 0; k < l->texts; k++) {
            char *place = elements + l->size * (size_t)i + l->text_at[k];
            const char *text = text_at(texts, word_of(place, 0));
            memcpy(place, &text, sizeof text);
        }
    }
    memcpy(spec + l->at, &elements, sizeof elements);
    memcpy(spec + l->count_at, &count, sizeof count);
    return true;
}

/* Returns the image that was made from the file with this digest; NULL = no image. */
static const uint64_t *find_image(const uint64_t *images, uint64_t digest) {
    uint64_t low = 0, high = images[0];
    const uint64_t *pairs = images + 2;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (pairs[2 * middle] < digest) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < images[0] && pairs[2 * low] == digest ? images + pairs[2 * low + 1] : NULL;
}

/* Tests whether the text of the file with this id has the digest `digest`, as at build time. */
static bool is_unchanged(nnc_specs *specs, nnc_spec_kind kind, const char *id, uint64_t digest) {
    char *text = NULL;
    const char *path;
    size_t size = 0;
    nnc_error err;
    const bool same = nnc_specs_find(specs, kind, id, &path, &err) == NNC_OK &&
                      nnc_specs_read(specs, path, &text, &size, &err) == NNC_OK &&
                      nnc_image_digest(text, size) == digest;
    free(text);
    return same;
}

bool nnc_image_read(nnc_specs *specs, const uint64_t *images, nnc_spec_kind kind, const char *stem, const char *text,
                    size_t size, void *spec) {
    nnc_arena *arena = nnc_specs_arena(specs);
    const char *texts = (const char *)(images + images[1]);
    const uint64_t *at = find_image(images, nnc_image_digest(text, size));
    if (at == NULL || (*at & 0xff) != (uint64_t)kind) { return false; }
    const int likes = (int)(*at++ >> 8);
    for (int i = 0; i < likes; i++) {
        const char *id = text_at(texts, *at++);
        if (!is_unchanged(specs, kind, id, *at++)) { return false; }
    }
    get_struct(&at, spec, nnc_spec_kinds[kind].size / WORD);
    bool whole = stem == NULL || strcmp(stem, spec) == 0; /* the id is the first member of every struct */
    for (int i = 0; i < LISTS && whole; i++) {
        whole = lists[i].kind != kind || get_list(arena, texts, &at, &lists[i], spec);
    }
    if (!whole) { memset(spec, 0, nnc_spec_kinds[kind].size); }
    return whole;
}
