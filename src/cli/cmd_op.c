/* nncost op: a single op on a device: work, roofline and time. */
#include <math.h>
#include <string.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "cli/views_internal.h"
#include "estimate/estimate_internal.h"
#include "input/input_internal.h"

typedef struct answer {
    nnc_single_op alone;
    const nnc_device *device;
} answer;

#define ALONE(member) NNC_IN(answer, alone.member)

static const nnc_metric op_rows[] = {
    NNC_AS("device", CHARS, NNC_VIA(answer, device), NNC_IN(nnc_device, id),
           .help = "Device that runs it."),
    NNC_AS("kind", TEXT, ALONE(kind), .help = "Kind of op."),
    NNC_AS("shape", CHARS, ALONE(shape), .help = "Its dims."),
    NNC_AS("precision", ENUM, ALONE(precision), .names = { nnc_dtype_name, NNC_DTYPE_COUNT },
           .help = "Format of its operands."),
    NNC_AS("flops", NUMBER, ALONE(flops), .unit = "FLOP", .help = "Work of the op."),
    NNC_AS("moved_bytes", NUMBER, ALONE(moved_bytes), .unit = "B",
           .help = "Bytes read and written; of a collective those one device sends."),
    NNC_AS("flops_per_byte", NUMBER, ALONE(flops_per_byte), .unit = "FLOP/B",
           .help = "Arithmetic intensity."),
    NNC_AS("ridge_flops_per_byte", NUMBER, ALONE(ridge_flops_per_byte), .unit = "FLOP/B",
           .help = "Intensity from which on the device computes longer than it reads."),
    NNC_AS("bound_s", NUMBER, ALONE(bound_s), .unit = "s",
           .help = "Time by the roofline, or by the links, at the rates of the datasheet."),
    NNC_AS("time_s", NUMBER, ALONE(time_s), .unit = "s",
           .help = "Predicted time, by the device's fitted parameters."),
    NNC_AS("compute_s", NUMBER, ALONE(compute_s), .unit = "s", .help = "Its compute part."),
    NNC_AS("memory_s", NUMBER, ALONE(memory_s), .unit = "s", .help = "Its memory part."),
    NNC_AS("fixed_s", NUMBER, ALONE(fixed_s), .unit = "s",
           .help = "Its fixed part, which does not depend on the size."),
    NNC_AS("network_s", NUMBER, ALONE(network_s), .unit = "s", .help = "Its network part."),
    NNC_AS("bound", ENUM, ALONE(bound), .names = { nnc_bound_name, NNC_BOUND_COUNT },
           .help = "Its bound."),
    NNC_AS("flops_per_s", NUMBER, ALONE(flops_per_s), .unit = "FLOP/s",
           .help = "Rate at the predicted time."),
    NNC_AS("bytes_per_s", NUMBER, ALONE(bytes_per_s), .unit = "B/s",
           .help = "Rate of moved bytes at the predicted time."),
    NNC_AS("peak_share", NUMBER, ALONE(peak_share),
           .help = "Time of the bound over predicted time."),
    NNC_AS("link", TEXT, ALONE(link), .help = "The slower link of a collective."),
};
static const nnc_metrics op_metrics = NNC_METRICS("one op", op_rows, answer);

static const nnc_page_row page_rows[] = {
    NNC_LINE("op"),
    NNC_BOLD("{kind}"),
    NNC_ITEM("{shape}"),
    NNC_ITEM("{precision} on {device}"),
    NNC_LINE("time"),
    NNC_BOLD("{time_s}"),
    NNC_ITEM("bound by {bound}", .when = "!link"),
    NNC_ITEM("bound by {bound}, {link}", .when = "link"),
    NNC_ITEM("at least {bound_s} at the rates of the datasheet, {peak_share:percent} of it"),
    NNC_LINE("work"),
    NNC_ITEM("{flops}"),
    NNC_ITEM("{moved_bytes} sent by each device", .when = "!flops"),
    NNC_ITEM("{moved_bytes} read and written", .when = "flops"),
    NNC_ITEM("{flops_per_byte}, ridge {ridge_flops_per_byte}", .when = "flops"),
    NNC_LINE("rate"),
    NNC_ITEM("{flops_per_s}"),
    NNC_ITEM("{bytes_per_s}"),
};
static const nnc_page_rows page = NNC_PAGE_ROWS(&op_metrics, page_rows);

static void write_page(nnc_buffer *out, nnc_style style, const void *record)
{
    nnc_sheet sheet = nnc_sheet_begin(out, style);
    nnc_sheet_rows(&sheet, &page, record);
}

const nnc_view nnc_op_view = { .schema = "nncost.op/1",
                               .document = &op_metrics,
                               .page = write_page };

/* "4096x4096x4096". Returns false when the text is no such list of whole numbers. */
static bool read_dims(const char *text, nnc_single_op *alone)
{
    char number[24];
    while (alone->dim_count < NNC_SINGLE_OP_DIMS_MAX) {
        const size_t length = strcspn(text, "x");
        if (length == 0 || length >= sizeof number) {
            return false;
        }
        memcpy(number, text, length);
        number[length] = '\0';
        double value = 0.0;
        if (!nnc_read_quantity(number, "", true, &value) || !(value >= 1.0 && value <= 1e9)) {
            return false;
        }
        alone->dims[alone->dim_count++] = (int64_t)value;
        text += length;
        if (*text == '\0') {
            return true;
        }
        text++;
    }
    return false;
}

/* Takes the options of a plan that a single op has; refuses the others. */
static nnc_status read_settings(const nnc_scenario_args *given, nnc_plan *plan, nnc_error *err)
{
    static const char *const known[] = { "precision", "devices", "devices_per_node", NULL };
    if (given->software != NULL || given->cluster != NULL || given->set_count > 0) {
        return nnc_fail(err, NNC_BAD_USAGE,
                        given->software != NULL  ? "--software"
                        : given->cluster != NULL ? "--cluster"
                                                 : "--set",
                        "no option of a single op, expected --precision, --devices or "
                        "--devices-per-node");
    }
    for (int i = 0; i < given->setting_count; i++) {
        const nnc_setting *setting = &given->settings[i];
        int n = 0;
        while (known[n] != NULL && strcmp(known[n], setting->field->name) != 0) {
            n++;
        }
        char name[NNC_OPTION_NAME];
        nnc_option_name(setting->field->name, name);
        if (known[n] == NULL) {
            return nnc_fail(err, NNC_BAD_USAGE, name,
                            "no option of a single op, expected --precision, --devices or "
                            "--devices-per-node");
        }
        const nnc_status status =
            nnc_field_set(&nnc_plan_table, plan, setting->field->name, setting->value, err);
        if (status != NNC_OK) {
            snprintf(err->where, sizeof err->where, "%s", name);
            return status;
        }
    }
    return NNC_OK;
}

static nnc_status find_precision(const nnc_device *device, nnc_plan *plan, nnc_error *err)
{
    static const nnc_dtype preferred[] = { NNC_BF16, NNC_FP16, NNC_FP32 };
    for (int i = 0; i < 3 && plan->precision == NNC_DTYPE_COUNT; i++) {
        if (!isnan(nnc_device_matmul_peak(device, preferred[i]))) {
            plan->precision = preferred[i];
        }
    }
    if (plan->precision == NNC_DTYPE_COUNT ||
        isnan(nnc_device_matmul_peak(device, plan->precision))) {
        return nnc_fail(err, NNC_BAD_USAGE, "--precision",
                        "%s has no peak of this format, expected another", device->id);
    }
    return NNC_OK;
}

static nnc_status run(nnc_session *session, nnc_error *err)
{
    char **operands = session->options.operands;
    nnc_plan plan = nnc_plan_default();
    answer a = { .alone = { .kind = operands[0] } };
    NNC_TRY(read_settings(&session->options.given, &plan, err));
    NNC_TRY(nnc_device_load(session->specs, operands[2], &a.device, err));
    NNC_TRY(find_precision(a.device, &plan, err));
    a.alone.precision = plan.precision;
    a.alone.devices = plan.devices;
    a.alone.devices_per_node = plan.devices_per_node;
    const bool sized = read_dims(operands[1], &a.alone);
    if (!sized && !nnc_read_quantity(operands[1], "B", false, &a.alone.bytes)) {
        return nnc_fail(err, NNC_BAD_USAGE, "DIMS",
                        "wrong size, expected numbers joined by x, or bytes, found \"%.40s\"",
                        operands[1]);
    }
    if (sized && a.alone.dim_count == 1) {
        a.alone.bytes = (double)a.alone.dims[0];
    }
    NNC_TRY(nnc_single_op_time(a.device, &a.alone, err));
    nnc_view_write(session->out, session->style, &nnc_op_view, &a);
    return NNC_OK;
}

const nnc_command nnc_cmd_op = {
    .name = "op",
    .operands = "KIND DIMS DEVICE",
    .summary = "A single op: its work, its roofline and the time it takes.",
    .notes = "KIND and DIMS: matmul [BATCHx]MxNxK, attention BATCHxHEADSxTOKENSxWIDTH[xKV_HEADS] "
             "(causal, one kernel), conv BATCHxINxHEIGHTxWIDTHxOUTxKERNEL (stride 1), or a "
             "collective with the bytes of the whole tensor and --devices: all-reduce, all-gather, "
             "reduce-scatter, all-to-all, broadcast, p2p. Forward only; the rest of a plan does "
             "not apply.",
    .min_operands = 3,
    .max_operands = 3,
    .takes = NNC_TAKES_COMMON | NNC_TAKES_PLAN,
    .run = run,
};
