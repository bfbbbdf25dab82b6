"$NNCOST" xyzzy
