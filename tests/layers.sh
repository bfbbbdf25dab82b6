#!/usr/bin/env bash
# Fails when a source file includes a room that it must not see (see CONTRIBUTING.md, "Finding the
# place"), when two files of src/ share a name, or when an object file needs a symbol of such a room: a
# public header, or a declaration of its own, would let it call upwards.
# usage: layers.sh ROOT [OBJECTS]    OBJECTS: the folder that holds nncost_<room>.dir/
set -euo pipefail
export LC_ALL=C

objects=${2:+$(readlink -f "$2")}
cd "${1:?usage: layers.sh ROOT [OBJECTS]}"
faults=0

# What each room may include besides itself, base/ and the public headers. The core is a list of
# layers: a room sees all those to its left.
core=(op graph shape parallel cost pipeline estimate memo serve run metrics)
declare -A sees=([base]="" [input]="metrics graph" [render]="metrics")
for ((i = 0; i < ${#core[@]}; i++)); do
    sees[${core[i]}]=${core[*]:0:i}
done
engine="${core[*]} input render"
sees[sweep]=$engine
sees[search]="$engine sweep"
sees[record]=$engine
# The library ends here. store, explain, plot and lab are the program's own.
sees[onnx]="op input"
sees[store]="render sweep"
sees[plot]="$engine sweep search record"
sees[explain]="$engine sweep search record"
sees[lab]="$engine sweep search record"
sees[cli]="$engine sweep search record store explain plot lab onnx"

# Libraries that one file alone knows.
declare -A only=(["cjson/"]=input/json.c ["nlopt.h"]=lab/minimise.c)

fault() # where what
{
    echo "$1: $2"
    faults=$((faults + 1))
}

check_include() # path below src/, line number, include line
{
    local file=$1 where=src/$1:$2 line=$3 room=${1%%/*} path="" to prefix
    [[ $line =~ [\<\"]([^\>\"]*) ]] && path=${BASH_REMATCH[1]}
    for prefix in "${!only[@]}"; do
        [[ $line != *"<$prefix"* || $file == "${only[$prefix]}" ]] ||
            fault "$where" "only ${only[$prefix]} includes <$path>"
    done
    [[ $line == *\"* ]] || return 0 # the system and the public headers
    if [[ ! -f src/$path ]]; then
        fault "$where" "\"$path\" is not a path below src/"
        return
    fi
    to=${path%%/*}
    [[ $to == "$room" || $to == base || " ${sees[$room]} " == *" $to "* ]] ||
        fault "$where" "$room must not include $to (\"$path\")"
    # Two subjects of the command line do not see each other's views and commands.
    if [[ $file == cli/*/* && $path == cli/*/* && ${file%/*} != "${path%/*}" ]]; then
        [[ -z ${strict_cli:-} ]] || fault "$where" "${file%/*} must not include ${path%/*}"
    fi
}

count=0
while read -r file; do
    count=$((count + 1))
    if [[ $file != */* || -z ${sees[${file%%/*}]+set} ]]; then
        fault "src/$file" "room '${file%/*}' has no place in the layers"
        continue
    fi
    while IFS=: read -r number line; do
        check_include "$file" "$number" "$line"
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "src/$file")
done < <(find src -name '*.[ch]' -printf '%P\n' | sort)

while read -r name; do
    fault "src" "the name $name stands twice: $(find src -name "$name" -printf '%P ')"
done < <(find src -name '*.[ch]' -printf '%f\n' | sort | uniq -d)

# Public headers stand alone: the system and each other.
while IFS=: read -r file number line; do
    fault "$file:$number" "a public header includes <nncost/...> and the system only: $line"
done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<(cjson/|nlopt|base/|input/))' \
    -r include || true)

# "D room symbol" for each definition, "U room file symbol" for each need. Objects whose source is gone
# are left from an earlier build.
list_symbols()
{
    local room object
    for room in "${!sees[@]}"; do
        [[ -d $objects/nncost_$room.dir/$room ]] || continue
        while read -r object; do
            [[ ! -f src/${object%.o} ]] || printf '%s\n' "$objects/nncost_$room.dir/$object"
        done < <(cd "$objects/nncost_$room.dir" && find "$room" -name '*.o') | xargs -r nm -A -g |
            sed -nE -e "s#^.*/([^/:]*)\\.o: +U (nnc_.*)#U $room \\1 \\2#p" \
                -e "s#^.*\\.o:[0-9a-f]+ [A-Z] (nnc_.*)#D $room \\1#p"
    done | sort
}

# "where needs symbol of room" for each call that points the wrong way. The texts, defaults and limits of
# public types are told to any room by the one that owns them.
wrong_calls()
{
    local room allowed=
    sees[render]=${core[*]} # asks public functions of the core for an op's shape and its intensity
    for room in "${!sees[@]}"; do
        allowed+="$room base $room ${sees[$room]};"
    done
    awk -v allowed="$allowed" '
        BEGIN {
            rooms = split(allowed, list, ";")
            for (i = 1; i <= rooms; i++) {
                names = split(list[i], name, " ")
                for (k = 2; k <= names; k++) may[name[1], name[k]] = 1
            }
        }
        $1 == "D" { home[$3] = $2 }
        $4 ~ /_(name|help|text|default|init)$|^nnc_(plan|software|run_ask|serve_ask)_check$/ { next }
        $1 == "U" && ($4 in home) && !(($2, home[$4]) in may) { print $2, $3, $4, home[$4] }'
}

((count > 0)) || fault src "no source files found"
if [[ -n $objects ]]; then
    symbols=$(list_symbols)
    [[ -n $symbols ]] || fault "$objects" "no symbols found"
    while read -r room file symbol home; do
        fault "src/$room/$file" "$room must not call $home ($symbol)"
    done < <(wrong_calls <<<"$symbols")
fi
if ((faults > 0)); then
    echo "layers: $faults fault(s)"
    exit 1
fi
echo "layers: $count files, every arrow points where it may"
