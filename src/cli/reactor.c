/* The program as a WebAssembly module that is called again and again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 1024 };

int main(int argc, char **argv);

/* Memory for the words of a command line. */
__attribute__((export_name("nnc_alloc"))) void *nnc_alloc(size_t size)
{
    return malloc(size);
}

__attribute__((export_name("nnc_free"))) void nnc_free(void *memory)
{
    free(memory);
}

/* Runs the command line of words that each end with a NUL; an empty list ends with one more. Returns the exit
 * code. */
__attribute__((export_name("nnc_run"))) int32_t nnc_run(char *words, size_t size)
{
    static char program[] = "nncost";
    char *argv[WORDS_MAX + 1] = { program };
    int argc = 1;
    for (size_t at = 0; at < size && argc < WORDS_MAX; at += strlen(words + at) + 1) {
        argv[argc++] = words + at;
    }
    argv[argc] = NULL;
    return main(argc, argv);
}
