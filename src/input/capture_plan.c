/* Lifetimes of the storages of a recorded step, and changes that a plan makes to it: units of the network, which ZeRO 3
 * gathers and full recomputation runs again, and autocast.
 *
 * Units.   [captured-units]  The forward operators are divided, in order, into slots. A slot is a list of equal layers
 * (an entry of "blocks"), a module of a numbered list, such as "layer1.0", or the operators between two of these. The
 * layers and modules are units. Backward operators belong to the slot of their module; in the order of backward the
 * index of the slot never grows. A unit that runs again keeps its inputs: tensors that were created before the unit and
 * are read in the unit.
 *
 * Autocast converts a step that was recorded in fp32 to torch.autocast on CUDA with fp32 weights.   [autocast]
 *
 *     products, convolutions, attention   16 bits; wider operands are cast first, weights once per forward
 *     norms, softmax, losses, powers      fp32; narrower operands are cast first
 *     batch norms                         the format of their map; the format of their weights has no effect
 *     all others                          the widest format of their operands
 *
 * A storage is narrow if its operator writes 16 bits; the operators are read a second time to find the formats of all
 * storages. Backward does not run under autocast: it has the formats of the kept tensors, and gradients of weights are
 * cast back. Source: PyTorch documentation, torch.amp, "Autocast Op Reference". */
#include "base/base_internal.h"
#include "input/capture_internal.h"

/* ---- lifetimes ---- */

/* Adds the bytes of each kept storage to the operator that created it. Kept inputs are counted in the first
 * operator. */
static void add_kept(reader *r, const int32_t *places, int32_t count) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        const int32_t place = s->first >= 0 && s->first < count ? places[s->first] : 0;
        if (s->kind == INPUT) { r->program->input_bytes += s->bytes; }
        if (s->kind == INPUT || s->kind == KEPT) {
            const bool inside = r->first_of[place] < r->last_of[place];
            nnc_captured_op *op = &r->ops[inside ? r->first_of[place] : 0];
            op->kept_bytes += s->bytes; /* first the sum over all repeats; the loop below divides it by their number */
        }
    }
    for (int32_t i = 0; i < r->count; i++) { r->ops[i].kept_bytes /= (double)r->ops[i].repeat; }
}

/* Bytes in memory at one position of the step, by kind of storage. */
typedef struct live {
    double gradients, kept, temporary;
} live;

/* For each storage, adds its bytes to `change` where the storage is first used and subtracts them after its last use. A
 * gradient lives from its first write to the end of the step. */
static void add_lives(const reader *r, int32_t count, live *change) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        const int32_t begin = s->first < 0 ? 0 : s->first < count ? s->first : count;
        const int32_t end = s->kind == GRADIENT || s->last >= count ? count : s->last + 1;
        if (s->kind == GRADIENT && s->first >= 0) {
            change[begin].gradients += s->bytes;
        } else if ((s->kind == INPUT || s->kind == KEPT) && end > begin) {
            change[begin].kept += s->bytes;
            change[end].kept -= s->bytes;
        } else if (s->kind == TEMPORARY && s->first >= 0 && end > begin) {
            change[begin].temporary += s->bytes;
            change[end].temporary -= s->bytes;
        }
    }
}

/* Adds temporary bytes to the backward operators during which these bytes are in memory. The peak is the largest sum of
 * bytes in memory before the optimizer starts. */
bool nnc_capture_lifetimes(reader *r, const int32_t *places, int32_t count) {
    live *change = nnc_arena_array(r->arena, (size_t)count + 2, sizeof *change), now = { 0 };
    double most = -1.0;
    if (change == NULL) { return nnc_faults_no_memory(r->faults); }
    add_kept(r, places, count);
    add_lives(r, count, change);
    for (int32_t i = 0; i < count; i++) {
        const int32_t first = r->first_of[places[i]], last = r->last_of[places[i]];
        now.gradients += change[i].gradients;
        now.kept += change[i].kept;
        now.temporary += change[i].temporary;
        if (first < last && now.gradients + now.kept + now.temporary > most) {
            most = now.gradients + now.kept + now.temporary;
            r->program->peak_gradients = now.gradients;
            r->program->peak_kept = now.kept;
            r->program->peak_temporary = now.temporary;
        }
        for (int32_t j = first; j < last; j++) {
            nnc_captured_op *op = &r->ops[j];
            if (op->phase == NNC_PHASE_BACKWARD && now.temporary > op->transient_bytes) {
                op->transient_bytes = now.temporary;
            }
        }
    }
    return true;
}

/* ---- units ---- */

enum { UNITS_MAX = 256 }; /* largest number of units; operators of further modules are treated as outside of units */

/* Lengths of two starts of a module path: up to its first number, and with the number ("layers." and "layers.3" of
 * "layers.3.attn"). 0 and 0 = the path has no number. */
typedef struct unit_name {
    size_t stem, whole;
} unit_name;

static unit_name unit_of(const char *path) {
    for (const char *part = path; *part != '\0'; part += strcspn(part, ".") + (part[strcspn(part, ".")] == '.')) {
        const size_t digits = strspn(part, "0123456789");
        if (digits > 0 && (part[digits] == '.' || part[digits] == '\0')) {
            return (unit_name){ (size_t)(part - path), (size_t)(part - path) + digits };
        }
    }
    return (unit_name){ 0, 0 };
}

/* Compares two module paths. Returns 2 for modules of the same unit, 1 for modules of two units in the same numbered
 * list, else 0. */
static int likeness(const char *a, const char *b) {
    const unit_name x = unit_of(a), y = unit_of(b);
    return x.whole == 0 || x.stem != y.stem || strncmp(a, b, x.stem) != 0 ? 0
           : x.whole == y.whole && strncmp(a, b, x.whole) == 0            ? 2
                                                                          : 1;
}

/* Returns, for each op of the file, the number (from 1) of the entry of "blocks" that contains it; 0 = no entry.
 * place_ops has checked "blocks". */
static int32_t *blocks_of(const reader *r, nnc_json blocks) {
    int32_t *block = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *block), number = 0;
    for (nnc_json item = nnc_json_first(blocks); block != NULL && item.node != NULL; item = nnc_json_next(item)) {
        const int64_t first = (int64_t)nnc_json_number(nnc_json_first(item));
        const int64_t length = (int64_t)nnc_json_number(nnc_json_next(nnc_json_first(item)));
        number++;
        for (int64_t i = first; i < first + length; i++) { block[i] = number; }
    }
    return block;
}

/* Divides the forward ops into slots (see the top of this file). Sets slot_of[i] to the index of the slot of op i; -1
 * for backward ops. */
static void cut_forward(reader *r, const int32_t *block, int32_t *slot_of) {
    int32_t last = -1, units = 0;
    for (int32_t i = 0; i < r->file_ops; i++) {
        slot_of[i] = -1;
        if (r->backward_of[i]) {
            last = -1;
            continue;
        }
        const unit_name name = unit_of(r->module_of[i]);
        const bool same = last >= 0 && block[i] == block[last] &&
                          (block[i] > 0 || likeness(r->module_of[i], r->module_of[last]) == 2 ||
                           name.whole + unit_of(r->module_of[last]).whole == 0);
        if (!same) {
            const bool unit = (block[i] > 0 || name.whole > 0) && units < UNITS_MAX;
            const int64_t repeat = r->first_of[i] < r->last_of[i] ? r->ops[r->first_of[i]].repeat : 1;
            units += unit;
            r->slots[r->program->slot_count++] = (nnc_captured_slot){ unit, unit ? repeat : 1, 0.0 };
        }
        slot_of[i] = r->program->slot_count - 1;
        last = i;
    }
}

/* Indices of forward operators: the first operator of each unit. The module of this operator identifies the unit. */
typedef struct slot_names {
    int32_t *ops, count;
} slot_names;

static slot_names name_slots(const reader *r, const int32_t *slot_of) {
    slot_names names = { nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *names.ops), 0 };
    int32_t last = -1;
    for (int32_t i = 0; names.ops != NULL && i < r->file_ops; i++) {
        const bool same = last >= 0 && slot_of[i] == slot_of[last];
        if (r->backward_of[i] ||
            (same && (r->module_of[i] == r->module_of[last] || likeness(r->module_of[i], r->module_of[last]) == 2))) {
            continue;
        }
        last = i;
        if (unit_of(r->module_of[i]).whole > 0) { names.ops[names.count++] = i; }
    }
    return names;
}

/* Returns the slot whose module path is most like the path of a backward operator; -1 = no path is alike. If the
 * operator belongs to folded layers, a slot of equal layers is preferred; otherwise a slot of the operator's unit.
 * Among equally good slots, the last is returned. */
static int32_t slot_like(const reader *r, const slot_names *names, const int32_t *block, const int32_t *slot_of,
                         int32_t number) {
    int32_t found = -1;
    int most = 0;
    for (int32_t j = 0; j < names->count; j++) {
        const int32_t i = names->ops[j];
        const int like = likeness(r->module_of[i], r->module_of[number]), folded = block[i] > 0;
        const int score = like == 0 ? 0 : block[number] > 0 ? like + 2 * folded : 2 * like + (1 - folded);
        if (score > 0 && score >= most) {
            most = score;
            found = slot_of[i];
        }
    }
    return found;
}

/* Sets the slot of each backward operator. An operator outside of units gets the slot of the next backward operator
 * that is in a unit, or else the first slot. Operators before all units get the last slot. */
static void assign_backward(const reader *r, const slot_names *names, const int32_t *block, int32_t *slot_of) {
    int32_t least = 0, first = r->file_ops; /* first: index of the first backward operator that belongs to a unit */
    for (int32_t i = r->file_ops - 1; i >= 0; i--) {
        if (!r->backward_of[i]) { continue; }
        const bool known = i + 1 < r->file_ops && r->backward_of[i + 1] && r->module_of[i + 1] == r->module_of[i] &&
                           block[i + 1] == block[i];
        const int32_t like = known ? -1 : slot_like(r, names, block, slot_of, i);
        first = like >= 0 || (known && first == i + 1) ? i : first;
        least = like > least ? like : least;
        slot_of[i] = least;
    }
    for (int32_t i = 0; i < first && first < r->file_ops; i++) {
        slot_of[i] = r->backward_of[i] ? r->program->slot_count - 1 : slot_of[i];
    }
}

/* Tests whether an operator of the slot creates a tensor of `bytes` bytes. Each repeat of the slot then passes such a
 * tensor to the next repeat. */
static bool is_passed_on(const reader *r, const int32_t *places, const int32_t *slot_of, int32_t slot, double bytes) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        const bool made =
            s->first >= 0 && (s->kind == KEPT || s->kind == TEMPORARY) && !(s->bytes < bytes) && !(s->bytes > bytes);
        if (made && slot_of[places[s->first]] == slot) { return true; }
    }
    return false;
}

static void find_entering(reader *r, const int32_t *places, int32_t count, const int32_t *slot_of) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        storage *s = &r->storages[i];
        const bool made = s->first >= 0 && s->first < count;
        const int32_t from = made ? slot_of[places[s->first]] : -1, to = s->reader >= 0 ? slot_of[s->reader] : -1;
        const bool first_unit = s->kind == INPUT && r->slots[slot_of[0]].unit; /* inputs are counted in the first op, so
                                                                                * the first slot must be a unit */
        if (to <= from || s->whole || (s->kind != KEPT && s->kind != TEMPORARY && !first_unit)) { continue; }
        const int32_t unit = r->slots[to].unit ? to : from >= 0 && r->slots[from].unit ? from : -1;
        if (unit >= 0) {
            const double repeat = (double)r->slots[unit].repeat;
            const bool passed = unit == to && repeat > 1.0 && is_passed_on(r, places, slot_of, unit, s->bytes);
            const bool counted = s->kind == KEPT && (from < 0 || !r->slots[from].unit); /* the bytes of the storage
                                                                                         * are already counted as
                                                                                         * kept, by an operator
                                                                                         * outside of units */
            s->enters = unit;
            s->enters_repeat = ((passed ? repeat : 1.0) - counted) / repeat;
        }
    }
}

bool nnc_capture_slots(reader *r, nnc_json blocks, const int32_t *places, int32_t count) {
    int32_t *slot_of = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *slot_of);
    const int32_t *block = blocks_of(r, blocks);
    r->slots = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *r->slots);
    if (slot_of == NULL || block == NULL || r->slots == NULL) { return false; }
    cut_forward(r, block, slot_of);
    const slot_names names = name_slots(r, slot_of);
    if (names.ops == NULL) { return false; }
    assign_backward(r, &names, block, slot_of);
    for (int32_t i = 0; i < r->file_ops; i++) {
        for (int32_t j = r->first_of[i]; j < r->last_of[i]; j++) { r->ops[j].slot = slot_of[i]; }
    }
    find_entering(r, places, count, slot_of);
    nnc_capture_slot_bytes(r);
    return true;
}

void nnc_capture_slot_bytes(reader *r) {
    for (int32_t i = 0; i < r->program->slot_count; i++) { r->slots[i].input_bytes = 0.0; }
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        if (s->enters >= 0) { r->slots[s->enters].input_bytes += s->enters_repeat * s->bytes; }
    }
    r->program->slots = r->slots;
}

/* ---- autocast ---- */

typedef enum rule { RULE_NARROW, RULE_FP32, RULE_MAP, RULE_WIDEST } rule;

/* Number of tensor sizes per operator whose readers are recorded: an output and its statistics have different
 * readers. */
enum { SLOTS = 4 };
typedef struct kept_sizes {
    double bytes[SLOTS];
    unsigned readers[SLOTS]; /* for each size: bit set of the autocast rules of the operators that read such tensors */
} kept_sizes;

typedef struct caster {
    reader r; /* a copy of the recorded step, whose storages and operators change */
    const int32_t *places;
    int32_t count;
    bool *known, *narrow, *copied; /* for each storage: whether its format is known; if known, whether it has 16
                                    * bits; whether its cast, once per forward, is counted */
    bool *writes_narrow;           /* for each op of the file: true if it writes 16 bits */
    kept_sizes *kept;              /* for each op of the file: sizes of the tensors that it keeps for backward */
} caster;

static bool is_fp32_only(const char *name) {
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

/* Returns the autocast rule of an operator. Its name without an ending such as "_backward" names a forward operator,
 * whose rule applies. */
static rule rule_of(const char *name, bool backward) {
    static const char *const ends[] = { "_backward_data", "_backward", "_forward", "_with_logits" };
    char base[128];
    bool of_backward = false;
    if (nnc_capture_form(name) >= FORM_PRODUCT) { return RULE_NARROW; }
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

static int32_t place_of(const caster *c, const storage *s) {
    return s->first >= 0 && s->first < c->count ? c->places[s->first] : -1;
}

static bool is_narrow(const caster *c, int32_t number) {
    const int32_t place = place_of(c, &c->r.storages[number]);
    return c->known[number] ? c->narrow[number] : place >= 0 && c->writes_narrow[place];
}

static unsigned *readers_of(caster *c, const storage *s) {
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

/* Bytes that an operator reads and writes, and the kernels and bytes of its casts. */
typedef struct moved {
    double before, after; /* bytes that are read and written: in the recorded step; under autocast */
    double cast_kernels, cast_bytes;
    bool any, wide; /* any: an operand is in floating point; wide: such an operand has 32 bits */
} moved;

static bool is_single(const tensor *t) { return !t->whole && t->dtype == NNC_FP32; }

static void add_cast(const tensor *t, moved *m) {
    m->cast_kernels += 1.0;
    m->cast_bytes += 6.0 * t->elements; /* a cast reads or writes 4 bytes and 2 bytes per element */
}

static void read_operand(caster *c, const tensor *t, rule how, bool backward, moved *m) {
    const storage *s = &c->r.storages[t->storage];
    const bool narrow = is_narrow(c, t->storage), weight = s->kind == PARAMETER || s->kind == FROZEN;
    const bool saved = backward && (s->kind == KEPT || s->kind == INPUT || weight);
    const double share = how == RULE_NARROW || (how >= RULE_MAP && narrow) ? 0.5 : 1.0;
    m->before += t->bytes;
    m->after += is_single(t) ? share * t->bytes : t->bytes;
    if (!is_single(t)) { return; }
    m->any = true;
    m->wide = m->wide || (!narrow && t->elements > 1.0 && (how != RULE_MAP || t->rank > 1));
    if (saved && s->kind == KEPT) {
        unsigned *readers = readers_of(c, s);
        if (readers != NULL) { *readers |= 1u << how; }
    }
    if (saved || (weight && c->copied[t->storage])) {
        return; /* backward reads the tensor in the format in which forward used it */
    }
    if ((how == RULE_NARROW && !narrow) || (how == RULE_FP32 && narrow)) {
        c->copied[t->storage] = weight;
        add_cast(t, m);
    }
}

static void write_result(caster *c, const tensor *t, rule how, bool narrow, moved *m) {
    const bool gradient = c->r.storages[t->storage].kind == GRADIENT;
    m->before += t->bytes;
    m->after += is_single(t) && narrow ? 0.5 * t->bytes : t->bytes;
    if (is_single(t)) {
        c->known[t->storage] = true;
        c->narrow[t->storage] = narrow && !gradient;
        if (gradient && how == RULE_NARROW) {
            add_cast(t, m); /* a gradient of a weight is cast to the format of the weight */
        }
    }
}

static double scale_of(const moved *m) { return m->before > 0.0 ? m->after / m->before : 1.0; }

/* Converts one operator of the file, which has one or several entries in ops. */
static void cast_op(caster *c, int32_t number, const tensors *in, const tensors *out) {
    const int32_t first = c->r.first_of[number], last = c->r.last_of[number];
    moved read = { 0 }, written = { 0 };
    const bool backward = c->r.ops[first].phase == NNC_PHASE_BACKWARD;
    const rule how = rule_of(c->r.ops[first].name, backward);
    for (int32_t i = 0; i < in->count; i++) { read_operand(c, &in->of[i], how, backward, &read); }
    const bool narrow = how == RULE_NARROW || (how >= RULE_MAP && read.any && !read.wide);
    for (int32_t i = 0; i < out->count; i++) { write_result(c, &out->of[i], how, narrow, &written); }
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
static double bytes_under(caster *c, int32_t number) {
    const storage *s = &c->r.storages[number];
    const bool narrow = is_narrow(c, number);
    if (s->whole || s->dtype != NNC_FP32 || (s->kind != KEPT && s->kind != TEMPORARY)) { return s->bytes; }
    const double own = narrow ? 0.5 : 1.0;
    const unsigned *found = s->kind == KEPT ? readers_of(c, s) : NULL;
    const unsigned readers = found != NULL ? *found : 0;
    if (readers == 0) { return own * s->bytes; }
    const bool copy = (readers & 1u << (narrow ? RULE_FP32 : RULE_NARROW)) != 0;
    const bool itself = (readers & ~(1u << (narrow ? RULE_FP32 : RULE_NARROW))) != 0;
    return s->bytes * ((itself ? own : 0.0) + (copy ? 1.5 - own : 0.0));
}

static bool begin(caster *c, const reader *recorded) {
    nnc_arena *arena = recorded->arena;
    const size_t storages = (size_t)recorded->storage_count + 1, ops = (size_t)recorded->file_ops + 1;
    c->r.ops = nnc_arena_array(arena, (size_t)recorded->count + 1, sizeof *c->r.ops);
    c->r.storages = nnc_arena_array(arena, storages, sizeof *c->r.storages);
    c->r.program = nnc_arena_alloc(arena, sizeof *c->r.program);
    c->r.slots = nnc_arena_array(arena, (size_t)recorded->program->slot_count + 1, sizeof *c->r.slots);
    c->known = nnc_arena_array(arena, storages, sizeof *c->known);
    c->narrow = nnc_arena_array(arena, storages, sizeof *c->narrow);
    c->copied = nnc_arena_array(arena, storages, sizeof *c->copied);
    c->writes_narrow = nnc_arena_array(arena, ops, sizeof *c->writes_narrow);
    c->kept = nnc_arena_array(arena, ops, sizeof *c->kept);
    if (c->r.ops == NULL || c->r.storages == NULL || c->r.program == NULL || c->r.slots == NULL || c->known == NULL ||
        c->narrow == NULL || c->copied == NULL || c->writes_narrow == NULL || c->kept == NULL) {
        return false;
    }
    memcpy(c->r.ops, recorded->ops, (size_t)recorded->count * sizeof *c->r.ops);
    memcpy(c->r.slots, recorded->slots, (size_t)recorded->program->slot_count * sizeof *c->r.slots);
    memcpy(c->r.storages, recorded->storages, (size_t)recorded->storage_count * sizeof *c->r.storages);
    *c->r.program = *recorded->program;
    c->r.program->ops = c->r.ops;
    c->r.program->input_bytes = 0.0; /* input_bytes is summed again below */
    for (int32_t i = 0; i < recorded->count; i++) { c->r.ops[i].kept_bytes = c->r.ops[i].transient_bytes = 0.0; }
    return true;
}

struct nnc_captured *nnc_capture_autocast(const reader *recorded, nnc_json root, const int32_t *places, int32_t count) {
    caster c = { .r = *recorded, .places = places, .count = count };
    tensors *in = recorded->in, *out = recorded->out;
    int32_t number = 0;
    if (!begin(&c, recorded)) {
        nnc_faults_no_memory(recorded->faults);
        return NULL;
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(root, "ops")); at.node != NULL; at = nnc_json_next(at), number++) {
        if (c.r.first_of[number] == c.r.last_of[number]) {
            continue; /* the operator belongs to the optimizer, whose weights are fp32 */
        }
        if (!nnc_capture_tensors(&c.r, at, "inputs", in) || !nnc_capture_tensors(&c.r, at, "outputs", out)) {
            return NULL;
        }
        cast_op(&c, number, in, out);
    }
    for (int32_t i = 0; i < c.r.storage_count; i++) { c.r.storages[i].bytes = bytes_under(&c, i); }
    nnc_capture_slot_bytes(&c.r);
    return nnc_capture_lifetimes(&c.r, places, count) ? c.r.program : NULL;
}
