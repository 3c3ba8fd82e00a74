// Tables that the tool writes as text, as tables. SPDX-License-Identifier: Apache-2.0
import { element } from "./base.js";

const cellsOf = (line) => line.trim().split(/ {2,}/);

// Paragraphs and tables of a text: lines that begin with two blanks are a table, the first of them its heading.
export function blocksOf(text) {
  const blocks = [];
  for (const line of text.split("\n").filter((l) => l.trim())) {
    const isRow = line.startsWith("  ");
    const last = blocks.at(-1);
    if (isRow && last?.rows) last.rows.push(cellsOf(line));
    else if (isRow) blocks.push({ columns: cellsOf(line), rows: [] });
    else if (last?.text) last.text += " " + line;
    else blocks.push({ text: line });
  }
  return blocks;
}

// The element of a table; bad(k): row k breaks something.
export function tableOf({ columns, rows }, caption, bad = () => false) {
  const numbers = columns.map((_, k) => rows.every((row) => row[k] === undefined || /^-?[0-9]+$|^\.\.\.$/.test(row[k])));
  const cells = (tag, row) => columns.map((_, k) => element(numbers[k] ? tag + ".number" : tag, tag === "th" ? { scope: "col" } : {}, row[k] ?? ""));
  const body = rows.map((row, k) => element(bad(k) ? "tr.broken" : "tr", {}, ...cells("td", row)));
  return element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...cells("th", columns))),
    element("tbody", {}, ...body));
}
