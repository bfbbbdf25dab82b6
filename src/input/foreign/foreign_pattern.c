/* Which kind each layer is: from a list, a rule by numbers, or letters, to the shortest list that repeats. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/foreign/foreign.h"

enum { LAYERS_MAX = 4096, KIND_MAX = 24 };

/* The kinds of all layers while they are found. */
typedef struct kinds {
    const nnc_foreign_pattern *pattern;
    nnc_foreign_file *file;
    int64_t layers;
    char of[LAYERS_MAX][KIND_MAX];
} kinds;

static void set_kind(kinds *k, int64_t layer, const char *kind)
{
    snprintf(k->of[layer], KIND_MAX, "%s", kind);
}

/* Our word for one of theirs; a fault where there is none. */
static bool translate(kinds *k, nnc_json at, const char *word, int64_t layer)
{
    char ours[KIND_MAX], expected[160] = "one of ";
    if (nnc_foreign_value(k->pattern->words, word, ours, sizeof ours) != NULL) {
        set_kind(k, layer, ours);
        return true;
    }
    for (const char *w = k->pattern->words; *w != '\0'; w += strcspn(w, " "), w += *w == ' ') {
        const size_t used = strlen(expected);
        snprintf(expected + used, sizeof expected - used, "%s%.*s",
                 w > k->pattern->words ? ", " : "", (int)strcspn(w, "= "), w);
    }
    nnc_json_mismatch(at, "a layer of a kind this version does not know", expected);
    return false;
}

static bool refuse_length(const kinds *k, nnc_json at)
{
    char expected[64];
    snprintf(expected, sizeof expected, "one for each of the %lld layers", (long long)k->layers);
    nnc_json_mismatch(at, "wrong length", expected);
    return false;
}

/* A word for each layer. */
static bool read_list(kinds *k, nnc_json list)
{
    int64_t layer = 0;
    if (nnc_json_count(list) != k->layers) {
        return refuse_length(k, list);
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at), layer++) {
        char own[64];
        const char *word = nnc_foreign_text(at, own, sizeof own);
        if (!translate(k, at, word != NULL ? word : "", layer)) {
            return false;
        }
    }
    return true;
}

/* A letter for each layer, or for each of a few that repeat. */
static bool read_letters(kinds *k, nnc_json at)
{
    const char *letters = nnc_json_text(at);
    const int64_t length = (int64_t)strlen(letters);
    if (length == 0 || length > k->layers) {
        return refuse_length(k, at);
    }
    for (int64_t layer = 0; layer < k->layers; layer++) {
        const char letter[2] = { letters[layer % length], '\0' };
        if (!translate(k, at, letter, layer)) {
            return false;
        }
    }
    return true;
}

/* [[["global", "local"], 12]]: words that repeat, and how often. */
static bool read_matrix(kinds *k, nnc_json matrix)
{
    int64_t layer = 0;
    for (nnc_json row = nnc_json_first(matrix); row.node != NULL; row = nnc_json_next(row)) {
        const nnc_json words = nnc_json_first(row);
        const nnc_json times = words.node != NULL ? nnc_json_next(words) : words;
        if (nnc_json_type_of(words) != NNC_JSON_LIST ||
            nnc_json_type_of(times) != NNC_JSON_NUMBER) {
            nnc_json_mismatch(row, "wrong value", "a list of kinds and how often it repeats");
            return false;
        }
        const double repeats = nnc_json_number(times);
        for (int64_t i = 0; (double)i < repeats && layer <= k->layers; i++) {
            for (nnc_json at = nnc_json_first(words); at.node != NULL; at = nnc_json_next(at)) {
                char own[64];
                const char *word = nnc_foreign_text(at, own, sizeof own);
                if (layer == k->layers) {
                    return refuse_length(k, matrix);
                }
                if (!translate(k, at, word != NULL ? word : "", layer++)) {
                    return false;
                }
            }
        }
    }
    return layer == k->layers || refuse_length(k, matrix);
}

/* "key=default": the number under the key, else the default; a whole number from `least` on, or a fault. */
static bool number_of(kinds *k, const char *key, int64_t least, int64_t unsaid, int64_t *number)
{
    char name[64];
    *number = unsaid;
    if (key == NULL) {
        return true;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key, "="), key);
    const char *equals = strchr(key, '=');
    const nnc_json at = nnc_foreign_get(k->file->at, name);
    double value = 0;
    if (equals == NULL && (at.node == NULL || nnc_json_type_of(at) == NNC_JSON_NULL)) {
        return true;
    }
    if (at.node == NULL) { /* null is not absent */
        (void)nnc_read_double(equals + 1, &value);
        if (name[0] != '\0') {
            nnc_foreign_note(k->file->taken, sizeof k->file->taken, "%s %s", name, equals + 1);
        }
    } else if (nnc_json_type_of(at) == NNC_JSON_NUMBER) {
        value = nnc_json_number(at);
    } else {
        nnc_json_mismatch(at, "wrong type", "a whole number");
        return false;
    }
    if (!(value >= (double)least && value < 1e9) || value != (double)(int64_t)value) {
        nnc_json_mismatch(at, "out of range",
                          least > 0 ? "a whole number from 1" : "a whole number");
        return false;
    }
    *number = (int64_t)value;
    return true;
}

/* The layers whose indices a list has. */
static bool set_listed(kinds *k, nnc_json list, const char *kind)
{
    if (nnc_json_type_of(list) != NNC_JSON_LIST) {
        nnc_json_mismatch(list, "wrong type", "a list of layers");
        return false;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const double layer = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1;
        if (!(layer >= 0 && layer < (double)k->layers) || layer != (double)(int64_t)layer) {
            nnc_json_mismatch(at, "no layer", "the number of one, from 0");
            return false;
        }
        set_kind(k, (int64_t)layer, kind);
    }
    return true;
}

static bool given(nnc_json at)
{
    return nnc_json_type_of(at) != NNC_JSON_ABSENT && nnc_json_type_of(at) != NNC_JSON_NULL;
}

static bool follow_rule(kinds *k)
{
    const nnc_foreign_pattern *p = k->pattern;
    int64_t from, end, every, offset;
    if (!number_of(k, p->from, 0, 0, &from) || !number_of(k, p->end, -1, -1, &end) ||
        !number_of(k, p->every, 1, 1, &every) || !number_of(k, p->offset, 0, 0, &offset)) {
        return false;
    }
    for (int64_t layer = 0; layer < k->layers; layer++) {
        const bool in = layer >= from && (end < 0 || layer <= end) &&
                        (layer + p->shift + every - offset % every) % every == 0;
        set_kind(k, layer, in ? p->in : p->out);
    }
    const nnc_json except = p->except != NULL ? nnc_foreign_get(k->file->at, p->except)
                                              : (nnc_json){ k->file->at.doc, NULL };
    return !given(except) || set_listed(k, except, p->out);
}

/* The first way in which the file or its class says it. false: a fault was noted, or nothing is said. */
static bool find_kinds(kinds *k)
{
    const nnc_foreign_pattern *p = k->pattern;
    const nnc_json root = k->file->at;
    const nnc_json none = { root.doc, NULL };
    const nnc_json list = p->list != NULL ? nnc_foreign_get(root, p->list) : none;
    const nnc_json letters = p->letters != NULL ? nnc_foreign_get(root, p->letters) : none;
    const nnc_json only = p->only != NULL ? nnc_foreign_get(root, p->only) : none;
    const nnc_json matrix = p->matrix != NULL ? nnc_foreign_get(root, p->matrix) : none;
    if (p->needs != NULL && !given(nnc_foreign_get(root, p->needs))) {
        return false;
    }
    if (nnc_json_type_of(list) == NNC_JSON_LIST && nnc_json_count(list) > 0) {
        return read_list(k, list);
    }
    if (nnc_json_type_of(list) == NNC_JSON_TEXT) {
        return read_letters(k, list);
    }
    if (nnc_json_type_of(letters) == NNC_JSON_TEXT) {
        return read_letters(k, letters);
    }
    if (nnc_json_type_of(matrix) == NNC_JSON_LIST) {
        return read_matrix(k, matrix);
    }
    if (given(only)) {
        for (int64_t layer = 0; layer < k->layers; layer++) {
            set_kind(k, layer, p->out);
        }
        return set_listed(k, only, p->in);
    }
    return p->in != NULL && nnc_foreign_speaks(root, p->when) && follow_rule(k);
}

/* How many layers from the first on, repeated, are all of them. */
static int64_t period_of(const kinds *k)
{
    int64_t period = 1;
    for (int64_t layer = 0; layer < k->layers; layer++) {
        if (strcmp(k->of[layer], k->of[layer % period]) != 0) {
            period++;
            layer = -1; /* from the first again */
        }
    }
    return period;
}

static void set_field(const kinds *k, const char *field, const char *text)
{
    nnc_error why;
    const nnc_field_table *table = nnc_model_table(k->file->model->family);
    if (nnc_field_set(table, k->file->model, field, text, &why) != NNC_OK) {
        nnc_json_fault(k->file->at, NULL, "%.80s: %.300s", why.where, why.what);
    }
}

/* Layers without experts before those that have them have a field of their own. */
static bool set_leading(const kinds *k)
{
    char text[24];
    int64_t dense = 0;
    while (dense < k->layers && strcmp(k->of[dense], "dense") == 0) {
        dense++;
    }
    for (int64_t layer = dense; layer < k->layers; layer++) {
        if (strcmp(k->of[layer], "experts") != 0) {
            return false;
        }
    }
    if (dense > 0) {
        snprintf(text, sizeof text, "%lld", (long long)dense);
        set_field(k, "dense_layers", text);
    }
    return true;
}

static void set_kinds(const kinds *k)
{
    char text[NNC_PATTERN_MAX * KIND_MAX] = "";
    const int64_t period = period_of(k);
    size_t used = 0;
    if (strcmp(k->pattern->to, "mlps") == 0 && set_leading(k)) {
        return;
    }
    if (period == 1 && strcmp(k->pattern->to, "mixers") == 0 &&
        (strcmp(k->of[0], "full") == 0 || strcmp(k->of[0], "window") == 0)) {
        if (k->of[0][0] == 'f') { /* a width that no layer uses */
            k->file->model->decoder.sliding_window = 0;
        }
        return;
    }
    if (period > NNC_PATTERN_MAX) {
        nnc_json_fault(k->file->at, NULL,
                       "layers differ too much, expected a pattern of at most %d",
                       (int)NNC_PATTERN_MAX);
        return;
    }
    for (int64_t layer = 0; layer < period; layer++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", layer > 0 ? "," : "",
                                 k->of[layer]);
    }
    set_field(k, k->pattern->to, text);
}

void nnc_foreign_pattern_read(nnc_foreign_file *file, const nnc_foreign_pattern *pattern)
{
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
    if (!find_kinds(k)) {
        return;
    }
    if (pattern->last != NULL) {
        set_kind(k, k->layers - 1, pattern->last);
    }
    set_kinds(k);
}
