/* Tests pictures: colours that colour-blind readers can distinguish, numbers and text in SVG, scales, and positions of
 * labels. */
#include <math.h>
#include <stdlib.h>

#include "plot/plot_internal.h"
#include "render/render_internal.h"
#include "support.h"

/* ---- colours ---- */

typedef struct rgb {
    double v[3]; /* linear values from 0 to 1 */
} rgb;

static rgb linear(const char *hex) {
    char *end = NULL;
    rgb colour;
    ck_assert_int_eq(hex[0], '#');
    const unsigned long all = strtoul(hex + 1, &end, 16);
    ck_assert_ptr_eq(end, hex + 7);
    const double bytes[3] = { (double)(all >> 16), (double)(all >> 8 & 255), (double)(all & 255) };
    for (int i = 0; i < 3; i++) { /* inverse of the sRGB curve, IEC 61966-2-1 */
        const double s = bytes[i] / 255.0;
        colour.v[i] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
    }
    return colour;
}

/* Matrices that simulate colour blindness at full severity. Source: Machado, Oliveira, Fernandes 2009. */
static const double views[4][3][3] = {
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    { { 0.152286, 1.052583, -0.204868 },
      { 0.114503, 0.786281, 0.099216 },
      { -0.003882, -0.048116, 1.051998 } }, /* protanopia */
    { { 0.367322, 0.860646, -0.227968 },
      { 0.280085, 0.672501, 0.047413 },
      { -0.011820, 0.042940, 0.968881 } }, /* deuteranopia */
    { { 1.255528, -0.076749, -0.178779 },
      { -0.078411, 0.930809, 0.147602 },
      { 0.004733, 0.691367, 0.303900 } }, /* tritanopia */
};

static rgb seen(rgb colour, int view) {
    rgb result;
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) { sum += views[view][i][k] * colour.v[k]; }
        result.v[i] = fmin(fmax(sum, 0.0), 1.0);
    }
    return result;
}

/* Returns the distance of two colours in CIE L*a*b* of 1976, with white D65. */
static double distance(rgb a, rgb b) {
    static const double xyz[3][3] = { { 0.4124564, 0.3575761, 0.1804375 },
                                      { 0.2126729, 0.7151522, 0.0721750 },
                                      { 0.0193339, 0.1191920, 0.9503041 } };
    static const double white[3] = { 0.95047, 1.0, 1.08883 };
    const rgb colours[2] = { a, b };
    double lab[2][3];
    for (int c = 0; c < 2; c++) {
        double f[3];
        for (int i = 0; i < 3; i++) {
            double t = 0.0;
            for (int k = 0; k < 3; k++) { t += xyz[i][k] * colours[c].v[k] / white[i]; }
            f[i] = t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
        }
        lab[c][0] = 116.0 * f[1] - 16.0;
        lab[c][1] = 500.0 * (f[0] - f[1]);
        lab[c][2] = 200.0 * (f[1] - f[2]);
    }
    return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) + pow(lab[0][2] - lab[1][2], 2));
}

/* Returns the contrast ratio of two colours as defined by WCAG 2.2. */
static double contrast(const char *a, const char *b) {
    const char *texts[2] = { a, b };
    double luminance[2];
    for (int i = 0; i < 2; i++) {
        const rgb c = linear(texts[i]);
        luminance[i] = 0.2126 * c.v[0] + 0.7152 * c.v[1] + 0.0722 * c.v[2] + 0.05;
    }
    return fmax(luminance[0], luminance[1]) / fmin(luminance[0], luminance[1]);
}

static const nnc_hue *hue_of(const char *name) {
    for (int i = 0; i < nnc_palette_count; i++) {
        if (strcmp(nnc_palette[i].name, name) == 0) { return &nnc_palette[i]; }
    }
    ck_abort_msg("no hue %s", name);
    return NULL;
}

START_TEST(colours_of_one_picture_are_told_apart) {
    double least = INFINITY;
    int pairs = 0;
    for (int i = 0; i < nnc_palette_count; i++) {
        for (int k = 0; k < i; k++) {
            const nnc_hue *a = &nnc_palette[i], *b = &nnc_palette[k];
            for (int view = 0; view < 4 && (a->hues & b->hues) != 0; view++) {
                least = fmin(least, distance(seen(linear(a->light), view), seen(linear(b->light), view)));
                least = fmin(least, distance(seen(linear(a->dark), view), seen(linear(b->dark), view)));
                pairs++;
            }
        }
    }
    ck_assert_int_gt(pairs, 100);
    ck_assert_double_ge(least, 12.0); /* a distance of 2.3 is just noticeable */
}
END_TEST

START_TEST(marks_and_text_stand_out) {
    const nnc_hue *page = hue_of("page");
    for (int i = 0; i < nnc_palette_count; i++) {
        const nnc_hue *hue = &nnc_palette[i];
        if (hue->hues == 0 || hue == page) { continue; }
        ck_assert_double_ge(contrast(hue->light, page->light), 3.0);
        ck_assert_double_ge(contrast(hue->dark, page->dark), 3.0);
        if (hue->on_light != NULL) {
            ck_assert_double_ge(contrast(hue->light, hue->on_light), 4.5);
            ck_assert_double_ge(contrast(hue->dark, hue->on_dark), 4.5);
        }
    }
    static const char *const words[] = { "ink", "dim" };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        ck_assert_double_ge(contrast(hue_of(words[i])->light, page->light), 4.5);
        ck_assert_double_ge(contrast(hue_of(words[i])->dark, page->dark), 4.5);
    }
}
END_TEST

/* ---- the writer ---- */

START_TEST(text_of_others_is_text) {
    nnc_buffer out = { 0 };
    nnc_put_xml(&out, "<b a=\"1\">&\x01\x7f \xc3\xa9 \xff");
    nnc_buffer_byte(&out, '\0');
    ck_assert_str_eq(out.bytes, "&lt;b a=&quot;1&quot;&gt;&amp;?? \xc3\xa9 ?");
    /* Text with a line end, the control character CSI, and a character that sets the direction to right-to-left. */
    nnc_buffer_clear(&out);
    /* NOLINTNEXTLINE(misc-misleading-bidirectional): the test needs it */
    nnc_put_xml(&out, "a\n::error::b\xc2\x9b \xe2\x80\xae \xe2\x80");
    nnc_buffer_byte(&out, '\0');
    ck_assert_str_eq(out.bytes, "a&#10;::error::b? ? ??");
    nnc_buffer_free(&out);
}
END_TEST

START_TEST(coordinates_are_tenths) {
    nnc_svg svg;
    nnc_buffer out = { 0 };
    nnc_svg_begin(&svg, "nnc-x");
    nnc_svg_line(&svg, "grid", nnc_px_of(-0.04), nnc_px_of(0.05), -15, 120);
    nnc_svg_end(&svg, &out, NNC_PX(10), NNC_PX(20), "t", "d", false);
    nnc_buffer_byte(&out, '\0');
    ck_assert_ptr_nonnull(strstr(out.bytes, "d=\"M0 0.1L-1.5 12\""));
    ck_assert_ptr_nonnull(strstr(out.bytes, "viewBox=\"0 0 10 20\""));
    nnc_buffer_free(&out);
}
END_TEST

/* Widths in DejaVu Sans: M 863 and i 278 of 1000. The text has 12 px, and its width is increased by 5 %. */
START_TEST(text_is_as_wide_as_its_letters) {
    char cut[NNC_TEXT_PX_MAX];
    ck_assert_int_eq(nnc_text_px("Mi", NNC_TYPE_PLAIN), (nnc_px)ceil((863 + 278) * 12 * 1.05 / 100.0));
    ck_assert_int_lt(nnc_text_px("Mi", NNC_TYPE_SMALL), nnc_text_px("Mi", NNC_TYPE_PLAIN));
    ck_assert_int_gt(nnc_text_px("Mi", NNC_TYPE_BOLD), nnc_text_px("Mi", NNC_TYPE_PLAIN));
    nnc_text_cut("a long line of text", NNC_TYPE_PLAIN, NNC_PX(50), cut);
    ck_assert_ptr_nonnull(strstr(cut, ".."));
    ck_assert_int_le(nnc_text_px(cut, NNC_TYPE_PLAIN), NNC_PX(50));
}
END_TEST

/* ---- scales and places ---- */

START_TEST(ticks_are_ones_twos_and_fives) {
    double ticks[NNC_TICKS_MAX];
    char text[NNC_NUMBER_TEXT];
    const nnc_scale linear_scale = { 0.0, 2.6, 0, NNC_PX(100), false };
    ck_assert_int_eq(nnc_scale_ticks(&linear_scale, 7, ticks), 6); /* 0, 0.5 ... 2.5 */
    ck_assert_double_eq_tol(ticks[5], 2.5, 1e-12);
    const nnc_scale log_scale = { 1.0, 100.0, 0, NNC_PX(100), true };
    ck_assert_int_eq(nnc_scale_ticks(&log_scale, 9, ticks), 7); /* 1 2 5 10 20 50 100 */
    ck_assert_int_eq(nnc_scale_ticks(&log_scale, 5, ticks), 3); /* 1 10 100 */
    ck_assert_int_eq(nnc_scale_at(&log_scale, 10.0), NNC_PX(50));
    const nnc_scale short_scale = { 12.0, 60.0, 0, NNC_PX(100), true };
    ck_assert_int_eq(nnc_scale_ticks(&short_scale, 8, ticks), 5); /* 15 20 30 40 50 */
    ck_assert_str_eq(nnc_tick_text(0.2, "s", text), "200 ms");
    ck_assert_str_eq(nnc_tick_text(0.1, "", text), "0.1");
    ck_assert_str_eq(nnc_tick_text(2.5, "s", text), "2.5 s");
}
END_TEST

START_TEST(labels_in_a_row_move_apart_or_give_up) {
    const nnc_px w[3] = { 300, 300, 300 };
    nnc_px near[3] = { 0, 10, 950 }, many[3] = { 0, 0, 0 };
    ck_assert(nnc_place_row(near, w, 3, 0, 1000, 20));
    ck_assert_int_eq(near[0], 0);
    ck_assert_int_eq(near[1], 320);
    ck_assert_int_eq(near[2], 700);
    ck_assert(!nnc_place_row(many, w, 3, 0, 900, 20));
}
END_TEST

START_TEST(labels_round_a_mark_take_what_is_free) {
    nnc_places *places = calloc(1, sizeof *places);
    const nnc_spot spot = { 500, 500, 30 };
    nnc_box boxes[16];
    int count = 0;
    ck_assert_ptr_nonnull(places);
    places->area = (nnc_box){ 0, 0, 1000, 1000 };
    while (count < 16 && nnc_place_by(places, spot, 200, 130, 300, &boxes[count])) {
        for (int i = 0; i < count; i++) {
            const nnc_box a = boxes[i], b = boxes[count];
            ck_assert(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y);
        }
        count++;
    }
    ck_assert_int_ge(count, 4);
    places->area.w = 50; /* no free position */
    ck_assert(!nnc_place_by(places, spot, 200, 130, 300, &boxes[0]));
    free(places);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        colours_of_one_picture_are_told_apart,
        marks_and_text_stand_out,
        text_of_others_is_text,
        coordinates_are_tenths,
        text_is_as_wide_as_its_letters,
        ticks_are_ones_twos_and_fives,
        labels_in_a_row_move_apart_or_give_up,
        labels_round_a_mark_take_what_is_free,
    };
    return run_tests_with("svg", NULL, NULL, tests, COUNT_OF(tests));
}
