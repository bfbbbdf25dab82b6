# Tests 'nncost docs': its list of options as JSON, and its errors. The CTest test 'docs' compares the files in docs/
# that are generated from this list.

# Prints one option of each kind as JSON.
$ nncost docs options | python3 -c 'import json,sys; d=json.load(sys.stdin); o=[x for c in d["commands"] if c["name"]=="estimate" for x in c["options"]]; print(d["schema"], len(d["commands"])); [print(*x.values(), sep=" | ") for x in o if x["name"] in ("--micro-batch", "--sequence-parallel", "--schedule", "--recompute", "--overlap", "--cluster", "--stages")]'
nncost.options/1 31
--sequence-parallel | None | Parallelism | switch | None | None | None | None | off | sequence_parallel | Sequence parallelism: tensor ranks also split norms and dropout.
--schedule | None | Parallelism | choice | ['1f1b', 'gpipe', 'interleaved', 'zb-h1', 'zb-h2', 'zb-v', 'dualpipe'] | None | None | None | 1f1b; with virtual stages: interleaved | schedule | Pipeline schedule: order of forward and backward passes of a stage.
--overlap | None | Parallelism | number | None | None | 0 | 1 | the software profile's | overlap | Share of the communication that overlaps with compute, from 0 to 1. X replaces the shares of all kinds of communication in the software profile (overlap_tensor, overlap_data ...). Communication that cannot overlap with compute stays exposed, whatever the value of X.
--micro-batch | None | Batch | whole | None | None | 1 | 1000000000 | 1 | micro_batch | Number of sequences or images in a micro-batch of one replica.
--recompute | None | Memory | flags | ['attention', 'norm', 'activation', 'mla_up_proj', 'moe_act', 'shared_experts', 'mlp', 'moe', 'full', 'selective', 'core_attn', 'layernorm'] | None | None | None | none | recompute | Activation checkpointing: parts of forward that backward computes again. Forward does not keep the tensors inside the recomputed parts for backward. For a captured step, LIST can contain paths of modules, such as layers.*.mlp.
--cluster | None | Parallelism | path | None | None | None | None | None | None | JSON file of a cluster, with the links between its devices. The links of the cluster replace the links in the device file.
--stages | None | Output | flag | None | None | None | None | None | None | Show layers, times and memory of every pipeline stage.

# Tests errors: no document, an unknown document, and too many arguments. Prints the list of schemas as well.
$ nncost docs
! nncost: docs: too few arguments, expected man [files]|completion [SHELL]|options|schema [KIND]
[2]
$ nncost docs manual
! nncost: docs: unknown document, expected one of man, schema, completion, options, found "manual"
[2]
$ nncost docs man estimate
! nncost: man: unknown page, expected "files" or nothing, found "estimate"
[2]
$ nncost docs schema
device     Device
model      Model
software   Software profile
plan       Plan file
estimate   nncost estimate --format json
fit        nncost fit --format json
limit      nncost limit --format json
advise     nncost advise --format json
ops        nncost ops --format json
op         nncost op --format json
trace      nncost trace FILE --format json
watch      nncost watch LOG --format json
compare    nncost compare --format json
run        nncost run --format json
serve      nncost serve --format json
serve-sweep nncost sweep --serve --format json
images     nncost serve --steps --format json
images-sweep nncost sweep --serve --steps --format json
serve-search nncost search --serve --format json
budget     nncost budget --format json
checkpoint nncost show CHECKPOINT --format json
search     nncost search --format json
choices    nncost search of several devices --format json
scale      nncost scale --format json
sweep      One line of nncost sweep --format json
check      nncost check --format json
diff       nncost diff --format json
accuracy   nncost accuracy --format json
calibrate  nncost calibrate --format json
$ nncost docs schema devices
! nncost: schema: unknown schema, expected one of device, model, software, plan, estimate, fit, limit, advise, ops, op, trace, watch, compare, run, serve, serve-sweep, images, images-sweep, serve-search, budget, checkpoint, search, choices, scale, sweep, check, diff, accuracy, calibrate, found "devices"
[2]

# A program without its data folder has no pages.
$ nncost docs man
! nncost: nncost.1: is not installed with this program, expected in share/nncost/docs
[4]
$ nncost docs man files
! nncost: nncost-files.5: is not installed with this program, expected in share/nncost/docs
[4]
$ nncost docs completion fish
! nncost: nncost.fish-completion: is not installed with this program, expected in share/nncost/docs
[4]
$ nncost docs schema device
! nncost: schema/device.json: is not installed with this program, expected in share/nncost/docs
[4]
$ nncost docs man fields
! nncost: man: unknown page, expected "files" or nothing, found "fields"
[2]
