/* Autocast: converts a step that was recorded in fp32 to the step that would run under torch.autocast on CUDA with fp32
 * weights.   [autocast]
 *
 *     products, convolutions, attention   16 bits; wider operands are cast first, weights once per forward
 *     norms, softmax, losses, powers      fp32; narrower operands are cast first
 *     batch norms                         the format of their map, whatever the format of their weights
 *     all others                          the widest format of their operands
 *
 * A storage is narrow if its operator writes 16 bits. A second reading of the operators follows the formats from
 * storage to storage. Backward runs no autocast: it has the formats of the tensors that forward kept, and gradients of
 * weights are cast back. Source: PyTorch documentation, torch.amp, "Autocast Op Reference". */
#include "base/base_internal.h"
#include "input/capture_internal.h"

typedef enum rule { RULE_NARROW, RULE_FP32, RULE_MAP, RULE_WIDEST } rule;

/* Readers of the kept tensors of one operator, by size: different operators keep an output and its statistics. */
enum { SLOTS = 4 };
typedef struct kept_sizes {
    double bytes[SLOTS];
    unsigned readers[SLOTS]; /* one bit per rule */
} kept_sizes;

typedef struct caster {
    reader r; /* a copy, in which storages and operators change */
    const int32_t *places;
    int32_t count;
    bool *known, *narrow, *copied; /* one entry per storage */
    bool *writes_narrow;           /* one entry per op of the file */
    kept_sizes *kept;              /* one entry per op of the file */
} caster;

static bool is_fp32_only(const char *name)
{
    static const char *const names[] = { "native_layer_norm",
                                         "native_group_norm",
                                         "_softmax",
                                         "_log_softmax",
                                         "nll_loss",
                                         "mse_loss",
                                         "l1_loss",
                                         "smooth_l1_loss",
                                         "huber_loss",
                                         "binary_cross_entropy",
                                         "kl_div",
                                         "soft_margin_loss",
                                         "pow",
                                         "rsub",
                                         "reciprocal",
                                         "rsqrt",
                                         "exp",
                                         "expm1",
                                         "log",
                                         "log10",
                                         "log1p",
                                         "log2",
                                         "sinh",
                                         "cosh",
                                         "tan",
                                         "acos",
                                         "asin",
                                         "erfinv",
                                         "cumsum",
                                         "cumprod",
                                         "prod",
                                         "sum",
                                         "norm",
                                         "linalg_vector_norm",
                                         "renorm",
                                         "dist",
                                         "_cdist_forward",
                                         "softplus",
                                         NULL };
    return nnc_is_one_of(name, names);
}

/* Returns the rule of a forward operator, or of the forward operator of a backward operator, by its name. */
static rule rule_of(const char *name, bool backward)
{
    static const char *const ends[] = { "_backward_data", "_backward", "_forward", "_with_logits" };
    char base[128];
    bool of_backward = false;
    if (nnc_capture_form(name) >= FORM_PRODUCT) {
        return RULE_NARROW;
    }
    snprintf(base, sizeof base, "%s", name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t length = strlen(base), end = strlen(ends[i]);
        if (length > end && strcmp(base + length - end, ends[i]) == 0) {
            base[length - end] = '\0';
            of_backward = of_backward || i < 2;
        }
    }
    return (!backward || of_backward) && is_fp32_only(base) ? RULE_FP32
           : strstr(base, "batch_norm") != NULL             ? RULE_MAP
                                                            : RULE_WIDEST;
}

static int32_t place_of(const caster *c, const storage *s)
{
    return s->first >= 0 && s->first < c->count ? c->places[s->first] : -1;
}

static bool is_narrow(const caster *c, int32_t number)
{
    const int32_t place = place_of(c, &c->r.storages[number]);
    return c->known[number] ? c->narrow[number] : place >= 0 && c->writes_narrow[place];
}

static unsigned *readers_of(caster *c, const storage *s)
{
    const int32_t place = place_of(c, s);
    kept_sizes *k = place >= 0 ? &c->kept[place] : NULL;
    for (int i = 0; k != NULL && i < SLOTS; i++) {
        if (k->readers[i] == 0 || k->bytes[i] == s->bytes) {
            k->bytes[i] = s->bytes;
            return &k->readers[i];
        }
    }
    return NULL;
}

/* Bytes of tensors before and after the conversion, and the casts. */
typedef struct moved {
    double before, after; /* recorded bytes; bytes under autocast */
    double cast_kernels, cast_bytes;
    bool any, wide; /* there are floating-point operands; one of them is wide */
} moved;

static bool is_single(const tensor *t)
{
    return !t->whole && t->dtype == NNC_FP32;
}

static void add_cast(const tensor *t, moved *m)
{
    m->cast_kernels += 1.0;
    m->cast_bytes += 6.0 * t->elements; /* one side has 4 bytes per element, the other 2 */
}

static void read_operand(caster *c, const tensor *t, rule how, bool backward, moved *m)
{
    const storage *s = &c->r.storages[t->storage];
    const bool narrow = is_narrow(c, t->storage), weight = s->kind == PARAMETER;
    const bool saved = backward && (s->kind == KEPT || s->kind == INPUT || weight);
    const double share = how == RULE_NARROW || (how >= RULE_MAP && narrow) ? 0.5 : 1.0;
    m->before += t->bytes;
    m->after += is_single(t) ? share * t->bytes : t->bytes;
    if (!is_single(t)) {
        return;
    }
    m->any = true;
    m->wide = m->wide || (!narrow && t->elements > 1.0 && (how != RULE_MAP || t->rank > 1));
    if (saved && s->kind == KEPT) {
        unsigned *readers = readers_of(c, s);
        if (readers != NULL) {
            *readers |= 1u << how;
        }
    }
    if (saved || (weight && c->copied[t->storage])) {
        return; /* read in the format in which forward used it */
    }
    if ((how == RULE_NARROW && !narrow) || (how == RULE_FP32 && narrow)) {
        c->copied[t->storage] = weight;
        add_cast(t, m);
    }
}

static void write_result(caster *c, const tensor *t, rule how, bool narrow, moved *m)
{
    const bool gradient = c->r.storages[t->storage].kind == GRADIENT;
    m->before += t->bytes;
    m->after += is_single(t) && narrow ? 0.5 * t->bytes : t->bytes;
    if (is_single(t)) {
        c->known[t->storage] = true;
        c->narrow[t->storage] = narrow && !gradient;
        if (gradient && how == RULE_NARROW) {
            add_cast(t, m); /* to the format of its weight */
        }
    }
}

static double scale_of(const moved *m)
{
    return m->before > 0.0 ? m->after / m->before : 1.0;
}

/* Converts one operator of the file, with entries first to last. */
static void cast_op(caster *c, int32_t number, const tensors *in, const tensors *out)
{
    const int32_t first = c->r.first_of[number], last = c->r.last_of[number];
    moved read = { 0 }, written = { 0 };
    const bool backward = c->r.ops[first].phase == NNC_PHASE_BACKWARD;
    const rule how = rule_of(c->r.ops[first].name, backward);
    for (int32_t i = 0; i < in->count; i++) {
        read_operand(c, &in->of[i], how, backward, &read);
    }
    const bool narrow = how == RULE_NARROW || (how >= RULE_MAP && read.any && !read.wide);
    for (int32_t i = 0; i < out->count; i++) {
        write_result(c, &out->of[i], how, narrow, &written);
    }
    c->writes_narrow[number] = narrow;
    for (int32_t i = first; i < last; i++) {
        nnc_captured_op *op = &c->r.ops[i];
        op->narrow = narrow;
        op->read_bytes *= scale_of(&read);
        op->write_bytes *= scale_of(&written);
        op->cast_kernels = i == first ? read.cast_kernels + written.cast_kernels : 0.0;
        op->cast_bytes = i == first ? read.cast_bytes + written.cast_bytes : 0.0;
    }
}

/* Returns the bytes of a storage under autocast. A kept tensor exists in each format in which backward reads it. */
static double bytes_under(caster *c, int32_t number)
{
    const storage *s = &c->r.storages[number];
    const bool narrow = is_narrow(c, number);
    if (s->whole || s->dtype != NNC_FP32 || (s->kind != KEPT && s->kind != TEMPORARY)) {
        return s->bytes;
    }
    const double own = narrow ? 0.5 : 1.0;
    const unsigned *found = s->kind == KEPT ? readers_of(c, s) : NULL;
    const unsigned readers = found != NULL ? *found : 0;
    if (readers == 0) {
        return own * s->bytes;
    }
    const bool copy = (readers & 1u << (narrow ? RULE_FP32 : RULE_NARROW)) != 0;
    const bool itself = (readers & ~(1u << (narrow ? RULE_FP32 : RULE_NARROW))) != 0;
    return s->bytes * ((itself ? own : 0.0) + (copy ? 1.5 - own : 0.0));
}

static bool begin(caster *c, const reader *recorded)
{
    nnc_arena *arena = recorded->arena;
    const size_t storages = (size_t)recorded->storage_count + 1, ops = (size_t)recorded->file_ops + 1;
    c->r.ops = nnc_arena_array(arena, (size_t)recorded->count + 1, sizeof *c->r.ops);
    c->r.storages = nnc_arena_array(arena, storages, sizeof *c->r.storages);
    c->r.program = nnc_arena_alloc(arena, sizeof *c->r.program);
    c->known = nnc_arena_array(arena, storages, sizeof *c->known);
    c->narrow = nnc_arena_array(arena, storages, sizeof *c->narrow);
    c->copied = nnc_arena_array(arena, storages, sizeof *c->copied);
    c->writes_narrow = nnc_arena_array(arena, ops, sizeof *c->writes_narrow);
    c->kept = nnc_arena_array(arena, ops, sizeof *c->kept);
    if (c->r.ops == NULL || c->r.storages == NULL || c->r.program == NULL || c->known == NULL || c->narrow == NULL ||
        c->copied == NULL || c->writes_narrow == NULL || c->kept == NULL) {
        return false;
    }
    memcpy(c->r.ops, recorded->ops, (size_t)recorded->count * sizeof *c->r.ops);
    memcpy(c->r.storages, recorded->storages, (size_t)recorded->storage_count * sizeof *c->r.storages);
    *c->r.program = *recorded->program;
    c->r.program->ops = c->r.ops;
    c->r.program->input_bytes = 0.0; /* computed again */
    for (int32_t i = 0; i < recorded->count; i++) {
        c->r.ops[i].kept_bytes = c->r.ops[i].transient_bytes = 0.0;
    }
    return true;
}

struct nnc_captured *nnc_capture_autocast(const reader *recorded, nnc_json root, const int32_t *places, int32_t count)
{
    caster c = { .r = *recorded, .places = places, .count = count };
    tensors *in = nnc_arena_alloc(recorded->arena, sizeof *in);
    tensors *out = nnc_arena_alloc(recorded->arena, sizeof *out);
    int32_t number = 0;
    if (in == NULL || out == NULL || !begin(&c, recorded)) {
        nnc_faults_no_memory(recorded->faults);
        return NULL;
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(root, "ops")); at.node != NULL; at = nnc_json_next(at), number++) {
        if (c.r.first_of[number] == c.r.last_of[number]) {
            continue; /* an operator of the optimizer, whose weights are fp32 */
        }
        if (!nnc_capture_tensors(&c.r, at, "inputs", in) || !nnc_capture_tensors(&c.r, at, "outputs", out)) {
            return NULL;
        }
        cast_op(&c, number, in, out);
    }
    for (int32_t i = 0; i < c.r.storage_count; i++) {
        c.r.storages[i].bytes = bytes_under(&c, i);
    }
    return nnc_capture_lifetimes(&c.r, places, count) ? c.r.program : NULL;
}
