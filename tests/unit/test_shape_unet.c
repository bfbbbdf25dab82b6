/* Compares U-Nets with a separate count that uses no code of the library. The count lists every convolution, linear
 * layer and attention product of the network, as the published code of the network builds them. */
#include "op/op_internal.h"
#include "support.h"

/* Sums of the separate count of a network. once: forward FLOPs of layers whose input needs no gradient. */
typedef struct tally {
    double params, flops, once;
} tally;

static double conv(tally *t, int64_t c_in, int64_t c_out, int64_t side, int64_t kernel, bool bias) {
    const double weights = (double)(c_in * c_out * kernel * kernel);
    t->params += weights + (bias ? (double)c_out : 0.0);
    t->flops += 2.0 * weights * (double)(side * side);
    return 2.0 * weights * (double)(side * side);
}

static double linear(tally *t, int64_t rows, int64_t in, int64_t out, bool bias) {
    t->params += (double)(in * out) + (bias ? (double)out : 0.0);
    t->flops += 2.0 * (double)(rows * in * out);
    return 2.0 * (double)(rows * in * out);
}

static void norm(tally *t, int64_t channels) { t->params += 2.0 * (double)channels; }

static void scores(tally *t, int64_t queries, int64_t keys, int64_t width) {
    t->flops += 4.0 * (double)(queries * keys * width);
}

/* ---- the segmentation network of milesial/Pytorch-UNet ---- */

static void double_conv(tally *t, int64_t in, int64_t middle, int64_t out, int64_t side, bool image) {
    const double first = conv(t, in, middle, side, 3, false);
    t->once += image ? first : 0.0;
    norm(t, middle);
    conv(t, middle, out, side, 3, false);
    norm(t, out);
}

static tally segmentation(int64_t image, int64_t channels, int levels, bool bilinear) {
    tally t = { 0 };
    const int64_t factor = bilinear ? 2 : 1;
    int64_t sides[NNC_UNET_LEVELS_MAX] = { image }, widths[NNC_UNET_LEVELS_MAX] = { channels };
    double_conv(&t, 3, channels, channels, image, true);
    for (int i = 1; i < levels; i++) {
        sides[i] = sides[i - 1] / 2;
        widths[i] = 2 * widths[i - 1];
        const int64_t out = widths[i] / (i == levels - 1 ? factor : 1);
        double_conv(&t, widths[i - 1], out, out, sides[i], false);
    }
    for (int i = levels - 2; i >= 0; i--) {
        const int64_t in = widths[i + 1], out = widths[i] / (i > 0 ? factor : 1);
        if (!bilinear) { /* a kernel of 2 with stride 2; its FLOPs are counted per input position */
            const int64_t half = in / 2;
            conv(&t, in, half, sides[i + 1], 2, false);
            t.params += (double)half;
        }
        double_conv(&t, in, bilinear ? in / 2 : out, out, sides[i], false);
    }
    conv(&t, channels, 2, image, 1, true);
    return t;
}

static void check_tally(const nnc_model *model, const tally *t) {
    nnc_plan plan = nnc_plan_default();
    for (plan.micro_batch = 1; plan.micro_batch <= 3; plan.micro_batch += 2) {
        const double batch = (double)plan.micro_batch;
        const nnc_result r = estimate(model, &plan);
        ck_assert_double_eq((double)r.params, t->params);
        ck_assert_double_eq(r.forward_flops, batch * t->flops);
        ck_assert_double_eq(r.backward_flops, batch * (2.0 * t->flops - t->once));
    }
}

START_TEST(segmentation_networks) {
    for (int levels = 2; levels <= 5; levels++) {
        for (int64_t image = 16; image <= 61; image += 15) { /* 31 and 61 are odd, so halves are rounded down */
            nnc_model model = double_conv_unet(image, 6, levels);
            tally t = segmentation(image, 6, levels, false);
            check_tally(&model, &t);
            model.unet.up = NNC_UP_BILINEAR;
            t = segmentation(image, 6, levels, true);
            check_tally(&model, &t);
        }
    }
}
END_TEST

START_TEST(published_networks) {
    nnc_model model = *load_model("models/unet-classic.json");
    const nnc_plan plan = nnc_plan_default();
    ck_assert_int_eq(estimate(&model, &plan).params, 31037698);
    tally t = segmentation(572, 64, 5, false);
    check_tally(&model, &t);
    model.unet.up = NNC_UP_BILINEAR;
    model.published_params = 0; /* the published count is of another network, so it must not be compared */
    ck_assert_int_eq(estimate(&model, &plan).params, 17263042);
    t = segmentation(572, 64, 5, true);
    check_tally(&model, &t);
}
END_TEST

/* Elements that each op keeps per sample, in bf16, for a network of 2 levels with maps of 4 x 4 and 3 -> 2 -> 4
 * channels. Convolutions keep their input, except the image. Norms keep their input, too. The last activation of each
 * pair of convolutions keeps its output. Pooling keeps an index of 8 B for each output. Norms of maps also keep two
 * fp32 numbers per channel, for any batch size. */
START_TEST(segmentation_keeps) {
    const nnc_model model = double_conv_unet(4, 2, 2);
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    const double first = 32 + 32 + 32 + 32; /* norm1, conv2, norm2 and act2, with maps of 4x4x2 */
    /* conv1 has maps of 2x2x2; norm1, conv2, norm2 and act2 have maps of 2x2x4 */
    const double pooled = 8 + 16 + 16 + 16 + 16;
    /* conv1 has maps of 4x4x4; norm1, conv2, norm2 and act2 have maps of 4x4x2 */
    const double up = 64 + 32 + 32 + 32 + 32;
    const double logits = 32;
    const double index = 8 * 8, statistics = 8 * (2 + 2 + 4 + 4 + 2 + 2);
    for (plan.micro_batch = 1; plan.micro_batch <= 2; plan.micro_batch++) {
        const double batch = (double)plan.micro_batch;
        ck_assert_double_eq((double)estimate(&model, &plan).memory.activation_bytes,
                            batch * (2 * (first + pooled + up + logits) + index) + statistics);
    }
}
END_TEST

/* ---- the diffusion network of CompVis/stable-diffusion ---- */

static void residual_block(tally *t, const nnc_unet *u, int64_t in, int64_t out, int64_t side) {
    norm(t, in);
    conv(t, in, out, side, 3, true);
    linear(t, 1, u->time_embed_width, out, true);
    norm(t, out);
    conv(t, out, out, side, 3, true);
    if (in != out) { conv(t, in, out, side, 1, true); }
}

static void transformer(tally *t, const nnc_unet *u, int64_t width, int64_t side) {
    const int64_t tokens = side * side;
    norm(t, width);
    if (u->transformer_depth == 0) { /* this layer has attention, but no transformer block around it */
        linear(t, tokens, width, 3 * width, true);
        scores(t, tokens, tokens, width);
        linear(t, tokens, width, width, true);
        return;
    }
    conv(t, width, width, side, 1, true);
    for (int64_t i = 0; i < u->transformer_depth; i++) {
        norm(t, width);
        for (int j = 0; j < 3; j++) { linear(t, tokens, width, width, false); }
        scores(t, tokens, tokens, width);
        linear(t, tokens, width, width, true);
        if (u->context_len > 0) { /* the text needs no gradient */
            norm(t, width);
            linear(t, tokens, width, width, false);
            t->once += linear(t, u->context_len, u->context_width, width, false);
            t->once += linear(t, u->context_len, u->context_width, width, false);
            scores(t, tokens, u->context_len, width);
            linear(t, tokens, width, width, true);
        }
        norm(t, width);
        linear(t, tokens, width, 8 * width, true);
        linear(t, tokens, 4 * width, width, true);
    }
    conv(t, width, width, side, 1, true);
}

static tally diffusion(const nnc_unet *u) {
    tally t = { 0 };
    int64_t skips[64] = { 0 }, sides[NNC_UNET_LEVELS_MAX] = { 0 };
    int count = 0;
    int64_t width = u->channels, side = u->image / u->latent_factor;
    t.once += linear(&t, 1, u->channels, u->time_embed_width, true);
    linear(&t, 1, u->time_embed_width, u->time_embed_width, true);
    t.params += (double)(u->class_embeds * u->time_embed_width); /* one row of the table is looked up */
    if (u->added_embed_width > 0) {
        t.once += linear(&t, 1, u->added_embed_width, u->time_embed_width, true);
        linear(&t, 1, u->time_embed_width, u->time_embed_width, true);
    }
    if (u->context_input_width > 0) {
        t.once += linear(&t, u->context_len, u->context_input_width, u->context_width, true);
    }
    t.once += conv(&t, u->in_channels, width, side, 3, true);
    skips[count++] = width;
    for (int level = 0; level < u->levels; level++) {
        const int64_t out = u->channels * u->channel_multipliers[level];
        sides[level] = side;
        for (int64_t i = 0; i < u->blocks_per_level; i++) {
            residual_block(&t, u, width, out, side);
            width = out;
            if (u->attention_levels[level]) { transformer(&t, u, width, side); }
            skips[count++] = width;
        }
        if (level < u->levels - 1) {
            side = (side + 1) / 2; /* stride 2, padding 1 */
            conv(&t, width, width, side, 3, true);
            skips[count++] = width;
        }
    }
    residual_block(&t, u, width, width, side);
    if (u->middle_attention) { transformer(&t, u, width, side); }
    residual_block(&t, u, width, width, side);
    for (int level = u->levels - 1; level >= 0; level--) {
        const int64_t out = u->channels * u->channel_multipliers[level];
        for (int64_t i = 0; i <= u->blocks_per_level; i++) {
            ck_assert_int_gt(count, 0);
            residual_block(&t, u, width + skips[--count], out, sides[level]);
            width = out;
            if (u->attention_levels[level]) { transformer(&t, u, width, sides[level]); }
        }
        if (level > 0) { conv(&t, width, width, sides[level - 1], 3, true); }
    }
    ck_assert_int_eq(count, 0);
    norm(&t, width);
    conv(&t, width, u->out_channels, sides[0], 3, true);
    return t;
}

START_TEST(diffusion_networks) {
    static const int64_t multipliers[][4] = { { 1, 2, 4, 4 }, { 1, 1, 1, 1 }, { 2, 1, 3, 3 } };
    for (size_t m = 0; m < COUNT_OF(multipliers); m++) {
        for (int variant = 0; variant < 24; variant++) {
            nnc_model model = residual_unet(variant % 2 == 0 ? 16 : 21, 8, 1 + variant % 4);
            nnc_unet *u = &model.unet;
            memcpy(u->channel_multipliers, multipliers[m], sizeof multipliers[m]);
            u->blocks_per_level = 1 + variant % 3;
            u->transformer_depth = variant / 4 % 3;
            u->context_len = variant % 5 == 0 ? 0 : 7;
            u->class_embeds = variant % 4 == 1 ? 10 : 0;
            u->added_embed_width = variant % 4 == 2 ? 12 : 0;
            u->context_input_width = u->context_len > 0 && variant % 3 == 2 ? 5 : 0;
            u->attention_levels[1] = u->levels > 1 && variant % 3 == 1;
            u->middle_attention = variant % 7 != 0;
            const tally t = diffusion(u);
            check_tally(&model, &t);
        }
    }
}
END_TEST

/* A diffusion network in bf16 with maps of 4 x 4, 8 channels, and one level of one block without attention. A block
 * keeps the inputs of its two norms, the outputs of the norms and of SiLU, and the activated time embedding for its
 * projection. A block also keeps two statistics for each of 4 groups in each of its two norms. Three blocks have 8 -> 8
 * channels, two have 16 -> 8. Ops outside the blocks keep the inputs of the time embedding, the embedding, the last
 * norm, SiLU and convolution, and the prediction. */
START_TEST(diffusion_keeps) {
    nnc_model model = residual_unet(4, 8, 1);
    nnc_plan plan = nnc_plan_default();
    model.unet.blocks_per_level = 1;
    model.unet.attention_levels[0] = model.unet.middle_attention = false;
    plan.precision = NNC_BF16;
    const int64_t narrow = 8 * 16, wide = 16 * 16, maps = 3 * 2 * narrow + 2 * (wide + narrow);
    const int64_t outside = 8 + 3 * 32 + 3 * narrow + 4 * 16;
    const int64_t statistics = 8 * 4 * (5 * 2 + 1);
    const int64_t kept = 2 * (3 * maps + 5 * 32 + outside) + statistics;
    ck_assert_int_eq(estimate(&model, &plan).memory.activation_bytes, kept);
    plan.recompute = NNC_RECOMPUTE_NORM;
    ck_assert_int_eq(estimate(&model, &plan).memory.activation_bytes, kept - 2 * maps);
    plan.recompute = NNC_RECOMPUTE_ACTIVATION;
    ck_assert_int_eq(estimate(&model, &plan).memory.activation_bytes, kept - 2 * maps);
    plan.recompute |= NNC_RECOMPUTE_NORM;
    ck_assert_int_eq(estimate(&model, &plan).memory.activation_bytes, kept - 4 * maps);
    /* diffusers keeps the same tensors, also if norms are recomputed. Recomputation of MLPs changes nothing, because
     * the network has no MLP. */
    nnc_software eager = nnc_software_default();
    const nnc_device device = plain_device();
    eager.library_kept = true;
    eager.group_norm_keep = NNC_KEEP_UPCAST;
    plan.recompute = NNC_RECOMPUTE_NORM;
    ck_assert_int_eq(estimate_with(&model, &device, &eager, &plan).memory.activation_bytes, kept - 2 * maps);
    plan.recompute = NNC_RECOMPUTE_MLP;
    ck_assert_int_eq(estimate_with(&model, &device, &eager, &plan).memory.activation_bytes, kept);
}
END_TEST

START_TEST(stable_diffusion) {
    const nnc_model *model = load_model("models/sd1-unet.json");
    const tally t = diffusion(&model->unet);
    ck_assert_double_eq(t.params, 859520964);
    check_tally(model, &t);
}
END_TEST

/* Linear layers at the start and end of a transformer have the same work as 1x1 convolutions. */
START_TEST(linear_projections) {
    nnc_model model = residual_unet(16, 8, 2);
    const nnc_plan plan = nnc_plan_default();
    const nnc_result conv_form = estimate(&model, &plan);
    model.unet.linear_projections = true;
    const nnc_result linear_form = estimate(&model, &plan);
    ck_assert_int_eq(linear_form.params, conv_form.params);
    ck_assert_double_eq(linear_form.forward_flops, conv_form.forward_flops);
    ck_assert_double_eq(linear_form.backward_flops, conv_form.backward_flops);
    ck_assert_int_eq(linear_form.memory.activation_bytes, conv_form.memory.activation_bytes);
    /* the input of the first linear layer is the output of a norm, so backward can compute this input again */
    nnc_plan again = plan;
    again.recompute = NNC_RECOMPUTE_NORM;
    const int64_t linear_bytes = estimate(&model, &again).memory.activation_bytes;
    model.unet.linear_projections = false;
    ck_assert_int_eq(linear_bytes, estimate(&model, &again).memory.activation_bytes);
}
END_TEST

static bool copies_map(const nnc_op_cost *row) {
    return strcmp(row->op->name, "attn.tokens") == 0 && nnc_op_phase(row->op) == NNC_PHASE_FORWARD;
}

static double elements(const nnc_op_cost *row) { return (double)row->op->u.pointwise.elements * row->repeat; }

static bool joins_attention(const nnc_op_cost *row) {
    return strcmp(row->op->name, "attn.residual") == 0 && nnc_op_phase(row->op) == NNC_PHASE_FORWARD;
}

/* A map is copied to another layout before a transformer and after it. The two copies of a map together have twice the
 * elements of the residual sum after the transformer. */
START_TEST(maps_are_copied_to_tokens) {
    nnc_model model = residual_unet(16, 8, 2);
    const nnc_device device = plain_device();
    nnc_software software = nnc_software_default();
    const nnc_plan plan = nnc_plan_default();
    for (int copied = 0; copied < 2; copied++) {
        software.contiguous_maps = true;
        software.copied_heads = copied ? NNC_HEADS_ALWAYS : NNC_HEADS_IN_PLACE;
        estimate_with(&model, &device, &software, &plan);
        const double maps = sum_rows(joins_attention, elements);
        ck_assert_double_gt(maps, 0.0);
        ck_assert_double_eq(sum_rows(copies_map, elements), copied ? 2.0 * maps : 0.0);
    }
}
END_TEST

/* If the width of the heads is given, products have the same FLOPs; only the number of log-sum-exps differs. */
START_TEST(heads_by_width) {
    nnc_model model = residual_unet(16, 8, 2);
    nnc_plan plan = nnc_plan_default();
    const double flops = estimate(&model, &plan).forward_flops;
    model.unet.heads = 0;
    model.unet.head_width = 4;
    ck_assert_double_eq(estimate(&model, &plan).forward_flops, flops);
}
END_TEST

/* Input images have 8 bits per value. If the network works on latents, its training images have three colours. */
START_TEST(images) {
    nnc_model model = residual_unet(16, 8, 2);
    nnc_plan plan = nnc_plan_default();
    plan.micro_batch = 2;
    plan.micro_batches = 3;
    nnc_result r = estimate(&model, &plan);
    ck_assert_double_eq(r.input_bytes, 6 * 16 * 16 * 4);
    ck_assert_int_eq(r.tokens, 0);
    ck_assert(isnan(r.tokens_per_s));
    ck_assert_double_eq(r.samples_per_s, 6 / r.step_s);
    const double flops = r.forward_flops;
    model.unet.image = 128;
    model.unet.latent_factor = 8;
    r = estimate(&model, &plan);
    ck_assert_double_eq(r.input_bytes, 6 * 128 * 128 * 3);
    ck_assert_double_eq(r.forward_flops, flops);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { segmentation_networks,
                                   published_networks,
                                   segmentation_keeps,
                                   diffusion_networks,
                                   stable_diffusion,
                                   linear_projections,
                                   maps_are_copied_to_tokens,
                                   heads_by_width,
                                   images,
                                   diffusion_keeps };
    return run_tests("shape_unet", tests, COUNT_OF(tests));
}
