# What 'nncost docs' refuses. That docs/ holds what it writes is tested by 'pages'.

# No document, an unknown one, one too many.
$ nncost docs
! nncost: docs: too few arguments, expected man|completion|schema [KIND]
[2]
$ nncost docs manual
! nncost: docs: unknown document, expected one of man, schema, completion, found "manual"
[2]
$ nncost docs man estimate
! nncost: estimate: one argument too many, expected docs man
[2]
$ nncost docs schema
device     Device
model      Model
software   Software profile
estimate   nncost estimate --format json
ops        nncost ops --format json
compare    nncost compare --format json
run        nncost run --format json
search     nncost search --format json
sweep      One line of nncost sweep --format json
check      nncost check --format json
diff       nncost diff --format json
accuracy   nncost accuracy --format json
calibrate  nncost calibrate --format json
$ nncost docs schema devices
! nncost: schema: unknown schema, expected one of device, model, software, estimate, ops, compare, run, search, sweep, check, diff, accuracy, calibrate, found "devices"
[2]
