/* Finds the kind of each layer of a decoder whose layers differ, and the levels of a U-Net with attention.
 *
 * A list, letters, or a rule by numbers gives the kinds of a decoder's layers. The result is the shortest list of kinds
 * that gives the kinds of all layers when it is repeated:
 *
 *     full_attention, sliding, sliding, full_attention, ... -> mixers = full,window,window */
#include "base/base_internal.h"
#include "input/foreign/foreign_internal.h"

/* ---- kinds of the layers of a decoder ---- */

enum { LAYERS_MAX = 4096, KIND_MAX = 24 };

/* The kind of each layer of a network, as text; "" = the kind is not yet known. */
typedef struct kinds {
    const nnc_foreign_pattern *pattern;
    nnc_foreign_file *file;
    int64_t layers;
    char of[LAYERS_MAX][KIND_MAX];
} kinds;

static void set_kind(kinds *k, int64_t layer, const char *kind) { snprintf(k->of[layer], KIND_MAX, "%s", kind); }

/* Translates a word of the configuration to the kind of layer that nncost uses, and sets the kind of the layer with the
 * index `layer`. If the data file does not translate the word, notes a fault and returns false. */
static bool translate(kinds *k, nnc_json at, const char *word, int64_t layer) {
    char own[KIND_MAX], expected[160];
    const nnc_json ours = nnc_json_get(k->pattern->values, word);
    const char *kind = nnc_foreign_text(ours, own, sizeof own);
    if (ours.node != NULL && kind != NULL) {
        set_kind(k, layer, kind);
        return true;
    }
    nnc_foreign_expected(expected, sizeof expected, "one of ", ", ", k->pattern->values);
    return nnc_json_mismatch(at, "a kind of layer that this version of nncost does not know", expected);
}

static bool refuse_length(const kinds *k, nnc_json at) {
    char expected[64];
    snprintf(expected, sizeof expected, "one for each of the %lld layers", (long long)k->layers);
    return nnc_json_mismatch(at, "wrong length", expected);
}

/* Reads the kinds of layers from a list with one word per layer. If the input is not valid, notes a fault and returns
 * false. */
static bool read_list(kinds *k, nnc_json list) {
    int64_t layer = 0;
    const int64_t further = k->file->model->family == NNC_FAMILY_DECODER
                                /* the list may also have a word for each layer of multi-token prediction; nncost does
                                 * not read these words */
                                ? k->file->model->decoder.next_layers
                                : 0;
    if (nnc_json_count(list) != k->layers && nnc_json_count(list) != k->layers + further) {
        return refuse_length(k, list);
    }
    for (nnc_json at = nnc_json_first(list); layer < k->layers; at = nnc_json_next(at), layer++) {
        char own[64];
        const char *word = nnc_foreign_text(at, own, sizeof own);
        if (!translate(k, at, word != NULL ? word : "", layer)) { return false; }
    }
    return true;
}

/* Computes the kind of a layer from the number in a member: the width of the MLP, or a field of the model divided by
 * the number. If the number is not valid, notes a fault and returns false. */
static bool count_member(kinds *k, nnc_json at, int64_t layer) {
    const nnc_foreign_pattern *p = k->pattern;
    const nnc_model *model = k->file->model;
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
    int64_t result = 0;
    /* null: the layer does not have the part that the member describes */
    if (nnc_json_type_of(at) == NNC_JSON_NULL) { return true; }
    if (p->two_thirds_multiple_of > 0 && number > 0 && number < 1e3) {
        result =
            nnc_ceil_div((int64_t)(2.0 * number * (double)model->decoder.hidden / 3.0), p->two_thirds_multiple_of) *
            p->two_thirds_multiple_of;
    } else if (p->two_thirds_multiple_of == 0 && number >= 1 && number < 1e6) {
        double whole = 0;
        nnc_error unknown;
        if (nnc_model_number(model, p->divides, &whole, &unknown) == NNC_OK) { whole /= number; }
        result = whole == (double)(int64_t)whole ? (int64_t)whole : 0;
    }
    snprintf(k->of[layer], KIND_MAX, "%lld", (long long)result);
    return result > 0 || nnc_json_mismatch(at, "out of range", "a number that this layer can have");
}

/* Checks that the description of a layer has only members that a pattern reads. path: names of the enclosing members,
 * each followed by a dot. */
static bool check_layer(const kinds *k, nnc_json object, const char *path) {
    const nnc_architecture *row = k->file->row;
    while (row->below != NULL && row->pattern_count == 0) { row = row->below; }
    for (nnc_json at = nnc_json_first(object); at.node != NULL; at = nnc_json_next(at)) {
        char name[128];
        bool read = nnc_foreign_is_empty(at);
        snprintf(name, sizeof name, "%s%.60s", path, nnc_json_key(at));
        for (int32_t i = 0; i < row->pattern_count && !read; i++) { read = strcmp(row->patterns[i].member, name) == 0; }
        if (!read && path[0] == '\0' && nnc_json_type_of(at) == NNC_JSON_OBJECT) {
            snprintf(name, sizeof name, "%.60s.", nnc_json_key(at));
            if (!check_layer(k, at, name)) { return false; }
        } else if (!read) {
            return nnc_json_mismatch(at, "changes a layer in a way that this version of nncost does not know",
                                     "it left out");
        }
    }
    return true;
}

/* Reads the kinds of layers from a list with an object for each layer. If the input is not valid, notes a fault and
 * returns false. */
static bool read_objects(kinds *k, nnc_json list) {
    const nnc_foreign_pattern *p = k->pattern;
    const bool counts = p->two_thirds_multiple_of > 0 || p->divides[0] != '\0';
    int64_t layer = 0, known = 0;
    if (nnc_json_count(list) != k->layers) { return refuse_length(k, list); }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at), layer++) {
        const nnc_json value = nnc_foreign_get(at, p->member);
        char own[64];
        const char *word = nnc_foreign_text(value, own, sizeof own);
        if (value.node == NULL) { return nnc_json_mismatch(at, "incomplete", p->member); }
        if (!check_layer(k, at, "") || !(counts ? count_member(k, value, layer) : translate(k, value, word, layer))) {
            return false;
        }
    }
    while (known + 1 < k->layers && k->of[known][0] == '\0') { known++; }
    for (layer = 0; layer < k->layers; layer++) {
        if (k->of[layer][0] == '\0') { set_kind(k, layer, p->divides[0] != '\0' ? k->of[known] : "0"); }
    }
    return true;
}

/* Reads the kinds of layers from a string with one letter per layer. The string may also have a few letters that repeat
 * a whole number of times until all layers have a kind. If the input is not valid, notes a fault and returns false. */
static bool read_letters(kinds *k, nnc_json at) {
    const char *letters = nnc_json_text(at);
    const int64_t length = (int64_t)strlen(letters);
    if (length == 0 || k->layers % length != 0) { return refuse_length(k, at); }
    for (int64_t layer = 0; layer < k->layers; layer++) {
        const char letter[2] = { letters[layer % length], '\0' };
        if (!translate(k, at, letter, layer)) { return false; }
    }
    return true;
}

/* Reads the kinds of layers from a list such as [[["global", "local"], 12]]: a list of words, and the number of its
 * repetitions. If the input is not valid, notes a fault and returns false. */
static bool read_matrix(kinds *k, nnc_json matrix) {
    int64_t layer = 0;
    for (nnc_json row = nnc_json_first(matrix); row.node != NULL; row = nnc_json_next(row)) {
        const nnc_json words = nnc_json_first(row);
        const nnc_json times = words.node != NULL ? nnc_json_next(words) : words;
        if (nnc_json_type_of(words) != NNC_JSON_LIST || nnc_json_type_of(times) != NNC_JSON_NUMBER) {
            return nnc_json_mismatch(row, "wrong value", "a list of kinds and how often it repeats");
        }
        const double repeats = nnc_json_number(times);
        for (int64_t i = 0; (double)i < repeats && layer <= k->layers; i++) {
            for (nnc_json at = nnc_json_first(words); at.node != NULL; at = nnc_json_next(at)) {
                char own[64];
                const char *word = nnc_foreign_text(at, own, sizeof own);
                if (layer == k->layers) { return refuse_length(k, matrix); }
                if (!translate(k, at, word != NULL ? word : "", layer++)) { return false; }
            }
        }
    }
    return layer == k->layers || refuse_length(k, matrix);
}

/* Reads one of the numbers of a rule. The data file states either the number or a key of the configuration that has the
 * number. If the number is not a whole number of at least `least`, notes a fault and returns false. unsaid: the value
 * if neither the data file nor the configuration states the number. */
static bool number_of(kinds *k, nnc_json rule, int64_t least, int64_t unsaid, int64_t *number) {
    const nnc_json key = nnc_json_get(rule, "key");
    const nnc_json at = key.node != NULL ? nnc_foreign_get(k->file->at, nnc_json_text(key)) : rule;
    const nnc_json fallback = nnc_json_get(rule, "default");
    double value = 0;
    *number = unsaid;
    if (rule.node == NULL || (!nnc_foreign_is_given(at) && fallback.node == NULL)) { return true; }
    /* an absent value = the configuration does not have the key; a key with the value null is not absent */
    if (at.node == NULL) {
        char name[64], text[NNC_NUMBER_TEXT];
        value = nnc_json_number(fallback);
        snprintf(name, sizeof name, "%s", nnc_json_text(key));
        nnc_foreign_note(k->file->taken, sizeof k->file->taken, "%s %s", name, nnc_number_text(value, text));
    } else if (nnc_json_type_of(at) == NNC_JSON_NUMBER) {
        value = nnc_json_number(at);
    } else {
        return nnc_json_mismatch(at, "wrong type", "a whole number");
    }
    if (!(value >= (double)least && value < 1e9) || value != (double)(int64_t)value) {
        nnc_json_mismatch(at, "out of range", least > 0 ? "a whole number from 1" : "a whole number");
        if (at.node == rule.node) { nnc_foreign_pass_on(k->file->at.doc->faults, rule); }
        return false;
    }
    *number = (int64_t)value;
    return true;
}

/* Sets the kind of the layers whose indices (from 0, or from 1 with "first") are in a list. If the input is not valid,
 * notes a fault and returns false. */
static bool set_listed(kinds *k, nnc_json list, const char *kind) {
    if (!nnc_json_expect(list, NNC_JSON_LIST, "a list of layers")) { return false; }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const double layer = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) - k->pattern->first : -1;
        if (!(layer >= 0 && layer < (double)k->layers) || layer != (double)(int64_t)layer) {
            return nnc_json_mismatch(at, "no layer",
                                     k->pattern->first > 0 ? "the number of one, from 1" : "the number of one, from 0");
        }
        set_kind(k, (int64_t)layer, kind);
    }
    return true;
}

static bool follow_rule(kinds *k) {
    const nnc_foreign_pattern *p = k->pattern;
    int64_t from, end, every, offset;
    if (!number_of(k, p->from, 0, 0, &from) || !number_of(k, p->end, -1, -1, &end) ||
        !number_of(k, p->every, 1, 1, &every) || !number_of(k, p->offset, 0, 0, &offset)) {
        return false;
    }
    for (int64_t layer = 0; layer < k->layers; layer++) {
        const bool in =
            layer >= from && (end < 0 || layer <= end) && (layer + p->shift + every - offset % every) % every == 0;
        set_kind(k, layer, in ? p->in : p->out);
    }
    const nnc_json except = nnc_foreign_get(k->file->at, p->except);
    return !nnc_foreign_is_given(except) || set_listed(k, except, p->out);
}

/* Sets the kinds of all layers. The configuration can state the kinds in several forms. The function uses the first
 * form that the configuration has: a list of words, a string of letters, a list of repeated words (read_matrix), the
 * numbers of the layers of one kind, or a rule by numbers (follow_rule). Returns false when a fault was noted, or when
 * the configuration does not state the kinds in any known form. */
static bool find_kinds(kinds *k) {
    const nnc_foreign_pattern *p = k->pattern;
    const nnc_json root = k->file->at;
    const nnc_json list = nnc_foreign_get(root, p->list);
    const nnc_json letters = nnc_foreign_get(root, p->letters);
    const nnc_json only = nnc_foreign_get(root, p->only);
    const nnc_json matrix = nnc_foreign_get(root, p->matrix);
    if (p->needs[0] != '\0' && !nnc_foreign_is_given(nnc_foreign_get(root, p->needs))) { return false; }
    if (nnc_json_type_of(list) == NNC_JSON_LIST && p->member[0] != '\0') { return read_objects(k, list); }
    if (nnc_json_type_of(list) == NNC_JSON_LIST && nnc_json_count(list) > 0) { return read_list(k, list); }
    if (nnc_json_type_of(list) == NNC_JSON_TEXT) { return read_letters(k, list); }
    if (nnc_json_type_of(letters) == NNC_JSON_TEXT) { return read_letters(k, letters); }
    if (nnc_json_type_of(matrix) == NNC_JSON_LIST) { return read_matrix(k, matrix); }
    if (nnc_foreign_is_given(only)) {
        for (int64_t layer = 0; layer < k->layers; layer++) { set_kind(k, layer, p->out); }
        return set_listed(k, only, p->in);
    }
    return p->in[0] != '\0' && nnc_foreign_speaks(root, p->when) && follow_rule(k);
}

/* Returns the smallest number n with this property: the kinds of the first n layers, repeated, are the kinds of all
 * layers. */
static int64_t period_of(const kinds *k) {
    int64_t period = 1;
    for (int64_t layer = 0; layer < k->layers; layer++) {
        if (strcmp(k->of[layer], k->of[layer % period]) != 0) {
            period++;
            layer = -1; /* the period is too short: makes it one layer longer, and starts the comparison again at layer
                         * 0 */
        }
    }
    return period;
}

static void set_field(const kinds *k, const char *field, const char *text) {
    nnc_error why;
    const nnc_field_table *table = nnc_model_table(k->file->model->family);
    if (nnc_field_set(table, k->file->model, field, text, &why) != NNC_OK) {
        nnc_json_fault(k->file->at, NULL, "%.80s: %.300s", why.where, why.what);
    }
}

/* Handles a decoder in which layers without experts (dense layers) come before all layers with experts: sets
 * dense_layers to the number of dense layers and returns true. Returns false if a dense layer comes after a layer with
 * experts. */
static bool set_leading(const kinds *k) {
    char text[24];
    int64_t dense = 0;
    while (dense < k->layers && strcmp(k->of[dense], "dense") == 0) { dense++; }
    for (int64_t layer = dense; layer < k->layers; layer++) {
        if (strcmp(k->of[layer], "experts") != 0) { return false; }
    }
    if (dense > 0 && k->file->model->decoder.experts > 0) {
        snprintf(text, sizeof text, "%lld", (long long)dense);
        set_field(k, "dense_layers", text);
    }
    return true;
}

/* For an entry with "agrees": tests whether the entry gives the same kinds as an earlier entry; if not, notes a
 * fault. */
static void compare_kinds(const kinds *k, int64_t period) {
    char text[NNC_PATTERN_MAX * KIND_MAX] = "", earlier[NNC_PATTERN_MAX * KIND_MAX];
    const nnc_field *field = nnc_field_of_key(nnc_model_table_of(k->file->model), k->pattern->to);
    for (int64_t layer = 0; layer < period && layer < NNC_PATTERN_MAX; layer++) {
        nnc_text_append(text, sizeof text, ", ", "%s", k->of[layer]);
    }
    nnc_field_text(field, k->file->model, earlier, sizeof earlier);
    if (strcmp(earlier, text) != 0) {
        nnc_json_fault(k->file->at, k->pattern->list,
                       "disagrees with other kinds of layers, expected %.160s, found %.160s", earlier, text);
    }
}

static void set_kinds(const kinds *k) {
    char text[NNC_PATTERN_MAX * KIND_MAX] = "";
    const int64_t period = period_of(k);
    if (k->pattern->agrees) {
        compare_kinds(k, period);
        return;
    }
    if (strcmp(k->pattern->to, "mlps") == 0 && set_leading(k)) { return; }
    if (period == 1 && strcmp(k->pattern->to, "mixers") == 0 &&
        (strcmp(k->of[0], "full") == 0 || strcmp(k->of[0], "window") == 0)) {
        if (k->of[0][0] == 'f') { /* no layer uses the window, because all layers attend to all tokens */
            k->file->model->decoder.sliding_window = 0;
        }
        return;
    }
    if (period > NNC_PATTERN_MAX) {
        nnc_json_fault(k->file->at, NULL, "layers differ too much, expected a pattern of at most %d",
                       (int)NNC_PATTERN_MAX);
        return;
    }
    for (int64_t layer = 0; layer < period; layer++) { nnc_text_append(text, sizeof text, ",", "%s", k->of[layer]); }
    set_field(k, k->pattern->to, text);
    nnc_decoder *d = &k->file->model->decoder;
    for (int64_t i = 0; i < d->ffn_widths_count && k->pattern->two_thirds_multiple_of > 0; i++) {
        d->ffn_hidden = d->ffn_widths[i] > d->ffn_hidden ? d->ffn_widths[i] : d->ffn_hidden;
    }
}

void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern) {
    kinds *k = nnc_arena_alloc(file->at.doc->arena, sizeof *k);
    if (k == NULL) {
        nnc_faults_no_memory(file->at.doc->faults);
        return;
    }
    k->pattern = pattern;
    k->file = file;
    k->layers = file->model->decoder.layers;
    if (k->layers < 1 || k->layers > LAYERS_MAX) {
        nnc_json_fault(file->at, NULL, "too many layers, expected at most %d", (int)LAYERS_MAX);
        return;
    }
    if (!find_kinds(k)) { return; }
    if (pattern->last[0] != '\0') { set_kind(k, k->layers - 1, pattern->last); }
    set_kinds(k);
}

/* ---- levels of a U-Net ---- */

enum { CHANNELS_MAX = 100000 };

/* Reads block_out_channels, a list with the number of channels of each level. Stores each number as a multiple of the
 * number of the first level. */
static void read_channels(nnc_json root, nnc_unet *u) {
    const nnc_json list = nnc_json_get(root, "block_out_channels");
    if (nnc_json_type_of(list) != NNC_JSON_LIST || nnc_json_count(list) < 1 ||
        nnc_json_count(list) > NNC_UNET_LEVELS_MAX) {
        nnc_json_fault(root, "block_out_channels", "wrong value, expected a list of 1 to %d whole numbers, found none",
                       (int)NNC_UNET_LEVELS_MAX);
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        const bool whole = value >= 1 && value <= CHANNELS_MAX && value == (double)(int64_t)value;
        u->channels = u->levels == 0 && whole ? (int64_t)value : u->channels;
        if (!whole || (int64_t)value % u->channels != 0) {
            nnc_json_mismatch(at, "not a multiple of the first level's", "a whole multiple");
            u->levels = 0;
            return;
        }
        u->channel_multipliers[u->levels++] = (int64_t)value / u->channels;
    }
}

/* Reads which levels of a U-Net have attention. Blocks are listed once on the way up, from the deepest level on, and
 * once on the way down; a level must have attention in both lists or in neither of them. */
static void read_blocks(nnc_json root, nnc_json levels, nnc_unet *u) {
    const nnc_json down = nnc_json_get(root, "down_block_types");
    const nnc_json up = nnc_json_get(root, "up_block_types");
    const nnc_json lists[] = { down, up };
    const char *attending_down = nnc_json_text(nnc_json_get(levels, "down"));
    const char *attending_up = nnc_json_text(nnc_json_get(levels, "up"));
    const char *const names[][3] = { { attending_down, "DownBlock2D", "down_block_types" },
                                     { attending_up, "UpBlock2D", "up_block_types" } };
    for (int i = 0; i < 2; i++) {
        int32_t level = 0;
        if (nnc_json_type_of(lists[i]) != NNC_JSON_LIST || nnc_json_count(lists[i]) != u->levels) {
            nnc_json_fault(root, names[i][2], "wrong value, expected a list of %d values, found another value",
                           u->levels);
            return;
        }
        for (nnc_json at = nnc_json_first(lists[i]); at.node != NULL; at = nnc_json_next(at)) {
            const char *type = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
            const bool attends = strcmp(type, names[i][0]) == 0;
            bool *place = &u->attention_levels[i == 0 ? level : u->levels - 1 - level];
            if (!attends && strcmp(type, names[i][1]) != 0) {
                char expected[96];
                snprintf(expected, sizeof(expected), "%s or %s", names[i][0], names[i][1]);
                nnc_json_mismatch(at, "unknown block", expected);
                return;
            }
            if (i == 1 && *place != attends) {
                nnc_json_mismatch(at, "does not mirror down_block_types", attends ? names[i][1] : names[i][0]);
                return;
            }
            *place = attends;
            level++;
        }
    }
    u->attention_levels_count = u->levels;
}

/* Reads a list with the number of heads of each level. The numbers must be equal at every level, or must give the same
 * head width at every level. Levels without attention also have an entry. The middle block uses the entry of the
 * deepest level. */
static void read_head_list(nnc_json list, nnc_unet *u) {
    bool same_count = true, same_width = true;
    int64_t heads = 0, width = 0;
    int32_t level = 0;
    if (nnc_json_count(list) != u->levels) {
        nnc_json_mismatch(list, "wrong length", "one head count per level");
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at), level++) {
        const int64_t channels = u->channels * u->channel_multipliers[level];
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        if (!(value >= 1 && value <= (double)channels) || channels % (int64_t)value != 0 ||
            value != (double)(int64_t)value) {
            nnc_json_mismatch(at, "not a head count", "a divisor of the level's channels");
            return;
        }
        same_count = same_count && (heads == 0 || heads == (int64_t)value);
        same_width = same_width && (width == 0 || width == channels / (int64_t)value);
        heads = (int64_t)value;
        width = channels / heads;
    }
    if (same_count) {
        u->heads = heads;
    } else if (same_width) {
        u->head_width = width;
    } else {
        nnc_json_mismatch(list, "uneven heads", "one count or one width for all levels");
    }
}

/* Reads the number of heads from one of the keys in the list `keys`: the first that the configuration has. fallback:
 * the number of heads if the configuration has none of the keys. */
static void read_heads(nnc_foreign_file *file, nnc_json keys, nnc_json fallback) {
    const nnc_json first = nnc_json_first(keys);
    const bool given = nnc_foreign_given(file->at, nnc_json_text(first));
    const char *key = nnc_json_text(given ? first : nnc_json_next(first));
    nnc_foreign_key heads = { .to = "heads", .absent = fallback };
    snprintf(heads.key, sizeof heads.key, "%s", key);
    const nnc_json at = nnc_json_get(file->at, key);
    if (nnc_json_type_of(at) == NNC_JSON_LIST) {
        read_head_list(at, &file->model->unet);
        return;
    }
    nnc_foreign_read_key(file, &heads, NULL);
}

void nnc_foreign_levels_read(nnc_foreign_file *file, nnc_json levels) {
    const nnc_json root = file->at;
    nnc_unet *u = &file->model->unet;
    read_channels(root, u);
    if (u->levels == 0) { return; }
    u->image *= u->latent_factor;
    u->time_embed_width = 4 * u->channels;
    read_blocks(root, levels, u);
    if (nnc_json_get(levels, "heads").node != NULL) {
        read_heads(file, nnc_json_get(levels, "heads"), nnc_json_get(levels, "default_heads"));
    }
}
