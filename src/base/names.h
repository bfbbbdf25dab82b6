/* The text of every enumerator, in one place: JSON, options and output all read it here. */
#ifndef NNCOST_BASE_NAMES_H
#define NNCOST_BASE_NAMES_H

#include <nncost/search.h>

extern const char *const nnc_dtype_names[NNC_DTYPE_COUNT];
extern const char *const nnc_objective_names[NNC_OBJECTIVE_COUNT];
extern const char *const nnc_link_kind_names[NNC_LINK_KIND_COUNT];
extern const char *const nnc_basis_names[NNC_BASIS_COUNT];
extern const char *const nnc_family_names[NNC_FAMILY_COUNT];
extern const char *const nnc_positions_names[NNC_POSITIONS_COUNT];
extern const char *const nnc_norm_names[NNC_NORM_KIND_COUNT];
extern const char *const nnc_mlp_names[NNC_MLP_COUNT];
extern const char *const nnc_unet_block_names[NNC_UNET_BLOCK_COUNT];
extern const char *const nnc_unet_down_names[NNC_DOWN_COUNT];
extern const char *const nnc_unet_up_names[NNC_UP_COUNT];
extern const char *const nnc_policy_names[NNC_POLICY_COUNT];
extern const char *const nnc_optimizer_names[NNC_OPTIMIZER_COUNT];
extern const char *const nnc_flash_kernel_names[NNC_FLASH_KERNEL_COUNT];
extern const char *const nnc_attention_names[NNC_ATTENTION_COUNT];
extern const char *const nnc_mode_names[NNC_MODE_COUNT];
extern const char *const nnc_convention_names[NNC_CONVENTION_COUNT];
extern const char *const nnc_activations_names[NNC_ACTIVATIONS_COUNT];
extern const char *const nnc_norm_keep_names[NNC_KEEP_COUNT];
extern const char *const nnc_loss_keep_names[NNC_LOSS_KEEPS_COUNT];
extern const char *const nnc_phase_names[NNC_PHASE_COUNT];
extern const char *const nnc_group_names[NNC_GROUP_COUNT];
extern const char *const nnc_bound_names[NNC_BOUND_COUNT];
extern const char *const nnc_pointwise_names[NNC_PW_KIND_COUNT];
extern const char *const nnc_schedule_names[NNC_SCHEDULE_COUNT];
extern const char *const nnc_context_kind_names[NNC_CONTEXT_KIND_COUNT];
extern const char *const nnc_collective_names[NNC_COLLECTIVE_COUNT];
extern const char *const nnc_comm_names[NNC_COMM_COUNT];
extern const char *const nnc_rank_order_names[NNC_ORDER_COUNT];
extern const char *const nnc_activity_names[NNC_ACTIVITY_COUNT];
extern const char *const nnc_algorithm_names[NNC_ALGORITHM_COUNT];

#endif
