# 'nncost ops' lists every op of the step.

# The ops of a decoder have shapes, FLOPs, bytes and times. A product of 1000 x 3000 x 1000 x 2 = 6 GFLOP takes 60 us at
# 100 TFLOP/s.
$ nncost ops dense round
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op              phase       rep shape             kept   FLOPs   bytes FLOP/B     time share bound
embed.tokens    forward       1 tokens=1000 .. 8.000 k       0 4.008 M      0 4.008 us  0.0% memory
embed.positions forward       1 elements=100.. 8.000 k 1.000 M 4.000 M   0.25 4.000 us  0.0% memory
attn.norm       forward       8 rows=1000 wi.. 2.008 M 8.000 M 4.000 M      2 4.000 us  0.3% memory
attn.qkv        forward       8 m=1000 n=300.. 2.000 M 6.003 G 14.01 M  428.6 60.00 us  4.4% compute
attn.core       forward       8 b=1 heads=8/.. 6.032 M 2.022 G 8.032 M  251.7 20.02 us  1.5% compute
attn.out        forward       8 m=1000 n=100.. 2.000 M 2.001 G 6.002 M  333.4 20.00 us  1.5% compute
attn.residual   forward       8 elements=100..       - 1.000 M 4.000 M   0.25 4.000 us  0.3% memory
mlp.norm        forward       8 rows=1000 wi.. 2.008 M 8.000 M 4.000 M      2 4.000 us  0.3% memory
mlp.up          forward       8 m=1000 n=400.. 2.000 M 8.004 G 18.01 M  444.5 80.00 us  5.9% compute
mlp.activation  forward       8 elements=400.. 8.000 M 32.00 M 16.00 M      2 16.00 us  1.2% memory
mlp.down        forward       8 m=1000 n=100.. 8.000 M 8.001 G 18.00 M  444.5 80.00 us  5.9% compute
mlp.residual    forward       8 elements=100..       - 1.000 M 4.000 M   0.25 4.000 us  0.3% memory
head.norm       forward       1 rows=1000 wi.. 2.008 M 8.000 M 4.000 M      2 4.000 us  0.0% memory
head.logits     forward       1 m=1000 n=100.. 2.000 M 20.00 G 42.00 M  476.2 200.0 us  1.9% compute
loss            forward       1 rows=1000 cl.. 20.00 M 50.00 M 20.00 M    2.5 20.00 us  0.2% memory
loss            backward      1 rows=1000 cl..       - 20.00 M 40.00 M    0.5 40.00 us  0.4% memory
head.logits     grad_input    1 m=1000 n=100..       - 20.00 G 42.00 M  476.2 200.0 us  1.9% compute
head.logits     grad_weight   1 m=1000 n=100..       - 20.00 G 42.00 M  476.2 200.0 us  1.9% compute
head.norm       backward      1 rows=1000 wi..       - 14.00 M 6.000 M  2.333 6.000 us  0.1% memory
mlp.residual    backward      8 elements=100..       - 1.000 M 2.000 M    0.5 2.000 us  0.1% memory
mlp.down        grad_input    8 m=1000 n=400..       - 8.000 G 18.00 M  444.4 80.00 us  5.9% compute
mlp.down        grad_weight   8 m=4000 n=100..       - 8.001 G 18.00 M  444.5 80.00 us  5.9% compute
mlp.activation  backward      8 elements=400..       - 52.00 M 24.00 M  2.167 24.00 us  1.8% memory
mlp.up          grad_input    8 m=1000 n=100..       - 8.000 G 18.00 M  444.4 80.00 us  5.9% compute
mlp.up          grad_weight   8 m=1000 n=400..       - 8.004 G 18.00 M  444.7 80.00 us  5.9% compute
mlp.norm        backward      8 rows=1000 wi..       - 14.00 M 6.000 M  2.333 6.000 us  0.4% memory
attn.residual   backward      8 elements=100..       - 1.000 M 2.000 M    0.5 2.000 us  0.1% memory
attn.out        grad_input    8 m=1000 n=100..       - 2.000 G 6.000 M  333.3 20.00 us  1.5% compute
attn.out        grad_weight   8 m=1000 n=100..       - 2.001 G 6.000 M  333.5 20.00 us  1.5% compute
attn.core       backward      8 b=1 heads=8/..       - 5.029 G 16.06 M  313.1 50.05 us  3.7% compute
attn.qkv        grad_input    8 m=1000 n=100..       - 6.000 G 14.00 M  428.6 60.00 us  4.4% compute
attn.qkv        grad_weight   8 m=1000 n=300..       - 6.003 G 14.00 M  428.8 60.00 us  4.4% compute
attn.norm       backward      8 rows=1000 wi..       - 14.00 M 6.000 M  2.333 6.000 us  0.4% memory
embed.positions backward      1 elements=100..       - 1.000 M 2.000 M    0.5 2.000 us  0.0% memory
embed.tokens    backward      1 tokens=1000 ..       - 1.000 M 6.008 M 0.1664 6.008 us  0.1% memory
grad.clip       update        1 params=10710..       - 214.2 M 214.2 M      1 214.2 us  2.0% memory
optimizer       update        1 params=10710..       - 1.714 G 2.999 G 0.5714 2.999 ms 27.8% memory
cut: shape (a width of 100, see COLUMNS)

step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute
$ nncost ops dense round --format markdown
- **model**: dense, A small decoder, decoder, 107,106,000 parameters
- **device**: round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
- **plan**: batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan), mode predicted

| op | phase | rep | shape | kept | FLOPs | bytes | FLOP/B | time | share | bound |
|:---|:---|---:|:---|---:|---:|---:|---:|---:|---:|:---|
| embed.tokens | forward | 1 | tokens=1000 width=1000 | 8.000 k | 0 | 4.008 M | 0 | 4.008 us | 0.0% | memory |
| embed.positions | forward | 1 | elements=1000000 | 8.000 k | 1.000 M | 4.000 M | 0.25 | 4.000 us | 0.0% | memory |
| attn.norm | forward | 8 | rows=1000 width=1000 | 2.008 M | 8.000 M | 4.000 M | 2 | 4.000 us | 0.3% | memory |
| attn.qkv | forward | 8 | m=1000 n=3000 k=1000 | 2.000 M | 6.003 G | 14.01 M | 428.6 | 60.00 us | 4.4% | compute |
| attn.core | forward | 8 | b=1 heads=8/8 s=1000x1000 d=125 | 6.032 M | 2.022 G | 8.032 M | 251.7 | 20.02 us | 1.5% | compute |
| attn.out | forward | 8 | m=1000 n=1000 k=1000 | 2.000 M | 2.001 G | 6.002 M | 333.4 | 20.00 us | 1.5% | compute |
| attn.residual | forward | 8 | elements=1000000 | - | 1.000 M | 4.000 M | 0.25 | 4.000 us | 0.3% | memory |
| mlp.norm | forward | 8 | rows=1000 width=1000 | 2.008 M | 8.000 M | 4.000 M | 2 | 4.000 us | 0.3% | memory |
| mlp.up | forward | 8 | m=1000 n=4000 k=1000 | 2.000 M | 8.004 G | 18.01 M | 444.5 | 80.00 us | 5.9% | compute |
| mlp.activation | forward | 8 | elements=4000000 | 8.000 M | 32.00 M | 16.00 M | 2 | 16.00 us | 1.2% | memory |
| mlp.down | forward | 8 | m=1000 n=1000 k=4000 | 8.000 M | 8.001 G | 18.00 M | 444.5 | 80.00 us | 5.9% | compute |
| mlp.residual | forward | 8 | elements=1000000 | - | 1.000 M | 4.000 M | 0.25 | 4.000 us | 0.3% | memory |
| head.norm | forward | 1 | rows=1000 width=1000 | 2.008 M | 8.000 M | 4.000 M | 2 | 4.000 us | 0.0% | memory |
| head.logits | forward | 1 | m=1000 n=10000 k=1000 | 2.000 M | 20.00 G | 42.00 M | 476.2 | 200.0 us | 1.9% | compute |
| loss | forward | 1 | rows=1000 classes=10000 | 20.00 M | 50.00 M | 20.00 M | 2.5 | 20.00 us | 0.2% | memory |
| loss | backward | 1 | rows=1000 classes=10000 | - | 20.00 M | 40.00 M | 0.5 | 40.00 us | 0.4% | memory |
| head.logits | grad_input | 1 | m=1000 n=1000 k=10000 | - | 20.00 G | 42.00 M | 476.2 | 200.0 us | 1.9% | compute |
| head.logits | grad_weight | 1 | m=1000 n=10000 k=1000 | - | 20.00 G | 42.00 M | 476.2 | 200.0 us | 1.9% | compute |
| head.norm | backward | 1 | rows=1000 width=1000 | - | 14.00 M | 6.000 M | 2.333 | 6.000 us | 0.1% | memory |
| mlp.residual | backward | 8 | elements=1000000 | - | 1.000 M | 2.000 M | 0.5 | 2.000 us | 0.1% | memory |
| mlp.down | grad_input | 8 | m=1000 n=4000 k=1000 | - | 8.000 G | 18.00 M | 444.4 | 80.00 us | 5.9% | compute |
| mlp.down | grad_weight | 8 | m=4000 n=1000 k=1000 | - | 8.001 G | 18.00 M | 444.5 | 80.00 us | 5.9% | compute |
| mlp.activation | backward | 8 | elements=4000000 | - | 52.00 M | 24.00 M | 2.167 | 24.00 us | 1.8% | memory |
| mlp.up | grad_input | 8 | m=1000 n=1000 k=4000 | - | 8.000 G | 18.00 M | 444.4 | 80.00 us | 5.9% | compute |
| mlp.up | grad_weight | 8 | m=1000 n=4000 k=1000 | - | 8.004 G | 18.00 M | 444.7 | 80.00 us | 5.9% | compute |
| mlp.norm | backward | 8 | rows=1000 width=1000 | - | 14.00 M | 6.000 M | 2.333 | 6.000 us | 0.4% | memory |
| attn.residual | backward | 8 | elements=1000000 | - | 1.000 M | 2.000 M | 0.5 | 2.000 us | 0.1% | memory |
| attn.out | grad_input | 8 | m=1000 n=1000 k=1000 | - | 2.000 G | 6.000 M | 333.3 | 20.00 us | 1.5% | compute |
| attn.out | grad_weight | 8 | m=1000 n=1000 k=1000 | - | 2.001 G | 6.000 M | 333.5 | 20.00 us | 1.5% | compute |
| attn.core | backward | 8 | b=1 heads=8/8 s=1000x1000 d=125 | - | 5.029 G | 16.06 M | 313.1 | 50.05 us | 3.7% | compute |
| attn.qkv | grad_input | 8 | m=1000 n=1000 k=3000 | - | 6.000 G | 14.00 M | 428.6 | 60.00 us | 4.4% | compute |
| attn.qkv | grad_weight | 8 | m=1000 n=3000 k=1000 | - | 6.003 G | 14.00 M | 428.8 | 60.00 us | 4.4% | compute |
| attn.norm | backward | 8 | rows=1000 width=1000 | - | 14.00 M | 6.000 M | 2.333 | 6.000 us | 0.4% | memory |
| embed.positions | backward | 1 | elements=1000000 | - | 1.000 M | 2.000 M | 0.5 | 2.000 us | 0.0% | memory |
| embed.tokens | backward | 1 | tokens=1000 width=1000 | - | 1.000 M | 6.008 M | 0.1664 | 6.008 us | 0.1% | memory |
| grad.clip | update | 1 | params=107106000 | - | 214.2 M | 214.2 M | 1 | 214.2 us | 2.0% | memory |
| optimizer | update | 1 | params=107106000 | - | 1.714 G | 2.999 G | 0.5714 | 2.999 ms | 27.8% | memory |

- **step**: 692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute
$ nncost ops dense round --format csv
name,path,kind,phase,group,repeat,shape,flops,vector_flops,read_bytes,write_bytes,kept_bytes,intensity_flops_per_byte,time_s,share,bound,link,network_s\r
embed.tokens,embed.tokens,embedding,forward,embedding,1,tokens=1000 width=1000,0,0,2008000,2000000,8000,0,4.008e-6,0.000371257001362,memory,,\r
embed.positions,embed.positions,position_add,forward,embedding,1,elements=1000000,0,1000000,2000000,2000000,8000,0.25,4e-6,0.000370515969424,memory,,\r
attn.norm,attn.norm,layer_norm,forward,norm,8,rows=1000 width=1000,0,8000000,2000000,2000000,2008000,2,4e-6,0.00296412775539,memory,,\r
attn.qkv,attn.qkv,matmul,forward,attention,8,m=1000 n=3000 k=1000,6000000000,3000000,8006000,6000000,2000000,428.602027702,6e-5,0.0444619163308,compute,,\r
attn.core,attn.core,flash_attention,forward,attention,8,b=1 heads=8/8 s=1000x1000 d=125,2002000000,20020000,6000000,2032000,6032000,251.745517928,2.002e-5,0.0148354594157,compute,,\r
attn.out,attn.out,matmul,forward,attention,8,m=1000 n=1000 k=1000,2000000000,1000000,4002000,2000000,2000000,333.388870377,2e-5,0.0148206387769,compute,,\r
attn.residual,attn.residual,residual,forward,attention,8,elements=1000000,0,1000000,2000000,2000000,0,0.25,4e-6,0.00296412775539,memory,,\r
mlp.norm,mlp.norm,layer_norm,forward,norm,8,rows=1000 width=1000,0,8000000,2000000,2000000,2008000,2,4e-6,0.00296412775539,memory,,\r
mlp.up,mlp.up,matmul,forward,mlp,8,m=1000 n=4000 k=1000,8000000000,4000000,10008000,8000000,2000000,444.469124833,8e-5,0.0592825551078,compute,,\r
mlp.activation,mlp.activation,gelu,forward,mlp,8,elements=4000000,0,32000000,8000000,8000000,8000000,2,1.6e-5,0.0118565110216,memory,,\r
mlp.down,mlp.down,matmul,forward,mlp,8,m=1000 n=1000 k=4000,8000000000,1000000,16002000,2000000,8000000,444.450616598,8e-5,0.0592825551078,compute,,\r
mlp.residual,mlp.residual,residual,forward,mlp,8,elements=1000000,0,1000000,2000000,2000000,0,0.25,4e-6,0.00296412775539,memory,,\r
head.norm,head.norm,layer_norm,forward,norm,1,rows=1000 width=1000,0,8000000,2000000,2000000,2008000,2,4e-6,0.000370515969424,memory,,\r
head.logits,head.logits,matmul,forward,head,1,m=1000 n=10000 k=1000,20000000000,0,22000000,20000000,2000000,476.19047619,0.0002,0.0185257984712,compute,,\r
loss,loss,cross_entropy,forward,loss,1,rows=1000 classes=10000,0,50000000,20000000,0,20000000,2.5,2e-5,0.00185257984712,memory,,\r
loss,loss,cross_entropy,backward,loss,1,rows=1000 classes=10000,0,20000000,20000000,20000000,,0.5,4e-5,0.00370515969424,memory,,\r
head.logits,head.logits,matmul,grad_input,head,1,m=1000 n=1000 k=10000,20000000000,0,40000000,2000000,,476.19047619,0.0002,0.0185257984712,compute,,\r
head.logits,head.logits,matmul,grad_weight,head,1,m=1000 n=10000 k=1000,20000000000,0,22000000,20000000,,476.19047619,0.0002,0.0185257984712,compute,,\r
head.norm,head.norm,layer_norm,backward,norm,1,rows=1000 width=1000,0,14000000,4000000,2000000,,2.33333333333,6e-6,0.000555773954135,memory,,\r
mlp.residual,mlp.residual,residual,backward,mlp,8,elements=1000000,0,1000000,2000000,0,,0.5,2e-6,0.00148206387769,memory,,\r
mlp.down,mlp.down,matmul,grad_input,mlp,8,m=1000 n=4000 k=1000,8000000000,0,10000000,8000000,,444.444444444,8e-5,0.0592825551078,compute,,\r
mlp.down,mlp.down,matmul,grad_weight,mlp,8,m=4000 n=1000 k=1000,8000000000,1000000,10000000,8000000,,444.5,8e-5,0.0592825551078,compute,,\r
mlp.activation,mlp.activation,gelu,backward,mlp,8,elements=4000000,0,52000000,16000000,8000000,,2.16666666667,2.4e-5,0.0177847665323,memory,,\r
mlp.up,mlp.up,matmul,grad_input,mlp,8,m=1000 n=1000 k=4000,8000000000,0,16000000,2000000,,444.444444444,8e-5,0.0592825551078,compute,,\r
mlp.up,mlp.up,matmul,grad_weight,mlp,8,m=1000 n=4000 k=1000,8000000000,4000000,10000000,8000000,,444.666666667,8e-5,0.0592825551078,compute,,\r
mlp.norm,mlp.norm,layer_norm,backward,norm,8,rows=1000 width=1000,0,14000000,4000000,2000000,,2.33333333333,6e-6,0.00444619163308,memory,,\r
attn.residual,attn.residual,residual,backward,attention,8,elements=1000000,0,1000000,2000000,0,,0.5,2e-6,0.00148206387769,memory,,\r
attn.out,attn.out,matmul,grad_input,attention,8,m=1000 n=1000 k=1000,2000000000,0,4000000,2000000,,333.333333333,2e-5,0.0148206387769,compute,,\r
attn.out,attn.out,matmul,grad_weight,attention,8,m=1000 n=1000 k=1000,2000000000,1000000,4000000,2000000,,333.5,2e-5,0.0148206387769,compute,,\r
attn.core,attn.core,flash_attention,backward,attention,8,b=1 heads=8/8 s=1000x1000 d=125,5005000000,24024000,10064000,6000000,,313.061752988,5.005e-5,0.0370886485393,compute,,\r
attn.qkv,attn.qkv,matmul,grad_input,attention,8,m=1000 n=1000 k=3000,6000000000,0,12000000,2000000,,428.571428571,6e-5,0.0444619163308,compute,,\r
attn.qkv,attn.qkv,matmul,grad_weight,attention,8,m=1000 n=3000 k=1000,6000000000,3000000,8000000,6000000,,428.785714286,6e-5,0.0444619163308,compute,,\r
attn.norm,attn.norm,layer_norm,backward,norm,8,rows=1000 width=1000,0,14000000,4000000,2000000,,2.33333333333,6e-6,0.00444619163308,memory,,\r
embed.positions,embed.positions,position_add,backward,embedding,1,elements=1000000,0,1000000,2000000,0,,0.5,2e-6,0.000185257984712,memory,,\r
embed.tokens,embed.tokens,embedding,backward,embedding,1,tokens=1000 width=1000,0,1000000,4008000,2000000,,0.166444740346,6.008e-6,0.000556514986074,memory,,\r
grad.clip,grad.clip,clip_gradients,update,optimizer,1,params=107106000,0,214212000,214212000,0,,1,0.000214212,0.0198422417105,memory,,\r
optimizer,optimizer,optimizer_step,update,optimizer,1,params=107106000,0,1713696000,1499484000,1499484000,,0.571428571429,0.002998968,0.277791383948,memory,,\r
$ nncost ops dense round --format json --top 3
{
  "schema": "nncost.ops/1",
  "ops": [
    {"name": "optimizer", "path": "optimizer", "kind": "optimizer_step", "phase": "update", "group": "optimizer", "repeat": 1, "shape": "params=107106000", "flops": 0, "vector_flops": 1713696000, "read_bytes": 1499484000, "write_bytes": 1499484000, "kept_bytes": null, "intensity_flops_per_byte": 0.571428571429, "time_s": 0.002998968, "share": 0.277791383948, "bound": "memory", "link": null, "network_s": null},
    {"name": "mlp.up", "path": "mlp.up", "kind": "matmul", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "m=1000 n=4000 k=1000", "flops": 8000000000, "vector_flops": 4000000, "read_bytes": 10008000, "write_bytes": 8000000, "kept_bytes": 2000000, "intensity_flops_per_byte": 444.469124833, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null},
    {"name": "mlp.down", "path": "mlp.down", "kind": "matmul", "phase": "forward", "group": "mlp", "repeat": 8, "shape": "m=1000 n=1000 k=4000", "flops": 8000000000, "vector_flops": 1000000, "read_bytes": 16002000, "write_bytes": 2000000, "kept_bytes": 8000000, "intensity_flops_per_byte": 444.450616598, "time_s": 8e-5, "share": 0.0592825551078, "bound": "compute", "link": null, "network_s": null}
  ]
}

# Lists the ops of a plan in predicted mode, and the ops of the same plan in ideal mode.
$ nncost ops dense fitted --top 8
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op        phase       rep shape                   kept   FLOPs   bytes FLOP/B     time share bound
optimizer update        1 params=107106000           - 1.714 G 2.999 G 0.5714 1.894 ms 20.0% memory
attn.core backward      8 b=1 heads=8/8 s=10..       - 5.029 G 16.06 M  313.1 184.0 us 15.6% compute
attn.core forward       8 b=1 heads=8/8 s=10.. 6.032 M 2.022 G 8.032 M  251.7 65.66 us  5.6% compute
mlp.up    forward       8 m=1000 n=4000 k=1000 2.000 M 8.004 G 18.01 M  444.5 48.84 us  4.1% compute
mlp.down  grad_input    8 m=1000 n=4000 k=1000       - 8.000 G 18.00 M  444.4 48.84 us  4.1% compute
mlp.down  grad_weight   8 m=4000 n=1000 k=1000       - 8.001 G 18.00 M  444.5 48.84 us  4.1% compute
mlp.up    grad_weight   8 m=1000 n=4000 k=1000       - 8.004 G 18.00 M  444.7 48.84 us  4.1% compute
mlp.down  forward       8 m=1000 n=1000 k=4000 8.000 M 8.001 G 18.00 M  444.5 46.66 us  3.9% compute
cut: shape (a width of 100, see COLUMNS)

          29 more rows
step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 9.457 ms, compute
$ nncost ops dense fitted --top 8 --mode ideal
model     dense, A small decoder, decoder, 107,106,000 parameters
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode ideal

op       phase       rep shape                   kept   FLOPs   bytes FLOP/B     time share bound
mlp.up   forward       8 m=1000 n=4000 k=1000 2.000 M 8.004 G 18.01 M  444.5 40.00 us  9.2% compute
mlp.down forward       8 m=1000 n=1000 k=4000 8.000 M 8.001 G 18.00 M  444.5 40.00 us  9.2% compute
mlp.down grad_input    8 m=1000 n=4000 k=1000       - 8.000 G 18.00 M  444.4 40.00 us  9.2% compute
mlp.down grad_weight   8 m=4000 n=1000 k=1000       - 8.001 G 18.00 M  444.5 40.00 us  9.2% compute
mlp.up   grad_input    8 m=1000 n=1000 k=4000       - 8.000 G 18.00 M  444.4 40.00 us  9.2% compute
mlp.up   grad_weight   8 m=1000 n=4000 k=1000       - 8.004 G 18.00 M  444.7 40.00 us  9.2% compute
attn.qkv forward       8 m=1000 n=3000 k=1000 2.000 M 6.003 G 14.01 M  428.6 30.00 us  6.9% compute
attn.qkv grad_input    8 m=1000 n=1000 k=3000       - 6.000 G 14.00 M  428.6 30.00 us  6.9% compute

          29 more rows
step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 3.460 ms, compute

# --sort sorts the ops, and --top limits their number.
$ nncost ops unet round --sort time --top 10
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op                 phase       rep shape          kept   FLOPs   bytes FLOP/B     time share bound
optimizer          update        1 params=95..       - 152.7 M 267.3 M 0.5714 267.3 us 48.2% memory
grad.clip          update        1 params=95..       - 19.09 M 19.09 M      1 19.09 us  3.4% memory
up.1.conv          forward       1 n=1 c=200.. 409.6 k 737.5 M 1.540 M    479 7.373 us  1.3% compute
up.1.conv          grad_input    1 n=1 c=200..       - 737.3 M 1.539 M    479 7.373 us  1.3% compute
up.1.conv          grad_weight   1 n=1 c=200..       - 737.5 M 1.539 M  479.1 7.373 us  1.3% compute
up.0.block.conv1   forward       1 n=1 c=300.. 614.4 k 553.1 M 1.359 M  406.8 5.530 us  1.0% compute
up.0.block.conv1   grad_input    1 n=1 c=300..       - 553.0 M 1.359 M  406.8 5.530 us  1.0% compute
up.0.block.conv1   grad_weight   1 n=1 c=300..       - 553.1 M 1.359 M  406.9 5.530 us  1.0% compute
up.1.ff.activation backward      2 elements=..       - 2.458 M 2.048 M    1.2 2.048 us  0.7% memory
mid.block.conv1    forward       2 n=1 c=200.. 102.4 k 184.4 M 925.2 k  199.3 1.843 us  0.7% compute
cut: shape (a width of 100, see COLUMNS)

          347 more rows
step      19.69 GFLOP executed, 276.1 MFLOP on the vector units, 465.3 MB moved, 554.1 us, memory
$ nncost ops dense round --sort bytes --top 5
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op             phase    rep shape                 kept   FLOPs   bytes FLOP/B     time share bound
optimizer      update     1 params=107106000         - 1.714 G 2.999 G 0.5714 2.999 ms 27.8% memory
grad.clip      update     1 params=107106000         - 214.2 M 214.2 M      1 214.2 us  2.0% memory
mlp.activation backward   8 elements=4000000         - 52.00 M 24.00 M  2.167 24.00 us  1.8% memory
mlp.up         forward    8 m=1000 n=4000 k=.. 2.000 M 8.004 G 18.01 M  444.5 80.00 us  5.9% compute
mlp.down       forward    8 m=1000 n=1000 k=.. 8.000 M 8.001 G 18.00 M  444.5 80.00 us  5.9% compute
cut: shape (a width of 100, see COLUMNS)

          32 more rows
step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute
$ nncost ops dense round --sort flops --top 5
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op       phase       rep shape                   kept   FLOPs   bytes FLOP/B     time share bound
mlp.up   forward       8 m=1000 n=4000 k=1000 2.000 M 8.004 G 18.01 M  444.5 80.00 us  5.9% compute
mlp.up   grad_weight   8 m=1000 n=4000 k=1000       - 8.004 G 18.00 M  444.7 80.00 us  5.9% compute
mlp.down forward       8 m=1000 n=1000 k=4000 8.000 M 8.001 G 18.00 M  444.5 80.00 us  5.9% compute
mlp.down grad_weight   8 m=4000 n=1000 k=1000       - 8.001 G 18.00 M  444.5 80.00 us  5.9% compute
mlp.down grad_input    8 m=1000 n=4000 k=1000       - 8.000 G 18.00 M  444.4 80.00 us  5.9% compute

          32 more rows
step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute

# --by adds up the ops by group, by op or by phase.
$ nncost ops unet round --by group
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

group      ops    FLOPs    bytes  FLOP/B      time  share  bound
time        64  5.410 M  7.693 M  0.7033  7.693 us   1.4%  memory
conv       118  11.67 G  57.51 M   202.9  125.4 us  22.6%  compute
norm        66  52.94 M  24.06 M     2.2  24.06 us   4.3%  memory
resample    16  2.351 G  9.715 M     242  27.29 us   4.9%  compute
attention  120  2.744 G  36.81 M   74.54  39.21 us   7.1%  memory
mlp         40  2.968 G  43.07 M    68.9  43.98 us   7.9%  memory
loss         2  20.48 k  40.96 k     0.5  40.96 ns   0.0%  memory
optimizer    2  171.8 M  286.4 M     0.6  286.4 us  51.7%  memory

step      19.69 GFLOP executed, 276.1 MFLOP on the vector units, 465.3 MB moved, 554.1 us, memory
$ nncost ops unet round --by group --format json
{
  "schema": "nncost.ops/1",
  "ops": [
    {"group": "time", "repeat": 64, "flops": 4240000, "vector_flops": 1170400, "bytes": 7693400, "time_s": 7.6934e-6, "share": 0.0138840930631, "bound": "memory"},
    {"group": "conv", "repeat": 118, "flops": 11649024000, "vector_flops": 21768192, "bytes": 57509568, "time_s": 0.000125442448, "share": 0.226382954493, "bound": "compute"},
    {"group": "norm", "repeat": 66, "flops": 0, "vector_flops": 52940800, "bytes": 24064000, "time_s": 2.4064e-5, "share": 0.0434277192751, "bound": "memory"},
    {"group": "resample", "repeat": 16, "flops": 2350080000, "vector_flops": 665600, "bytes": 9715000, "time_s": 2.72896e-5, "share": 0.049248881646, "bound": "compute"},
    {"group": "attention", "repeat": 120, "flops": 2735155200, "vector_flops": 8859648, "bytes": 36813952, "time_s": 3.9214208e-5, "share": 0.0707689335363, "bound": "memory"},
    {"group": "mlp", "repeat": 40, "flops": 2949120000, "vector_flops": 18841600, "bytes": 43073600, "time_s": 4.39824e-5, "share": 0.0793739744117, "bound": "memory"},
    {"group": "loss", "repeat": 2, "flops": 0, "vector_flops": 20480, "bytes": 40960, "time_s": 4.096e-8, "share": 7.39195221703e-5, "bound": "memory"},
    {"group": "optimizer", "repeat": 2, "flops": 0, "vector_flops": 171833472, "bytes": 286389120, "time_s": 0.00028638912, "share": 0.516839524052, "bound": "memory"}
  ]
}
$ nncost ops unet round --by op --sort time --top 12
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op              ops    FLOPs    bytes  FLOP/B      time  share  bound
optimizer         1  152.7 M  267.3 M  0.5714  267.3 us  48.2%  memory
block.conv1      24  6.637 G  25.11 M   264.3  66.36 us  12.0%  compute
block.conv2      24  4.425 G  19.18 M   230.7  44.24 us   8.0%  compute
up.conv           3  2.212 G  4.618 M     479  22.12 us   4.0%  compute
ff.gate_up       12  1.969 G  18.75 M     105  19.66 us   3.5%  compute
grad.clip         1  19.09 M  19.09 M       1  19.09 us   3.4%  memory
ff.activation     8  14.75 M  13.11 M   1.125  13.11 us   2.4%  memory
ff.down          12  983.4 M  9.986 M   98.49  9.986 us   1.8%  memory
block.norm1      16  20.28 M  9.216 M     2.2  9.216 us   1.7%  memory
attn1.qkv        12  737.3 M  7.795 M   94.58  7.795 us   1.4%  memory
block.shortcut   15  553.7 M  7.713 M   71.79  7.713 us   1.4%  memory
attn1.core        8  739.8 M  4.940 M   149.8  7.340 us   1.3%  compute

          34 more rows
step      19.69 GFLOP executed, 276.1 MFLOP on the vector units, 465.3 MB moved, 554.1 us, memory
$ nncost ops dense round --by phase --format csv
phase,repeat,flops,vector_flops,bytes,time_s,share,bound\r
forward,85,228016000000,691160000,842408000,0.002568168,0.237886814041,compute\r
backward,52,40040000000,884192000,502520000,0.000774408,0.0717326327123,compute\r
grad_input,33,212000000000,0,490000000,0.00212,0.196373463794,compute\r
grad_weight,33,212000000000,72000000,490000000,0.00212,0.196373463794,compute\r
update,2,0,1927908000,3213180000,0.00321318,0.297633625658,memory\r

# Tests unfused attention that is recomputed, in a model in which several query heads share a key head.
$ nncost ops experts fitted --attention unfused --software eager --recompute selective
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
          53,641,000 active per token
device    fitted, A device of round efficiencies, 200.0 TFLOP/s bf16, 2.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw, unfused attention, recompute selective,
          software eager, mode predicted

op             phase       rep shape              kept   FLOPs   bytes FLOP/B     time share bound
embed.tokens   forward       1 tokens=1000 w.. 8.000 k       0 4.008 M      0 14.01 us  0.1% host
attn.norm      forward       4 rows=1000 wid.. 4.004 M 4.000 M 10.00 M    0.4 20.00 us  0.6% memory
attn.qkv       forward       4 m=1000 n=1600.. 2.000 M 3.200 G 8.400 M    381 20.21 us  0.6% compute
attn.rotary    forward       4 elements=1200..       - 3.600 M 14.40 M   0.25 24.40 us  0.7% memory
attn.expand_kv forward       4 elements=1600..       -       0 4.800 M      0 14.80 us  0.4% host
attn.scores    forward       4 b=8 m=1000 n=.. 3.200 M 1.600 G 19.20 M  83.33 19.97 us  0.6% compute
attn.mask      forward       4 elements=8000..       - 16.00 M 32.00 M    0.5 42.00 us  1.3% memory
attn.softmax   forward       4 elements=8000..       - 40.00 M 32.00 M   1.25 42.00 us  1.3% memory
attn.context   forward       4 b=8 m=1000 n=.. 1.600 M 1.600 G 19.20 M  83.33 16.21 us  0.5% memory
attn.out       forward       4 m=1000 n=1000.. 1.600 M 1.600 G 5.200 M  307.7 11.68 us  0.3% compute
attn.residual  forward       4 elements=1000..       - 1.000 M 6.000 M 0.1667 16.00 us  0.5% host
mlp.norm       forward       4 rows=1000 wid.. 4.004 M 4.000 M 10.00 M    0.4 20.00 us  0.6% memory
moe.router     forward       4 m=1000 n=8 k=.. 2.000 M 16.00 M 2.032 M  7.874 3.530 us  0.1% host
moe.scores     forward       4 elements=8000   16.00 k 40.00 k 32.00 k   1.25 10.03 us  0.3% host
moe.dispatch   forward       4 elements=2000..       -       0 6.000 M      0 16.00 us  0.5% host
moe.gate_up    forward       4 experts=8 m=2.. 4.000 M 8.000 G 44.00 M  181.8 50.89 us  1.5% compute
moe.activation forward       4 elements=2000.. 12.00 M 10.00 M 20.00 M    0.5 30.00 us  0.9% memory
moe.down       forward       4 experts=8 m=2.. 4.000 M 4.000 G 24.00 M  166.7 26.67 us  0.8% compute
moe.combine    forward       4 elements=1000.. 4.000 M 4.000 M 6.000 M 0.6667 16.00 us  0.5% host
mlp.residual   forward       4 elements=1000..       - 1.000 M 6.000 M 0.1667 16.00 us  0.5% host
head.norm      forward       1 rows=1000 wid.. 4.004 M 4.000 M 10.00 M    0.4 20.00 us  0.1% memory
head.logits    forward       1 m=1000 n=1000.. 2.000 M 20.00 G 42.00 M  476.2 120.9 us  0.9% compute
loss           forward       1 rows=1000 cla.. 20.00 M 50.00 M 140.0 M 0.3571 150.0 us  1.1% memory
loss           backward      1 rows=1000 cla..       - 20.00 M 140.0 M 0.1429 150.0 us  1.1% memory
head.logits    grad_input    1 m=1000 n=1000..       - 20.00 G 42.00 M  476.2 114.6 us  0.9% compute
head.logits    grad_weight   1 m=1000 n=1000..       - 20.00 G 42.00 M  476.2 120.9 us  0.9% compute
head.norm      backward      1 rows=1000 wid..       - 10.00 M 15.00 M 0.6667 25.00 us  0.2% memory
mlp.residual   backward      4 elements=1000..       - 1.000 M 6.000 M 0.1667 16.00 us  0.5% host
moe.combine    backward      4 elements=1000..       - 6.000 M 10.00 M    0.6 20.00 us  0.6% memory
moe.down       grad_input    4 experts=8 m=2..       - 4.000 G 24.00 M  166.7 26.67 us  0.8% compute
moe.down       grad_weight   4 experts=8 m=1..       - 4.000 G 24.00 M  166.7 32.34 us  1.0% compute
moe.activation backward      4 elements=2000..       - 20.00 M 32.00 M  0.625 42.00 us  1.3% memory
moe.gate_up    grad_input    4 experts=8 m=2..       - 8.000 G 44.00 M  181.8 49.29 us  1.5% compute
moe.gate_up    grad_weight   4 experts=8 m=1..       - 8.000 G 44.00 M  181.8 63.00 us  1.9% compute
moe.dispatch   backward      4 elements=2000..       - 2.000 M 6.000 M 0.3333 16.00 us  0.5% host
moe.scores     backward      4 elements=8000         - 32.00 k 48.00 k 0.6667 10.05 us  0.3% host
moe.router     grad_input    4 m=1000 n=1000..       - 16.00 M 2.032 M  7.874 3.446 us  0.1% host
moe.router     grad_weight   4 m=1000 n=8 k=..       - 16.00 M 2.032 M  7.874 3.530 us  0.1% host
mlp.norm       backward      4 rows=1000 wid..       - 10.00 M 15.00 M 0.6667 25.00 us  0.7% memory
attn.residual  backward      4 elements=1000..       - 1.000 M 6.000 M 0.1667 16.00 us  0.5% host
attn.out       grad_input    4 m=1000 n=800 ..       - 1.600 G 5.200 M  307.7 11.86 us  0.4% compute
attn.out       grad_weight   4 m=800 n=1000 ..       - 1.600 G 5.200 M  307.7 11.86 us  0.4% compute
attn.context   recompute     4 b=8 m=1000 n=..       - 1.600 G 19.20 M  83.33 16.21 us  0.5% memory
attn.context   backward      4 b=8 m=1000 n=..       - 1.600 G 19.20 M  83.33 19.97 us  0.6% compute
attn.context   backward      4 b=8 m=1000 n=..       - 1.600 G 19.20 M  83.33 16.21 us  0.5% memory
attn.softmax   recompute     4 elements=8000..       - 40.00 M 32.00 M   1.25 42.00 us  1.3% memory
attn.softmax   backward      4 elements=8000..       - 32.00 M 48.00 M 0.6667 58.00 us  1.7% memory
attn.mask      recompute     4 elements=8000..       - 16.00 M 32.00 M    0.5 42.00 us  1.3% memory
attn.mask      backward      4 elements=8000..       - 8.000 M 32.00 M   0.25 42.00 us  1.3% memory
attn.scores    recompute     4 b=8 m=1000 n=..       - 1.600 G 19.20 M  83.33 19.97 us  0.6% compute
attn.scores    backward      4 b=8 m=1000 n=..       - 1.600 G 19.20 M  83.33 16.21 us  0.5% memory
attn.scores    backward      4 b=8 m=100 n=1..       - 1.600 G 19.20 M  83.33 16.21 us  0.5% memory
attn.expand_kv recompute     4 elements=1600..       -       0 4.800 M      0 14.80 us  0.4% host
attn.expand_kv backward      4 elements=1600..       - 1.600 M 4.800 M 0.3333 14.80 us  0.4% host
attn.rotary    backward      4 elements=1200..       - 3.600 M 14.40 M   0.25 24.40 us  0.7% memory
attn.qkv       grad_input    4 m=1000 n=1000..       - 3.200 G 8.400 M    381 20.32 us  0.6% compute
attn.qkv       grad_weight   4 m=1000 n=1600..       - 3.200 G 8.400 M    381 20.21 us  0.6% compute
attn.norm      backward      4 rows=1000 wid..       - 10.00 M 15.00 M 0.6667 25.00 us  0.7% memory
embed.tokens   backward      1 tokens=1000 w..       - 1.000 M 6.008 M 0.1664 16.01 us  0.1% host
grad.clip      update        1 params=125641..       - 376.9 M 753.8 M    0.5 491.2 us  3.7% memory
optimizer      update        1 params=125641..       - 2.010 G 11.56 G 0.1739 7.244 ms 54.2% memory
grad.zero      update        1 params=125641..       -       0 251.3 M      0 177.1 us  1.3% memory
cut: shape (a width of 100, see COLUMNS)

step      313.0 GFLOP executed, 3.412 GFLOP on the vector units, 16.24 GB moved, 13.37 ms, memory,
          outside of ops: host 40.64 us and bubble 0 s

# Lists the ops of a network for segmentation.
$ nncost ops segnet round --by op
model     segnet, A small U-Net for segmentation, unet, 45,942 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 100, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

op           ops    FLOPs    bytes  FLOP/B      time  share  bound
block.conv1   14  273.6 M  3.923 M   69.74  4.062 us  16.3%  memory
block.norm1   10  7.150 M  5.200 M   1.375  5.200 us  20.9%  memory
block.act1    10  650.0 k        0       -  65.00 ns   0.3%  compute
block.conv2   15  270.0 M  4.040 M   66.83  4.194 us  16.8%  memory
block.norm2   10  7.150 M  5.200 M   1.375  5.200 us  20.9%  memory
block.act2    10  650.0 k        0       -  65.00 ns   0.3%  compute
down.pool      4  187.5 k  1.350 M  0.1389  1.350 us   5.4%  memory
up.conv        6  24.30 M  1.374 M   17.68  1.374 us   5.5%  memory
up.concat      4        0  1.200 M       0  1.200 us   4.8%  memory
out.conv       3  1.240 M  720.1 k   1.722  720.1 ns   2.9%  memory
loss           2  140.0 k  120.0 k   1.167  120.0 ns   0.5%  memory
grad.clip      1  91.88 k  91.88 k       1  91.88 ns   0.4%  memory
optimizer      1  735.1 k  1.286 M  0.5714  1.286 us   5.2%  memory

step      568.8 MFLOP executed, 17.09 MFLOP on the vector units, 24.51 MB moved, 24.93 us, memory

# On many devices, collectives are listed with their links.
$ nncost ops experts round --devices 16 --tensor 2 --expert 8 --zero 1 --sequence-parallel --global-batch 16 --sort time --top 16
model     experts, A small mixture of experts, decoder, 125,641,000 parameters,
          53,641,000 active per token
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 8 x tensor 2, expert 8, sequence parallel, ZeRO 1
          batch 16 = 2 micro-batches of 1 x data 8, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

op                     phase       rep    kept   FLOPs   bytes FLOP/B     time share bound
moe.all_to_all_in      forward       8       -       0       0      - 128.0 us 10.1% network
moe.all_to_all_out     forward       8       -       0       0      - 128.0 us 10.1% network
moe.all_to_all_out     backward      8       -       0       0      - 128.0 us 10.1% network
moe.all_to_all_in      backward      8       -       0       0      - 128.0 us 10.1% network
data.gather_weights    comm          1       -       0       0      - 539.1 us  5.3% network
data.scatter_gradients comm          1       -       0       0      - 535.8 us  5.3% network
moe.gate_up            forward       8 4.000 M 4.000 G 10.00 M    400 40.00 us  3.1% compute
moe.gate_up            grad_input    8       - 4.000 G 10.00 M    400 40.00 us  3.1% compute
moe.gate_up            grad_weight   8       - 4.000 G 11.00 M  363.6 40.00 us  3.1% compute
optimizer              update        1       - 125.7 M 219.9 M 0.5714 219.9 us  2.2% memory
head.logits            forward       2 1.000 M 10.00 G 22.00 M  454.5 100.0 us  2.0% compute
head.logits            grad_input    2       - 10.00 G 22.00 M  454.5 100.0 us  2.0% compute
head.logits            grad_weight   2       - 10.00 G 27.00 M  370.4 100.0 us  2.0% compute
mlp.tensor_in          forward       8       -       0       0      - 21.00 us  1.7% network
mlp.tensor_out         forward       8       -       0       0      - 21.00 us  1.7% network
mlp.tensor_out         backward      8       -       0       0      - 21.00 us  1.7% network
left out: shape (a width of 100, see COLUMNS)

          52 more rows
step      4.547 TFLOP executed by all devices, 11.66 GFLOP on the vector units,
          1.598 GB moved by one device, 10.17 ms, network
$ nncost ops dense round --devices 16 --tensor 2 --pipeline 2 --zero 3 --global-batch 16 --by group
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
links     switch of 8 at 100.0 GB/s, network 10.00 GB/s per device
plan      16 devices = data 4 x tensor 2 x pipeline 2, ZeRO 3, 1f1b
          batch 16 = 4 micro-batches of 1 x data 4, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

group      ops    FLOPs    bytes  FLOP/B      time  share  bound
norm        72  792.0 M  360.0 M     2.2  360.0 us   2.5%  memory
attention  160  248.5 G  912.8 M   272.2  2.577 ms  17.9%  compute
network    137        0        0       -  3.089 ms  21.4%  network
mlp        160  384.8 G  1.472 G   261.4  4.256 ms  29.5%  compute
head        12  120.0 G  294.0 M   408.2  1.200 ms   8.3%  compute
loss         8  140.0 M  120.0 M   1.167  120.0 us   0.8%  memory
optimizer    2  130.7 M  217.8 M     0.6  217.8 us   1.5%  memory

step      11.07 TFLOP executed by all devices, 35.54 GFLOP on the vector units,
          3.377 GB moved by one device, 14.41 ms, compute,
          outside of ops: host 0 s and bubble 2.588 ms
$ nncost ops experts round --devices 16 --context 2 --data 8 --zero 3 --global-batch 16 --by op --sort name
! nncost: --sort: unknown value, expected one of order, time, flops, bytes, found "name"
[2]

# Lists ops on a narrow terminal and on a wide terminal.
$ COLUMNS=60 nncost ops dense round
model     dense, A small decoder, decoder,
          107,106,000 parameters
device    round, A device of round figures,
          100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, sequence 1000, bf16, policy mixed, adamw,
          flash attention, recompute none,
          software torch-compile (chosen for this plan),
          mode predicted

op              phase         FLOPs     time share bound
embed.tokens    forward           0 4.008 us  0.0% memory
embed.positions forward     1.000 M 4.000 us  0.0% memory
attn.norm       forward     8.000 M 4.000 us  0.3% memory
attn.qkv        forward     6.003 G 60.00 us  4.4% compute
attn.core       forward     2.022 G 20.02 us  1.5% compute
attn.out        forward     2.001 G 20.00 us  1.5% compute
attn.residual   forward     1.000 M 4.000 us  0.3% memory
mlp.norm        forward     8.000 M 4.000 us  0.3% memory
mlp.up          forward     8.004 G 80.00 us  5.9% compute
mlp.activation  forward     32.00 M 16.00 us  1.2% memory
mlp.down        forward     8.001 G 80.00 us  5.9% compute
mlp.residual    forward     1.000 M 4.000 us  0.3% memory
head.norm       forward     8.000 M 4.000 us  0.0% memory
head.logits     forward     20.00 G 200.0 us  1.9% compute
loss            forward     50.00 M 20.00 us  0.2% memory
loss            backward    20.00 M 40.00 us  0.4% memory
head.logits     grad_input  20.00 G 200.0 us  1.9% compute
head.logits     grad_weight 20.00 G 200.0 us  1.9% compute
head.norm       backward    14.00 M 6.000 us  0.1% memory
mlp.residual    backward    1.000 M 2.000 us  0.1% memory
mlp.down        grad_input  8.000 G 80.00 us  5.9% compute
mlp.down        grad_weight 8.001 G 80.00 us  5.9% compute
mlp.activation  backward    52.00 M 24.00 us  1.8% memory
mlp.up          grad_input  8.000 G 80.00 us  5.9% compute
mlp.up          grad_weight 8.004 G 80.00 us  5.9% compute
mlp.norm        backward    14.00 M 6.000 us  0.4% memory
attn.residual   backward    1.000 M 2.000 us  0.1% memory
attn.out        grad_input  2.000 G 20.00 us  1.5% compute
attn.out        grad_weight 2.001 G 20.00 us  1.5% compute
attn.core       backward    5.029 G 50.05 us  3.7% compute
attn.qkv        grad_input  6.000 G 60.00 us  4.4% compute
attn.qkv        grad_weight 6.003 G 60.00 us  4.4% compute
attn.norm       backward    14.00 M 6.000 us  0.4% memory
embed.positions backward    1.000 M 2.000 us  0.0% memory
embed.tokens    backward    1.000 M 6.008 us  0.1% memory
grad.clip       update      214.2 M 214.2 us  2.0% memory
optimizer       update      1.714 G 2.999 ms 27.8% memory
left out: rep, shape, kept, bytes, FLOP/B (a width of 60,
see COLUMNS)

step      692.1 GFLOP executed, 3.575 GFLOP on the vector units,
          5.538 GB moved, 10.80 ms, compute
$ COLUMNS=140 nncost ops unet round --top 10
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none, software torch-compile (chosen for this plan),
          mode predicted

op                  phase        rep  shape                               kept    FLOPs    bytes  FLOP/B      time  share  bound
optimizer           update         1  params=9546304                         -  152.7 M  267.3 M  0.5714  267.3 us  48.2%  memory
grad.clip           update         1  params=9546304                         -  19.09 M  19.09 M       1  19.09 us   3.4%  memory
up.1.conv           forward        1  n=1 c=200->200 32x32->32x32 k=3  409.6 k  737.5 M  1.540 M     479  7.373 us   1.3%  compute
up.1.conv           grad_input     1  n=1 c=200->200 32x32->32x32 k=3        -  737.3 M  1.539 M     479  7.373 us   1.3%  compute
up.1.conv           grad_weight    1  n=1 c=200->200 32x32->32x32 k=3        -  737.5 M  1.539 M   479.1  7.373 us   1.3%  compute
up.0.block.conv1    forward        1  n=1 c=300->100 32x32->32x32 k=3  614.4 k  553.1 M  1.359 M   406.8  5.530 us   1.0%  compute
up.0.block.conv1    grad_input     1  n=1 c=300->100 32x32->32x32 k=3        -  553.0 M  1.359 M   406.8  5.530 us   1.0%  compute
up.0.block.conv1    grad_weight    1  n=1 c=300->100 32x32->32x32 k=3        -  553.1 M  1.359 M   406.9  5.530 us   1.0%  compute
up.1.ff.activation  backward       2  elements=204800                        -  2.458 M  2.048 M     1.2  2.048 us   0.7%  memory
mid.block.conv1     forward        2  n=1 c=200->200 16x16->16x16 k=3  102.4 k  184.4 M  925.2 k   199.3  1.843 us   0.7%  compute

          347 more rows
step      19.69 GFLOP executed, 276.1 MFLOP on the vector units, 465.3 MB moved, 554.1 us, memory

# A plan that does not fit has a list of ops as well.
$ nncost ops dense round --micro-batch 64 --by group
model     dense, A small decoder, decoder, 107,106,000 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 64, sequence 1000, bf16, policy mixed, adamw, flash attention, recompute none,
          software torch-compile (chosen for this plan), mode predicted

group      ops    FLOPs    bytes  FLOP/B      time  share  bound
embedding    4  192.0 M  1.025 G  0.1873  1.025 ms   0.2%  memory
norm        34  23.94 G  10.88 G     2.2  10.88 ms   2.2%  memory
attention   80  15.90 T  34.03 G   467.3  161.8 ms  33.1%  compute
mlp         80  24.63 T  54.66 G   450.5  269.3 ms  55.1%  compute
head         3  3.840 T  4.284 G   896.4  38.40 ms   7.9%  compute
loss         2  4.480 G  3.840 G   1.167  3.840 ms   0.8%  memory
optimizer    2  1.928 G  3.213 G     0.6  3.213 ms   0.7%  memory

step      44.29 TFLOP executed, 107.4 GFLOP on the vector units, 111.9 GB moved, 488.5 ms, compute

# The row of an op of a U-Net has the op's path, and the bytes that one instance of the op keeps. 'nncost explain' finds
# the op by this path.
$ nncost ops unet round --format csv | cut -d, -f1,2,4,12 | grep -E 'attn|^down.conv|^up.conv' | grep forward | head -8
down.conv,down.0.conv,forward,204800
attn.norm,down.1.attn.norm,forward,102480
attn.in,down.1.attn.in,forward,102400
attn1.norm,down.1.attn1.norm,forward,104448
attn1.qkv,down.1.attn1.qkv,forward,102400
attn1.core,down.1.attn1.core,forward,309248
attn1.out,down.1.attn1.out,forward,102400
attn1.residual,down.1.attn1.residual,forward,0
$ nncost explain down.1.attn1.qkv unet round | head -3
model     unet, A small diffusion U-Net, unet, 9,546,304 parameters
device    round, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s, ridge 100 FLOP/B
plan      batch 1, image 256, bf16, policy mixed, adamw, flash attention, recompute none,
$ nncost explain mid.block.conv1 unet round --format json | head -3
{
  "schema": "nncost.explain/1",
  "quantity": "mid.block.conv1",

# If the step waits for its input, the waiting time is printed below the ops and drawn in the picture of the step.
$ nncost ops dense round --by phase --sample-bytes 2M --input-bytes-per-s 100MB/s | tail -4

step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute
input     the step waits for its input, storage 20.00 ms a step
          needs 185.3 MB/s from storage
$ nncost plot step dense round --sample-bytes 2M --input-bytes-per-s 100MB/s | grep -o 'One step, A small.*Input [^.]*\.[^.]*'
One step, A small decoder on A device of round figures: 20.00 ms. Forward 2.568 ms, 12.8%. Backward 5.014 ms, 25.1%. Update 3.213 ms, 16.1%. Input 9.204 ms, 46
$ nncost ops dense round --by phase --sample-bytes 2k --input-bytes-per-s 100MB/s | tail -3
step      692.1 GFLOP executed, 3.575 GFLOP on the vector units, 5.538 GB moved, 10.80 ms, compute
input     keeps up, storage 20.00 us a step
          needs 185.3 kB/s from storage
$ nncost plot step dense round --sample-bytes 2k --input-bytes-per-s 100MB/s | grep -c 'Input'
0
[1]

# 'nncost ops' uses options of a run only for the time of the input. Without options of the input, options of a run are
# refused.
$ nncost ops dense round --pue 1.2
! nncost: --pue: has no effect here, expected together with --sample-bytes or --prepare-s, or 'nncost run'
[2]
$ nncost ops dense round --tokens 1G
! nncost: --tokens: has no effect here, expected together with --sample-bytes or --prepare-s, or 'nncost run'
[2]
$ nncost ops dense round --host 1e-4
! nncost: --host: has no effect here, expected together with --software torch-eager and --implementation
[2]
