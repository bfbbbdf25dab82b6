#!/usr/bin/env bash
# Shows that layers.sh passes a right tree, and catches each kind of wrong arrow in it.
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
    plant src/op/op.h '#include <nncost/op.h>'
    plant src/cost/roof.h '#include "op/op.h"'
    plant src/spec/json.h '#include <nncost/spec.h>'
    plant src/report/report.h '#include "base/error.h"'
    plant src/cli/option.h '#include "spec/json.h"'
    plant src/sweep/grid.h '#include "cost/roof.h"'
    plant src/score/fit.h '#include "cost/roof.h"'
    plant src/spec/json.c '#include <cjson/cJSON.h>'
    plant src/score/minimise.c '#include <nlopt.h>'
    plant src/estimate.c '#include "cost/roof.h"'
    plant src/cli/main.c '#include "report/report.h"'
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
        *"$1"*"$3"*) ;;
        *)
            printf 'layers.sh failed, but for another reason than %s: %s\n%s\n' "$1" "$3" "$said"
            exit 1
            ;;
    esac
}

clean_tree
"$here/layers.sh" "$tree" >/dev/null

wrong src/op/x.c '#include "cost/roof.h"' 'op must not include cost'
wrong src/base/x.c '#include "op/op.h"' 'base must not include op'
wrong src/cost/x.c '#include "spec/json.h"' 'cost must not include spec'
wrong src/x.c '#include "spec/json.h"' 'top must not include spec'
wrong src/x.c '#include "sweep/grid.h"' 'top must not include sweep'
wrong src/sweep/x.c '#include "score/fit.h"' 'sweep must not include score'
wrong src/spec/x.c '#include "op/op.h"' 'spec must not include op'
wrong src/spec/x.c '#include "report/report.h"' 'spec must not include report'
wrong src/report/x.c '  #  include "cli/option.h"' 'report must not include cli'
wrong src/cli/x.c '#include <cjson/cJSON.h>' 'only spec/json.c includes cJSON'
wrong src/score/x.c '#include <nlopt.h>' 'only score/minimise.c includes NLopt'
wrong src/cost/x.c '#include "roof.h"' 'is not a path below src/'
wrong src/attic/x.c '#include <stdio.h>' "room 'attic' has no place"
wrong include/nncost/x.h '#include "base/error.h"' 'a public header includes'
echo "layers.sh catches what it should"
