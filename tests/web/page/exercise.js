// An exercise of the book: its question, and whether what the reader asks, or says, is right. A link holds it behind the request.
// SPDX-License-Identifier: Apache-2.0
import { element } from "./base.js";

const sign = "exercise=";
const spelled = (text) => text.replace(/\s/g, "");
const answerOf = ({ status, shown }) => spelled(status === "answered" ? shown : status);

export const isExercise = (part) => part.startsWith(sign);

// What chapter.py wrote: the question, a note for whoever has solved it, and the answer that the request is to have. Without
// that the reader says what the answer is, before it is seen.
function read(part) {
  try {
    const bytes = Uint8Array.from(atob(part.slice(sign.length)), (c) => c.charCodeAt(0));
    const { question, note, wanted } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof question === "string" ? { question, note, wanted } : null;
  } catch {
    return null; // a link that was cut
  }
}

export class Exercise {
  part = "";
  #exercise = null;
  #answer = null; // to what the page asks now

  // board: what shows the questions; closed(): the reader has done with it.
  constructor(board, closed) {
    this.board = board;
    this.question = element("p");
    this.guess = element("input", { type: "text", placeholder: "undefined, if there is none", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    this.form = element("form", { submit: (e) => (e.preventDefault(), this.#judge(this.guess.value)) }, element("label", {}, "Your answer ", this.guess),
      element("button", {}, "Check"), element("button", { type: "button", click: () => this.#reveal() }, "Show the answer"));
    this.said = element("output", { "aria-live": "polite" });
    const close = element("button", { type: "button", click: () => (this.show(""), closed()) }, "Close");
    this.root = element("section.exercise.panel", { "aria-label": "Exercise", hidden: true }, this.question, this.form, this.said, close);
    board.before(this.root);
  }

  show(part) {
    if (part === this.part) return;
    this.part = part;
    this.#exercise = read(part);
    this.#answer = null;
    this.guess.value = "";
    this.root.hidden = !part;
    this.question.textContent = this.#exercise?.question ?? "This link holds an exercise that cannot be read.";
    this.form.hidden = !this.#exercise || this.#exercise.wanted !== undefined;
    this.board.classList.toggle("guessing", !this.form.hidden && !this.root.hidden);
    this.#say("", "");
  }
  // The page has an answer to the request.
  heard(look) {
    this.#answer = answerOf(look);
    if (this.#exercise?.wanted !== undefined) this.#judge(this.#answer);
  }

  #judge(said) {
    if (!this.#exercise || this.#answer === null || !said) return;
    const { wanted, note } = this.#exercise;
    const right = spelled(said) === spelled(wanted ?? this.#answer);
    if (right) this.board.classList.remove("guessing");
    if (right) this.#say("right", `Right${note ? `: ${note}` : ""}.`);
    else this.#say("not-yet", wanted === undefined ? "Not yet: the answer is another." : "Not yet: change the request until it answers the question.");
  }
  #reveal() {
    this.board.classList.remove("guessing");
    this.#say("", this.#exercise.note ?? "");
  }
  #say(kind, text) {
    this.said.className = kind;
    this.said.textContent = text;
  }
}
