# The formula of a quantity or of an op, its source, and the numbers put in: 'nncost explain'.
# tests/unit evaluates every line; here is how they read.

# A product: 2 x 1000 x 3000 x 1000 FLOPs, its bytes, its time, forward and backward.
$ nncost explain attn.qkv dense round
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile, mode predicted

attn.qkv forward: matmul, m=1000 n=3000 k=1000, 8 in one step

flops             = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 3000 * 1000
                  = 6000000000 FLOP (6.000 GFLOP)
  source          C[m,n] = A[m,k] B[k,n]: one multiply and one add per term; operands cross memory
                  once

vector_flops      = m * n
                  = 1000 * 3000
                  = 3000000 FLOP (3.000 MFLOP)

read_bytes        = (batch * m * k + batch / b_shared * k * n + bias) * in_bytes
                  = (1 * 1000 * 1000 + 1 / 1 * 1000 * 3000 + 3000) * 2
                  = 8006000 B (8.006 MB)

write_bytes       = batch * m * n * out_bytes
                  = 1 * 1000 * 3000 * 2
                  = 6000000 B (6.000 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (6000000000 + 3000000) / (8006000 + 6000000)
                  = 428.602027702 FLOP/B
  where           flops 6.000 GFLOP, vector_flops 3.000 MFLOP, read_bytes 8.006 MB,
                  write_bytes 6.000 MB

compute_s         = max(flops / (sustained_fraction * matmul_flops_per_s), vector_flops /
                  vector_flops_per_s)
                  = max(6000000000 / (1 * 1e14), 3000000 / 1e13)
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s, vector_flops 3.000 MFLOP,
                  vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (8006000 + 6000000) / (1 * 1e12)
                  = 1.4006e-5 s (14.01 us)
  where           read_bytes 8.006 MB, write_bytes 6.000 MB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(6e-5, 1.4006e-5) + 0
                  = 6e-5 s (60.00 us)
  where           compute_s 60.00 us, memory_s 14.01 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 6e-5 * 8 / 0.010795756
                  = 0.0444619163308
  where           time_s 60.00 us, step_s 10.80 ms

attn.qkv grad_input: matmul, m=1000 n=1000 k=3000, 8 in one step

flops             = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 1000 * 3000
                  = 6000000000 FLOP (6.000 GFLOP)
  source          C[m,n] = A[m,k] B[k,n]: one multiply and one add per term; operands cross memory
                  once

read_bytes        = (batch * m * k + batch / b_shared * k * n) * in_bytes
                  = (1 * 1000 * 3000 + 1 / 1 * 3000 * 1000) * 2
                  = 12000000 B (12.00 MB)

write_bytes       = batch * m * n * out_bytes
                  = 1 * 1000 * 1000 * 2
                  = 2000000 B (2.000 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (6000000000 + 0) / (12000000 + 2000000)
                  = 428.571428571 FLOP/B
  where           flops 6.000 GFLOP, vector_flops 0 FLOP, read_bytes 12.00 MB, write_bytes 2.000 MB

compute_s         = flops / (sustained_fraction * matmul_flops_per_s)
                  = 6000000000 / (1 * 1e14)
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (12000000 + 2000000) / (1 * 1e12)
                  = 1.4e-5 s (14.00 us)
  where           read_bytes 12.00 MB, write_bytes 2.000 MB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(6e-5, 1.4e-5) + 0
                  = 6e-5 s (60.00 us)
  where           compute_s 60.00 us, memory_s 14.00 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 6e-5 * 8 / 0.010795756
                  = 0.0444619163308
  where           time_s 60.00 us, step_s 10.80 ms

attn.qkv grad_weight: matmul, m=1000 n=3000 k=1000, 8 in one step

flops             = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 3000 * 1000
                  = 6000000000 FLOP (6.000 GFLOP)
  source          C[m,n] = A[m,k] B[k,n]: one multiply and one add per term; operands cross memory
                  once

vector_flops      = k * n
                  = 1000 * 3000
                  = 3000000 FLOP (3.000 MFLOP)

read_bytes        grad_accumulate: share of the passes that add to a gradient already there
                  = (batch * m * k + batch / b_shared * k * n) * in_bytes + batch * m * n *
                  grad_bytes * grad_accumulate
                  = (1 * 1000 * 1000 + 1 / 1 * 1000 * 3000) * 2 + 1 * 1000 * 3000 * 2 * 0
                  = 8000000 B (8.000 MB)

write_bytes       = batch * m * n * grad_bytes
                  = 1 * 1000 * 3000 * 2
                  = 6000000 B (6.000 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (6000000000 + 3000000) / (8000000 + 6000000)
                  = 428.785714286 FLOP/B
  where           flops 6.000 GFLOP, vector_flops 3.000 MFLOP, read_bytes 8.000 MB,
                  write_bytes 6.000 MB

compute_s         = max(flops / (sustained_fraction * matmul_flops_per_s), vector_flops /
                  vector_flops_per_s)
                  = max(6000000000 / (1 * 1e14), 3000000 / 1e13)
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s, vector_flops 3.000 MFLOP,
                  vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (8000000 + 6000000) / (1 * 1e12)
                  = 1.4e-5 s (14.00 us)
  where           read_bytes 8.000 MB, write_bytes 6.000 MB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(6e-5, 1.4e-5) + 0
                  = 6e-5 s (60.00 us)
  where           compute_s 60.00 us, memory_s 14.00 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 6e-5 * 8 / 0.010795756
                  = 0.0444619163308
  where           time_s 60.00 us, step_s 10.80 ms

# The time of a product by fitted efficiencies, and by the datasheet.
$ nncost explain mlp.up dense fitted | sed -n '/^compute_s/,/source/p' | sed '/source/q'
compute_s         shape_factor: tiles at the edges, waves, start and end of k, cache, clock;
                  formulas.md#gemm-time
                  = flops / (sustained_fraction * matmul_flops_per_s) * shape_factor
                  = 8000000000 / (0.8 * 2e14) * 0.93587636302
                  = 4.6793818151e-5 s (46.79 us)
  where           flops 8.000 GFLOP, matmul_flops_per_s 200.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s) * partial_sums
                  = (10008000 + 8000000) / (0.8 * 2e12) * 1.02100883079
                  = 1.14914543906e-5 s (11.49 us)
  where           read_bytes 10.01 MB, write_bytes 8.000 MB, mem_bytes_per_s 2.000 TB/s

time_s            = (compute_s^4 + memory_s^4)^(1/4) + fixed_s
                  = (4.6793818151e-5^4 + 1.14914543906e-5^4)^(1/4) + 2e-6
                  = 4.88363077932e-5 s (48.84 us)
  where           compute_s 46.79 us, memory_s 11.49 us, fixed_s 2.000 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009
$ nncost explain mlp.up dense fitted --mode ideal | sed -n '/^compute_s/,/source/p' | sed '/source/q'
compute_s         = max(flops / (sustained_fraction * matmul_flops_per_s), vector_flops /
                  vector_flops_per_s)
                  = max(8000000000 / (1 * 2e14), 4000000 / 1e13)
                  = 4e-5 s (40.00 us)
  where           flops 8.000 GFLOP, matmul_flops_per_s 200.0 TFLOP/s, vector_flops 4.000 MFLOP,
                  vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (10008000 + 8000000) / (1 * 2e12)
                  = 9.004e-6 s (9.004 us)
  where           read_bytes 10.01 MB, write_bytes 8.000 MB, mem_bytes_per_s 2.000 TB/s

time_s            = compute_s
                  = 4e-5
                  = 4e-5 s (40.00 us)
  where           compute_s 40.00 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

# Attention, with a key and value for several heads; an activation; a norm; a convolution.
$ nncost explain attn.core experts fitted | sed '1,/^$/d'
attn.core forward: flash_attention, b=1 heads=8/4 s=1000x1000 d=100, 4 in one step

flops             = 4 * batch * heads * head_dim * pairs
                  = 4 * 1 * 8 * 100 * 500500
                  = 1601600000 FLOP (1.602 GFLOP)
  source          pairs: queries and keys that the mask lets meet; five products backward, since the
                  scores are recomputed; arXiv:2205.14135, arXiv:2307.08691

vector_flops      = 5 * batch * heads * pairs
                  = 5 * 1 * 8 * 500500
                  = 20020000 FLOP (20.02 MFLOP)

read_bytes        = out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)
                  = 2 * 1 * 100 * (1000 * 8 + 2 * 1000 * 4)
                  = 3200000 B (3.200 MB)

write_bytes       = out_bytes * batch * head_dim * s_q * heads + 4 * batch * heads * s_q
                  = 2 * 1 * 100 * 1000 * 8 + 4 * 1 * 8 * 1000
                  = 1632000 B (1.632 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (1601600000 + 20020000) / (3200000 + 1632000)
                  = 335.600165563 FLOP/B
  where           flops 1.602 GFLOP, vector_flops 20.02 MFLOP, read_bytes 3.200 MB,
                  write_bytes 1.632 MB

compute_s         shape_factor: short sequences, few blocks of queries, narrow heads;
                  formulas.md#flash-time
                  = flops / (sustained_fraction * matmul_flops_per_s) * shape_factor
                  = 1601600000 / (0.5 * 2e14) * 2.889
                  = 4.6270224e-5 s (46.27 us)
  where           flops 1.602 GFLOP, matmul_flops_per_s 200.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (3200000 + 1632000) / (1 * 2e12)
                  = 2.416e-6 s (2.416 us)
  where           read_bytes 3.200 MB, write_bytes 1.632 MB, mem_bytes_per_s 2.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(4.6270224e-5, 2.416e-6) + 1e-5
                  = 5.6270224e-5 s (56.27 us)
  where           compute_s 46.27 us, memory_s 2.416 us, fixed_s 10.00 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 5.6270224e-5 * 4 / 0.00628447195361
                  = 0.035815403054
  where           time_s 56.27 us, step_s 6.284 ms

attn.core backward: flash_attention, b=1 heads=8/4 s=1000x1000 d=100, 4 in one step

flops             = 10 * batch * heads * head_dim * pairs
                  = 10 * 1 * 8 * 100 * 500500
                  = 4004000000 FLOP (4.004 GFLOP)
  source          pairs: queries and keys that the mask lets meet; five products backward, since the
                  scores are recomputed; arXiv:2205.14135, arXiv:2307.08691

vector_flops      = 6 * batch * heads * pairs
                  = 6 * 1 * 8 * 500500
                  = 24024000 FLOP (24.02 MFLOP)

read_bytes        = out_bytes * batch * head_dim * (3 * s_q * heads + 2 * s_k * kv_heads) + 8 *
                  batch * heads * s_q
                  = 2 * 1 * 100 * (3 * 1000 * 8 + 2 * 1000 * 4) + 8 * 1 * 8 * 1000
                  = 6464000 B (6.464 MB)

write_bytes       = out_bytes * batch * head_dim * (s_q * heads + 2 * s_k * kv_heads)
                  = 2 * 1 * 100 * (1000 * 8 + 2 * 1000 * 4)
                  = 3200000 B (3.200 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (4004000000 + 24024000) / (6464000 + 3200000)
                  = 416.807119205 FLOP/B
  where           flops 4.004 GFLOP, vector_flops 24.02 MFLOP, read_bytes 6.464 MB,
                  write_bytes 3.200 MB

compute_s         shape_factor: short sequences, few blocks of queries, narrow heads;
                  formulas.md#flash-time
                  = flops / (sustained_fraction * matmul_flops_per_s) * shape_factor
                  = 4004000000 / (0.5 * 2e14) * 3.61125
                  = 0.00014459445 s (144.6 us)
  where           flops 4.004 GFLOP, matmul_flops_per_s 200.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (6464000 + 3200000) / (1 * 2e12)
                  = 4.832e-6 s (4.832 us)
  where           read_bytes 6.464 MB, write_bytes 3.200 MB, mem_bytes_per_s 2.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(0.00014459445, 4.832e-6) + 1e-5
                  = 0.00015459445 s (154.6 us)
  where           compute_s 144.6 us, memory_s 4.832 us, fixed_s 10.00 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 0.00015459445 * 4 / 0.00628447195361
                  = 0.0983977340602
  where           time_s 154.6 us, step_s 6.284 ms
$ nncost explain moe.activation experts round | sed '1,/^$/d'
moe.activation forward: swiglu, elements=2000000, 4 in one step

vector_flops      = elements * vector_flops_per_element
                  = 2000000 * 5
                  = 10000000 FLOP (10.00 MFLOP)

read_bytes        = elements * read_per_element
                  = 2000000 * 4
                  = 8000000 B (8.000 MB)

write_bytes       = elements * written_per_element
                  = 2000000 * 2
                  = 4000000 B (4.000 MB)

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 10000000) / (8000000 + 4000000)
                  = 0.833333333333 FLOP/B
  where           flops 0 FLOP, vector_flops 10.00 MFLOP, read_bytes 8.000 MB, write_bytes 4.000 MB

compute_s         = vector_flops / vector_flops_per_s
                  = 10000000 / 1e13
                  = 1e-6 s (1.000 us)
  where           vector_flops 10.00 MFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (8000000 + 4000000) / (1 * 1e12)
                  = 1.2e-5 s (12.00 us)
  where           read_bytes 8.000 MB, write_bytes 4.000 MB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(1e-6, 1.2e-5) + 0
                  = 1.2e-5 s (12.00 us)
  where           compute_s 1.000 us, memory_s 12.00 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 1.2e-5 * 4 / 0.007120574
                  = 0.00674102958554
  where           time_s 12.00 us, step_s 7.121 ms

moe.activation backward: swiglu, elements=2000000, 4 in one step

vector_flops      = elements * vector_flops_per_element
                  = 2000000 * 10
                  = 20000000 FLOP (20.00 MFLOP)

read_bytes        = elements * read_per_element
                  = 2000000 * 6
                  = 12000000 B (12.00 MB)

write_bytes       = elements * written_per_element
                  = 2000000 * 4
                  = 8000000 B (8.000 MB)

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 20000000) / (12000000 + 8000000)
                  = 1 FLOP/B
  where           flops 0 FLOP, vector_flops 20.00 MFLOP, read_bytes 12.00 MB, write_bytes 8.000 MB

compute_s         = vector_flops / vector_flops_per_s
                  = 20000000 / 1e13
                  = 2e-6 s (2.000 us)
  where           vector_flops 20.00 MFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (12000000 + 8000000) / (1 * 1e12)
                  = 2e-5 s (20.00 us)
  where           read_bytes 12.00 MB, write_bytes 8.000 MB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(2e-6, 2e-5) + 0
                  = 2e-5 s (20.00 us)
  where           compute_s 2.000 us, memory_s 20.00 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 2e-5 * 4 / 0.007120574
                  = 0.0112350493092
  where           time_s 20.00 us, step_s 7.121 ms
$ nncost explain attn.norm dense round --mode ideal | sed '1,/^$/d'
attn.norm forward: layer_norm, rows=1000 width=1000, 8 in one step

vector_flops      = elements * vector_flops_per_element
                  = 1000000 * 8
                  = 8000000 FLOP (8.000 MFLOP)

read_bytes        = elements * read_per_element
                  = 1000000 * 2
                  = 2000000 B (2.000 MB)

write_bytes       = elements * written_per_element
                  = 1000000 * 2
                  = 2000000 B (2.000 MB)

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 8000000) / (2000000 + 2000000)
                  = 2 FLOP/B
  where           flops 0 FLOP, vector_flops 8.000 MFLOP, read_bytes 2.000 MB, write_bytes 2.000 MB

compute_s         = vector_flops / vector_flops_per_s
                  = 8000000 / 1e13
                  = 8e-7 s (800.0 ns)
  where           vector_flops 8.000 MFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = nothing: ideal fusion with the ops around it
                  = 0 s (0 s)

time_s            = memory_s
                  = 0
                  = 0 s (0 s)
  where           memory_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 0 * 8 / 0.00692056
                  = 0
  where           time_s 0 s, step_s 6.921 ms

attn.norm backward: layer_norm, rows=1000 width=1000, 8 in one step

vector_flops      = elements * vector_flops_per_element
                  = 1000000 * 14
                  = 14000000 FLOP (14.00 MFLOP)

read_bytes        = elements * read_per_element
                  = 1000000 * 4
                  = 4000000 B (4.000 MB)

write_bytes       = elements * written_per_element
                  = 1000000 * 2
                  = 2000000 B (2.000 MB)

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 14000000) / (4000000 + 2000000)
                  = 2.33333333333 FLOP/B
  where           flops 0 FLOP, vector_flops 14.00 MFLOP, read_bytes 4.000 MB, write_bytes 2.000 MB

compute_s         = vector_flops / vector_flops_per_s
                  = 14000000 / 1e13
                  = 1.4e-6 s (1.400 us)
  where           vector_flops 14.00 MFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = nothing: ideal fusion with the ops around it
                  = 0 s (0 s)

time_s            = memory_s
                  = 0
                  = 0 s (0 s)
  where           memory_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 0 * 8 / 0.00692056
                  = 0
  where           time_s 0 s, step_s 6.921 ms
$ nncost explain block.conv1 unet round | sed '1,/^$/d'
block.conv1 forward: conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step

flops             = 2 * batch * positions * weights
                  = 2 * 1 * 1024 * 270000
                  = 552960000 FLOP (553.0 MFLOP)
  source          weights = c_out c_in / groups kernel^2; positions are those of the output, of the
                  input if transposed; taps on the padding count

vector_flops      = batch * c_out * h_out * w_out
                  = 1 * 100 * 32 * 32
                  = 102400 FLOP (102.4 kFLOP)

read_bytes        = (batch * c_in * h_in * w_in + weights + bias) * in_bytes
                  = (1 * 300 * 32 * 32 + 270000 + 100) * 2
                  = 1154600 B (1.155 MB)

write_bytes       = batch * c_out * h_out * w_out * out_bytes
                  = 1 * 100 * 32 * 32 * 2
                  = 204800 B (204.8 kB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (552960000 + 102400) / (1154600 + 204800)
                  = 406.843018979 FLOP/B
  where           flops 553.0 MFLOP, vector_flops 102.4 kFLOP, read_bytes 1.155 MB,
                  write_bytes 204.8 kB

compute_s         = max(flops / (sustained_fraction * matmul_flops_per_s), vector_flops /
                  vector_flops_per_s)
                  = max(552960000 / (1 * 1e14), 102400 / 1e13)
                  = 5.5296e-6 s (5.530 us)
  where           flops 553.0 MFLOP, matmul_flops_per_s 100.0 TFLOP/s, vector_flops 102.4 kFLOP,
                  vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (1154600 + 204800) / (1 * 1e12)
                  = 1.3594e-6 s (1.359 us)
  where           read_bytes 1.155 MB, write_bytes 204.8 kB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(5.5296e-6, 1.3594e-6) + 0
                  = 5.5296e-6 s (5.530 us)
  where           compute_s 5.530 us, memory_s 1.359 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 5.5296e-6 * 1 / 0.000567330856
                  = 0.00974669355901
  where           time_s 5.530 us, step_s 567.3 us

block.conv1 grad_input: conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step

flops             = 2 * batch * positions * weights
                  = 2 * 1 * 1024 * 270000
                  = 552960000 FLOP (553.0 MFLOP)
  source          weights = c_out c_in / groups kernel^2; positions are those of the output, of the
                  input if transposed; taps on the padding count

read_bytes        = (batch * c_out * h_out * w_out + weights) * in_bytes
                  = (1 * 100 * 32 * 32 + 270000) * 2
                  = 744800 B (744.8 kB)

write_bytes       = batch * c_in * h_in * w_in * out_bytes
                  = 1 * 300 * 32 * 32 * 2
                  = 614400 B (614.4 kB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (552960000 + 0) / (744800 + 614400)
                  = 406.827545615 FLOP/B
  where           flops 553.0 MFLOP, vector_flops 0 FLOP, read_bytes 744.8 kB, write_bytes 614.4 kB

compute_s         = flops / (sustained_fraction * matmul_flops_per_s)
                  = 552960000 / (1 * 1e14)
                  = 5.5296e-6 s (5.530 us)
  where           flops 553.0 MFLOP, matmul_flops_per_s 100.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (744800 + 614400) / (1 * 1e12)
                  = 1.3592e-6 s (1.359 us)
  where           read_bytes 744.8 kB, write_bytes 614.4 kB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(5.5296e-6, 1.3592e-6) + 0
                  = 5.5296e-6 s (5.530 us)
  where           compute_s 5.530 us, memory_s 1.359 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 5.5296e-6 * 1 / 0.000567330856
                  = 0.00974669355901
  where           time_s 5.530 us, step_s 567.3 us

block.conv1 grad_weight: conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step

flops             = 2 * batch * positions * weights
                  = 2 * 1 * 1024 * 270000
                  = 552960000 FLOP (553.0 MFLOP)
  source          weights = c_out c_in / groups kernel^2; positions are those of the output, of the
                  input if transposed; taps on the padding count

vector_flops      = batch * c_out * h_out * w_out
                  = 1 * 100 * 32 * 32
                  = 102400 FLOP (102.4 kFLOP)

read_bytes        grad_accumulate: share of the passes that add to a gradient already there
                  = (batch * c_in * h_in * w_in + batch * c_out * h_out * w_out) * in_bytes +
                  weights * grad_bytes * grad_accumulate
                  = (1 * 300 * 32 * 32 + 1 * 100 * 32 * 32) * 2 + 270000 * 2 * 0
                  = 819200 B (819.2 kB)

write_bytes       = weights * grad_bytes
                  = 270000 * 2
                  = 540000 B (540.0 kB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (552960000 + 102400) / (819200 + 540000)
                  = 406.902884049 FLOP/B
  where           flops 553.0 MFLOP, vector_flops 102.4 kFLOP, read_bytes 819.2 kB,
                  write_bytes 540.0 kB

compute_s         = max(flops / (sustained_fraction * matmul_flops_per_s), vector_flops /
                  vector_flops_per_s)
                  = max(552960000 / (1 * 1e14), 102400 / 1e13)
                  = 5.5296e-6 s (5.530 us)
  where           flops 553.0 MFLOP, matmul_flops_per_s 100.0 TFLOP/s, vector_flops 102.4 kFLOP,
                  vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (819200 + 540000) / (1 * 1e12)
                  = 1.3592e-6 s (1.359 us)
  where           read_bytes 819.2 kB, write_bytes 540.0 kB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(5.5296e-6, 1.3592e-6) + 0
                  = 5.5296e-6 s (5.530 us)
  where           compute_s 5.530 us, memory_s 1.359 us, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 5.5296e-6 * 1 / 0.000567330856
                  = 0.00974669355901
  where           time_s 5.530 us, step_s 567.3 us

# A step: its parts, its bounds, what limits it.
$ nncost explain step_s dense round | sed '1,/^$/d'
step_s            one optimizer step: the time of every op, times its instances
                  = forward_s + backward_s + recompute_s + update_s + exposed_comm_s + bubble_s +
                  host_s
                  = 0.002568168 + 0.005014408 + 0 + 0.00321318 + 0 + 0 + 0
                  = 0.010795756 s (10.80 ms)
  where           forward_s 2.568 ms, backward_s 5.014 ms, recompute_s 0 s, update_s 3.213 ms,
                  exposed_comm_s 0 s, bubble_s 0 s, host_s 0 s
  source          each op by the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009
$ nncost explain bounds dense round | sed '1,/^$/d'
lower_bound_s     no implementation is faster: the busiest engine at its datasheet rate, everything
                  else hidden behind it, norms and pointwise ops fused away
                  = max(matrix_s, vector_s, memory_s)
                  = max(0.00692056, 0.000357526, 0.004946108)
                  = 0.00692056 s (6.921 ms)
  where           matrix_s 6.921 ms, vector_s 357.5 us, memory_s 4.946 ms
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

upper_bound_s     the rates of step_s, with nothing overlapping
                  = compute_total_s + memory_total_s + fixed_total_s
                  = 0.0072284508 + 0.005538108 + 0
                  = 0.0127665588 s (12.77 ms)
  where           compute_total_s 7.228 ms, memory_total_s 5.538 ms, fixed_total_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

# Parameters and FLOPs by the ways of counting them; utilisation.
$ nncost explain params dense round | sed '1,/^$/d'
params            parameters, by the part of the network they belong to
                  = params.embedding + params.attention + params.mlp + params.norm
                  = 11000000 + 32032000 + 64040000 + 34000
                  = 107106000
  source          the tensors of the op list, each counted once

embed.tokens      = instances * matrices * rows * columns
                  = 1 * 1 * 10000 * 1000
                  = 10000000

embed.positions   = instances * matrices * rows * columns
                  = 1 * 1 * 1000 * 1000
                  = 1000000

attn.norm         = instances * vector
                  = 8 * 2000
                  = 16000

attn.qkv          = instances * (matrices * rows * columns + vector)
                  = 8 * (1 * 1000 * 3000 + 3000)
                  = 24024000

attn.out          = instances * (matrices * rows * columns + vector)
                  = 8 * (1 * 1000 * 1000 + 1000)
                  = 8008000

mlp.norm          = instances * vector
                  = 8 * 2000
                  = 16000

mlp.up            = instances * (matrices * rows * columns + vector)
                  = 8 * (1 * 1000 * 4000 + 4000)
                  = 32032000

mlp.down          = instances * (matrices * rows * columns + vector)
                  = 8 * (1 * 4000 * 1000 + 1000)
                  = 32008000

head.norm         = instances * vector
                  = 1 * 2000
                  = 2000
$ for q in flops model_flops hardware_flops executed_flops six_nd_flops; do nncost explain $q dense round --recompute full | sed '1,/^$/d'; done
forward_flops     matrix products and convolutions of the forward passes of one step, attention over
                  all pairs, by part of the network
                  = forward.attention + forward.mlp + forward.head
                  = 96000000000 + 128000000000 + 20000000000
                  = 244000000000 FLOP (244.0 GFLOP)
  where           forward.attention 96.00 GFLOP, forward.mlp 128.0 GFLOP, forward.head 20.00 GFLOP
  source          2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per
                  convolution

backward_flops    the same backward: one product for the gradient of the input, one for that of the
                  weight
                  = backward.attention + backward.mlp + backward.head
                  = 192000000000 + 256000000000 + 40000000000
                  = 488000000000 FLOP (488.0 GFLOP)
  where           backward.attention 192.0 GFLOP, backward.mlp 256.0 GFLOP,
                  backward.head 40.00 GFLOP
  source          the mathematics: twice forward, less the gradients of inputs that need none
model_flops       what the mathematics of one step asks for, by the convention of --flops-convention
                  = forward_flops + backward_flops
                  = 244000000000 + 488000000000
                  = 732000000000 FLOP (732.0 GFLOP)
  where           forward_flops 244.0 GFLOP, backward_flops 488.0 GFLOP
  source          palm: arXiv:2204.02311 appendix B; causal: pairs under the mask; 6nd:
                  arXiv:2001.08361
hardware_flops    model FLOPs and what is computed again in backward, in the same convention
                  = model_flops + recompute_flops
                  = 732000000000 + 224000000000
                  = 956000000000 FLOP (956.0 GFLOP)
  where           model_flops 732.0 GFLOP, recompute_flops 224.0 GFLOP
  source          arXiv:2205.05198 section 5
executed_flops    what the kernels run on the matrix units: fused attention leaves masked pairs out
                  and recomputes its scores backward
                  = forward.executed + backward.executed + recompute.executed + update.executed
                  = 228016000000 + 464040000000 + 208016000000 + 0
                  = 900072000000 FLOP (900.1 GFLOP)
  where           forward.executed 228.0 GFLOP, backward.executed 464.0 GFLOP,
                  recompute.executed 208.0 GFLOP, update.executed 0 FLOP
  source          arXiv:2307.08691; only executed work takes time
six_nd_flops      the rule of thumb: 2 FLOPs forward and 4 backward per token and parameter that
                  sits in a matrix product
                  = 6 * matmul_params * tokens
                  = 6 * 106106000 * 1000
                  = 636636000000 FLOP (636.6 GFLOP)
  source          arXiv:2001.08361
$ for q in mfu hfu ridge intensity throughput; do nncost explain $q dense round | sed '1,/^$/d'; done
mfu               model FLOPs utilisation: the share of the peak that the mathematics needs
                  = model_flops / (step_s * devices * peak_flops_per_s)
                  = 732000000000 / (0.010795756 * 1 * 1e14)
                  = 0.678044224045
  where           model_flops 732.0 GFLOP, step_s 10.80 ms, peak_flops_per_s 100.0 TFLOP/s
  source          arXiv:2204.02311 appendix B
hfu               hardware FLOPs utilisation: the same with recomputation
                  = hardware_flops / (step_s * devices * peak_flops_per_s)
                  = 732000000000 / (0.010795756 * 1 * 1e14)
                  = 0.678044224045
  where           hardware_flops 732.0 GFLOP, step_s 10.80 ms, peak_flops_per_s 100.0 TFLOP/s
  source          arXiv:2205.05198 section 5
ridge_flops_per_byte
                  the ridge point: below it an op waits for memory, above it for arithmetic
                  = peak_flops_per_s / mem_bytes_per_s
                  = 1e14 / 1e12
                  = 100 FLOP/B
  where           peak_flops_per_s 100.0 TFLOP/s, mem_bytes_per_s 1.000 TB/s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009
intensity         arithmetic intensity of the whole step; ops differ widely from it
                  = (executed_flops + vector_flops) / (read_bytes + write_bytes)
                  = (692056000000 + 3575260000) / (3230368000 + 2307740000)
                  = 125.608106595 FLOP/B
  where           executed_flops 692.1 GFLOP, vector_flops 3.575 GFLOP, read_bytes 3.230 GB,
                  write_bytes 2.308 GB
  source          Williams, Waterman, Patterson, CACM 52(4), 2009
tokens_per_s      tokens trained on per second
                  = tokens / step_s
                  = 1000 / 0.010795756
                  = 92628.9923559
  where           step_s 10.80 ms

samples_per_s     sequences or images trained on per second
                  = global_batch / step_s
                  = 1 / 0.010795756
                  = 92.6289923559
  where           step_s 10.80 ms

# Memory: each part.
$ nncost explain memory dense round | sed '1,/^$/d'
total_bytes       device memory at the peak
                  = weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes +
                  transient_bytes + reserve_bytes
                  = 214212000 + 214212000 + 1285272000 + 280408000 + 22000000 + 0
                  = 2016104000 B (2.016 GB)
  where           weight_bytes 214.2 MB, gradient_bytes 214.2 MB, optimizer_bytes 1.285 GB,
                  activation_bytes 280.4 MB, transient_bytes 22.00 MB, reserve_bytes 0 B
  source          arXiv:1910.02054 section 3

weight_bytes      the weights that passes read, by the precision policy
                  = stored_params * weight_bytes_per_param
                  = 107106000 * 2
                  = 214212000 B (214.2 MB)
  source          arXiv:1910.02054 section 3.1, arXiv:1710.03740

gradient_bytes    one gradient per weight; it does not grow with the number of micro-batches
                  = stored_params * gradient_bytes_per_param
                  = 107106000 * 2
                  = 214212000 B (214.2 MB)
  source          arXiv:1910.02054 section 3.1

optimizer_bytes   the optimizer's moments, and the fp32 master copy if any
                  = stored_params * (master_bytes_per_param + 2 * moment_bytes)
                  = 107106000 * (4 + 2 * 4)
                  = 1285272000 B (1.285 GB)
  source          arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor:
                  arXiv:1804.04235

activation_bytes  tensors of one micro-batch that wait for backward
                  = sum over forward ops of what each keeps
                  = 280408000 B (280.4 MB)
  source          each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198
                  section 4

transient_bytes   the largest extra at the peak that is not kept
                  = gradients of activations
                  = 22000000 B (22.00 MB)
$ nncost explain memory dense round --devices 16 --zero 3 | sed '1,/^$/d'
total_bytes       device memory at the peak
                  = weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes +
                  transient_bytes + reserve_bytes
                  = 13388250 + 13388250 + 80329500 + 280408000 + 94078000 + 0
                  = 481592000 B (481.6 MB)
  where           weight_bytes 13.39 MB, gradient_bytes 13.39 MB, optimizer_bytes 80.33 MB,
                  activation_bytes 280.4 MB, transient_bytes 94.08 MB, reserve_bytes 0 B
  source          arXiv:1910.02054 section 3

weight_bytes      the weights that passes read, by the precision policy
                  = sharded_params * weight_bytes_per_param
                  = 6694125 * 2
                  = 13388250 B (13.39 MB)
  source          arXiv:1910.02054 section 3.1, arXiv:1710.03740

gradient_bytes    one gradient per weight; it does not grow with the number of micro-batches
                  = sharded_params * gradient_bytes_per_param
                  = 6694125 * 2
                  = 13388250 B (13.39 MB)
  source          arXiv:1910.02054 section 3.1

optimizer_bytes   the optimizer's moments, and the fp32 master copy if any
                  = stored_params * (master_bytes_per_param + 2 * moment_bytes)
                  = 6694125 * (4 + 2 * 4)
                  = 80329500 B (80.33 MB)
  source          arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor:
                  arXiv:1804.04235

activation_bytes  tensors of one micro-batch that wait for backward
                  = in_flight * (sum over the stage's forward ops of what each keeps)
                  = 1 * (sum over the stage's forward ops of what each keeps)
                  = 280408000 B (280.4 MB)
  source          each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198
                  section 4

transient_bytes   the largest extra at the peak that is not kept
                  = gathered weights
                  = 94078000 B (94.08 MB)
$ nncost explain activation_bytes dense round --activations korthikanti | sed '1,/^$/d'
activation_bytes  tensors of one micro-batch that wait for backward
                  = seq_len * micro_batch * (layers * (34 * hidden + 5 * heads * seq_len) + 5 *
                  hidden + 4 * vocab)
                  = 1000 * 1 * (8 * (34 * 1000 + 5 * 8 * 1000) + 5 * 1000 + 4 * 10000)
                  = 637000000 B (637.0 MB)
  source          each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198
                  section 4
$ nncost explain optimizer dense round | sed '1,/^$/d'
optimizer update: optimizer_step, params=107106000, 1 in one step

vector_flops      = elements * vector_flops_per_element
                  = 107106000 * 16
                  = 1713696000 FLOP (1.714 GFLOP)

read_bytes        = elements * read_per_element
                  = 107106000 * 14
                  = 1499484000 B (1.499 GB)

write_bytes       = elements * written_per_element
                  = 107106000 * 14
                  = 1499484000 B (1.499 GB)

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 1713696000) / (1499484000 + 1499484000)
                  = 0.571428571429 FLOP/B
  where           flops 0 FLOP, vector_flops 1.714 GFLOP, read_bytes 1.499 GB, write_bytes 1.499 GB

compute_s         = vector_flops / vector_flops_per_s
                  = 1713696000 / 1e13
                  = 0.0001713696 s (171.4 us)
  where           vector_flops 1.714 GFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (1499484000 + 1499484000) / (1 * 1e12)
                  = 0.002998968 s (2.999 ms)
  where           read_bytes 1.499 GB, write_bytes 1.499 GB, mem_bytes_per_s 1.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(0.0001713696, 0.002998968) + 0
                  = 0.002998968 s (2.999 ms)
  where           compute_s 171.4 us, memory_s 2.999 ms, fixed_s 0 s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 0.002998968 * 1 / 0.010795756
                  = 0.277791383948
  where           time_s 2.999 ms, step_s 10.80 ms
$ nncost explain optimizer_bytes dense round --optimizer muon | sed '1,/^$/d'
optimizer_bytes   the optimizer's moments, and the fp32 master copy if any
                  = stored_params * master_bytes_per_param + moment_bytes * (2 * stored_params -
                  matrix_params)
                  = 107106000 * 4 + 4 * (2 * 107106000 - 96000000)
                  = 901272000 B (901.3 MB)
  source          arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor:
                  arXiv:1804.04235

# Cost of a step and of a run.
$ nncost explain cost dense round --tokens 1e9 | sed '1,/^$/d'
cost_step         price of one step; the price is per device
                  = price_per_device_hour * devices * step_s / 3600
                  = 1 * 1 * 0.010795756 / 3600
                  = 2.99882111111e-6
  where           step_s 10.80 ms

run_s             time to train on what --tokens or --samples says
                  = tokens_to_train / tokens_per_s
                  = 1000000000 / 92628.9923559
                  = 10795.756 s (2.999 h)

device_hours      device-hours of the run
                  = devices * run_s / 3600
                  = 1 * 10795.756 / 3600
                  = 2.99882111111
  where           run_s 2.999 h

cost_run          price of the run
                  = price_per_device_hour * device_hours
                  = 1 * 2.99882111111
                  = 2.99882111111

# A pipeline: the plan, the bubble, FLOPs of all stages.
$ nncost explain plan dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 | sed '1,/^$/d'
devices           experts are spread over data x context ranks, so they take no devices of their own
                  = data * tensor * pipeline * context
                  = 2 * 2 * 4 * 1
                  = 16

in_flight         micro-batches whose activations the fullest stage keeps at once, in its own
                  layers' worth
                  = min(micro_batches, pipeline - memory.stage)
                  = min(8, 4 - 0)
                  = 4
  source          arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437
$ nncost explain bubble dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 --schedule zb-h1 | sed '1,/^$/d'
bubble_s          what the busiest stage waits, by replaying the schedule with every stage's own
                  times
                  = step_s - busy_s
                  = 0.014375221 - 0.012942045
                  = 0.001433176 s (1.433 ms)
  where           step_s 14.38 ms, busy_s 12.94 ms
  source          arXiv:1811.06965, arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437

equal stages      the closed form, if every stage took as long as the busiest and nothing had to be
                  sent
                  = (pipeline - 1) * (stage_backward_s + max(0, stage_forward_s - stage_weight_s))
                  = (4 - 1) * (0.00058205 + max(0, 0.00051614 - 0.00034))
                  = 0.00227457 s (2.275 ms)
  where           stage_backward_s 582.1 us, stage_forward_s 516.1 us, stage_weight_s 340.0 us
  source          arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437

bubble_ratio      the bubble over the stage's busy time
                  = bubble_s / busy_s
                  = 0.001433176 / 0.012942045
                  = 0.110737986153
  where           bubble_s 1.433 ms, busy_s 12.94 ms
  source          arXiv:2104.04473 section 2.2

bubble_share      the bubble over the step
                  = bubble_s / step_s
                  = 0.001433176 / 0.014375221
                  = 0.0996976672567
  where           bubble_s 1.433 ms, step_s 14.38 ms
$ nncost explain flops dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 | sed '1,/^$/d'
forward_flops     matrix products and convolutions of the forward passes of one step, attention over
                  all pairs, by part of the network
                  = 2 * matmul_params * tokens + forward_pair_flops
                  = 2 * 106106000 * 16000 + 508608000000
                  = 3.904e12 FLOP (3.904 TFLOP)
  where           forward_pair_flops 508.6 GFLOP
  source          2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per
                  convolution

backward_flops    the same backward: one product for the gradient of the input, one for that of the
                  weight
                  = 4 * matmul_params * tokens + backward_pair_flops
                  = 4 * 106106000 * 16000 + 1.017216e12
                  = 7.808e12 FLOP (7.808 TFLOP)
  where           backward_pair_flops 1.017 TFLOP
  source          the mathematics: twice forward, less the gradients of inputs that need none

# Collectives: within a domain, across domains, in a torus, once per step, of experts; what of them hides.
$ nncost explain attn.tensor_out dense fitted --devices 16 --tensor 4 --sequence-parallel --global-batch 16 | sed '1,/^$/d'
attn.tensor_out forward: reduce_scatter of tensor ranks, 32 in one step

moved             what is exchanged, the whole tensor
                  = bytes
                  = 2000000
                  = 2000000 B (2.000 MB)
  where           bytes 2.000 MB

ranks             4 ranks inside one domain, over scale_up, by ring
                  = inner * outer
                  = 4 * 1
                  = 4

network_s         hidden or not; rates are those collectives reach, one direction, of one rank;
                  stretch: small messages
                  = stretch * ((ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s)
                  + fixed_s
                  = 2.63299316186 * ((4 - 1) * 0 + (4 - 1) / 4 * 2000000 / 150000000000) + 5.8e-5
                  = 8.43299316186e-5 s (84.33 us)
  where           latency_s 0 s, moved 2.000 MB, bytes_per_s 150.0 GB/s, fixed_s 58.00 us
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

time_s            what no compute hides, by --overlap or the software profile
                  = network_s - hidden_s
                  = 8.43299316186e-5 - 0
                  = 8.43299316186e-5 s (84.33 us)
  where           network_s 84.33 us, hidden_s 0 s

share             = time_s * repeat / step_s
                  = 8.43299316186e-5 * 32 / 0.0444609625075
                  = 0.0606949930815
  where           time_s 84.33 us, step_s 44.46 ms

attn.tensor_out backward: all_gather of tensor ranks, 32 in one step

moved             what is exchanged, the whole tensor
                  = bytes
                  = 2000000
                  = 2000000 B (2.000 MB)
  where           bytes 2.000 MB

ranks             4 ranks inside one domain, over scale_up, by ring
                  = inner * outer
                  = 4 * 1
                  = 4

network_s         hidden or not; rates are those collectives reach, one direction, of one rank;
                  stretch: small messages
                  = stretch * ((ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s)
                  + fixed_s
                  = 2.63299316186 * ((4 - 1) * 0 + (4 - 1) / 4 * 2000000 / 150000000000) + 5.8e-5
                  = 8.43299316186e-5 s (84.33 us)
  where           latency_s 0 s, moved 2.000 MB, bytes_per_s 150.0 GB/s, fixed_s 58.00 us
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

time_s            what no compute hides, by --overlap or the software profile
                  = network_s - hidden_s
                  = 8.43299316186e-5 - 0
                  = 8.43299316186e-5 s (84.33 us)
  where           network_s 84.33 us, hidden_s 0 s

share             = time_s * repeat / step_s
                  = 8.43299316186e-5 * 32 / 0.0444609625075
                  = 0.0606949930815
  where           time_s 84.33 us, step_s 44.46 ms
$ nncost explain attn.tensor_in dense old --data 4 --tensor 4 --format json
{
  "schema": "nncost.explain/1",
  "quantity": "attn.tensor_in",
  "lines": [
    {"of": "attn.tensor_in backward", "name": "moved", "formula": "bytes", "numbers": "2000000", "result": 2000000, "unit": "B", "meaning": "what is exchanged, the whole tensor", "source": null},
    {"of": "attn.tensor_in backward", "name": "ranks", "formula": "inner * outer", "numbers": "4 * 1", "result": 4, "unit": null, "meaning": "4 ranks inside one domain, over scale_up, by levels", "source": null},
    {"of": "attn.tensor_in backward", "name": "network_s", "formula": "2 * max((inner - 1) / inner * moved / inner_bytes_per_s, hops * inner_latency_s)", "numbers": "2 * max((4 - 1) / 4 * 2000000 / 50000000000, 2 * 1e-6)", "result": 6e-5, "unit": "s", "meaning": "hidden or not; rates are one direction, of one rank", "source": "Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing 35(12), 2009 (tree)"},
    {"of": "attn.tensor_in backward", "name": "time_s", "formula": "network_s - hidden_s", "numbers": "6e-5 - 0", "result": 6e-5, "unit": "s", "meaning": "what no compute hides, by --overlap or the software profile", "source": null},
    {"of": "attn.tensor_in backward", "name": "share", "formula": "time_s * repeat / step_s", "numbers": "6e-5 * 8 / 0.008126882", "result": 0.0590632422127, "unit": null, "meaning": null, "source": null}
  ]
}
$ nncost explain data.scatter_gradients dense round --devices 16 --tensor 2 --pipeline 2 --global-batch 16 --zero 1 | sed '1,/^$/d'
data.scatter_gradients comm: reduce_scatter of data ranks, 1 in one step

moved             what is exchanged, the whole tensor
                  = bytes
                  = 58080000
                  = 58080000 B (58.08 MB)
  where           bytes 58.08 MB

ranks             4 ranks inside one domain, over scale_up, by ring
                  = inner * outer
                  = 4 * 1
                  = 4

network_s         hidden or not; rates are one direction, of one rank
                  = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s
                  = (4 - 1) * 1e-6 + (4 - 1) / 4 * 58080000 / 100000000000
                  = 0.0004386 s (438.6 us)
  where           latency_s 1.000 us, moved 58.08 MB, bytes_per_s 100.0 GB/s
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

time_s            what no compute hides, by --overlap or the software profile
                  = network_s - hidden_s
                  = 0.0004386 - 0.00032895
                  = 0.00010965 s (109.6 us)
  where           network_s 438.6 us, hidden_s 329.0 us

share             = time_s * repeat / step_s
                  = 0.00010965 * 1 / 0.013673266
                  = 0.00801929838855
  where           time_s 109.6 us, step_s 13.67 ms
$ nncost explain moe.dispatch experts fitted --devices 16 --expert 8 --tensor 2 --zero 1 --global-batch 16 | sed '1,/^$/d'
moe.dispatch forward: dispatch, elements=2000000, 8 in one step

read_bytes        = elements * read_per_element
                  = 2000000 * 1
                  = 2000000 B (2.000 MB)

write_bytes       = elements * written_per_element
                  = 2000000 * 2
                  = 4000000 B (4.000 MB)

intensity         FLOPs per byte moved: bound by host; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 0) / (2000000 + 4000000)
                  = 0 FLOP/B
  where           flops 0 FLOP, vector_flops 0 FLOP, read_bytes 2.000 MB, write_bytes 4.000 MB

compute_s         = flops / (sustained_fraction * matmul_flops_per_s)
                  = 0 / (1 * 2e14)
                  = 0 s (0 s)
  where           flops 0 FLOP, matmul_flops_per_s 200.0 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (2000000 + 4000000) / (0.5 * 2e12)
                  = 6e-6 s (6.000 us)
  where           read_bytes 2.000 MB, write_bytes 4.000 MB, mem_bytes_per_s 2.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(0, 6e-6) + 1e-5
                  = 1.6e-5 s (16.00 us)
  where           compute_s 0 s, memory_s 6.000 us, fixed_s 10.00 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 1.6e-5 * 8 / 0.0217347298681
                  = 0.005889192126
  where           time_s 16.00 us, step_s 21.73 ms

moe.dispatch backward: dispatch, elements=2000000, 8 in one step

vector_flops      = elements * vector_flops_per_element
                  = 2000000 * 1
                  = 2000000 FLOP (2.000 MFLOP)

read_bytes        = elements * read_per_element
                  = 2000000 * 2
                  = 4000000 B (4.000 MB)

write_bytes       = elements * written_per_element
                  = 2000000 * 1
                  = 2000000 B (2.000 MB)

intensity         FLOPs per byte moved: bound by host; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 2000000) / (4000000 + 2000000)
                  = 0.333333333333 FLOP/B
  where           flops 0 FLOP, vector_flops 2.000 MFLOP, read_bytes 4.000 MB, write_bytes 2.000 MB

compute_s         = vector_flops / vector_flops_per_s
                  = 2000000 / 1e13
                  = 2e-7 s (200.0 ns)
  where           vector_flops 2.000 MFLOP, vector_flops_per_s 10.00 TFLOP/s

memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
                  = (4000000 + 2000000) / (0.5 * 2e12)
                  = 6e-6 s (6.000 us)
  where           read_bytes 4.000 MB, write_bytes 2.000 MB, mem_bytes_per_s 2.000 TB/s

time_s            = max(compute_s, memory_s) + fixed_s
                  = max(2e-7, 6e-6) + 1e-5
                  = 1.6e-5 s (16.00 us)
  where           compute_s 200.0 ns, memory_s 6.000 us, fixed_s 10.00 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

share             = time_s * repeat / step_s
                  = 1.6e-5 * 8 / 0.0217347298681
                  = 0.005889192126
  where           time_s 16.00 us, step_s 21.73 ms
$ nncost explain data.reduce_gradients dense fitted --devices 16 | sed '1,/^$/d'
data.reduce_gradients comm: all_reduce of data ranks, 1 in one step

moved             what is exchanged, the whole tensor
                  = bytes
                  = 214212000
                  = 214212000 B (214.2 MB)
  where           bytes 214.2 MB

ranks             16 ranks, 8 in each of 2 domains, slowed by scale_out, by ring
                  = inner * outer
                  = 8 * 2
                  = 16

network_s         hidden or not; rates are those collectives reach, one direction, of one rank;
                  stretch: small messages
                  = stretch * (2 * ((ranks - 1) * latency_s + (ranks - 1) / ranks * moved /
                  bytes_per_s)) + fixed_s
                  = 1.09979469648 * (2 * ((16 - 1) * 5e-6 + (16 - 1) / 16 * 214212000 /
                  128000000000)) + 0.000164
                  = 0.00377998319161 s (3.780 ms)
  where           latency_s 5.000 us, moved 214.2 MB, bytes_per_s 128.0 GB/s, fixed_s 164.0 us
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

time_s            what no compute hides, by --overlap or the software profile
                  = network_s - hidden_s
                  = 0.00377998319161 - 0.00330748529266
                  = 0.000472497898951 s (472.5 us)
  where           network_s 3.780 ms, hidden_s 3.307 ms

share             = time_s * repeat / step_s
                  = 0.000472497898951 * 1 / 0.00988677143312
                  = 0.0477909196291
  where           time_s 472.5 us, step_s 9.887 ms
$ nncost explain communication dense round --data 16 --zero 3 --offload optimizer | sed '1,/^$/d'
exposed_comm_s    exchanges between ranks and with the host that no compute hides, by kind
                  = exposed.data + exposed.offload
                  = 0.003185784 + 0.020834683125
                  = 0.024020467125 s (24.02 ms)
  where           exposed.data 3.186 ms, exposed.offload 20.83 ms
  source          arXiv:2104.04473, arXiv:1910.02054, arXiv:2006.15704

data.gather_weights forward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.000347 - 8.008e-6) * 1
                  = 0.000338992 s (339.0 us)
  where           network_s 347.0 us, hidden_s 8.008 us

data.gather_weights forward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.00037739 - 0.00029202) * 8
                  = 0.00068296 s (683.0 us)
  where           network_s 377.4 us, hidden_s 292.0 us

data.gather_weights forward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (1.706e-5 - 1.706e-5) * 1
                  = 0 s (0 s)
  where           network_s 17.06 us, hidden_s 17.06 us

data.scatter_gradients backward
                  data, reduce_scatter over scale_out
                  = (network_s - hidden_s) * repeat
                  = (1.706e-5 - 1.706e-5) * 1
                  = 0 s (0 s)
  where           network_s 17.06 us, hidden_s 17.06 us

data.gather_weights backward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (1.706e-5 - 1.706e-5) * 1
                  = 0 s (0 s)
  where           network_s 17.06 us, hidden_s 17.06 us

data.scatter_gradients backward
                  data, reduce_scatter over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.00037739 - 0.000285025) * 8
                  = 0.00073892 s (738.9 us)
  where           network_s 377.4 us, hidden_s 285.0 us

data.gather_weights backward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.00037739 - 0.000285025) * 8
                  = 0.00073892 s (738.9 us)
  where           network_s 377.4 us, hidden_s 285.0 us

data.scatter_gradients backward
                  data, reduce_scatter over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.000347 - 4.004e-6) * 1
                  = 0.000342996 s (343.0 us)
  where           network_s 347.0 us, hidden_s 4.004 us

data.gather_weights backward
                  data, all_gather over scale_out
                  = (network_s - hidden_s) * repeat
                  = (0.000347 - 4.004e-6) * 1
                  = 0.000342996 s (343.0 us)
  where           network_s 347.0 us, hidden_s 4.004 us

offload.gradients comm
                  offload, reduce_scatter over host
                  = (network_s - hidden_s) * repeat
                  = (0.001338825 - 0.000360395) * 1
                  = 0.00097843 s (978.4 us)
  where           network_s 1.339 ms, hidden_s 360.4 us

offload.weights comm
                  offload, all_gather over host
                  = (network_s - hidden_s) * repeat
                  = (0.001338825 - 0.0001810725) * 1
                  = 0.0011577525 s (1.158 ms)
  where           network_s 1.339 ms, hidden_s 181.1 us

offload.update comm
                  offload, p2p over host
                  = (network_s - hidden_s) * repeat
                  = (0.01874355 - 4.5049375e-5) * 1
                  = 0.018698500625 s (18.70 ms)
  where           network_s 18.74 ms, hidden_s 45.05 us

# The other formats.
$ nncost explain mfu dense round --format json
{
  "schema": "nncost.explain/1",
  "quantity": "mfu",
  "lines": [
    {"of": "step", "name": "mfu", "formula": "model_flops / (step_s * devices * peak_flops_per_s)", "numbers": "732000000000 / (0.010795756 * 1 * 1e14)", "result": 0.678044224045, "unit": null, "meaning": "model FLOPs utilisation: the share of the peak that the mathematics needs", "source": "arXiv:2204.02311 appendix B"}
  ]
}
$ nncost explain memory dense round --format csv
of,name,formula,numbers,result,unit,meaning,source\r
step,total_bytes,weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes + transient_bytes + reserve_bytes,214212000 + 214212000 + 1285272000 + 280408000 + 22000000 + 0,2016104000,B,device memory at the peak,arXiv:1910.02054 section 3\r
step,weight_bytes,stored_params * weight_bytes_per_param,107106000 * 2,214212000,B,"the weights that passes read, by the precision policy","arXiv:1910.02054 section 3.1, arXiv:1710.03740"\r
step,gradient_bytes,stored_params * gradient_bytes_per_param,107106000 * 2,214212000,B,one gradient per weight; it does not grow with the number of micro-batches,arXiv:1910.02054 section 3.1\r
step,optimizer_bytes,stored_params * (master_bytes_per_param + 2 * moment_bytes),107106000 * (4 + 2 * 4),1285272000,B,"the optimizer's moments, and the fp32 master copy if any",arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor: arXiv:1804.04235\r
step,activation_bytes,sum over forward ops of what each keeps,sum over forward ops of what each keeps,280408000,B,tensors of one micro-batch that wait for backward,"each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198 section 4"\r
step,transient_bytes,gradients of activations,gradients of activations,22000000,B,the largest extra at the peak that is not kept,\r
$ nncost explain params dense round --format markdown
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **plan**: batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile, mode predicted

- **params**: parameters, by the part of the network they belong to
  = params.embedding + params.attention + params.mlp + params.norm
  = 11000000 + 32032000 + 64040000 + 34000
  = 107106000
  source: the tensors of the op list, each counted once

- **embed.tokens**: = instances \* matrices \* rows \* columns
  = 1 \* 1 \* 10000 \* 1000
  = 10000000

- **embed.positions**: = instances \* matrices \* rows \* columns
  = 1 \* 1 \* 1000 \* 1000
  = 1000000

- **attn.norm**: = instances \* vector
  = 8 \* 2000
  = 16000

- **attn.qkv**: = instances \* (matrices \* rows \* columns + vector)
  = 8 \* (1 \* 1000 \* 3000 + 3000)
  = 24024000

- **attn.out**: = instances \* (matrices \* rows \* columns + vector)
  = 8 \* (1 \* 1000 \* 1000 + 1000)
  = 8008000

- **mlp.norm**: = instances \* vector
  = 8 \* 2000
  = 16000

- **mlp.up**: = instances \* (matrices \* rows \* columns + vector)
  = 8 \* (1 \* 1000 \* 4000 + 4000)
  = 32032000

- **mlp.down**: = instances \* (matrices \* rows \* columns + vector)
  = 8 \* (1 \* 4000 \* 1000 + 1000)
  = 32008000

- **head.norm**: = instances \* vector
  = 1 \* 2000
  = 2000
