#include "input/foreign/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* What a training sequence is taken to be where a network could hold a longer one. */
enum { TRAINED_TOKENS = 8192 };

/* The key that set the same field before one of row `own`, of this row or one that it is like, left in *k; NULL = none. */
static const nnc_foreign_key *earlier(const nnc_foreign_file *file, const nnc_architecture *own,
                                      const nnc_foreign_keys *key, nnc_foreign_keys *k)
{
    const nnc_architecture *asked = file->row, *row = NULL;
    while (key->key.to != NULL && (row = nnc_foreign_next(asked, row)) != NULL) {
        for (*k = nnc_foreign_keys_of(row); nnc_foreign_next_key(k);) {
            if (row == own && k->begin == key->begin) {
                return NULL;
            }
            if (k->key.to != NULL && strcmp(k->key.to, key->key.to) == 0 &&
                nnc_foreign_speaks(file->at, k->key.when) &&
                !nnc_foreign_overridden(asked, row, k->key.key)) {
                return &k->key;
            }
        }
    }
    return NULL;
}

static void read_keys(nnc_foreign_file *file)
{
    const nnc_architecture *row = NULL;
    nnc_foreign_keys before;
    while ((row = nnc_foreign_next(file->row, row)) != NULL) {
        for (nnc_foreign_keys k = nnc_foreign_keys_of(row);
             nnc_json_go_on(file->at) && nnc_foreign_next_key(&k);) {
            if (!nnc_foreign_overridden(file->row, row, k.key.key)) {
                nnc_foreign_read_key(file, &k.key, earlier(file, row, &k, &before));
            }
        }
    }
}

static void set_implied(nnc_foreign_file *file)
{
    const nnc_architecture *row = NULL;
    while ((row = nnc_foreign_next(file->row, row)) != NULL) {
        for (const char *at = row->implies; at != NULL && *at != '\0';) {
            char pair[64];
            const size_t size = strcspn(at, " ");
            snprintf(pair, sizeof pair, "%.*s", (int)size, at);
            nnc_foreign_set(file->at, file->model, NULL, pair);
            at += size + strspn(at + size, " ");
        }
    }
}

/* The key that sets a field, as the file writes it; the field's own name where a level says it. */
static const char *key_of(const nnc_foreign_file *file, const char *field, char *name, size_t size)
{
    snprintf(name, size, "%s", field);
    for (const nnc_architecture *row = file->row; row != NULL; row = nnc_foreign_row(row->like)) {
        for (nnc_foreign_keys k = nnc_foreign_keys_of(row); nnc_foreign_next_key(&k);) {
            if (k.key.to != NULL && strcmp(k.key.to, field) == 0) {
                const nnc_json at = nnc_foreign_get(file->at, k.key.key);
                snprintf(name, size, "%.*s", at.node != NULL ? 63 : (int)strcspn(k.key.key, "|"),
                         at.node != NULL ? nnc_json_key(at) : k.key.key);
                return name;
            }
        }
    }
    return name;
}

/* Told by the keys of the file, before the family's own rule does so by its fields. */
static void check_head_dim(const nnc_foreign_file *file, const nnc_decoder *d)
{
    char heads[64], hidden[64], what[96];
    if (d->head_dim == 0 && d->heads > 0 && d->hidden % d->heads != 0) {
        snprintf(what, sizeof what, "does not divide %s",
                 key_of(file, "hidden", hidden, sizeof hidden));
        nnc_json_mismatch(nnc_json_get(file->at, key_of(file, "heads", heads, sizeof heads)), what,
                          "a divisor");
    }
}

/* A file says how long a sequence may be, not how long those of the training are. */
static int64_t limit_sequence(nnc_decoder *d)
{
    const int64_t maximum = d->seq_len;
    if (nnc_positions_learned(d->positions) && d->positions_max == 0) {
        d->positions_max = maximum;
    }
    d->seq_len = maximum > TRAINED_TOKENS ? TRAINED_TOKENS : maximum;
    return maximum;
}

/* ---- what the reader of the output is told ---- */

typedef struct note_list {
    nnc_arena *arena;
    const char *texts[8];
    int32_t count;
} note_list;

static void add_note(note_list *list, const char *format, ...) NNC_PRINTF(2, 3);
static void add_note(note_list *list, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    list->texts[list->count] = nnc_arena_strdup(list->arena, text);
    list->count += list->texts[list->count] != NULL && list->count < 7;
}

static void note_quantization(note_list *list, nnc_json root)
{
    char text[64];
    const nnc_json at = nnc_json_get(root, "quantization_config");
    if (nnc_json_type_of(at) == NNC_JSON_OBJECT) {
        const nnc_json method = nnc_json_get(at, "quant_method");
        const char *how = nnc_foreign_text(method, text, sizeof text);
        add_note(
            list,
            "quantization_config (%.40s) says how the weights are stored; a training step takes "
            "--precision and --policy",
            method.node != NULL && how != NULL ? how : "no method named");
    }
}

static void write_notes(const nnc_foreign_file *file, nnc_json root, int64_t maximum)
{
    note_list list = { .arena = root.doc->arena };
    nnc_model *model = file->model;
    if (maximum > 0 && maximum != model->decoder.seq_len) {
        add_note(&list,
                 "sequence: %lld tokens unless --seq-len sets another; the file's %lld is the "
                 "longest possible",
                 (long long)model->decoder.seq_len, (long long)maximum);
    }
    if (file->taken[0] != '\0') {
        add_note(&list, "left open by the file, so as %s has it: %s", file->row->name, file->taken);
    }
    if (file->noted[0] != '\0') {
        add_note(&list, "%s", file->noted);
    }
    for (const nnc_architecture *row = file->row; row != NULL; row = nnc_foreign_row(row->like)) {
        if (row->says != NULL) {
            add_note(&list, "%s", row->says);
        }
    }
    if (file->skipped[0] != '\0') {
        add_note(&list, "skipped by --lenient: %s", file->skipped);
    }
    note_quantization(&list, root);
    const char **texts = nnc_arena_array(list.arena, (size_t)list.count + 1, sizeof *texts);
    if (texts == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    memcpy(texts, list.texts, (size_t)list.count * sizeof *texts);
    model->notes = texts;
    model->note_count = list.count;
}

/* ---- the file ---- */

bool nnc_is_foreign(nnc_json root)
{
    return nnc_json_type_of(root) == NNC_JSON_OBJECT && !nnc_foreign_given(root, "schema") &&
           (nnc_foreign_given(root, "model_type") || nnc_foreign_given(root, "_class_name"));
}

/* The row that one of several stands for, as the file says; NULL with a fault. */
static const nnc_architecture *stands_for(nnc_json root, const nnc_architecture *row)
{
    char key[64], name[96], own[64];
    const char *words = strchr(row->as, '=') + 1;
    snprintf(key, sizeof key, "%.*s", (int)(words - 1 - row->as), row->as);
    const nnc_json at = nnc_json_get(root, key);
    const char *value = nnc_foreign_text(at, own, sizeof own);
    if (value == NULL || nnc_foreign_value(words, value, name, sizeof name) == NULL) {
        nnc_json_fault(at.node != NULL ? at : root, at.node != NULL ? NULL : key,
                       "a network that is not known, expected one of %s, found %.60s", words,
                       value != NULL ? value : "more than one value");
        return NULL;
    }
    for (nnc_foreign_keys k = nnc_foreign_keys_of(row); nnc_foreign_next_key(&k);) {
        if (!nnc_foreign_given(root, k.key.key)) {
            nnc_json_fault(root, k.key.key, "missing, expected it for a %s, found nothing", name);
            return NULL;
        }
    }
    return nnc_foreign_row(name);
}

/* The row that the file names; NULL with a fault. */
static const nnc_architecture *find_row(nnc_json root)
{
    enum { NAMES_MAX = 256 };
    const char *key = nnc_foreign_given(root, "_class_name") ? "_class_name" : "model_type";
    const nnc_json at = nnc_json_get(root, key);
    const char *names[NAMES_MAX], *name = NULL;
    size_t count = 0;
    if (nnc_json_type_of(at) == NNC_JSON_TEXT) {
        name = nnc_json_text(at);
        const nnc_architecture *row = nnc_foreign_row(name);
        if (row != NULL && row->refuses != NULL) {
            nnc_json_fault(at, NULL, "%s, found \"%s\"", row->refuses, name);
            return NULL;
        }
        if (row != NULL && row->as != NULL) {
            return stands_for(root, row);
        }
        if (row != NULL && !row->base && (!row->part || row->alone)) {
            return row;
        }
    }
    for (int t = 0; t < NNC_FOREIGN_TABLES; t++) {
        for (const nnc_architecture *row = nnc_foreign_tables[t]; row->name != NULL; row++) {
            names[count] = row->name;
            count += !row->base && (!row->part || row->alone) && count < NAMES_MAX - 1;
        }
    }
    const char *near = name != NULL ? nnc_nearest(name, names, count) : NULL;
    char expected[256];
    snprintf(expected, sizeof expected,
             "one of those in docs/models.md%s%s, or the shape as a file of your own (nncost show "
             "llama3-8b --format json)",
             near != NULL ? ", nearest " : "", near != NULL ? near : "");
    nnc_json_mismatch(at, "unknown architecture", expected);
    return NULL;
}

/* Those of the row, else of the nearest row that it is like. */
static const nnc_foreign_pattern *patterns_of(const nnc_architecture *row)
{
    while (row != NULL && row->patterns == NULL) {
        row = nnc_foreign_row(row->like);
    }
    return row != NULL ? row->patterns : NULL;
}

/* Of decoders whose row names none. A base model is the network without its head. */
static const char decoder_classes[] = "ForCausalLM LMHeadModel !DoubleHeadsModel !PreTrainedModel "
                                      "ForSequenceClassification=head=projection,head_width=labels "
                                      "ForTokenClassification=head=tags,head_width=labels "
                                      "ForQuestionAnswering=head=tags,head_width=2 Model=head=none";

/* How many labels a classifier tells apart: their names, a number, or two where the class has a default. */
static void set_labels(nnc_json root, nnc_model *model, bool two)
{
    char text[24];
    const nnc_json number = nnc_foreign_get(root, "num_labels|_num_labels");
    const nnc_json names = nnc_json_get(root, "id2label");
    const bool counted = nnc_json_type_of(number) == NNC_JSON_NUMBER;
    const bool named = nnc_json_type_of(names) == NNC_JSON_OBJECT;
    const int count = named ? nnc_json_count(names) : 2;
    if (!named && !counted && !two) {
        nnc_json_fault(root, "id2label",
                       "missing, expected the names of the classes, found nothing");
    } else if (named && counted && nnc_json_number(number) != count) {
        nnc_json_mismatch(number, "differs from id2label", "as many as names");
    }
    snprintf(text, sizeof text, "%d", count);
    nnc_foreign_set(root, model, "head_width",
                    counted ? nnc_foreign_text(number, text, sizeof text) : text);
}

/* Does a class end so? One for a task ("ForRewardModel") is no base model. */
static bool ends_so(const char *name, const char *end, size_t length)
{
    const bool base = length == strlen("Model") && memcmp(end, "Model", length) == 0;
    return nnc_foreign_ends(name, end, length) && !(base && strstr(name, "For") != NULL);
}

/* What a class implies: fields and their values behind a '=', or nothing. */
static void apply_class(nnc_json root, nnc_model *model, const char *text, size_t size)
{
    static const char labelled[] = ",head_width=labels";
    char effects[128];
    snprintf(effects, sizeof effects, "%.*s", (int)size, text);
    char *labels = strstr(effects, labelled);
    if (labels != NULL) {
        *labels = '\0';
    }
    nnc_foreign_set(root, model, NULL, effects + (effects[0] == '='));
    if (labels != NULL) {
        set_labels(root, model, labels[strlen(labelled)] != '!');
    }
}

/* The class that the file names has to build this network with a head that is known: a base model has none,
 * and a classifier another. */
static void read_class(nnc_foreign_file *file, nnc_json root)
{
    const nnc_json list = nnc_json_get(root, "architectures");
    const nnc_json at = nnc_json_first(list);
    const nnc_architecture *row = file->row;
    while (row != NULL && row->classes == NULL) {
        row = nnc_foreign_row(row->like);
    }
    const bool named =
        nnc_json_type_of(list) == NNC_JSON_LIST && nnc_json_type_of(at) == NNC_JSON_TEXT;
    const char *classes = row != NULL                                 ? row->classes
                          : file->model->family == NNC_FAMILY_DECODER ? decoder_classes
                                                                      : NULL;
    for (const char *c = classes; c != NULL && *c != '\0'; c += strspn(c, " ")) {
        const size_t size = strcspn(c, " "), length = strcspn(c, "= ");
        const bool other = *c == '!';
        if (!named || ends_so(nnc_json_text(at), c + other, length - other)) {
            if (!other) {
                apply_class(root, file->model, c + length, size - length);
                return;
            }
            break;
        }
        c += size;
    }
    if (named && classes != NULL) {
        char expected[256] = "one that ends in";
        for (const char *c = classes; *c != '\0'; c += strcspn(c, " "), c += strspn(c, " ")) {
            const size_t used = strlen(expected);
            snprintf(expected + used, sizeof expected - used, "%s%.*s", *c == '!' ? "" : " ",
                     *c == '!' ? 0 : (int)strcspn(c, "= "), c);
        }
        nnc_json_mismatch(at, "a class with another head, or without one", expected);
    }
}

void nnc_foreign_fill(nnc_foreign_file *file)
{
    nnc_json root = file->at;
    file->model->family = nnc_foreign_next(file->row, NULL)->family;
    nnc_foreign_graph_read(file);
    if (!nnc_json_go_on(root)) {
        return;
    }
    nnc_foreign_check_keys(file);
    set_implied(file);
    if (file->implied[0] != '\0') {
        nnc_foreign_set(root, file->model, NULL, file->implied + 1);
    }
    if (file->around == NULL && (!file->row->part || file->row->alone) &&
        nnc_json_root(root.doc).node == root.node) {
        read_class(file, root);
    }
    read_keys(file);
    for (const nnc_foreign_pattern *p = patterns_of(file->row);
         p != NULL && p->to != NULL && root.doc->faults->count == 0; p++) {
        nnc_foreign_pattern_read(file, p);
    }
    if (file->row->levels != NULL && nnc_json_go_on(root)) {
        nnc_foreign_levels_read(file, file->row->levels);
    }
}

bool nnc_foreign_read(nnc_json root, nnc_model *model)
{
    nnc_foreign_file file = { .at = root, .row = find_row(root), .model = model };
    int64_t maximum = 0;
    if (file.row == NULL) {
        return false;
    }
    if (file.row->text != NULL) {
        read_class(&file, root);
        nnc_foreign_parts_read(&file);
    } else {
        nnc_foreign_fill(&file);
    }
    if (model->family == NNC_FAMILY_DECODER && root.doc->faults->count == 0) {
        check_head_dim(&file, &model->decoder);
        maximum = limit_sequence(&model->decoder);
    }
    write_notes(&file, root, maximum);
    return root.doc->faults->count == 0;
}
