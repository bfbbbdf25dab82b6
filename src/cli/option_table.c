#include "cli/option_table.h"

#include <stddef.h>

#include <nncost/search.h>

#include "cli/estimate/estimate_view.h"

/* Where the value of an option goes. */
#define SWITCH(member)                                        \
    {                                                         \
        NNC_PLACE_SWITCH, offsetof(nnc_options, member), 0, 0 \
    }
#define WORD(member)                                        \
    {                                                       \
        NNC_PLACE_WORD, offsetof(nnc_options, member), 0, 0 \
    }
#define WORDS(list, count)                                                          \
    {                                                                               \
        NNC_PLACE_WORDS, offsetof(nnc_options, list), offsetof(nnc_options, count), \
            sizeof(((nnc_options *)0)->list) / sizeof(const char *)                 \
    }

const nnc_own_option nnc_own_options[] = {
    { "cluster", "FILE", "Links between the devices, in place of those of the device file.",
      "Parallelism", NNC_TAKES_PLAN | NNC_TAKES_SERVE, WORD(given.cluster), 0, NULL, 0 },
    { "software", "PROFILE",
      "Implementation profile: which kernels are fused, what each keeps, what hides. 'any' chooses "
      "by plan and lets a search offer what no framework of the profile has "
      "[chosen for the plan and the device; to serve: vllm].",
      "Numbers", NNC_TAKES_PLAN | NNC_TAKES_SERVE | NNC_TAKES_CALIBRATE, WORD(given.software), 0,
      NULL, 0 },
    { "seller", "NAME",
      "Seller whose prices count: a file in prices/, such as aws, or a path "
      "[the device file's newest].",
      "Numbers", NNC_TAKES_SCENARIO | NNC_TAKES_BUDGET | NNC_TAKES_SERVE, WORD(given.seller), 0,
      NULL, 0 },
    { "offer", "KIND", "On what terms the seller rents the devices [on-demand].", "Numbers",
      NNC_TAKES_SCENARIO | NNC_TAKES_BUDGET | NNC_TAKES_SERVE, WORD(given.offer), 0, nnc_offer_name,
      NNC_OFFER_COUNT },
    { "region", "REGION",
      "Where the devices stand: an ISO country code, or a cloud's region, which has prices of its "
      "own. Sets the carbon intensity of the grid.",
      "Numbers", NNC_TAKES_SCENARIO | NNC_TAKES_SERVE, WORD(given.region), 0, NULL, 0 },
    { "set", "FIELD=VALUE",
      "Any field of the plan, the model or the device by its name in the files, such as "
      "scale_up.bytes_per_s=450e9; prefix plan., model. or device. to choose. May be repeated.",
      "Numbers", NNC_TAKES_PLAN | NNC_TAKES_SERVE | NNC_TAKES_CALIBRATE,
      WORDS(given.sets, given.set_count), 0, NULL, 0 },
    { "power-cap", "W",
      "Watts that a device may draw for long: as --set device.power_cap_w=W. [its board's limit]",
      "Numbers", NNC_TAKES_PLAN, WORD(power_cap), 0, NULL, 0 },
    { "lenient", NULL,
      "Skip keys of a Hugging Face configuration that are not known, unless they look like part of "
      "the shape; the output names them.",
      "Batch", NNC_TAKES_PLAN | NNC_TAKES_MODEL | NNC_TAKES_SERVE, SWITCH(lenient), 0, NULL, 0 },
    { "scenario", "ID", "The scenario of the plan file that stands for MODEL [its only one].",
      "Batch", NNC_TAKES_SCENARIO, WORD(scenario), 0, NULL, 0 },
    { "update", NULL, "Write the estimates into the file's recorded part, and nothing else.",
      "Output", NNC_TAKES_CHECK, SWITCH(update), 0, NULL, 0 },
    { "forget", NULL, "Take the recorded part out of the file instead, and nothing else.", "Output",
      NNC_TAKES_CHECK, SWITCH(forget), 0, NULL, 0 },
    { "stages", NULL, "Show every stage of the pipeline: its layers, times and memory.", "Output",
      NNC_TAKES_STAGES | NNC_TAKES_PLOT, SWITCH(stages), 0, NULL, 0 },
    { "width", "PIXELS",
      "Width of the picture, 300 to 4000; below 500 it is drawn for a phone [720].", "Output",
      NNC_TAKES_PLOT, WORD(width), 0, NULL, 0 },
    { "from", "TIME", "Begin of what a timeline shows: 1.2s, 800ms [the step's begin].", "Output",
      NNC_TAKES_PLOT, WORD(from), 0, NULL, 0 },
    { "to", "TIME", "End of it [the step's end].", "Output", NNC_TAKES_PLOT, WORD(to), 0, NULL, 0 },
    { "date", "DATE", "Date to print on the report, which has none otherwise.", "Output",
      NNC_TAKES_REPORT, WORD(date), 0, NULL, 0 },
    { "fragment", NULL, "Leave out the style sheet, for a page that has it already.", "Output",
      NNC_TAKES_PLOT, SWITCH(fragment), 0, NULL, 0 },
    { "against", "COMMAND",
      "Outline another estimate behind it, on the same scale: 'gpt2 a100 --micro-batch 4'.",
      "Output", NNC_TAKES_PLOT, WORD(against), 0, NULL, 0 },
    { "timeline", NULL, "Show what every stage does when.", "Output", NNC_TAKES_STAGES,
      SWITCH(timeline), 0, NULL, 0 },
    { "trace", "FILE",
      "Write the timeline to FILE too, as a trace for chrome://tracing and Perfetto.", "Output",
      NNC_TAKES_STAGES, WORD(trace), 0, NULL, 0 },
    { "measured", "STEP",
      "A step of your own beside the estimate, with its MFU: 0.41s, 380samples/s or 12000tokens/s.",
      "Output", NNC_TAKES_STAGES, WORD(measured), 0, NULL, 0 },
    { "sensitivity", NULL,
      "Show what a little more of each figure of the device would bring: bandwidths, peaks, "
      "latencies, capacity.",
      "Output", NNC_TAKES_STAGES, SWITCH(sensitivity), 0, NULL, 0 },
    { "best", "N", "Show the best N plans [10].", "Output", NNC_TAKES_SEARCH, WORD(search.best), 0,
      NULL, 0 },
    { "objective", "KEY",
      "What is best: time, memory, or cost per token, which at one size is time [time].", "Output",
      NNC_TAKES_SEARCH, WORD(search.objective), 0, nnc_objective_name, NNC_OBJECTIVE_COUNT },
    { "max-devices", "N",
      "No more than N; without --devices, one node, two, four ... up to N devices.", "Parallelism",
      NNC_TAKES_SEARCH | NNC_TAKES_SLO, WORD(search.max_devices), 0, NULL, 0 },
    { "serve", NULL, "Serve the model rather than train it.", "Requests", NNC_TAKES_SERVING,
      SWITCH(serve), 0, NULL, 0 },
    { "slo", "FIGURE<=X,...",
      "What a deployment has to hold, such as ttft_s<=0.5,tpot_s<=0.03: figures of latency, "
      "throughput, memory and cost as in 'nncost serve --format json'.",
      "Requests", NNC_TAKES_SLO, WORD(slo), 0, NULL, 0 },
    { "deadline", "TIME", "The whole run (--tokens, --samples) ends within it: 30d, 12h, 3600.",
      "Numbers", NNC_TAKES_SEARCH, WORD(search.deadline), 0, NULL, 0 },
    { "budget", "MONEY", "The whole run costs no more, at --price or the device file's.", "Numbers",
      NNC_TAKES_SEARCH, WORD(search.budget), 0, NULL, 0 },
    { "target-step", "TIME",
      "Name the smallest device figure that alone brings the best plan to this step time: 2.5s, "
      "800ms.",
      "Output", NNC_TAKES_TARGET, WORD(search.target_step), 0, NULL, 0 },
    { "plans", "FILE", "Write a plan file with the best plan of each device, for 'nncost check'.",
      "Output", NNC_TAKES_TARGET, WORD(search.plans), 0, NULL, 0 },
    { "shards", "FILE,...",
      "Put together what all the shards of this search wrote, with the same options and --shard "
      "I/N --format json, "
      "instead of searching.",
      "Output", NNC_TAKES_SEARCH, WORD(search.shards), 0, NULL, 0 },
    { "max-memory", "BYTES", "Memory that a plan may use on one device [the device's].", "Memory",
      NNC_TAKES_SEARCH, WORD(search.max_memory), 0, NULL, 0 },
    { "progress", "FORM",
      "Progress on standard error: line, on a terminal; json, an object a line; or none "
      "[line].",
      "Output", NNC_TAKES_SEARCH | NNC_TAKES_SWEEP, WORD(asked.progress), 0, nnc_progress_form_name,
      NNC_PROGRESS_COUNT },
    { "threads", "N", "Threads that work [all cores].", "Output",
      NNC_TAKES_SEARCH | NNC_TAKES_SWEEP, WORD(threads), 0, NULL, 0 },
    { "no-prune", NULL, "Evaluate every legal plan in full.", "Output", NNC_TAKES_SEARCH,
      SWITCH(search.no_prune), 0, NULL, 0 },
    { "where", "CONSTRAINT",
      "Only rows that meet this condition, such as 'tensor*pipeline <= 64 && mfu > 0.4'. May be "
      "repeated.",
      "Output", NNC_TAKES_SWEEP, WORDS(sweep.where, sweep.where_count), 0, NULL, 0 },
    { "link", "NAME=LIST;...",
      "Axes that move together: 'tensor=1,2,4;data=8,4,2'. May be repeated.", "Output",
      NNC_TAKES_SWEEP, WORDS(sweep.links, sweep.link_count), 0, NULL, 0 },
    { "all", NULL, "Include plans that are illegal or do not fit, with the reason.", "Output",
      NNC_TAKES_SWEEP, SWITCH(sweep.all), 0, NULL, 0 },
    { "columns", "NAME,...",
      "Axes, figures as in 'estimate --format csv', fields, row, verdict, reason, command [the "
      "axes and "
      "the main figures].",
      "Output", NNC_TAKES_SWEEP, WORD(sweep.columns), 0, NULL, 0 },
    { "by", "COLUMN[:desc]",
      "Metric that --top sorts by: smallest first, throughputs largest first [step_s].", "Output",
      NNC_TAKES_SWEEP, WORD(sweep.by), 0, NULL, 0 },
    { "db", "FILE", "Write to an SQLite file; a run that was cut off goes on where it was.",
      "Output", NNC_TAKES_SWEEP, WORD(sweep.database), 0, NULL, 0 },
    { "device", "DEVICE", "The device whose figures are fitted, or that is paid for.", "Output",
      NNC_TAKES_CALIBRATE | NNC_TAKES_BUDGET, WORD(device), 0, NULL, 0 },
    { "fit", "FIGURE,...",
      "Figures to fit to all rows at once, such as pointwise.memory_fraction [those that the rows "
      "can determine].",
      "Output", NNC_TAKES_CALIBRATE, WORD(fit), 0, NULL, 0 },
    { "rows", NULL, "List every row.", "Output", NNC_TAKES_SCORE, SWITCH(rows), 0, NULL, 0 },
    { "summary", NULL, "Add up by device, software profile and kind of model alone.", "Output",
      NNC_TAKES_SCORE, SWITCH(summary), 0, NULL, 0 },
    { "only", "TEXT", "Only rows whose id contains TEXT.", "Output",
      NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, WORD(only), 0, NULL, 0 },
    { "fold", "K/N",
      "Only part K of N of the rows, dealt out by a digest of their ids; not:K/N: all others.",
      "Output", NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, WORD(fold), 0, NULL, 0 },
    { "group", "KEY,...",
      "What --fold keeps together: rows of the same file, source, device, framework, model [id]. "
      "Parts are "
      "then dealt out by the CRC-32 of these names, joined by /.",
      "Output", NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE, WORD(group), 0, NULL, 0 },
    { "hold-out", "NAME",
      "Rows of this device, model or source are held out: not fitted on, and scored apart.",
      "Output", NNC_TAKES_CALIBRATE, WORD(hold_out), 0, NULL, 0 },
    { "sort", "KEY", "Order of the rows: order, time, flops or bytes, largest first [order].",
      "Output", NNC_TAKES_OPS, WORD(asked.sort), 0, nnc_ops_sort_name, NNC_SORT_COUNT },
    { "top", "N", "Show the first N rows only [all].", "Output", NNC_TAKES_OPS | NNC_TAKES_SWEEP,
      WORD(asked.top), 0, NULL, 0 },
    { "by", "KEY", "Add rows up by op, group or phase [row].", "Output", NNC_TAKES_OPS,
      WORD(asked.by), 0, nnc_ops_by_name, NNC_BY_COUNT },
    { "format", "FORMAT", "table, json, csv or markdown [table].", "Output", NNC_TAKES_COMMON,
      WORD(asked.format), 'f', nnc_format_name, NNC_FORMAT_COUNT },
    { "output", "FILE", "Write to FILE, whole or not at all [standard output].", "Output",
      NNC_TAKES_COMMON, WORD(output), 'o', NULL, 0 },
    { "no-defaults", NULL, "Leave out what $XDG_CONFIG_HOME/nncost/defaults says.", "Output",
      NNC_TAKES_COMMON, SWITCH(no_defaults), 0, NULL, 0 },
    { "help", NULL, "Show this text; -h: the options most asked for.", "Output",
      NNC_TAKES_COMMON | NNC_TAKES_HELP, SWITCH(help), 'h', NULL, 0 },
    { "building", "OPERATOR", "Whose data centre: its PUE, from grid/buildings.json [--pue].",
      "Numbers", NNC_TAKES_SCENARIO, WORD(given.building), 0, NULL, 0 },
};

const int nnc_own_option_count = sizeof nnc_own_options / sizeof nnc_own_options[0];
