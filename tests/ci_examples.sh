#!/usr/bin/env bash
# docs/ci as a newcomer would use it, as far as that goes offline: the commands of the README in a
# fresh git repository, then the commands of the GitHub and GitLab examples on a change that moves
# an estimate and on one that is accepted.
#   usage: ci_examples.sh NNCOST ROOT
set -euo pipefail

nncost=$(realpath "$1")
docs=$(realpath "$2")/docs/ci
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/repository"
ln -s "$nncost" "$work/bin/nncost"
export HOME=$work LC_ALL=C PATH=$work/bin:$PATH
unset NNCOST_PATH XDG_CONFIG_HOME
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@example.com
cd "$work/repository"
git init -q -b main

fail()
{
    echo "ci_examples: $*"
    exit 1
}

# The indented commands of the README, from the one that begins like $1.
readme_command()
{
    grep -m1 "^    $1" "$docs/README.md" || fail "README.md has no command '$1'"
}

# The script of one step of the GitHub example.
github_step()
{
    awk -v name="- name: $1" '
        index($0, name) { here = 1; next }
        here && /^      - / { exit }
        script && /^          / { print substr($0, 11); next }
        here && /run: \|/ { script = 1 }' "$docs/github-actions.yml"
}

gitlab_script()
{
    awk '/^  script:/ { here = 1; next } here && /^    - / { print substr($0, 7) }
         here && /^  [a-z]/ { exit }' "$docs/gitlab-ci.yml"
}

# Runs a script as the runner does: it stops at the first command that fails.
run()
{
    [[ -n $1 ]] || fail "the example has no such script"
    code=0
    bash -e -o pipefail -c "$1" >"$work/log" 2>&1 || code=$?
}

run_github() # expected code of the gate
{
    export PLANS=plans.json GITHUB_STEP_SUMMARY=$work/summary PULL_REQUEST=7
    : >"$GITHUB_STEP_SUMMARY"
    run "$(github_step Report)"
    ((code == 0)) || fail "Report ends with $code: $(cat "$work/log")"
    grep -q '^\*\*nncost\*\* plans.json' "$GITHUB_STEP_SUMMARY" || fail "no summary"
    run "$(github_step Comment)"
    ((code == 0)) || fail "Comment ends with $code: $(cat "$work/log")"
    cmp comment.md "$work/comment"
    run "$(github_step Gate)"
    ((code == $1)) || fail "Gate ends with $code, expected $1: $(cat "$work/log")"
    rm comment.md
}

run_gitlab() # expected code
{
    export PLANS=plans.json
    run "$(gitlab_script)"
    ((code == $1)) || fail "the GitLab script ends with $code, expected $1: $(cat "$work/log")"
    grep -q '<testsuite name="plans.json"' nncost.xml || fail "no test report"
    rm nncost.xml
}

# Stands for the GitHub client: keeps the text of the comment.
cat >"$work/bin/gh" <<'GH'
#!/bin/sh
test "$1 $2 $3" = "pr comment 7" || exit 2
while [ $# -gt 1 ]; do
    [ "$1" = --body-file ] && cp "$2" "$HOME/comment"
    shift
done
GH
chmod +x "$work/bin/gh"

# README, steps 1 and 2.
eval "$(readme_command 'nncost init')"
eval "$(readme_command 'nncost check plans.json --update')"
eval "$(readme_command 'git add')" >/dev/null
run_github 0
run_gitlab 0

# Step 3: a change that moves the estimate.
grep -q '"zero": 3' plans.json || fail "the README changes what is not there"
sed -i '/"recorded"/,$!s/"zero": 3/"zero": 2/' plans.json
run_github 1
grep -q '^::error file=plans.json,line=[0-9]*,title=nncost ' "$work/log" || fail "no annotation"
run_gitlab 1
grep -q 'plan: zero 3 -> 2' "$work/log" || fail "the reason is not named: $(cat "$work/log")"
nncost check plans.json --update >/dev/null || (($? == 1))
eval "$(readme_command 'git show')" >difference
grep -q 'plan.zero' difference || fail "no difference to main"

# Accepted, and the limit with it.
sed -i '/"recorded"/,$!s/"step_s": "<= .*"/"step_s": "<= 1e9"/' plans.json
sed -i '/"recorded"/,$!s/"memory.total_bytes": "<= .*"/"memory.total_bytes": "<= 1e15"/' plans.json
nncost check plans.json --update >/dev/null
git commit -qam "Accept"
run_github 0
run_gitlab 0

# A fault of the file is not taken for an answer.
echo '{' >plans.json
run "$(github_step Report)"
((code != 0)) || fail "a broken file passes"
run "$(gitlab_script)"
((code != 0)) || fail "a broken file passes"
echo "docs/ci: README, GitHub and GitLab examples do what they say"
