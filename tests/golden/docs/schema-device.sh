# The expected output is the committed file itself.
"$NNCOST" docs schema device
