// Functions that make elements of the page.
export const $ = (id) => document.getElementById(id);

// Makes an element: el("p", { class: "dim" }, "text", child). An attribute whose name begins with "on" adds a listener.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Makes a group of elements a single stop of the Tab key. The arrow keys, Home and End move inside the group.
export function rove(box, selector) {
  const all = [...box.querySelectorAll(selector)];
  all.forEach((one, i) => one.setAttribute("tabindex", i === 0 ? "0" : "-1"));
  box.addEventListener("keydown", (event) => {
    const at = all.indexOf(event.target.closest(selector));
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : at + step;
    if (at < 0 || !(to >= 0) || to >= all.length) return;
    event.preventDefault();
    all[at].setAttribute("tabindex", "-1");
    all[to].setAttribute("tabindex", "0");
    all[to].focus();
  });
}

// Makes elements from a picture (SVG) of the program. Keyboard and pointer reach every mark that has a tooltip.
export function picture(text) {
  const bare = text.replace(/<style>[^]*?<\/style>/, ""); // the style sheet of the page replaces it
  const parsed = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  if (parsed.localName !== "svg") return el("pre", {}, text);
  const svg = document.importNode(parsed, true);
  const marks = [...svg.querySelectorAll("g")].filter((g) => g.firstElementChild?.localName === "title");
  if (marks.length === 0) return svg;
  svg.setAttribute("role", "group");
  for (const mark of marks) {
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", mark.firstElementChild.textContent);
    mark.dataset.tip = mark.firstElementChild.textContent;
    mark.firstElementChild.remove(); // the page shows the tooltip, also for the keyboard
    mark.classList.add("spot");
  }
  rove(svg, ".spot");
  return svg;
}

// Reports the mark that has the pointer or the focus, and highlights this mark in every picture.
export function tooltips(tip) {
  const show = (event) => {
    const mark = event.target.closest?.("[data-tip]");
    document.querySelectorAll(".lit").forEach((one) => one.classList.remove("lit"));
    const key = event.target.closest?.("[data-key]")?.dataset.key;
    if (key) document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`).forEach((one) => one.classList.add("lit"));
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    const left = Math.min(Math.max(box.left + box.width / 2 - tip.offsetWidth / 2, 4), innerWidth - tip.offsetWidth - 4);
    const above = box.top - tip.offsetHeight - 6;
    tip.style.setProperty("left", `${Math.max(left, 4) + scrollX}px`);
    tip.style.setProperty("top", `${(above > 0 ? above : box.bottom + 6) + scrollY}px`);
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
}
