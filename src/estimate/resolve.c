/* From a given plan to a complete and legal plan: reads a plan of any struct_size, fills in the fields that it leaves
 * open (precision, policy, devices, batch, schedule), and checks the rules. resolve.c also chooses the software profile
 * of a plan. [legal-plans] */
#include "base/base_internal.h"
#include "estimate/estimate_internal.h"
#include "op/op_internal.h"
#include "shape/shape_internal.h"

/* Writes to `text` the names of the number formats in which a device can train, for example "fp32, tf32, bf16". */
static void formats_of(const nnc_device *device, char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        if (!isnan(nnc_device_matmul_peak(device, (nnc_dtype)i)) && i != NNC_FP64 && i != NNC_INT8 && i != NNC_FP4 &&
            i != NNC_INT4) {
            nnc_text_append(text, size, ", ", "%s", nnc_dtype_name((nnc_dtype)i));
        }
    }
}

static nnc_status resolve_precision(const nnc_device *device, nnc_plan *p, nnc_error *err) {
    static const nnc_dtype preferred[] = { NNC_BF16, NNC_FP16, NNC_FP32 };
    char formats[128];
    for (size_t i = 0; p->precision == NNC_DTYPE_COUNT && i < 3; i++) {
        if (!isnan(nnc_device_matmul_peak(device, preferred[i]))) { p->precision = preferred[i]; }
    }
    const bool trains = p->precision == NNC_FP32 || p->precision == NNC_TF32 || p->precision == NNC_BF16 ||
                        p->precision == NNC_FP16 || nnc_precision_is_narrow(p->precision);
    if (!trains || isnan(nnc_device_matmul_peak(device, p->precision))) {
        formats_of(device, formats, sizeof formats);
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--precision",
                        "%s does not train in this format, expected one of %s, found %s", device->id, formats,
                        nnc_dtype_name(p->precision));
    }
    if (nnc_precision_is_narrow(p->precision) && isnan(nnc_device_matmul_peak(device, NNC_BF16))) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--precision",
                        "training in %s runs attention in bf16, but %s does not compute in bf16",
                        nnc_dtype_name(p->precision), device->id);
    }
    return NNC_OK;
}

static nnc_status resolve_policy(nnc_plan *p, nnc_error *err) {
    const double needed = nnc_dtype_bytes(p->precision);
    const nnc_policy usual = needed < 4.0 ? NNC_POLICY_MIXED : NNC_POLICY_FP32;
    if (p->policy == NNC_POLICY_DEFAULT) { p->policy = usual; }
    const double used = nnc_policy_used_bytes(p->policy);
    if (used < needed) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--policy",
                        "matrix products in %s read weights of %g bytes, expected the policy %s, found %s with "
                        "weights of %g bytes",
                        nnc_dtype_name(p->precision), needed, nnc_policy_name(usual), nnc_policy_name(p->policy), used);
    }
    return NNC_OK;
}

/* Returns an error because the global batch is no multiple of `given`. `given` is micro_batch x data if of_micro_batch
 * is true, else micro_batches x data. If the global batch is smaller than the number of data ranks, the error names the
 * options for the number of devices per replica, because only more devices per replica make the plan legal. */
static nnc_status refuse_passes(const nnc_plan *p, bool of_micro_batch, int64_t given, nnc_error *err) {
    const int64_t below = p->global_batch / given * given;
    const char *const factor = of_micro_batch ? "micro_batch" : "micro_batches";
    if (p->global_batch < p->data) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--global-batch",
                        "less than one sequence per replica, expected at least %" PRId64
                        " (%s x data), or at least %" PRId64
                        " times as many devices per replica (--tensor, --pipeline or --context; 'nncost "
                        "search' tries them), found %" PRId64,
                        given, factor, nnc_ceil_div(p->data, p->global_batch), p->global_batch);
    }
    if (below == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--global-batch",
                        "cannot be divided into passes, expected a multiple of %" PRId64
                        " (%s x data), or --%s of at most %" PRId64 ", found %" PRId64,
                        given, factor, of_micro_batch ? "micro-batch" : "micro-batches", p->global_batch / p->data,
                        p->global_batch);
    }
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--global-batch",
                    "cannot be divided into passes, expected a multiple of %" PRId64 " (%s x data), such as %" PRId64
                    " or %" PRId64 ", found %" PRId64,
                    given, factor, below, below + given, p->global_batch);
}

/* Uses the rule micro_batch x micro_batches x data = global_batch, if the number of data ranks is known. If the plan
 * leaves some of micro_batch, micro_batches and global_batch open, the rule gives one of these numbers, and the
 * remaining open numbers become 1. Returns an error if the given numbers contradict the rule or do not divide. */
static nnc_status resolve_batch(nnc_plan *p, nnc_error *err) {
    const int64_t data = p->data;
    int64_t product = 0;
    if (p->global_batch > 0 && (p->micro_batch == 0 || p->micro_batches == 0)) {
        int64_t *open = p->micro_batch > 0 || p->micro_batches == 0 ? &p->micro_batches : &p->micro_batch;
        if (p->micro_batch == 0 && open == &p->micro_batches) { p->micro_batch = 1; }
        const int64_t given = (open == &p->micro_batches ? p->micro_batch : p->micro_batches) * data;
        if (p->global_batch % given != 0) { return refuse_passes(p, open == &p->micro_batches, given, err); }
        *open = p->global_batch / given;
        return NNC_OK;
    }
    p->micro_batch = p->micro_batch > 0 ? p->micro_batch : 1;
    p->micro_batches = p->micro_batches > 0 ? p->micro_batches : 1;
    if (!nnc_mul_i64(p->micro_batch, p->micro_batches, &product) || !nnc_mul_i64(product, data, &product)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--micro-batch",
                        "micro_batch x micro_batches x data does not fit in 64 bits");
    }
    if (p->global_batch > 0 && p->global_batch != product) {
        return nnc_fail(err, NNC_BAD_USAGE, "--global-batch",
                        "disagrees with --micro-batch and --micro-batches, expected micro_batch x micro_batches x data "
                        "= %" PRId64 ", found %" PRId64,
                        product, p->global_batch);
    }
    p->global_batch = product;
    return NNC_OK;
}

/* Returns an error if the plan recomputes more layers per stage than the stage with the most layers has. */
static nnc_status check_recompute_layers(const nnc_plan *p, const nnc_model *model, int64_t layers, nnc_error *err) {
    const int64_t ends = p->first_stage_layers > p->last_stage_layers ? p->first_stage_layers : p->last_stage_layers;
    const int64_t even = (nnc_schedule_dual(p) ? 2 : 1) * nnc_ceil_div(layers, p->pipeline);
    const int64_t held = ends > even ? ends : even;
    if (p->recompute_layers <= held) { return NNC_OK; }
    return layers > 0 ? nnc_fail(err, NNC_ILLEGAL_PLAN, "--recompute-layers",
                                 "more than the layers of a stage, expected at most %" PRId64 ", found %" PRId64, held,
                                 p->recompute_layers)
                      : nnc_fail(err, NNC_ILLEGAL_PLAN, "--recompute-layers",
                                 "a %s is not a sequence of equal layers, expected 0, found %" PRId64,
                                 nnc_family_name(model->family), p->recompute_layers);
}

static bool has_helpers(const nnc_plan *p) { return p->helper_copies > 0.0 || p->helper_params > 0.0; }

static nnc_status check_adapted_experts(const nnc_plan *p, const nnc_model *model, nnc_error *err) {
    if ((p->adapters & NNC_ADAPTED_EXPERTS) == 0 || p->adapter_rank == 0) { return NNC_OK; }
    const bool experts = model->family == NNC_FAMILY_DECODER && model->decoder.experts > 0;
    const bool divided = p->tensor > 1 && !p->whole_experts;
    if (experts && !divided && !p->dora) { return NNC_OK; }
    return nnc_fail(err, NNC_ILLEGAL_PLAN, "--adapters",
                    !experts  ? "the model has no routed experts, expected a list without experts"
                    : divided ? "tensor ranks divide each expert, so experts cannot have adapters, expected --tensor "
                                "1 or --whole-experts"
                              : "routed experts have no DoRA, expected --dora off or a list without experts");
}

static nnc_status check_rotations(const nnc_plan *p, nnc_error *err) {
    const char *why = !p->oft                ? NULL
                      : p->adapter_rank == 0 ? "the plan has no adapters, expected together with --adapter-rank"
                      : p->dora              ? "OFT adapters have no magnitude, expected --dora off"
                      : p->tensor > 1        ? "OFT blocks cannot be divided, expected --tensor 1"
                      : p->context > 1       ? "OFT blocks cannot be divided, expected --context 1"
                      : (p->adapters & NNC_ADAPTED_EXPERTS) != 0
                          ? "routed experts are not rotated, expected --adapters without experts"
                          : NULL;
    return why == NULL ? NNC_OK : nnc_fail(err, NNC_ILLEGAL_PLAN, "--oft", "%s", why);
}

/* Checks a plan that trains nothing: refuses options that train something. */
static nnc_status check_forward_pass(const nnc_plan *p, nnc_error *err) {
    const char *option = p->train != NNC_TRAIN_NONE ? "--train"
                         : p->adapter_rank > 0      ? "--adapter-rank"
                         : p->train_layers > 0      ? "--train-layers"
                         : has_helpers(p)           ? "helper_copies"
                                                    : NULL;
    return option == NULL
               ? NNC_OK
               : nnc_fail(err, NNC_ILLEGAL_PLAN, option, "--train none is one forward pass, expected %s",
                          p->train != NNC_TRAIN_NONE ? "only the word none" : "no other value than the default");
}

/* Checks the options that say which weights are trained, and in which format frozen weights are stored. */
static nnc_status check_trained(const nnc_plan *p, const nnc_model *model, nnc_error *err) {
    const bool all = nnc_plan_trains_all(p) && model->captured == NULL;
    if ((p->train & NNC_TRAIN_NONE) != 0) { NNC_TRY(check_forward_pass(p, err)); }
    if (!(p->helper_copies >= 0.0 && p->helper_params >= 0.0 && p->critic_copies >= 0.0 && p->critic_params >= 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "helper_copies", "expected numbers of helper models of 0 or more");
    }
    if ((p->train & NNC_TRAIN_ADAPTERS) != 0 && p->adapter_rank == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train",
                        "the plan has no adapters, expected together with --adapter-rank");
    }
    if (p->dora && (p->adapter_rank == 0 || p->context > 1)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--dora",
                        p->context > 1 ? "DoRA weights cannot be divided, expected --context 1"
                                       : "the plan has no adapters, expected together with --adapter-rank");
    }
    if (p->train_from >= 0 && p->train_layers == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train-from",
                        "all layers are trained, expected together with --train-layers");
    }
    const unsigned outside = NNC_TRAIN_EMBEDDING | NNC_TRAIN_HEAD | NNC_TRAIN_TOWERS;
    if (p->train_layers > 0 && p->adapter_rank == 0 && p->train != NNC_TRAIN_ALL && (p->train & ~outside) == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--train-layers",
                        "--train names no part of a layer, expected attention, mlp or norm in --train");
    }
    NNC_TRY(check_rotations(p, err));
    NNC_TRY(check_adapted_experts(p, model, err));
    if (p->frozen != NNC_FROZEN_16 && all && !has_helpers(p)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--frozen",
                        "all weights are trained, expected together with --adapter-rank or --train");
    }
    if (!all && (nnc_convention_of(p->flops_convention)->by_params || p->activations == NNC_ACTIVATIONS_KORTHIKANTI)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN,
                        p->activations == NNC_ACTIVATIONS_KORTHIKANTI ? "--activations" : "--flops-convention",
                        "this formula is for a network with all weights trained, expected --train all");
    }
    return NNC_OK;
}

/* Checks the option for the kernels of the optimizer update. asked: the kernels that the user has named. On a CPU, sets
 * the default kernels if the user has named none, because a CPU runs its kernels one after the other in any case. On a
 * CPU, the default kernels also replace other kernels that a captured program has recorded. */
static nnc_status resolve_optimizer_kernels(const nnc_model *model, const nnc_device *device,
                                            nnc_optimizer_kernels asked, nnc_plan *p, nnc_error *err) {
    const bool lists = asked == NNC_KERNELS_FOREACH || asked == NNC_KERNELS_LOOP;
    if (asked == NNC_KERNELS_DEFAULT && device->host.kernel_s == 0.0) { p->optimizer_kernels = NNC_KERNELS_DEFAULT; }
    if (lists && !(nnc_optimizer_list_kernels(p->optimizer) > 0.0)) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, "--optimizer-kernels",
                        "not known for the optimizer %s, expected default or fused, or one of the optimizers sgd, "
                        "momentum, adam, adamw or rmsprop, found %s",
                        nnc_optimizer_name(p->optimizer), nnc_optimizer_kernels_name(asked));
    }
    if (asked == NNC_KERNELS_LOOP && model->captured == NULL) {
        return nnc_fail(
            err, NNC_ILLEGAL_PLAN, "--optimizer-kernels",
            "the number of tensors is known only for captured programs, expected fused or foreach, found loop");
    }
    return NNC_OK;
}

static nnc_status resolve_schedule(nnc_plan *p, const nnc_family_row *family, int64_t layers, nnc_error *err) {
    if (family->split != NULL) { return nnc_schedule_resolve(p, layers, err); }
    p->schedule = NNC_SCHEDULE_1F1B; /* with one pipeline stage every schedule gives the same step */
    return NNC_OK;
}

static nnc_status check_schedule(const nnc_plan *p, const nnc_model *model, int64_t layers, nnc_error *err) {
    NNC_TRY(nnc_schedule_check(p, err));
    return check_recompute_layers(p, model, layers, err);
}

nnc_status nnc_plan_resolve_read(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err) {
    const nnc_family_row *family = nnc_family_of(model);
    nnc_plan *p = resolved;
    *p = *plan;
    p->recompute = nnc_plan_recompute(p->recompute);
    if (family->defaults != NULL) { family->defaults(model, p); }
    NNC_TRY(resolve_precision(device, p, err));
    NNC_TRY(resolve_policy(p, err));
    NNC_TRY(nnc_plan_split_devices(p, err));
    NNC_TRY(resolve_batch(p, err));
    NNC_TRY(check_trained(p, model, err));
    const bool passes = (p->train & NNC_TRAIN_NONE) != 0;
    if ((passes || (has_helpers(p) && nnc_plan_trains_all(p))) && p->frozen == NNC_FROZEN_16 &&
        !(nnc_dtype_bytes(p->precision) < 4.0)) {
        /* the weights of helper models and of a forward pass are stored in the number format of the products */
        p->frozen = NNC_FROZEN_32;
    }
    NNC_TRY(resolve_optimizer_kernels(model, device, plan->optimizer_kernels, p, err));
    NNC_TRY(family->resolve(model, p, err));
    const int64_t layers = family->sizes(model).layers;
    NNC_TRY(resolve_schedule(p, family, layers, err));
    NNC_TRY(nnc_plan_split(model, device, p, err));
    return check_schedule(p, model, layers, err);
}

void nnc_plan_set_attention(nnc_plan *plan, const nnc_software *software) {
    if (software->unfused_attention && plan->attention == NNC_ATTENTION_FLASH && plan->context == 1) {
        plan->attention = NNC_ATTENTION_UNFUSED;
    }
}

nnc_status nnc_plan_resolve_for(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                const nnc_software *software, nnc_plan *resolved, nnc_error *err) {
    NNC_TRY(nnc_plan_resolve_read(plan, model, device, resolved, err));
    nnc_plan_set_attention(resolved, software);
    return NNC_OK;
}

nnc_status nnc_plan_resolve_schedule(nnc_plan *plan, const nnc_model *model, int64_t layers, nnc_error *err) {
    NNC_TRY(resolve_schedule(plan, nnc_family_of(model), layers, err));
    return check_schedule(plan, model, layers, err);
}

nnc_profiles nnc_profiles_of_one(const nnc_software *software) {
    nnc_profiles all = { .any = false };
    for (int i = 0; i < NNC_PROFILE_KINDS; i++) { all.of[i] = software; }
    return all;
}

bool nnc_variant_complete(nnc_variant *variant, const nnc_profiles *profiles, const nnc_plan *base) {
    const nnc_completer *completer = profiles->completer;
    if (completer == NULL) { return true; }
    variant->own_plan = *variant->plan;
    variant->own_model = *variant->model;
    variant->plan = &variant->own_plan;
    variant->model = &variant->own_model;
    variant->software = &variant->own_software;
    return completer->complete(completer->in, base, variant);
}

/* Returns the kind of software profile that the plan alone selects. ZeRO 3 selects FSDP. A plan with ZeRO 3 and tensor
 * or pipeline parallelism selects FSDP, too, because torchtitan and other programs combine FSDP with these kinds of
 * parallelism. ZeRO 1 and 2 select Megatron for decoders, even if no layer is split; otherwise a search would split a
 * model only to get the kernels of Megatron. */
nnc_profile_kind nnc_profile_kind_by_plan(const nnc_model *model, const nnc_plan *plan) {
    if (plan == NULL) { return NNC_PROFILE_COPIES; }
    const bool shares = plan->zero > 0 && model->family == NNC_FAMILY_DECODER;
    /* only decoders have experts; in other families the degree --expert divides embedding tables */
    const bool experts = plan->expert > 1 && model->family == NNC_FAMILY_DECODER;
    const bool split = plan->tensor > 1 || plan->pipeline > 1 || plan->context > 1 || experts || shares;
    const bool alone = plan->devices <= 1 && plan->data <= 1 && plan->zero == 0 && !split;
    if (alone && model->implementation != NNC_IMPLEMENTATION_NONE) {
        return NNC_PROFILE_EAGER; /* PyTorch libraries run single operators unless they are compiled, so they have the
                                   * eager profile */
    }
    return plan->zero == 3 ? NNC_PROFILE_SHARDED : split ? NNC_PROFILE_SPLIT : NNC_PROFILE_COPIES;
}

/* Tests whether the GPU is older than Hopper. Published runs on GPUs before Hopper are mostly from 2019 to 2023, and
 * used the software of that time. Published runs of 2019 to 2023 in fp16 and TF32 mostly had no fused attention, which
 * came in May 2022 (arXiv:2205.14135) and is part of PyTorch since 2.0 (March 2023). Published runs of 2019 to 2023 in
 * bf16 used the first generation of FlashAttention. */
static bool is_early(const nnc_device *device) {
    static const char *const early[] = { "pascal", "volta", "turing", "ampere" };
    bool found = false;
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        found = found || (device->architecture[0] == early[i][0] && strcmp(device->architecture, early[i]) == 0);
    }
    return found;
}

/* Tests whether the only software of the device compiles whole programs: Neuron runs PyTorch as graphs of XLA. */
static bool always_compiles(const nnc_device *device) {
    return strncmp(device->architecture, "trainium", 8) == 0 || strncmp(device->architecture, "inferentia", 10) == 0;
}

nnc_listing nnc_listing_of(const nnc_model *model, const nnc_device *device) {
    if (model->implementation == NNC_IMPLEMENTATION_NONE) { return NNC_LISTING_NONE; }
    const bool measured = !isnan(device->efficiency.conv.library_sustained_fraction);
    const bool rated = model->implementation == NNC_IMPLEMENTATION_TIMM && !model->implementation_asked && !measured &&
                       is_early(device);
    return rated ? NNC_LISTING_COUNTED : NNC_LISTING_PRICED;
}

static bool is_transformer(const nnc_model *model) {
    return model->family == NNC_FAMILY_DECODER || model->family == NNC_FAMILY_VIT;
}

/* Tests whether the model is a network of feature maps (a graph or a U-Net). The choice of the software profile depends
 * on whether a network has feature maps, because old and new programs run such networks differently. Compiled programs
 * (PyTorch 2.0, March 2023) run a batch norm, the activation and the sum after it in one kernel; older programs run
 * them in separate kernels. */
static bool has_maps(const nnc_model *model) {
    return model->family == NNC_FAMILY_GRAPH || model->family == NNC_FAMILY_UNET;
}

nnc_profile_kind nnc_profile_kind_kept(const nnc_model *model, const nnc_device *device, const nnc_plan *plan,
                                       nnc_profile_kind kept) {
    if (model->captured != NULL) { return NNC_PROFILE_EAGER; }
    if (strncmp(device->architecture, "tpu", 3) == 0) { return NNC_PROFILE_TPU; }
    if (kept == NNC_PROFILE_EAGER && always_compiles(device)) { return NNC_PROFILE_COPIES; }
    if (plan == NULL || !(is_transformer(model) || has_maps(model)) || !is_early(device)) { return kept; }
    nnc_plan formats = *plan;
    if (resolve_precision(device, &formats, NULL) != NNC_OK) { return kept; }
    if (has_maps(model)) {
        const bool old =
            formats.precision == NNC_FP16 || formats.precision == NNC_TF32 || formats.precision == NNC_FP32;
        return old && (kept == NNC_PROFILE_COPIES || kept == NNC_PROFILE_EAGER) ? NNC_PROFILE_EARLY_MAPS : kept;
    }
    return formats.precision == NNC_FP16 || formats.precision == NNC_TF32 ? NNC_PROFILE_EARLY
           : kept == NNC_PROFILE_SHARDED                                  ? NNC_PROFILE_EARLY_SHARDED
                                                                          : kept;
}

bool nnc_profile_kind_may(const nnc_model *model, const nnc_device *device, nnc_profile_kind kind) {
    const bool tpu = strncmp(device->architecture, "tpu", 3) == 0;
    if (model->captured != NULL || tpu) {
        return kind == (model->captured != NULL ? NNC_PROFILE_EAGER : NNC_PROFILE_TPU);
    }
    switch (kind) {
    case NNC_PROFILE_TPU: return false;
    case NNC_PROFILE_EAGER: return model->implementation != NNC_IMPLEMENTATION_NONE;
    case NNC_PROFILE_EARLY:
    case NNC_PROFILE_EARLY_SHARDED: return is_transformer(model) && is_early(device);
    case NNC_PROFILE_EARLY_MAPS: return has_maps(model) && is_early(device);
    default: return true;
    }
}

nnc_profile_kind nnc_profile_kind_of(const nnc_model *model, const nnc_device *device, const nnc_plan *plan) {
    return nnc_profile_kind_kept(model, device, plan, nnc_profile_kind_by_plan(model, plan));
}

const nnc_software *nnc_profile_of(const nnc_profiles *profiles, const nnc_model *model, const nnc_device *device,
                                   const nnc_plan *plan) {
    if (profiles == NULL || model == NULL || device == NULL) { return NULL; }
    return profiles->of[nnc_profile_kind_of(model, device, plan)];
}

bool nnc_software_ships(const nnc_software *software, const nnc_plan *plan, const char **option) {
    if (software == NULL || plan == NULL) { return false; }
    const nnc_shipped *has = &software->ships;
    const struct {
        unsigned asked, flag;
        bool has;
        const char *option;
    } savers[] = {
        { plan->recompute, NNC_RECOMPUTE_ATTENTION, has->recompute_attention, "--recompute" },
        { plan->recompute, NNC_RECOMPUTE_NORM, has->recompute_norm, "--recompute" },
        { plan->recompute, NNC_RECOMPUTE_ACTIVATION, has->recompute_activation, "--recompute" },
        { plan->recompute, NNC_RECOMPUTE_MODULES, has->recompute_modules, "--recompute" },
        { plan->recompute, NNC_RECOMPUTE_FULL, has->recompute_full, "--recompute" },
        { plan->offload, NNC_OFFLOAD_OPTIMIZER, has->offload_optimizer, "--offload" },
        { plan->offload, NNC_OFFLOAD_ACTIVATIONS, has->offload_activations, "--offload" },
        { plan->offload, NNC_OFFLOAD_WEIGHTS, has->offload_weights, "--offload" },
    };
    const unsigned apart = plan->recompute & (NNC_RECOMPUTE_NORM | NNC_RECOMPUTE_ACTIVATION);
    const bool one = apart == NNC_RECOMPUTE_NORM || apart == NNC_RECOMPUTE_ACTIVATION;
    const char *lacks = one && !has->recompute_apart ? "--recompute" : NULL;
    for (size_t i = 0; i < sizeof savers / sizeof savers[0]; i++) {
        const bool asked = (savers[i].asked & savers[i].flag) != 0;
        lacks = asked && !savers[i].has ? savers[i].option : lacks;
    }
    if (plan->pipeline > 1 && plan->schedule < NNC_SCHEDULE_COUNT && !has->schedules[plan->schedule]) {
        lacks = "--schedule";
    }
    if (plan->tensor > 1 && !plan->sequence_parallel && !has->plain_tensor) { lacks = "--sequence-parallel"; }
    const bool replicated = plan->zero == 0 && plan->data * plan->context > 1;
    if (replicated && !has->replicated_grids &&
        (plan->tensor > 1 || plan->pipeline > 1 || plan->context > 1 || plan->expert > 1)) {
        lacks = "--zero";
    }
    if ((plan->zero == 1 && !has->sharded_states) || (plan->zero == 2 && !has->sharded_gradients) ||
        (plan->zero == 3 && !has->sharded_weights) ||
        (plan->zero == 3 && plan->data * plan->context == 1 &&
         /* A framework that does not divide gradients over ranks divides weights only with FSDP (ZeRO 3), and FSDP on
          * one rank divides nothing */
         !has->sharded_gradients) ||
        (plan->zero >= 2 && plan->pipeline > 1 && !has->sharded_pipelines)) {
        lacks = "--zero";
    }
    if (option != NULL && lacks != NULL) { *option = lacks; }
    return lacks == NULL;
}

nnc_status nnc_plan_read(const nnc_plan *given, nnc_plan *plan, nnc_error *err) {
    if (given == NULL) {
        *plan = nnc_plan_default();
        return NNC_OK;
    }
    if (given->struct_size == sizeof *plan) {
        *plan = *given;
    } else {
        *plan = nnc_plan_default();
        NNC_TRY(nnc_sized_read(plan, sizeof *plan, given, "nnc_plan", err));
    }
    return nnc_plan_check(plan, err);
}

nnc_status nnc_estimate_args_read(const char *function, const nnc_model *model, const nnc_device *device,
                                  const nnc_software *software, const nnc_plan *plan, nnc_estimate_args *asked,
                                  nnc_error *err) {
    NNC_TRY(nnc_need(function, "model", model != NULL, err));
    NNC_TRY(nnc_need(function, "device", device != NULL, err));
    if (device->implausible && !device->lenient) {
        return nnc_fail(err, NNC_BAD_SPEC, device->id, "implausible values; nnc_device_check names these values");
    }
    NNC_TRY(nnc_plan_read(plan, &asked->plan, err));
    asked->software = software;
    if (software == NULL) {
        asked->neutral = nnc_software_default();
        asked->software = &asked->neutral;
        return NNC_OK;
    }
    return nnc_software_check(software, err);
}

nnc_status nnc_plan_resolve_into(const nnc_plan *plan, const nnc_model *model, const nnc_device *device,
                                 nnc_plan *resolved, nnc_error *err) {
    static const char here[] = "nnc_plan_resolve";
    nnc_plan asked, full;
    NNC_TRY(nnc_need(here, "model", model != NULL, err));
    NNC_TRY(nnc_need(here, "device", device != NULL, err));
    NNC_TRY(nnc_need(here, "resolved", resolved != NULL, err));
    NNC_TRY(nnc_sized_check(resolved, sizeof *resolved, "nnc_plan", err));
    NNC_TRY(nnc_plan_read(plan, &asked, err));
    NNC_TRY(nnc_plan_resolve_read(&asked, model, device, &full, err));
    nnc_sized_write(resolved, &full, sizeof full);
    return NNC_OK;
}
