/* Runs a fuzz target without libFuzzer: once for each given file, or for each file of a given folder. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, room = 0, got;
    if (file == NULL) {
        perror(path);
        return 1;
    }
    do {
        if (size == room) {
            room = room == 0 ? 4096 : 2 * room;
            uint8_t *larger = realloc(data, room);
            if (larger == NULL) { abort(); }
            data = larger;
        }
        got = fread(data + size, 1, room - size, file);
        size += got;
    } while (got > 0);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

static int replay(const char *path, int *count) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        ++*count;
        return replay_file(path);
    }
    DIR *dir = opendir(path);
    int failed = dir == NULL;
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.') { continue; }
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        ++*count;
        failed |= replay_file(name);
    }
    if (dir != NULL) { closedir(dir); }
    return failed;
}

int main(int argc, char **argv) {
    int count = 0, failed = 0;
    for (int i = 1; i < argc; i++) { failed |= replay(argv[i], &count); }
    printf("%d inputs\n", count);
    return failed || count == 0;
}
