/* How files of measured steps spell values, and what frameworks do unasked: the table lab/words.json of the
 * data folders, and what software profiles stand for. */
#ifndef NNCOST_LAB_MEASURED_WORDS_H
#define NNCOST_LAB_MEASURED_WORDS_H

#include "input/json.h"

typedef struct nnc_words nnc_words;

/* In the set's arena, to be closed. Without a data folder every word stands for itself. */
nnc_status nnc_words_open(nnc_specs *specs, nnc_words **words, nnc_error *err);
void nnc_words_close(nnc_words *words);

/* What a word of a column stands for: "" = nothing is said. *refused: why it has no meaning here, NULL = it
 * may have one. */
const char *nnc_words_meaning(const nnc_words *words, const char *column, const char *text,
                              const char **refused);

/* Is it a column that is there for people? */
bool nnc_words_unused_column(const nnc_words *words, const char *column);

/* What a family of models has apart from others. model_id: a shipped model that stands for all of it; refused
 * as above; both may be NULL. */
typedef struct nnc_words_family {
    const char *model_id, *refused;
    nnc_json fields[2]; /* those that are set, of a plain feed-forward layer and of a gated one */
} nnc_words_family;
nnc_words_family nnc_words_family_of(const nnc_words *words, const char *family, const char *model);
/* Sets its fields; false: the table names one that a model has not. */
bool nnc_words_family_set(nnc_words_family family, bool gated, nnc_model *model);

/* What a row says that tells frameworks, and their releases and ways of running, apart; "" = nothing. */
typedef struct nnc_words_run {
    const char *framework, *version, *hardware, *precision, *notes, *model;
} nnc_words_run;

/* What a framework does where its row does not say: the longest name that fits counts, then the most of the
 * other conditions. *software: the profile that stands for it, NULL = the default one. */
const nnc_framework *nnc_words_framework(const nnc_words *words, const nnc_words_run *run,
                                         const char **software);

/* What serves under a framework's name: the first entry of "engines" that fits. */
typedef struct nnc_words_engine {
    const char *software; /* NULL: none fits */
    const char
        *narrow_kv; /* format of the cache of 8-bit and narrower weights, where a row says none */
    bool whole;     /* it was fitted on all of its rows */
    double waves;   /* of its benchmark, as its rows show; NaN = the default */
} nnc_words_engine;
nnc_words_engine nnc_words_engine_of(const nnc_words *words, const char *framework,
                                     const char *version, const char *source);

/* Are the 8-bit weights of that model published with scales of blocks? */
bool nnc_words_block_scaled(const nnc_words *words, const char *model);

#endif
