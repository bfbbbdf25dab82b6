#!/usr/bin/env bash
# Tests the layers of src/ (see CONTRIBUTING.md, "Finding the place"). Fails if a source file includes a header of a
# higher layer, if two files of src/ and include/ have the same name, or if an object file needs a symbol of a higher
# layer. The check of symbols finds calls to a higher layer through a public header or a local declaration.
#
#     base < fields < op < ... < metrics      the core: each folder sees those to its left
#     input, render                           readers and writers next to the core
#     scenario                                uses input and the core: what every command computes
#     sweep, search, record                   use all of these
#
# fields/ holds names, limits and defaults of public structs. fields/ is below the core, because the core fills in and
# checks public structs. scenario/ is above input/ and estimate/, because it loads files and computes estimates.
#
# usage: layers.sh ROOT [OBJECTS]    OBJECTS: the folder that holds nncost_<folder>.dir/
set -euo pipefail
export LC_ALL=C

objects=${2:+$(readlink -f "$2")}
cd "${1:?usage: layers.sh ROOT [OBJECTS]}"
faults=0

# Lists the folders that each folder may include, in addition to itself, base/ and the public headers. The core is a
# list of layers: each folder may include all folders to its left in this list.
core=(op graph shape cost pipeline estimate memo serve run metrics)
declare -A sees=([base]="" [fields]="" [input]="fields metrics graph" [render]="fields metrics")
for ((i = 0; i < ${#core[@]}; i++)); do
    sees[${core[i]}]="fields ${core[*]:0:i}"
done
engine="fields ${core[*]} input render scenario"
sees[scenario]="fields ${core[*]} input"
sees[sweep]=$engine
sees[search]="$engine sweep"
sees[record]=$engine
# The library contains the folders that are listed above. The folders launch, trace, store, explain, plot and lab are
# only in the program, not in the library.
sees[onnx]="op input"
sees[launch]="fields metrics input scenario estimate"
sees[trace]="op cost"
sees[store]="render sweep"
sees[plot]="$engine sweep search record"
sees[explain]="$engine sweep search record"
sees[lab]="$engine sweep search record"
sees[cli]="$engine sweep search record store explain plot lab onnx launch trace"

# Lists headers of libraries that only one source file may include.
declare -A only=(["cjson/"]=input/json.c ["nlopt.h"]=lab/fit.c ["yaml.h"]=launch/yaml.c ["zlib.h"]=trace/trace_read.c)

fault() # where what
{
    echo "$1: $2"
    faults=$((faults + 1))
}

check_include() # path below src/, line number, include line
{
    local file=$1 where=src/$1:$2 line=$3 folder=${1%%/*} path="" to prefix
    [[ $line =~ [\<\"]([^\>\"]*) ]] && path=${BASH_REMATCH[1]}
    for prefix in "${!only[@]}"; do
        [[ $line != *"<$prefix"* || $file == "${only[$prefix]}" ]] ||
            fault "$where" "only ${only[$prefix]} includes <$path>"
    done
    [[ $line == *\"* ]] || return 0 # a system header or a public header
    if [[ ! -f src/$path ]]; then
        fault "$where" "\"$path\" is not a path below src/"
        return
    fi
    to=${path%%/*}
    [[ $to == "$folder" || $to == base || " ${sees[$folder]} " == *" $to "* ]] ||
        fault "$where" "$folder must not include $to (\"$path\")"
    # A folder of commands must not include views or commands of another folder of commands.
    if [[ $file == cli/*/* && $path == cli/*/* && ${file%/*} != "${path%/*}" ]]; then
        [[ -z ${strict_cli:-} ]] || fault "$where" "${file%/*} must not include ${path%/*}"
    fi
}

count=0
while read -r file; do
    count=$((count + 1))
    if [[ $file != */* || -z ${sees[${file%%/*}]+set} ]]; then
        fault "src/$file" "folder '${file%/*}' has no place in the layers"
        continue
    fi
    while IFS=: read -r number line; do
        check_include "$file" "$number" "$line"
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "src/$file")
done < <(find src -name '*.[ch]' -printf '%P\n' | sort)

while read -r name; do
    fault "src" "the name $name stands twice: $(find src -name "$name" -printf '%P ')"
done < <(find src -name '*.[ch]' -printf '%f\n' | sort | uniq -d)

# Public headers may include only system headers and other public headers.
while IFS=: read -r file number line; do
    fault "$file:$number" "a public header includes <nncost/...> and the system only: $line"
done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<(cjson/|nlopt|base/|input/))' \
    -r include || true)

# Prints "D folder symbol" for each symbol that an object defines, and "U folder file symbol" for each symbol that the
# object needs. Skips objects whose source file was deleted after an earlier build.
list_symbols()
{
    local folder object
    for folder in "${!sees[@]}"; do
        [[ -d $objects/nncost_$folder.dir/$folder ]] || continue
        while read -r object; do
            [[ ! -f src/${object%.o} ]] || printf '%s\n' "$objects/nncost_$folder.dir/$object"
        done < <(cd "$objects/nncost_$folder.dir" && find "$folder" -name '*.o') | xargs -r nm -A -g |
            sed -nE -e "s#^.*/([^/:]*)\\.o: +U (nnc_.*)#U $folder \\1 \\2#p" \
                -e "s#^.*\\.o:[0-9a-f]+ [A-Z] (nnc_.*)#D $folder \\1#p"
    done | sort
}

# Prints "where needs symbol of folder" for each call into a folder that the caller must not use.
wrong_calls()
{
    local folder allowed=
    sees[render]="fields ${core[*]}" # render calls public functions of the core for shape and intensity of an op
    for folder in "${!sees[@]}"; do
        allowed+="$folder base $folder ${sees[$folder]};"
    done
    awk -v allowed="$allowed" '
        BEGIN {
            folders = split(allowed, list, ";")
            for (i = 1; i <= folders; i++) {
                names = split(list[i], name, " ")
                for (k = 2; k <= names; k++) may[name[1], name[k]] = 1
            }
        }
        $1 == "D" { home[$3] = $2 }
        $1 == "U" && ($4 in home) && !(($2, home[$4]) in may) { print $2, $3, $4, home[$4] }'
}

((count > 0)) || fault src "no source files found"
if [[ -n $objects ]]; then
    symbols=$(list_symbols)
    [[ -n $symbols ]] || fault "$objects" "no symbols found"
    while read -r folder file symbol home; do
        fault "src/$folder/$file" "$folder must not call $home ($symbol)"
    done < <(wrong_calls <<<"$symbols")
fi
if ((faults > 0)); then
    echo "layers: $faults fault(s)"
    exit 1
fi
echo "layers: $count files, every arrow points where it may"
