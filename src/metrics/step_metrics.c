/* What an estimate says of the step: its work, its time, its throughput. */
#include <math.h>

#include "metrics/report.h"

static const char roofline_paper[] = "Williams, Waterman, Patterson, CACM 52(4), 2009";

/* ---- work ---- */

static const nnc_metric work_rows[] = {
    NNC_NUMBER(
        nnc_result, forward_flops, .unit = "FLOP",
        .help = "Matrix products and convolutions of the forward passes of one step over all "
                "devices, attention over all pairs.",
        .more = NNC_MORE(
                .source =
                    "2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per "
                    "convolution")),
    NNC_NUMBER(
        nnc_result, backward_flops, .unit = "FLOP",
        .help = "The same backward: one product for the gradient of the input, one for that of the "
                "weight.",
        .more = NNC_MORE(
                .source =
                    "the mathematics: twice forward, less the gradients of inputs that need none")),
    NNC_NUMBER(nnc_result, recompute_flops, .unit = "FLOP",
               .help = "What is computed again in backward, in the convention of model_flops."),
    NNC_NUMBER(
        nnc_result, model_flops, .unit = "FLOP",
        .help = "What the mathematics of one step asks for, by flops_convention.",
        .more =
            NNC_MORE(.source =
                         "palm: arXiv:2204.02311 appendix B, of a window its width; causal: pairs "
                         "under the mask; 6nd: "
                         "arXiv:2001.08361")),
    NNC_NUMBER(nnc_result, causal_flops, .unit = "FLOP",
               .help = "What it asks for with attention over the pairs under the mask.",
               .more = NNC_MORE(.source = "arXiv:2307.08691")),
    NNC_NUMBER(nnc_result, hardware_flops, .unit = "FLOP",
               .help =
                   "Model FLOPs and what is computed again in backward, in the same convention.",
               .more = NNC_MORE(.source = "arXiv:2205.05198 section 5")),
    NNC_NUMBER(
        nnc_result, executed_flops, .full = true, .unit = "FLOP",
        .help = "What kernels run on the matrix units: fused attention leaves masked pairs out and "
                "recomputes its scores in backward.",
        .more = NNC_MORE(.source = "arXiv:2307.08691; only executed work takes time")),
    NNC_NUMBER(nnc_result, vector_flops, .full = true, .unit = "FLOP",
               .help = "What kernels run on the vector units."),
    NNC_NUMBER(nnc_result, six_nd_flops, .unit = "FLOP",
               .help =
                   "The rule of thumb: 2 FLOPs forward and 4 backward per token and parameter that "
                   "sits in a matrix product.",
               .more = NNC_MORE(.source = "arXiv:2001.08361")),
    NNC_AS("flops_convention", ENUM, NNC_IN(nnc_result, plan.flops_convention),
           .names = { nnc_flops_convention_name, NNC_CONVENTION_COUNT },
           .help = "What model FLOPs count of attention."),
    NNC_NUMBER(nnc_result, read_bytes, .full = true, .unit = "B",
               .help =
                   "Bytes that one device of the busiest stage reads from its memory in a step."),
    NNC_NUMBER(nnc_result, write_bytes, .full = true, .unit = "B",
               .help =
                   "Bytes that one device of the busiest stage writes to its memory in a step."),
    NNC_NUMBER(nnc_result, input_bytes, .unit = "B",
               .help = "Training data of one step: token ids or images."),
    NNC_WHOLE(nnc_result, tokens, .blank_zero = true, .show = NNC_SHOW_COUNT,
              .help = "Tokens of one step; null for images."),
};
const nnc_metrics nnc_work_metrics = NNC_METRICS("work of the step", work_rows, nnc_result);

/* ---- step ---- */

static const char step_s[] = "step.step_s";

NNC_GET(get_launch_advice, nnc_result, nnc_text_cell(nnc_launch_advice(self)))

static const nnc_metric step_rows[] = {
    NNC_NUMBER(nnc_result, step_s, .unit = "s", .help = "One optimizer step: the sum of its parts.",
               .more = NNC_MORE(.source = "each op by the roofline model: Williams, Waterman, "
                                          "Patterson, CACM 52(4), 2009")),
    NNC_NUMBER(nnc_result, interval_s, .full = true, .each_count = 2, .unit = "s",
               .help = "Where about nine of ten measurements fall."),
    NNC_NUMBER(
        nnc_result, lower_bound_s, .full = true, .unit = "s",
        .help = "No implementation is faster: the busiest engine at its datasheet rate, everything "
                "else overlapped with it, norms and pointwise ops fused away.",
        .more = NNC_MORE(.source = roofline_paper)),
    NNC_NUMBER(nnc_result, upper_bound_s, .full = true, .unit = "s",
               .help = "The rates of step_s with nothing overlapping.",
               .more = NNC_MORE(.source = roofline_paper)),
    NNC_NUMBER(nnc_result, forward_s, .head = "forward", .unit = "s",
               .help = "Forward passes of the busiest stage.", .more = NNC_MORE(.part_of = step_s)),
    NNC_NUMBER(nnc_result, backward_s, .head = "backward", .unit = "s",
               .help = "Backward passes of the busiest stage, without recomputation.",
               .more = NNC_MORE(.part_of = step_s)),
    NNC_NUMBER(nnc_result, recompute_s, .head = "recompute", .unit = "s",
               .help = "Forward work done again in backward.", .more = NNC_MORE(.part_of = step_s)),
    NNC_NUMBER(nnc_result, update_s, .head = "update", .unit = "s",
               .help = "The optimizer's update.", .more = NNC_MORE(.part_of = step_s)),
    NNC_NUMBER(nnc_result, exposed_comm_s, .head = "exposed", .unit = "s",
               .help = "Communication between ranks and with the host that no compute overlaps.",
               .more = NNC_MORE(.part_of = step_s,
                                .source = "arXiv:2104.04473, arXiv:1910.02054, arXiv:2006.15704")),
    NNC_NUMBER(
        nnc_result, bubble_s, .head = "bubble", .unit = "s",
        .help = "What the busiest stage waits, by replaying the schedule with every stage's own "
                "times.",
        .more =
            NNC_MORE(.part_of = step_s,
                     .source =
                         "arXiv:1811.06965, arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437")),
    NNC_NUMBER(nnc_result, host_s, .head = "host", .unit = "s",
               .help = "What issuing the ops adds to the device's own time.",
               .more = NNC_MORE(.part_of = step_s, .source = "docs/formulas.md, launch")),
    NNC_AS("exposed_comm", NUMBER, NNC_IN(nnc_result, exposed_s), .each_count = NNC_COMM_COUNT,
           .unit = "s", .help = "exposed_comm_s by the ranks that communicate.",
           .more = NNC_MORE(.each = nnc_comm_name)),
    NNC_AS("communication", NUMBER, NNC_IN(nnc_result, communication_s), .full = true,
           .each_count = NNC_COMM_COUNT, .unit = "s",
           .help = "Communication by the ranks that communicate, overlapped or not.",
           .more = NNC_MORE(.each = nnc_comm_name)),
    NNC_NUMBER(nnc_result, bubble_ratio, .show = NNC_SHOW_PERCENT,
               .help = "The bubble over the busy time of the stage.",
               .more = NNC_MORE(.source = "arXiv:2104.04473 section 2.2")),
    NNC_NUMBER(nnc_result, bubble_share, .show = NNC_SHOW_PERCENT,
               .help = "The bubble over the step."),
    NNC_NUMBER(nnc_result, idle_share, .full = true, .show = NNC_SHOW_PERCENT,
               .help = "What a stage waits of the step, in the mean of all stages."),
    NNC_WHOLE(nnc_result, stage, .help = "The busiest pipeline stage, from 0."),
    NNC_NAMED(
        nnc_result, bound, nnc_bound_name, NNC_BOUND_COUNT, .full = true,
        .help =
            "What takes the largest part of the step: compute, memory, network, host or bubble."),
    NNC_NAMED(nnc_result, next_bound, nnc_bound_name, NNC_BOUND_COUNT, .full = true,
              .help = "What takes the second largest part."),
    NNC_NUMBER(
        nnc_result, bound_s, .full = true, .each_count = NNC_BOUND_COUNT, .unit = "s",
        .help = "Step time by what bounds the ops that take it, by what issuing them adds, and by "
                "waiting in the pipeline; they add up to step_s, but in ideal mode, where they "
                "overlap.",
        .more = NNC_MORE(.each = nnc_bound_name)),
    NNC_NUMBER(nnc_result, step_without_bound_s, .full = true, .unit = "s",
               .help = "The step, computed again, if what bounds it were no limit."),
    NNC_AS("advice", TEXT, .get = get_launch_advice, .full = true,
           .help = "What to do where issuing ops takes the largest part; null elsewhere."),
};
const nnc_metrics nnc_step_metrics = NNC_METRICS("time of the step", step_rows, nnc_result);

/* ---- throughput ---- */

NNC_GET(get_tokens_per_s, nnc_result,
        nnc_number_cell(self->tokens > 0 ? self->tokens_per_s : (double)NAN))

NNC_GET(get_tokens_per_s_per_device, nnc_result,
        nnc_number_cell(self->tokens > 0 ? self->tokens_per_s_per_device : (double)NAN))

static const nnc_metric throughput_rows[] = {
    NNC_NUMBER(nnc_result, samples_per_s, .help = "Sequences or images trained on per second."),
    NNC_AS("tokens_per_s", NUMBER, .get = get_tokens_per_s,
           .help = "Tokens trained on per second; null for images."),
    NNC_AS("tokens_per_s_per_device", NUMBER, .get = get_tokens_per_s_per_device,
           .help = "Tokens trained on per second and device; null for images."),
    NNC_NUMBER(nnc_result, model_flops_per_s_per_device, .unit = "FLOP/s",
               .help = "Model FLOPs per second and device."),
    NNC_NUMBER(nnc_result, mfu, .show = NNC_SHOW_PERCENT,
               .help = "Model FLOPs utilisation: the share of the peak that the mathematics needs.",
               .more = NNC_MORE(.source = "arXiv:2204.02311 appendix B")),
    NNC_NUMBER(nnc_result, causal_mfu, .show = NNC_SHOW_PERCENT,
               .help = "The same of the pairs that the mask leaves, in every convention: what "
                       "kernels can reach, at most 1.",
               .more = NNC_MORE(.source = "arXiv:2307.08691")),
    NNC_NUMBER(nnc_result, hfu, .show = NNC_SHOW_PERCENT,
               .help = "Hardware FLOPs utilisation: the same with recomputation.",
               .more = NNC_MORE(.source = "arXiv:2205.05198 section 5")),
};
const nnc_metrics nnc_throughput_metrics =
    NNC_METRICS("throughput of the step", throughput_rows, nnc_result);
