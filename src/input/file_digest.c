/* Digests of what files say. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "input/file.h"
#include "input/kind.h"
#include "input/place.h"
#include "input/read.h"

/* Of a member that was read apart it is known. */
static uint64_t member_digest(nnc_json object, nnc_json item, int32_t index,
                              const char *const *skip)
{
    const nnc_json_apart *apart = &object.doc->apart;
    return object.node == apart->object && apart->places[index] > 0 ? apart->digests[index]
                                                                    : nnc_json_digest(item, skip);
}

uint64_t nnc_json_digest(nnc_json at, const char *const *skip)
{
    const nnc_json_type type = nnc_json_type_of(at);
    uint64_t digest = nnc_digest_number(NNC_DIGEST_START, (uint64_t)type), bits = 0;
    int32_t index = 0;
    double value = 0;
    switch (type) {
    case NNC_JSON_BOOL: return nnc_digest_number(digest, nnc_json_bool(at));
    case NNC_JSON_NUMBER:
        value = nnc_json_number(at);
        value = value == 0 ? 0 : value; /* -0 too */
        memcpy(&bits, &value, sizeof(bits));
        return nnc_digest_number(digest, bits);
    case NNC_JSON_TEXT: return nnc_digest_text(digest, nnc_json_text(at));
    case NNC_JSON_LIST:
        for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
            digest = nnc_digest_number(digest, nnc_json_digest(item, skip));
        }
        return digest;
    case NNC_JSON_OBJECT: /* a sum: the order of keys says nothing */
        for (nnc_json item = nnc_json_first(at); item.node != NULL;
             item = nnc_json_next(item), index++) {
            if (!nnc_is_one_of(nnc_json_key(item), skip)) {
                bits += nnc_digest_number(nnc_digest_text(NNC_DIGEST_START, nnc_json_key(item)),
                                          member_digest(at, item, index, skip));
            }
        }
        return nnc_digest_number(digest, bits);
    default: return digest;
    }
}

nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err)
{
    static const char *const skip[] = { "note",       "sources", "references", "like", "same_as",
                                        "stands_for", "aliases", "compared",   NULL };
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = { .faults = &faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .foreign = true };
    if (nnc_json_parse(&doc)) {
        const nnc_spec_kind kind = nnc_spec_kind_said(nnc_json_root(&doc));
        if (kind == NNC_SPEC_KIND_COUNT || nnc_spec_complete(&doc, specs, kind)) {
            *digest = nnc_json_digest(nnc_json_root(&doc), skip);
        }
    }
    nnc_json_free(&doc);
    free(text);
    return faults.status;
}
