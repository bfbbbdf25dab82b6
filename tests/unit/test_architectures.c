/* Compares parameters and forward FLOPs of one model of each architecture with the PyTorch code of the architecture's
 * authors. tests/data/architectures/README.md states the sources of the counts. */
#include "op/op_internal.h"
#include "support.h"

#define ARCHITECTURES NNCOST_SOURCE_DIR "/tests/data/architectures/"

static bool is_forward(const nnc_op_cost *row, nnc_op_kind kind) {
    return nnc_op_phase(row->op) == NNC_PHASE_FORWARD && row->op->kind == kind;
}

static bool is_expert(const nnc_op_cost *row) {
    return is_forward(row, NNC_OP_MATMUL) && row->op->u.matmul.experts > 0;
}

static bool is_linear(const nnc_op_cost *row) {
    return is_forward(row, NNC_OP_MATMUL) && row->op->u.matmul.b_is_weight && !is_expert(row);
}

static bool is_attention(const nnc_op_cost *row) { return is_forward(row, NNC_OP_FLASH); }

static bool is_conv(const nnc_op_cost *row) { return is_forward(row, NNC_OP_CONV); }

static bool is_chunked_scan(const nnc_op_cost *row) {
    return is_forward(row, NNC_OP_SCAN) && row->op->u.scan.chunk > 0;
}

static double executed_flops_of(const nnc_op_cost *row) { return row->work.flops; }

/* Returns the forward FLOPs of an op, with attention over all pairs of tokens, masked or not. */
static double flops_of(const nnc_op_cost *row) { return nnc_op_work(row->op).full_flops; }

static char faults[1 << 14]; /* of all models */

static void check(const cJSON *known, const char *key, double value) {
    const cJSON *at = cJSON_GetObjectItemCaseSensitive(known, key);
    const double expected = at != NULL ? at->valuedouble : 0.0;
    const size_t used = strlen(faults);
    if (value != expected && used + 128 < sizeof faults) {
        snprintf(faults + used, sizeof faults - used, "\n%s: %s %.0f, expected %.0f", text_of(known, "id"), key, value,
                 expected);
    }
}

static void check_model(const cJSON *known) {
    char path[256];
    const char *id = text_of(known, "id");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    if (cJSON_HasObjectItem(known, "seq_len")) { plan.seq_len = whole(known, "seq_len"); }
    snprintf(path, sizeof path, "tests/data/architectures/%s.json", id);
    const nnc_model *model = load_model(path);
    const nnc_result r = estimate(model, &plan);
    check(known, "params", (double)r.params);
    if (cJSON_HasObjectItem(known, "active_params")) { check(known, "active_params", (double)r.active_params); }
    if (cJSON_HasObjectItem(known, "seq_len")) {
        check(known, "linear_flops", sum_rows(is_linear, flops_of));
        check(known, "attention_flops", sum_rows(is_attention, flops_of));
        check(known, "expert_flops", sum_rows(is_expert, flops_of));
        check(known, "conv_flops", sum_rows(is_conv, flops_of));
        if (cJSON_HasObjectItem(known, "scan_flops")) {
            check(known, "scan_flops", sum_rows(is_chunked_scan, executed_flops_of));
        }
    }
}

START_TEST(counts_are_exact) {
    cJSON *json = read_json(ARCHITECTURES "counts.json");
    const cJSON *known = NULL;
    int count = 0;
    cJSON_ArrayForEach(known, member(json, "models")) {
        check_model(known);
        count++;
    }
    ck_assert_int_ge(count, 31);
    ck_assert_msg(faults[0] == '\0', "%s", faults);
    cJSON_Delete(json);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { counts_are_exact };
    return run_tests("architectures", tests, COUNT_OF(tests));
}
