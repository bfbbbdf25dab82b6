# The expected output is the man page itself.
"$NNCOST" docs man
