# --measured compares the estimate with a measured step. 732 GFLOP take 7.32 ms at 100 TFLOP/s and an MFU of 1. The
# lower bound of this step is 6.92 ms, because MFU counts more FLOPs than the device executes.
$ nncost estimate dense round --full --full --measured 20ms | grep measured
measured  20.00 ms, MFU 36.6%, the estimate is 54.0% of the measured time
$ nncost estimate dense round --measured 50samples/s --format json | grep '"measured"'
  "measured": {"step_s": 0.02, "mfu": 0.366, "predicted_over": 0.5397878, "possible": true},
$ nncost estimate dense round --full --full --measured 5ms | grep -A1 measured
measured  5.000 ms, MFU 146.4%, the estimate is 215.9% of the measured time,
          impossible: the measured time is below the lower bound of 6.921 ms
          it belongs to another step or device
$ nncost estimate dense round --full --full --measured 50000tokens/s | grep measured
measured  20.00 ms, MFU 36.6%, the estimate is 54.0% of the measured time
$ nncost estimate dense round --measured fast
! nncost: --measured: wrong value, expected a time (0.41s) or a rate (380samples/s, 12000tokens/s), found "fast"
[2]
$ nncost estimate dense round --measured 0s
! nncost: --measured: wrong value, expected a time (0.41s) or a rate (380samples/s, 12000tokens/s), found "0s"
[2]
