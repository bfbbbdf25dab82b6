#!/usr/bin/env bash
# Tests the completions that 'nncost docs completion' prints for bash, zsh and fish. The completions must complete
# commands, ids and aliases of each operand, lists with commas, options, and values of options. If a shell is not
# installed, its tests are skipped with a message.
#   usage: completion.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1") root=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/functions"
ln -s "$nncost" "$work/bin/nncost"
export PATH=$work/bin:$PATH HOME=$work XDG_CONFIG_HOME=$work/config TERM=dumb LC_ALL=C.UTF-8 NNCOST_PATH=$root/tests/toy
cd "$work" && touch plans.json

# Each row has a command line up to the cursor, and a word that the shell must offer. A "!" before the word means that
# the shell must not offer this word.
cases=(
    "nncost est|estimate"
    "nncost |help"
    "nncost estimate den|dense"
    "nncost estimate den|!round"
    "nncost estimate dense rou|round"
    "nncost estimate dense fit|fit"                # an alias
    "nncost estimate dense |!experts"              # the operand is a device, not a model
    "nncost estimate --zero 1 den|dense"           # the value of the option does not count as an operand
    "nncost scale dense rou|round"
    "nncost compare dense,exp|dense,experts"
    "nncost plot roo|roofline"
    "nncost plot step den|dense"
    "nncost explain mf|mfu"
    "nncost show rou|round"
    "nncost list dev|devices"
    "nncost help comp|compare"
    "nncost docs comp|completion"
    "nncost docs completion z|zsh"
    "nncost docs schema scal|scale"
    "nncost check pl|plans.json"
    "nncost estimate dense round --zer|--zero"
    "nncost estimate dense round --zero |3"
    "nncost estimate dense round --software tor|torch-"
)

# Each function prints the words that its shell offers for the command line, one per line.
# shellcheck disable=SC2317 # the functions are called through a variable
in_bash()
{
    bash --norc -c '
        source <(nncost docs completion bash)
        read -ra COMP_WORDS <<<"$1"
        [[ $1 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _nncost
        ((${#COMPREPLY[@]} > 0)) || mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
        printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

# shellcheck disable=SC2317
in_fish()
{
    # shellcheck disable=SC2016 # a variable of fish
    fish --no-config -c 'nncost docs completion fish | source; complete -C $argv[1]' "$1" | cut -f 1
}

# Prints the screen after a person has typed the line and a tab. The shell completes the line if exactly one word
# fits, and lists the words if several words fit.
# shellcheck disable=SC2317
in_zsh()
{
    nncost docs completion zsh >"$work/functions/_nncost"
    zsh -f "$work/tab.zsh" "$1" | tr -d '\r\a' | tr -s ' ' '\n'
}
cat >"$work/tab.zsh" <<'ZSH'
zmodload zsh/zpty
zpty z zsh -f -i
read_until() { local text= part; while [[ $text != *$1* ]] && zpty -r z part; do text+=$part; done; print -r -- $text }
zpty -w z "PS1=; unset zle_bracketed_paste; fpath=($HOME/functions \$fpath); autoload -U compinit; compinit -u -D; setopt list_ambiguous no_list_beep; LISTMAX=0; tell() { print -r -- \"<\$BUFFER>\"; compstate=(); }; report() { zle .list-choices; print -r -- \"[\$BUFFER]end\" }; zle -N report; bindkey '^X' report; echo ready-\$((1))"
read_until ready-1 >/dev/null
zpty -n -w z "$1"$'\t\x18'
read_until ']end'
zpty -d z
ZSH

failed=0
for shell in bash fish zsh; do
    command -v "$shell" >/dev/null || { echo "no $shell: left out"; continue; }
    count=0
    for case in "${cases[@]}"; do
        # zsh uses the completion script of bash. The start of zsh takes a second, so the test runs zsh only for every
        # fifth line.
        count=$((count + 1))
        [[ $shell != zsh ]] || ((count % 5 == 1)) || continue
        line=${case%%|*} word=${case#*|}
        offered=$("in_$shell" "$line")
        if [[ $word == !* ]]; then
            ! grep -qxF -e "${word#!}" <<<"$offered" || { echo "$shell: '$line' offers ${word#!}"; failed=1; }
        else
            grep -qF -e "$word" <<<"$offered" || { echo "$shell: '$line' does not offer $word, but: ${offered:0:200}"; failed=1; }
        fi
    done
    echo "$shell: done"
done
exit "$failed"
