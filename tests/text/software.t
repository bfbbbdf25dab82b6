# If --software is not given, the plan decides the software profile: torch-compile for one device, megatron with ZeRO 2,
# tensor or pipeline parallelism, and fsdp with ZeRO 3. The output reports that the profile was chosen.
$ for id in fsdp megatron; do sed "s/torch-compile/$id/" toy/software/torch-compile.json >toy/software/$id.json; done
$ for plan in "" "--devices 4 --zero 2" "--devices 4 --zero 3" "--devices 4 --tensor 2" "--devices 4 --pipeline 2" "--devices 4 --tensor 2 --zero 3" "--devices 4 --software eager"; do nncost estimate --full dense round $plan | grep -o "software.*"; done
software torch-compile (chosen for this plan), mode predicted
software: 6.921 ms; without any overlap the step takes 12.77 ms
software megatron (chosen for this plan), mode predicted
software: 6.921 ms; without any overlap the step takes 13.43 ms
software fsdp (chosen for this plan), mode predicted
software: 6.921 ms; without any overlap the step takes 15.12 ms
software megatron (chosen for this plan), mode predicted
software: 3.460 ms; without any overlap the step takes 8.498 ms
software megatron (chosen for this plan), mode predicted
software: 6.921 ms; without any overlap the step takes 12.66 ms
software fsdp (chosen for this plan), mode predicted
software: 3.460 ms; without any overlap the step takes 8.207 ms
software eager, mode predicted
software: 6.921 ms; without any overlap the step takes 26.18 ms

# All rows of 'nncost compare' and 'nncost sweep' use the profile of the first row. With --software any, each row has
# its own profile.
$ for id in fsdp megatron; do sed "s/torch-compile/$id/" toy/software/torch-compile.json >toy/software/$id.json; done
$ nncost compare dense round --devices 4 --zero 0,3 --format json | grep -o '"software": "[a-z-]*", "software_chosen": [a-z]*'
"software": "torch-compile", "software_chosen": true
"software": "torch-compile", "software_chosen": false
$ nncost compare dense round --devices 4 --zero 0,3 --software any --format json | grep -o '"software": "[a-z-]*", "software_chosen": [a-z]*'
"software": "torch-compile", "software_chosen": true
"software": "fsdp", "software_chosen": true
$ nncost sweep dense round --devices 4 --zero 0,3 --tensor 1,2 --software any --columns zero,tensor,plan.software,plan.software_chosen --format csv
plan.zero,plan.tensor,plan.software,plan.software_chosen\r
0,1,torch-compile,true\r
0,2,megatron,true\r
3,1,fsdp,true\r
3,2,fsdp,true\r
$ nncost sweep dense round --devices 4 --zero 0,3 --tensor 1,2 --columns zero,tensor,plan.software,plan.software_chosen --format csv
plan.zero,plan.tensor,plan.software,plan.software_chosen\r
0,1,torch-compile,true\r
0,2,torch-compile,false\r
3,1,torch-compile,false\r
3,2,torch-compile,false\r
$ nncost sweep dense round --devices 4 --zero 0,3 --software eager --columns zero,plan.software,plan.software_chosen --format csv
plan.zero,plan.software,plan.software_chosen\r
0,eager,false\r
3,eager,false\r

# A search uses the profile of each plan, and tries only features that its framework has. The framework of the profile
# in this test has only the schedule 1f1b. --software any tries all features. An option that asks for a missing feature
# is refused.
$ for id in fsdp megatron; do sed "s/torch-compile/$id/" toy/software/torch-compile.json >toy/software/$id.json; done
$ sed -i 's/"sources"/"ships": { "gpipe": false, "interleaved": false, "zb_h1": false, "zb_h2": false, "zb_v": false, "dualpipe": false, "recompute_norm": false }, "sources"/' toy/software/megatron.json
$ nncost search dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --format json | grep -o '"schedule": "[0-9a-z-]*"' | sort -u
"schedule": "1f1b"
$ nncost search dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --software any --format json | grep -o '"schedule": "[0-9a-z-]*"' | sort -u
"schedule": "dualpipe"
"schedule": "interleaved"
"schedule": "zb-h1"
"schedule": "zb-h2"
$ nncost search dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --schedule zb-h1
! nncost: --schedule: software megatron does not support this option; --software any also searches options that this software lacks
[3]
$ nncost search dense round --devices 4 --global-batch 8 --pipeline 2 --zero 1 --recompute norm
! nncost: --recompute: software megatron does not support this option; --software any also searches options that this software lacks
[3]
$ nncost search dense round --devices 4 --global-batch 8 --pipeline 1,2 --tensor 1 --context 1 --zero 1,3 --recompute none --best 4 | cut -c1-100
dense on 4 x round, global batch 8
1920 combinations: 54 legal, 54 fit; 54 evaluated

no fitted efficiencies for this device: roofline times; real times are longer, and the order of
plans may differ

    step    memory    MFU  bubble  software  plan
16.36 ms  1.355 GB  89.5%    0.0%  megatron  dp4 zero1 mb2
16.36 ms  1.052 GB  89.5%    0.0%  megatron  dp4 zero1 mb1
16.99 ms  1.105 GB  86.2%    0.0%  fsdp      dp4 zero3 mb2
17.44 ms  1.534 GB  84.0%    0.0%  fsdp      dp2 pp2 zero3 mb2 dualpipe

    nncost estimate dense round --devices 4 --global-batch 8 --zero 1 --micro-batch 2

Pareto front: no other plan is faster with less memory

    step    memory    MFU  bubble  software  plan
16.36 ms  1.355 GB  89.5%    0.0%  megatron  dp4 zero1 mb2
16.36 ms  1.052 GB  89.5%    0.0%  megatron  dp4 zero1 mb1
18.04 ms  802.9 MB  81.1%    0.0%  fsdp      dp4 zero3 mb1
271.4 ms  784.0 MB   5.4%    0.0%  fsdp      dp4 zero3 mb2 offload=optimizer
272.2 ms  730.8 MB   5.4%    0.0%  megatron  dp4 zero1 mb1 offload=optimizer
273.7 ms  481.6 MB   5.3%    0.0%  fsdp      dp4 zero3 mb1 offload=optimizer
304.2 ms  462.6 MB   4.8%    2.2%  fsdp      dp2 pp2 zero3 mb1 zb-h1 offload=optimizer

# The profile reserves 1 GB and 10 % of the counted memory. The measured peak is up to 1.2 times the prediction. A plan
# that is tight counts as fitting. --reserve-bytes replaces the reserve of the profile.
$ sed -i 's/"sources"/"reserve": { "bytes": 1e9, "share": 0.1, "low": 0.9, "high": 1.2 }, "sources"/' toy/software/torch-compile.json
$ nncost estimate dense round --full --full | grep -A1 "^reserve"
reserve       1.178 GB      11.8%  set aside
total     2.960 GB (2.76 GiB) of 10.00 GB (9.31 GiB), 29.6%: fits, 7.040 GB free
$ nncost estimate dense round --full --full --set device.mem_bytes=3.5e9 | grep "^total"
total     2.960 GB (2.76 GiB) of 3.500 GB (3.26 GiB), 84.6%:
$ nncost estimate dense round --set device.mem_bytes=3.5e9 --format json | grep -o '"reserve_bytes.*"fit": "[a-z_]*"'
"reserve_bytes": 1178189200, "total_bytes": 2960081200, "capacity_bytes": 3500000000, "headroom_bytes": 539918800, "total_interval_bytes": [2664073080, 3552097440], "peak_allocated_bytes": 1781892096, "peak_reserved_bytes": 1793064960, "context_bytes": 1000000000, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": true, "fit": "tight"
$ nncost compare dense round --set device.mem_bytes=3.5e9 --micro-batch 1,2,4
with device.mem_bytes=3.5e9

device micro-batch     step tokens/s   MFU   memory fits  bound   USD/Mtoken
round  1           10.80 ms   92,629 67.8% 2.960 GB tight compute   0.002999
round  2           18.38 ms  108,824 79.7% 3.271 GB tight compute   0.002553 fastest, cheapest
round  4           33.54 ms  119,248 87.3% 3.892 GB NO    compute   0.002329
$ nncost estimate dense round --set device.mem_bytes=3.5e9 --reserve-bytes 0 --format json | grep -o '"total_interval_bytes.*"fit": "[a-z_]*"'
"total_interval_bytes": [1781892000, 1781892000], "peak_allocated_bytes": 1781892096, "peak_reserved_bytes": 1793064960, "context_bytes": 1000000000, "static_bytes": 1713696000, "transient_what": "gradients of activations", "fits": true, "fit": "fits"

# Several profiles describe the library that --software names. The error lists these profiles.
$ nncost estimate dense round --software PyTorch
! nncost: --software: several profiles describe this software, expected torch-eager, torch-compile or fsdp, or no --software, found "PyTorch"
[3]
$ nncost estimate dense round --software "JAX 0.6"
! nncost: --software: several profiles describe this software, expected maxtext (TPU) or maxtext-gpu, found "JAX 0.6"
[3]
