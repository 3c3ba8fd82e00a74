// A picture of the tool's in which one can point at cells, by pointer or by keyboard. SPDX-License-Identifier: Apache-2.0
import { download, element } from "./base.js";

const svgSpace = "http://www.w3.org/2000/svg";

export class Picture {
  cells = []; // {panel, row, column, index, label, value, owner}
  values = new Map(); // the value at an index
  #byIndex = new Map();
  #byOwner = new Map();
  #places = []; // of the panels
  #marks = null;
  #at = null; // the cell under the keyboard

  // on.point(picture, cell or null), on.pin(picture, cell).
  constructor(name, caption, on) {
    this.name = name;
    this.on = on;
    this.paper = element("div.paper", { tabindex: 0, role: "application", "aria-roledescription": "picture" });
    this.readout = element("p.readout", {}, "\u00a0");
    this.spoken = element("p.unseen", { "aria-live": "polite" });
    const save = element("span.save", {},
      element("button", { type: "button", click: () => this.saveSvg() }, "SVG"),
      element("button", { type: "button", click: () => this.savePng() }, "PNG"));
    this.caption = element("span", {}, caption);
    this.figure = element("figure.picture", {}, element("figcaption", {}, this.caption, save), this.paper, this.readout, this.spoken);
    this.paper.addEventListener("pointermove", (e) => this.on.point(this, this.#under(e)));
    this.paper.addEventListener("pointerleave", () => this.on.point(this, null));
    this.paper.addEventListener("click", (e) => this.on.pin(this, this.#under(e)));
    this.paper.addEventListener("keydown", (e) => this.#key(e));
    this.paper.addEventListener("blur", () => this.on.point(this, null));
  }

  show(drawing) {
    this.drawing = drawing;
    this.paper.innerHTML = drawing.svg;
    this.paper.setAttribute("aria-label", `${drawing.title}. Arrow keys, Home and End go from cell to cell, Enter pins.`);
    const svg = this.paper.firstElementChild;
    svg.setAttribute("aria-hidden", "true");
    svg.style.width = `${this.width / 16}rem`;
    svg.style.minWidth = `${0.7 * this.width}px`; // smaller nobody can read it: then it scrolls
    this.#marks = svg.appendChild(document.createElementNS(svgSpace, "g"));
    this.#read(drawing);
    this.#at = null;
    this.readout.textContent = "\u00a0";
  }
  // Where not all is seen, the uppermost panel is.
  seek() {
    const top = this.#places.toSorted((a, b) => a.y - b.y)[0];
    this.paper.scrollLeft = top.x * (this.paper.firstElementChild.clientWidth / this.width) - 60;
  }
  #read({ panels, owners }) {
    this.cells = [];
    for (const map of [this.values, this.#byIndex, this.#byOwner]) map.clear();
    this.#places = panels;
    panels.forEach((panel, p) => {
      panel.begin = this.cells.length;
      panel.labels.forEach((label, k) => {
        const row = Math.floor(k / panel.columns), column = k % panel.columns;
        const index = panel.first + (panel.transposed ? column + row * panel.columns : row + column * panel.rows);
        const value = label.split("\n", 1)[0];
        const cell = { panel: p, row, column, index, label, value, owner: owners[panel.held[k]] };
        this.cells.push(cell);
        if (!label) return;
        this.values.set(index, value);
        this.#file(this.#byIndex, index, cell);
        this.#file(this.#byOwner, cell.owner, cell);
      });
    });
  }

  #file(map, key, cell) {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(cell);
  }
  at(index) {
    return this.#byIndex.get(index) ?? [];
  }
  of(owner) {
    return this.#byOwner.get(owner) ?? [];
  }

  // Lights these cells and dims all else; with none nothing is dimmed.
  mark(wanted, pinned) {
    const chosen = wanted.length ? new Set(wanted) : null;
    this.#marks?.replaceChildren();
    if (!chosen) return;
    const rectangle = ({ x, y, width, height }, row, column, rows, columns) =>
      `M${x + column * width} ${y + row * height}h${columns * width}v${rows * height}h-${columns * width}z`;
    const cells = [...chosen].map((c) => rectangle(this.#places[c.panel], c.row, c.column, 1, 1)).join("");
    const whole = this.#places.map((p) => rectangle(p, 0, 0, p.rows, p.columns)).join("");
    this.#add("veil", whole + cells);
    this.#add(pinned ? "lit pinned" : "lit", cells);
  }
  #add(look, d) {
    const path = document.createElementNS(svgSpace, "path");
    path.setAttribute("class", look);
    path.setAttribute("d", d);
    this.#marks.append(path);
  }

  get width() {
    return Number(this.paper.firstElementChild?.getAttribute("width") ?? 0);
  }
  describe(cell) {
    const panel = this.#places[cell.panel];
    const said = [panel.title && !panel.title.startsWith("=") ? panel.title : "", `row ${panel.row_names[cell.row]}`,
      `column ${panel.column_names[cell.column]}`, cell.label];
    return said.filter(Boolean).join(", ").replaceAll("\n", " ");
  }
  tell(text) {
    this.readout.textContent = text || "\u00a0";
  }
  say(text) {
    this.spoken.textContent = text;
  }

  #under(event) {
    const svg = this.paper.firstElementChild;
    const matrix = svg?.getScreenCTM?.();
    if (!matrix) return null;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    for (const panel of this.#places) {
      const column = Math.floor((x - panel.x) / panel.width), row = Math.floor((y - panel.y) / panel.height);
      if (column >= 0 && row >= 0 && column < panel.columns && row < panel.rows) return this.#cell(panel, row, column);
    }
    return null;
  }
  #cell(panel, row, column) {
    const cell = this.cells[panel.begin + row * panel.columns + column];
    return cell.label ? cell : null;
  }

  #key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    const ends = { Home: this.cells.find((c) => c.label), End: this.cells.findLast((c) => c.label) };
    if (!step && !["Enter", " ", "Escape", ...Object.keys(ends)].includes(event.key)) return;
    if (!this.#places.length) return;
    event.preventDefault();
    if (event.key === "Escape") this.#at = null;
    else if (step) this.#at = this.#beside(step);
    else this.#at = ends[event.key] ?? this.#at;
    if (step || ends[event.key] || event.key === "Escape") this.on.point(this, this.#at, true);
    else if (this.#at) this.on.pin(this, this.#at);
  }
  // The next cell that is not empty, over the edge into the next panel.
  #beside([down, right]) {
    if (!this.#at) return this.cells.find((c) => c.label) ?? null;
    let { panel: p, row, column } = this.#at;
    for (;;) {
      const panel = this.#places[p];
      row += down;
      column += right;
      if (row < 0 || column < 0 || row >= panel.rows || column >= panel.columns) {
        p += down + right;
        if (!this.#places[p]) return this.#at;
        const next = this.#places[p];
        row = down > 0 ? 0 : down < 0 ? next.rows - 1 : Math.min(row, next.rows - 1);
        column = right > 0 ? 0 : right < 0 ? next.columns - 1 : Math.min(column, next.columns - 1);
      }
      const cell = this.#cell(this.#places[p], row, column);
      if (cell) return cell;
    }
  }

  fileName(ending) {
    return `${this.drawing.title.replace(/[^A-Za-z0-9]+/g, "_").slice(0, 60)}.${ending}`;
  }
  svgBlob() {
    return new Blob([this.drawing.svg], { type: "image/svg+xml" });
  }
  saveSvg() {
    download(this.fileName("svg"), this.svgBlob());
  }
  async pngBlob() {
    const url = URL.createObjectURL(this.svgBlob());
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }
  async savePng() {
    download(this.fileName("png"), await this.pngBlob());
  }
}
