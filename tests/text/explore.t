# 'nncost explore' needs both a model and a device, or neither of them.
$ nncost explore dense
! nncost: explore: too few arguments, expected MODEL DEVICE
[2]
$ nncost explore dense nosuch
! nncost: DEVICE: unknown device, expected one of fitted, old, round, found "nosuch"
[3]

# The page cannot read files by their path. A user drops a file on the page instead.
$ nncost explore ./dense.json round
! nncost: ./dense.json: is a file, and the explorer page cannot read files by their path; drop the file on the page instead
[2]
