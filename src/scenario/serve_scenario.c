/* A serving scenario: one model on one device with one inference engine. serve_scenario.c also computes the rate at
 * which a model generates tokens for its own training (rollout). */
#include "scenario/scenario_internal.h"
#include "shape/shape_internal.h"

static nnc_status apply_settings(const nnc_scenario_args *given, nnc_serve_ask *ask, nnc_error *err) {
    for (int i = 0; i < given->setting_count; i++) {
        NNC_TRY(nnc_setting_apply(&given->settings[i], &nnc_serve_table, ask, err));
    }
    return NNC_OK;
}

/* If the user gives no --input-len and the default prompt with its answer is longer than the table of positions, takes
 * the longest prompt that fits. */
static void shorten_prompt(const nnc_scenario_args *given, const nnc_model *model, nnc_serve_ask *ask) {
    const nnc_decoder *d = &model->decoder;
    const int64_t rows = d->positions_max > 0 ? d->positions_max : d->seq_len;
    if (model->family == NNC_FAMILY_DECODER && nnc_positions_learned(d->positions) && ask->arrival_count == 0 &&
        nnc_scenario_setting(given, "input_len") == NULL && ask->input_len + ask->output_len > rows &&
        rows > ask->output_len) {
        ask->input_len = rows - ask->output_len;
    }
}

/* Makes a copy of the decoder of a video, for the number of frames, the height and the width of the video that the
 * denoiser makes. The decoder of an image has no number of frames and is not changed. */
static nnc_status take_size(nnc_serve_scenario *scenario, nnc_error *err) {
    static const char *const sizes[] = { "frames", "height", "width" };
    nnc_model *decoder = &scenario->decoder;
    char text[NNC_NUMBER_TEXT];
    *decoder = *scenario->images_ask.decoder;
    if (nnc_model_text(decoder, sizes[0], text, sizeof text, NULL) != NNC_OK) { return NNC_OK; }
    for (int i = 0; i < 3; i++) {
        NNC_TRY(nnc_model_text(&scenario->base.model, sizes[i], text, sizeof text, err));
        NNC_TRY(nnc_model_set(decoder, sizes[i], text, err));
    }
    scenario->images_ask.decoder = decoder;
    return nnc_model_check(decoder, "--set", err);
}

/* Loads the networks that the model file of an image pipeline names: the text encoders and, if the file names one, the
 * image decoder. */
static nnc_status load_parts(nnc_specs *specs, nnc_serve_scenario *scenario, nnc_error *err) {
    const nnc_model *model = &scenario->base.model;
    nnc_images_ask *ask = &scenario->images_ask;
    char names[sizeof model->text_encoders];
    snprintf(names, sizeof names, "%s", model->text_encoders);
    for (char *at = names; at[0] != '\0' && ask->encoder_count < NNC_IMAGES_ENCODERS;) {
        const size_t length = strcspn(at, ",");
        char *next = at[length] == ',' ? at + length + 1 : at + length;
        at[length] = '\0';
        at += strspn(at, " ");
        NNC_TRY(nnc_model_load(specs, at, &ask->encoders[ask->encoder_count++], err));
        at = next;
    }
    if (model->image_decoder[0] == '\0') { return NNC_OK; }
    NNC_TRY(nnc_model_load(specs, model->image_decoder, &ask->decoder, err));
    return take_size(scenario, err);
}

static nnc_status load_images(nnc_specs *specs, nnc_serve_scenario *scenario, nnc_error *err) {
    const nnc_serve_ask *asked = &scenario->ask;
    scenario->images_ask = (nnc_images_ask){ .steps = asked->steps,
                                             .guidance = asked->guidance,
                                             .image = asked->image,
                                             .batch = asked->batch,
                                             .beside_s = asked->beside_s,
                                             .precision = asked->precision,
                                             .price = asked->price,
                                             .carbon_g_per_kwh = asked->carbon_g_per_kwh };
    return load_parts(specs, scenario, err);
}

nnc_status nnc_serve_scenario_load(nnc_specs *specs, const nnc_scenario_args *given, const char *model_asked,
                                   const char *device_asked, nnc_serve_scenario *scenario, nnc_error *err) {
    nnc_scenario_args rest = *given;
    rest.setting_count = 0;
    rest.asks_run = false;
    const bool images =
        nnc_scenario_setting(given, "steps") != NULL; /* a model that generates images uses a training profile, not the
                                                 * profile of an engine */
    rest.software = given->software != NULL || images ? given->software : NNC_SERVE_SOFTWARE;
    rest.serves = !images;
    if (images || !nnc_software_is_chosen(rest.software)) {
        NNC_TRY(nnc_scenario_load(specs, &rest, model_asked, device_asked, &scenario->base, err));
    } else {
        return nnc_fail(err, NNC_BAD_USAGE, "--software", "expected the profile of an engine, such as %s, found \"%s\"",
                        NNC_SERVE_SOFTWARE, rest.software);
    }
    const nnc_software *software = &scenario->base.software;
    if (!images && !software->serving.fitted && !software->lists_operators) {
        return nnc_fail(err, NNC_BAD_USAGE, "--software",
                        "%s is a profile for training, expected the profile of an inference engine, such as %s",
                        software->id, NNC_SERVE_SOFTWARE);
    }
    nnc_model *model = &scenario->base.model;
    if (scenario->base.software.lists_operators && model->implementation == NNC_IMPLEMENTATION_NONE && !images) {
        /* without an inference engine, the library transformers generates the text */
        model->implementation = NNC_IMPLEMENTATION_TRANSFORMERS;
    }
    scenario->base.report.overrides = scenario->base.overrides[0] != '\0' ? scenario->base.overrides : NULL;
    scenario->ask = nnc_serve_ask_default();
    NNC_TRY(apply_settings(given, &scenario->ask, err));
    if (scenario->base.report.region != NULL && isnan(scenario->ask.carbon_g_per_kwh)) {
        scenario->ask.carbon_g_per_kwh = scenario->base.region.carbon_g_per_kwh;
    } else {
        scenario->base.report.region = NULL; /* a carbon intensity that the user gave replaces the intensity of the
                                              * region */
    }
    if (scenario->ask.draft[0] != '\0') {
        const nnc_status status = nnc_model_load(specs, scenario->ask.draft, &scenario->ask.draft_model, err);
        if (status == NNC_UNKNOWN_ID) { snprintf(err->where, sizeof err->where, "--draft"); }
        NNC_TRY(status);
    }
    if (scenario->ask.arrivals[0] != '\0') { NNC_TRY(nnc_arrivals_load(specs, &scenario->ask, err)); }
    shorten_prompt(given, model, &scenario->ask);
    scenario->images_ask.steps = 0;
    if (images && scenario->base.model.family != NNC_FAMILY_DECODER) { NNC_TRY(load_images(specs, scenario, err)); }
    return nnc_scenario_args_currency(given, &scenario->base.device, err);
}

nnc_status nnc_serve_scenario_compute(nnc_serve_scenario *scenario, nnc_scratch *scratch, nnc_error *err) {
    nnc_report *report = &scenario->base.report;
    int32_t count = 0;
    report->scratch = scratch;
    if (scenario->images_ask.steps > 0) {
        NNC_TRY(nnc_images_of(report->model, report->device, report->software, &scenario->images_ask, scratch,
                              &scenario->images, NULL, err));
        report->images_ask = &scenario->images_ask;
        report->images = &scenario->images;
        return NNC_OK;
    }
    scenario->serve.struct_size = sizeof scenario->serve;
    NNC_TRY(nnc_serve_into(report->model, report->device, report->software, &scenario->ask, scratch, &scenario->serve,
                           scenario->ops, &count, err));
    report->serve_ask = &scenario->ask;
    report->serve = &scenario->serve;
    report->serve_ops = scenario->ops;
    report->serve_op_count = count;
    return NNC_OK;
}

/* ---- trying changes of a deployment ---- */

typedef struct serve_trial {
    nnc_serve_scenario *scenario;
    nnc_scratch *scratch;
    nnc_serve_net net;
    nnc_serve_case of;
    nnc_serve serve;
} serve_trial;

/* Computes the deployment that `ask` describes and writes the result to t->serve; brief: true = computes only the
 * values that the comment of nnc_serve_case.brief lists. Returns true if the deployment is legal and fits in memory. */
static bool answer(serve_trial *t, const nnc_serve_ask *ask, bool brief) {
    const nnc_report *report = &t->scenario->base.report;
    t->of.brief = brief;
    return nnc_serve_ask_check(ask, NULL) == NNC_OK &&
           nnc_serve_answer(&t->of, report->model, report->device, report->software, ask, t->scratch, &t->serve, NULL,
                            NULL, NULL) == NNC_OK &&
           t->serve.fits;
}

static bool fits(serve_trial *t, const nnc_serve_ask *ask) { return answer(t, ask, true); }

static bool is_quick(serve_trial *t, nnc_serve_ask ask, int64_t batch) {
    ask.batch = batch;
    return fits(t, &ask) && t->serve.tpot_s <= NNC_SERVE_TOKEN_S;
}

/* Returns the largest batch that fits in memory and takes at most NNC_SERVE_TOKEN_S seconds per token, exact to 1/16 of
 * the batch; 0 = not even a batch of 1 fits. Memory and time grow with the batch, so the function doubles the batch
 * until it is too large, and then bisects. */
static int64_t largest_batch(serve_trial *t, nnc_serve_ask ask) {
    int64_t low = 0, high = 1;
    while (high < 1 << 16 && is_quick(t, ask, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > (low + 15) / 16) { /* bisects until the largest batch is known to a sixteenth of the batch */
        const int64_t middle = low + (high - low) / 2;
        if (is_quick(t, ask, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low < 32 ? low : low / 16 * 16;
}

/* Tests whether the deployment serves the request rate of an open loop. If the deployment has too few replicas for the
 * rate, sets *ask to the smallest sufficient number of replicas, and tests this deployment. */
static bool serves(serve_trial *t, nnc_serve_ask *ask) {
    if (!answer(t, ask, false)) { return false; }
    if (!t->serve.saturated) { return true; }
    const nnc_serve_ask *plan = &t->serve.plan;
    const double replicas = floor(plan->request_rate / (t->serve.saturation_rate / plan->data)) + 1.0;
    if (replicas * plan->devices > (double)INT32_MAX) { return false; }
    ask->devices = (int32_t)replicas * (plan->devices / plan->data);
    ask->data = 0;
    return answer(t, ask, false) && !t->serve.saturated;
}

/* Adds to the report the change from the scenario's deployment to the deployment `changed`, with enough replicas to
 * serve the request rate. The change has options only for the values that differ: devices, tensor ranks, weight format,
 * batch. Adds nothing if the deployment does not fit in memory. */
static void add_change(serve_trial *t, const nnc_serve_ask *changed) {
    nnc_serve_ask own = *changed, *const ask = &own;
    nnc_report *report = &t->scenario->base.report;
    const nnc_serve_ask *asked = &t->scenario->ask;
    nnc_serve_change *change = &t->scenario->changes[report->serve_change_count];
    char devices[24] = "", data[24] = "", tensor[24] = "", batch[40] = "", weights[32] = "";
    if (!serves(t, ask)) { return; }
    if (ask->devices > t->scenario->serve.plan.devices && (asked->data == 0 || asked->devices > 0)) {
        snprintf(devices, sizeof devices, " --devices %" PRId32, ask->devices);
    }
    if (asked->data > 0 && t->serve.plan.data != asked->data) {
        snprintf(data, sizeof data, " --data %" PRId32, t->serve.plan.data);
    }
    if (ask->tensor != asked->tensor) { snprintf(tensor, sizeof tensor, " --tensor %" PRId32, ask->tensor); }
    if (ask->weights != asked->weights) {
        snprintf(weights, sizeof weights, " --weights %s", nnc_stored_name(ask->weights));
    }
    if (ask->batch != asked->batch) { snprintf(batch, sizeof batch, " --batch %" PRId64, ask->batch); }
    snprintf(change->options, sizeof change->options, "%s%s%s%s%s", devices, data, tensor, weights, batch);
    /* the first option in the text has a blank before it, which is removed */
    memmove(change->options, change->options + 1, strlen(change->options));
    change->tpot_s = t->serve.tpot_s;
    change->output_tokens_per_s = t->serve.output_tokens_per_s;
    change->total_bytes = t->serve.total_bytes;
    change->per_million_output_tokens = t->serve.per_million_output_tokens;
    report->serve_changes = t->scenario->changes;
    report->serve_change_count++;
}

/* Formats of weights that changes try, one after the other. */
enum { FORMATS = 3 };
static const nnc_stored formats[FORMATS] = { NNC_STORED_FP8, NNC_STORED_INT8, NNC_STORED_INT4 };

/* Finds the fewest tensor ranks (2, 4, 8 ... times the tensor ranks of the plan) with which the deployment fits in
 * memory on the same devices. Sets *ask to a plan with the found number of tensor ranks; on the same devices, this plan
 * has fewer replicas. Returns false and leaves *ask unchanged if the deployment fits with no number of ranks. */
static bool split_more(serve_trial *t, nnc_serve_ask *ask) {
    const nnc_serve_ask *plan = &t->scenario->serve.plan, asked = *ask;
    for (int32_t tensor = 2 * plan->tensor; tensor <= plan->tensor * plan->data; tensor *= 2) {
        ask->tensor = tensor;
        ask->data = 0;
        ask->devices = plan->devices;
        if (fits(t, ask)) { return true; }
    }
    *ask = asked;
    return false;
}

/* Finds the fewest devices (2, 4, 8 ... times the devices of the plan, at most the devices of a scale-up domain) with
 * which a single replica fits in memory if all devices are tensor ranks. Sets *ask to the plan with the found number of
 * devices. Returns false and leaves *ask unchanged if the deployment fits with no number of tensor ranks, or if the
 * plan has several replicas. */
static bool use_more(serve_trial *t, nnc_serve_ask *ask) {
    const nnc_serve_ask *plan = &t->scenario->serve.plan, asked = *ask;
    const int32_t most = t->scenario->base.device.scale_up.devices / plan->pipeline;
    if (plan->data > 1 || plan->attention_data > 1) { return false; }
    for (int32_t tensor = 2 * plan->tensor; tensor <= most; tensor *= 2) {
        ask->tensor = tensor;
        ask->devices = tensor * plan->pipeline;
        if (fits(t, ask)) { return true; }
    }
    *ask = asked;
    return false;
}

/* Searches for a deployment on more devices, as use_more does. If use_more finds no deployment and the report has no
 * change yet, tries more devices together with weights of fewer bits. */
static bool use_more_of_any(serve_trial *t, nnc_serve_ask *ask) {
    const int32_t tries = t->scenario->base.report.serve_change_count == 0 ? FORMATS : 0;
    bool found = use_more(t, ask);
    for (int32_t i = 0; i < tries && !found; i++) {
        ask->weights = formats[i];
        found = use_more(t, ask);
    }
    return found;
}

void nnc_serve_scenario_changes(nnc_serve_scenario *scenario, nnc_scratch *scratch) {
    const nnc_report *report = &scenario->base.report;
    serve_trial t;
    const nnc_serve *serve = &scenario->serve;
    nnc_serve_ask ask = scenario->ask;
    bool found = serve->fits;
    const bool batches = serve->mode == NNC_SERVE_STATIC;
    if (scenario->images_ask.steps > 0 || (!batches && serve->fits && !serve->saturated) ||
        nnc_serve_begin(report->model, report->device, report->software, scratch, &t.net, &t.of, NULL) != NNC_OK) {
        return;
    }
    t.scenario = scenario;
    t.scratch = scratch;
    if (serve->fits && serve->saturated) {
        add_change(&t, &ask);
        return;
    }
    nnc_serve_ask fewer = scenario->ask;
    fewer.batch = (int64_t)serve->max_sequences;
    if (batches && !found && fewer.batch >= 1 && fewer.batch < serve->plan.batch && fits(&t, &fewer)) {
        add_change(&t, &fewer);
    }
    const int32_t milder = report->serve_change_count; /* number of changes that only reduce the batch */
    if (!found && split_more(&t, &ask)) {
        found = true;
        add_change(&t, &ask);
    }
    for (size_t i = 0; i < FORMATS && !serve->fits && report->serve_change_count < milder + 1 + found; i++) {
        nnc_serve_ask other = scenario->ask;
        other.weights = formats[i];
        if (fits(&t, &other) || (!found && split_more(&t, &other))) {
            add_change(&t, &other);
            ask = found ? ask : other;
        }
    }
    nnc_serve_ask wider = scenario->ask;
    if (!found && !serve->fits && use_more_of_any(&t, &wider)) {
        ask = report->serve_change_count > 0 ? ask : wider;
        add_change(&t, &wider);
    }
    const int64_t batch = batches && (serve->fits || report->serve_change_count > 0) ? largest_batch(&t, ask) : 0;
    if (batch > serve->plan.batch) {
        ask.batch = batch;
        add_change(&t, &ask);
    }
}

/* ---- generation of training data by the trained model (rollout) ---- */

/* Returns the number of sequences that one replica generates in one training step; 0 = unknown. Sets *seq_len to the
 * length of a sequence in tokens. */
static int64_t sequences_of(const nnc_scenario *scenario, int64_t *seq_len) {
    const nnc_run_ask *run = &scenario->run_ask;
    nnc_plan plan;
    *seq_len = scenario->plan.seq_len > 0 ? scenario->plan.seq_len : nnc_model_sizes_of(&scenario->model).seq_len;
    if (!isnan(run->rollout_batch)) { return (int64_t)run->rollout_batch; }
    /* nnc_plan_resolve fails if the plan is illegal, which the estimate reports later, or if a search has not yet set
     * the batch of the plan. */
    if (nnc_plan_resolve(&scenario->plan, &scenario->model, &scenario->device, &plan, NULL) != NNC_OK) { return 0; }
    const double devices = run->rollout_devices > 0.0 ? run->rollout_devices : plan.devices;
    return (int64_t)ceil((double)plan.global_batch / fmax(devices / run->rollout_tensor, 1.0));
}

static nnc_status serve_with(nnc_scenario *scenario, const nnc_software *engine, nnc_serve_ask *ask,
                             nnc_scratch *scratch, nnc_error *err) {
    nnc_serve serve;
    NNC_TRY(nnc_serve_of(&scenario->model, &scenario->device, engine, ask, scratch, &serve, err));
    if (!serve.fits && isnan(scenario->run_ask.rollout_batch)) {
        /* a batch of 0 means: the replica generates as many sequences at the same time as fit in memory */
        ask->batch = 0;
        ask->offline = true;
        NNC_TRY(nnc_serve_of(&scenario->model, &scenario->device, engine, ask, scratch, &serve, err));
    }
    if (!serve.fits) {
        return nnc_fail(err, NNC_BAD_USAGE, "--rollout-batch",
                        "more sequences than fit on %" PRId32 " x %s, expected at most %.0f", ask->tensor,
                        scenario->device.id, floor(fmax(serve.max_sequences, 0.0)));
    }
    scenario->rollout_tokens_per_s = serve.output_tokens_per_s_per_device;
    scenario->rollout_batch = serve.running;
    return NNC_OK;
}

nnc_status nnc_scenario_rollout(nnc_specs *specs, nnc_scenario *scenario, nnc_error *err) {
    const nnc_run_ask *run = &scenario->run_ask;
    const nnc_software *engine = NULL;
    int64_t seq_len = 0;
    if (!nnc_method_rolls_out(run->method) || !isnan(run->rollout_tokens_per_s) || !isnan(run->rollout_s)) {
        return NNC_OK;
    }
    const int64_t batch = sequences_of(scenario, &seq_len);
    nnc_serve_ask ask = nnc_serve_ask_default();
    ask.tensor = (int32_t)run->rollout_tensor;
    ask.input_len = (int64_t)fmax(run->prompt_tokens, 1.0);
    ask.output_len = isnan(run->response_tokens) ? seq_len - ask.input_len : (int64_t)run->response_tokens;
    ask.prefix_hit = 1.0 - 1.0 / run->group;
    ask.batch = batch;
    ask.offline = batch == 0;
    /* bf16, because the weights in training generate the tokens, not the published weights, which can be quantized */
    ask.weights = NNC_STORED_BF16;
    if (ask.output_len < 1) {
        return nnc_fail(err, NNC_BAD_USAGE, "--response-tokens",
                        "missing, expected the length of answers, because a prompt of %g tokens fills the sequence",
                        run->prompt_tokens);
    }
    NNC_TRY(nnc_software_load(specs, NNC_SERVE_SOFTWARE, &engine, err));
    nnc_scratch *scratch = nnc_scratch_create();
    const nnc_status status = scratch != NULL ? serve_with(scenario, engine, &ask, scratch, err) : nnc_no_memory(err);
    nnc_scratch_destroy(scratch);
    return status;
}
