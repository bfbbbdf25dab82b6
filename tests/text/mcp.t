# 'nncost mcp' offers the commands as tools of the Model Context Protocol. Each line is one JSON-RPC message.

$ cat > in <<'END'
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":"two","method":"ping"}
> {"jsonrpc":"2.0","id":3,"method":"nothing"}
> not json
> END
$ nncost mcp < in
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"nncost","version":"VERSION"},"instructions":"nncost predicts time, memory and cost of training steps and of serving, without a GPU. model: an id, a name of the Hugging Face hub or the path of a config.json; device: a common name such as h100. Options go into \"options\", as in {\"devices\": 8, \"zero\": 3}; advice in answers names options as on a command line: --micro-batch 4 is {\"micro_batch\": 4}. The tool \"help\" explains a command or an option; \"list\" finds ids. An answer is about 2 kB; \"fields\" selects the members of the answer. _s is seconds, _bytes bytes, interval_s the 90 % range."}}
{"jsonrpc":"2.0","id":"two","result":{}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no such method"}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad syntax, expected a value, found not"}}

# Lists the tools.
$ echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | nncost mcp | grep -o '"name":"[a-z]*"'
"name":"estimate"
"name":"advise"
"name":"fit"
"name":"compare"
"name":"search"
"name":"scale"
"name":"limit"
"name":"run"
"name":"serve"
"name":"budget"
"name":"ops"
"name":"op"
"name":"explain"
"name":"check"
"name":"diff"
"name":"trace"
"name":"watch"
"name":"accuracy"
"name":"list"
"name":"show"
"name":"validate"
"name":"help"

# The tool "estimate" gives the answer of the command. A refused option is an error of the tool. One session with the
# server can have several calls of tools.
$ cat > in <<'END'
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"Dense","device":"round","options":{"devices":2,"zero":3,"micro_batch":2,"sequence_parallel":false,"set":["layers=4"]},"fields":["all"]}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"rond"}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","options":{"micro-bach":2}}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","options":{"output":"x"}}}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"-","device":"round"}}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"rm","arguments":{}}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"explain","arguments":{"name":"mfu"}}}
> END
$ nncost mcp < in > out; sed -n '2,6p' out
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"DEVICE: unknown device, expected one of fitted, old, round, nearest \"round\", found \"rond\""}],"isError":true}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"--micro-bach: unknown option, did you mean --micro-batch?"}],"isError":true}}
{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"--output: is not allowed in a tool call, because the answer of the call is the output"}],"isError":true}}
{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"model: cannot be standard input or a pipe, because standard input contains the messages to the server"}],"isError":true}}
{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"name: no such tool, see tools/list"}],"isError":true}}
$ python3 -c "import json; print(json.loads(open('out').readline())['result']['content'][0]['text'], end='')" > a; nncost estimate dense round --devices 2 --zero 3 --micro-batch 2 --set layers=4 -f json > b; sed 's/Dense/dense/' a | diff - b | head -4
$ sed -n 7p out | cut -c1-120
{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"schema\":\"nncost.explain/1\",\"quantity\":\"mfu\

# No spelling of an option can write a file or read a pipe. The options must be an object. Numbers keep their digits.
$ ask() { printf '{"jsonrpc":"2.0","id":1234567890123,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","options":%s}}}\n' "$1"; }
> for options in '{"--trace":"t"}' '{"TRACE":"t"}' '{"trace=t":true}' '{"cluster":"-"}' '"devices"' '["devices"]' '{"devices":{}}' '{"tokens":1234567890123.5}'; do ask "$options"; done > in
$ nncost mcp < in | sed -E 's/.*("id":[^,]*).*"text":"(.*)"isError":(.*)}}/\1 \2 \3/' | cut -c1-150; ls t 2>&1
"id":1234567890123 --trace: is not allowed in a tool call, because the answer of the call is the output"}], true
"id":1234567890123 --trace: is not allowed in a tool call, because the answer of the call is the output"}], true
"id":1234567890123 options: tools do not have this option, found \"trace=t\""}], true
"id":1234567890123 cluster: expected a number, a text, true, false or a list of these values; a text cannot be the path of a pipe"}], true
"id":1234567890123 options: wrong type, expected an object such as {\"devices\": 8, \"zero\": 3}"}], true
"id":1234567890123 options: wrong type, expected an object such as {\"devices\": 8, \"zero\": 3}"}], true
"id":1234567890123 devices: expected a number, a text, true, false or a list of these values; a text cannot be the path of a pipe"}], true
"id":1234567890123 {\"sentence\":\"One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute (64.1% of the time)
ls: cannot access 't': No such file or directory
[2]

# Unknown names are refused, with the probable name: options outside of "options", misspelt members, and a misspelt
# tool.
$ cat > in <<'END'
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","devices":64,"zero":3}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","micro-bach":2}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"estimate","arguments":{"modle":"dense","device":"round"}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"estimat","arguments":{"model":"dense","device":"round"}}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"estimate","argument":{"model":"dense","device":"round"}}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"list","arguments":{"what":"devices","unheard":3}}}
> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"estimate","arguments":["dense","round"]}}
> END
$ nncost mcp < in | grep -o '"text".*'
"text","text":"arguments: unknown member, expected \"devices\" inside \"options\", found \"devices\""}],"isError":true}}
"text","text":"arguments: unknown member, expected \"micro_batch\" inside \"options\", found \"micro-bach\""}],"isError":true}}
"text","text":"arguments: unknown member, did you mean \"model\"?, found \"modle\""}],"isError":true}}
"text","text":"name: no such tool, did you mean \"estimate\"?"}],"isError":true}}
"text","text":"params: unknown member, expected \"arguments\", found \"argument\""}],"isError":true}}
"text","text":"arguments: unknown member, expected a member that tools/list describes, found \"unheard\""}],"isError":true}}
"text","text":"arguments: wrong type, expected an object"}],"isError":true}}
$ echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | nncost mcp | python3 -c "
> import json, sys
> tool = json.load(sys.stdin)['result']['tools'][0]['inputSchema']
> options = tool['properties']['options']
> print(tool['additionalProperties'], options['additionalProperties'], options['properties']['micro_batch'], options['properties']['dora'], 'output' in options['properties'])"
False False {'type': ['number', 'string']} {'type': 'boolean'} False

# A name that is longer than any path is not searched as a file.
$ python3 -c "print('{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"estimate\",\"arguments\":{\"model\":\"' + '/' * 5000 + 'dev/stdin\",\"device\":\"round\"}}}')" | timeout 10 nncost mcp | grep -o '"text".*'
"text","text":"model: cannot be standard input or a pipe, because standard input contains the messages to the server"}],"isError":true}}

# By default, an answer has only the main members; "fields" selects more of them. The help of each command is a
# resource.
$ cat > in <<'END'
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round"}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","fields":["step.forward_s","memory.fit"]}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"estimate","arguments":{"model":"dense","device":"round","fields":["step.foward_s"]}}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"ops","arguments":{"model":"dense","device":"round"}}}
> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"nncost://help/op"}}
> {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"nncost://help/opp"}}
> END
$ nncost mcp < in | cut -c1-420
{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"sentence\":\"One step of A small decoder takes 10.80 ms on A device of round figures and is bound by compute (64.1% of the time); it fits: 1.782 GB of 10.00 GB per device.\",\"plan\":{\"software\":\"torch-compile\"},\"step\":{\"step_s\":0.010795756,\"interval_s\":[null,null],\"lower_bound_s\":0.00692056,\"upper_bound_s\":0.0127665588,\"exposed_com
{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"step\":{\"forward_s\":0.002568168},\"memory\":{\"fit\":\"fits\"}}"}],"isError":false}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"fields: no such member of the answer, did you mean \"step.forward_s\"?, found \"step.foward_s\""}],"isError":true}}
{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\"ops\":[{\"name\":\"optimizer\",\"phase\":\"update\",\"repeat\":1,\"shape\":\"params=107106000\",\"time_s\":0.002998968,\"share\":0.277791383948,\"bound\":\"memory\"},{\"name\":\"mlp.up\",\"phase\":\"forward\",\"repeat\":8,\"shape\":\"m=1000 n=4000 k=1000\",\"time_s\":8e-5,\"share\":0.0592825551078,\"bound\":\"compute\"},{\"name\":\"mlp.down\",\"ph
{"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"nncost://help/op","mimeType":"text/plain","text":"usage: nncost op KIND DIMS DEVICE [options]\u000a\u000aA single op: its work, its roofline and its time.\u000a\u000aKIND and DIMS are one of: matmul [BATCHx]MxNxK; attention BATCHxHEADSxTOKENSxWIDTH[xKV_HEADS]\u000a(causal and one kernel, see --kernel and --unmasked); conv\u000aBATCHxINxHEIGHTxWIDTHxOUTxKERNEL[xSTR
{"jsonrpc":"2.0","id":6,"error":{"code":-32002,"message":"no such resource, see resources/list"}}

# The tool "explain" needs both a model and a device, or neither. The tool "ops" sorts ops by time, the longest first.
$ ask() { printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"; }
> { ask explain '{"name":"mfu","model":"dense","device":"round"}'; ask explain '{"name":"mfu","model":"dense"}'; ask ops '{"model":"dense","device":"round","options":{"top":2}}'; ask ops '{"model":"dense","device":"round","options":{"top":2,"sort":"order"}}'; } > in
$ nncost mcp < in | sed -n 's/.*"text":"\(.*\)"}],"isError":\([a-z]*\).*/\2 \1/p' | tr -d '\\' | sed 's/.*"value": *\([0-9.]*\).*/\1/' | cut -c1-150
false {"schema":"nncost.explain/1","quantity":"mfu","lines":[{"of":"step","name":"mfu","kind":"formula","formula":"model_flops / (step_s * devices * p
true device: missing, expected text
false {"ops":[{"name":"optimizer","phase":"update","repeat":1,"shape":"params=107106000","time_s":0.002998968,"share":0.277791383948,"bound":"memory"}
false {"ops":[{"name":"embed.tokens","phase":"forward","repeat":1,"shape":"tokens=1000 width=1000","time_s":4.008e-6,"share":0.000371257001362,"bound"

# "help" is a tool, because some clients do not read resources. The tool "list" selects names that contain a text.
$ ask() { printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"; }
> { ask help '{"command":"op","option":"kernel"}'; ask help '{"command":"op","option":"--kernl"}'; ask help '{"command":"opp"}'; ask help '{"command":"op","fields":["all"]}'; ask help '{"option":"kernel"}'; ask list '{"what":"models","text":"dens"}'; ask list '{"what":"devices","text":"nothing"}'; ask help '{"command":"op"}'; } > in
$ nncost mcp < in | sed -n 's/.*"text":"\(.*\)"}],"isError":\([a-z]*\).*/\2 \1/p' | tr -d '\\' | cut -c1-120
false --kernel NAME: Kernel of attention: flash, cudnn, efficient or math as PyTorch names them, or flash1 to flash3. [f
true option: no such option of this command, did you mean "kernel"?, found "--kernl"
true command: unknown command, expected one such as "ops", found "opp"
true arguments: unknown member, expected a member that tools/list describes, found "fields"
true command: missing, expected text
false {"models":[{"id":"dense"}]}
true nothing: no id and no name contains this text, 'nncost list devices' lists all
false usage: nncost op KIND DIMS DEVICE [options]u000au000aA single op: its work, its roofline and its time.u000au000aKI
$ echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | nncost mcp | python3 -c "
> import json, sys
> tools = {one['name']: one for one in json.load(sys.stdin)['result']['tools']}
> print(all(one['annotations']['readOnlyHint'] for one in tools.values()), list(tools['help']['inputSchema']['properties']), tools['list']['inputSchema']['required'])"
True ['command', 'option'] ['what']

# For commands that compare values, the server joins a list of values by commas. Members such as "serve" select the
# forms of a command for serving and for several sizes. The tool "validate" returns the faults of a file as its answer.
$ ask() { printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2"; }
> echo '{"schema": "nncost.model/1", "id": "x", "like": "dense", "layrs": 3}' > bad.json
> { ask compare '{"model":"dense","device":"round","options":{"micro_batch":[1,2]}}'; ask compare '{"model":"dense","device":"round","options":{"micro_batch":[[1],2]}}'; ask estimate '{"model":"dense","device":"round","options":{"micro_batch":[1,2]}}'; ask compare '{"model":"dense","device":"round","options":{"serve":true,"batch":[1,2],"input_len":500,"output_len":100}}'; ask search '{"model":"dense","device":"round","options":{"devices":[1,2],"global_batch":4}}'; ask search '{"model":"dense","device":"round","options":{"serve":true,"slo":"ttft_s<=1","request_rate":1,"input_len":500,"output_len":100}}'; ask validate '{"file":"./bad.json"}'; } > in
$ nncost mcp < in | sed -n 's/.*"text":"\(.*\)"}],"isError":\([a-z]*\).*/\2 \1/p' | tr -d '\\' | grep -o -e '^[a-z]* {"[a-z]*"' -e '^[a-z]* [a-z_./-]*:.*' -e 'micro-batch [0-9]' -e '"batch":[0-9]' -e '"ttft_s"' -e '"devices":[0-9],"best"' -e '"best":{"step_s"' | sort | uniq -c | sed 's/^ *//'
1 "batch":1
1 "batch":2
1 "devices":1,"best"
1 "devices":2,"best"
4 "ttft_s"
1 false ./bad.json:1: layrs: unknown key, expected a key of the decoder, perhaps "layers", found "layrs"u000a
1 false {"deployments"
1 false {"legal"
2 false {"rows"
3 micro-batch 1
1 micro-batch 2
1 true --micro-batch: given twice, as "1" and as "2"
1 true micro_batch: expected a number, a text, true, false or a list of these values; a text cannot be the path of a pipe
