#!/usr/bin/env bash
# Tests the CI examples in docs/ci as a new user would use them, without a network. Runs the commands of
# docs/ci/README.md in a new git repository, then the commands of the GitHub and GitLab examples: first for a commit
# that changes an estimate, then for a commit that accepts this change.
#   usage: ci_examples.sh NNCOST ROOT            NNCOST: the program, or the archive of tools/release, which the
#                                                commands of the examples then install
set -euo pipefail

nncost=$(realpath "$1")
docs=$(realpath "$2")/docs/ci
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/repository" "$work/runner"
[[ $nncost == *.tar.gz ]] || ln -s "$nncost" "$work/bin/nncost"
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

# Prints the indented commands of the README, from the command that begins with $1.
readme_command()
{
    grep -m1 "^    $1" "$docs/README.md" || fail "README.md has no command '$1'"
}

# Prints the shell script of one step of the GitHub example.
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

# Prints the commands of the GitLab example that unpack the archive.
gitlab_install()
{
    awk '/^  before_script:/ { here = 1; next } here && /^  [a-z]/ { exit } here { print substr($0, 7) }' "$docs/gitlab-ci.yml" |
        grep -v apt-get
}

# Runs a script as a CI runner does: stops at the first command that fails.
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

# A replacement for the GitHub client gh, which writes the text of the comment to a file.
cat >"$work/bin/gh" <<'GH'
#!/bin/sh
test "$1 $2 $3" = "pr comment 7" || exit 2
while [ $# -gt 1 ]; do
    [ "$1" = --body-file ] && cp "$2" "$HOME/comment"
    shift
done
GH
chmod +x "$work/bin/gh"

# No script of the workflow may contain an expression "${{ ... }}", because a name that the author of a fork chose would
# become a part of the script.
awk '/^ *run: \|/ { here = match($0, /[^ ]/); next } here && match($0, /[^ ]/) <= here { here = 0 }
     here && /\$\{\{/ { print; found = 1 } END { exit found }' "$docs/github-actions.yml" ||
    fail "a script is filled in by the workflow"

# Installs the archive in the same way as the GitHub and the GitLab example. A wrong SHA-256 sum must stop the
# installation.
if [[ $nncost == *.tar.gz ]]; then
    export NNCOST_ARCHIVE=file://$nncost NNCOST_SHA256 RUNNER_TEMP=$work/runner GITHUB_PATH=$work/path
    NNCOST_SHA256=$(printf '0%.0s' {1..64})
    run "$(github_step Install)"
    ((code != 0)) || fail "an archive of another sum is installed"
    NNCOST_SHA256=$(sha256sum "$nncost" | cut -d ' ' -f 1)
    run "$(github_step Install)"
    ((code == 0)) || fail "Install ends with $code: $(cat "$work/log")"
    PATH=$(cat "$GITHUB_PATH"):$PATH
    command -v nncost | grep -q "^$RUNNER_TEMP" || fail "the program of the archive is not found"
    run "$(gitlab_install | sed "s|/tmp/nncost|$work/gitlab|g"); nncost --version"
    ((code == 0)) || fail "the GitLab installation ends with $code: $(cat "$work/log")"
fi

# Runs steps 1 and 2 of docs/ci/README.md.
eval "$(readme_command 'nncost init')"
eval "$(readme_command 'nncost check plans.json --update')"
eval "$(readme_command 'git add')" >/dev/null
run_github 0
run_gitlab 0

# Runs step 3: a commit that changes the estimate.
grep -q '"zero": 3' plans.json || fail "the README changes what is not there"
sed -i '/"recorded"/,$!s/"zero": 3/"zero": 2/' plans.json
run_github 1
grep -q '^::error file=plans.json,line=[0-9]*,title=nncost ' "$work/log" || fail "no annotation"
run_gitlab 1
grep -q 'plan: zero 3 -> 2' "$work/log" || fail "the reason is not named: $(cat "$work/log")"
nncost check plans.json --update >/dev/null || (($? == 1))
eval "$(readme_command 'git show')" >difference
grep -q 'plan.zero' difference || fail "no difference to main"

# Accepts the changed estimate and sets new limits in the plan file.
sed -i '/"recorded"/,$!s/"step_s": "<= .*"/"step_s": "<= 1e9"/' plans.json
sed -i '/"recorded"/,$!s/"memory.total_bytes": "<= .*"/"memory.total_bytes": "<= 1e15"/' plans.json
nncost check plans.json --update >/dev/null
git commit -qam "Accept"
run_github 0
run_gitlab 0

# The author of a fork can choose any name for the plan file and for a scenario. The shell must not run a name of a plan
# file or scenario as a command. The name must not break a line of the log, and the CI must not read the name as a
# command in the log.
# shellcheck disable=SC2016 # the text must not be expanded
evil='$(touch ran)`touch ran`;touch ran;
::error::of the fork,.json'
# shellcheck disable=SC2016
sed '0,/"id": "[^"]*"/s//"id": "::stop-commands::x `touch ran` <script>|%0A::error::"/' plans.json >"$evil"
for name in "$evil" "--update"; do
    [[ $name == "$evil" ]] || cp "$evil" "./--update"
    for step in Report Gate; do
        export PLANS=$name
        run "$(github_step $step)"
        ((code <= 1)) || [[ $name == --update ]] || fail "$step of a strange name ends with $code: $(cat "$work/log")"
        ! grep -q '^::' <(grep -v '^::error file=' "$work/log") || fail "the log holds a command of the fork: $(cat "$work/log")"
    done
    run "$(gitlab_script)"
    [[ ! -e ran ]] || fail "a name was run"
done
! grep -qE '(^|[^\\])<script>' comment.md || fail "the comment holds markup of the fork"
rm -f comment.md nncost.xml ./--update "$evil"

# Both branches recorded different numbers. The merge driver merges the scenarios and records the estimates again.
cp "$docs/merge-plans.sh" .
while IFS= read -r command; do eval "$command"; done < <(grep -E "^    (git config|echo 'plans.json)" "$docs/README.md")
git add . && git commit -qm "Merge plan files"
git checkout -q -b other
sed -i '/"recorded"/,$!s/"devices": 8/"devices": 16/' plans.json
nncost check plans.json --update >/dev/null
git commit -qam "More devices"
git checkout -q main
sed -i '/"recorded"/,$!s/"recompute": "full"/"recompute": "none"/' plans.json
nncost check plans.json --update >/dev/null || (($? == 1))
git commit -qam "No recompute"
git merge -q other -m "Merge" >"$work/log" 2>&1 || fail "the merge driver: $(cat "$work/log")"
for kept in '"devices": 16' '"recompute": "none"'; do
    grep -q "$kept" plans.json || fail "the merge lost $kept"
done
nncost check plans.json >"$work/log" || fail "what was merged is not what is recorded: $(cat "$work/log")"
[[ -z $(git status --porcelain) ]] || fail "the merge left something: $(git status --porcelain)"
# If both branches changed the same line of a scenario, only this line remains a conflict.
git checkout -q -b third HEAD~1
sed -i '/"recorded"/,$!s/"devices": 8/"devices": 32/' plans.json
nncost check plans.json --update >/dev/null || (($? == 1))
git commit -qam "Other devices"
! git merge -q main >"$work/log" 2>&1 || fail "a conflict was merged"
grep -q '^<<<<<<<' plans.json || fail "no conflict is shown"
! grep -q '"recorded"' plans.json || fail "the record is in conflict, too"
git merge --abort
git checkout -q main

# An error in the plan file must not be reported as a changed estimate.
echo '{' >plans.json
run "$(github_step Report)"
((code != 0)) || fail "a broken file passes"
run "$(gitlab_script)"
((code != 0)) || fail "a broken file passes"
echo "docs/ci: README, GitHub and GitLab examples do what they say"
