# --timeline and --trace show the passes of every stage over time.

# 1F1B has a warm-up, a steady state and a cool-down.
$ nncost estimate dense round --pipeline 4 --micro-batches 8 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..25.59 ms, a letter is 284.4 us, F forward, B backward, x exchange, u update, . idle
stage 0   FFFFFFFF..............BBBBFF...BBBBFFF..BBBBFF..BBBBFF..BBBB.....BBBB....BBBB....BBBBxuuuu
stage 1   ..FFFFFF...........BBBBFF..BBBBFF..BBBBFF...BBBBFF..BBBBFF..BBBB.....BBBB....BBBBuuu......
stage 2   ....FFFF.......BBBBFF..BBBBFF..BBBBFF...BBBBFF..BBBBFF..BBBBFF...BBBB....BBBBuuu..........
stage 3   ......FFFBBBBBBFFFBBBBBFFFBBBBBBFFBBBBBFFFBBBBBBFFFBBBBBBFFFBBBBBFFFBBBBBBuuuu............

stage 0   F0 0 s..592.0 us, F1 592.0 us..1.184 ms, F2 1.184 ms..1.776 ms, ...,
          B5 18.41 ms..19.55 ms, B6 20.80 ms..21.95 ms, B7 23.19 ms..24.34 ms,
          exchange 24.34 ms..24.54 ms, update 24.54 ms..25.59 ms
stage 1   F0 592.0 us..1.176 ms, F1 1.184 ms..1.768 ms, F2 1.776 ms..2.360 ms, ...,
          B5 17.27 ms..18.41 ms, B6 19.66 ms..20.80 ms, B7 22.05 ms..23.19 ms,
          update 23.19 ms..23.91 ms
stage 2   F0 1.176 ms..1.760 ms, F1 1.768 ms..2.352 ms, B0 4.154 ms..5.294 ms, ...,
          F7 17.27 ms..17.85 ms, B6 18.52 ms..19.66 ms, B7 20.91 ms..22.05 ms,
          update 22.05 ms..22.77 ms
stage 3   F0 1.760 ms..2.568 ms, B0 2.568 ms..4.154 ms, F1 4.154 ms..4.962 ms, ...,
          B6 16.93 ms..18.52 ms, F7 18.52 ms..19.33 ms, B7 19.33 ms..20.91 ms,
          exchange 20.91 ms..21.11 ms, update 21.11 ms..22.14 ms

# In a zero-bubble schedule, weight gradients fill the idle times.
$ nncost estimate dense round --pipeline 4 --micro-batches 8 --schedule zb-h1 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..23.67 ms, a letter is 263.0 us, F forward, B backward, W weight, x exchange,
          u update, . idle
stage 0   FFFFFFFFF.........BBBWWFFBBWWFFBBBWFFFBBWWFF...BBWW....BBBWW.....BBBWW.....BBWWxuuuu      
stage 1     FFFFFFF.......BBBFF..BBWWFFBBBWFFFBBWWFF..BBWWWFF..BBBW.....BBBWW.....BBWWWWuuu.....    
stage 2       FFFFF....BBBFF..BBFF..BBBWWFFBBWWFF...BBBWFFF..BBWWWFF..BBBW.....BBWWWWWWuuu........  
stage 3         FFFBBBBFFFBBBFFFFBBBBFFFBBBWWWFFBBBBWWFFFFBBBWWWFFFBBBWWWFFFBBBBWWWWWWWWWWxuuuu.....

stage 0   F0 0 s..592.0 us, F1 592.0 us..1.184 ms, F2 1.184 ms..1.776 ms, ...,
          W6 17.79 ms..18.27 ms, B7 19.51 ms..20.18 ms, W7 20.18 ms..20.66 ms,
          exchange 20.66 ms..20.86 ms, update 20.86 ms..21.91 ms
stage 1   F0 592.0 us..1.176 ms, F1 1.184 ms..1.768 ms, F2 1.776 ms..2.360 ms, ...,
          B7 18.85 ms..19.51 ms, W6 19.51 ms..19.99 ms, W7 19.99 ms..20.47 ms,
          update 20.47 ms..21.19 ms
stage 2   F0 1.176 ms..1.760 ms, F1 1.768 ms..2.352 ms, B0 3.474 ms..4.134 ms, ...,
          W5 18.85 ms..19.33 ms, W6 19.33 ms..19.81 ms, W7 19.81 ms..20.29 ms,
          update 20.29 ms..21.01 ms
stage 3   F0 1.760 ms..2.568 ms, B0 2.568 ms..3.474 ms, F1 3.474 ms..4.282 ms, ...,
          W5 18.87 ms..19.55 ms, W6 19.55 ms..20.23 ms, W7 20.23 ms..20.91 ms,
          exchange 20.91 ms..21.11 ms, update 21.11 ms..22.14 ms

# With DualPipe and interleaving, a device has more than one chunk. The first timeline has the width of a narrow
# terminal, and the second the width of a wide terminal.
$ COLUMNS=70 nncost estimate dense round --pipeline 4 --micro-batches 8 --schedule dualpipe --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..18.48 ms, a letter is 308.0 us, F forward, B backward,
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
timeline  0 s..20.20 ms, a letter is 155.4 us, F forward, B backward, x exchange, u update, . idle
stage 0   FFFFFFFFFFFFFFFFFFF........BBBBBBBFFFF....BBBBBBBBFFFFBBBBBBBFFFBBBBBBBB........BBBBBBB........BBBBBBBBBBBBBBBBBBBBBBxuuuuuuuuuuuu
stage 1   ....FFFFFFFFFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBFFFFBBBBBBBBFFFBBBBBBBFFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBBBBBBBBBBBBBBBBxuuuuuuuuuuu........

stage 0   F0.0 0 s..592.0 us, F1.0 592.0 us..1.184 ms, F0.1 1.184 ms..1.768 ms, ..., B3.1 14.79 ms..15.93 ms, B2.0 15.93 ms..17.08 ms,
          B3.0 17.08 ms..18.23 ms, exchange 18.23 ms..18.43 ms, update 18.43 ms..20.20 ms
stage 1   F0.0 592.0 us..1.176 ms, F1.0 1.184 ms..1.768 ms, F0.1 1.768 ms..2.576 ms, ..., B3.1 13.21 ms..14.79 ms, B2.0 14.79 ms..15.93 ms,
          B3.0 15.93 ms..17.07 ms, exchange 17.07 ms..17.27 ms, update 17.27 ms..19.02 ms

# Tests a plan without a pipeline.
$ nncost estimate dense round --micro-batches 4 --data 4 --timeline | sed -n '/^time/,/^rate/p'
timeline  0 s..33.94 ms, a letter is 377.1 us, F forward, B backward, x exchange, u update
stage 0   FFFFFFFBBBBBBBBBBBBBFFFFFFFBBBBBBBBBBBBBBFFFFFFBBBBBBBBBBBBBFFFFFFFBBBBBBBBBBBBBxuuuuuuuuu

stage 0   F0 0 s..2.568 ms, B0 2.568 ms..7.583 ms, F1 7.583 ms..10.15 ms, ...,
          B2 17.73 ms..22.75 ms, F3 22.75 ms..25.32 ms, B3 25.32 ms..30.33 ms,
          exchange 30.33 ms..30.72 ms, update 30.72 ms..33.94 ms

# Prints the passes as a table in CSV.
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

# Writes a trace for the viewer Perfetto.
$ nncost estimate dense round --full --full --pipeline 2 --micro-batches 2 --trace t.json | head -3; cat t.json
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s
{
  "schema": "nncost.trace/1",
  "displayTimeUnit": "ms",
  "traceEvents": [
    {"name": "process_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "one pipeline: dense on round"}},
    {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "ops of the busiest stage, all of a step"}},
    {"name": "process_name", "ph": "M", "pid": 2, "tid": 0, "args": {"name": "collectives of the busiest stage by link, overlapped or not, all of a step"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 0, "args": {"name": "stage 0"}},
    {"name": "thread_name", "ph": "M", "pid": 0, "tid": 1, "args": {"name": "stage 1"}},
    {"name": "forward 0", "ph": "X", "pid": 0, "tid": 0, "cat": "forward", "ts": 0, "dur": 1176.088, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "in flight, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 1176.088, "args": {"passes": 1}},
    {"name": "memory, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 1176.088, "args": {"bytes": 1089040000}},
    {"name": "forward 1", "ph": "X", "pid": 0, "tid": 0, "cat": "forward", "ts": 1176.088, "dur": 1176.088, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "in flight, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 2352.176, "args": {"passes": 2}},
    {"name": "memory, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 2352.176, "args": {"bytes": 1217248000}},
    {"name": "backward 0", "ph": "X", "pid": 0, "tid": 0, "cat": "backward", "ts": 5294.368, "dur": 2288.208, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "in flight, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 7582.576, "args": {"passes": 1}},
    {"name": "memory, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 7582.576, "args": {"bytes": 1089040000}},
    {"name": "backward 1", "ph": "X", "pid": 0, "tid": 0, "cat": "backward", "ts": 9412.648, "dur": 2288.208, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "in flight, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 11700.856, "args": {"passes": 0}},
    {"name": "memory, stage 0", "ph": "C", "pid": 0, "tid": 0, "ts": 11700.856, "args": {"bytes": 960832000}},
    {"name": "exchange", "ph": "X", "pid": 0, "tid": 0, "cat": "exchange", "ts": 11700.856, "dur": 201},
    {"name": "update", "ph": "X", "pid": 0, "tid": 0, "cat": "update", "ts": 11901.856, "dur": 1771.56},
    {"name": "forward 0", "ph": "X", "pid": 0, "tid": 1, "cat": "forward", "ts": 1176.088, "dur": 1392.08, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "in flight, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 2568.168, "args": {"passes": 1}},
    {"name": "memory, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 2568.168, "args": {"bytes": 1103064000}},
    {"name": "backward 0", "ph": "X", "pid": 0, "tid": 1, "cat": "backward", "ts": 2568.168, "dur": 2726.2, "args": {"micro_batch": 0, "chunk": 0}},
    {"name": "in flight, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 5294.368, "args": {"passes": 0}},
    {"name": "memory, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 5294.368, "args": {"bytes": 950864000}},
    {"name": "forward 1", "ph": "X", "pid": 0, "tid": 1, "cat": "forward", "ts": 5294.368, "dur": 1392.08, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "in flight, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 6686.448, "args": {"passes": 1}},
    {"name": "memory, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 6686.448, "args": {"bytes": 1103064000}},
    {"name": "backward 1", "ph": "X", "pid": 0, "tid": 1, "cat": "backward", "ts": 6686.448, "dur": 2726.2, "args": {"micro_batch": 1, "chunk": 0}},
    {"name": "in flight, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 9412.648, "args": {"passes": 0}},
    {"name": "memory, stage 1", "ph": "C", "pid": 0, "tid": 1, "ts": 9412.648, "args": {"bytes": 950864000}},
    {"name": "exchange", "ph": "X", "pid": 0, "tid": 1, "cat": "exchange", "ts": 9412.648, "dur": 201},
    {"name": "update", "ph": "X", "pid": 0, "tid": 1, "cat": "update", "ts": 9613.648, "dur": 1741.62},
    {"name": "forward", "ph": "s", "pid": 0, "tid": 0, "cat": "send", "id": 1, "ts": 1176.087, "bp": "e"},
    {"name": "forward", "ph": "f", "pid": 0, "tid": 1, "cat": "send", "id": 1, "ts": 1176.088, "bp": "e"},
    {"name": "forward", "ph": "s", "pid": 0, "tid": 0, "cat": "send", "id": 2, "ts": 2352.175, "bp": "e"},
    {"name": "forward", "ph": "f", "pid": 0, "tid": 1, "cat": "send", "id": 2, "ts": 5294.368, "bp": "e"},
    {"name": "backward", "ph": "s", "pid": 0, "tid": 1, "cat": "send", "id": 3, "ts": 5294.367, "bp": "e"},
    {"name": "backward", "ph": "f", "pid": 0, "tid": 0, "cat": "send", "id": 3, "ts": 5294.368, "bp": "e"},
    {"name": "backward", "ph": "s", "pid": 0, "tid": 1, "cat": "send", "id": 4, "ts": 9412.647, "bp": "e"},
    {"name": "backward", "ph": "f", "pid": 0, "tid": 0, "cat": "send", "id": 4, "ts": 9412.648, "bp": "e"},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "forward"}},
    {"name": "attn.norm", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 0, "dur": 32, "args": {"shape": "rows=1000 width=1000", "repeat": 8, "flops": 8000000, "bytes": 4000000}},
    {"name": "attn.qkv", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 32, "dur": 480, "args": {"shape": "m=1000 n=3000 k=1000", "repeat": 8, "flops": 6003000000, "bytes": 14006000}},
    {"name": "attn.core", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 512, "dur": 160.16, "args": {"shape": "b=1 heads=8/8 s=1000x1000 d=125", "repeat": 8, "flops": 2022020000, "bytes": 8032000}},
    {"name": "attn.out", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 672.16, "dur": 160, "args": {"shape": "m=1000 n=1000 k=1000", "repeat": 8, "flops": 2001000000, "bytes": 6002000}},
    {"name": "attn.residual", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 832.16, "dur": 32, "args": {"shape": "elements=1000000", "repeat": 8, "flops": 1000000, "bytes": 4000000}},
    {"name": "mlp.norm", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 864.16, "dur": 32, "args": {"shape": "rows=1000 width=1000", "repeat": 8, "flops": 8000000, "bytes": 4000000}},
    {"name": "mlp.up", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 896.16, "dur": 640, "args": {"shape": "m=1000 n=4000 k=1000", "repeat": 8, "flops": 8004000000, "bytes": 18008000}},
    {"name": "mlp.activation", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 1536.16, "dur": 128, "args": {"shape": "elements=4000000", "repeat": 8, "flops": 32000000, "bytes": 16000000}},
    {"name": "mlp.down", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 1664.16, "dur": 640, "args": {"shape": "m=1000 n=1000 k=4000", "repeat": 8, "flops": 8001000000, "bytes": 18002000}},
    {"name": "mlp.residual", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 2304.16, "dur": 32, "args": {"shape": "elements=1000000", "repeat": 8, "flops": 1000000, "bytes": 4000000}},
    {"name": "head.norm", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 2336.16, "dur": 8, "args": {"shape": "rows=1000 width=1000", "repeat": 2, "flops": 8000000, "bytes": 4000000}},
    {"name": "head.logits", "ph": "X", "pid": 1, "tid": 0, "cat": "compute", "ts": 2344.16, "dur": 400, "args": {"shape": "m=1000 n=10000 k=1000", "repeat": 2, "flops": 20000000000, "bytes": 42000000}},
    {"name": "loss", "ph": "X", "pid": 1, "tid": 0, "cat": "memory", "ts": 2744.16, "dur": 40, "args": {"shape": "rows=1000 classes=10000", "repeat": 2, "flops": 50000000, "bytes": 20000000}},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "backward"}},
    {"name": "loss", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 0, "dur": 80, "args": {"shape": "rows=1000 classes=10000", "repeat": 2, "flops": 20000000, "bytes": 40000000}},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": {"name": "grad_input"}},
    {"name": "head.logits", "ph": "X", "pid": 1, "tid": 2, "cat": "compute", "ts": 0, "dur": 400, "args": {"shape": "m=1000 n=1000 k=10000", "repeat": 2, "flops": 20000000000, "bytes": 42000000}},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 3, "args": {"name": "grad_weight"}},
    {"name": "head.logits", "ph": "X", "pid": 1, "tid": 3, "cat": "compute", "ts": 0, "dur": 400, "args": {"shape": "m=1000 n=10000 k=1000", "repeat": 2, "flops": 20000000000, "bytes": 52000000}},
    {"name": "head.norm", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 80, "dur": 12, "args": {"shape": "rows=1000 width=1000", "repeat": 2, "flops": 14000000, "bytes": 6000000}},
    {"name": "mlp.residual", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 92, "dur": 16, "args": {"shape": "elements=1000000", "repeat": 8, "flops": 1000000, "bytes": 2000000}},
    {"name": "mlp.down", "ph": "X", "pid": 1, "tid": 2, "cat": "compute", "ts": 400, "dur": 640, "args": {"shape": "m=1000 n=4000 k=1000", "repeat": 8, "flops": 8000000000, "bytes": 18000000}},
    {"name": "mlp.down", "ph": "X", "pid": 1, "tid": 3, "cat": "compute", "ts": 400, "dur": 640, "args": {"shape": "m=4000 n=1000 k=1000", "repeat": 8, "flops": 8001000000, "bytes": 22000000}},
    {"name": "mlp.activation", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 108, "dur": 192, "args": {"shape": "elements=4000000", "repeat": 8, "flops": 52000000, "bytes": 24000000}},
    {"name": "mlp.up", "ph": "X", "pid": 1, "tid": 2, "cat": "compute", "ts": 1040, "dur": 640, "args": {"shape": "m=1000 n=1000 k=4000", "repeat": 8, "flops": 8000000000, "bytes": 18000000}},
    {"name": "mlp.up", "ph": "X", "pid": 1, "tid": 3, "cat": "compute", "ts": 1040, "dur": 640, "args": {"shape": "m=1000 n=4000 k=1000", "repeat": 8, "flops": 8004000000, "bytes": 22000000}},
    {"name": "mlp.norm", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 300, "dur": 48, "args": {"shape": "rows=1000 width=1000", "repeat": 8, "flops": 14000000, "bytes": 6000000}},
    {"name": "attn.residual", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 348, "dur": 16, "args": {"shape": "elements=1000000", "repeat": 8, "flops": 1000000, "bytes": 2000000}},
    {"name": "attn.out", "ph": "X", "pid": 1, "tid": 2, "cat": "compute", "ts": 1680, "dur": 160, "args": {"shape": "m=1000 n=1000 k=1000", "repeat": 8, "flops": 2000000000, "bytes": 6000000}},
    {"name": "attn.out", "ph": "X", "pid": 1, "tid": 3, "cat": "compute", "ts": 1680, "dur": 160, "args": {"shape": "m=1000 n=1000 k=1000", "repeat": 8, "flops": 2001000000, "bytes": 7000000}},
    {"name": "attn.core", "ph": "X", "pid": 1, "tid": 1, "cat": "compute", "ts": 364, "dur": 400.4, "args": {"shape": "b=1 heads=8/8 s=1000x1000 d=125", "repeat": 8, "flops": 5029024000, "bytes": 16064000}},
    {"name": "attn.qkv", "ph": "X", "pid": 1, "tid": 2, "cat": "compute", "ts": 1840, "dur": 480, "args": {"shape": "m=1000 n=1000 k=3000", "repeat": 8, "flops": 6000000000, "bytes": 14000000}},
    {"name": "attn.qkv", "ph": "X", "pid": 1, "tid": 3, "cat": "compute", "ts": 1840, "dur": 480, "args": {"shape": "m=1000 n=3000 k=1000", "repeat": 8, "flops": 6003000000, "bytes": 17000000}},
    {"name": "attn.norm", "ph": "X", "pid": 1, "tid": 1, "cat": "memory", "ts": 764.4, "dur": 48, "args": {"shape": "rows=1000 width=1000", "repeat": 8, "flops": 14000000, "bytes": 6000000}},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 5, "args": {"name": "comm"}},
    {"name": "pipeline.tied_table", "ph": "X", "pid": 1, "tid": 5, "cat": "network", "ts": 0, "dur": 201, "args": {"shape": "bytes=20000000", "repeat": 1, "flops": 0, "bytes": 0}},
    {"name": "thread_name", "ph": "M", "pid": 1, "tid": 6, "args": {"name": "update"}},
    {"name": "grad.clip", "ph": "X", "pid": 1, "tid": 6, "cat": "memory", "ts": 0, "dur": 116.108, "args": {"shape": "params=58054000", "repeat": 1, "flops": 116108000, "bytes": 116108000}},
    {"name": "optimizer", "ph": "X", "pid": 1, "tid": 6, "cat": "memory", "ts": 116.108, "dur": 1625.512, "args": {"shape": "params=58054000", "repeat": 1, "flops": 928864000, "bytes": 1625512000}},
    {"name": "thread_name", "ph": "M", "pid": 2, "tid": 0, "args": {"name": "scale_up"}},
    {"name": "pipeline.send", "ph": "X", "pid": 2, "tid": 0, "cat": "network", "ts": 0, "dur": 42, "args": {"repeat": 2, "exposed_s": 0}},
    {"name": "pipeline.tied_table", "ph": "X", "pid": 2, "tid": 0, "cat": "network", "ts": 42, "dur": 201, "args": {"repeat": 1, "exposed_s": 0.000201}}
  ]
}
$ nncost estimate dense round --trace none/t.json
! nncost: none/t.json: cannot write: No such file or directory
[4]

# A timeline with too many passes is refused. CSV output can contain only one table.
$ nncost estimate dense round --pipeline 2 --micro-batches 300000 --timeline
! nncost: --timeline: the step is too long to be shown, expected at most 1000000 passes of all stages, found 1200000; use fewer --micro-batches or stages
[2]
$ nncost estimate dense round --stages --timeline --format csv
! nncost: --stages: CSV output has only one table, expected --stages or --timeline, found both
[2]
