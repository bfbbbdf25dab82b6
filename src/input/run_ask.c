/* What is said of a whole run, as options and as the "run" of a plan file. */
#include <nncost/run.h>

#include "input/read.h"

#define AMOUNT_MAX 1e18
#define TIME_MAX 1e12
#define TIME(member) NNC_FIELD(nnc_run_ask, member), .unit = "s", .max = TIME_MAX
#define BYTES(member) NNC_FIELD(nnc_run_ask, member), .unit = "B", .max = 1e18
#define RATE(member) NNC_FIELD(nnc_run_ask, member), .unit = "B/s", .max = 1e18, .above_min = true
#define SHARE(member) NNC_FIELD(nnc_run_ask, member), .max = 1
#define NUMBER(member) NNC_FIELD(nnc_run_ask, member), .max = AMOUNT_MAX

static const nnc_field run_fields[] = {
    { NUMBER(epochs), .above_min = true, .group = "Run",
      .help = "Times through the dataset, with --dataset-size." },
    { NUMBER(dataset_size), .above_min = true,
      .help = "Tokens of the dataset; images or other samples where the model has no tokens." },
    { NUMBER(days), .above_min = true, .help = "Train for so many days, whatever that comes to." },
    { TIME(step_s), .above_min = true, .default_text = "the estimate's",
      .help = "Time of one step, in place of the estimate's." },
    { NUMBER(step_flops), .above_min = true, .unit = "FLOP", .default_text = "the estimate's",
      .help = "Model FLOPs of one step, in place of the estimate's." },
    { TIME(warmup_s), .default_text = "0",
      .help = "Once: start of the job, compilation, ramp of the batch." },
    { NUMBER(evaluate_every), .default_text = "0", .help = "Steps between evaluations; 0 = none." },
    { TIME(evaluate_s), .help = "Time of one evaluation." },
    { SHARE(straggler_share), .default_text = "0",
      .help = "Share of the time that is lost to slow devices." },

    { NNC_FIELD(nnc_run_ask, stops), .group = "Failures",
      NNC_FIELD_NAMES(nnc_stops, NNC_STOPS_COUNT), .default_text = "any",
      .help = "Which stops the device file's mean time between failures counts." },
    { TIME(device_mtbf_s), .above_min = true, .default_text = "the device file's",
      .help = "Mean time between stops of one device; of all, it is this over their number." },
    { TIME(detect_s), .default_text = "600", .help = "Time until a stop is noticed." },
    { TIME(start_s), .default_text = "30", .help = "Time until all ranks are up again." },
    { TIME(replace_s), .default_text = "0",
      .help = "Time until a node is replaced, where no spare one stands ready." },
    { NUMBER(spares), .default_text = "0", .help = "Spare nodes that stand ready." },
    { TIME(repair_s), .default_text = "2d", .help = "Time until a node is back." },
    { SHARE(failing_share), .default_text = "1", .help = "Share of the stops that cost a node." },
    { SHARE(reclaim_per_month), .default_text = "0",
      .help = "Share of spot nodes that the seller takes back in a month." },
    { NUMBER(planned_stops), .default_text = "0", .help = "Planned stops, such as maintenance." },

    { BYTES(checkpoint_bytes), .group = "Checkpoints", .above_min = true,
      .default_text = "weights, master copy and moments", .help = "Bytes of one checkpoint." },
    { RATE(storage_write_bytes_per_s), .default_text = "122 MB/s per device",
      .help = "Rate at which all devices together write checkpoints." },
    { RATE(storage_read_bytes_per_s), .default_text = "as for writing",
      .help = "Rate at which all devices together read one." },
    { NNC_FIELD(nnc_run_ask, asynchronous), .default_text = "off",
      .help = "Training goes on while a checkpoint is written." },
    { TIME(block_s), .default_text = "save_s; asynchronous: copy to the host",
      .help = "Time that training waits for a checkpoint." },
    { TIME(save_s), .default_text = "bytes over rate", .help = "Time until one is durable." },
    { TIME(load_s), .default_text = "bytes over rate", .help = "Time to load one." },
    { TIME(checkpoint_interval_s), .above_min = true, .default_text = "the best",
      .help = "Useful work between two checkpoints." },

    { NUMBER(sites), .min = 1, .group = "Sites", .default_text = "1",
      .help =
          "Sites, each with the devices of the plan, that average their weights now and then." },
    { NUMBER(outer_every), .above_min = true, .help = "Steps between two averages." },
    { BYTES(outer_bytes), .above_min = true, .default_text = "4 per parameter",
      .help = "Bytes of the weights as they are sent." },
    { RATE(site_bytes_per_s), .help = "Bandwidth of the link of one site in one direction." },
    { TIME(outer_overlap_s), .default_text = "0",
      .help = "Time of an average that training goes on beside." },

    { BYTES(sample_bytes), .group = "Input", .help = "Bytes of a sample in storage." },
    { RATE(input_bytes_per_s), .help = "Rate of the storage for input, for all devices together." },
    { SHARE(access_share), .above_min = true, .default_text = "1",
      .help =
          "Share of that rate that the access pattern reaches: small random reads 0.1 to 0.4." },
    { SHARE(cached_share), .default_text = "0", .help = "Share of the samples that are cached." },
    { TIME(prepare_s), .help = "Time one worker takes for one sample: decoding, augmentation." },
    { NUMBER(workers), .above_min = true, .default_text = "8",
      .help = "Workers that prepare samples, per device." },
    { NUMBER(prefetch), .default_text = "2", .help = "Batches that each worker holds." },
    { BYTES(prepared_bytes), .help = "Bytes of a sample as it is sent to the device." },
    { NNC_FIELD(nnc_run_ask, serial_input), .default_text = "off",
      .help = "Nothing is prepared while the device computes." },

    { NNC_FIELD(nnc_run_ask, idle_w), .group = "Energy", .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of a waiting node, over its devices." },
    { NNC_FIELD(nnc_run_ask, busy_w), .unit = "W", .max = 1e6,
      .default_text = "the device file's node_power",
      .help = "Power of a working node, over its devices." },
    { NNC_FIELD(nnc_run_ask, network_w), .unit = "W", .max = 1e9, .default_text = "0",
      .help = "Power of all switches." },
    { NNC_FIELD(nnc_run_ask, pue), .min = 1, .max = 10, .default_text = "1",
      .help = "Energy of the building over that of its machines." },
    { NNC_FIELD(nnc_run_ask, carbon_g_per_kwh), .unit = "g/kWh", .max = 1e5,
      .default_text = "that of --region", .help = "Carbon intensity of the grid." },
    { NNC_FIELD(nnc_run_ask, embodied_kg), .unit = "kg", .max = 1e6,
      .help = "Carbon of making one device with its share of a node." },
    { TIME(life_s), .above_min = true, .help = "Time until a device is retired." },
    { SHARE(use_share), .above_min = true, .help = "Share of that time in which it is used." },

    { BYTES(stored_bytes), .group = "Cost", .help = "Data and checkpoints kept during the run." },
    { NNC_FIELD(nnc_run_ask, storage_price), .max = 1e6,
      .help = "Price of a stored gigabyte for a month." },
    { BYTES(egress_bytes), .help = "Data moved out." },
    { NNC_FIELD(nnc_run_ask, egress_price), .max = 1e6, .help = "Price of moving out a gigabyte." },
};

static const nnc_field budget_fields[] = {
    { NNC_FIELD(nnc_budget_ask, cost), .max = 1e15, .above_min = true, .group = "Budget",
      .help = "Money to spend." },
    { NNC_FIELD(nnc_budget_ask, days), .max = 1e6, .above_min = true,
      .help = "Days that it may take: how many devices that needs." },
    { NNC_FIELD(nnc_budget_ask, params), .max = AMOUNT_MAX, .above_min = true,
      .help = "Parameters of a model whose training is to be priced." },
    { NNC_FIELD(nnc_budget_ask, tokens), .unit = "tokens", .max = AMOUNT_MAX, .above_min = true,
      .help = "Tokens that it is trained on." },
    { NNC_FIELD(nnc_budget_ask, mfu), .max = 1, .above_min = true, .default_text = "0.4",
      .help = "Share of the peak that a step reaches: that of 'nncost estimate'." },
    { NNC_FIELD(nnc_budget_ask, goodput), .max = 1, .above_min = true, .default_text = "0.95",
      .help = "Share of the time that is useful: that of 'nncost run'." },
    { NNC_FIELD(nnc_budget_ask, price), .max = 1e6, .above_min = true,
      .default_text = "the device file's newest", .help = "Price of one device for one hour." },
};
const nnc_field_table nnc_budget_table = { "budget", budget_fields, NNC_COUNT_OF(budget_fields) };

const nnc_field_table nnc_run_table = { "run", run_fields, NNC_COUNT_OF(run_fields) };
