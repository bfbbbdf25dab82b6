# Prints tables at 80, 120 and 200 columns. No line of a table is longer than the terminal, except commands to copy.
$ cat > commands <<'END'
> estimate dense round --devices 64 --tensor 4 --pipeline 4 --global-batch 128 --zero 1 --sequence-parallel --tokens 1T
> estimate dense round --stages --devices 16 --pipeline 4 --micro-batches 4
> estimate dense round --sensitivity
> ops dense round
> ops unet round
> compare dense,experts round,fitted --micro-batch 1,2 --tokens 1T --recompute none,full
> search dense round --devices 16 --global-batch 64 --threads 1 --tokens 1T
> search dense round --devices 8..64 --global-batch 64 --threads 1 --tokens 1T
> search dense round,fitted --devices 8..16 --global-batch 64 --threads 1 --tokens 1T
> scale dense round --devices 1,8,64 --global-batch 64 --threads 1 --tokens 1T
> sweep dense round --devices 8,16 --zero 0..3
> run dense round --devices 16 --tokens 1T
> serve dense round --input-len 500 --output-len 100
> list devices
> list software
> show round
> explain mfu dense round
> budget --device round --cost 1M --days 30
> list models
> END
$ while read -r line; do for w in 80 120 200; do COLUMNS=$w nncost $line > out || test $? = 1; awk -v w=$w '!/^    nncost/ && length > w { print w ": " $0 }' out; wc -l < out | grep -q '^ *0$' && echo "nothing: $line"; done; done < commands; true

# A narrow table names the columns that it leaves out and the texts that it cuts. A wide table has all columns.
$ for w in 80 120 200; do COLUMNS=$w nncost search dense fitted --devices 16 --global-batch 64 --threads 1 --tokens 1T --best 2 --pipeline 1,2 --recompute none,full | sed -n '/^ *step/,/^$/p' | head -5; done
    step         run  run USD    kWh    memory    MFU  bubble  plan
24.14 ms  4.366 days    3,353  838.3  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  4.366 days    3,353  838.3  1.718 GB  60.6%    0.0%  dp16 zero1 mb4

    step        run run USD   memory plan
    step         run  run USD    kWh    memory    MFU  bubble  plan
24.14 ms  4.366 days    3,353  838.3  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  4.366 days    3,353  838.3  1.718 GB  60.6%    0.0%  dp16 zero1 mb4

    step         run  run USD    kWh    memory    MFU  bubble  plan
    step         run  run USD    kWh    memory    MFU  bubble  plan
24.14 ms  4.366 days    3,353  838.3  1.518 GB  60.6%    0.0%  dp16 zero2 mb4
24.14 ms  4.366 days    3,353  838.3  1.718 GB  60.6%    0.0%  dp16 zero1 mb4

    step         run  run USD    kWh    memory    MFU  bubble  plan
$ for w in 80 120 200; do COLUMNS=$w nncost ops dense round --top 2 | sed -n '/^op/,/^$/p'; done
op        phase   rep    kept   FLOPs   bytes FLOP/B     time share bound
optimizer update    1       - 1.714 G 2.999 G 0.5714 2.999 ms 27.8% memory
mlp.up    forward   8 2.000 M 8.004 G 18.01 M  444.5 80.00 us  5.9% compute
left out: shape (a width of 80, see COLUMNS)

op         phase    rep  shape                    kept    FLOPs    bytes  FLOP/B      time  share  bound
optimizer  update     1  params=107106000            -  1.714 G  2.999 G  0.5714  2.999 ms  27.8%  memory
mlp.up     forward    8  m=1000 n=4000 k=1000  2.000 M  8.004 G  18.01 M   444.5  80.00 us   5.9%  compute

op         phase    rep  shape                    kept    FLOPs    bytes  FLOP/B      time  share  bound
optimizer  update     1  params=107106000            -  1.714 G  2.999 G  0.5714  2.999 ms  27.8%  memory
mlp.up     forward    8  m=1000 n=4000 k=1000  2.000 M  8.004 G  18.01 M   444.5  80.00 us   5.9%  compute

$ for w in 80 120 200; do COLUMNS=$w nncost compare dense round,fitted --tokens 1T; done
device     step tokens/s fits        run device-h run USD   kWh
round  10.80 ms   92,629 yes  125.0 days    2,999   2,999 2,999 cheapest
fitted 9.457 ms  105,745 yes  109.5 days    2,627   5,254 1,313 fastest
left out: MFU, memory, bound, USD/Mtoken (a width of 80, see COLUMNS)
device      step  tokens/s    MFU    memory  fits  bound           run  device-h  run USD    kWh  USD/Mtoken
round   10.80 ms    92,629  67.8%  1.782 GB  yes   compute  125.0 days     2,999    2,999  2,999    0.002999  cheapest
fitted  9.457 ms   105,745  38.7%  1.782 GB  yes   compute  109.5 days     2,627    5,254  1,313    0.005254  fastest
device      step  tokens/s    MFU    memory  fits  bound           run  device-h  run USD    kWh  USD/Mtoken
round   10.80 ms    92,629  67.8%  1.782 GB  yes   compute  125.0 days     2,999    2,999  2,999    0.002999  cheapest
fitted  9.457 ms   105,745  38.7%  1.782 GB  yes   compute  109.5 days     2,627    5,254  1,313    0.005254  fastest
$ for w in 80 120 200; do COLUMNS=$w nncost scale dense fitted --devices 1,64 --global-batch 64 --threads 1 --tokens 1T | sed -n '/^devices/,/^$/p'; done
devices     step efficiency lost to                         run plan
      1 366.3 ms     100.0% -                        66.25 days dp1 mb16
     64 8.065 ms      71.0% compute 21.3%, data 7.3%    35.01 h dp64 zero2 mb1
left out: tokens/s, run cost, memory, MFU (a width of 80, see COLUMNS)

devices     step  tokens/s efficiency lost to                         run run cost    memory   MFU plan
      1 366.3 ms   174,707     100.0% -                        66.25 days 3,180 USD 6.552 GB 63.9% dp1 mb16
     64 8.065 ms 7,935,053      71.0% compute 21.3%, data 7.3%    35.01 h 4,481 USD 540.0 MB 45.4% dp64 zero2 mb1

devices      step   tokens/s  efficiency  lost to                          run  run cost     memory    MFU  plan
      1  366.3 ms    174,707      100.0%  -                         66.25 days  3,180 USD  6.552 GB  63.9%  dp1 mb16
     64  8.065 ms  7,935,053       71.0%  compute 21.3%, data 7.3%     35.01 h  4,481 USD  540.0 MB  45.4%  dp64 zero2 mb1

$ for w in 80 120 200; do COLUMNS=$w nncost list devices; done
id              peak in     memory  bandwidth ridge       link price/h measured
fitted 200.0 TFLOP/s bf16 20.00 GB 2.000 TB/s   100 200.0 GB/s 2 USD   steps
old    50.00 TFLOP/s fp16 5.000 GB 500.0 GB/s   100 25.00 GB/s -       none
round  100.0 TFLOP/s bf16 10.00 GB 1.000 TB/s   100 100.0 GB/s 1 USD   none
left out: name, year, aliases (a width of 80, see COLUMNS)
id     name               year          peak in     memory  bandwidth ridge       link price/h measured aliases
fitted A device of roun.. 2022 200.0 TFLOP/s bf16 20.00 GB 2.000 TB/s   100 200.0 GB/s 2 USD   steps    fit, fitted-20gb
old    An old device wi.. 2010 50.00 TFLOP/s fp16 5.000 GB 500.0 GB/s   100 25.00 GB/s -       none
round  A device of roun.. 2020 100.0 TFLOP/s bf16 10.00 GB 1.000 TB/s   100 100.0 GB/s 1 USD   none
cut: name (a width of 120, see COLUMNS)
id      name                            year           peak  in      memory   bandwidth  ridge        link  price/h  measured  aliases
fitted  A device of round efficiencies  2022  200.0 TFLOP/s  bf16  20.00 GB  2.000 TB/s    100  200.0 GB/s  2 USD    steps     fit, fitted-20gb
old     An old device without bf16      2010  50.00 TFLOP/s  fp16  5.000 GB  500.0 GB/s    100  25.00 GB/s  -        none
round   A device of round figures       2020  100.0 TFLOP/s  bf16  10.00 GB  1.000 TB/s    100  100.0 GB/s  1 USD    none

# The lines of an estimate are wrapped at the width of the terminal.
$ COLUMNS=80 nncost estimate dense round --full --full --devices 16 --tensor 4 --pipeline 2 --micro-batches 4 --zero 1 | sed -n '1,/^bound/p'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,
          ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 4 x pipeline 2, ZeRO 1, 1f1b
          batch 8 = 4 micro-batches of 1 x data 2, sequence 1000, bf16,
          policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step      9.622 ms, busiest stage 1 of 2
          open: --overlap -32 to +7%, --sequence-parallel +0 to +3% of the step
          lower bound for any software: 4.550 ms; without any overlap the step
          takes 12.03 ms
          no fitted efficiencies for this device: roofline time at the
          datasheet's rates
bound by  compute 39.1% of the step, network 34.0%,
$ COLUMNS=120 nncost estimate dense round --full --full --devices 16 --tensor 4 --pipeline 2 --micro-batches 4 --zero 1 | sed -n '1,/^bound/p'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 4 x pipeline 2, ZeRO 1, 1f1b
          batch 8 = 4 micro-batches of 1 x data 2, sequence 1000, bf16, policy mixed, adamw, flash attention,
          recompute none, software torch-compile (chosen for this plan), mode predicted

step      9.622 ms, busiest stage 1 of 2
          open: --overlap -32 to +7%, --sequence-parallel +0 to +3% of the step
          lower bound for any software: 4.550 ms; without any overlap the step takes 12.03 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 39.1% of the step, network 34.0%, if compute took no time, the step would take 6.641 ms
$ COLUMNS=200 nncost estimate dense round --full --full --devices 16 --tensor 4 --pipeline 2 --micro-batches 4 --zero 1 | sed -n '1,/^bound/p'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 4 x pipeline 2, ZeRO 1, 1f1b
          batch 8 = 4 micro-batches of 1 x data 2, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

step      9.622 ms, busiest stage 1 of 2
          open: --overlap -32 to +7%, --sequence-parallel +0 to +3% of the step
          lower bound for any software: 4.550 ms; without any overlap the step takes 12.03 ms
          no fitted efficiencies for this device: roofline time at the datasheet's rates
bound by  compute 39.1% of the step, network 34.0%, if compute took no time, the step would take 6.641 ms

# In a narrow table, long options of 'nncost advise' continue on further lines.
$ COLUMNS=60 nncost advise dense old --micro-batch 128 | sed -n '/^with/,/^$/p'
without bf16 and is bound by compute (91.0% of the time); it
does not fit: 37.65 GB of 5.000 GB per device; it fits with
--micro-batch 8 --micro-batches 16.

with                         step  speed   memory cost batch
--micro-batch 8           1.948 s 100.0% 4.133 GB    -   128
  --micro-batches 16

