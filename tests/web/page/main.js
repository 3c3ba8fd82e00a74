// The page: one question or two beside each other, an exercise, the link that holds them, and what was asked before.
// SPDX-License-Identifier: Apache-2.0
import { element, kept, question } from "./base.js";
import { Exercise, isExercise } from "./exercise.js";
import { Question } from "./question.js";

const first = "composition (6,2):(8,2) (4,3):(3,1)";
const mostKept = 100;
const board = document.getElementById("questions");
const twice = document.getElementById("twice");
const past = document.getElementById("past");
const questions = [];
const exercise = new Exercise(board, () => on.changed());

// ---- the link: #REQUEST, or #REQUEST&REQUEST for two; &exercise=... behind them ----

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a hand-written link, with a lone %
  }
}
const partsOfLink = () => location.hash.slice(1).split("&").map(decoded).filter(Boolean);
const link = () => "#" + [...questions.map((q) => q.line.trim()), exercise.part].filter(Boolean).map(encodeURIComponent).join("&");

function follow() {
  const parts = partsOfLink();
  const lines = parts.filter((part) => !isExercise(part));
  exercise.show(parts.find(isExercise) ?? "");
  beside(lines.length > 1);
  (lines.length ? lines : [questions[0].line || first]).slice(0, questions.length).forEach((line, k) => {
    if (questions[k].line !== line) questions[k].ask(line);
  });
}

// ---- the questions ----

function show() {
  if (link() !== location.hash) history.replaceState(null, "", link());
  document.title = `${questions[0].line.slice(0, 80) || "Playground"} · Colex`;
}
let showing = 0;
const on = {
  changed() {
    clearTimeout(showing); // browsers allow so many links a second
    showing = setTimeout(show, 150);
  },
  settled: (q) => remember(q),
  answered: (q, look) => q === questions[0] && exercise.heard(look),
};
function add() {
  const made = new Question(String(questions.length + 1), on);
  questions.push(made);
  board.append(made.root);
  return made;
}
function beside(two) {
  if (two && questions.length === 1) add();
  if (!two && questions.length === 2) {
    const gone = questions.pop();
    gone.engine.ask([]);
    gone.root.remove();
  }
  board.classList.toggle("two", two);
  twice.setAttribute("aria-pressed", String(two));
}
twice.addEventListener("click", () => {
  beside(questions.length === 1);
  if (questions.length === 2 && !questions[1].line) questions[1].ask(questions[0].line);
  on.changed();
});

// ---- what was asked before ----

function remember(q) {
  if (!q.look || q.verdict.classList.contains("malformed") || !q.line.trim()) return;
  const line = q.line.trim();
  kept.write("colex-past", [line, ...kept.read("colex-past").filter((l) => l !== line)].slice(0, mostKept));
  showPast();
}
function showPast() {
  const lines = kept.read("colex-past");
  const forget = element("button", { type: "button", click: () => (kept.write("colex-past", []), showPast()) }, "Forget all");
  past.replaceChildren(...(lines.length ? [element("ul", {}, ...lines.map((line) => element("li", {}, question(line)))), forget] : [element("p.quiet", {}, "Nothing yet.")]));
}

// A question that is clicked is asked where the click was; the browser's own history has it.
document.addEventListener("click", (e) => {
  const at = e.target.closest?.("a.question-link");
  if (!at || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const inside = questions.find((q) => q.root.contains(at)) ?? questions[0];
  remember(inside);
  show();
  history.pushState(null, "", link());
  at.closest("details.menu")?.removeAttribute("open");
  inside.ask(decoded(at.getAttribute("href").slice(1)));
});
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.removeAttribute("open");
});

window.addEventListener("hashchange", follow);
window.addEventListener("popstate", follow);
add();
follow();
showPast();
