/* Reads models of every family. A file names its family, and the functions of this family read all members that belong
 * to the family alone. Other functions of model.c scale a model after --set hidden=N, and make a model from another
 * model and a text of changed fields. The C file also reads the two families of image networks: U-Nets (segmentation,
 * diffusion) and vision transformers (classification). */
#include "input/input_internal.h"

static const nnc_family_fields *const rows[] = {
#define NNC_FAMILY_FIELDS(name, text, help, row) [name] = &nnc_##row##_fields,
    NNC_FAMILY_LIST(NNC_FAMILY_FIELDS)
#undef NNC_FAMILY_FIELDS
};

const nnc_family_fields *nnc_family_fields_of(nnc_family family) {
    return rows[(unsigned)family < NNC_FAMILY_COUNT ? family : 0];
}

const nnc_field_table *nnc_model_table(nnc_family family) { return &nnc_family_fields_of(family)->table; }

const nnc_field_table *nnc_model_table_of(const nnc_model *model) {
    return model->graph.fields != NULL ? model->graph.fields : nnc_model_table(model->family);
}

void nnc_model_rules(nnc_json at, const nnc_model *model) {
    const nnc_family_fields *row = rows[model->family];
    if (nnc_check_ranges(at, &row->table, model)) {
        /* the rules divide by fields of the model, so the ranges of the fields are checked first */
        nnc_scale_dims_check(at, model);
        row->rules(at, model);
    }
}

/* Reads the family, which decides the table of fields. If the input is not valid, notes an error and returns false. */
static bool read_family(nnc_json root, nnc_model *model) {
    const nnc_json at = nnc_json_get(root, "family");
    const nnc_field *field = nnc_field_of_key(nnc_model_table((nnc_family)0), "family");
    const int family = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_names_find(field->names, nnc_json_text(at)) : -1;
    char expected[256];
    nnc_field_expected(field, expected, sizeof(expected));
    if (family >= 0) {
        model->family = (nnc_family)family;
        return true;
    }
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        nnc_json_fault(root, "family", "missing, expected %s, found nothing", expected);
    } else {
        nnc_json_mismatch(at, "unknown family", expected);
    }
    return false;
}

static void complete(nnc_json root, nnc_model *model) {
    rows[model->family]->complete(root, model);
    nnc_scale_dims_record(model);
    model->lenient = root.doc->lenient;
    if (root.doc->faults->count == 0) { nnc_model_rules(root, model); }
}

void nnc_model_read(nnc_json root, const char *stem, void *spec) {
    nnc_model *model = spec;
    static const char *const keys[] = { "schema", "aliases", "sources", "references", "like", NULL };
    memset(model, 0, sizeof(*model));
    model->published_weights = NNC_STORED_COUNT;
    if (!nnc_json_expect(root, NNC_JSON_OBJECT, "an object")) { return; }
    if (nnc_is_foreign(root)) {
        if (nnc_foreign_read(root, model)) { complete(root, model); }
        return;
    }
    if (nnc_is_capture(root)) {
        if (NNC_READS_CAPTURES) {
            nnc_capture_read(root, NULL, model);
        } else {
            nnc_json_fault(root, NULL, "a captured program, which the page does not read: install nncost");
        }
        return;
    }
    nnc_read_schema(root, "nncost.model/1");
    if (!read_family(root, model)) { return; }
    const nnc_family_fields *row = rows[model->family];
    const nnc_field_table *table = &row->table;
    const char *const *other_keys = row->keys != NULL ? row->keys : keys;
    if (row->begin != NULL) { row->begin(model); }
    nnc_read_object(root, table, other_keys, model);
    /* the id is checked last, because errors in other keys are more important than a wrong file name */
    nnc_read_id(root, stem);
    nnc_name_by_id(model->name, sizeof model->name, model->id);
    nnc_read_texts(nnc_json_get(root, "aliases"), &model->aliases, &model->alias_count);
    nnc_read_sources(root, table, other_keys, &model->sources, &model->source_count);
    if (root.doc->faults->count > 0) { return; }
    complete(root, model);
}

nnc_status nnc_model_check(const nnc_model *model, const char *name, nnc_error *err) {
    NNC_NEED(model);
    nnc_faults faults = { .name = name, .err = err };
    const nnc_json_doc none = { .faults = &faults };
    nnc_model_rules(nnc_json_root(&none), model);
    return faults.status;
}

nnc_status nnc_model_set(nnc_model *model, const char *field, const char *value, nnc_error *err) {
    NNC_NEED(model);
    NNC_NEED(field);
    NNC_NEED(value);
    const nnc_family family = model->family;
    const nnc_status status = nnc_field_set(nnc_model_table_of(model), model, field, value, err);
    if (model->family != family) {
        model->family = family; /* the user must not change the family of a model, so the old family is set again */
        return nnc_fail(err, NNC_BAD_USAGE, field, "fixed, expected %s, found \"%s\"", nnc_family_name(family), value);
    }
    if (status == NNC_OK) {
        nnc_scale_dims_follow(model, field);
        model->published_params = strcmp(field, "published_params") == 0
                                      ? model->published_params
                                      /* The published number of parameters belongs to the unchanged model, so the
                                       * changed model gets the number 0 (unknown). */
                                      : 0;
    }
    return status;
}

/* Pointers to those dimensions of a model that change together with `hidden`; NULL = models of this family do not have
 * the dimension. */
typedef struct dims {
    int64_t *hidden, *heads, *kv_heads, *head_dim, *ffn_hidden, *expert_hidden, *shared_hidden;
} dims;

static dims dims_of(nnc_model *model) {
    nnc_decoder *d = &model->decoder;
    nnc_vit *v = &model->vit;
    if (model->family == NNC_FAMILY_DECODER) {
        return (dims){ &d->hidden,     &d->heads,         &d->kv_heads,     &d->head_dim,
                       &d->ffn_hidden, &d->expert_hidden, &d->shared_hidden };
    }
    if (model->family == NNC_FAMILY_VIT) {
        return (dims){ .hidden = &v->hidden, .heads = &v->heads, .ffn_hidden = &v->ffn_hidden };
    }
    return (dims){ 0 };
}

enum { HIDDEN = 1, HEADS = 2, KV_HEADS = 4, HEAD_DIM = 8, FFN = 16, EXPERT = 32, SHARED = 64 };

static const struct {
    const char *name;
    unsigned flag;
} fields[] = { { "hidden", HIDDEN },  { "heads", HEADS },          { "kv_heads", KV_HEADS },   { "head_dim", HEAD_DIM },
               { "ffn_hidden", FFN }, { "expert_hidden", EXPERT }, { "shared_hidden", SHARED } };

static int64_t value_of(const int64_t *dim) { return dim != NULL ? *dim : 0; }

void nnc_scale_dims_record(nnc_model *model) {
    const dims d = dims_of(model);
    model->recorded = (nnc_scale_dims){ .hidden = value_of(d.hidden),
                                        .heads = value_of(d.heads),
                                        .kv_heads = value_of(d.kv_heads),
                                        .head_dim = value_of(d.head_dim),
                                        .ffn_hidden = value_of(d.ffn_hidden),
                                        .expert_hidden = value_of(d.expert_hidden),
                                        .shared_hidden = value_of(d.shared_hidden) };
}

/* Returns a x b / c; 0 = the result is not a whole number. */
static int64_t share(int64_t a, int64_t b, int64_t c) {
    int64_t product = 0;
    return nnc_mul_i64(a, b, &product) && c > 0 && product % c == 0 ? product / c : 0;
}

/* Sets *dim to recorded x (hidden / was). recorded: the dimension in the model file; hidden: new width of the model;
 * was: width in the model file. If the result is not a whole number, sets *dim to `recorded`, and nnc_scale_dims_check
 * reports an error later. */
static void follow(int64_t *dim, int64_t recorded, int64_t hidden, int64_t was) {
    if (dim != NULL && recorded > 0) {
        const int64_t value = share(recorded, hidden, was);
        *dim = value > 0 ? value : recorded;
    }
}

/* Tests whether a change of `hidden` keeps the number of heads and changes the head width. The result is true if three
 * conditions hold. First, the user has set neither the number of heads nor the head width. Second, the model file
 * states no head width, or a head width of hidden / heads. Third, the new `hidden` is a multiple of the number of
 * heads, but no multiple of the old head width. */
static bool keeps_count(const nnc_scale_dims *was, int64_t hidden, unsigned set) {
    return (set & (HEADS | HEAD_DIM)) == 0 && share(was->heads, hidden, was->hidden) == 0 &&
           (was->head_dim == 0 || was->heads * was->head_dim == was->hidden) && hidden % was->heads == 0;
}

/* Sets heads, kv_heads and head_dim after a change of `hidden`. Normally the head width stays and the numbers of heads
 * change. If the user has set the number of heads, or if keeps_count returns true, the head width changes instead. */
static void follow_heads(const dims *d, const nnc_scale_dims *was, unsigned set) {
    const int64_t hidden = *d->hidden;
    const bool fill = d->head_dim != NULL && was->heads * was->head_dim == was->hidden;
    if (keeps_count(was, hidden, set)) {
        *d->heads = was->heads;
        if (d->head_dim != NULL) {
            *d->head_dim = hidden / was->heads;
            *d->kv_heads = (set & KV_HEADS) != 0 ? *d->kv_heads : was->kv_heads;
        }
        return;
    }
    if ((set & HEADS) == 0) {
        const int64_t width =
            d->head_dim != NULL && (set & HEAD_DIM) != 0 && was->head_dim > 0 ? *d->head_dim : was->head_dim;
        follow(d->heads, share(was->heads, was->head_dim > 0 ? was->head_dim : 1, was->head_dim > 0 ? width : 1),
               hidden, was->hidden);
    }
    if ((set & HEAD_DIM) == 0 && fill) {
        const int64_t width = share(hidden, 1, *d->heads);
        *d->head_dim = (set & HEADS) != 0 && width > 0 ? width : was->head_dim;
    }
    if (d->kv_heads != NULL && (set & KV_HEADS) == 0) {
        const int64_t kv_heads = share(was->kv_heads, *d->heads, was->heads);
        *d->kv_heads = kv_heads > 0 ? kv_heads : was->kv_heads;
    }
}

void nnc_scale_dims_follow(nnc_model *model, const char *field) {
    const dims d = dims_of(model);
    nnc_scale_dims *was = &model->recorded;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        was->set |= strcmp(field, fields[i].name) == 0 ? fields[i].flag : 0U;
    }
    if (d.hidden == NULL || was->hidden == 0 || (was->set & HIDDEN) == 0) { return; }
    follow_heads(&d, was, was->set);
    if ((was->set & FFN) == 0) { follow(d.ffn_hidden, was->ffn_hidden, *d.hidden, was->hidden); }
    if ((was->set & EXPERT) == 0) { follow(d.expert_hidden, was->expert_hidden, *d.hidden, was->hidden); }
    if ((was->set & SHARED) == 0) { follow(d.shared_hidden, was->shared_hidden, *d.hidden, was->hidden); }
}

static void check_whole(nnc_json at, const nnc_scale_dims *was, const char *name, unsigned flag, int64_t recorded,
                        int64_t hidden) {
    if ((was->set & flag) == 0 && recorded > 0 && share(recorded, hidden, was->hidden) == 0) {
        nnc_json_fault(at, name,
                       "does not scale with hidden, expected a value for this field too, because %" PRId64 " x %" PRId64
                       " / %" PRId64 " is not whole, found %" PRId64,
                       recorded, hidden, was->hidden, recorded);
    }
}

void nnc_scale_dims_check(nnc_json at, const nnc_model *model) {
    nnc_model copy = *model;
    const dims d = dims_of(&copy);
    const nnc_scale_dims *was = &model->recorded;
    if (d.hidden == NULL || was->hidden == 0 || (was->set & HIDDEN) == 0) { return; }
    const int64_t hidden = *d.hidden;
    const bool fill = was->heads * was->head_dim == was->hidden;
    if (keeps_count(was, hidden, was->set)) {
        /* only head_dim has changed, and its value is a whole number, so no check is needed */
    } else if ((was->set & (HEADS | HEAD_DIM)) == 0) {
        check_whole(at, was, "heads", HEADS, was->heads, hidden);
    } else if (d.head_dim != NULL && fill && (was->set & (HEADS | HEAD_DIM)) != (HEADS | HEAD_DIM) &&
               *d.heads * *d.head_dim != hidden) {
        const bool heads = (was->set & HEADS) != 0;
        nnc_json_fault(at, heads ? "heads" : "head_dim",
                       "does not divide hidden, expected a divisor of %" PRId64 ", found %" PRId64, hidden,
                       heads ? *d.heads : *d.head_dim);
    }
    check_whole(at, was, "ffn_hidden", FFN, was->ffn_hidden, hidden);
    check_whole(at, was, "expert_hidden", EXPERT, was->expert_hidden, hidden);
    check_whole(at, was, "shared_hidden", SHARED, was->shared_hidden, hidden);
}

void nnc_scale_dims_text(const nnc_model *model, char *text, size_t size) {
    nnc_model copy = *model;
    const dims d = dims_of(&copy);
    const nnc_scale_dims *was = &model->recorded;
    const struct {
        const int64_t *dim;
        int64_t recorded;
    } all[] = { { d.hidden, 0 },
                { d.heads, was->heads },
                { d.kv_heads, was->kv_heads },
                { d.head_dim, was->head_dim },
                { d.ffn_hidden, was->ffn_hidden },
                { d.expert_hidden, was->expert_hidden },
                { d.shared_hidden, was->shared_hidden } };
    text[0] = '\0';
    for (size_t i = 1; i < sizeof all / sizeof all[0] && (was->set & HIDDEN) != 0; i++) {
        if (all[i].dim != NULL && (was->set & fields[i].flag) == 0 && *all[i].dim != all[i].recorded) {
            nnc_text_append(text, size, ", ", "%s=%" PRId64, fields[i].name, *all[i].dim);
        }
    }
}

/* ---- U-Nets and vision transformers ---- */

#define UNET(member) NNC_FIELD_IN(nnc_model, unet, member)

static const nnc_field unet_fields[] = {
    NNC_COMMON_FIELDS,
    { UNET(image), .unit = "pixels", .min = 1, .max = NNC_SIDE_MAX, .required = true,
      .help = "Height and width of an image in pixels." },
    { UNET(latent_factor), .min = 1, .max = 1024, NNC_DEFAULT(1),
      .help = "Pixels per side of one latent position; 1 = the network works on pixels." },
    { UNET(in_channels), .min = 1, .max = 1e5, .required = true, .help = "Number of channels of the input." },
    { UNET(out_channels), .min = 1, .max = 1e5, .required = true, .help = "Number of channels of the output." },
    { UNET(channels), .min = 1, .max = 1e5, .required = true, .help = "Channels of the first level." },
    { UNET(channel_multipliers), NNC_FIELD_COUNTED(nnc_model, unet.channel_multipliers, unet.levels), .min = 1,
      .max = 1000, .required = true,
      .help = "Channels of each level relative to the first, from full resolution down." },
    { UNET(blocks_per_level), .min = 1, .max = 64, .required = true,
      .help = "Blocks per level on the way down. On the way up, each level of a residual network has one block more." },
    { UNET(block), NNC_FIELD_NAMES(nnc_unet_block, NNC_UNET_BLOCK_COUNT), .required = true,
      .help = "Kind of a block of the U-Net." },
    { UNET(norm), NNC_FIELD_NAMES(nnc_norm_kind, NNC_NORM_KIND_COUNT), .required = true,
      .help = "Kind of norm: group or batch." },
    { UNET(norm_groups), .min = 1, .max = 1e5, .default_text = "32 with group norms",
      .help = "Groups of a group norm." },
    { UNET(kernel), .min = 1, .max = 31, NNC_DEFAULT(3), .help = "Kernel size of convolutions." },
    { UNET(conv_biases), NNC_DEFAULT_ON, .help = "Biases on convolutions." },
    { UNET(down), NNC_FIELD_NAMES(nnc_unet_down, NNC_DOWN_COUNT), .required = true,
      .help = "How the resolution is halved between levels." },
    { UNET(up), NNC_FIELD_NAMES(nnc_unet_up, NNC_UP_COUNT), .required = true,
      .help = "How the resolution is doubled between levels." },
    { UNET(time_embed_width), .max = 1e6, NNC_DEFAULT(0), .help = "Width of the time embedding; 0 = none." },
    { UNET(attention_levels), NNC_FIELD_COUNTED(nnc_model, unet.attention_levels, unet.attention_levels_count),
      .default_text = "none", .help = "Self-attention of each level." },
    { UNET(middle_attention), NNC_DEFAULT_OFF, .help = "Self-attention in the middle block." },
    { UNET(transformer_depth), .max = 100, NNC_DEFAULT(0),
      .help = "Transformer blocks per attention layer; 0 = attention alone, without an MLP." },
    { UNET(transformer_depths), NNC_FIELD_COUNTED(nnc_model, unet.transformer_depths, unet.transformer_depths_count),
      .max = 100, .default_text = "transformer_depth",
      .help = "Transformer blocks per attention layer, one value per level; the middle block uses the last value." },
    { UNET(cross_only_levels), NNC_FIELD_COUNTED(nnc_model, unet.cross_only_levels, unet.cross_only_levels_count),
      .default_text = "none",
      .help = "For each level: whether the first attention of a transformer block also reads the context, like the "
              "second." },
    { UNET(linear_projections), NNC_DEFAULT_OFF,
      .help = "Linear layers instead of 1x1 convolutions before and after transformers." },
    { UNET(heads), .max = 1e5, .default_text = "by head_width", .help = "Heads per attention layer." },
    { UNET(head_width), .max = 1e5, .default_text = "by heads", .help = "Width of one head." },
    { UNET(context_len), .unit = "tokens", .max = 1e7, NNC_DEFAULT(0),
      .help = "Tokens of the cross-attention input; 0 = none." },
    { UNET(context_width), .max = 1e6, NNC_DEFAULT(0), .help = "Width of the cross-attention input; 0 = none." },
    { UNET(context_input_width), .max = 1e6, NNC_DEFAULT(0),
      .help = "Width of the cross-attention input before a linear layer maps it to context_width; 0 = no such layer." },
    { UNET(added_embed_width), .max = 1e6, NNC_DEFAULT(0),
      .help = "Width of an additional input that two linear layers add to the time embedding; 0 = none." },
    { UNET(class_embeds), .max = 1e6, NNC_DEFAULT(0),
      .help = "Rows of a class table that is added to the time embedding; 0 = none." },
    { UNET(dropout), .max = 0.999, NNC_DEFAULT(0), .help = "Probability of dropping an element." },
};

static void begin(nnc_model *model) { model->unet.conv_biases = true; }

static void unet_complete(nnc_json root, nnc_model *model) {
    nnc_unet *u = &model->unet;
    (void)root;
    u->latent_factor = u->latent_factor == 0 ? 1 : u->latent_factor;
    u->kernel = u->kernel == 0 ? 3 : u->kernel;
    if (u->norm == NNC_NORM_GROUP && u->norm_groups == 0) { u->norm_groups = 32; }
}

/* Tests whether the level `index` has attention. The index u->levels stands for the middle block, whose number of
 * channels is that of the deepest level. */
static bool attends(const nnc_unet *u, int32_t index) {
    return index == u->levels ? u->middle_attention : index < u->attention_levels_count && u->attention_levels[index];
}

static int64_t channels_at(const nnc_unet *u, int32_t index) {
    return u->channels * u->channel_multipliers[index < u->levels ? index : u->levels - 1];
}

static bool has_attention(const nnc_unet *u) {
    bool any = false;
    for (int32_t i = 0; i <= u->levels; i++) { any = any || attends(u, i); }
    return any;
}

static bool has_transformers(const nnc_unet *u) {
    bool any = u->transformer_depth > 0;
    for (int32_t i = 0; i < u->transformer_depths_count; i++) { any = any || u->transformer_depths[i] > 0; }
    return any;
}

/* Checks the fields of a U-Net that depend on its levels: a list with one entry per level must have as many entries as
 * the network has levels. Fields of the time embedding or of cross-attention may be set only if the network reads a
 * time or a text. */
static void check_levels(nnc_json at, const nnc_unet *u) {
    const struct {
        const char *name;
        int32_t count;
    } lists[] = { { "transformer_depths", u->transformer_depths_count },
                  { "cross_only_levels", u->cross_only_levels_count } };
    for (size_t i = 0; i < NNC_COUNT_OF(lists); i++) {
        if (lists[i].count != 0 && lists[i].count != u->levels) {
            nnc_json_fault(at, lists[i].name, "wrong length, expected %d values, one per level, found %d", u->levels,
                           lists[i].count);
        }
    }
    if (u->time_embed_width == 0 && (u->added_embed_width > 0 || u->class_embeds > 0)) {
        nnc_json_fault(at, u->added_embed_width > 0 ? "added_embed_width" : "class_embeds",
                       "does not apply, expected together with a time_embed_width only");
    }
    if (u->context_len == 0 && (u->context_input_width > 0 || u->cross_only_levels_count > 0)) {
        nnc_json_fault(at, u->context_input_width > 0 ? "context_input_width" : "cross_only_levels",
                       "does not apply, expected together with a context_len only");
    }
}

static void check_heads(nnc_json at, const nnc_unet *u) {
    const char *member = u->heads > 0 ? "heads" : "head_width";
    const int64_t divisor = u->heads > 0 ? u->heads : u->head_width;
    if ((u->heads > 0) == (u->head_width > 0)) {
        nnc_json_fault(at, "heads", "ambiguous, expected heads or head_width, found %s of them",
                       u->heads > 0 ? "both" : "none");
        return;
    }
    for (int32_t i = 0; i <= u->levels; i++) {
        if (attends(u, i) && channels_at(u, i) % divisor != 0) {
            nnc_json_fault(at, member,
                           "does not divide the channels that attend, expected a divisor of %" PRId64
                           ", found %" PRId64,
                           channels_at(u, i), divisor);
            return;
        }
    }
}

static void check_attention(nnc_json at, const nnc_unet *u) {
    if (u->attention_levels_count != 0 && u->attention_levels_count != u->levels) {
        nnc_json_fault(at, "attention_levels", "wrong length, expected %d values, one per level, found %d", u->levels,
                       u->attention_levels_count);
        return;
    }
    if ((u->context_len > 0) != (u->context_width > 0)) {
        nnc_json_fault(at, "context_len",
                       "incomplete context, expected both context_len and context_width or neither, found one of them");
    }
    if (has_attention(u)) {
        check_heads(at, u);
    } else if (has_transformers(u)) {
        nnc_json_fault(at, "transformer_depth", "does not apply, expected 0 without attention, found %" PRId64,
                       u->transformer_depth);
    }
    if (!has_transformers(u) && (u->context_len > 0 || u->linear_projections)) {
        nnc_json_fault(at, u->context_len > 0 ? "context_len" : "linear_projections",
                       "does not apply, expected together with transformer blocks only, found transformer_depth 0");
    }
}

/* Checks that the keys "down", "up" and "norm" fit the kind of block. A network of "double_conv" blocks (segmentation)
 * must have no time embedding and no attention. If the key "up" of a network halves the channels, the numbers of
 * channels of the network must be even. */
static void check_block(nnc_json at, const nnc_unet *u) {
    const bool residual = u->block == NNC_UNET_RESIDUAL;
    const nnc_unet_down down = residual ? NNC_DOWN_CONV : NNC_DOWN_MAX_POOL;
    if (u->down != down) {
        nnc_json_fault(at, "down", "does not suit the blocks, expected %s, found %s", nnc_unet_down_name(down),
                       nnc_unet_down_name(u->down));
    }
    if (residual && u->up != NNC_UP_NEAREST_CONV) {
        nnc_json_fault(at, "up", "does not suit the blocks, expected nearest_conv, found %s", nnc_unet_up_name(u->up));
    }
    if (residual && u->norm != NNC_NORM_GROUP) {
        nnc_json_fault(at, "norm", "does not suit the blocks, expected group, found %s", nnc_norm_kind_name(u->norm));
    }
    if (!residual && (u->time_embed_width > 0 || has_attention(u))) {
        nnc_json_fault(at, u->time_embed_width > 0 ? "time_embed_width" : "attention_levels",
                       "does not apply, expected no such key with block double_conv, found one");
    }
    for (int32_t i = 1; !residual && u->up != NNC_UP_NEAREST_CONV && i < u->levels; i++) {
        if (channels_at(u, i) % 2 != 0) {
            nnc_json_fault(at, "channels", "odd, expected even channels to halve, found %" PRId64, channels_at(u, i));
            return;
        }
    }
}

static void unet_rules(nnc_json at, const nnc_model *model) {
    const nnc_unet *u = &model->unet;
    if (u->levels < 1) {
        nnc_json_fault(at, "channel_multipliers", "empty, expected one number per level, found none");
        return;
    }
    int64_t side = u->image / u->latent_factor;
    if (u->image % u->latent_factor != 0 || side >> (u->levels - 1) == 0) {
        nnc_json_fault(at, "image",
                       "does not suit the levels, expected a multiple of %" PRId64 " from %" PRId64
                       " up, found %" PRId64,
                       u->latent_factor, u->latent_factor << (u->levels - 1), u->image);
    }
    if (u->kernel % 2 == 0) { nnc_json_fault(at, "kernel", "even, expected an odd side, found %" PRId64, u->kernel); }
    if (u->norm != NNC_NORM_GROUP && u->norm != NNC_NORM_BATCH) {
        nnc_json_fault(at, "norm", "does not suit a unet, expected group or batch, found %s",
                       nnc_norm_kind_name(u->norm));
    }
    for (int32_t i = 0; u->norm == NNC_NORM_GROUP && i < u->levels; i++) {
        if (u->norm_groups < 1 || channels_at(u, i) % u->norm_groups != 0) {
            nnc_json_fault(at, "norm_groups",
                           "does not divide the channels, expected a divisor of %" PRId64 ", found %" PRId64,
                           channels_at(u, i), u->norm_groups);
            break;
        }
    }
    check_attention(at, u);
    check_levels(at, u);
    check_block(at, u);
}

const nnc_family_fields nnc_unet_fields = {
    .table = { "unet", unet_fields, NNC_COUNT_OF(unet_fields) },
    .begin = begin,
    .complete = unet_complete,
    .rules = unet_rules,
};

#define VIT(member) NNC_FIELD_IN(nnc_model, vit, member)

static const nnc_field vit_fields[] = {
    NNC_COMMON_FIELDS,
    { VIT(image), .unit = "pixels", .min = 1, .max = NNC_SIDE_MAX, .required = true,
      .help = "Height and width of an image in pixels." },
    { VIT(patch), .unit = "pixels", .min = 1, .max = NNC_SIDE_MAX, .required = true,
      .help = "Side of a patch, which becomes one token." },
    { VIT(in_channels), .min = 1, .max = 1e5, NNC_DEFAULT(3), .help = "Channels of the image." },
    { VIT(layers), .min = 1, .max = NNC_LAYERS_MAX, .required = true, .help = "Number of layers." },
    { VIT(hidden), .min = 1, .max = NNC_WIDTH_MAX, .required = true, .help = "Width of the residual stream." },
    { VIT(heads), .min = 1, .max = NNC_WIDTH_MAX, .required = true, .help = "Attention heads." },
    { VIT(ffn_hidden), .min = 1, .max = NNC_WIDTH_MAX, .default_text = "4 x hidden",
      .help = "Width inside the feed-forward layer." },
    { VIT(mlp), NNC_FIELD_NAMES(nnc_mlp, NNC_MLP_COUNT), .default_text = "gelu",
      .help = "Activation of the feed-forward layer. With swiglu and geglu a layer has three matrices, with any "
              "other activation two matrices." },
    { VIT(classes), .min = 1, .max = NNC_VOCAB_MAX, .required = true,
      .help = "Number of classes that the head distinguishes." },
    { VIT(distilled), NNC_DEFAULT_OFF,
      .help = "Distillation: the network has a second token and a second head, which learn from a teacher (DeiT)." },
    { VIT(relative_positions), NNC_DEFAULT_OFF,
      .help = "Each layer adds a table of relative positions to its attention scores, and patches have no position "
              "embedding (BEiT)." },
    { VIT(no_key_bias), NNC_DEFAULT_OFF, .help = "Keys have no bias." },
    { VIT(layer_scale), NNC_DEFAULT_OFF,
      .help = "The outputs of attention and MLP are multiplied by one learned factor per channel." },
    { VIT(dropout), .max = 0.999, NNC_DEFAULT(0), .help = "Probability of dropping an element." },
};

static void vit_complete(nnc_json root, nnc_model *model) {
    nnc_vit *v = &model->vit;
    (void)root;
    v->in_channels = v->in_channels == 0 ? 3 : v->in_channels;
    v->ffn_hidden = v->ffn_hidden == 0 ? 4 * v->hidden : v->ffn_hidden;
}

static void vit_rules(nnc_json at, const nnc_model *model) {
    const nnc_vit *v = &model->vit;
    if (v->hidden % v->heads != 0) {
        nnc_json_fault(at, "heads", "does not divide hidden, expected a divisor of %" PRId64 ", found %" PRId64,
                       v->hidden, v->heads);
    }
    if (v->image % v->patch != 0) {
        nnc_json_fault(at, "patch", "does not divide image, expected a divisor of %" PRId64 ", found %" PRId64,
                       v->image, v->patch);
    }
}

const nnc_family_fields nnc_vit_fields = {
    .table = { "vit", vit_fields, NNC_COUNT_OF(vit_fields) },
    .complete = vit_complete,
    .rules = vit_rules,
};

nnc_status nnc_model_make(nnc_specs *specs, const char *text, const char *name, nnc_model **model, nnc_error *err) {
    char pair[96];
    const nnc_model *base = NULL;
    size_t length = strcspn(text, " ");
    snprintf(pair, sizeof pair, "%.*s", (int)(length < sizeof pair ? length : 0), text);
    NNC_TRY(nnc_model_load(specs, pair, &base, err));
    NNC_TRY(nnc_model_copy(specs, base, model, err));
    snprintf((*model)->name, sizeof(*model)->name, "%.95s", name);
    for (text += length; *text != '\0'; text += length) {
        text += strspn(text, " ");
        length = strcspn(text, " ");
        snprintf(pair, sizeof pair, "%.*s", (int)(length < sizeof pair ? length : 0), text);
        char *equals = strchr(pair, '=');
        if (equals == NULL) {
            return nnc_fail(err, NNC_BAD_SPEC, "model", "expected FIELD=VALUE, found \"%.60s\"", text);
        }
        *equals = '\0';
        NNC_TRY(nnc_model_set(*model, pair, equals + 1, err));
    }
    return nnc_model_check(*model, "model", err);
}

void nnc_implementation_take(nnc_implementation by, nnc_model *model) {
    model->implementation = by;
    /* nanoGPT (c_attn) and gpt-fast (wqkv) compute queries, keys and values in one product, and GELU with nn.GELU */
    if (by == NNC_IMPLEMENTATION_PYTORCH) {
        model->joined_qkv = true;
        model->composed_gelu = false;
    }
}
