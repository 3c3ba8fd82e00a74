// What implementations in use answer, and what CuTe's algorithm does. SPDX-License-Identifier: Apache-2.0
import { element, question } from "./base.js";

const meaning = {
  silent: "answers where no right answer exists",
  wrong: "another answer than the right one",
  refused: "says that there is no answer where there is one",
  died: "ends the process",
  misprinted: "the right value, in a text of which a bracket does not end",
};
const verdict = (word) => element(`span.verdict-word.${word}`, { title: meaning[word] }, word);
const row = (...cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
const table = (caption, heads, rows) =>
  element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...rows));
const code = (text) => element("code", {}, text);

// Into the book: a law on the page of its operation, an erratum.
const lawLink = (operation, name) => (name.startsWith(operation + "_") ? element("a", { href: `operations/${operation}.html#${name}` }, name) : name);
const slug = (title) => title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
const erratum = (title) => element("li", {}, element("a", { href: `spec/errata.html#${slug(title)}` }, title));

// The stored answers to this very request.
function stored(entry, operation) {
  const rows = entry.answers.map(([name, what, answer, expression]) =>
    row(name, verdict(what), element("span", {}, code(answer), expression ? element("details", {}, element("summary", {}, "expression"), code(expression)) : null)));
  const reported = entry.reported ? ` Reported: ${entry.reported}.` : "";
  return [
    element("p", {}, entry.why),
    element("p.quiet", {}, "The law: ", lawLink(operation, entry.law), `.${reported}`),
    table("Who answers otherwise", ["implementation", "verdict", "answer"], rows),
    entry.right ? element("p.quiet", {}, `Right in ${entry.right}.`) : null,
  ];
}

// The model's answers that are not right.
function modelled(cute) {
  return cute.filter((way) => !way.right).map(({ integers, refused, answer }) =>
    element("p", {}, `A model of CuTe C++'s algorithm, with ${integers} integers, `,
      ...(refused ? [integers === "static" ? "refuses this." : "divides by zero."] : ["answers ", code(answer), ", which is not right."])));
}

// Who breaks which law of the operation, with the smallest input known.
function known(operation, rows) {
  const shown = rows.map(([name, law, what, where, left, right]) =>
    row(name, lawLink(operation, law), verdict(what), code(where), element("span", {}, code(left), " for ", code(right))));
  return element("details", {}, element("summary", {}, `Laws of ${operation} that implementations break: ${rows.length}`),
    element("div.wide", {}, table(`What ./run peers found`, ["implementation", "law", "verdict", "where", "answer"], shown)));
}

export function others(look, { found, peers, errata }) {
  const operation = look.operation;
  if (!operation) return [];
  const entry = found[look.read];
  const model = modelled(look.cute ?? []);
  const rows = peers[operation] ?? [];
  const similar = Object.keys(found).filter((line) => line.startsWith(operation + " ") && line !== look.read);
  return [
    ...(entry ? stored(entry, operation) : []),
    ...model,
    !entry && !model.length ? element("p.quiet", {}, "No stored answer speaks of this request.") : null,
    errata[operation] ? element("details", {}, element("summary", {}, `Where CuTe or its documents are wrong about ${operation}: ${errata[operation].length}`),
      element("ul", {}, ...errata[operation].map(erratum))) : null,
    rows.length ? known(operation, rows) : null,
    similar.length ? element("details", {}, element("summary", {}, `Requests of ${operation} that were asked of all: ${similar.length}`),
      element("ul", {}, ...similar.map((line) => element("li", {}, question(line))))) : null,
  ].filter(Boolean);
}
