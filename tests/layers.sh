#!/usr/bin/env bash
# Fails when a source file includes a room to its right (see CONTRIBUTING.md, "Layers").
# usage: layers.sh ROOT
set -euo pipefail
export LC_ALL=C

cd "${1:?usage: layers.sh ROOT}"
faults=0

# A file may include its own room, base/, and rooms of a lower rank. Rooms of equal rank do not
# see each other. "top" is the sources directly in src/.
declare -A rank=(
    [base]=0
    [op]=1 [shape]=2 [parallel]=3 [cost]=4 [schedule]=5 [top]=6
    [sweep]=7 [score]=7 [check]=7
    [cli]=8
)
# Readers and writers stand beside the arithmetic: base/ only, and only cli/ may use them.
declare -A aside=([spec]=1 [report]=1 [store]=1)

room_of() # path below src/
{
    case $1 in
        */*) echo "${1%%/*}" ;;
        *) echo top ;;
    esac
}

allowed() # from-room to-room
{
    [[ $1 == "$2" || $2 == base ]] && return 0
    [[ -n ${aside[$1]:-} || $1 == base ]] && return 1
    [[ -n ${aside[$2]:-} ]] && { [[ $1 == cli ]]; return; }
    ((rank[$1] > ${rank[$2]:-99}))
}

fault() # where what
{
    echo "$1: $2"
    faults=$((faults + 1))
}

check_file() # path below src/
{
    local file=$1 room line number path to
    room=$(room_of "$file")
    if [[ -z ${rank[$room]:-}${aside[$room]:-} ]]; then
        fault "src/$file" "room '$room' has no place in the layers"
        return
    fi
    while IFS=: read -r number line; do
        [[ $line =~ [\<\"]([^\>\"]*) ]] && path=${BASH_REMATCH[1]}
        case $line in
            *\<cjson/*)
                [[ $file == spec/json.c ]] ||
                    fault "src/$file:$number" "only spec/json.c includes cJSON" ;;
            *\<nlopt.h*)
                [[ $file == score/minimise.c ]] ||
                    fault "src/$file:$number" "only score/minimise.c includes NLopt" ;;
            *\<*) ;; # the system and the public headers
            *)
                if [[ ! -f src/$path ]]; then
                    fault "src/$file:$number" "\"$path\" is not a path below src/"
                    continue
                fi
                to=$(room_of "$path")
                allowed "$room" "$to" ||
                    fault "src/$file:$number" "$room must not include $to (\"$path\")" ;;
        esac
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' "src/$file")
}

count=0
while read -r file; do
    check_file "$file"
    count=$((count + 1))
done < <(find src -name '*.[ch]' -printf '%P\n' | sort)

# Public headers stand alone: the system and each other.
while IFS=: read -r file number line; do
    fault "$file:$number" "a public header includes <nncost/...> and the system only: $line"
done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<(cjson/|nlopt|base/|spec/))' \
    -r include || true)

((count > 0)) || fault src "no source files found"
if ((faults > 0)); then
    echo "layers: $faults wrong arrow(s)"
    exit 1
fi
echo "layers: $count files, every arrow points left"
