/* Every spelling of a value in a file of measured steps, and what frameworks do unasked. */
#ifndef NNCOST_LAB_MEASURED_WORDS_H
#define NNCOST_LAB_MEASURED_WORDS_H

#include <nncost/plan.h>

/* One spelling of a value; refused: why it has no meaning here, NULL = it has. */
typedef struct nnc_spelling {
    const char *text;
    unsigned value;
    const char *refused;
} nnc_spelling;

/* By column; each ends with a NULL text and the name of the column. */
extern const nnc_spelling nnc_words_precisions[], nnc_words_recomputes[], nnc_words_optimizers[],
    nnc_words_offloads[], nnc_words_shardings[], nnc_words_positions[], nnc_words_tasks[],
    nnc_words_attentions[], nnc_words_flashes[];

enum { NNC_WORDS_FLASH_UNKNOWN = NNC_ATTENTION_COUNT };

enum { NNC_ONE_PASS = -1 };

/* What a framework does where its row does not say. The first prefix that fits counts. */
typedef struct nnc_framework {
    const char *prefix, *version; /* version: NULL = any */
    const char *software;         /* NULL = the default profile */
    nnc_policy policy;
    nnc_attention attention;
    double fp16_dropout; /* GPTs in fp16 were trained with dropout, later ones were not */
    int32_t zero;
    bool sequence_parallel; /* wherever there is tensor parallelism */
    bool half_selective;    /* "selective" recomputes every other layer or product */
    bool ulysses;           /* context parallelism by all-to-all */
    bool nothing_hides;     /* its runs overlapped no communication */
    bool stays_gathered;    /* FSDP in a pipeline does not reshard after each forward pass */
    double capacity_factor;
    int64_t micro_batch; /* 0 = one pass where it is small, NNC_ONE_PASS = always */
} nnc_framework;

/* Ends with an empty prefix, which fits all. */
extern const nnc_framework nnc_frameworks[];

#endif
