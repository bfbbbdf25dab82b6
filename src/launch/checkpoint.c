/* Counts the tensors that the header of a checkpoint lists. A checkpoint is a .safetensors file, a .gguf file, or the
 * index of a checkpoint that is divided into several files.
 *
 * A safetensors file has the length of its header (8 bytes), then the header, a JSON object {"NAME": {"dtype", "shape",
 * "data_offsets"}}.
 * An index is a JSON object {"metadata": {"total_size"}, "weight_map": {"NAME": "FILE"}}; each FILE is in the folder of
 * the index.
 * A gguf file has the text "GGUF", a version, counts, keys with values, and the tensors with their dimensions and
 * types.
 *
 * The weights are never read. Each length that a file states is compared with the size of the file before memory is
 * allocated. Sources: https://github.com/huggingface/safetensors, README.md, "Format";
 * https://github.com/ggml-org/ggml, docs/gguf.md. Bytes per block of quantized weights:
 * https://github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py, GGML_QUANT_SIZES. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base_internal.h"
#include "launch/launch_internal.h"

enum {
    HEADER_MAX = 100 * 1000 * 1000, /* longest safetensors header that the format allows, in bytes */
    KEY_MAX = 192,                  /* size of the text for a key or name in a GGUF file, in bytes */
    TEXT_MAX = 256, /* size of the text for a string value in a GGUF file, in bytes; a longer string is not stored */
    LIST_MAX = 512, /* longest list whose items are stored; of a longer list only the number of items is
                     * stored */
    DIMENSIONS_MAX = 4, /* largest number of dimensions of a tensor in a GGUF file (GGML_MAX_DIMS) */
    SHARDS_MAX = 2048
};

bool nnc_checkpoint_is_file(const char *path) {
    return nnc_ends_in(path, ".safetensors") || nnc_ends_in(path, ".gguf") ||
           nnc_ends_in(path, ".safetensors.index.json");
}

static nnc_status bad(const nnc_checkpoint *c, const char *what, nnc_error *err) {
    return nnc_fail(err, NNC_BAD_SPEC, c->path, "%s", what);
}

/* Adds the tensors, parameters and bytes of one number format to the sums of a checkpoint. Returns false if there are
 * too many formats or a sum overflows. */
static bool add_part(nnc_checkpoint *c, const nnc_checkpoint_part *more) {
    int i = 0;
    while (i < c->part_count && strcmp(c->parts[i].name, more->name) != 0) { i++; }
    if (i == NNC_CHECKPOINT_PARTS) { return false; }
    nnc_checkpoint_part *part = &c->parts[i];
    if (i == c->part_count) {
        *part = (nnc_checkpoint_part){ .tensors = 0 };
        memcpy(part->name, more->name, sizeof part->name);
        c->part_count++;
    }
    part->tensors += more->tensors;
    c->tensors += more->tensors;
    return nnc_add_i64(part->params, more->params, &part->params) &&
           nnc_add_i64(part->bytes, more->bytes, &part->bytes) && nnc_add_i64(c->params, more->params, &c->params) &&
           nnc_add_i64(c->bytes, more->bytes, &c->bytes);
}

static bool add_tensor(nnc_checkpoint *c, const char *type, int64_t params, int64_t bytes) {
    nnc_checkpoint_part part = { .tensors = 1, .params = params, .bytes = bytes };
    snprintf(part.name, sizeof part.name, "%s", type);
    return add_part(c, &part);
}

/* ---- reads safetensors files ---- */

/* Reads a whole number of at least 0 from a JSON value into *value. Returns false if the JSON value is not a whole
 * number of at least 0. */
static bool whole(nnc_json at, int64_t *value) {
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1.0;
    if (!(number >= 0.0 && number <= 9e15)) { return false; }
    *value = (int64_t)number;
    return !((double)*value < number);
}

static bool take_header_tensor(nnc_checkpoint *c, nnc_json at, int64_t space) {
    const nnc_json type = nnc_json_get(at, "dtype"), shape = nnc_json_get(at, "shape");
    const nnc_json from = nnc_json_first(nnc_json_get(at, "data_offsets"));
    int64_t params = 1, begin = 0, end = 0;
    if (nnc_json_type_of(type) != NNC_JSON_TEXT || nnc_json_type_of(shape) != NNC_JSON_LIST || !whole(from, &begin) ||
        !whole(nnc_json_next(from), &end) || begin > end || end > space) {
        return false;
    }
    for (nnc_json one = nnc_json_first(shape); one.node != NULL; one = nnc_json_next(one)) {
        int64_t size = 0;
        if (!whole(one, &size) || !nnc_mul_i64(params, size, &params)) { return false; }
    }
    return add_tensor(c, nnc_json_text(type), params, end - begin);
}

/* Reads the header of a safetensors file, and adds its tensors to the sums of the checkpoint. text: the header, `size`
 * bytes of JSON and a NUL. space: number of bytes that the file has after the header. */
static nnc_status read_header(nnc_checkpoint *c, nnc_arena *arena, const char *text, size_t size, int64_t space,
                              nnc_error *err) {
    nnc_faults faults = { .name = c->path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = arena, .text = text, .size = size, .values_max = NNC_SCAN_VALUES_MANY
    };
    nnc_status status = nnc_json_parse(&doc) ? NNC_OK : faults.status;
    const nnc_json root = status == NNC_OK ? nnc_json_root(&doc) : (nnc_json){ 0 };
    if (status == NNC_OK && nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        status = bad(c, "bad header, expected an object of tensors", err);
    }
    for (nnc_json at = nnc_json_first(root); status == NNC_OK && at.node != NULL; at = nnc_json_next(at)) {
        if (strcmp(nnc_json_key(at), "__metadata__") != 0 && !take_header_tensor(c, at, space)) {
            status = nnc_fail(err, NNC_BAD_SPEC, c->path,
                              "bad tensor, expected dtype, shape and data_offsets inside the file, found \"%.80s\"",
                              nnc_json_key(at));
        }
    }
    nnc_json_free(&doc);
    return status;
}

static nnc_status read_safetensors(nnc_checkpoint *c, nnc_arena *arena, FILE *file, int64_t size, nnc_error *err) {
    unsigned char first[8];
    uint64_t length = 0;
    if (size < 8 || fread(first, 1, 8, file) != 8) { return bad(c, "too short, expected the length of a header", err); }
    for (int i = 7; i >= 0; i--) { length = length << 8 | first[i]; }
    if (length > HEADER_MAX || (int64_t)length > size - 8) {
        return nnc_fail(err, NNC_BAD_SPEC, c->path, "bad header, expected at most %" PRId64 " bytes, found %" PRIu64,
                        size - 8 < HEADER_MAX ? size - 8 : HEADER_MAX, length);
    }
    char *text = malloc((size_t)length + 1);
    if (text == NULL) { return nnc_no_memory(err); }
    const bool complete = fread(text, 1, (size_t)length, file) == length;
    text[length] = '\0';
    const nnc_status status = complete ? read_header(c, arena, text, (size_t)length, size - 8 - (int64_t)length, err)
                                       : bad(c, "cannot be read", err);
    free(text);
    return status;
}

/* ---- reads GGUF files ---- */

/* State while a GGUF file is read. left: number of bytes of the file after the read position. */
typedef struct gguf {
    nnc_checkpoint *c;
    FILE *file;
    int64_t left;
    char architecture[64];
    const char *fault; /* text of the first error in the GGUF file; NULL = no error */
} gguf;

/* Types of the values in a GGUF file, with the numbers that the file uses for them. */
enum {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_TEXT,
    GGUF_LIST,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
};

static const int type_bytes[GGUF_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

/* Number formats of the tensors in a GGUF file. The index is the number of the format in the file. weights, bytes:
 * number of weights and of bytes in a block. bytes 0: no format has this number. */
static const struct {
    const char *name;
    int weights, bytes;
} tensor_types[] = {
    { "F32", 1, 4 },      { "F16", 1, 2 },        { "Q4_0", 32, 18 },    { "Q4_1", 32, 20 },     { "", 0, 0 },
    { "", 0, 0 },         { "Q5_0", 32, 22 },     { "Q5_1", 32, 24 },    { "Q8_0", 32, 34 },     { "Q8_1", 32, 36 },
    { "Q2_K", 256, 84 },  { "Q3_K", 256, 110 },   { "Q4_K", 256, 144 },  { "Q5_K", 256, 176 },   { "Q6_K", 256, 210 },
    { "Q8_K", 256, 292 }, { "IQ2_XXS", 256, 66 }, { "IQ2_XS", 256, 74 }, { "IQ3_XXS", 256, 98 }, { "IQ1_S", 256, 50 },
    { "IQ4_NL", 32, 18 }, { "IQ3_S", 256, 110 },  { "IQ2_S", 256, 82 },  { "IQ4_XS", 256, 136 }, { "I8", 1, 1 },
    { "I16", 1, 2 },      { "I32", 1, 4 },        { "I64", 1, 8 },       { "F64", 1, 8 },        { "IQ1_M", 256, 56 },
    { "BF16", 1, 2 },     { "", 0, 0 },           { "", 0, 0 },          { "", 0, 0 },           { "TQ1_0", 256, 54 },
    { "TQ2_0", 256, 66 }, { "", 0, 0 },           { "", 0, 0 },          { "", 0, 0 },           { "MXFP4", 32, 17 },
    { "NVFP4", 64, 36 },  { "Q1_0", 128, 18 },    { "Q2_0", 64, 18 },
};

static bool wrong(gguf *g, const char *what) {
    g->fault = g->fault != NULL ? g->fault : what;
    return false;
}

static bool take(gguf *g, void *to, int64_t size) {
    if (size > g->left || fread(to, 1, (size_t)size, g->file) != (size_t)size) {
        return wrong(g, "ends too early, or a length is larger than the file");
    }
    g->left -= size;
    return true;
}

static bool skip(gguf *g, uint64_t size) {
    if (size > (uint64_t)g->left || fseeko(g->file, (off_t)size, SEEK_CUR) != 0) {
        return wrong(g, "ends too early, or a length is larger than the file");
    }
    g->left -= (int64_t)size;
    return true;
}

/* Reads a number of 1 to 8 bytes, the lowest byte first, from a GGUF file. Returns false if the file ends early. */
static bool take_number(gguf *g, int size, uint64_t *value) {
    unsigned char bytes[8];
    *value = 0;
    if (!take(g, bytes, size)) { return false; }
    for (int i = size - 1; i >= 0; i--) { *value = *value << 8 | bytes[i]; }
    return true;
}

/* Reads a string from a GGUF file; `text` receives as much of the string as fits. *kept: true if the string is complete
 * and consists of printable ASCII characters. */
static bool take_text(gguf *g, char *text, size_t size, bool *kept) {
    uint64_t length = 0;
    if (!take_number(g, 8, &length) || length > (uint64_t)g->left) {
        return wrong(g, "ends too early, or a length is larger than the file");
    }
    const size_t here = length < size - 1 ? (size_t)length : size - 1;
    if (!take(g, text, (int64_t)here) || !skip(g, length - here)) { return false; }
    text[here] = '\0';
    *kept = here == length;
    for (size_t i = 0; i < here; i++) { *kept = *kept && text[i] >= ' ' && text[i] <= '~'; }
    return true;
}

/* Reads a number of a given type from a GGUF file, and writes it as JSON; NaN, infinity and floats that are too large
 * become 0. Returns false if the file ends early. */
static bool put_number(gguf *g, unsigned type, nnc_buffer *out) {
    uint64_t bits = 0;
    if (!take_number(g, type_bytes[type], &bits)) { return false; }
    switch (type) {
    case GGUF_BOOL: nnc_buffer_text(out, bits != 0 ? "true" : "false"); break;
    case GGUF_F32: {
        const uint32_t low = (uint32_t)bits;
        float value = 0.0F;
        memcpy(&value, &low, sizeof value);
        nnc_buffer_number(out, value > -1e30F && value < 1e30F ? (double)value : 0.0);
        break;
    }
    case GGUF_F64: {
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        nnc_buffer_number(out, value > -1e300 && value < 1e300 ? value : 0.0);
        break;
    }
    case GGUF_I8: nnc_buffer_whole(out, (int8_t)bits); break;
    case GGUF_I16: nnc_buffer_whole(out, (int16_t)bits); break;
    case GGUF_I32: nnc_buffer_whole(out, (int32_t)bits); break;
    case GGUF_I64: nnc_buffer_whole(out, (int64_t)bits); break;
    default: nnc_buffer_number(out, (double)bits); break;
    }
    return true;
}

/* Reads a list from a GGUF file, and writes the list as JSON. If the list has strings, or more than LIST_MAX numbers,
 * writes only the number of items. Returns false if the file ends early or has a wrong value. */
static bool put_list(gguf *g, nnc_buffer *out) {
    uint64_t type = 0, count = 0;
    if (!take_number(g, 4, &type) || !take_number(g, 8, &count)) { return false; }
    if (type >= GGUF_TYPES || type == GGUF_LIST) { return wrong(g, "has a list of an unknown type"); }
    const uint64_t least = type == GGUF_TEXT ? 8 : (uint64_t)type_bytes[type];
    if (count > (uint64_t)g->left / least) { return wrong(g, "ends too early, or a length is larger than the file"); }
    if (type == GGUF_TEXT || count > LIST_MAX) {
        nnc_buffer_number(out, (double)count);
        for (uint64_t i = 0; type == GGUF_TEXT && i < count; i++) {
            uint64_t length = 0;
            if (!take_number(g, 8, &length) || !skip(g, length)) { return false; }
        }
        return type == GGUF_TEXT || skip(g, count * least);
    }
    nnc_buffer_byte(out, '[');
    for (uint64_t i = 0; i < count; i++) {
        nnc_buffer_text(out, i > 0 ? "," : "");
        if (!put_number(g, (unsigned)type, out)) { return false; }
    }
    nnc_buffer_byte(out, ']');
    return true;
}

/* Writes the name of a GGUF key as JSON, with "ARCH" in place of the architecture at its beginning: "llama.block_count"
 * becomes "ARCH.block_count". */
static void put_key(const gguf *g, const char *key, nnc_buffer *out) {
    const size_t length = strlen(g->architecture);
    char name[KEY_MAX + 8];
    const bool own = length > 0 && strncmp(key, g->architecture, length) == 0 && key[length] == '.';
    snprintf(name, sizeof name, "%s%s", own ? "ARCH" : "", own ? key + length : key);
    nnc_put_json_text(out, name);
    nnc_buffer_byte(out, ':');
}

/* Reads one key of a GGUF file with its value, and appends the key and the value to the metadata as JSON. Returns false
 * if the file ends early or has a wrong value. */
static bool take_key(gguf *g) {
    nnc_buffer *out = &g->c->metadata;
    char key[KEY_MAX], text[TEXT_MAX];
    bool kept = false, has_text = false;
    uint64_t type = 0;
    nnc_buffer value = { 0 };
    if (!take_text(g, key, sizeof key, &kept) || !take_number(g, 4, &type)) { return false; }
    if (type >= GGUF_TYPES) { return wrong(g, "has a value of an unknown type"); }
    bool read = true;
    if (type == GGUF_TEXT) {
        read = take_text(g, text, sizeof text, &has_text);
        nnc_put_json_text(&value, read && has_text ? text : "a long text");
        if (read && has_text && kept && strcmp(key, "general.architecture") == 0) {
            snprintf(g->architecture, sizeof g->architecture, "%.63s", text);
        }
    } else {
        read = type == GGUF_LIST ? put_list(g, &value) : put_number(g, (unsigned)type, &value);
    }
    if (read && kept) {
        put_key(g, key, out);
        nnc_buffer_put(out, value.bytes, value.size);
        nnc_buffer_text(out, ",\n");
    }
    out->failed = out->failed || value.failed;
    nnc_buffer_free(&value);
    return read;
}

/* Tests whether a tensor of a GGUF file has constants of rotary positions (rope_freqs, rope_factors), which are no
 * parameters of the model. */
static bool is_constant(const char *name) { return strncmp(name, "rope_f", 6) == 0; }

/* Reads the description of one tensor of a GGUF file: name, dimensions, format. If the tensor is outside the layers or
 * in the first layer, adds its number of elements to the metadata. Returns false if the file ends early or has a wrong
 * value. */
static bool take_tensor(gguf *g) {
    char name[KEY_MAX];
    bool kept = false;
    uint64_t dimensions = 0, type = 0, offset = 0, size = 0;
    int64_t params = 1, bytes = 0, first = 1;
    if (!take_text(g, name, sizeof name, &kept) || !take_number(g, 4, &dimensions)) { return false; }
    if (dimensions > DIMENSIONS_MAX) { return wrong(g, "has a tensor of more than 4 dimensions"); }
    for (uint64_t i = 0; i < dimensions; i++) {
        if (!take_number(g, 8, &size)) { return false; }
        if (size > INT64_MAX || !nnc_mul_i64(params, (int64_t)size, &params)) {
            return wrong(g, "has a tensor that is too large");
        }
        first = i == 0 ? (int64_t)size : first;
    }
    if (!take_number(g, 4, &type) || !take_number(g, 8, &offset)) { return false; }
    if (type >= sizeof tensor_types / sizeof *tensor_types || tensor_types[type].bytes == 0) {
        return wrong(g, "has a tensor of an unknown type");
    }
    if (first % tensor_types[type].weights != 0 ||
        !nnc_mul_i64(params / tensor_types[type].weights, tensor_types[type].bytes, &bytes)) {
        return wrong(g, "has a tensor that its type does not divide");
    }
    if (kept && (strncmp(name, "blk.", 4) != 0 || strncmp(name, "blk.0.", 6) == 0)) {
        char path[KEY_MAX + 8];
        snprintf(path, sizeof path, "tensor.%s", name);
        nnc_put_json_text(&g->c->metadata, path);
        nnc_buffer_print(&g->c->metadata, ":%" PRId64 ",\n", params);
    }
    if (is_constant(name)) { g->c->constants += params; }
    return add_tensor(g->c, tensor_types[type].name, params, bytes) || wrong(g, "has too many weights");
}

/* Returns the name of the number format in which the checkpoint has more bytes than in any other format. */
static const char *main_type(const nnc_checkpoint *c) {
    const nnc_checkpoint_part *best = &c->parts[0];
    for (int i = 1; i < c->part_count; i++) { best = c->parts[i].bytes > best->bytes ? &c->parts[i] : best; }
    return c->part_count > 0 ? best->name : "none";
}

static nnc_status read_gguf(nnc_checkpoint *c, FILE *file, int64_t size, nnc_error *err) {
    gguf g = { .c = c, .file = file, .left = size };
    char magic[4];
    uint64_t version = 0, tensors = 0, keys = 0;
    nnc_buffer_byte(&c->metadata, '{');
    bool well = take(&g, magic, 4) && take_number(&g, 4, &version);
    if (well && (memcmp(magic, "GGUF", 4) != 0 || version < 2 || version > 3)) {
        well = wrong(&g, "is no GGUF file of version 2 or 3");
    }
    well = well && take_number(&g, 8, &tensors) && take_number(&g, 8, &keys);
    for (uint64_t i = 0; well && i < keys; i++) { well = take_key(&g); }
    for (uint64_t i = 0; well && i < tensors; i++) { well = take_tensor(&g); }
    nnc_buffer_print(&c->metadata, "\"checkpoint.type\":\"%s\",\"checkpoint.params\":%" PRId64 "}", main_type(c),
                     c->params - c->constants);
    nnc_buffer_byte(&c->metadata, '\0');
    if (!well) { return bad(c, g.fault, err); }
    return c->metadata.failed ? nnc_no_memory(err) : NNC_OK;
}

static nnc_status read_one(nnc_checkpoint *c, nnc_arena *arena, const char *path, nnc_error *err) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (file == NULL || fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
        if (file != NULL) { fclose(file); }
        return nnc_fail(err, NNC_IO, path, "cannot be opened, expected a readable file");
    }
    const nnc_status read = nnc_checkpoint_parse(c, arena, file, (int64_t)status.st_size, err);
    fclose(file);
    return read;
}

nnc_status nnc_checkpoint_parse(nnc_checkpoint *c, nnc_arena *arena, FILE *file, int64_t size, nnc_error *err) {
    return nnc_ends_in(c->path, ".gguf") ? read_gguf(c, file, size, err) : read_safetensors(c, arena, file, size, err);
}

/* Reads the header of each file that the index of a sharded checkpoint names. If one of these files is missing, takes
 * the numbers of tensors, bytes and parameters from the index (-1 = the index does not have the number). */
static nnc_status read_index(nnc_checkpoint *c, nnc_arena *arena, nnc_json root, nnc_error *err) {
    const nnc_json map = nnc_json_get(root, "weight_map");
    const nnc_json metadata = nnc_json_get(root, "metadata");
    const char *shards[SHARDS_MAX];
    int count = 0, missing = 0;
    if (nnc_json_type_of(map) != NNC_JSON_OBJECT) { return bad(c, "no index, expected \"weight_map\"", err); }
    for (nnc_json at = nnc_json_first(map); at.node != NULL; at = nnc_json_next(at)) {
        const char *name = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "/";
        /* the search begins with the last file, because successive tensors are most often in one file */
        int i = count - 1;
        while (i >= 0 && strcmp(shards[i], name) != 0) { i--; }
        if (strchr(name, '/') != NULL || (i < 0 && count == SHARDS_MAX)) {
            return bad(c, "bad index, expected names of files next to it", err);
        }
        if (i < 0) { shards[count++] = name; }
    }
    for (int i = 0; i < count; i++) {
        const char *path = nnc_path_from(arena, c->path, shards[i]);
        nnc_checkpoint shard = { .path = path };
        nnc_error ignored;
        if (path == NULL) { return nnc_no_memory(err); }
        const nnc_status status = read_one(&shard, arena, path, &ignored);
        missing += status == NNC_IO ? 1 : 0;
        for (int k = 0; status == NNC_OK && k < shard.part_count; k++) {
            if (!add_part(c, &shard.parts[k])) { return bad(c, "has too many weights", err); }
        }
        nnc_buffer_free(&shard.metadata);
        if (status != NNC_OK && status != NNC_IO) { return nnc_fail(err, status, ignored.where, "%s", ignored.what); }
    }
    if (missing > 0) {
        int64_t bytes = 0;
        *c = (nnc_checkpoint){ .path = c->path, .tensors = nnc_json_count(map), .shards = count };
        c->params = -1;
        c->bytes = whole(nnc_json_get(metadata, "total_size"), &bytes) ? bytes : -1;
        (void)whole(nnc_json_get(metadata, "total_parameters"), &c->params);
    }
    c->shards = count;
    return NNC_OK;
}

nnc_status nnc_checkpoint_read(nnc_specs *specs, const char *path, nnc_checkpoint *c, nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    char *text = NULL;
    size_t size = 0;
    *c = (nnc_checkpoint){ .path = path };
    if (!NNC_READS_LAUNCH_FILES) {
        return nnc_fail(err, NNC_BAD_USAGE, path,
                        "works only in the installed program, because the explorer page cannot read checkpoints");
    }
    if (!nnc_ends_in(path, ".json")) { return read_one(c, arena, path, err); }
    NNC_TRY(nnc_file_read_large(path, HEADER_MAX, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = arena, .text = text, .size = size, .values_max = NNC_SCAN_VALUES_MANY
    };
    nnc_status status = nnc_json_parse(&doc) ? NNC_OK : faults.status;
    status = status == NNC_OK ? read_index(c, arena, nnc_json_root(&doc), err) : status;
    nnc_json_free(&doc);
    free(text);
    return status;
}
