# Tests how nncost finds and reads files, and the messages about files with faults.

# Tests a missing file, a folder, an empty file, and files that are not JSON.
$ nncost estimate ./none.json round
! nncost: ./none.json: cannot be opened, expected a readable file, found: No such file or directory
[4]
$ mkdir folder.json && nncost estimate folder.json round
! nncost: folder.json: contains no network, expected config.json, or model_index.json and unet/config.json or transformer/config.json, found neither
[4]
$ : >empty.json && nncost estimate empty.json round
! nncost: empty.json:1:1: bad syntax, expected a value, found the end of the text
[3]
$ echo 'layers: 12' >model.json && nncost estimate model.json round
! nncost: model.json:1:1: bad syntax, expected a value, found layers
[3]
$ printf '\377\376{\0}\0' >model.json && nncost estimate model.json round
! nncost: model.json: text in UTF-16, expected UTF-8
[3]
$ printf '\376\377\0i\0d' >rows.csv && nncost accuracy rows.csv
! nncost: rows.csv: text in UTF-16, expected UTF-8
[3]

# Tests a file that is cut off, and a file with text after the last brace.
$ head -c 200 toy/models/dense.json >cut.json && nncost estimate cut.json round
! nncost: cut.json:11:12: bad syntax, expected '"' at the end of a text, found the end of the text
[3]
$ cp toy/models/dense.json . && echo more >>dense.json && nncost estimate dense.json round
! nncost: dense.json:28:1: bad syntax, expected nothing after the last brace, found more
[3]

# The message about a syntax error has its line and column.
$ try() { printf "$1" >x.json; nncost estimate x.json round; }
> try '{ "a": tru }'; try '{ "a": 01 }'; try '{ "a": 1. }'; try '{ "a": "\\x" }'; try '{ "a": "\\u12g4" }'
> try '{ "a" 1 }'; try '{ "a": 1, }'; try '{ "a": [1 2] }'; try '{ "a": "tab	" }'; try '{ "a": 1 "b": 2 }'; try '[1, ]'
! nncost: x.json:1:8: bad syntax, expected a value, found tru
! nncost: x.json:1:8: bad number, expected one such as 12, -0.5 or 3e9, found 01
! nncost: x.json:1:8: bad number, expected one such as 12, -0.5 or 3e9, found 1.
! nncost: x.json:1:9: bad escape in text, expected one of \" \\ \/ \b \f \n \r \t \u, found '\'
! nncost: x.json:1:9: bad escape in text, expected four hexadecimal digits after \u, found '\'
! nncost: x.json:1:7: bad syntax, expected ':' after a key, found '1'
! nncost: x.json:1:11: bad syntax, expected a key in quotes, found '}'
! nncost: x.json:1:11: bad syntax, expected ',' or ']', found '2'
! nncost: x.json:1:12: raw control character in text, expected an escape such as \n, found byte 0x09
! nncost: x.json:1:10: bad syntax, expected ',' or '}', found '"'
! nncost: x.json:1:5: bad syntax, expected a value, found ']'
[3]

# Tests files of a wrong kind.
$ nncost estimate toy/hw/round.json round
! nncost: toy/hw/round.json:2: schema: unknown schema, expected "nncost.model/1", found "nncost.device/1"
[3]
$ nncost estimate dense toy/models/dense.json
! nncost: toy/models/dense.json:6: family: unknown key, expected a key of the device, found "family"
[3]
$ nncost estimate dense round --cluster toy/hw/round.json
! nncost: toy/hw/round.json:2: schema: unknown schema, expected "nncost.cluster/1", found "nncost.device/1"
[3]
$ nncost estimate dense round --cluster none.json
! nncost: --cluster: none.json: cannot be opened, expected a readable file, found: No such file or directory
[4]

# Tests a fraction for a whole number, a number out of range, a text for a number, a repeated key and an unknown key.
$ sed 's/"layers": 8/"layers": 8.5/' toy/models/dense.json >dense.json; nncost estimate dense.json round
! nncost: dense.json:7: layers: not a whole number, expected a whole number, found 8.5
[3]
$ sed 's/"layers": 8/"layers": -8/' toy/models/dense.json >dense.json; nncost estimate dense.json round
! nncost: dense.json:7: layers: out of range, expected at least 1, found -8
[3]
$ sed 's/"layers": 8/"layers": "8"/' toy/models/dense.json >dense.json; nncost estimate dense.json round
! nncost: dense.json:7: layers: wrong type, expected a whole number from 1 to 100000, found "8"
[3]
$ sed 's/"layers": 8/"layers": 8, "layers": 9/' toy/models/dense.json >dense.json; nncost estimate dense.json round
! nncost: dense.json:7: layers: repeated key, expected each key once, found this key again
[3]
$ sed 's/"layers"/"layer"/' toy/models/dense.json >dense.json; nncost estimate dense.json round
! nncost: dense.json:7: layer: unknown key, expected a key of the decoder, perhaps "layers", found "layer"
[3]

# A name with "/" or with the ending ".json" is a path. A file outside of the folders hw/, models/ ... may have any
# name.
$ cp toy/models/dense.json my.json; cp toy/hw/round.json board.json
$ nncost estimate my.json ./board.json --brief
One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute
(64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.
$ mkdir hw; cp board.json hw/; nncost estimate dense hw/board.json
! nncost: hw/board.json:3: id: not the name of the file, expected "board", found "round"
[3]
$ sed 's/"layers"/"layer"/' my.json >wrong.json; nncost estimate wrong.json round
! nncost: wrong.json:7: layer: unknown key, expected a key of the decoder, perhaps "layers", found "layer"
[3]
$ sed -i 's/"dense"/"my"/' my.json; sed -i 's/"round"/"board"/' board.json
$ nncost estimate my.json ./board.json --full --full | head -2
model     my.json = my, A small decoder, decoder, 107,106,000 parameters
device    ./board.json = board, A device of round figures, 100.0 TFLOP/s bf16, 1.000 TB/s,

# An id is searched in the folders of $NNCOST_PATH. If the file with the alias has a fault, the message names this file.
$ mkdir -p mine/models; sed 's/"dense"/"mine"/; s/"small"/"tiny"/' toy/models/dense.json >mine/models/mine.json
$ NNCOST_PATH=mine:toy nncost estimate tiny round --full --full | head -1
model     tiny = mine, A small decoder, decoder, 107,106,000 parameters
$ sed -i 's/"layers"/"layer"/' mine/models/mine.json; NNCOST_PATH=mine:toy nncost estimate tiny round
! nncost: mine/models/mine.json:7: layer: unknown key, expected a key of the decoder, perhaps "layers", found "layer"
[3]
$ NNCOST_PATH=mine nncost estimate dense round
! nncost: MODEL: unknown model, expected one of mine, found "dense"
[3]
$ NNCOST_PATH= nncost estimate dense round
! nncost: MODEL: unknown model, expected files in the models folder of NNCOST_PATH or of the installed data, found none
[3]

# In a table of names, one name can stand for another. A name that leads back to itself is refused.
$ mkdir -p ring/foreign/names; echo '{ "schema": "nncost.members/1", "note": "a test", "members": { "one": "two hidden=8", "two": "one" } }' >ring/foreign/names/members.json
$ NNCOST_PATH=ring:toy nncost estimate one round
! nncost: foreign/names/members.json: "one" refers to itself
[3]

# Control characters of a terminal, and characters that change the direction of text, are replaced in tables. JSON has
# them as escapes.
$ printf 's/"A small decoder"/"=a\302\233b\342\200\256c\\\\u001bd"/' >slip.sed; sed -f slip.sed toy/models/dense.json >slip.json; sed -i 's/"id": "dense"/"id": "slip"/' slip.json
$ nncost estimate slip.json round --full --full | head -1
model     slip.json = slip, =a?b?c?d, decoder, 107,106,000 parameters
$ nncost estimate slip.json round --full --full --format markdown | head -1
- **model**: slip.json = slip, =a?b?c?d, decoder, 107,106,000 parameters
$ nncost estimate slip.json round --format json | grep -m1 '"name"'
  "model": {"id": "slip", "name": "=a\u009bb\u202ec\u001bd", "family": "decoder", "params": 107106000, "active_params": 107106000, "matmul_params": 106106000, "params_by_group": {"embedding": 11000000, "attention": 32032000, "mlp": 64040000, "norm": 34000}},
$ mkdir -p mine/models; cp slip.json mine/models; NNCOST_PATH=mine:toy nncost list models --format csv | grep slip | cut -d, -f1,2
slip,'=a b c d
$ nncost plot step slip.json round | grep -c "=a?b?c?d"
2

# The output changes names that a CI workflow reads as commands: "::" at the beginning of a line, and "##[" anywhere.
$ printf 's/"A small decoder"/"::error::a ##[error]b ##vso[c] ## d"/' >slip.sed; sed -f slip.sed toy/models/dense.json >slip.json; sed -i 's/"id": "dense"/"id": "slip"/' slip.json
$ nncost estimate slip.json round --full --full | head -1
model     slip.json = slip, ?:error::a ?#[error]b ?#vso[c] ## d, decoder, 107,106,000 parameters
$ nncost estimate slip.json round --format json | grep -o '"name": "::[^"]*"'
"name": "::error::a \u0023#[error]b \u0023#vso[c] ## d"
$ cp inputs/conv.onnx '::c##[d].onnx'; nncost estimate '::c##[d].onnx' round --format csv | tail -1 | cut -d, -f1
'::c #[d].onnx
$ nncost plot step slip.json round | grep -c '##\['
0
[1]

# Plan files may be larger than 16 MB, the limit for all other files.
$ head -c 17000000 /dev/zero | tr '\0' ' ' | cat inputs/plans.json - >large.json; nncost validate large.json; nncost check large.json | head -1; nncost validate large.json | wc -l
large.json: ok
large.json: 2 estimated; 4 of 4 requirements met
1
$ tr '\0' ' ' </dev/zero | head -c 17000000 | cat toy/models/dense.json - >large.json; nncost validate large.json
! nncost: large.json: too large, expected at most 16 MB, found more
[3]

# A cluster file without the bandwidth of its links is refused.
$ sed 's/"bytes_per_s": [0-9.e]*, *"latency_s"/"latency_s"/' toy/clusters/pod.json >pod.json; nncost estimate dense round --cluster pod.json
! nncost: pod.json:6: scale_up.bytes_per_s: missing, expected the bandwidth of one device, found nothing
[3]

# An error of the operating system is reported with its own exit code. Control characters that a user typed are not
# printed. A file that is too large is refused before nncost reads all of it.
$ mkdir bad; ln -s hw bad/hw; NNCOST_PATH=bad:$NNCOST_PATH nncost estimate dense rond
! nncost: bad/hw/rond.json: cannot be read: Too many levels of symbolic links
[4]
$ nncost estimate dense round --set "$(printf '\033[31m\342\200\213=1')"
! nncost: --set ?[31m???: no such field of plan, model or device
[2]
$ truncate -s 1G large.json; nncost estimate large.json round; nncost validate large.json; nncost diff large.json large.json
! nncost: large.json: too large, expected at most 16 MB, found more
! nncost: large.json: too large, expected at most 16 MB, found more
! nncost: large.json: too large, expected at most 16 MB, found more
[3]
