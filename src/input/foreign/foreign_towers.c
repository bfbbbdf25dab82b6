/* Files with several networks: a decoder of text, and towers that read images or sounds for it. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/foreign/foreign.h"

/* The row of the object of a part: what it calls itself, else what the word of the row around says. */
static const nnc_architecture *row_of(nnc_json at, const char *word, bool part)
{
    const nnc_json type = nnc_json_get(at, "model_type");
    const nnc_architecture *said =
        nnc_json_type_of(type) == NNC_JSON_TEXT ? nnc_foreign_row(nnc_json_text(type)) : NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, " :"), word);
    if (said != NULL && said->refuses == NULL && said->text == NULL && !said->base &&
        said->part == part && (part || said->family == NNC_FAMILY_DECODER)) {
        return said;
    }
    if (said != NULL && said->refuses != NULL && said->text == NULL) {
        nnc_json_fault(type, NULL, "%s, found \"%.60s\"", said->refuses, nnc_json_text(type));
        return NULL;
    }
    const nnc_architecture *own = nnc_foreign_row(name);
    const bool generic = own != NULL && !own->part && nnc_json_type_of(type) == NNC_JSON_TEXT &&
                         said == NULL && strcmp(name, "llama") == 0;
    if (own == NULL || generic) {
        nnc_json_mismatch(type, "unknown architecture", "one of those in docs/models.md");
        return NULL;
    }
    return own;
}

/* Keys of the text that stand beside it too have to say the same. */
static void check_twice(const nnc_foreign_file *file, nnc_json inside)
{
    char a[64], b[64];
    for (nnc_json at = nnc_json_first(inside); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json outside = nnc_json_get(file->at, nnc_json_key(at));
        const char *one = nnc_foreign_text(at, a, sizeof a);
        const char *other = nnc_foreign_text(outside, b, sizeof b);
        if (nnc_foreign_shapes(nnc_json_key(at)) && nnc_json_type_of(outside) != NNC_JSON_ABSENT &&
            nnc_json_type_of(outside) != NNC_JSON_NULL && one != NULL && other != NULL &&
            strcmp(one, other) != 0) {
            nnc_json_mismatch(outside, "differs from that of the text", one);
            return;
        }
    }
}

/* Files may repeat keys of the text beside it, but say nothing of it that stands there alone. */
static void check_beside(nnc_foreign_file *file, nnc_json inside, const nnc_architecture *text)
{
    for (nnc_json at = nnc_json_first(file->at); at.node != NULL && nnc_json_go_on(at);
         at = nnc_json_next(at)) {
        const char *key = nnc_json_key(at);
        if (!nnc_foreign_speaks_of(file->row, key) && nnc_foreign_speaks_of(text, key) &&
            nnc_foreign_shapes(key) && !nnc_foreign_is_empty(at) &&
            !nnc_foreign_given(inside, key)) {
            nnc_json_fault(at, NULL, "shapes the text, expected it there, found it beside");
        }
    }
    file->around = text;
}

/* Whether the head is the table is said beside the text or in it. */
static void read_tied(nnc_foreign_file *file, nnc_json text)
{
    const nnc_json outside = nnc_json_get(file->at, "tie_word_embeddings");
    if (text.node != file->at.node && nnc_json_type_of(outside) == NNC_JSON_BOOL &&
        !nnc_foreign_given(text, "tie_word_embeddings")) {
        file->model->decoder.tied_head = nnc_json_bool(outside);
    }
}

static void read_text(nnc_foreign_file *file)
{
    char key[64];
    const char *word = strchr(file->row->text, '=') + 1;
    snprintf(key, sizeof key, "%.*s", (int)(word - 1 - file->row->text), file->row->text);
    const nnc_json at = nnc_foreign_get(file->at, key);
    const bool nested = nnc_json_type_of(at) == NNC_JSON_OBJECT;
    if (!nested && !file->row->flat) {
        nnc_json_fault(file->at, key,
                       "missing, expected an object with the decoder, found nothing");
        return;
    }
    nnc_foreign_file text = { .at = nested ? at : file->at,
                              .row = nested ? row_of(at, word, false) : nnc_foreign_row(word),
                              .around = nested ? NULL : file->row,
                              .model = file->model };
    if (text.row == NULL) {
        return;
    }
    if (nested) {
        check_twice(file, at);
        check_beside(file, at, text.row);
        nnc_foreign_check_keys(file);
    }
    nnc_foreign_fill(&text);
    read_tied(file, text.at);
    snprintf(file->taken, sizeof file->taken, "%s", text.taken);
    snprintf(file->noted, sizeof file->noted, "%s", text.noted);
    snprintf(file->skipped, sizeof file->skipped, "%s", text.skipped);
}

/* Numbers of a part that follow from the text. */
static void take_from_text(nnc_json at, const nnc_model *model, nnc_model *part)
{
    const nnc_decoder *d = &model->decoder;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        { "text_hidden", d->hidden },         { "text_heads", d->heads },
        { "text_kv_heads", d->kv_heads },     { "text_layers", d->layers },
        { "text_ffn_hidden", d->ffn_hidden },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(numbers); i++) {
        char text[24];
        snprintf(text, sizeof text, "%lld", (long long)numbers[i].value);
        if (nnc_field_of_key(part->graph.fields, numbers[i].name) != NULL) {
            nnc_foreign_set(at, part, numbers[i].name, text);
        }
    }
}

static void read_part(nnc_foreign_file *file, const char *key, const char *word)
{
    nnc_model *part = nnc_arena_alloc(file->at.doc->arena, sizeof *part);
    const nnc_json at = nnc_foreign_get(file->at, key);
    nnc_model *model = file->model;
    if (part == NULL) {
        nnc_faults_no_memory(file->at.doc->faults);
        return;
    }
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_fault(file->at, key, "missing, expected an object, found nothing");
        return;
    }
    memset(part, 0, sizeof *part);
    nnc_foreign_file inside = { .at = at, .row = row_of(at, word, true), .model = part };
    word += strcspn(word, " :");
    snprintf(inside.implied, sizeof inside.implied, "%.*s", (int)strcspn(word, " "), word);
    if (inside.row == NULL) {
        return;
    }
    nnc_foreign_fill(&inside);
    if (file->at.doc->faults->count > 0) {
        return;
    }
    take_from_text(at, model, part);
    model->towers[model->tower_count++] = part->graph;
    nnc_model_rules(at, part);
    if (inside.taken[0] != '\0') {
        nnc_foreign_note(file->taken, sizeof file->taken, "of %s %.140s", key, inside.taken);
    }
}

void nnc_foreign_parts_read(nnc_foreign_file *file)
{
    read_text(file);
    for (const char *word = file->row->parts;
         word != NULL && *word != '\0' && nnc_json_go_on(file->at);) {
        char key[64];
        const size_t length = strcspn(word, "=");
        snprintf(key, sizeof key, "%.*s", (int)length, word);
        read_part(file, key, word + length + 1);
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    if (file->at.doc->faults->count == 0) {
        nnc_foreign_note(file->noted, sizeof file->noted,
                         "without images or sounds: --set tower_inputs=1 adds the work of one for "
                         "each sequence");
    }
}
