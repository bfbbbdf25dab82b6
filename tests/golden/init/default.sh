"$NNCOST" init
