/* Tests the input pipeline of training runs against measured data loaders. Also compares claims of a popular text about
 * loaders, money and failures with the results that nncost computes from the numbers in this text. */
#include "run_cases.h"

/* ---- input ---- */

static nnc_run input_of(double batch, double step_s, nnc_run_ask ask) {
    nnc_plan plan = devices_of(1);
    plan.global_batch = (int64_t)batch;
    plan.samples = 1e6;
    ask.step_s = step_s;
    return run_of(&plan, &ask);
}

START_TEST(inputs_that_were_measured) {
    nnc_run_ask ask = nnc_run_ask_default();
    /* nnU-Net issue 3063: 8 workers take 1,022.9 ms per sample, the device takes 0.1307 s per batch of 2. Measured were
     * 6.61 samples/s. */
    ask.prepare_s = 1.0229;
    nnc_run run = input_of(2, 0.1307, ask);
    CLOSE(2.0 / run.step_s, 7.8209, 1e-5);
    ck_assert(run.input_bound);
    CLOSE(2.0 / run.step_s, 6.61, 0.25);

    /* lerobot issue 4627: 8 workers prepare 425 samples/s, and the device takes 1,200 samples/s, so 23 workers are
     * needed. */
    ask.prepare_s = 8.0 / 425.0;
    run = input_of(1200, 1.0, ask);
    ck_assert_double_eq(run.workers_needed, 23.0);

    /* MLPerf Storage, 3-D U-Net: samples of 146,600,628 B, a step of 0.323 s for a batch of 7. Four devices share one
     * drive. */
    ask = nnc_run_ask_default();
    ask.sample_bytes = 146600628.0;
    ask.input_bytes_per_s = 10220.0 * 1048576.0 / 4.0;
    run = input_of(7, 0.323, ask);
    CLOSE(run.input_bytes_per_s, 3.1771e9, 1e-4);
    CLOSE(0.323 / run.step_s, 0.843256, 1e-4);
    CLOSE(0.323 / run.step_s, 0.820, 0.25);

    /* 8 workers each prefetch 2 batches of 256 images of 224 x 224 x 3 bytes. */
    ask = nnc_run_ask_default();
    ask.prepared_bytes = 224.0 * 224.0 * 3.0;
    run = input_of(256, 1.0, ask);
    ck_assert_double_eq(run.prefetch_bytes, 616562688.0);

    /* pocket-tts issue 289: a loader of 278 samples/s and a device of 486.4 samples/s. Measured were 281.6
     * samples/s. */
    ask = nnc_run_ask_default();
    ask.prepare_s = 8.0 / 278.0;
    run = input_of(1, 1.0 / 486.4, ask);
    CLOSE(1.0 / run.step_s, 278.0, 1e-9);
    CLOSE(1.0 / run.step_s, 281.6, 0.25);

    /* geti issue 5958: the step of 1/13 s waits 0.217 s for its input. Measured were 3 steps/s. */
    ask.prepare_s = 0.217 * 8.0;
    ask.serial_input = true;
    run = input_of(1, 1.0 / 13.0, ask);
    CLOSE(1.0 / run.step_s, 3.40225, 1e-5);
    CLOSE(1.0 / run.step_s, 3.0, 0.25);

    /* With serial input, the wait is added to the step. */
    ask = nnc_run_ask_default();
    ask.prepare_s = 0.08 * 8.0;
    ask.serial_input = true;
    run = input_of(1, 0.065536, ask);
    CLOSE(run.step_s, 0.145536, 1e-12);
}
END_TEST

/* Input rates of whole clusters: ResNet-50 of MLPerf Storage on 8 H100, and a model of 405 billion parameters on 16,384
 * devices at 400 TFLOP/s. The model reads token ids of 4 bytes and has 6 N FLOPs per token. */
START_TEST(input_of_clusters) {
    nnc_run_ask ask = nnc_run_ask_default();
    nnc_plan plan = devices_of(8);
    plan.global_batch = 8 * 400;
    plan.samples = 1e6;
    ask.step_s = 0.224;
    ask.sample_bytes = 114660.07;
    CLOSE(run_of(&plan, &ask).input_bytes_per_s, 1.638e9, 1e-4);

    plan = devices_of(16384);
    plan.global_batch = 16384;
    plan.samples = 15.6e12;
    ask.step_s = 6.0 * 405e9 / 400e12;
    ask.sample_bytes = 4.0;
    const nnc_run run = run_of(&plan, &ask);
    CLOSE(run.samples / run.train_s, 2.69695e6, 1e-5);
    CLOSE(run.input_bytes_per_s, 1.07878e7, 1e-5);
    CLOSE(run.samples * ask.sample_bytes, 62.4e12, 1e-9);
}
END_TEST

/* A popular text claims that language models need more input than image models. But SD 1 reads 1,270 times the bytes
 * per FLOP of LLaMA 2 7B. SD 1 is trained on stored latents of 4 x 64 x 64 and texts of 77 x 768, in 16 bits. LLaMA 2
 * 7B reads ids of 2 bytes and has 6 N FLOPs per token. */
START_TEST(images_read_more_than_texts) {
    const nnc_device *device = load_device("hw/h100-sxm5-80gb.json");
    const nnc_plan plan = nnc_plan_default();
    const nnc_result image = estimate_with(load_model("models/sd1-unet.json"), device, NULL, &plan);
    const nnc_result text = estimate_with(load_model("models/llama2-7b.json"), device, NULL, &plan);
    const double latent_bytes = 2.0 * (4 * 64 * 64 + 77 * 768);
    const double unet = latent_bytes * (double)image.plan.global_batch / image.model_flops;
    const double llm = 2.0 / (6.0 * (double)text.params);
    CLOSE(unet, 6.27562e-8, 0.01);
    CLOSE(llm, 4.94676e-11, 0.01);
    CLOSE(unet / llm, 1268.63, 0.01);
}
END_TEST

/* If an encoder computes latents during training, it takes device time; stored latents only take bytes. The ratio of
 * step times is 1.4, as in a report on Stable Diffusion 2 at 256 pixels. */
START_TEST(encoders_on_line) {
    nnc_run_ask ask = nnc_run_ask_default();
    ask.encode_s = 0.4 / 256.0;
    nnc_run run = input_of(256, 1.0, ask);
    CLOSE(run.step_s, 1.4, 1e-12);
    CLOSE(run.run_s, 1e6 / 256.0 * 1.4, 1e-12);
    /* workers prepare the images of a step in 1.2 s, and this time overlaps with the step of 1.4 s */
    ask.prepare_s = 8.0 * 1.2 / 256.0;
    run = input_of(256, 1.0, ask);
    ck_assert(!run.input_bound);
    CLOSE(run.step_s, 1.4, 1e-12);
}
END_TEST

/* Compares claims of a popular text on data loaders with results from the numbers of this text. */
START_TEST(claims_about_loaders) {
    /* The text claims: "3.5 GB/s in sequence is 0.35 at random". In another place, the same text first halves a rate of
     * 3 GB/s and then subtracts 90 %. The text gives two shares of the rate, so the share is an option of nncost. */
    nnc_run_ask ask = nnc_run_ask_default();
    ask.sample_bytes = 1e9;
    ask.input_bytes_per_s = 3.5e9;
    ask.access_share = 0.1;
    CLOSE(1.0 / input_of(1, 1.0, ask).fetch_s, 0.35, 1e-12);
    ask.input_bytes_per_s = 3e9;
    ask.access_share = 0.05;
    CLOSE(1.0 / input_of(1, 1.0, ask).fetch_s, 0.15, 1e-12);

    /* The text claims: "tokenizing 32K tokens at 500,000 a second takes 64 ms, 8 ms with 8 workers". */
    ask = nnc_run_ask_default();
    ask.prepare_s = 1.0 / 500e3;
    CLOSE(input_of(32768, 1.0, ask).prepare_s, 8.192e-3, 1e-9);
    ask.workers = 1.0;
    CLOSE(input_of(32768, 1.0, ask).prepare_s, 65.536e-3, 1e-9);

    /* Tokenizing takes 64 ms and overlaps with 80 ms of computing, so the input does not bound the step. */
    nnc_run run = input_of(32000, 0.080, ask);
    CLOSE(run.prepare_s, 0.064, 1e-9);
    ck_assert(!run.input_bound);
    ck_assert_double_eq(run.step_s, 0.080);

    /* The text claims: "a device of 1,000 images/s that is fed 200 is used for 20 %". */
    ask.prepare_s = 1.0 / 200.0;
    run = input_of(1, 1e-3, ask);
    CLOSE(1e-3 / run.step_s, 0.2, 1e-12);

    /* The text claims: "overlap of 30, 20 and 40 s makes 90 s into 40, 40 % faster". In fact the time is 56 % shorter,
     * and the speed is 2.25 times as high. */
    ask.prepare_s = 30.0;
    ask.sample_bytes = 20e9;
    ask.input_bytes_per_s = 1e9;
    CLOSE(input_of(1, 40.0, ask).step_s, 40.0, 1e-12);
    ask.serial_input = true;
    CLOSE(input_of(1, 40.0, ask).step_s, 90.0, 1e-12);

    /* The text claims: "2 batches of 256 images of 1024 x 1024 held ready are 2 GB". In fact the 2 batches are 1.61 GB
     * for each worker. */
    ask = nnc_run_ask_default();
    ask.workers = 1.0;
    ask.prepared_bytes = 3.0 * 1024 * 1024;
    ck_assert_double_eq(input_of(256, 1.0, ask).prefetch_bytes, 1610612736.0);
}
END_TEST

/* Compares claims of a popular text on money and failures with results from the numbers of this text. */
START_TEST(claims_about_cost_and_failures) {
    static const struct {
        int32_t devices;
        double days, price, cost;
    } rows[] = {
        { 32, 14.0, 3.06, 32901.12 }, /* the text: "about 50,000" */
        { 8, 14.0, 16.0, 43008.0 },   /* the text: "21.5K" */
        { 32, 14.0, 16.0, 172032.0 }, /* the text: "86K" */
        /* a run with a quarter of the devices takes four times as long and costs the same */
        { 32, 3.5, 16.0, 43008.0 },
        { 8, 14.0, 3.06, 8225.28 }, /* the text: "10,252" */
        { 8, 7.0, 4.10, 5510.4 },   /* the text: "6,877" */
        { 8, 3.5, 8.0, 5376.0 },    /* the text: "6,720" */
    };
    nnc_run_ask ask = nnc_run_ask_default();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        nnc_plan plan = devices_of(rows[i].devices);
        plan.price = rows[i].price;
        ask.days = rows[i].days;
        CLOSE(run_of(&plan, &ask).cost, rows[i].cost, 1e-12);
    }
    /* The text claims: "50,000 steps of 512 at 220 samples/s take 14 days". In fact the steps take 32.3 hours. */
    nnc_plan plan = devices_of(1);
    plan.global_batch = 512;
    plan.samples = 50e3 * 512;
    ask = nnc_run_ask_default();
    ask.step_s = 512.0 / 220.0;
    CLOSE(run_of(&plan, &ask).run_s / HOUR, 32.3, 0.002);

    /* The text assumes: "100 nodes that are up 99.9 %". The test takes 99.9 % as the probability that a node has no
     * failure in an hour. The failure rate grows in proportion to the number of nodes, not exponentially. */
    ask = nnc_run_ask_default();
    ask.days = 7.0;
    ask.checkpoint_bytes = 1e12;
    ask.device_mtbf_s = -HOUR / log(0.999);
    plan = devices_of(100);
    const nnc_run hundred = run_of(&plan, &ask);
    CLOSE(hundred.survive_hour, pow(0.999, 100.0), 1e-12);
    plan = devices_of(200);
    CLOSE(hundred.system_mtbf_s / run_of(&plan, &ask).system_mtbf_s, 2.0, 1e-12);

    /* The text claims: "100 GPUs: several failures a week". In fact there is a third of a failure a week at the rate of
     * Llama 3, about one at the rate of OPT, and two at the rate of RSC-1. */
    static const double hours[] = { 50677.0, 13605.0, 8090.0 }, weekly[] = { 0.3315, 1.235, 2.077 };
    plan = devices_of(100);
    for (size_t i = 0; i < COUNT_OF(hours); i++) {
        ask.device_mtbf_s = hours[i] * HOUR;
        CLOSE(run_of(&plan, &ask).stops, weekly[i], 0.001);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        inputs_that_were_measured,   input_of_clusters,    encoders_on_line,
        images_read_more_than_texts, claims_about_loaders, claims_about_cost_and_failures,
    };
    return run_tests_with("run_input", open_support, close_support, tests, COUNT_OF(tests));
}
