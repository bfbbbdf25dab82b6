# 'nncost search MODEL DEVICE,DEVICE' compares the best plan of each device.

# The table has the cheapest size (number of devices) of each device for a run: days, cost, energy and limit. Commands
# to copy are below the table.
$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T
dense, global batch 64; for each device: the cheapest size

device  devices      step         run  run cost   run kWh    memory    MFU  limit    plan
round         8  61.52 ms  11.13 days  2,136 USD    2,136  891.5 MB  95.2%  compute  dp8 zero1 mb1
fitted        8  46.13 ms  8.343 days  3,204 USD    800.9  2.821 GB  63.5%  compute  dp8 zero2 mb8

price of round: 1 USD/h (nowhere, 2020-01)
price of fitted: 2 USD/h (here, 2022-02)

    nncost estimate dense round --global-batch 64 --tokens 1T --devices 8 --zero 1 --micro-batch 1
    nncost estimate dense fitted --global-batch 64 --tokens 1T --devices 8 --zero 2 --micro-batch 8
$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T | grep '^    nncost' | while read -r line; do $line | grep '^run'; done
run       11.13 days, 2,136 USD, 1.000 T tokens
run       8.343 days, 3,204 USD, 1.000 T tokens

# With a deadline, the table has the cheapest size within the deadline; with a budget, it has the fastest size within
# the budget. If all sizes of a device exceed the deadline or the budget, the row of the device has a message.
$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T --deadline 8d -f csv | cut -d, -f1-6
id,devices,step_s,run_s,cost,currency
round,16,0.0311822405392,487222.508425,2165.43337078,USD
fitted,16,0.0241434006598,377240.635309,3353.25009164,USD
$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T --budget '4.5k USD' --price 2 | head -6
dense, global batch 64; for each device: the fastest size within the budget

device  devices      step         run  run cost   run kWh    memory    MFU  limit    plan
fitted       16  24.14 ms  4.366 days  3,353 USD    838.3  1.518 GB  60.6%  compute  dp16 zero2 mb4
round        16  31.18 ms  5.639 days  4,331 USD    2,165  1.114 GB  93.9%  compute  dp16 zero1 mb2

$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T --deadline 1h
dense, global batch 64; for each device: the cheapest size within the deadline

device  devices  step  run  run cost  run kWh  memory  MFU  limit  plan
fitted        -     -    -  -               -       -    -  -      misses the deadline or the budget
round         -     -    -  -               -       -    -  -      misses the deadline or the budget

[1]

# Without a batch, the search chooses a global batch of about four million tokens and reports it. Without --tokens, the
# table compares steps.
$ nncost search dense round,old --threads 1 --devices 8 --tensor 1 --recompute none --offload none --micro-batch 8 | head -6
dense, global batch 4096 (chosen: about 4 million tokens); for each device: the cheapest size

device  devices     step  step cost     step kWh    memory    MFU  limit    plan
round         8  3.883 s  0.008629 USD  0.008629  3.008 GB  96.5%  compute  dp8 zero1 mb8
old           8  7.766 s  -                    -  3.008 GB  96.5%  compute  dp8 zero1 mb8


# A device without a legal plan has a row with the reason. If no plan is legal on any device, the first reason is the
# error.
$ nncost search dense round,old --threads 1 --devices 8 --tensor 1 --recompute none --offload none --micro-batch 8 --precision bf16 | head -6
dense, global batch 4096 (chosen: about 4 million tokens); for each device: the cheapest size

device devices    step step cost    limit   plan
round        8 3.883 s 0.008629 USD compute dp8 zero1 mb8
old          -       - -            -       no legal plan: --precision: old does not train in this format, expected one of fp32, fp16, found bf16
left out: step kWh, memory, MFU (a width of 100, see COLUMNS)
$ nncost search dense round,old --threads 1 --devices 8 --tensor 7 --recompute none
! nncost: --devices: expected a multiple of tensor x pipeline x context = 7, found 8
[3]
$ nncost search dense old --threads 1 --devices 32 --recompute none
! nncost: toy/hw/old.json: scale_out.bytes_per_s: missing, expected a value, because a group of 32 ranks uses this link, found nothing
[3]

# --plans writes the best plans to a plan file. Estimates of the plan file have the step times that the search prints.
$ nncost search dense round,fitted --threads 1 --devices 8..16 --global-batch 64 --tensor 1 --recompute none --offload none --set layers=4 --tokens 1T --plans best.json -f json | grep -o '"step_s": [^,]*'
"step_s": 0.033757679839
"step_s": 0.0251612113432
$ for id in round fitted; do nncost estimate best.json --scenario $id -f json | grep -o '"step_s": [^,]*'; done
"step_s": 0.033757679839
"step_s": 0.033757679839
"step_s": 0.0251612113432
"step_s": 0.0251612113432

# Tests commands that are refused.
$ nncost search dense round,nope --threads 1 --devices 8 --global-batch 64
! nncost: DEVICE: unknown device, expected one of fitted, old, round, found "nope"
[3]
$ nncost search dense round, --threads 1 --devices 8 --global-batch 64
! nncost: DEVICE: an empty name in the list "round,"
[2]
$ nncost search dense round --devices 8 --global-batch 8 --plans x.json
! nncost: --plans: writes the plans for several devices, expected a list of devices, found one device
[2]
$ nncost search unet round,fitted --devices 2
! nncost: --global-batch: missing, expected one batch for all plans
[2]

# --plans also writes the options of the cluster, the seller and the run to the plan file. The run and the cost of the
# plan file are those that the search prints.
$ mkdir -p mine/prices; printf '{ "schema": "nncost.prices/1", "id": "mill", "name": "The mill", "references": { "a": "b" }, "prices": [\n%s,\n%s ] }\n' '{ "device": "round", "offer": "on-demand", "per_device_hour": 4, "currency": "USD", "where": "Mill", "date": "2026-01", "source": "@a" }' '{ "device": "fitted", "offer": "on-demand", "per_device_hour": 3, "currency": "USD", "where": "Mill", "date": "2026-02", "source": "@a" }' > mine/prices/mill.json
$ export NNCOST_PATH=toy:mine; nncost search dense round,fitted --threads 1 --devices 8 --global-batch 64 --tensor 1 --recompute none --offload none --tokens 1T --cluster ./toy/clusters/pod.json --seller mill --device-mtbf-s 1000h --asynchronous=on --plans best.json -f csv | cut -d, -f1,3-6; sed -n '/"id": "round"/s/.*recompute/recompute/p' best.json | sed "s|$PWD|HERE|"
id,step_s,run_s,cost,currency
fitted,0.0472938297382,740220.042543,4934.80028362,USD
round,0.0622510692558,974323.487607,8660.65322318,USD
recompute": "none", "tokens": 1e12, "device_mtbf_s": 3600000, "asynchronous": true, "cluster": "HERE/./toy/clusters/pod.json", "price": 4, "note": "price: Mill, 2026-01"}
$ for id in round fitted; do nncost run best.json --scenario $id -f json | python3 -c 'import json, sys; r = json.load(sys.stdin)["run"]; print(r["run_s"], r["cost"])'; done
974323.487607 8660.65322318
740220.042543 4934.80028362
$ mkdir -p elsewhere && mv best.json elsewhere && nncost check elsewhere/best.json --update && nncost check elsewhere/best.json
elsewhere/best.json: 2 estimated
recorded by nncost VERSION
elsewhere/best.json: 2 as recorded

# Options that a plan file cannot contain are refused before the search. A price in another currency is refused when the
# price is known.
$ nncost search dense round,fitted --devices 8 --region de --plans best.json
! nncost: --region: cannot be stored in a plan file, expected --plans without this option
[2]
$ nncost search dense round,round --threads 1 --devices 8 --global-batch 64 --tensor 1 --recompute none --offload none --seller corner --plans best.json; ls best.json
! nncost: --plans: corner sells round in EUR, but prices in a plan file are in the currency of the device, USD
! ls: cannot access 'best.json': No such file or directory
[2]
