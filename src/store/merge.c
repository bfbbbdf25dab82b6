/* Writes output in whole lines, and merges the shards of a sweep. A regular output file has a temporary name until it
 * is complete. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "render/render_internal.h"
#include "store/store_internal.h"
#include "sweep/sweep_internal.h"

static nnc_status write_failed(const nnc_file *file, int cause, nnc_error *err) {
    return nnc_fail(err, NNC_IO, file->name, "cannot write: %s", strerror(cause));
}

nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err) {
    struct stat status;
    *file = (nnc_file){ .descriptor = -1, .name = path != NULL ? path : "standard output" };
    if (path == NULL) {
        file->descriptor = STDOUT_FILENO;
        file->cuts = fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
        return NNC_OK;
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) { return write_failed(file, EISDIR, err); }
    bool opened = false;
    /* the path names a pipe, or a special file such as /dev/null */
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        opened = file->descriptor >= 0;
    } else {
        opened = nnc_atomic_file_open(&file->written, path);
        file->descriptor = file->written.descriptor;
    }
    return opened ? NNC_OK : write_failed(file, errno, err);
}

/* Called after a failed write. If the output can be shortened (file->cuts), removes its incomplete last line. */
static void cut_back(const nnc_file *file, const char *lines, size_t written) {
    size_t whole = written;
    while (whole > 0 && lines[whole - 1] != '\n') { whole--; }
    const off_t end = lseek(file->descriptor, 0, SEEK_CUR);
    if (file->cuts && end >= 0 && ftruncate(file->descriptor, end - (off_t)(written - whole)) == 0) {
        lseek(file->descriptor, 0, SEEK_END);
    }
}

nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err) {
    const size_t written = nnc_write_bytes(file->descriptor, lines, size);
    if (written < size) {
        const int cause = errno;
        cut_back(file, lines, written);
        return write_failed(file, cause, err);
    }
    return NNC_OK;
}

nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err) {
    bool closed = true;
    if (file->written.target != NULL && keep) {
        closed = nnc_atomic_file_keep(&file->written, false);
    } else if (file->written.target != NULL) {
        nnc_atomic_file_drop(&file->written);
    } else if (file->descriptor != STDOUT_FILENO) {
        closed = close(file->descriptor) == 0 || !keep;
    }
    return closed ? NNC_OK : write_failed(file, errno, err);
}

/* ---- Merges the shards of a sweep. The inputs of a merge are all CSV, all JSON Lines, or all databases. The rows of
 * all inputs are merged in the order of their row numbers: the next row of the output has the lowest number among the
 * next rows of all inputs. For example, 1.csv has the rows 0, 3, 6 ..., 2.csv the rows 1, 4, 7 ..., and 3.csv the rows
 * 2, 5, 8 ... ---- */

typedef struct source {
    const char *path;
    FILE *file; /* open file of this input; NULL = the input is a database, which `reader` reads */
    nnc_database_reader *reader;
    char *line;
    size_t line_capacity, line_size;
    const nnc_cell *cells;
    int64_t row; /* row number of the input's current row; -1 = no row has been read */
    bool ended;
} source;

typedef struct merger {
    const char *out;
    source *sources;
    int count;
    bool json;
    nnc_file file; /* output lines */
    /* file for an output that is a database; it has a temporary name until the output is complete */
    nnc_atomic_file written;
    nnc_database *database;
    /* headings of the columns, used only if databases are merged into CSV or JSON Lines */
    nnc_head heads[NNC_DATABASE_COLUMNS_MAX];
    int head_count;
    nnc_buffer text;
} merger;

enum { WRITE_SIZE = 1 << 16 };

static nnc_status no_memory(const char *path, nnc_error *err) {
    return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
}

static nnc_status cannot_write(const char *path, nnc_error *err) {
    return nnc_fail(err, NNC_IO, path, "cannot write: %s", strerror(errno));
}

/* Largest number of bytes in a line of an input. The longest lines that a sweep writes have some kB. A file with a
 * longer line is no output of a sweep, so nncost stops reading the file. */
enum { LINE_MAX_BYTES = 1 << 20 };

/* Reads the next line of an input, as the C function getline does, but with a limit on the length of the line. Returns
 * the number of bytes. The returned length is above LINE_MAX_BYTES if the line is longer than this limit, and -1 at the
 * end of the file or if out of memory (errno = ENOMEM). */
static ssize_t next_line(source *s) {
    size_t size = 0;
    for (int c = 0; size <= LINE_MAX_BYTES && c != '\n' && (c = getc_unlocked(s->file)) != EOF;) {
        if (size + 1 >= s->line_capacity) {
            const size_t capacity = s->line_capacity > 0 ? 2 * s->line_capacity : 4096;
            char *line = realloc(s->line, capacity);
            if (line == NULL) {
                errno = ENOMEM;
                return -1;
            }
            s->line = line;
            s->line_capacity = capacity;
        }
        s->line[size++] = (char)c;
        s->line[size] = '\0';
    }
    return size > 0 ? (ssize_t)size : -1;
}

static nnc_status read_line(source *s, nnc_error *err) {
    errno = 0;
    const ssize_t size = next_line(s);
    if (size > LINE_MAX_BYTES) {
        return nnc_fail(err, NNC_BAD_SPEC, s->path, "a line is too long, expected at most %d bytes", LINE_MAX_BYTES);
    }
    s->ended = size <= 0;
    s->line_size = s->ended ? 0 : (size_t)size;
    if (s->ended && (ferror(s->file) || !feof(s->file))) {
        return nnc_fail(err, NNC_IO, s->path, "cannot read: %s", strerror(errno != 0 ? errno : EIO));
    }
    if (!s->ended && s->line[size - 1] != '\n') {
        return nnc_fail(err, NNC_BAD_SPEC, s->path, "the last line is cut off");
    }
    return NNC_OK;
}

/* Reads the row number at the start of a line. Returns false if the line does not start with a whole number of at least
 * 0. */
static bool read_row(const source *s, bool json, int64_t *row) {
    static const char key[] = "{\"row\": ";
    const char *at = s->line;
    char digits[NNC_NUMBER_TEXT];
    if (json) {
        if (strncmp(at, key, strlen(key)) != 0) { return false; }
        at += strlen(key);
    }
    const size_t length = strcspn(at, ",}\r\n");
    if (length == 0 || length >= sizeof digits) { return false; }
    memcpy(digits, at, length);
    digits[length] = '\0';
    return nnc_read_i64(digits, row) && *row >= 0;
}

static nnc_status advance(source *s, bool json, nnc_error *err) {
    const int64_t last = s->row;
    if (s->reader != NULL) {
        const nnc_status status = nnc_database_reader_next(s->reader, &s->cells, err);
        s->ended = s->cells == NULL;
        s->row = s->ended ? last : s->cells[0].whole;
        return status;
    }
    NNC_TRY(read_line(s, err));
    if (s->ended) { return NNC_OK; }
    if (!read_row(s, json, &s->row)) {
        return nnc_fail(err, NNC_BAD_SPEC, s->path,
                        "not a line of a sweep, expected the row of column names first, found \"%.40s\"", s->line);
    }
    return s->row > last
               ? NNC_OK
               : nnc_fail(err, NNC_BAD_SPEC, s->path, "row %lld after row %lld, expected rows in rising order",
                          (long long)s->row, (long long)last);
}

static nnc_status cannot_open(const char *path, nnc_error *err) {
    return errno == ENOMEM ? no_memory(path, err) : nnc_fail(err, NNC_IO, path, "cannot open: %s", strerror(errno));
}

static nnc_status is_database(const char *path, bool *is, nnc_error *err) {
    static const char magic[] = "SQLite format 3";
    char start[sizeof magic] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) { return cannot_open(path, err); }
    *is = read(file, start, sizeof start) == (ssize_t)sizeof start && memcmp(start, magic, sizeof magic) == 0;
    close(file);
    return NNC_OK;
}

/* Opens all inputs, which are CSV or JSON Lines. All CSV inputs must have one and the same header line, whose first
 * column is "row". The output gets the header line of the inputs. */
static nnc_status open_lines(merger *m, nnc_error *err) {
    for (int i = 0; i < m->count; i++) {
        source *s = &m->sources[i];
        s->file = fopen(s->path, "rb");
        if (s->file == NULL) { return cannot_open(s->path, err); }
        const int first = getc(s->file);
        ungetc(first, s->file);
        /* an empty file counts as a file in JSON Lines without rows */
        const bool json = first == '{' || first == EOF;
        m->json = i == 0 ? json : m->json;
        if (json) { continue; }
        NNC_TRY(read_line(s, err));
        if (i == 0) {
            nnc_buffer_put(&m->text, s->line, s->line_size);
            if (m->text.failed) { return nnc_no_memory(err); }
        }
        if (m->text.bytes == NULL || m->text.size != s->line_size ||
            memcmp(m->text.bytes, s->line, s->line_size) != 0) {
            return nnc_fail(err, NNC_BAD_SPEC, s->path, "has other columns than %s", m->sources[0].path);
        }
        if (strncmp(s->line, "row,", 4) != 0 && strncmp(s->line, "row\r", 4) != 0) {
            return nnc_fail(err, NNC_BAD_SPEC, s->path,
                            "expected the row of column names first, as 'nncost sweep --shard' writes it");
        }
    }
    return NNC_OK;
}

/* Checks that the inputs are all shards of the same sweep, that no shard is missing or given twice, and that every
 * shard is finished. */
static nnc_status check_shards(const merger *m, nnc_error *err) {
    nnc_shard_set seen = { .kind = "sweep" };
    nnc_status status = NNC_OK;
    for (int i = 0; i < m->count && status == NNC_OK; i++) {
        const char *path = m->sources[i].path;
        const nnc_database_head *head = nnc_database_reader_head(m->sources[i].reader);
        const nnc_shard number = { head->shard, head->shards };
        status = nnc_shard_set_add(&seen, path, head->digest, number, err);
        if (status == NNC_OK && head->done != head->rows) {
            status = nnc_fail(err, NNC_BAD_SPEC, path, "is not finished, expected %lld combinations, found %lld",
                              (long long)head->rows, (long long)head->done);
        }
    }
    status = status == NNC_OK ? nnc_shard_set_complete(&seen, err) : status;
    nnc_shard_set_free(&seen);
    return status;
}

static nnc_status open_databases(merger *m, bool to_lines, nnc_error *err) {
    for (int i = 0; i < m->count; i++) {
        NNC_TRY(nnc_database_reader_open(m->sources[i].path, &m->sources[i].reader, err));
    }
    NNC_TRY(check_shards(m, err));
    int count = 0;
    const char *const *names = nnc_database_reader_names(m->sources[0].reader, &count);
    m->json = !nnc_ends_in(m->out, ".csv");
    if (to_lines) {
        for (m->head_count = 0; m->head_count < count; m->head_count++) {
            m->heads[m->head_count].name = names[m->head_count];
        }
        if (!m->json) { nnc_format_csv.heading(&m->text, (nnc_heads){ m->heads, count }); }
        return NNC_OK;
    }
    nnc_database_head head = *nnc_database_reader_head(m->sources[0].reader);
    head.shard = head.shards = 1;
    head.rows = head.done = 0;
    head.disposable = true;
    for (int i = 0; i < m->count; i++) { head.rows += nnc_database_reader_head(m->sources[i].reader)->rows; }
    if (!nnc_atomic_file_open_named(&m->written, m->out)) { /* a new file is empty, and SQLite opens an empty file as an
                                                             * empty database */
        return cannot_write(m->out, err);
    }
    return nnc_database_open(m->written.temporary, &head, names, count, &m->database, err);
}

static nnc_status put(merger *m, const source *s, nnc_error *err) {
    const nnc_format *format = m->json ? &nnc_format_json : &nnc_format_csv;
    if (m->database != NULL) { return nnc_database_put(m->database, s->cells, err); }
    if (s->reader != NULL) {
        format->line(&m->text, (nnc_heads){ m->heads, m->head_count }, s->cells);
    } else {
        nnc_buffer_put(&m->text, s->line, s->line_size);
    }
    if (m->text.failed) { return no_memory(m->out, err); }
    if (m->text.size < WRITE_SIZE) { return NNC_OK; }
    const nnc_status status = nnc_file_write(&m->file, m->text.bytes, m->text.size, err);
    nnc_buffer_clear(&m->text);
    return status;
}

/* Writes the rows of all inputs to the output, in ascending order of the row numbers. Fails if two inputs have a row
 * with the same number. */
static nnc_status merge_rows(merger *m, nnc_error *err) {
    for (int i = 0; i < m->count; i++) {
        m->sources[i].row = -1;
        NNC_TRY(advance(&m->sources[i], m->json, err));
    }
    for (int64_t last = -1;;) {
        source *next = NULL;
        for (int i = 0; i < m->count; i++) {
            source *s = &m->sources[i];
            next = !s->ended && (next == NULL || s->row < next->row) ? s : next;
        }
        if (next == NULL) { return NNC_OK; }
        if (next->row == last) {
            return nnc_fail(err, NNC_BAD_SPEC, next->path, "row %lld is also in another shard", (long long)last);
        }
        last = next->row;
        NNC_TRY(put(m, next, err));
        NNC_TRY(advance(next, m->json, err));
    }
}

static nnc_status merge_lines(merger *m, nnc_error *err) {
    NNC_TRY(nnc_file_open(&m->file, m->out, err));
    nnc_status status = merge_rows(m, err);
    if (status == NNC_OK) { status = nnc_file_write(&m->file, m->text.bytes, m->text.size, err); }
    if (status != NNC_OK) {
        nnc_file_close(&m->file, false, NULL);
        return status;
    }
    return nnc_file_close(&m->file, true, err);
}

static nnc_status merge_database(merger *m, nnc_error *err) {
    int64_t done = 0;
    for (int i = 0; i < m->count; i++) { done += nnc_database_reader_head(m->sources[i].reader)->rows; }
    nnc_status status = merge_rows(m, err);
    if (status == NNC_OK) { status = nnc_database_commit(m->database, done, err); }
    nnc_database_close(m->database);
    m->database = NULL;
    if (status == NNC_OK && !nnc_atomic_file_keep(&m->written, true)) { status = cannot_write(m->out, err); }
    return status;
}

static void close_all(merger *m) {
    for (int i = 0; m->sources != NULL && i < m->count; i++) {
        source *s = &m->sources[i];
        nnc_database_reader_close(s->reader);
        if (s->file != NULL) { fclose(s->file); }
        free(s->line);
    }
    nnc_database_close(m->database);
    /* called after the database is closed, because closing a file drops all locks of the process on the file */
    nnc_atomic_file_drop(&m->written);
    nnc_buffer_free(&m->text);
    free(m->sources);
}

nnc_status nnc_merge(const char *out, char *const *inputs, int count, nnc_error *err) {
    bool databases = false;
    NNC_TRY(is_database(inputs[0], &databases, err));
    const bool to_lines =
        !databases || nnc_ends_in(out, ".csv") || nnc_ends_in(out, ".json") || nnc_ends_in(out, ".jsonl");
    merger m = { .out = out, .count = count };
    m.sources = calloc((size_t)count, sizeof *m.sources);
    if (m.sources == NULL) { return no_memory(out, err); }
    for (int i = 0; i < count; i++) { m.sources[i].path = inputs[i]; }
    nnc_status status = databases ? open_databases(&m, to_lines, err) : open_lines(&m, err);
    if (status == NNC_OK) { status = to_lines ? merge_lines(&m, err) : merge_database(&m, err); }
    close_all(&m);
    return status;
}
