/* What keys of one field cannot say of a U-Net: its levels. */
#include <stdio.h>
#include <string.h>

#include "input/foreign/foreign.h"

enum { CHANNELS_MAX = 100000 };

/* block_out_channels as multiples of its first. */
static void read_channels(nnc_json root, nnc_unet *u)
{
    const nnc_json list = nnc_json_get(root, "block_out_channels");
    if (nnc_json_type_of(list) != NNC_JSON_LIST || nnc_json_count(list) < 1 ||
        nnc_json_count(list) > NNC_UNET_LEVELS_MAX) {
        nnc_json_fault(root, "block_out_channels",
                       "wrong value, expected a list of 1 to %d whole numbers, found none",
                       (int)NNC_UNET_LEVELS_MAX);
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        const bool whole = value >= 1 && value <= CHANNELS_MAX && value == (double)(int64_t)value;
        u->channels = u->levels == 0 && whole ? (int64_t)value : u->channels;
        if (!whole || (int64_t)value % u->channels != 0) {
            nnc_json_mismatch(at, "not a multiple of the first level's", "a whole multiple");
            u->levels = 0;
            return;
        }
        u->channel_multipliers[u->levels++] = (int64_t)value / u->channels;
    }
}

/* Which levels attend; the way up, which is listed from the deepest level, has to mirror it. */
static void read_blocks(nnc_json root, const nnc_foreign_levels *levels, nnc_unet *u)
{
    const nnc_json down = nnc_json_get(root, "down_block_types");
    const nnc_json up = nnc_json_get(root, "up_block_types");
    const nnc_json lists[] = { down, up };
    const char *const names[][3] = { { levels->attending_down, "DownBlock2D", "down_block_types" },
                                     { levels->attending_up, "UpBlock2D", "up_block_types" } };
    for (int i = 0; i < 2; i++) {
        int32_t level = 0;
        if (nnc_json_type_of(lists[i]) != NNC_JSON_LIST || nnc_json_count(lists[i]) != u->levels) {
            nnc_json_fault(root, names[i][2], "wrong value, expected a list of %d, found another",
                           u->levels);
            return;
        }
        for (nnc_json at = nnc_json_first(lists[i]); at.node != NULL; at = nnc_json_next(at)) {
            const char *type = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
            const bool attends = strcmp(type, names[i][0]) == 0;
            bool *place = &u->attention_levels[i == 0 ? level : u->levels - 1 - level];
            if (!attends && strcmp(type, names[i][1]) != 0) {
                char expected[96];
                snprintf(expected, sizeof(expected), "%s or %s", names[i][0], names[i][1]);
                nnc_json_mismatch(at, "unknown block", expected);
                return;
            }
            if (i == 1 && *place != attends) {
                nnc_json_mismatch(at, "does not mirror down_block_types",
                                  attends ? names[i][1] : names[i][0]);
                return;
            }
            *place = attends;
            level++;
        }
    }
    u->attention_levels_count = u->levels;
}

/* One entry per level: the same head count everywhere, or counts that give the same width. Levels
 * that do not attend have an entry too, and the middle shares the deepest one's. */
static void read_head_list(nnc_json list, nnc_unet *u)
{
    bool same_count = true, same_width = true;
    int64_t heads = 0, width = 0;
    int32_t level = 0;
    if (nnc_json_count(list) != u->levels) {
        nnc_json_mismatch(list, "wrong length", "one head count per level");
        return;
    }
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at), level++) {
        const int64_t channels = u->channels * u->channel_multipliers[level];
        const double value = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0;
        if (!(value >= 1 && value <= (double)channels) || channels % (int64_t)value != 0 ||
            value != (double)(int64_t)value) {
            nnc_json_mismatch(at, "not a head count", "a divisor of the level's channels");
            return;
        }
        same_count = same_count && (heads == 0 || heads == (int64_t)value);
        same_width = same_width && (width == 0 || width == channels / (int64_t)value);
        heads = (int64_t)value;
        width = channels / heads;
    }
    if (same_count) {
        u->heads = heads;
    } else if (same_width) {
        u->head_width = width;
    } else {
        nnc_json_mismatch(list, "uneven heads", "one count or one width for all levels");
    }
}

static void read_heads(nnc_foreign_file *file, const nnc_foreign_levels *levels)
{
    const nnc_json root = file->at;
    const char *key = levels->heads[nnc_foreign_given(root, levels->heads[0]) ? 0 : 1];
    const nnc_foreign_key heads = { key, .to = "heads", .absent = levels->default_heads };
    const nnc_json at = nnc_json_get(root, key);
    if (nnc_json_type_of(at) == NNC_JSON_LIST) {
        read_head_list(at, &file->model->unet);
        return;
    }
    nnc_foreign_read_key(file, &heads, NULL);
}

void nnc_foreign_levels_read(nnc_foreign_file *file, const nnc_foreign_levels *levels)
{
    const nnc_json root = file->at;
    nnc_unet *u = &file->model->unet;
    read_channels(root, u);
    if (u->levels == 0) {
        return;
    }
    u->image *= u->latent_factor;
    u->time_embed_width = 4 * u->channels;
    read_blocks(root, levels, u);
    if (levels->heads[0] != NULL) {
        read_heads(file, levels);
    }
}
