# Tests 'nncost explain', which prints the formula of a metric or an op, its source, and the formula with numbers. The
# tests in tests/unit evaluate every formula; the cases below test the text of the output.

# Explains a matrix product: its 2 x 1000 x 3000 x 1000 FLOPs, its bytes and its time, forward and backward.
$ nncost explain attn.qkv dense round
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

attn.qkv forward, matmul, m=1000 n=3000 k=1000, 8 in one step:

flops             C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term
                  = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 3000 * 1000
                  = 6000000000 FLOP (6.000 GFLOP)

vector_flops      = m * n
                  = 1000 * 3000
                  = 3000000 FLOP (3.000 MFLOP)

read_bytes        each operand is read once; each expert has its own B; b_shared products of the
                  batch share one B
                  = (batch * m * k + batch * experts / b_shared * k * n) * in_bytes + bias *
                  in_bytes
                  = (1 * 1000 * 1000 + 1 * 1 / 1 * 1000 * 3000) * 2 + 3000 * 2
                  = 8006000 B (8.006 MB)

write_bytes       = batch * m * n * out_bytes
                  = 1 * 1000 * 3000 * 2
                  = 6000000 B (6.000 MB)

a_bytes           the ranks divide one copy of A
                  = batch * m * k * in_bytes / ranks
                  = 1 * 1000 * 1000 * 2 / 1
                  = 2000000 B (2.000 MB)

kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
                  = a_bytes + b_bytes
                  = 2000000 + 0
                  = 2000000 B (2.000 MB)
  where           a_bytes 2.000 MB, b_bytes 0 B

transient_bytes   in memory only while its backward runs: gradients of its input and output
                  = batch * m * (n + k) * out_bytes
                  = 1 * 1000 * (3000 + 1000) * 2
                  = 8000000 B (8.000 MB)

params            parameters of one instance on one rank; vector: biases and gains
                  = matrices * rows * columns + vector
                  = 1 * 1000 * 3000 + 3000
                  = 3003000

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (6000000000 + 3000000) / (8006000 + 6000000)
                  = 428.602027702 FLOP/B
  where           flops 6.000 GFLOP, vector_flops 3.000 MFLOP, read_bytes 8.006 MB,
                  write_bytes 6.000 MB

vector_s          = vector_flops / vector_flops_per_s
                  = 3000000 / 1e13
                  = 3e-7 s (300.0 ns)
  where           vector_flops 3.000 MFLOP, vector_flops_per_s 10.00 TFLOP/s

sustained         = min(sustained_fraction * calibration, 1)
                  = min(1 * 1, 1)
                  = 1

matrix_s          = flops / (sustained * matmul_flops_per_s) * alignment
                  = 6000000000 / (1 * 1e14) * 1
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s

compute_s         = max(matrix_s, vector_s)
                  = max(6e-5, 3e-7)
                  = 6e-5 s (60.00 us)
  where           matrix_s 60.00 us, vector_s 300.0 ns

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

attn.qkv grad_input, matmul, m=1000 n=1000 k=3000, 8 in one step:

flops             C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term
                  = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 1000 * 3000
                  = 6000000000 FLOP (6.000 GFLOP)

read_bytes        each operand is read once; each expert has its own B; b_shared products of the
                  batch share one B
                  = (batch * m * k + batch * experts / b_shared * k * n) * in_bytes + bias *
                  in_bytes
                  = (1 * 1000 * 3000 + 1 * 1 / 1 * 3000 * 1000) * 2 + 0 * 2
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

sustained         = min(sustained_fraction * calibration, 1)
                  = min(1 * 1, 1)
                  = 1

matrix_s          = flops / (sustained * matmul_flops_per_s) * alignment
                  = 6000000000 / (1 * 1e14) * 1
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s

compute_s         = max(matrix_s, vector_s)
                  = max(6e-5, 0)
                  = 6e-5 s (60.00 us)
  where           matrix_s 60.00 us, vector_s 0 s

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

attn.qkv grad_weight, matmul, m=1000 n=3000 k=1000, 8 in one step:

flops             C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term
                  = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 3000 * 1000
                  = 6000000000 FLOP (6.000 GFLOP)

vector_flops      the bias gradient sums dy over the rows
                  = k * n
                  = 1000 * 3000
                  = 3000000 FLOP (3.000 MFLOP)

write_bytes       = batch * experts * m * n * grad_bytes
                  = 1 * 1 * 1000 * 3000 * 2
                  = 6000000 B (6.000 MB)

read_bytes        each operand is read once; grad_accumulate: share of the micro-batches that add to
                  an existing gradient
                  = batch * (m * k + k * n) * in_bytes + write_bytes * grad_accumulate
                  = 1 * (1000 * 1000 + 1000 * 3000) * 2 + 6000000 * 0
                  = 8000000 B (8.000 MB)
  where           write_bytes 6.000 MB

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (6000000000 + 3000000) / (8000000 + 6000000)
                  = 428.785714286 FLOP/B
  where           flops 6.000 GFLOP, vector_flops 3.000 MFLOP, read_bytes 8.000 MB,
                  write_bytes 6.000 MB

vector_s          = vector_flops / vector_flops_per_s
                  = 3000000 / 1e13
                  = 3e-7 s (300.0 ns)
  where           vector_flops 3.000 MFLOP, vector_flops_per_s 10.00 TFLOP/s

sustained         = min(sustained_fraction * calibration, 1)
                  = min(1 * 1, 1)
                  = 1

matrix_s          = flops / (sustained * matmul_flops_per_s) * alignment
                  = 6000000000 / (1 * 1e14) * 1
                  = 6e-5 s (60.00 us)
  where           flops 6.000 GFLOP, matmul_flops_per_s 100.0 TFLOP/s

compute_s         = max(matrix_s, vector_s)
                  = max(6e-5, 3e-7)
                  = 6e-5 s (60.00 us)
  where           matrix_s 60.00 us, vector_s 300.0 ns

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

# Explains the time of a product with fitted efficiencies, and in ideal mode.
$ nncost explain mlp.up dense fitted | sed -n '/^compute_s/,/source/p' | sed '/source/q'
compute_s         = max(kernels * aligned_s * clock, vector_s)
                  = max(1 * 4.58309632e-5 * 1.02100883079, 4e-7)
                  = 4.6793818151e-5 s (46.79 us)
  where           aligned_s 45.83 us, vector_s 400.0 ns

memory_s          = kernels * moved_s * clock
                  = 1 * 1.1255e-5 * 1.02100883079
                  = 1.14914543906e-5 s (11.49 us)
  where           moved_s 11.26 us

time_s            = max(all_s * clock, vector_s) + sums_s + kernels * fixed_s
                  = max(4.58725785523e-5 * 1.02100883079, 4e-7) + 0 + 1 * 2e-6
                  = 4.88363077932e-5 s (48.84 us)
  where           all_s 45.87 us, vector_s 400.0 ns, sums_s 0 s, fixed_s 2.000 us
  source          Williams, Waterman, Patterson, CACM 52(4), 2009; docs/formulas.md, gemm-time
$ nncost explain mlp.up dense fitted --mode ideal | sed -n '/^compute_s/,/source/p' | sed '/source/q'
compute_s         = max(matrix_s, vector_s)
                  = max(4e-5, 4e-7)
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us, vector_s 400.0 ns

time_s            time of this op on the busiest engine of the step
                  = matrix_s
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us

share             = time_s * repeat / step_s
                  = 4e-5 * 8 / 0.00346028
                  = 0.0924780653589
  where           time_s 40.00 us, step_s 3.460 ms

mlp.up grad_input, matmul, m=1000 n=1000 k=4000, 8 in one step:

flops             C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term
                  = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 1000 * 4000
                  = 8000000000 FLOP (8.000 GFLOP)

read_bytes        each operand is read once; each expert has its own B; b_shared products of the
                  batch share one B
                  = (batch * m * k + batch * experts / b_shared * k * n) * in_bytes + bias *
                  in_bytes
                  = (1 * 1000 * 4000 + 1 * 1 / 1 * 4000 * 1000) * 2 + 0 * 2
                  = 16000000 B (16.00 MB)

write_bytes       = batch * m * n * out_bytes
                  = 1 * 1000 * 1000 * 2
                  = 2000000 B (2.000 MB)

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (8000000000 + 0) / (16000000 + 2000000)
                  = 444.444444444 FLOP/B
  where           flops 8.000 GFLOP, vector_flops 0 FLOP, read_bytes 16.00 MB, write_bytes 2.000 MB

s_per_matrix_flop = 1 / matmul_flops_per_s
                  = 1 / 2e14
                  = 5e-15
  where           matmul_flops_per_s 200.0 TFLOP/s

s_per_vector_flop = 1 / vector_flops_per_s
                  = 1 / 1e13
                  = 1e-13
  where           vector_flops_per_s 10.00 TFLOP/s

s_per_byte        = 1 / mem_bytes_per_s
                  = 1 / 2e12
                  = 5e-13
  where           mem_bytes_per_s 2.000 TB/s

matrix_s          = flops * s_per_matrix_flop
                  = 8000000000 * 5e-15
                  = 4e-5 s (40.00 us)
  where           flops 8.000 GFLOP

vector_s          = vector_flops * s_per_vector_flop
                  = 0 * 1e-13
                  = 0 s (0 s)
  where           vector_flops 0 FLOP

memory_s          = (read_bytes + write_bytes) * s_per_byte
                  = (16000000 + 2000000) * 5e-13
                  = 9e-6 s (9.000 us)
  where           read_bytes 16.00 MB, write_bytes 2.000 MB

compute_s         = max(matrix_s, vector_s)
                  = max(4e-5, 0)
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us, vector_s 0 s

time_s            time of this op on the busiest engine of the step
                  = matrix_s
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us

share             = time_s * repeat / step_s
                  = 4e-5 * 8 / 0.00346028
                  = 0.0924780653589
  where           time_s 40.00 us, step_s 3.460 ms

mlp.up grad_weight, matmul, m=1000 n=4000 k=1000, 8 in one step:

flops             C[m,n] = A[m,k] B[k,n], 'batch' times: one multiply and one add per term
                  = 2 * batch * m * n * k
                  = 2 * 1 * 1000 * 4000 * 1000
                  = 8000000000 FLOP (8.000 GFLOP)

vector_flops      the bias gradient sums dy over the rows
                  = k * n
                  = 1000 * 4000
                  = 4000000 FLOP (4.000 MFLOP)

write_bytes       = batch * experts * m * n * grad_bytes
                  = 1 * 1 * 1000 * 4000 * 2
                  = 8000000 B (8.000 MB)

read_bytes        each operand is read once; grad_accumulate: share of the micro-batches that add to
                  an existing gradient
                  = batch * (m * k + k * n) * in_bytes + write_bytes * grad_accumulate
                  = 1 * (1000 * 1000 + 1000 * 4000) * 2 + 8000000 * 0
                  = 10000000 B (10.00 MB)
  where           write_bytes 8.000 MB

intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
                  FLOP/B
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (8000000000 + 4000000) / (10000000 + 8000000)
                  = 444.666666667 FLOP/B
  where           flops 8.000 GFLOP, vector_flops 4.000 MFLOP, read_bytes 10.00 MB,
                  write_bytes 8.000 MB

s_per_matrix_flop = 1 / matmul_flops_per_s
                  = 1 / 2e14
                  = 5e-15
  where           matmul_flops_per_s 200.0 TFLOP/s

s_per_vector_flop = 1 / vector_flops_per_s
                  = 1 / 1e13
                  = 1e-13
  where           vector_flops_per_s 10.00 TFLOP/s

s_per_byte        = 1 / mem_bytes_per_s
                  = 1 / 2e12
                  = 5e-13
  where           mem_bytes_per_s 2.000 TB/s

matrix_s          = flops * s_per_matrix_flop
                  = 8000000000 * 5e-15
                  = 4e-5 s (40.00 us)
  where           flops 8.000 GFLOP

vector_s          = vector_flops * s_per_vector_flop
                  = 4000000 * 1e-13
                  = 4e-7 s (400.0 ns)
  where           vector_flops 4.000 MFLOP

memory_s          = (read_bytes + write_bytes) * s_per_byte
                  = (10000000 + 8000000) * 5e-13
                  = 9e-6 s (9.000 us)
  where           read_bytes 10.00 MB, write_bytes 8.000 MB

compute_s         = max(matrix_s, vector_s)
                  = max(4e-5, 4e-7)
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us, vector_s 400.0 ns

time_s            time of this op on the busiest engine of the step
                  = matrix_s
                  = 4e-5 s (40.00 us)
  where           matrix_s 40.00 us

share             = time_s * repeat / step_s
                  = 4e-5 * 8 / 0.00346028
                  = 0.0924780653589
  where           time_s 40.00 us, step_s 3.460 ms

# Explains attention in which several query heads share a key head, an activation, a norm and a convolution.
$ nncost explain attn.core experts fitted | grep '^[a-z]'
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
attn.core forward, flash_attention, b=1 heads=8/4 s=1000x1000 d=100, 4 in one step:
pair_flops        FLOPs of one query-key pair in all heads: Q K^T over head_dim, P V over value_dim
q_bytes           = batch * heads * s_q * head_dim * element_bytes
k_bytes           = batch * kv_heads * s_k * head_dim * element_bytes
v_bytes           = batch * kv_heads * s_k * value_dim * element_bytes
o_bytes           = batch * heads * s_q * value_dim * element_bytes
row_bytes         one fp32 log-sum-exp per query
flops             pairs: unmasked pairs of query and key
vector_flops      = 5 * batch * heads * pairs
read_bytes        = q_bytes + k_bytes + v_bytes
write_bytes       = o_bytes + row_bytes
kept_elements     = s_q * heads * head_dim + kept_s_k * kept_kv_heads * (head_dim + value_dim)
kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
transient_bytes   in memory only while its backward runs: gradients of its input and output
intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
sustained         = min(sustained_fraction * calibration * backward_ratio, 1)
blocks            = batch * heads * s_q / 128
long_s            time without the factors for few blocks, short sequences and narrow heads
query_passes      calls: one kernel per block of keys; each later kernel reads 3/4 of the queries
short_factor      the fixed time of a block of queries counts more if it meets few keys
narrow_factor     narrow heads use only part of a unit; width: head_dim, at most 128
padded_factor     kernels pad head_dim and value_dim to a multiple of head_multiple
block_factor      with few blocks of queries some units are idle
matrix_s          = long_s * short_factor * narrow_factor * padded_factor * block_factor
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
attn.core backward, flash_attention, b=1 heads=8/4 s=1000x1000 d=100, 4 in one step:
pair_flops        FLOPs of one query-key pair in all heads: Q K^T over head_dim, P V over value_dim
q_bytes           = batch * heads * s_q * head_dim * element_bytes
k_bytes           = batch * kv_heads * s_k * head_dim * element_bytes
v_bytes           = batch * kv_heads * s_k * value_dim * element_bytes
o_bytes           = batch * heads * s_q * value_dim * element_bytes
row_bytes         one fp32 log-sum-exp per query
flops             pairs: unmasked pairs of query and key; backward has four products and recomputes
vector_flops      = 6 * batch * heads * pairs
read_bytes        = q_bytes + k_bytes + v_bytes + 2 * o_bytes + 2 * row_bytes
write_bytes       = q_bytes + k_bytes + v_bytes
intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
sustained         = min(sustained_fraction * calibration * backward_ratio, 1)
blocks            = batch * heads * s_q / 128
long_s            time without the factors for few blocks, short sequences and narrow heads
query_passes      calls: one kernel per block of keys; each later kernel reads 3/4 of the queries
short_factor      the fixed time of a block of queries counts more if it meets few keys
narrow_factor     narrow heads use only part of a unit; width: head_dim, at most 128
padded_factor     kernels pad head_dim and value_dim to a multiple of head_multiple
block_factor      with few blocks of queries some units are idle
matrix_s          = long_s * short_factor * narrow_factor * padded_factor * block_factor
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
$ nncost explain moe.activation experts round | grep '^[a-z]'
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
moe.activation forward, swiglu, elements=2000000, 4 in one step:
vector_flops      counts by inspection of the kernel; transcendentals count as one
read_bytes        one fused kernel
write_bytes       = (writes * element_bytes + mask_written) * elements
kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
transient_bytes   in memory only while its backward runs: gradients of its input and output
intensity         FLOPs per byte moved: bound by memory; no matrix product
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
moe.activation backward, swiglu, elements=2000000, 4 in one step:
vector_flops      counts by inspection of the kernel; transcendentals count as one
read_bytes        one fused kernel
write_bytes       = (writes * element_bytes + mask_written) * elements
intensity         FLOPs per byte moved: bound by memory; no matrix product
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
$ nncost explain attn.norm dense round --mode ideal | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
attn.norm forward, layer_norm, rows=1000 width=1000, 8 in one step:
vector_flops      counts by inspection of the kernel; transcendentals count as one
read_bytes        one fused kernel; the input is read twice if a row does not fit on the chip
write_bytes       = writes * elements * element_bytes
kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
transient_bytes   in memory only while its backward runs: gradients of its input and output
params            parameters of one instance on one rank; vector: biases and gains
intensity         FLOPs per byte moved: bound by memory; no matrix product
s_per_vector_flop = 1 / vector_flops_per_s
s_per_byte        = 1 / mem_bytes_per_s
vector_s          = vector_flops * s_per_vector_flop
memory_s          ideal fusion: the neighbouring ops already move its tensors
compute_s         = max(matrix_s, vector_s)
time_s            time of this op on the busiest engine of the step
share             = time_s * repeat / step_s
attn.norm backward, layer_norm, rows=1000 width=1000, 8 in one step:
vector_flops      counts by inspection of the kernel; transcendentals count as one
read_bytes        one fused kernel; the input is read twice if a row does not fit on the chip
write_bytes       = writes * elements * element_bytes
intensity         FLOPs per byte moved: bound by memory; no matrix product
s_per_vector_flop = 1 / vector_flops_per_s
s_per_byte        = 1 / mem_bytes_per_s
vector_s          = vector_flops * s_per_vector_flop
memory_s          ideal fusion: the neighbouring ops already move its tensors
compute_s         = max(matrix_s, vector_s)
time_s            time of this op on the busiest engine of the step
share             = time_s * repeat / step_s
$ nncost explain block.conv1 unet round | grep '^[a-z]'
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
block.conv1 forward, conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step:
inputs            = batch * c_in * h_in * w_in
outputs           = batch * c_out * h_out * w_out
weights           = c_out * (c_in / groups) * kernel * kernel
flops             one multiply and one add per weight and output position (input position if
vector_flops      = outputs
read_bytes        = (inputs + weights + bias) * in_bytes
write_bytes       = outputs * out_bytes
kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
transient_bytes   in memory only while its backward runs: gradients of its input and output
params            parameters of one instance on one rank; vector: biases and gains
intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
sustained         = min(sustained_fraction * calibration, 1)
matrix_s          = flops / (sustained * matmul_flops_per_s)
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
block.conv1 grad_input, conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step:
inputs            = batch * c_in * h_in * w_in
outputs           = batch * c_out * h_out * w_out
weights           = c_out * (c_in / groups) * kernel * kernel
flops             one multiply and one add per weight and output position (input position if
read_bytes        = (outputs + weights) * in_bytes
write_bytes       = inputs * out_bytes
intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
sustained         = min(sustained_fraction * calibration, 1)
matrix_s          = flops / (sustained * matmul_flops_per_s)
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
block.conv1 grad_weight, conv2d, n=1 c=300->100 32x32->32x32 k=3, 1 in one step:
inputs            = batch * c_in * h_in * w_in
outputs           = batch * c_out * h_out * w_out
weights           = c_out * (c_in / groups) * kernel * kernel
flops             one multiply and one add per weight and output position (input position if
vector_flops      = outputs
read_bytes        each operand is read once; grad_accumulate: share of the micro-batches that add to
write_bytes       = weights * grad_bytes
intensity         FLOPs per byte moved: bound by compute; the ridge point of the device is at 100.0
sustained         = min(sustained_fraction * calibration, 1)
matrix_s          = flops / (sustained * matmul_flops_per_s)
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s

# Explains the parts of the time of a step, and all bounds of a step together.
$ nncost explain step_s dense round | sed '1,/^$/d'
step_s            Time of one optimizer step: the sum of its parts.
                  = busy_s + bubble_s
                  = 0.010795756 + 0
                  = 0.010795756 s (10.80 ms)
  where           busy_s 10.80 ms, bubble_s 0 s
  source          each op by the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009

busy_s            = forward_s + backward_s + recompute_s + update_s + exposed_comm_s + host_s
                  = 0.002568168 + 0.005014408 + 0 + 0.00321318 + 0 + 0
                  = 0.010795756 s (10.80 ms)
  where           forward_s 2.568 ms, backward_s 5.014 ms, recompute_s 0 s, update_s 3.213 ms,
                  exposed_comm_s 0 s, host_s 0 s
$ nncost explain bounds dense round | sed '1,/^$/d'
lower_bound_s     Lower bound for any software: time of the busiest engine at its datasheet rate.
                  Work of all less busy engines overlaps with this time, and norms and pointwise ops
                  are fused into other kernels.
                  = max(max(matrix_s, vector_s), max(memory_s, network_s))
                  = max(max(0.00692056, 0.000357526), max(0.004946108, 0))
                  = 0.00692056 s (6.921 ms)
  where           matrix_s 6.921 ms, vector_s 357.5 us, memory_s 4.946 ms, network_s 0 s
  note            time of the busiest engine at its datasheet rate; norms and pointwise ops are
                  fused at no cost; attention is fused unless separate products take less
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

upper_bound_s     Upper bound of the step: the rates of step_s, but without overlap.
                  = compute_total_s + memory_total_s
                  = 0.0072284508 + 0.005538108
                  = 0.0127665588 s (12.77 ms)
  where           compute_total_s 7.228 ms, memory_total_s 5.538 ms
  note            time of all ops of the step, one after the other
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

# Explains parameters, utilisation, and FLOPs by each convention of counting.
$ nncost explain params dense round | sed '1,/^$/d'
params            Parameters of the model.
                  = params_by_group.embedding + params_by_group.attention + params_by_group.mlp +
                  params_by_group.norm
                  = 11000000 + 32032000 + 64040000 + 34000
                  = 107106000
  source          the tensors of the op list, each counted once
$ for q in flops model_flops hardware_flops executed_flops six_nd_flops; do nncost explain $q dense round --recompute full | sed '1,/^$/d'; done
forward_flops     FLOPs of matrix products and convolutions in the forward passes of one step over
                  all devices, by flops_convention.
                  = forward_pass_flops * passes
                  = 244000000000 * 1
                  = 244000000000 FLOP (244.0 GFLOP)
  where           forward_pass_flops 244.0 GFLOP
  note            passes: number of micro-batches of all data-parallel ranks
  source          2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per
                  convolution

forward_pass_flops
                  = forward.attention + forward.mlp + forward.head
                  = 96000000000 + 128000000000 + 20000000000
                  = 244000000000 FLOP (244.0 GFLOP)
  where           forward.attention 96.00 GFLOP, forward.mlp 128.0 GFLOP, forward.head 20.00 GFLOP

backward_flops    FLOPs of matrix products and convolutions in backward: one product for the
                  gradient of the input and one for the gradient of the weight.
                  = backward_pass_flops * passes
                  = 488000000000 * 1
                  = 488000000000 FLOP (488.0 GFLOP)
  where           backward_pass_flops 488.0 GFLOP
  source          twice forward, minus the gradients of inputs that need no gradient

backward_pass_flops
                  = backward.attention + backward.mlp + backward.head
                  = 192000000000 + 256000000000 + 40000000000
                  = 488000000000 FLOP (488.0 GFLOP)
  where           backward.attention 192.0 GFLOP, backward.mlp 256.0 GFLOP,
                  backward.head 40.00 GFLOP
model_flops       Model FLOPs: the FLOPs that the mathematics of one step needs, by
                  flops_convention.
                  = (forward_pass_flops + backward_pass_flops) * passes
                  = (244000000000 + 488000000000) * 1
                  = 732000000000 FLOP (732.0 GFLOP)
  where           forward_pass_flops 244.0 GFLOP, backward_pass_flops 488.0 GFLOP
  note            one pass; attention over all pairs, with a window over its width
  source          palm: arXiv:2204.02311 appendix B, windowed attention over the window; causal:
                  pairs under the mask; 6nd: arXiv:2001.08361

forward_pass_flops
                  = forward.attention + forward.mlp + forward.head
                  = 96000000000 + 128000000000 + 20000000000
                  = 244000000000 FLOP (244.0 GFLOP)
  where           forward.attention 96.00 GFLOP, forward.mlp 128.0 GFLOP, forward.head 20.00 GFLOP

backward_pass_flops
                  = backward.attention + backward.mlp + backward.head
                  = 192000000000 + 256000000000 + 40000000000
                  = 488000000000 FLOP (488.0 GFLOP)
  where           backward.attention 192.0 GFLOP, backward.mlp 256.0 GFLOP,
                  backward.head 40.00 GFLOP
hardware_flops    Model FLOPs plus recomputed FLOPs, in the convention of model_flops.
                  = model_flops + recompute_flops
                  = 732000000000 + 224000000000
                  = 956000000000 FLOP (956.0 GFLOP)
  where           model_flops 732.0 GFLOP, recompute_flops 224.0 GFLOP
  source          arXiv:2205.05198 section 5
executed_flops    FLOPs that kernels run on the matrix units: fused attention skips masked pairs and
                  recomputes its scores in backward.
                  = forward.executed_flops + backward.executed_flops + recompute.executed_flops
                  = 228016000000 + 464040000000 + 208016000000
                  = 900072000000 FLOP (900.1 GFLOP)
  where           forward.executed_flops 228.0 GFLOP, backward.executed_flops 464.0 GFLOP,
                  recompute.executed_flops 208.0 GFLOP
  note            sum over all micro-batches and ranks
  source          arXiv:2307.08691; only executed work takes time
six_nd_flops      FLOPs by the rule of thumb 6 N D: for each token and each parameter of a matrix
                  product, 2 FLOPs in forward and 4 in backward.
                  = 6 * matmul_params * tokens
                  = 6 * 106106000 * 1000
                  = 636636000000 FLOP (636.6 GFLOP)
  source          arXiv:2001.08361
$ for q in mfu hfu ridge intensity throughput; do nncost explain $q dense round | sed '1,/^$/d'; done
mfu               Model FLOPs utilisation: model FLOPs / (peak x devices x step time).
                  = model_flops / (step_s * devices * peak_flops_per_s)
                  = 732000000000 / (0.010795756 * 1 * 1e14)
                  = 0.678044224045
  where           model_flops 732.0 GFLOP, step_s 10.80 ms, peak_flops_per_s 100.0 TFLOP/s
  source          arXiv:2204.02311 appendix B
hfu               Hardware FLOPs utilisation: hardware FLOPs / (peak x devices x step time).
                  = hardware_flops / (step_s * devices * peak_flops_per_s)
                  = 732000000000 / (0.010795756 * 1 * 1e14)
                  = 0.678044224045
  where           hardware_flops 732.0 GFLOP, step_s 10.80 ms, peak_flops_per_s 100.0 TFLOP/s
  source          arXiv:2205.05198 section 5
ridge_flops_per_byte
                  Ridge point: an op with fewer FLOPs per byte is memory-bound, an op with more is
                  compute-bound.
                  = peak_flops_per_s / mem_bytes_per_s
                  = 1e14 / 1e12
                  = 100 FLOP/B
  where           peak_flops_per_s 100.0 TFLOP/s, mem_bytes_per_s 1.000 TB/s
  source          Williams, Waterman, Patterson, CACM 52(4), 2009
intensity         arithmetic intensity of the whole step; single ops differ widely from it
                  = device_flops / (read_bytes + write_bytes)
                  = 695631260000 / (3230368000 + 2307740000)
                  = 125.608106595 FLOP/B
  where           device_flops 695.6 GFLOP, read_bytes 3.230 GB, write_bytes 2.308 GB
  source          Williams, Waterman, Patterson, CACM 52(4), 2009

device_flops      sums over the ops of the busiest stage ('nncost ops' lists them): flops and
                  vector_flops, times repeat
                  = flops.embedding + flops.norm + flops.attention + flops.mlp + flops.head +
                  flops.loss + flops.optimizer
                  = 3000000 + 374000000 + 248488352000 + 384768000000 + 60000000000 + 70000000 +
                  1927908000
                  = 695631260000 FLOP (695.6 GFLOP)
  where           flops.embedding 3.000 MFLOP, flops.norm 374.0 MFLOP, flops.attention 248.5 GFLOP,
                  flops.mlp 384.8 GFLOP, flops.head 60.00 GFLOP, flops.loss 70.00 MFLOP,
                  flops.optimizer 1.928 GFLOP
tokens_per_s      Tokens trained on per second; null for images.
                  = tokens / step_s
                  = 1000 / 0.010795756
                  = 92628.9923559
  where           step_s 10.80 ms

samples_per_s     Sequences or images trained on per second.
                  = global_batch / step_s
                  = 1 / 0.010795756
                  = 92.6289923559
  where           step_s 10.80 ms

# Explains each part of the memory.
$ nncost explain memory dense round | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
total_bytes       Memory of one device in use at the peak of the step.
weight_bytes      Weights that forward and backward read, in the format of the precision policy.
held_params       = stage_params
stage_params      parameters of one rank of the stage, before ZeRO
gradient_bytes    Gradients; these bytes do not grow with the number of micro-batches.
gradient_params   = stage_params
optimizer_bytes   The optimizer's moments, and the fp32 master copy if there is one.
master_params     = stage_params
moments_bytes     = moment_bytes_per_param * moments * params
activation_bytes  Tensors kept for backward, including logits or loss probabilities.
waiting_bytes     = pass_bytes * in_flight
pass_bytes        activations that one micro-batch keeps, summed over the segments
kept.0            activations of one segment (embedding, a run of equal layers, or head): instances
kept.1            activations of one segment (embedding, a run of equal layers, or head): instances
kept.2            activations of one segment (embedding, a run of equal layers, or head): instances
in_flight         = 1
transient_bytes   Transient memory: the largest temporary tensors at the peak.
held_bytes        temporary tensors of the precision policy: a 16-bit copy of weights (ZeRO-3: of
$ nncost explain memory dense round --devices 16 --zero 3 | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 16, ZeRO 3
total_bytes       Memory of one device in use at the peak of the step.
weight_bytes      Weights that forward and backward read, in the format of the precision policy.
held_params       = sharded_params
sharded_params    parameters of one rank after ZeRO; experts have fewer replicas, so fewer shards
gradient_bytes    Gradients; these bytes do not grow with the number of micro-batches.
gradient_params   = sharded_params
optimizer_bytes   The optimizer's moments, and the fp32 master copy if there is one.
master_params     = sharded_params
moments_bytes     = moment_bytes_per_param * moments * params
activation_bytes  Tensors kept for backward, including logits or loss probabilities.
waiting_bytes     = pass_bytes * in_flight
pass_bytes        activations that one micro-batch keeps, summed over the segments
kept.0            activations of one segment (embedding, a run of equal layers, or head): instances
kept.1            activations of one segment (embedding, a run of equal layers, or head): instances
kept.2            activations of one segment (embedding, a run of equal layers, or head): instances
in_flight         = 1
transient_bytes   Transient memory: the largest temporary tensors at the peak.
gathered_bytes    ZeRO-3: gathered weights of the current and the next unit (or of all units, if
held_bytes        temporary tensors of the precision policy: a 16-bit copy of weights (ZeRO-3: of
$ nncost explain activation_bytes dense round --activations korthikanti | sed '1,/^$/d'
activation_bytes  Tensors kept for backward, including logits or loss probabilities.
                  = ceil(waiting_bytes - 0.01)
                  = ceil(637000000 - 0.01)
                  = 637000000 B (637.0 MB)
  where           waiting_bytes 637.0 MB
  note            rounded up to whole bytes; 0.01 B is more than the rounding error of the product
  source          each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198
                  section 4

waiting_bytes     = layer_bytes * layers * in_flight + ends_bytes
                  = 74000000 * 8 * 1 + 45000000
                  = 637000000 B (637.0 MB)
  where           layer_bytes 74.00 MB, ends_bytes 45.00 MB
  source          arXiv:2205.05198 section 4

layer_bytes       the second term is the scores, the softmax and its dropout
                  = linear_bytes + 5 * a * s * s * b / t
                  = 34000000 + 5 * 8 * 1000 * 1000 * 1 / 1
                  = 74000000 B (74.00 MB)
  where           linear_bytes 34.00 MB

linear_bytes      = sbh * (10 + 24 / t)
                  = 1000000 * (10 + 24 / 1)
                  = 34000000 B (34.00 MB)

sbh               s: tokens of a sequence on one rank, b: micro-batch, h: hidden, a: heads, t:
                  tensor ranks
                  = s * b * h
                  = 1000 * 1 * 1000
                  = 1000000

in_flight         = 1
                  = 1

ends_bytes        = masks_bytes + head_bytes
                  = 1000000 + 44000000
                  = 45000000 B (45.00 MB)
  where           masks_bytes 1.000 MB, head_bytes 44.00 MB

masks_bytes       dropout masks of the embedding, one per micro-batch in flight
                  = s * b * h / t * table_in_flight
                  = 1000 * 1 * 1000 / 1 * 1
                  = 1000000 B (1.000 MB)

head_bytes        inputs of the last norm and of the output layer, and the fp32 logits; V:
                  vocabulary
                  = 4 * (s * b) * (h + V) / t
                  = 4 * (1000 * 1) * (1000 + 10000) / 1
                  = 44000000 B (44.00 MB)
$ nncost explain optimizer dense round | sed '1,/^$/d'
optimizer update, optimizer_step, params=107106000, 1 in one step:

moments_bytes     = moment_bytes_per_param * moments * params
                  = 4 * 2 * 107106000
                  = 856848000 B (856.8 MB)

vector_flops      counts by inspection of the kernel; transcendentals count as one
                  = flops_per_param * params
                  = 16 * 107106000
                  = 1713696000 FLOP (1.714 GFLOP)

read_bytes        one fused kernel; source_bytes: of the master weight, if kept, else of the weight
                  = (gradient_bytes_per_param + source_bytes) * params + moments_bytes +
                  more_read_bytes
                  = (2 + 4) * 107106000 + 856848000 + 0
                  = 1499484000 B (1.499 GB)
  where           moments_bytes 856.8 MB, more_read_bytes 0 B

write_bytes       = (master_bytes_per_param + weight_bytes_per_param) * params + moments_bytes +
                  more_written_bytes
                  = (4 + 2) * 107106000 + 856848000 + 0
                  = 1499484000 B (1.499 GB)
  where           moments_bytes 856.8 MB, more_written_bytes 0 B

intensity         FLOPs per byte moved: bound by memory; no matrix product
                  = (flops + vector_flops) / (read_bytes + write_bytes)
                  = (0 + 1713696000) / (1499484000 + 1499484000)
                  = 0.571428571429 FLOP/B
  where           flops 0 FLOP, vector_flops 1.714 GFLOP, read_bytes 1.499 GB, write_bytes 1.499 GB

vector_s          = vector_flops / vector_flops_per_s
                  = 1713696000 / 1e13
                  = 0.0001713696 s (171.4 us)
  where           vector_flops 1.714 GFLOP, vector_flops_per_s 10.00 TFLOP/s

compute_s         = max(matrix_s, vector_s)
                  = max(0, 0.0001713696)
                  = 0.0001713696 s (171.4 us)
  where           matrix_s 0 s, vector_s 171.4 us

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
optimizer_bytes   The optimizer's moments, and the fp32 master copy if there is one.
                  = ceil(master_bytes_per_param * master_params + moments_bytes)
                  = ceil(4 * 107106000 + 472848000)
                  = 901272000 B (901.3 MB)
  where           moments_bytes 472.8 MB
  source          arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor:
                  arXiv:1804.04235

master_params     = stage_params
                  = 107106000

stage_params      parameters of one rank of the stage, before ZeRO
                  = dense_params + expert_params
                  = 107106000 + 0
                  = 107106000

moments_bytes     one momentum for matrices; two Adam moments for tables, gains and biases
                  = moment_bytes_per_param * (2 * params - matrix_params)
                  = 4 * (2 * 107106000 - 96000000)
                  = 472848000 B (472.8 MB)

# Explains the cost of a step and of a run.
$ nncost explain cost dense round --tokens 1e9 | sed '1,/^$/d;/^checkpoint_bytes/,$d'
cost.step         Price of one step over all devices.
                  = step_s / 3600 * devices * price_per_device_hour
                  = 0.010795756 / 3600 * 1 * 1
                  = 2.99882111111e-6
  where           step_s 10.80 ms

cost.run_s        Time of the steps of --tokens or --samples alone; run.run_s adds failures,
                  checkpoints and input.
                  = tokens_to_train / tokens_per_s
                  = 1000000000 / 92628.9923559
                  = 10795.756 s (2.999 h)

cost.device_hours Device-hours of the steps alone; run.device_hours are the device-hours of the
                  whole run.
                  = run_s / 3600 * devices
                  = 10795.756 / 3600 * 1
                  = 2.99882111111 h (2.999 h)
  where           run_s 2.999 h

cost.run          Price of the steps of --tokens or --samples alone; run.cost adds failures,
                  checkpoints and input.
                  = device_hours * price_per_device_hour
                  = 2.99882111111 * 1
                  = 2.99882111111
  where           device_hours 2.999 h


# Explains a pipeline: its plan, its bubble, and the FLOPs of all stages.
$ nncost explain plan dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 2 x tensor 2 x pipeline 4, ZeRO 1, 1f1b
devices           Total number of devices.
data              Number of model replicas that share the batch (data parallelism).
tensor            Number of devices that split each matrix product.
pipeline          Number of pipeline stages, over which the layers are spread.
virtual_stages    Number of groups of layers (virtual stages) per pipeline stage.
context           Number of devices that split each sequence (context parallelism).
expert            Number of devices that share the experts (expert parallelism). N must be a divisor
sequence_parallel Sequence parallelism: tensor ranks also split norms and dropout.
zero              ZeRO: divide optimizer states (1), also gradients (2), weights (3). Stage 1
shard             Number of ranks that hold one copy of the tensors that ZeRO divides. If N is
reshard           With --zero 3, a layer's gathered weights are freed after forward. Backward
devices_per_node  Number of devices in one scale-up domain.
schedule          Pipeline schedule: order of forward and backward passes of a stage.
context_kind      How a context rank gets keys and values from other context ranks. ring: blocks of
rank_order        Order of ranks on the devices. Ranks of the first degree in NAME are neighbours;
overlap           Share of the communication that overlaps with compute, from 0 to 1. X replaces the
capacity_factor   Tokens that one expert can take / mean tokens of all experts. Tokens above the
imbalance         Tokens of the busiest expert rank / mean of all expert ranks.
micro_batch       Number of sequences or images in a micro-batch of one replica.
micro_batches     Number of micro-batches per optimizer step (gradient accumulation).
global_batch      Number of sequences or images per step, of all replicas.
seq_len           Length of a sequence in tokens.
image             Height and width of an image in pixels.
precision         Number format of the matrix products.
policy            Policy: formats of weights, gradients and optimizer states. The policy named
optimizer         Optimizer, which decides the optimizer states and the update's work.
recompute         Activation checkpointing: parts of forward that backward computes again. Forward
recompute_every   Number of layers per recompute block of --recompute full. Only the input of the
recompute_layers  Number of layers per stage that --recompute full recomputes. 0 = all layers.
offload           Tensors that are stored in host memory instead of device memory.
attention         Attention in one fused kernel, or in separate kernels (unfused). flash: fused
activations       Rule by which nncost counts the bytes of kept activations. per-op: sum of the
software          Software profile, which states the fused kernels and the tensors that these
software_chosen   Whether nncost chose the software profile; false: the user chose it.
mode              Predicted step time, or lower bound of the step time (ideal). predicted: with the
overrides         Fields that --set changed.
cluster           Cluster file with the links between devices.
ends_as_layers    Balance stages with the embedding and the head as one layer each.
first_stage_layers
last_stage_layers Number of layers of the last pipeline stage. 0 = layers are divided evenly among
whole_experts     Keep each expert whole instead of splitting it over tensor ranks. With this option
train             Parts whose weights are trained; all other parts are frozen. none: the step is one
train_layers      Number of successive layers whose weights or adapters are trained. 0 = all layers.
train_from        Index, from 0, of the first layer that --train-layers N trains. -1 = the last N
next_tokens       Also train the layers for multi-token prediction. The key next_layers of the model
adapter_rank      LoRA rank: inner width of the adapters of linear layers. 0 = no adapters. If the
adapters          Linear layers that get adapters. 'linear' stands for all linear layers except
dora              DoRA: adapters also train one magnitude per output of their layer. With DoRA, the
oft               OFT: each adapter rotates the inputs of its layer. An adapter rotates each block
frozen            Storage format of frozen weights. For a captured step, give the paths of the
fp8_inputs        Forward keeps inputs of activation functions in 8 bits for backward.
optimizer_rank    Rank of the gradient projections of --optimizer galore and apollo.
optimizer_kernels How the operations of the optimizer update are divided into kernels. fused: one
flops_convention  Rule by which nncost counts model FLOPs. palm: attention between all pairs of
clip_gradients    Clip the gradients before the update by the norm of all gradients.
tokens            Number of tokens to train on in the whole run.
samples           Number of sequences or images to train on in the whole run.
price             Price of one device for one hour. The price is in the currency of the device file
reserve_bytes     Bytes of device memory for driver, collectives and fragmentation. With this
$ nncost explain bubble dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 --schedule zb-h1 | sed '1,/^$/d'
bubble_s          Idle time of the busiest stage, from a replay of the schedule with the times of
                  all stages.
                  = max(0, step_s - busy_s)
                  = max(0, 0.0144576298199 - 0.013034519121)
                  = 0.00142311069889 s (1.423 ms)
  where           step_s 14.46 ms, busy_s 13.03 ms
  source          arXiv:1811.06965, arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437

equal_bubble_s    the closed form, if every stage took as long as the busiest and nothing had to be
                  sent; p: stages, v: virtual stages of each, f, b, w: forward, backward and weight
                  gradients of a micro-batch
                  = (p - 1) * (b + max(0, f - w))
                  = (4 - 1) * (0.00058205 + max(0, 0.00051614 - 0.00034))
                  = 0.00227457 s (2.275 ms)
  where           b 582.1 us, f 516.1 us, w 340.0 us
  source          arXiv:2104.04473, arXiv:2401.10241, arXiv:2412.19437

busy_s            = forward_s + backward_s + recompute_s + update_s + exposed_comm_s + host_s
                  = 0.00337616 + 0.0064964 + 0 + 0.000255315 + 0.00290664412103 + 0
                  = 0.013034519121 s (13.03 ms)
  where           forward_s 3.376 ms, backward_s 6.496 ms, recompute_s 0 s, update_s 255.3 us,
                  exposed_comm_s 2.907 ms, host_s 0 s

bubble_ratio      Idle time of the busiest stage divided by its busy time.
                  = bubble_s / busy_s
                  = 0.00142311069889 / 0.013034519121
                  = 0.109180145863
  where           bubble_s 1.423 ms, busy_s 13.03 ms
  source          arXiv:2104.04473 section 2.2

bubble_share      Idle time of the busiest stage divided by the step time.
                  = bubble_s / step_s
                  = 0.00142311069889 / 0.0144576298199
                  = 0.0984331952479
  where           bubble_s 1.423 ms, step_s 14.46 ms
$ nncost explain flops dense round --devices 16 --tensor 2 --pipeline 4 --global-batch 16 --zero 1 | sed '1,/^$/d'
forward_flops     FLOPs of matrix products and convolutions in the forward passes of one step over
                  all devices, by flops_convention.
                  = forward_pass_flops * passes
                  = 244000000000 * 16
                  = 3.904e12 FLOP (3.904 TFLOP)
  where           forward_pass_flops 244.0 GFLOP
  note            passes: number of micro-batches of all data-parallel ranks
  source          2 FLOPs per multiply-add: 2 m n k per product, 2 n h w c_out c_in k^2 per
                  convolution

forward_pass_flops
                  = forward.attention + forward.mlp + forward.head
                  = 96000000000 + 128000000000 + 20000000000
                  = 244000000000 FLOP (244.0 GFLOP)
  where           forward.attention 96.00 GFLOP, forward.mlp 128.0 GFLOP, forward.head 20.00 GFLOP

backward_flops    FLOPs of matrix products and convolutions in backward: one product for the
                  gradient of the input and one for the gradient of the weight.
                  = backward_pass_flops * passes
                  = 488000000000 * 16
                  = 7.808e12 FLOP (7.808 TFLOP)
  where           backward_pass_flops 488.0 GFLOP
  source          twice forward, minus the gradients of inputs that need no gradient

backward_pass_flops
                  = backward.attention + backward.mlp + backward.head
                  = 192000000000 + 256000000000 + 40000000000
                  = 488000000000 FLOP (488.0 GFLOP)
  where           backward.attention 192.0 GFLOP, backward.mlp 256.0 GFLOP,
                  backward.head 40.00 GFLOP

# Explains collectives inside a domain, between domains, in a torus, once per step and between expert ranks. Further
# lines explain how much communication overlaps with compute.
$ nncost explain attn.tensor_out dense fitted --devices 16 --tensor 4 --sequence-parallel --global-batch 16 | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 200.0 GB/s, network 20.00 GB/s per device
plan      16 devices = data 4 x tensor 4, sequence parallel
attn.tensor_out forward, reduce_scatter of tensor ranks, 4 ranks inside one domain, over scale_up, by ring, 32 in one step:
reached           fraction of the link rate that collectives reach inside a domain; group: ranks of
inner_bytes_per_s = domain_bytes_per_s * reached
ring_s            = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s
collective_s      = ring_s
stretch           factor on the time of small messages; sent_bytes: bytes that one rank sends
fixed_s           = call_s + doubling_s * log2(inner) + leaving_s
predicted_s       = stretch * collective_s + fixed_s
network_s         time before overlap; rates are measured ones, of one direction of one rank;
overlapped_s      time of all collectives of this kind in one pass that compute overlaps; window_s:
exposed_rest      = (exchange_s - overlapped_s) / exchange_s
exposed_share     = (first_s + rest_s * exposed_rest) / all_s
time_s            exposed communication; the overlap is set by --overlap or the software profile
share             = time_s * repeat / step_s
attn.tensor_out backward, all_gather of tensor ranks, 4 ranks inside one domain, over scale_up, by ring, 32 in one step:
reached           fraction of the link rate that collectives reach inside a domain; group: ranks of
inner_bytes_per_s = domain_bytes_per_s * reached
ring_s            = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s
collective_s      = ring_s
stretch           factor on the time of small messages; sent_bytes: bytes that one rank sends
fixed_s           = call_s + doubling_s * log2(inner) + leaving_s
predicted_s       = stretch * collective_s + fixed_s
network_s         time before overlap; rates are measured ones, of one direction of one rank;
overlapped_s      time of all collectives of this kind in one pass that compute overlaps; window_s:
exposed_rest      = (exchange_s - overlapped_s) / exchange_s
exposed_share     = (first_s + rest_s * exposed_rest) / all_s
time_s            exposed communication; the overlap is set by --overlap or the software profile
share             = time_s * repeat / step_s
$ nncost explain attn.tensor_in dense old --data 4 --tensor 4 --format json
{
  "schema": "nncost.explain/1",
  "quantity": "attn.tensor_in",
  "lines": [
    {"of": "attn.tensor_in backward", "name": "hops_s", "kind": "formula", "formula": "hops * inner_latency_s", "numbers": "2 * 1e-6", "result": 2e-6, "unit": "s", "text": null, "meaning": "hops to the farthest rank of the torus, along all axes", "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "inside_s", "kind": "formula", "formula": "max((inner - 1) / inner * moved / inner_bytes_per_s, hops_s)", "numbers": "max((4 - 1) / 4 * 2000000 / 50000000000, 2e-6)", "result": 3e-5, "unit": "s", "text": null, "meaning": null, "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "part", "kind": "formula", "formula": "moved / inner", "numbers": "2000000 / 4", "result": 500000, "unit": "B", "text": null, "meaning": "bytes that one rank sends to other domains: the ranks of a domain divide the tensor", "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "collective_s", "kind": "formula", "formula": "2 * inside_s + 2 * across_s", "numbers": "2 * 3e-5 + 2 * 0", "result": 6e-5, "unit": "s", "text": null, "meaning": "reduce-scatter inside the domains, all-reduce between them, all-gather inside", "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "network_s", "kind": "formula", "formula": "count * collective_s", "numbers": "1 * 6e-5", "result": 6e-5, "unit": "s", "text": null, "meaning": "time before overlap; rates are of one direction of one rank", "note": null, "source": "Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel Computing 35(12), 2009 (tree)"},
    {"of": "attn.tensor_in backward", "name": "overlapped_s", "kind": "formula", "formula": "overlap * min(exchange_s, window_s)", "numbers": "0 * min(0.00096, 0.0024722)", "result": 0, "unit": "s", "text": null, "meaning": "time of all collectives of this kind in one pass that compute overlaps; window_s: compute that no other traffic on this fabric uses (for data and offload also traffic on other fabrics)", "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "exposed_rest", "kind": "formula", "formula": "(exchange_s - overlapped_s) / exchange_s", "numbers": "(0.00096 - 0) / 0.00096", "result": 1, "unit": null, "text": null, "meaning": null, "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "exposed_share", "kind": "formula", "formula": "(first_s + rest_s * exposed_rest) / all_s", "numbers": "(0 + 0.00096 * 1) / 0.00096", "result": 1, "unit": null, "text": null, "meaning": null, "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "time_s", "kind": "formula", "formula": "network_s * exposed_share", "numbers": "6e-5 * 1", "result": 6e-5, "unit": "s", "text": null, "meaning": "exposed communication; the overlap is set by --overlap or the software profile", "note": null, "source": null},
    {"of": "attn.tensor_in backward", "name": "share", "kind": "formula", "formula": "time_s * repeat / step_s", "numbers": "6e-5 * 8 / 0.008706584", "result": 0.0551306918994, "unit": null, "text": null, "meaning": null, "note": null, "source": null}
  ]
}
$ nncost explain data.scatter_gradients dense round --devices 16 --tensor 2 --pipeline 2 --global-batch 16 --zero 1 | sed '1,/^$/d'
data.scatter_gradients comm, reduce_scatter of data ranks, 4 ranks inside one domain, over scale_up, by ring, 1 in one step:

ring_s            = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s
                  = (4 - 1) * 1e-6 + (4 - 1) / 4 * 58080000 / 100000000000
                  = 0.0004386 s (438.6 us)
  where           latency_s 1.000 us, moved 58.08 MB, bytes_per_s 100.0 GB/s

collective_s      = ring_s
                  = 0.0004386 s (438.6 us)
  where           ring_s 438.6 us

network_s         time before overlap; rates are of one direction of one rank
                  = count * collective_s
                  = 1 * 0.0004386
                  = 0.0004386 s (438.6 us)
  where           collective_s 438.6 us
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

bucket_share      share of the window after which the first bucket is sent
                  = max(unit_share, min(1, bucket_bytes / (bytes * shards)))
                  = max(0, min(1, 26214400 / (58080000 * 1)))
                  = 0.451349862259
  where           bucket_bytes 26.21 MB, bytes 58.08 MB

last_share        share of the communication that starts after the last compute (an embedding table
                  is never split)
                  = max(bucket_share, table_share)
                  = max(0.451349862259, 0)
                  = 0.451349862259

left_s            exposed part of the communication that may overlap; window_s: time of one pass
                  without traffic on the same links
                  = max(window_s + network_s * last_share, network_s + window_s * bucket_share) -
                  window_s
                  = max(0.0024081 + 0.0004386 * 0.451349862259, 0.0004386 + 0.0024081 *
                  0.451349862259) - 0.0024081
                  = 0.000197962049587 s (198.0 us)
  where           window_s 2.408 ms, network_s 438.6 us

time_s            = overlap * min(left_s, network_s) + (1 - overlap) * network_s
                  = 1 * min(0.000197962049587, 0.0004386) + (1 - 1) * 0.0004386
                  = 0.000197962049587 s (198.0 us)
  where           left_s 198.0 us, network_s 438.6 us
  source          PyTorch DDP arXiv:2006.15704

share             = time_s * repeat / step_s
                  = 0.000197962049587 * 1 / 0.0138423151237
                  = 0.0143012240234
  where           time_s 198.0 us, step_s 13.84 ms
$ nncost explain moe.dispatch experts fitted --devices 16 --expert 8 --tensor 2 --zero 1 --global-batch 16 | grep '^[a-z]'
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 200.0 GB/s, network 20.00 GB/s per device
plan      16 devices = data 8 x tensor 2, expert 8, ZeRO 1
moe.dispatch forward, dispatch, elements=2000000, 8 in one step:
vector_flops      = flops_per_element * elements + flops_per_input * input_elements
read_bytes        = (reads * elements + inputs_read * input_elements) * element_bytes
write_bytes       = (writes * elements + inputs_written * input_elements) * element_bytes
kept_bytes        kept for backward; a tensor that another op keeps is counted in the other op
transient_bytes   in memory only while its backward runs: gradients of its input and output
intensity         FLOPs per byte moved: bound by host; no matrix product
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
moe.dispatch backward, dispatch, elements=2000000, 8 in one step:
vector_flops      = flops_per_element * elements + flops_per_input * input_elements
read_bytes        = (reads * elements + inputs_read * input_elements) * element_bytes
write_bytes       = (writes * elements + inputs_written * input_elements) * element_bytes
intensity         FLOPs per byte moved: bound by host; no matrix product
vector_s          = vector_flops / vector_flops_per_s
compute_s         = max(matrix_s, vector_s)
memory_s          = (read_bytes + write_bytes) / (memory_fraction * mem_bytes_per_s)
time_s            = max(compute_s, memory_s) + fixed_s
share             = time_s * repeat / step_s
$ nncost explain data.reduce_gradients dense fitted --devices 16 | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 200.0 GB/s, network 20.00 GB/s per device
plan      16 devices = data 16
data.reduce_gradients comm, all_reduce of data ranks, 16 ranks, 8 in each of 2 domains, limited by scale_out, by ring, 1 in one step:
reached           fraction of the link rate that collectives reach inside a domain; group: ranks of
inner_bytes_per_s = domain_bytes_per_s * reached
outer_bytes_per_s = network_bytes_per_s * scale_out_fraction
bytes_per_s       one ring per NIC of a domain: the slower of the links inside and all NICs together
ring_s            = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s
collective_s      an all-reduce is a reduce-scatter, then an all-gather
stretch           factor on the time of small messages; sent_bytes: bytes that one rank sends
fixed_s           = call_s + doubling_s * log2(inner) + leaving_s
predicted_s       = stretch * collective_s + fixed_s
network_s         time before overlap; rates are measured ones, of one direction of one rank;
bucket_share      share of the window after which the first bucket is sent
last_share        share of the communication that starts after the last compute (an embedding table
left_s            exposed part of the communication that may overlap; window_s: time of one pass
time_s            = overlap * min(left_s, network_s) + (1 - overlap) * network_s
share             = time_s * repeat / step_s
$ nncost explain communication dense round --data 16 --zero 3 --offload optimizer | grep '^[a-z]'
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device, host 10.00 GB/s
plan      16 devices = data 16, ZeRO 3, offload optimizer
exposed_comm_s    Time of communication between ranks and with the host that does not overlap with
exposed_comm.tensor
exposed_comm.context
exposed_comm.expert
exposed_comm.data Part of exposed_comm_s that this kind of parallelism (tensor, data ...) causes.
exposed_comm.pipeline
exposed_comm.offload

# Prints explanations in every format except the default one.
$ nncost explain mfu dense round --format json
{
  "schema": "nncost.explain/1",
  "quantity": "mfu",
  "lines": [
    {"of": "step", "name": "mfu", "kind": "formula", "formula": "model_flops / (step_s * devices * peak_flops_per_s)", "numbers": "732000000000 / (0.010795756 * 1 * 1e14)", "result": 0.678044224045, "unit": null, "text": null, "meaning": "Model FLOPs utilisation: model FLOPs / (peak x devices x step time).", "note": null, "source": "arXiv:2204.02311 appendix B"}
  ]
}
$ nncost explain memory dense round --format csv
of,name,kind,formula,numbers,result,unit,text,meaning,note,source\r
step,total_bytes,formula,weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes + transient_bytes + apart_bytes + reserve_bytes,214212000 + 214212000 + 1285272000 + 280408000 + 22000000 + (-234212000) + 0,1781892000,B,,Memory of one device in use at the peak of the step.,,arXiv:1910.02054 section 3\r
step,weight_bytes,formula,ceil(weight_bytes_per_param * held_params),ceil(2 * 107106000),214212000,B,,"Weights that forward and backward read, in the format of the precision policy.",,"arXiv:1910.02054 section 3.1, arXiv:1710.03740"\r
step,held_params,formula,stage_params,107106000,107106000,,,,,\r
step,stage_params,formula,dense_params + expert_params,107106000 + 0,107106000,,,"parameters of one rank of the stage, before ZeRO",,\r
step,gradient_bytes,formula,ceil(gradient_bytes_per_param * gradient_params),ceil(2 * 107106000),214212000,B,,Gradients; these bytes do not grow with the number of micro-batches.,,arXiv:1910.02054 section 3.1\r
step,gradient_params,formula,stage_params,107106000,107106000,,,,,\r
step,optimizer_bytes,formula,ceil(master_bytes_per_param * master_params + moments_bytes),ceil(4 * 107106000 + 856848000),1285272000,B,,"The optimizer's moments, and the fp32 master copy if there is one.",,arXiv:1910.02054 section 3.1; adam8bit: arXiv:2110.02861; adafactor: arXiv:1804.04235\r
step,master_params,formula,stage_params,107106000,107106000,,,,,\r
step,moments_bytes,formula,moment_bytes_per_param * moments * params,4 * 2 * 107106000,856848000,B,,,,\r
step,activation_bytes,formula,ceil(waiting_bytes - 0.01),ceil(280408000 - 0.01),280408000,B,,"Tensors kept for backward, including logits or loss probabilities.",rounded up to whole bytes; 0.01 B is more than the rounding error of the product,"each op's own inputs, outputs and masks; preset korthikanti: arXiv:2205.05198 section 4"\r
step,waiting_bytes,formula,pass_bytes * in_flight,280408000 * 1,280408000,B,,,,\r
step,pass_bytes,formula,kept.0 + kept.1 + kept.2,16000 + 256384000 + 24008000,280408000,B,,"activations that one micro-batch keeps, summed over the segments",,\r
step,kept.0,formula,whole * kept_bytes + ceil(again / every) * input_bytes,1 * 16000 + ceil(0 / 1) * 16000,16000,B,,"activations of one segment (embedding, a run of equal layers, or head): instances that are not recomputed keep all saved tensors, recomputed ones only the input of each block",,\r
step,kept.1,formula,whole * kept_bytes + ceil(again / every) * input_bytes,8 * 32048000 + ceil(0 / 1) * 2000000,256384000,B,,"activations of one segment (embedding, a run of equal layers, or head): instances that are not recomputed keep all saved tensors, recomputed ones only the input of each block",,\r
step,kept.2,formula,whole * kept_bytes + ceil(again / every) * input_bytes,1 * 24008000 + ceil(0 / 1) * 24008000,24008000,B,,"activations of one segment (embedding, a run of equal layers, or head): instances that are not recomputed keep all saved tensors, recomputed ones only the input of each block",,\r
step,in_flight,formula,1,1,1,,,,,\r
step,transient_bytes,formula,ceil(op_bytes + block_bytes + gathered_bytes + held_bytes),ceil(22000000 + 0 + 0 + 0),22000000,B,,Transient memory: the largest temporary tensors at the peak.,op_bytes: largest working set of one op in backward; block_bytes: activations of the block that is recomputed; both of the segment in which their sum is largest,\r
step,held_bytes,formula,held_per_param * stage_params,0 * 107106000,0,B,,"temporary tensors of the precision policy: a 16-bit copy of weights (ZeRO-3: of gradients), or gradients that are not stored",,\r
$ nncost explain params dense round --format markdown
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **plan**: batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

- **params**: Parameters of the model.
  = params_by_group.embedding + params_by_group.attention + params_by_group.mlp + params_by_group.norm
  = 11000000 + 32032000 + 64040000 + 34000
  = 107106000
  source: the tensors of the op list, each counted once

# Without a model and a device, prints the formula and its source, without numbers.
$ nncost explain step_s,mfu,data.gather_weights
formulas  from the example of a mixture of experts split in every way over 16 devices; other plans
          may have other terms. Add MODEL DEVICE to see the numbers.

step_s:

step_s            Time of one optimizer step: the sum of its parts.
                  = passes_s + once_per_step_s
  note            time of the slowest stage: passes_s, by replaying the schedule with the times of
                  all stages; once_per_step_s, its collectives and update at the end
  source          each op by the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009

run.step_s        Time of one step, including the wait for input.

mfu:

mfu               Model FLOPs utilisation: model FLOPs / (peak x devices x step time).
                  = model_flops / (step_s * devices * peak_flops_per_s)
  source          arXiv:2204.02311 appendix B

data.gather_weights comm, all_gather:

ring_s            = (ranks - 1) * latency_s + (ranks - 1) / ranks * moved / bytes_per_s

collective_s      = ring_s

network_s         time before overlap; rates are of one direction of one rank
                  = count * collective_s
  source          Patarasuk, Yuan, JPDC 69(2), 2009 (ring); Sanders, Speck, Traeff, Parallel
                  Computing 35(12), 2009 (tree)

bucket_share      share of the window after which the first bucket is sent
                  = max(unit_share, min(1, bucket_bytes / (bytes * shards)))

last_share        share of the communication that starts after the last compute (an embedding table
                  is never split)
                  = max(bucket_share, table_share)

left_s            exposed part of the communication that may overlap; window_s: time of one pass
                  without traffic on the same links
                  = max(window_s + network_s * last_share, network_s + window_s * bucket_share) -
                  window_s

time_s            = overlap * min(left_s, network_s) + (1 - overlap) * network_s
  source          PyTorch DDP arXiv:2006.15704

share             = time_s * repeat / step_s
$ nncost explain memory.weight_bytes,attn.qkv | sed -n '1,12p'
formulas  from the example of a mixture of experts split in every way over 16 devices; other plans
          may have other terms. Add MODEL DEVICE to see the numbers.

memory.weight_bytes:

weight_bytes      Weights that forward and backward read, in the format of the precision policy.
                  = ceil(weight_bytes_per_param * held_params)
  source          arXiv:1910.02054 section 3.1, arXiv:1710.03740

held_params       = stage_params

stage_params      parameters of one rank of the stage, before ZeRO
$ nncost explain groups.mape,best.memory_bytes,sensitivity.elasticity
formulas  from the example of a mixture of experts split in every way over 16 devices; other plans
          may have other terms. Add MODEL DEVICE to see the numbers.

groups.mape:

mape              Mean of the absolute errors, predicted / measured - 1.
  note            'nncost accuracy' prints its value

best.memory_bytes:

total_bytes       Memory of one device in use at the peak of the step.
                  = weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes +
                  transient_bytes + apart_bytes + reserve_bytes
  source          arXiv:1910.02054 section 3

sensitivity.elasticity:

elasticity        Change of the step in percent when the parameter grows by one percent.
  note            'nncost estimate' prints its value
$ nncost explain mfu --format json
{
  "schema": "nncost.explain/1",
  "quantity": "mfu",
  "lines": [
    {"of": "step", "name": "mfu", "kind": "formula", "formula": "model_flops / (step_s * devices * peak_flops_per_s)", "numbers": null, "result": null, "unit": null, "text": null, "meaning": "Model FLOPs utilisation: model FLOPs / (peak x devices x step time).", "note": null, "source": "arXiv:2204.02311 appendix B"}
  ],
  "example": "a mixture of experts split in every way over 16 devices"
}

# Explains several names in one call. An unknown name in a list of names is an error.
$ nncost explain step_s,mfu,memory.total_bytes dense round
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

step_s:

step_s            Time of one optimizer step: the sum of its parts.
                  = busy_s + bubble_s
                  = 0.010795756 + 0
                  = 0.010795756 s (10.80 ms)
  where           busy_s 10.80 ms, bubble_s 0 s
  source          each op by the roofline model: Williams, Waterman, Patterson, CACM 52(4), 2009

busy_s            = forward_s + backward_s + recompute_s + update_s + exposed_comm_s + host_s
                  = 0.002568168 + 0.005014408 + 0 + 0.00321318 + 0 + 0
                  = 0.010795756 s (10.80 ms)
  where           forward_s 2.568 ms, backward_s 5.014 ms, recompute_s 0 s, update_s 3.213 ms,
                  exposed_comm_s 0 s, host_s 0 s

mfu:

mfu               Model FLOPs utilisation: model FLOPs / (peak x devices x step time).
                  = model_flops / (step_s * devices * peak_flops_per_s)
                  = 732000000000 / (0.010795756 * 1 * 1e14)
                  = 0.678044224045
  where           model_flops 732.0 GFLOP, step_s 10.80 ms, peak_flops_per_s 100.0 TFLOP/s
  source          arXiv:2204.02311 appendix B

memory.total_bytes:

total_bytes       Memory of one device in use at the peak of the step.
                  = weight_bytes + gradient_bytes + optimizer_bytes + activation_bytes +
                  transient_bytes + apart_bytes + reserve_bytes
                  = 214212000 + 214212000 + 1285272000 + 280408000 + 22000000 + (-234212000) + 0
                  = 1781892000 B (1.782 GB)
  where           weight_bytes 214.2 MB, gradient_bytes 214.2 MB, optimizer_bytes 1.285 GB,
                  activation_bytes 280.4 MB, transient_bytes 22.00 MB, apart_bytes -234.2 MB,
                  reserve_bytes 0 B
  source          arXiv:1910.02054 section 3
$ nncost explain mfu,groups.mape dense round --format json
[
{
  "schema": "nncost.explain/1",
  "quantity": "mfu",
  "lines": [
    {"of": "step", "name": "mfu", "kind": "formula", "formula": "model_flops / (step_s * devices * peak_flops_per_s)", "numbers": "732000000000 / (0.010795756 * 1 * 1e14)", "result": 0.678044224045, "unit": null, "text": null, "meaning": "Model FLOPs utilisation: model FLOPs / (peak x devices x step time).", "note": null, "source": "arXiv:2204.02311 appendix B"}
  ]
},
{
  "schema": "nncost.explain/1",
  "quantity": "groups.mape",
  "lines": [
    {"of": "errors of a group of rows", "name": "mape", "kind": "text", "formula": null, "numbers": null, "result": null, "unit": null, "text": null, "meaning": "Mean of the absolute errors, predicted / measured - 1.", "note": "'nncost accuracy' prints its value", "source": null}
  ]
}
]
$ nncost explain mfu,bound_s dense round --format csv
of,name,kind,formula,numbers,result,unit,text,meaning,note,source\r
step,mfu,formula,model_flops / (step_s * devices * peak_flops_per_s),732000000000 / (0.010795756 * 1 * 1e14),0.678044224045,,,Model FLOPs utilisation: model FLOPs / (peak x devices x step time).,,arXiv:2204.02311 appendix B\r
step,bound_s.compute,formula,compute.attention + compute.mlp + compute.head,0.00248056 + 0.00384 + 0.0006,0.00692056,s,,"Step time by cause: time of ops by the resource that bounds them, time in which the host issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up to step_s, except in ideal mode, where they overlap.",time of the ops that the resource bounds,\r
step,bound_s.memory,formula,memory.embedding + memory.norm + memory.attention + memory.mlp + memory.loss + memory.optimizer,1.6016e-5 + 0.00017 + 4.8e-5 + 0.000368 + 6e-5 + 0.00321318,0.003875196,s,,"Step time by cause: time of ops by the resource that bounds them, time in which the host issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up to step_s, except in ideal mode, where they overlap.",time of the ops that the resource bounds,\r
step,bound_s.network,formula,0,0,0,s,,"Step time by cause: time of ops by the resource that bounds them, time in which the host issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up to step_s, except in ideal mode, where they overlap.",time of the ops that the resource bounds,\r
step,bound_s.host,formula,0,0,0,s,,"Step time by cause: time of ops by the resource that bounds them, time in which the host issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up to step_s, except in ideal mode, where they overlap.","time of the ops that the host bounds, and time that issuing all ops adds",\r
step,bound_s.bubble,formula,0,0,0,s,,"Step time by cause: time of ops by the resource that bounds them, time in which the host issues ops (host), and idle time in the pipeline (bubble). The times of all causes add up to step_s, except in ideal mode, where they overlap.",waiting for other stages,\r
$ nncost explain mfu,xyzzy dense round
! nncost: xyzzy: unknown metric or op, expected a name such as params, flops, mfu, memory, step_s, cost or attn.qkv; 'nncost explain' lists them
[2]

# Without arguments, prints the names that 'nncost explain' knows.
$ nncost explain | sed -n '1,19p'
'nncost explain NAMES' prints the meaning, formula and source of these names; 'nncost explain NAMES
MODEL DEVICE' adds the numbers. Separate NAMES by commas; the last parts of a name suffice. Ops have
the names of 'nncost ops', such as attn.qkv.

groups of metrics:

flops                           Model FLOPs of a step.
step                            The step and its parts.
bounds                          Lower bound of any implementation, and the step without overlap.
ridge                           The ridge point of the device.
critical-batch                  Tokens from which a product is not bound by reading its weights.
two-devices                     Width from which two devices can split a product without waiting for
                                their link.
communication                   Exposed communication, and each of its kinds.
bubble                          Idle time of the busiest pipeline stage.
throughput                      Tokens and samples per second.
memory                          Memory of the fullest device, by class.
cost                            Price of a step and of the run.
energy                          Energy of the run, or of the step.
$ nncost explain | grep -A3 '^accuracy: errors'
accuracy: errors of a group of rows:

groups.section                  The compared quantity: steps, memory, matrix products ...
groups.by                       Property that all rows of the group share, such as the device.
$ nncost explain --format json | head -4
{
  "schema": "nncost.explain-list/1",
  "names": [
    {"name": "sentence", "output": "estimate", "unit": null, "meaning": "The verdict on the plan, in one sentence.", "source": null},
$ nncost explain --format csv | head -2
name,output,unit,meaning,source\r
sentence,estimate,,"The verdict on the plan, in one sentence.",\r
