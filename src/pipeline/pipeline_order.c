/* Order lists: what each device runs, one after the other. They depend on stages, chunks and
 * micro-batches only, never on times, so a replay is monotone in every time. */
#include "pipeline/pipeline_replay.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void append(nnc_pipeline_device *device, int64_t repeat, const uint8_t *op, size_t ops)
{
    if (repeat <= 0) {
        return;
    }
    nnc_order_run *const run = &device->order[device->runs++];
    run->repeat = repeat;
    run->ops = (uint8_t)ops;
    for (size_t i = 0; i < ops; i++) {
        run->op[i] = op[i];
    }
}

#define APPEND(device, repeat, ...) \
    append((device), (repeat), (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

/* GPipe: all forwards, then all backwards. */
static void write_gpipe(nnc_pipeline_device *device, int64_t m)
{
    APPEND(device, m, NNC_F0);
    APPEND(device, m, NNC_B0);
}

/* `ahead` forwards, then one forward, one backward, then the backwards left. n counts
 * micro-batches, of one chunk each where a device has several. */
static void write_1f1b(nnc_pipeline_device *device, int64_t n, int64_t ahead)
{
    ahead = least(ahead, n);
    APPEND(device, ahead, NNC_F0);
    APPEND(device, n - ahead, NNC_F0, NNC_B0);
    APPEND(device, ahead, NNC_B0);
}

/* The same with weight gradients apart, each run `late` input gradients after its own: the late
 * ones fill the wait at the end. */
static void write_zb_h(nnc_pipeline_device *device, int64_t m, int64_t ahead, int64_t late)
{
    ahead = least(ahead, m);
    late = least(late, m);
    const int64_t paired = m - ahead;
    APPEND(device, ahead, NNC_F0);
    APPEND(device, least(late, paired), NNC_F0, NNC_B0);
    APPEND(device, paired - late, NNC_F0, NNC_B0, NNC_W0);
    APPEND(device, late - paired, NNC_B0);
    APPEND(device, m - most(paired, late), NNC_B0, NNC_W0);
    APPEND(device, late, NNC_W0);
}

/* ZB-V, device i of p, for n >= 2p-1 micro-batches. */
static void write_zb_v(nnc_pipeline_device *device, int64_t n, int64_t p, int64_t i)
{
    APPEND(device, 2 * (p - i) - 1, NNC_F0);
    APPEND(device, i, NNC_F1, NNC_F0);
    APPEND(device, p - i, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, n - (2 * p - i - 1), NNC_F0, NNC_B0, NNC_W0, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, p - i - 1, NNC_B0, NNC_W0, NNC_F1, NNC_B1, NNC_W1);
    APPEND(device, i, NNC_B0, NNC_B1);
    APPEND(device, p - i, NNC_B0, NNC_W0);
    APPEND(device, i, NNC_W1);
    APPEND(device, i, NNC_W0);
}

/* DualPipe, for n >= p micro-batches from each end; 0 is the direction that starts at this half of
 * the devices, i counts from the nearer end. */
static void write_dualpipe(nnc_pipeline_device *device, int64_t n, int64_t p, int64_t i)
{
    const int64_t inner = p / 2 - i - 1; /* devices between this one and the middle */
    const int64_t late1 =
        (i + 1) / 2; /* backwards of the drain that leave their weights for later */
    const int64_t main = n - p + i + 1;
    APPEND(device, 2 * inner, NNC_F0);
    APPEND(device, i + 1, NNC_F0, NNC_F1);
    APPEND(device, inner, NNC_B1, NNC_W1, NNC_F1);
    if (inner == 0) { /* the middle gains nothing from pairing its first backward */
        APPEND(device, 1, NNC_F0, NNC_BW1, NNC_F1_BW0);
    }
    APPEND(device, main - (inner == 0), NNC_F0_BW1, NNC_F1_BW0);
    APPEND(device, inner, NNC_BW1, NNC_F1_BW0);
    APPEND(device, (i + 1) / 2, NNC_BW1, NNC_BW0);
    if (i % 2 == 0) {
        APPEND(device, 1, NNC_BW1, NNC_B0);
    }
    APPEND(device, late1, NNC_B1, NNC_B0);
    const int64_t fill1 = least(inner, late1);
    APPEND(device, fill1, NNC_W1, NNC_B0);
    APPEND(device, inner - fill1, NNC_W0, NNC_B0);
    APPEND(device, late1 - fill1, NNC_W1);
    APPEND(device, i + 1 - (late1 - fill1), NNC_W0);
}

void nnc_order_write(const nnc_pipeline *pipeline, int32_t d, nnc_pipeline_device *device)
{
    const int64_t p = pipeline->stages, v = pipeline->chunks, m = pipeline->micro_batches;
    const int64_t after = p - d - 1;
    device->runs = 0;
    switch (pipeline->schedule) {
    case NNC_SCHEDULE_GPIPE: write_gpipe(device, m); break;
    case NNC_SCHEDULE_INTERLEAVED:
        write_1f1b(device, m * v, v == 1 ? after : 2 * after + (v - 1) * p);
        break;
    case NNC_SCHEDULE_ZB_H1: write_zb_h(device, m, after, d); break;
    case NNC_SCHEDULE_ZB_H2: write_zb_h(device, m, 2 * after, 2 * (int64_t)d); break;
    case NNC_SCHEDULE_ZB_V: write_zb_v(device, most(m, 2 * p - 1), p, d); break;
    case NNC_SCHEDULE_DUALPIPE:
        if (p > 1) {
            write_dualpipe(device, most((m + 1) / 2, p), p, least(d, after));
            break;
        }
        write_1f1b(device, m, 0);
        break;
    case NNC_SCHEDULE_1F1B:
    case NNC_SCHEDULE_COUNT: write_1f1b(device, m, after); break;
    }
}
