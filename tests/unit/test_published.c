/* Compares the memory that nncost predicts for published training runs with the formulas of their authors and with
 * measurements. */
#include "cluster.h"
#include "cost/cost_internal.h"

#define PUBLISHED NNCOST_SOURCE_DIR "/tests/published/"
#define GIB 1073741824.0

enum { ROWS_MAX = 64, COLUMNS_MAX = 32 };

typedef struct sheet {
    char text[1 << 15];
    char *cells[ROWS_MAX][COLUMNS_MAX]; /* the first row has the names of the columns */
    int rows;
} sheet;

static sheet open_sheet;

static void read_sheet(const char *name) {
    char path[512];
    snprintf(path, sizeof path, PUBLISHED "%s", name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    const size_t size = fread(open_sheet.text, 1, sizeof open_sheet.text - 1, file);
    fclose(file);
    ck_assert_uint_lt(size, sizeof open_sheet.text - 1);
    open_sheet.text[size] = '\0';
    open_sheet.rows = 0;
    char *lines = NULL;
    for (char *line = strtok_r(open_sheet.text, "\n", &lines); line != NULL; line = strtok_r(NULL, "\n", &lines)) {
        char *cells = NULL;
        int column = 0;
        ck_assert_int_lt(open_sheet.rows, ROWS_MAX);
        for (char *cell = strtok_r(line, ",", &cells); cell != NULL; cell = strtok_r(NULL, ",", &cells)) {
            ck_assert_int_lt(column, COLUMNS_MAX);
            open_sheet.cells[open_sheet.rows][column++] = cell;
        }
        open_sheet.rows++;
    }
}

static const char *cell(int row, const char *name) {
    for (int i = 0; i < COLUMNS_MAX && open_sheet.cells[0][i] != NULL; i++) {
        if (strcmp(open_sheet.cells[0][i], name) == 0) { return open_sheet.cells[row][i]; }
    }
    ck_abort_msg("no column %s", name);
    return NULL;
}

static double value(int row, const char *name) { return strtod(cell(row, name), NULL); }

static int32_t count(int row, const char *name) { return (int32_t)value(row, name); }

/* ---- arXiv:2205.05198 ---- */

static nnc_model gpt_of(int row) {
    nnc_model model =
        gpt(count(row, "n_layers"), count(row, "d_model"), count(row, "n_heads"), 51200, count(row, "seq_len"));
    model.decoder.biases = false; /* without biases, the layers have 12 L h^2 parameters */
    return model;
}

static nnc_plan plan_of_gpt(int row) {
    nnc_plan plan = plan_of(1, count(row, "tp"), count(row, "pp"));
    const char *recompute = cell(row, "recompute");
    plan.virtual_stages = count(row, "vpp");
    plan.micro_batch = count(row, "micro_batch");
    plan.micro_batches = count(row, "global_batch") / plan.micro_batch;
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    plan.sequence_parallel = value(row, "sp") > 0.0;
    plan.recompute = strcmp(recompute, "full") == 0        ? NNC_RECOMPUTE_FULL
                     : strcmp(recompute, "selective") == 0 ? NNC_RECOMPUTE_ATTENTION
                                                           : NNC_RECOMPUTE_NONE;
    return plan;
}

/* Returns the activation bytes of the layers of the first stage, by the published formula. */
static double first_stage(const nnc_model *model, const nnc_plan *plan) {
    const nnc_result r = estimate_on_cluster(model, plan);
    int32_t stages = 0;
    const nnc_stage *stage = nnc_scratch_stages(scratch, &stages);
    return nnc_korthikanti_layer_bytes(&model->decoder, &r.plan) * (double)stage->layers * stage->in_flight;
}

/* Returns the bytes of weights, gradients and optimizer states of the matrices in the layers of the first stage. */
static double first_stage_states(const nnc_model *model, const nnc_plan *plan) {
    const nnc_result r = estimate_on_cluster(model, plan);
    int32_t stages = 0;
    const nnc_stage *stage = nnc_scratch_stages(scratch, &stages);
    const double h = (double)model->decoder.hidden;
    const double tables = 51200.0 / plan->tensor * h + (double)model->decoder.seq_len * h;
    const double norms = 2.0 * (double)stage->layers * h;
    const double last = stages == 1 ? h : 0.0; /* the norm before the head */
    const nnc_memory *m = &stage->memory;
    const double bytes = (double)(m->weight_bytes + m->gradient_bytes + m->optimizer_bytes);
    ck_assert_double_eq(bytes, 18.0 * (double)stage->params);
    ck_assert_int_gt(r.params, 0);
    return bytes - 18.0 * (tables + norms + last);
}

START_TEST(megatron) {
    read_sheet("korthikanti2022_memory.csv");
    ck_assert_int_eq(open_sheet.rows, 21);
    for (int i = 1; i < open_sheet.rows; i++) {
        const nnc_model model = gpt_of(i);
        nnc_plan plan = plan_of_gpt(i);
        const double expected = value(i, "value");
        double found = 0.0, rel = 0.005;
        if (strcmp(cell(i, "quantity"), "activations") != 0) {
            found = first_stage_states(&model, &plan) / GIB;
        } else if (strcmp(cell(i, "unit"), "gib") == 0) {
            found = first_stage(&model, &plan) / GIB;
        } else {
            found = 100.0 * first_stage(&model, &plan);
            plan.sequence_parallel = false;
            plan.recompute = NNC_RECOMPUTE_NONE;
            found /= first_stage(&model, &plan);
            rel = 0.012; /* the published value is read from a plot */
        }
        ck_assert_msg(fabs(found - expected) <= rel * expected, "%s: expected %g, found %g", cell(i, "id"), expected,
                      found);
    }
}
END_TEST

/* ---- measured ---- */

static nnc_model model_of(int row) {
    nnc_model model = llama(count(row, "n_layers"), count(row, "d_model"), count(row, "n_heads"),
                            count(row, "n_kv_heads"), count(row, "d_ff"), count(row, "vocab"), count(row, "seq_len"));
    nnc_decoder *d = &model.decoder;
    d->head_dim = count(row, "head_dim");
    d->q_lora_rank = count(row, "q_lora_rank");
    d->kv_lora_rank = count(row, "kv_lora_rank");
    d->qk_nope_head_dim = count(row, "qk_nope_dim");
    d->qk_rope_head_dim = count(row, "qk_rope_dim");
    d->v_head_dim = count(row, "v_head_dim");
    d->experts = count(row, "n_experts");
    d->experts_per_token = count(row, "top_k");
    d->expert_hidden = count(row, "moe_d_ff");
    d->shared_hidden = count(row, "shared_d_ff");
    d->dense_layers = count(row, "n_dense_layers");
    return model;
}

static nnc_plan plan_of_run(int row) {
    nnc_plan plan = plan_of(count(row, "dp"), count(row, "tp"), count(row, "pp"));
    plan.context = count(row, "cp");
    plan.context_kind = NNC_CONTEXT_ULYSSES;
    plan.expert = count(row, "ep");
    plan.capacity_factor = value(row, "n_experts") > 0.0 ? 1.0 : 0.0;
    plan.sequence_parallel = plan.tensor > 1;
    plan.micro_batch = count(row, "micro_batch");
    plan.micro_batches = count(row, "grad_accum");
    plan.policy = NNC_POLICY_MIXED_FP32GRAD;
    plan.zero = 1;
    return plan;
}

/* Allocators of different programs use different amounts of memory. The limit of 10 % shows that no large tensor is
 * missing or counted twice. */
START_TEST(measured) {
    double sum = 0.0, worst = 0.0;
    read_sheet("simumax_memory.csv");
    ck_assert_int_eq(open_sheet.rows, 11);
    for (int i = 1; i < open_sheet.rows; i++) {
        const nnc_model model = model_of(i);
        const nnc_plan plan = plan_of_run(i);
        int32_t stages = 0;
        estimate_on_cluster(&model, &plan);
        const nnc_memory *m = &nnc_scratch_stages(scratch, &stages)[count(i, "stage")].memory;
        const double found = (double)m->total_bytes / GIB, expected = value(i, "allocated_gib");
        const double error = found / expected - 1.0;
        printf("%-56s stage %d: measured %7.2f GiB, estimated %7.2f, %+5.1f %% "
               "(weights %.1f, gradients %.1f, states %.1f, activations %.1f, transient %.1f)\n",
               cell(i, "id"), (int)count(i, "stage"), expected, found, 100.0 * error, (double)m->weight_bytes / GIB,
               (double)m->gradient_bytes / GIB, (double)m->optimizer_bytes / GIB, (double)m->activation_bytes / GIB,
               (double)m->transient_bytes / GIB);
        sum += fabs(error);
        worst = fmax(worst, fabs(error));
    }
    printf("mean error %.1f %%, worst %.1f %%\n", 100.0 * sum / (open_sheet.rows - 1), 100.0 * worst);
    fflush(stdout); /* fflush writes the output before the process of the test ends */
    ck_assert_double_le(worst, 0.1);
}
END_TEST

int main(void) {
    const TTest *const tests[] = { megatron, measured };
    return run_tests("published", tests, COUNT_OF(tests));
}
