/* Tests that every value of an enumeration has a unique name and a complete row in its table. */
#include <string.h>

#include <nncost/nncost.h>

#include "base/base_internal.h"
#include "input/input_internal.h"
#include "op/op_internal.h"
#include "pipeline/pipeline_internal.h"
#include "shape/shape_internal.h"
#include "suite.h"

static const struct {
    const char *what;
    nnc_names names;
} enumerations[] = {
    { "dtype", { nnc_dtype_name, NNC_DTYPE_COUNT } },
    { "link kind", { nnc_link_kind_name, NNC_LINK_KIND_COUNT } },
    { "basis", { nnc_basis_name, NNC_BASIS_COUNT } },
    { "family", { nnc_family_name, NNC_FAMILY_COUNT } },
    { "positions", { nnc_positions_name, NNC_POSITIONS_COUNT } },
    { "norm kind", { nnc_norm_kind_name, NNC_NORM_KIND_COUNT } },
    { "mlp", { nnc_mlp_name, NNC_MLP_COUNT } },
    { "mixer", { nnc_mixer_name, NNC_MIXER_COUNT } },
    { "mlp kind", { nnc_mlp_kind_name, NNC_MLP_KIND_COUNT } },
    { "norm place", { nnc_norm_place_name, NNC_NORM_PLACE_COUNT } },
    { "qk norm", { nnc_qk_norm_name, NNC_QK_NORM_COUNT } },
    { "head", { nnc_model_head_name, NNC_MODEL_HEAD_COUNT } },
    { "unet block", { nnc_unet_block_name, NNC_UNET_BLOCK_COUNT } },
    { "unet down", { nnc_unet_down_name, NNC_DOWN_COUNT } },
    { "unet up", { nnc_unet_up_name, NNC_UP_COUNT } },
    { "policy", { nnc_policy_name, NNC_POLICY_COUNT } },
    { "optimizer", { nnc_optimizer_name, NNC_OPTIMIZER_COUNT } },
    { "attention", { nnc_attention_name, NNC_ATTENTION_COUNT } },
    { "optimizer kernels", { nnc_optimizer_kernels_name, NNC_OPTIMIZER_KERNELS_COUNT } },
    { "flash kernel", { nnc_flash_kernel_name, NNC_FLASH_KERNEL_COUNT } },
    { "mode", { nnc_mode_name, NNC_MODE_COUNT } },
    { "flops convention", { nnc_flops_convention_name, NNC_CONVENTION_COUNT } },
    { "activations", { nnc_activations_name, NNC_ACTIVATIONS_COUNT } },
    { "schedule", { nnc_schedule_name, NNC_SCHEDULE_COUNT } },
    { "context kind", { nnc_context_kind_name, NNC_CONTEXT_KIND_COUNT } },
    { "rank order", { nnc_rank_order_name, NNC_ORDER_COUNT } },
    { "norm keep", { nnc_norm_keep_name, NNC_KEEP_COUNT } },
    { "loss keep", { nnc_loss_keep_name, NNC_LOSS_KEEPS_COUNT } },
    { "phase", { nnc_phase_name, NNC_PHASE_COUNT } },
    { "group", { nnc_group_name, NNC_GROUP_COUNT } },
    { "pointwise kind", { nnc_pointwise_kind_name, NNC_PW_KIND_COUNT } },
    { "collective", { nnc_collective_name, NNC_COLLECTIVE_COUNT } },
    { "comm", { nnc_comm_name, NNC_COMM_COUNT } },
    { "bound", { nnc_bound_name, NNC_BOUND_COUNT } },
    { "activity", { nnc_activity_name, NNC_ACTIVITY_COUNT } },
    { "objective", { nnc_objective_name, NNC_OBJECTIVE_COUNT } },
};

START_TEST(values_have_names_of_their_own) {
    for (size_t e = 0; e < COUNT_OF(enumerations); e++) {
        const nnc_names names = enumerations[e].names;
        for (int i = 0; i < names.count; i++) {
            const char *name = names.of((unsigned)i);
            ck_assert_msg(name[0] != '\0' && strcmp(name, "?") != 0, "%s %d has no name", enumerations[e].what, i);
            ck_assert_msg(nnc_names_find(names, name) == i, "%s %d is called %s, as another", enumerations[e].what, i,
                          name);
        }
        ck_assert_str_eq(names.of((unsigned)names.count), "?");
        ck_assert_int_eq(nnc_names_find(names, "?"), -1);
    }
}
END_TEST

static void check_helps(const nnc_field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const nnc_field *f = &fields[i];
        check_helps(f->fields, f->field_count);
        for (int k = 0; f->help_of != NULL && k < f->names.count; k++) {
            const char *help = f->help_of((unsigned)k);
            const size_t length = strlen(help);
            ck_assert_msg(length > 1 && help[length - 1] == '.', "%s %s has no sentence of help", f->name,
                          f->names.of((unsigned)k));
        }
    }
}

START_TEST(values_have_help) {
    check_helps(nnc_plan_table.fields, nnc_plan_table.count);
    check_helps(nnc_device_table.fields, nnc_device_table.count);
    check_helps(nnc_software_table.fields, nnc_software_table.count);
    for (int i = 0; i < NNC_FAMILY_COUNT; i++) {
        check_helps(nnc_model_table((nnc_family)i)->fields, nnc_model_table((nnc_family)i)->count);
    }
}
END_TEST

#define HAS(what, name, row, member) ck_assert_msg((row)->member != NULL, "the %s %s has no " #member, what, name)

START_TEST(schedules_are_complete) {
    int tried = 0;
    for (int i = 0; i < NNC_SCHEDULE_COUNT; i++) {
        const nnc_schedule_row *row = nnc_schedule_of((nnc_schedule)i);
        const char *name = nnc_schedule_name((nnc_schedule)i);
        HAS("schedule", name, row, write);
        HAS("schedule", name, row, bubble_s);
        HAS("schedule", name, row, in_flight);
        for (int k = 0; k < i; k++) { /* no two schedules have the same place in the search order */
            ck_assert(row->searched == 0 || row->searched != nnc_schedule_of((nnc_schedule)k)->searched);
        }
        tried += row->searched > 0;
    }
    for (int i = 0; i < NNC_SCHEDULE_COUNT; i++) { /* no place in the search order is empty */
        ck_assert_int_le(nnc_schedule_of((nnc_schedule)i)->searched, tried);
    }
}
END_TEST

START_TEST(families_are_complete) {
    for (int i = 0; i < NNC_FAMILY_COUNT; i++) {
        const nnc_model model = { .family = (nnc_family)i };
        const nnc_family_row *row = nnc_family_of(&model);
        const nnc_field_table *table = nnc_model_table((nnc_family)i);
        const char *name = nnc_family_name((nnc_family)i);
        HAS("family", name, row, sizes);
        HAS("family", name, row, resolve);
        HAS("family", name, row, lower);
        HAS("family", name, row, describe);
        ck_assert_msg(table != NULL && table->count > 0, "the family %s has no fields", name);
        ck_assert_str_eq(table->what, name);
    }
}
END_TEST

/* Returns one fused update of a small matrix and two biases. */
static nnc_update step_of(nnc_optimizer optimizer, nnc_policy policy) {
    return (nnc_update){ .kind = NNC_UPDATE_STEP,
                         .optimizer = optimizer,
                         .policy = policy,
                         .fused = true,
                         .params = 1024 + 64,
                         .matrix_params = 1024,
                         .factored_elements = 32 + 32 + 64,
                         .orthogonalise_flops = nnc_muon_flops(32, 32) };
}

START_TEST(optimizers_are_complete) {
    for (int i = 0; i < NNC_OPTIMIZER_COUNT; i++) {
        const nnc_update update = step_of((nnc_optimizer)i, NNC_POLICY_MIXED);
        nnc_op op = { .kind = NNC_OP_UPDATE, .phase = NNC_PHASE_UPDATE, .u.update = update };
        const double fused = nnc_op_work(&op).read_bytes;
        const char *name = nnc_optimizer_name((nnc_optimizer)i);
        ck_assert_msg(nnc_op_work(&op).vector_flops > 0, "the optimizer %s has no FLOPs", name);
        op.u.update.fused = false;
        ck_assert_msg(nnc_op_work(&op).read_bytes > fused, "%s has no unfused passes", name);
        const nnc_optimizer smaller = nnc_optimizer_smaller((nnc_optimizer)i);
        const nnc_update in_fewer = step_of(smaller, NNC_POLICY_MIXED);
        ck_assert_msg((int)smaller == i || nnc_update_moment_bytes(&in_fewer) < nnc_update_moment_bytes(&update),
                      "%s is no smaller than %s", nnc_optimizer_name(smaller), name);
    }
}
END_TEST

START_TEST(levers_are_complete) {
    char text[NNC_PARAMETER_TEXT];
    for (int i = 0; i < NNC_PARAMETER_COUNT; i++) {
        ck_assert_ptr_null(
            strstr(nnc_sensitivity_parameter_name((nnc_sensitivity_parameter)i, NNC_BF16, text), "(null)"));
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { values_have_names_of_their_own, values_have_help,        schedules_are_complete,
                                   families_are_complete,          optimizers_are_complete, levers_are_complete };
    return run_tests_with("rows", NULL, NULL, tests, COUNT_OF(tests));
}
