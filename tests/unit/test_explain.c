/* Evaluates every line that `explain` prints: the formula on the left must give the result on the right. */
#include "evaluate.h"
#include "explain/explain_internal.h"
#include "support.h"

/* Fields of a plan, with the values that a user gives on the command line. */
enum { FIELDS_MAX = 10 };
typedef struct scenario {
    const char *model, *device, *software;
    const char *fields[FIELDS_MAX][2];
} scenario;

static const scenario clusters[] = {
    { "gpt2", "h100", NULL, { { "data", "8" } } },
    { "llama3-8b", "h100", NULL, { { "data", "8" }, { "zero", "1" } } },
    { "llama3-8b", "a100", NULL, { { "data", "16" }, { "zero", "2" }, { "micro_batches", "4" } } },
    { "llama3-8b",
      "h100",
      "fsdp",
      { { "data", "64" }, { "zero", "3" }, { "recompute", "full" }, { "recompute_layers", "16" } } },
    { "llama3-70b",
      "h100",
      NULL,
      { { "data", "32" }, { "zero", "3" }, { "shard", "8" }, { "recompute", "selective" } } },
    { "llama3-8b",
      "a100",
      "megatron",
      { { "data", "2" }, { "tensor", "4" }, { "sequence_parallel", "on" }, { "zero", "1" } } },
    { "gpt2-xl", "v100", "megatron-classic", { { "data", "4" }, { "recompute", "full" } } },
    { "llama3-8b", "h100", NULL, { { "context", "4" }, { "seq_len", "32768" } } },
    { "llama3-8b", "h100", NULL, { { "context", "4" }, { "context_kind", "all-gather" }, { "data", "2" } } },
    { "llama3-8b",
      "b200",
      NULL,
      { { "context", "4" }, { "context_kind", "ulysses" }, { "data", "2" }, { "zero", "1" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "8" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "8" }, { "schedule", "gpipe" } } },
    { "llama2-70b",
      "h100",
      NULL,
      { { "pipeline", "4" }, { "micro_batches", "8" }, { "schedule", "interleaved" }, { "virtual_stages", "2" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "12" }, { "schedule", "zb-h1" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "12" }, { "schedule", "zb-h2" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "12" }, { "schedule", "zb-v" } } },
    { "llama2-70b", "h100", NULL, { { "pipeline", "4" }, { "micro_batches", "16" }, { "schedule", "dualpipe" } } },
    { "llama3-405b",
      "h100",
      "megatron",
      { { "data", "4" },
        { "tensor", "8" },
        { "pipeline", "16" },
        { "sequence_parallel", "on" },
        { "zero", "1" },
        { "recompute", "full" },
        { "recompute_layers", "3" },
        { "micro_batches", "32" } } },
    { "deepseek-v3",
      "h100",
      NULL,
      { { "pipeline", "16" }, { "expert", "8" }, { "data", "8" }, { "zero", "1" }, { "micro_batches", "32" } } },
    { "mixtral-8x7b",
      "h100",
      NULL,
      { { "data", "16" }, { "expert", "8" }, { "zero", "2" }, { "capacity_factor", "1.25" } } },
    { "mixtral-8x7b",
      "h100",
      NULL,
      { { "data", "8" }, { "tensor", "2" }, { "expert", "8" }, { "sequence_parallel", "on" } } },
    { "deepseek-v2-lite", "h100", NULL, { { "data", "8" }, { "expert", "8" }, { "zero", "3" } } },
    { "llama3-8b", "h100", NULL, { { "data", "4" }, { "zero", "2" }, { "offload", "optimizer" } } },
    { "llama3-8b", "h100", NULL, { { "data", "2" }, { "zero", "3" }, { "offload", "weights,activations" } } },
    { "gpt2", "h100", NULL, { { "offload", "optimizer,activations" }, { "optimizer", "lion" } } },
    { "llama3-8b", "tpu-v5p", "maxtext", { { "data", "64" }, { "zero", "3" }, { "devices_per_node", "64" } } },
    { "gpt2", "a100", "torch-eager", { { "attention", "unfused" }, { "optimizer", "adafactor" } } },
    { "gpt2", "h100", NULL, { { "optimizer", "muon" }, { "precision", "fp8" } } },
    { "gpt2", "h100", NULL, { { "activations", "korthikanti" }, { "optimizer", "sgd" } } },
    { "sd1-unet", "h100", "torch-eager", { { "data", "8" }, { "zero", "3" } } },
};

static nnc_report report;
static nnc_result result;
static nnc_software software;
static nnc_device hardware;
static nnc_columns columns;
static nnc_arena *arena;
static int lines, faults;

static void open_report(const scenario *s, bool ideal) {
    nnc_error err = { 0 };
    const nnc_model *model = NULL;
    const nnc_device *device = NULL;
    nnc_plan plan = nnc_plan_default();
    software = nnc_software_default();
    if (s->software != NULL) {
        const nnc_software *loaded = NULL;
        ck_assert_int_eq(nnc_software_load(specs, s->software, &loaded, &err), NNC_OK);
        software = *loaded;
    }
    ck_assert_int_eq(nnc_model_load(specs, s->model, &model, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, s->device, &device, &err), NNC_OK);
    hardware = *device;
    hardware.host.mem_bytes_per_s = 200e9; /* offload needs the rate of host memory, which few device files state */
    plan.mode = ideal ? NNC_MODE_IDEAL : NNC_MODE_PREDICTED;
    for (int i = 0; i < FIELDS_MAX && s->fields[i][0] != NULL; i++) {
        ck_assert_msg(nnc_plan_set(&plan, s->fields[i][0], s->fields[i][1], &err) == NNC_OK, "%s: %s", err.where,
                      err.what);
    }
    result = estimate_with(model, &hardware, &software, &plan);
    report = (nnc_report){ .model_asked = s->model,
                           .device_asked = s->device,
                           .model = model,
                           .device = &hardware,
                           .software = &software,
                           .result = &result,
                           .scratch = scratch };
    report.ops = nnc_scratch_ops(scratch, &report.op_count);
    report.stages = nnc_scratch_stages(scratch, &report.stage_count);
}

static cJSON *explain(const char *name) {
    nnc_error err = { 0 };
    nnc_buffer out = { 0 };
    const nnc_style style = { .format = &nnc_format_json };
    const nnc_status status = nnc_report_explain(&out, style, &report, NULL, name, &err);
    ck_assert_msg(status == NNC_OK, "%s: %s", name, err.what);
    nnc_buffer_byte(&out, '\0');
    cJSON *json = cJSON_Parse(out.bytes);
    ck_assert_msg(json != NULL, "%s: no JSON", name);
    nnc_buffer_free(&out);
    return json;
}

static bool near(double a, double b) { return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)); }

static void fault(const scenario *s, const cJSON *line, const char *why, double value) {
    enum { SHOWN = 400 };
    if (faults++ < SHOWN) {
        const cJSON *unknown = cJSON_GetObjectItemCaseSensitive(line, "result");
        printf("%s on %s, %s: %s = %s = %s: %s %.15g, result %.15g\n", s->model, s->device, text_of(line, "of"),
               text_of(line, "name"), text_of(line, "formula"), text_of(line, "numbers"), why, value,
               cJSON_IsNumber(unknown) ? unknown->valuedouble : (double)NAN);
    }
}

static void check_line(const scenario *s, const cJSON *line) {
    const cJSON *expected = member(line, "result");
    double value = (double)NAN;
    lines++;
    if (strcmp(text_of(line, "kind"), "formula") != 0) { return; }
    if (!evaluate(text_of(line, "numbers"), &value)) {
        fault(s, line, "no arithmetic", value);
    } else if (cJSON_IsNumber(expected) ? !near(value, expected->valuedouble) : !isnan(value)) {
        fault(s, line, "gives", value);
    }
}

/* Tests whether a line of the answer has the given name, the given value and the same subject as the line `about`.
 * Returns true if no line has the given name and subject. */
static bool is_said(const cJSON *json, const cJSON *about, const char *name, size_t length, double value) {
    const cJSON *line = NULL;
    bool any = false, same = false;
    cJSON_ArrayForEach(line, member(json, "lines")) {
        const char *other = text_of(line, "name");
        const cJSON *said = member(line, "result");
        if (strncmp(other, name, length) == 0 && other[length] == '\0' &&
            strcmp(text_of(line, "of"), text_of(about, "of")) == 0) {
            any = true;
            same = same || (cJSON_IsNumber(said) ? near(said->valuedouble, value) : isnan(value));
        }
    }
    return same || !any;
}

/* A name in a formula stands for the value of the line with this name, so the test reads formula and numbers in
 * parallel. A part of a formula that the plan does not have is 0, and the answer may have no line for this part.
 * Collectives are left out, because collectives with the same name may have different routes, and only some routes have
 * a line for the rate. */
static void check_names(const scenario *s, const cJSON *json, const cJSON *line) {
    const char *formula = text_of(line, "formula"), *numbers = text_of(line, "numbers");
    if (strstr(text_of(line, "of"), " comm") != NULL) { return; }
    while (*formula != '\0' && *numbers != '\0') {
        const size_t length = isalpha((unsigned char)*formula)
                                  ? strspn(formula, "abcdefghijklmnopqrstuvwxyz"
                                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
                                  : 1;
        if (strncmp(formula, numbers, length) == 0) { /* operator, digit or function */
            formula += length;
            numbers += length;
            continue;
        }
        char *end = NULL;
        const bool unknown = strncmp(numbers, "unknown", 7) == 0;
        const double value = unknown ? (double)NAN : strtod(numbers, &end);
        if (!isalpha((unsigned char)*formula) || (!unknown && end == numbers)) { return; /* not parallel */ }
        if (value != 0.0 && !is_said(json, line, formula, length, value)) { fault(s, line, formula, value); }
        formula += length;
        numbers = unknown ? numbers + 7 : end;
    }
}

/* Checks all lines of an answer. In every fourth answer, also checks the names in formulas. The caller deletes the
 * returned answer. */
static cJSON *check_name(const scenario *s, const char *name) {
    static int answers;
    const bool names = answers++ % 4 == 0;
    cJSON *json = explain(name);
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, member(json, "lines")) {
        check_line(s, line);
        if (names && strcmp(text_of(line, "kind"), "formula") == 0) { check_names(s, json, line); }
    }
    return json;
}

/* Tests whether a metric is a fact and not a computed value: an index, a name, true or false. */
static bool is_said_in_words(const char *column) {
    static const char *const names[] = { "step.stage",           "step.bound",  "step.next_bound",
                                         "memory.stage",         "memory.fits", "memory.transient_what",
                                         "work.flops_convention" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(column, names[i]) == 0) { return true; }
    }
    return false;
}

/* Tests whether a metric is an input: a value of the model, the device, the plan or the price. */
static bool is_given(const char *column) {
    return strncmp(column, "plan.", 5) == 0 || strncmp(column, "device.", 7) == 0 || strcmp(column, "model.id") == 0 ||
           strcmp(column, "model.name") == 0 || strcmp(column, "model.family") == 0 ||
           strcmp(column, "cost.currency") == 0 || strcmp(column, "cost.price_per_device_hour") == 0 ||
           strcmp(column, "memory.capacity_bytes") == 0 || strcmp(column, "memory.context_bytes") == 0 ||
           strcmp(column, "memory.reserve_bytes") == 0;
}

/* Every metric must be explained under its full name, with the value of the estimate. */
static void check_metric(const scenario *s, const nnc_column *column) {
    char text[NNC_METRIC_TEXT_MAX];
    const nnc_cell cell = nnc_column_read(column, (nnc_place){ .record = &report }, text);
    const bool known = cell.kind == NNC_CELL_NUMBER || cell.kind == NNC_CELL_WHOLE;
    const double expected = cell.kind == NNC_CELL_WHOLE ? (double)cell.whole : cell.number;
    cJSON *json = check_name(s, column->name);
    const cJSON *line = cJSON_GetArrayItem(member(json, "lines"), 0);
    const bool computed = strcmp(text_of(line, "kind"), "formula") == 0;
    ck_assert_ptr_nonnull(line);
    if (known && (!cJSON_IsNumber(member(line, "result")) || !near(number(line, "result"), expected))) {
        fault(s, line, "the estimate says", expected);
    }
    ck_assert_msg(computed || !known || is_given(column->name) || is_said_in_words(column->name),
                  "%s of %s on %s is not derived", column->name, s->model, s->device);
    cJSON_Delete(json);
}

/* Returns the last line with the given name about the given row. NULL = no such line. */
static const cJSON *line_of(const cJSON *json, const char *of, const char *name) {
    const cJSON *line = NULL, *last = NULL;
    cJSON_ArrayForEach(line, member(json, "lines")) {
        if (strcmp(text_of(line, "of"), of) == 0 && strcmp(text_of(line, "name"), name) == 0) { last = line; }
    }
    return last;
}

/* The last lines about an op must have the values of the row of the op. */
static void check_row(const scenario *s, const cJSON *json, const nnc_op_cost *row) {
    const struct {
        const char *name;
        double value;
    } values[] = { { "flops", row->work.flops },           { "vector_flops", row->work.vector_flops },
                   { "read_bytes", row->work.read_bytes }, { "write_bytes", row->work.write_bytes },
                   { "compute_s", row->compute_s },        { "memory_s", row->memory_s },
                   { "network_s", row->network_s },        { "time_s", row->time_s } };
    char of[96];
    snprintf(of, sizeof of, "%s %s", row->op->name, nnc_phase_name(row->op->phase));
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        const cJSON *line = line_of(json, of, values[i].name);
        ck_assert_msg(line != NULL || values[i].value == 0.0, "%s has no line %s", of, values[i].name);
        if (line != NULL && !near(number(line, "result"), values[i].value)) {
            fault(s, line, "the row says", values[i].value);
        }
    }
}

static int32_t rows_named(const char *name, nnc_phase phase) {
    int32_t count = 0;
    for (int32_t i = 0; i < report.op_count; i++) {
        count += report.ops[i].op->phase == phase && strcmp(report.ops[i].op->name, name) == 0;
    }
    return count;
}

static void check_op(const scenario *s, int32_t row) {
    const char *name = report.ops[row].op->name;
    for (int32_t i = 0; i < row; i++) {
        if (strcmp(report.ops[i].op->name, name) == 0) { return; /* already checked with this row */ }
    }
    cJSON *json = check_name(s, name);
    for (int32_t i = row; i < report.op_count; i++) {
        const nnc_op *op = report.ops[i].op;
        if (strcmp(op->name, name) == 0 && rows_named(name, op->phase) == 1) { check_row(s, json, &report.ops[i]); }
    }
    cJSON_Delete(json);
}

/* Checks every metric, alias and op of an estimate. If `every` is above 1, checks only each `every`-th metric, alias
 * and op, beginning with number `first`. */
static void check_part(const scenario *s, bool ideal, int32_t every, int32_t first) {
    open_report(s, ideal);
    for (int32_t i = first; i < columns.count; i += every) { check_metric(s, &columns.list[i]); }
    for (int32_t i = 0; nnc_aliases[i].name != NULL; i++) {
        if (i % every == first) { cJSON_Delete(check_name(s, nnc_aliases[i].name)); }
    }
    for (int32_t i = first; i < report.op_count; i += every) { check_op(s, i); }
}

static void check_none_false(void) {
    printf("%d lines, %d false or no arithmetic\n", lines, faults);
    ck_assert_int_eq(faults, 0);
}

START_TEST(test_one_device) {
    nnc_error err = { 0 };
    const char *const *models = NULL;
    int32_t count = 0;
    ck_assert_int_eq(nnc_specs_list(specs, NNC_SPEC_MODEL, &models, &count, &err), NNC_OK);
    ck_assert_int_ge(count, 20);
    bool seen[NNC_FAMILY_COUNT] = { false };
    for (int32_t i = 0; i < count; i++) {
        const scenario s = { .model = models[i], .device = "h100" };
        const nnc_model *model = NULL;
        ck_assert_int_eq(nnc_model_load(specs, models[i], &model, &err), NNC_OK);
        /* checks all metrics and ops of the first model of each family, and an eighth of the metrics and ops of all
         * further models */
        if (!seen[model->family]) {
            check_part(&s, false, 1, 0);
            check_part(&s, true, 1, 0);
        } else {
            check_part(&s, false, 8, i % 8);
            check_part(&s, true, 8, (i + 4) % 8);
        }
        seen[model->family] = true;
    }
    check_none_false();
}
END_TEST

START_TEST(test_clusters) {
    for (size_t i = 0; i < COUNT_OF(clusters); i++) {
        check_part(&clusters[i], false, 1, 0);
        check_part(&clusters[i], true, 4, (int32_t)i % 4);
    }
    check_none_false();
}
END_TEST

/* The bubble of a pipeline is also explained by the closed form for equal stages: p - 1 passes of the busiest stage,
 * forward and backward. For a plan without a pipeline, the answer has no line with the closed form for equal stages. */
START_TEST(test_equal_stages) {
    static const char *const stages[] = { "1", "2", "4" };
    for (size_t i = 0; i < COUNT_OF(stages); i++) {
        const scenario s = { "gpt2", "h100", NULL, { { "pipeline", stages[i] }, { "micro_batches", "8" } } };
        open_report(&s, false);
        cJSON *json = check_name(&s, "step.bubble_s");
        const cJSON *line = line_of(json, "bubble_s", "equal_bubble_s");
        ck_assert((line != NULL) == (result.plan.pipeline > 1));
        if (line != NULL) {
            const nnc_stage *busiest = &report.stages[result.stage];
            const double pass_s = busiest->forward_s + busiest->backward_s + busiest->weight_s;
            ck_assert(near(number(line, "result"), (result.plan.pipeline - 1) * pass_s));
        }
        cJSON_Delete(json);
    }
    check_none_false();
}
END_TEST

/* At its datasheet rate an H100 computes 989.4e12 FLOPs in 16 bits per second. In the explanation of an ideal step, the
 * time of a FLOP on the matrix units is 1 / 989.4e12 s in each line that shows it. */
START_TEST(test_time_of_a_flop) {
    const scenario s = { "gpt2", "h100", NULL, { { "precision", "bf16" } } };
    int said = 0;
    open_report(&s, true);
    cJSON *json = check_name(&s, "mlp.up");
    const cJSON *line = NULL;
    cJSON_ArrayForEach(line, member(json, "lines")) {
        if (strcmp(text_of(line, "name"), "s_per_matrix_flop") == 0) {
            said++;
            ck_assert(near(number(line, "result"), 1.0 / 989.4e12));
        }
    }
    ck_assert_int_gt(said, 0);
    cJSON_Delete(json);
}
END_TEST

static void open_explain(void) {
    open_support();
    arena = nnc_arena_create();
    ck_assert_int_eq(nnc_columns_of(&nnc_estimate_metrics, arena, &columns), NNC_OK);
    lines = faults = 0;
}

static void close_explain(void) {
    nnc_arena_destroy(arena);
    close_support();
}

int main(void) {
    const TTest *const tests[] = { test_one_device, test_clusters, test_equal_stages, test_time_of_a_flop };
    return run_tests_with("explain", open_explain, close_explain, tests, COUNT_OF(tests));
}
