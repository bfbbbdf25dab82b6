# Help texts. The test 'docs' compares the help of every command: it is in the man page.

# The version.
$ nncost --version
nncost VERSION

# The commands, where ids are looked up, the exit codes.
$ nncost --help
usage: nncost COMMAND ...

Time, memory, bounds and cost of one neural-network training step, from the shape of
the network and the datasheet of the device.

Commands:
  estimate  One training step: time with its range, the resource that limits it, memory, throughput,
            cost.
  advise    The changes of a plan that help most, with the time, memory and cost of each.
  fit       The largest micro-batch and sequence that fit on a device, and each way to save memory.
  ops       Every op of the step: dimensions, FLOPs, bytes, intensity, time, share, bound.
  op        A single op: its work, its roofline and its time.
  trace     A PyTorch trace: the measured time of each operator, and the time expected on the
            device.
  compare   Devices, models or plans side by side: every combination of the given lists.
  run       The whole run: days, device-hours, cost, energy and carbon, with failures, checkpoints
            and input.
  serve     A decoder under load: time to first token and per token, throughput, memory and cost.
  budget    The best model for a budget, or the cost of training a model, by the scaling laws.
  explain   Formula and source of metrics and ops; with MODEL DEVICE also their numbers.
  sweep     Every combination of the given axes, one row each.
  search    The best legal plans for N devices, and the Pareto front of time and memory.
  scale     The gain of more devices: step, throughput, efficiency, and where device time is lost.
  check     Estimate the scenarios of a plan file again: estimates that changed, why, and missed
            requirements.
  accuracy  Predictions compared with measurements: mean, median and largest errors per file, device
            and framework.
  calibrate Fit a device's efficiency parameters to measured rows: errors before and after, and the
            device file with the fitted values.
  init      Print a file to start from: a plan file for 'nncost check', a device, a model, a cluster
            or measured rows.
  plot      A picture as SVG: step, memory, roofline, timeline, front or scaling.
  import    Convert an ONNX file to a model file of the graph family, on standard output.
  list      The devices, models and software profiles that have an id. TEXT selects entries with
            TEXT in an id, a name or an alias.
  show      A device, model or software profile: its file, every field, the sources.
  mcp       A server of the Model Context Protocol for AI assistants, on standard input and output.
  docs      The man pages nncost(1) and nncost-files(5), completions for bash, zsh and fish, all
            options, or the JSON Schema of a kind of file or output.

Parts of these commands, also commands of their own:
  trace log, watch     The log of a run, compared with its estimate: step time, memory, MFU.
  sweep merge, merge   Join the shards of a sweep or of a search into one file, equal to the output
                       of one undivided run.
  scale limit, limit   The largest degree of parallelism before the network bounds the step, and the
                       smallest batch that compute bounds.
  check diff, diff     Two estimates: the metrics that differ, largest change first, and the op or
                       part that causes the change.
  plot report, report  One page of HTML: the verdict, pictures, and every number with its source.
  plot explore, explore
                       The whole program as one page for a browser; the page starts with this
                       estimate.
  check files, validate
                       Check device, model, software, cluster and plan files, and list every fault.

'nncost COMMAND -h' shows the usual options of a command, 'nncost help COMMAND' all of
them; 'nncost -V' prints the version.

MODEL and DEVICE are ids ('nncost list models', 'nncost list devices') or paths of files.
Ids are looked up in $NNCOST_PATH, $XDG_CONFIG_HOME/nncost and the data that came with
the program. Upper and lower case are the same, and an owner in front is ignored:
meta-llama/Llama-3-8B.
'-' is standard input. The file $XDG_CONFIG_HOME/nncost/defaults may hold options for all
commands, one per line; --no-defaults ignores it.

Exit codes: 0 done; 1 the answer is no, for example does not fit; 2 bad command line;
3 bad file, unknown id or illegal plan; 4 cannot read or write, out of memory.

Example: nncost estimate gpt2-xl a100 --micro-batch 4

# The help of a command: usage, summary, options with their units, ranges and defaults.
$ nncost estimate --help
usage: nncost estimate [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]

One training step: time with its range, the resource that limits it, memory, throughput, cost.

Batch:
      --micro-batch N            Sequences or images per micro-batch of one replica
      --micro-batches N          Micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Sequences or images per step
      --seq-len N                Length of a sequence
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore keys that nncost does not know or cannot estimate, in ...
      --from FORMAT              Format of the launch files among the arguments, such as deepspeed
      --scenario ID              The scenario to take from the plan file that is given as MODEL

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Devices in one scale-up domain
      --data N                   Replicas that share the batch
      --tensor N                 Devices that split each matrix product
      --pipeline N               Pipeline stages
      --virtual-stages N         Groups of layers per pipeline stage
      --ends-as-layers[=off]     Count embedding and head as one layer each when balancing stages
      --first-stage-layers N     Layers of the first pipeline stage; 0 = as many as other stages
      --last-stage-layers N      Layers of the last pipeline stage; 0 = as many as other stages
      --context N                Devices that split each sequence
      --expert N                 Devices that share the experts; a divisor of data x context
      --whole-experts[=off]      Do not split experts over tensor ranks (expert tensor parallel = ...
      --sequence-parallel[=off]  Also split norms and dropout over tensor ranks
      --schedule NAME            Pipeline schedule: the order of forward and backward micro-batches
      --context-kind NAME        How context ranks attend to the tokens of other context ranks
      --rank-order NAME          Order in which ranks are numbered: the degree named first varies ...
      --overlap X                Share of the communication that overlaps with compute, where ...
      --capacity-factor X        Slots of an expert divided by its mean number of tokens; 0 = no ...
      --imbalance X              Tokens of the busiest expert rank divided by the mean of all ranks
      --cluster FILE             Cluster file with the links between the devices; they replace ...

Memory:
      --zero NAME                ZeRO stage: 1 divides optimizer states, 2 also gradients, 3 also ...
      --shard N                  Ranks that share one copy of the tensors that ZeRO divides (HSDP)
      --reshard[=off]            ZeRO stage 3 frees weights after forward and gathers them again ...
      --offload LIST             Parts kept in host memory: optimizer, activations, weights
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are ...
      --train-from N             Index, from 0, of the first of the layers that --train-layers ...
      --next-tokens[=off]        Also train the layers for multi-token prediction (next_layers of ...
      --adapter-rank N           Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters
      --adapters LIST            Linear layers with adapters; routed experts have none unless listed
      --dora[=off]               Adapters train the direction of each weight and a separate ...
      --oft[=off]                Adapters rotate the inputs of each layer, in blocks of ...
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Keep the inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers that full recomputation runs again from one ...
      --recompute-layers N       Number of layers of each stage that are recomputed in full; 0 = ...
      --activations NAME         Rule by which the bytes of kept activations are counted
      --reserve-bytes N          Device memory for other uses: driver, collectives, allocator ...

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Precision policy: formats of weights, gradients and optimizer ...
      --optimizer NAME           Optimizer: determines the optimizer states and the work of the ...
      --optimizer-rank N         Rank to which the optimizers galore and apollo project gradients
      --optimizer-kernels NAME   Kernels of the update: one for all operations, or one for each ...
      --attention NAME           Attention as one fused kernel, or as separate kernels
      --mode NAME                Compute the predicted step with the fitted efficiencies of the ...
      --flops-convention NAME    Rule by which model FLOPs are counted
      --clip-gradients[=off]     Clip gradients by the norm of all gradients before the update
      --software PROFILE         Software profile: which kernels are fused, which tensors are ...
      --seller NAME              Seller whose prices are used: a file in prices/, such as aws, or ...
      --offer KIND               Terms on which the seller rents the devices
      --region REGION            Location of the devices: a country (FR, FRA, France), or a ...
      --set FIELD=VALUE          Change any field of the plan, the model or the device, by its ...
      --power-cap W              Sustained power limit of a device in watts (like --set ...
      --host HOST                Time of the host to issue one kernel of a program that is not ...
      --implementation NAME      Library that runs the model under the profiles torch-eager and ...
      --building OPERATOR        Operator of the data centre

Cost:
      --tokens X                 Tokens to train on in the whole run
      --samples X                Sequences or images to train on in the whole run
      --price X                  Price of one device for one hour, in the currency of the device ...
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of one stored gigabyte per month
      --egress-bytes X           Bytes that are moved out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte out of the cloud

Output:
      --emit FORMAT[=FILE]       Print the plan as a launch file instead of the page, or write ...
      --stages                   Show every stage of the pipeline: its layers, times and memory
      --full                     Show the whole page: the plan with all defaults, the parts of ...
      --brief                    Print only the verdict, one sentence
      --timeline                 Show the passes of every stage over time
      --trace FILE               Also write the timeline to FILE, as a trace for chrome://tracing ...
      --measured STEP            Compare the estimate with a step that you measured, and show its ...
      --sensitivity              Show how much faster the step gets when each parameter of the ...
  -f, --format FORMAT            table, json, csv, csv-plain (no dots in names) or markdown
  -o, --output FILE              Write to FILE, completely or not at all
      --no-defaults              Ignore $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show the options; -h: only the most used
      --help-all                 Explain every option

'nncost estimate --help-all' explains all 186 options, those of whole runs and software too.

# On a narrow terminal.
$ COLUMNS=60 nncost diff --help
usage: nncost diff OLD NEW [options]

Two estimates: the metrics that differ, largest change
first, and the op or part that causes the change.

OLD and NEW are outputs of 'nncost estimate --format json',
or plan files with recorded estimates, which are matched by
scenario. A pipe also works: git show main:plans.json |
nncost diff /dev/stdin plans.json. Exits with 0 whether they
differ or not; 'nncost check' fails instead.

Options (their names cannot be abbreviated).

Output:
  --format FORMAT         table, json, csv, csv-plain (no
                          dots in names) or markdown.
                          [table]
  --output FILE           Write to FILE, completely or not
                          at all. [standard output]
  --no-defaults           Ignore
                          $XDG_CONFIG_HOME/nncost/defaults.
  --help                  Show the options; -h: only the
                          most used.
  --help-all              Explain every option.

# Every command has help, which begins with its usage.
$ for c in $(nncost --help | sed -n '/^Commands:/,/^.nncost/{s/^  \([a-z]* [a-z]*, \)*\([a-z][a-z]*\)\( .*\)*$/\2/p}'); do nncost $c --help | head -1; done
usage: nncost estimate [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost advise [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost fit MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost ops MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost op KIND DIMS DEVICE [options]
usage: nncost trace FILE.json[.gz] [DEVICE [MODEL]] | FILE FILE [DEVICE] | FILE... [options]
usage: nncost compare MODEL[,MODEL...] DEVICE[,DEVICE...] | PLANS.json [DEVICE[,DEVICE...]] [options]
usage: nncost run [MODEL DEVICE | PLANS.json [DEVICE]] [options]
usage: nncost serve [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost budget --device DEVICE --cost MONEY | --params N --tokens D | --flops C [options]
usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]
usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]
usage: nncost search MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE] [options]
usage: nncost scale MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost check PLANS.json [options]
usage: nncost accuracy FILE.csv... [options]
usage: nncost calibrate FILE... [options]
usage: nncost init [MODEL DEVICE | device | model | cluster | rows | plan] [options]
usage: nncost plot PICTURE MODEL DEVICE | PICTURE PLANS.json [DEVICE] [options]
usage: nncost import FILE.onnx [AXES] [options]
usage: nncost list [devices|models|software [TEXT]] [options]
usage: nncost show ID | CHECKPOINT | FILE... [MODEL] [DEVICE] --to-options [options]
usage: nncost mcp  [options]
usage: nncost docs man [files]|completion [SHELL]|options|schema [KIND] [options]
usage: nncost watch LOG MODEL DEVICE | LOG PLANS.json [DEVICE] [options]
usage: nncost merge OUT SHARD... [options]
usage: nncost limit MODEL DEVICE | PLANS.json [DEVICE] [options]
usage: nncost diff OLD NEW [options]
usage: nncost report MODEL DEVICE | PLANS.json [DEVICE] | search MODEL DEVICE | diff OLD NEW [options]
usage: nncost explore [MODEL DEVICE] [options]
usage: nncost validate FILE... [options]

# Notes of commands.
$ for c in search sweep calibrate explain; do nncost $c --help | sed -n '/^usage/,/^Options/p' | sed '$d'; done
usage: nncost search MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE] [options]

The best legal plans for N devices, and the Pareto front of time and memory.

Batch:
      --micro-batch N            Sequences or images per micro-batch of one replica
      --micro-batches N          Micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Sequences or images per step
      --seq-len N                Length of a sequence
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore keys that nncost does not know or cannot estimate, in ...
      --from FORMAT              Format of the launch files among the arguments, such as deepspeed
      --scenario ID              The scenario to take from the plan file that is given as MODEL

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Devices in one scale-up domain
      --data N                   Replicas that share the batch
      --tensor N                 Devices that split each matrix product
      --pipeline N               Pipeline stages
      --virtual-stages N         Groups of layers per pipeline stage
      --ends-as-layers[=off]     Count embedding and head as one layer each when balancing stages
      --first-stage-layers N     Layers of the first pipeline stage; 0 = as many as other stages
      --last-stage-layers N      Layers of the last pipeline stage; 0 = as many as other stages
      --context N                Devices that split each sequence
      --expert N                 Devices that share the experts; a divisor of data x context
      --whole-experts[=off]      Do not split experts over tensor ranks (expert tensor parallel = ...
      --sequence-parallel[=off]  Also split norms and dropout over tensor ranks
      --schedule NAME            Pipeline schedule: the order of forward and backward micro-batches
      --context-kind NAME        How context ranks attend to the tokens of other context ranks
      --rank-order NAME          Order in which ranks are numbered: the degree named first varies ...
      --overlap X                Share of the communication that overlaps with compute, where ...
      --capacity-factor X        Slots of an expert divided by its mean number of tokens; 0 = no ...
      --imbalance X              Tokens of the busiest expert rank divided by the mean of all ranks
      --cluster FILE             Cluster file with the links between the devices; they replace ...
      --max-devices N            At most N devices

Memory:
      --zero NAME                ZeRO stage: 1 divides optimizer states, 2 also gradients, 3 also ...
      --shard N                  Ranks that share one copy of the tensors that ZeRO divides (HSDP)
      --reshard[=off]            ZeRO stage 3 frees weights after forward and gathers them again ...
      --offload LIST             Parts kept in host memory: optimizer, activations, weights
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are ...
      --train-from N             Index, from 0, of the first of the layers that --train-layers ...
      --next-tokens[=off]        Also train the layers for multi-token prediction (next_layers of ...
      --adapter-rank N           Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters
      --adapters LIST            Linear layers with adapters; routed experts have none unless listed
      --dora[=off]               Adapters train the direction of each weight and a separate ...
      --oft[=off]                Adapters rotate the inputs of each layer, in blocks of ...
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Keep the inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers that full recomputation runs again from one ...
      --recompute-layers N       Number of layers of each stage that are recomputed in full; 0 = ...
      --activations NAME         Rule by which the bytes of kept activations are counted
      --reserve-bytes N          Device memory for other uses: driver, collectives, allocator ...
      --max-memory BYTES         Memory that a plan may use on one device
      --risk SHARE               Greatest probability that a plan runs out of memory: 5%, 0.05

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Precision policy: formats of weights, gradients and optimizer ...
      --optimizer NAME           Optimizer: determines the optimizer states and the work of the ...
      --optimizer-rank N         Rank to which the optimizers galore and apollo project gradients
      --optimizer-kernels NAME   Kernels of the update: one for all operations, or one for each ...
      --attention NAME           Attention as one fused kernel, or as separate kernels
      --mode NAME                Compute the predicted step with the fitted efficiencies of the ...
      --flops-convention NAME    Rule by which model FLOPs are counted
      --clip-gradients[=off]     Clip gradients by the norm of all gradients before the update
      --software PROFILE         Software profile: which kernels are fused, which tensors are ...
      --seller NAME              Seller whose prices are used: a file in prices/, such as aws, or ...
      --offer KIND               Terms on which the seller rents the devices
      --region REGION            Location of the devices: a country (FR, FRA, France), or a ...
      --set FIELD=VALUE          Change any field of the plan, the model or the device, by its ...
      --power-cap W              Sustained power limit of a device in watts (like --set ...
      --host HOST                Time of the host to issue one kernel of a program that is not ...
      --implementation NAME      Library that runs the model under the profiles torch-eager and ...
      --deadline TIME            Longest time that the whole run (--tokens, --samples) may take: ...
      --budget MONEY             Highest cost of the whole run, at --price or the price in the ...
      --building OPERATOR        Operator of the data centre

Cost:
      --tokens X                 Tokens to train on in the whole run
      --samples X                Sequences or images to train on in the whole run
      --price X                  Price of one device for one hour, in the currency of the device ...
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of one stored gigabyte per month
      --egress-bytes X           Bytes that are moved out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte out of the cloud

Output:
      --emit FORMAT[=FILE]       Print the plan as a launch file instead of the page, or write ...
      --best N                   Show the best N plans
      --objective KEY            The quantity to minimise: time, memory, or cost per token (with ...
      --target-step TIME         For each parameter of the device, name the smallest value that ...
      --plans FILE               Write a plan file with the best plan of each device, for 'nncost ...
      --shards FILE,...          Do not search: merge the outputs of all shards of this search, ...
      --progress FORM            Progress on standard error: line, on a terminal; json, one ...
      --threads N                Number of threads
      --no-prune                 Evaluate every legal plan completely
  -f, --format FORMAT            table, json, csv, csv-plain (no dots in names) or markdown
  -o, --output FILE              Write to FILE, completely or not at all
      --no-defaults              Ignore $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show the options; -h: only the most used
      --help-all                 Explain every option

usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]

Every combination of the given axes, one row each.

An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 (doubling) or
0..1+0.25 (steps), joined by commas. Rows come in the order of model, device, software, plan
options, --set and --link as given, the last one varying fastest. '+' joins the parts of one value:
--recompute none,norm+activation; a list of parts is one value. Rows are the plans that are legal
and fit; after Ctrl-C the output ends with a whole row. --shard I/N computes only every N-th row,
beginning with row I; 'nncost merge' joins the shards. Exits with 1 when there is no row, and with
128 + the number of the signal when a signal stops the sweep.

With --serve it is about a decoder that serves requests: 'nncost sweep --serve --help' lists those
options.

usage: nncost calibrate FILE... [options]

Fit a device's efficiency parameters to measured rows: errors before and after, and the device file
with the fitted values.

FILE is a file of 'accuracy' or of nncost.measure, or a trace of PyTorch, whose operators are used
as rows. Without --device, it fits the device that all rows name. Only parameters that the rows can
determine are fitted: one machine factor from one step, more parameters from more rows; --fit names
others. With --fold the other rows are held out, and their errors are printed. --output writes the
new device file and names the device after the file; the report goes to standard output. Options of
the plan and --set replace the values of every row; fields of --set are not written.

With --serve it is about a decoder that serves requests: 'nncost calibrate --serve --help' lists
those options.

usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]

Formula and source of metrics and ops; with MODEL DEVICE also their numbers.

Batch:
      --micro-batch N            Sequences or images per micro-batch of one replica
      --micro-batches N          Micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Sequences or images per step
      --seq-len N                Length of a sequence
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore keys that nncost does not know or cannot estimate, in ...
      --from FORMAT              Format of the launch files among the arguments, such as deepspeed
      --scenario ID              The scenario to take from the plan file that is given as MODEL

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Devices in one scale-up domain
      --data N                   Replicas that share the batch
      --tensor N                 Devices that split each matrix product
      --pipeline N               Pipeline stages
      --virtual-stages N         Groups of layers per pipeline stage
      --ends-as-layers[=off]     Count embedding and head as one layer each when balancing stages
      --first-stage-layers N     Layers of the first pipeline stage; 0 = as many as other stages
      --last-stage-layers N      Layers of the last pipeline stage; 0 = as many as other stages
      --context N                Devices that split each sequence
      --expert N                 Devices that share the experts; a divisor of data x context
      --whole-experts[=off]      Do not split experts over tensor ranks (expert tensor parallel = ...
      --sequence-parallel[=off]  Also split norms and dropout over tensor ranks
      --schedule NAME            Pipeline schedule: the order of forward and backward micro-batches
      --context-kind NAME        How context ranks attend to the tokens of other context ranks
      --rank-order NAME          Order in which ranks are numbered: the degree named first varies ...
      --overlap X                Share of the communication that overlaps with compute, where ...
      --capacity-factor X        Slots of an expert divided by its mean number of tokens; 0 = no ...
      --imbalance X              Tokens of the busiest expert rank divided by the mean of all ranks
      --cluster FILE             Cluster file with the links between the devices; they replace ...

Memory:
      --zero NAME                ZeRO stage: 1 divides optimizer states, 2 also gradients, 3 also ...
      --shard N                  Ranks that share one copy of the tensors that ZeRO divides (HSDP)
      --reshard[=off]            ZeRO stage 3 frees weights after forward and gathers them again ...
      --offload LIST             Parts kept in host memory: optimizer, activations, weights
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are ...
      --train-from N             Index, from 0, of the first of the layers that --train-layers ...
      --next-tokens[=off]        Also train the layers for multi-token prediction (next_layers of ...
      --adapter-rank N           Rank of low-rank adapters of linear layers (LoRA); 0 = no adapters
      --adapters LIST            Linear layers with adapters; routed experts have none unless listed
      --dora[=off]               Adapters train the direction of each weight and a separate ...
      --oft[=off]                Adapters rotate the inputs of each layer, in blocks of ...
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Keep the inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers that full recomputation runs again from one ...
      --recompute-layers N       Number of layers of each stage that are recomputed in full; 0 = ...
      --activations NAME         Rule by which the bytes of kept activations are counted
      --reserve-bytes N          Device memory for other uses: driver, collectives, allocator ...

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Precision policy: formats of weights, gradients and optimizer ...
      --optimizer NAME           Optimizer: determines the optimizer states and the work of the ...
      --optimizer-rank N         Rank to which the optimizers galore and apollo project gradients
      --optimizer-kernels NAME   Kernels of the update: one for all operations, or one for each ...
      --attention NAME           Attention as one fused kernel, or as separate kernels
      --mode NAME                Compute the predicted step with the fitted efficiencies of the ...
      --flops-convention NAME    Rule by which model FLOPs are counted
      --clip-gradients[=off]     Clip gradients by the norm of all gradients before the update
      --software PROFILE         Software profile: which kernels are fused, which tensors are ...
      --seller NAME              Seller whose prices are used: a file in prices/, such as aws, or ...
      --offer KIND               Terms on which the seller rents the devices
      --region REGION            Location of the devices: a country (FR, FRA, France), or a ...
      --set FIELD=VALUE          Change any field of the plan, the model or the device, by its ...
      --power-cap W              Sustained power limit of a device in watts (like --set ...
      --host HOST                Time of the host to issue one kernel of a program that is not ...
      --implementation NAME      Library that runs the model under the profiles torch-eager and ...
      --building OPERATOR        Operator of the data centre

Cost:
      --tokens X                 Tokens to train on in the whole run
      --samples X                Sequences or images to train on in the whole run
      --price X                  Price of one device for one hour, in the currency of the device ...
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of one stored gigabyte per month
      --egress-bytes X           Bytes that are moved out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte out of the cloud

Output:
  -f, --format FORMAT            table, json, csv, csv-plain (no dots in names) or markdown
  -o, --output FILE              Write to FILE, completely or not at all
      --no-defaults              Ignore $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show the options; -h: only the most used
      --help-all                 Explain every option


# Help lists every option.
$ nncost docs options --format json >options.json; python3 - <<'END'
> import json, subprocess
> for command in json.load(open("options.json"))["commands"]:
>     said = subprocess.run(["nncost", "help", command["name"]], capture_output=True, text=True).stdout
>     missing = [o["name"] for o in command["options"] if f"  {o['name']}" not in said]
>     if missing: print(command["name"], missing)
> END
