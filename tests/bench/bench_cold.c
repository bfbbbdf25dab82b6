/* Runs a command many times and prints the wall time of a run and the largest resident set.
 *     usage: bench_cold RUNS COMMAND [ARGUMENT...] */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { RUNS_MAX = 100000, WARM_UP = 5 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds from before the start of the command until its end is known; negative when it failed. */
static double run_once(char **command)
{
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

int main(int argc, char **argv)
{
    const long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_cold RUNS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double *times = calloc((size_t)runs, sizeof *times);
    if (!times)
        return 4;
    for (long i = -WARM_UP; i < runs; i++) {
        const double elapsed = run_once(argv + 2);
        if (elapsed < 0) {
            fprintf(stderr, "bench_cold: %s failed\n", argv[2]);
            free(times);
            return 1;
        }
        if (i >= 0)
            times[i] = elapsed;
    }
    qsort(times, (size_t)runs, sizeof *times, by_value);

    struct rusage children; /* ru_maxrss: of the largest child, KiB */
    getrusage(RUSAGE_CHILDREN, &children);
    printf("cold start, %ld runs: median %.2f ms, p90 %.2f ms, max %.2f ms, peak RSS %.1f MiB\n",
           runs, 1e3 * times[runs / 2], 1e3 * times[runs * 9 / 10], 1e3 * times[runs - 1],
           (double)children.ru_maxrss / 1024);
    free(times);
    return 0;
}
