# A page begins with a model and a device, or with neither.
$ nncost explore dense
! nncost: explore: too few arguments, expected MODEL DEVICE
[2]
$ nncost explore dense nosuch
! nncost: DEVICE: unknown device, expected one of fitted, old, round, found "nosuch"
[3]

# A page reads no files; one that is dropped on it it does.
$ nncost explore ./dense.json round
! nncost: ./dense.json: is a file, which a page cannot read; drop it on the page instead
[2]
