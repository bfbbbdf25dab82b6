#include <string.h>

#include <nncost/nncost.h>

#include "base/digest.h"
#include "base/error.h"
#include "input/kind.h"
#include "search/search_task.h"

static void add_number(uint64_t *digest, double number)
{
    uint64_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    *digest = nnc_digest_number(*digest, bits);
}

/* What a file says: two machines may keep it in different places. */
static nnc_status add_file(nnc_specs *specs, uint64_t *digest, const char *path, nnc_error *err)
{
    uint64_t content = 0;
    const nnc_status status = path != NULL ? nnc_spec_digest(specs, path, &content, err) : NNC_OK;
    *digest = nnc_digest_number(*digest, content);
    return status;
}

static void add_plan(uint64_t *digest, const nnc_plan *plan)
{
    for (size_t i = 0; i < nnc_plan_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_plan_table.fields[i], plan, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_run(uint64_t *digest, const nnc_run_ask *run)
{
    for (size_t i = 0; run != NULL && i < nnc_run_table.count; i++) {
        char text[256];
        nnc_field_text(&nnc_run_table.fields[i], run, text, sizeof text);
        *digest = nnc_digest_text(*digest, text);
    }
}

static void add_choices(uint64_t *digest, const nnc_search *search)
{
    enum { CHOICES = 11 };
    const nnc_choice *const choices[CHOICES] = {
        &search->tensor,         &search->pipeline,    &search->context, &search->expert,
        &search->virtual_stages, &search->micro_batch, &search->zero,    &search->sequence_parallel,
        &search->recompute,      &search->schedule,    &search->offload,
    };
    for (int i = 0; i < CHOICES; i++) {
        *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->count);
        for (int32_t k = 0; k < choices[i]->count; k++) {
            *digest = nnc_digest_number(*digest, (uint64_t)choices[i]->values[k]);
        }
    }
}

static void add_search(uint64_t *digest, const nnc_search_task *task)
{
    const nnc_search *search = &task->search;
    add_plan(digest, &search->base);
    add_run(digest, search->run);
    add_choices(digest, search);
    *digest = nnc_digest_number(*digest, (uint64_t)search->mem_bytes);
    add_number(digest, search->deadline_s);
    add_number(digest, search->budget);
    *digest = nnc_digest_number(*digest, (uint64_t)search->objective);
    *digest = nnc_digest_number(*digest, (uint64_t)search->best);
    *digest = nnc_digest_number(*digest, search->no_prune);
    *digest = nnc_digest_number(*digest, (uint64_t)task->size_count);
    for (int32_t i = 0; i < task->size_count; i++) {
        *digest = nnc_digest_number(*digest, (uint64_t)task->sizes[i]);
    }
}

nnc_status nnc_search_digest(const nnc_search_task *task, nnc_specs *specs,
                             const char *const *files, int file_count, const char *const *texts,
                             int text_count, uint64_t *digest, nnc_error *err)
{
    *digest = nnc_digest_text(NNC_DIGEST_START, nnc_version());
    for (int i = 0; i < file_count; i++) {
        NNC_TRY(add_file(specs, digest, files[i], err));
    }
    for (int i = 0; i < text_count; i++) {
        *digest = nnc_digest_text(*digest, texts[i]);
    }
    add_search(digest, task);
    return NNC_OK;
}
