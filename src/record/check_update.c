/* Recording what a check found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <nncost/nncost.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "input/file.h"
#include "input/place.h"
#include "record/check.h"

/* The file may have been edited while it was being checked. */
static nnc_status refuse_other(const nnc_plans *plans, const char *option, nnc_error *err)
{
    struct stat about;
    char *text = NULL;
    size_t size = 0;
    if (nnc_is_pipe(plans->path) || (stat(plans->path, &about) == 0 && !S_ISREG(about.st_mode))) {
        return nnc_fail(err, NNC_BAD_USAGE, option, "%s is not a file that can be replaced",
                        plans->path);
    }
    nnc_status status = nnc_file_read_large(plans->path, NNC_RECORDED_BYTES_MAX, &text, &size, err);
    if (status == NNC_OK && (size != plans->size || memcmp(text, plans->text, size) != 0)) {
        status = nnc_fail(err, NNC_IO, plans->path,
                          "changed while it was being checked; nothing is written");
    }
    free(text);
    return status;
}

/* Nothing is written that could not be read again. */
static nnc_status verify(const nnc_plans *plans, const char *text, size_t size, nnc_error *err)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_faults faults = { .name = plans->path, .err = err };
    nnc_plans again;
    if (arena == NULL) {
        return nnc_no_memory(err);
    }
    nnc_plans_parse(arena, text, size, &faults, &again);
    nnc_arena_destroy(arena);
    return faults.status;
}

static nnc_status replace(const char *path, const char *text, size_t size, nnc_error *err)
{
    return nnc_beside_write(path, text, size)
               ? NNC_OK
               : nnc_fail(err, NNC_IO, path, "cannot write: %s", strerror(errno));
}

static nnc_status write_recorded(nnc_check *c, const nnc_recorded *recorded, nnc_error *err)
{
    size_t size = 0;
    nnc_buffer part = { 0 };
    nnc_recorded_write(&part, recorded, c->plans->record_count > 0);
    nnc_buffer_byte(&part, '\0');
    if (part.size + c->plans->size > NNC_RECORDED_BYTES_MAX) {
        nnc_buffer_free(&part);
        return nnc_fail(err, NNC_BAD_SPEC, c->plans->path,
                        "its recorded estimates need more than %d MB, expected less: record asked "
                        "figures only (\"record\"), or deal the scenarios out to several files",
                        NNC_RECORDED_BYTES_MAX / 1000000);
    }
    const char *text =
        part.failed ? NULL : nnc_plans_with_recorded(c->arena, c->plans, part.bytes, &size);
    nnc_buffer_free(&part);
    if (text == NULL) {
        return nnc_no_memory(err);
    }
    if (size == c->plans->size && memcmp(text, c->plans->text, size) == 0) {
        return NNC_OK;
    }
    NNC_TRY(verify(c->plans, text, size, err));
    NNC_TRY(refuse_other(c->plans, "--update", err));
    return replace(c->plans->path, text, size, err);
}

nnc_status nnc_check_update(nnc_check *c, nnc_error *err)
{
    NNC_NEED(c);
    nnc_recorded recorded = {
        .tool = nnc_version(),
        .conventions = NNC_RECORDED_CONVENTIONS,
        .estimates = c->estimates,
        .estimate_count = c->plans->scenario_count,
    };
    recorded.digests = nnc_origins_sorted(&c->origins, c->plans, &recorded.digest_count);
    if (recorded.digests == NULL) {
        return nnc_no_memory(err);
    }
    NNC_TRY(write_recorded(c, &recorded, err));
    c->report.updated = true;
    return NNC_OK;
}

/* The bytes of the recorded part with its key, and of the comma that parts it from its neighbour. */
static void find_member(const nnc_plans *plans, size_t *begin, size_t *end)
{
    static const char blank[] = " \t\r\n";
    const char *text = plans->text;
    *begin = plans->places.begin;
    *end = plans->places.end;
    while (text[*begin - 1] != ':') {
        --*begin;
    }
    while (text[*begin - 1] != '"') {
        --*begin;
    }
    *begin -= strlen("\"recorded\"");
    size_t before = *begin, after = *end;
    while (strchr(blank, text[before - 1]) != NULL) {
        before--;
    }
    while (text[after] != '\0' && strchr(blank, text[after]) != NULL) {
        after++;
    }
    if (text[before - 1] == ',') {
        *begin = before - 1;
    } else if (text[after] == ',') {
        *end = after + 1;
    }
}

nnc_status nnc_plans_forget(nnc_specs *specs, const char *path, nnc_error *err)
{
    nnc_arena *arena = nnc_arena_create();
    const nnc_plans *plans = NULL;
    nnc_status status =
        arena != NULL ? nnc_plans_read(specs, arena, path, &plans, err) : nnc_no_memory(err);
    if (status == NNC_OK && plans != NULL && plans->places.end > 0) {
        size_t begin, end;
        nnc_buffer text = { 0 };
        find_member(plans, &begin, &end);
        nnc_buffer_put(&text, plans->text, begin);
        nnc_buffer_put(&text, plans->text + end, plans->size - end);
        status = text.failed ? nnc_no_memory(err) : refuse_other(plans, "--forget", err);
        status = status == NNC_OK ? replace(plans->path, text.bytes, text.size, err) : status;
        nnc_buffer_free(&text);
    }
    nnc_arena_destroy(arena);
    return status;
}
