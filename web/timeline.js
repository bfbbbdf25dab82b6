// Enlarges the timeline: by its buttons, by Ctrl and the mouse wheel, or by two fingers. The program draws each visible
// part.
import { el, rove } from "./dom.js";

const CLOSEST = 1e-4; // the smallest visible part, as a fraction of the step

// box: element that contains the picture. whole: seconds of the step. draw(from, to): draws a part of the step in box.
export function zoomable(box, whole, draw) {
  let [from, to] = [0, whole];
  const show = (start, length) => {
    const wide = Math.min(Math.max(length, CLOSEST * whole), whole);
    from = Math.min(Math.max(start, 0), whole - wide);
    to = from + wide;
    draw(from, to);
  };
  // Enlarges the picture around a point; this point keeps its position on the screen.
  const zoom = (factor, at = 0.5) => show(from + at * (to - from) * (1 - factor), (to - from) * factor);
  const move = (share) => show(from + share * (to - from), to - from);
  const where = (x) => {
    const row = box.querySelector("rect[fill]").getBoundingClientRect(); // the rectangle of a stage
    return Math.min(Math.max((x - row.left) / row.width, 0), 1);
  };
  const fingers = new Map();
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return [Math.max(Math.abs(a - b), 10), (a + b) / 2];
  };
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, where(event.clientX));
  }, { passive: false });
  box.addEventListener("dblclick", () => show(0, whole));
  box.addEventListener("pointerdown", (event) => event.pointerType === "touch" && fingers.set(event.pointerId, event.clientX));
  box.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = fingers.size === 2 ? apart()[0] : 0;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 2) zoom(before / apart()[0], where(apart()[1]));
  });
  for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, (event) => fingers.delete(event.pointerId));
  const button = (text, name, act) => el("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const bar = el("div", { class: "zoom", role: "toolbar", "aria-label": "Part of the timeline" },
    button("+", "Enlarge", () => zoom(0.5)), button("−", "Shrink", () => zoom(2)), button("←", "Earlier", () => move(-0.5)),
    button("→", "Later", () => move(0.5)), button("whole step", "Whole step", () => show(0, whole)));
  rove(bar, "button");
  return bar;
}
