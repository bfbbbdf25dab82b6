#include "lab/measured_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/file.h"
#include "input/kind.h"
#include "input/read.h"

#define SCHEMA "nncost.words/1"

struct nnc_words {
    nnc_faults faults;
    nnc_json_doc doc; /* without a root: there is no table */
    const nnc_software **profiles;
    int32_t profile_count;
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *text_of(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : NULL;
}

/* The words of a column: texts, and objects that say why not. */
static void check_words(nnc_json column)
{
    for (nnc_json at = nnc_json_first(column); at.node != NULL; at = nnc_json_next(at)) {
        if (text_of(at) == NULL && text_of(nnc_json_get(at, "refused")) == NULL) {
            nnc_json_mismatch(at, "wrong type", "a text, or an object with \"refused\"");
        }
    }
}

static void check_table(nnc_json root)
{
    const char *schema = text_of(nnc_json_get(root, "schema"));
    if (schema == NULL || strcmp(schema, SCHEMA) != 0) {
        nnc_json_fault(root, "schema", "unknown schema, expected \"" SCHEMA "\"");
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(root, "words")); at.node != NULL;
         at = nnc_json_next(at)) {
        check_words(at);
    }
    for (nnc_json at = nnc_json_first(nnc_json_get(root, "families")); at.node != NULL;
         at = nnc_json_next(at)) {
        if (text_of(nnc_json_get(at, "begins")) == NULL) {
            nnc_json_fault(at, "begins", "missing, expected what the name of a family begins with");
        }
    }
}

static nnc_status open_table(nnc_specs *specs, nnc_words *w, nnc_error *err)
{
    const char *path = NULL;
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_file(specs, "lab/words.json", &path, err));
    if (path == NULL) {
        return NNC_OK;
    }
    NNC_TRY(nnc_file_read(path, &text, &size, err));
    w->faults = (nnc_faults){ .name = path, .err = err };
    w->doc = (nnc_json_doc){
        .faults = &w->faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    if (nnc_json_parse(&w->doc)) {
        check_table(nnc_json_root(&w->doc));
    }
    free(text);
    return w->faults.status;
}

static nnc_status load_profiles(nnc_specs *specs, nnc_words *w, nnc_error *err)
{
    const char *const *ids = NULL;
    int32_t count = 0;
    NNC_TRY(nnc_specs_list(specs, NNC_SPEC_SOFTWARE, &ids, &count, err));
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): a list of pointers */
    w->profiles = nnc_arena_array(nnc_specs_arena(specs), (size_t)count + 1, sizeof *w->profiles);
    if (w->profiles == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, "software", "out of memory");
    }
    for (; w->profile_count < count; w->profile_count++) {
        NNC_TRY(
            nnc_software_load(specs, ids[w->profile_count], &w->profiles[w->profile_count], err));
    }
    return NNC_OK;
}

nnc_status nnc_words_open(nnc_specs *specs, nnc_words **words, nnc_error *err)
{
    *words = nnc_arena_alloc(nnc_specs_arena(specs), sizeof **words);
    if (*words == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, "words", "out of memory");
    }
    nnc_status status = open_table(specs, *words, err);
    if (status == NNC_OK) {
        status = load_profiles(specs, *words, err);
    }
    if (status != NNC_OK) {
        nnc_words_close(*words);
        *words = NULL;
    }
    return status;
}

void nnc_words_close(nnc_words *words)
{
    if (words != NULL) {
        nnc_json_free(&words->doc);
    }
}

const char *nnc_words_meaning(const nnc_words *words, const char *column, const char *text,
                              const char **refused)
{
    const nnc_json all = nnc_json_get(nnc_json_root(&words->doc), "words");
    const nnc_json at = nnc_json_get(nnc_json_get(all, column), text);
    *refused = text_of(nnc_json_get(at, "refused"));
    return at.node == NULL ? text : *refused != NULL ? "" : nnc_json_text(at);
}

bool nnc_words_unused_column(const nnc_words *words, const char *column)
{
    nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(&words->doc), "unused_columns"));
    while (at.node != NULL && (text_of(at) == NULL || strcmp(text_of(at), column) != 0)) {
        at = nnc_json_next(at);
    }
    return at.node != NULL;
}

/* Does the text under a key of an entry begin the text? An entry without the key fits any. */
static bool fits(nnc_json entry, const char *key, const char *text)
{
    const char *prefix = text_of(nnc_json_get(entry, key));
    return prefix == NULL || begins(text, prefix);
}

nnc_words_family nnc_words_family_of(const nnc_words *words, const char *family, const char *model)
{
    nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(&words->doc), "families"));
    while (at.node != NULL && !(fits(at, "begins", family) && fits(at, "named", model))) {
        at = nnc_json_next(at);
    }
    return (nnc_words_family){
        .model_id = text_of(nnc_json_get(at, "model")),
        .refused = text_of(nnc_json_get(at, "refused")),
        .fields = { nnc_json_get(at, "plain"), nnc_json_get(at, "gated") },
    };
}

bool nnc_words_family_set(nnc_words_family family, bool gated, nnc_model *model)
{
    bool set = true;
    nnc_json at = nnc_json_first(family.fields[gated]);
    for (; at.node != NULL; at = nnc_json_next(at)) {
        const char *value = text_of(at);
        set = set && value != NULL && nnc_model_set(model, nnc_json_key(at), value, NULL) == NNC_OK;
    }
    return set;
}

enum { VERSION_WEIGHS = 8 }; /* a release before what else tells ways of running apart */

/* How much of what a profile stands for is said of a row: the framework before the rest; -1 = another. */
static int likeness(const nnc_framework *one, const nnc_words_run *run)
{
    const bool is = begins(run->framework, one->framework) && begins(run->version, one->version) &&
                    begins(run->hardware, one->hardware) &&
                    begins(run->precision, one->precision) && begins(run->model, one->model) &&
                    strstr(run->notes, one->notes) != NULL;
    const size_t rest = VERSION_WEIGHS * strlen(one->version) + strlen(one->hardware) +
                        strlen(one->precision) + strlen(one->notes) + strlen(one->model);
    return is ? (int)(strlen(one->framework) * 1000 + rest) : -1;
}

const nnc_framework *nnc_words_framework(const nnc_words *words, const nnc_words_run *run,
                                         const char **software)
{
    static const nnc_framework unknown = { .overlap = (double)NAN };
    const nnc_framework *best = &unknown;
    int most = 0;
    *software = NULL;
    for (int32_t i = 0; i < words->profile_count; i++) {
        const nnc_software *profile = words->profiles[i];
        for (int32_t k = 0; k < profile->stands_for_count; k++) {
            const nnc_framework *one = &profile->stands_for[k];
            const int like = likeness(one, run);
            if (like > most) {
                most = like;
                best = one;
                *software = profile->id;
            }
        }
    }
    return best;
}

nnc_words_engine nnc_words_engine_of(const nnc_words *words, const char *framework,
                                     const char *version, const char *source)
{
    nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(&words->doc), "engines"));
    while (at.node != NULL && !(fits(at, "framework", framework) && fits(at, "version", version) &&
                                fits(at, "source", source))) {
        at = nnc_json_next(at);
    }
    const nnc_json waves = nnc_json_get(at, "waves");
    return (nnc_words_engine){ .waves = nnc_json_type_of(waves) == NNC_JSON_NUMBER
                                            ? nnc_json_number(waves)
                                            : (double)NAN,
                               .software = text_of(nnc_json_get(at, "software")),
                               .narrow_kv = text_of(nnc_json_get(at, "narrow_kv")),
                               .whole = nnc_json_get(at, "fitted_whole").node != NULL };
}

bool nnc_words_block_scaled(const nnc_words *words, const char *model)
{
    nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(&words->doc), "block_scaled"));
    while (at.node != NULL && (text_of(at) == NULL || strcmp(text_of(at), model) != 0)) {
        at = nnc_json_next(at);
    }
    return at.node != NULL;
}
