# 'nncost budget' prints the model that a budget trains best, and the cost of training a given model.

$ nncost budget --device round --cost 1M --days 30 --price 2.95
budget    1,000,000 USD, 338,983 device-hours of round at 2.95 USD, 4.637e+22 FLOP at MFU 0.4 and
          goodput 0.95
          471 devices finish in 30 days

law              parameters   tokens   loss
rule-of-20          19.66 G  393.2 G      -
printed             10.32 G  749.1 G  2.044
tex                 12.78 G  604.9 G  2.026
epoch               19.89 G  388.7 G  2.063
approach-1          19.35 G  399.5 G      -
approach-2          18.51 G  417.6 G      -
llama-3             17.40 G  444.1 G      -
llama-3-printed     25.86 G  298.9 G      -
deepseek            21.88 G  353.3 G      -
kaplan              127.8 G  60.46 G      -
$ nncost budget --device round --params 8B --tokens 15T --price 2 --mfu 0.5
budget    8,421,053 USD, 4,210,526 device-hours of round at 2 USD, 7.2e+23 FLOP at MFU 0.5 and
          goodput 0.95

law              parameters   tokens   loss
rule-of-20          77.46 G  1.549 T      -
printed             35.60 G  3.371 T  1.923
tex                 44.69 G  2.685 T  1.911
epoch               81.12 G  1.479 T  1.968
approach-1          75.83 G  1.582 T      -
approach-2          70.92 G  1.692 T      -
llama-3             61.96 G  1.937 T      -
llama-3-printed     93.84 G  1.279 T      -
deepseek            92.14 G  1.302 T      -
kaplan              946.5 G  126.8 G      -

model     needs 5.52 times the FLOPs of the best model with the same loss by the law epoch, 1.99
          times by the law printed; it is smaller and trained on more tokens
$ nncost budget --device round --cost 1M --price 2 --format csv
law,params,tokens,loss,served_params,served_tokens,saved_share\r
rule-of-20,23874672772.6,477493455453,,,,\r
printed,12297354088,927028685881,2.02392688547,,,\r
tex,15258348203,747131986262,2.00637095236,,,\r
epoch,24270348379,469708956046,2.04658443983,,,\r
approach-1,23480827192.8,485502487045,,,,\r
approach-2,22386843167.7,509227670672,,,,\r
llama-3,20835721143.6,547137289917,,,,\r
llama-3-printed,31040386448.5,367263468801,,,,\r
deepseek,26821368715,425034237482,,,,\r
kaplan,169777163926,67146839636.2,,,,\r
$ nncost budget --device round --cost 1M --params 8B --tokens 15T
! nncost: --cost: --params and --tokens determine the cost, expected either --cost, or --params and --tokens
[2]
$ nncost budget --device round --params 8B
! nncost: --tokens: missing, expected both --params and --tokens
[2]
$ nncost budget --cost 1M
! nncost: --device: missing, expected the device to pay for
[2]
$ nncost budget --device round
! nncost: --cost: missing, expected money or --flops to spend, or --params and --tokens
[2]
$ nncost budget --device round --cost 1M --mfu 1.5
! nncost: --mfu: out of range, expected at most 1, found 1.5
[2]

# --flops needs no device. With --serve-tokens, the optimum is a smaller model.
$ nncost budget --flops 5.76e23 | head -4
budget    5.76e+23 FLOP

law              parameters   tokens   loss
rule-of-20          69.28 G  1.386 T      -
$ nncost budget --device round --price 2 --params 70B --tokens 1.4T --serve-tokens 2T
budget    8,596,491 USD, 4,298,246 device-hours of round at 2 USD, 5.88e+23 FLOP at MFU 0.4 and
          goodput 0.95

law              parameters   tokens   loss  to serve   tokens  saved
rule-of-20          70.00 G  1.400 T      -         -        -      -
printed             32.49 G  3.016 T   1.93   23.09 G  3.635 T  31.4%
tex                 40.74 G  2.405 T  1.918   29.17 G  3.162 T  22.8%
epoch               73.12 G  1.340 T  1.973   50.64 G  2.044 T   5.1%
approach-1          68.55 G  1.430 T      -         -        -      -
approach-2          64.22 G  1.526 T      -         -        -      -
llama-3             56.42 G  1.737 T      -         -        -      -
llama-3-printed     85.32 G  1.149 T      -         -        -      -
deepseek            82.86 G  1.183 T      -         -        -      -
kaplan              816.5 G  120.0 G      -         -        -      -

model     needs 1 times the FLOPs of the best model with the same loss by the law epoch, 1.2 times
          by the law printed
$ nncost budget --device old --params 1B --tokens 20B | head -1
budget    1,754 device-hours of old, 1.2e+20 FLOP at MFU 0.4 and goodput 0.95
$ nncost budget --device old --cost 1M
! nncost: --price: no price is recorded for An old device without bf16, expected one
[2]
$ nncost budget --flops 1e23 --cost 1M
! nncost: --flops: expected exactly one of --flops, --cost, or --params with --tokens
[2]
$ nncost budget --cost 1M
! nncost: --device: missing, expected the device to pay for
[2]
$ nncost budget --params 1B --tokens 20B
budget    1.2e+20 FLOP

law              parameters   tokens   loss
rule-of-20          1.000 G  20.00 G      -
printed             700.2 M  28.56 G  2.575
tex                 842.1 M  23.75 G  2.529
epoch               938.2 M  21.32 G  2.529
approach-1          995.9 M  20.08 G      -
approach-2          1.000 G  20.00 G      -
llama-3             1.104 G  18.12 G      -
llama-3-printed     1.573 G  12.72 G      -
deepseek            962.9 M  20.77 G      -
kaplan              1.652 G  12.10 G      -

model     needs 1 times the FLOPs of the best model with the same loss by the law epoch, 1.04 times
          by the law printed
