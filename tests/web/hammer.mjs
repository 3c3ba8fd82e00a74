// Asks what a page asks of each line of standard input. Fails on a trap, on what takes too long, and where memory goes on growing.
//   node hammer.mjs COLEX.mjs < LINES
// SPDX-License-Identifier: Apache-2.0
import fs from "node:fs";
import path from "node:path";

const longest = 2500; // milliseconds of a processor: a page ends what takes 5000
const { load } = await import(path.resolve(process.argv[2]));
const colex = await load();
const ask = ["look", "draw"].map((name) => colex.cwrap(`colex_${name}`, "string", ["string"]));
const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean);

function hammer(part) {
  let slowest = 0;
  for (const line of part)
    for (const f of ask) {
      const before = process.cpuUsage();
      const { status } = JSON.parse(f(line));
      const took = process.cpuUsage(before).user / 1000;
      if (!status || took > longest) throw new Error(`${line}: ${status ?? "no status"} after ${Math.round(took)} ms`);
      slowest = Math.max(slowest, took);
    }
  return slowest;
}
const pages = () => colex.HEAPU8.length / 65536;

let slowest = hammer(lines);
const full = pages();
slowest = Math.max(slowest, hammer(lines));
if (pages() > full) throw new Error(`memory grows: ${full} pages, and ${pages()} after the same lines again`);
console.log(`${2 * lines.length} times no trap, the slowest ${Math.round(slowest)} ms, ${full / 16} MiB`);
