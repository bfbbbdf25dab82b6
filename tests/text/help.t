# Help texts. The test 'docs' compares the help of every command: it is in the man page.

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
  advise    The changes of a plan that help most, each tried: time, memory and cost with them.
  fit       The largest micro-batch and sequence that fit on a device, and each way to save memory.
  ops       Every op of the step: shape, FLOPs, bytes, intensity, time, share, what bounds it.
  op        A single op: its work, its roofline and the time it takes.
  trace     A PyTorch trace: where its time went, and what each operator could have taken.
  compare   Devices, models or plans side by side: every combination of the lists given.
  run       The whole run: days, device-hours, cost, energy and carbon, with failures, checkpoints
            and input.
  serve     A decoder under load: time to first token and per token, throughput, memory and cost.
  budget    The best model for a budget, or the cost of training a model, by the scaling laws.
  explain   Formula and source of metrics and ops; with MODEL DEVICE also their numbers.
  sweep     Every combination of the axes given, one row each.
  merge     Join the shards of a sweep or of a search into one file, equal to that of a single run.
  search    The best legal plans for N devices, and the Pareto front of time and memory.
  scale     The gain of more devices: step, throughput, efficiency, and where device time is lost.
  check     Estimate a plan file again: what moved since it was recorded, why, and which
            requirements are missed.
  diff      Two estimates: what changed, largest first, and the op or part responsible.
  accuracy  Predictions compared with measurements: mean, median and largest errors per file, device
            and framework.
  calibrate A device's efficiency parameters fitted to measured rows, with the errors before and
            after, and the device file that has them.
  init      Print a plan file to begin with, for 'nncost check'.
  plot      A picture as SVG: step, memory, roofline, timeline, front or scaling.
  report    One page of HTML: the verdict, pictures, every number, its sources.
  explore   The whole program as one page for a browser, which starts with this estimate.
  import    Convert an ONNX file to a model file of the graph family, on standard output.
  list      The devices, models and software profiles that have an id.
  show      A device, model or software profile: the file it came from, every field, the sources.
  validate  Check device, model, software, cluster and plan files, and list every fault.
  mcp       A server of the Model Context Protocol for AI assistants, on standard input and output.
  docs      The man pages nncost(1) and nncost-files(5), completions for bash, zsh and fish, all
            options, or the JSON Schema of a kind of file or output.

'nncost COMMAND -h' shows the usual options of a command, 'nncost help COMMAND' all of
them; 'nncost -V' prints the version.

MODEL and DEVICE are ids ('nncost list models', 'nncost list devices') or paths of files.
Ids are looked up in $NNCOST_PATH, $XDG_CONFIG_HOME/nncost and the data that came with
the program. Upper and lower case are the same, and an owner in front is ignored:
meta-llama/Llama-3-8B.
'-' is standard input. The file $XDG_CONFIG_HOME/nncost/defaults may hold options for all
commands, one per line; --no-defaults ignores it.

Exit codes: 0 done; 1 the answer is no, such as: does not fit; 2 bad command line;
3 bad file, unknown id or illegal plan; 4 cannot read or write, out of memory.

Example: nncost estimate gpt2-xl a100 --micro-batch 4

# The help of a command: usage, summary, options with their units, ranges and defaults.
$ nncost estimate --help-all
usage: nncost estimate [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]

One training step: time with its bounds, what limits it, memory, throughput, cost.

Exits with 1 when the step does not fit into the device's memory; it prints everything all the same,
and the smallest changes that would fit. Stages count from 0. With --format csv, --stages,
--timeline and --sensitivity print their table in place of the estimate. A timeline has at most
1000000 passes. An elasticity of -0.5 means: one percent more of the parameter makes the step half a
percent shorter.

Options (their names cannot be abbreviated).

Batch:
  --micro-batch N         Sequences or images per micro-batch of one replica. [1]
  --micro-batches N       Micro-batches per optimizer step (gradient accumulation). Also
                          --grad-accum. [1]
  --global-batch N        Sequences or images per step. [micro_batch x micro_batches x data]
  --seq-len N             Length of a sequence. [the model's]
  --image N               Side of an image. [the model's]
  --lenient               Skip unknown keys of a Hugging Face configuration, unless they look like
                          part of the shape, and keys of a launch file that cannot be used; the
                          output names them.
  --from FORMAT           Format of the launch files among the arguments, such as deepspeed.
                          [recognised by content]
  --scenario ID           The scenario to take from the plan file that is given as MODEL. [its only
                          one]

Parallelism:
  --devices N             Total number of devices. [data x tensor x pipeline x context]
  --devices-per-node N    Devices in one scale-up domain. [the device file's]
  --data N                Replicas that share the batch. Also --dp. [devices / the other degrees]
  --tensor N              Devices that split each matrix product. Also --tp. [1]
  --pipeline N            Pipeline stages. Also --pp. [1]
  --virtual-stages N      Groups of layers per pipeline stage. Also --vpp. [1]
  --ends-as-layers[=off]  Count embedding and head as one layer each when balancing stages. [off]
  --first-stage-layers N  Layers of the first pipeline stage; 0 = as many as the others. [0]
  --last-stage-layers N   Layers of the last pipeline stage; 0 = as many as the others. [0]
  --context N             Devices that split each sequence. Also --cp. [1]
  --expert N              Devices that share the experts; a divisor of data x context. Also --ep.
                          [1]
  --whole-experts[=off]   Do not split experts over tensor ranks (expert tensor parallel = 1):
                          --expert is then a divisor of tensor x data x context. [off]
  --sequence-parallel[=off]
                          Also split norms and dropout over tensor ranks. [off]
  --schedule NAME         Pipeline schedule: the order of forward and backward micro-batches. 1f1b,
                          gpipe, interleaved, zb-h1, zb-h2, zb-v, dualpipe [1f1b, interleaved with
                          virtual stages]
  --context-kind NAME     How context ranks attend to the tokens of the others. ring, all-gather,
                          ulysses [ring]
  --rank-order NAME       Which ranks are neighbours: the degree named first varies fastest.
                          tensor-context-data-pipeline, tensor-context-pipeline-data,
                          tensor-pipeline-context-data [tensor-context-data-pipeline]
  --overlap X             Share of the communication that overlaps with compute, where overlap is
                          possible. [the software profile's]
  --capacity-factor X     Slots per expert over its mean number of tokens; 0 = no token is dropped.
                          [0]
  --imbalance X           Tokens of the busiest expert rank over the mean. [1]
  --cluster FILE          Links between the devices, in place of those of the device file.

Memory:
  --zero NAME             ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights
                          (FSDP). 0, 1, 2, 3 [0]
  --shard N               Ranks that share one sharded copy of what ZeRO shards (HSDP). [data x
                          context]
  --reshard[=off]         ZeRO stage 3 frees weights after forward and gathers them again for
                          backward. [on]
  --offload LIST          Parts kept in host memory: optimizer, activations, weights. none, or some
                          of optimizer,activations,weights [none]
  --recompute LIST        Activation checkpointing: parts that are computed again in backward
                          instead of kept. none, selective, full, or some of
                          attention,norm,activation,mla_up_proj,moe_act,shared_experts,mlp,moe
                          [none]
  --train LIST            Parts with trained weights; others are frozen. all, or some of
                          embedding,attention,mlp,norm,conv,time,head,towers,adapters [all]
  --next-tokens[=off]     Also train the layers for multi-token prediction (next_layers of the
                          model). [off]
  --adapter-rank N        Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters. Only
                          the adapters are trained unless --train adds parts. Also --lora. [0]
  --adapters NAME         Layers that have adapters. linear, attention, mlp [linear]
  --dora[=off]            Adapters train the direction of each weight and a separate magnitude per
                          output (DoRA). [off]
  --frozen NAME           Storage format of frozen weights. 16bit, int8, nf4, fp8 [16bit]
  --fp8-inputs[=off]      Keep the inputs of activation functions in 8 bits for backward. [off]
  --recompute-every N     Full recomputation in segments of this many layers. [1]
  --recompute-layers N    Full recomputation of this many layers of each stage; 0 = all. [0]
  --activations NAME      How kept activations are counted. per-op, korthikanti [per-op]
  --reserve-bytes N       Device memory for other uses: driver, collectives, allocator
                          fragmentation. If it is given, the verdict uses the predicted peak without
                          a margin. [the software profile's]

Software:
  --dispatcher NAME       How tokens get to experts on other ranks. profile, all-to-all, deepep,
                          hybridep [the profile's]
  --overlap-tensor X      Share of tensor-parallel communication that overlaps with compute. [the
                          profile's]
  --overlap-context X     Share of context-parallel communication that overlaps with compute. [the
                          profile's]
  --overlap-expert X      Share of expert-parallel communication that overlaps with compute. [the
                          profile's]
  --overlap-data X        Share of data-parallel communication that overlaps with compute. [the
                          profile's]
  --overlap-pipeline X    Share of the messages between pipeline stages that overlaps with compute.
                          [the profile's]
  --recorded-attention[=off]
                          Attention and norms are captured once and replayed; the host issues the
                          rest. [the profile's]
  --launch-s X            Host time to issue one op; 0: kernels are captured once and replayed. [the
                          profile's]
  --lists-operators[=off] Programs run operator by operator, as their library issues them, where
                          that is known. [the profile's]
  --launch-expert-s X     The same for models with experts, whose tokens the host counts; not given:
                          launch_s. [the profile's]
  --launch-product-s X    The same for each product of a group of experts; 0: the group is one
                          kernel. [the profile's]
  --tuned-pointwise[=off] Norms and activations use kernels written for the device (its
                          pointwise_tuned). [the profile's]
  --added-gradients[=off] A separate kernel adds the gradients of each pass to their sums; off: the
                          matrix products add them. [the profile's]
  --fused-norm[=off]      A norm is one kernel; off: one kernel per primitive. [the profile's]
  --fused-activation[=off]
                          Gate and product are one kernel that keeps neither intermediate. [the
                          profile's]
  --fused-residual[=off]  Bias, dropout and residual are one kernel. [the profile's]
  --fused-rotary[=off]    The rotary embedding is one kernel. [the profile's]
  --fused-loss[=off]      Cross-entropy is one kernel in the format of the logits. [the profile's]
  --fused-maps[=off]      Feature maps: the activation and the sum after a norm are part of its
                          kernel. [the profile's]
  --contiguous-maps[=off] Feature maps have one plane per channel (NCHW) and are copied to another
                          layout where matrix units need it; off: channels last. [the profile's]
  --random-written[=off]  Dropout reads fp32 random numbers that a separate kernel wrote. [the
                          profile's]

Numbers:
  --precision NAME        Number format of the matrix products. fp64, fp32, tf32, bf16, fp16, fp8,
                          int8, fp4, int4 [bf16, else fp16, else fp32]
  --policy NAME           Precision policy: formats of weights, gradients and optimizer states.
                          default: fp32 for fp32 and tf32, else mixed. default, fp32, mixed,
                          mixed-fp32grad, mixed-both, amp, bf16-states-fp32, bf16-pure, fp8
                          [default]
  --optimizer NAME        Optimizer: its states and its step. adamw, adam, sgd, momentum, rmsprop,
                          adafactor, lion, adam8bit, muon, lamb, lars [adamw]
  --attention NAME        Attention as one fused kernel, or as separate kernels. flash, flash1,
                          flash2, flash3, unfused [flash]
  --mode NAME             Predict with the fitted efficiencies of the device, or give the lower
                          bound of the datasheet. predicted, ideal [predicted]
  --flops-convention NAME How model FLOPs are counted. palm, causal, 6nd [palm]
  --clip-gradients[=off]  Clip gradients by their norm before the optimizer step. [on]
  --software PROFILE      Implementation profile: which kernels are fused, which tensors are kept,
                          how much communication overlaps. 'any' chooses by plan and lets a search
                          use features that no framework of the profile has. [chosen for the plan
                          and the device; to serve: vllm]
  --seller NAME           Seller whose prices count: a file in prices/, such as aws, or a path. [the
                          device file's newest price]
  --offer KIND            Terms on which the seller rents the devices. [on-demand]
  --region REGION         Location of the devices: an ISO country code, or a cloud's region, which
                          has its own prices. Sets the carbon intensity of the grid.
  --set FIELD=VALUE       Any field of the plan, the model or the device by its name in the files,
                          such as scale_up.bytes_per_s=450e9; prefix plan., model. or device. to
                          choose. May be repeated.
  --power-cap W           Sustained power limit of a device in watts: as --set device.power_cap_w=W.
                          [its board's limit]
  --host HOST             How fast the host issues kernels of a program that is not compiled: an id
                          of hosts/, or seconds per kernel; as --set device.host.kernel_s.
                          [h100-server: 37.5 us]
  --implementation NAME   Library whose operators run, one by one where the software profile is
                          torch-eager or torch-channels-last: transformers, diffusers, timm, or none
                          for the profile's kernels. [the library of a configuration; none for a
                          model file]
  --building OPERATOR     Operator of the data centre, whose PUE is taken from grid/buildings.json.
                          [--pue]

Run:
  --epochs X              Passes over the dataset, with --dataset-size.
  --dataset-size X        Tokens of the dataset; images or other samples for a model without tokens.
  --days X                Train for this many days.
  --device-hours X        Train for this many device-hours, the unit of published totals.
  --step-s X              Time of one step, instead of the estimate. [the estimate's]
  --step-flops X          Model FLOPs of one step, instead of the estimate. [the estimate's]
  --warmup-s X            Time spent once: start of the job, compilation, ramp of the batch size.
                          [0]
  --evaluate-every X      Steps between evaluations; 0 = none. [0]
  --evaluate-s X          Time of one evaluation.
  --straggler-share X     Share of the time lost to slow devices. [0]

Failures:
  --stops NAME            Failures that the device file's mean time between failures counts. any,
                          hardware [any]
  --device-mtbf-s X       Mean time between failures of one device; for the run it is divided by the
                          number of devices. [the device file's]
  --detect-s X            Time until a failure is detected. [600]
  --start-s X             Time to restart all ranks. [30]
  --replace-s X           Time to replace a failed node when no spare is ready. [0]
  --spares X              Spare nodes that are ready. [0]
  --repair-s X            Time until a failed node is repaired and back. [2d]
  --failing-share X       Share of the failures that cost a node. [1]
  --reclaim-per-month X   Share of spot nodes that the seller takes back per month. [0]
  --elastic-replicas X    Number of replicas of an elastic job: the others continue while one is
                          replaced. 0 = all stop and return to a checkpoint. [0]
  --reshard-s X           Time until the remaining replicas of an elastic job continue. [60]
  --planned-stops X       Planned stops, such as maintenance. [0]

Checkpoints:
  --checkpoint-bytes X    Bytes of one checkpoint. [weights, master copy and moments]
  --storage-write-bytes-per-s X
                          Rate at which all devices together write checkpoints. [122 MB/s per
                          device]
  --storage-read-bytes-per-s X
                          Rate at which all devices together read a checkpoint. [as for writing]
  --asynchronous[=off]    Training continues while a checkpoint is written. [off]
  --block-s X             Time that training waits for a checkpoint. [save_s; asynchronous: copy to
                          the host]
  --save-s X              Time until a checkpoint is durable. [bytes over rate]
  --load-s X              Time to load a checkpoint. [bytes over rate]
  --checkpoint-interval-s X
                          Training time between two checkpoints. [the best]

Fine-tuning:
  --method NAME           Training method: which other models run on the tokens of a step. train,
                          distill, distill-on-policy, dpo, grpo, ppo [train]
  --policy-params X       Active parameters of the trained model; the next four are relative to it.
                          [the model's active ones]
  --reference-params X    Active parameters of the reference model; 0 = none, or its answers are
                          stored. [as many as the policy]
  --reward-params X       Active parameters of the reward model; 0 = none. [ppo: as many as the
                          policy; else none]
  --critic-params X       Active parameters of the critic of ppo; 0 = none. [as many as the policy]
  --teacher-params X      Active parameters of the teacher.
  --update-epochs X       Training passes over each generated batch. [1]
  --sampler-logprobs[=off]
                          Use the log probabilities of the sampler instead of computing them again
                          with the policy. [off]
  --prompt-tokens X       Tokens of a prompt. [0]
  --response-tokens X     Mean number of generated tokens per prompt. [the rest of the sequence]
  --group X               Answers per prompt. [1]
  --rollout-batch X       Sequences generated together on one replica. [those of a step, or as many
                          as fit]
  --rollout-tensor X      Devices that split each matrix product during generation. [1]
  --rollout-devices X     Devices that only generate; 0 = the training devices also generate. [0]
  --rollout-overlap[=off] Generation overlaps with training, with weights that are one step old.
                          [off]
  --rollout-tail X        Longest answer over the mean length: a batch waits for its longest answer.
                          [1]
  --rollout-tokens-per-s X
                          Generated tokens per second of one generating device. [that of 'nncost
                          serve']
  --rollout-s X           Time to generate the samples of a step. [tokens over rate]
  --score-s X             Time to score the samples of a step. [that of its forward passes]
  --sync-s X              Time to send new weights to the generating devices. [bytes over rate]
  --sync-bytes-per-s X    Rate at which new weights are sent. [devices of their own: the network;
                          else at once]

Sites:
  --sites X               Sites, each with the devices of the plan, that average their weights every
                          --outer-every steps. [1]
  --outer-every X         Steps between two averages of the weights (DiLoCo).
  --outer-bytes X         Bytes of the weights as they are sent between sites. [4 per parameter]
  --site-bytes-per-s X    Bandwidth of the link of one site in one direction.
  --outer-overlap-s X     Part of the averaging time that overlaps with training. [0]

Input:
  --sample-bytes X        Bytes of a sample in storage.
  --input-bytes-per-s X   Rate of the storage for input, for all devices together.
  --access-share X        Share of that rate that the access pattern reaches; small random reads:
                          0.1 to 0.4. [1]
  --cached-share X        Share of the samples that are cached. [0]
  --prepare-s X           Time of one worker to prepare one sample: decoding, augmentation.
  --workers X             Data-loading workers per device. [8]
  --prefetch X            Batches that each worker prefetches. [2]
  --prepared-bytes X      Bytes of a sample as it is sent to the device.
  --encode-s X            Time of a device to encode a sample before the step (images to latents,
                          texts); 0 = cached. [0]
  --serial-input[=off]    Data loading does not overlap with compute. [off]

Energy:
  --idle-w X              Power of an idle node, divided by its number of devices. [the device
                          file's node_power]
  --busy-w X              Power of a busy node, divided by its number of devices. [the device file's
                          node_power]
  --network-w X           Power of all switches. [0]
  --pue X                 Power usage effectiveness: energy of the building over that of its
                          machines. [1]
  --carbon-g-per-kwh X    Carbon intensity of the grid. [that of --region]
  --embodied-kg X         Embodied carbon of one device with its share of a node.
  --life-s X              Lifetime of a device.
  --use-share X           Share of its lifetime in which it is used.

Cost:
  --tokens X              Tokens to train on in the whole run.
  --samples X             Sequences or images to train on in the whole run.
  --price X               Price of one device for one hour, in the currency of the device file (US
                          dollars if it has no prices). [the device file's newest]
  --stored-bytes X        Data and checkpoints kept during the run.
  --storage-price X       Price of one stored gigabyte per month.
  --egress-bytes X        Data moved out (egress).
  --egress-price X        Price of moving out one gigabyte.

Output:
  --stages                Show every stage of the pipeline: its layers, times and memory.
  --full                  Show the whole page: the plan as resolved, the parts of the step, memory
                          by class, sources.
  --brief                 Print only the verdict, one sentence.
  --timeline              Show what every stage does when.
  --trace FILE            Also write the timeline to FILE, as a trace for chrome://tracing and
                          Perfetto.
  --measured STEP         Compare with a step that you measured, and show its MFU: 0.41s,
                          380samples/s or 12000tokens/s.
  --sensitivity           Show how much faster the step gets when each parameter of the device
                          improves a little: bandwidths, peaks, latencies, capacity.
  --format FORMAT         table, json, csv or markdown. [table]
  --output FILE           Write to FILE, completely or not at all. [standard output]
  --no-defaults           Ignore $XDG_CONFIG_HOME/nncost/defaults.
  --help                  Show the options; -h: only the most used.
  --help-all              Explain every option.

# On a narrow terminal.
$ COLUMNS=60 nncost diff --help-all
usage: nncost diff OLD NEW [options]

Two estimates: what changed, largest first, and the op or
part responsible.

OLD and NEW are outputs of 'nncost estimate --format json',
or plan files with recorded estimates, which are matched by
scenario. A pipe works, too: git show main:plans.json |
nncost diff /dev/stdin plans.json. Exits with 0 whether they
differ or not; 'nncost check' fails instead.

Options (their names cannot be abbreviated).

Output:
  --format FORMAT         table, json, csv or markdown.
                          [table]
  --output FILE           Write to FILE, completely or not
                          at all. [standard output]
  --no-defaults           Ignore
                          $XDG_CONFIG_HOME/nncost/defaults.
  --help                  Show the options; -h: only the
                          most used.
  --help-all              Explain every option.

# Every command has help, which begins with its usage.
$ for c in $(nncost --help-all | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do nncost $c --help | head -1; done
! nncost: --help-all: unknown command, see 'nncost --help'

# Notes of commands.
$ for c in search sweep calibrate explain; do nncost $c --help-all | sed -n '/^usage/,/^Options/p' | sed '$d'; done
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

With --serve it is about a decoder that serves requests: 'nncost search --serve --help' lists those
options.

usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]

Every combination of the axes given, one row each.

An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 (doubling) or
0..1+0.25 (steps), joined by commas. Rows come in the order of model, device, software, plan
options, --set and --link as given, the last one varying fastest. '+' joins the parts of one value:
--recompute none,norm+activation. Rows are the plans that are legal and fit; Ctrl-C ends with whole
rows. --shard I/N does every N-th row only, from the I-th on, for 'nncost merge' to join. Exits with
1 when there is no row, with 128 and the number of the signal when stopped by one.

With --serve it is about a decoder that serves requests: 'nncost sweep --serve --help' lists those
options.

usage: nncost calibrate FILE.csv... --device DEVICE [options]

A device's efficiency parameters fitted to measured rows, with the errors before and after, and the
device file that has them.

The files are those of 'accuracy'. Only parameters that the rows can determine are fitted: one
machine factor from one step, more from more; --fit names others. With --fold the rest of the rows
is held out and scored. --output takes the new device file, called after it, the report goes to
standard output. Options of the plan and --set hold for every row, in place of what it says; what
--set changes is not written.

With --serve it is about a decoder that serves requests: 'nncost calibrate --serve --help' lists
those options.

usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]

Formula and source of metrics and ops; with MODEL DEVICE also their numbers.

NAMES are joined by commas. Metrics have their names in the JSON output of any command, such as mfu,
step_s, exposed_comm.data, memory or cost; ops have their names in 'nncost ops', such as attn.qkv.
When an op has many shapes, the one that takes longest in each phase is shown. Without NAMES, all of
them are listed. The JSON of several names is a list.

With --serve it is about a decoder that serves requests: 'nncost explain --serve --help' lists those
options.


# Help lists every option.
$ nncost docs options --format json >options.json; python3 - <<'END'
> import json, subprocess
> for command in json.load(open("options.json"))["commands"]:
>     said = subprocess.run(["nncost", "help", command["name"]], capture_output=True, text=True).stdout
>     missing = [o["name"] for o in command["options"] if f"  {o['name']}" not in said]
>     if missing: print(command["name"], missing)
> END
