/* Tests the strict reader of device, model and software files: the values of good files, and one-line errors for bad
 * files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input_internal.h"
#include "spec_reader.h"
#include "spec_text.h"

START_TEST(device_is_read) {
    nnc_device d;
    ck_assert_int_eq(read_device(DEVICE
                                 "\"aliases\": [\"x\", \"y\"], \"year\": 2020, \"power_w\": null,\n"
                                 "\"scale_up\": { \"kind\": \"torus\", \"dims\": [4, 2], \"wrap\": [true, false],\n"
                                 "  \"devices\": 8, \"bytes_per_s\": 45e9, \"note\": \"a link\" },\n"
                                 "\"prices\": [ { \"per_device_hour\": 1.5, \"currency\": \"USD\",\n"
                                 "  \"where\": \"a cloud\", \"date\": \"2025-06\" } ],\n"
                                 "\"efficiency\": { \"gemm\": { \"bf16\": { \"sustained_fraction\": 0.7,\n"
                                 "  \"fitted_on\": \"rows 1-3\" } } },\n"
                                 "\"note\": \"not a product\",\n" SOURCES,
                                 &d),
                     NNC_OK);
    ck_assert_str_eq(d.id, "demo");
    ck_assert_double_eq(d.matmul_flops_per_s[NNC_BF16], 100e12);
    ck_assert(isnan(d.matmul_flops_per_s[NNC_FP16]));
    ck_assert(isnan(d.power_w)); /* null: not recorded */
    ck_assert(isnan(d.host.bytes_per_s));
    ck_assert_int_eq(d.alias_count, 2);
    ck_assert_str_eq(d.aliases[1], "y");
    ck_assert_int_eq(d.scale_up.dims_count, 2);
    ck_assert(d.scale_up.wrap[0] && !d.scale_up.wrap[1]);
    ck_assert_int_eq(d.price_count, 1);
    ck_assert_str_eq(d.prices[0].date, "2025-06");
    ck_assert(d.efficiency.fitted);
    ck_assert_double_eq(d.efficiency.gemm[NNC_BF16].sustained_fraction, 0.7);
    ck_assert_double_eq(d.efficiency.gemm[NNC_BF16].memory_fraction, 1);      /* the neutral value */
    ck_assert_double_eq(d.efficiency.gemm[NNC_FP16].sustained_fraction, 0.7); /* the value of bf16 */
    ck_assert_int_eq(d.source_count, 2);
    ck_assert_str_eq(d.sources[1].key, "efficiency.gemm.bf16"); /* the second source is that of the fitted figures */
    ck_assert_str_eq(d.sources[0].text, "made up");
}
END_TEST

START_TEST(device_without_efficiency_is_neutral) {
    nnc_device d;
    ck_assert_int_eq(read_device(DEVICE SOURCES, &d), NNC_OK);
    ck_assert(!d.efficiency.fitted);
    ck_assert_double_eq(d.efficiency.attention[NNC_FLASH2].sustained_fraction, 1);
    ck_assert_double_eq(d.efficiency.attention[NNC_FLASH2].fixed_s, 0);
}
END_TEST

START_TEST(models_get_their_defaults) {
    nnc_model m;
    ck_assert_int_eq(read_model(DECODER SOURCES, &m), NNC_OK);
    ck_assert_int_eq(m.decoder.kv_heads, 2);
    ck_assert_int_eq(m.decoder.head_dim, 4);
    ck_assert_int_eq(m.decoder.vocab_multiple, 1);
    ck_assert(!m.decoder.biases);
    ck_assert_int_eq(read_model(UNET SOURCES, &m), NNC_OK);
    ck_assert_int_eq(m.unet.levels, 2);
    ck_assert_int_eq(m.unet.channel_multipliers[1], 2);
    ck_assert_int_eq(m.unet.latent_factor, 1);
    ck_assert_int_eq(m.unet.kernel, 3);
    ck_assert_int_eq(m.unet.norm_groups, 32);
    ck_assert(m.unet.conv_biases);
}
END_TEST

START_TEST(software_gets_its_defaults) {
    static const char text[] = "{ \"schema\": \"nncost.software/1\", \"id\": \"s\", \"name\": \"S\","
                               "\"fused_norm\": false, \"norm_keep\": \"eager\"," SOURCES;
    nnc_software s;
    ck_assert_int_eq(nnc_software_parse_into(specs, "s.json", text, sizeof(text) - 1, &s, &err), NNC_OK);
    ck_assert(!s.fused_norm && s.fused_loss && s.context_frozen && !s.softmax_upcast);
    ck_assert_int_eq(s.norm_keep, NNC_KEEP_EAGER);
    ck_assert_str_eq(nnc_software_default().id, "torch-compile");
}
END_TEST

/* A fault and its one-line message. */
typedef struct fault {
    const char *text, *where, *what;
} fault;

static const fault syntax_faults[] = {
    { "", "d.json:1:1", "bad syntax, expected a value, found the end of the text" },
    { "{\n\"schema\": \"nncost", "d.json:2:18",
      "bad syntax, expected '\"' at the end of a text, found the end of the text" },
    { "{\"id\": 1", "d.json:1:9", "bad syntax, expected ',' or '}', found the end of the text" },
    { "{\"id\": }", "d.json:1:8", "bad syntax, expected a value, found '}'" },
    { "{\"id\": 1,}", "d.json:1:10", "bad syntax, expected a key in quotes, found '}'" },
    { "{id: 1}", "d.json:1:2", "bad syntax, expected a key in quotes, found id" },
    { "{\"id\" 1}", "d.json:1:7", "bad syntax, expected ':' after a key, found '1'" },
    { "[1, 2,]", "d.json:1:7", "bad syntax, expected a value, found ']'" },
    { "[1 2]", "d.json:1:4", "bad syntax, expected ',' or ']', found '2'" },
    { "{} {}", "d.json:1:4", "bad syntax, expected nothing after the last brace, found '{'" },
    { "{} // end", "d.json:1:4", "bad syntax, expected nothing after the last brace, found '/'" },
    { "{\"a\": 01}", "d.json:1:7", "bad number, expected one such as 12, -0.5 or 3e9, found 01" },
    { "{\"a\": 1.}", "d.json:1:7", "bad number, expected one such as 12, -0.5 or 3e9, found 1." },
    { "{\"a\": -}", "d.json:1:7", "bad number, expected one such as 12, -0.5 or 3e9, found '-'" },
    { "{\"a\": .5}", "d.json:1:7", "bad syntax, expected a value, found .5" },
    { "{\"a\": +5}", "d.json:1:7", "bad syntax, expected a value, found +5" },
    { "{\"a\": 1e999}", "d.json:1:7", "infinite number, expected at most 1.79e308, found 1e999" },
    { "{\"a\": NaN}", "d.json:1:7", "bad syntax, expected a value, found NaN" },
    { "{\"a\": -Infinity}", "d.json:1:7", "bad number, expected one such as 12, -0.5 or 3e9, found -Infinity" },
    { "{\"a\": True}", "d.json:1:7", "bad syntax, expected a value, found True" },
    { "{\"a\": truer}", "d.json:1:7", "bad syntax, expected a value, found truer" },
    { "{\"a\": 'b'}", "d.json:1:7", "bad syntax, expected a value, found '''" },
    { "{\"a\": \"b\tc\"}", "d.json:1:9",
      "raw control character in text, expected an escape such as \\n, found byte 0x09" },
    { "{\"a\": \"b\xff\"}", "d.json:1:9", "bad character in text, expected UTF-8, found byte 0xFF" },
    { "{\"a\": \"\\x\"}", "d.json:1:8",
      "bad escape in text, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u, found '\\'" },
    { "{\"a\": \"\\u12\"}", "d.json:1:8",
      "bad escape in text, expected four hexadecimal digits after \\u, found '\\'" },
    { "{\"a\": \"\\u0000\"}", "d.json:1:8", "NUL in text, expected a character from \\u0001, found '\\'" },
    { "{\"a\": \"\\ud800\"}", "d.json:1:8", "bad text, expected a pair of surrogates after \\u, found only one" },
    { "\xef\xbb\xbf{}", "d.json:1:1", "byte order mark, expected plain UTF-8 text, found '\?\?\?'" },
    { "{\"gr\xc3\xb6\xc3\x9f"
      "e\": 01}",
      "d.json:1:11", /* a column counts characters, not bytes */
      "bad number, expected one such as 12, -0.5 or 3e9, found 01" },
};

START_TEST(bad_syntax_is_placed) {
    const fault *f = &syntax_faults[_i];
    nnc_device d;
    ck_assert_int_eq(read_device(f->text, &d), NNC_BAD_SPEC);
    ck_assert_int_eq(err.status, NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, f->where);
    ck_assert_str_eq(err.what, f->what);
}
END_TEST

/* The reader skips ordinary letters eight at a time. At every position of the text, the reader must stop at a byte that
 * is no ordinary letter. */
START_TEST(no_place_in_a_text_is_passed_over) {
    char text[] = "\"________________________\"";
    const size_t size = sizeof text - 1;
    for (unsigned byte = 0; byte < 256; byte++) {
        const bool plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
        for (size_t place = 1; place < size - 1; place++) {
            text[place] = (char)(unsigned char)byte;
            ck_assert_msg(nnc_json_scan_lexemes(text, size, 10) == plain, "byte 0x%02X at %zu", byte, place);
            ck_assert(nnc_json_scan(text, size, 10, NULL) == plain);
            text[place] = '_';
        }
    }
}
END_TEST

static const fault device_faults[] = {
    { "[]", "d.json", "wrong type, expected an object, found a list of 0" },
    { "{}", "d.json: id", "missing, expected text of 1 to 47 bytes, found nothing" },
    { DEVICE "\"mem_byte\": 1,\n" SOURCES, "d.json:8: mem_byte",
      "unknown key, expected a key of the device, perhaps \"mem_bytes\", found \"mem_byte\"" },
    { DEVICE "\"colour\": 1,\n" SOURCES, "d.json:8: colour",
      "unknown key, expected a key of the device, found \"colour\"" },
    { DEVICE "\"Mem_bytes\": 1,\n" SOURCES, "d.json:8: Mem_bytes",
      "unknown key, expected a key of the device, perhaps \"mem_bytes\", found \"Mem_bytes\"" },
    { DEVICE "\"mem_bytes\": 2000,\n" SOURCES, "d.json:8: mem_bytes",
      "repeated key, expected each key once, found this key again" },
    { DEVICE "\"mem_\\u0062ytes\": 2000,\n" SOURCES, "d.json:8: mem_bytes",
      "repeated key, expected each key once, found this key again" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n" SOURCES, "d.json: mem_bytes",
      "missing, expected a whole number from 1e6 B to 1e15 B, found nothing" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes\": null, \"mem_bytes_per_s\": 1e12,\n" SOURCES, "d.json:6: mem_bytes",
      "missing, expected a whole number from 1e6 B to 1e15 B, found nothing" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n\"mem_bytes\": -5,\n" SOURCES, "d.json:7: mem_bytes",
      "out of range, expected at least 1e6 B, found -5" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n\"mem_bytes\": 0,\n" SOURCES, "d.json:7: mem_bytes",
      "out of range, expected at least 1e6 B, found 0" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n\"mem_bytes\": 1e16,\n" SOURCES, "d.json:7: mem_bytes",
      "out of range, expected at most 1e15 B, found 1e16" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n\"mem_bytes\": 1.5,\n" SOURCES, "d.json:7: mem_bytes",
      "not a whole number, expected a whole number, found 1.5" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes_per_s\": 1e12,\n\"mem_bytes\": \"80 boxes\",\n" SOURCES,
      "d.json:7: mem_bytes", "wrong type, expected a whole number from 1e6 B to 1e15 B, found \"80 boxes\"" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes\": 1e9,\n\"mem_bytes_per_s\": 0,\n" SOURCES, "d.json:7: mem_bytes_per_s",
      "out of range, expected at least 1e8 B/s, found 0" },
    { DEVICE_HEAD DEVICE_PEAK "\"mem_bytes\": 1e9,\n\"mem_bytes_per_s\": 2039,\n" SOURCES, "d.json:7: mem_bytes_per_s",
      "out of range, expected at least 1e8 B/s (did you mean 2039e9?), found 2039" },
    { DEVICE_HEAD DEVICE_MEMORY "\"matmul_flops_per_s\": {},\n" SOURCES, "d.json:7: matmul_flops_per_s",
      "empty, expected at least one peak, found none" },
    { DEVICE_HEAD DEVICE_MEMORY "\"matmul_flops_per_s\": { \"bf61\": 1 },\n" SOURCES,
      "d.json:7: matmul_flops_per_s.bf61",
      "unknown key, expected a key of the matmul_flops_per_s, perhaps \"bf16\", found \"bf61\"" },
    { DEVICE_HEAD DEVICE_MEMORY "\"matmul_flops_per_s\": 5,\n" SOURCES, "d.json:7: matmul_flops_per_s",
      "wrong type, expected an object keyed by number format, found 5" },
    { DEVICE "\"scale_up\": { \"devices\": 8 },\n" SOURCES, "d.json:8: scale_up.kind",
      "missing, expected one of none, switch, torus, mesh, ring, pcie, found nothing" },
    { DEVICE "\"scale_up\": { \"kind\": \"star\" },\n" SOURCES, "d.json:8: scale_up.kind",
      "unknown value, expected one of none, switch, torus, mesh, ring, pcie, found \"star\"" },
    { DEVICE "\"scale_up\": { \"kind\": \"torus\" },\n" SOURCES, "d.json:8: scale_up.dims",
      "missing, expected the length of one axis or more, found nothing" },
    { DEVICE "\"scale_up\": { \"kind\": \"torus\", \"dims\": [4, 4], \"wrap\": [true] },\n" SOURCES,
      "d.json:8: scale_up.wrap", "wrong length, expected 2, one per axis, found 1" },
    { DEVICE "\"scale_up\": { \"kind\": \"ring\", \"dims\": [4] },\n" SOURCES, "d.json:8: scale_up.dims",
      "does not apply, expected nothing for kind ring, found a list" },
    { DEVICE "\"scale_up\": { \"kind\": \"torus\", \"dims\": [1, 2, 3, 4] },\n" SOURCES, "d.json:8: scale_up.dims",
      "wrong length, expected a list of 1 to 3 whole numbers, found a list of 4" },
    { DEVICE "\"scale_up\": { \"kind\": \"torus\",\n \"dims\": [1, null] },\n" SOURCES, "d.json:9: scale_up.dims[1]",
      "wrong type, expected a whole number from 1 to 1e6, found null" },
    { DEVICE "\"efficiency\": { \"gemm\": { \"bf16\": { \"sustained_fraction\": 1.2 } } },\n" SOURCES,
      "d.json:8: efficiency.gemm.bf16.sustained_fraction", "out of range, expected at most 1, found 1.2" },
    { DEVICE "\"efficiency\": { \"conv\": { \"fixed_s\": 0 } },\n" SOURCES, "d.json:8: efficiency.conv.fitted_on",
      "missing, expected text, found nothing" },
    { DEVICE "\"prices\": [ { \"currency\": \"USD\" } ],\n" SOURCES, "d.json:8: prices[0].per_device_hour",
      "missing, expected a number from 0 to 1e6, found nothing" },
    { DEVICE "\"note\": 5,\n" SOURCES, "d.json:8: note", "wrong type, expected text, found 5" },
    { DEVICE "\"aliases\": [ 5 ],\n" SOURCES, "d.json:8: aliases[0]", "wrong type, expected text, found 5" },
    { DEVICE "\"sources\": {} }", "d.json:8: sources",
      "no sources, expected an object of texts or lists of texts, found an object" },
    { DEVICE "\"sources\": { \"mem_byte\": \"x\" } }", "d.json:8: sources.mem_byte",
      "unknown key, expected a key of the device, perhaps \"mem_bytes\", found \"mem_byte\"" },
    { "{ \"schema\": \"nncost.device/2\", \"id\": \"a\", \"name\": \"A\",\n" DEVICE_PEAK DEVICE_MEMORY SOURCES,
      "d.json:1: schema", "unknown schema, expected \"nncost.device/1\", found \"nncost.device/2\"" },
    { "{ \"schema\": \"nncost.device/1\", \"id\": \"a/b\", \"name\": \"A\",\n" DEVICE_PEAK DEVICE_MEMORY SOURCES,
      "d.json:1: id", "bad id, expected a file name without '/' or \"..\", found \"a/b\"" },
    { "{ \"id\": \"0123456789012345678901234567890123456789012345678901234567890123456789\" }", "d.json:1: id",
      "too long, expected text of 1 to 47 bytes, found "
      "\"012345678901234567890123456789012345678901234567890123456789...\"" },
};

START_TEST(bad_devices_are_refused) {
    const fault *f = &device_faults[_i];
    nnc_device d;
    ck_assert_int_eq(read_device(f->text, &d), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, f->where);
    ck_assert_str_eq(err.what, f->what);
}
END_TEST

static const fault model_faults[] = {
    { MODEL_HEAD SOURCES, "m.json: family",
      "missing, expected one of decoder, unet, vit, graph, capture, found nothing" },
    { MODEL_HEAD "\"family\": \"rnn\"," SOURCES, "m.json:2: family",
      "unknown family, expected one of decoder, unet, vit, graph, capture, found \"rnn\"" },
    { DECODER "\"image\": 3," SOURCES, "m.json:5: image",
      "unknown key, expected a key of the decoder, found \"image\"" },
    { DECODER "\"kv_heads\": 3," SOURCES, "m.json:5: kv_heads",
      "does not divide heads, expected a divisor of 2, found 3" },
    { DECODER "\"kv_heads\": 4," SOURCES, "m.json:5: kv_heads",
      "does not divide heads, expected a divisor of 2, found 4" },
    { DECODER "\"head_dim\": 3," SOURCES, "m.json:5: head_dim",
      "odd, expected an even width for rotary positions, found 3" },
    { DECODER "\"positions_max\": 32," SOURCES, "m.json:5: positions_max",
      "does not apply to rotary positions, expected learned positions or no positions_max, found 32" },
    { DECODER "\"dropout\": 1," SOURCES, "m.json:5: dropout", "out of range, expected at most 0.999, found 1" },
    { DECODER "\"biases\": \"yes\"," SOURCES, "m.json:5: biases", "wrong type, expected true or false, found \"yes\"" },
    { UNET "\"kernel\": 4," SOURCES, "m.json:6: kernel", "even, expected an odd side, found 4" },
    { UNET "\"norm_groups\": 48," SOURCES, "m.json:6: norm_groups",
      "does not divide the channels, expected a divisor of 64, found 48" },
    { UNET "\"latent_factor\": 5," SOURCES, "m.json:2: image",
      "does not suit the levels, expected a multiple of 5 from 10 up, found 32" },
    { UNET "\"attention_levels\": [true]," SOURCES, "m.json:6: attention_levels",
      "wrong length, expected 2 values, one per level, found 1" },
    { UNET "\"attention_levels\": [false, true]," SOURCES, "m.json: heads",
      "ambiguous, expected heads or head_width, found none of them" },
    { UNET "\"middle_attention\": true, \"heads\": 3," SOURCES, "m.json:6: heads",
      "does not divide the channels that attend, expected a divisor of 128, found 3" },
    { UNET "\"context_len\": 77," SOURCES, "m.json:6: context_len",
      "incomplete context, expected both context_len and context_width or neither, found one of them" },
    { UNET "\"transformer_depth\": 1," SOURCES, "m.json:6: transformer_depth",
      "does not apply, expected 0 without attention, found 1" },
};

START_TEST(bad_models_are_refused) {
    const fault *f = &model_faults[_i];
    nnc_model m;
    ck_assert_int_eq(read_model(f->text, &m), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, f->where);
    ck_assert_str_eq(err.what, f->what);
}
END_TEST

START_TEST(long_texts_are_refused_quickly) {
    enum { SIZE = 10 * 1000 * 1000 };
    char *text = malloc(SIZE + 1);
    nnc_device d;
    ck_assert_ptr_nonnull(text);
    memset(text, '[', SIZE);
    text[SIZE] = '\0';
    ck_assert_int_eq(read_device(text, &d), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "d.json:1:65");
    ck_assert_str_eq(err.what, "nested too deeply, expected at most 64 levels, found '['");
    for (size_t i = 1; i < SIZE; i++) { text[i] = i % 2 == 1 ? '1' : ','; }
    ck_assert_int_eq(read_device(text, &d), NNC_BAD_SPEC);
    ck_assert_str_eq(err.what, "too many values, expected at most 100000, found '1'");
    memset(text, '1', SIZE);
    ck_assert_int_eq(read_device(text, &d), NNC_BAD_SPEC);
    ck_assert_ptr_nonnull(strstr(err.what, "number too long, expected at most 63 characters"));
    ck_assert_int_eq(nnc_device_parse_into(specs, "d.json", text, (size_t)17e6, &d, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.what, "too large, expected at most 16 MB, found more");
    free(text);
}
END_TEST

START_TEST(a_nul_is_refused) {
    static const char inside[] = "{\"a\": \"b\0c\"}", after[] = "{}\0x";
    nnc_device d;
    ck_assert_int_eq(nnc_device_parse_into(specs, "d", inside, sizeof(inside) - 1, &d, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.where, "d:1:9");
    ck_assert_int_eq(nnc_device_parse_into(specs, "d", after, sizeof(after) - 1, &d, &err), NNC_BAD_SPEC);
    ck_assert_str_eq(err.what, "bad syntax, expected nothing after the last brace, found byte 0x00");
    ck_assert_int_eq(nnc_device_parse_into(specs, "d", "", 0, &d, NULL), NNC_BAD_SPEC);
}
END_TEST

START_TEST(deepest_allowed_is_read) {
    char text[256] = "";
    nnc_device d;
    for (int i = 0; i < 64; i++) {
        text[i] = '[';
        text[64 + i] = ']';
    }
    ck_assert_int_eq(read_device(text, &d), NNC_BAD_SPEC);
    ck_assert_str_eq(err.what, "wrong type, expected an object, found a list of 1");
}
END_TEST

START_TEST(rules_hold_for_filled_structs) {
    nnc_model m;
    memset(&m, 0, sizeof(m));
    ck_assert_int_eq(nnc_model_check(&m, NULL, &err), NNC_BAD_SPEC); /* all members are zero */
    ck_assert_str_eq(err.where, "layers");
    ck_assert_int_eq(read_model(DECODER SOURCES, &m), NNC_OK);
    ck_assert_int_eq(nnc_model_check(&m, "m", &err), NNC_OK);
    m.decoder.layers = INT64_MAX;
    ck_assert_int_eq(nnc_model_check(&m, "m", NULL), NNC_BAD_SPEC);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("spec");
    TCase *tests = add_case(suite, "spec", set_up, tear_down);
    tcase_add_test(tests, device_is_read);
    tcase_add_test(tests, device_without_efficiency_is_neutral);
    tcase_add_test(tests, models_get_their_defaults);
    tcase_add_test(tests, software_gets_its_defaults);
    tcase_add_test(tests, no_place_in_a_text_is_passed_over);
    tcase_add_loop_test(tests, bad_syntax_is_placed, 0, (int)COUNT_OF(syntax_faults));
    tcase_add_loop_test(tests, bad_devices_are_refused, 0, (int)COUNT_OF(device_faults));
    tcase_add_loop_test(tests, bad_models_are_refused, 0, (int)COUNT_OF(model_faults));
    tcase_add_test(tests, long_texts_are_refused_quickly);
    tcase_add_test(tests, a_nul_is_refused);
    tcase_add_test(tests, deepest_allowed_is_read);
    tcase_add_test(tests, rules_hold_for_filled_structs);
    return run_suite(suite);
}
