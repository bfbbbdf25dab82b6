/* JSON Schemas of what commands print, from the tables that they print by. */
#include <string.h>

#include "cli/compare/compare_view.h"
#include "cli/docs.h"
#include "cli/estimate/estimate_view.h"
#include "cli/lab/accuracy_view.h"
#include "cli/lab/calibration_view.h"
#include "cli/record/check_view.h"
#include "cli/run/run_view.h"
#include "cli/schema_writer.h"
#include "cli/search/buyer_view.h"
#include "cli/search/scale_view.h"
#include "cli/search/search_view.h"
#include "cli/serve/serve_images_view.h"
#include "cli/serve/serve_search_view.h"
#include "cli/serve/serve_sweep_view.h"
#include "cli/serve/serve_view.h"
#include "input/field.h"
#include "sweep/sweep.h"

static const char comment[] = "Written by 'nncost docs schema'. Later versions may add members.";

/* What a command prints; view NULL: the lines of a sweep. */
static const struct {
    const char *name, *title;
    const nnc_view *view;
} outputs[] = {
    { "estimate", "nncost estimate --format json", &nnc_estimate_view },
    { "ops", "nncost ops --format json", &nnc_ops_output },
    { "op", "nncost op --format json", &nnc_op_view },
    { "compare", "nncost compare --format json", &nnc_comparison_view },
    { "run", "nncost run --format json", &nnc_run_view },
    { "serve", "nncost serve --format json", &nnc_serve_view },
    { "serve-sweep", "nncost sweep --serve --format json", &nnc_serve_sweep_view },
    { "images", "nncost serve --steps --format json", &nnc_images_view },
    { "images-sweep", "nncost sweep --serve --steps --format json", &nnc_images_sweep_view },
    { "serve-search", "nncost search --serve --format json", &nnc_serve_search_view },
    { "budget", "nncost budget --format json", &nnc_budget_view },
    { "search", "nncost search --format json", &nnc_search_output },
    { "choices", "nncost search of several devices --format json", &nnc_choices_view },
    { "scale", "nncost scale --format json", &nnc_scale_view },
    { "sweep", "One line of nncost sweep --format json", NULL },
    { "check", "nncost check --format json", &nnc_check_output },
    { "diff", "nncost diff --format json", &nnc_diff_output },
    { "accuracy", "nncost accuracy --format json", &nnc_accuracy_view },
    { "calibrate", "nncost calibrate --format json", &nnc_calibration_view },
};

const char *nnc_docs_output_name(int index)
{
    return index < (int)(sizeof outputs / sizeof outputs[0]) ? outputs[index].name : NULL;
}

const char *nnc_docs_output_title(int index)
{
    return outputs[index].title;
}

const nnc_metrics *nnc_docs_output_metrics(int index)
{
    return outputs[index].view != NULL ? outputs[index].view->document : &nnc_sweep_own_metrics;
}

/* A member of the plan is described by the plan's own table. */
static void put_description(nnc_buffer *out, const nnc_metric *row)
{
    const char *help = row->help == NULL && row->name != NULL
                           ? nnc_field_help(&nnc_plan_table, row->name)
                           : row->help;
    nnc_buffer text = { 0 };
    if (help != NULL) {
        nnc_buffer_print(&text, "%s%s%s%s", help, row->unit != NULL ? " Unit: " : "",
                         row->unit != NULL ? row->unit : "", row->unit != NULL ? "." : "");
        nnc_buffer_byte(&text, '\0');
        nnc_buffer_text(out, "\"description\": ");
        nnc_put_json_text(out, text.failed ? "" : text.bytes);
        nnc_buffer_text(out, ", ");
        out->failed = out->failed || text.failed;
        nnc_buffer_free(&text);
    }
}

/* The type of one value; what is worked out, or behind a pointer, may not be there. */
static void put_type(nnc_buffer *out, const nnc_metric *row)
{
    const bool open = row->get != NULL || row->hop > 0 || row->blank_zero;
    const char *type = row->type == NNC_METRIC_NUMBER  ? "number"
                       : row->type == NNC_METRIC_WHOLE ? "integer"
                       : row->type == NNC_METRIC_BOOL  ? "boolean"
                                                       : "string";
    switch (row->type) {
    case NNC_METRIC_ANY:
        nnc_buffer_text(out, "\"type\": [\"number\", \"string\", \"boolean\", \"null\"]");
        break;
    case NNC_METRIC_ENUM:
        nnc_buffer_text(out, "\"enum\": [");
        for (int i = 0; i < row->names.count; i++) {
            nnc_buffer_text(out, i > 0 ? ", " : "");
            nnc_put_json_text(out, row->names.of((unsigned)i));
        }
        nnc_buffer_byte(out, ']');
        break;
    case NNC_METRIC_NUMBER:
    case NNC_METRIC_TEXT: nnc_buffer_print(out, "\"type\": [\"%s\", \"null\"]", type); break;
    default:
        nnc_buffer_print(out, open ? "\"type\": [\"%s\", \"null\"]" : "\"type\": \"%s\"", type);
        break;
    }
}

static void put_leaf(nnc_schema_writer *to, const char *key, const nnc_metric *row)
{
    nnc_schema_key(to, key);
    nnc_buffer_text(to->out, "{ ");
    put_description(to->out, row);
    put_type(to->out, row);
    nnc_buffer_text(to->out, " }");
}

static void put_object(nnc_schema_writer *to, const nnc_metrics *metrics, const char *schema);

/* Starts a member that spans lines, with its description. */
static void open_member(nnc_schema_writer *to, const nnc_metric *row, const char *type, bool null)
{
    nnc_schema_open(to, row->name);
    nnc_buffer_byte(to->out, '\n');
    nnc_buffer_blanks(to->out, 2 * to->depth);
    put_description(to->out, row);
    nnc_buffer_print(to->out, null ? "\"type\": [\"%s\", \"null\"]" : "\"type\": \"%s\"", type);
    to->first = false;
}

/* Values that have names are an object's members, others a list. */
static void put_array(nnc_schema_writer *to, const nnc_metric *row)
{
    open_member(to, row, nnc_metric_rare(row)->each != NULL ? "object" : "array", false);
    if (nnc_metric_rare(row)->each == NULL) {
        nnc_schema_key(to, "items");
        nnc_buffer_text(to->out, "{ ");
        put_type(to->out, row);
        nnc_buffer_text(to->out, " }");
    } else {
        nnc_schema_open(to, "properties");
        for (int32_t i = 0; i < row->each_count; i++) {
            const nnc_metric value = { .type = row->type };
            put_leaf(to, nnc_metric_rare(row)->each((unsigned)i), &value);
        }
        nnc_schema_close(to);
    }
    nnc_schema_close(to);
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void put_list(nnc_schema_writer *to, const nnc_metric *row)
{
    open_member(to, row, "array", row->null_empty);
    if (row->type == NNC_METRIC_TEXTS) {
        nnc_schema_member(to, "items", "{ \"type\": \"string\" }");
    } else if (nnc_metric_rare(row)->others == NULL) {
        nnc_schema_open(to, "items");
        put_object(to, row->rows, NULL);
        nnc_schema_close(to);
    } else {
        nnc_schema_open(to, "items");
        nnc_schema_key(to, "anyOf");
        const nnc_metrics *metrics = row->rows;
        for (int i = -1; metrics != NULL; metrics = nnc_metric_rare(row)->others[++i]) {
            nnc_buffer_text(to->out, i < 0 ? "[{" : ", {");
            to->depth++;
            to->first = true;
            put_object(to, metrics, NULL);
            nnc_schema_close(to);
        }
        nnc_buffer_byte(to->out, ']');
        nnc_schema_close(to);
    }
    nnc_schema_close(to);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_members(nnc_schema_writer *to, const nnc_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->type == NNC_METRIC_OBJECT && row->name == NULL) {
            put_members(to, row->rows);
        } else if (row->name == NULL) {
            continue;
        } else if (row->type == NNC_METRIC_OBJECT) {
            open_member(to, row, "object", nnc_metric_rare(row)->unless != NULL);
            put_object(to, row->rows, NULL);
            nnc_schema_close(to);
        } else if (row->type == NNC_METRIC_LIST || row->type == NNC_METRIC_TEXTS) {
            put_list(to, row);
        } else if (row->each_count > 0) {
            put_array(to, row);
        } else {
            put_leaf(to, row->name, row);
        }
    }
}

/* Names of the members that are always there. NOLINTNEXTLINE(misc-no-recursion) */
static void put_required(nnc_buffer *out, const nnc_metrics *metrics, int *count)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->type == NNC_METRIC_OBJECT && row->name == NULL) {
            put_required(out, row->rows, count);
        } else if (row->name != NULL && nnc_metric_rare(row)->when == NULL) {
            nnc_buffer_text(out, (*count)++ > 0 ? ", " : "");
            nnc_put_json_text(out, row->name);
        }
    }
}

/* What an object requires and has; schema: of a document, NULL inside one. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_object(nnc_schema_writer *to, const nnc_metrics *metrics, const char *schema)
{
    int count = 0;
    nnc_schema_key(to, "required");
    nnc_buffer_byte(to->out, '[');
    if (schema != NULL) {
        nnc_put_json_text(to->out, "schema");
        count++;
    }
    put_required(to->out, metrics, &count);
    nnc_buffer_byte(to->out, ']');
    nnc_schema_open(to, "properties");
    if (schema != NULL) {
        nnc_schema_key(to, "schema");
        nnc_buffer_text(to->out, "{ \"const\": ");
        nnc_put_json_text(to->out, schema);
        nnc_buffer_text(to->out, " }");
    }
    put_members(to, metrics);
    nnc_schema_close(to);
}

/* Any metric of an estimate under its name in full, and fields of plan, model and device. */
static nnc_status put_columns(nnc_schema_writer *to)
{
    nnc_columns columns;
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status =
        arena != NULL ? nnc_columns_of(&nnc_estimate_metrics, arena, &columns) : NNC_NO_MEMORY;
    nnc_schema_open(to, "properties");
    put_members(to, &nnc_sweep_own_metrics);
    for (int32_t i = 0; status == NNC_OK && i < columns.count; i++) {
        nnc_metric row = *columns.list[i].metric;
        row.hop = row.type == NNC_METRIC_WHOLE ? 1 : row.hop; /* a plan that is illegal has none */
        put_leaf(to, columns.list[i].name, &row);
    }
    nnc_schema_close(to);
    nnc_schema_member(to, "patternProperties",
                      "{ \"^(plan|model|device)\\\\.\": { \"description\": \"A field.\", \"type\": "
                      "[\"number\", \"string\", \"boolean\", \"null\"] } }");
    nnc_arena_destroy(arena);
    return status;
}

nnc_status nnc_docs_output_schema(nnc_buffer *out, int index)
{
    const nnc_view *view = outputs[index].view;
    nnc_status status = NNC_OK;
    nnc_schema_writer to = nnc_schema_begin(out, comment, outputs[index].title);
    nnc_schema_member(&to, "type", "\"object\"");
    if (view != NULL) {
        put_object(&to, view->document, view->schema);
    } else {
        status = put_columns(&to);
    }
    nnc_schema_end(&to);
    return status;
}
