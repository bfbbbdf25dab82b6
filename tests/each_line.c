/* Runs each line of standard input as a command line of nncost; tabs separate its words. All command lines run in one
 * process. One process for all command lines takes a third of the time of one process per line. For each run, writes a
 * line with the exit code and a number of bytes, then as many bytes of output or error message. A command line that
 * succeeds runs a second time with --format json. */
#include <signal.h>

#define main nncost_main
#include "cli/main.c"
#undef main

enum { WORDS_MAX = 64, LINE_MAX_BYTES = 4096, SECONDS_MAX = 60 };

/* Returns true if the command succeeded. */
static bool run_line(const char *line, const char *format) {
    char text[LINE_MAX_BYTES + 64], *words[WORDS_MAX + 2], *rest = NULL;
    nnc_buffer out = { 0 };
    nnc_error err = { 0 };
    int count = 0;
    snprintf(text, sizeof text, "nncost\t%s%s", line, format);
    for (char *word = strtok_r(text, "\t\n", &rest); word != NULL && count < WORDS_MAX;
         word = strtok_r(NULL, "\t\n", &rest)) {
        words[count++] = word;
    }
    words[count] = NULL;
    alarm(SECONDS_MAX); /* ends this process if the command takes too long */
    const nnc_status status = nnc_command_call(count, words, &out, &err);
    if (status != NNC_OK) {
        nnc_buffer_clear(&out);
        nnc_buffer_print(&out, "%s: %s", err.where, err.what);
    }
    printf("%d %zu\n", nnc_status_exit_code(status), out.size);
    fwrite(out.bytes, 1, out.size, stdout);
    nnc_buffer_free(&out);
    return status == NNC_OK;
}

int main(void) {
    char line[LINE_MAX_BYTES];
    keep_blocks_apart();
    share_trees();
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (run_line(line, "")) { run_line(line, "\t--format\tjson"); }
        fflush(stdout);
    }
    return 0;
}
