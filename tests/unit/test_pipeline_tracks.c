/* Tests the replay of several pipelines at the same time, one per SIMD lane (a track). */
#include "pipelines.h"

/* Writes the times of a pipeline into one track. All tracks have the same number of virtual stages. */
static void fill_track(const nnc_pipeline *of, int32_t track, double times[3][VIRTUAL * NNC_TRACKS]) {
    for (int i = 0; i < of->stages * of->chunks; i++) {
        times[0][i * NNC_TRACKS + track] = of->forward_s[i];
        times[1][i * NNC_TRACKS + track] = of->backward_s[i];
        times[2][i * NNC_TRACKS + track] = of->weight_s[i];
    }
}

static void check_track(const nnc_pipeline *of, int32_t track, const double *span_s, double total_s) {
    ck_assert(nnc_pipeline_run(of, memory, &run));
    ck_assert_double_eq(total_s, run.total_s);
    for (int32_t d = 0; d < of->stages; d++) { ck_assert_double_eq(span_s[d * NNC_TRACKS + track], run.span_s[d]); }
}

typedef double track_times[3][VIRTUAL];

/* Draws the times of `count` pipelines that have the same numbers of stages, chunks and micro-batches. The stages of
 * different pipelines take different times. */
static nnc_pipeline draw_tracks(int64_t m_max, int32_t count, track_times *kept, double *send_s,
                                double times[3][VIRTUAL * NNC_TRACKS]) {
    nnc_pipeline shape = random_pipeline(m_max);
    for (int32_t k = 0; k < count; k++) {
        const nnc_pipeline next = k == 0 ? shape : random_pipeline(1);
        for (int i = 0; i < shape.stages * shape.chunks; i++) {
            const bool drawn = i < next.stages * next.chunks;
            kept[k][0][i] = drawn ? forward_s[i] : 1;
            kept[k][1][i] = drawn ? backward_s[i] : 2;
            kept[k][2][i] = drawn ? weight_s[i] : 1;
        }
        send_s[k] = next.send_s;
        shape.forward_s = kept[k][0], shape.backward_s = kept[k][1], shape.weight_s = kept[k][2];
        fill_track(&shape, k, times);
    }
    shape.forward_s = times[0], shape.backward_s = times[1], shape.weight_s = times[2];
    return shape;
}

/* Runs the tracks without vector instructions. */
static void run_plain(const nnc_pipeline *pipeline, const double *send_s, int32_t count, double *span_s) {
    nnc_wave_shape shape = nnc_wave_shape_of(pipeline, send_s, NNC_TRACKS);
    shape.wide = false;
    nnc_wave_run_tracks(&shape, count, &memory->tracks);
    for (int i = 0; i < pipeline->stages * NNC_TRACKS; i++) {
        span_s[i] = memory->tracks.now.free_s[i] - memory->tracks.first_s[i];
    }
}

static int64_t check_tracks(const nnc_pipeline *all, int32_t count, track_times *kept, const double *send_s) {
    static double span_s[DEVICES * NNC_TRACKS], plain_s[DEVICES * NNC_TRACKS];
    double total_s[NNC_TRACKS];
    const nnc_schedule_row *row = nnc_schedule_of(all->schedule);
    const bool suits = all->stages > 1;
    ck_assert_int_eq(suits, nnc_pipeline_run_tracks(all, send_s, count, memory, span_s, total_s));
    for (int32_t k = 0; k < count && suits; k++) {
        nnc_pipeline one = *all;
        one.forward_s = kept[k][0], one.backward_s = kept[k][1], one.weight_s = kept[k][2];
        one.send_s = send_s[k];
        check_track(&one, k, span_s, total_s[k]);
        if (row->splits && row->wave != NULL) {
            run_plain(all, send_s, count, plain_s);
            check_track(&one, k, plain_s, total_s[k]);
        }
    }
    return suits ? count : 0;
}

/* A pipeline that runs together with other pipelines has the same digits as if it runs alone, on processors with and
 * without vector instructions. */
START_TEST(tracks_are_runs) {
    static double times[3][VIRTUAL * NNC_TRACKS];
    static track_times kept[NNC_TRACKS];
    double send_s[NNC_TRACKS];
    int64_t ran = 0;
    seed = 23;
    for (int c = 0; c < CASES / 4; c++) {
        const int32_t count = (int32_t)draw_int(1, NNC_TRACKS);
        const nnc_pipeline all = draw_tracks(c % 3 == 0 ? 2000 : 100, count, kept, send_s, times);
        ran += check_tracks(&all, count, kept, send_s);
    }
    ck_assert_int_gt(ran, CASES / 2);
}
END_TEST

/* Repeats the test of tracks with two stages and many micro-batches, so that tracks often skip repeated rounds at
 * different times. */
START_TEST(tracks_skip_at_different_times) {
    static double times[3][VIRTUAL * NNC_TRACKS];
    static track_times kept[NNC_TRACKS];
    double send_s[NNC_TRACKS];
    int64_t ran = 0;
    seed = 23;
    while (ran < CASES) {
        const nnc_pipeline all = draw_tracks(2000, NNC_TRACKS, kept, send_s, times);
        ran += all.stages == 2 && all.micro_batches > 1000 ? check_tracks(&all, NNC_TRACKS, kept, send_s) : 0;
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = { tracks_are_runs, tracks_skip_at_different_times };
    return run_tests_with("pipeline_tracks", open_memory, close_memory, tests, COUNT_OF(tests));
}
