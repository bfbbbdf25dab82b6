# 'nncost import' converts an ONNX file to a model file that nncost can read. Notes on standard error report parts of
# the network that the ONNX export omits.
$ cp inputs/conv.onnx .; nncost import conv.onnx > conv.json; nncost validate conv.json
conv.json: ok
! nncost: conv.onnx: note: the file has no dropout
! nncost: conv.onnx: note: the file has no loss, so nncost added one
$ nncost estimate conv.json round --full --full | head -1
model     conv.json = conv, conv, graph, 276 parameters
$ nncost estimate conv.onnx round --full --full 2>/dev/null | head -1
model     ./conv.onnx = conv.onnx, conv.onnx, graph, 276 parameters

# Tests a file that is not ONNX, and a missing file.
$ echo nonsense > bad.onnx; nncost import bad.onnx
! nncost: bad.onnx: is no ONNX file
[3]
$ nncost import missing.onnx
! nncost: missing.onnx: cannot be read
[4]
$ nncost estimate missing.onnx round
! nncost: missing.onnx: cannot be read
[4]
$ nncost import
! nncost: import: too few arguments, expected FILE.onnx [AXES]
[2]

# Special characters in a file name are escaped wherever the name is printed.
$ cp inputs/conv.onnx "$(printf 'a"\\\n::error::\033\302\233.onnx')"; nncost import ./a*.onnx 2>err | sed -n 3,4p; head -1 err | cut -d: -f2-
  "id": "a\"\\\u000a::error::\u001b\u009b",
  "name": "a\"\\\u000a::error::\u001b\u009b",
 ./a"\?::error::???.onnx: note: the file has no dropout
