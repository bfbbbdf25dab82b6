# 'nncost show' reads the headers of checkpoints, and a checkpoint can replace a model. inputs/tiny.gguf has the header
# of a network of 2 layers, width 256, 4 query heads and 2 key heads of 64 values, MLP 512 and 96 words. The formats in
# this header are Q4_K, Q6_K and F32. The file has no weights.

# The network has 2 x (256 x (256 + 128 + 128 + 256) + 3 x 256 x 512 + 2 x 256) + 2 x 96 x 256 + 256 parameters.
$ nncost show inputs/tiny.gguf
checkpoint
          inputs/tiny.gguf, 22 tensors
holds     1,230,080 parameters, 702,784 bytes

type  tensors  parameters     bytes
Q4_K       15     1204224  677.4 kB
F32         6        1312  5.248 kB
Q6_K        1       24576  20.16 kB
$ nncost show inputs/tiny.gguf --format json | grep -o '"params": [0-9]*' | head -1
"params": 1230080
$ nncost estimate inputs/tiny.gguf round | head -1
One step of tiny.gguf takes 428.1 us on A device of round figures and is bound by compute (69.0% of
$ nncost show inputs/tiny.gguf --to-options
nncost estimate inputs/tiny.gguf DEVICE

# An engine can serve the weights of a checkpoint in another format (--weights).
$ nncost serve inputs/tiny.gguf round
! nncost: inputs/tiny.gguf:29: checkpoint.type: left open, expected --weights, or a file that sets this field
[3]
$ nncost serve inputs/tiny.gguf round --weights int4 | sed -n 4,6p
model        inputs/tiny.gguf = tiny.gguf, tiny.gguf, 1,230,080 parameters
device       round, 100.0 TFLOP/s peak in bf16, 1.000 TB/s, 10.00 GB
plan         1 device, weights int4, products in bf16, cache bf16, software vllm

# Tests headers with faults: a header that is cut off, and a length that is larger than the file.
$ head -c 300 inputs/tiny.gguf >cut.gguf; nncost show cut.gguf
! nncost: cut.gguf: ends too early, or a length is larger than the file
[3]
$ printf '\377\377\377\377\377\377\377\177{}' >large.safetensors; nncost show large.safetensors
! nncost: large.safetensors: bad header, expected at most 2 bytes, found 9223372036854775807
[3]
$ printf 'GGUF\001\000\000\000' >old.gguf; nncost show old.gguf
! nncost: old.gguf: is no GGUF file of version 2 or 3
[3]

# A safetensors file does not name its architecture. For an index whose weight files are in another folder, only the
# number of bytes is known.
$ printf '\031\000\000\000\000\000\000\000{"__metadata__":{"a":"b"}}' | head -c 33 >empty.safetensors; nncost estimate empty.safetensors round
! nncost: empty.safetensors: names no architecture, expected a config.json in the same folder, or MODEL; 'nncost show' counts the parameters of the checkpoint
[3]
$ printf '{"metadata":{"total_size":48},"weight_map":{"a":"x-1.safetensors","b":"x-2.safetensors"}}' >x.safetensors.index.json
$ nncost show x.safetensors.index.json
checkpoint
          x.safetensors.index.json, 2 tensors
holds     parameters unknown, because its files are not in the same folder, 48 bytes

type  tensors  parameters  bytes
