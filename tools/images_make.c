/* Program of the build: writes C source with the images of shipped files (structs and values that were read at build
 * time, see images.c). Usage: nncost_images ROOT OUT. */
#include <glob.h>

#include "input/input_internal.h"

typedef struct entry {
    uint64_t digest, at;
} entry;

static int by_digest(const void *a, const void *b) {
    const uint64_t x = ((const entry *)a)->digest, y = ((const entry *)b)->digest;
    return x < y ? -1 : x > y;
}

/* Returns a copy, in the arena, of the value of the key "like" in a file; NULL = no such key. */
static const char *like_of(nnc_specs *specs, const char *text, size_t size) {
    nnc_error err;
    nnc_faults faults = { .name = "", .err = &err };
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    const char *like = NULL;
    if (nnc_json_parse(&doc)) {
        const nnc_json at = nnc_json_get(nnc_json_root(&doc), "like");
        like = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_arena_strdup(doc.arena, nnc_json_text(at)) : NULL;
    }
    nnc_json_free(&doc);
    return like;
}

/* Tests whether an image can hold all data of a spec. Returns false for a model whose struct points to other data: a
 * graph, towers, a captured program, notes, or a storage format of weights. */
static bool is_flat(nnc_spec_kind kind, const void *spec) {
    const nnc_model *model = spec;
    return kind != NNC_SPEC_MODEL ||
           (model->family != NNC_FAMILY_GRAPH && model->graph.fields == NULL && model->tower_count == 0 &&
            model->captured == NULL && model->notes == NULL && model->stored == NULL);
}

/* Appends the image of the file `path` to `out`, and its texts to `texts`; writes the digest of the file to *one.
 * Returns false if the file cannot have an image, for example because its key "like" is a path and not an id. */
static bool add(nnc_specs *specs, nnc_spec_kind kind, const char *path, entry *one, nnc_buffer *out,
                nnc_image_texts *texts) {
    const char *likes[NNC_LIKE_MAX], *file = path;
    uint64_t digests[NNC_LIKE_MAX];
    const void *spec;
    nnc_error err;
    int count = -1;
    while (file != NULL) {
        char *text = NULL;
        size_t size = 0;
        if (count == NNC_LIKE_MAX || nnc_specs_read(specs, file, &text, &size, &err) != NNC_OK) { return false; }
        *(count < 0 ? &one->digest : &digests[count]) = nnc_quick_digest(text, size);
        const char *like = like_of(specs, text, size);
        free(text);
        file = NULL;
        if (++count < NNC_LIKE_MAX && like != NULL) {
            likes[count] = like;
            if (nnc_is_path(like) || nnc_specs_find(specs, kind, like, &file, &err) != NNC_OK) { return false; }
        }
    }
    return nnc_spec_load(specs, kind, path, &spec, &err) == NNC_OK && is_flat(kind, spec) &&
           nnc_image_write(specs, kind, spec, likes, digests, count, out, texts);
}

/* Appends the image of a document, such as the table of hub names, whose values are stored without a struct. */
static bool add_document(nnc_specs *specs, const char *path, entry *one, nnc_buffer *out, nnc_image_texts *texts) {
    enum { INDEX_MAX = 100 * 1000 };
    static uint64_t index[INDEX_MAX];
    char *text = NULL;
    size_t size = 0;
    nnc_error err;
    if (nnc_specs_read(specs, path, &text, &size, &err) != NNC_OK) { return false; }
    nnc_faults faults = { .name = path, .err = &err };
    nnc_json_doc doc = { .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size };
    one->digest = nnc_quick_digest(text, size);
    bool added = nnc_json_parse(&doc);
    const size_t count =
        added && nnc_ends_in(path, "/names.json") ? nnc_hub_index(nnc_json_root(&doc), index, INDEX_MAX) : 0;
    added = added && nnc_image_write_document(&doc, index, count, out, texts);
    nnc_json_free(&doc);
    free(text);
    return added;
}

static void print_words(FILE *out, const nnc_buffer *bytes) {
    for (size_t i = 0; i < bytes->size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        const size_t left = bytes->size - i;
        memcpy(&word, bytes->bytes + i, left < sizeof word ? left : sizeof word);
        fprintf(out, "0x%llxu,\n", (unsigned long long)word);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) { return 2; }
    unsetenv("NNCOST_PATH");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    entry entries[2048];
    size_t count = 0;
    nnc_buffer images = { 0 };
    nnc_image_texts texts = { .slots = NULL };
    static const char *const documents[] = { "foreign/*", "foreign/launch/*", "foreign/names/*", "hub/names" };
    for (size_t kind = 0; kind < NNC_SPEC_KIND_COUNT + NNC_COUNT_OF(documents); kind++) {
        const bool is_spec = kind < NNC_SPEC_KIND_COUNT;
        char pattern[4096];
        glob_t files;
        snprintf(pattern, sizeof pattern, "%s/%s%s.json", argv[1],
                 is_spec ? nnc_spec_kinds[kind].folder : documents[kind - NNC_SPEC_KIND_COUNT], is_spec ? "/*" : "");
        if (glob(pattern, 0, NULL, &files) != 0) { continue; }
        for (size_t i = 0; i < files.gl_pathc && count < sizeof entries / sizeof entries[0]; i++) {
            nnc_specs *specs = nnc_specs_open(argv[1]);
            const char *path = files.gl_pathv[i];
            const size_t before = images.size;
            entries[count].at = before / sizeof(uint64_t);
            if (specs != NULL && (is_spec ? add(specs, (nnc_spec_kind)kind, path, &entries[count], &images, &texts)
                                          : add_document(specs, path, &entries[count], &images, &texts))) {
                count++;
            } else {
                images.size = before;
            }
            nnc_specs_close(specs);
        }
        globfree(&files);
    }
    qsort(entries, count, sizeof *entries, by_digest);
    FILE *out = fopen(argv[2], "w");
    if (out == NULL || images.failed) { return 4; }
    fprintf(out, "#include \"cli/cli_internal.h\"\n\nconst uint64_t nnc_shipped_images[] = {\n%zu, %zu,\n", count,
            2 + 2 * count + images.size / sizeof(uint64_t));
    for (size_t i = 0; i < count; i++) {
        const uint64_t place = entries[i].at + 2 + 2 * count;
        fprintf(out, "0x%" PRIx64 "u, %" PRIu64 ",\n", entries[i].digest, place);
    }
    print_words(out, &images);
    print_words(out, &texts.bytes);
    fprintf(out, "};\n");
    nnc_buffer_free(&images);
    nnc_image_texts_free(&texts);
    return fclose(out) == 0 ? 0 : 4;
}
