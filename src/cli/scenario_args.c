/* Loads the model, device and plan that operands and options describe (the scenario), and estimates it. Writes the
 * command line of a scenario, which search, compare and sweep print with each plan. */
#include "base/base_internal.h"
#include "cli/cli_internal.h"

nnc_status nnc_plans_of_args(nnc_session *session, const char *model, const char *device, const nnc_plans **plans,
                             const nnc_plans_scenario **picked, nnc_error *err) {
    const nnc_options *options = &session->options;
    if (nnc_is_path(model)) {
        NNC_TRY(nnc_plans_open(session->specs, nnc_specs_arena(session->specs), model, plans, err));
    }
    if (*plans != NULL) { return nnc_plans_pick(*plans, options->scenario, picked, err); }
    if (options->scenario != NULL) {
        return nnc_fail(err, NNC_BAD_USAGE, "--scenario", "%s is not a plan file", model);
    }
    if (device == NULL) {
        const nnc_device *only = NULL;
        if (nnc_device_load(session->specs, model, &only, NULL) == NNC_OK) {
            return nnc_fail(err, NNC_BAD_USAGE, "MODEL", "missing, expected MODEL DEVICE, found only the device \"%s\"",
                            model);
        }
        return nnc_fail(err, NNC_BAD_USAGE, "DEVICE",
                        "missing, expected MODEL DEVICE or a plan file, found only \"%s\"", model);
    }
    return NNC_OK;
}

void nnc_put_sets(nnc_buffer *out, const nnc_scenario_args *given) {
    for (int i = 0; i < given->set_count; i++) {
        nnc_buffer_print(out, "%s%s", i == 0 ? "with " : ", ", given->sets[i]);
    }
    nnc_buffer_text(out, given->set_count > 0 ? "\n\n" : "");
}

void nnc_scenario_request_run(nnc_scenario *scenario) {
    scenario->asks_run = scenario->asks_run || !isnan(scenario->plan.tokens) || !isnan(scenario->plan.samples);
}

/* Tests whether an option of the command line (--implementation, --host, --building or --region) has an effect on a
 * scenario. If the option has no effect because another option is missing, returns a text that names the missing
 * option. NULL = the option has an effect, or the command line does not give the option. On a CPU, the kernel time of
 * the host is 0, and the function then returns NULL for the option --host. */
static const char *needs_of(const nnc_options *options, const char *option, const nnc_scenario *scenario) {
    const bool listed =
        scenario->model.captured != NULL || nnc_listing_of(&scenario->model, &scenario->device) != NNC_LISTING_NONE;
    const bool whole = nnc_plan_is_whole(&scenario->plan), issues = scenario->software.lists_operators && whole;
    const char *divides = whole ? NULL : "no --tensor, --context and --expert";
    static const char of_a_run[] = "--tokens or --samples, or 'nncost run'";
    const struct {
        const char *option;
        bool unread;
        const char *needs;
    } rows[] = {
        { "--implementation", scenario->model.implementation != NNC_IMPLEMENTATION_NONE && !issues,
          divides != NULL ? divides : "--software torch-eager" },
        { "--host", scenario->device.host.kernel_s > 0.0 && !(issues && listed),
          divides != NULL ? divides
          : listed        ? "--software torch-eager"
                          : "--software torch-eager and --implementation" },
        { "--building", !scenario->asks_run, of_a_run },
        { "--region", options->given.seller == NULL && !scenario->asks_run, of_a_run },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(rows) && nnc_option_typed(options, option); i++) {
        if (strcmp(rows[i].option, option) == 0 && rows[i].unread) { return rows[i].needs; }
    }
    return NULL;
}

nnc_status nnc_scenarios_check_read(const nnc_options *options, const nnc_scenario *scenarios, int32_t count,
                                    nnc_error *err) {
    static const char *const names[] = { "--implementation", "--host", "--building", "--region" };
    for (size_t i = 0; i < NNC_COUNT_OF(names); i++) {
        const char *const needs = count > 0 ? needs_of(options, names[i], &scenarios[0]) : NULL;
        bool unread = needs != NULL;
        for (int32_t k = 1; k < count && unread; k++) { unread = needs_of(options, names[i], &scenarios[k]) != NULL; }
        if (unread) {
            return nnc_fail(err, NNC_BAD_USAGE, names[i], "has no effect here, expected together with %s", needs);
        }
    }
    return nnc_scenario_check_read(&options->given, scenarios, count, err);
}

nnc_status nnc_scenario_load_any(nnc_session *session, const char *model, const char *device, nnc_scenario *scenario,
                                 nnc_error *err) {
    const nnc_scenario_args *given = &session->options.given;
    const nnc_plans_scenario *picked = NULL;
    const nnc_plans *plans = NULL;
    NNC_TRY(nnc_plans_of_args(session, model, device, &plans, &picked, err));
    NNC_TRY(plans != NULL ? nnc_plans_load(session->specs, given, nnc_specs_arena(session->specs), plans, picked,
                                           device, scenario, err)
                          : nnc_scenario_load(session->specs, given, model, device, scenario, err));
    nnc_scenario_request_run(scenario);
    return NNC_OK;
}

nnc_status nnc_scenario_load_args(nnc_session *session, const char *model, const char *device, nnc_scenario *scenario,
                                  nnc_error *err) {
    NNC_TRY(nnc_scenario_load_any(session, model, device, scenario, err));
    return nnc_scenarios_check_read(&session->options, scenario, 1, err);
}

nnc_status nnc_scenario_report(nnc_session *session, const char *model, const char *device, nnc_report_writer *write,
                               void *context, nnc_error *err) {
    nnc_scenario *scenario = calloc(1, sizeof *scenario);
    nnc_scratch *scratch = nnc_scratch_create();
    nnc_status status = scenario != NULL && scratch != NULL ? NNC_OK : nnc_no_memory(err);
    if (status == NNC_OK) { status = nnc_scenario_load_args(session, model, device, scenario, err); }
    if (status == NNC_OK) {
        const nnc_options *options = &session->options;
        scratch->lists = options->full || options->verdict || session->style.format->page == NULL ? 0 : 1;
        status = nnc_scenario_estimate(&session->options.given, scenario, scratch, err);
    }
    if (status == NNC_OK) { status = write(session, context, scenario, scratch, err); }
    nnc_scratch_destroy(scratch);
    free(scenario);
    return status;
}

/* ---- --emit FORMAT[=FILE]: writes a plan as a launch file ---- */

const char *nnc_emit_file(const nnc_options *options, char format[NNC_EMIT_FORMAT]) {
    const char *equals = options->emit != NULL ? strchr(options->emit, '=') : NULL;
    const int length = equals != NULL ? (int)(equals - options->emit) : NNC_EMIT_FORMAT;
    snprintf(format, NNC_EMIT_FORMAT, "%.*s", length, options->emit != NULL ? options->emit : "");
    return equals != NULL ? equals + 1 : NULL;
}

nnc_status nnc_emit_begin(nnc_session *session, bool searches, nnc_error *err) {
    char format[NNC_EMIT_FORMAT];
    nnc_scenario_args *given = &session->options.given;
    const nnc_plans *plans = NULL;
    if (session->options.emit == NULL) { return NNC_OK; }
    if (nnc_emit_file(&session->options, format) != NULL && session->inside) {
        return nnc_fail(err, NNC_BAD_USAGE, "--emit", "cannot write to a file here, expected FORMAT without =FILE");
    }
    nnc_arena *arena = nnc_specs_arena(session->specs);
    NNC_TRY(nnc_plans_open(session->specs, arena, session->options.operands[0], &plans, err));
    return plans != NULL
               ? NNC_OK
               : nnc_launch_defaults(session->specs, format, searches, &session->options.operands[0], given, err);
}

bool nnc_emit_instead(const nnc_session *session) {
    return session->options.emit != NULL && strchr(session->options.emit, '=') == NULL;
}

nnc_status nnc_emit_plan(nnc_session *session, const nnc_launch_plan *plan, const char *name, nnc_error *err) {
    nnc_buffer text = { 0 };
    char format[NNC_EMIT_FORMAT];
    const char *file = nnc_emit_file(&session->options, format);
    const size_t length = file != NULL ? strlen(file) : 0;
    const bool folder = length > 0 && file[length - 1] == '/';
    nnc_launch_plan written = *plan;
    written.format = format;
    if (name != NULL && !folder) {
        return nnc_fail(err, NNC_BAD_USAGE, "--emit", "expected a folder for the files of several plans, as in %s=DIR/",
                        format);
    }
    nnc_status status = nnc_launch_write(session->specs, &written, &text, err);
    if (status == NNC_OK && file == NULL) {
        nnc_buffer_print(session->out, "%.*s", (int)text.size, text.bytes);
    } else if (status == NNC_OK) {
        char path[512];
        snprintf(path, sizeof path, "%s%s%s", file,
                 folder && name != NULL ? name
                 : folder               ? "plan"
                                        : "",
                 folder ? nnc_launch_suffix(format) : "");
        status = nnc_output_write(path, text.bytes, text.size, err);
    }
    nnc_buffer_free(&text);
    return status;
}

nnc_status nnc_emit_scenario(nnc_session *session, const nnc_scenario *scenario, const char *name, nnc_error *err) {
    const nnc_report *report = &scenario->report;
    nnc_plan resolved;
    nnc_launch_plan plan = { .software = scenario->software.id,
                             .model_asked = report->model_asked,
                             .device = report->device_asked,
                             .model = &scenario->model,
                             .on = &scenario->device,
                             .plan = &resolved };
    NNC_TRY(nnc_plan_resolve(&scenario->plan, &scenario->model, &scenario->device, &resolved, err));
    const nnc_status status = nnc_emit_plan(session, &plan, name, err);
    if (status != NNC_ILLEGAL_PLAN || name == NULL) { return status; }
    fprintf(stderr, "nncost: %s: %s: %s\n", name, err->where, err->what);
    session->exit_code = 1;
    return NNC_OK;
}

/* ---- writing the command line of a scenario ---- */

static void put_pair(nnc_buffer *out, const char *option, const char *value) {
    if (value != NULL) {
        nnc_buffer_print(out, " %s ", option);
        nnc_shell_word(out, value);
    }
}

static void put_option(nnc_buffer *out, const nnc_field *field, const char *value) {
    char name[NNC_OPTION_NAME];
    nnc_option_name(field->name, name);
    if (field->type != NNC_FIELD_BOOL) {
        put_pair(out, name, value);
    } else if (strcmp(value, "on") == 0) {
        nnc_buffer_print(out, " %s", name);
    } else { /* switch: name and value are written as one word, such as "--dora=off" */
        nnc_buffer_print(out, " %s=%s", name, value);
    }
}

void nnc_command_put(nnc_buffer *out, const nnc_command_args *args) {
    const nnc_scenario_args *given = args->given;
    nnc_buffer_text(out, given->launch != NULL && given->launch->serves ? "nncost serve " : "nncost estimate ");
    nnc_shell_word(out, args->model);
    if (args->device != NULL) {
        nnc_buffer_byte(out, ' ');
        nnc_shell_word(out, args->device);
    }
    put_pair(out, "--scenario", args->scenario);
    put_pair(out, "--software", given->software);
    put_pair(out, "--cluster", given->cluster);
    put_pair(out, "--seller", given->seller);
    put_pair(out, "--offer", given->offer);
    put_pair(out, "--region", given->region);
    put_pair(out, "--building", given->building);
    nnc_buffer_text(out, args->lenient ? " --lenient" : "");
    for (int i = 0; i < given->setting_count; i++) {
        put_option(out, given->settings[i].field, given->settings[i].value);
    }
    for (int i = 0; i < given->set_count; i++) { put_pair(out, "--set", given->sets[i]); }
}

const char *nnc_command_keep(nnc_arena *arena, nnc_buffer *out) {
    nnc_buffer_byte(out, '\0');
    const char *text = out->failed ? NULL : nnc_arena_strdup(arena, out->bytes);
    nnc_buffer_clear(out);
    return text;
}

/* ---- writing the command lines of the plans that a search has found ---- */

/* Returns true if the command line of a found plan need not give a field: `data` and `micro_batches`, which follow from
 * other options, and the schedule of a plan without a pipeline. For a plan file, the command line has `data` and
 * `micro_batches` all the same, because the plan in the file may have other values than the found plan. */
static bool follows(const nnc_field *field, const nnc_plan *plan, bool of_plan_file) {
    if (strcmp(field->name, "schedule") == 0) { return plan->pipeline == 1; }
    return !of_plan_file && (strcmp(field->name, "data") == 0 || strcmp(field->name, "micro_batches") == 0);
}

/* Writes the fields of the plan that a search chose and that differ from their defaults. choices: a table of
 * metrics; a row without a name is a nested table. NOLINTNEXTLINE(misc-no-recursion) */
static void put_choices(nnc_buffer *out, const nnc_metrics *choices, const nnc_command_args *args, const nnc_plan *plan,
                        bool of_plan_file) {
    const nnc_plan usual = nnc_plan_default();
    for (size_t i = 0; i < choices->count; i++) {
        const nnc_metric *row = &choices->rows[i];
        char value[NNC_METRIC_TEXT_MAX], usually[NNC_METRIC_TEXT_MAX];
        if (row->name == NULL) {
            put_choices(out, row->rows, args, plan, of_plan_file);
            continue;
        }
        for (size_t k = 0; k < nnc_plan_table.count; k++) {
            const nnc_field *field = &nnc_plan_table.fields[k];
            if (strcmp(field->name, row->name) != 0 || nnc_scenario_setting(args->given, field->name) != NULL ||
                follows(field, plan, of_plan_file)) {
                continue;
            }
            nnc_field_text(field, plan, value, sizeof value);
            nnc_field_text(field, &usual, usually, sizeof usually);
            if (of_plan_file || strcmp(value, usually) != 0) { put_option(out, field, value); }
        }
    }
}

static bool is_not_released(const void *in, const char *field) {
    (void)in;
    return !nnc_is_one_of(field, nnc_released_fields);
}

/* Writes those fields of a found plan that an estimate with a framework release changes. A search ignores the settings
 * of the release. Therefore the command line of a found plan has every field that the framework release sets, even if
 * the field has its default in the plan. If the release has set vocab_multiple for another tensor degree than that of
 * the plan, writes vocab_multiple as well. */
static void put_released(nnc_buffer *out, const nnc_command_args *args, const nnc_plan *plan) {
    const nnc_scenario *s = args->of_release;
    const nnc_given given = { is_not_released, NULL };
    const nnc_plan usual = nnc_plan_default();
    nnc_plan filled = *plan;
    if (s == NULL) { return; }
    nnc_model model = s->model;
    nnc_release_fill(s->release.entry, &given, &model, &filled);
    for (const char *const *name = nnc_released_fields; *name != NULL; name++) {
        char value[NNC_METRIC_TEXT_MAX], other[NNC_METRIC_TEXT_MAX], usually[NNC_METRIC_TEXT_MAX];
        const nnc_field *field = nnc_field_of_key(&nnc_plan_table, *name);
        if (field == NULL || nnc_scenario_setting(args->given, field->name) != NULL) { continue; }
        nnc_field_text(field, plan, value, sizeof value);
        nnc_field_text(field, &filled, other, sizeof other);
        nnc_field_text(field, &usual, usually, sizeof usually);
        if (strcmp(value, other) != 0 && strcmp(value, usually) == 0) { put_option(out, field, value); }
    }
    const int64_t multiple = s->model.decoder.vocab_multiple;
    if (s->model.family == NNC_FAMILY_DECODER && plan->tensor != s->plan.tensor && multiple > 1 &&
        multiple == s->release.entry->vocab_multiple * s->plan.tensor) {
        nnc_buffer_print(out, " --set vocab_multiple=%" PRId64, multiple);
    }
}

/* Returns plan number `index` (from 0) of a search report; NULL = the report has no such plan. A search over several
 * numbers of devices has up to two plans for each number: the best plan, and the fastest plan that misses the deadline
 * or the budget. A search for one number of devices has a list of the best plans, then the Pareto front, then the
 * fastest plan that misses the deadline or the budget. */
static nnc_found *found_at(nnc_search_report *report, int32_t index) {
    nnc_search_result *result = report->result;
    for (int32_t i = 0; i < report->size_count; i++) {
        if (report->sizes[i].found && index-- == 0) { return &report->sizes[i].best; }
        if (report->sizes[i].any_missed && index-- == 0) { return &report->sizes[i].missed; }
    }
    if (report->sizes != NULL || result == NULL) { return NULL; }
    if (index < result->best_count) { return &result->best[index]; }
    index -= result->best_count;
    if (index < result->pareto_count) { return &result->pareto[index]; }
    return index == result->pareto_count && result->any_missed ? &result->missed : NULL;
}

nnc_status nnc_command_all(nnc_arena *arena, const nnc_command_args *args, bool of_plan_file, nnc_search_report *report,
                           nnc_error *err) {
    nnc_buffer text = { 0 };
    nnc_status status = NNC_OK;
    nnc_found *found = NULL;
    for (int32_t i = 0; status == NNC_OK && (found = found_at(report, i)) != NULL; i++) {
        nnc_command_put(&text, args);
        put_choices(&text, &nnc_plan_choice_metrics, args, &found->plan, of_plan_file);
        put_released(&text, args, &found->plan);
        found->command = nnc_command_keep(arena, &text);
        status = found->command != NULL ? NNC_OK : nnc_no_memory(err);
    }
    nnc_buffer_free(&text);
    return status;
}
