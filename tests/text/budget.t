# What a budget trains best, and what a model costs.

$ nncost budget --device round --cost 1M --days 30 --price 2.95
budget    1,000,000 USD, 338,983 device-hours of round at 2.95 USD,
          4.637e+22 FLOP at MFU 0.4 and goodput 0.95
          471 devices end in 30 days

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
budget    8,421,053 USD, 4,210,526 device-hours of round at 2 USD,
          7.2e+23 FLOP at MFU 0.5 and goodput 0.95

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

asked for costs 5.52 times the FLOPs that reach its loss best by the law of epoch, 1.99 times by
          that printed: a smaller model that is cheaper to serve
$ nncost budget --device round --cost 1M --price 2 --format csv
law,params,tokens,loss\r
rule-of-20,23874672772.6,477493455453,\r
printed,12297354088,927028685881,2.02392688547\r
tex,15258348203,747131986262,2.00637095236\r
epoch,24270348379,469708956046,2.04658443983\r
approach-1,23480827192.8,485502487045,\r
approach-2,22386843167.7,509227670672,\r
llama-3,20835721143.6,547137289917,\r
llama-3-printed,31040386448.5,367263468801,\r
deepseek,26821368715,425034237482,\r
kaplan,169777163926,67146839636.2,\r
$ nncost budget --device round --cost 1M --params 8B --tokens 15T
! nncost: --cost: is worked out from --params and --tokens, expected only one of them
[2]
$ nncost budget --device round --params 8B
! nncost: --tokens: missing, expected both --params and --tokens
[2]
$ nncost budget --cost 1M
! nncost: --device: missing, expected the device to pay for
[2]
$ nncost budget --device round
! nncost: --cost: missing, expected money to spend, or --params and --tokens
[2]
$ nncost budget --device round --cost 1M --mfu 1.5
! nncost: --mfu: out of range, expected at most 1, found 1.5
[2]
