/* Compares parameters, FLOPs and kept bytes of the shipped models with counts.json. The counts were recorded while the
 * public code of each network ran. */
#include "support.h"

/* Model file and profile that correspond to each model of counts.json. */
static const struct {
    const char *id, *model, *software;
    bool images;
} covered[] = {
    { "gpt2-small", "models/gpt2.json", "nanogpt", false },
    { "gpt2-xl", "models/gpt2-xl.json", "nanogpt", false },
    { "gpt-1280x20x48", "tests/data/reference/models/gpt-1280x20x48.json", "nanogpt", false },
    { "llama2-7b", "models/llama2-7b.json", "llama2c", false },
    { "llama3-8b", "models/llama3-8b.json", "llama2c", false },
    { "unet-classic-572", "models/unet-classic.json", "milesial", true },
    { "sd1-unet", "models/sd1-unet.json", "compvis", true },
    { "resnet-50", "models/resnet-50.json", "torchvision", true },
};

/* Name in nncost of each parameter group of counts.json. */
static const struct {
    const char *name;
    nnc_group group;
} groups[] = {
    { "token_embedding_tied_head", NNC_GROUP_EMBEDDING },
    { "position_embedding", NNC_GROUP_EMBEDDING },
    { "embedding", NNC_GROUP_EMBEDDING },
    { "head", NNC_GROUP_HEAD },
    { "norm", NNC_GROUP_NORM },
    { "attention", NNC_GROUP_ATTENTION },
    { "attn_self", NNC_GROUP_ATTENTION },
    { "attn_cross", NNC_GROUP_ATTENTION },
    { "attn_qkv_proj", NNC_GROUP_ATTENTION },
    { "mlp", NNC_GROUP_MLP },
    { "feed_forward", NNC_GROUP_MLP },
    { "time_embed", NNC_GROUP_TIME },
    { "resblock_emb_linear", NNC_GROUP_TIME },
    { "conv", NNC_GROUP_CONV },
    { "conv_1x1_skip", NNC_GROUP_CONV },
    { "conv_transpose", NNC_GROUP_RESAMPLE },
};

static cJSON *counts;

static void open_counts(void) {
    open_support();
    counts = read_json(REFERENCE "counts.json");
}

static void close_counts(void) {
    cJSON_Delete(counts);
    close_support();
}

static const cJSON *find_model(const char *id) { return find_entry(member(counts, "models"), "id", id); }

static const nnc_software *software_of(int at) {
    char file[128];
    snprintf(file, sizeof file, "tests/data/reference/software/%s.json", covered[at].software);
    return load_software(file);
}

static void check_params(const char *id, const cJSON *params, const nnc_result *r) {
    int64_t expected[NNC_GROUP_COUNT] = { 0 }, found[NNC_GROUP_COUNT];
    bool resample = false;
    const cJSON *entry = NULL;
    memcpy(found, r->params_by_group, sizeof found);
    cJSON_ArrayForEach(entry, member(params, "groups")) {
        size_t i = 0;
        while (i < COUNT_OF(groups) && strcmp(groups[i].name, entry->string) != 0) { i++; }
        ck_assert_msg(i < COUNT_OF(groups), "%s: unknown group %s", id, entry->string);
        expected[groups[i].group] += (int64_t)entry->valuedouble;
        resample = resample || groups[i].group == NNC_GROUP_RESAMPLE;
    }
    /* counts.json counts convolutions that change the resolution together with all other convolutions */
    if (!resample) {
        found[NNC_GROUP_CONV] += found[NNC_GROUP_RESAMPLE];
        found[NNC_GROUP_RESAMPLE] = 0;
    }
    for (int g = 0; g < NNC_GROUP_COUNT; g++) {
        ck_assert_msg(expected[g] == found[g], "%s: %s: expected %lld parameters, found %lld", id,
                      nnc_group_name((nnc_group)g), (long long)expected[g], (long long)found[g]);
    }
    ck_assert_int_eq(r->params, whole(params, "total"));
}

static nnc_plan plan_of(const cJSON *run, bool images) {
    nnc_plan plan = nnc_plan_default();
    const cJSON *shape = member(run, "shape");
    plan.micro_batch = whole(run, "batch");
    plan.precision = strcmp(text_of(run, "dtype"), "float32") == 0 ? NNC_FP32 : NNC_BF16;
    plan.attention = cJSON_IsTrue(member(run, "modelled")) ? NNC_ATTENTION_FLASH : NNC_ATTENTION_UNFUSED;
    if (!images) { plan.seq_len = whole(shape, "seq"); }
    return plan;
}

static bool is_forward(const nnc_op_cost *row) { return row->op->phase == NNC_PHASE_FORWARD; }

static double causal_flops(const nnc_op_cost *row) { return row->work.causal_flops; }

static void check_flops(const cJSON *run, const nnc_model *model, const nnc_device *device,
                        const nnc_software *software, nnc_plan plan) {
    const double forward = number(member(run, "flops_fwd"), "total");
    const double backward = number(member(run, "flops_bwd"), "total");
    for (int attention = 0; attention < NNC_ATTENTION_COUNT; attention++) {
        plan.attention = (nnc_attention)attention;
        plan.flops_convention = NNC_CONVENTION_PALM;
        nnc_result r = estimate_with(model, device, software, &plan);
        ck_assert_double_eq(r.forward_flops, forward);
        ck_assert_double_eq(r.backward_flops, backward);
        ck_assert_double_eq(r.model_flops, forward + backward);
        const cJSON *causal = cJSON_GetObjectItemCaseSensitive(run, "flops_fwd_causal");
        if (causal != NULL) {
            plan.flops_convention = NNC_CONVENTION_CAUSAL;
            r = estimate_with(model, device, software, &plan);
            ck_assert_double_eq(sum_rows(is_forward, causal_flops), causal->valuedouble);
            ck_assert_double_eq(r.model_flops, 3.0 * causal->valuedouble);
        }
    }
}

/* Returns the bytes that nncost counts and counts.json does not. In counts.json, token ids (8 B each) are inputs. For a
 * U-Net or a classifier, the loss in counts.json is a sum that keeps no tensor, but nncost keeps the output of the
 * network for the loss. */
static int64_t left_out_bytes(const cJSON *run, const nnc_model *model, const nnc_plan *plan) {
    const nnc_unet *u = &model->unet;
    if (model->family == NNC_FAMILY_DECODER) { return 8 * plan->micro_batch * plan->seq_len; }
    const int64_t element_bytes = strcmp(text_of(run, "dtype"), "float32") == 0 ? 4 : 2;
    if (model->family == NNC_FAMILY_GRAPH) { return plan->micro_batch * 1000 * element_bytes; /* 1000 classes */ }
    const int64_t side = u->image / u->latent_factor;
    return plan->micro_batch * side * side * u->out_channels * element_bytes;
}

static void check_kept(const char *id, const cJSON *run, const nnc_model *model, const nnc_device *device,
                       const nnc_software *software, const nnc_plan *plan) {
    const nnc_result r = estimate_with(model, device, software, plan);
    const int64_t kept = r.memory.activation_bytes;
    const int64_t expected = whole(member(run, "saved_activation_bytes"), "activations");
    const int64_t extra = left_out_bytes(run, model, plan);
    ck_assert_msg(kept - extra == expected, "%s, batch %lld, %s, %s: expected %lld B, found %lld", id,
                  (long long)plan->micro_batch, text_of(run, "dtype"),
                  plan->attention == NNC_ATTENTION_FLASH ? "fused attention" : "unfused", (long long)expected,
                  (long long)(kept - extra));
    ck_assert_double_le(fabs((double)kept / (double)expected - 1.0), 0.01);
}

START_TEST(parameters) {
    const nnc_software software = nnc_software_default();
    const nnc_device device = plain_device();
    const nnc_plan plan = nnc_plan_default();
    const nnc_model *model = load_model(covered[_i].model);
    const nnc_result r = estimate_with(model, &device, &software, &plan);
    check_params(covered[_i].id, member(find_model(covered[_i].id), "params"), &r);
    ck_assert_int_eq(r.params, model->published_params);
    ck_assert_int_eq(r.active_params, r.params);
}
END_TEST

START_TEST(every_run) {
    const nnc_device *device = load_device("hw/a100-sxm4-80gb.json");
    const nnc_model *model = load_model(covered[_i].model);
    const nnc_software *software = software_of(_i);
    const cJSON *run = NULL;
    int runs = 0;
    cJSON_ArrayForEach(run, member(find_model(covered[_i].id), "runs")) {
        const nnc_plan plan = plan_of(run, covered[_i].images);
        if (!cJSON_IsTrue(member(run, "modelled"))) { /* FLOPs of runs marked "modelled" do not contain attention */
            check_flops(run, model, device, software, plan);
        }
        check_kept(covered[_i].id, run, model, device, software, &plan);
        runs++;
    }
    ck_assert_int_ge(runs, 4);
}
END_TEST

/* A model that is added to counts.json must be added to the list `covered`, too. */
START_TEST(every_model_is_covered) {
    ck_assert_int_eq(cJSON_GetArraySize(member(counts, "models")), (int)COUNT_OF(covered));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reference");
    TCase *tests = add_case(suite, "counts.json", open_counts, close_counts);
    tcase_add_loop_test(tests, parameters, 0, (int)COUNT_OF(covered));
    tcase_add_loop_test(tests, every_run, 0, (int)COUNT_OF(covered));
    tcase_add_test(tests, every_model_is_covered);
    return run_suite(suite);
}
