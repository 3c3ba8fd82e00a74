// One question: its line, the answer, the pictures, the steps, the elements, and what of them belongs together.
// SPDX-License-Identifier: Apache-2.0
import { data, element, question } from "./base.js";
import { caseLine, command, cpp, python } from "./code.js";
import { Completion } from "./complete.js";
import { Engine } from "./engine.js";
import { Form } from "./form.js";
import { sizeOf, together, wholeOf } from "./link.js";
import { others } from "./others.js";
import { Picture } from "./picture.js";
import { blocksOf, tableOf } from "./table.js";

const mostDrawn = 4096; // cells of an argument
const mostBeside = 1024; // of a tensor beside everybody's picture
const broad = 560; // pixels of a picture that wants the room of the steps

const isDrawn = ({ shape, composed }, most = mostDrawn) => sizeOf(shape ?? composed?.at(-1).shape ?? "Infinity") <= most;
const optionsOf = (line) => (line.includes(" --") ? line.slice(line.indexOf(" --")) : "");
// Which arguments are drawn, and the names of their pictures.
function placesOfLayouts({ operation, arguments: args }) {
  if (!operation || /^(tiled_|partition_)/.test(operation)) return [];
  return [...args.keys()].filter((k) => isDrawn(args[k].tree)).slice(0, 3).map((k, n) => ["ABD"[n], k]);
}
function placeOfTensor({ operation, arguments: args }) {
  const place = operation.startsWith("local_") ? 0 : args.length - 2;
  return isDrawn(args[place].tree, mostBeside) ? [["A", place]] : [];
}
const banksOf = ({ operation, arguments: args }) => (operation === "bank_conflict_phases" ? ` --banks ${parseInt(args[1].text)}` : "");
// The place of byte `column` in the text.
const placeIn = (text, column) => new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, column)).length;

export class Question {
  look = null;
  pictures = new Map();
  #rows = []; // of the table of elements: {index, name, element}
  #places = new Map(); // of the arguments that are drawn, by the names of their pictures
  #steps = []; // {values, element, where}
  #links = null;
  #pinned = null;

  // on.changed(question): it asks something else; on.answered(question, look); on.settled(question): the reader has done typing.
  constructor(name, on) {
    this.on = on;
    this.#build(name);
    this.engine = new Engine((what, answer) => this.#heard(what, answer), (why) => this.#ended(why));
    this.form = new Form((line) => this.ask(line));
    this.build.append(this.form.form);
  }

  get line() {
    return this.field.value;
  }

  // ---- asking ----

  ask(line) {
    if (this.field.value !== line) this.field.value = line;
    this.#fit();
    this.#unpin();
    this.root.setAttribute("aria-busy", "true");
    const asked = line.trim();
    if (asked) this.engine.ask([{ name: "look", kind: "look", line: asked }]);
    else this.#empty();
    this.on.changed(this);
  }
  #heard(what, answer) {
    if (what !== "look") return this.#draw(what, answer);
    answer.tail = optionsOf(this.line);
    this.#show(answer);
    if (answer.status !== "malformed") this.engine.askMore([{ name: "C", kind: "draw", line: this.line.includes("?") ? answer.read : this.line.trim() }, ...this.#arguments(answer)]);
    this.root.setAttribute("aria-busy", "false");
    this.root.dataset.answered = this.line;
    this.on.answered(this, answer);
  }
  #ended(why) {
    this.#say("ended", why);
    this.root.setAttribute("aria-busy", "false");
  }
  #empty() {
    this.engine.ask([]);
    this.#say("quiet", "Ask something: an operation with its arguments, a layout, an atom.");
    this.#mark(null);
    this.root.setAttribute("aria-busy", "false");
  }
  // What else is to be drawn: the arguments, or the tensor and everybody's picture.
  #arguments(look) {
    const whole = look.operation && look.status !== "drawn" ? wholeOf(look) : null;
    this.#places = new Map(whole ? placeOfTensor(look) : placesOfLayouts(look));
    const tasks = [...this.#places].map(([name, place]) => ({ name, kind: "draw", line: look.arguments[place].text + banksOf(look) }));
    if (whole) tasks.unshift({ name: "whole", kind: "draw", line: whole });
    for (const name of ["A", "B", "D", "whole"]) if (!tasks.some((task) => task.name === name)) this.#remove(name);
    return tasks;
  }

  // ---- showing ----

  #build(name) {
    this.field = element("textarea", { id: `line-${name}`, rows: 1, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-describedby": `verdict-${name}`,
      placeholder: "composition (6,2):(8,2) (4,3):(3,1)", input: () => this.ask(this.line),
      scroll: () => (this.under.scrollTop = this.field.scrollTop), blur: () => this.on.settled(this) });
    this.completion = new Completion(this.field, (line) => this.ask(line));
    this.field.addEventListener("keydown", (e) => e.key === "Enter" && (e.preventDefault(), this.on.settled(this)));
    this.under = element("div.under", { "aria-hidden": "true" });
    this.verdict = element("output.verdict", { id: `verdict-${name}`, for: `line-${name}`, "aria-live": "polite" });
    this.copies = element("div.copies", { role: "group", "aria-label": "Copy as" });
    this.build = element("details.panel", { open: matchMedia("(min-width: 60rem)").matches }, element("summary", {}, "Form"));
    this.drawn = element("div.pictures");
    this.note = element("p.quiet");
    this.pin = element("button.pin", { type: "button", hidden: true, click: () => this.#unpin() });
    this.told = element("div.parts");
    this.said = element("section.others.panel", { hidden: true });
    this.column = element("div.told", {}, this.told, this.said);
    this.root = element("section.question", { "aria-label": `Question ${name}`, keydown: (e) => e.key === "Escape" && this.#unpin() },
      element("div.ask", {}, element("label", { for: `line-${name}` }, "Request"), element("div.field", {}, this.under, this.field, this.completion.list)), this.verdict, this.copies,
      element("div.body", {}, element("div.side", {}, this.build), element("div.see", {}, this.pin, this.note, this.drawn), this.column));
  }
  // As high as its lines.
  #fit() {
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
  }

  #say(kind, ...what) {
    this.verdict.className = `verdict ${kind}`;
    this.verdict.replaceChildren(...what);
  }
  // Underlines what begins at a place of the line.
  #mark(column) {
    this.field.setAttribute("aria-invalid", String(column !== null));
    if (column === null) return this.under.replaceChildren();
    const at = Math.min(placeIn(this.line, column), this.line.length);
    const word = /^[\w@]+|^./u.exec(this.line.slice(at))?.[0] ?? " ";
    this.under.replaceChildren(this.line.slice(0, at), element("mark", {}, word), this.line.slice(at + word.length));
  }

  #show(look) {
    const wrong = look.status === "malformed";
    this.root.classList.toggle("stale", wrong);
    this.#mark(wrong ? look.column + this.line.length - this.line.trimStart().length : null);
    this.form.show(look);
    if (wrong) return this.#say("malformed", `Column ${look.column + 1}: ${look.reason}`);
    this.look = look;
    this.note.textContent = "";
    this.#say(look.status, ...this.#verdict(look));
    this.#offer(look);
    this.#tell(look);
    data().then((known) => this.look === look && this.#compare(look, known));
  }
  #verdict({ status, shown, reason, read, fields, tail }) {
    const spelled = (text) => text.replace(/\s/g, "");
    const other = read && spelled(read) !== spelled(this.line.replace(tail, "")) ? [element("small.read", {}, "read as ", element("code", {}, read))] : [];
    if (status === "answered") return [element("span.equals", {}, "="), element("code", {}, shown), ...other];
    if (status !== "drawn") return [element("span.badge", {}, status), element("span", {}, reason ?? ""), ...other];
    return fields ? [element("dl.fields", {}, ...fields.flatMap((f) => [element("dt", {}, question(f.request, f.request.split(" ").at(-1))), element("dd", {}, element("code", {}, f.result))]))] : other;
  }

  // What can be copied.
  #offer(look) {
    const line = this.line.trim();
    const ways = [["Link", () => location.href.split("#")[0] + "#" + encodeURIComponent(line)], ["Case", () => caseLine(look)], ["Command", () => command(line, look)],
      ["C++", () => cpp(look)], ["Python", () => python(line, look)]];
    this.copies.replaceChildren(element("span.quiet", {}, "Copy"), ...ways.map(([name, make]) => {
      const none = look.arguments ? make() === null : name !== "Link";
      return element("button", { type: "button", disabled: none, title: none ? "There is none" : null, click: (e) => this.#copy(e.target, make()) }, name);
    }));
  }
  async #copy(button, text) {
    const name = button.textContent;
    this.copied = text;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      prompt("Copy this", text); // a browser that lets no page copy
    }
    setTimeout(() => (button.textContent = name), 1200);
  }

  // Steps, definition, elements, why there is no answer.
  #tell(look) {
    this.#steps = [];
    this.#rows = [];
    const parts = [this.#toldSteps(look), this.#toldElements(look), this.#toldRefusal(look)].filter(Boolean);
    this.told.replaceChildren(...parts);
    this.told.hidden = !parts.length;
    this.column.hidden = this.told.hidden && this.said.hidden;
  }
  #toldSteps({ steps = [], definition }) {
    if (!steps.length && !definition) return null;
    const items = steps.map(({ name, why, result, values }) => {
      const where = element("span.where");
      const item = element("li", {}, element("b", {}, name), " ", where, element("div", {}, element("code", {}, result)), element("p.quiet", {}, why));
      this.#steps.push({ values, element: item, where });
      return item;
    });
    return element("section.panel", {}, element("h2", {}, steps.length ? "Steps" : "What it is"), steps.length ? element("ol.steps", {}, ...items) : element("p", {}, definition.replaceAll("\n", " ")));
  }
  #toldElements({ elements }) {
    const [{ text } = {}, table] = blocksOf(elements ?? "");
    if (!table) return null;
    const made = tableOf(table, text.replace(/:$/, ""));
    this.#follow(made, table.rows, this.look.operation === "solve_composition_left" ? "A" : "C");
    return element("section.panel", {}, element("h2", {}, "Elements"), element("div.wide", { tabindex: 0, role: "region", "aria-label": "Elements" }, made));
  }
  #toldRefusal({ refusal }) {
    if (!refusal) return null;
    const parts = blocksOf(refusal).map((block) => {
      if (block.text) return element("p", {}, block.text);
      const made = tableOf(block, "Values up to the first that no layout has", (k) => k === block.rows.length - 1);
      if (block.columns[0] === "i") this.#follow(made, block.rows, "B");
      return element("div.wide", { tabindex: 0, role: "region", "aria-label": "Values" }, made);
    });
    return element("section.panel", {}, element("h2", {}, "Why there is none"), ...parts);
  }
  // The rows of a table go with the indices of a picture, by pointer and by arrow keys.
  #follow(table, rows, name) {
    const all = [...table.tBodies[0].rows];
    const cellOf = (k) => this.pictures.get(name)?.at(Number(rows[k][0]))[0] ?? null;
    const point = (k, aloud) => this.#point(this.pictures.get(name), k === null ? null : cellOf(k), aloud);
    all.forEach((row, k) => {
      this.#rows.push({ index: Number(rows[k][0]), name, element: row });
      row.tabIndex = k ? -1 : 0;
      const on = {
        pointerenter: () => point(k), pointerleave: () => point(null), focus: () => point(k, true), blur: () => point(null),
        keydown: (e) => {
          const next = { ArrowDown: all[k + 1], ArrowUp: all[k - 1], Home: all[0], End: all.at(-1) }[e.key];
          if (next) e.preventDefault(), next.focus();
          else if (e.key === "Enter" && cellOf(k)) this.#pin(this.pictures.get(name), cellOf(k));
        },
      };
      for (const [what, f] of Object.entries(on)) row.addEventListener(what, f);
    });
  }
  #compare(look, known) {
    const parts = others(look, known);
    this.said.replaceChildren(...(parts.length ? [element("h2", {}, "What others say"), ...parts] : []));
    this.said.hidden = !parts.length;
    this.column.hidden = this.told.hidden && this.said.hidden;
    this.#captions(known);
  }
  // The names that the operation gives its arguments.
  #captions({ operations }) {
    const names = operations.find((o) => o.operation === this.look.operation)?.arguments.split(", ")[0].split(" ").map((word) => /^\[?([^|:]*)/.exec(word)[1]);
    for (const [name, place] of this.#places)
      if (this.pictures.has(name)) this.pictures.get(name).caption.textContent = names?.[place] ?? name;
  }

  // ---- pictures ----

  #draw(name, drawing) {
    this.#links = null;
    if (drawing.status !== "drawn") return this.#undrawn(name, drawing);
    const captions = { C: this.look?.operation ? "Answer" : "", whole: "Who has what" };
    if (!this.pictures.has(name)) {
      const picture = new Picture(name, captions[name] ?? name, { point: (p, cell, aloud) => this.#point(p, cell, aloud), pin: (p, cell) => this.#pin(p, cell) });
      this.pictures.set(name, picture);
    }
    const picture = this.pictures.get(name);
    picture.show(drawing);
    this.#arrange();
    picture.seek();
    if (name === "C") picture.caption.textContent = captions.C;
    data().then((known) => this.look && this.#captions(known));
  }
  #undrawn(name, drawing) {
    this.#remove(name);
    const { status, column = 0, reason } = drawing;
    if (name === "C" && this.look?.elements && status === "not drawn") this.note.textContent = `No picture: ${reason}.`;
    if (name !== "C" || !this.look || this.look.status !== "drawn") return;
    if (status === "malformed") this.#mark(column);
    this.#say(status === "malformed" ? "malformed" : "undefined", status === "malformed" ? `Column ${column + 1}: ${reason}` : `${status}: ${reason}`);
  }
  #remove(name) {
    this.#links = null;
    this.pictures.get(name)?.figure.remove();
    if (this.pictures.delete(name)) this.#arrange();
  }
  #arrange() {
    const order = ["whole", "C", "A", "B", "D"].map((name) => this.pictures.get(name)?.figure).filter(Boolean);
    const has = [...this.drawn.children];
    if (order.length !== has.length || order.some((figure, k) => figure !== has[k])) {
      this.drawn.replaceChildren(...order);
      for (const picture of this.pictures.values()) picture.seek();
    }
    this.root.classList.toggle("broad", [...this.pictures.values()].some((p) => p.width > broad));
  }

  // ---- what belongs together ----

  // The cells of each picture that go with one of them: of everybody's picture all that he holds, and the very element elsewhere.
  #with(picture, cell) {
    this.#links ??= { rows: together(this.look, this.pictures) };
    const { rows } = this.#links;
    const mine = picture.name === "whole" ? picture.of(cell.owner) : [cell];
    const rowsOf = (cells) => rows?.filter((row) => row[picture.name]?.some((c) => cells.includes(c))) ?? [];
    const [exact, shared] = [rowsOf([cell]), rowsOf(mine)];
    const cells = (p) => {
      if (!exact.length) return p === picture || !rows ? p.of(cell.owner) : [];
      return [...new Set((p.name === "A" ? shared : exact).flatMap((row) => row[p.name] ?? []).concat(p === picture ? mine : []))];
    };
    return new Map([...this.pictures.values()].map((p) => [p, cells(p)]));
  }
  #point(picture, cell, aloud = false) {
    if (this.#pinned || !picture) return;
    this.#light(picture, cell, aloud);
  }
  #light(picture, cell, aloud = false) {
    const marked = cell ? this.#with(picture, cell) : new Map([...this.pictures.values()].map((p) => [p, []]));
    const told = (p, cells) => {
      const [first] = p === picture && cell ? [cell] : cells;
      return first ? p.describe(first) + (cells.length > 1 ? ` (one of ${cells.length})` : "") : "";
    };
    for (const [p, cells] of marked) {
      p.mark(cells, Boolean(this.#pinned));
      p.tell(told(p, cells));
    }
    this.#lightRows(marked);
    const steps = this.#lightSteps(cell, marked);
    const others = [...marked].filter(([p, cells]) => p !== picture && cells.length).map(([p, cells]) => `In ${p.caption.textContent}: ${told(p, cells)}`);
    if (aloud) picture.say(cell ? [told(picture, marked.get(picture)), ...others, ...steps].join(". ") : "");
  }
  #lightRows(marked) {
    const lit = new Set([...marked].flatMap(([p, cells]) => cells.map((c) => `${p.name} ${c.index}`)));
    for (const row of this.#rows) row.element.classList.toggle("lit", lit.has(`${row.name} ${row.index}`));
  }
  // The steps whose layout takes the value, and where; what of that is to be said.
  #lightSteps(cell, marked) {
    const [inAnswer, inA] = ["C", "A"].map((name) => marked.get(this.pictures.get(name))?.find((c) => c.value));
    const answer = cell && (inAnswer ?? inA ?? cell);
    return this.#steps.flatMap((step, k) => {
      const at = answer ? step.values.indexOf(answer.value) : -1;
      step.element.classList.toggle("lit", at >= 0);
      step.where.textContent = at >= 0 ? `${answer.value} at ${at}` : "";
      return at >= 0 ? [`Step ${k + 1} has ${step.where.textContent}`] : [];
    });
  }
  #pin(picture, cell) {
    const same = this.#pinned?.picture === picture && this.#pinned?.cell === cell;
    this.#unpin();
    if (!cell || same) return;
    this.#pinned = { picture, cell };
    this.#light(picture, cell, true);
    this.pin.hidden = false;
    this.pin.textContent = `Pinned: ${/^T\d/.test(cell.owner) ? cell.owner : cell.value} ×`;
    this.pin.setAttribute("aria-label", `Unpin ${cell.owner}`);
  }
  #unpin() {
    if (!this.#pinned) return;
    const { picture } = this.#pinned;
    this.#pinned = null;
    this.pin.hidden = true;
    this.#light(picture, null);
  }
}
