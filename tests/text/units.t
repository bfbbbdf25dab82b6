# Every option accepts numbers with units.

# Prefixes of counts are powers of 1000, prefixes of token lengths are powers of 1024, and sizes in bytes have prefixes
# of 1000 (GB) and of 1024 (GiB). Times, rates and money have units as well. A value with a unit gives the same estimate
# as the plain number.
$ same() { [ "$(nncost estimate experts fitted --format json $1 "$2")" = "$(nncost estimate experts fitted --format json $1 "$3")" ] && echo same; }
> same --tokens 1T 1e12; same --tokens 300B 300000000000; same --tokens 300b 300B; same --tokens 2t 2T; same --seq-len 1k 1024; same --seq-len 2K 2048; same --reserve-bytes 2GiB 2147483648
> same --price '2.5 USD/h' 2.5; same --price '$2.5/h' 2.5; same --micro-batch 1 1
> same --days 1 1; same '--device-mtbf-s 9d --start-s' 5min 300; same --warmup-s 2h 7200
same
same
same
same
same
same
same
same
same
same
same
same
same
$ nncost estimate dense fitted --full --full --set mem_bytes_per_s=3.35TB/s --set scale_up.latency_s=5us | grep -E '^(device|set)'
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 3.350 TB/s, ridge 59.7 FLOP/B
set       mem_bytes_per_s=3.35TB/s, scale_up.latency_s=5us

# The output prints the number that nncost read.
$ nncost estimate --full dense fitted --tokens 1T --price '2.5 USD/h' | grep -A1 '^run'
run         109.5 days, 2,627 device-hours, 1,000,000,000 steps of 9.457 ms, 1.000 T tokens,
            7.32e+20 FLOP
$ nncost estimate --full dense fitted --reserve-bytes 2GiB | grep reserve
reserve       2.147 GB      10.7%  set aside

# Tests the units of search options.
$ s() { nncost search dense fitted --threads 1 --devices 2 --global-batch 4 --tensor 1 --recompute none --offload none --best 1 -f csv "$@"; }
> same() { [ "$(s "$1" "$2" --tokens 1B)" = "$(s "$1" "$3" --tokens 1B)" ] && echo same; }
> same --deadline 2w 1209600; same --deadline 30d 2592000; same --budget 200k 200000; same --budget '1.5M USD' 1.5e6; same --max-memory 8GB 8000000000; same --max-memory 8Gi 8589934592; same --target-step 860ms 0.86
same
same
same
same
same
same
same
$ nncost search dense fitted --threads 1 --devices 2 --global-batch 4 --max-memory 1.5
! nncost: --max-memory: not a size, expected a whole number of bytes, at least 1, such as 60GB or 40GiB, found "1.5"
[2]
$ nncost search dense fitted --threads 1 --devices 2 --global-batch 4 --max-memory lots
! nncost: --max-memory: not a size, expected a whole number of bytes, at least 1, such as 60GB or 40GiB, found "lots"
[2]
$ nncost search dense fitted --threads 1 --devices 2 --global-batch 4 --deadline 5m
! nncost: --deadline: not a time, expected a number above 0 and one of us, ms, s, min, h, d, w, such as 2.5s or 30d, found "5m"
[2]
$ nncost search dense fitted --threads 1 --devices 2 --global-batch 4 --budget '200k EUR' --tokens 1B
! nncost: --budget: expected USD, the currency of the prices of fitted, found "200k EUR"
[2]
$ nncost estimate dense fitted --price '2 EUR/h'
! nncost: --price: expected USD, the currency of the prices of fitted, found "2 EUR/h"
[2]
$ nncost estimate dense fitted --price 2.5GB
! nncost: --price: not a number, expected a number above 0, at most 1e6, found "2.5GB"
[2]

# A number with two possible meanings is refused, and the message has the expected form.
$ nncost estimate dense fitted --tokens 5m
! nncost: --tokens: not a number, expected a number from 1 tokens to 1e18 tokens, found "5m"
[2]
$ nncost estimate dense fitted --seq-len 1Ki
! nncost: --seq-len: not a number, expected a whole number from 1 tokens to 1e9 tokens, found "1Ki"
[2]
$ nncost sweep dense fitted --micro-batch 1,2 --where 'step_s < 8k'
! nncost: --where: expected a number, such as 9.5, 860ms or 70GB at column 10 of "step_s < 8k", found "8k"
[2]
$ nncost sweep dense fitted --micro-batch 1,2 --where 'total_bytes < 10B'
! nncost: --where: expected a number, such as 9.5, 860ms or 70GB at column 15 of "total_bytes < 10B", found "10B"
[2]

# Tests units in ranges, constraints and requirements.
$ nncost sweep experts fitted --seq-len 1k..4k*2 --columns seq_len,step_s --format csv
plan.seq_len,step.step_s\r
1024,0.0065506535795\r
2048,0.0102049122921\r
4096,0.0199012134306\r
$ nncost sweep dense fitted --micro-batch 1,2,4 --where 'step_s < 20ms && total_bytes < 80GB' --columns micro_batch --format csv
plan.micro_batch\r
1\r
2\r
$ nncost init dense fitted > plans.json; sed 's/"step_s": "<= [^"]*"/"step_s": "<= 860ms", "total_bytes": "<= 80GB"/' plans.json > r.json; nncost check r.json | head -1
r.json: 1 estimated; 3 of 3 requirements met
$ sed 's/"step_s": "<= [^"]*"/"step_s": "<= 5 m"/' plans.json > r.json; nncost check r.json
! nncost: r.json:14: scenarios[0].require.step_s: not a number, expected one such as 9.5, 860ms or 70GB after <=, found "5 m"
[3]

# 'nncost init' writes files to start from. A value in a file can be a text with a unit.
$ nncost init device > my-device.json; nncost init model > my-model.json; nncost init cluster > my-cluster.json
$ nncost validate my-device.json my-model.json my-cluster.json
my-device.json: ok
my-model.json: ok
my-cluster.json: ok
$ nncost estimate my-model.json my-device.json --devices 16 --zero 1 --cluster my-cluster.json --brief
One step of My model takes 241.8 ms on 16 x My device and is bound by compute (91.0% of the time);
it fits: 12.72 GB of 25.77 GB per device.
$ sed 's/24GiB/24GX/' my-device.json > other.json; nncost validate other.json
! nncost: other.json:6: mem_bytes: wrong type, expected a whole number from 1e6 B to 1e15 B, found "24GX"
[3]
