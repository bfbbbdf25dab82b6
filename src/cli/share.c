#include "cli/share.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

bool nnc_shard_asked(const nnc_setting *setting)
{
    return strcmp(setting->field->name, "shard") == 0 && strchr(setting->value, '/') != NULL;
}

nnc_status nnc_shard_read(const char *text, nnc_shard *shard, nnc_error *err)
{
    char first[NNC_NUMBER_TEXT];
    const char *slash = strchr(text, '/');
    const int length = slash != NULL ? (int)(slash - text) : 0;
    snprintf(first, sizeof first, "%.*s", length, text);
    const bool read = slash != NULL && nnc_read_i64(slash + 1, &shard->of);
    if (read && shard->of > NNC_SHARDS_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard", "expected at most %d parts, found \"%s\"",
                        NNC_SHARDS_MAX, text);
    }
    if (!read || !nnc_read_i64(first, &shard->number) || shard->number < 1 ||
        shard->number > shard->of) {
        return nnc_fail(err, NNC_BAD_USAGE, "--shard",
                        "expected I/N with I from 1 to N, found \"%s\"", text);
    }
    return NNC_OK;
}
