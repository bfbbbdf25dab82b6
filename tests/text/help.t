# Tests help texts. The man page contains the help of every command; the test 'docs' compares it.

# Prints the version.
$ nncost --version
nncost VERSION

# The help of nncost lists the commands, the folders in which ids are searched, and the exit codes.
$ nncost --help
usage: nncost COMMAND ...

Time, memory, bounds and cost of one neural-network training step, from the shape of
the network and the datasheet of the device.

Commands:
  estimate  One training step: time with its range, limiting resource, memory, throughput, cost.
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
  check     Estimate the scenarios of a plan file again, and print changed estimates, their causes
            and missed requirements.
  accuracy  Predictions compared with measurements: mean, median and largest errors per file, device
            and framework.
  calibrate Fit a device's efficiency parameters to measured rows: errors before and after, and the
            device file with the fitted values.
  init      Print a file to start from: a plan file for 'nncost check', a device, a model, a cluster
            or measured rows.
  plot      A picture as SVG: step, memory, roofline, timeline, front or scaling.
  import    Convert an ONNX file to a model file of the graph family, on standard output.
  list      The devices, models and software profiles that have an id. With TEXT, only entries with
            TEXT in an id, a name or an alias are listed.
  show      A device, model or software profile: its file, every field, the sources.
  mcp       A server of the Model Context Protocol for AI assistants, on standard input and output.
  docs      The man pages nncost(1) and nncost-files(5), completions for bash, zsh and fish, all
            options, or the JSON Schema of a kind of file or output.

Further commands, each a part of a command above:
  trace log, watch     The log of a run, compared with its estimate: step time, memory, MFU.
  sweep merge, merge   Join the shards of a sweep or of a search into one file, equal to the output
                       of one undivided run.
  scale limit, limit   The largest degree of parallelism with which the network does not bound the
                       step, and the smallest batch that compute bounds.
  check diff, diff     Two estimates: the metrics that differ, largest change first, and the op or
                       part that causes the change.
  plot report, report  One page of HTML: the verdict, pictures, and every number with its source.
  plot explore, explore
                       The whole program as one page for a browser; the page first shows the
                       estimate of MODEL on DEVICE.
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

# The help of a command has its usage, a summary, and the options with units, ranges and defaults.
$ nncost estimate --help
usage: nncost estimate [FILE...] MODEL DEVICE | PLANS.json [DEVICE] [options]

One training step: time with its range, limiting resource, memory, throughput, cost.

Batch:
      --micro-batch N            Number of sequences or images in a micro-batch of one replica
      --micro-batches N          Number of micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Number of sequences or images per step, of all replicas
      --seq-len N                Length of a sequence in tokens
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore unknown keys in launch files and Hugging Face configurations
      --from FORMAT              Format of the launch files on the command line, such as deepspeed
      --scenario ID              Id of the scenario to estimate, if MODEL is a plan file

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Number of devices in one scale-up domain
      --data N                   Number of model replicas that share the batch (data parallelism)
      --tensor N                 Number of devices that split each matrix product
      --pipeline N               Number of pipeline stages, over which the layers are spread
      --virtual-stages N         Number of groups of layers (virtual stages) per pipeline stage
      --ends-as-layers[=off]     Balance stages with the embedding and the head as one layer each
      --first-stage-layers N     Number of layers of the first pipeline stage
      --last-stage-layers N      Number of layers of the last pipeline stage
      --context N                Number of devices that split each sequence (context parallelism)
      --expert N                 Number of devices that share the experts (expert parallelism)
      --whole-experts[=off]      Keep each expert whole instead of splitting it over tensor ranks
      --sequence-parallel[=off]  Sequence parallelism: tensor ranks also split norms and dropout
      --schedule NAME            Pipeline schedule: order of forward and backward passes of a stage
      --context-kind NAME        How a context rank gets keys and values from other context ranks
      --rank-order NAME          Order of ranks on the devices
      --overlap X                Share of the communication that overlaps with compute, from 0 to 1
      --capacity-factor X        Tokens that one expert can take / mean tokens of all experts
      --imbalance X              Tokens of the busiest expert rank / mean of all expert ranks
      --cluster FILE             JSON file of a cluster, with the links between its devices

Memory:
      --zero NAME                ZeRO: divide optimizer states (1), also gradients (2), weights (3)
      --shard N                  Number of ranks that hold one copy of the tensors that ZeRO divides
      --reshard[=off]            With --zero 3, a layer's gathered weights are freed after forward
      --offload LIST             Tensors that are stored in host memory instead of device memory
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are trained
      --train-from N             Index, from 0, of the first layer that --train-layers N trains
      --next-tokens[=off]        Also train the layers for multi-token prediction
      --adapter-rank N           LoRA rank: inner width of the adapters of linear layers
      --adapters LIST            Linear layers that get adapters
      --dora[=off]               DoRA: adapters also train one magnitude per output of their layer
      --oft[=off]                OFT: each adapter rotates the inputs of its layer
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Forward keeps inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers per recompute block of --recompute full
      --recompute-layers N       Number of layers per stage that --recompute full recomputes
      --activations NAME         Rule by which nncost counts the bytes of kept activations
      --reserve-bytes N          Bytes of device memory for driver, collectives and fragmentation

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Policy: formats of weights, gradients and optimizer states
      --optimizer NAME           Optimizer, which decides the optimizer states and the update's work
      --optimizer-rank N         Rank of the gradient projections of --optimizer galore and apollo
      --optimizer-kernels NAME   How the operations of the optimizer update are divided into kernels
      --attention NAME           Attention in one fused kernel, or in separate kernels (unfused)
      --mode NAME                Predicted step time, or lower bound of the step time (ideal)
      --flops-convention NAME    Rule by which nncost counts model FLOPs
      --clip-gradients[=off]     Clip the gradients before the update by the norm of all gradients
      --software PROFILE         Software profile: kernels, kept tensors, overlap of a framework
      --seller NAME              Seller of device-hours
      --offer KIND               Rental terms: on-demand, spot, reserved-1y or reserved-3y
      --region REGION            Location of the devices: a country or the region of a cloud
      --set FIELD=VALUE          Change a field of the plan, model or device
      --power-cap W              Sustained power limit of a device in watts
      --host HOST                Host time to issue one kernel of a program that is not compiled
      --implementation NAME      Library of the model: transformers, diffusers, timm or pytorch
      --building OPERATOR        Operator of the data centre, such as google

Cost:
      --tokens X                 Number of tokens to train on in the whole run
      --samples X                Number of sequences or images to train on in the whole run
      --price X                  Price of one device for one hour
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of storing one gigabyte for one month
      --egress-bytes X           Bytes of data that the run sends out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte of data out of the cloud

Output:
      --emit FORMAT[=FILE]       Print the plan as a launch file instead of the normal output
      --stages                   Show layers, times and memory of every pipeline stage
      --full                     Show all results: plan, parts of the step, memory by class, sources
      --brief                    Print one sentence only: step time, bound, and if the plan fits
      --timeline                 Show when every pipeline stage runs its forward and backward passes
      --trace FILE               Write the timeline of all passes to FILE
      --measured STEP            Compare estimate and measurement, and show the measured MFU
      --sensitivity              Show the effect of each device parameter on the step time
  -f, --format FORMAT            Output format: table, json, csv, csv-plain or markdown
  -o, --output FILE              Write the output to FILE instead of standard output
      --no-defaults              Ignore the default options in $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show all options of the command; -h: only the most used options
      --help-all                 Show all options of the command with complete explanations

'nncost estimate --help-all' explains all 188 options, those of whole runs and software too.

# Prints help on a narrow terminal.
$ COLUMNS=60 nncost diff --help
usage: nncost diff OLD NEW [options]

Two estimates: the metrics that differ, largest change
first, and the op or part that causes the change.

OLD and NEW are outputs of 'nncost estimate --format json',
or plan files with recorded estimates, which are matched by
scenario. A pipe also works: git show main:plans.json |
nncost diff /dev/stdin plans.json. The command exits with 0
whether the estimates differ or not; 'nncost check' exits
with 1 if estimates differ.

Options (option names cannot be abbreviated):

Output:
  --format FORMAT         Output format: table, json, csv,
                          csv-plain or markdown. csv-plain
                          is CSV without dots in the names
                          of the columns. [table]
  --output FILE           Write the output to FILE instead
                          of standard output. If an error
                          stops the command, FILE does not
                          change. [standard output]
  --no-defaults           Ignore the default options in
                          $XDG_CONFIG_HOME/nncost/defaults.
  --help                  Show all options of the command;
                          -h: only the most used options.
  --help-all              Show all options of the command
                          with complete explanations.

# Every command has a help text that begins with its usage.
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

# The help of search, sweep, calibrate and explain has notes.
$ for c in search sweep calibrate explain; do nncost $c --help | sed -n '/^usage/,/^Options/p' | sed '$d'; done
usage: nncost search MODEL DEVICE[,DEVICE...] | PLANS.json [DEVICE] [options]

The best legal plans for N devices, and the Pareto front of time and memory.

Batch:
      --micro-batch N            Number of sequences or images in a micro-batch of one replica
      --micro-batches N          Number of micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Number of sequences or images per step, of all replicas
      --seq-len N                Length of a sequence in tokens
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore unknown keys in launch files and Hugging Face configurations
      --from FORMAT              Format of the launch files on the command line, such as deepspeed
      --scenario ID              Id of the scenario to estimate, if MODEL is a plan file

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Number of devices in one scale-up domain
      --data N                   Number of model replicas that share the batch (data parallelism)
      --tensor N                 Number of devices that split each matrix product
      --pipeline N               Number of pipeline stages, over which the layers are spread
      --virtual-stages N         Number of groups of layers (virtual stages) per pipeline stage
      --ends-as-layers[=off]     Balance stages with the embedding and the head as one layer each
      --first-stage-layers N     Number of layers of the first pipeline stage
      --last-stage-layers N      Number of layers of the last pipeline stage
      --context N                Number of devices that split each sequence (context parallelism)
      --expert N                 Number of devices that share the experts (expert parallelism)
      --whole-experts[=off]      Keep each expert whole instead of splitting it over tensor ranks
      --sequence-parallel[=off]  Sequence parallelism: tensor ranks also split norms and dropout
      --schedule NAME            Pipeline schedule: order of forward and backward passes of a stage
      --context-kind NAME        How a context rank gets keys and values from other context ranks
      --rank-order NAME          Order of ranks on the devices
      --overlap X                Share of the communication that overlaps with compute, from 0 to 1
      --capacity-factor X        Tokens that one expert can take / mean tokens of all experts
      --imbalance X              Tokens of the busiest expert rank / mean of all expert ranks
      --cluster FILE             JSON file of a cluster, with the links between its devices
      --max-devices N            Largest number of devices

Memory:
      --zero NAME                ZeRO: divide optimizer states (1), also gradients (2), weights (3)
      --shard N                  Number of ranks that hold one copy of the tensors that ZeRO divides
      --reshard[=off]            With --zero 3, a layer's gathered weights are freed after forward
      --offload LIST             Tensors that are stored in host memory instead of device memory
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are trained
      --train-from N             Index, from 0, of the first layer that --train-layers N trains
      --next-tokens[=off]        Also train the layers for multi-token prediction
      --adapter-rank N           LoRA rank: inner width of the adapters of linear layers
      --adapters LIST            Linear layers that get adapters
      --dora[=off]               DoRA: adapters also train one magnitude per output of their layer
      --oft[=off]                OFT: each adapter rotates the inputs of its layer
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Forward keeps inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers per recompute block of --recompute full
      --recompute-layers N       Number of layers per stage that --recompute full recomputes
      --activations NAME         Rule by which nncost counts the bytes of kept activations
      --reserve-bytes N          Bytes of device memory for driver, collectives and fragmentation
      --max-memory BYTES         Largest memory that a plan is allowed to use on one device
      --risk SHARE               Largest allowed probability of running out of memory: 5%, 0.05

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Policy: formats of weights, gradients and optimizer states
      --optimizer NAME           Optimizer, which decides the optimizer states and the update's work
      --optimizer-rank N         Rank of the gradient projections of --optimizer galore and apollo
      --optimizer-kernels NAME   How the operations of the optimizer update are divided into kernels
      --attention NAME           Attention in one fused kernel, or in separate kernels (unfused)
      --mode NAME                Predicted step time, or lower bound of the step time (ideal)
      --flops-convention NAME    Rule by which nncost counts model FLOPs
      --clip-gradients[=off]     Clip the gradients before the update by the norm of all gradients
      --software PROFILE         Software profile: kernels, kept tensors, overlap of a framework
      --seller NAME              Seller of device-hours
      --offer KIND               Rental terms: on-demand, spot, reserved-1y or reserved-3y
      --region REGION            Location of the devices: a country or the region of a cloud
      --set FIELD=VALUE          Change a field of the plan, model or device
      --power-cap W              Sustained power limit of a device in watts
      --host HOST                Host time to issue one kernel of a program that is not compiled
      --implementation NAME      Library of the model: transformers, diffusers, timm or pytorch
      --deadline TIME            Largest allowed time of the run: 30d, 12h, 3600 (s)
      --budget MONEY             Largest allowed cost of the whole run
      --building OPERATOR        Operator of the data centre, such as google

Cost:
      --tokens X                 Number of tokens to train on in the whole run
      --samples X                Number of sequences or images to train on in the whole run
      --price X                  Price of one device for one hour
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of storing one gigabyte for one month
      --egress-bytes X           Bytes of data that the run sends out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte of data out of the cloud

Output:
      --emit FORMAT[=FILE]       Print the plan as a launch file instead of the normal output
      --best N                   Number of plans to show; the best plan is first
      --objective KEY            Quantity to minimise: time (step time), memory, or cost (per token)
      --target-step TIME         Step time to reach by changing one device parameter: 2.5s, 800ms
      --plans FILE               Write a plan file with the best plan for each DEVICE
      --shards FILE,...          Merge the JSON outputs of all shards of a search; do not search
      --progress FORM            Form of the progress reports on standard error: line, json or none
      --threads N                Number of threads of this process
      --no-prune                 Evaluate every legal plan, even if it cannot be among the best
  -f, --format FORMAT            Output format: table, json, csv, csv-plain or markdown
  -o, --output FILE              Write the output to FILE instead of standard output
      --no-defaults              Ignore the default options in $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show all options of the command; -h: only the most used options
      --help-all                 Show all options of the command with complete explanations

usage: nncost sweep MODEL[,MODEL...] DEVICE[,DEVICE...] [options]

Every combination of the given axes, one row each.

An axis is any plan option, --software or --set with a list: 2,4,8 or 1..64 or 1..64*2 (doubling) or
0..1+0.25 (steps), joined by commas. The axes have the order model, device, software, plan options,
and --set and --link as given; the last axis varies fastest. '+' joins the parts of one value:
--recompute none,norm+activation. The rows are the plans that are legal and fit. After Ctrl-C, the
output ends with a whole row. --shard I/N computes only every N-th row, beginning with row I;
'nncost merge' joins the shards. The command exits with 1 if there is no row, and with 128 + the
number of the signal if a signal stops the sweep.

With --serve, this command is about a decoder that serves requests; 'nncost sweep --serve --help'
lists its options.

usage: nncost calibrate FILE... [options]

Fit a device's efficiency parameters to measured rows: errors before and after, and the device file
with the fitted values.

FILE is a file of measured rows as for 'accuracy', a file of nncost.measure, or a trace of PyTorch
(each operator of the trace is a row). Without --device, nncost fits the device that all rows name.
Only parameters that the rows can determine are fitted: one step determines one factor of the
machine, and more rows determine more parameters. --fit names other parameters. With --fold, the
rows outside the selected part are held out, and their errors are printed. --output writes the new
device file and names the device after the file; the report goes to standard output. Options of the
plan and --set replace the values of every row; the new device file does not contain the values of
--set.

With --serve, this command is about a decoder that serves requests; 'nncost calibrate --serve
--help' lists its options.

usage: nncost explain [NAMES [MODEL DEVICE | PLANS.json [DEVICE]]] [options]

Formula and source of metrics and ops; with MODEL DEVICE also their numbers.

Batch:
      --micro-batch N            Number of sequences or images in a micro-batch of one replica
      --micro-batches N          Number of micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Number of sequences or images per step, of all replicas
      --seq-len N                Length of a sequence in tokens
      --image N                  Height and width of an image in pixels
      --lenient                  Ignore unknown keys in launch files and Hugging Face configurations
      --from FORMAT              Format of the launch files on the command line, such as deepspeed
      --scenario ID              Id of the scenario to estimate, if MODEL is a plan file

Parallelism:
      --devices N                Total number of devices
      --devices-per-node N       Number of devices in one scale-up domain
      --data N                   Number of model replicas that share the batch (data parallelism)
      --tensor N                 Number of devices that split each matrix product
      --pipeline N               Number of pipeline stages, over which the layers are spread
      --virtual-stages N         Number of groups of layers (virtual stages) per pipeline stage
      --ends-as-layers[=off]     Balance stages with the embedding and the head as one layer each
      --first-stage-layers N     Number of layers of the first pipeline stage
      --last-stage-layers N      Number of layers of the last pipeline stage
      --context N                Number of devices that split each sequence (context parallelism)
      --expert N                 Number of devices that share the experts (expert parallelism)
      --whole-experts[=off]      Keep each expert whole instead of splitting it over tensor ranks
      --sequence-parallel[=off]  Sequence parallelism: tensor ranks also split norms and dropout
      --schedule NAME            Pipeline schedule: order of forward and backward passes of a stage
      --context-kind NAME        How a context rank gets keys and values from other context ranks
      --rank-order NAME          Order of ranks on the devices
      --overlap X                Share of the communication that overlaps with compute, from 0 to 1
      --capacity-factor X        Tokens that one expert can take / mean tokens of all experts
      --imbalance X              Tokens of the busiest expert rank / mean of all expert ranks
      --cluster FILE             JSON file of a cluster, with the links between its devices

Memory:
      --zero NAME                ZeRO: divide optimizer states (1), also gradients (2), weights (3)
      --shard N                  Number of ranks that hold one copy of the tensors that ZeRO divides
      --reshard[=off]            With --zero 3, a layer's gathered weights are freed after forward
      --offload LIST             Tensors that are stored in host memory instead of device memory
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --train LIST               Parts whose weights are trained; all other parts are frozen
      --train-layers N           Number of successive layers whose weights or adapters are trained
      --train-from N             Index, from 0, of the first layer that --train-layers N trains
      --next-tokens[=off]        Also train the layers for multi-token prediction
      --adapter-rank N           LoRA rank: inner width of the adapters of linear layers
      --adapters LIST            Linear layers that get adapters
      --dora[=off]               DoRA: adapters also train one magnitude per output of their layer
      --oft[=off]                OFT: each adapter rotates the inputs of its layer
      --frozen NAME              Storage format of frozen weights
      --fp8-inputs[=off]         Forward keeps inputs of activation functions in 8 bits for backward
      --recompute-every N        Number of layers per recompute block of --recompute full
      --recompute-layers N       Number of layers per stage that --recompute full recomputes
      --activations NAME         Rule by which nncost counts the bytes of kept activations
      --reserve-bytes N          Bytes of device memory for driver, collectives and fragmentation

Numbers:
      --precision NAME           Number format of the matrix products
      --policy NAME              Policy: formats of weights, gradients and optimizer states
      --optimizer NAME           Optimizer, which decides the optimizer states and the update's work
      --optimizer-rank N         Rank of the gradient projections of --optimizer galore and apollo
      --optimizer-kernels NAME   How the operations of the optimizer update are divided into kernels
      --attention NAME           Attention in one fused kernel, or in separate kernels (unfused)
      --mode NAME                Predicted step time, or lower bound of the step time (ideal)
      --flops-convention NAME    Rule by which nncost counts model FLOPs
      --clip-gradients[=off]     Clip the gradients before the update by the norm of all gradients
      --software PROFILE         Software profile: kernels, kept tensors, overlap of a framework
      --seller NAME              Seller of device-hours
      --offer KIND               Rental terms: on-demand, spot, reserved-1y or reserved-3y
      --region REGION            Location of the devices: a country or the region of a cloud
      --set FIELD=VALUE          Change a field of the plan, model or device
      --power-cap W              Sustained power limit of a device in watts
      --host HOST                Host time to issue one kernel of a program that is not compiled
      --implementation NAME      Library of the model: transformers, diffusers, timm or pytorch
      --building OPERATOR        Operator of the data centre, such as google

Cost:
      --tokens X                 Number of tokens to train on in the whole run
      --samples X                Number of sequences or images to train on in the whole run
      --price X                  Price of one device for one hour
      --stored-bytes X           Bytes of data and checkpoints that are stored during the run
      --storage-price X          Price of storing one gigabyte for one month
      --egress-bytes X           Bytes of data that the run sends out of the cloud (egress)
      --egress-price X           Price of moving one gigabyte of data out of the cloud

Output:
  -f, --format FORMAT            Output format: table, json, csv, csv-plain or markdown
  -o, --output FILE              Write the output to FILE instead of standard output
      --no-defaults              Ignore the default options in $XDG_CONFIG_HOME/nncost/defaults
      --help                     Show all options of the command; -h: only the most used options
      --help-all                 Show all options of the command with complete explanations


# The help of a command lists all of its options.
$ nncost docs options --format json >options.json; python3 - <<'END'
> import json, subprocess
> for command in json.load(open("options.json"))["commands"]:
>     said = subprocess.run(["nncost", "help", command["name"]], capture_output=True, text=True).stdout
>     missing = [o["name"] for o in command["options"] if f"  {o['name']}" not in said]
>     if missing: print(command["name"], missing)
> END
