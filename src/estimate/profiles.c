#include <string.h>

#include <nncost/plan.h>

nnc_profiles nnc_profiles_of_one(const nnc_software *software)
{
    return (nnc_profiles){ .of = { software, software, software, software } };
}

/* Weights that are sharded whole are FSDP's whatever else the plan splits: torchtitan and others
 * combine it with tensor and pipeline parallelism. Copies that share the optimizer's states alone are Megatron's
 * distributed optimizer, where it trains such a model: else a search would split what needs no splitting, only to
 * come by its kernels. */
nnc_profile_kind nnc_profile_kind_of(const nnc_model *model, const nnc_device *device,
                                     const nnc_plan *plan)
{
    if (strncmp(device->architecture, "tpu", 3) == 0) {
        return NNC_PROFILE_TPU;
    }
    if (plan == NULL) {
        return NNC_PROFILE_COPIES;
    }
    const bool shares = plan->zero > 0 && model->family == NNC_FAMILY_DECODER;
    const bool split =
        plan->tensor > 1 || plan->pipeline > 1 || plan->context > 1 || plan->expert > 1 || shares;
    return plan->zero == 3 ? NNC_PROFILE_SHARDED : split ? NNC_PROFILE_SPLIT : NNC_PROFILE_COPIES;
}

const nnc_software *nnc_profile_of(const nnc_profiles *profiles, const nnc_model *model,
                                   const nnc_device *device, const nnc_plan *plan)
{
    if (profiles == NULL || model == NULL || device == NULL) {
        return NULL;
    }
    return profiles->of[nnc_profile_kind_of(model, device, plan)];
}

bool nnc_software_ships(const nnc_software *software, const nnc_plan *plan, const char **option)
{
    if (software == NULL || plan == NULL) {
        return false;
    }
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
    const char *lacks = NULL;
    for (size_t i = 0; i < sizeof savers / sizeof savers[0]; i++) {
        const bool asked = (savers[i].asked & savers[i].flag) != 0;
        lacks = asked && !savers[i].has ? savers[i].option : lacks;
    }
    if (plan->pipeline > 1 && plan->schedule < NNC_SCHEDULE_COUNT &&
        !has->schedules[plan->schedule]) {
        lacks = "--schedule";
    }
    if (option != NULL && lacks != NULL) {
        *option = lacks;
    }
    return lacks == NULL;
}
