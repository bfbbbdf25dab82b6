#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/names.h"
#include "render/text.h"

NNC_ENUM_NAMES(nnc_progress_form, NNC_PROGRESS_LIST)

static const double every_s = 0.2;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

nnc_progress nnc_progress_begin(const char *what, int64_t from, int64_t end, nnc_progress_form form,
                                bool quiet)
{
    const double begun_s = now_s();
    const bool json = form == NNC_PROGRESS_JSON;
    const bool line = form == NNC_PROGRESS_LINE && !quiet && isatty(STDERR_FILENO) == 1;
    return (nnc_progress){ .shown = json || line,
                           .json = json,
                           .done = from,
                           .said = from,
                           .what = what,
                           .from = from,
                           .end = end,
                           .begun_s = begun_s,
                           .next_s = begun_s + every_s };
}

static void say_json(nnc_progress *progress, double now)
{
    const double per_s = (double)(progress->done - progress->from) / (now - progress->begun_s);
    fprintf(stderr,
            "{\"what\": \"%s\", \"done\": %" PRId64 ", \"of\": %" PRId64 ", \"per_s\": %.6g}\n",
            progress->what, progress->done, progress->end, per_s);
    fflush(stderr);
    progress->said = progress->done;
    progress->next_s = now + every_s;
}

void nnc_progress_show(nnc_progress *progress, int64_t done)
{
    char did[NNC_NUMBER_TEXT], all[NNC_NUMBER_TEXT], rate[NNC_NUMBER_TEXT], left[NNC_NUMBER_TEXT];
    const double now = progress->shown ? now_s() : 0.0;
    progress->done = done;
    if (!progress->shown || now < progress->next_s || done <= progress->from) {
        return;
    }
    if (progress->json) {
        say_json(progress, now);
        return;
    }
    const double per_s = (double)(done - progress->from) / (now - progress->begun_s);
    fprintf(stderr, "\r%s of %s %s, %s/s, %s left\033[K", nnc_count_text((double)done, did),
            nnc_count_text((double)progress->end, all), progress->what, nnc_count_text(per_s, rate),
            nnc_unit_text((double)(progress->end - done) / per_s, "s", left));
    fflush(stderr);
    progress->next_s = now + every_s;
}

void nnc_progress_end(nnc_progress *progress)
{
    if (progress->json && progress->done > progress->said) {
        say_json(progress, now_s());
    } else if (progress->shown && !progress->json) {
        fputs("\r\033[K", stderr);
    }
}
