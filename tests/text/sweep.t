# 'nncost sweep' prints one row for each combination of the axes.

# Tests two axes on eight devices, in every format. The rows are the plans that are legal and fit.
$ nncost sweep dense round --devices 8 --tensor 4,8 --zero 0,3
tensor  zero    step_s    mfu  tokens_per_s  total_bytes  USD/Mtoken
     4     0  4.433 ms  41.3%       451.1 k     569.2 MB    0.004926
     4     3  3.942 ms  46.4%       507.3 k     369.7 MB     0.00438
     8     0  3.206 ms  28.5%       311.9 k     328.1 MB    0.007125
     8     3  3.206 ms  28.5%       311.9 k     328.1 MB    0.007125
$ nncost sweep dense round --devices 8 --tensor 4,8 --format markdown
| tensor | step_s | mfu | tokens_per_s | total_bytes | USD/Mtoken |
|---:|---:|---:|---:|---:|---:|
| 4 | 4.433 ms | 41.3% | 451.1 k | 569.2 MB | 0.004926 |
| 8 | 3.206 ms | 28.5% | 311.9 k | 328.1 MB | 0.007125 |
$ nncost sweep dense round --devices 8 --tensor 4,8 --format csv
row,plan.tensor,step.step_s,throughput.mfu,throughput.tokens_per_s,memory.total_bytes,cost.per_million_tokens\r
0,4,0.00443341103759,0.412774720071,451119.912646,569240000,0.00492601226398\r
1,8,0.003206052,0.285397741521,311910.100023,328096000,0.00712456\r
$ nncost sweep dense round --devices 8 --tensor 4,8 --format json
{"row": 0, "plan.tensor": 4, "step.step_s": 0.00443341103759, "throughput.mfu": 0.412774720071, "throughput.tokens_per_s": 451119.912646, "memory.total_bytes": 569240000, "cost.per_million_tokens": 0.00492601226398, "command": "nncost estimate dense round --devices 8 --tensor 4"}
{"row": 1, "plan.tensor": 8, "step.step_s": 0.003206052, "throughput.mfu": 0.285397741521, "throughput.tokens_per_s": 311910.100023, "memory.total_bytes": 328096000, "cost.per_million_tokens": 0.00712456, "command": "nncost estimate dense round --devices 8 --tensor 8"}

# The axes are ordered: model, device, software, then options in the order of the command line. The last axis changes
# fastest.
$ nncost sweep dense,experts round,old --software torch-compile,eager --micro-batch 1,2 --set seq_len=500,1000 --columns row,model,device,software,micro_batch,seq_len --format csv | sed '8,$d'
row,model.id,device.id,plan.software,plan.micro_batch,plan.seq_len\r
0,dense,round,torch-compile,1,500\r
1,dense,round,torch-compile,1,1000\r
2,dense,round,torch-compile,2,500\r
3,dense,round,torch-compile,2,1000\r
4,dense,round,eager,1,500\r
5,dense,round,eager,1,1000\r

# Tests ranges, doubling and steps.
$ nncost sweep dense round --devices 8 --micro-batch 1..3 --micro-batches 1..16*4 --overlap 0..1+0.5 --columns micro_batch,micro_batches,overlap,global_batch --format csv
plan.micro_batch,plan.micro_batches,plan.overlap,plan.global_batch\r
1,1,0,8\r
1,1,0.5,8\r
1,1,1,8\r
1,4,0,32\r
1,4,0.5,32\r
1,4,1,32\r
1,16,0,128\r
1,16,0.5,128\r
1,16,1,128\r
2,1,0,16\r
2,1,0.5,16\r
2,1,1,16\r
2,4,0,64\r
2,4,0.5,64\r
2,4,1,64\r
2,16,0,256\r
2,16,0.5,256\r
2,16,1,256\r
3,1,0,24\r
3,1,0.5,24\r
3,1,1,24\r
3,4,0,96\r
3,4,0.5,96\r
3,4,1,96\r
3,16,0,384\r
3,16,0.5,384\r
3,16,1,384\r

# --all also prints plans that are illegal or too large, with the reason.
$ nncost sweep dense round --devices 8 --tensor 2,3,4 --micro-batch 1,128 --all --columns tensor,micro_batch,verdict,reason --format csv
plan.tensor,plan.micro_batch,verdict,reason\r
2,1,fits,\r
2,128,over_memory,memory: needs 24.71 GB of 10.00 GB\r
3,1,illegal,"'--devices: expected a multiple of tensor x pipeline x context = 3, found 8"\r
3,128,illegal,"'--devices: expected a multiple of tensor x pipeline x context = 3, found 8"\r
4,1,fits,\r
4,128,over_memory,memory: needs 16.85 GB of 10.00 GB\r

# A "+" joins several names to one value, such as norm+activation.
$ nncost sweep dense round --devices 8 --zero 3 --recompute none,norm+activation,full --offload none,optimizer+activations --sequence-parallel=off,on --tensor 2 --columns recompute,offload,sequence_parallel --format csv
plan.recompute,plan.offload,plan.sequence_parallel\r
none,none,false\r
none,none,true\r
none,"optimizer,activations",false\r
none,"optimizer,activations",true\r
"norm,activation",none,false\r
"norm,activation",none,true\r
"norm,activation","optimizer,activations",false\r
"norm,activation","optimizer,activations",true\r
full,none,false\r
full,none,true\r
full,"optimizer,activations",false\r
full,"optimizer,activations",true\r

# --link changes several options together.
$ nncost sweep dense round --link 'tensor=2,4,8;data=4,2,1' --zero 3 --micro-batch 1,2 --columns tensor,data,micro_batch,devices
tensor  data  micro_batch  devices
     2     4            1        8
     4     2            1        8
     8     1            1        8
     2     4            2        8
     4     2            2        8
     8     1            2        8

# --where selects rows. A condition on axes is tested before the estimate; a condition on metrics is tested after the
# estimate.
$ nncost sweep dense round --devices 8 --tp 1..8*2 --zero 0..3 --where 'tp*zero <= 8 && tensor > 1' --where 'fits && data != 4' --columns tp,zero,data
tensor  zero  data
     4     0     2
     4     1     2
     4     2     2
     8     0     1
     8     1     1
$ nncost sweep dense round --recompute none,selective,full --where 'recompute != "none" && layers == 8' --columns recompute,layers
recompute  layers
selective       8
full            8
$ nncost sweep dense round --micro-batch 1..8 --where '!(mfu < 0.9) || micro_batch == 2' --where 'step_s * 1000 < 60' --columns micro_batch
micro_batch
          2
          6
          7

# --top prints the best or the worst rows.
$ nncost sweep dense round --micro-batch 1..64*2 --seq-len 250,500,1000 --top 4 --by samples_per_s --columns micro_batch,seq_len
micro_batch  seq_len
         64      250
         32      250
         16      250
          8      250

3 of 21 plans are not shown: 3 over memory, 0 illegal; --all shows them with the reason
$ nncost sweep dense round --micro-batch 1..64*2 --top 2 --by memory.total_bytes:desc --columns micro_batch --format csv
plan.micro_batch\r
16\r
8\r

# Fields of the model and of the device can be axes. A model of images has no tokens per second.
$ nncost sweep dense round --set model.layers=8,16 --set device.mem_bytes=40e9,80e9 --columns layers,device.mem_bytes,params,memory.capacity_bytes
with model.layers=8,16, device.mem_bytes=40e9,80e9

layers  mem_bytes       params  capacity_bytes
     8   40.00 GB  107,106,000        40.00 GB
     8   80.00 GB  107,106,000        80.00 GB
    16   40.00 GB  203,210,000        40.00 GB
    16   80.00 GB  203,210,000        80.00 GB
$ nncost sweep unet round,old --image 256..512+128 --columns device,image,samples_per_s,tokens_per_s --format csv
device.id,plan.image,throughput.samples_per_s,throughput.tokens_per_s\r
round,256,1804.67583424,\r
round,384,1113.04764582,\r
round,512,702.911430466,\r
old,256,903.669718868,\r
old,384,557.664334735,\r
old,512,352.2645507,\r

# --shard computes a part of the rows. A shard may have no rows.
$ nncost sweep dense round --micro-batch 1..10 --shard 2/3 --columns micro_batch --format csv
row,plan.micro_batch\r
1,2\r
4,5\r
7,8\r
$ nncost sweep dense round --set layers=800 --micro-batch 1,2 --shard 1/2 --format csv --columns mfu
row,throughput.mfu\r

# Tests sweeps without a row: no plan fits, or --where leaves no combination.
$ nncost sweep dense round --set layers=800 --micro-batch 1,2
with layers=800

micro_batch  step_s  mfu  tokens_per_s  total_bytes  USD/Mtoken
! nncost: sweep: none of the 2 plans fits, 0 illegal, 2 over memory; --all shows them with the reason
[1]
$ nncost sweep dense round --set layers=800 --devices 2 --tensor 1..3 --all --columns tensor,verdict
with layers=800

tensor  verdict
     1  over_memory
     2  over_memory
     3  illegal
! nncost: sweep: none of the 3 plans fits, 1 illegal, 2 over memory
[1]
$ nncost sweep dense round --micro-batch 1..4 --where 'micro_batch > 2 && micro_batch < 3' --format csv
row,plan.micro_batch,step.step_s,throughput.mfu,throughput.tokens_per_s,memory.total_bytes,cost.per_million_tokens\r
! nncost: --where: leaves none of the 4 combinations
[1]

# Tests wrong lists and ranges: an empty value, a falling range, not a range, out of range, a value given twice, and too
# many combinations.
$ nncost sweep dense round --micro-batch ''
! nncost: --micro-batch: empty value in the list ""
[2]
$ nncost sweep dense round --micro-batch 8..1
! nncost: --micro-batch: the range does not rise, found "8..1"
[2]
$ nncost sweep dense round --micro-batch 1..x
! nncost: --micro-batch: not a range, expected FIRST..LAST, FIRST..LAST+STEP or FIRST..LAST*FACTOR, found "1..x"
[2]
$ nncost sweep dense round --micro-batch 0..4
! nncost: --micro-batch: out of range, expected at least 1, found 0
[2]
$ nncost sweep dense round --micro-batch 1..4,2
! nncost: --micro-batch: "2" twice in the list "1..4,2"
[2]
$ nncost sweep dense round --micro-batch 1..10000 --micro-batches 1..10000 --seq-len 1..10000 --global-batch 1..10000
! nncost: plan.global_batch: too many combinations, expected at most 1e+15
[2]
$ nncost sweep dense round --micro-batch 1..9+0
! nncost: --micro-batch: the range does not rise, found "1..9+0"
[2]
$ nncost sweep dense round --micro-batch 1..9*1
! nncost: --micro-batch: the range does not rise, found "1..9*1"
[2]

# Tests wrong axes: an axis given twice, an unknown field, a field that one of the models does not have, and an unknown
# model.
$ nncost sweep dense round --micro-batch 1,2 --set plan.micro_batch=3,4
! nncost: --set plan.micro_batch: plan.micro_batch is given twice
[2]
$ nncost sweep dense round --set hiden=1,2
! nncost: --set: no such field of plan, model or device: "hiden", did you mean hidden?
[2]
$ nncost sweep dense,unet round --set layers=1,2
! nncost: --set layers: unknown field, expected a field of the unet, found "layers"
[2]
$ nncost sweep dense,densee round
! nncost: MODEL: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "densee"
[3]

# --link needs lists of the same length, each with a name.
$ nncost sweep dense round --link 'tensor=1,2;data=2,1,4'
! nncost: --link: lists of different lengths, plan.tensor has 2 values and plan.data has 3
[2]
$ nncost sweep dense round --link '1,2'
! nncost: --link: expected NAME=LIST, found "1,2"
[2]

# Tests --where with an unknown name, an ambiguous name, and syntax errors.
$ nncost sweep dense round --where 'micro_bach > 1'
! nncost: --where: no such name, did you mean micro_batch? found "micro_bach"
[2]
$ nncost sweep dense round --where 'id == 1'
! nncost: --where: "id" is ambiguous, expected one of model.id, device.id ...
[2]
$ nncost sweep dense round --where '(micro_batch > 1'
! nncost: --where: expected ")" at the end of "(micro_batch > 1"
[2]
$ nncost sweep dense round --where 'micro_batch > 1 &&'
! nncost: --where: expected a number, a name or "(" at the end of "micro_batch > 1 &&"
[2]
$ nncost sweep dense round --where 'micro_batch ? 1'
! nncost: --where: expected an operator at column 13 of "micro_batch ? 1", found "? 1"
[2]
$ nncost sweep dense round --where 'micro_batch > 1 2'
! nncost: --where: expected an operator at column 17 of "micro_batch > 1 2", found "2"
[2]
$ nncost sweep dense round --where 'recompute == "none'
! nncost: --where: expected the closing quote at column 14 of "recompute == "none", found ""none"
[2]
$ nncost sweep dense round --where ''
! nncost: --where: expected a number, a name or "(" at the end of ""
[2]

# Tests wrong values of --columns, --by and --top.
$ nncost sweep dense round --columns step_ss
! nncost: --columns: no such name, did you mean step_s? found "step_ss"
[2]
$ nncost sweep dense round --by mfu
! nncost: --by: needs --top N
[2]
$ nncost sweep dense round --top 1 --by mfu:down
! nncost: --by: expected COLUMN, COLUMN:asc or COLUMN:desc, found "mfu:down"
[2]
$ nncost sweep dense round --top 1 --by mfuu
! nncost: --by: no such name, did you mean mfu? found "mfuu"
[2]

# Tests shards and threads out of range. --db cannot be combined with --format.
$ nncost sweep dense round --shard 4/3
! nncost: --shard: expected I/N with I from 1 to N, found "4/3"
[2]
$ nncost sweep dense round --threads 0
! nncost: --threads: out of range, expected a whole number from 1 to 256, found "0"
[2]
$ nncost sweep dense round --db rows.db --format csv
! nncost: --db: cannot be used together with --format
[2]

# Tests output files that cannot be written.
$ nncost sweep dense round --output no/such
! nncost: no/such: cannot write: No such file or directory
[4]
$ nncost sweep dense round --output /dev/full
! nncost: /dev/full: cannot write: No space left on device
[4]

# --progress json prints one JSON object per line on standard error. The last JSON object has the totals.
$ nncost sweep dense round --micro-batch 1..4 --progress json 2>&1 >/dev/null | sed 's/"per_s": .*}/"per_s": N}/'
{"what": "combinations", "done": 4, "of": 4, "per_s": N}
$ nncost sweep dense round --micro-batch 1..4 --progress none 2>&1 >/dev/null
$ nncost sweep dense round --progress bar
! nncost: --progress: unknown value, expected one of line, json, none, found "bar"
[2]

# The format csv-plain has column names without dots, so that a data frame can use them as attributes.
$ nncost sweep dense round --micro-batch 1,2 --columns step.step_s,plan.tensor,device.id,model.id --format csv-plain
step_s,tensor,device_id,model_id\r
0.010795756,1,round,dense\r
0.018378332,1,round,dense\r
