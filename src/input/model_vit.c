#include <inttypes.h>

#include "input/family_fields.h"

#define VIT(member) NNC_FIELD_IN(nnc_model, vit, member)

static const nnc_field fields[] = {
    NNC_COMMON_FIELDS,
    { VIT(image), .unit = "pixels", .min = 1, .max = NNC_SIDE_MAX, .required = true,
      .help = "Side of an image." },
    { VIT(patch), .unit = "pixels", .min = 1, .max = NNC_SIDE_MAX, .required = true,
      .help = "Side of a patch, which becomes one token." },
    { VIT(in_channels), .min = 1, .max = 1e5, .default_text = "3",
      .help = "Channels of the image." },
    { VIT(layers), .min = 1, .max = NNC_LAYERS_MAX, .required = true, .help = "Blocks." },
    { VIT(hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true,
      .help = "Width of the residual stream." },
    { VIT(heads), .min = 1, .max = NNC_WIDTH_MAX, .required = true, .help = "Attention heads." },
    { VIT(ffn_hidden), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "4 x hidden",
      .help = "Width inside the feed-forward layer." },
    { VIT(mlp), NNC_FIELD_NAMES(nnc_mlp, NNC_MLP_COUNT), .default_text = "gelu",
      .help = "Activation of the feed-forward layer; swiglu and geglu have three matrices." },
    { VIT(classes), .min = 1, .max = NNC_VOCAB_MAX, .required = true,
      .help = "Classes that the head tells apart." },
    { VIT(distilled), .default_text = "off",
      .help = "A second token and a second head, for what a teacher says (DeiT)." },
    { VIT(relative_positions), .default_text = "off",
      .help = "Each layer adds a table of relative positions to its scores; patches have none "
              "(BEiT)." },
    { VIT(no_key_bias), .default_text = "off", .help = "Keys have no bias." },
    { VIT(layer_scale), .default_text = "off",
      .help = "Each half of a layer ends with one factor per channel." },
    { VIT(dropout), .max = 0.999, .default_text = "0",
      .help = "Probability of dropping an element." },
};

static void complete(nnc_json root, nnc_model *model)
{
    nnc_vit *v = &model->vit;
    (void)root;
    v->in_channels = v->in_channels == 0 ? 3 : v->in_channels;
    v->ffn_hidden = v->ffn_hidden == 0 ? 4 * v->hidden : v->ffn_hidden;
}

static void rules(nnc_json at, const nnc_model *model)
{
    const nnc_vit *v = &model->vit;
    if (v->hidden % v->heads != 0) {
        nnc_json_fault(at, "heads",
                       "does not divide hidden, expected a divisor of %" PRId64 ", found %" PRId64,
                       v->hidden, v->heads);
    }
    if (v->image % v->patch != 0) {
        nnc_json_fault(at, "patch",
                       "does not divide image, expected a divisor of %" PRId64 ", found %" PRId64,
                       v->image, v->patch);
    }
}

const nnc_family_fields nnc_vit_fields = {
    .table = { "vit", fields, NNC_COUNT_OF(fields) },
    .complete = complete,
    .rules = rules,
};
