/* Runs a command and /bin/true alternately, many times. Prints the wall time of a run, the difference from /bin/true,
 * and the largest resident set.
 *     usage: bench_cold RUNS COMMAND [ARGUMENT...] */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "clock.h"

extern char **environ;

enum { RUNS_MAX = 100000, WARM_UP = 5 };

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the seconds from the start of the command to its end; negative = the command failed. */
static double run_once(char **command) {
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    const double start = now_s();
    const int failed = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    const int ended = !failed && waitpid(child, &status, 0) == child && WIFEXITED(status);
    const double elapsed = now_s() - start;
    posix_spawn_file_actions_destroy(&actions);
    return ended && WEXITSTATUS(status) == 0 ? elapsed : -1;
}

/* Runs the command and /bin/true alternately, so that other work on the machine slows down the command and /bin/true
 * equally. Returns false if a command failed. */
static int run_all(long runs, char **commands[2], double *times[2]) {
    for (long i = -WARM_UP; i < runs; i++) {
        for (int k = 0; k < 2; k++) {
            const double elapsed = run_once(commands[k]);
            if (elapsed < 0) {
                fprintf(stderr, "bench_cold: %s failed\n", commands[k][0]);
                return 0;
            }
            if (i >= 0) times[k][i] = elapsed;
        }
    }
    return 1;
}

static void report(long runs, double *times[2]) {
    struct rusage children; /* ru_maxrss: largest resident set of a child process, in KiB */
    const double *nothing = times[0], *own = times[1];
    for (int k = 0; k < 2; k++) qsort(times[k], (size_t)runs, sizeof *times[k], by_value);
    getrusage(RUSAGE_CHILDREN, &children);
    printf("cold start, %ld runs: median %.2f ms, p90 %.2f ms, max %.2f ms, peak RSS %.1f MiB\n", runs,
           1e3 * own[runs / 2], 1e3 * own[runs * 9 / 10], 1e3 * own[runs - 1], (double)children.ru_maxrss / 1024);
    printf("  above /bin/true: least %.2f ms (%.2f - %.2f), median %.2f ms (%.2f - %.2f)\n",
           1e3 * (own[0] - nothing[0]), 1e3 * own[0], 1e3 * nothing[0], 1e3 * (own[runs / 2] - nothing[runs / 2]),
           1e3 * own[runs / 2], 1e3 * nothing[runs / 2]);
}

int main(int argc, char **argv) {
    char *nothing[] = { "/bin/true", NULL };
    char **commands[2] = { nothing, argv + 2 };
    const long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_cold RUNS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double *times[2] = { calloc((size_t)runs, sizeof(double)), calloc((size_t)runs, sizeof(double)) };
    const int ran = times[0] && times[1] && run_all(runs, commands, times);
    if (ran) report(runs, times);
    free(times[0]);
    free(times[1]);
    return ran ? 0 : 1;
}
