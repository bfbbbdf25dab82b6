/* `nncost explain`: answers questions about metrics and ops, by their names. The command computes the estimate again
 * and records the formula of every number. */
#include <nncost/estimate.h>

#include "base/base_internal.h"
#include "explain/explain_internal.h"
#include "memo/memo_internal.h"
#include "render/render_internal.h"
#include "run/run_internal.h"
#include "serve/serve_internal.h"

NNC_ENUM_NAMES(nnc_explained_kind, NNC_EXPLAINED_LIST)

const nnc_alias nnc_aliases[] = {
    { "flops", "Model FLOPs of a step.", { "work.forward_flops", "work.backward_flops" } },
    { "step", "The step and its parts.", { "step.step_s" } },
    { "bounds",
      "Lower bound of any implementation, and the step without overlap.",
      { "step.lower_bound_s", "step.upper_bound_s" } },
    { "ridge", "The ridge point of the device.", { "device.ridge_flops_per_byte" } },
    { "critical-batch",
      "Tokens from which a product is not bound by reading its weights.",
      { "device.critical_tokens" } },
    { "two-devices",
      "Width from which two devices can split a product without waiting for their link.",
      { "device.critical_width" } },
    { "communication",
      "Exposed communication, and each of its kinds.",
      { "step.exposed_comm_s", "step.exposed_comm.tensor", "step.exposed_comm.context", "step.exposed_comm.expert",
        "step.exposed_comm.data", "step.exposed_comm.pipeline", "step.exposed_comm.offload" } },
    { "bubble",
      "Idle time of the busiest pipeline stage.",
      { "step.bubble_s", "step.bubble_ratio", "step.bubble_share" } },
    { "throughput", "Tokens and samples per second.", { "throughput.tokens_per_s", "throughput.samples_per_s" } },
    { "memory",
      "Memory of the fullest device, by class.",
      { "memory.total_bytes", "memory.weight_bytes", "memory.gradient_bytes", "memory.optimizer_bytes",
        "memory.activation_bytes", "memory.transient_bytes" } },
    { "cost", "Price of a step and of the run.", { "cost.step", "cost.run_s", "cost.device_hours", "cost.run" } },
    { "energy", "Energy of the run, or of the step.", { "cost.energy_j" } },
    { NULL, NULL, { NULL } },
};

void nnc_answer_add(nnc_answer *answer, nnc_explained explained) {
    if (answer->count == answer->capacity) {
        const int32_t capacity = answer->capacity > 0 ? 2 * answer->capacity : 64;
        nnc_explained *grown = realloc(answer->lines, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            answer->failed = true;
            return;
        }
        answer->lines = grown;
        answer->capacity = capacity;
    }
    answer->lines[answer->count++] = explained;
}

static bool add_alias(nnc_question *a, const char *word) {
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) {
        if (strcmp(alias->name, word) == 0) {
            for (const char *const *name = alias->stands_for; *name != NULL; name++) {
                nnc_answer_columns(a, *name, NNC_NAMES_EXACT);
            }
            return true;
        }
    }
    return false;
}

static nnc_status unknown_name(const nnc_question *a, const char *word, nnc_error *err) {
    enum { NAMES_MAX = 2048 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const nnc_alias *alias = nnc_aliases; alias->name != NULL; alias++) { names[count++] = alias->name; }
    for (int32_t i = 0; i < a->columns.count && count < NAMES_MAX; i++) {
        names[count++] = nnc_metric_short_name(a->columns.list[i].name);
    }
    for (int32_t i = 0; i < a->report->op_count && count < NAMES_MAX; i++) {
        names[count++] = nnc_op_name(a->report->ops[i].op);
    }
    for (int32_t i = 0; i < a->names.count && count < NAMES_MAX; i++) { names[count++] = a->names.list[i].row->name; }
    const char *nearest = nnc_nearest(word, names, count);
    return nearest != NULL ? nnc_fail(err, NNC_BAD_USAGE, word, "unknown metric or op, did you mean %s?", nearest)
                           : nnc_fail(err, NNC_BAD_USAGE, word,
                                      "unknown metric or op, expected a name such as params, flops, mfu, "
                                      "memory, step_s, cost or attn.qkv; 'nncost explain' lists them");
}

static bool is_served(const nnc_report *report) { return report->serve != NULL || report->images != NULL; }

/* Makes the estimate of serving or image generation again, and records its formulas in a->step. */
static nnc_status repeat_serving(nnc_question *a, nnc_error *err) {
    const nnc_report *r = a->report;
    nnc_serve again;
    if (r->images != NULL) {
        nnc_images images;
        return nnc_images_of(r->model, r->device, r->software, r->images_ask, r->scratch, &images, a->step, err);
    }
    return nnc_serve_say(r->model, r->device, r->software, r->serve_ask, r->scratch, &again, NULL, a->step, err);
}

/* Makes the estimate of the training step again, and the estimate of the whole run if the report has a run. Records the
 * formulas in a->step. */
static nnc_status repeat_training(nnc_question *a, nnc_error *err) {
    const nnc_report *r = a->report;
    nnc_result again;
    r->scratch->why = a->step;
    const nnc_status status = nnc_estimate(r->model, r->device, r->software, &r->result->plan, r->scratch, &again, err);
    r->scratch->why = NULL;
    NNC_TRY(status);
    (void)nnc_report_unit_cost(&again, a->step);
    if (r->run != NULL) {
        nnc_run run;
        nnc_say_of(a->step, "run");
        NNC_TRY(nnc_run_say(&again, r->device, &r->result->plan, r->run_ask, &run, a->step, err));
        nnc_say_of(a->step, "%s", "");
    }
    return NNC_OK;
}

/* Makes the estimate of the question again with a derivation, and stores the lines of the derivation in a->said. */
static nnc_status repeat_estimate(nnc_question *a, nnc_error *err) {
    NNC_TRY(is_served(a->report) ? repeat_serving(a, err) : repeat_training(a, err));
    if (!nnc_derivation_lines(a->step, &a->said, &a->said_count)) { return nnc_no_memory(err); }
    a->shown = nnc_arena_array(a->arena, (size_t)a->said_count + 1, sizeof *a->shown);
    return a->shown != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status answer_word(nnc_question *a, const char *word, nnc_error *err) {
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a->shown is not NULL */
    memset(a->shown, 0, (size_t)a->said_count * sizeof *a->shown);
    const bool known = add_alias(a, word) || nnc_answer_columns(a, word, NNC_NAMES_EXACT) ||
                       (!is_served(a->report) && nnc_explain_op(&a->answer, a->report, a->step, a->row, word)) ||
                       nnc_answer_columns(a, word, NNC_NAMES_AROUND) || nnc_answer_operand(a, word);
    if (!known && a->names.list == NULL && nnc_explained_names_of(a->outputs, a->arena, &a->names) != NNC_OK) {
        return nnc_no_memory(err);
    }
    if (!known && !nnc_answer_member(a, word)) { return unknown_name(a, word, err); }
    return a->answer.failed ? nnc_no_memory(err) : NNC_OK;
}

/* Removes all numbers and values from the lines of an answer, so that only names and formulas are left. */
static void forget_numbers(nnc_answer *answer) {
    for (int32_t i = 0; i < answer->count; i++) {
        nnc_explained *e = &answer->lines[i];
        e->line.numbers = e->line.where = e->text = NULL;
        e->line.value = (double)NAN;
    }
}

/* Splits a text such as "mfu,memory" at its commas and returns the number of words. Stores the start of each word in
 * `words`, and overwrites each comma in `text` with '\0'; words NULL: only counts the words. */
static int32_t cut_words(char *text, const char **words) {
    int32_t count = 0;
    for (char *at = text; at != NULL; count++) {
        char *comma = strchr(at, ',');
        if (words != NULL) {
            words[count] = at;
            if (comma != NULL) { *comma = '\0'; }
        }
        at = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

/* Answers each word the user asked about. The answer to a word comes from the first question (one estimate) that has a
 * metric or op with the name. If no estimate has a metric or op with the name, fails with the error of the first
 * question. */
static nnc_status answer_words(nnc_question *questions, int question_count, const char *const *words, int32_t count,
                               nnc_answer *answers, nnc_error *err) {
    for (int32_t w = 0; w < count; w++) {
        nnc_error why = { 0 };
        nnc_status status = NNC_BAD_USAGE;
        for (int i = 0; i < question_count && status == NNC_BAD_USAGE; i++) {
            questions[i].answer =
                (nnc_answer){ .report = questions[i].example ? NULL : questions[i].report,
                              .example = questions[i].example,
                              /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `words` is not NULL */
                              .asked = words[w],
                              .arena = questions[i].arena };
            status = answer_word(&questions[i], words[w], i == 0 ? err : &why);
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `answers` is not NULL */
            answers[w] = questions[i].answer;
        }
        NNC_TRY(status);
        if (answers[w].report == NULL) { forget_numbers(&answers[w]); }
    }
    return NNC_OK;
}

static nnc_status open_question(nnc_question *a, nnc_error *err) {
    a->arena = nnc_arena_create();
    a->step = nnc_derivation_create();
    a->row = nnc_derivation_create();
    if (a->arena == NULL || a->step == NULL || a->row == NULL ||
        nnc_columns_of(a->report->images != NULL  ? &nnc_images_metrics
                       : a->report->serve != NULL ? &nnc_serve_metrics
                       : a->report->run != NULL   ? &nnc_estimate_run_metrics
                                                  : &nnc_estimate_metrics,
                       a->arena, &a->columns) != NNC_OK) {
        return nnc_no_memory(err);
    }
    return repeat_estimate(a, err);
}

static void close_question(nnc_question *a) {
    nnc_arena_destroy(a->arena);
    nnc_derivation_destroy(a->step);
    nnc_derivation_destroy(a->row);
}

/* Writes the answers for metrics or ops whose names are joined by commas. Each question is one estimate to explain; the
 * answer for a name comes from the first question whose estimate has this name. The caller sets the members report,
 * outputs and example of each question; before the function returns, it frees all members that the caller has not
 * set. */
static nnc_status nnc_explain(nnc_buffer *out, nnc_style style, nnc_question *questions, int question_count,
                              const char *names, nnc_error *err) {
    nnc_status status = NNC_OK;
    char *text = strdup(names);
    const int32_t count = text != NULL ? cut_words(text, NULL) : 0;
    const char **words = calloc((size_t)count + 1, sizeof *words);
    nnc_answer *answers = calloc((size_t)count + 1, sizeof *answers);
    for (int i = 0; i < question_count && status == NNC_OK; i++) { status = open_question(&questions[i], err); }
    if (text == NULL || words == NULL || answers == NULL) { status = nnc_no_memory(err); }
    if (status == NNC_OK) {
        (void)cut_words(text, words);
        status = answer_words(questions, question_count, words, count, answers, err);
    }
    if (status == NNC_OK) { nnc_answers_write(out, style, answers, count); }
    for (int32_t i = 0; i < count && answers != NULL; i++) { free(answers[i].lines); }
    for (int i = 0; i < question_count; i++) { close_question(&questions[i]); }
    free(answers);
    free(words);
    free(text);
    return status;
}

nnc_status nnc_report_explain(nnc_buffer *out, nnc_style style, const nnc_report *report,
                              const nnc_explain_output *outputs, const char *names, nnc_error *err) {
    nnc_question question = { .report = report, .outputs = outputs };
    return nnc_explain(out, style, &question, 1, names, err);
}

/* ---- examples that have every term of the formulas, for a user who names no model and device ---- */

/* device file of the example; the numbers of this device are round and never printed */
static const char device_text[] =
    "{\"schema\": \"nncost.device/1\", \"id\": \"example\", \"name\": \"An example\", \"matmul_flops_per_s\": "
    "{\"bf16\": 1e14}, \"vector_flops_per_s\": {\"fp32\": 1e13}, \"mem_bytes\": 1e11, \"mem_bytes_per_s\": 1e12, "
    "\"power_w\": 1000, \"scale_up\": {\"kind\": \"switch\", \"devices\": 8, \"bytes_per_s\": 1e11, \"latency_s\": "
    "1e-6}, \"scale_out\": {\"bytes_per_s\": 1e10, \"latency_s\": 1e-5}, \"host\": {\"bytes_per_s\": 1e10, "
    "\"mem_bytes_per_s\": 1e10}, \"prices\": [{\"per_device_hour\": 1, \"currency\": \"USD\", \"where\": \"nowhere\", "
    "\"date\": \"2026\"}], \"sources\": {\"\": \"made up\"}}";

#define MODEL_START "{\"schema\": \"nncost.model/1\", \"id\": \"example\", \"name\": \"An example\", "
#define MODEL_END ", \"sources\": {\"\": \"made up\"}}"

enum { SETTINGS_MAX = 14 };
static const struct {
    const char *what, *model;
    const char *plan[SETTINGS_MAX][2];
} examples[] = {
    { "a mixture of experts split in every way over 16 devices",
      MODEL_START "\"family\": \"decoder\", \"layers\": 8, \"hidden\": 1024, \"heads\": 8,"
                  " \"kv_heads\": 4, \"ffn_hidden\": 4096, \"vocab\": 16384, \"seq_len\": 1024,"
                  " \"positions\": \"rotary\", \"norm\": \"rms\", \"mlp\": \"swiglu\","
                  " \"tied_head\": false, \"experts\": 8, \"experts_per_token\": 2,"
                  " \"expert_hidden\": 1024, \"dense_layers\": 2" MODEL_END,
      { { "data", "2" },
        { "tensor", "2" },
        { "pipeline", "2" },
        { "context", "2" },
        { "expert", "2" },
        { "zero", "1" },
        { "sequence_parallel", "on" },
        { "micro_batches", "8" },
        { "recompute", "norm" },
        { "offload", "optimizer" },
        { "tokens", "1e9" } } },
    { "a U-shaped convolutional network on 2 devices",
      MODEL_START "\"family\": \"unet\", \"image\": 256, \"latent_factor\": 8, \"in_channels\": 4,"
                  " \"out_channels\": 4, \"channels\": 64, \"channel_multipliers\": [1, 2],"
                  " \"blocks_per_level\": 1, \"block\": \"residual\", \"norm\": \"group\","
                  " \"norm_groups\": 8, \"kernel\": 3, \"conv_biases\": true, \"down\": \"conv\","
                  " \"up\": \"nearest_conv\", \"time_embed_width\": 256, \"attention_levels\":"
                  " [false, true], \"middle_attention\": true, \"transformer_depth\": 1, \"heads\": 2,"
                  " \"context_len\": 16, \"context_width\": 64" MODEL_END,
      { { "data", "2" }, { "recompute", "full" } } },
    { "a vision transformer on 2 devices",
      MODEL_START "\"family\": \"vit\", \"image\": 224, \"patch\": 16, \"layers\": 4, \"hidden\": 256,"
                  " \"heads\": 4, \"classes\": 1000" MODEL_END,
      { { "data", "2" } } },
};
enum { EXAMPLE_COUNT = sizeof examples / sizeof examples[0] };

/* An example model with an estimate, from which the formulas are taken if the user gives no model and device. */
typedef struct opened {
    const nnc_model *model;
    const nnc_device *device;
    nnc_software software;
    nnc_result result;
    nnc_run_ask run_ask;
    nnc_run run;
    nnc_report report;
    nnc_scratch *scratch;
} opened;

static nnc_status open_example(nnc_specs *specs, int index, opened *to, nnc_error *err) {
    const char *model = examples[index].model;
    nnc_plan plan = nnc_plan_default();
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): `to` is not NULL */
    to->scratch = nnc_scratch_create();
    to->software = nnc_software_default();
    NNC_GOT(to->scratch, err);
    NNC_TRY(nnc_model_parse(specs, "example", model, strlen(model), &to->model, err));
    NNC_TRY(nnc_device_parse(specs, "example", device_text, sizeof device_text - 1, &to->device, err));
    for (int i = 0; i < SETTINGS_MAX && examples[index].plan[i][0] != NULL; i++) {
        NNC_TRY(nnc_plan_set(&plan, examples[index].plan[i][0], examples[index].plan[i][1], err));
    }
    NNC_TRY(nnc_estimate(to->model, to->device, &to->software, &plan, to->scratch, &to->result, err));
    to->report = (nnc_report){ .model_asked = "example",
                               .device_asked = "example",
                               .model = to->model,
                               .device = to->device,
                               .software = &to->software,
                               .result = &to->result,
                               .scratch = to->scratch };
    to->run_ask = nnc_run_ask_default();
    to->run_ask.device_mtbf_s = 1e8;
    to->run_ask.idle_w = 100.0;
    to->run_ask.busy_w = 1000.0;
    NNC_TRY(nnc_run_of(&to->result, to->device, &plan, &to->run_ask, &to->run, err));
    to->report.run_ask = &to->run_ask;
    to->report.run = &to->run;
    to->report.ops = nnc_scratch_ops(to->scratch, &to->report.op_count);
    to->report.stages = nnc_scratch_stages(to->scratch, &to->report.stage_count);
    return NNC_OK;
}

nnc_status nnc_explain_formulas(nnc_buffer *out, nnc_style style, nnc_specs *specs, const nnc_explain_output *outputs,
                                const char *names, nnc_error *err) {
    nnc_question questions[EXAMPLE_COUNT] = { 0 };
    opened *examples_opened = calloc(EXAMPLE_COUNT, sizeof *examples_opened);
    nnc_status status = examples_opened != NULL ? NNC_OK : nnc_no_memory(err);
    for (int i = 0; i < EXAMPLE_COUNT && status == NNC_OK; i++) {
        status = open_example(specs, i, &examples_opened[i], err);
        questions[i].report = &examples_opened[i].report;
        questions[i].example = examples[i].what;
        questions[i].outputs = outputs;
    }
    if (status == NNC_OK) { status = nnc_explain(out, style, questions, EXAMPLE_COUNT, names, err); }
    for (int i = 0; i < EXAMPLE_COUNT && examples_opened != NULL; i++) {
        nnc_scratch_destroy(examples_opened[i].scratch);
    }
    free(examples_opened);
    return status;
}

/* ---- The page and the documents of an answer ---- */

#define LINE(member) NNC_IN(nnc_explained, line.member)
static const nnc_metric line_rows[] = {
    NNC_AS("of", TEXT, LINE(of), .help = "Subject of the line: the step, or an op and its phase."),
    NNC_AS("name", TEXT, LINE(name), .help = "Name of the metric, or of an intermediate value."),
    NNC_NAMED(nnc_explained, kind, nnc_explained_kind_name, NNC_EXPLAINED_KINDS,
              .help = "formula: computed; given: read from specs or plan; text: a fact."),
    NNC_AS("formula", TEXT, LINE(formula), .help = "Formula of the value, with the names of the values in it."),
    NNC_AS("numbers", TEXT, LINE(numbers), .help = "Formula of the value, with numbers in place of names."),
    NNC_AS("result", NUMBER, LINE(value), .help = "Value that the formula gives."),
    NNC_AS("unit", TEXT, LINE(unit), .help = "Unit of the result."),
    NNC_TEXT(nnc_explained, text, .help = "The value, if it is a text."),
    NNC_AS("meaning", TEXT, LINE(meaning), .help = "Meaning of the value."),
    NNC_TEXT(nnc_explained, note, .help = "Meaning of the names in the formula."),
    NNC_AS("source", TEXT, LINE(source), .help = "Source of the formula or definition."),
};
#undef LINE
static const nnc_metrics line_metrics = NNC_METRICS("one line of a derivation", line_rows, nnc_explained);

NNC_IF(is_of_example, nnc_answer, self->example != NULL)

static const nnc_metric answer_rows[] = {
    NNC_AS("quantity", TEXT, NNC_IN(nnc_answer, asked), .help = "Name that the user asked about."),
    NNC_AS("lines", LIST, NNC_IN(nnc_answer, lines), NNC_COUNT(nnc_answer, count), .rows = &line_metrics,
           .help = "Derivation of the requested value."),
    NNC_TEXT(nnc_answer, example, .help = "Description of the example, when no model and device were named.",
             .more = NNC_MORE(.when = is_of_example)),
};
static const nnc_metrics answer_document = NNC_METRICS("a derivation", answer_rows, nnc_answer);

static void write_words(nnc_sheet *sheet, const char *label, const char *text) {
    if (text != NULL) { nnc_sheet_note(sheet, label, "%s", text); }
}

static void write_result(nnc_sheet *sheet, const nnc_explained *e, const char *label) {
    char number[NNC_NUMBER_TEXT];
    const nnc_line *line = &e->line;
    const bool known = !isnan(line->value), unit = line->unit != NULL && known;
    nnc_sheet_label(sheet, label);
    if (e->text != NULL) {
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "= %s", e->text);
    } else {
        nnc_sheet_phrase(sheet, NNC_INK_STRONG, "= %s%s%s",
                         known                            ? nnc_number_text(line->value, number)
                         : e->kind == NNC_EXPLAINED_GIVEN ? "not given"
                                                          : "unknown",
                         unit ? " " : "", unit ? line->unit : "");
    }
    if (unit && strcmp(line->unit, "FLOP/B") != 0) {
        nnc_sheet_phrase(sheet, NNC_INK_PLAIN, "(%s)", nnc_unit_text(line->value, line->unit, number));
    }
    nnc_sheet_end(sheet);
}

/* Writes the paragraph "where" of a formula: its operands and their units, one operand per line. */
static void write_where(nnc_sheet *sheet, const char *where) {
    nnc_sheet_label(sheet, "  where");
    while (*where) {
        const size_t length = strcspn(where, "\n");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%.*s", (int)length, where);
        where += length + (where[length] == '\n' ? 1 : 0);
    }
    nnc_sheet_end(sheet);
}

static void write_line(nnc_sheet *sheet, const nnc_explained *e, bool symbols) {
    const nnc_line *line = &e->line;
    const bool computed = line->formula != NULL;
    const char *label = line->name;
    char number[NNC_NUMBER_TEXT];
    if (line->meaning != NULL) {
        write_words(sheet, label, line->meaning);
        label = "";
    }
    if (computed) {
        nnc_sheet_note(sheet, label, "= %s", line->formula);
        label = "";
    }
    if (!symbols) {
        if (computed && strcmp(line->numbers, line->formula) != 0 &&
            strcmp(line->numbers, nnc_number_text(line->value, number)) != 0) {
            nnc_sheet_note(sheet, label, "= %s", line->numbers);
        }
        if (e->kind != NNC_EXPLAINED_TEXT || e->note == NULL) { write_result(sheet, e, label); }
        if (line->where != NULL && line->where[0] != '\0') { write_where(sheet, line->where); }
    }
    write_words(sheet, "  note", e->note);
    write_words(sheet, "  source", line->source);
}

static void write_page(nnc_buffer *out, nnc_style style, const void *record) {
    const nnc_answer *answer = record;
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    if (answer->report != NULL && (answer->report->serve != NULL || answer->report->images != NULL)) {
        nnc_sheet_label(&sheet, "served");
        nnc_sheet_item(&sheet, NNC_INK_STRONG, "%s on %s", answer->report->model->id, answer->report->device->id);
        nnc_sheet_item(&sheet, NNC_INK_PLAIN, "software %s", answer->report->software->id);
        nnc_sheet_end(&sheet);
    } else if (answer->report != NULL) {
        nnc_sheet_subject(&sheet, answer->report);
    } else {
        nnc_sheet_note(&sheet, "formulas",
                       "from the example of %s; other plans may have other terms. Add MODEL DEVICE to see the numbers.",
                       answer->example);
    }
    sheet.indent = 18;
    for (int32_t i = 0; i < answer->count; i++) {
        if (answer->lines[i].heading != NULL) {
            nnc_sheet_heading(out, style, answer->lines[i].heading);
        } else {
            nnc_sheet_gap(&sheet);
        }
        write_line(&sheet, &answer->lines[i], answer->report == NULL);
    }
}

static const nnc_view answer_view = {
    .schema = "nncost.explain/1", .document = &answer_document, .list = "lines", .page = write_page
};

/* Writes several answers on one page. Each answer begins with its own heading; an answer without a heading gets the
 * word that the user asked about. */
static void write_together(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count) {
    nnc_answer all = answers[0];
    all.lines = NULL;
    all.count = all.capacity = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < answers[i].count; k++) {
            nnc_explained e = answers[i].lines[k];
            e.heading = k == 0 && e.heading == NULL ? answers[i].asked : e.heading;
            nnc_answer_add(&all, e);
        }
    }
    out->failed = out->failed || all.failed;
    nnc_view_write(out, style, &answer_view, &all);
    free(all.lines);
}

void nnc_answers_write(nnc_buffer *out, nnc_style style, const nnc_answer *answers, int32_t count) {
    if (count > 1 && !style.format->documents) {
        write_together(out, style, answers, count);
        return;
    }
    nnc_buffer_text(out, count > 1 ? "[\n" : "");
    for (int32_t i = 0; i < count; i++) {
        nnc_buffer_text(out, i > 0 ? ",\n" : "");
        nnc_view_write(out, style, &answer_view, &answers[i]);
        out->size -= count > 1 && out->size > 0 ? 1 : 0; /* the text ends with a line break, which is removed */
    }
    nnc_buffer_text(out, count > 1 ? "\n]\n" : "");
}
