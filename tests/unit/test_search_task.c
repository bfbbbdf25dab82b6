/* Compares large search tasks with single searches: searches for several numbers of devices, and shards that are
 * written, read and merged. Also tests the search for the memory with which a step reaches a target time. */
#include <unistd.h>

#include "figures.h"
#include "render/render_internal.h"
#include "search/search_internal.h"

enum { SHARDS = 3 };

static const nnc_model *gpt2;
static const nnc_device *a100;
static nnc_software plain;
static nnc_profiles profiles;

static nnc_search_task task_of(int32_t devices, int64_t batch) {
    ck_assert_int_eq(nnc_model_load(specs, "gpt2-xl", &gpt2, &err), NNC_OK);
    ck_assert_int_eq(nnc_device_load(specs, "a100", &a100, &err), NNC_OK);
    plain = nnc_software_default();
    profiles = nnc_profiles_of_one(&plain);
    nnc_search_task task = {
        .ranks = { .size = 1 }, .model = gpt2, .device = a100, .profiles = &profiles, .search = nnc_search_default()
    };
    task.search.base.devices = devices;
    task.search.base.global_batch = batch;
    task.search.best = 5;
    task.search.threads = 1;
    return task;
}

static nnc_search_report report_of(nnc_search_task *task) {
    nnc_search_report report;
    ck_assert_msg(nnc_search_task_run(task, arena, &report, &err) == NNC_OK, "%s: %s", err.where, err.what);
    return report;
}

static const nnc_search_result *search_of(const nnc_search_task *task, int32_t devices) {
    static nnc_search_result result;
    nnc_search search = task->search;
    search.base.devices = devices;
    ck_assert_int_eq(nnc_search_run(gpt2, a100, &plain, &search, NULL, NULL, &result, &err), NNC_OK);
    return &result;
}

/* ---- several sizes ---- */

/* If two numbers of devices have equal times and device-seconds, the first number is the fastest and the cheapest. */
START_TEST(equal_sizes) {
    const nnc_found found = { .step_s = 2.0, .device_s = 8.0, .run_s = (double)NAN, .device_hours = (double)NAN };
    nnc_search_size sizes[] = { { .devices = 2 }, { .devices = 4, .found = true }, { .devices = 8, .found = true } };
    nnc_search_report report = { .sizes = sizes, .size_count = COUNT_OF(sizes) };
    sizes[1].best = sizes[2].best = found;
    nnc_search_rank_sizes(&report);
    ck_assert_int_eq(report.fastest, 1);
    ck_assert_int_eq(report.cheapest, 1);
}
END_TEST

/* For each number of devices, the task finds the same plan as a single search, and the numbers of combinations add up.
 * The fastest size has the shortest step, the cheapest size has the fewest device-seconds. With 53 devices there is no
 * legal plan for 48 layers and 16 sequences. */
START_TEST(sizes_are_searches) {
    int32_t sizes[] = { 32, 8, 53, 16 };
    nnc_search_task task = task_of(8, 16);
    task.sizes = sizes;
    task.size_count = COUNT_OF(sizes);
    const nnc_search_report report = report_of(&task);
    nnc_search_total sum = { 0 };
    int32_t fastest = -1, cheapest = -1;
    ck_assert_int_eq(report.size_count, task.size_count);
    ck_assert_int_eq(report.size_asked, task.size_count);
    for (int32_t i = 0; i < task.size_count; i++) {
        const nnc_search_size *size = &report.sizes[i];
        ck_assert_int_eq(size->devices, sizes[i]);
        ck_assert((size->why.status == NNC_ILLEGAL_PLAN) == (sizes[i] == 53));
        ck_assert(size->found == (sizes[i] != 53));
        sum.space += size->total.space;
        sum.covered += size->total.covered;
        sum.evaluated += size->total.evaluated;
        sum.pruned += size->total.pruned;
        sum.legal += size->total.legal;
        sum.feasible += size->total.feasible;
        if (!size->found) { continue; }
        const nnc_search_result *one = search_of(&task, sizes[i]);
        ck_assert_double_eq(size->best.step_s, one->best[0].step_s);
        ck_assert_uint_eq(size->best.index, one->best[0].index);
        ck_assert_uint_eq(size->total.space, one->space);
        ck_assert_uint_eq(size->total.covered, one->covered);
        ck_assert_uint_eq(size->total.evaluated + size->total.pruned, one->space);
        ck_assert_uint_eq(size->total.legal, one->legal);
        ck_assert_uint_eq(size->total.feasible, one->feasible);
        if (fastest < 0 || size->best.step_s < report.sizes[fastest].best.step_s) { fastest = i; }
        if (cheapest < 0 || size->best.device_s < report.sizes[cheapest].best.device_s) { cheapest = i; }
    }
    ck_assert_int_eq(memcmp(&sum, &report.total, sizeof sum), 0);
    ck_assert_uint_gt(sum.legal, 0);
    ck_assert_int_eq(report.fastest, fastest);
    ck_assert_int_eq(report.cheapest, cheapest);
    ck_assert_int_ne(fastest, cheapest);
    ck_assert(nnc_search_answered(&report));
}
END_TEST

/* If no size has a legal plan, the error is that of the first size. */
START_TEST(no_size_is_legal) {
    int32_t sizes[] = { 53, 59 };
    nnc_search_task task = task_of(8, 16);
    nnc_search_report report;
    task.sizes = sizes;
    task.size_count = COUNT_OF(sizes);
    ck_assert_int_eq(nnc_search_task_run(&task, arena, &report, &err), NNC_ILLEGAL_PLAN);
    task.size_count = 0;
    task.search.base.devices = 53;
    ck_assert_int_eq(nnc_search_task_run(&task, arena, &report, &err), NNC_ILLEGAL_PLAN);
    task.search.shard = 1;
    task.search.shards = 2; /* the second of two shards may have a legal plan */
    ck_assert_int_eq(nnc_search_task_run(&task, arena, &report, &err), NNC_OK);
    ck_assert_int_eq(report.why.status, NNC_ILLEGAL_PLAN);
    ck_assert(!nnc_search_answered(&report));
    task.search.shards = 1; /* the merge of all shards reports the error */
    ck_assert_int_eq(nnc_search_task_run(&task, arena, &report, &err), NNC_OK);
}
END_TEST

/* ---- shards ---- */

static void write_shard(const nnc_search_report *report, const char *path) {
    static const nnc_view view = { .schema = NNC_SEARCH_SCHEMA, .document = &nnc_search_document, .exact = true };
    const nnc_style style = { .format = &nnc_format_json };
    nnc_buffer out = { 0 };
    nnc_view_write(&out, style, &view, report);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(out.bytes, 1, out.size, file), out.size);
    fclose(file);
    nnc_buffer_free(&out);
}

/* Sets the command line of each plan in a shard, as the program nncost does. */
static void name_commands(nnc_search_report *report) {
    for (int32_t i = 0; i < report->result->best_count; i++) { report->result->best[i].command = "nncost estimate"; }
    for (int32_t i = 0; i < report->result->pareto_count; i++) {
        report->result->pareto[i].command = "nncost estimate";
    }
    report->result->missed.command = "nncost estimate";
    for (int32_t i = 0; i < report->size_count; i++) {
        report->sizes[i].best.command = report->sizes[i].missed.command = "nncost estimate";
    }
}

static char names[SHARDS][64];
static char *paths[SHARDS];

/* Runs the shards of a task and writes each shard to a file. Returns the sums of the counts of all shards. */
static nnc_search_total write_shards(const nnc_search_task *whole) {
    nnc_search_total sum = { 0 };
    for (int32_t i = 0; i < SHARDS; i++) {
        nnc_search_task task = *whole;
        task.search.shard = i + 1;
        task.search.shards = SHARDS;
        task.search.threads = i + 1;
        nnc_search_report report = report_of(&task);
        report.digest = "abc";
        name_commands(&report);
        report.elapsed_s = i == 1 ? 7.0 : 3.0;
        sum.space += report.total.space;
        sum.covered += report.total.covered;
        sum.evaluated += report.total.evaluated;
        sum.pruned += report.total.pruned;
        sum.legal += report.total.legal;
        sum.feasible += report.total.feasible;
        snprintf(names[i], sizeof names[i], "/tmp/nncost-shard-%d-%d.json", (int)getpid(), (int)i);
        paths[i] = names[i];
        write_shard(&report, paths[i]);
        bool is = false;
        ck_assert_int_eq(nnc_search_shard_is(paths[i], &is, &err), NNC_OK);
        ck_assert(is);
    }
    return sum;
}

static void remove_shards(void) {
    for (int32_t i = 0; i < SHARDS; i++) { remove(paths[i]); }
}

static void check_found(const nnc_found *a, const nnc_found *b) {
    ck_assert_uint_eq(a->index, b->index);
    ck_assert_double_eq(a->step_s, b->step_s);
    ck_assert_int_eq(a->memory_bytes, b->memory_bytes);
    ck_assert_double_eq(a->mfu, b->mfu);
    ck_assert_int_eq(a->plan.tensor, b->plan.tensor);
    ck_assert_int_eq(a->plan.pipeline, b->plan.pipeline);
    ck_assert_int_eq(a->plan.micro_batch, b->plan.micro_batch);
    ck_assert_int_eq(a->plan.zero, b->plan.zero);
}

/* A file with another schema, or without a schema, is not a shard. The error names the line of the file. */
START_TEST(other_schemas_are_refused) {
    nnc_search_task task = task_of(16, 32);
    write_shards(&task);
    static const char *const schemas[] = { "\"nncost.sweep/1\"", "7" };
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        nnc_search_report merged;
        FILE *file = fopen(paths[1], "w");
        ck_assert_ptr_nonnull(file);
        fprintf(file, "{ \"schema\": %s, \"digest\": \"abc\" }\n", schemas[i]);
        fclose(file);
        ck_assert_int_ne(nnc_search_merge(arena, paths, SHARDS, "abc", &merged, &err), NNC_OK);
        ck_assert_ptr_nonnull(strstr(err.what, "not of a search"));
    }
    remove_shards();
}
END_TEST

/* The plans of a shard are sorted by step time, so a plan without a step time is a fault. */
START_TEST(plans_without_a_time_are_refused) {
    nnc_search_task task = task_of(16, 32);
    write_shards(&task);
    task.search.shard = 1;
    task.search.shards = SHARDS;
    nnc_search_report report = report_of(&task), merged;
    report.digest = "abc";
    name_commands(&report);
    ck_assert_int_gt(report.result->best_count, 0);
    report.result->best[0].step_s = (double)NAN; /* written as null */
    write_shard(&report, paths[0]);
    ck_assert_int_ne(nnc_search_merge(arena, paths, SHARDS, "abc", &merged, &err), NNC_OK);
    ck_assert_msg(strstr(err.where, "step_s") != NULL && strstr(err.what, "expected a number, found null") != NULL,
                  "%s: %s", err.where, err.what);
    remove_shards();
}
END_TEST

/* Three shards, read in another order, have the results of the whole search. The merged result has the sum of the
 * numbers of threads. The elapsed time is that of the slowest shard. */
START_TEST(merged_shards_are_the_search) {
    nnc_search_task task = task_of(16, 32);
    const nnc_search_total sum = write_shards(&task);
    char *const order[] = { paths[2], paths[0], paths[1] };
    nnc_search_report merged;
    ck_assert_msg(nnc_search_merge(arena, order, SHARDS, "abc", &merged, &err) == NNC_OK, "%s: %s", err.where,
                  err.what);
    const nnc_search_result *whole = search_of(&task, 16);
    ck_assert_int_eq(merged.result->best_count, whole->best_count);
    for (int32_t i = 0; i < whole->best_count; i++) { check_found(&merged.result->best[i], &whole->best[i]); }
    ck_assert_int_eq(merged.result->pareto_count, whole->pareto_count);
    for (int32_t i = 0; i < whole->pareto_count; i++) { check_found(&merged.result->pareto[i], &whole->pareto[i]); }
    ck_assert_int_eq(memcmp(&sum, &merged.total, sizeof sum), 0);
    ck_assert_uint_eq(merged.total.space, whole->space);
    ck_assert_uint_eq(merged.total.legal, whole->legal);
    ck_assert_uint_eq(merged.total.feasible, whole->feasible);
    ck_assert_int_eq(merged.search->threads, 1 + 2 + 3);
    ck_assert_double_eq(merged.elapsed_s, 7.0);
    ck_assert_ptr_null(merged.digest);
    ck_assert_int_eq(merged.search->shards, 0);
    ck_assert(!merged.result->any_missed);

    /* refused: a shard of another search, the same shard twice, and a missing shard */
    char *const twice[] = { paths[0], paths[1], paths[1] };
    ck_assert_int_eq(nnc_search_merge(arena, order, SHARDS, "abd", &merged, &err), NNC_BAD_SPEC);
    ck_assert_int_eq(nnc_search_merge(arena, twice, SHARDS, NULL, &merged, &err), NNC_BAD_SPEC);
    ck_assert_int_eq(nnc_search_merge(arena, order, 2, NULL, &merged, &err), NNC_BAD_USAGE);
    ck_assert_int_eq(nnc_search_merge(arena, order, SHARDS, NULL, &merged, &err), NNC_OK);
    remove_shards();
}
END_TEST

/* Merged shards equal the whole search also if it has several sizes and one size has no legal plan. */
START_TEST(merged_sizes_are_the_search) {
    int32_t sizes[] = { 8, 53, 16 };
    nnc_search_task task = task_of(8, 16);
    task.sizes = sizes;
    task.size_count = COUNT_OF(sizes);
    task.search.best = 1;
    write_shards(&task);
    char *const order[] = { paths[1], paths[2], paths[0] };
    nnc_search_report merged;
    ck_assert_msg(nnc_search_merge(arena, order, SHARDS, NULL, &merged, &err) == NNC_OK, "%s: %s", err.where, err.what);
    task.search.threads = 1;
    const nnc_search_report whole = report_of(&task);
    ck_assert_int_eq(merged.size_count, whole.size_count);
    for (int32_t i = 0; i < whole.size_count; i++) {
        const nnc_search_size *a = &merged.sizes[i], *b = &whole.sizes[i];
        ck_assert_int_eq(a->devices, b->devices);
        ck_assert(a->found == b->found);
        ck_assert_int_eq(a->why.status, b->why.status);
        ck_assert_uint_eq(a->total.space, b->total.space);
        ck_assert_uint_eq(a->total.legal, b->total.legal);
        ck_assert_uint_eq(a->total.feasible, b->total.feasible);
        if (b->found) { check_found(&a->best, &b->best); }
    }
    ck_assert_int_eq(merged.fastest, whole.fastest);
    ck_assert_int_eq(merged.cheapest, whole.cheapest);
    remove_shards();
}
END_TEST

/* No plan meets a deadline of one second. The merged shards return the fastest plan that misses the deadline. */
START_TEST(merged_shards_keep_the_nearest_miss) {
    nnc_search_task task = task_of(16, 32);
    task.search.base.tokens = 1e9;
    task.search.deadline_s = 1.0;
    write_shards(&task);
    nnc_search_report merged;
    ck_assert_int_eq(nnc_search_merge(arena, paths, SHARDS, NULL, &merged, &err), NNC_OK);
    const nnc_search_result *whole = search_of(&task, 16);
    ck_assert(whole->any_missed && whole->best_count == 0);
    ck_assert(merged.result->any_missed);
    ck_assert_int_eq(merged.result->best_count, 0);
    check_found(&merged.result->missed, &whole->missed);
    remove_shards();
}
END_TEST

static uint64_t digest_of(const nnc_search_task *task, const char *text) {
    uint64_t digest = 0;
    const char *const texts[] = { text };
    ck_assert_int_eq(nnc_search_digest(task, specs, NULL, 0, texts, 1, &digest, &err), NNC_OK);
    return digest;
}

/* Shards of different searches must not be merged. The digest of a search changes with each member of the struct,
 * except the number of threads and the shard. */
START_TEST(digests_differ) {
    enum { MOST = 32 };
    uint64_t seen[MOST];
    int32_t sizes[] = { 8, 16 }, others[] = { 8, 32 };
    int count = 0;
    nnc_run_ask run = nnc_run_ask_default(), other_run = run;
    other_run.days = 3.0;
    const nnc_search_task base = task_of(16, 32);
    for (int what = 0; what < 25; what++) { /* number 23 changes no member */
        nnc_search_task task = base;
        nnc_search *s = &task.search;
        nnc_choice *const choices[] = { &s->tensor,      &s->pipeline,       &s->context,          &s->expert,
                                        &s->micro_batch, &s->zero,           &s->schedule,         &s->recompute,
                                        &s->offload,     &s->virtual_stages, &s->sequence_parallel };
        if (what < 11) {
            choices[what]->count = 1;
            choices[what]->values[0] = 3;
        }
        s->mem_bytes = what == 11 ? 1000 : 0;
        s->deadline_s = what == 12 ? 1000.0 : 0.0;
        s->budget = what == 13 ? 1000.0 : 0.0;
        s->objective = what == 14 ? NNC_OBJECTIVE_MEMORY : NNC_OBJECTIVE_TIME;
        s->best = what == 15 ? 4 : 5;
        s->no_prune = what == 16;
        task.sizes = what == 22 ? others : sizes;
        task.size_count = what == 17 || what == 22 ? 2 : what == 18 ? 1 : 0;
        s->base.global_batch = what == 19 ? 64 : 32;
        s->run = what == 20 ? &run : what == 24 ? &other_run : NULL;
        seen[count++] = digest_of(&task, what == 21 ? "x" : "y");
        for (int i = 0; i < count - 1; i++) { ck_assert_msg(seen[i] != seen[count - 1], "%d and %d", i, what); }
    }
    /* the digest depends on every value of a choice, also on the first and the last of several */
    static const int64_t values[][2] = { { 1, 2 }, { 2, 2 }, { 1, 4 } };
    uint64_t of_values[COUNT_OF(values)];
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        nnc_search_task task = base;
        task.search.tensor.count = 2;
        task.search.tensor.values[0] = values[i][0];
        task.search.tensor.values[1] = values[i][1];
        of_values[i] = digest_of(&task, "y");
        for (size_t k = 0; k < i; k++) { ck_assert(of_values[k] != of_values[i]); }
    }
    nnc_search_task same = base;
    const uint64_t digest = digest_of(&base, "z");
    same.search.threads = 9;
    same.search.shard = 1;
    same.search.shards = 2;
    ck_assert_uint_eq(digest_of(&same, "z"), digest);
}
END_TEST

/* ---- limits ---- */

/* A deadline or budget prunes plans by a lower bound of their run. Searches with and without pruning find the same
 * plans, or the same fastest plan that misses the limit. The test covers runs by tokens and by samples, on one site and
 * on three. The limits are near the time and the cost of the run of the fastest plan. */
START_TEST(pruning_by_limits_keeps_the_answer) {
    static nnc_search_result pruned;
    for (int what = 0; what < 8; what++) {
        nnc_search_task task = task_of(16, 32);
        nnc_search *s = &task.search;
        nnc_run_ask run = nnc_run_ask_default();
        run.sites = what % 2 == 0 ? 1.0 : 3.0;
        run.outer_every = 100.0;
        run.site_bytes_per_s = 1e9;
        s->run = &run;
        s->base.price = 2.0;
        *(what / 2 % 2 == 0 ? &s->base.tokens : &s->base.samples) = 1e7;
        const nnc_found fastest = search_of(&task, 16)->best[0];
        ck_assert(fastest.run_s > 0.0 && fastest.cost_run > 0.0);
        for (double share = 0.6; share < 3.0; share *= 2.0) {
            s->deadline_s = what < 4 ? share * fastest.run_s : 0.0;
            s->budget = what < 4 ? 0.0 : share * fastest.cost_run;
            s->no_prune = false;
            pruned = *search_of(&task, 16);
            s->no_prune = true;
            const nnc_search_result *all = search_of(&task, 16);
            ck_assert_int_eq(pruned.best_count, all->best_count);
            ck_assert_int_eq(pruned.any_missed, all->any_missed);
            ck_assert(all->any_missed == (share < 1.0));
            ck_assert(share > 1.0 || pruned.evaluated < all->evaluated / 2);
            for (int32_t i = 0; i < all->best_count; i++) {
                check_found(&pruned.best[i], &all->best[i]);
                ck_assert(what < 4 ? all->best[i].run_s <= s->deadline_s : all->best[i].cost_run <= s->budget);
            }
            if (all->any_missed) { check_found(&pruned.missed, &all->missed); }
        }
    }
}
END_TEST

/* ---- targets ---- */

/* On a device of 20 GB, only steps that need more memory reach the target time. The search returns a plan from the
 * Pareto front of a search without memory limit: among the plans that reach the target, the one with the least memory.
 * If a plan that fits reaches the target, no more memory is needed. */
START_TEST(memory_that_reaches_a_step) {
    nnc_search_task task = task_of(8, 64);
    task.search.mem_bytes = (int64_t)1 << 50;
    const nnc_search_result *all = search_of(&task, 8);
    ck_assert_int_gt(all->pareto_count, 2);
    const double target_s = (all->pareto[0].step_s + all->pareto[1].step_s) / 2.0;
    const nnc_found *last = &all->pareto[0];
    const double step_s = last->step_s;
    const int64_t bytes = last->memory_bytes;
    task.search.mem_bytes = all->pareto[all->pareto_count - 1].memory_bytes;
    task.target_step_s = target_s;
    const nnc_search_report report = report_of(&task);
    ck_assert_int_gt(report.target_count, 1);
    const nnc_target *memory = &report.targets[report.target_count - 1];
    ck_assert_int_eq((int)memory->figure, NNC_PARAMETER_MEM_BYTES);
    ck_assert_double_eq(memory->value, (double)task.search.mem_bytes);
    ck_assert_double_eq(memory->needed, (double)bytes);
    ck_assert_double_eq(memory->step_s, step_s);
    /* if no plan fits, the search finds the same needed memory as on the larger device */
    task.search.mem_bytes = 1000000;
    const nnc_search_report nothing = report_of(&task);
    ck_assert_int_eq(nothing.result->best_count, 0);
    ck_assert_int_eq(nothing.target_count, 1);
    ck_assert_double_eq(nothing.targets[0].needed, (double)bytes);
    task.search.mem_bytes = (int64_t)1 << 50;
    task.target_step_s = 1000.0;
    const nnc_search_report reached = report_of(&task);
    for (int i = 0; i < reached.target_count; i++) {
        ck_assert_int_ne((int)reached.targets[i].figure, NNC_PARAMETER_MEM_BYTES);
    }
}
END_TEST

static void open_both(void) {
    open_support();
    open_arena();
}

static void close_both(void) {
    close_arena();
    close_support();
}

int main(void) {
    const TTest *const tests[] = { equal_sizes,
                                   sizes_are_searches,
                                   no_size_is_legal,
                                   merged_shards_are_the_search,
                                   plans_without_a_time_are_refused,
                                   other_schemas_are_refused,
                                   merged_sizes_are_the_search,
                                   merged_shards_keep_the_nearest_miss,
                                   digests_differ,
                                   pruning_by_limits_keeps_the_answer,
                                   memory_that_reaches_a_step };
    return run_tests_with("search tasks", open_both, close_both, tests, COUNT_OF(tests));
}
