/* Changes a recorded step as if some of its modules had been frozen or checkpointed during the recording.
 * [captured-modules]
 *
 * Unfold: each of several equal layers gets its own operators and storages.
 * Freeze: from the last operator to the first, an operator of backward stays if a remaining gradient needs it. A
 * recorded checkpoint stays if one of its operators stays. A tensor is kept if a remaining operator of backward reads
 * the tensor.
 * Run again: the operators of a checkpointed module run again before the backward of the module, which reads the
 * tensors that these operators create.
 *
 * The last part of this file reads the positions of the step and its optimizers. */
#include "base/base_internal.h"
#include "input/capture_internal.h"

/* Returns the length of the beginning of a module path that a pattern fits; 0 = the pattern does not fit. The beginning
 * ends at a dot or at the end of the path. A * in the pattern stands for any characters except dots. */
static size_t fit(const char *path, const char *pattern, size_t length) {
    size_t at = 0, i = 0; /* at: current position in the path; i: current position in the pattern */
    /* position of the last '*' of the pattern before position `i`, if no dot is between this '*' and `i`; `length` =
     * the pattern has no such '*' */
    size_t star = length;
    size_t mark = 0; /* position in the path after the characters that the * at `star` stands for */
    for (;;) {
        const bool end = path[at] == '\0' || path[at] == '.';
        if (i == length && end) { return at; }
        if (i < length && pattern[i] == '*') {
            star = i++;
            mark = at;
        } else if (i < length && pattern[i] == path[at]) {
            star = path[at] == '.' ? length : star;
            at++;
            i++;
        } else if (star < length && path[mark] != '\0' && path[mark] != '.') {
            at = ++mark;
            i = star + 1;
        } else {
            return 0;
        }
    }
}

/* Returns the length of the shortest beginning of a module path that fits one of the patterns; 0 = no pattern fits. */
static size_t fit_any(const char *path, const char *patterns) {
    size_t least = 0;
    for (const char *at = patterns; at != NULL && *at != '\0'; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ","), found = fit(path, at, length);
        least = found > 0 && (least == 0 || found < least) ? found : least;
        at += length;
    }
    return least;
}

static const char *option_of(const nnc_modules *asked) {
    return asked->train != NULL ? "--train" : asked->frozen != NULL ? "--frozen" : "--recompute";
}

/* Notes an error about a command-line option. Always returns false. */
static bool refuse(reader *r, const char *option, const char *what) {
    r->faults->status = nnc_fail(r->faults->err, NNC_BAD_USAGE, option, "%s", what);
    r->faults->count++;
    return false;
}

/* Tests whether each pattern of an option fits at least one module. If a pattern fits no module, notes an error and
 * returns false. */
static bool fit_modules(reader *r, const char *option, const char *patterns) {
    for (const char *at = patterns; at != NULL && *at != '\0'; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        int32_t i = 0;
        char text[256], word[128];
        while (i < r->module_count && fit(r->modules[i], at, length) == 0) { i++; }
        if (i == r->module_count) {
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            const char *near = nnc_nearest(word, r->modules, (size_t)r->module_count);
            snprintf(text, sizeof text, "no module fits \"%s\", expected paths such as %s", word,
                     near != NULL ? near : r->modules[r->module_count - 1]);
            return refuse(r, option, text);
        }
        at += length;
    }
    return true;
}

/* A folded step lists the first of several equal layers. Changes *number, the index of a module or storage in the first
 * layer, to the index in the layer `repeat`. at: the entry of "moves" that states how the index changes from layer to
 * layer. Returns false if the entry of "moves" is not valid. */
static bool move(nnc_json at, int32_t repeat, int64_t count, int64_t *number) {
    double found = (double)*number, left = repeat;
    if (nnc_json_type_of(at) == NNC_JSON_NUMBER) {
        found += nnc_json_number(at) * left;
    } else {
        nnc_json first = nnc_json_first(at);
        for (;; first = nnc_json_next(nnc_json_next(nnc_json_next(first)))) {
            const nnc_json step = nnc_json_next(first), size = nnc_json_next(step);
            if (nnc_json_type_of(first) != NNC_JSON_NUMBER || nnc_json_type_of(step) != NNC_JSON_NUMBER ||
                nnc_json_type_of(size) != NNC_JSON_NUMBER || !(nnc_json_number(size) >= 1.0)) {
                return false;
            }
            if (left < nnc_json_number(size)) {
                found = nnc_json_number(first) + nnc_json_number(step) * left;
                break;
            }
            left -= nnc_json_number(size);
        }
    }
    if (!(found >= 0.0 && found < (double)count)) { return false; }
    *number = (int64_t)found;
    return true;
}

static bool move_all(const reader *r, issue *o, int32_t repeat) {
    nnc_json at = nnc_json_first(o->moves);
    if (!move(at, repeat, r->module_count, &o->module)) { return false; }
    for (int32_t i = 0; i < o->in.count + o->out.count; i++) {
        tensor *t = i < o->in.count ? &o->in.of[i] : &o->out.of[i - o->in.count];
        int64_t number = t->storage;
        at = nnc_json_next(at);
        if (!move(at, repeat, r->storage_count, &number)) { return false; }
        t->storage = (int32_t)number;
    }
    return nnc_json_next(at).node == NULL;
}

static bool copy_tensors(const reader *r, tensors *all) {
    tensor *of = nnc_arena_array(r->arena, (size_t)all->count + 1, sizeof *of);
    if (of == NULL) { return nnc_faults_no_memory(r->faults); }
    if (all->count > 0) { memcpy(of, all->of, (size_t)all->count * sizeof *of); }
    *all = (tensors){ of, all->count, all->count + 1 };
    return true;
}

/* Replaces the operators of the file by the operators of the unfolded step, in which each layer has its own operators.
 * */
static bool unfold(reader *r, const int32_t *places, int32_t count) {
    issue *all = nnc_arena_array(r->arena, (size_t)count + 1, sizeof *all);
    int32_t *seen = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *seen);
    if (all == NULL || seen == NULL) { return nnc_faults_no_memory(r->faults); }
    for (int32_t i = 0; i < count; i++) {
        issue *o = &all[i];
        *o = r->issues[places[i]];
        if (!copy_tensors(r, &o->in) || !copy_tensors(r, &o->out)) { return false; }
        if (o->counts && o->repeat > 1 && !move_all(r, o, seen[places[i]]++)) {
            return refuse(r, option_of(r->asked),
                          "the file does not have the storages of each of its equal layers; record the step again");
        }
        o->repeat = 1;
    }
    r->issues = all;
    r->file_ops = count;
    r->blocks = (nnc_json){ 0 };
    return true;
}

/* A row of numbers in the file that stands for `count` rows: from one row to the next, first[i] grows by step[i]. */
enum { ROW_NUMBERS = 3 };
typedef struct folded_row {
    int64_t first[ROW_NUMBERS], step[ROW_NUMBERS], count;
} folded_row;

/* Reads a row of `size` numbers that may stand for several rows. Returns false in two cases: the row is not valid, or
 * the row stands for more rows than the file has storages and modules together. */
static bool read_row(const reader *r, nnc_json row, int size, folded_row *found) {
    int i = 0;
    for (nnc_json at = nnc_json_first(row); at.node != NULL; at = nnc_json_next(at), i++) {
        const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 1e300;
        if (i > 2 * size || fabs(number) > 1e9) { return false; }
        *(i < size ? &found->first[i] : i == size ? &found->count : &found->step[i - size - 1]) = (int64_t)number;
    }
    return i == 2 * size + 1 && found->count <= (int64_t)r->storage_count + r->module_count;
}

static int64_t in_row(const folded_row *row, int number, int64_t index) {
    return row->first[number] + index * row->step[number];
}

static bool is_below(int64_t number, int32_t count) { return number >= 0 && number < count; }

/* A tensor that forward of a module stores for backward, but that backward of this module does not read. */
typedef struct saving {
    int32_t storage;
    int32_t place; /* position of the first operator in backward of the module; -1 = the module has no backward */
} saving;

/* Returns the position of the first operator in the backward of a module, searching from position `after`; -1 = no such
 * operator. */
static int32_t backward_of_module(const reader *r, int64_t module, int32_t after) {
    for (int32_t i = after > 0 ? after : 0; i < r->file_ops; i++) {
        const issue *o = &r->issues[i];
        if (o->counts && o->phase == NNC_PHASE_BACKWARD && o->module == module) { return i; }
    }
    return -1;
}

static bool read_saved(reader *r, nnc_json root) {
    int32_t capacity = 0;
    const nnc_json rows = nnc_json_get(root, "saved");
    for (nnc_json at = nnc_json_first(rows); at.node != NULL; at = nnc_json_next(at)) {
        folded_row row;
        bool good = read_row(r, at, 2, &row);
        for (int64_t i = 0; good && i < row.count; i++) {
            const int64_t number = in_row(&row, 0, i), module = in_row(&row, 1, i);
            good = is_below(number, r->storage_count) && is_below(module, r->module_count);
            r->saved = good ? nnc_arena_grow(r->arena, r->saved, r->saved_count, &capacity, sizeof *r->saved) : NULL;
            if (r->saved == NULL) { break; }
            r->saved[r->saved_count++] =
                (saving){ (int32_t)number, backward_of_module(r, module, r->storages[number].first) };
        }
        if (!good) {
            nnc_json_mismatch(at, "not a row of saved tensors", "[storage, module, count, steps of the two]");
            return false;
        }
        if (r->saved == NULL && row.count > 0) { return nnc_faults_no_memory(r->faults); }
    }
    return true;
}

/* Bits that tell which step needs an operator or tensor of backward: RECORDED = the recorded step, CHANGED = the
 * changed step. */
enum { RECORDED = 1, CHANGED = 2 };

/* Sets the bit `mark` in the member `needed` of each operator of backward, and of each result of an operator, on which
 * a gradient or the state after the step depends. gone: for each storage, true = the changed step does not have the
 * storage; NULL = the step has all storages. */
static bool mark_needed(reader *r, const bool *gone, unsigned mark) {
    bool *alive = nnc_arena_array(r->arena, (size_t)r->storage_count + 1, sizeof *alive);
    if (alive == NULL) { return nnc_faults_no_memory(r->faults); }
    for (int32_t i = 0; i < r->storage_count; i++) {
        alive[i] = r->storages[i].kind != TEMPORARY && r->storages[i].kind != KEPT && (gone == NULL || !gone[i]);
    }
    for (int32_t i = r->file_ops - 1; i >= 0; i--) {
        issue *o = &r->issues[i];
        /* an in-place operator may have no outputs; the operator then writes to its inputs */
        const tensors *written = o->out.count > 0 ? &o->out : &o->in;
        bool any = false, left = o->in.count == 0;
        if (!o->counts || o->phase == NNC_PHASE_FORWARD) { continue; }
        for (int32_t j = 0; j < written->count; j++) {
            if (alive[written->of[j].storage]) {
                written->of[j].needed |= mark;
                any = true;
            }
        }
        for (int32_t j = 0; j < o->in.count; j++) { left = left || gone == NULL || !gone[o->in.of[j].storage]; }
        if (!any || !left) { continue; }
        o->needed |= mark;
        for (int32_t j = 0; j < o->in.count; j++) {
            alive[o->in.of[j].storage] = gone == NULL || !gone[o->in.of[j].storage];
        }
    }
    return true;
}

/* The operators from `first` on belong to a recorded checkpoint: they are second runs of forward operators in backward.
 * If the changed step needs no operator of the checkpoint, the function sets removed[] to true for all operators of the
 * checkpoint. Returns the position after the last operator of the checkpoint. */
static int32_t remove_again(const reader *r, int32_t first, bool *removed) {
    int32_t end = first;
    unsigned needed = 0;
    for (; end < r->file_ops && r->issues[end].again; end++) { needed |= r->issues[end].needed; }
    for (int32_t i = first; i < end; i++) { removed[i] = needed == RECORDED; }
    return end;
}

/* Removes from a list the tensors whose storage is gone. results: true = the list has results of an operator, and the
 * function also removes results that only the recorded step needs. Returns the number of removed tensors. */
static int32_t drop_tensors(tensors *all, const bool *gone, bool results) {
    int32_t count = 0, removed = 0;
    for (int32_t i = 0; i < all->count; i++) {
        const bool unused = results && all->of[i].needed == RECORDED;
        if (gone[all->of[i].storage] || unused) {
            removed++;
        } else {
            all->of[count++] = all->of[i];
        }
    }
    all->count = count;
    return removed;
}

/* After a change of the list of operators, converts `first` and `last` of every storage to positions in the new list.
 * to: for each old position, the new position; to[count] is the number of operators in the new list. */
static void move_storages(reader *r, const int32_t *to, int32_t count) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        storage *s = &r->storages[i];
        s->first = s->first < 0 ? s->first : to[s->first < count ? s->first : count];
        s->last = s->last < 0 ? s->last : to[s->last < count ? s->last : count];
    }
}

/* Positions of the last operators that use a storage; -1 = no operator uses the storage. */
typedef struct uses {
    /* any: position of the last operator of the step that uses the storage; forward: position of the last operator of
     * forward that uses the storage */
    int32_t any, forward;
    int32_t read; /* position of the last operator of backward that reads the storage */
    bool written; /* true: some operator writes to the storage */
} uses;

static uses *find_uses(const reader *r, const bool *removed) {
    uses *found = nnc_arena_array(r->arena, (size_t)r->storage_count + 1, sizeof *found);
    for (int32_t i = 0; found != NULL && i < r->storage_count; i++) { found[i] = (uses){ -1, -1, -1, false }; }
    for (int32_t i = 0; found != NULL && i < r->file_ops; i++) {
        const issue *o = &r->issues[i];
        for (int32_t j = 0; j < o->in.count + o->out.count && !removed[i]; j++) {
            const bool written = j >= o->in.count;
            uses *u = &found[written ? o->out.of[j - o->in.count].storage : o->in.of[j].storage];
            u->any = i;
            u->written = u->written || written;
            u->forward = o->phase == NNC_PHASE_FORWARD && !o->again ? i : u->forward;
            u->read = o->phase == NNC_PHASE_BACKWARD && !written ? i : u->read;
        }
    }
    for (int32_t i = 0; found != NULL && i < r->saved_count; i++) {
        uses *u = &found[r->saved[i].storage];
        const int32_t place = r->saved[i].place >= 0 && !removed[r->saved[i].place] ? r->saved[i].place : -1;
        u->any = u->any > place ? u->any : place;
        u->read = u->read > place ? u->read : place;
    }
    return found;
}

/* Tests whether all operators that read the results of a forward operator belong to backward and are removed. An
 * example is a copy that autograd makes of a tensor before the tensor is overwritten. */
static bool is_for_backward(const issue *o, int32_t number, const uses *before, const uses *now) {
    bool any = false;
    for (int32_t i = 0; o->phase == NNC_PHASE_FORWARD && i < o->out.count; i++) {
        const int32_t result = o->out.of[i].storage;
        any = before[result].read >= 0;
        if (!any || now[result].any > number) { return false; }
        for (int32_t j = 0; j < o->in.count; j++) {
            if (o->in.of[j].storage == result) { return false; }
        }
    }
    return any;
}

/* If the last operator that uses a tensor is removed, the tensor is freed after the last operator that uses the tensor
 * and is not removed. count: number of operators before the removal. */
static void shorten_lives(reader *r, const bool *gone, const bool *removed, int32_t count, const uses *before,
                          const uses *now) {
    for (int32_t i = 0; i < r->storage_count; i++) {
        storage *s = &r->storages[i];
        const bool unkept = s->kind == KEPT && before[i].read >= 0 && now[i].read < 0;
        const bool shorter = unkept || (s->last >= 0 && s->last < count && removed[s->last]);
        const int32_t last = unkept ? now[i].forward : now[i].any;
        if (unkept || gone[i]) { s->kind = unkept && !now[i].written ? INPUT : TEMPORARY; }
        if (gone[i] || (shorter && last < 0) || (last >= 0 && removed[last])) { s->bytes = 0.0; }
        s->last = shorter ? last : s->last;
    }
}

/* Removes the operators that only the gradients of frozen parameters need. If no operator of backward reads a tensor
 * any more, the tensor is no longer kept for backward. gone: for each storage, true = the changed step does not have
 * the storage. */
static bool remove_backward(reader *r, const bool *gone) {
    const int32_t count = r->file_ops;
    const uses *before = NULL, *now = NULL;
    int32_t *to = nnc_arena_array(r->arena, (size_t)count + 1, sizeof *to), left = 0;
    bool *removed = nnc_arena_array(r->arena, (size_t)count + 1, sizeof *removed);
    if (to == NULL || removed == NULL || (before = find_uses(r, removed)) == NULL || !mark_needed(r, NULL, RECORDED) ||
        !mark_needed(r, gone, CHANGED)) {
        return nnc_faults_no_memory(r->faults);
    }
    for (int32_t i = 0; i < count; i = r->issues[i].again ? remove_again(r, i, removed) : i + 1) {
        issue *o = &r->issues[i];
        if (!o->counts || o->phase != NNC_PHASE_BACKWARD || o->again) { continue; }
        const int32_t inputs = o->in.count, fewer = drop_tensors(&o->in, gone, false);
        removed[i] = o->needed == RECORDED || (fewer > 0 && fewer == inputs);
        if (drop_tensors(&o->out, gone, true) == 0 && strncmp(o->by->name, "_foreach_", 9) == 0) {
            /* a foreach operator (_foreach_ in its name) has one result for each of its input tensors */
            o->out.count -= fewer < o->out.count ? fewer : o->out.count;
        }
    }
    if ((now = find_uses(r, removed)) == NULL) { return nnc_faults_no_memory(r->faults); }
    for (int32_t i = 0; i < count; i++) {
        removed[i] = removed[i] || is_for_backward(&r->issues[i], i, before, now);
        to[i] = left;
        if (!removed[i]) { r->issues[left++] = r->issues[i]; }
    }
    to[count] = r->file_ops = left;
    shorten_lives(r, gone, removed, count, before, now);
    move_storages(r, to, count);
    for (int32_t i = 0; i < r->saved_count; i++) {
        const int32_t place = r->saved[i].place;
        r->saved[i].place = place < 0 || removed[place] ? -1 : to[place];
    }
    return true;
}

/* Bits of a parameter. TRAINED: the parameter has a gradient. STAYS: --train names a module that contains the
 * parameter. FREEZES: --frozen names a module that contains the parameter. */
enum { TRAINED = 1, STAYS = 2, FREEZES = 4 };

static bool mark_owners(reader *r, nnc_json root, unsigned char *marks, int64_t *gradients) {
    const nnc_json owners = nnc_json_get(root, "owners");
    if (nnc_json_type_of(owners) != NNC_JSON_LIST) {
        return refuse(r, option_of(r->asked),
                      "the file does not state the module of each parameter; record the step again");
    }
    for (nnc_json at = nnc_json_first(owners); at.node != NULL; at = nnc_json_next(at)) {
        folded_row row;
        bool good = read_row(r, at, 3, &row);
        for (int64_t i = 0; good && i < row.count; i++) {
            const int64_t gradient = in_row(&row, 0, i), parameter = in_row(&row, 1, i), module = in_row(&row, 2, i);
            good = is_below(parameter, r->storage_count) && is_below(module, r->module_count) &&
                   gradient < r->storage_count;
            if (!good || gradient < 0 || r->storages[parameter].kind != PARAMETER) { continue; }
            const char *path = r->modules[module];
            marks[parameter] |= TRAINED | (r->asked->train == NULL || fit_any(path, r->asked->train) > 0 ? STAYS : 0) |
                                (fit_any(path, r->asked->frozen) > 0 ? FREEZES : 0);
            gradients[parameter] = gradient;
        }
        if (!good) {
            nnc_json_mismatch(at, "not a row of owners", "[gradient, parameter, module, count, steps of the three]");
            return false;
        }
    }
    return true;
}

/* Freezes those parameters of the recorded step that the options --train and --frozen select. */
static bool freeze(reader *r, nnc_json root) {
    const size_t count = (size_t)r->storage_count + 1;
    bool *gone = nnc_arena_array(r->arena, count, sizeof *gone);
    unsigned char *marks = nnc_arena_array(r->arena, count, sizeof *marks);
    int64_t *gradients = nnc_arena_array(r->arena, count, sizeof *gradients);
    const int64_t trained = r->trained_params;
    bool any = false;
    if (gone == NULL || marks == NULL || gradients == NULL) { return nnc_faults_no_memory(r->faults); }
    if (!mark_owners(r, root, marks, gradients)) { return false; }
    for (int32_t i = 0; i < r->storage_count; i++) {
        storage *s = &r->storages[i];
        const bool stays = (marks[i] & STAYS) != 0, freezes = (marks[i] & FREEZES) != 0;
        /* skips a storage that is no parameter, a parameter without gradient, and a parameter that stays trained */
        if (marks[i] == 0 || (stays && !freezes)) { continue; }
        any = any || (stays && freezes);
        s->kind = FROZEN;
        gone[gradients[i]] = true;
        r->trained_params -= (int64_t)(s->bytes / s->width);
    }
    if (r->asked->frozen != NULL && !any) {
        return refuse(r, "--frozen", "has no effect, expected modules with trained parameters");
    }
    if (r->trained_params == trained) {
        return refuse(r, "--train", "has no effect, expected fewer modules than the step trains");
    }
    if (r->trained_params == 0) {
        return refuse(r, option_of(r->asked), "no parameters are left to train, expected at least one trained module");
    }
    return remove_backward(r, gone);
}

/* One call of a module in forward that is run a second time in backward (recomputation). */
typedef struct rerun {
    /* begin: index of the first forward operator of the call; end: index after its last forward operator */
    int32_t begin, end;
    /* index of the operator of backward that needs a tensor of the call: the second run of the call comes before this
     * operator */
    int32_t backward;
    size_t prefix; /* length of the path of the called module, in characters */
} rerun;

static bool is_inside(const reader *r, const rerun *c, int32_t number) {
    const char *own = r->modules[r->issues[c->begin].module], *path = r->modules[r->issues[number].module];
    return strncmp(own, path, c->prefix) == 0 && (path[c->prefix] == '\0' || path[c->prefix] == '.');
}

/* Tests whether an operator of backward reads a kept tensor of another operator, whose index is from `begin` to `end` -
 * 1. */
static bool reads_kept(const reader *r, int32_t number, int32_t begin, int32_t end) {
    const issue *o = &r->issues[number];
    for (int32_t i = 0; i < o->in.count; i++) {
        const storage *s = &r->storages[o->in.of[i].storage];
        if (s->kind == KEPT && s->first >= begin && s->first < end) { return true; }
    }
    return false;
}

static bool is_backward_of(const reader *r, const rerun *c, int32_t number) {
    const issue *o = &r->issues[number];
    return o->counts && o->phase == NNC_PHASE_BACKWARD && is_inside(r, c, number);
}

/* The second run of a call comes before c->backward, the first operator in the backward of the call. The function sets
 * c->backward of the call. The function searches the first operator that reads a kept tensor of the call, and goes back
 * from this operator to the beginning of the backward. If no operator reads a kept tensor of the call, c->backward is
 * the first operator of the module's backward after the call. */
static void find_backward(const reader *r, rerun *c) {
    int32_t inside = -1;
    for (int32_t i = c->end; i < r->file_ops && c->backward < 0; i++) {
        if (!is_backward_of(r, c, i)) { continue; }
        inside = inside < 0 ? i : inside;
        c->backward = reads_kept(r, i, c->begin, c->end) ? i : -1;
    }
    /* An operator that reads kept tensors of a later call of the module belongs to the backward of the later call, so
     * the search ends at this operator. */
    while (c->backward > c->end && is_backward_of(r, c, c->backward - 1) &&
           !reads_kept(r, c->backward - 1, c->end, c->backward)) {
        c->backward--;
    }
    c->backward = c->backward < 0 ? inside : c->backward;
}

/* Finds, in the order of forward, the calls of modules that are run a second time in backward. Returns the number of
 * calls; -1 = out of memory; -2 = an error was noted. */
static int32_t find_reruns(reader *r, rerun **found) {
    int32_t count = 0, capacity = 0;
    for (int32_t i = 0; i < r->file_ops; i++) {
        const size_t prefix = fit_any(r->modules[r->issues[i].module], r->asked->recompute);
        rerun c = { i, i, -1, prefix };
        if (prefix == 0 || r->issues[i].phase != NNC_PHASE_FORWARD || !r->issues[i].counts) { continue; }
        for (; c.end < r->file_ops && r->issues[c.end].phase == NNC_PHASE_FORWARD && r->issues[c.end].counts &&
               is_inside(r, &c, c.end);
             c.end++) {}
        i = c.end - 1;
        find_backward(r, &c);
        if (c.backward < 0) { continue; } /* the module has no operator in backward */
        if (r->issues[c.backward].again) {
            refuse(r, "--recompute", "the recorded step already recomputes these modules, expected other modules");
            return -2;
        }
        *found = nnc_arena_grow(r->arena, *found, count, &capacity, sizeof **found);
        if (*found == NULL) { return -1; }
        (*found)[count++] = c;
    }
    return count;
}

/* The tensors of calls that backward runs a second time; backward then creates these tensors a second time. */
typedef struct remake {
    const rerun *calls;
    /* the next arrays have one entry for each storage of the recorded step */
    /* index of the call that creates the storage in forward, if this call has a second run; -1 = no such call creates
     * the storage */
    int32_t *call;
    int32_t *copy; /* for each storage that a call creates a second time in backward: index of the new storage */
    /* position of the last operator that uses the storage and does not belong to the backward of the call */
    int32_t *outside;
    /* number of operators from the beginning of the call to the last use of the storage in the call; 0 = the storage is
     * used after the call */
    int32_t *span;
    int32_t storages; /* number of storages of the recorded step */
} remake;

static bool find_remade(reader *r, const rerun *calls, int32_t count, remake *m) {
    int32_t total = r->storage_count;
    const size_t size = (size_t)total + 1;
    *m = (remake){ calls,
                   nnc_arena_array(r->arena, size, sizeof *m->call),
                   nnc_arena_array(r->arena, size, sizeof *m->copy),
                   nnc_arena_array(r->arena, size, sizeof *m->outside),
                   nnc_arena_array(r->arena, size, sizeof *m->span),
                   total };
    if (m->call == NULL || m->copy == NULL || m->outside == NULL || m->span == NULL) { return false; }
    for (int32_t i = 0; i < m->storages; i++) {
        const storage *s = &r->storages[i];
        m->call[i] = -1;
        m->outside[i] = s->first;
        for (int32_t j = 0; j < count && (s->kind == KEPT || s->kind == TEMPORARY); j++) {
            if (s->first >= calls[j].begin && s->first < calls[j].end) {
                m->call[i] = j;
                m->span[i] = s->last < calls[j].end ? s->last - calls[j].begin : 0;
                m->copy[i] = total++;
            }
        }
    }
    storage *all = nnc_arena_array(r->arena, (size_t)total + 1, sizeof *all);
    if (all == NULL) { return false; }
    memcpy(all, r->storages, (size_t)m->storages * sizeof *all);
    for (int32_t i = 0; i < m->storages; i++) {
        if (m->call[i] < 0) { continue; }
        all[m->copy[i]] = all[i];
        all[m->copy[i]].kind = TEMPORARY;
        all[m->copy[i]].first = all[m->copy[i]].last = -1;
    }
    r->storages = all;
    r->storage_count = total;
    return true;
}

/* The second run of a call creates new tensors in place of the tensors of the first run. The function makes the
 * operators in the backward of the call read these second tensors instead of the recorded ones. A recorded tensor that
 * only the changed operators read is no longer kept for backward. */
static void read_copies_in_backward(reader *r, const remake *m) {
    for (int32_t i = 0; i < r->file_ops; i++) {
        issue *o = &r->issues[i];
        for (int32_t j = 0; j < o->in.count + o->out.count; j++) {
            tensor *t = j < o->in.count ? &o->in.of[j] : &o->out.of[j - o->in.count];
            const int32_t call = m->call[t->storage];
            if (call >= 0 && o->phase == NNC_PHASE_BACKWARD && is_inside(r, &m->calls[call], i)) {
                t->storage = m->copy[t->storage];
                r->storages[t->storage].last = i;
            } else {
                m->outside[t->storage] = i;
            }
        }
    }
    /* a recorded tensor is still kept for backward if a module outside the call has saved the tensor for its own
     * backward */
    for (int32_t i = 0; i < r->saved_count; i++) {
        const saving *s = &r->saved[i];
        const int32_t call = m->call[s->storage];
        const bool outside = s->place >= 0 && call >= 0 && !is_inside(r, &m->calls[call], s->place);
        m->outside[s->storage] = outside && s->place > m->outside[s->storage] ? s->place : m->outside[s->storage];
    }
    for (int32_t i = 0; i < m->storages; i++) {
        storage *s = &r->storages[i];
        const bool backward = m->outside[i] >= 0 && r->issues[m->outside[i]].phase == NNC_PHASE_BACKWARD;
        if (m->call[i] < 0) { continue; }
        storage *copy = &r->storages[m->copy[i]];
        /* if no operator outside the call uses the recorded tensor in backward, the second tensor is freed where the
         * recorded tensor was freed */
        copy->last = copy->last >= 0 && !backward ? s->last : copy->last;
        s->kind = backward ? s->kind : TEMPORARY;
        s->last = m->outside[i];
    }
}

/* Keeps the inputs of a call (tensors that the call reads and that were created before the call) until the second run
 * of the call in backward has ended. */
static void keep_inputs(reader *r, const rerun *c) {
    for (int32_t i = c->begin; i < c->end; i++) {
        for (int32_t j = 0; j < r->issues[i].in.count; j++) {
            storage *s = &r->storages[r->issues[i].in.of[j].storage];
            if (s->first >= c->begin || (s->kind != KEPT && s->kind != TEMPORARY && s->kind != INPUT)) { continue; }
            s->kind = s->kind == TEMPORARY ? KEPT : s->kind;
            s->last = s->last > c->backward ? s->last : c->backward;
        }
    }
}

/* Copies the operators of a call into the new list of operators, at the index `place`; `to` points to the entry with
 * the index `place`. The copies have the phase backward. */
static bool copy_call(reader *r, const remake *m, int32_t call, issue *to, int32_t place) {
    const rerun *c = &m->calls[call];
    for (int32_t i = c->begin; i < c->end; i++) {
        const int32_t now = place + i - c->begin;
        issue *o = to++;
        *o = r->issues[i];
        o->phase = NNC_PHASE_BACKWARD;
        o->again = true;
        if (!copy_tensors(r, &o->in) || !copy_tensors(r, &o->out)) { return false; }
        for (int32_t j = 0; j < o->in.count + o->out.count; j++) {
            tensor *t = j < o->in.count ? &o->in.of[j] : &o->out.of[j - o->in.count];
            if (m->call[t->storage] != call) { continue; }
            const int32_t end = place + m->span[t->storage];
            t->storage = m->copy[t->storage];
            storage *s = &r->storages[t->storage];
            s->first = s->first < 0 ? now : s->first;
            s->last = s->last > now ? s->last : now;
            s->last = s->last > end ? s->last : end;
        }
    }
    return true;
}

/* The option --recompute names modules: backward runs each call of these modules a second time, before the backward of
 * the call. */
static bool run_again(reader *r) {
    rerun *calls = NULL;
    remake m;
    const int32_t count = find_reruns(r, &calls), ops = r->file_ops;
    int32_t total = ops, at = 0;
    if (count == -2) { return false; }
    if (count == 0) { return refuse(r, "--recompute", "these modules have no backward"); }
    for (int32_t i = 0; i < count; i++) { total += calls[i].end - calls[i].begin; }
    issue *all = nnc_arena_array(r->arena, (size_t)total + 1, sizeof *all);
    int32_t *to = nnc_arena_array(r->arena, (size_t)ops + 1, sizeof *to);
    if (count < 0 || all == NULL || to == NULL || !find_remade(r, calls, count, &m)) {
        return nnc_faults_no_memory(r->faults);
    }
    read_copies_in_backward(r, &m);
    for (int32_t i = 0; i < count; i++) { keep_inputs(r, &calls[i]); }
    for (int32_t i = 0; i < ops; i++) {
        for (int32_t j = 0; j < count; j++) { at += calls[j].backward == i ? calls[j].end - calls[j].begin : 0; }
        to[i] = at++;
    }
    to[ops] = total;
    move_storages(r, to, ops);
    for (int32_t i = 0, place = 0; i < ops; i++, place++) {
        for (int32_t j = 0; j < count; j++) {
            if (calls[j].backward != i) { continue; }
            if (!copy_call(r, &m, j, &all[place], place)) { return false; }
            place += calls[j].end - calls[j].begin;
        }
        all[place] = r->issues[i];
    }
    r->issues = all;
    r->file_ops = total;
    return true;
}

int32_t *nnc_capture_change(reader *r, nnc_json root, const int32_t *places, int32_t *count) {
    const nnc_modules *asked = r->asked;
    const bool freezes = asked->train != NULL || asked->frozen != NULL;
    if (!fit_modules(r, "--train", asked->train) || !fit_modules(r, "--frozen", asked->frozen) ||
        !fit_modules(r, "--recompute", asked->recompute) || !unfold(r, places, *count) || !read_saved(r, root) ||
        (freezes && !freeze(r, root)) || (asked->recompute != NULL && !run_again(r))) {
        return NULL;
    }
    int32_t *own = nnc_arena_array(r->arena, (size_t)r->file_ops + 1, sizeof *own);
    for (int32_t i = 0; own != NULL && i < r->file_ops; i++) { own[i] = i; }
    if (own == NULL) { nnc_faults_no_memory(r->faults); }
    r->program->operators = *count = r->file_ops;
    return own;
}

/* ---- positions of the step ---- */

/* NOLINTNEXTLINE(readability-function-cognitive-complexity) */
int32_t *nnc_capture_places(reader *r, nnc_json root, int32_t *count) {
    const nnc_json blocks = r->blocks;
    int32_t at = 0, total = 0;
    if (r->program->operators > POSITIONS_MAX) {
        nnc_json_fault(root, "ops", "too many, expected at most %d in a step", POSITIONS_MAX);
        return NULL;
    }
    int32_t *places = nnc_arena_array(r->arena, (size_t)r->program->operators + 1, sizeof *places);
    if (!nnc_json_is_list(blocks, root, "blocks", OPS_MAX) || places == NULL) {
        if (places == NULL) { nnc_faults_no_memory(r->faults); }
        return NULL;
    }
    for (nnc_json item = nnc_json_first(blocks);; item = nnc_json_next(item)) {
        int64_t first = r->file_ops, length = 0, repeat = 0;
        if (item.node != NULL) {
            const nnc_json begin = nnc_json_first(item), size = nnc_json_next(begin);
            if (nnc_json_type_of(item) != NNC_JSON_LIST || nnc_json_count(item) != 3) {
                nnc_json_mismatch(item, "not a block", "[first op, number of ops, repeat]");
                return NULL;
            }
            if (!nnc_json_whole(begin, at, r->file_ops, &first) ||
                !nnc_json_whole(size, 1, (double)(r->file_ops - first), &length) ||
                !nnc_json_whole(nnc_json_next(size), 1, POSITIONS_MAX, &repeat)) {
                return NULL;
            }
        }
        for (; at < first; at++) {
            if (total < r->program->operators) { places[total++] = at; }
        }
        for (int64_t i = 0; i < repeat; i++) {
            for (int64_t j = 0; j < length; j++) {
                if (total < r->program->operators) { places[total++] = (int32_t)(first + j); }
            }
        }
        at += (int32_t)length;
        if (item.node == NULL) { break; }
    }
    if (total != r->program->operators) {
        nnc_json_fault(root, "blocks",
                       "do not agree with the repeats of the ops, expected %" PRId64 " positions, found %" PRId32,
                       r->program->operators, total);
        return NULL;
    }
    *count = total;
    return places;
}

nnc_optimizer nnc_capture_optimizer(const reader *r) {
    double states = 0.0, weights = 0.0;
    for (int32_t i = 0; i < r->storage_count; i++) {
        const double elements = r->storages[i].bytes / r->storages[i].width;
        states += r->storages[i].kind == STATE ? elements : 0.0;
        weights += r->storages[i].kind == PARAMETER ? elements : 0.0;
    }
    const bool one = states >= 0.5 * weights && states < 1.5 * weights;
    return !r->updates              ? NNC_OPTIMIZER_COUNT
           : r->divides             ? (one ? NNC_OPTIMIZER_RMSPROP : NNC_OPTIMIZER_ADAMW)
           : states < 0.5 * weights ? NNC_OPTIMIZER_SGD
           : !one                   ? NNC_OPTIMIZER_ADAMW
           : r->signs               ? NNC_OPTIMIZER_LION
                                    : NNC_OPTIMIZER_MOMENTUM;
}

nnc_optimizer_kernels nnc_capture_kernels(const reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "optimizer"), word = nnc_json_get(at, "kernels");
    const char *name = nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_json_text(word) : "";
    if (at.node == NULL) { return r->fuses ? NNC_KERNELS_FUSED : NNC_KERNELS_FOREACH; }
    for (nnc_optimizer_kernels i = NNC_KERNELS_FUSED; i < NNC_OPTIMIZER_KERNELS_COUNT; i++) {
        if (strcmp(name, nnc_optimizer_kernels_name(i)) == 0) { return i; }
    }
    nnc_json_mismatch(word.node != NULL ? word : at, "unknown kernels of the optimizer", "fused, foreach or loop");
    return NNC_OPTIMIZER_KERNELS_COUNT;
}

/* Returns the position of an optimizer in a list that begins with the optimizer that has the most operations and
 * states; -1 = the optimizer is not in the list. For a step with several optimizers, the optimizer of the step is the
 * one with the lowest position in the list; nnc_launches has the numbers of kernels that each of the optimizers
 * launches. */
static int rank_of(nnc_optimizer kind) {
    static const nnc_optimizer ranks[] = { NNC_OPTIMIZER_ADAMW,    NNC_OPTIMIZER_ADAM, NNC_OPTIMIZER_RMSPROP,
                                           NNC_OPTIMIZER_MOMENTUM, NNC_OPTIMIZER_LION, NNC_OPTIMIZER_SGD };
    const int count = (int)(sizeof ranks / sizeof ranks[0]);
    int rank = 0;
    while (rank < count && ranks[rank] != kind) { rank++; }
    return rank < count ? rank : -1;
}

/* Reads an entry [kind, tensors, elements, calls]. If the input is not valid, notes a fault and returns false. */
static bool read_group(nnc_json at, nnc_optimizer_group *g) {
    const nnc_names names = { nnc_optimizer_name, NNC_OPTIMIZER_COUNT };
    const nnc_json word = nnc_json_first(at), size = nnc_json_next(word);
    const bool good = nnc_json_type_of(at) == NNC_JSON_LIST && nnc_json_count(at) == 4;
    const int found = good && nnc_json_type_of(word) == NNC_JSON_TEXT ? nnc_names_find(names, nnc_json_text(word)) : -1;
    int64_t count = 0, elements = 0, calls = 0;
    if (found < 0) {
        nnc_json_mismatch(good ? word : at, "not a list of tensors of an optimizer",
                          "[kind, tensors, elements, calls], kind as of --optimizer");
        return false;
    }
    if (!nnc_json_whole(size, 1, OPS_MAX, &count) || !nnc_json_whole(nnc_json_next(size), 1, BYTES_MAX, &elements) ||
        !nnc_json_whole(nnc_json_next(nnc_json_next(size)), 1, OPS_MAX, &calls)) {
        return false;
    }
    *g = (nnc_optimizer_group){ (nnc_optimizer)found, (double)count, (double)elements, (double)calls };
    return true;
}

bool nnc_capture_groups(reader *r, nnc_json root) {
    const nnc_json list = nnc_json_get(nnc_json_get(root, "optimizer"), "groups");
    const bool given = list.node != NULL && r->asked == NULL;
    nnc_optimizer kind = NNC_OPTIMIZER_COUNT;
    int32_t count = 0;
    if (given && !nnc_json_is_list(list, root, "groups", OPS_MAX)) { return false; }
    nnc_optimizer_group *groups =
        nnc_arena_array(r->arena, given ? (size_t)nnc_json_count(list) + 1 : 1, sizeof *groups);
    if (groups == NULL) { return nnc_faults_no_memory(r->faults); }
    for (nnc_json at = nnc_json_first(list); given && at.node != NULL; at = nnc_json_next(at)) {
        nnc_optimizer_group *g = &groups[count++];
        if (!read_group(at, g)) { return false; }
        if (kind == NNC_OPTIMIZER_COUNT || rank_of(g->kind) < rank_of(kind)) { kind = g->kind; }
    }
    for (int32_t i = 0; i < r->storage_count && !given; i++) { /* if no groups are given, all parameters are one list */
        if (r->storages[i].kind == PARAMETER) {
            groups->kind = NNC_OPTIMIZER_COUNT;
            groups->calls = 1.0;
            groups->count += 1.0;
            groups->elements += r->storages[i].bytes / r->storages[i].width;
            count = 1;
        }
    }
    if (r->program->optimizer != NNC_OPTIMIZER_COUNT && kind != NNC_OPTIMIZER_COUNT) { r->program->optimizer = kind; }
    r->program->optimizer_groups = groups;
    r->program->optimizer_group_count = count;
    r->program->strongest = kind;
    return true;
}

/* A product multiplies with a parameter from which an earlier operator looked up rows. An example is a head that shares
 * the weights of the word embedding. If a product multiplies with a parameter, the parameter is no longer marked as
 * only looked up. */
void nnc_capture_tie(reader *r, storage *s) {
    const int64_t elements = (int64_t)(s->bytes / s->width);
    s->looked_up = false;
    for (int32_t i = 0; i < r->count; i++) {
        nnc_captured_op *op = &r->ops[i];
        if (op->table && !op->tied && op->rows * op->cols == elements) {
            op->tied = true;
            r->program->table_params -= elements * op->repeat;
            return;
        }
    }
}

bool nnc_capture_read_autocast(reader *r, nnc_json root) {
    const nnc_json at = nnc_json_get(root, "autocast");
    const char *name = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    r->program->autocast_dtype = strcmp(name, "bf16") == 0   ? NNC_BF16
                                 : strcmp(name, "fp16") == 0 ? NNC_FP16
                                                             : NNC_DTYPE_COUNT;
    if (at.node != NULL && r->program->autocast_dtype == NNC_DTYPE_COUNT) {
        nnc_json_mismatch(at, "unknown format of autocast", "bf16 or fp16");
        return false;
    }
    return true;
}
