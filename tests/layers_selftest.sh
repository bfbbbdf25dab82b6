#!/usr/bin/env bash
# Tests layers.sh: it accepts a correct tree, and finds each kind of forbidden include or call that the test puts into
# the tree.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() # path text
{
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "$2" >"$tree/$1"
}

clean_tree()
{
    rm -rf "${tree:?}"/*
    plant include/nncost/op.h '#include <stdint.h>'
    plant src/base/error.h '#include <nncost/status.h>'
    plant src/fields/field.h '#include "base/error.h"'
    plant src/op/work.h '#include "fields/field.h"'
    plant src/cost/roof.h '#include "op/work.h"'
    plant src/metrics/metric.h '#include "cost/roof.h"'
    plant src/input/json.h '#include "metrics/metric.h"'
    plant src/input/json.c '#include <cjson/cJSON.h>'
    plant src/render/table.h '#include "metrics/metric.h"'
    plant src/scenario/load.h '#include "input/json.h"'
    plant src/sweep/axes.h '#include "scenario/load.h"'
    plant src/search/space.h '#include "sweep/axes.h"'
    plant src/lab/fit.c '#include <nlopt.h>'
    plant src/cli/main.c '#include "lab/fit.h"'
    plant src/cli/option.h '#include <stdio.h>'
    plant src/lab/fit.h '#include "search/space.h"'
}

wrong() # path include-line expected-text
{
    clean_tree
    plant "$1" "$2"
    if said=$("$here/layers.sh" "$tree"); then
        echo "layers.sh passed a wrong arrow: $1: $2"
        exit 1
    fi
    case $said in
        *"$1"*"$3"* | *"${1##*/} stands twice"*) ;;
        *)
            printf 'layers.sh failed, but for another reason than %s: %s\n%s\n' "$1" "$3" "$said"
            exit 1
            ;;
    esac
}

clean_tree
"$here/layers.sh" "$tree" >/dev/null

wrong src/op/x.c '#include "cost/roof.h"' 'op must not include cost'
wrong src/base/x.c '#include "op/work.h"' 'base must not include op'
wrong src/cost/x.c '#include "input/json.h"' 'cost must not include input'
wrong src/fields/x.c '#include "op/work.h"' 'fields must not include op'
wrong src/input/x.c '#include "scenario/load.h"' 'input must not include scenario'
wrong src/metrics/x.c '#include "render/table.h"' 'metrics must not include render'
wrong src/input/x.c '#include "op/work.h"' 'input must not include op'
wrong src/input/x.c '#include "render/table.h"' 'input must not include render'
wrong src/sweep/x.c '#include "search/space.h"' 'sweep must not include search'
wrong src/search/x.c '#include "lab/fit.h"' 'search must not include lab'
wrong src/lab/x.c '  #  include "cli/option.h"' 'lab must not include cli'
wrong src/cli/x.c '#include <cjson/cJSON.h>' 'only input/json.c includes'
wrong src/lab/x.c '#include <nlopt.h>' 'only lab/fit.c includes'
wrong src/cost/x.c '#include "roof.h"' 'is not a path below src/'
wrong src/attic/x.c '#include <stdio.h>' "folder 'attic' has no place"
wrong src/x.c '#include <stdio.h>' "has no place"
wrong include/nncost/x.h '#include "base/error.h"' 'a public header includes'
wrong src/record/axes.h '#include <stdio.h>' ''
# Tests that layers.sh finds a call to a higher layer without an #include.
clean_tree
for folder in op cost; do
    mkdir -p "$tree/objects/nncost_$folder.dir/$folder"
    plant "src/$folder/$folder.c" '#include <stdint.h>'
done
compile() # folder text
{
    printf '%s\n' "$2" | "${CC:-cc}" -x c -c -o "$tree/objects/nncost_$1.dir/$1/$1.c.o" -
}
compile op 'int nnc_low(void) { return 1; }'
compile cost 'int nnc_low(void); int nnc_high(void) { return nnc_low(); }'
"$here/layers.sh" "$tree" "$tree/objects" >/dev/null
compile op 'int nnc_high(void); int nnc_low(void) { return nnc_high(); }'
compile cost 'int nnc_high(void) { return 1; }'
if said=$("$here/layers.sh" "$tree" "$tree/objects"); then
    echo "layers.sh passed a call from op to cost"
    exit 1
fi
[[ $said == *"src/op/op.c: op must not call cost (nnc_high)"* ]] || { echo "$said"; exit 1; }
echo "layers.sh catches what it should"
