// A request as a form: an operation, its arguments, and each number of them by itself. SPDX-License-Identifier: Apache-2.0
import { data, element } from "./base.js";
import { textOf } from "./code.js";

const groupTitles = {
  pictures: "Pictures", algebra: "Algebra", making: "Making layouts", coordinates: "Coordinates and sizes", f2: "Linear maps over F2", tensors: "Tensors, tiles, banks",
  atoms: "Atoms", tiled_mma: "Tiled MMA", tiled_copy: "Tiled copy",
};
// What can be chosen where, as lists of the page: thousands of names, made when they are first wanted.
function makeLists({ atoms, fields, types }) {
  if (document.getElementById("list-mma")) return;
  const lists = { mma: atoms.mma, copy: atoms.copy, fields, types, widths: ["8b", "16b", "32b", "64b", "128b", ...atoms.copy.filter((a) => /LDSM|STSM/.test(a))], orders: ["LayoutLeft", "LayoutRight"] };
  for (const [name, all] of Object.entries(lists))
    document.body.append(element("datalist", { id: `list-${name}` }, ...all.map((value) => element("option", { value }))));
}
function listFor(operation, { name, kinds }) {
  if (name === "ATOM" || (name === "NAME" && operation === "mma_atom")) return "list-mma";
  if (name === "COPY" || (name === "NAME" && operation === "copy_atom")) return "list-copy";
  if (name === "FIELD") return "list-fields";
  if (name === "TYPE") return "list-types";
  if (kinds.includes("width")) return "list-widths";
  return kinds === "order" ? "list-orders" : null;
}

// `A:layout [n:integer]...`: the ways to give arguments.
function waysOf(text) {
  const parameter = (word) => {
    const [, open, name, kinds, repeated] = /^(\[?)([^:]*):([^\].]*)\]?(\.\.\.)?$/.exec(word);
    return { name: name.split("|")[0], kinds, optional: open === "[", repeated: Boolean(repeated) };
  };
  return text.split(", ").map((way) => way.split(" ").map(parameter));
}
const isSwizzle = (text) => /^Sw<[^>]*>$/.test(text);
function wayFor(text, args) {
  const fits = (way) => way.filter((p) => !p.optional).length <= args.length && (args.length <= way.length || way.at(-1).repeated);
  const starts = (way) => !way[0].kinds.includes("swizzle") === !isSwizzle(args[0] ?? "");
  const ways = waysOf(text);
  return ways.find((way) => fits(way) && starts(way)) ?? ways.find(fits) ?? ways[0];
}

// ---- the numbers of a value ----

// Rows of paths to the integers of a value, each with a name.
function rowsOf(tree, path = [], name = "value") {
  const paths = (t, p) => (typeof t === "string" ? [p] : Array.isArray(t) ? t.flatMap((x, k) => paths(x, [...p, k])) : []);
  const row = (key, title) => ({ name: title, paths: paths(tree[key], [...path, key]) });
  if (typeof tree === "string" || Array.isArray(tree)) return [{ name, paths: paths(tree, path) }];
  if (tree.shape !== undefined) return [row("shape", "shape"), row("stride", "stride")];
  if (tree.swizzle) return [row("swizzle", "B, M, S")];
  if (tree.f2) return [row("f2", "bits, bases")];
  if (tree.composed) return tree.composed.flatMap((x, k) => rowsOf(x, [...path, "composed", k], "offset"));
  return (tree.tiler ?? []).flatMap((x, k) => rowsOf(x, [...path, "tiler", k], "tile").map((r) => ({ ...r, name: `${r.name} ${k}` })));
}
const at = (tree, path) => path.reduce((t, key) => t[key], tree);
function changed(tree, path, value) {
  if (!path.length) return value;
  const copy = structuredClone(tree);
  at(copy, path.slice(0, -1))[path.at(-1)] = value;
  return copy;
}
// With a mode more, behind all others; or one less.
function longer({ shape, stride }) {
  const leaves = (t) => (Array.isArray(t) ? t.flatMap(leaves) : [t]);
  const extents = leaves(shape).map(BigInt);
  const ends = leaves(stride).map((d, k) => (typeof d === "string" ? extents[k] * BigInt(d) : 1n));
  const list = (x) => (Array.isArray(x) ? x : [x]);
  const behind = ends.reduce((a, b) => (a > b ? a : b), 1n);
  return { shape: [...list(shape), "2"], stride: [...list(stride), String(behind)] };
}
function shorter({ shape, stride }) {
  const cut = (x) => (x.length === 2 ? x[0] : x.slice(0, -1));
  return { shape: cut(shape), stride: cut(stride) };
}

// Dragging to the side counts up and down; a click edits.
function draggable(input) {
  let from = null;
  input.addEventListener("pointerdown", (e) => (from = { x: e.clientX, value: Number(input.value), moved: false }));
  input.addEventListener("pointermove", (e) => {
    if (!from || !(e.buttons & 1)) return;
    const by = Math.trunc((e.clientX - from.x) / 10);
    if (!from.moved && !by) return;
    if (!from.moved) input.setPointerCapture(e.pointerId);
    from.moved = true;
    const next = String(Math.max(Number(input.min || -Infinity), from.value + by));
    if (next === input.value) return;
    input.value = next;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  for (const end of ["pointerup", "pointercancel"]) input.addEventListener(end, () => (from = null));
  return input;
}

// ---- the form ----

export class Form {
  #look = null;
  #filled = null;
  #shown = ""; // the arguments that the fields were made for

  // ask(line): the form has another request.
  constructor(ask) {
    this.ask = ask;
    this.operation = element("select", { change: () => this.#choose() });
    this.arguments = element("div.arguments");
    this.form = element("form.build", { submit: (e) => e.preventDefault() }, element("label", {}, "Operation", this.operation), this.arguments);
  }

  #fill(known) {
    this.form.addEventListener("focusin", () => makeLists(known), { once: true });
    this.operations = known.operations;
    this.byName = new Map(known.operations.map((o) => [o.operation, o]));
    for (const [group, title] of Object.entries(groupTitles)) {
      const all = known.operations.filter((o) => o.group === group);
      this.operation.append(element("optgroup", { label: title }, ...all.map((o) => element("option", { value: o.operation }, o.title ?? o.operation))));
    }
    if (this.#look) this.show(this.#look);
  }
  #choose() {
    this.ask(this.byName.get(this.operation.value).example.request);
  }

  // The fields of a request that could be read; whoever types in one keeps it.
  show(look) {
    if (!this.#filled) this.#filled = data().then((known) => this.#fill(known)); // behind the first answer
    if (!look.arguments) return;
    this.#look = look;
    if (!this.byName) return;
    const name = look.operation || (look.fields ? "atom" : look.arguments[0].tree.swizzle ? "swizzle" : "layout");
    this.operation.value = name;
    const known = this.byName.get(name);
    this.tail = look.tail ?? "";
    const texts = look.arguments.map((a) => a.text);
    const way = known ? wayFor(known.arguments, texts) : [];
    const form = `${name} ${look.arguments.map((a) => JSON.stringify(rowsOf(a.tree).map((r) => r.paths.length))).join(" ")} ${way.length}`;
    if (form === this.#shown) return this.#update(look.arguments);
    const typing = this.arguments.contains(document.activeElement) && document.activeElement.dataset.place;
    this.#shown = form;
    this.arguments.replaceChildren(...this.#fields(name, way, look.arguments));
    if (typing) this.arguments.querySelector(`[data-place="${typing}"]`)?.focus();
  }
  #fields(operation, way, given) {
    const count = Math.max(given.length, way.filter((p) => !p.repeated).length);
    return Array.from({ length: count }, (_, k) => {
      const parameter = way[Math.min(k, way.length - 1)] ?? { name: "value", kinds: "" };
      return this.#field(operation, parameter, given[k], k);
    });
  }
  #field(operation, parameter, given, k) {
    const title = parameter.optional && !given ? `${parameter.name} (may be left out)` : parameter.name;
    const input = element("input", { type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", list: listFor(operation, parameter), "data-place": String(k),
      input: () => this.#typed() });
    input.value = given?.text ?? "";
    return element("fieldset", {}, element("legend", {}, title, " ", element("small", {}, parameter.kinds.replaceAll("|", " or "))),
      element("label", {}, element("span.unseen", {}, `${parameter.name} as text`), input), given ? this.#numbers(given.tree, parameter.name, k) : null);
  }
  #numbers(tree, name, k) {
    const rows = rowsOf(tree).filter((row) => row.paths.length && row.paths.length <= 8);
    if (!rows.length) return null;
    const number = (row, path, place) => {
      const input = element("input", { type: "number", step: 1, min: row.name.startsWith("shape") ? 1 : null, "aria-label": `${name} ${row.name} ${place}`,
        "data-place": `${k}/${path.join("/")}`, "data-path": JSON.stringify(path), input: () => this.#counted(k, path, input.value) });
      input.value = at(tree, path);
      return draggable(input);
    };
    const lines = rows.map((row) => element("div.numbers", {}, element("span.row-name", {}, row.name), ...row.paths.map((path, place) => number(row, path, place))));
    if (tree.shape === undefined) return element("div", {}, ...lines);
    const button = (text, label, change) => element("button", { type: "button", "aria-label": label, click: () => this.#replace(k, change(this.#look.arguments[k].tree)) }, text);
    const many = Array.isArray(tree.shape) && tree.shape.length > 1;
    return element("div", {}, ...lines, element("div.numbers", {}, button("+ mode", `a mode more in ${name}`, longer), many ? button("− mode", `a mode less in ${name}`, shorter) : null));
  }
  #update(given) {
    for (const input of this.arguments.querySelectorAll("input")) {
      const [k] = input.dataset.place.split("/");
      if (input === document.activeElement || !given[k]) continue;
      input.value = input.dataset.path ? at(given[k].tree, JSON.parse(input.dataset.path)) : given[k].text;
    }
  }

  #typed() {
    this.#send([...this.arguments.querySelectorAll("input[type=text]")].map((input) => input.value.trim()).filter(Boolean));
  }
  #counted(k, path, value) {
    if (/^-?[0-9]+$/.test(value)) this.#replace(k, changed(this.#look.arguments[k].tree, path, value));
  }
  #replace(k, tree) {
    this.#look.arguments[k] = { text: textOf(tree), tree }; // the next change may come before the answer
    this.#send(this.#look.arguments.map((a) => a.text));
  }
  #send(texts) {
    const operation = this.byName.get(this.operation.value)?.group === "pictures" && !this.byName.get(this.operation.value).form ? "" : this.operation.value;
    this.ask([operation, ...texts].filter(Boolean).join(" ") + this.tail);
  }
}
