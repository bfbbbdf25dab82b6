#include <math.h>
#include <stdlib.h>

#include "plot/canvas.h"

static bool apart(nnc_box a, nnc_box b)
{
    return a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
}

void nnc_place_take(nnc_places *places, nnc_box box, bool text)
{
    if (places->count < NNC_TAKEN_MAX) {
        places->text[places->count] = text;
        places->taken[places->count++] = box;
    } else {
        places->area.w = 0; /* nothing is free any more */
    }
}

void nnc_place_take_line(nnc_places *places, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2,
                         nnc_px thick)
{
    const int length = abs(x2 - x1) > abs(y2 - y1) ? abs(x2 - x1) : abs(y2 - y1);
    const int parts = length / NNC_PX(6) + 1;
    for (int i = 0; i < parts; i++) { /* a chain of small boxes */
        const nnc_px ax = x1 + (x2 - x1) * i / parts, bx = x1 + (x2 - x1) * (i + 1) / parts;
        const nnc_px ay = y1 + (y2 - y1) * i / parts, by = y1 + (y2 - y1) * (i + 1) / parts;
        nnc_place_take(places,
                       (nnc_box){ (ax < bx ? ax : bx) - thick / 2, (ay < by ? ay : by) - thick / 2,
                                  abs(bx - ax) + thick, abs(by - ay) + thick },
                       false);
    }
}

static bool is_free(const nnc_places *places, nnc_box box)
{
    const nnc_box in = places->area;
    if (box.x < in.x || box.y < in.y || box.x + box.w > in.x + in.w ||
        box.y + box.h > in.y + in.h) {
        return false;
    }
    for (int i = 0; i < places->count; i++) {
        if (!apart(places->taken[i], box)) {
            return false;
        }
    }
    return true;
}

/* Where a label's middle goes, in halves of its size and radii from the mark's: right, left, below, above,
 * the corners, and between them. */
static const struct {
    int side, up; /* -2 ... 2 */
    nnc_px off;
} places_of[] = {
    { 2, 0, 30 }, { -2, 0, 30 }, { 0, 2, 20 }, { 0, -2, 20 }, { 2, 2, 0 },   { -2, 2, 0 },
    { 2, -2, 0 }, { -2, -2, 0 }, { 1, 2, 20 }, { -1, 2, 20 }, { 1, -2, 20 }, { -1, -2, 20 },
};

static nnc_px between(nnc_px value, nnc_px least, nnc_px most)
{
    return value < least ? least : value > most ? most : value;
}

/* The line from the rim of a mark to the next point of a label. */
typedef struct leader {
    nnc_px x1, y1, x2, y2;
} leader;

static leader leader_to(nnc_spot spot, nnc_box box)
{
    const nnc_px x = between(spot.x, box.x, box.x + box.w);
    const nnc_px y = between(spot.y, box.y, box.y + box.h);
    const double dx = x - spot.x, dy = y - spot.y, length = hypot(dx, dy);
    const double part = length > spot.radius ? spot.radius / length : 1.0;
    return (leader){ spot.x + (nnc_px)lround(dx * part), spot.y + (nnc_px)lround(dy * part), x, y };
}

static bool crosses_text(const nnc_places *places, leader line)
{
    enum { POINTS = 24 };
    for (int i = 0; i < places->count; i++) {
        for (int k = 0; places->text[i] && k <= POINTS; k++) {
            const nnc_box point = { line.x1 + (line.x2 - line.x1) * k / POINTS,
                                    line.y1 + (line.y2 - line.y1) * k / POINTS, 1, 1 };
            if (!apart(places->taken[i], point)) {
                return true;
            }
        }
    }
    return false;
}

bool nnc_place_by(nnc_places *places, nnc_spot spot, nnc_px w, nnc_px h, nnc_px far, nnc_box *found)
{
    for (nnc_px ring = 0; ring <= far; ring += NNC_PX(12)) {
        for (size_t i = 0; i < sizeof places_of / sizeof places_of[0]; i++) {
            const int side = places_of[i].side, up = places_of[i].up;
            const bool corner = abs(side) == 2 && abs(up) == 2;
            const nnc_px reach = (spot.radius + ring) * (corner ? 7 : 10) / 10 + places_of[i].off;
            const nnc_px x = spot.x + side * w / 4 + (abs(side) == 2 ? side / 2 * reach : 0);
            const nnc_px y = spot.y + up * h / 4 + (abs(up) == 2 ? up / 2 * reach : 0);
            const nnc_box box = { x - w / 2, y - h / 2, w, h };
            if (is_free(places, box) &&
                (ring == 0 || !crosses_text(places, leader_to(spot, box)))) {
                nnc_place_take(places, box, true);
                *found = box;
                return true;
            }
        }
    }
    return false;
}

bool nnc_canvas_label(nnc_canvas *canvas, nnc_places *places, nnc_spot spot, nnc_px far,
                      const char *line, const char *below)
{
    const bool two = below[0] != '\0';
    const nnc_px a = nnc_text_px(line, two ? NNC_TYPE_BOLD : NNC_TYPE_PLAIN);
    const nnc_px b = nnc_text_px(below, NNC_TYPE_PLAIN);
    nnc_box box;
    if (!nnc_place_by(places, spot, a > b ? a : b, NNC_PX(two ? 29 : 13), far, &box)) {
        return false;
    }
    const leader to = leader_to(spot, box);
    if (abs(to.x2 - to.x1) + abs(to.y2 - to.y1) > NNC_PX(8)) {
        nnc_svg_line(&canvas->svg, "axis", to.x1, to.y1, to.x2, to.y2);
        nnc_place_take_line(places, to.x1, to.y1, to.x2, to.y2, NNC_PX(1));
    }
    nnc_svg_text(&canvas->svg, two ? "b halo" : "halo", 's', box.x, box.y + NNC_PX(10), line);
    if (two) {
        nnc_svg_text(&canvas->svg, "dim halo", 's', box.x, box.y + NNC_PX(25), below);
    }
    return true;
}

bool nnc_place_row(nnc_px *x, const nnc_px *w, int count, nnc_px from, nnc_px to, nnc_px gap)
{
    for (int i = 0; i < count; i++) { /* to the right, off the one before */
        const nnc_px least = i == 0 ? from : x[i - 1] + w[i - 1] + gap;
        x[i] = x[i] < least ? least : x[i];
    }
    for (int i = count - 1; i >= 0; i--) { /* and back to the left, off the edge */
        const nnc_px most = (i == count - 1 ? to : x[i + 1] - gap) - w[i];
        x[i] = x[i] > most ? most : x[i];
    }
    return count == 0 || x[0] >= from;
}
