#include <inttypes.h>
#include <string.h>

#include <nncost/model.h>

#include "base/error.h"
#include "base/names.h"
#include "input/kind.h"
#include "input/read.h"

NNC_ENUM_NAMES(nnc_family, NNC_FAMILY_LIST)
NNC_ENUM_NAMES(nnc_positions, NNC_POSITIONS_LIST)
NNC_ENUM_NAMES(nnc_norm_kind, NNC_NORM_KIND_LIST)
NNC_ENUM_NAMES(nnc_mlp, NNC_MLP_LIST)
NNC_ENUM_NAMES(nnc_unet_block, NNC_UNET_BLOCK_LIST)
NNC_ENUM_NAMES(nnc_unet_down, NNC_UNET_DOWN_LIST)
NNC_ENUM_NAMES(nnc_unet_up, NNC_UNET_UP_LIST)

/* Far above any network, and low enough that a product of two dims cannot overflow. */
#define LAYERS_MAX 1e5
#define WIDTH_MAX 1e7
#define VOCAB_MAX 1e9
#define TOKENS_MAX 1e9

/* clang-format off */
#define COMMON_FIELDS                                                                        \
    { NNC_FIELD(nnc_model, id), .required = true,                                            \
      .help = "File stem and name on the command line." },                                   \
    { NNC_FIELD(nnc_model, name), .required = true, .help = "Name in full." },               \
    { NNC_FIELD(nnc_model, family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT), .required = true,     \
      .help = "Kind of network, which decides the fields that follow." },                    \
    { NNC_FIELD(nnc_model, published_params), .max = 1e15,                                   \
      .help = "Parameters as the authors count them." }
/* clang-format on */

#define DECODER(member) NNC_FIELD_IN(nnc_model, decoder, member)
#define UNET(member) NNC_FIELD_IN(nnc_model, unet, member)

static const nnc_field decoder_fields[] = {
    COMMON_FIELDS,
    { DECODER(layers), .min = 1, .max = LAYERS_MAX, .required = true, .help = "Blocks." },
    { DECODER(hidden), .min = 1, .max = WIDTH_MAX, .required = true,
      .help = "Width of the residual stream." },
    { DECODER(heads), .min = 1, .max = WIDTH_MAX, .required = true, .help = "Query heads." },
    { DECODER(kv_heads), .min = 1, .max = WIDTH_MAX, .default_text = "heads",
      .help = "Key and value heads." },
    { DECODER(head_dim), .min = 1, .max = WIDTH_MAX, .default_text = "hidden / heads",
      .help = "Width of one head." },
    { DECODER(ffn_hidden), .min = 1, .max = WIDTH_MAX, .required = true,
      .help = "Width inside the feed-forward layer." },
    { DECODER(vocab), .min = 1, .max = VOCAB_MAX, .required = true,
      .help = "Entries of the vocabulary." },
    { DECODER(vocab_multiple), .min = 1, .max = VOCAB_MAX, .default_text = "1",
      .help = "The table is padded to a multiple of this." },
    { DECODER(seq_len), .unit = "tokens", .min = 1, .max = TOKENS_MAX, .required = true,
      .help = "Length of a training sequence." },
    { DECODER(positions_max), .max = TOKENS_MAX, .default_text = "seq_len",
      .help = "Rows of a learned position table." },
    { DECODER(sliding_window), .unit = "tokens", .max = TOKENS_MAX, .default_text = "0",
      .help = "Tokens a query sees, itself included; 0 = all before it." },
    { DECODER(positions), NNC_FIELD_NAMES(nnc_positions, NNC_POSITIONS_COUNT), .required = true,
      .help = "How positions enter." },
    { DECODER(norm), NNC_FIELD_NAMES(nnc_norm_kind, NNC_NORM_KIND_COUNT), .required = true,
      .help = "layer or rms." },
    { DECODER(mlp), NNC_FIELD_NAMES(nnc_mlp, NNC_MLP_COUNT), .required = true,
      .help = "Activation of the feed-forward layer; swiglu and geglu have three matrices." },
    { DECODER(biases), .default_text = "off",
      .help = "Biases on every linear layer but the head, and on layer norms." },
    { DECODER(qkv_bias), .default_text = "off",
      .help = "Biases on the query, key and value projections." },
    { DECODER(tied_head), .required = true, .help = "The logits use the embedding table." },
    { DECODER(dropout), .max = 0.999, .default_text = "0",
      .help = "Probability of dropping an element." },
    { DECODER(experts), .max = 1e5, .default_text = "0",
      .help = "Routed experts of a layer; 0 = a dense model." },
    { DECODER(experts_per_token), .max = 1e5, .default_text = "0",
      .help = "Experts that each token passes." },
    { DECODER(expert_hidden), .max = 1e8, .default_text = "0", .help = "Width of one expert." },
    { DECODER(shared_hidden), .max = 1e8, .default_text = "0",
      .help = "Width, in sum, of the experts that every token passes." },
    { DECODER(dense_layers), .max = 1e5, .default_text = "0",
      .help = "Leading layers without experts." },
    { DECODER(router_bias), .default_text = "off",
      .help = "One value per expert is added to its score when choosing." },
    { DECODER(q_lora_rank), .max = 1e7, .default_text = "0",
      .help = "Width of the query latent; 0 = queries are projected directly." },
    { DECODER(kv_lora_rank), .max = 1e7, .default_text = "0",
      .help = "Width of the key and value latent; 0 = plain heads." },
    { DECODER(qk_nope_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's key without position." },
    { DECODER(qk_rope_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's rotary key." },
    { DECODER(v_head_dim), .max = 1e6, .default_text = "0",
      .help = "Latent attention: width of a head's value." },
};

static const nnc_field unet_fields[] = {
    COMMON_FIELDS,
    { UNET(image), .unit = "pixels", .min = 1, .max = 1e6, .required = true,
      .help = "Side of an image." },
    { UNET(latent_factor), .min = 1, .max = 1024, .default_text = "1",
      .help = "Pixels per side of one latent position." },
    { UNET(in_channels), .min = 1, .max = 1e5, .required = true, .help = "Channels of the input." },
    { UNET(out_channels), .min = 1, .max = 1e5, .required = true,
      .help = "Channels of the output." },
    { UNET(channels), .min = 1, .max = 1e5, .required = true,
      .help = "Channels of the first level." },
    { UNET(channel_multipliers),
      NNC_FIELD_COUNTED(nnc_model, unet.channel_multipliers, unet.levels), .min = 1, .max = 1000,
      .required = true,
      .help = "Channels of each level over those of the first, from full resolution down." },
    { UNET(blocks_per_level), .min = 1, .max = 64, .required = true,
      .help = "Blocks of a level going down; a residual network has one more going up." },
    { UNET(block), NNC_FIELD_NAMES(nnc_unet_block, NNC_UNET_BLOCK_COUNT), .required = true,
      .help = "Kind of block." },
    { UNET(norm), NNC_FIELD_NAMES(nnc_norm_kind, NNC_NORM_KIND_COUNT), .required = true,
      .help = "group or batch." },
    { UNET(norm_groups), .min = 1, .max = 1e5, .default_text = "32 with group norms",
      .help = "Groups of a group norm." },
    { UNET(kernel), .min = 1, .max = 31, .default_text = "3", .help = "Side of a convolution." },
    { UNET(conv_biases), .default_text = "on", .help = "Biases on convolutions." },
    { UNET(down), NNC_FIELD_NAMES(nnc_unet_down, NNC_DOWN_COUNT), .required = true,
      .help = "How a level is halved." },
    { UNET(up), NNC_FIELD_NAMES(nnc_unet_up, NNC_UP_COUNT), .required = true,
      .help = "How a level is doubled." },
    { UNET(time_embed_width), .max = 1e6, .default_text = "0",
      .help = "Width of the time embedding; 0 = none." },
    { UNET(attention_levels),
      NNC_FIELD_COUNTED(nnc_model, unet.attention_levels, unet.attention_levels_count),
      .default_text = "none", .help = "Does each level attend to itself?" },
    { UNET(middle_attention), .default_text = "off", .help = "Does the middle attend to itself?" },
    { UNET(transformer_depth), .max = 100, .default_text = "0",
      .help = "Transformer blocks per attention layer; 0 = bare attention." },
    { UNET(linear_projections), .default_text = "off",
      .help = "Transformers are entered and left by linear layers, not by 1x1 convolutions." },
    { UNET(heads), .max = 1e5, .default_text = "by head_width",
      .help = "Heads per attention layer." },
    { UNET(head_width), .max = 1e5, .default_text = "by heads", .help = "Width of one head." },
    { UNET(context_len), .unit = "tokens", .max = 1e7, .default_text = "0",
      .help = "Tokens of the cross-attention input; 0 = none." },
    { UNET(context_width), .max = 1e6, .default_text = "0",
      .help = "Width of the cross-attention input; 0 = none." },
    { UNET(dropout), .max = 0.999, .default_text = "0",
      .help = "Probability of dropping an element." },
};

static const nnc_field_table tables[NNC_FAMILY_COUNT] = {
    [NNC_FAMILY_DECODER] = { "decoder", decoder_fields, NNC_COUNT_OF(decoder_fields) },
    [NNC_FAMILY_UNET] = { "unet", unet_fields, NNC_COUNT_OF(unet_fields) },
};

const nnc_field_table *nnc_model_table(nnc_family family)
{
    return &tables[(unsigned)family < NNC_FAMILY_COUNT ? family : NNC_FAMILY_DECODER];
}

static void complete_decoder(nnc_json root, nnc_decoder *d)
{
    d->kv_heads = d->kv_heads == 0 ? d->heads : d->kv_heads;
    d->vocab_multiple = d->vocab_multiple == 0 ? 1 : d->vocab_multiple;
    if (d->head_dim == 0 && d->hidden % d->heads != 0) {
        nnc_json_fault(root, "heads",
                       "does not divide hidden, expected a divisor of %" PRId64
                       " or a head_dim, found %" PRId64,
                       d->hidden, d->heads);
    }
    d->head_dim = d->head_dim == 0 ? d->hidden / d->heads : d->head_dim;
}

static void complete_unet(nnc_unet *u)
{
    u->latent_factor = u->latent_factor == 0 ? 1 : u->latent_factor;
    u->kernel = u->kernel == 0 ? 3 : u->kernel;
    if (u->norm == NNC_NORM_GROUP && u->norm_groups == 0) {
        u->norm_groups = 32;
    }
}

/* The family decides the table; false: a fault was noted. */
static bool read_family(nnc_json root, nnc_model *model)
{
    const nnc_json at = nnc_json_get(root, "family");
    for (int i = 0; nnc_json_type_of(at) == NNC_JSON_TEXT && i < NNC_FAMILY_COUNT; i++) {
        if (strcmp(nnc_family_name(i), nnc_json_text(at)) == 0) {
            model->family = (nnc_family)i;
            return true;
        }
    }
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "family", "missing, expected one of decoder, unet, found nothing");
    } else {
        nnc_json_mismatch(at, "unknown family", "one of decoder, unet");
    }
    return false;
}

void nnc_model_read(nnc_json root, const char *stem, nnc_model *model)
{
    static const char *const other_keys[] = { "schema", "aliases", "sources", NULL };
    memset(model, 0, sizeof(*model));
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    if (nnc_is_foreign(root)) {
        nnc_foreign_read(root, model);
        return;
    }
    nnc_read_identity(root, "nncost.model/1", stem);
    if (!read_family(root, model)) {
        return;
    }
    const nnc_field_table *table = nnc_model_table(model->family);
    model->unet.conv_biases = model->family == NNC_FAMILY_UNET;
    nnc_read_object(root, table, other_keys, model);
    nnc_read_texts(nnc_json_get(root, "aliases"), &model->aliases, &model->alias_count);
    nnc_read_sources(root, table, other_keys, &model->sources, &model->source_count);
    if (root.doc->faults->count > 0) {
        return;
    }
    if (model->family == NNC_FAMILY_DECODER) {
        complete_decoder(root, &model->decoder);
    } else {
        complete_unet(&model->unet);
    }
    nnc_model_rules(root, model);
}

nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err)
{
    nnc_faults faults = { .name = name, .err = err };
    const nnc_json_doc none = { .faults = &faults };
    nnc_model_rules(nnc_json_root(&none), model);
    return faults.status;
}

nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err)
{
    const nnc_family family = model->family;
    const nnc_status status = nnc_field_set(nnc_model_table(family), model, field, value, err);
    if (model->family != family) {
        model->family = family; /* its fields would all be missing */
        return nnc_fail(err, NNC_BAD_USAGE, field, "fixed, expected %s, found \"%s\"",
                        nnc_family_name(family), value);
    }
    return status;
}
