/* One model of each architecture: parameters and forward FLOPs as the modelling code of its authors has
 * them. Where the counts come from is said in tests/data/architectures/README.md. */
#include "op/work.h"
#include "support.h"

#define ARCHITECTURES NNCOST_SOURCE_DIR "/tests/data/architectures/"

static bool is_forward(const nnc_op_cost *row, nnc_op_kind kind)
{
    return nnc_op_phase(row->op) == NNC_PHASE_FORWARD && row->op->kind == kind;
}

static bool is_expert(const nnc_op_cost *row)
{
    return is_forward(row, NNC_OP_MATMUL) && row->op->u.matmul.experts > 0;
}

static bool is_linear(const nnc_op_cost *row)
{
    return is_forward(row, NNC_OP_MATMUL) && row->op->u.matmul.b_is_weight && !is_expert(row);
}

static bool is_attention(const nnc_op_cost *row)
{
    return is_forward(row, NNC_OP_FLASH);
}

static bool is_conv(const nnc_op_cost *row)
{
    return is_forward(row, NNC_OP_CONV);
}

/* Over every position of the mask. */
static double flops_of(const nnc_op_cost *row)
{
    return nnc_op_work(row->op).full_flops;
}

static void check_flops(const cJSON *known, const char *id, const char *key, row_test *wanted)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(known, key);
    const double flops = sum_rows(wanted, flops_of), expected = value ? value->valuedouble : 0.0;
    ck_assert_msg(flops == expected, "%s: %s %.0f, expected %.0f", id, key, flops, expected);
}

static void check_model(const cJSON *known)
{
    char path[512];
    const char *id = text_of(known, "id");
    nnc_plan plan = nnc_plan_default();
    plan.precision = NNC_BF16;
    if (cJSON_HasObjectItem(known, "seq_len")) {
        plan.seq_len = whole(known, "seq_len");
    }
    snprintf(path, sizeof path, "tests/data/architectures/%s.json", id);
    const nnc_model *model = load_model(path);
    const nnc_result r = estimate(model, &plan);
    ck_assert_msg(r.params == whole(known, "params"), "%s: params %.0f, expected %.0f", id,
                  (double)r.params, number(known, "params"));
    if (cJSON_HasObjectItem(known, "active_params")) {
        ck_assert_msg(r.active_params == whole(known, "active_params"),
                      "%s: active %.0f, expected %.0f", id, (double)r.active_params,
                      number(known, "active_params"));
    }
    if (cJSON_HasObjectItem(known, "seq_len")) {
        check_flops(known, id, "linear_flops", is_linear);
        check_flops(known, id, "attention_flops", is_attention);
        check_flops(known, id, "expert_flops", is_expert);
        check_flops(known, id, "conv_flops", is_conv);
    }
}

START_TEST(counts_are_exact)
{
    cJSON *json = read_json(ARCHITECTURES "counts.json");
    const cJSON *known = NULL;
    int count = 0;
    cJSON_ArrayForEach(known, member(json, "models"))
    {
        check_model(known);
        count++;
    }
    ck_assert_int_ge(count, 1);
    cJSON_Delete(json);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { counts_are_exact };
    return run_tests("architectures", tests, COUNT_OF(tests));
}
