/* Reads logs of training programs: the time of a step, the memory and the MFU. Only the tables `patterns` and `others`
 * have texts that belong to one program. An entry of `patterns` has a mark and a key. A line that contains the mark
 * states one number, which follows the key in the line, or precedes it (BEFORE).
 * Sources of the formats: Megatron-LM megatron/training/training.py, NeMo nemo/utils/exp_manager.py, torchtitan
 * torchtitan/components/metrics.py, transformers src/transformers/trainer.py and tqdm, DeepSpeed
 * deepspeed/utils/timer.py and deepspeed/runtime/pipe/engine.py, MaxText src/maxtext/common/metric_logger.py,
 * Megatron-DeepSpeed of BigScience megatron/training.py, Megatron-Bridge
 * src/megatron/bridge/training/utils/train_utils.py, nanotron src/nanotron/trainer.py, torchtune
 * recipes/full_finetune_distributed.py and torchtune/training/metric_logging.py, Composer
 * composer/loggers/console_logger.py, composer/callbacks/speed_monitor.py and memory_monitor.py, Axolotl
 * src/axolotl/core/trainers/base.py, nanoGPT train.py, llm.c train_gpt2.cu. */
#include <errno.h>

#include "lab/lab_internal.h"

typedef enum quantity {
    STEP, /* kind of number in a log line: number of the training step */
    STEP_S,
    STEPS_PER_S,
    SAMPLES_PER_S, /* kind of number in a log line: samples per second of all devices */
    TOKENS_PER_S,  /* kind of number in a log line: tokens per second of one device */
    FLOPS_PER_S,   /* kind of number in a log line: FLOP/s of one device */
    MFU,
    LONE_MFU, /* kind of number in a log line: MFU in a separate line, from which nncost computes no step time */
    ALLOCATED_BYTES,
    RESERVED_BYTES,
    BAR_STEP, /* kind of number in a log line: number of the step in a progress bar, "12/100 [" */
    QUANTITY_COUNT
} quantity;

#define GIB (1024.0 * 1024.0 * 1024.0)

/* Place and form of a number in a log line. */
typedef enum place {
    AFTER,     /* the number follows the key */
    BEFORE,    /* the number precedes the key */
    SHORTENED, /* the number follows the key and can end in K, M, G, B or T: "11.5K" is 11,500 */
    /* the number follows the key and is a mean over the whole run, including the warm-up; used only if the log has no
     * other line with a time */
    WHOLE_RUN
} place;

typedef struct pattern {
    const char *program;
    const char *mark; /* text that a line must contain for this pattern */
    const char *key;
    quantity what;
    double unit;
    place where;
} pattern;

static const pattern patterns[] = {
    { "Megatron-LM", "elapsed time per iteration (ms):", "iteration ", STEP, 1, AFTER },
    { "Megatron-LM", "elapsed time per iteration (ms):", "per iteration (ms):", STEP_S, 1e-3, AFTER },
    { "Megatron-LM", "elapsed time per iteration (ms):", "(TFLOP/s/GPU):", FLOPS_PER_S, 1e12, AFTER },
    { "Megatron-DeepSpeed", "elapsed time per iteration (s):", "iteration ", STEP, 1, AFTER },
    { "Megatron-DeepSpeed", "elapsed time per iteration (s):", "per iteration (s):", STEP_S, 1, AFTER },
    { "Megatron-DeepSpeed", "elapsed time per iteration (s):", "TFLOPs:", FLOPS_PER_S, 1e12, AFTER },
    { "Megatron-LM", "memory (MB) |", "max allocated:", ALLOCATED_BYTES, 1024.0 * 1024.0, AFTER },
    { "Megatron-LM", "memory (MB) |", "max reserved:", RESERVED_BYTES, 1024.0 * 1024.0, AFTER },
    { "Megatron-LM", "memory (GB) |", "mem-max-allocated-gigabytes:", ALLOCATED_BYTES, 1e9, AFTER },
    { "Megatron-LM", "memory (GB) |", "mem-max-reserved-gigabytes:", RESERVED_BYTES, 1e9, AFTER },
    { "NeMo", "reduced_train_loss", "global_step", STEP, 1, AFTER },
    { "NeMo", "reduced_train_loss=", "s/it", STEP_S, 1, BEFORE },
    { "NeMo", "reduced_train_loss=", "it/s", STEPS_PER_S, 1, BEFORE },
    { "NeMo", "reduced_train_loss", "train_step_timing in s", STEP_S, 1, AFTER },
    { "NeMo", "reduced_train_loss", "TFLOPS_per_GPU", FLOPS_PER_S, 1e12, AFTER },
    { "torchtitan", "wps:", "step:", STEP, 1, AFTER },
    { "torchtitan", "wps:", "wps:", TOKENS_PER_S, 1, AFTER },
    { "torchtitan", "wps:", "memory:", RESERVED_BYTES, GIB, AFTER },
    { "torchtitan", "wps:", "mfu:", MFU, 0.01, AFTER },
    { "torchtitan", "tps:", "step:", STEP, 1, AFTER },
    { "torchtitan", "tps:", "tps:", TOKENS_PER_S, 1, AFTER },
    { "torchtitan", "tps:", "memory:", RESERVED_BYTES, GIB, AFTER },
    { "torchtitan", "tps:", "tflops:", FLOPS_PER_S, 1e12, AFTER },
    { "torchtitan", "tps:", "mfu:", MFU, 0.01, AFTER },
    { "DeepSpeed", ", SamplesPerSec=", ", SamplesPerSec=", STEP, 1, BEFORE },
    { "DeepSpeed", ", SamplesPerSec=", "SamplesPerSec=", SAMPLES_PER_S, 1, AFTER },
    { "DeepSpeed", ", SamplesPerSec=", "MaxMemAllocated=", ALLOCATED_BYTES, GIB, AFTER },
    { "DeepSpeed", "CurrSamplesPerSec=", ", RunningAvgSamplesPerSec=", STEP, 1, BEFORE },
    { "DeepSpeed", "CurrSamplesPerSec=", "CurrSamplesPerSec=", SAMPLES_PER_S, 1, AFTER },
    { "DeepSpeed", "CurrSamplesPerSec=", "MaxMemAllocated=", ALLOCATED_BYTES, GIB, AFTER },
    { "DeepSpeed", "iter time (s):", "steps:", STEP, 1, AFTER },
    { "DeepSpeed", "iter time (s):", "iter time (s):", STEP_S, 1, AFTER },
    { "MaxText", "completed step:", "completed step:", STEP, 1, AFTER },
    { "MaxText", "completed step:", "seconds:", STEP_S, 1, AFTER },
    { "MaxText", "completed step:", "TFLOP/s/device:", FLOPS_PER_S, 1e12, AFTER },
    { "MaxText", "Total memory size:", "Total memory size:", ALLOCATED_BYTES, GIB, AFTER },
    { "MaxText", "Total estimated memory size:", "Total estimated memory size:", ALLOCATED_BYTES, GIB, AFTER },
    { "nanotron", "time_per_iteration_ms:", "iteration:", STEP, 1, AFTER },
    { "nanotron", "time_per_iteration_ms:", "time_per_iteration_ms:", STEP_S, 1e-3, SHORTENED },
    { "nanotron", "time_per_iteration_ms:", "model_tflops_per_gpu:", FLOPS_PER_S, 1e12, SHORTENED },
    { "nanotron", "time_per_iteration_ms:", "cuda_max_memory_reserved:", RESERVED_BYTES, 1, SHORTENED },
    { "torchtune", "|Loss: ", "|Loss: ", STEP, 1, BEFORE },
    { "torchtune", "|Loss: ", "s/it", STEP_S, 1, BEFORE },
    { "torchtune", "|Loss: ", "it/s", STEPS_PER_S, 1, BEFORE },
    { "torchtune", "peak_memory_alloc:", "peak_memory_alloc:", ALLOCATED_BYTES, GIB, AFTER },
    { "torchtune", "peak_memory_alloc:", "peak_memory_reserved:", RESERVED_BYTES, GIB, AFTER },
    { "Composer", "[batch=", "[batch=", STEP, 1, AFTER },
    { "Composer", "Train throughput/", "throughput/batches_per_sec:", STEPS_PER_S, 1, AFTER },
    { "Composer", "Train throughput/", "throughput/device/mfu:", LONE_MFU, 1, AFTER },
    { "Composer", "Train memory/", "memory/peak_allocated_mem:", ALLOCATED_BYTES, 1e9, AFTER },
    { "Composer", "Train memory/", "memory/peak_reserved_mem:", RESERVED_BYTES, 1e9, AFTER },
    { "Axolotl", "'memory/max_allocated (GiB)'", "'memory/max_allocated (GiB)'", ALLOCATED_BYTES, GIB, AFTER },
    { "Axolotl", "'memory/max_allocated (GiB)'", "'memory/device_reserved (GiB)'", RESERVED_BYTES, GIB, AFTER },
    { "nanoGPT", ": loss ", "iter ", STEP, 1, AFTER },
    { "nanoGPT", ": loss ", ", time ", STEP_S, 1e-3, AFTER },
    { "nanoGPT", ": loss ", ", mfu ", MFU, 0.01, AFTER },
    { "llm.c", " tok/s", "step ", STEP, 1, AFTER },
    { "llm.c", " tok/s", " ms |", STEP_S, 1e-3, BEFORE },
    { "llm.c", " tok/s", "% bf16 MFU", MFU, 0.01, BEFORE },
    { "HF Trainer", "%|", " [", BAR_STEP, 1, BEFORE },
    { "HF Trainer", "%|", "s/it", STEP_S, 1, BEFORE },
    { "HF Trainer", "%|", "it/s", STEPS_PER_S, 1, BEFORE },
    { "HF Trainer", "'train_runtime'", "'train_samples_per_second'", SAMPLES_PER_S, 1, WHOLE_RUN },
};
enum { PATTERN_COUNT = sizeof patterns / sizeof patterns[0] };

/* A line with one of these texts states a time or a rate, but not of a full training step. Examples are a validation of
 * torchtitan, and a step of MaxText while its batch still grows. */
static const char *const others[] = { "validate step:", "[Rampup Batch Size Phase]" };

/* Reads a number that may have commas between groups of three digits: "1,234.5". Returns NaN if the text does not begin
 * with a number. */
static double number_at(const char *text) {
    char digits[40];
    size_t size = 0;
    while (size + 1 < sizeof digits && *text != '\0') {
        const bool group = *text == ',' && size > 0 && strspn(text + 1, "0123456789") == 3;
        if (!group) {
            if (strchr("0123456789.", *text) == NULL && !((*text == 'e' || *text == 'E') && size > 0) &&
                !((*text == '-' || *text == '+') && size > 0 && (digits[size - 1] == 'e' || digits[size - 1] == 'E'))) {
                break;
            }
            digits[size++] = *text;
        }
        text++;
    }
    digits[size] = '\0';
    char *end = digits;
    const double value = strtod(digits, &end);
    return end == digits || !isfinite(value) ? NAN : value;
}

/* Returns the factor of a letter after a number: "11.5K" is 11.5 times 1,000. */
static double shortened(const char *number) {
    switch (number[strspn(number, "0123456789.")]) {
    case 'K': return 1e3;
    case 'M': return 1e6;
    case 'G':
    case 'B': return 1e9;
    case 'T': return 1e12;
    default: return 1.0;
    }
}

static double value_of(const pattern *p, const char *line) {
    const char *at = strstr(line, p->key);
    if (at == NULL) { return NAN; }
    if (p->where == BEFORE) {
        const char *from = at;
        while (from > line && strchr("0123456789.", from[-1]) != NULL) { from--; }
        if (p->what == BAR_STEP && from > line && from[-1] == '/') {
            from--;
            while (from > line && strchr("0123456789", from[-1]) != NULL) { from--; }
        }
        return from < at && (from == line || from[-1] != '-') ? number_at(from) * p->unit : NAN;
    }
    at += strlen(p->key);
    at += strspn(at, " =:|'\"");
    return number_at(at) * p->unit * (p->where == SHORTENED ? shortened(at) : 1.0);
}

/* Returns the address after a text that launchers write before each line to name the rank: "[rank0]:" (torchrun), "0:"
 * (srun), "(Worker pid=12)" (Ray). */
static const char *after_rank(const char *line) {
    const char *at = line + strspn(line, " "), *digits = at + strspn(at, "0123456789");
    const char *end = *at == '[' ? strchr(at, ']') : *at == '(' ? strchr(at, ')') : NULL;
    if (end != NULL) { return after_rank(end + 1 + (end[1] == ':')); }
    return digits > at && *digits == ':' ? digits + 1 : at;
}

/* Tests whether the line is a progress bar, but not the bar of training. A progress bar with words before its
 * percentage does not show training steps; it shows, for example, how a model is loaded or how data are prepared. The
 * first progress bar without words before its percentage is the bar of training, and its number of steps is stored. A
 * later progress bar with another number of steps belongs to an evaluation. */
static bool is_other_bar(nnc_log *log, const char *line) {
    const char *percent = strstr(line, "%|");
    const char *end = percent != NULL ? strstr(percent, " [") : NULL, *begin = after_rank(line);
    if (percent == NULL) { return false; }
    if (begin + strspn(begin, " 0123456789") != percent || end == NULL) { return true; }
    while (end[-1] >= '0' && end[-1] <= '9') { end--; }
    const double total = number_at(end);
    if (!(log->bar_steps > 0.0)) { log->bar_steps = total; }
    return !(total == log->bar_steps);
}

/* Returns the seconds of a step that a log line states; NaN = the line states no time. The line may state the time or a
 * rate of steps, samples or tokens. FLOP/s and MFU are used only if the line has neither the time nor a rate, because
 * programs count FLOPs in different ways. */
static double step_of(const double values[QUANTITY_COUNT], const nnc_result *r) {
    const double all_flops = r->model_flops / r->plan.devices;
    const double of[] = {
        [STEP_S] = values[STEP_S],
        [STEPS_PER_S] = 1.0 / values[STEPS_PER_S],
        [SAMPLES_PER_S] = (double)r->plan.global_batch / values[SAMPLES_PER_S],
        [TOKENS_PER_S] = (double)r->tokens / r->plan.devices / values[TOKENS_PER_S],
        [FLOPS_PER_S] = all_flops / values[FLOPS_PER_S],
        [MFU] = all_flops / (values[MFU] * r->peak_flops_per_s),
    };
    for (int i = STEP_S; i <= MFU; i++) {
        if (of[i] > 0.0 && isfinite(of[i])) { return of[i]; }
    }
    return NAN;
}

/* Stores the time of one step. If the step number is smaller than the latest step number by more than NNC_LOG_WARM_UP,
 * a new run begins in the same log. A smaller decrease of the step number means only that several ranks wrote their
 * lines in another order. */
static void take(nnc_log *log, const char *program, double number, double step_s, double mfu) {
    const double at = isnan(number) ? (double)log->readings : number;
    const bool first = log->readings++ == 0 || at < log->last_step - NNC_LOG_WARM_UP;
    if (first) { log->first_step = at; }
    log->last_step = at;
    log->program = program;
    if (first || at - log->first_step < NNC_LOG_WARM_UP) {
        log->skipped++;
        log->late_s = number >= NNC_LOG_WARM_UP ? step_s : log->late_s;
        return;
    }
    log->step_s[log->judged++ % NNC_LOG_WINDOW] = step_s;
    log->mfu = mfu;
}

/* Stores the values that one line of the log states. plan: the estimate of the same training step; its tokens and FLOPs
 * convert rates to seconds. */
static void log_line(nnc_log *log, const char *line, const nnc_result *plan) {
    double values[QUANTITY_COUNT];
    const char *program = NULL;
    bool whole_run = false;
    log->lines++;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strstr(line, others[i]) != NULL) { return; }
    }
    for (int i = 0; i < QUANTITY_COUNT; i++) { values[i] = NAN; }
    for (int i = 0; i < PATTERN_COUNT; i++) {
        const pattern *p = &patterns[i];
        if ((program == NULL || strcmp(program, p->program) == 0) && strstr(line, p->mark) != NULL) {
            const double value = value_of(p, line);
            if (isfinite(value)) {
                values[p->what] = value;
                program = p->program;
                whole_run = p->where == WHOLE_RUN;
            }
        }
    }
    const bool bar = !isnan(values[BAR_STEP]) && isnan(values[STEP]);
    if (program == NULL || (bar && is_other_bar(log, line))) { return; }
    const double step_s = step_of(values, plan);
    const double rate = isnan(values[MFU]) ? values[FLOPS_PER_S] / plan->peak_flops_per_s : values[MFU];
    if (isfinite(step_s) && whole_run) {
        log->whole_run_s = step_s;
        log->program = log->program != NULL ? log->program : program;
    } else if (isfinite(step_s)) {
        const double number = !isnan(values[STEP])           ? values[STEP]
                              : program == log->step_program ? log->stated_step
                                                             : values[BAR_STEP];
        take(log, program, number, step_s, rate);
    } else if (!isnan(values[STEP])) { /* a later line of the log has the time of this step */
        log->step_program = program;
        log->stated_step = values[STEP];
    }
    log->mfu = isnan(values[LONE_MFU]) ? log->mfu : values[LONE_MFU];
    log->allocated_bytes = fmax(log->allocated_bytes, values[ALLOCATED_BYTES]);
    log->reserved_bytes = fmax(log->reserved_bytes, values[RESERVED_BYTES]);
}

nnc_log nnc_log_begin(void) {
    return (nnc_log){
        .whole_run_s = NAN, .late_s = NAN, .mfu = NAN, .allocated_bytes = NAN, .reserved_bytes = NAN, .last_step = NAN
    };
}

double nnc_log_step_s(const nnc_log *log) {
    double sorted[NNC_LOG_WINDOW];
    const int64_t most = NNC_LOG_WINDOW;
    const size_t count = (size_t)(log->judged < most ? log->judged : most);
    if (log->judged == 0) { return isnan(log->late_s) ? log->whole_run_s : log->late_s; }
    memcpy(sorted, log->step_s, count * sizeof *sorted);
    return nnc_median(sorted, count);
}

nnc_status nnc_log_read(const char *path, const nnc_result *plan, nnc_log *log, nnc_log_fn *each, void *context,
                        nnc_error *err) {
    /* space for the longest line; the rest of a longer line is dropped, but no known program prints longer lines */
    char line[8192];
    size_t size = 0;
    bool escape = false;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) { return nnc_fail(err, NNC_IO, path, "cannot be opened: %s", strerror(errno)); }
    for (int c = 0; c != EOF;) {
        c = getc(file);
        /* '\r' also ends a line: a program that writes a progress bar several times writes '\r' before each bar */
        if (c == '\n' || c == '\r' || c == EOF) {
            const int64_t judged = log->judged;
            line[size] = '\0';
            if (size > 0) { log_line(log, line, plan); }
            if (each != NULL && log->judged != judged) { each(context, log); }
            size = 0;
            escape = false;
        } else if (escape) { /* skips an escape sequence for a colour, such as ESC [ 31 m */
            escape = !((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
        } else if (c == '\033') {
            escape = true;
        } else if (size + 1 < sizeof line && c != '\0') {
            line[size++] = (char)c;
        }
    }
    const bool failed = ferror(file) != 0;
    if (file != stdin) { (void)fclose(file); }
    return failed ? nnc_fail(err, NNC_IO, path, "cannot be read") : NNC_OK;
}
