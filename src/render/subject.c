#include "render/subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/text.h"

/* "a100 = a100-sxm4-80gb" where an alias or a path was given, else the id. */
static void subject_id(nnc_sheet *sheet, const char *label, const char *asked, const char *id)
{
    nnc_sheet_label(sheet, label);
    if (asked == NULL || strcmp(asked, id) == 0) {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s", id);
    } else {
        nnc_sheet_item(sheet, NNC_INK_STRONG, "%s = %s", asked, id);
    }
}

/* "data 2 x tensor 8 x pipeline 8": the degrees that are on. */
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

static void write_sharding(nnc_sheet *sheet, const nnc_plan *plan)
{
    if (plan->expert > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "expert %" PRId32, plan->expert);
    }
    if (plan->sequence_parallel) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "sequence parallel");
    }
    if (plan->context > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "context by %s",
                       nnc_context_kind_name(plan->context_kind));
    }
    if (plan->zero > 0) {
        const int32_t replicas = plan->data * plan->context;
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "ZeRO %" PRId32 "%s", plan->zero,
                       plan->zero == 3 && !plan->reshard ? " without resharding" : "");
        if (plan->shard < replicas) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "sharded over %" PRId32 " of %" PRId32 " ranks",
                           plan->shard, replicas);
        }
    }
    if (plan->pipeline > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_schedule_name(plan->schedule));
        if (plan->virtual_stages > 1) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId32 " virtual stages",
                           plan->virtual_stages);
        }
    }
}

/* What is done on several devices, or with the host; nothing on one alone. */
static void write_cluster(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_plan *plan = &report->result->plan;
    char text[128];
    nnc_sheet_label(sheet, "plan");
    if (plan->devices > 1) {
        degrees_text(plan, text, sizeof text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%" PRId32 " devices = %s", plan->devices, text);
        write_sharding(sheet, plan);
        if (plan->rank_order != NNC_ORDER_TENSOR_CONTEXT_DATA_PIPELINE) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "ranks by %s",
                           nnc_rank_order_name(plan->rank_order));
        }
    }
    if (plan->offload != 0) {
        nnc_offload_text(plan->offload, text, sizeof text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "offload %s", text);
    }
    if (!isnan(plan->overlap)) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "overlap %s", nnc_number_text(plan->overlap, text));
    }
    if (plan->capacity_factor > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "capacity factor %s",
                       nnc_number_text(plan->capacity_factor, text));
    }
    if (plan->imbalance > 1) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "imbalance %s",
                       nnc_number_text(plan->imbalance, text));
    }
    if (sheet->items > 0) {
        nnc_sheet_end(sheet);
        nnc_sheet_label(sheet, "");
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

/* "batch 256 = 4 micro-batches of 2 x data 32". */
static void write_batch(nnc_sheet *sheet, const nnc_plan *plan)
{
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

/* What is trained, unless that is all. */
static void write_trained(nnc_sheet *sheet, const nnc_plan *plan)
{
    char text[128];
    if (plan->train == NNC_TRAIN_ALL && plan->adapter_rank == 0) {
        return;
    }
    if (plan->adapter_rank > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "adapters of rank %" PRId64 " beside %s layers%s",
                       plan->adapter_rank, nnc_adapted_name(plan->adapters),
                       plan->dora ? " (DoRA)" : "");
    }
    if (plan->train != NNC_TRAIN_ALL) {
        nnc_train_text(plan->train, text, sizeof text);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "trained %s", text);
    }
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "frozen weights in %s", nnc_frozen_name(plan->frozen));
}

static void write_plan(nnc_sheet *sheet, const nnc_report *report)
{
    const nnc_plan *plan = &report->result->plan;
    char text[128];
    write_cluster(sheet, report);
    write_batch(sheet, plan);
    if (plan->seq_len > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "sequence %" PRId64, plan->seq_len);
    }
    if (plan->image > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "image %" PRId64, plan->image);
    }
    recompute_text(plan, text, sizeof text);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_dtype_name(plan->precision));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "policy %s", nnc_policy_name(plan->policy));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_optimizer_name(plan->optimizer));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s attention", nnc_attention_name(plan->attention));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "recompute %s%s", text,
                   plan->fp8_inputs ? ", 8-bit activation inputs" : "");
    if (plan->next_tokens) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "tokens further on");
    }
    write_trained(sheet, plan);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "software %s%s", report->software->id,
                   report->software_chosen ? " (chosen for this plan)" : "");
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "mode %s", nnc_mode_name(plan->mode));
    nnc_sheet_end(sheet);
}

/* The links that several devices exchange over. */
static void write_links(nnc_sheet *sheet, const nnc_report *report)
{
    char text[NNC_NUMBER_TEXT];
    const nnc_device *device = report->device;
    const nnc_plan *plan = &report->result->plan;
    nnc_sheet_label(sheet, "links");
    if (report->cluster != NULL) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", report->cluster);
    }
    if (device->scale_up.kind != NNC_LINK_NONE) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s of %" PRId32 " at %s",
                       nnc_link_kind_name(device->scale_up.kind), plan->devices_per_node,
                       nnc_unit_text(device->scale_up.bytes_per_s, "B/s", text));
    }
    if (device->scale_up.kind == NNC_LINK_NONE || plan->devices > plan->devices_per_node) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "network %s per device",
                       nnc_unit_text(device->scale_out.bytes_per_s, "B/s", text));
        if (device->scale_out.oversubscription > 1) {
            nnc_sheet_item(sheet, NNC_INK_PLAIN, "oversubscribed %s to 1",
                           nnc_number_text(device->scale_out.oversubscription, text));
        }
    }
    if (plan->offload != 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "host %s",
                       nnc_unit_text(device->host.bytes_per_s, "B/s", text));
    }
    nnc_sheet_end(sheet);
}

/* The launch files, the options that each stands for, and the keys that --lenient skipped. */
static void write_launch(nnc_sheet *sheet, const nnc_launch_said *said)
{
    int32_t harmless = 0;
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
    char a[NNC_NUMBER_TEXT], b[NNC_NUMBER_TEXT];
    const nnc_result *result = report->result;
    const nnc_device *device = report->device;

    subject_id(sheet, "model", report->model_asked, report->model->id);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", report->model->name);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_family_name(report->model->family));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s parameters",
                   nnc_count_text((double)result->params, a));
    if (result->active_params != result->params) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s active per token",
                       nnc_count_text((double)result->active_params, a));
    }
    if (result->next_params > 0) {
        const int64_t layers = report->model->decoder.next_layers;
        snprintf(b, sizeof b, "%" PRId64 " layers that predict", layers);
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "without the %s tokens further on (+%s)",
                       layers == 1 ? "layer that predicts" : b,
                       nnc_count_text((double)result->next_params, a));
    }
    if (nnc_padded_rows(report) > 0) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN,
                       "vocabulary padded to %s rows for %" PRId32 " tensor ranks",
                       nnc_count_text((double)nnc_padded_rows(report), a), result->plan.tensor);
    }
    if (result->trained_params != result->params) {
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s trained",
                       nnc_count_text((double)result->trained_params, a));
    }
    nnc_sheet_end(sheet);
    for (int32_t i = 0; i < report->model->note_count; i++) {
        nnc_sheet_label(sheet, i == 0 ? "noted" : "");
        nnc_sheet_words(sheet, "%s", report->model->notes[i]);
        nnc_sheet_end(sheet);
    }

    subject_id(sheet, "device", report->device_asked, device->id);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", device->name);
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s %s",
                   nnc_unit_text(result->peak_flops_per_s, "FLOP/s", a),
                   nnc_dtype_name(result->plan.precision));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", nnc_unit_text(device->mem_bytes_per_s, "B/s", a));
    nnc_sheet_item(sheet, NNC_INK_PLAIN, "ridge %s FLOP/B",
                   nnc_count_text(result->ridge_flops_per_byte, b));
    nnc_sheet_end(sheet);

    if (result->plan.devices > 1 || report->cluster != NULL) {
        write_links(sheet, report);
    }
    write_plan(sheet, report);
    if (report->overrides != NULL) {
        nnc_sheet_label(sheet, "set");
        nnc_sheet_item(sheet, NNC_INK_PLAIN, "%s", report->overrides);
        nnc_sheet_end(sheet);
    }
    if (report->launch != NULL) {
        write_launch(sheet, report->launch);
    }
}

void nnc_sheet_price(nnc_sheet *sheet, const nnc_price *price)
{
    if (price != NULL && (price->where != NULL || price->date != NULL)) {
        nnc_sheet_words(sheet, "(%s%s%s)", price->where != NULL ? price->where : "",
                        price->where != NULL && price->date != NULL ? ", " : "",
                        price->date != NULL ? price->date : "");
    }
}

/* Sources differ by a factor: no figure without its own. */
void nnc_sheet_building(nnc_sheet *sheet, const nnc_building *building)
{
    if (building != NULL) {
        nnc_sheet_words(sheet, "(%s, %" PRId32 ": %s)", building->name, building->year,
                        building->source);
    }
}

void nnc_sheet_region(nnc_sheet *sheet, const nnc_region *region)
{
    if (region == NULL) {
        return;
    }
    char year[16] = "year not stated";
    if (region->year > 0) {
        snprintf(year, sizeof year, "%" PRId32, region->year);
    }
    nnc_sheet_words(sheet, "(%s, %s, location-based: %s)", region->name, year, region->source);
}
