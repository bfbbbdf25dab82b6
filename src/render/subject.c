/* The first lines of a page: model, device, links and plan as resolved, and the sources of prices, carbon intensities
 * and PUE. */
#include "render/render_internal.h"

#define PLAN_OF(record) (&((const nnc_report *)(record))->result->plan)

/* "a100 = a100-sxm4-80gb" when another word was asked for (an alias, a path). */
static void add_id(nnc_sheet *sheet, const char *asked, const char *id)
{
    const bool same = asked == NULL || strcmp(asked, id) == 0;
    nnc_sheet_item(sheet, NNC_INK_STRONG, "%s%s%s", same ? "" : asked, same ? "" : " = ", id);
}

void nnc_sheet_model(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    add_id(sheet, report->model_asked, report->model->id);
}

void nnc_sheet_device(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    add_id(sheet, report->device_asked, report->device->id);
}

#define PLAN self->result->plan

/* ---- metrics of the page that the output does not have ---- */

/* "data 2 x tensor 8 x pipeline 8": the degrees above 1. */
static void degrees_text(const nnc_plan *plan, char *text, size_t size)
{
    const struct {
        const char *name;
        int32_t degree;
    } degrees[] = { { "data", plan->data },
                    { "tensor", plan->tensor },
                    { "context", plan->context },
                    { "pipeline", plan->pipeline } };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof degrees / sizeof degrees[0] && used < size; i++) {
        if (degrees[i].degree > 1) {
            used += (size_t)snprintf(text + used, size - used, "%s%s %" PRId32,
                                     used > 0 ? " x " : "", degrees[i].name, degrees[i].degree);
        }
    }
}

/* "full", "full, 12 layers of a stage", "full, every 2 layers". */
static void recompute_text(const nnc_plan *plan, char *text, size_t size)
{
    const bool full = (plan->recompute & NNC_RECOMPUTE_FULL) != 0;
    nnc_recompute_text(plan->recompute, text, size);
    size_t used = strlen(text);
    if (full && plan->recompute_every > 1) {
        used += (size_t)snprintf(text + used, size - used, " every %" PRId64 " layers",
                                 plan->recompute_every);
    }
    if (full && plan->recompute_layers > 0 && used < size) {
        snprintf(text + used, size - used, " of %" PRId64 " layers per stage",
                 plan->recompute_layers);
    }
}

NNC_GET(get_degrees, nnc_report,
        (degrees_text(&PLAN, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_recompute, nnc_report,
        (recompute_text(&PLAN, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_trained, nnc_report,
        (nnc_train_text(PLAN.train, text, NNC_METRIC_TEXT_MAX), nnc_text_cell(text)))
NNC_GET(get_dora, nnc_report, nnc_text_cell(PLAN.dora ? " (DoRA)" : ""))
NNC_GET(get_resharding, nnc_report,
        nnc_text_cell(PLAN.zero == 3 && !PLAN.reshard ? " without resharding" : ""))
NNC_GET(get_linked, nnc_report, nnc_bool_cell(PLAN.devices > 1 || self->cluster != NULL))
NNC_GET(get_leaves_node, nnc_report,
        nnc_bool_cell(self->device->scale_up.kind == NNC_LINK_NONE ||
                      PLAN.devices > PLAN.devices_per_node))
NNC_GET(get_replicas, nnc_report, nnc_whole_cell((int64_t)PLAN.data *PLAN.context))

#define DEVICE(member) NNC_VIA(nnc_report, device), NNC_IN(nnc_device, member)
#define RESULT(member) NNC_VIA(nnc_report, result), NNC_IN(nnc_result, member)
static const nnc_metric page_metric_rows[] = {
    NNC_ROWS(&nnc_estimate_metrics),
    NNC_AS("linked", BOOL, .get = get_linked),
    NNC_AS("leaves_node", BOOL, .get = get_leaves_node),
    NNC_AS("resharding", TEXT, .get = get_resharding),
    NNC_AS("fp8_inputs", BOOL, RESULT(plan.fp8_inputs)),
    NNC_AS("next_tokens", BOOL, RESULT(plan.next_tokens)),
    NNC_AS("degrees", TEXT, .get = get_degrees),
    NNC_AS("replicas", WHOLE, .get = get_replicas),
    NNC_AS("recompute", TEXT, .get = get_recompute),
    NNC_AS("trained", TEXT, .get = get_trained),
    NNC_AS("adapter_rank", WHOLE, RESULT(plan.adapter_rank)),
    NNC_AS("adapters", ENUM, RESULT(plan.adapters),
           .names = { nnc_adapted_name, NNC_ADAPTED_COUNT }),
    NNC_AS("dora", TEXT, .get = get_dora),
    NNC_AS("frozen", ENUM, RESULT(plan.frozen), .names = { nnc_frozen_name, NNC_FROZEN_COUNT }),
    NNC_AS("scale_up", ENUM, DEVICE(scale_up.kind),
           .names = { nnc_link_kind_name, NNC_LINK_KIND_COUNT }),
    NNC_AS("scale_up_bytes_per_s", NUMBER, DEVICE(scale_up.bytes_per_s), .unit = "B/s"),
    NNC_AS("scale_out_bytes_per_s", NUMBER, DEVICE(scale_out.bytes_per_s), .unit = "B/s"),
    NNC_AS("oversubscription", NUMBER, DEVICE(scale_out.oversubscription), .show = NNC_SHOW_PLAIN),
    NNC_AS("host_bytes_per_s", NUMBER, DEVICE(host.bytes_per_s), .unit = "B/s"),
};
static const nnc_metrics page_metrics = NNC_METRICS("a subject", page_metric_rows, nnc_report);

/* ---- code of rows ---- */

/* Multi-token prediction layers, which a plan without next_tokens leaves out. */
static void add_left_out(nnc_sheet *sheet, const void *record)
{
    const nnc_report *report = record;
    const int64_t layers = report->model->decoder.next_layers;
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT] = "";
    if (report->result->next_params > 0) {
        if (layers > 1) {
            snprintf(b, sizeof b, "%" PRId64 " ", layers);
        }
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "without its %smulti-token prediction layer%s (+%s)",
                       b, layers > 1 ? "s" : "",
                       nnc_count_text((double)report->result->next_params, a));
    }
}

static void write_notes(nnc_sheet *sheet, const void *record)
{
    const nnc_model *model = ((const nnc_report *)record)->model;
    for (int32_t i = 0; i < model->note_count; i++) {
        nnc_sheet_label(sheet, i == 0 ? "noted" : "");
        nnc_sheet_words(sheet, "%s", model->notes[i]);
        nnc_sheet_end(sheet);
    }
}

/* "batch 256 = 4 micro-batches of 2 x data 32". */
static void add_batch(nnc_sheet *sheet, const void *record)
{
    const nnc_plan *plan = PLAN_OF(record);
    char text[96] = "", data[24] = "";
    if (plan->data > 1) {
        snprintf(data, sizeof data, " x data %" PRId32, plan->data);
    }
    if (plan->data > 1 || plan->micro_batches > 1) {
        snprintf(text, sizeof text, " = %" PRId64 " micro-batch%s of %" PRId64 "%s",
                 plan->micro_batches, plan->micro_batches > 1 ? "es" : "", plan->micro_batch, data);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "batch %" PRId64 "%s", plan->global_batch, text);
}

/* ---- the lines ---- */

static const nnc_page_row subject_rows[] = {
    NNC_LINE("model"),
    NNC_ADD(nnc_sheet_model),
    NNC_ITEM("{model.name}"),
    NNC_ITEM("{model.family}"),
    NNC_ITEM("{model.params} parameters"),
    NNC_ITEM("{model.active_params} active per token",
             .when = "model.active_params != model.params"),
    NNC_ADD(add_left_out),
    NNC_ITEM("vocabulary padded to {model.padded_vocab} rows for {plan.tensor} tensor ranks"),
    NNC_ITEM("{model.trained_params} trained", .when = "model.trained_params != model.params"),
    NNC_BLOCK(write_notes),
    NNC_LINE("device"),
    NNC_ADD(nnc_sheet_device),
    NNC_ITEM("{device.name}"),
    NNC_ITEM("{device.peak_flops_per_s} {plan.precision}"),
    NNC_ITEM("{device.mem_bytes_per_s}"),
    NNC_ITEM("ridge {device.ridge_flops_per_byte:count} FLOP/B"),
    NNC_LINE("links", .when = "linked"),
    NNC_ITEM("{plan.cluster}"),
    NNC_ITEM("{scale_up} of {plan.devices_per_node} at {scale_up_bytes_per_s}",
             .when = "scale_up != none"),
    NNC_ITEM("network {scale_out_bytes_per_s} per device", .when = "leaves_node"),
    NNC_ITEM("oversubscribed {oversubscription} to 1", .when = "leaves_node, oversubscription > 1"),
    NNC_ITEM("host {host_bytes_per_s}", .when = "plan.offload != none"),

    NNC_LINE("plan"),
    NNC_ITEM("{plan.devices} devices = {degrees}", .when = "plan.devices > 1"),
    NNC_ITEM("expert {plan.expert}", .when = "plan.devices > 1, plan.expert > 1"),
    NNC_ITEM("sequence parallel", .when = "plan.devices > 1, plan.sequence_parallel"),
    NNC_ITEM("context by {plan.context_kind}", .when = "plan.devices > 1, plan.context > 1"),
    NNC_ITEM("ZeRO {plan.zero}{resharding}", .when = "plan.devices > 1, plan.zero > 0"),
    NNC_ITEM("sharded over {plan.shard} of {replicas} ranks",
             .when = "plan.devices > 1, plan.zero > 0, replicas > plan.shard"),
    NNC_ITEM("{plan.schedule}", .when = "plan.pipeline > 1"),
    NNC_ITEM("{plan.virtual_stages} virtual stages",
             .when = "plan.pipeline > 1, plan.virtual_stages > 1"),
    NNC_ITEM("ranks by {plan.rank_order}",
             .when = "plan.devices > 1, plan.rank_order != tensor-context-data-pipeline"),
    NNC_ITEM("offload {plan.offload}", .when = "plan.offload != none"),
    NNC_ITEM("overlap {plan.overlap:plain}"),
    NNC_ITEM("capacity factor {plan.capacity_factor:plain}", .when = "plan.capacity_factor > 0"),
    NNC_ITEM("imbalance {plan.imbalance:plain}", .when = "plan.imbalance > 1"),
    NNC_LINE("plan"),
    NNC_ADD(add_batch),
    NNC_ITEM("sequence {plan.seq_len}"),
    NNC_ITEM("image {plan.image}"),
    NNC_ITEM("{plan.precision}"),
    NNC_ITEM("policy {plan.policy}"),
    NNC_ITEM("{plan.optimizer}"),
    NNC_ITEM("{plan.attention} attention"),
    NNC_ITEM("recompute {recompute}"),
    NNC_ITEM("8-bit activation inputs", .when = "fp8_inputs"),
    NNC_ITEM("multi-token prediction", .when = "next_tokens"),
    NNC_ITEM("adapters of rank {adapter_rank} on {adapters} layers{dora}",
             .when = "adapter_rank > 0"),
    NNC_ITEM("trained {trained}", .when = "trained != all"),
    NNC_ITEM("frozen weights in {frozen}", .when = "trained != all"),
    NNC_ITEM("frozen weights in {frozen}", .when = "trained = all, adapter_rank > 0"),
    NNC_ITEM("software {plan.software}", .when = "!plan.software_chosen"),
    NNC_ITEM("software {plan.software} (chosen for this plan)", .when = "plan.software_chosen"),
    NNC_ITEM("mode {plan.mode}"),
    NNC_LINE("set"),
    NNC_ITEM("{plan.overrides}"),
};
static const nnc_page_rows subject_page = NNC_PAGE_ROWS(&page_metrics, subject_rows);

void nnc_sheet_launch(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_launch_said *said = report->launch;
    int32_t harmless = 0;
    if (said == NULL) {
        return;
    }
    for (int32_t i = 0; i < said->file_count; i++) {
        const nnc_source_file *file = &said->files[i];
        nnc_sheet_label(sheet, i == 0 ? "read" : "");
        nnc_sheet_words(sheet, "%s (%s): %s", file->file, file->format,
                        file->options[0] != '\0' ? file->options : "no options");
        nnc_sheet_end(sheet);
    }
    for (int32_t i = 0; i < said->ignored_count; i++) {
        const nnc_ignored_key *key = &said->ignored[i];
        harmless += key->skipped ? 0 : 1;
        if (key->skipped) {
            nnc_sheet_label(sheet, "skipped");
            nnc_sheet_words(sheet, "%s:%" PRId64 ": %s: %s", key->file, key->line, key->key,
                            key->why);
            nnc_sheet_end(sheet);
        }
    }
    if (harmless > 0) {
        nnc_sheet_label(sheet, "");
        nnc_sheet_words(sheet,
                        "%" PRId32 " other %s no effect on the estimate (--format json lists "
                        "them)",
                        harmless, harmless == 1 ? "key has" : "keys have");
        nnc_sheet_end(sheet);
    }
}

void nnc_sheet_subject(nnc_sheet *sheet, const nnc_report *report)
{
    nnc_sheet_rows(sheet, &subject_page, report);
    nnc_sheet_launch(sheet, report);
}

/* ---- sources ---- */

void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price)
{
    if (price != NULL && (price->where != NULL || price->date != NULL)) {
        nnc_sheet_words(sheet, "(%s%s%s)", price->where != NULL ? price->where : "",
                        price->where != NULL && price->date != NULL ? ", " : "",
                        price->date != NULL ? price->date : "");
    }
}

/* Sources differ by a factor of several, so each number names its own. */
void nnc_sheet_building(nnc_sheet *sheet, const void *record)
{
    const nnc_building *building = ((const nnc_report *)record)->building;
    if (building != NULL) {
        nnc_sheet_words(sheet, "(%s, %" PRId32 ": %s)", building->name, building->year,
                        building->source);
    }
}

void nnc_sheet_region(nnc_sheet *sheet, const void *record)
{
    const nnc_region *region = ((const nnc_report *)record)->region;
    if (region == NULL) {
        return;
    }
    char year[16] = "year not stated";
    if (region->year > 0) {
        snprintf(year, sizeof year, "%" PRId32, region->year);
    }
    nnc_sheet_words(sheet, "(%s, %s, location-based: %s)", region->name, year, region->source);
}
