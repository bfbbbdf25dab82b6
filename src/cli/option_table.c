/* The table of all options that are no fields of the plan, the run, a serve plan or a budget, with one row for each
 * option. option_table.c also has the form in which --help, the man page and completion show an option.
 *
 * Fields of the plan, the run, a serve plan and a budget are options too, and are listed in tables of fields. A row of
 * the table in this file has the member of nnc_options that stores the value of the option; options.c reads the value
 * and checks it by the type and limits in the row. */
#include <nncost/search.h>

#include "cli/cli_internal.h"
#include "input/input_internal.h"
#include "plot/plot_internal.h"
#include "search/search_internal.h"

NNC_ENUM_NAMES(nnc_ops_sort, NNC_SORT_LIST)
NNC_ENUM_NAMES(nnc_ops_by, NNC_BY_LIST)

/* Makes the initializers for the place of an option's value: type, offset and size of a member of nnc_options. */
#define PLACE(member_type, member) \
    .type = (member_type), .offset = offsetof(nnc_options, member), .size = sizeof(((nnc_options *)0)->member)
#define NUMBER(member) PLACE(NNC_FIELD_TYPE_OF(((nnc_options *)0)->member), member)
#define SWITCH(member) PLACE(NNC_FIELD_BOOL, member)
#define TEXT(member) PLACE(NNC_FIELD_TEXT, member)
#define TEXTS(list, count) TEXT(list), NNC_FIELD_COUNTED(nnc_options, list, count)
#define NAMED(name_of, number) .names = { (name_of), (number) }

const nnc_own_option nnc_own_options[] = {
    /* clang-format off */
    { .field = { .name = "cluster", TEXT(given.cluster), .group = "Parallelism",
                 .help = "JSON file of a cluster, with the links between its devices. The links of the cluster replace "
                         "the links in the device file." },
      .argument = "FILE", .takes = NNC_TAKES_PLAN | NNC_TAKES_SERVE },
    { .field = { .name = "software", TEXT(given.software), .group = "Numbers",
                 .help = "Software profile: kernels, kept tensors, overlap of a framework. PROFILE is the name of a "
                         "file in software/, such as megatron, or a path. 'any': nncost chooses a profile for each "
                         "plan, so a search tries the schedules and memory savings of all profiles.",
                 .default_text = "chosen for the plan and the device; to serve: vllm" },
      .argument = "PROFILE", .takes = NNC_TAKES_PLAN | NNC_TAKES_SERVE | NNC_TAKES_CALIBRATE },
    { .field = { .name = "seller", TEXT(given.seller), .group = "Numbers",
                 .help = "Seller of device-hours. The estimate uses the prices of this seller. NAME is a file in "
                         "prices/, such as aws, or a path.",
                 .default_text = "the device file's newest price" },
      .argument = "NAME", .takes = NNC_TAKES_SCENARIO | NNC_TAKES_BUDGET | NNC_TAKES_SERVE },
    { .field = { .name = "offer", TEXT(given.offer), .group = "Numbers", NAMED(nnc_offer_name, NNC_OFFER_COUNT),
                 .help = "Rental terms: on-demand, spot, reserved-1y or reserved-3y.",
                 .default_text = "on-demand" },
      .argument = "KIND", .takes = NNC_TAKES_SCENARIO | NNC_TAKES_BUDGET | NNC_TAKES_SERVE },
    { .field = { .name = "region", TEXT(given.region), .group = "Numbers",
                 .help = "Location of the devices: a country or the region of a cloud. FR, FRA and France name the "
                         "same country. The location sets the carbon intensity of the grid; the region of a cloud "
                         "also sets the price." },
      .argument = "REGION", .takes = NNC_TAKES_SCENARIO | NNC_TAKES_SERVE },
    { .field = { .name = "set", TEXTS(given.sets, given.set_count), .group = "Numbers",
                 .help = "Change a field of the plan, model or device. An example is scale_up.bytes_per_s=450e9. "
                         "FIELD is the name of the field in its JSON file; a prefix plan., model. or device. before "
                         "FIELD selects the file. The option can be repeated." },
      .argument = "FIELD=VALUE", .takes = NNC_TAKES_PLAN | NNC_TAKES_SERVE | NNC_TAKES_CALIBRATE },
    { .field = { .name = "power-cap", TEXT(power_cap), .group = "Numbers",
                 .help = "Sustained power limit of a device in watts. The option has the same effect as --set "
                         "device.power_cap_w=W.",
                 .default_text = "the power limit of the board" },
      .argument = "W", .takes = NNC_TAKES_PLAN },
    { .field = { .name = "host", TEXT(host), .group = "Numbers",
                 .help = "Host time to issue one kernel of a program that is not compiled. HOST is the id of a "
                         "file in hosts/, or seconds (like --set device.host.kernel_s).",
                 .default_text = "h100-server: 37.5 us" },
      .argument = "HOST", .takes = NNC_TAKES_PLAN | NNC_TAKES_SERVE },
    { .field = { .name = "implementation", TEXT(implementation), .group = "Numbers",
                 .help = "Library of the model: transformers, diffusers, timm or pytorch. The library pytorch is for "
                         "programs in PyTorch alone, such as nanoGPT. With profiles that issue operators one by one, "
                         "such as torch-eager and fsdp, nncost predicts the operators of this library; with NAME "
                         "none, nncost predicts the kernels that the profile describes.",
                 .default_text = "the library of a configuration; none for a model file" },
      .argument = "NAME", .takes = NNC_TAKES_PLAN | NNC_TAKES_SERVE },
    { .field = { .name = "kernel", TEXT(kernel), .group = "Numbers",
                 .help = "Kernel of attention: flash, cudnn, efficient or math as PyTorch names them, or flash1 to "
                         "flash3.", .default_text = "flash" },
      .argument = "NAME", .takes = NNC_TAKES_ONE_OP },
    { .field = { .name = "unmasked", SWITCH(unmasked), .group = "Numbers",
                 .help = "Attention without the causal mask." },
      .takes = NNC_TAKES_ONE_OP },
    { .field = { .name = "layout", TEXT(layout), .group = "Numbers",
                 .help = "Layout of the feature maps of a convolution: channels_last or contiguous.",
                 .default_text = "channels_last" },
      .argument = "NAME", .takes = NNC_TAKES_ONE_OP },
    { .field = { .name = "lenient", SWITCH(lenient), .group = "Batch",
                 .help = "Ignore unknown keys in launch files and Hugging Face configurations. nncost still "
                         "refuses unknown keys that look like a dimension of the model. The output names the "
                         "ignored keys." },
      .takes = NNC_TAKES_PLAN | NNC_TAKES_MODEL | NNC_TAKES_SERVE },
    { .field = { .name = "from", TEXT(launch_format), .group = "Batch",
                 .help = "Format of the launch files on the command line, such as deepspeed.",
                 .default_text = "recognised by content" },
      .argument = "FORMAT", .takes = NNC_TAKES_LAUNCH | NNC_TAKES_SHOW },
    { .field = { .name = "emit", TEXT(emit), .group = "Output",
                 .help = "Print the plan as a launch file instead of the normal output. With =FILE, write the launch "
                         "file to FILE. For a training plan, FORMAT is megatron, torchtitan, deepspeed, accelerate, "
                         "axolotl, llama-factory, transformers, maxtext or nanotron; for a deployment, vllm, sglang "
                         "or tensorrt-llm. 'nncost search' emits its best plan." },
      .argument = "FORMAT[=FILE]", .takes = NNC_TAKES_EMIT },
    { .field = { .name = "of", NUMBER(limit_of), .group = "Output",
                 .names = { (const char *(*)(unsigned))nnc_limit_name, NNC_LIMIT_COUNT },
                 .help = "Degree or batch whose limit is computed." },
      .argument = "AXIS", .takes = NNC_TAKES_LIMIT },
    { .field = { .name = "to-options", SWITCH(to_options), .group = "Output",
                 .help = "Print the options of nncost that have the same meaning as the launch file." },
      .takes = NNC_TAKES_SHOW },
    { .field = { .name = "scenario", TEXT(scenario), .group = "Batch",
                 .help = "Id of the scenario to estimate, if MODEL is a plan file.",
                 .default_text = "the only scenario of the plan file" },
      .argument = "ID", .takes = NNC_TAKES_SCENARIO },
    { .field = { .name = "update", SWITCH(update), .group = "Output",
                 .help = "Write the estimates into the key 'recorded' of the plan file. No other key of the file "
                         "changes." },
      .takes = NNC_TAKES_CHECK },
    { .field = { .name = "forget", SWITCH(forget), .group = "Output",
                 .help = "Remove the key 'recorded' (recorded estimates) from the plan file. No other key of the "
                         "file changes." },
      .takes = NNC_TAKES_CHECK },
    { .field = { .name = "stages", SWITCH(stages), .group = "Output",
                 .help = "Show layers, times and memory of every pipeline stage." },
      .takes = NNC_TAKES_STAGES | NNC_TAKES_PLOT },
    { .field = { .name = "root", TEXT(mcp.root), .group = "Output",
                 .help = "Folder whose files tool calls can read. Tool calls can also read the data folders of "
                         "nncost, but no other folder." },
      .argument = "DIR", .takes = NNC_TAKES_MCP },
    { .field = { .name = "deadline", NUMBER(mcp.deadline_s), .group = "Output", .unit = "s", .min = 0.001, .max = 1e6,
                 .help = "Longest time of one tool call; a longer call is stopped." },
      .default_value = 8, .argument = "TIME", .takes = NNC_TAKES_MCP },
    { .field = { .name = "memory", NUMBER(mcp.memory_bytes), .group = "Output", .unit = "B", .min = 1e6, .max = 1e15,
                 .help = "Largest memory that one tool call may take." },
      .default_value = 256e6, .argument = "BYTES", .takes = NNC_TAKES_MCP },
    { .field = { .name = "width", NUMBER(width), .group = "Output", .min = NNC_PLOT_WIDTH_MIN, .max = NNC_PLOT_WIDTH_MAX,
                 .help = "Width of the picture, 300 to 4000. Below 500, the picture has a layout for phones." },
      .default_value = NNC_PLOT_WIDTH, .argument = "PIXELS", .takes = NNC_TAKES_PLOT },
    { .field = { .name = "from", NUMBER(from_s), .group = "Output", .unit = "s",
                 .help = "Time at which a timeline begins: 1.2s, 800ms.", .default_text = "the start of the step" },
      .default_value = NAN, .argument = "TIME", .takes = NNC_TAKES_PLOT },
    { .field = { .name = "to", NUMBER(to_s), .group = "Output", .unit = "s",
                 .help = "Time at which a timeline ends.", .default_text = "the end of the step" },
      .default_value = NAN, .argument = "TIME", .takes = NNC_TAKES_PLOT },
    { .field = { .name = "date", TEXT(date), .group = "Output",
                 .help = "Date to print on the report.", .default_text = "none" },
      .argument = "DATE", .takes = NNC_TAKES_REPORT },
    { .field = { .name = "fragment", SWITCH(fragment), .group = "Output",
                 .help = "Write the picture without its style sheet. The page that shows the picture must have the "
                         "style sheet." },
      .takes = NNC_TAKES_PLOT },
    { .field = { .name = "against", TEXT(against), .group = "Output",
                 .help = "Draw the outline of another estimate behind the picture. Picture and outline have the "
                         "same scale. COMMAND is, for example, 'gpt2 a100 --micro-batch 4'." },
      .argument = "COMMAND", .takes = NNC_TAKES_PLOT },
    { .field = { .name = "full", SWITCH(full), .group = "Output",
                 .help = "Show all results: plan, parts of the step, memory by class, sources. The printed plan also "
                         "contains the values of options that were not given." },
      .takes = NNC_TAKES_STAGES },
    { .field = { .name = "brief", SWITCH(verdict), .group = "Output",
                 .help = "Print one sentence only: step time, bound, and if the plan fits." },
      .takes = NNC_TAKES_STAGES, .letter = 'q' },
    { .field = { .name = "timeline", SWITCH(timeline), .group = "Output",
                 .help = "Show when every pipeline stage runs its forward and backward passes." },
      .takes = NNC_TAKES_STAGES },
    { .field = { .name = "ignore-memory", SWITCH(ignore_memory), .group = "Output",
                 .help = "Also show the run of a plan that does not fit in memory." },
      .takes = NNC_TAKES_OVER_MEMORY },
    { .field = { .name = "trace", TEXT(trace), .group = "Output",
                 .help = "Write the timeline of all passes to FILE. chrome://tracing and Perfetto show FILE." },
      .argument = "FILE", .takes = NNC_TAKES_STAGES },
    { .field = { .name = "measured", TEXT(measured), .group = "Output",
                 .help = "Compare estimate and measurement, and show the measured MFU. STEP is the measured step "
                         "time or throughput: 0.41s, 380samples/s or 12000tokens/s." },
      .argument = "STEP", .takes = NNC_TAKES_STAGES },
    { .field = { .name = "sensitivity", SWITCH(sensitivity), .group = "Output",
                 .help = "Show the effect of each device parameter on the step time. Parameters are bandwidths, "
                         "peaks, latencies and capacity; the effect is the change of the step time if one "
                         "parameter changes." },
      .takes = NNC_TAKES_STAGES },
    { .field = { .name = "best", NUMBER(search.best), .group = "Output", .min = 1, .max = NNC_SEARCH_BEST_MAX,
                 .help = "Number of plans to show; the best plan is first." },
      .default_value = 10, .argument = "N", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "objective", TEXT(search.objective), .group = "Output", NAMED(nnc_objective_name, NNC_OBJECTIVE_COUNT),
                 .help = "Quantity to minimise: time (step time), memory, or cost (per token). If all plans have "
                         "the same number of devices, cost and time give the same order of plans.",
                 .default_text = "time" },
      .argument = "KEY", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "max-devices", NUMBER(search.max_devices), .group = "Parallelism", .min = 1, .max = INT32_MAX,
                 .help = "Largest number of devices. Without --devices, the search tries one node, two nodes, four "
                         "nodes ... up to N devices." },
      .argument = "N", .takes = NNC_TAKES_SEARCH | NNC_TAKES_SLO },
    { .field = { .name = "serve", SWITCH(serve), .group = "Requests",
                 .help = "Serve the model instead of training it." },
      .takes = NNC_TAKES_SERVING },
    { .field = { .name = "slo", TEXT(slo), .group = "Requests",
                 .help = "Limits that a deployment must keep, such as ttft_s<=0.5,tpot_s<=0.03: metrics of latency, "
                         "throughput, memory and cost as in 'nncost serve --format json'." },
      .argument = "METRIC<=X,...", .takes = NNC_TAKES_SLO },
    { .field = { .name = "deadline", NUMBER(search.deadline_s), .group = "Numbers", .unit = "s",
                 .help = "Largest allowed time of the run: 30d, 12h, 3600 (s). The length of the run is --tokens or "
                         "--samples." },
      .argument = "TIME", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "budget", TEXT(search.budget), .group = "Numbers",
                 .help = "Largest allowed cost of the whole run. The price is --price, or the price in the device "
                         "file." },
      .argument = "MONEY", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "target-step", NUMBER(search.target_step_s), .group = "Output", .unit = "s",
                 .help = "Step time to reach by changing one device parameter: 2.5s, 800ms. For each parameter of "
                         "the device, print the smallest value with which the best plan reaches this step time, if "
                         "no other parameter changes." },
      .argument = "TIME", .takes = NNC_TAKES_TARGET },
    { .field = { .name = "plans", TEXT(search.plans), .group = "Output",
                 .help = "Write a plan file with the best plan for each DEVICE. 'nncost check' reads this file." },
      .argument = "FILE", .takes = NNC_TAKES_TARGET },
    { .field = { .name = "shards", TEXT(search.shards), .group = "Output",
                 .help = "Merge the JSON outputs of all shards of a search; do not search. Each shard ran with the "
                         "same options and with --shard I/N --format json." },
      .argument = "FILE,...", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "max-memory", NUMBER(search.max_memory), .group = "Memory", .unit = "B",
                 .help = "Largest memory that a plan is allowed to use on one device.",
                 .default_text = "the capacity of the device" },
      .argument = "BYTES", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "risk", TEXT(search.risk), .group = "Memory",
                 .help = "Largest allowed probability of running out of memory: 5%, 0.05.",
                 .default_text = "none: the upper end of the predicted memory range must fit" },
      .argument = "SHARE", .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "progress", NUMBER(progress), .group = "Output", NAMED(nnc_progress_form_name, NNC_PROGRESS_COUNT),
                 .help = "Form of the progress reports on standard error: line, json or none. line: one line that "
                         "is updated, on terminals only; json: one object per line.",
                 .default_text = "line" },
      .argument = "FORM", .takes = NNC_TAKES_SEARCH | NNC_TAKES_SWEEP },
    { .field = { .name = "threads", NUMBER(threads), .group = "Output", .min = 1, .max = NNC_SEARCH_THREADS_MAX,
                 .help = "Number of threads of this process.", .default_text = "all cores" },
      .argument = "N", .takes = NNC_TAKES_SEARCH | NNC_TAKES_SWEEP },
    { .field = { .name = "no-prune", SWITCH(search.no_prune), .group = "Output",
                 .help = "Evaluate every legal plan, even if it cannot be among the best." },
      .takes = NNC_TAKES_SEARCH },
    { .field = { .name = "where", TEXTS(sweep.where, sweep.where_count), .group = "Output",
                 .help = "Print only rows that meet a condition: 'tensor*pipeline <= 64 && mfu > 0.4'. The names "
                         "in a condition are axes, metrics and fields. If the option is repeated, a row must meet "
                         "all conditions." },
      .argument = "CONSTRAINT", .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "link", TEXTS(sweep.links, sweep.link_count), .group = "Output",
                 .help = "Axes whose values change together: 'tensor=1,2,4;data=8,4,2' (three rows). The option "
                         "can be repeated." },
      .argument = "NAME=LIST;...", .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "all", SWITCH(sweep.all), .group = "Output",
                 .help = "Also print rows of plans that are illegal or do not fit. The column reason says why a plan "
                         "is illegal or does not fit." },
      .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "columns", TEXT(sweep.columns), .group = "Output",
                 .help = "Columns of the output, such as model,tensor,step_s. A column is an axis, a metric of "
                         "'nncost estimate --format csv', a field of the plan, model or device, or one of the "
                         "columns row, verdict, reason and command.", .default_text = "the axes and the main metrics" },
      .argument = "NAME,...", .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "by", TEXT(sweep.by), .group = "Output",
                 .help = "Column by which --top sorts the rows. The row with the smallest value comes first. If the "
                         "column is a throughput, or with :desc, the row with the largest value comes first.",
                 .default_text = "step_s" },
      .argument = "COLUMN[:desc]", .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "db", TEXT(sweep.database), .group = "Output",
                 .help = "Write the rows to the SQLite database FILE. If a sweep was interrupted, run the same "
                         "command again: the sweep continues at the row at which it stopped." },
      .argument = "FILE", .takes = NNC_TAKES_SWEEP },
    { .field = { .name = "device", TEXT(device), .group = "Output",
                 .help = "Device whose parameters 'nncost calibrate' fits. For 'nncost budget': the device whose "
                         "hours the budget pays for." },
      .argument = "DEVICE", .takes = NNC_TAKES_CALIBRATE | NNC_TAKES_BUDGET },
    { .field = { .name = "fit", TEXT(fit), .group = "Output",
                 .help = "Device parameters to fit, such as pointwise.memory_fraction. The parameters are fitted "
                         "together to all measured rows.",
                 .default_text = "parameters that the rows can determine" },
      .argument = "PARAMETER,...", .takes = NNC_TAKES_CALIBRATE },
    { .field = { .name = "explain", TEXT(explain), .group = "Output",
                 .help = "List measurements that would narrow the predicted interval of MODEL. The predicted interval "
                         "is the 90 % interval of the step time; the most useful measurement comes first." },
      .argument = "MODEL", .takes = NNC_TAKES_CALIBRATE },
    { .field = { .name = "rows", SWITCH(rows), .group = "Output",
                 .help = "Print every measured row with its prediction and error." },
      .takes = NNC_TAKES_SCORE },
    { .field = { .name = "summary", SWITCH(summary), .group = "Output",
                 .help = "Show only mean errors by device, software profile and kind of model." },
      .takes = NNC_TAKES_SCORE },
    { .field = { .name = "level", NUMBER(level), .group = "Output", NAMED(nnc_level_name, NNC_LEVEL_COUNT),
                 .help = "Information that predictions use. matched: profile and plan settings of the framework "
                         "release that the row names; plan: the plan settings of the release, with the profile that "
                         "nncost chooses; user: only the settings that the row states.",
                 .default_text = "matched" },
      .argument = "LEVEL", .takes = NNC_TAKES_SCORE },
    { .field = { .name = "only", TEXT(only), .group = "Output",
                 .help = "Use only measured rows whose id contains TEXT." },
      .argument = "TEXT", .takes = NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE },
    { .field = { .name = "fold", TEXT(fold), .group = "Output",
                 .help = "Use only part K of N parts of the measured rows. A hash of the id of a row decides the "
                         "part of the row; not:K/N: use all parts except part K." },
      .argument = "K/N", .takes = NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE },
    { .field = { .name = "group", TEXT(group), .group = "Output",
                 .help = "Columns whose values, instead of the row's id, decide the part of --fold. Columns: file, "
                         "source, device, framework, model. Rows with equal values in all KEYs are in the same "
                         "part; the CRC-32 of the values, joined by /, decides the part.",
                 .default_text = "id" },
      .argument = "KEY,...", .takes = NNC_TAKES_SCORE | NNC_TAKES_CALIBRATE },
    { .field = { .name = "hold-out", TEXT(hold_out), .group = "Output",
                 .help = "Do not fit on measured rows whose device, model or source is NAME. The errors of the "
                         "left-out rows are printed separately." },
      .argument = "NAME", .takes = NNC_TAKES_CALIBRATE },
    { .field = { .name = "sort", NUMBER(view.sort), .group = "Output", NAMED(nnc_ops_sort_name, NNC_SORT_COUNT),
                 .help = "Order of the rows: order (of execution), or time, flops, bytes (largest first).",
                 .default_text = "order" },
      .argument = "KEY", .takes = NNC_TAKES_OPS },
    { .field = { .name = "top", NUMBER(view.top), .group = "Output", .min = 1, .max = 1000000,
                 .help = "Show only the first N rows. 'nncost ops' without --sort shows the N rows with the "
                         "longest times.",
                 .default_text = "all" },
      .argument = "N", .takes = NNC_TAKES_OPS | NNC_TAKES_SWEEP },
    { .field = { .name = "by", NUMBER(view.by), .group = "Output", NAMED(nnc_ops_by_name, NNC_BY_COUNT),
                 .help = "Print one row of sums for each op, group of ops or phase.", .default_text = "row" },
      .argument = "KEY", .takes = NNC_TAKES_OPS },
    { .field = { .name = "format", TEXT(format_name), .group = "Output", NAMED(nnc_format_name, NNC_FORMAT_COUNT),
                 .help = "Output format: table, json, csv, csv-plain or markdown. csv-plain is CSV without dots in "
                         "the names of the columns.", .default_text = "table" },
      .argument = "FORMAT", .takes = NNC_TAKES_COMMON, .letter = 'f' },
    { .field = { .name = "output", TEXT(output), .group = "Output",
                 .help = "Write the output to FILE instead of standard output. If an error stops the command, FILE "
                         "does not change.", .default_text = "standard output" },
      .argument = "FILE", .takes = NNC_TAKES_COMMON, .letter = 'o' },
    { .field = { .name = "no-defaults", SWITCH(no_defaults), .group = "Output",
                 .help = "Ignore the default options in $XDG_CONFIG_HOME/nncost/defaults." },
      .takes = NNC_TAKES_COMMON },
    { .field = { .name = "help", SWITCH(help), .group = "Output",
                 .help = "Show all options of the command; -h: only the most used options." },
      .takes = NNC_TAKES_COMMON | NNC_TAKES_HELP, .letter = 'h' },
    { .field = { .name = "help-all", SWITCH(help_all), .group = "Output",
                 .help = "Show all options of the command with complete explanations." },
      .takes = NNC_TAKES_COMMON | NNC_TAKES_HELP },
    { .field = { .name = "building", TEXT(given.building), .group = "Numbers",
                 .help = "Operator of the data centre, such as google. The results use the PUE of this operator. "
                         "OPERATOR is an id in grid/buildings.json.",
                 .default_text = "value of --pue" },
      .argument = "OPERATOR", .takes = NNC_TAKES_SCENARIO },
    /* clang-format on */
};

const int nnc_own_option_count = sizeof nnc_own_options / sizeof nnc_own_options[0];
_Static_assert(sizeof nnc_own_options / sizeof nnc_own_options[0] <= NNC_OWN_OPTIONS_MAX,
               "nnc_options keeps a text of each");

static const char *const of_one_op[] = { "precision", "devices", "devices_per_node", NULL };

const nnc_option_fields nnc_option_tables[] = {
    { NNC_TAKES_PLAN, &nnc_plan_table, NULL },
    { NNC_TAKES_SWITCH, &nnc_switch_table, NULL },
    { NNC_TAKES_RUN, &nnc_run_table, NULL },
    { NNC_TAKES_SERVE, &nnc_serve_table, NULL },
    { NNC_TAKES_BUDGET, &nnc_budget_table, NULL },
    { NNC_TAKES_ONE_OP, &nnc_plan_table, of_one_op },
    { 0, NULL, NULL },
};

bool nnc_option_has(const nnc_option_fields *of, const nnc_field *field) {
    const char *const *name = of->only;
    while (name != NULL && *name != NULL && strcmp(*name, field->name) != 0) { name++; }
    return name == NULL || *name != NULL;
}

bool nnc_option_lacks(unsigned takes, const char *name) {
    static const struct {
        const char *name;
        unsigned flag;
    } rows[] = {
        { "price", NNC_LACKS_COST }, { "seller", NNC_LACKS_COST }, { "offer", NNC_LACKS_COST },
        { "tokens", NNC_LACKS_RUN }, { "samples", NNC_LACKS_RUN }, { "flops_convention", NNC_LACKS_MFU },
    };
    const unsigned lacks = takes & (NNC_LACKS_COST | NNC_LACKS_RUN | NNC_LACKS_MFU);
    for (size_t i = 0; takes != ~0u && lacks != 0 && i < NNC_COUNT_OF(rows); i++) {
        if ((rows[i].flag & lacks) && strcmp(rows[i].name, name) == 0) { return true; }
    }
    return false;
}

/* ---- options in the form that help and the man page show ---- */

/* Returns the placeholder for the value of a field's option. The value of a switch always follows '=': "--dora=off". */
static const char *field_argument(const nnc_field *field) {
    switch (field->type) {
    case NNC_FIELD_BOOL: return "[=off]";
    case NNC_FIELD_ENUM: return " NAME";
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_ADAPTERS:
    case NNC_FIELD_OFFLOAD: return " LIST";
    case NNC_FIELD_F64: return " X";
    default: return " N";
    }
}

/* Appends the strings `before`, `part` and `after` to a text. If the text is not empty, a blank separates it from the
 * appended strings. */
static void append(char *text, size_t size, const char *before, const char *part, const char *after) {
    nnc_text_append(text, size, " ", "%s%s%s", before, part, after);
}

static void put_default(const char *value, nnc_option_text *text) {
    snprintf(text->default_text, sizeof text->default_text, "%s", value);
    if (*value != '\0') { append(text->help, sizeof text->help, "[", value, "]"); }
}

/* Returns the group (heading in help) of a field. The fields of a table are ordered by group, and only the first field
 * of each group has the name of the group. */
static const char *group_of(const nnc_field_table *table, const nnc_field *field) {
    while (field->group == NULL && field > table->fields) { field--; }
    return field->group;
}

nnc_status nnc_run_options_refuse(const nnc_scenario_args *given, bool input, const char *needs, nnc_error *err) {
    for (int i = 0; i < given->own_count; i++) {
        const nnc_field *field = given->settings[i].field;
        char option[NNC_OPTION_NAME];
        size_t row = 0;
        while (row < nnc_run_table.count && field != &nnc_run_table.fields[row]) { row++; }
        /* Fine-tuning options are allowed, because helper models of a fine-tuning method need memory. */
        const char *group = row < nnc_run_table.count ? group_of(&nnc_run_table, field) : "Fine-tuning";
        if (strcmp(group, "Fine-tuning") != 0 && !(input && strcmp(group, "Input") == 0)) {
            return nnc_fail(err, NNC_BAD_USAGE, nnc_option_name(field->name, option),
                            "has no effect here, expected together with %s", needs);
        }
    }
    return NNC_OK;
}

static void describe_field(const nnc_option_fields *of, const nnc_field *field, nnc_option_text *text) {
    const size_t size = sizeof text->help;
    char expected[160];
    nnc_option_name(field->name, text->name);
    snprintf(text->argument, sizeof text->argument, "%s", field_argument(field));
    text->field = field;
    text->of_file = true;
    text->of_plan = of->table == &nnc_plan_table;
    text->group = group_of(of->table, field);
    text->takes = of->takes;
    append(text->help, size, "", field->help != NULL ? field->help : "", "");
    if (nnc_flags_of(field->type) != NULL) {
        nnc_field_expected(field, expected, sizeof expected);
        append(text->help, size, "", expected, "");
    }
    if (field->type == NNC_FIELD_ENUM && field->names.count > 1) {
        text->values = field->names;
        text->help_of = field->help_of;
        for (int i = 0; i < field->names.count; i++) {
            append(text->help, size, "", field->names.of((unsigned)i), i + 1 < field->names.count ? "," : "");
        }
    }
    if (field->alias != NULL) {
        nnc_option_name(field->alias, text->alias);
        append(text->help, size, "Also ", text->alias, ".");
    }
    put_default(of->table == &nnc_switch_table ? "the profile's"
                : field->default_text != NULL  ? field->default_text
                                               : "",
                text);
}

static void describe_own(const nnc_own_option *own, nnc_option_text *text) {
    char number[NNC_NUMBER_TEXT] = "";
    nnc_option_name(own->field.name, text->name);
    if (own->argument != NULL) { snprintf(text->argument, sizeof text->argument, " %s", own->argument); }
    text->field = &own->field;
    text->values = own->field.names;
    text->group = own->field.group;
    text->takes = own->takes;
    append(text->help, sizeof text->help, "", own->field.help, "");
    if (own->field.default_text == NULL && own->default_value != 0.0) { nnc_number_text(own->default_value, number); }
    put_default(own->field.default_text != NULL ? own->field.default_text : number, text);
}

bool nnc_option_at(unsigned takes, int index, nnc_option_text *text) {
    *text = (nnc_option_text){ 0 };
    for (const nnc_option_fields *of = nnc_option_tables; of->table != NULL; of++) {
        for (size_t i = 0; (of->takes & takes) && i < of->table->count; i++) {
            const nnc_field *field = &of->table->fields[i];
            if (nnc_option_has(of, field) && !nnc_option_lacks(takes, field->name) && index-- == 0) {
                describe_field(of, field, text);
                return true;
            }
        }
    }
    for (int i = 0; i < nnc_own_option_count; i++) {
        const nnc_own_option *own = &nnc_own_options[i];
        if ((own->takes & takes) && !nnc_option_lacks(takes, own->field.name) && index-- == 0) {
            describe_own(own, text);
            return true;
        }
    }
    return false;
}
