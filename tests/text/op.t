# 'nncost op' predicts one op. At 100 TFLOP/s and 1 TB/s, 2 * 10^9 FLOPs take 20 us and 6 MB take 6 us.
$ nncost op matmul 1000x1000x1000 round
op        matmul, m=1000 n=1000 k=1000, bf16 on round
time      20.00 us, bound by compute,
          at least 20.00 us at the rates of the datasheet, 100.0% of the predicted time
work      2.000 GFLOP, 6.000 MB read and written, 333.3 FLOP/B, ridge 100.0 FLOP/B
rate      100.0 TFLOP/s, 300.0 GB/s
$ nncost op matmul 8x1000x1000x10 round --format csv
device,kind,shape,precision,flops,moved_bytes,flops_per_byte,ridge_flops_per_byte,bound_s,time_s,compute_s,memory_s,fixed_s,network_s,bound,flops_per_s,bytes_per_s,peak_share,link\r
round,matmul,b=8 m=1000 n=1000 k=10,bf16,160000000,16320000,9.80392156863,100,1.632e-5,1.632e-5,1.6e-6,1.632e-5,0,,memory,9.80392156863e12,1e12,1,\r

# Causal attention has 2 * 2 * 16 heads * 64 values * 1024 * 1025 / 2 pairs = 2.150 GFLOP.
$ nncost op attention 1x16x1024x64 round
op        attention, b=1 heads=16/16 s=1024x1024 d=64, bf16 on round
time      21.50 us, bound by compute,
          at least 21.50 us at the rates of the datasheet, 100.0% of the predicted time
work      2.150 GFLOP, 8.454 MB read and written, 254.3 FLOP/B, ridge 100.0 FLOP/B
rate      100.0 TFLOP/s, 393.3 GB/s

# The convolution has 2 * 64 * 64 * 9 * 3136 FLOPs.
$ nncost op conv 1x64x56x56x64x3 round --precision fp32
op        conv, n=1 c=64->64 56x56->56x56 k=3, fp32 on round
time      10.28 us, bound by compute,
          at least 10.28 us at the rates of the datasheet, 100.0% of the predicted time
work      231.2 MFLOP, 1.753 MB read and written, 131.9 FLOP/B, ridge 10.00 FLOP/B
rate      22.50 TFLOP/s, 170.6 GB/s
$ nncost op all-reduce 1GB round --devices 8
op        all-reduce, devices=8, bf16 on round
time      17.51 ms, bound by network, scale_up,
          at least 17.51 ms at the rates of the datasheet, 100.0% of the predicted time
work      1.750 GB sent by each device
rate      99.92 GB/s
$ nncost op matmul 1000x1000 round
! nncost: matmul: wrong size, expected [BATCHx]MxNxK, found 2 numbers
[2]
$ nncost op matmul 1000xx1000 round
! nncost: DIMS: wrong size, expected numbers joined by x, or bytes, found "1000xx1000"
[2]
$ nncost op product 1000x1000x1000 round
! nncost: KIND: unknown op, expected matmul, attention, conv, all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, p2p, copy, add, cast, gelu, softmax, norm, loss, loss-fp32 or optimizer, found "product"
[2]
$ nncost op all-reduce 1GB round
! nncost: --devices: missing, expected the number of devices that take part, at least 2
[2]
$ nncost op matmul 10x10x10 round --zero 3
! nncost: --zero: is not an option of 'op'
[2]

# The op copy of PyTorch reads 2 B and writes 2 B per value. The op copy reaches 0.88 of 1 TB/s and needs 3 us to start.
# A convolution can have a stride, and --kernel selects the kernel of attention.
$ nncost op copy 1e8 round
op        copy, elements=100000000, bf16 on round
time      457.5 us, bound by memory,
          at least 400.0 us at the rates of the datasheet, 87.4% of the predicted time
work      400.0 MB read and written
rate      874.2 GB/s
$ nncost op conv 1x64x56x56x64x3x2 round --precision fp32 --layout contiguous
op        conv, n=1 c=64->64 56x56->28x28 k=3, fp32 on round
time      5.780 us, bound by compute,
          at least 5.780 us at the rates of the datasheet, 100.0% of the predicted time
work      57.80 MFLOP, 1.151 MB read and written, 50.22 FLOP/B, ridge 10.00 FLOP/B
rate      10.00 TFLOP/s, 199.1 GB/s
$ nncost op attention 1x16x1024x64 round --kernel flash --unmasked
op        attention, b=1 heads=16/16 s=1024x1024 d=64, bf16 on round
time      42.95 us, bound by compute,
          at least 42.95 us at the rates of the datasheet, 100.0% of the predicted time
work      4.295 GFLOP, 8.454 MB read and written, 508.0 FLOP/B, ridge 100.0 FLOP/B
rate      100.0 TFLOP/s, 196.8 GB/s
$ nncost op attention 1x16x1024x64 round --kernel cudnn
! nncost: --kernel: cudnn: not measured on round, expected flash3, efficient, flash or math
[2]
$ nncost op matmul 10x10x10 round --kernel flash
! nncost: KIND: --kernel and --unmasked are options of attention, --layout is an option of conv
[2]
$ nncost op conv 1x64x56x56x64x3 round --layout nchw
! nncost: --layout: expected channels_last or contiguous, found "nchw"
[2]
$ nncost op conv 1x64x56x56x64x3x1x3 round
! nncost: conv: the number of channels is no multiple of the number of groups
[2]
$ nncost op norm 1000 round
! nncost: norm: wrong size, expected ROWSxCOLUMNS, found 1 numbers
[2]
