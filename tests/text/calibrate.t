# Tests 'nncost calibrate', which fits the efficiencies of a device to measured rows.

# One measured step determines one factor, efficiency.calibration. The result of the fit is printed in every format.
$ grep -e ^id -e step/4 inputs/fit-steps.csv >one.csv
$ nncost calibrate one.csv --device round
round: fitted on 1 row, 0 held out, 0 of other devices

fitted:

parameter               before     after      from        to  rows  of
efficiency.calibration       1  0.708254  0.700661  0.715935     1  steps

not fitted:

parameter                             value  why
efficiency.pointwise.memory_fraction      1  needs 5 rows or more for each parameter

errors:

                  rows  MAPE before  median  after  median  cross-validated  median
steps  fitted on     1       27.06%  27.06%  0.00%   0.00%                -       -

no cross-validation: it needs two rows that may be in different parts

no device file is written: --output FILE.json writes one
$ nncost calibrate one.csv --device round --format csv
name,before,after,low,high,rows,of,at_limit,reason\r
efficiency.calibration,1,0.708254,0.700661,0.715935,1,steps,false,\r
efficiency.pointwise.memory_fraction,1,1,,,0,,false,needs 5 rows or more for each parameter\r
$ nncost calibrate one.csv --device round --format markdown
round: fitted on 1 row, 0 held out, 0 of other devices

## fitted

| parameter | before | after | from | to | rows | of |  |
|:---|---:|---:|---:|---:|---:|:---|:---|
| efficiency.calibration | 1 | 0.708254 | 0.700661 | 0.715935 | 1 | steps |  |

## not fitted

| parameter | value | why |
|:---|---:|:---|
| efficiency.pointwise.memory_fraction | 1 | needs 5 rows or more for each parameter |

## errors

|  |  | rows | MAPE before | median | after | median | cross-validated | median |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|
| steps | fitted on | 1 | 27.06% | 27.06% | 0.00% | 0.00% | - | - |

no cross-validation: it needs two rows that may be in different parts

no device file is written: --output FILE.json writes one
$ nncost calibrate one.csv --device round --format json
{
  "schema": "nncost.calibration/1",
  "device": "round",
  "software": null,
  "data": "one.csv: 1 row of round, digest of the ids 48bb539a15bb2894",
  "overrides": null,
  "written": null,
  "rows": 1,
  "held_out": 0,
  "other_devices": 0,
  "loo_error": null,
  "loo_median": null,
  "loo_error_before": null,
  "figures": [
    {"name": "efficiency.calibration", "before": 1, "after": 0.708254, "low": 0.700661, "high": 0.715935, "rows": 1, "of": "steps", "at_limit": false, "reason": null},
    {"name": "efficiency.pointwise.memory_fraction", "before": 1, "after": 1, "low": null, "high": null, "rows": 0, "of": null, "at_limit": false, "reason": "needs 5 rows or more for each parameter"}
  ],
  "groups": [
    {"name": "steps", "rows": 1, "held_out": 0, "parts": 0, "before": {"scored": 1, "mape": 0.270569201644, "median": 0.270569201644, "p90": 0.270569201644, "bias": -0.270569201644}, "after": {"scored": 1, "mape": 4.72647020078e-7, "median": 4.72647020078e-7, "p90": 4.72647020078e-7, "bias": -4.72647020078e-7}, "cross_validated": {"scored": 0, "mape": null, "median": null, "p90": null, "bias": null}, "loo": {"scored": 0, "mape": null, "median": null, "p90": null, "bias": null}, "held_out_before": {"scored": 0, "mape": null, "median": null, "p90": null, "bias": null}, "held_out_after": {"scored": 0, "mape": null, "median": null, "p90": null, "bias": null}}
  ],
  "unused": [],
  "explained_model": null,
  "next": []
}

# Fits matrix products alone, collectives alone with a part of the rows held out, and steps alone.
$ nncost calibrate inputs/products.csv --device round
round: fitted on 4 rows, 0 held out, 1 of other devices

fitted:

parameter                                before     after      from        to  rows  of
efficiency.gemm.bf16.sustained_fraction       1  0.770398  0.755013  0.797132     4  gemm bf16

not fitted:

parameter                               value  why
efficiency.gemm.bf16.boost_ratio            1  needs 3 rows or more for each parameter
efficiency.gemm.bf16.memory_fraction        1  needs 3 rows or more for each parameter
efficiency.gemm.bf16.fixed_s                0  needs 3 rows or more for each parameter
efficiency.gemm.bf16.k_fill                 0  needs 3 rows or more for each parameter
efficiency.gemm.bf16.l2_bytes_per_flop      -  needs 3 rows or more for each parameter
efficiency.gemm.bf16.wave_quantization      -  needs 3 rows or more for each parameter

errors:

                      rows  MAPE before  median  after  median  cross-validated  median
gemm bf16  fitted on     4       20.66%  21.74%  4.90%   2.09%            5.39%   2.61%

no device file is written: --output FILE.json writes one
$ nncost calibrate inputs/collectives.csv --device round --fold not:1/3
round: fitted on 8 rows, 4 held out, 0 of other devices

fitted:

parameter                                          before      after       from         to rows of
efficiency.collectives.all_reduce.bus_fraction          1   0.807317   0.791806   0.826573    8 all_reduce
efficiency.collectives.all_reduce.fixed_s               0 8.02086e-6 6.85728e-6  8.5259e-6    8 all_reduce
efficiency.collectives.all_reduce.knee_bytes            0    2140830    1731450    2341060    8 all_reduce
efficiency.collectives.all_reduce.log2_s                0 3.07672e-6  2.2722e-6 3.40087e-6    8 all_reduce
efficiency.collectives.all_reduce.small_group_loss      0  0.0752539          0   0.203765    8 all_reduce

errors:

                       rows  MAPE before  median  after  median  cross-validated  median
all_reduce  fitted on     8       58.93%  62.63%  1.25%   0.33%            5.24%   5.22%
all_reduce  held out      4       53.22%  55.65%  2.75%   2.37%                -       -

rows that are not used:

rows  file             reason                                    the first
   1  collectives.csv  no efficiency parameter affects this row  send/1

no device file is written: --output FILE.json writes one
$ nncost calibrate inputs/fit-steps.csv --device round
round: fitted on 6 rows, 0 held out, 1 of other devices

fitted:

parameter                             before     after      from        to  rows  of
efficiency.calibration                     1  0.695976  0.673163  0.716526     6  steps
efficiency.pointwise.memory_fraction       1  0.658653  0.467044  0.885316     6  steps

not fitted:

parameter                                       value  why
efficiency.attention.flash2.sustained_fraction      1  needs 5 rows or more for each parameter

errors:

                  rows  MAPE before  median  after  median  cross-validated  median
steps  fitted on     6       29.63%  29.08%  1.97%   2.60%            3.60%   3.39%

rows that are not used:

rows  file           reason                            the first
   1  fit-steps.csv  no column or cell for: recompute  step/open

no device file is written: --output FILE.json writes one

# With several files, the parameters of kernels are fitted first, and then the parameters of steps. The written file is
# a valid device file, and it can be fitted again.
$ nncost calibrate inputs/products.csv inputs/collectives.csv inputs/fit-steps.csv --device round --output mine.json
round: fitted on 22 rows, 0 held out, 2 of other devices

fitted:

parameter                                          before      after       from        to rows of
efficiency.gemm.bf16.sustained_fraction                 1   0.770398   0.755013  0.797132    4 gemm bf16
efficiency.collectives.all_reduce.bus_fraction          1   0.830934   0.806008  0.850714   12 all_reduce
efficiency.collectives.all_reduce.fixed_s               0 8.18328e-6 7.17549e-6 8.7169e-6   12 all_reduce
efficiency.collectives.all_reduce.knee_bytes            0    2238820    1822380   2582070   12 all_reduce
efficiency.collectives.all_reduce.log2_s                0 2.87055e-6 2.42378e-6 3.1661e-6   12 all_reduce
efficiency.collectives.all_reduce.small_group_loss      0   0.174436          0  0.365186   12 all_reduce
efficiency.pointwise.memory_fraction                    1   0.302903   0.256723  0.340231    6 steps

not fitted:

parameter                                       value  why
efficiency.gemm.bf16.boost_ratio                    1  needs 3 rows or more for each parameter
efficiency.gemm.bf16.memory_fraction                1  needs 3 rows or more for each parameter
efficiency.gemm.bf16.fixed_s                        0  needs 3 rows or more for each parameter
efficiency.gemm.bf16.k_fill                         0  needs 3 rows or more for each parameter
efficiency.gemm.bf16.l2_bytes_per_flop              -  needs 3 rows or more for each parameter
efficiency.gemm.bf16.wave_quantization              -  needs 3 rows or more for each parameter
efficiency.calibration                              1  contradicts measured kernels
efficiency.attention.flash2.sustained_fraction      1  needs 5 rows or more for each parameter

errors:

                       rows  MAPE before  median  after  median  cross-validated  median
gemm bf16   fitted on     4       20.66%  21.74%  4.90%   2.09%            5.39%   2.61%
all_reduce  fitted on    12       57.03%  62.56%  1.39%   1.06%            4.20%   4.30%
steps       fitted on     6       29.63%  29.08%  2.34%   2.22%            2.38%   2.22%

rows that are not used:

rows  file             reason                                    the first
   1  collectives.csv  no efficiency parameter affects this row  send/1
   1  fit-steps.csv    no column or cell for: recompute          step/open

written to mine.json
$ cat mine.json
{
  "schema": "nncost.device/1",
  "id": "mine",
  "name": "A device of round figures",
  "vendor": "none",
  "architecture": "none",
  "year": 2020,
  "units": 100,
  "clock_hz": 1e9,
  "matmul_flops_per_s": { "bf16": 100e12, "fp16": 100e12 },
  "vector_flops_per_s": { "fp32": 10e12, "bf16": 10e12, "fp16": 10e12 },
  "mem_bytes": 10000000000,
  "mem_bytes_per_s": 1e12,
  "scale_up": { "kind": "switch", "devices": 8, "bytes_per_s": 100e9, "latency_s": 1e-6 },
  "scale_out": { "bytes_per_s": 10e9, "latency_s": 10e-6 },
  "host": { "bytes_per_s": 10e9, "mem_bytes_per_s": 10e9 },
  "power_w": 1000,
  "prices": [{ "per_device_hour": 1, "currency": "USD", "where": "nowhere", "date": "2020-01" }],
  "efficiency": {
    "basis": "steps",
    "gemm": {
      "bf16": { "sustained_fraction": 0.770398,
        "fitted_on": "products.csv: 4 rows of round, digest of the ids 9f158255a626818d" }
    },
    "pointwise": { "memory_fraction": 0.302903,
      "fitted_on": "fit-steps.csv: 6 rows of round, digest of the ids ee1feb6b85ebc952" },
    "collectives": {
      "all_reduce": { "fixed_s": 8.18328e-6, "log2_s": 2.87055e-6, "bus_fraction": 0.830934, "knee_bytes": 2238820, "small_group_loss": 0.174436,
        "fitted_on": "collectives.csv: 12 rows of round, digest of the ids e9a1d03907f9d70f" },
      "fitted_on": "collectives.csv: 12 rows of round, digest of the ids e9a1d03907f9d70f"
    }
  },
  "sources": { "": "made up" },
  "note": "No efficiency: every kernel and link reaches what is written here."
}
$ nncost validate mine.json
mine.json: ok
$ nncost calibrate inputs/fit-steps.csv --device round --fit pointwise.memory_fraction --output mine.json | tail -1
written to mine.json
$ grep -A3 pointwise mine.json
    "pointwise": { "memory_fraction": 0.158898,
      "fitted_on": "fit-steps.csv: 6 rows of round, digest of the ids ee1feb6b85ebc952" }
  },
  "sources": { "": "made up" },

# Predictions with the written device file have the errors that the report of the fit prints.
$ nncost calibrate inputs/products.csv inputs/fit-steps.csv --device round --output mine.json | grep 'fitted on  '
gemm bf16  fitted on     4       20.66%  21.74%  4.90%   2.09%            5.39%   2.61%
steps      fitted on     6       29.63%  29.08%  2.34%   2.22%            2.38%   2.22%
$ grep -v -e open -e nowhere inputs/fit-steps.csv | sed 's/,round,/,.\/mine.json,/' >steps.csv; sed 's/,round,/,.\/mine.json,/' inputs/products.csv >products.csv
$ nncost accuracy products.csv steps.csv | grep -e by -e total
by                    rows  scored   MAPE  median    p90   bias  inside  worst
total                    6       6  2.34%   2.22%  5.06%  -0.8%  100.0%  -5.1%  step/5
by                    rows  scored   MAPE  median     p90   bias  inside   worst
total                    5       4  4.90%   2.09%  15.42%  -3.3%       -  -15.4%  product/3

# A second fit of the same device changes its parameters only slightly. Parameters that are not fitted again keep the
# text "fitted_on".
$ nncost calibrate inputs/products.csv --device round --output mine.json >first
$ grep -e ^id -e step/4 inputs/fit-steps.csv | sed 's/,round,/,.\/mine.json,/' >one.csv; nncost calibrate one.csv --device mine.json --output mine.json | head -6
mine: fitted on 1 row, 0 held out, 0 of other devices

fitted:

parameter               before     after      from        to  rows  of
efficiency.calibration       1  0.910277  0.900521  0.920149     1  steps
$ grep -e fitted_on -e basis mine.json
    "basis": "steps",
        "fitted_on": "products.csv: 4 rows of round, digest of the ids 9f158255a626818d" }
    "fitted_on": "one.csv: 1 row of mine, digest of the ids 48bb539a15bb2894"

# --fit names the parameters to fit.
$ nncost calibrate inputs/fit-steps.csv inputs/products.csv --device round --fit calibration,efficiency.pointwise.fixed_s,conv.fixed_s
round: fitted on 10 rows, 0 held out, 2 of other devices

fitted:

parameter                     before       after      from           to  rows  of
efficiency.calibration             1    0.709299  0.675417     0.772284    10  all rows
efficiency.pointwise.fixed_s       0  5.64845e-6         0  0.000187545    10  all rows

not fitted:

parameter                value  why
efficiency.conv.fixed_s      0  does not change the predictions of these rows

errors:

                      rows  MAPE before  median   after  median  cross-validated  median
gemm bf16  fitted on     4       20.66%  21.74%  10.90%  10.33%           11.59%  11.71%
steps      fitted on     6       29.63%  29.08%   4.22%   3.82%            5.59%   3.83%

rows that are not used:

rows  file           reason                            the first
   1  fit-steps.csv  no column or cell for: recompute  step/open

no device file is written: --output FILE.json writes one

# --only and --fold select a part of the rows, --set changes the device, and --software names another profile. With
# --group file, all rows of one file stay together, so no row can be held out.
$ nncost calibrate inputs/fit-steps.csv --device round --only step --fold 1/2 --set mem_bytes_per_s=2e12 --software eager
round: fitted on 3 rows, 3 held out, 0 of other devices
with mem_bytes_per_s=2e12

fitted:

parameter               before     after      from        to  rows  of
efficiency.calibration       1  0.702916  0.681046  0.727604     3  steps

not fitted:

parameter                                       value  why
efficiency.pointwise.memory_fraction                1  needs 5 rows or more for each parameter
efficiency.attention.flash2.sustained_fraction      1  needs 5 rows or more for each parameter

errors:

                  rows  MAPE before  median  after  median  cross-validated  median
steps  fitted on     3       26.70%  27.02%  2.47%   3.39%            3.58%   3.39%
steps  held out      3       25.48%  24.12%  2.42%   2.58%                -       -

rows that are not used:

rows  file           reason                            the first
   1  fit-steps.csv  no column or cell for: recompute  step/open

no device file is written: --output FILE.json writes one
$ nncost calibrate inputs/fit-steps.csv --device round --group file
round: fitted on 6 rows, 0 held out, 1 of other devices

fitted:

parameter                             before     after      from        to  rows  of
efficiency.calibration                     1  0.695976  0.673163  0.716526     6  steps
efficiency.pointwise.memory_fraction       1  0.658653  0.467044  0.885316     6  steps

not fitted:

parameter                                       value  why
efficiency.attention.flash2.sustained_fraction      1  needs 5 rows or more for each parameter

errors:

                  rows  MAPE before  median  after  median  cross-validated  median
steps  fitted on     6       29.63%  29.08%  1.97%   2.60%                -       -

no cross-validation: it needs two rows that may be in different parts

rows that are not used:

rows  file           reason                            the first
   1  fit-steps.csv  no column or cell for: recompute  step/open

no device file is written: --output FILE.json writes one

# Tests errors of --device: the option is missing, names an unknown device, or names a device without rows. Rows that
# leave a choice of the plan open cannot be used.
$ nncost calibrate inputs/fit-steps.csv
! nncost: --device: missing, expected the device whose parameters are fitted: the rows are of round, nowhere-100
[2]
$ nncost calibrate inputs/fit-steps.csv --device plane-100
! nncost: --device: unknown device, expected one of fitted, old, round, found "plane-100"
[3]
$ nncost calibrate inputs/products.csv --device fitted
! nncost: inputs/products.csv: no row to fit on, expected rows of fitted, found 5 of other devices (the first: round), 0 held out and 0 that cannot be used
[3]
$ nncost calibrate inputs/fit-steps.csv --device round --only open
! nncost: inputs/fit-steps.csv: no row to fit on, expected rows of round, found 0 of other devices, 0 held out and 1 that cannot be used (the first: no column or cell for: recompute)
[3]

# Rows whose times have a wrong unit (ms or ns instead of s) are left out of the fit.
$ awk -F, -v OFS=, 'NR > 1 { $7 /= 1000 } 1' inputs/products.csv >ms.csv; nncost calibrate ms.csv --device round
! nncost: ms.csv: no row to fit on, expected rows of round, found 1 of other devices (the first: nowhere-100), 0 held out and 4 that cannot be used (the first: the measured time is below 1/300 of the prediction; probably its unit is wrong)
[3]
$ awk -F, -v OFS=, 'NR > 1 { $7 *= 1000 } 1' inputs/products.csv >ns.csv; nncost calibrate ns.csv --device round
! nncost: ns.csv: no row to fit on, expected rows of round, found 1 of other devices (the first: nowhere-100), 0 held out and 4 that cannot be used (the first: the measured time is over 300 times the prediction; probably its unit is wrong)
[3]

# A copy of the device file "round" has the id "copied". The fit uses the rows of the device that the name in the copy
# identifies.
$ sed -e 's/"id": *"round"/"id": "copied"/' toy/hw/round.json >copied.json; nncost calibrate inputs/fit-steps.csv --device ./copied.json | head -1
copied: fitted on 6 rows, 0 held out, 1 of other devices
$ sed -e 's/"id": *"round"/"id": "copied"/' -e 's/"name": *"/&Other /' toy/hw/round.json >copied.json; nncost calibrate inputs/fit-steps.csv --device ./copied.json
! nncost: inputs/fit-steps.csv: no row to fit on, expected rows of copied, found 8 of other devices (the first: round), 0 held out and 0 that cannot be used
[3]

# Tests wrong values of --fit (an unknown field, a field that is not a single number, a text, a name given twice) and of
# --group.
$ nncost calibrate inputs/fit-steps.csv --device round --fit calibratoin
! nncost: --fit calibratoin: unknown field, expected a field of the efficiency, perhaps "calibration", found "calibratoin"
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --fit gemm.bf16
! nncost: --fit gemm.bf16: is not a single number, expected a parameter with one number
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --fit efficiency.basis
! nncost: --fit efficiency.basis: is not a single number, expected a parameter with one number
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --fit calibration,efficiency.calibration
! nncost: --fit: names efficiency.calibration twice
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --group colour
! nncost: --group: expected file, source, device, framework, model, found "colour"
[2]

# Tests wrong values of --output: a file that is not a device file, a name that is too long, and a file that cannot be
# written.
$ nncost calibrate inputs/fit-steps.csv --device round --output mine.txt
! nncost: --output: expected a device file, which ends in .json, found "mine.txt"
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --output a-name-that-is-longer-than-any-id-of-a-device-may-be.json
! nncost: --output: too long a name, expected at most 47 characters before .json
[2]
$ nncost calibrate inputs/fit-steps.csv --device round --only step/4 --output none/mine.json
! nncost: none/mine.json: cannot write: No such file or directory
[4]

# --serve fits the parameters of an engine to measured requests. The rows were computed from known parameters. The fit
# finds the known parameters again, except for two parameters that rows of one model cannot separate: the 2 ms of the
# host per step, and the 20 us for each of 8 layers.
$ nncost calibrate inputs/served.csv --serve
vllm: fitted on 48 rows, 0 held out, 0 of other engines or devices

fitted:

parameter               before       after        from          to  rows  of
serving.step_s           0.001   0.0020793  0.00203845  0.00211161    24  time per token
serving.prefill_factor       1     1.19313    0.771972      1.4376    24  time per token
serving.sequence_s        1e-5  2.97506e-5  2.66293e-5  3.22323e-5    24  time per token
serving.ttft_s            0.01   0.0201615   0.0197943   0.0209134    24  time to first token

not fitted:

parameter        value  why
serving.layer_s   1e-5  needs models of two depths; otherwise it is fitted together with step_s

errors:

                                rows  MAPE before  median  after  median  cross-validated  median
time per token       fitted on    24       44.56%  45.53%  0.51%   0.24%            0.51%   0.24%
time to first token  fitted on    24       45.92%  47.32%  1.46%   0.90%            1.68%   0.95%

no profile is written: --output FILE.json writes one
$ nncost calibrate inputs/served.csv --serve --hold-out shop/fp8 --fit step_s,sequence_s --output mine.json | sed -n '1,7p;/held out/p'
vllm: fitted on 24 rows, 24 held out, 0 of other engines or devices
vllm: fitted on 24 rows, 24 held out, 0 of other engines or devices

fitted:

parameter           before       after        from          to  rows  of
serving.step_s       0.001  0.00205657  0.00200187  0.00209786    24  all rows
serving.sequence_s    1e-5  3.12982e-5  2.75253e-5  3.57002e-5    24  all rows
time per token       held out     12       45.26%  46.94%   1.12%   0.86%                -       -
time to first token  held out     12       46.04%  48.00%  40.30%  40.32%                -       -
$ grep -A12 serving mine.json
  "serving": {
    "step_s": 0.00205657,
    "layer_s": 1e-5,
    "sequence_s": 3.12982e-5,
    "ttft_s": 0.01,
    "memory_share": "before-weights",
    "workspace_bytes": 1000000000,
    "tpot": { "low": 0.8, "high": 1.25 },
    "ttft": { "low": 0.5, "high": 2 },
    "fitted_on": "step_s, sequence_s: served.csv: 24 rows of vllm, without shop/fp8, digest of the ids bac0c15f24ec2d4b; the rest: made up"
  },
  "sources": { "": "made up for tests" }
}
$ nncost serve dense round --software mine.json --concurrency 4 --input-len 100 --output-len 200 | grep ^per
per token    2.498 ms, 90 % range 1.998 ms to 3.123 ms, at least 237.7 us
percentiles  first token 14.89 ms (half), 14.93 ms (90 %), 14.97 ms (99 %),
$ nncost calibrate inputs/served.csv --serve --device round --format json | grep -e software -e '"rows"' | head -2
  "software": "vllm",
  "rows": 48,

# Tests mistakes in commands and files with --serve.
$ nncost calibrate inputs/served.csv --serve --software eager
! nncost: --software: expected the profile of an engine, such as vllm, found "eager"
[2]
$ nncost calibrate inputs/served.csv --serve --fit step
! nncost: --fit step: unknown field, expected a field of the serving, perhaps "step_s", found "step"
[2]
$ nncost calibrate inputs/served.csv --serve --output mine.txt
! nncost: --output: expected a profile, which ends in .json, found "mine.txt"
[2]
$ nncost calibrate inputs/served.csv --device round
! nncost: inputs/served.csv: no row to fit on, expected rows of round, found 0 of other devices, 0 held out and 48 that cannot be used (the first: no efficiency parameter affects this row)
[3]
$ nncost calibrate inputs/steps.csv --serve
! nncost: inputs/steps.csv: no row to fit on, expected rows of vllm, found 0 of other engines or devices, 0 held out and 5 that cannot be used (the first: was not served)
[3]
$ sed 's/,vllm,/,vlm,/' inputs/served.csv | head -3 >vlm.csv; nncost calibrate vlm.csv --serve
! nncost: vlm.csv: no row to fit on, expected rows of vllm, found 0 of other engines or devices, 0 held out and 4 that cannot be used (the first: no column or cell for: engine (vlm has no profile))
[3]
$ nncost accuracy vlm.csv --rows | grep profile | head -1
bf16-c1-100-200  round   2.409 ms   1.309 ms  -45.7%       -  engine (vlm has no profile)

# Only 'nncost calibrate' loads the library NLopt. A broken library is reported.
$ : >libnlopt.so.0; LD_LIBRARY_PATH=. nncost calibrate products.csv --device round
! nncost: libnlopt.so.0: cannot load, expected Debian's package libnlopt0: ./libnlopt.so.0: file too short
[4]

# A file of nncost.measure has rows of several kinds. Rows that no parameter explains are listed with the reason.
# --explain MODEL lists the parameters to measure next, beginning with the parameter whose range changes the step of the
# model most. Options of the plan apply only to MODEL of --explain; the measured rows keep their own plans.
$ echo '{"schema": "nncost.measure/1", "rows": [{"kind": "gemm", "id": "g", "op": "matmul", "m": 4096, "n": 4096, "k": 4096, "measured_s": 0.002, "device": "fitted", "dtype": "bf16"}, {"kind": "attention", "id": "a", "op": "sdp_fwd", "batch": 4, "seq_len": 2048, "n_heads": 32, "n_kv_heads": 32, "head_dim": 128, "causal": 1, "kernel": "FlashAttention-2", "measured_s": 0.004, "device": "fitted", "dtype": "bf16"}, {"kind": "collective", "id": "c", "op": "all_reduce", "devices": 2, "nodes": 1, "bytes": 268435456, "measured_s": 0.01, "device": "fitted", "dtype": "bf16"}, {"kind": "step", "id": "own/0", "op": "", "dtype": "", "measured_s": 0.1, "device": "fitted"}, {"kind": "link", "id": "l", "op": "to_device", "n": 1024, "measured_s": 1e-05, "device": "fitted", "dtype": "bf16"}]}' >mixed.json
$ nncost calibrate mixed.json --format csv | cut -d, -f1,5-7 | grep -v ',0,'
name,high,rows,of
efficiency.gemm.bf16.sustained_fraction,0.339435,1,gemm bf16
efficiency.attention.flash2.sustained_fraction,0.221807,1,attention flash2
efficiency.collectives.all_reduce.bus_fraction,0.173952,1,all_reduce
$ nncost calibrate mixed.json | tail -5
rows  file        reason                                              the first
   1  mixed.json  is a step of a program, without its model and plan  own/0
   1  mixed.json  is host.bytes_per_s of the device file              l

no device file is written: --output FILE.json writes one
$ nncost calibrate mixed.json --explain dense | grep -A20 'most useful first'
measurements that would make the interval narrower, the most useful first:

matrix products of this number format: efficiency.gemm.bf16.sustained_fraction from 0.3329 to
0.3394, a step from 17.14 ms to 16.97 ms
this attention kernel alone, forward and backward: efficiency.attention.flash2.sustained_fraction
from 0.2174 to 0.2218, a step from 17.10 ms to 17.01 ms
a measured step of dense would help more than any of these measurements

no device file is written: --output FILE.json writes one
$ nncost calibrate mixed.json --explain dense --format json | grep low_step_s | sed 's/.*"low_step_s": \([^,]*\), "high_step_s": \([^,]*\),.*/\1 \2/' | awk '{ d = $1 > $2 ? $1 / $2 : $2 / $1; if (NR > 1 && d > last + 1e-9) print "order"; last = d } END { print (NR > 1) }'
1
$ nncost calibrate mixed.json --explain dense --micro-batch 2 | grep -A3 'most useful first'
measurements that would make the interval narrower, the most useful first:

matrix products of this number format: efficiency.gemm.bf16.sustained_fraction from 0.3329 to
0.3394, a step from 29.33 ms to 28.97 ms
$ nncost calibrate mixed.json --explain densee
! nncost: --explain: unknown model, expected one of dense, experts, segnet, unet, vision, nearest "dense", found "densee"
[3]

# A file of the user may use the ids of shipped files and common column names. A row without an id is reported by its
# line number.
$ printf 'model,gpu,step_time_s,micro_batch,recompute\ndense,round,0.02,1,none\ndense,round,0.03,2,none\n' >own.csv; nncost calibrate own.csv | head -5
round: fitted on 2 rows, 0 held out, 0 of other devices

fitted:

parameter               before     after     from        to  rows  of
$ printf 'model,gpu,seconds\ndense,round,0.02\n' >own.csv; nncost calibrate own.csv
! nncost: own.csv:1: unknown column "seconds", 'nncost init rows' has the usual ones
[3]
$ nncost init rows >own.csv; nncost accuracy own.csv --rows --format json | grep -o '"undecided": "[^"]*"'
"undecided": ""
"undecided": ""
$ printf 'model,gpu,step_ms,micro_batch,recompute\ndense,round,20,1,none\n' >ms.csv; printf 'model,gpu,steps/s,micro_batch,recompute\ndense,round,25,1,none\n' >rate.csv; nncost accuracy ms.csv rate.csv --rows --format json | grep -o '"measured_s": [^,]*'
"measured_s": 0.02
"measured_s": 0.04
$ printf 'model,gpu,step_ms,step_s,micro_batch,recompute\ndense,round,20,0.03,1,none\n' >two.csv; nncost calibrate two.csv
! nncost: two.csv: no row to fit on, expected rows of round, found 0 of other devices, 0 held out and 1 that cannot be used (the first: the row states its time in two columns)
[3]

# The measured time of a launch is a parameter of the host of a GPU. On a CPU, which is its own host, the measured time
# of a launch is a parameter of the kernels.
$ echo '{"schema": "nncost.measure/1", "rows": [{"kind": "gemm", "id": "g", "op": "matmul", "m": 4096, "n": 4096, "k": 4096, "measured_s": 0.002, "device": "fitted", "dtype": "bf16"}, {"kind": "launch", "id": "o", "op": "add", "dtype": "fp32", "kernels": 200, "measured_s": 0.001, "device": "fitted"}]}' >launch.json; nncost calibrate launch.json | grep launch.json
   1  launch.json  is host.kernel_s of a GPU, fixed_s of the kernels of a CPU  o
