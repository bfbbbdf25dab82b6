/* The files of a family of models: one row each, in input/model_<family>.c. */
#ifndef NNCOST_INPUT_FAMILY_FIELDS_H
#define NNCOST_INPUT_FAMILY_FIELDS_H

#include <nncost/model.h>

#include "input/kind.h"
#include "input/read.h"

typedef struct nnc_family_fields {
    nnc_field_table table;
    void (*begin)(nnc_model *model); /* fills in defaults that are not 0; NULL = there are none */
    void (*complete)(nnc_json root, nnc_model *model);  /* and those that other fields decide */
    void (*rules)(nnc_json at, const nnc_model *model); /* what fields have to be to each other */
    const char *const
        *keys; /* what a file may say besides its fields, ends with NULL; NULL = as all */
} nnc_family_fields;

#define NNC_FAMILY_FIELDS(name, text, help, row) extern const nnc_family_fields nnc_##row##_fields;
NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS

const nnc_family_fields *nnc_family_fields_of(nnc_family family);
void nnc_decoder_rules(nnc_json at, const nnc_model *model);

/* Far above any network, and low enough that a product of two dims cannot overflow. */
#define NNC_LAYERS_MAX 1e5
#define NNC_WIDTH_MAX 1e7
#define NNC_VOCAB_MAX 1e9
#define NNC_TOKENS_MAX 1e9
#define NNC_SIDE_MAX 1e6

/* What every family's table begins with. */
/* clang-format off */
#define NNC_COMMON_FIELDS                                                                    \
    { NNC_FIELD(nnc_model, id), .required = true,                                            \
      .help = "File stem and name on the command line." },                                   \
    { NNC_FIELD(nnc_model, name), .required = true, .help = "Name in full." },               \
    { NNC_FIELD(nnc_model, family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT),           \
      .required = true,                                                                      \
      .help = "Kind of network, which decides the fields that follow." },                    \
    { NNC_FIELD(nnc_model, published_params), .max = 1e15, .zero_unknown = true,             \
      .help = "Parameters as the authors count them." },                                     \
    { NNC_FIELD(nnc_model, text_encoders), .rare = true,                                     \
      .help = "Of what denoises images: models that read the prompt, ids joined by commas." }, \
    { NNC_FIELD(nnc_model, image_decoder), .rare = true,                                     \
      .help = "Of what denoises images: the model that makes the image of the latent." },    \
    { NNC_FIELD(nnc_model, image_factor), .min = 1, .max = 1e4, .rare = true,                \
      .zero_unknown = true,                                                                  \
      .help = "Of a graph that denoises images: pixels per side of a position of its image." }
/* clang-format on */

#endif
