#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/names.h"
#include "input/kind.h"
#include "input/read.h"

NNC_ENUM_TEXTS(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST)
NNC_ENUM_TEXTS(nnc_norm_keep, NNC_NORM_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_loss_keep, NNC_LOSS_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_head_copy, NNC_HEAD_COPY_LIST)

static const nnc_field spread_fields[] = {
    { NNC_FIELD(nnc_spreads, own), .max = 5, .above_min = true, .required = true,
      .help = "Of every step under the profile." },
    { NNC_FIELD(nnc_spreads, network), .max = 5, .default_text = "0.25",
      .help = "Times the share of the step that the network bounds." },
    { NNC_FIELD(nnc_spreads, idle), .max = 5, .default_text = "0.5",
      .help = "Times the share of the step that waits for the host or for other stages." },
    { NNC_FIELD(nnc_spreads, kernels), .max = 5, .default_text = "0.05",
      .help = "On devices fitted to kernels alone." },
    { NNC_FIELD(nnc_spreads, carried), .max = 5, .default_text = "0.1",
      .help = "On devices whose efficiencies are those of similar ones." },
    { NNC_FIELD(nnc_spreads, experts), .max = 5, .default_text = "0.05",
      .help = "Of models with experts." },
    { NNC_FIELD_COMMENT("fitted_on"), .required = true,
      .help = "The measured rows it was taken from." },
};

static const nnc_field reserve_fields[] = {
    { NNC_FIELD(nnc_reserve, bytes), .unit = "B", .max = 1e13, .default_text = "0",
      .help = "The context of the driver and the buffers of collectives." },
    { NNC_FIELD(nnc_reserve, share), .max = 1, .default_text = "0",
      .help = "What the allocator cannot hand out again, as a share of what a plan counts." },
    { NNC_FIELD(nnc_reserve, low), .max = 1, .above_min = true, .default_text = "1",
      .help = "Smallest measured peak over prediction, but for one in ten." },
    { NNC_FIELD(nnc_reserve, high), .min = 1, .max = 10, .default_text = "1",
      .help = "Largest measured peak over prediction, but for one in ten." },
};

#define SHIPS(field, member, text)                                                        \
    {                                                                                     \
        .name = (field), .type = NNC_FIELD_BOOL, .offset = offsetof(nnc_shipped, member), \
        .size = sizeof(bool), .default_text = "on", .help = (text)                        \
    }
static const nnc_field shipped_fields[] = {
    SHIPS("1f1b", schedules[NNC_SCHEDULE_1F1B],
          "Pipelines with one forward, one backward in turn."),
    SHIPS("gpipe", schedules[NNC_SCHEDULE_GPIPE], "All forwards, then all backwards."),
    SHIPS("interleaved", schedules[NNC_SCHEDULE_INTERLEAVED],
          "Several groups of layers per device."),
    SHIPS("zb_h1", schedules[NNC_SCHEDULE_ZB_H1], "The zero-bubble schedule ZB-H1."),
    SHIPS("zb_h2", schedules[NNC_SCHEDULE_ZB_H2], "The zero-bubble schedule ZB-H2."),
    SHIPS("zb_v", schedules[NNC_SCHEDULE_ZB_V], "The zero-bubble schedule ZB-V."),
    SHIPS("dualpipe", schedules[NNC_SCHEDULE_DUALPIPE], "DualPipe."),
    SHIPS("recompute_attention", recompute_attention, "Attention can be recomputed by itself."),
    SHIPS("recompute_norm", recompute_norm, "Norm outputs can be recomputed by themselves."),
    SHIPS("recompute_activation", recompute_activation,
          "Outputs of activation functions can be recomputed by themselves."),
    SHIPS("recompute_modules", recompute_modules,
          "Latent projections, MLPs and experts can be recomputed by themselves."),
    SHIPS("recompute_full", recompute_full, "Whole layers can be recomputed."),
    SHIPS("offload_optimizer", offload_optimizer, "The optimizer can live in host memory."),
    SHIPS("offload_activations", offload_activations, "Activations can live in host memory."),
    SHIPS("offload_weights", offload_weights, "Weights can live in host memory."),
};

static const nnc_field software_fields[] = {
    { NNC_FIELD(nnc_software, id), .required = true,
      .help = "File stem and name on the command line." },
    { NNC_FIELD(nnc_software, name), .required = true, .help = "Name in full." },
    { NNC_FIELD(nnc_software, fused_norm), .default_text = "on",
      .help = "A norm is one kernel; else one per primitive." },
    { NNC_FIELD(nnc_software, written_out), .default_text = "off",
      .help = "Layer and RMS norms and GELU are written out, with a kernel per primitive." },
    { NNC_FIELD(nnc_software, by_reductions), .default_text = "off",
      .help = "Layer and RMS norms and softmax are a kernel for each sum, and one for the rest." },
    { NNC_FIELD(nnc_software, turned_group_norms), .default_text = "off",
      .help = "Group norms know contiguous maps alone: others are put into that order and back." },
    { NNC_FIELD(nnc_software, grouped_on_vectors), .default_text = "off",
      .help = "Convolutions in groups run on the vector units, unless groups of 4, 8, 16 or 32 "
              "channels come by 32." },
    { NNC_FIELD(nnc_software, random_written), .default_text = "off",
      .help = "Dropout reads random numbers in fp32 that a kernel of its own has written." },
    { NNC_FIELD(nnc_software, fused_activation), .default_text = "on",
      .help = "Gate and product are one kernel that keeps neither intermediate." },
    { NNC_FIELD(nnc_software, fused_residual), .default_text = "on",
      .help = "Bias, dropout and residual are one kernel." },
    { NNC_FIELD(nnc_software, fused_maps), .default_text = "off",
      .help =
          "Of a feature map, the activation and the sum behind a norm are part of its kernel." },
    { NNC_FIELD(nnc_software, contiguous_maps), .default_text = "off",
      .help = "Each channel of a feature map lies by itself (NCHW), and is put into another order "
              "where "
              "matrix units need it; else channels lie together (channels last)." },
    { NNC_FIELD(nnc_software, copied_heads), NNC_FIELD_NAMES(nnc_head_copy, NNC_HEAD_COPY_COUNT),
      .default_text = "none",
      .help =
          "Queries, keys, values and what attention gives are copied into an order by heads and "
          "back; with always, contiguous maps that are read as tokens too." },
    { NNC_FIELD(nnc_software, cast_weights), .default_text = "off",
      .help = "Weights held in fp32 are cast to 16 bits in every micro-batch, and their gradients "
              "back." },
    { NNC_FIELD(nnc_software, flat_weights), .default_text = "off",
      .help = "ZeRO holds all weights as one unit: gathered in fp32 for every micro-batch, their "
              "gradients put together in it and reduced in 16 bits." },
    { NNC_FIELD(nnc_software, fused_rotary), .default_text = "on",
      .help = "The rotary embedding is one kernel." },
    { NNC_FIELD(nnc_software, fused_rotary_scale), .default_text = "on",
      .help = "So it is where rotation also scales." },
    { NNC_FIELD(nnc_software, fused_softmax), .default_text = "on",
      .help = "Scale and mask are inside the softmax kernel (unfused attention)." },
    { NNC_FIELD(nnc_software, fused_loss), .default_text = "on",
      .help = "Cross-entropy is one kernel on the logits' own format." },
    { NNC_FIELD(nnc_software, fused_expert_bias), .default_text = "on",
      .help = "Biases of experts are added by their products; else weighted and added in fp32." },
    { NNC_FIELD(nnc_software, expert_bias_gathered), .default_text = "off",
      .help = "Biases of experts are gathered, a row for every copy of a token, before they are "
              "added." },
    { NNC_FIELD(nnc_software, fused_expert_clamp), .default_text = "on",
      .help = "Experts clamp gate and up in the kernel of their activation." },
    { NNC_FIELD(nnc_software, fused_optimizer), .default_text = "on",
      .help = "The optimizer step is one kernel." },
    { NNC_FIELD(nnc_software, flash_kernel),
      NNC_FIELD_NAMES(nnc_flash_kernel, NNC_FLASH_KERNEL_COUNT), .default_text = "flash2",
      .help = "The kernel that --attention flash stands for." },
    { NNC_FIELD(nnc_software, norm_keep), NNC_FIELD_NAMES(nnc_norm_keep, NNC_KEEP_COUNT),
      .default_text = "fused", .help = "What layer, RMS and batch norms keep for backward." },
    { NNC_FIELD(nnc_software, group_norm_keep), NNC_FIELD_NAMES(nnc_norm_keep, NNC_KEEP_COUNT),
      .default_text = "fused", .help = "What group norms keep for backward." },
    { NNC_FIELD(nnc_software, loss_keep), NNC_FIELD_NAMES(nnc_loss_keep, NNC_LOSS_KEEPS_COUNT),
      .default_text = "logits", .help = "What the loss keeps for backward, per logit." },
    { NNC_FIELD(nnc_software, loss_in_place), .default_text = "off",
      .help = "The loss writes over the logits, whatever it reads and writes on the way." },
    { NNC_FIELD(nnc_software, softmax_upcast), .default_text = "off",
      .help = "Softmax runs in fp32 and keeps its fp32 output beside the cast one." },
    { NNC_FIELD(nnc_software, attention_mask_kept), .default_text = "off",
      .help = "A boolean mask of all pairs is kept per layer." },
    { NNC_FIELD(nnc_software, expanded_kv), .default_text = "off",
      .help = "Grouped keys and values are copied to every head, and kept." },
    { NNC_FIELD(nnc_software, expert_once_per_node), .default_text = "off",
      .help = "A token travels to a scale-up domain once, whatever experts it meets there." },
    { NNC_FIELD(nnc_software, expert_masks), .default_text = "off",
      .help =
          "With a capacity factor tokens come to the experts' slots, and back, by products with "
          "masks." },
    { NNC_FIELD(nnc_software, expert_sorts), .default_text = "off",
      .help =
          "Tokens that come from other ranks are copied into the order of the experts, and what "
          "these give back." },
    { NNC_FIELD(nnc_software, expert_dispatch_8bit), .default_text = "off",
      .help = "With 8-bit products tokens, and gradients, go to their experts in 8 bits, scaled by "
              "blocks of 128; results come back in 16." },
    { NNC_FIELD(nnc_software, narrow_gathers), .default_text = "off",
      .help = "With products of 8 bits or fewer, tensor ranks gather each other's tokens, and "
              "gradients, as these read them; sums are scattered in 16." },
    { NNC_FIELD(nnc_software, block_scales), .default_text = "off",
      .help = "8-bit operands have a scale for each block of 128, not for each tensor." },
    { NNC_FIELD(nnc_software, network_units), .max = 1e4, .default_text = "0",
      .help = "Units that kernels of the expert exchange keep from the compute beside them." },
    { NNC_FIELD(nnc_software, expert_scores_first), .default_text = "off",
      .help = "Experts weight their activations by the scores: combining results keeps nothing." },
    { NNC_FIELD(nnc_software, context_frozen), .default_text = "on",
      .help = "The input of cross-attention needs no gradient." },
    { NNC_FIELD(nnc_software, overlap_tensor), .max = 1, .default_text = "0",
      .help = "Share of tensor-parallel communication that hides behind compute." },
    { NNC_FIELD(nnc_software, overlap_tensor_backward), .max = 1,
      .help = "The same in backward passes, where weight gradients wait for nobody; not given: as "
              "overlap_tensor." },
    { NNC_FIELD(nnc_software, overlap_context), .max = 1, .default_text = "1",
      .help = "The same of context-parallel communication." },
    { NNC_FIELD(nnc_software, overlap_expert), .max = 1, .default_text = "0",
      .help = "The same of expert-parallel communication." },
    { NNC_FIELD(nnc_software, overlap_data), .max = 1, .default_text = "1",
      .help = "The same of data-parallel communication." },
    { NNC_FIELD(nnc_software, overlap_pipeline), .max = 1, .default_text = "1",
      .help = "The same of messages between pipeline stages." },
    { NNC_FIELD(nnc_software, overlap_offload), .max = 1, .default_text = "1",
      .help = "The same of transfers to and from host memory." },
    { NNC_FIELD(nnc_software, bucket_bytes), .unit = "B", .max = 1e15, .above_min = true,
      .default_text = "26214400",
      .help = "Gradients that are reduced together while backward goes on; and gathered weights, "
              "where whole steps gather them." },
    { NNC_FIELD(nnc_software, launch_s), .unit = "s", .max = 1, .default_text = "0",
      .help = "The host's time to issue one op; 0: kernels are recorded once and replayed." },
    { NNC_FIELD(nnc_software, launch_expert_s), .unit = "s", .max = 1,
      .help = "The same of models with experts, whose tokens the host counts; else launch_s." },
    { NNC_FIELD(nnc_software, launch_product_s), .unit = "s", .max = 1, .default_text = "0",
      .help = "The same of each product of a group of experts; 0: the group is one kernel." },
    { NNC_FIELD(nnc_software, recorded_attention), .default_text = "off",
      .help = "Attention and norms are recorded once and replayed; the host issues the rest." },
    { NNC_FIELD(nnc_software, tuned_pointwise), .default_text = "off",
      .help = "Norms and activations by kernels written for the device (its pointwise_tuned)." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, spread), NNC_FIELD_TABLE(spread_fields),
      .help = "Half of the range of nine of ten measurements, in the natural logarithm: the root "
              "of the "
              "sum of these squares." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, reserve), NNC_FIELD_TABLE(reserve_fields),
      .help = "Device memory beside what a plan counts, where --reserve-bytes does not say." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, ships), NNC_FIELD_TABLE(shipped_fields),
      .help = "Schedules and memory savers that its frameworks have; a search offers no others." },
    { NNC_FIELD(nnc_software, zero_gradients), .default_text = "off",
      .help = "Gradients are cleared by a kernel instead of freed." },
    { NNC_FIELD(nnc_software, added_gradients), .default_text = "off",
      .help =
          "A kernel adds each pass's gradients to their sums, not the products that make them." },
    { NNC_FIELD_AS(NNC_FIELD_OBJECT, nnc_software, serving),
      NNC_FIELD_TABLE(nnc_serve_engine_fields),
      .help = "Of an engine that serves: what its host and kernels add to the device's times." },
};

const nnc_field_table nnc_software_table = { "software profile", software_fields,
                                             NNC_COUNT_OF(software_fields) };

void nnc_software_read(nnc_json root, const char *stem, void *spec)
{
    nnc_software *software = spec;
    static const nnc_framework unsaid = { .overlap = (double)NAN };
    static const char *const no_keys[] = { NULL };
    static const char *const other_keys[] = { "schema", "sources",  "references", "stands_for",
                                              "like",   "compared", "ranges",     NULL };
    *software = nnc_software_default();
    nnc_read_object(root, &nnc_software_table, other_keys, software);
    if (nnc_json_type_of(root) != NNC_JSON_OBJECT) {
        return;
    }
    nnc_read_identity(root, "nncost.software/1", stem);
    nnc_read_sources(root, &nnc_software_table, other_keys, &software->sources,
                     &software->source_count);
    software->stands_for =
        nnc_read_objects(nnc_json_get(root, "stands_for"), &nnc_framework_table, no_keys,
                         sizeof(nnc_framework), &unsaid, &software->stands_for_count);
    software->compared =
        nnc_read_objects(nnc_json_get(root, "compared"), &nnc_track_table, no_keys,
                         sizeof(nnc_track), &(nnc_track){ .rows = 0 }, &software->compared_count);
    software->ranges =
        nnc_read_objects(nnc_json_get(root, "ranges"), &nnc_range_table, no_keys, sizeof(nnc_range),
                         &(nnc_range){ .own = NAN }, &software->range_count);
    nnc_read_fitted(root, "spread", &software->sources, &software->source_count);
    nnc_read_fitted(root, "serving", &software->sources, &software->source_count);
    software->serving.fitted = nnc_json_type_of(nnc_json_get(root, "serving")) == NNC_JSON_OBJECT;
}

nnc_status nnc_software_asked(nnc_specs *specs, const char *asked, nnc_software *software,
                              nnc_error *err)
{
    const nnc_software *loaded = NULL;
    nnc_error missing = { 0 };
    *software = nnc_software_default();
    nnc_status status =
        nnc_software_load(specs, asked != NULL ? asked : software->id, &loaded, &missing);
    if (status == NNC_UNKNOWN_ID && asked == NULL) {
        return NNC_OK; /* no folder of profiles */
    }
    if (status == NNC_OK) {
        *software = *loaded;
    } else {
        *err = missing;
    }
    return status;
}

/* The profile of an id, or the neutral one where no folder has it. */
static nnc_status load_or_neutral(nnc_specs *specs, const char *id, const nnc_software **software,
                                  nnc_error *err)
{
    const nnc_status status = nnc_software_load(specs, id, software, err);
    if (status != NNC_UNKNOWN_ID) {
        return status;
    }
    if (strcmp(id, NNC_SOFTWARE_DEFAULT) != 0) {
        return load_or_neutral(specs, NNC_SOFTWARE_DEFAULT, software, err);
    }
    nnc_software *made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    if (made == NULL) {
        return nnc_no_memory(err);
    }
    *made = nnc_software_default();
    *software = made;
    return NNC_OK;
}

static const char *const profile_ids[NNC_PROFILE_KINDS] = {
    [NNC_PROFILE_COPIES] = "torch-compile",
    [NNC_PROFILE_SHARDED] = "fsdp",
    [NNC_PROFILE_SPLIT] = "megatron",
    [NNC_PROFILE_TPU] = "maxtext",
};

nnc_status nnc_profile_load(nnc_specs *specs, nnc_profile_kind kind, const nnc_software **software,
                            nnc_error *err)
{
    return load_or_neutral(specs, profile_ids[kind], software, err);
}

nnc_status nnc_profiles_load(nnc_specs *specs, nnc_profiles *profiles, nnc_error *err)
{
    profiles->any = false;
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) {
        NNC_TRY(load_or_neutral(specs, profile_ids[i], &profiles->of[i], err));
    }
    return NNC_OK;
}

nnc_status nnc_profiles_get(nnc_specs *specs, bool any, const nnc_profiles **profiles,
                            nnc_error *err)
{
    nnc_profiles *made = NULL;
    NNC_TRY(nnc_need("nnc_profiles_get", "specs", specs != NULL, err));
    NNC_TRY(nnc_need("nnc_profiles_get", "profiles", profiles != NULL, err));
    *profiles = NULL;
    made = nnc_arena_alloc(nnc_specs_arena(specs), sizeof *made);
    if (made == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(nnc_profiles_load(specs, made, err));
    made->any = any;
    *profiles = made;
    return NNC_OK;
}

bool nnc_software_is_chosen(const char *asked)
{
    return asked == NULL || strcmp(asked, NNC_SOFTWARE_ANY) == 0;
}

nnc_status nnc_profiles_asked(nnc_specs *specs, const char *asked, nnc_profiles *profiles,
                              nnc_error *err)
{
    const nnc_software *one = NULL;
    if (nnc_software_is_chosen(asked)) {
        NNC_TRY(nnc_profiles_load(specs, profiles, err));
        profiles->any = asked != NULL;
        return NNC_OK;
    }
    NNC_TRY(nnc_software_load(specs, asked, &one, err));
    *profiles = (nnc_profiles){ .of = { one, one, one, one } };
    return NNC_OK;
}
