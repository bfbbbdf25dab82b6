# Every "$ nncost ..." line of the README, and what it prints.
mkdir "$SCRATCH/bin"
ln -s "$NNCOST" "$SCRATCH/bin/nncost"
PATH=$SCRATCH/bin:$PATH
sed -n 's/^\$ \(nncost .*\)/\1/p' README.md | sed 's/ *#.*//' | while read -r command; do
    echo "\$ $command"
    status=0
    $command || status=$?
    echo "exit code $status"
    echo
done
