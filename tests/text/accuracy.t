# Tests 'nncost accuracy', which compares predictions with measurements.

# The errors of steps are listed by file, device and framework, in every format. A row that cannot be predicted is
# listed with the reason.
$ nncost accuracy inputs/steps.csv
5 rows: 4 predicted, 1 that cannot be predicted

steps:

by                  rows scored    MAPE median     p90    bias inside   worst
file      steps.csv    4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
unfitted  steps.csv    4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
device    round        4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
framework mine         3      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
framework yours        1      0       -      -       -       -      -       - -
half      unfitted     4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
total                  4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible

steps that leave a deciding field open:

by                    rows  scored    MAPE  median     p90    bias  inside   worst
file       steps.csv     1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
unfitted   steps.csv     1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
device     round         1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
framework  yours         1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
half       unfitted      1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
total                    1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open

peak memory, allocated:

by                 rows  scored    MAPE  median     p90    bias  inside   worst
file    steps.csv     1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small
device  round         1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small
total                 1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small

peak memory of other kinds, or with a deciding field open:

by                 rows  scored    MAPE  median     p90    bias  inside   worst
file    steps.csv     1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full
device  round         1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full
total                 1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full

frameworks without a release, predicted as without --software: mine | yours

rows whose lower bound is above the measurement:

row              device  measured     bound    above  left open
five/impossible  round   10.00 ms  66.15 ms  +561.5%

rows that cannot be predicted:

rows file      reason                                                                      the first
   1 steps.csv --precision: round does not train in this format, expected one of fp32, b.. four/int8
cut: reason (a width of 100, see COLUMNS)

$ nncost accuracy inputs/steps.csv --format markdown
5 rows: 4 predicted, 1 that cannot be predicted

## steps

| by |  | rows | scored | MAPE | median | p90 | bias | inside | worst |  |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|
| file | steps.csv | 4 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |
| unfitted | steps.csv | 4 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |
| device | round | 4 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |
| framework | mine | 3 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |
| framework | yours | 1 | 0 | - | - | - | - | - | - | - |
| half | unfitted | 4 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |
| total |  | 4 | 3 | 254.18% | 37.29% | 691.19% | +206.6% | - | +691.2% | five/impossible |

## steps that leave a deciding field open

| by |  | rows | scored | MAPE | median | p90 | bias | inside | worst |  |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|
| file | steps.csv | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |
| unfitted | steps.csv | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |
| device | round | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |
| framework | yours | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |
| half | unfitted | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |
| total |  | 1 | 1 | 44.43% | 44.43% | 44.43% | -44.4% | - | -44.4% | three/open |

## peak memory, allocated

| by |  | rows | scored | MAPE | median | p90 | bias | inside | worst |  |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|
| file | steps.csv | 1 | 1 | 57.94% | 57.94% | 57.94% | -57.9% | - | -57.9% | one/small |
| device | round | 1 | 1 | 57.94% | 57.94% | 57.94% | -57.9% | - | -57.9% | one/small |
| total |  | 1 | 1 | 57.94% | 57.94% | 57.94% | -57.9% | - | -57.9% | one/small |

## peak memory of other kinds, or with a deciding field open

| by |  | rows | scored | MAPE | median | p90 | bias | inside | worst |  |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|:---|
| file | steps.csv | 1 | 1 | 81.26% | 81.26% | 81.26% | -81.3% | - | -81.3% | two/full |
| device | round | 1 | 1 | 81.26% | 81.26% | 81.26% | -81.3% | - | -81.3% | two/full |
| total |  | 1 | 1 | 81.26% | 81.26% | 81.26% | -81.3% | - | -81.3% | two/full |

  frameworks without a release, predicted as without --software: mine \| yours

## rows whose lower bound is above the measurement

| row | device | measured | bound | above | left open |
|:---|:---|---:|---:|---:|:---|
| five/impossible | round | 10.00 ms | 66.15 ms | +561.5% |  |

## rows that cannot be predicted

| rows | file | reason | the first |
|---:|:---|:---|:---|
| 1 | steps.csv | --precision: round does not train in this format, expected one of fp32, bf16, fp16, found int8 | four/int8 |

$ nncost accuracy inputs/steps.csv --format csv
id,measured,predicted,error,low,high,reason\r
one/small,0.12,0.0791185002906,-0.340679164245,,,\r
two/full,3.1,1.94406116173,-0.372883496217,,,\r
three/open,0.7,0.389008569013,-0.444273472838,,,\r
four/int8,0.1,,,,,"'--precision: round does not train in this format, expected one of fp32, bf16, fp16, found int8"\r
five/impossible,0.01,0.0791185002906,6.91185002906,,,\r
$ nncost accuracy inputs/steps.csv --format json
{
  "schema": "nncost.accuracy/1",
  "overrides": null,
  "files": [
    {"file": "steps.csv", "rows": 5, "unused_columns": []}
  ],
  "groups": [
    {"section": "step", "by": "file", "name": "steps.csv", "rows": 4, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step", "by": "unfitted", "name": "steps.csv", "rows": 4, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step", "by": "device", "name": "round", "rows": 4, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step", "by": "framework", "name": "mine", "rows": 3, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step", "by": "framework", "name": "yours", "rows": 1, "scored": 0, "mape": null, "median": null, "p90": null, "bias": null, "intervals": 0, "inside": null, "worst": null, "worst_error": null},
    {"section": "step", "by": "half", "name": "unfitted", "rows": 4, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step", "by": "total", "name": "", "rows": 4, "scored": 3, "mape": 2.54180422984, "median": 0.372883496217, "p90": 6.91185002906, "bias": 2.06609578953, "intervals": 0, "inside": null, "worst": "five/impossible", "worst_error": 6.91185002906},
    {"section": "step_apart", "by": "file", "name": "steps.csv", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "step_apart", "by": "unfitted", "name": "steps.csv", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "step_apart", "by": "device", "name": "round", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "step_apart", "by": "framework", "name": "yours", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "step_apart", "by": "half", "name": "unfitted", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "step_apart", "by": "total", "name": "", "rows": 1, "scored": 1, "mape": 0.444273472838, "median": 0.444273472838, "p90": 0.444273472838, "bias": -0.444273472838, "intervals": 0, "inside": null, "worst": "three/open", "worst_error": -0.444273472838},
    {"section": "memory", "by": "file", "name": "steps.csv", "rows": 1, "scored": 1, "mape": 0.579408950806, "median": 0.579408950806, "p90": 0.579408950806, "bias": -0.579408950806, "intervals": 0, "inside": null, "worst": "one/small", "worst_error": -0.579408950806},
    {"section": "memory", "by": "device", "name": "round", "rows": 1, "scored": 1, "mape": 0.579408950806, "median": 0.579408950806, "p90": 0.579408950806, "bias": -0.579408950806, "intervals": 0, "inside": null, "worst": "one/small", "worst_error": -0.579408950806},
    {"section": "memory", "by": "total", "name": "", "rows": 1, "scored": 1, "mape": 0.579408950806, "median": 0.579408950806, "p90": 0.579408950806, "bias": -0.579408950806, "intervals": 0, "inside": null, "worst": "one/small", "worst_error": -0.579408950806},
    {"section": "memory_apart", "by": "file", "name": "steps.csv", "rows": 1, "scored": 1, "mape": 0.812634531657, "median": 0.812634531657, "p90": 0.812634531657, "bias": -0.812634531657, "intervals": 0, "inside": null, "worst": "two/full", "worst_error": -0.812634531657},
    {"section": "memory_apart", "by": "device", "name": "round", "rows": 1, "scored": 1, "mape": 0.812634531657, "median": 0.812634531657, "p90": 0.812634531657, "bias": -0.812634531657, "intervals": 0, "inside": null, "worst": "two/full", "worst_error": -0.812634531657},
    {"section": "memory_apart", "by": "total", "name": "", "rows": 1, "scored": 1, "mape": 0.812634531657, "median": 0.812634531657, "p90": 0.812634531657, "bias": -0.812634531657, "intervals": 0, "inside": null, "worst": "two/full", "worst_error": -0.812634531657}
  ],
  "rows": [
    {"id": "one/small", "file": "steps.csv", "line": 2, "kind": "step", "served": null, "device": "round", "framework": "mine", "software": "torch-compile", "source": "steps.csv", "model": "", "fitted": false, "undecided": "", "measured_s": 0.12, "rounding": 0.01, "predicted_s": 0.0791185002906, "error": -0.340679164245, "low_s": null, "high_s": null, "lower_bound_s": 0.0661531498906, "model_flops": 7.00133356339e12, "memory_stat": "allocated", "measured_bytes": 13421772800, "predicted_bytes": 5645077504, "most_bytes": 5645077504, "fit": "fits", "memory_error": -0.579408950806, "peak_allocated_error": -0.579408950806, "peak_reserved_error": null, "measured_max_batch": null, "max_batch": null, "max_batch_tight": null, "what": "", "reason": null},
    {"id": "two/full", "file": "steps.csv", "line": 3, "kind": "step", "served": null, "device": "round", "framework": "mine", "software": "torch-compile", "source": "steps.csv", "model": "", "fitted": false, "undecided": "", "measured_s": 3.1, "rounding": null, "predicted_s": 1.94406116173, "error": -0.372883496217, "low_s": null, "high_s": null, "lower_bound_s": 1.83307862016, "model_flops": 1.18932798387e15, "memory_stat": "reserved", "measured_bytes": 32212254720, "predicted_bytes": 6035464192, "most_bytes": 6035464192, "fit": "fits", "memory_error": -0.812634531657, "peak_allocated_error": null, "peak_reserved_error": -0.812630208333, "measured_max_batch": null, "max_batch": null, "max_batch_tight": null, "what": "", "reason": null},
    {"id": "three/open", "file": "steps.csv", "line": 4, "kind": "step", "served": null, "device": "round", "framework": "yours", "software": "torch-compile", "source": "steps.csv", "model": "", "fitted": false, "undecided": "recompute", "measured_s": 0.7, "rounding": 0.005, "predicted_s": 0.389008569013, "error": -0.444273472838, "low_s": null, "high_s": null, "lower_bound_s": 0.22500964565, "model_flops": 3.76496833167e14, "memory_stat": null, "measured_bytes": null, "predicted_bytes": 8776712192, "most_bytes": 8776712192, "fit": "fits", "memory_error": null, "peak_allocated_error": null, "peak_reserved_error": null, "measured_max_batch": null, "max_batch": null, "max_batch_tight": null, "what": "", "reason": null},
    {"id": "four/int8", "file": "steps.csv", "line": 5, "kind": "step", "served": null, "device": "round", "framework": "yours", "software": "torch-compile", "source": "steps.csv", "model": "", "fitted": false, "undecided": "", "measured_s": 0.1, "rounding": null, "predicted_s": null, "error": null, "low_s": null, "high_s": null, "lower_bound_s": null, "model_flops": null, "memory_stat": null, "measured_bytes": null, "predicted_bytes": null, "most_bytes": null, "fit": "fits", "memory_error": null, "peak_allocated_error": null, "peak_reserved_error": null, "measured_max_batch": null, "max_batch": null, "max_batch_tight": null, "what": "", "reason": "--precision: round does not train in this format, expected one of fp32, bf16, fp16, found int8"},
    {"id": "five/impossible", "file": "steps.csv", "line": 6, "kind": "step", "served": null, "device": "round", "framework": "mine", "software": "torch-compile", "source": "steps.csv", "model": "", "fitted": false, "undecided": "", "measured_s": 0.01, "rounding": 0.01, "predicted_s": 0.0791185002906, "error": 6.91185002906, "low_s": null, "high_s": null, "lower_bound_s": 0.0661531498906, "model_flops": 7.00133356339e12, "memory_stat": null, "measured_bytes": null, "predicted_bytes": 5645077504, "most_bytes": 5645077504, "fit": "fits", "memory_error": null, "peak_allocated_error": null, "peak_reserved_error": null, "measured_max_batch": null, "max_batch": null, "max_batch_tight": null, "what": "", "reason": null}
  ]
}

# The errors of kernels (matrix products) are listed. With several files, --rows lists every row of all files.
$ nncost accuracy inputs/parts.csv
3 rows: 2 predicted, 1 that cannot be predicted

matrix products:

by                   rows  scored    MAPE  median     p90    bias  inside   worst
file    parts.csv       3       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat
device  round           2       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat
device  nowhere-100     1       0       -       -       -       -       -       -  -
total                   3       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat

no lower bound is above the measurement

rows that cannot be predicted:

rows  file       reason                                      the first
   1  parts.csv  hardware: no device file for "nowhere-100"  elsewhere

$ nncost accuracy inputs/steps.csv inputs/parts.csv --rows
8 rows: 6 predicted, 2 that cannot be predicted

steps:

by                  rows scored    MAPE median     p90    bias inside   worst
file      steps.csv    4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
unfitted  steps.csv    4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
device    round        4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
framework mine         3      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
framework yours        1      0       -      -       -       -      -       - -
half      unfitted     4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible
total                  4      3 254.18% 37.29% 691.19% +206.6%      - +691.2% five/impossible

steps that leave a deciding field open:

by                    rows  scored    MAPE  median     p90    bias  inside   worst
file       steps.csv     1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
unfitted   steps.csv     1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
device     round         1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
framework  yours         1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
half       unfitted      1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open
total                    1       1  44.43%  44.43%  44.43%  -44.4%       -  -44.4%  three/open

peak memory, allocated:

by                 rows  scored    MAPE  median     p90    bias  inside   worst
file    steps.csv     1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small
device  round         1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small
total                 1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small

peak memory of other kinds, or with a deciding field open:

by                 rows  scored    MAPE  median     p90    bias  inside   worst
file    steps.csv     1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full
device  round         1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full
total                 1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full

matrix products:

by                   rows  scored    MAPE  median     p90    bias  inside   worst
file    parts.csv       3       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat
device  round           2       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat
device  nowhere-100     1       0       -       -       -       -       -       -  -
total                   3       2  28.87%  28.87%  43.64%  -28.9%       -  -43.6%  flat

frameworks without a release, predicted as without --software: mine | yours

rows whose lower bound is above the measurement:

row              device  measured     bound    above  left open
five/impossible  round   10.00 ms  66.15 ms  +561.5%

rows that cannot be predicted:

rows file      reason                                                                      the first
   1 steps.csv --precision: round does not train in this format, expected one of fp32, b.. four/int8
   1 parts.csv hardware: no device file for "nowhere-100"                                  elsewhere
cut: reason (a width of 100, see COLUMNS)

every row:

row             device      measured predicted   error memory open fields, or reason
one/small       round       120.0 ms  79.12 ms  -34.1% -57.9%
two/full        round        3.100 s   1.944 s  -37.3% -81.3%
three/open      round       700.0 ms  389.0 ms  -44.4%      - recompute
four/int8       round       100.0 ms         -       -      - --precision: round does not train in..
five/impossible round       10.00 ms  79.12 ms +691.2%      -
square          round       1.600 ms  1.374 ms  -14.1%      -
flat            round       60.00 us  33.82 us  -43.6%      -
elsewhere       nowhere-100 60.00 us         -       -      - hardware: no device file for "nowher..
cut: open fields, or reason (a width of 100, see COLUMNS)


# Each row is in exactly one of the N parts of --fold. --fold not:K/N selects the rows of all parts except part K.
# --group keeps rows with the same framework and device in one part.
$ nncost accuracy inputs/steps.csv --fold 1/2 --format csv
id,measured,predicted,error,low,high,reason\r
three/open,0.7,0.389008569013,-0.444273472838,,,\r
$ nncost accuracy inputs/steps.csv --fold not:1/2 --format csv
id,measured,predicted,error,low,high,reason\r
one/small,0.12,0.0791185002906,-0.340679164245,,,\r
two/full,3.1,1.94406116173,-0.372883496217,,,\r
four/int8,0.1,,,,,"'--precision: round does not train in this format, expected one of fp32, bf16, fp16, found int8"\r
five/impossible,0.01,0.0791185002906,6.91185002906,,,\r
$ nncost accuracy inputs/steps.csv --fold 1/2 --group framework,device --format csv
id,measured,predicted,error,low,high,reason\r
one/small,0.12,0.0791185002906,-0.340679164245,,,\r
two/full,3.1,1.94406116173,-0.372883496217,,,\r
five/impossible,0.01,0.0791185002906,6.91185002906,,,\r

# --summary prints one line for each combination of device, software profile and family of models.
$ nncost accuracy inputs/steps.csv --summary
5 rows: 4 predicted, 1 that cannot be predicted

steps:

by                                    rows scored    MAPE median     p90    bias   worst
half    unfitted                         4      3 254.18% 37.29% 691.19% +206.6% +691.2% five/impo..
summary round, torch-compile, decoder    3      3 254.18% 37.29% 691.19% +206.6% +691.2% five/impo..
total                                    4      3 254.18% 37.29% 691.19% +206.6% +691.2% five/impo..
left out: inside; cut: remarks (a width of 100, see COLUMNS)

steps that leave a deciding field open:

by                                    rows scored   MAPE median    p90   bias inside  worst
half    unfitted                         1      1 44.43% 44.43% 44.43% -44.4%      - -44.4% three/..
summary round, torch-compile, decoder    1      1 44.43% 44.43% 44.43% -44.4%      - -44.4% three/..
total                                    1      1 44.43% 44.43% 44.43% -44.4%      - -44.4% three/..
cut: remarks (a width of 100, see COLUMNS)

peak memory, allocated:

by     rows  scored    MAPE  median     p90    bias  inside   worst
total     1       1  57.94%  57.94%  57.94%  -57.9%       -  -57.9%  one/small

peak memory of other kinds, or with a deciding field open:

by     rows  scored    MAPE  median     p90    bias  inside   worst
total     1       1  81.26%  81.26%  81.26%  -81.3%       -  -81.3%  two/full

frameworks without a release, predicted as without --software: mine | yours

# --only selects the rows whose id contains a text. Options of a plan and --set apply to every row.
$ nncost accuracy inputs/steps.csv --only /o --format csv
id,measured,predicted,error,low,high,reason\r
three/open,0.7,0.389008569013,-0.444273472838,,,\r
$ nncost accuracy inputs/steps.csv --only two --rows --set device.mem_bytes_per_s=2e12 --set matmul_flops_per_s.bf16=200e12 --recompute none
1 rows: 1 predicted, 0 that cannot be predicted
with device.mem_bytes_per_s=2e12, matmul_flops_per_s.bf16=200e12

steps:

by                    rows  scored    MAPE  median     p90    bias  inside   worst
file       steps.csv     1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full
unfitted   steps.csv     1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full
device     round         1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full
framework  mine          1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full
half       unfitted      1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full
total                    1       1  75.71%  75.71%  75.71%  -75.7%       -  -75.7%  two/full

peak memory of other kinds, or with a deciding field open:

by                 rows  scored    MAPE  median     p90    bias  inside   worst
file    steps.csv     1       1  43.71%  43.71%  43.71%  -43.7%       -  -43.7%  two/full
device  round         1       1  43.71%  43.71%  43.71%  -43.7%       -  -43.7%  two/full
total                 1       1  43.71%  43.71%  43.71%  -43.7%       -  -43.7%  two/full

frameworks without a release, predicted as without --software: mine

no lower bound is above the measurement

every row:

row       device  measured  predicted   error  memory  open fields, or reason
two/full  round    3.100 s   753.0 ms  -75.7%  -43.7%

$ nncost accuracy inputs/steps.csv --only two --format csv --mode ideal
id,measured,predicted,error,low,high,reason\r
two/full,3.1,1.83307862016,-0.408684316077,,,\r

# A row can measure one prefill or one decode step alone. The predicted decode step is the time per token of 'nncost
# serve'. The predicted prefill is the time to first token of 'nncost serve' without the work of the engine.
$ cat > timed.csv <<'END'
> id,model,software,device,weights,what,batch,tokens,context,cuda_graph,time_s,power_w
> decode,dense,vllm,round,bf16,decode,4,1,128,1,0.001,300
> prefill,dense,vllm,round,bf16,prefill,4,128,128,1,0.01,300
> eager,dense,torch-eager,round,bf16,decode,4,1,128,0,0.001,300
> other,dense,vllm,round,bf16,encode,4,1,128,1,0.001,300
> END
$ nncost accuracy timed.csv --format csv | cut -d, -f1-3,7
id,measured,predicted,reason\r
decode,0.001,0.00134992916445,\r
prefill,0.01,0.00215531499845,\r
eager,0.001,0.000229929164446,\r
other,0.001,,"what encode
$ nncost serve dense round --software vllm --batch 4 --input-len 128 --output-len 2 --format json | grep -oE '"(tpot_s|ttft_s)": [^,]*'
"ttft_s": 0.0121553149984
"tpot_s": 0.00134992916445
"tpot_s": 0.0282710426641

# Tests files with errors: no file, a missing file, a file without rows, a missing or unknown column, and a cell that is
# not a number.
$ nncost accuracy
! nncost: accuracy: too few arguments, expected FILE.csv...
[2]
$ nncost accuracy none.csv
! nncost: none.csv: cannot be opened, expected a readable file, found: No such file or directory
[4]
$ echo id,hardware,n_devices,measured_step_s >rows.csv; nncost accuracy rows.csv
0 rows: 0 predicted, 0 that cannot be predicted

no lower bound is above the measurement

$ printf 'id,hardware,measured_step_s\na,round,1\n' >rows.csv; nncost accuracy rows.csv
1 rows: 0 predicted, 1 that cannot be predicted

steps that leave a deciding field open:

by                rows  scored  MAPE  median  p90  bias  inside  worst
file    rows.csv     1       0     -       -    -     -       -      -  -
fitted  rows.csv     1       0     -       -    -     -       -      -  -
device  round        1       0     -       -    -     -       -      -  -
half    fitted       1       0     -       -    -     -       -      -  -
total                1       0     -       -    -     -       -      -  -

no lower bound is above the measurement

rows that cannot be predicted:

rows  file      reason                         the first
   1  rows.csv  no model, and no model.layers  a

$ printf 'id,hardware,n_devices,mesured_step_s\na,round,1,1\n' >rows.csv; nncost accuracy rows.csv
! nncost: rows.csv:1: unknown column "mesured_step_s", did you mean measured_step_s?
[3]
$ printf 'id,hardware,n_devices,measured_step_s\na,round,1,1\nb,round,1,fast\n' >rows.csv; nncost accuracy rows.csv
2 rows: 0 predicted, 2 that cannot be predicted

steps that leave a deciding field open:

by                rows  scored  MAPE  median  p90  bias  inside  worst
file    rows.csv     2       0     -       -    -     -       -      -  -
fitted  rows.csv     2       0     -       -    -     -       -      -  -
device  round        2       0     -       -    -     -       -      -  -
half    fitted       2       0     -       -    -     -       -      -  -
total                2       0     -       -    -     -       -      -  -

no lower bound is above the measurement

rows that cannot be predicted:

rows  file      reason                                                   the first
   1  rows.csv  no model, and no model.layers                            a
   1  rows.csv  column measured_step_s: expected a number, found "fast"  b

$ printf 'id,hardware,n_devices,measured_step_s\na,round,1\n' >rows.csv; nncost accuracy rows.csv
1 rows: 0 predicted, 1 that cannot be predicted

steps that leave a deciding field open:

by                rows  scored  MAPE  median  p90  bias  inside  worst
file    rows.csv     1       0     -       -    -     -       -      -  -
fitted  rows.csv     1       0     -       -    -     -       -      -  -
device               1       0     -       -    -     -       -      -  -
half    fitted       1       0     -       -    -     -       -      -  -
total                1       0     -       -    -     -       -      -  -

no lower bound is above the measurement

rows that cannot be predicted:

rows  file      reason                     the first
   1  rows.csv  expected 4 cells, found 3  a

$ printf 'id,hardware,n_devices,measured_step_s\na,"round,1,1\n' >rows.csv; nncost accuracy rows.csv
! nncost: rows.csv:3: a quote that is not closed, expected '"'
[3]
$ printf 'id,hardware,n_devices,id,measured_step_s\na,round,1,a,1\n' >rows.csv; nncost accuracy rows.csv
! nncost: rows.csv:1: column "id" is there twice
[3]

# Tests wrong options: a part of --fold that does not exist, an unknown --group, --group without --fold, and --set with
# a value that is not a number.
$ nncost accuracy inputs/steps.csv --fold 3/2
! nncost: --fold: expected K/N or not:K/N with K from 1 to N, found "3/2"
[2]
$ nncost accuracy inputs/steps.csv --fold 1/2 --group colour
! nncost: --group: expected file, source, device, framework, model, found "colour"
[2]
$ nncost accuracy inputs/steps.csv --group model
! nncost: --group: needs --fold K/N
[2]
$ nncost accuracy inputs/steps.csv --set layers=x
! nncost: --set layers: not a number, expected a whole number from 1 to 100000, found "x"
[2]

# Columns and values may have several spellings, and any field can be a column. A row can name its software profile, or
# the reason why nncost does not score the row.
$ cat > words.csv <<'END'
> id,hardware,n_devices,framework,n_layers,d_model,n_heads,d_ff,vocab,seq_len,gated_mlp,tp,dp,sharding,micro_batch,precision,recompute,measured_step_s
> one,round,4,mine,2,512,8,1024,1000,128,0,1,4,fsdp,4,amp fp16,none,0.1
> word,round,4,mine,2,512,8,1024,1000,128,0,1,4,zero4,4,bf16,none,0.1
> END
$ nncost accuracy words.csv --format csv | cut -d, -f1,7
id,reason\r
one,\r
word,"sharding ""zero4"" has no meaning here"\r
$ cat > canonical.csv <<'END'
> id,device,devices,software,framework,model,tensor,data,zero,micro_batch,precision,recompute,open,refused,device.mem_bytes_per_s,host_pass_s,measured_s
> plain,round,4,eager,mine,dense layers=2,1,4,3,4,bf16,none,,,,,0.1
> memory,round,4,eager,mine,dense layers=2,1,4,3,4,bf16,none,,,2e12,,0.1
> host,round,4,eager,mine,dense layers=2,1,4,3,4,bf16,none,,,,0.5,0.1
> open,round,4,,mine,dense,1,4,3,4,bf16,,recompute,,,,0.1
> old,round,4,,mine,dense,1,4,3,4,bf16,none,,of another release,,,0.1
> field,round,4,,mine,dense layres=2,1,4,3,4,bf16,none,,,,,0.1
> END
$ nncost accuracy canonical.csv --format csv
id,measured,predicted,error,low,high,reason\r
plain,0.1,0.0131933066715,-0.868066933285,,,\r
memory,0.1,0.0116234570845,-0.883765429155,,,\r
host,0.1,0.513193306671,4.13193306671,,,\r
open,0.1,0.03212312,-0.6787688,,,\r
old,0.1,,,,,of another release\r
field,0.1,,,,,"model dense layres=2: layres unknown field, expected a field of the decoder, perhaps ""layers"", found ""layres"""\r
$ nncost accuracy canonical.csv --format json | grep -oE '"id": "[a-z]*"|"(software|undecided)": [^,]*,'
"id": "plain"
"software": "eager",
"undecided": "",
"id": "memory"
"software": "eager",
"undecided": "",
"id": "host"
"software": "eager",
"undecided": "",
"id": "open"
"software": "torch-compile",
"undecided": "recompute",
"id": "old"
"software": null,
"undecided": "",
"id": "field"
"software": null,
"undecided": "",
$ nncost accuracy canonical.csv --only plain --set mem_bytes_per_s=2e12 --format csv
id,measured,predicted,error,low,high,reason\r
plain,0.1,0.0116234570845,-0.883765429155,,,\r

# Tests unknown keys and wrong values in the field "stands_for" of a software profile. Each fault is reported.
$ sed -i 's/"sources"/"stands_for": [{ "framwork": "x", "zero": 4, "same_as": "y" }], "sources"/' toy/software/eager.json
$ nncost validate toy/software/eager.json
! nncost: toy/software/eager.json:22: stands_for[0].framwork: unknown key, expected a key of the framework, perhaps "framework", found "framwork"
! nncost: toy/software/eager.json:22: stands_for[0].zero: out of range, expected at most 3, found 4
! nncost: toy/software/eager.json:22: stands_for[0].same_as: unknown key, expected a key of the framework, found "same_as"
! nncost: toy/software/eager.json:22: stands_for[0].framework: missing, expected text of 1 to 47 bytes, found nothing
[3]
$ sed -i 's/"stands_for": .*], "sources"/"stands_for": 3, "sources"/' toy/software/eager.json
$ nncost validate toy/software/eager.json
! nncost: toy/software/eager.json:22: stands_for: wrong type, expected a list of frameworks, found 3
[3]

# The expected times of kernels are computed by hand, for a bandwidth of 1 TB/s. A convolution has maps of 2 x 20 MB.
# Its forward is measured alone, and also together with the gradients of input and weights. A copy moves 4 bytes per
# element, and a sum moves 6 bytes. Copies and sums start in 3 us, and then reach 0.88 of the bandwidth. Batch norm
# moves 3 tensors forward and 5 backward. AdamW moves 28 bytes per parameter.
$ printf 'id,hardware,dtype,batch,channels_in,side,channels_out,kernel_side,stride,groups,channels_last,forward_us,both_us\nconv,round,bf16,10,100,100,100,1,1,1,1,20,60\nodd,round,bf16,10,100,100,100,1,1,3,1,20,60\n' >conv.csv; nncost accuracy conv.csv --format csv
id,measured,predicted,error,low,high,reason\r
conv,2e-5,4.002e-5,1.001,,,\r
conv,6e-5,0.00012004,1.00066666667,,,\r
odd,2e-5,,,,,no size\r
odd,6e-5,,,,,no size\r
$ printf 'id,hardware,op,n,rows,cols,dtype,time_us\ncopy,round,copy,1000000,,,bf16,4\nadd,round,add,1000000,,,bf16,6\nnorm,round,batch_norm,,100,10000,bf16,10\nadam,round,adamw_fused,1000000,,,fp32,28\nlook-up,round,embedding,,100,100,bf16,1\n' >vector.csv; nncost accuracy vector.csv --format csv
id,measured,predicted,error,low,high,reason\r
copy,4e-6,7.54545454545e-6,0.886363636364,,,\r
add,6e-6,9.81818181818e-6,0.636363636364,,,\r
norm,1e-5,1.6e-5,0.6,,,\r
adam,2.8e-5,2.8e-5,0,,,\r
look-up,1e-6,,,,,"operation ""embedding"" has no meaning here"\r
