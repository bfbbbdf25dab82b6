/* Measures rows per second and the largest resident set of 'nncost sweep', for several numbers of threads and output
 * formats. The rate per core-second is rows / processor time; programs that run at the same time do not change this
 * rate.
 *     usage: bench_sweep NNCOST FOLDER      FOLDER: for output files; the caller deletes them */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "clock.h"
#include "reference.h"

extern char **environ;

enum { ARGUMENTS_MAX = 48, MODEL_ROWS = 100000, MANY_ROWS = 1000000, MIXED_ROWS = 19200 };

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static double children_s(void) {
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    return seconds(children.ru_utime) + seconds(children.ru_stime);
}

/* Runs the program with arguments separated by blanks. Prints a line, unless the program fails. */
static int run(const char *program, const char *what, const char *arguments, long rows) {
    char text[1024], *words[ARGUMENTS_MAX] = { NULL };
    int count = 0, status = 0;
    pid_t child = 0;
    posix_spawn_file_actions_t actions;
    snprintf(text, sizeof text, "%s %s", program, arguments);
    for (char *word = strtok(text, " "); word && count < ARGUMENTS_MAX - 1; word = strtok(NULL, " "))
        words[count++] = word;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    const double cpu_s = children_s(), start_s = now_s();
    const int failed = posix_spawn(&child, program, &actions, NULL, words, environ);
    const int ended = !failed && waitpid(child, &status, 0) == child && WIFEXITED(status);
    const double wall_s = now_s() - start_s, used_s = children_s() - cpu_s;
    posix_spawn_file_actions_destroy(&actions);
    if (!ended || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "bench_sweep: failed: %s\n", arguments);
        return 1;
    }
    printf("%-44s %9.0f rows/s, %9.0f per core-second, %6.3f in a reference\n", what, (double)rows / wall_s,
           (double)rows / used_s, (double)rows / used_s * bench_reference_s());
    return 0;
}

/* Sweeps with 100 000 legal plans that fit, on one device and on a cluster. */
#define ONE "sweep gpt2 h100 --micro-batch 1 --seq-len 1..1000 --micro-batches 1..100 "
#define MANY "sweep gpt2 h100 --micro-batch 1 --seq-len 1..1000 --micro-batches 1..1000 "
#define CLUSTER                                                                                 \
    "sweep gpt3-175b h100 --set vocab_multiple=1024 --devices 1024 --tensor 8 --pipeline 8,16 " \
    "--zero 1 --recompute selective,full --micro-batches 1..25000 "

/* The axes that change the ops of a rank vary fastest. */
#define MIXED                                                                                  \
    "sweep llama3-70b h100 --devices 512 --micro-batches 1..400 --tensor 1..8*2 --pipeline 8 " \
    "--zero 1 --micro-batch 1..8*2 --recompute none,selective,full --all "

int main(int argc, char **argv) {
    char arguments[512];
    if (argc != 3) {
        fprintf(stderr, "usage: bench_sweep NNCOST FOLDER\n");
        return 2;
    }
    int failed = run(argv[1], "one device, CSV, 1 thread", ONE "--format csv --threads 1", MODEL_ROWS) ||
                 run(argv[1], "one device, CSV, 2 threads", ONE "--format csv --threads 2", MODEL_ROWS) ||
                 run(argv[1], "one device, JSON lines, 2 threads", ONE "--format json --threads 2", MODEL_ROWS) ||
                 run(argv[1], "one device, best 10 of them, 2 threads", ONE "--top 10 --threads 2", MODEL_ROWS) ||
                 run(argv[1], "cluster, CSV, 1 thread", CLUSTER "--format csv --threads 1", MODEL_ROWS) ||
                 run(argv[1], "cluster, CSV, 2 threads", CLUSTER "--format csv --threads 2", MODEL_ROWS) ||
                 run(argv[1], "cluster, 48 lists of ops, 1 thread", MIXED "--format csv --threads 1", MIXED_ROWS);
    snprintf(arguments, sizeof arguments, ONE "--db %s/rows.sqlite --threads 2", argv[2]);
    failed = failed || run(argv[1], "one device, SQLite, 2 threads", arguments, MODEL_ROWS) ||
             run(argv[1], "constraint on axes alone, 2 threads", MANY "--threads 2 --where seq_len*micro_batches<9",
                 MANY_ROWS) ||
             run(argv[1], "a million rows, CSV, 2 threads", MANY "--format csv --threads 2", MANY_ROWS);
    struct rusage children; /* ru_maxrss: largest resident set of a child process, in KiB */
    getrusage(RUSAGE_CHILDREN, &children);
    printf("peak RSS of all these %.1f MiB\n", (double)children.ru_maxrss / 1024);
    return failed;
}
