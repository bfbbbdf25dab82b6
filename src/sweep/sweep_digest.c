/* Whether two sweeps have the same rows. */
#include <errno.h>
#include <stdio.h>

#include <nncost/nncost.h>

#include "base/error.h"
#include "sweep/sweep.h"

static nnc_status add_file(uint64_t *digest, const char *path, nnc_error *err)
{
    char block[4096];
    FILE *file = fopen(path, "rb");
    bool ok = file != NULL;
    while (ok) {
        const size_t size = fread(block, 1, sizeof block, file);
        *digest = nnc_digest_bytes(*digest, block, size);
        if (size < sizeof block) {
            ok = ferror(file) == 0;
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    *digest = nnc_digest_text(*digest, "");
    if (file == NULL && errno == ENOMEM) {
        return nnc_no_memory(err);
    }
    return ok ? NNC_OK : nnc_fail(err, NNC_IO, path, "cannot read");
}

static nnc_status add_axis(uint64_t *digest, const nnc_sweep_axis *axis, nnc_error *err)
{
    nnc_status status = NNC_OK;
    *digest = nnc_digest_text(*digest, axis->name);
    *digest = nnc_digest_number(*digest, (uint64_t)axis->group);
    for (int32_t i = 0; i < axis->count && status == NNC_OK; i++) {
        const char *path = NULL;
        *digest = nnc_digest_text(*digest, axis->values[i]);
        if (axis->target == NNC_SWEEP_MODEL) {
            path = ((const nnc_model *)axis->specs[i])->path;
        } else if (axis->target == NNC_SWEEP_DEVICE) {
            path = ((const nnc_device *)axis->specs[i])->path;
        } else if (axis->target == NNC_SWEEP_SOFTWARE) {
            path = ((const nnc_software *)axis->specs[i])->path;
        }
        status = path != NULL ? add_file(digest, path, err) : NNC_OK;
    }
    return status;
}

nnc_status nnc_sweep_digest(const nnc_sweep *sweep, uint64_t *made, nnc_error *err)
{
    uint64_t digest = nnc_digest_text(NNC_DIGEST_START, nnc_version());
    for (int32_t i = 0; i < sweep->axes.axis_count; i++) {
        NNC_TRY(add_axis(&digest, &sweep->axes.axes[i], err));
    }
    if (sweep->cluster != NULL) {
        NNC_TRY(add_file(&digest, sweep->cluster, err));
    }
    const nnc_profiles *p = sweep->axes.profiles;
    for (int i = 0; i < NNC_PROFILE_KINDS && p != NULL; i++) {
        if (p->of[i] != NULL && p->of[i]->path != NULL) {
            NNC_TRY(add_file(&digest, p->of[i]->path, err));
        }
    }
    for (int32_t i = 0; i < sweep->column_count; i++) {
        digest = nnc_digest_text(digest, sweep->heads[i].name);
    }
    for (int32_t i = 0; i < sweep->where_count; i++) {
        digest = nnc_digest_text(digest, sweep->where_texts[i]);
    }
    digest = nnc_digest_text(digest, sweep->all ? "all" : "fits");
    *made = digest;
    return NNC_OK;
}
