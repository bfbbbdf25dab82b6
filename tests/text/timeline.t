# What every stage does when: --timeline and --trace.

# 1F1B: warm-up, steady state, cool-down.
$ nncost estimate dense round --pipeline 4 --micro-batches 8 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..25.59 ms, a place is 284.4 us, F forward, B backward, x exchange, u update, . idle
stage 0   FFFFFFFF..............BBBBFF...BBBBFFF..BBBBFF..BBBBFF..BBBB.....BBBB....BBBB....BBBBxuuuu
stage 1   ..FFFFFF...........BBBBFF..BBBBFF..BBBBFF...BBBBFF..BBBBFF..BBBB.....BBBB....BBBBuuu......
stage 2   ....FFFF.......BBBBFF..BBBBFF..BBBBFF...BBBBFF..BBBBFF..BBBBFF...BBBB....BBBBuuu..........
stage 3   ......FFFBBBBBBFFFBBBBBFFFBBBBBBFFBBBBBFFFBBBBBBFFFBBBBBBFFFBBBBBFFFBBBBBBuuuu............

stage 0   F0 0 s..592.0 us, F1 592.0 us..1.184 ms, F2 1.184 ms..1.776 ms, ..., B5 18.41 ms..19.55 ms,
          B6 20.80 ms..21.95 ms, B7 23.19 ms..24.34 ms, exchange 24.34 ms..24.54 ms,
          update 24.54 ms..25.59 ms
stage 1   F0 592.0 us..1.176 ms, F1 1.184 ms..1.768 ms, F2 1.776 ms..2.360 ms, ...,
          B5 17.27 ms..18.41 ms, B6 19.66 ms..20.80 ms, B7 22.05 ms..23.19 ms,
          update 23.19 ms..23.91 ms
stage 2   F0 1.176 ms..1.760 ms, F1 1.768 ms..2.352 ms, B0 4.154 ms..5.294 ms, ...,
          F7 17.27 ms..17.85 ms, B6 18.52 ms..19.66 ms, B7 20.91 ms..22.05 ms,
          update 22.05 ms..22.77 ms
stage 3   F0 1.760 ms..2.568 ms, B0 2.568 ms..4.154 ms, F1 4.154 ms..4.962 ms, ...,
          B6 16.93 ms..18.52 ms, F7 18.52 ms..19.33 ms, B7 19.33 ms..20.91 ms,
          exchange 20.91 ms..21.11 ms, update 21.11 ms..22.14 ms

# Zero bubble: the weights' gradients fill the gaps.
$ nncost estimate dense round --pipeline 4 --micro-batches 8 --schedule zb-h1 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..23.67 ms, a place is 263.0 us, F forward, B backward, W weight, x exchange, u update,
          . idle
stage 0   FFFFFFFFF.........BBBWWFFBBWWFFBBBWFFFBBWWFF...BBWW....BBBWW.....BBBWW.....BBWWxuuuu      
stage 1     FFFFFFF.......BBBFF..BBWWFFBBBWFFFBBWWFF..BBWWWFF..BBBW.....BBBWW.....BBWWWWuuu.....    
stage 2       FFFFF....BBBFF..BBFF..BBBWWFFBBWWFF...BBBWFFF..BBWWWFF..BBBW.....BBWWWWWWuuu........  
stage 3         FFFBBBBFFFBBBFFFFBBBBFFFBBBWWWFFBBBBWWFFFFBBBWWWFFFBBBWWWFFFBBBBWWWWWWWWWWxuuuu.....

stage 0   F0 0 s..592.0 us, F1 592.0 us..1.184 ms, F2 1.184 ms..1.776 ms, ..., W6 17.79 ms..18.27 ms,
          B7 19.51 ms..20.18 ms, W7 20.18 ms..20.66 ms, exchange 20.66 ms..20.86 ms,
          update 20.86 ms..21.91 ms
stage 1   F0 592.0 us..1.176 ms, F1 1.184 ms..1.768 ms, F2 1.776 ms..2.360 ms, ...,
          B7 18.85 ms..19.51 ms, W6 19.51 ms..19.99 ms, W7 19.99 ms..20.47 ms,
          update 20.47 ms..21.19 ms
stage 2   F0 1.176 ms..1.760 ms, F1 1.768 ms..2.352 ms, B0 3.474 ms..4.134 ms, ...,
          W5 18.85 ms..19.33 ms, W6 19.33 ms..19.81 ms, W7 19.81 ms..20.29 ms,
          update 20.29 ms..21.01 ms
stage 3   F0 1.760 ms..2.568 ms, B0 2.568 ms..3.474 ms, F1 3.474 ms..4.282 ms, ...,
          W5 18.87 ms..19.55 ms, W6 19.55 ms..20.23 ms, W7 20.23 ms..20.91 ms,
          exchange 20.91 ms..21.11 ms, update 21.11 ms..22.14 ms

# DualPipe and interleaving: more than one chunk a device; narrow and wide.
$ COLUMNS=70 nncost estimate dense round --pipeline 4 --micro-batches 8 --schedule dualpipe --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..18.48 ms, a place is 308.0 us, F forward, B backward,
          W weight, u update, . idle
stage 0   FFFFFFFFBBBWWFFFFFBBBWWFFFBBWWBBBWWFFBBWWBBBWWBBWWBBBWuuuuuu
stage 1   ..FFFFFFFFFBBWWFFBBW...FFBBWWFFBBWBBBWWBBW....BBBBWWWWuuuuu.
stage 2   ..FFFFFFFFFBBWWFFBBW...FFBBWWFFBBWBBBWWBBW....BBBBWWWWuuuuu.
stage 3   FFFFFFFFBBBWWFFFFFBBBWWFFFBBWWBBBWWFFBBWWBBBWWBBWWBBBWuuuuuu

stage 0   F0.0 0 s..592.0 us, F1.0 592.0 us..1.184 ms,
          F2.0 1.184 ms..1.776 ms, ..., W2.0 14.91 ms..15.39 ms,
          B3.0 15.56 ms..16.23 ms, W3.0 16.23 ms..16.71 ms,
          update 16.71 ms..18.48 ms
stage 1   F0.0 592.0 us..1.176 ms, F4.1 1.176 ms..1.760 ms,
          F1.0 1.760 ms..2.344 ms, ..., B3.0 14.90 ms..15.56 ms,
          W7.1 15.56 ms..16.04 ms, W3.0 16.04 ms..16.52 ms,
          update 16.52 ms..17.96 ms
stage 2   F4.1 592.0 us..1.176 ms, F0.0 1.176 ms..1.760 ms,
          F5.1 1.760 ms..2.344 ms, ..., B7.1 14.90 ms..15.56 ms,
          W3.0 15.56 ms..16.04 ms, W7.1 16.04 ms..16.52 ms,
          update 16.52 ms..17.96 ms
stage 3   F4.1 0 s..592.0 us, F5.1 592.0 us..1.184 ms,
          F6.1 1.184 ms..1.776 ms, ..., W6.1 14.91 ms..15.39 ms,
          B7.1 15.56 ms..16.23 ms, W7.1 16.23 ms..16.71 ms,
          update 16.71 ms..18.48 ms
$ COLUMNS=140 nncost estimate dense round --pipeline 2 --virtual-stages 2 --micro-batches 4 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..20.20 ms, a place is 155.4 us, F forward, B backward, x exchange, u update, . idle
stage 0   FFFFFFFFFFFFFFFFFFF........BBBBBBBFFFF....BBBBBBBBFFFFBBBBBBBFFFBBBBBBBB........BBBBBBB........BBBBBBBBBBBBBBBBBBBBBBxuuuuuuuuuuuu
stage 1   ....FFFFFFFFFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBFFFFBBBBBBBBFFFBBBBBBBFFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBBBBBBBBBBBBBBBBxuuuuuuuuuuu........

stage 0   F0.0 0 s..592.0 us, F1.0 592.0 us..1.184 ms, F0.1 1.184 ms..1.768 ms, ..., B3.1 14.79 ms..15.93 ms, B2.0 15.93 ms..17.08 ms,
          B3.0 17.08 ms..18.23 ms, exchange 18.23 ms..18.43 ms, update 18.43 ms..20.20 ms
stage 1   F0.0 592.0 us..1.176 ms, F1.0 1.184 ms..1.768 ms, F0.1 1.768 ms..2.576 ms, ..., B3.1 13.21 ms..14.79 ms, B2.0 14.79 ms..15.93 ms,
          B3.0 15.93 ms..17.07 ms, exchange 17.07 ms..17.27 ms, update 17.27 ms..19.02 ms

# One stage.
$ nncost estimate dense round --micro-batches 4 --data 4 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..33.94 ms, a place is 377.1 us, F forward, B backward, x exchange, u update
stage 0   FFFFFFFBBBBBBBBBBBBBFFFFFFFBBBBBBBBBBBBBBFFFFFFBBBBBBBBBBBBBFFFFFFFBBBBBBBBBBBBBxuuuuuuuuu

stage 0   F0 0 s..2.568 ms, B0 2.568 ms..7.583 ms, F1 7.583 ms..10.15 ms, ..., B2 17.73 ms..22.75 ms,
          F3 22.75 ms..25.32 ms, B3 25.32 ms..30.33 ms, exchange 30.33 ms..30.72 ms,
          update 30.72 ms..33.94 ms

# As a table of passes.
$ nncost estimate dense round --pipeline 2 --micro-batches 2 --timeline --format csv
stage,activity,micro_batch,chunk,start_s,end_s\r
0,forward,0,0,0,0.001176088\r
0,forward,1,0,0.001176088,0.002352176\r
0,idle,,,0.002352176,0.005294368\r
0,backward,0,0,0.005294368,0.007582576\r
0,idle,,,0.007582576,0.009412648\r
0,backward,1,0,0.009412648,0.011700856\r
0,exchange,,,0.011700856,0.011901856\r
0,update,,,0.011901856,0.013673416\r
1,idle,,,0,0.001176088\r
1,forward,0,0,0.001176088,0.002568168\r
1,backward,0,0,0.002568168,0.005294368\r
1,forward,1,0,0.005294368,0.006686448\r
1,backward,1,0,0.006686448,0.009412648\r
1,exchange,,,0.009412648,0.009613648\r
1,update,,,0.009613648,0.011355268\r
1,idle,,,0.011355268,0.013673416\r

# A trace for Perfetto.
$ nncost estimate dense round --pipeline 2 --micro-batches 2 --trace t.json | head -3; cat t.json
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
{
  "schema": "nncost.trace/1",
  "displayTimeUnit": "ms",
  "traceEvents": [
    {"name": "process_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "one pipeline: dense on round"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "stage 0"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 1, "args": {"name": "stage 1"}},
    {"name": "forward 0", "cat": "forward", "ph": "X", "ts": 0, "dur": 1176.088, "pid": 0, "tid": 0, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "forward 1", "cat": "forward", "ph": "X", "ts": 1176.088, "dur": 1176.088, "pid": 0, "tid": 0, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "backward 0", "cat": "backward", "ph": "X", "ts": 5294.368, "dur": 2288.208, "pid": 0, "tid": 0, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "backward 1", "cat": "backward", "ph": "X", "ts": 9412.648, "dur": 2288.208, "pid": 0, "tid": 0, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "exchange", "cat": "exchange", "ph": "X", "ts": 11700.856, "dur": 201, "pid": 0, "tid": 0},
    {"name": "update", "cat": "update", "ph": "X", "ts": 11901.856, "dur": 1771.56, "pid": 0, "tid": 0},
    {"name": "forward 0", "cat": "forward", "ph": "X", "ts": 1176.088, "dur": 1392.08, "pid": 0, "tid": 1, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "backward 0", "cat": "backward", "ph": "X", "ts": 2568.168, "dur": 2726.2, "pid": 0, "tid": 1, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "forward 1", "cat": "forward", "ph": "X", "ts": 5294.368, "dur": 1392.08, "pid": 0, "tid": 1, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "backward 1", "cat": "backward", "ph": "X", "ts": 6686.448, "dur": 2726.2, "pid": 0, "tid": 1, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "exchange", "cat": "exchange", "ph": "X", "ts": 9412.648, "dur": 201, "pid": 0, "tid": 1},
    {"name": "update", "cat": "update", "ph": "X", "ts": 9613.648, "dur": 1741.62, "pid": 0, "tid": 1}
  ]
}
$ nncost estimate dense round --trace none/t.json
! nncost: none/t.json: cannot write: No such file or directory
[4]

# Too long to be shown; one table in CSV.
$ nncost estimate dense round --pipeline 2 --micro-batches 300000 --timeline
! nncost: --timeline: the step is too long to be shown, expected at most 1000000 passes of all stages, found 1200000: fewer --micro-batches or stages
[2]
$ nncost estimate dense round --stages --timeline --format csv
! nncost: --stages: CSV holds one table, expected --stages or --timeline, found both
[2]
