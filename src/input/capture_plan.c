/* Computes the kernels and the lifetimes of the tensors of a recorded step. Finds the units of the network: ZeRO 3
 * gathers the weights of a unit at once, and full recomputation runs a unit a second time in backward. Converts the
 * step to autocast.
 *
 * Units. [captured-units] The forward operators are divided, in order, into slots. A slot is a list of equal layers (an
 * entry of "blocks"), a module of a numbered list, such as "layer1.0", or the operators between two such layers or
 * modules. A list of equal layers is a unit, and so is a module of a numbered list. Backward operators belong to the
 * slot of their module; in the order of backward the index of the slot never grows. If a unit has a second run in
 * backward, its inputs are kept: tensors that were created before the unit and are read in the unit.
 *
 * Autocast converts a step that was recorded in fp32 to torch.autocast on CUDA with fp32 weights. [autocast]
 *
 * Products, convolutions and attention run in 16 bits: wider operands are cast first, weights once per forward.
 * Norms, softmax, losses and powers run in fp32: narrower operands are cast first.
 * Batch norms run in the format of their map; the format of their weights has no effect.
 * All other operators run in the widest format of their operands.
 *
 * A storage is narrow if its operator writes 16 bits; the operators are read a second time to find the formats of all
 * storages. Backward does not run under autocast: each operator of backward has the formats of the kept tensors that it
 * reads, and the gradients of weights are cast to the format of the weights. Source: PyTorch documentation, torch.amp,
 * "Autocast Op Reference". */
#include "base/base_internal.h"
#include "input/capture_internal.h"

/* ---- lifetimes of storages ---- */

/* Adds the bytes of each kept storage to kept_bytes of the operator that created the storage. If an input of the
 * network is kept, its bytes are added to the first operator. */
static void add_kept(reader *r, const int32_t *places, int32_t count) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        const int32_t place = s->first >= 0 && s->first < count ? places[s->first] : 0;
        if (s->kind == INPUT) { r->program->input_bytes += s->bytes; }
        if (s->kind == INPUT || s->kind == KEPT) {
            const bool inside = r->first_of[place] < r->last_of[place];
            nnc_captured_op *op = &r->ops[inside ? r->first_of[place] : 0];
            /* at this point, kept_bytes is the sum over all repeats of the operator; the division by the number of
             * repeats follows */
            op->kept_bytes += s->bytes;
        }
    }
    for (int32_t i = 0; i < r->count; i++) { r->ops[i].kept_bytes /= (double)r->ops[i].repeat; }
}

/* Bytes that are in memory while one operator of the recorded step runs, by kind of storage. */
typedef struct live {
    double gradients, kept, temporary;
} live;

/* For each storage, adds the bytes of the storage to `change` at the position of its first use, and subtracts these
 * bytes after the last use. A gradient that this step computes stays in memory to the end of the step, so its bytes are
 * not subtracted. A gradient that exists before the step comes from the step before, and stays in memory until the
 * program clears it. If the user changes the recorded step (r->asked is set), gradients of the step before are left
 * out. */
static void add_lives(const reader *r, int32_t count, live *change) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        const storage *s = &r->storages[i];
        const int32_t begin = s->first < 0 ? 0 : s->first < count ? s->first : count;
        const bool own = s->kind == GRADIENT && s->first >= 0; /* true: a gradient that this step computes */
        const int32_t end = own || s->last >= count ? count : s->last + 1;
        if (own || (s->kind == GRADIENT && r->asked == NULL)) {
            change[begin].gradients += s->bytes;
            change[end].gradients -= s->bytes;
        } else if ((s->kind == INPUT || s->kind == KEPT || s->kind == BUFFER) && end > begin) {
            change[begin].kept += s->bytes;
            change[end].kept -= s->bytes;
        } else if (s->kind == TEMPORARY && s->first >= 0 && end > begin) {
            change[begin].temporary += s->bytes;
            change[end].temporary -= s->bytes;
        }
    }
}

/* Sets the transient bytes of each backward operator: the largest sum of temporary tensors that are in memory while the
 * operator runs. The function also finds the peak of the step: the largest sum of gradients, kept and temporary tensors
 * in memory before the optimizer starts. Returns false if memory ran out. */
bool nnc_capture_lifetimes(reader *r, const int32_t *places, int32_t count) {
    live *change = calloc((size_t)count + 2, sizeof *change), now = { 0 };
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
    free(change);
    return true;
}

/* ---- tokens of the step ---- */

void nnc_capture_note_lookup(reader *r, const issue *o) {
    const int64_t tokens = (int64_t)o->in.of[1].elements;
    if (tokens > r->program->tokens) {
        r->program->tokens = tokens;
        r->lookup = o;
        r->lookups = o->repeat;
    } else if (r->lookup != NULL && tokens == r->program->tokens && o->module == r->lookup->module) {
        r->lookups += o->repeat;
    }
}

void nnc_capture_count_tokens(reader *r) {
    const tensor *words = r->lookup != NULL ? &r->lookup->in.of[1] : NULL;
    if (words == NULL || r->program->batch % r->lookups != 0 || words->elements * (double)r->lookups > BYTES_MAX) {
        return;
    }
    for (int32_t i = 0; i < words->rank; i++) {
        if (words->shape[i] == r->program->batch / r->lookups) {
            r->program->tokens *= r->lookups;
            return;
        }
    }
}

/* ---- units: slots of the step ---- */

/* largest number of units; operators of modules beyond this number are treated as operators outside of units */
enum { UNITS_MAX = 256 };

/* The lengths of two beginnings of a module path: up to its first number, and with this number. In "layers.3.attn",
 * stem is the length of "layers.", and whole is the length of "layers.3". stem and whole are 0 if the path has no
 * number. */
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

/* Compares two module paths. x, y: results of unit_of for the two paths. Returns 2 if both modules belong to one unit,
 * 1 if they belong to two units of one numbered list, and 0 if they do not belong to units of one list. */
static int likeness(const char *a, unit_name x, const char *b, unit_name y) {
    return x.whole == 0 || x.stem != y.stem || strncmp(a, b, x.stem) != 0 ? 0
           : x.whole == y.whole && strncmp(a, b, x.whole) == 0            ? 2
                                                                          : 1;
}

/* Returns an array with one entry for each operator of the file: 1 + the index of the list of equal layers (entry of
 * "blocks") that contains the operator; 0 = no list contains the operator. The function place_ops has checked "blocks"
 * before. */
static int32_t *blocks_of(const reader *r) {
    int32_t *block = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *block), number = 0;
    for (nnc_json item = nnc_json_first(r->blocks); block != NULL && item.node != NULL; item = nnc_json_next(item)) {
        const int64_t first = (int64_t)nnc_json_number(nnc_json_first(item));
        const int64_t length = (int64_t)nnc_json_number(nnc_json_next(nnc_json_first(item)));
        number++;
        for (int64_t i = first; i < first + length; i++) { block[i] = number; }
    }
    return block;
}

/* Divides the forward ops into slots (units, and the operators between units). Sets slot_of[i] to the index of the slot
 * of op i; -1 for backward ops. */
static void cut_forward(reader *r, const int32_t *block, int32_t *slot_of) {
    int32_t last = -1, units = 0;
    unit_name before = { 0, 0 }; /* unit to which the module of the operator with the index `last` belongs */
    for (int32_t i = 0; i < r->file_ops; i++) {
        slot_of[i] = -1;
        if (r->backward_of[i]) {
            last = -1;
            continue;
        }
        const unit_name name = unit_of(r->module_of[i]);
        const bool same = last >= 0 && block[i] == block[last] &&
                          (block[i] > 0 || likeness(r->module_of[i], name, r->module_of[last], before) == 2 ||
                           name.whole + before.whole == 0);
        if (!same) {
            const bool unit = (block[i] > 0 || name.whole > 0) && units < UNITS_MAX;
            const int64_t repeat = r->first_of[i] < r->last_of[i] ? r->ops[r->first_of[i]].repeat : 1;
            units += unit;
            r->slots[r->program->slot_count++] = (nnc_captured_slot){ unit, unit ? repeat : 1, 0.0 };
        }
        slot_of[i] = r->program->slot_count - 1;
        last = i;
        before = name;
    }
}

/* A list of operators, by their indices: the first forward operator of each unit. The path of the module that called
 * the operator identifies the unit. */
typedef struct slot_names {
    int32_t *ops, count;
    unit_name *units; /* for each operator of the list, the unit to which its module belongs */
} slot_names;

static slot_names name_slots(const reader *r, const int32_t *slot_of) {
    const size_t count = (size_t)r->file_ops + 1;
    slot_names names = { nnc_arena_array(r->arena, count, sizeof *names.ops), 0,
                         nnc_arena_array(r->arena, count, sizeof *names.units) };
    int32_t last = -1;
    unit_name before = { 0, 0 }; /* unit to which the module of the operator with the index `last` belongs */
    for (int32_t i = 0; names.ops != NULL && names.units != NULL && i < r->file_ops; i++) {
        const bool same = last >= 0 && slot_of[i] == slot_of[last];
        if (r->backward_of[i] || (same && r->module_of[i] == r->module_of[last])) { continue; }
        const unit_name own = unit_of(r->module_of[i]);
        if (same && likeness(r->module_of[i], own, r->module_of[last], before) == 2) { continue; }
        last = i;
        before = own;
        names.units[names.count] = own;
        if (own.whole > 0) { names.ops[names.count++] = i; }
    }
    return names;
}

/* Returns the slot whose module path has most in common with the module path of a backward operator; -1 = no path has
 * anything in common. For an operator of folded layers, the function prefers a slot of equal layers; for other
 * operators, a slot of the operator's unit. Among equally good slots, the function returns the last. */
static int32_t slot_like(const reader *r, const slot_names *names, const int32_t *block, const int32_t *slot_of,
                         int32_t number) {
    const unit_name own = unit_of(r->module_of[number]);
    int32_t found = -1;
    int most = 0;
    for (int32_t j = 0; j < names->count; j++) {
        const int32_t i = names->ops[j];
        const int like = likeness(r->module_of[i], names->units[j], r->module_of[number], own), folded = block[i] > 0;
        const int score = like == 0 ? 0 : block[number] > 0 ? like + 2 * folded : 2 * like + (1 - folded);
        if (score > 0 && score >= most) {
            most = score;
            found = slot_of[i];
        }
    }
    return found;
}

/* Sets the slot of each backward operator. An operator outside of units gets the slot of the next operator in a unit,
 * or the first slot if no operator in a unit follows. The operators before the first operator in a unit, such as those
 * of the loss, get the last slot. */
static void assign_backward(const reader *r, const slot_names *names, const int32_t *block, int32_t *slot_of) {
    int32_t least = 0, first = r->file_ops; /* `first`: index of the first backward operator that belongs to a unit */
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

/* Tests whether an operator of the slot creates a tensor of `bytes` bytes. If the slot creates such a tensor, nncost
 * assumes that the slot passes a tensor of `bytes` bytes from each repeat to the next. */
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
        /* A network input is already counted at the first operator of the step. If the first operator of the step is
         * outside of units, it already counts the network input, so no unit counts this input a second time. */
        const bool first_unit = s->kind == INPUT && r->slots[slot_of[0]].unit;
        if (to <= from || s->whole || (s->kind != KEPT && s->kind != TEMPORARY && !first_unit)) { continue; }
        const int32_t unit = r->slots[to].unit ? to : from >= 0 && r->slots[from].unit ? from : -1;
        if (unit >= 0) {
            const double repeat = (double)r->slots[unit].repeat;
            const bool passed = unit == to && repeat > 1.0 && is_passed_on(r, places, slot_of, unit, s->bytes);
            /* an operator outside of units already counts the bytes of the storage as kept */
            const bool counted = s->kind == KEPT && (from < 0 || !r->slots[from].unit);
            s->enters = unit;
            s->enters_repeat = ((passed ? repeat : 1.0) - counted) / repeat;
        }
    }
}

bool nnc_capture_slots(reader *r, const int32_t *places, int32_t count) {
    int32_t *slot_of = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *slot_of);
    const int32_t *block = blocks_of(r);
    r->slots = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *r->slots);
    if (slot_of == NULL || block == NULL || r->slots == NULL) { return false; }
    cut_forward(r, block, slot_of);
    const slot_names names = name_slots(r, slot_of);
    if (names.ops == NULL || names.units == NULL) { return false; }
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

/* ---- torch.compile: fused kernels ---- */

bool nnc_capture_note_tensors(reader *r, form how, const tensors *in, const tensors *out) {
    for (int32_t i = 0; i < in->count + out->count; i++) {
        const bool written = i >= in->count;
        const tensor *t = written ? &out->of[i - in->count] : &in->of[i];
        if (r->ref_count == r->ref_capacity) {
            ref *grown = nnc_arena_grow(r->arena, r->refs, r->ref_count, &r->ref_capacity, sizeof *r->refs);
            if (grown == NULL) { return nnc_faults_no_memory(r->faults); }
            r->refs = grown;
        }
        const double rows = how == FORM_GATHER && i == 0 && out->count > 0 ? out->of[0].bytes : INFINITY;
        r->refs[r->ref_count++] = (ref){ .storage = how == FORM_WRITE && i == 0 ? -1 : t->storage,
                                         .written = written,
                                         .elements = t->elements,
                                         .bytes = fmin(t->bytes, rows),
                                         .width = t->rank > 0 ? t->shape[t->rank - 1] : 1 };
    }
    return true;
}

/* Operators that torch.compile fuses, sorted by the way in which they fuse. A "_" at the end of an operator's name is
 * ignored. */
static const struct {
    fusion how;
    const char *names;
} fusions[] = {
    { FUSION_POINTWISE,
      " abs acos add addcdiv addcmul arange asin atan atan2 bernoulli bitwise_and bitwise_not bitwise_or cat ceil celu "
      "clamp clamp_max clamp_min clone constant_pad_nd copy cos cosh div dropout elu elu_backward embedding eq erf "
      "erfinv exp expm1 fill floor floor_divide fmod full full_like ge gelu gelu_backward glu glu_backward gt "
      "hardsigmoid hardsigmoid_backward hardswish hardswish_backward hardtanh hardtanh_backward index index_select "
      "isfinite isinf isnan le leaky_relu leaky_relu_backward lerp log log10 log1p log2 log_sigmoid_backward "
      "log_sigmoid_forward logical_and logical_not logical_or lt masked_fill maximum minimum mish mish_backward mul "
      "native_dropout native_dropout_backward ne neg new_zeros nll_loss_backward ones ones_like pow rand rand_like "
      "randn randn_like reciprocal relu remainder roll round rsqrt rsub scalar_tensor select_backward sgn sigmoid "
      "sigmoid_backward sign silu silu_backward sin sinh slice_backward softplus softplus_backward sqrt square stack "
      "sub tan tanh tanh_backward threshold threshold_backward _to_copy tril triu upsample_nearest2d where zero zeros "
      "zeros_like binary_cross_entropy_backward huber_loss_backward mse_loss_backward smooth_l1_loss_backward " },
    { FUSION_REDUCTION, " all amax amin any argmax argmin binary_cross_entropy binary_cross_entropy_with_logits "
                        "huber_loss linalg_vector_norm max mean min mse_loss nll_loss_forward norm prod smooth_l1_loss "
                        "std sum var var_mean " },
    { FUSION_NORM, " _log_softmax _log_softmax_backward_data _softmax _softmax_backward_data native_layer_norm " },
    { FUSION_NORM_BACK, " native_layer_norm_backward " },
    { FUSION_MAP, " cudnn_batch_norm native_batch_norm native_group_norm " },
    { FUSION_MAP_BACK, " cudnn_batch_norm_backward native_batch_norm_backward native_group_norm_backward " },
};

/* Tests whether a text of names contains a name of `length` bytes. The text must have a blank before and after each
 * name. */
static bool has_name(const char *names, const char *name, size_t length) {
    char word[128];
    return snprintf(word, sizeof word, " %.*s ", (int)length, name) < (int)sizeof word && strstr(names, word) != NULL;
}

static fusion fusion_of(const char *name) {
    size_t length = strlen(name);
    length -= length > 1 && name[length - 1] == '_';
    for (size_t i = 0; i < sizeof fusions / sizeof fusions[0]; i++) {
        if (has_name(fusions[i].names, name, length)) { return fusions[i].how; }
    }
    return FUSION_NONE;
}

/* A chain: operators that torch.compile runs as one kernel. */
typedef struct chain {
    /* leader: index in `ops` of the first operator of the chain; level: number of kernels, one after the other, that
     * must run before the chain */
    int32_t leader, level, block;
    nnc_phase phase;
    /* domain: number of elements over which the kernel of the chain runs; rows: number of results of its reduction, 0 =
     * the chain has no reduction */
    double domain, rows;
} chain;

/* State of one storage while the operators are read in order: the chain that was the last to write the storage, the
 * chain that was the last to read the storage, and the bytes that were written and are not counted yet. */
typedef struct flow {
    /* writer: chain that was the last to write the storage; reader: chain that was the last to read it; -1 = no
     * chain */
    int32_t writer, reader;
    /* smallest level (number of kernels that must run before) that a chain needs in order to read the storage */
    int32_t level;
    double bytes; /* bytes that the chain `writer` wrote to the storage and that are not counted yet */
    bool escapes; /* true: a chain other than `writer` reads the bytes that `writer` wrote */
} flow;

typedef struct fuser {
    reader *r;
    /* block: for each operator of the file, 1 + index of its entry in "blocks" (the lists of equal layers); 0 = the
     * operator is in no entry. block_end: for each storage, the position at which the repeat of the block with the
     * first use of the storage ends; 0 = no block contains the first use */
    const int32_t *block, *block_end;
    chain *chains;
    int32_t count;
    flow *flows;
} fuser;

/* Sizes of the work of an operator: number of elements that it processes (domain), and number of results of its
 * reduction (rows). */
typedef struct extent {
    double domain, rows;
    /* true: the reduction is not along rows, so an operator that reads the result of the reduction needs another
     * kernel */
    bool across;
} extent;

static extent extent_of(const reader *r, int32_t number, fusion how) {
    const ref *of = &r->refs[r->refs_of[number]], *out = NULL, *widest = NULL;
    for (int32_t i = 0; i < r->refs_of[number + 1] - r->refs_of[number]; i++) {
        out = out == NULL && of[i].written ? &of[i] : out;
        widest = !of[i].written && (widest == NULL || of[i].elements > widest->elements) ? &of[i] : widest;
    }
    if (out == NULL) { return (extent){ 0.0, 0.0, true }; }
    if (how == FUSION_REDUCTION && widest != NULL) {
        const double rows = widest->elements / (double)(widest->width > 0 ? widest->width : 1);
        return (extent){ widest->elements, out->elements, out->elements < rows || out->elements > rows };
    }
    const bool norm = how == FUSION_NORM || how == FUSION_NORM_BACK;
    return (extent){ out->elements, norm ? out->elements / (double)(out->width > 0 ? out->width : 1) : 0.0, false };
}

static bool is_equal(double a, double b) { return !(a < b) && !(a > b); }

/* Tests whether an operator (given as a chain of one operator) can run in the kernel of a chain. The operator and the
 * chain must have equal levels (number of kernels that run before), so that no kernel has to run between the chain and
 * the operator. */
static bool joins(const chain *c, const chain *op) {
    const bool same = is_equal(c->domain, op->domain);
    if (c->level != op->level || c->block != op->block || c->phase != op->phase) { return false; }
    return op->rows > 0.0 ? same && (!(c->rows > 0.0) || is_equal(c->rows, op->rows))
                          : same || (c->rows > 0.0 && is_equal(c->rows, op->domain));
}

/* Adds the bytes that a chain wrote to a storage to the bytes of the chain's kernel, if another kernel reads the
 * storage or if the storage is not temporary. The bytes of a temporary storage never reach memory if the kernel that
 * writes the storage is the only kernel that reads the storage. */
static void settle(fuser *f, int32_t number) {
    flow *s = &f->flows[number];
    const bool lives = f->r->storages[number].kind != TEMPORARY;
    if (s->writer >= 0 && (s->escapes || lives)) { f->r->ops[f->chains[s->writer].leader].fused_bytes += s->bytes; }
    s->bytes = 0.0;
    s->escapes = false;
}

static int32_t chain_of(fuser *f, int32_t number, chain *op) {
    const reader *r = f->r;
    /* pass 0 searches for a chain that wrote an operand of the operator; pass 1 searches for a chain that reads an
     * operand of the operator */
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = r->refs_of[number]; i < r->refs_of[number + 1]; i++) {
            if (r->refs[i].written || r->refs[i].storage < 0) { continue; }
            const flow *s = &f->flows[r->refs[i].storage];
            const int32_t found = pass == 0 ? s->writer : s->reader;
            if (found >= 0 && joins(&f->chains[found], op)) {
                f->chains[found].rows = nnc_max(f->chains[found].rows, op->rows);
                return found;
            }
        }
    }
    f->chains[f->count] = *op;
    r->ops[op->leader].fused_kernels += 1.0;
    return f->count++;
}

/* The operator `number` belongs to the chain `own`. Adds the bytes that the operator reads to the kernel of the chain.
 * Stores the bytes that the operator writes in the flows of its storages. own -1: the operator runs as the kernel of a
 * library, and its bytes are already counted. */
static void flow_through(fuser *f, int32_t number, int32_t own, int32_t level) {
    const reader *r = f->r;
    for (int32_t i = r->refs_of[number]; i < r->refs_of[number + 1]; i++) {
        const ref *t = &r->refs[i];
        if (t->storage < 0) { continue; }
        flow *s = &f->flows[t->storage];
        if (!t->written) {
            const bool inside = own >= 0 && s->writer == own;
            s->escapes = s->escapes || !inside;
            if (own >= 0 && !inside && s->reader != own) { r->ops[f->chains[own].leader].fused_bytes += t->bytes; }
            s->reader = own;
            continue;
        }
        if (s->writer != own) { settle(f, t->storage); }
        const storage *at = &r->storages[t->storage];
        s->writer = own;
        s->level = level;
        s->bytes = nnc_max(s->bytes, t->bytes);
        s->escapes = s->escapes || (f->block_end[t->storage] > 0 && at->last >= f->block_end[t->storage]);
    }
}

static void fuse_op(fuser *f, int32_t number) {
    reader *r = f->r;
    const int32_t first = r->first_of[number];
    nnc_captured_op *op = &r->ops[first];
    const fusion how = op->kind == NNC_CAPTURED_KERNEL ? r->issues[number].by->fusion : FUSION_NONE;
    const extent e = extent_of(r, number, how);
    const ref *in = &r->refs[r->refs_of[number]];
    chain own = { .leader = first, .block = f->block[number], .phase = op->phase, .domain = e.domain, .rows = e.rows };
    for (int32_t i = r->refs_of[number]; i < r->refs_of[number + 1]; i++) {
        const int32_t level = r->refs[i].storage >= 0 ? f->flows[r->refs[i].storage].level : 0;
        own.level = level > own.level ? level : own.level;
    }
    if (how == FUSION_NONE || !(e.domain > 0.0)) {
        for (int32_t i = first; i < r->last_of[number]; i++) {
            r->ops[i].fused_kernels = 1.0;
            r->ops[i].fused_bytes = r->ops[i].read_bytes + r->ops[i].write_bytes;
        }
        flow_through(f, number, -1, own.level + 1);
        return;
    }
    const bool back =
        (how == FUSION_NORM_BACK || how == FUSION_MAP_BACK) && r->refs_of[number + 1] - r->refs_of[number] > 1;
    /* This fused operator also runs as a second, separate kernel (a reduction over columns or channels), which reads
     * the input tensor. In backward, the second kernel also reads the gradient of the input tensor. */
    if (how >= FUSION_NORM_BACK) {
        op->fused_kernels += 1.0;
        op->fused_bytes += in[0].bytes + (back ? in[1].bytes : 0.0);
    }
    own.level += how >= FUSION_MAP;
    flow_through(f, number, chain_of(f, number, &own), own.level + e.across);
}

/* Fuses operators by the rules of TorchInductor (Ansel et al., PyTorch 2, ASPLOS 2024; torch/_inductor/scheduler.py).
 * Pointwise operators and reductions are fused into one kernel if two conditions hold. First, the operators run over
 * the same elements. Second, one operator reads the result of the other, or the two operators have a common operand.
 * Products, convolutions, attention, pooling and scatters are not fused with other operators. A fused kernel reads
 * tensors that other kernels have written, and writes only those of its tensors that other kernels read or that
 * backward keeps. Returns false if memory ran out. [compiled] */
bool nnc_capture_fuse(reader *r, const int32_t *places, int32_t count) {
    const size_t ops = (size_t)r->file_ops + 1, storages = (size_t)r->storage_count + 1;
    fuser f = { .r = r, .block = blocks_of(r) };
    int32_t *ends = nnc_arena_array(r->arena, storages, sizeof *ends);
    /* for each position of the step: the position after the end of the repeat that contains the position */
    int32_t *repeats = nnc_arena_array(r->arena, (size_t)count + 1, sizeof *repeats);
    f.chains = nnc_arena_array(r->arena, ops, sizeof *f.chains);
    f.flows = nnc_arena_array(r->arena, storages, sizeof *f.flows);
    if (f.block == NULL || ends == NULL || repeats == NULL || f.chains == NULL || f.flows == NULL) { return false; }
    f.block_end = ends;
    for (int32_t i = count - 1; i >= 0; i--) {
        const bool next =
            i + 1 < count && places[i + 1] == places[i] + 1 && f.block[places[i + 1]] == f.block[places[i]];
        repeats[i] = next ? repeats[i + 1] : i + 1;
    }
    for (int32_t i = 0; i < r->storage_count; i++) {
        const int32_t first = r->storages[i].first;
        f.flows[i] = (flow){ .writer = -1, .reader = -1 };
        if (first < 0 || first >= count || f.block[places[first]] == 0) { continue; }
        ends[i] = repeats[first];
    }
    for (int32_t i = 0; i < r->count; i++) { r->ops[i].fused_kernels = r->ops[i].fused_bytes = 0.0; }
    for (int32_t i = 0; i < r->file_ops; i++) {
        if (r->first_of[i] < r->last_of[i]) { fuse_op(&f, i); }
    }
    for (int32_t i = 0; i < r->storage_count; i++) { settle(&f, i); }
    return true;
}

/* ---- autocast ---- */

/* An operator can keep tensors of several sizes, such as an output and its statistics, and different operators read
 * these tensors. SLOTS: largest number of sizes for which nncost stores the autocast rules of the reading operators. */
enum { SLOTS = 4 };
typedef struct kept_sizes {
    double bytes[SLOTS];
    /* for each size: set of the autocast rules (one bit each) of the operators that read kept tensors of this size */
    unsigned readers[SLOTS];
} kept_sizes;

typedef struct caster {
    reader r; /* copy of the recorded step; the conversion changes the storages and operators of this copy */
    const int32_t *places;
    int32_t count;
    /* for each storage: known = true: its format under autocast is known. narrow = true: the format has 16 bits. copied
     * = true: the cast of the storage, which runs once per forward, is already counted. */
    bool *known, *narrow, *copied;
    bool *writes_narrow; /* for each operator of the file: true = the operator writes its results in 16 bits */
    /* for each operator of the file: sizes of the tensors that the operator keeps for backward, with the autocast rules
     * of the operators that read these tensors */
    kept_sizes *kept;
} caster;

/* Operators that autocast runs in fp32. */
static const char fp32_only[] =
    " native_layer_norm native_group_norm _softmax _log_softmax nll_loss mse_loss l1_loss smooth_l1_loss huber_loss "
    "binary_cross_entropy kl_div soft_margin_loss pow rsub reciprocal rsqrt exp expm1 log log10 log1p log2 sinh cosh "
    "tan acos asin erfinv cumsum cumprod prod sum norm linalg_vector_norm renorm dist _cdist_forward softplus ";

/* Returns the autocast rule of an operator. A backward operator has the rule of its forward operator: the function
 * removes an ending such as "_backward" from the name. */
static rule rule_of(const naming *n, bool backward) {
    static const char *const ends[] = { "_backward_data", "_backward", "_forward", "_with_logits" };
    char base[128];
    bool of_backward = false;
    if (n->form >= FORM_PRODUCT) { return RULE_NARROW; }
    snprintf(base, sizeof base, "%s", n->name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t length = strlen(base), end = strlen(ends[i]);
        if (length > end && strcmp(base + length - end, ends[i]) == 0) {
            base[length - end] = '\0';
            of_backward = of_backward || i < 2;
        }
    }
    return (!backward || of_backward) && has_name(fp32_only, base, strlen(base)) ? RULE_FP32
           : strstr(base, "batch_norm") != NULL                                  ? RULE_MAP
                                                                                 : RULE_WIDEST;
}

/* Sets the rules of torch.compile and of autocast that follow from the name of an operator. */
static void set_rules(naming *n) {
    n->fusion = fusion_of(n->name);
    n->forward = rule_of(n, false);
    n->backward = rule_of(n, true);
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

/* Bytes that an operator reads and writes, and the casts of its operands. */
typedef struct moved {
    /* before: bytes that the operator moves in the recorded step; after: bytes that the operator moves under
     * autocast */
    double before, after;
    double cast_kernels, cast_bytes;
    /* casts under torch.compile: apart_kernels = number of casts that are separate kernels (casts of weights and of
     * their gradients); apart_bytes = bytes that all casts move */
    double apart_kernels, apart_bytes;
    /* any: true = at least one operand has a floating-point format; wide: true = at least one operand has a
     * floating-point format of 32 bits */
    bool any, wide;
} moved;

static bool is_single(const tensor *t) { return !t->whole && t->dtype == NNC_FP32; }

static void add_cast(const tensor *t, bool apart, moved *m) {
    m->cast_kernels += 1.0;
    /* a cast reads one format and writes the other: one format has 4 bytes per element, the other has 2 */
    m->cast_bytes += 6.0 * t->elements;
    m->apart_kernels += apart ? 1.0 : 0.0;
    /* if the cast runs in the kernel of the operator before, the kernel writes 2 more bytes per element */
    m->apart_bytes += (apart ? 6.0 : 2.0) * t->elements;
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
        return; /* backward reads a kept tensor in the format in which forward has used the tensor */
    }
    if ((how == RULE_NARROW && !narrow) || (how == RULE_FP32 && narrow)) {
        c->copied[t->storage] = weight;
        add_cast(t, weight, m);
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
            /* the gradient of a weight is computed in 16 bits, and cast to the format of the weight */
            add_cast(t, true, m);
        }
    }
}

static double scale_of(const moved *m) { return m->before > 0.0 ? m->after / m->before : 1.0; }

/* Converts one operator of the file (one or several entries of `ops`) to autocast: sets the formats of its entries, the
 * bytes that the operator moves, and its casts. */
static void cast_op(caster *c, int32_t number) {
    const issue *o = &c->r.issues[number];
    const tensors *in = &o->in, *out = &o->out;
    const int32_t first = c->r.first_of[number], last = c->r.last_of[number];
    moved read = { 0 }, written = { 0 };
    const bool backward = o->phase == NNC_PHASE_BACKWARD && !o->again;
    const rule how = backward ? o->by->backward : o->by->forward;
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
        op->fused_cast_kernels = i == first ? read.apart_kernels + written.apart_kernels : 0.0;
        op->fused_cast_bytes = i == first ? read.apart_bytes + written.apart_bytes : 0.0;
    }
    for (int32_t i = c->r.refs_of[number]; i < c->r.refs_of[number + 1]; i++) {
        ref *moves = &c->r.refs[i];
        const bool single = moves->storage >= 0 && !c->r.storages[moves->storage].whole;
        moves->bytes *= !single ? 1.0 : moves->written ? scale_of(&written) : scale_of(&read);
    }
}

/* Returns the bytes of a storage under autocast. If backward reads a kept tensor in two formats, the tensor is stored
 * twice, once in each format. */
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
    c->r.refs = nnc_arena_array(arena, (size_t)recorded->ref_count + 1, sizeof *c->r.refs);
    if (c->r.refs == NULL || c->r.ops == NULL || c->r.storages == NULL || c->r.program == NULL || c->r.slots == NULL ||
        c->known == NULL || c->narrow == NULL || c->copied == NULL || c->writes_narrow == NULL || c->kept == NULL) {
        return false;
    }
    memcpy(c->r.ops, recorded->ops, (size_t)recorded->count * sizeof *c->r.ops);
    memcpy(c->r.slots, recorded->slots, (size_t)recorded->program->slot_count * sizeof *c->r.slots);
    memcpy(c->r.storages, recorded->storages, (size_t)recorded->storage_count * sizeof *c->r.storages);
    memcpy(c->r.refs, recorded->refs, (size_t)recorded->ref_count * sizeof *c->r.refs);
    *c->r.program = *recorded->program;
    c->r.program->ops = c->r.ops;
    /* the sum starts at 0, because the bytes of the inputs under autocast are added later */
    c->r.program->input_bytes = 0.0;
    for (int32_t i = 0; i < recorded->count; i++) { c->r.ops[i].kept_bytes = c->r.ops[i].transient_bytes = 0.0; }
    return true;
}

struct nnc_captured *nnc_capture_autocast(const reader *recorded, const int32_t *places, int32_t count) {
    caster c = { .r = *recorded, .places = places, .count = count };
    if (!begin(&c, recorded)) {
        nnc_faults_no_memory(recorded->faults);
        return NULL;
    }
    /* operators of the optimizer are not in the list `ops`; the optimizer has fp32 weights also under autocast */
    for (int32_t i = 0; i < c.r.file_ops; i++) {
        if (c.r.first_of[i] < c.r.last_of[i]) { cast_op(&c, i); }
    }
    for (int32_t i = 0; i < c.r.storage_count; i++) { c.r.storages[i].bytes = bytes_under(&c, i); }
    nnc_capture_slot_bytes(&c.r);
    return nnc_capture_lifetimes(&c.r, places, count) && nnc_capture_fuse(&c.r, places, count) ? c.r.program : NULL;
}

/* ---- names of operators ---- */

/* Operators that do more than read their inputs and write their outputs once, and operators whose name decides their
 * group. The names of operators are those in the file native_functions.yaml of PyTorch. */
static const struct {
    const char *name;
    form form;
    /* group to which the operator always belongs; NNC_GROUP_COUNT = the module and the shapes of the operator decide
     * the group */
    nnc_group group;
} operators[] = {
    { "mm", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "addmm", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "mv", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "addmv", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "dot", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "vdot", FORM_PRODUCT, NNC_GROUP_COUNT },
    { "bmm", FORM_PRODUCT, NNC_GROUP_ATTENTION },
    { "baddbmm", FORM_PRODUCT, NNC_GROUP_ATTENTION },
    { "convolution", FORM_CONV, NNC_GROUP_CONV },
    { "convolution_backward", FORM_CONV_BACKWARD, NNC_GROUP_CONV },
    { "_scaled_dot_product_flash_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_for_cpu", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_efficient_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_cudnn_attention", FORM_ATTENTION, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_flash_attention_for_cpu_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_efficient_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "_scaled_dot_product_cudnn_attention_backward", FORM_ATTENTION_BACKWARD, NNC_GROUP_ATTENTION },
    { "embedding", FORM_GATHER, NNC_GROUP_EMBEDDING },
    { "embedding_dense_backward", FORM_KERNEL, NNC_GROUP_EMBEDDING },
    { "_embedding_bag", FORM_BAG, NNC_GROUP_EMBEDDING },
    { "_embedding_bag_forward_only", FORM_BAG, NNC_GROUP_EMBEDDING },
    /* name that capture.py gives to the product of a sparse and a dense matrix */
    { "_sparse_product", FORM_BAG, NNC_GROUP_COUNT },
    { "_embedding_bag_dense_backward", FORM_KERNEL, NNC_GROUP_EMBEDDING },
    { "index_select", FORM_GATHER, NNC_GROUP_COUNT },
    { "gather", FORM_GATHER, NNC_GROUP_COUNT },
    { "index", FORM_GATHER, NNC_GROUP_COUNT },
    { "copy_", FORM_WRITE, NNC_GROUP_COUNT },
    { "fill_", FORM_WRITE, NNC_GROUP_COUNT },
    { "zero_", FORM_WRITE, NNC_GROUP_COUNT },
    { "_softmax", FORM_KERNEL, NNC_GROUP_ATTENTION },
    { "_softmax_backward_data", FORM_KERNEL, NNC_GROUP_ATTENTION },
    { "_log_softmax", FORM_KERNEL, NNC_GROUP_LOSS },
    { "_log_softmax_backward_data", FORM_KERNEL, NNC_GROUP_LOSS },
    { "nll_loss_forward", FORM_KERNEL, NNC_GROUP_LOSS },
    { "nll_loss_backward", FORM_KERNEL, NNC_GROUP_LOSS },
    { "max_pool2d_with_indices", FORM_KERNEL, NNC_GROUP_RESAMPLE },
    { "max_pool2d_with_indices_backward", FORM_KERNEL, NNC_GROUP_RESAMPLE },
    { "cat", FORM_KERNEL, NNC_GROUP_RESAMPLE },
};

enum { SMALL_MATRIX = 128 };

/* Tests, by the words of its name, whether an operator that is not in the table multiplies matrices. The FLOPs of an
 * unknown matrix product are not known, so nncost must not count the product as a kernel that only moves bytes. Two
 * kinds of operator (Fourier transforms and factorizations) have few FLOPs per byte, so nncost counts such an operator
 * as a kernel that only moves bytes. A Fourier transform of n complex values has 5 n log2(n) FLOPs for 16 n bytes. A
 * factorization of a matrix of n rows (the words in `factors`) has at most 2 n^3 FLOPs for 8 n^2 bytes in fp32, that
 * is, n / 4 FLOPs per byte; with n up to 128, these are at most 32 FLOPs per byte. */
static void find_words(naming *n) {
    static const char *const products[] = { "mm",          "bmm",     "addmm",    "addbmm", "baddbmm", "mv",
                                            "addmv",       "dot",     "vdot",     "matmul", "linear",  "bilinear",
                                            "trilinear",   "einsum",  "rnn",      "lstm",   "gru",     "attention",
                                            "transformer", "cdist",   "svd",      "pinv",   "lstsq",   "eig",
                                            "eigh",        "eigvals", "eigvalsh", "matrix", NULL };
    static const char *const factors[] = { "cholesky", "qr", "lu", "inv", "inverse", "det", "slogdet", "solve", NULL };
    for (const char *at = n->name; *at != '\0';) {
        char word[32];
        const size_t length = strcspn(at, "_");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        n->product = n->product || nnc_is_one_of(word, products) ||
                     (strncmp(at, "conv", 4) == 0 && strncmp(at, "convert", 7) != 0);
        n->factors = n->factors || nnc_is_one_of(word, factors);
        at += length + strspn(at + length, "_");
    }
    /* an operator with thnn_fused in its name computes only the pointwise part of an LSTM or GRU cell, and multiplies
     * no matrices */
    n->product = n->product && strstr(n->name, "thnn_fused") == NULL;
}

const naming *nnc_capture_name(reader *r, const char *full) {
    static const char *const libraries[] = { "aten.", "prims.", "torchvision." };
    naming **slot = &r->names[nnc_digest_text(NNC_DIGEST_START, full) % NNC_COUNT_OF(r->names)];
    if (*slot != NULL && strcmp((*slot)->full, full) == 0) { return *slot; }
    const char *dot = strchr(full, '.');
    char base[128]; /* `base` is the part of the name between the dots: "add_" of "aten.add_.Tensor" */
    snprintf(base, sizeof base, "%.*s", (int)strcspn(dot != NULL ? dot + 1 : full, "."), dot != NULL ? dot + 1 : full);
    naming *n = nnc_arena_alloc(r->arena, sizeof *n);
    const char *name = nnc_arena_strdup(r->arena, base);
    if (n == NULL || name == NULL) { return NULL; }
    *n = (naming){ .full = full, .name = name, .form = FORM_KERNEL, .group = NNC_GROUP_COUNT, .own = dot == NULL };
    for (size_t i = 0; i < NNC_COUNT_OF(operators); i++) {
        if (strcmp(name, operators[i].name) == 0) {
            n->form = operators[i].form;
            n->group = operators[i].group;
        }
    }
    for (size_t i = 0; i < NNC_COUNT_OF(libraries); i++) {
        n->own = n->own || strncmp(full, libraries[i], strlen(libraries[i])) == 0;
    }
    find_words(n);
    set_rules(n);
    return *slot = n;
}

bool nnc_capture_is_known(nnc_json at, const naming *n, const tensors *in) {
    bool large = false;
    for (int32_t i = 0; i < in->count && n->factors; i++) {
        const tensor *t = &in->of[i];
        large = large || (t->rank > 1 && t->shape[t->rank - 1] > SMALL_MATRIX);
    }
    if (n->own && (n->form != FORM_KERNEL || (!n->product && !large))) { return true; }
    nnc_json_mismatch(at, "the FLOPs of this operator are not known",
                      n->own ? "mm, addmm, bmm, baddbmm, convolution or scaled_dot_product_attention"
                             : "an operator of PyTorch; record the step with an implementation in PyTorch");
    return false;
}

static bool has(const char *text, const char *word) { return strstr(text, word) != NULL; }

nnc_group nnc_capture_group(const reader *r, const char *name, const char *module, nnc_group known, const tensors *out,
                            const tensors *in) {
    const tensor *t = out->count > 0 ? &out->of[0] : in->count > 0 ? &in->of[0] : NULL;
    return known != NNC_GROUP_COUNT                                        ? known
           : has(name, "norm") || has(module, "norm") || has(module, "bn") ? NNC_GROUP_NORM
           : has(name, "loss")                                             ? NNC_GROUP_LOSS
           : has(name, "pool") || has(name, "upsample")                    ? NNC_GROUP_RESAMPLE
           : has(module, "attn") || has(module, "attention")               ? NNC_GROUP_ATTENTION
           : t != NULL && t->rank == 4 && r->program->tokens == 0          ? NNC_GROUP_CONV
                                                                           : NNC_GROUP_MLP;
}
