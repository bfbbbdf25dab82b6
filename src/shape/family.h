/* The families of networks: one row each. Whoever needs to know something about a family asks its row. */
#ifndef NNCOST_SHAPE_FAMILY_H
#define NNCOST_SHAPE_FAMILY_H

#include <stddef.h>

#include "shape/list.h"

/* What other rooms ask of a model, whatever its family; 0 = it has none. */
typedef struct nnc_model_sizes {
    int64_t layers;  /* that pipeline stages are made of */
    int64_t hidden;  /* width of what layers hand on */
    int64_t seq_len; /* tokens of a training sequence; 0 = it trains on images */
    int64_t vocab;   /* rows of the table of words, which tensor ranks divide */
    int64_t experts; /* routed ones of a layer */
    int64_t channels, image;
} nnc_model_sizes;

enum { NNC_SHAPE_TEXT = 64 };

typedef struct nnc_family_row {
    nnc_model_sizes (*sizes)(const nnc_model *model);
    /* Fills in lengths from the model; NNC_ILLEGAL_PLAN when the plan asks for what the family has not,
     * or for lengths that do not suit the model. */
    nnc_status (*resolve)(const nnc_model *model, nnc_plan *plan, nnc_error *err);
    /* What it asks of tensor, context and expert ranks; NULL = it is split over data only. */
    nnc_status (*split)(const nnc_model *model, const nnc_plan *plan, nnc_error *err);
    /* Writes the forward ops of one micro-batch into an empty list. */
    void (*lower)(const nnc_model *model, const nnc_writer *w);
    /* Its shape and its input in a few words: "48 layers, hidden 1600", "1024 tokens". */
    void (*describe)(const nnc_model *model, char shape[NNC_SHAPE_TEXT],
                     char input[NNC_SHAPE_TEXT]);
} nnc_family_row;

#define NNC_FAMILY_ROW(name, text, help, row) extern const nnc_family_row nnc_##row##_family;
NNC_FAMILY_LIST(NNC_FAMILY_ROW)
#undef NNC_FAMILY_ROW

const nnc_family_row *nnc_family_of(const nnc_model *model);
nnc_model_sizes nnc_model_sizes_of(const nnc_model *model);

/* Rows of a table of words over tensor ranks: padded where they do not divide, as frameworks do. Source:
 * Megatron-LM, --make-vocab-size-divisible-by 128, times the tensor ranks.   [heads] */
int64_t nnc_vocab_split(int64_t words, int32_t tensor);

/* Writes the forward ops of one micro-batch of plan->micro_batch samples. The list is reset first.
 * Check list->overflow and list->truncated afterwards. */
void nnc_lower(const nnc_model *model, const nnc_lowering *how, nnc_op_list *list);

/* For families that train on images: refuses what counts tokens, and fills in the image. */
nnc_status nnc_family_takes_images(const nnc_model *model, int64_t image, nnc_plan *plan,
                                   nnc_error *err);
/* `what`, of size whole, must divide evenly over ranks. */
nnc_status nnc_divides(const char *option, const char *what, int64_t whole, int64_t ranks,
                       nnc_error *err);

#endif
