#!/usr/bin/env bash
# Tests that a sweep and a search on MPI ranks of two hosts write the same bytes as one process. The hosts are two
# network namespaces with different host names, joined by a virtual cable.
#   usage: hosts.sh NNCOST ROOT BUILD    exits 77 (skipped) without MPI, ip or the right to make namespaces
set -euo pipefail
export LC_ALL=C

nncost=$1 root=$2 build=$3
[[ $(ldd "$nncost") == *libmpi* ]] || nncost=$build/nncost # uses the program that mpi.sh built
for tool in mpirun ip unshare "$nncost"; do
    command -v "$tool" >/dev/null || { echo "$tool not found"; exit 77; }
done
work=$(mktemp -d) near=nncost-near-$$ far=nncost-far-$$
clean()
{
    ip netns delete "$near" 2>/dev/null || true
    ip netns delete "$far" 2>/dev/null || true
    rm -rf "$work"
}
trap clean EXIT
if ! { ip netns add "$near" && ip netns add "$far" &&
    ip link add wire netns "$near" type veth peer name wire netns "$far" && unshare --uts true; } 2>"$work/err"; then
    cat "$work/err"
    exit 77
fi
ip -n "$near" address add 10.77.0.1/24 dev wire
ip -n "$far" address add 10.77.0.2/24 dev wire
for host in "$near" "$far"; do
    ip -n "$host" link set lo up
    ip -n "$host" link set wire up
done
export HOME=$work XDG_CONFIG_HOME=$work NNCOST_PATH=$root

# A replacement for ssh: mpirun calls it to run a command on the second host.
cat >"$work/agent" <<END
#!/bin/sh
name=\$1
shift
exec ip netns exec $far unshare --uts sh -c "hostname \$name; \$*"
END
cat >"$work/near" <<END
#!/bin/sh
hostname near
exec mpirun --quiet --allow-run-as-root -n 2 -H near:1,10.77.0.2:1 --mca plm_rsh_agent $work/agent \\
    --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \\
    -x HOME -x XDG_CONFIG_HOME -x NNCOST_PATH "\$@"
END
chmod +x "$work/agent" "$work/near"
hosts() { timeout 60 ip netns exec "$near" unshare --uts "$work/near" "$@"; }

# shellcheck disable=SC2016 # the ranks expand the variables
hosts sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)"' | sort >"$work/names"
printf '0 near\n1 10.77.0.2\n' | cmp - "$work/names"

plans=(sweep llama3-8b h100 --devices 16 --tensor '1..4' --micro-batch '1..32' --micro-batches '1..16' --format csv)
"$nncost" "${plans[@]}" >"$work/alone"
hosts "$nncost" "${plans[@]}" >"$work/both"
cmp "$work/alone" "$work/both"
plans=(search gpt2-xl a100 --devices 64 --global-batch 96 --format csv)
"$nncost" "${plans[@]}" >"$work/alone"
hosts "$nncost" "${plans[@]}" >"$work/both"
cmp "$work/alone" "$work/both"
# If a file is missing on the second host only, both hosts must stop with a message about the file.
status=0
mkdir "$work/files"
cp "$root/models/gpt2.json" "$work/files"
# shellcheck disable=SC2016 # the ranks expand the variables
hosts sh -c '[ "$OMPI_COMM_WORLD_RANK" = 0 ] && file=$1/gpt2.json || file=$1/none.json
    shift; program=$1 command=$2; shift 2; exec "$program" "$command" "$file" "$@"' sh "$work/files" "$nncost" \
    sweep a100 --micro-batch '1..16' >"$work/out" 2>"$work/err" || status=$?
((status == 4)) && [[ ! -s $work/out ]] && grep -q "^nncost: $work/files/none.json: " "$work/err"
