/* Reads and writes images of shipped files. The image of a device, model or software profile is the content of the
 * struct that was read from the file at build time. The image of another document, such as a table of launch keys, has
 * the values of the document (nnc_image_values). When a command reads a shipped file, the command uses the image and
 * does not parse the file. The command parses the file if the text of the file, or of a file in its chain of "like"
 * keys, has changed since the build.
 *
 * All images are one list of words: number of images; position of the first text; for each image the digest of its file
 * and its position, sorted by digest; the images; the texts. The image of a struct has four parts: the kind of spec and
 * the number of files in the chain; the id and digest of each of these files; the words of the struct, with two bits
 * each (zero, NaN, or a word that follows); the lists of the struct. A text is given by its position plus 1; 0 = NULL.
 * The image of a document has: DOCUMENT; numbers of values, of doubles and of words of the index; the values, the
 * doubles, the index. */
#include <stdlib.h>

#include "input/input_internal.h"

enum { WORD = sizeof(uint64_t), ZERO = 0, UNKNOWN, OTHER, DOCUMENT = 0xff };

/* A list to which a pointer in the struct of a spec points. kind: kind of the spec. at: offset of the pointer in the
 * struct. count_at: offset of the number of elements. size: bytes of an element. texts: number of pointers to text in
 * an element. text_at: offsets of these pointers in the element. */
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

uint64_t nnc_quick_digest(const char *text, size_t size) {
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

/* Returns the slot of a text in the hash table: the slot that already has the text, or else the free slot for the
 * text. */
static uint32_t *slot_of(const nnc_image_texts *texts, const char *text) {
    size_t at = (size_t)nnc_quick_digest(text, strlen(text)) & (texts->slot_count - 1);
    while (texts->slots[at] != 0 && strcmp(texts->bytes.bytes + texts->slots[at] - 1, text) != 0) {
        at = (at + 1) & (texts->slot_count - 1);
    }
    return &texts->slots[at];
}

/* Enlarges the hash table of texts if needed, so that at most half of its slots are used. Returns false if memory ran
 * out. */
static bool grow(nnc_image_texts *texts) {
    nnc_image_texts larger = { .slot_count = texts->slot_count > 0 ? 2 * texts->slot_count : 1024 };
    larger.slots = calloc(larger.slot_count, sizeof *larger.slots);
    larger.bytes = texts->bytes;
    for (size_t i = 0; larger.slots != NULL && i < texts->slot_count; i++) {
        if (texts->slots[i] != 0) { *slot_of(&larger, texts->bytes.bytes + texts->slots[i] - 1) = texts->slots[i]; }
    }
    if (larger.slots == NULL) { return false; }
    free(texts->slots);
    texts->slots = larger.slots;
    texts->slot_count = larger.slot_count;
    return true;
}

/* Returns 1 + the position of a text among the texts of all images, and 0 for NULL. Equal texts are stored once, so
 * they have the same position. */
static uint64_t place_of(nnc_image_texts *texts, const char *text) {
    if (text == NULL) { return 0; }
    if (2 * texts->count >= texts->slot_count && !grow(texts)) {
        texts->bytes.failed = true;
        return 0;
    }
    uint32_t *slot = slot_of(texts, text);
    if (*slot == 0) {
        *slot = (uint32_t)texts->bytes.size + 1;
        texts->count++;
        nnc_buffer_put(&texts->bytes, text, strlen(text) + 1);
    }
    return *slot;
}

void nnc_image_texts_free(nnc_image_texts *texts) {
    nnc_buffer_free(&texts->bytes);
    free(texts->slots);
    *texts = (nnc_image_texts){ .slots = NULL };
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

static void put_list(nnc_buffer *out, nnc_image_texts *texts, const list *l, const char *elements, int32_t count) {
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
                     const uint64_t *digests, int count, nnc_buffer *out, nnc_image_texts *texts) {
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
    return !out->failed && !texts->bytes.failed;
}

/* Parts of the image of a document that is being written: values of the document, its numbers, and the texts of all
 * images. */
typedef struct packing {
    nnc_buffer values, numbers;
    nnc_image_texts *texts;
} packing;

static size_t value_count(const packing *p) { return p->values.size / sizeof(nnc_image_value); }

/* Appends a value of a document, and the values inside it, to the image. last: true = the value is the last member of
 * its object or list. The function calls itself for each object or list inside the value. */
static void pack(packing *p, nnc_json at, bool last) {
    const nnc_json_type type = nnc_json_type_of(at);
    const size_t place = value_count(p);
    const char *key = nnc_json_key(at);
    nnc_image_value value = { .key = (uint32_t)type };
    if (key[0] != '\0') { value.key |= (uint32_t)place_of(p->texts, key) * (NNC_IMAGE_TYPE + 1); }
    if (type == NNC_JSON_BOOL) { value.value = nnc_json_bool(at); }
    if (type == NNC_JSON_TEXT) { value.value = (uint32_t)place_of(p->texts, nnc_json_text(at)) - 1; }
    if (type == NNC_JSON_LIST || type == NNC_JSON_OBJECT) { value.value = (uint32_t)nnc_json_count(at); }
    if (type == NNC_JSON_NUMBER) {
        const double number = nnc_json_number(at);
        value.value = (uint32_t)(p->numbers.size / sizeof number);
        nnc_buffer_put(&p->numbers, (const char *)&number, sizeof number);
    }
    nnc_buffer_put(&p->values, (const char *)&value, sizeof value);
    for (nnc_json child = nnc_json_first(at); child.node != NULL && !p->values.failed;) {
        const nnc_json next = nnc_json_next(child);
        pack(p, child, next.node == NULL);
        child = next;
    }
    if (!last && !p->values.failed) {
        value.next = (uint32_t)(value_count(p) - place);
        memcpy(p->values.bytes + place * sizeof value, &value, sizeof value);
    }
}

bool nnc_image_write_document(const nnc_json_doc *doc, const uint64_t *index, size_t count, nnc_buffer *out,
                              nnc_image_texts *texts) {
    packing p = { .texts = texts };
    pack(&p, nnc_json_root(doc), true);
    put(out, DOCUMENT);
    put(out, value_count(&p));
    put(out, p.numbers.size / sizeof(double));
    put(out, count);
    put_bytes(out, p.values.bytes, p.values.size);
    put_bytes(out, p.numbers.bytes != NULL ? p.numbers.bytes : "", p.numbers.size);
    put_bytes(out, count > 0 ? (const char *)index : "", count * sizeof *index);
    const bool done = !p.values.failed && !p.numbers.failed && !out->failed && !texts->bytes.failed;
    nnc_buffer_free(&p.values);
    nnc_buffer_free(&p.numbers);
    return done;
}

/* ---- reads images ---- */

static const char *text_at(const char *texts, uint64_t place) { return place > 0 ? texts + place - 1 : NULL; }

static void get_struct(const uint64_t **at, char *bytes, size_t count) {
    const uint64_t nan = nan_word(), *kinds = *at;
    *at += (count + 31) / 32;
    for (size_t i = 0; i < count; i += 32, kinds++) {
        char *place = bytes + i * WORD;
        /* an image has no words for members of the struct that are 0, because all bytes of the struct are 0 before the
         * image is read */
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

/* Returns the image of the file whose text has the digest `digest`; NULL = no image was made from such a text. */
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

bool nnc_image_open(const uint64_t *images, nnc_json_doc *doc) {
    const uint64_t *at = find_image(images, nnc_quick_digest(doc->text, doc->size));
    if (at == NULL || at[0] != DOCUMENT) { return false; }
    const uint64_t *values = at + 4, *numbers = values + (at[1] * sizeof(nnc_image_value) + WORD - 1) / WORD;
    doc->image = (nnc_image_values){ .values = (const void *)values,
                                     .texts = (const char *)(images + images[1]),
                                     .numbers = (const void *)numbers,
                                     .index = numbers + at[2],
                                     .index_count = at[3] };
    doc->root = (const void *)values;
    return true;
}

/* Tests whether the file with the id `id` still has the text from which an image was made. digest: the digest of that
 * text. */
static bool is_unchanged(nnc_specs *specs, nnc_spec_kind kind, const char *id, uint64_t digest) {
    char *text = NULL;
    const char *path;
    size_t size = 0;
    nnc_error err;
    const bool same = nnc_specs_find(specs, kind, id, &path, &err) == NNC_OK &&
                      nnc_specs_read(specs, path, &text, &size, &err) == NNC_OK &&
                      nnc_quick_digest(text, size) == digest;
    free(text);
    return same;
}

bool nnc_image_read(nnc_specs *specs, const uint64_t *images, nnc_spec_kind kind, const char *stem, const char *text,
                    size_t size, void *spec) {
    nnc_arena *arena = nnc_specs_arena(specs);
    const char *texts = (const char *)(images + images[1]);
    const uint64_t *at = find_image(images, nnc_quick_digest(text, size));
    if (at == NULL || (*at & 0xff) != (uint64_t)kind) { return false; }
    const int likes = (int)(*at++ >> 8);
    for (int i = 0; i < likes; i++) {
        const char *id = text_at(texts, *at++);
        if (!is_unchanged(specs, kind, id, *at++)) { return false; }
    }
    get_struct(&at, spec, nnc_spec_kinds[kind].size / WORD);
    bool whole = stem == NULL || strcmp(stem, spec) == 0; /* every struct of a spec begins with the id */
    for (int i = 0; i < LISTS && whole; i++) {
        whole = lists[i].kind != kind || get_list(arena, texts, &at, &lists[i], spec);
    }
    if (!whole) { memset(spec, 0, nnc_spec_kinds[kind].size); }
    return whole;
}
