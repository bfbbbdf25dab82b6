/* Access to the system: standard output and files, the progress line, signals.
 *
 * A browser page (WASI) has no terminal and no signals. The page calls page_run for each command line. On a page,
 * commands that read measurements or start processes are refused. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "cli/cli_internal.h"
#include "render/render_internal.h"

#ifndef NNC_NO_PROCESSES
#include <signal.h>
#include <sys/ioctl.h>
#endif

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 60, WIDTH_MAX = 1000 };

/* Returns the width in columns of the terminal to which standard output writes; 0 = standard output is no terminal, or
 * the width is unknown. */
static int terminal_columns(void) {
#ifdef NNC_NO_PROCESSES
    return 0;
#else
    struct winsize size = { 0 };
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#endif
}

static int terminal_width(bool terminal) {
    int64_t columns = 0;
    const char *text = getenv("COLUMNS");
    if (text == NULL || !nnc_read_i64(text, &columns) || columns < 1) {
        columns = terminal ? terminal_columns() : 0;
        columns = columns > 0 ? columns : WIDTH_DEFAULT;
    }
    return (int)(columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns);
}

nnc_style nnc_output_style(const nnc_options *options) {
    const bool terminal = options->output == NULL && isatty(STDOUT_FILENO) == 1;
    const char *term = getenv("TERM");
    return (nnc_style){
        .format = options->format != NULL ? options->format : &nnc_format_table,
        .width = terminal_width(terminal),
        .colour = terminal && getenv("NO_COLOR") == NULL && term != NULL && strcmp(term, "dumb") != 0,
    };
}

static nnc_status write_failed(const char *where, nnc_error *err) {
    return nnc_fail(err, NNC_IO, where, "cannot write: %s", strerror(errno));
}

nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err) {
    struct stat status;
    text = text != NULL ? text : ""; /* the text of an empty buffer is NULL, so "" is used */
    if (path == NULL) {
        return nnc_write_bytes(STDOUT_FILENO, text, size) == size ? NNC_OK : write_failed("standard output", err);
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return write_failed(path, err);
    }
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* the path names no regular file but a pipe or a
                                                                 * file such as /dev/null */
        const int file = open(path, O_WRONLY | O_CLOEXEC);
        const bool written = file >= 0 && nnc_write_bytes(file, text, size) == size;
        const int cause = errno;
        const bool closed = file >= 0 && close(file) == 0;
        errno = written ? errno : cause;
        return written && closed ? NNC_OK : write_failed(path, err);
    }
    return nnc_atomic_file_write(path, text, size) ? NNC_OK : write_failed(path, err);
}

/* ---- progress on standard error ---- */

NNC_ENUM_NAMES(nnc_progress_form, NNC_PROGRESS_LIST)

static const double every_s = 0.2;

double nnc_clock_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

nnc_progress nnc_progress_begin(const char *what, int64_t from, int64_t end, nnc_progress_form form, bool quiet) {
    const double begun_s = nnc_clock_s();
    const bool json = form == NNC_PROGRESS_JSON;
    const bool line = form == NNC_PROGRESS_LINE && !quiet && isatty(STDERR_FILENO) == 1;
    return (nnc_progress){ .shown = json || line,
                           .json = json,
                           .done = from,
                           .shown_done = from,
                           .what = what,
                           .from = from,
                           .end = end,
                           .begun_s = begun_s,
                           .next_s = begun_s + every_s };
}

static void print_json(nnc_progress *progress, double now) {
    const double per_s = (double)(progress->done - progress->from) / (now - progress->begun_s);
    fprintf(stderr, "{\"what\": \"%s\", \"done\": %" PRId64 ", \"of\": %" PRId64 ", \"per_s\": %.6g}\n", progress->what,
            progress->done, progress->end, per_s);
    fflush(stderr);
    progress->shown_done = progress->done;
    progress->next_s = now + every_s;
}

void nnc_progress_show(nnc_progress *progress, int64_t done) {
    char did[NNC_NUMBER_TEXT], all[NNC_NUMBER_TEXT], rate[NNC_NUMBER_TEXT], left[NNC_NUMBER_TEXT];
    const double now = progress->shown ? nnc_clock_s() : 0.0;
    progress->done = done;
    if (!progress->shown || now < progress->next_s || done <= progress->from) { return; }
    if (progress->json) {
        print_json(progress, now);
        return;
    }
    const double per_s = (double)(done - progress->from) / (now - progress->begun_s);
    fprintf(stderr, "\r%s of %s %s, %s/s, %s left\033[K", nnc_count_text((double)done, did),
            nnc_count_text((double)progress->end, all), progress->what, nnc_count_text(per_s, rate),
            nnc_unit_text((double)(progress->end - done) / per_s, "s", left));
    fflush(stderr);
    progress->next_s = now + every_s;
}

void nnc_progress_end(nnc_progress *progress) {
    if (progress->json && progress->done > progress->shown_done) {
        print_json(progress, nnc_clock_s());
    } else if (progress->shown && !progress->json) {
        fputs("\r\033[K", stderr);
    }
}

/* ---- signals that are delayed while a command works ---- */

#ifndef NNC_NO_PROCESSES

static const int numbers[] = { SIGHUP, SIGINT, SIGUSR1, SIGTERM, SIGXCPU };
enum { COUNT = sizeof numbers / sizeof numbers[0] };

static void set_of(uint32_t bits, sigset_t *set) {
    sigemptyset(set);
    for (int i = 0; i < COUNT; i++) {
        if ((bits >> i & 1U) != 0) { sigaddset(set, numbers[i]); }
    }
}

/* Delays signals until nnc_interrupt_release, which discards the signals that have arrived meanwhile. A signal that the
 * shell ignores, for example for a background job, stays ignored. */
void nnc_interrupt_hold(nnc_interrupt *interrupt) {
    struct sigaction action;
    sigset_t held, before;
    *interrupt = (nnc_interrupt){ 0, 0 };
    for (int i = 0; i < COUNT; i++) {
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) { interrupt->held |= 1U << i; }
    }
    set_of(interrupt->held, &held);
    sigemptyset(&before);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    for (int i = 0; i < COUNT; i++) {
        if (sigismember(&before, numbers[i]) == 0) { interrupt->blocked |= interrupt->held & 1U << i; }
    }
}

int nnc_interrupt_pending(const nnc_interrupt *interrupt) {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    for (int i = 0; i < COUNT; i++) {
        if ((interrupt->held >> i & 1U) != 0 && sigismember(&pending, numbers[i]) == 1) { return numbers[i]; }
    }
    return 0;
}

void nnc_interrupt_release(nnc_interrupt *interrupt) {
    int number = 0;
    sigset_t held, blocked;
    set_of(interrupt->held, &held);
    while (nnc_interrupt_pending(interrupt) != 0 && sigwait(&held, &number) == 0) {}
    set_of(interrupt->blocked, &blocked);
    pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
}

#else

void nnc_interrupt_hold(nnc_interrupt *interrupt) { *interrupt = (nnc_interrupt){ 0, 0 }; }

int nnc_interrupt_pending(const nnc_interrupt *interrupt) {
    (void)interrupt;
    return 0;
}

void nnc_interrupt_release(nnc_interrupt *interrupt) { (void)interrupt; }

nnc_status nnc_run_outside_program(nnc_session *session, nnc_error *err) {
    (void)session;
#ifdef __wasi__
    static const char why[] =
        "is not part of the page, which has no folder, no pipe and no measurements: install nncost";
#else
    static const char why[] = "works only in the program on Linux and macOS: Windows has no processes of POSIX";
#endif
    return nnc_fail(err, NNC_BAD_USAGE, "command", why);
}

#endif

#ifdef __wasi__
/* ---- functions that the browser page calls ---- */

enum { WORDS_MAX = 1024 };

int main(int argc, char **argv);

/* Allocates memory into which the browser page writes the words of a command line. */
__attribute__((export_name("nnc_alloc"))) void *page_alloc(size_t size) { return malloc(size); }

__attribute__((export_name("nnc_free"))) void page_free(void *memory) { free(memory); }

/* Runs a command line on the browser page. The words of the command line each end with a NUL. Returns the exit code. */
__attribute__((export_name("nnc_run"))) int32_t page_run(char *words, size_t size) {
    static char program[] = "nncost";
    char *argv[WORDS_MAX + 1] = { program };
    int argc = 1;
    for (size_t at = 0; at < size && argc < WORDS_MAX; at += strlen(words + at) + 1) { argv[argc++] = words + at; }
    argv[argc] = NULL;
    return main(argc, argv);
}

#endif
