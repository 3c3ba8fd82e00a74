// Names offered below a request while one is typed: operations, atoms and types, and laws, each of which stands for a case of its
// own. The arrow keys choose, Enter or Tab takes, Escape puts away. SPDX-License-Identifier: Apache-2.0
import { data, element } from "./base.js";

const most = 8;
const least = 2; // letters before anything is offered

// What begins with the word goes before what contains it. Operations and laws stand at the beginning of a request only.
function offersFor(word, isFirst, { operations, atoms, types, laws }) {
  const named = (kind, names) => names.map((name) => ({ kind, name, text: name }));
  const first = [...named("operation", operations.filter((o) => o.group !== "pictures" || o.form).map((o) => o.operation)),
    ...Object.entries(laws).map(([name, request]) => ({ kind: "law", name, text: request }))];
  const all = [...(isFirst ? first : named("type", types)), ...named("atom", [...atoms.mma, ...atoms.copy])];
  const place = ({ name }) => name.toLowerCase().indexOf(word.toLowerCase());
  const fits = all.filter((offer) => place(offer) >= 0 && offer.name !== word);
  return [...fits.filter((o) => place(o) === 0), ...fits.filter((o) => place(o) > 0)].slice(0, most);
}

export class Completion {
  #offers = [];
  #chosen = -1;
  #begin = 0;

  // taken(text): the field's line is this one now.
  constructor(field, taken) {
    this.field = field;
    this.taken = taken;
    this.list = element("ul.offers", { id: `${field.id}-offers`, role: "listbox", "aria-label": "Names", hidden: true });
    for (const [name, value] of [["aria-autocomplete", "list"], ["aria-controls", this.list.id]]) field.setAttribute(name, value);
    field.addEventListener("input", () => data().then((known) => this.#offer(known)));
    field.addEventListener("keydown", (e) => this.#key(e));
    field.addEventListener("blur", () => this.close());
  }

  close() {
    this.#show([]);
  }

  #offer(known) {
    const before = this.field.value.slice(0, this.field.selectionStart);
    const word = /[A-Za-z_][\w<>]*$/.exec(before)?.[0] ?? "";
    this.#begin = before.length - word.length;
    const isOpen = document.activeElement === this.field && word.length >= least;
    this.#show(isOpen ? offersFor(word, !before.slice(0, this.#begin).trim(), known) : []);
  }
  #show(offers) {
    this.#offers = offers;
    this.list.hidden = !offers.length;
    this.list.replaceChildren(...offers.map((offer, k) => element("li", { id: `${this.list.id}-${k}`, role: "option", "aria-selected": "false",
      pointerdown: (e) => (e.preventDefault(), this.#take(k)) }, element("code", {}, offer.name), element("small", {}, offer.kind))));
    this.#choose(-1);
  }
  #choose(k) {
    this.#chosen = k;
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === k)));
    if (k < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", this.list.children[k].id);
  }
  #take(k) {
    const { kind, text } = this.#offers[k];
    const end = this.field.value.slice(this.#begin).search(/[^\w<>]|$/) + this.#begin;
    const rest = kind === "law" ? "" : this.field.value.slice(end);
    const gap = kind === "operation" && !rest.startsWith(" ") ? " " : "";
    const line = this.field.value.slice(0, this.#begin) + text + gap + rest;
    this.close();
    this.taken(line);
    const at = line.length - rest.length;
    this.field.setSelectionRange(at, at);
  }
  #key(event) {
    if (!this.#offers.length) return;
    const count = this.#offers.length;
    if (event.key === "ArrowDown") this.#choose((this.#chosen + 1) % count);
    else if (event.key === "ArrowUp") this.#choose((Math.max(this.#chosen, 0) + count - 1) % count);
    else if (event.key === "Escape") this.close();
    else if (event.key === "Tab" || (event.key === "Enter" && this.#chosen >= 0)) this.#take(Math.max(this.#chosen, 0));
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
