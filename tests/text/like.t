# Tests the keys with which a file takes values from elsewhere: "like", "same_as" and "references".

# A device file with "like" contains only the values that differ from the device that "like" names. The table of 'nncost
# show' names the file of each value.
$ cat > toy/hw/mine.json <<'END'
> {
>   "schema": "nncost.device/1", "id": "mine", "name": "Faster memory",
>   "like": "fitted",
>   "references": { "letter": "the maker's letter of May" },
>   "mem_bytes_per_s": 3e12,
>   "scale_up": { "devices": 4 },
>   "sources": { "mem_bytes_per_s": "@letter, page 2", "scale_up": "what we bought (@letter)" }
> }
> END
$ nncost validate toy/hw/mine.json
toy/hw/mine.json: ok
$ nncost show mine | grep -E '^(field|id|vendor|mem_bytes|scale_up\.(kind|dev)|efficiency.(basis|gemm.fp16.k_fill|calib))'
field                                                   value          unit                   from
id                                                      mine                                  mine
vendor                                                  none                                  fitted
mem_bytes                                               20000000000    B            20.00 GB  fitted
mem_bytes_per_s                                         3e12           B/s        3.000 TB/s  mine
scale_up.kind                                           switch                                fitted
scale_up.devices                                        4                                     mine
efficiency.basis                                        default                               fitted
efficiency.calibration                                  1                                     -
efficiency.gemm.fp16.k_fill                             100                                   fitted
$ nncost show mine | grep ^source | head -5
source    mem_bytes_per_s: the maker's letter of May, page 2
source    scale_up: what we bought (the maker's letter of May)
source    made up
source    mem_bytes: made up
source    mem_bytes: label 20 GB
$ nncost show mine --format csv | sed -n '1,4p'
field,value,unit,from\r
id,mine,,mine\r
name,Faster memory,,mine\r
vendor,none,,fitted\r
$ nncost show mine --format json | grep -E '"(mem_bytes|mem_bytes_per_s|units)"'
    {"field": "units", "value": 100, "unit": null, "from": "fitted"},
    {"field": "mem_bytes", "value": 20000000000, "unit": "B", "from": "fitted"},
    {"field": "mem_bytes_per_s", "value": 3e12, "unit": "B/s", "from": "mine"},
    {"key": "mem_bytes_per_s", "text": "the maker's letter of May, page 2"},
    {"key": "mem_bytes", "text": "made up"},
    {"key": "mem_bytes", "text": "label 20 GB"},
$ nncost estimate dense mine --set device.power_w=100 --format json | grep -E '"device": \{"id"' | cut -c 1-60
  "device": {"id": "mine", "name": "Faster memory", "peak_fl

# If a device inherits from a file that inherits from a second file, a value is taken from the nearest file that has it.
# Aliases are not inherited.
$ cat > toy/hw/a.json <<'END'
> { "schema": "nncost.device/1", "id": "a", "name": "A", "like": "fit", "year": 2030, "power_w": 700,
>   "sources": { "year": "a", "power_w": "a" } }
> END
$ echo '{ "schema": "nncost.device/1", "id": "b", "name": "B", "like": "a", "year": 2031, "sources": { "year": "b" } }' > toy/hw/b.json
$ nncost show b | grep -E '^(year|power_w|units|efficiency.basis|aliases)'
year                                                    2031                                 b
units                                                   100                                  fitted
power_w                                                 700           W                      a
efficiency.basis                                        steps                                fitted
$ nncost show fit | head -1
device    toy/hw/fitted.json

# If a device inherits efficiencies but its rates differ, the basis of the efficiencies becomes "default". A device with
# only another name or price needs no sources.
$ echo '{ "schema": "nncost.device/1", "id": "c", "name": "C", "like": "fitted", "prices": [{ "per_device_hour": 9, "currency": "USD", "date": "2026-01", "source": "an offer" }] }' > toy/hw/c.json
$ nncost show c | grep -E '^(efficiency.basis|price)'
efficiency.basis                                        steps                                fitted
price     9 USD per device-hour, -, 2026-01, an offer
$ echo '{ "schema": "nncost.device/1", "id": "d", "name": "D", "like": "c", "units": 50, "sources": { "units": "x" } }' > toy/hw/d.json
$ nncost show d | grep -E '^(efficiency.basis|units|price)'
units                                                   50                                   d
efficiency.basis                                        default                              fitted
price     9 USD per device-hour, -, 2026-01, an offer

# A file cannot give a value of its own to an efficiency and inherit the text "fitted_on" for it.
$ cat > toy/hw/e.json <<'END'
> { "schema": "nncost.device/1", "id": "e", "name": "E", "like": "fitted",
>   "efficiency": { "gemm": { "bf16": { "k_fill": 50 } } } }
> END
$ nncost validate toy/hw/e.json
! nncost: toy/hw/e.json:2: efficiency.gemm.bf16.fitted_on: missing, expected text, found nothing
[3]

# Tests "like" with an unknown id, a wrong type, a circle, a chain that is too long, and a path.
$ mk() { echo "{ \"schema\": \"nncost.device/1\", \"id\": \"$1\", \"name\": \"x\",
>  \"like\": $2 }" > toy/hw/$1.json; }
> mk f '"fited"'; mk g '5'; mk h '"dense"'; mk i '"j"'; mk j '"i"'; mk k '"./k.json"'
> nncost validate toy/hw/[fghik].json
! nncost: toy/hw/f.json:2: like: unknown device, expected one of f, fitted, g, h, i, j, k, old, round, nearest "fitted", found "fited"
! nncost: toy/hw/g.json:2: like: wrong type, expected the id of another file, found 5
! nncost: toy/hw/h.json:2: like: "dense" is a model, expected a device here
! nncost: toy/hw/j.json:2: like: a circle, expected a file that does not inherit from this file, found "i"
! nncost: toy/hw/././././k.json:2: like: too long a chain, expected at most 4 files that inherit from each other
[3]
$ mk() { echo "{ \"schema\": \"nncost.device/1\", \"id\": \"$1\", \"name\": \"x\",
>  \"like\": \"$2\" }" > toy/hw/$1.json; }
> mk l m; mk m n; mk n o; mk o p; mk p fitted; mk q ./fitted.json
> nncost validate toy/hw/[lmq].json
! nncost: toy/hw/p.json:2: like: too long a chain, expected at most 4 files that inherit from each other
[3]

# A fault in the inherited file is reported at its place in that file. If a new key contradicts an inherited key, the
# message names the new key.
$ sed -i 's/"units": 100/"units": -1/' toy/hw/fitted.json
$ cat > toy/hw/r.json <<'END'
> { "schema": "nncost.device/1", "id": "r", "name": "R",
>   "like": "fitted" }
> END
$ nncost validate toy/hw/r.json
! nncost: toy/hw/fitted.json:9: units: out of range, expected at least 1, found -1
[3]
$ sed -i 's/"units": -1/"units": 100/; s/"switch", "devices": 8/"torus", "dims": [2, 4], "wrap": [true, true], "devices": 8/' toy/hw/fitted.json
$ cat > toy/hw/s.json <<'END'
> { "schema": "nncost.device/1", "id": "s", "name": "S",
>   "like": "fitted",
>   "scale_up": { "devices": 4 }, "sources": { "scale_up": "s" } }
> END
$ nncost validate toy/hw/fitted.json toy/hw/s.json
! nncost: toy/hw/s.json:3: scale_up.devices: is not the product of dims, expected 8, found 4
[3]

# Models and software profiles can also use "like". A file with "like" does not inherit the published parameter count
# and the spread, because these values belong to the file that "like" names.
$ echo '{ "schema": "nncost.model/1", "id": "deep", "name": "Deep", "like": "dense", "layers": 16, "sources": { "layers": "twice" } }' > toy/models/deep.json
$ nncost show deep | grep -E '^(layers|hidden|published)'
published_params   -                          -
layers             16                         deep
hidden             1000                       dense
$ nncost estimate deep round --full --full | sed -n 1p
model     deep, Deep, decoder, 203,210,000 parameters
$ echo '{ "schema": "nncost.software/1", "id": "slow", "name": "Slow", "like": "eager", "launch_s": 1e-3, "sources": { "launch_s": "x" } }' > toy/software/slow.json
$ nncost show slow | grep -E '^(launch_s|fused_norm|spread.steps)'
launch_s                    0.001     s     1.000 ms  slow
fused_norm                  off                       eager

# 'nncost check' finds a change in a file that another file inherits from.
$ echo '{ "schema": "nncost.device/1", "id": "t", "name": "T", "like": "round" }' > toy/hw/t.json
$ echo '{ "schema": "nncost.plans/1", "scenarios": [{ "id": "one", "model": "dense", "device": "t" }] }' > p.json
$ nncost check p.json --update > /dev/null; nncost check p.json | head -2
p.json: 1 as recorded
$ sed -i 's/"mem_bytes_per_s": 1e12/"mem_bytes_per_s": 5e11/' toy/hw/round.json
$ nncost check p.json | grep -E 'device|one'
p.json:1: one: moved
  why     device file: the content of t has changed
device.critical_tokens                 100            200   +100%
device.ridge_flops_per_byte   100.0 FLOP/B   200.0 FLOP/B   +100%
device.mem_bytes_per_s          1.000 TB/s     500.0 GB/s    -50%

# "same_as" takes the values of a neighbour object, and a note gives the reason.
$ cat > t.sed <<'END'
> s/"fp16": { "sustained_fraction".*/"fp16": { "same_as": "bf16", "note": "one unit does both", "fitted_on": "made up; bf16 rows" },/
> s/"flash3": { "sus.*/"flash3": { "same_as": "flash2", "sustained_fraction": 0.9, "fitted_on": "guessed" }/
> s/"reduce_scatter": .*/"reduce_scatter": { "same_as": "all_gather" },/
> END
$ nncost show fitted > before; sed -i -f t.sed toy/hw/fitted.json; nncost show fitted | diff before -
141c141
< efficiency.attention.flash3.sustained_fraction         0.8
---
\> efficiency.attention.flash3.sustained_fraction         0.9
145c145
< efficiency.attention.flash3.seq_half                   1000
---
\> efficiency.attention.flash3.seq_half                   500
150c150
< efficiency.attention.flash3.block_penalty              0
---
\> efficiency.attention.flash3.block_penalty              0.5
238c238
< source    efficiency.attention.flash3: made up
---
\> source    efficiency.attention.flash3: guessed
[1]

# Tests "same_as" with an unknown name, a chain, the object itself, and a value that is not a name. A file as a whole
# cannot have the key "same_as", only an object in the file.
$ sed -i 's/"fp16": { "sus.*/"fp16": { "same_as": "bf61" },/; s/"fp8": { "sus.*/"fp8": { "same_as": "fp8" }/; s/"flash3": { .*/"flash3": { "same_as": 3 }/; s/"all_gather": { .*/"all_gather": { "same_as": "reduce_scatter" },/; s/"reduce_scatter": { .*/"reduce_scatter": { "same_as": "all_to_all" },/; s/"units"/"same_as": "round", "units"/; s/"scale_out": { /"scale_out": { "same_as": "scale_up", /' toy/hw/fitted.json
$ nncost validate toy/hw/fitted.json
! nncost: toy/hw/fitted.json:29: efficiency.gemm.fp16.same_as: unknown, expected the key of another object next to this one, found "bf61"
! nncost: toy/hw/fitted.json:30: efficiency.gemm.fp8.same_as: unknown, expected the key of another object next to this one, found "fp8"
! nncost: toy/hw/fitted.json:35: efficiency.attention.flash3.same_as: unknown, expected the key of another object next to this one, found 3
! nncost: toy/hw/fitted.json:42: efficiency.collectives.all_gather.same_as: a chain, expected an object with values of its own, found "reduce_scatter"
! nncost: toy/hw/fitted.json:9: same_as: unknown key, expected a key of the device, found "same_as"
! nncost: toy/hw/fitted.json:18: scale_out.kind: unknown key, expected a key of the scale_out, found "kind"
! nncost: toy/hw/fitted.json:18: scale_out.devices: unknown key, expected a key of the scale_out, found "devices"
! nncost: toy/hw/fitted.json:18: scale_out.reduces_in_switch: unknown key, expected a key of the scale_out, found "reduces_in_switch"
! nncost: toy/hw/fitted.json:29: efficiency.gemm.fp16.fitted_on: missing, expected text, found nothing
! nncost: toy/hw/fitted.json:30: efficiency.gemm.fp8.fitted_on: missing, expected text, found nothing
! nncost: toy/hw/fitted.json:35: efficiency.attention.flash3.fitted_on: missing, expected text, found nothing
! nncost: toy/hw/fitted.json:42: efficiency.collectives.all_gather.fitted_on: missing, expected text, found nothing
[3]

# Tests citations: an unknown key, a bad key, and a reference that is not a text. A '@' inside a word is not a citation.
$ cat > toy/hw/u.json <<'END'
> { "schema": "nncost.device/1", "id": "u", "name": "U", "like": "fitted",
>   "references": { "ds": "datasheet", "a b": "x", "n": 5 },
>   "units": 7,
>   "sources": { "units": ["@dss", "see @ds (or @ds2)", "me@example.org", "@"] } }
> END
$ nncost validate toy/hw/u.json
! nncost: toy/hw/u.json:2: references.a b: bad key, expected letters, digits, '-' and '_', found "a b"
! nncost: toy/hw/u.json:2: references.n: wrong type, expected text, found 5
! nncost: toy/hw/u.json:4: sources.units[0]: unknown reference, expected a key of "references", perhaps "@ds", found "@dss"
! nncost: toy/hw/u.json:4: sources.units[1]: unknown reference, expected a key of "references", perhaps "@ds", found "@ds2"
[3]
$ sed -i 's/"a b": "x", "n": 5/"n": "nothing"/; s/"@dss", //; s/@ds2/@n/' toy/hw/u.json
$ nncost show u | grep '^source.*units'
source    units: see datasheet (or nothing)
source    units: me@example.org
source    units: @
$ sed -i 's/"references": {[^}]*}/"references": []/' toy/hw/u.json
$ nncost validate toy/hw/u.json
! nncost: toy/hw/u.json:2: references: wrong type, expected an object of texts, found a list of 0
[3]

# A cluster file can also have "references".
$ sed -i 's/"sources": {/"references": { "us": "we built it" }, "sources": { "scale_out": "@us, @them",/' toy/clusters/pod.json
$ nncost validate toy/clusters/pod.json
! nncost: toy/clusters/pod.json:9: sources.scale_out: unknown reference, expected a key of "references", found "@them"
[3]

# The value null removes an inherited object or list.
$ cat > toy/hw/alone.json <<'END'
> { "schema": "nncost.device/1", "id": "alone", "name": "Alone", "like": "old", "scale_up": null, "scale_out": null,
>   "host": null, "prices": null, "sources": { "power_w": "x" }, "power_w": 90 }
> END
$ nncost validate toy/hw/alone.json
toy/hw/alone.json: ok
$ nncost show alone | grep -cE '^(scale_up.bytes_per_s|host.bytes_per_s) +[0-9]|^price'
0
[1]
