"$NNCOST" sweep llama3-8b h100 --devices 8 --tp 1..8*2 --zero 0..3 --where 'tp*zero <= 8 && tensor > 1' --where 'fits && data != 4' --columns tp,zero,data
