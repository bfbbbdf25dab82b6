# Tests inputs of users who have not read the manual: short help, other spellings, pipes and defaults.

# -h prints at most 25 lines for every command. 'nncost help COMMAND' prints the complete help.
$ nncost -h | wc -l | awk '{ print ($1 <= 25) }'
1
$ for c in estimate ops compare run budget explain sweep merge search check diff accuracy calibrate init plot report import list show validate docs; do [ $(nncost $c -h | wc -l) -le 25 ] || echo $c; done
$ nncost ops -h | sed 's| of [0-9]* options| of N options|'
usage: nncost ops MODEL DEVICE | PLANS.json [DEVICE] [options]

Every op of the step: dimensions, FLOPs, bytes, intensity, time, share, bound.

      --devices N                Total number of devices
      --tensor N                 Number of devices that split each matrix product
      --pipeline N               Number of pipeline stages, over which the layers are spread
      --zero NAME                ZeRO: divide optimizer states (1), also gradients (2), weights (3)
      --micro-batch N            Number of sequences or images in a micro-batch of one replica
      --micro-batches N          Number of micro-batches per optimizer step (gradient accumulation)
      --global-batch N           Number of sequences or images per step, of all replicas
      --seq-len N                Length of a sequence in tokens
      --precision NAME           Number format of the matrix products
      --optimizer NAME           Optimizer, which decides the optimizer states and the update's work
      --recompute LIST           Activation checkpointing: parts of forward that backward ...
      --adapter-rank N           LoRA rank: inner width of the adapters of linear layers
      --set FIELD=VALUE          Change a field of the plan, model or device
  -f, --format FORMAT            Output format: table, json, csv, csv-plain or markdown
  -o, --output FILE              Write the output to FILE instead of standard output
      --sort KEY                 Order of the rows: order (of execution), or time, flops, bytes ...
      --top N                    Show only the first N rows
      --by KEY                   Print one row of sums for each op, group of ops or phase

18 of N options; 'nncost ops --help' explains all of them.
$ [ "$(nncost help ops)" = "$(nncost ops --help)" ] && [ "$(nncost help)" = "$(nncost --help)" ] && echo same
[1]
$ nncost -V && nncost version
nncost VERSION
nncost VERSION
$ nncost help oops
! nncost: oops: unknown command, did you mean ops?
[2]
$ nncost help ops estimate
! nncost: estimate: unexpected argument after ops
[2]

# Short options select the format (-f) and the output file (-o).
$ nncost ops dense round --top 1 -f csv
name,path,kind,phase,group,repeat,shape,flops,vector_flops,read_bytes,write_bytes,kept_bytes,intensity_flops_per_byte,time_s,share,bound,link,network_s\r
optimizer,optimizer,optimizer_step,update,optimizer,1,params=107106000,0,1713696000,1499484000,1499484000,,0.571428571429,0.002998968,0.277791383948,memory,,\r
$ nncost ops dense round --top 1 -fcsv -o ops.csv; wc -l < ops.csv
2
$ nncost ops dense round -o
! nncost: --output: a value is missing, expected FILE
[2]
$ nncost ops dense round -x
! nncost: -x: unknown option, options start with two dashes
[2]

# Upper and lower case are equal in names. A name may contain its maker or owner, or blanks. An exact id takes
# precedence.
$ nncost estimate --full Dense ROUND --Micro-Batch 2 --PRECISION BF16 --Format CSV | cut -d, -f1,21 | tail -1
dense,A device of round figures
$ nncost estimate some-lab/Dense-Instruct "NVIDIA --full Round" --full | head -2
! nncost: DEVICE: unknown device, expected the name of the device alone: "Round", found "NVIDIA --full Round"
$ nncost estimate DENSE2 round
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "DENSE2"
[3]
$ nncost estimate DENS round
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "DENS"
[3]
$ nncost estimate some-lab/Dense-3 round
! nncost: some-lab/Dense-3: no such file or folder, and no known name of the hub, expected a known name or the config.json of this model: hf download some-lab/Dense-3 config.json --local-dir Dense-3, then Dense-3/config.json; or curl -LO https://huggingface.co/some-lab/Dense-3/resolve/main/config.json
[3]

# With tensor ranks, a vocabulary that the ranks do not divide is padded to a multiple of 128 x ranks, as frameworks pad
# the 50,257 words of GPT-2. The output reports the padding.
$ nncost estimate dense round --full --full --tensor 2 --set vocab=10001 | head -2
model     dense, A small decoder, decoder, 107,346,000 parameters,
          vocabulary padded to 10,240 rows for 2 tensor ranks
$ nncost estimate dense round --tensor 2 --set vocab=10001 -f json | grep -o '"padded_vocab": [0-9]*'
"padded_vocab": 10240
$ nncost estimate dense round --tensor 2 -f json | grep -c padded
0
[1]

# Every command reads a pipe in the same way as a file.
$ nncost estimate --full - round < toy/models/dense.json | head -1
model     - = dense, A small decoder, decoder, 107,106,000 parameters
$ nncost estimate --full dense /dev/stdin < toy/hw/round.json | sed -n 2p
device    /dev/stdin = round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,
$ cat toy/hw/round.json | nncost validate - && cat toy/models/dense.json | nncost show - | head -1
-: ok
model     -
$ nncost init dense round > plans.json; cat plans.json | nncost check - | head -1; cat plans.json | nncost estimate --full - | head -1
-: 1 estimated; 2 of 2 requirements met
model     dense, A small decoder, decoder, 107,106,000 parameters
$ cat plans.json | nncost search - --devices 2 --global-batch 2 --threads 1 -f csv | wc -l
11
$ nncost estimate dense round -f json > a.json; nncost diff - a.json < a.json
- -> a.json: the same
$ mkfifo pipe; (timeout 5 cat toy/models/dense.json > pipe &); nncost estimate ./pipe round --full --full | head -1
model     ./pipe = dense, A small decoder, decoder, 107,106,000 parameters
$ nncost check - --update < plans.json
! nncost: --update: - is not a file that can be replaced
[2]

# A broken file or a pipe in a folder of $NNCOST_PATH is reported, and the valid files are listed.
$ mkdir -p own/hw; echo '{' > own/hw/broken.json; mkfifo own/hw/pipe.json
$ NNCOST_PATH=own:toy nncost list devices -f csv | cut -d, -f1
id
fitted
old
round
! nncost: own/hw/broken.json:2:1: bad syntax, expected a key in quotes, found the end of the text
! nncost: own/hw/pipe.json: expected a regular file
$ NNCOST_PATH=own:toy nncost estimate --full dense ROUND | sed -n 2p
device    ROUND = round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,
$ NNCOST_PATH=own:toy nncost estimate dense pipe
! nncost: own/hw/pipe.json: expected a regular file
[4]

# 'nncost list' prints one list or all lists.
$ nncost list device | wc -l; nncost list | grep '^id'
5
id     year          peak in     memory  bandwidth ridge       link price/h measured aliases
id       name                            family    parameters  shape                   input
id              release  name
$ nncost list -f csv
! nncost: list: only the formats table and markdown can show all lists at once, expected devices, models or software, found nothing
[2]

# An option in the defaults file applies to every command that has this option. Options of the command line take
# precedence.
$ mkdir -p config/nncost; printf '# mine\n--micro-batch 3\n--software=eager\n\n  --sort time\n' > config/nncost/defaults
$ XDG_CONFIG_HOME=$PWD/config nncost estimate dense round --full --full | sed -n 3,4p
plan      batch 3, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software eager, mode predicted
$ XDG_CONFIG_HOME=$PWD/config nncost estimate dense round --full --full --micro-batch 2 | sed -n 3p
plan      batch 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
$ XDG_CONFIG_HOME=$PWD/config nncost estimate dense round --full --full --no-defaults | sed -n 3p
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
$ XDG_CONFIG_HOME=$PWD/config nncost list software -f csv | wc -l
6
$ echo '--region TOY' > config/nncost/region; mkdir -p other/nncost; mv config/nncost/region other/nncost/defaults; XDG_CONFIG_HOME=$PWD/other nncost estimate dense round --brief
One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute
(64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.
$ nncost estimate dense round --region TOY --brief
! nncost: --region: has no effect here, expected together with --tokens or --samples, or 'nncost run'
[2]
$ nncost init dense round > plans.json; XDG_CONFIG_HOME=$PWD/config nncost estimate plans.json --full --full | sed -n 3,4p
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted
$ echo '--micro-bach 3' >> config/nncost/defaults; XDG_CONFIG_HOME=$PWD/config nncost list models 2>\&1 | sed "s|$PWD/||"
$ echo '--output x' > config/nncost/defaults; XDG_CONFIG_HOME=$PWD/config nncost list models 2>\&1 | sed "s|$PWD/||"
$ echo '--micro-batch' > config/nncost/defaults; XDG_CONFIG_HOME=$PWD/config nncost list models 2>\&1 | sed "s|$PWD/||"

# Values in a device file of the user need no source.
$ python3 -c "import json;d=json.load(open('toy/hw/round.json'));d.pop('sources');d['id']='mine';json.dump(d,open('mine.json','w'))"
$ nncost estimate --full dense ./mine.json | sed -n 2p
device    ./mine.json = mine, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,

# Invisible characters are removed from outputs; JSON has them as escapes. A wide "=" at the beginning of a CSV cell
# does not start a formula. A read-only file is not overwritten.
$ sed -e 's/"name": "[^"]*"/"name": "​a󠁁"/' -e 's/"id": "dense"/"id": "odd"/' toy/models/dense.json >odd.json
$ for f in table markdown csv json; do nncost estimate ./odd.json round --format $f | LC_ALL=C grep -c "$(printf '\342\200\213\\|\363\240\201')"; done; nncost estimate ./odd.json round --format json | grep -o '"name": "[^"]*"' | head -1
0
0
0
0
"name": "\u200ba\udb40\udc41"
$ sed -e 's/"name": "[^"]*"/"name": "＝1"/' -e 's/"id": "dense"/"id": "odd"/' toy/models/dense.json >odd.json; nncost estimate ./odd.json round --format csv | tail -1 | cut -d, -f1-2
odd,'＝1
$ echo kept >kept.txt; chmod 444 kept.txt; nncost estimate dense round --output kept.txt; cat kept.txt
kept
! nncost: kept.txt: cannot write: Permission denied
