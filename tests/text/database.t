# Tests --db, which writes the rows of a sweep to a SQLite file. The sweep can be continued, and shards can be merged.

# A sweep writes rows to a database, and 'nncost merge' writes the rows as CSV. A second run of the sweep has nothing to
# do.
$ nncost sweep dense round --micro-batch 1..4 --columns micro_batch,step_s --db rows.db
rows.db: 4 rows of 4 combinations
$ nncost merge rows.csv rows.db && cat rows.csv
row,plan.micro_batch,step.step_s\r
0,1,0.010795756\r
1,2,0.018378332\r
2,3,0.025960908\r
3,4,0.033543484\r
$ nncost sweep dense round --micro-batch 1..4 --columns micro_batch,step_s --db rows.db
rows.db: 4 rows of 4 combinations, was complete

# Merges the databases of shards to one database.
$ for i in 1 2 3; do nncost sweep dense round --micro-batch 1..4 --db $i.db --shard $i/3; done
1.db: 2 rows of 2 combinations
2.db: 1 rows of 1 combinations
3.db: 1 rows of 1 combinations
$ nncost merge all.db 3.db 1.db 2.db && nncost merge all.csv all.db
$ nncost sweep dense round --micro-batch 1..4 --db whole.db && nncost merge whole.csv whole.db && cmp all.csv whole.csv
whole.db: 4 rows of 4 combinations
$ nncost merge new.db 1.db 2.db
! nncost: merge: expected all 3 shards, found 2: shard 3/3 is missing
[2]
$ nncost merge whole.db 1.db
! nncost: whole.db: exists already, expected the name of a new file as the first operand
[2]

# A file that is not a database remains unchanged. A sweep does not write to the database of another sweep or of another
# shard.
$ seq 1000 >text; cp text before; nncost sweep dense round --db text; cmp text before
! nncost: text: not a database of a sweep: file is not a database
$ nncost sweep dense round --micro-batch 1..4 --db one.db --shard 1/2
one.db: 2 rows of 2 combinations
$ nncost sweep dense round --micro-batch 1..4 --db one.db --shard 2/2
! nncost: one.db: holds another shard, expected 2/2, found 1/2
[3]
$ nncost sweep dense round --micro-batch 1..5 --db one.db --shard 1/2 2>&1 | sed 's/[0-9a-f]\{16\}/-/g'
nncost: one.db: holds another sweep (axes, constraints, columns, files or version differ), expected -, found -
$ nncost sweep dense round --db no/such/file
! nncost: no/such/file: cannot open: unable to open database file
[4]

# Names that SQLite reads as a database in memory, or as a URI, are refused as file names.
$ nncost sweep dense round --db :memory:
! nncost: :memory:: not the name of a file, expected one such as rows.db, or ./:memory: for a file of that name
[2]
$ nncost sweep dense round --db 'file:x.db?mode=memory'
! nncost: file:x.db?mode=memory: not the name of a file, expected one such as rows.db, or ./file:x.db?mode=memory for a file of that name
[2]
$ nncost sweep dense round --db ./:memory: && nncost merge out.csv ./:memory: && tail -n +2 out.csv | cut -d, -f1
./:memory:: 1 rows of 1 combinations
0

# A database of an earlier version has no digest of the rows or no plain column names. For a database of an earlier
# version, the error names this version and does not report damage.
$ nncost sweep dense round --micro-batch 1..4 --db old.db
old.db: 4 rows of 4 combinations
$ for sql in 'DROP TABLE columns' 'ALTER TABLE sweep DROP COLUMN rows_digest'; do python3 -c 'import sqlite3, sys; d = sqlite3.connect("old.db"); d.execute(sys.argv[1]); d.commit()' "$sql"; nncost sweep dense round --micro-batch 1..4 --db old.db; nncost merge out.csv old.db; echo $?; done
old.db: 4 rows of 4 combinations, was complete
3
3
! nncost: old.db: was written by an earlier version of nncost, expected a database with the digest of its rows and the names of its columns; continue with the earlier version, or delete the database to start again
! nncost: old.db: was written by an earlier version of nncost, expected a database with the digest of its rows and the names of its columns; continue with the earlier version, or delete the database to start again
! nncost: old.db: was written by an earlier version of nncost, expected a database with the digest of its rows and the names of its columns; continue with the earlier version, or delete the database to start again

# If the rows in a database are not the rows that the sweep wrote, the sweep does not continue and 'nncost merge'
# refuses the database.
$ nncost sweep dense round --micro-batch 1..4 --db rows.db
rows.db: 4 rows of 4 combinations
$ for sql in 'UPDATE rows SET step_s = 1 WHERE row = 2' 'DELETE FROM rows' 'UPDATE sweep SET done = 9' 'DROP TABLE sweep'; do cp rows.db bad.db; python3 -c 'import sqlite3, sys; d = sqlite3.connect("bad.db"); d.execute(sys.argv[1]); d.commit()' "$sql"; nncost sweep dense round --micro-batch 1..4 --db bad.db; nncost merge out.csv bad.db; echo $?; done; ls out.csv
3
3
3
3
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! ls: cannot access 'out.csv': No such file or directory
[2]

# A database is damaged if the bits of a floating-point number are stored as a whole number, if a column has another
# name, or if the rows have no primary key. 'nncost merge' refuses such a database.
$ cat > bad.py <<'END'
> import shutil, sqlite3, struct, sys
> shutil.copy("rows.db", "bad.db")
> d = sqlite3.connect("bad.db")
> step = d.execute("SELECT step_s FROM rows WHERE row = 1").fetchone()[0]
> if sys.argv[1] == "bits":
>     d.execute("UPDATE rows SET step_s = ? WHERE row = 1", struct.unpack("<q", struct.pack("<d", step)))
> elif sys.argv[1] == "name":
>     d.execute("UPDATE columns SET name = 'step.mtep_s' WHERE name = 'step.step_s'")
> else:
>     d.executescript("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, '\"row\" INTEGER PRIMARY KEY', '\"row\"') WHERE name = 'rows'")
> d.commit()
> END
$ nncost sweep dense round --micro-batch 1..4 --db rows.db
rows.db: 4 rows of 4 combinations
$ for what in bits name key; do python3 bad.py $what; nncost sweep dense round --micro-batch 1..4 --db bad.db; nncost merge out.csv bad.db; echo $?; done; ls out.csv
3
bad.db: 4 rows of 4 combinations, was complete
3
3
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! nncost: bad.db: is damaged, expected the rows that a sweep wrote; delete the database to start again
! ls: cannot access 'out.csv': No such file or directory
[2]

# Columns have plain names: the shortest names that are unique. The table "columns" has the full names.
$ nncost sweep dense round --micro-batch 1,2 --set scale_up.bytes_per_s=1e11,2e11 --columns micro_batch,step_s,step.interval_s.0,device.scale_up.bytes_per_s,device.scale_out.bytes_per_s,memory.total_bytes --db plain.db
plain.db: 4 rows of 4 combinations
$ python3 -c 'import sqlite3; d = sqlite3.connect("plain.db"); print(*d.execute("SELECT short, name FROM columns"), *d.execute("SELECT row, step_s FROM rows WHERE scale_up_bytes_per_s > 1e11 ORDER BY step_s"), sep="\n")'
('row', 'row')
('micro_batch', 'plan.micro_batch')
('step_s', 'step.step_s')
('interval_s_0', 'step.interval_s.0')
('scale_up_bytes_per_s', 'device.scale_up.bytes_per_s')
('scale_out_bytes_per_s', 'device.scale_out.bytes_per_s')
('total_bytes', 'memory.total_bytes')
(1, 0.010795756)
(3, 0.018378332)
$ nncost merge plain.csv plain.db && head -1 plain.csv
row,plan.micro_batch,step.step_s,step.interval_s.0,device.scale_up.bytes_per_s,device.scale_out.bytes_per_s,memory.total_bytes\r
$ python3 -c 'import sqlite3; d = sqlite3.connect("plain.db"); d.execute("DROP TABLE columns"); d.commit()'; nncost merge other.csv plain.db
! nncost: plain.db: was written by an earlier version of nncost, expected a database with the digest of its rows and the names of its columns; continue with the earlier version, or delete the database to start again
[3]

# SQLite is loaded only when a command needs it. If the library is broken, the command reports this; commands that do
# not need the library work without SQLite.
$ : >libsqlite3.so.0; export LD_LIBRARY_PATH=.; nncost sweep dense round --db rows.db; nncost sweep dense round --columns row
row
  0
! nncost: libsqlite3.so.0: cannot load, expected Debian's package libsqlite3-0: ./libsqlite3.so.0: file too short
