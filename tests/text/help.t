# What the program says of itself. 'pages' tests the help of every command in full: it is the man page.

# The version.
$ nncost --version
nncost 0.1.0

# The commands, where ids are looked up, the exit codes.
$ nncost --help
usage: nncost COMMAND ...

Time, memory, bounds and cost of one neural-network training step, from the shape of
the network and the datasheet of the device.

Commands:
  estimate  One training step: time with its bounds, what limits it, memory, throughput, cost.
  ops       Every op of the step: shape, FLOPs, bytes, intensity, time, share, what bounds it.
  op        A single op: its work, its roofline and the time it takes.
  compare   Devices, models or plans side by side: every combination of the lists given.
  run       The whole run: days, device-hours, cost, energy and carbon, with failures, checkpoints
            and input.
  serve     A decoder under load: time to first token and per token, throughput, memory and cost.
  budget    The best model for a budget, or the cost of training a model, by the scaling laws.
  explain   What metrics and ops are: formula, source, and with MODEL DEVICE the numbers put in.
  sweep     Every combination of the axes given, one row each.
  merge     Join the shards of a sweep or of a search into one file, equal to that of a single run.
  search    The best legal plans for N devices, and the Pareto front of time and memory.
  scale     The gain of more devices: step, throughput, efficiency, and where device time is lost.
  check     Estimate a plan file again: what moved since it was recorded, why, and which
            requirements are missed.
  diff      Two estimates: what changed, largest first, and the op or part responsible.
  accuracy  Predictions beside measurements: mean, median and largest errors per file, device and
            framework.
  calibrate A device's efficiency figures fitted to measured rows, with the errors before and after,
            and the device file that has them.
  init      Print a plan file to begin with, for 'nncost check'.
  plot      A picture as SVG: step, memory, roofline, timeline, front or scaling.
  report    One page of HTML: the verdict, pictures, every number, its sources.
  explore   The whole program as one page for a browser, which begins with this estimate.
  import    An ONNX file as a model file of the graph family, on standard output.
  list      The devices, models or software profiles that can be named by id.
  show      A device, model or software profile: the file it came from, every field, the sources.
  validate  Check device, model, software, cluster and plan files: every fault, one per line.
  mcp       A server of the Model Context Protocol on standard input and output, for assistants.
  docs      The man pages nncost(1) and nncost-files(5), the completion of a shell (bash, zsh,
            fish), all options, or the JSON Schema of a kind of file or output.

'nncost COMMAND -h' shows the usual options of a command, 'nncost help COMMAND' all of
them; 'nncost -V' prints the version.

MODEL and DEVICE are ids ('nncost list models', 'nncost list devices') or paths of files.
Ids are looked up in $NNCOST_PATH, $XDG_CONFIG_HOME/nncost and the data that came with
the program; case does not matter, nor does an owner in front: meta-llama/Llama-3-8B.
'-' is standard input. $XDG_CONFIG_HOME/nncost/defaults may hold options, one on a line,
for all commands; --no-defaults leaves them out.

Exit codes: 0 done; 1 the answer is no, such as: does not fit; 2 bad command line;
3 bad file, unknown id or illegal plan; 4 cannot read or write, out of memory.

Example: nncost estimate gpt2-xl a100 --micro-batch 4

# The help of a command: usage, summary, options with their units, ranges and defaults.
$ nncost estimate --help
usage: nncost estimate MODEL DEVICE | PLANS.json [DEVICE] [options]

One training step: time with its bounds, what limits it, memory, throughput, cost.

Exits with 1 when the step does not fit into the device's memory; it prints everything all the same,
and the smallest changes that would fit. Stages count from 0. With --format csv, --stages,
--timeline and --sensitivity print their table in place of the estimate. A timeline has at most
1000000 passes. An elasticity of -0.5 means: one percent more of the parameter makes the step half a
percent shorter.

Options, always in full.

Batch:
  --micro-batch N         Sequences or images per micro-batch of one replica. [1]
  --micro-batches N       Micro-batches per optimizer step (gradient accumulation). Also
                          --grad-accum. [1]
  --global-batch N        Sequences or images per step. [micro_batch x micro_batches x data]
  --seq-len N             Length of a sequence. [the model's]
  --image N               Side of an image. [the model's]
  --lenient               Skip keys of a Hugging Face configuration that are not known, unless they
                          look like part of the shape; the output names them.
  --scenario ID           The scenario of the plan file that stands for MODEL [its only one].

Parallelism:
  --devices N             Devices in all. [data x tensor x pipeline x context]
  --devices-per-node N    Devices in one scale-up domain. [the device file's]
  --data N                Replicas that share the batch. Also --dp. [devices / the other degrees]
  --tensor N              Devices that split each matrix product. Also --tp. [1]
  --pipeline N            Stages the layers are spread over. Also --pp. [1]
  --virtual-stages N      Groups of layers per pipeline stage. Also --vpp. [1]
  --ends-as-layers[=off]  Table and head count as a layer each where stages share the layers out.
                          [off]
  --first-stage-layers N  Layers of the first pipeline stage; 0 = as many as the others. [0]
  --last-stage-layers N   Layers of the last pipeline stage; 0 = as many as the others. [0]
  --context N             Devices that split each sequence. Also --cp. [1]
  --expert N              Devices that share the experts, out of data x context. Also --ep. [1]
  --whole-experts[=off]   Tensor ranks are expert ranks, too, and none has a slice of an expert:
                          --expert is out of tensor x data x context. [off]
  --sequence-parallel[=off]
                          Norms and dropout are split over tensor ranks too. [off]
  --schedule NAME         Pipeline schedule: the order of forward and backward micro-batches. 1f1b,
                          gpipe, interleaved, zb-h1, zb-h2, zb-v, dualpipe [1f1b, interleaved with
                          virtual stages]
  --context-kind NAME     How context ranks attend to each other's tokens. ring, all-gather, ulysses
                          [ring]
  --rank-order NAME       Which ranks are neighbours: the degree named first varies fastest.
                          tensor-context-data-pipeline, tensor-context-pipeline-data,
                          tensor-pipeline-context-data [tensor-context-data-pipeline]
  --overlap X             Share of the communication that could overlap with compute and does. [the
                          software profile's]
  --capacity-factor X     Expert slots over the mean load; 0 = every token is served. [0]
  --imbalance X           Tokens of the busiest expert rank over the mean. [1]
  --cluster FILE          Links between the devices, in place of those of the device file.

Memory:
  --zero NAME             ZeRO stage: optimizer states, gradients too, weights too (FSDP) are
                          sharded. 0, 1, 2, 3 [0]
  --shard N               Ranks that share one copy of what ZeRO shards (HSDP). [data x context]
  --reshard[=off]         ZeRO stage 3 frees weights after forward and gathers them again. [on]
  --offload LIST          What lives in host memory: optimizer, activations, weights. none, or some
                          of optimizer,activations,weights [none]
  --recompute LIST        What is computed again in backward instead of kept. none, selective, full,
                          or some of
                          attention,norm,activation,mla_up_proj,moe_act,shared_experts,mlp,moe
                          [none]
  --train LIST            Whose weights are trained; the others are frozen. all, or some of
                          embedding,attention,mlp,norm,conv,time,head,towers,adapters [all]
  --next-tokens[=off]     Layers that predict tokens further on (next_layers of the model) are
                          trained, too. [off]
  --adapter-rank N        Rank of adapters beside linear layers (LoRA), which alone are trained
                          unless --train says more; 0 = none. Also --lora. [0]
  --adapters NAME         Which layers have adapters. linear, attention, mlp [linear]
  --dora[=off]            Adapters train the direction of a weight, and a length per output beside
                          it (DoRA). [off]
  --frozen NAME           How weights that are not trained are stored. 16bit, int8, nf4 [16bit]
  --fp8-inputs[=off]      Inputs of activation functions are kept in 8 bits for backward. [off]
  --recompute-every N     Full recomputation in segments of this many layers. [1]
  --recompute-layers N    Full recomputation of this many layers of each stage; 0 = all. [0]
  --activations NAME      How kept activations are counted. per-op, korthikanti [per-op]
  --reserve-bytes N       Device memory set aside for other uses: the driver, collectives, what an
                          allocator cannot hand out again. With a number the verdict counts no
                          spread. [the software profile's]

Numbers:
  --precision NAME        Number format of the matrix products. fp64, fp32, tf32, bf16, fp16, fp8,
                          int8, fp4, int4 [bf16, else fp16, else fp32]
  --policy NAME           Bytes kept per parameter; default: fp32 for fp32 and tf32, else mixed.
                          default, fp32, mixed, mixed-fp32grad, mixed-both, amp, bf16-states-fp32,
                          bf16-pure, fp8 [default]
  --optimizer NAME        Optimizer: its state and its step. adamw, adam, sgd, momentum, rmsprop,
                          adafactor, lion, adam8bit, muon, lamb, lars [adamw]
  --attention NAME        Attention in one kernel, or written out. flash, flash1, flash2, flash3,
                          unfused [flash]
  --mode NAME             With the device's fitted efficiency, or the bound of the datasheet.
                          predicted, ideal [predicted]
  --flops-convention NAME How model FLOPs are counted. palm, causal, 6nd [palm]
  --clip-gradients[=off]  Gradients are clipped by their norm before the step. [on]
  --software PROFILE      Implementation profile: which kernels are fused, what each keeps, what
                          hides. 'any' chooses by plan and lets a search offer what no framework of
                          the profile has [chosen for the plan and the device; to serve: vllm].
  --seller NAME           Seller whose prices count: a file in prices/, such as aws, or a path [the
                          device file's newest].
  --offer KIND            On what terms the seller rents the devices [on-demand].
  --region REGION         Where the devices stand: an ISO country code, or a cloud's region, which
                          has prices of its own. Sets the carbon intensity of the grid.
  --set FIELD=VALUE       Any field of the plan, the model or the device by its name in the files,
                          such as scale_up.bytes_per_s=450e9; prefix plan., model. or device. to
                          choose. May be repeated.
  --power-cap W           Watts that a device may draw for long: as --set device.power_cap_w=W. [its
                          board's limit]
  --building OPERATOR     Whose data centre: its PUE, from grid/buildings.json [--pue].

Run:
  --epochs X              Times through the dataset, with --dataset-size.
  --dataset-size X        Tokens of the dataset; images or other samples where the model has no
                          tokens.
  --days X                Train for so many days, whatever that comes to.
  --device-hours X        Train for so many hours times devices, as published totals have it.
  --step-s X              Time of one step, in place of the estimate's. [the estimate's]
  --step-flops X          Model FLOPs of one step, in place of the estimate's. [the estimate's]
  --warmup-s X            Time spent once: start of the job, compilation, ramp of the batch. [0]
  --evaluate-every X      Steps between evaluations; 0 = none. [0]
  --evaluate-s X          Time of one evaluation.
  --straggler-share X     Share of the time that is lost to slow devices. [0]

Failures:
  --stops NAME            Which stops the device file's mean time between failures counts. any,
                          hardware [any]
  --device-mtbf-s X       Mean time between stops of one device; of all, it is this over their
                          number. [the device file's]
  --detect-s X            Time until a stop is noticed. [600]
  --start-s X             Time until all ranks are up again. [30]
  --replace-s X           Time to replace a failed node when no spare is ready. [0]
  --spares X              Spare nodes that are ready. [0]
  --repair-s X            Time until a failed node is repaired and back. [2d]
  --failing-share X       Share of the stops that cost a node. [1]
  --reclaim-per-month X   Share of spot nodes that the seller takes back in a month. [0]
  --elastic-replicas X    Replicas of which the others go on while one is replaced; 0 = all wait,
                          and go back to a checkpoint. [0]
  --reshard-s X           Time until those that are left go on. [60]
  --planned-stops X       Planned stops, such as maintenance. [0]

Checkpoints:
  --checkpoint-bytes X    Bytes of one checkpoint. [weights, master copy and moments]
  --storage-write-bytes-per-s X
                          Rate at which all devices together write checkpoints. [122 MB/s per
                          device]
  --storage-read-bytes-per-s X
                          Rate at which all devices together read a checkpoint. [as for writing]
  --asynchronous[=off]    Training goes on while a checkpoint is written. [off]
  --block-s X             Time that training waits for a checkpoint. [save_s; asynchronous: copy to
                          the host]
  --save-s X              Time until a checkpoint is durable. [bytes over rate]
  --load-s X              Time to load a checkpoint. [bytes over rate]
  --checkpoint-interval-s X
                          Useful work between two checkpoints. [the best]

Fine-tuning:
  --method NAME           How the model is trained, and so what else runs on every token. train,
                          distill, distill-on-policy, dpo, grpo, ppo [train]
  --policy-params X       Parameters of the model that is trained, which the next four are compared
                          with. [the model's active ones]
  --reference-params X    Active parameters of the reference model; 0 = none, or its answers are
                          kept. [as many as the policy]
  --reward-params X       Active parameters of the reward model; 0 = none. [ppo: as many as the
                          policy; else none]
  --critic-params X       Active parameters of the critic of ppo; 0 = none. [as many as the policy]
  --teacher-params X      Active parameters of the teacher.
  --update-epochs X       Passes over each generated batch. [1]
  --sampler-logprobs[=off]
                          Log probabilities of the sampler are kept, not computed again by the
                          policy. [off]
  --prompt-tokens X       Tokens of a prompt. [0]
  --response-tokens X     Tokens that are generated for it, in the mean. [the rest of the sequence]
  --group X               Answers that share a prompt. [1]
  --rollout-batch X       Sequences that are generated at once on a replica. [those of a step, or as
                          many as fit]
  --rollout-tensor X      Devices that split each product while generating. [1]
  --rollout-devices X     Devices that only generate; 0 = the training devices do both. [0]
  --rollout-overlap[=off] Generating devices work while the others train, with weights one step old.
                          [off]
  --rollout-tail X        Longest answer over the mean length: a batch waits for its last one. [1]
  --rollout-tokens-per-s X
                          Tokens per second of one device that generates. [that of 'nncost serve']
  --rollout-s X           Time of generating a step. [tokens over rate]
  --score-s X             Time of scoring a step. [that of its forward passes]
  --sync-s X              Time until new weights are where answers are generated. [bytes over rate]
  --sync-bytes-per-s X    Rate at which new weights are sent. [devices of their own: the network;
                          else at once]

Sites:
  --sites X               Sites, each with the devices of the plan, that average their weights every
                          --outer-every steps. [1]
  --outer-every X         Steps between two averages of the weights (DiLoCo).
  --outer-bytes X         Bytes of the weights as they are sent. [4 per parameter]
  --site-bytes-per-s X    Bandwidth of the link of one site in one direction.
  --outer-overlap-s X     Part of the averaging time that overlaps with training. [0]

Input:
  --sample-bytes X        Bytes of a sample in storage.
  --input-bytes-per-s X   Rate of the storage for input, for all devices together.
  --access-share X        Share of that rate that the access pattern reaches: small random reads 0.1
                          to 0.4. [1]
  --cached-share X        Share of the samples that are cached. [0]
  --prepare-s X           Time one worker takes for one sample: decoding, augmentation.
  --workers X             Workers that prepare samples, per device. [8]
  --prefetch X            Batches that each worker holds. [2]
  --prepared-bytes X      Bytes of a sample as it is sent to the device.
  --encode-s X            Time of a device for a sample that it encodes itself before the step:
                          images to latents, texts; 0 = cached. [0]
  --serial-input[=off]    Nothing is prepared while the device computes. [off]

Energy:
  --idle-w X              Power of an idle node, divided by its number of devices. [the device
                          file's node_power]
  --busy-w X              Power of a busy node, divided by its number of devices. [the device file's
                          node_power]
  --network-w X           Power of all switches. [0]
  --pue X                 Power usage effectiveness: energy of the building over that of its
                          machines. [1]
  --carbon-g-per-kwh X    Carbon intensity of the grid. [that of --region]
  --embodied-kg X         Carbon of making one device with its share of a node.
  --life-s X              Time until a device is retired.
  --use-share X           Share of that time in which it is used.

Cost:
  --tokens X              Tokens to train on in the whole run.
  --samples X             Sequences or images to train on in the whole run.
  --price X               Price of one device for one hour, in the currency of the device file, or
                          else US dollars. [the device file's newest]
  --stored-bytes X        Data and checkpoints kept during the run.
  --storage-price X       Price of a stored gigabyte for a month.
  --egress-bytes X        Data moved out.
  --egress-price X        Price of moving out a gigabyte.

Output:
  --stages                Show every stage of the pipeline: its layers, times and memory.
  --timeline              Show what every stage does when.
  --trace FILE            Write the timeline to FILE too, as a trace for chrome://tracing and
                          Perfetto.
  --measured STEP         A step of your own beside the estimate, with its MFU: 0.41s, 380samples/s
                          or 12000tokens/s.
  --sensitivity           Show what a little more of each figure of the device would bring:
                          bandwidths, peaks, latencies, capacity.
  --format FORMAT         table, json, csv or markdown [table].
  --output FILE           Write to FILE, whole or not at all [standard output].
  --no-defaults           Leave out what $XDG_CONFIG_HOME/nncost/defaults says.
  --help                  Show this text; -h: the options most asked for.

# On a narrow terminal.
$ COLUMNS=60 nncost diff --help
usage: nncost diff OLD NEW [options]

Two estimates: what changed, largest first, and the op or
part responsible.

OLD and NEW are outputs of 'nncost estimate --format json',
or plan files with recorded estimates, which are matched by
scenario. A pipe works, too: git show main:plans.json |
nncost diff /dev/stdin plans.json. Exits with 0 whether they
differ or not; 'nncost check' fails instead.

Options, always in full.

Output:
  --format FORMAT         table, json, csv or markdown
                          [table].
  --output FILE           Write to FILE, whole or not at all
                          [standard output].
  --no-defaults           Leave out what
                          $XDG_CONFIG_HOME/nncost/defaults
                          says.
  --help                  Show this text; -h: the options
                          most asked for.

# Every command of the list has one, which begins with its usage.
$ for c in $(nncost --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do nncost $c --help | head -1; done
usage: nncost estimate MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost ops MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost op KIND DIMS DEVICE [options]
usage: nncost compare MODEL[,MODEL...] DEVICE[,DEVICE...] | PLANS.json [DEVICE[,DEVICE...]] [options]
usage: nncost run [MODEL DEVICE | PLANS.json [DEVICE]] [options]
usage: nncost serve MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost budget --device DEVICE --cost MONEY | --params N --tokens D | --flops C [options]
usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]
usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]
usage: nncost merge OUT SHARD... [options]
usage: nncost search MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE] [options]
usage: nncost scale MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost check PLANS.json [options]
usage: nncost diff OLD NEW [options]
usage: nncost accuracy FILE.csv... [options]
usage: nncost calibrate FILE.csv... --device DEVICE [options]
usage: nncost init [MODEL DEVICE] [options]
usage: nncost plot PICTURE MODEL DEVICE | PICTURE PLANS.json [DEVICE] [options]
usage: nncost report MODEL DEVICE | PLANS.json [DEVICE] | search MODEL DEVICE | diff OLD NEW [options]
usage: nncost explore [MODEL DEVICE] [options]
usage: nncost import FILE.onnx [AXES] [options]
usage: nncost list [devices|models|software] [options]
usage: nncost show ID [options]
usage: nncost validate FILE... [options]
usage: nncost mcp  [options]
usage: nncost docs man [files]|completion [SHELL]|options|schema [KIND] [options]

# Notes of the commands that have some.
$ for c in search sweep calibrate explain; do nncost $c --help | sed -n '/^usage/,/^Options/p' | sed '$d'; done
usage: nncost search MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE] [options]

The best legal plans for N devices, and the Pareto front of time and memory.

Needs --devices, or a plan file that has them; without --global-batch it chooses one of about 4
million tokens, and says so. It searches every choice that is left open: tensor, pipeline, context,
expert, virtual stages, micro-batch, ZeRO stage, sequence parallelism, recompute, schedule, offload.
An option with a list restricts it: --tensor 4,8 --recompute none,full; '+' joins what one plan
recomputes. Other options hold for every plan. Each number equals that of 'estimate' for the same
plan. --devices may be a list of sizes, 64,128 or 8..4096 (doubling): then the best plan of each
size is shown, and the fastest and the cheapest size. Several devices are compared, each by its
cheapest size within --deadline and --budget, or with --objective time by its fastest; --plans FILE
writes a scenario for each. --shard I/N searches one of N parts, of equal size, which 'nncost merge'
joins; it needs --format json. Ctrl-C stops the search and shows the best plans so far. Exits with 1
when no plan fits, with 128 and the number of the signal when stopped by one.

With --serve it answers about a decoder that is served: 'nncost search --serve --help' lists those
options.

usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]

Every combination of the axes given, one row each.

An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 (doubling) or
0..1+0.25 (steps), joined by commas. Rows come in the order of model, device, software, plan
options, --set and --link as given, the last one varying fastest. '+' joins the parts of one value:
--recompute none,norm+activation. Rows are the plans that are legal and fit; Ctrl-C ends with whole
rows. --shard I/N does every N-th row only, from the I-th on, for 'nncost merge' to join. Exits with
1 when there is no row, with 128 and the number of the signal when stopped by one.

With --serve it answers about a decoder that is served: 'nncost sweep --serve --help' lists those
options.

usage: nncost calibrate FILE.csv... --device DEVICE [options]

A device's efficiency figures fitted to measured rows, with the errors before and after, and the
device file that has them.

The files are those of 'accuracy'. Only figures that the rows can determine are fitted: one machine
factor from one step, more from more; --fit names others. With --fold the rest of the rows is held
out and scored. --output takes the new device file, called after it, the report goes to standard
output. Options of the plan and --set hold for every row, in place of what it says; what --set
changes is not written.

With --serve it answers about a decoder that is served: 'nncost calibrate --serve --help' lists
those options.

usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]

What metrics and ops are: formula, source, and with MODEL DEVICE the numbers put in.

NAMES are joined by commas: metrics by their names in the JSON output of any command, such as mfu,
step_s, exposed_comm.data, memory or cost, and ops by their names in 'nncost ops', such as attn.qkv;
of an op with many shapes, the one that takes longest in each phase. Without NAMES, all of them are
listed. JSON of several names is a list.

With --serve it answers about a decoder that is served: 'nncost explain --serve --help' lists those
options.


# Help leaves out no option.
$ nncost docs options --format json >options.json; python3 - <<'END'
> import json, subprocess
> for command in json.load(open("options.json"))["commands"]:
>     said = subprocess.run(["nncost", "help", command["name"]], capture_output=True, text=True).stdout
>     missing = [o["name"] for o in command["options"] if f"  {o['name']}" not in said]
>     if missing: print(command["name"], missing)
> END
