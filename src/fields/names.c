/* The texts of the public enumerations: one line each, from the lists in the public headers. And the sets of flags that
 * options write as names joined by commas. */
#include <stdio.h>
#include <string.h>

#include <nncost/nncost.h>

#include "fields/fields_internal.h"

NNC_ENUM_NAMES(nnc_dtype, NNC_DTYPE_LIST)
NNC_ENUM_NAMES(nnc_stored, NNC_STORED_LIST)

/* Devices. */
NNC_ENUM_TEXTS(nnc_link_kind, NNC_LINK_KIND_LIST)
NNC_ENUM_TEXTS(nnc_basis, NNC_BASIS_LIST)
NNC_ENUM_TEXTS(nnc_flash_kernel, NNC_FLASH_KERNEL_LIST)
NNC_ENUM_TEXTS(nnc_dispatcher, NNC_DISPATCHER_LIST)
NNC_ENUM_TEXTS(nnc_offer, NNC_OFFER_LIST)

/* Models. */
NNC_ENUM_TEXTS(nnc_family, NNC_FAMILY_LIST)
NNC_ENUM_TEXTS(nnc_positions, NNC_POSITIONS_LIST)
NNC_ENUM_TEXTS(nnc_norm_kind, NNC_NORM_KIND_LIST)
NNC_ENUM_TEXTS(nnc_mlp, NNC_MLP_LIST)
NNC_ENUM_TEXTS(nnc_mixer, NNC_MIXER_LIST)
NNC_ENUM_TEXTS(nnc_mlp_kind, NNC_MLP_KIND_LIST)
NNC_ENUM_TEXTS(nnc_norm_place, NNC_NORM_PLACE_LIST)
NNC_ENUM_TEXTS(nnc_qk_norm, NNC_QK_NORM_LIST)
NNC_ENUM_TEXTS(nnc_model_head, NNC_MODEL_HEAD_LIST)
NNC_ENUM_TEXTS(nnc_unet_block, NNC_UNET_BLOCK_LIST)
NNC_ENUM_TEXTS(nnc_unet_down, NNC_UNET_DOWN_LIST)
NNC_ENUM_TEXTS(nnc_unet_up, NNC_UNET_UP_LIST)
NNC_ENUM_NAMES(nnc_group, NNC_GROUP_LIST)

/* Plans and runs. */
NNC_ENUM_TEXTS(nnc_policy, NNC_POLICY_LIST)
NNC_ENUM_TEXTS(nnc_optimizer, NNC_OPTIMIZER_LIST)
NNC_ENUM_TEXTS(nnc_attention, NNC_ATTENTION_LIST)
NNC_ENUM_TEXTS(nnc_mode, NNC_MODE_LIST)
NNC_ENUM_TEXTS(nnc_flops_convention, NNC_CONVENTION_LIST)
NNC_ENUM_TEXTS(nnc_activations, NNC_ACTIVATIONS_LIST)
NNC_ENUM_TEXTS(nnc_adapted, NNC_ADAPTED_LIST)
NNC_ENUM_TEXTS(nnc_frozen, NNC_FROZEN_LIST)
NNC_ENUM_TEXTS(nnc_schedule, NNC_SCHEDULE_LIST)
NNC_ENUM_TEXTS(nnc_context_kind, NNC_CONTEXT_KIND_LIST)
NNC_ENUM_TEXTS(nnc_rank_order, NNC_RANK_ORDER_LIST)
NNC_ENUM_TEXTS(nnc_stops, NNC_STOPS_LIST)
NNC_ENUM_TEXTS(nnc_method, NNC_METHOD_LIST)

/* Software profiles. */
NNC_ENUM_TEXTS(nnc_norm_keep, NNC_NORM_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_loss_keep, NNC_LOSS_KEEP_LIST)
NNC_ENUM_TEXTS(nnc_head_copy, NNC_HEAD_COPY_LIST)
NNC_ENUM_NAMES(nnc_implementation, NNC_IMPLEMENTATION_LIST)

/* ---- flag sets ---- */

/* clang-format off */
#define FLAG(text, bit) { .name = (text), .flag = (bit) }
#define OTHER_NAME(text, bit) { .name = (text), .flag = (bit), .also = true }
/* clang-format on */

const nnc_flag nnc_recompute_flags[] = {
    FLAG("attention", NNC_RECOMPUTE_ATTENTION),
    FLAG("norm", NNC_RECOMPUTE_NORM),
    FLAG("activation", NNC_RECOMPUTE_ACTIVATION),
    FLAG("mla_up_proj", NNC_RECOMPUTE_MLA_UP_PROJ),
    FLAG("moe_act", NNC_RECOMPUTE_MOE_ACT),
    FLAG("shared_experts", NNC_RECOMPUTE_SHARED_EXPERTS),
    FLAG("mlp", NNC_RECOMPUTE_MLP),
    FLAG("moe", NNC_RECOMPUTE_MOE),
    FLAG("full", NNC_RECOMPUTE_FULL),
    FLAG("selective", NNC_RECOMPUTE_ATTENTION),
    OTHER_NAME("core_attn", NNC_RECOMPUTE_ATTENTION),
    OTHER_NAME("layernorm", NNC_RECOMPUTE_NORM),
    { .name = NULL },
};

const nnc_flag nnc_offload_flags[] = {
    FLAG("optimizer", NNC_OFFLOAD_OPTIMIZER),
    FLAG("activations", NNC_OFFLOAD_ACTIVATIONS),
    FLAG("weights", NNC_OFFLOAD_WEIGHTS),
    { .name = NULL },
};

const nnc_flag nnc_train_flags[] = {
    FLAG("embedding", NNC_TRAIN_EMBEDDING),
    FLAG("attention", NNC_TRAIN_ATTENTION),
    FLAG("mlp", NNC_TRAIN_MLP),
    FLAG("norm", NNC_TRAIN_NORM),
    FLAG("conv", NNC_TRAIN_CONV),
    FLAG("time", NNC_TRAIN_TIME),
    FLAG("head", NNC_TRAIN_HEAD),
    FLAG("towers", NNC_TRAIN_TOWERS),
    FLAG("adapters", NNC_TRAIN_ADAPTERS),
    { .name = NULL },
};

const nnc_flag *nnc_flags_of(nnc_field_type type)
{
    return type == NNC_FIELD_RECOMPUTE ? nnc_recompute_flags
           : type == NNC_FIELD_OFFLOAD ? nnc_offload_flags
           : type == NNC_FIELD_TRAIN   ? nnc_train_flags
                                       : NULL;
}

bool nnc_same_name(const char *name, const char *text, size_t length)
{
    if (name == NULL || strlen(name) != length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (name[i] != text[i] &&
            !(strchr("-_", name[i]) != NULL && strchr("-_", text[i]) != NULL)) {
            return false;
        }
    }
    return true;
}

unsigned nnc_flags_all(const nnc_flag *list)
{
    unsigned all = 0;
    for (; list->name != NULL; list++) {
        all |= list->flag;
    }
    return all;
}

bool nnc_flags_read(const nnc_flag *list, const char *text, unsigned *flags)
{
    *flags = 0;
    if (strcmp(text, list == nnc_train_flags ? "all" : "none") == 0) {
        return true;
    }
    for (;;) {
        const size_t length = strcspn(text, ",");
        const nnc_flag *f = list;
        while (f->name != NULL && !nnc_same_name(f->name, text, length)) {
            f++;
        }
        if (f->name == NULL) {
            return false;
        }
        *flags |= f->flag;
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

static void flags_text(const nnc_flag *list, unsigned flags, char *text, size_t size)
{
    if (text == NULL || size == 0) {
        return;
    }
    const char *single = flags != 0 ? NULL : list == nnc_train_flags ? "all" : "none";
    size_t length = 0;
    for (const nnc_flag *f = list; f->name != NULL; f++) {
        single = f->flag == flags && !f->also ? f->name : single;
    }
    if (single != NULL) {
        snprintf(text, size, "%s", single);
        return;
    }
    text[0] = '\0';
    for (const nnc_flag *f = list; f->name != NULL && length < size; f++) {
        if ((flags & f->flag) != 0) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? "," : "",
                                       f->name);
            flags &= ~f->flag; /* do not print its other name */
        }
    }
}

void nnc_recompute_text(unsigned recompute, char *text, unsigned long size)
{
    const bool full = (recompute & NNC_RECOMPUTE_FULL) != 0; /* includes the others */
    flags_text(nnc_recompute_flags, full ? NNC_RECOMPUTE_FULL : recompute, text, size);
}

void nnc_offload_text(unsigned offload, char *text, unsigned long size)
{
    flags_text(nnc_offload_flags, offload, text, size);
}

void nnc_train_text(unsigned train, char *text, unsigned long size)
{
    flags_text(nnc_train_flags, train, text, size);
}
