#!/usr/bin/env node
// The tool for node, as WebAssembly: ask, explain, solve, draw and figures, with the tool's exit codes. For scripts `load` gives
// what the playground asks. SPDX-License-Identifier: Apache-2.0
import fs from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";

const packed = "@MODULE@";

// The module, whose standard input and output are these functions of a byte. Of the environment it sees what is in `environment`.
export async function load(streams = [], environment = {}) {
  const whole = zlib.gunzipSync(Buffer.from(packed, "base64"));
  const end = 8 + Number(whole.subarray(0, 8));
  const made = { exports: {} };
  const define = new Function("module", "exports", "require", "__filename", "__dirname", whole.subarray(8, end).toString());
  define(made, made.exports, createRequire(import.meta.url), "", "");
  const listeners = ["uncaughtException", "unhandledRejection"].map((name) => [name, process.listeners(name)]);
  const colex = await made.exports({
    wasmBinary: whole.subarray(end),
    thisProgram: "colex",
    preRun: [(m) => (m.FS.init(...streams), Object.assign(m.ENV, environment))],
  });
  // A script's errors are its own.
  for (const [name, before] of listeners)
    for (const f of process.listeners(name)) if (!before.includes(f)) process.removeListener(name, f);
  return colex;
}

// ---- the command line ----

function writer(stream) {
  let line = [];
  return (byte) => {
    if (byte !== null) line.push(byte);
    if (byte !== null && byte !== 10 && line.length < 65536) return;
    for (let left = Buffer.from(line); left.length; )
      try {
        left = left.subarray(fs.writeSync(stream, left));
      } catch (e) {
        if (e.code !== "EAGAIN") process.exit(2);
      }
    line = [];
  };
}
function reader() {
  const part = Buffer.alloc(65536);
  let at = 0, end = 0;
  return () => {
    while (at === end) {
      try {
        [at, end] = [0, fs.readSync(0, part)];
      } catch (e) {
        if (e.code === "EAGAIN") continue;
        end = 0;
      }
      if (end === 0) return null;
    }
    return part[at++];
  };
}
// Files have the names that they have outside.
function mount(FS, root) {
  for (const { name } of fs.readdirSync(root, { withFileTypes: true }).filter((x) => !["dev", "proc"].includes(x.name)))
    try {
      if (!fs.statSync(root + name).isDirectory()) continue;
      FS.mkdirTree(root + name);
      FS.mount(FS.filesystems.NODEFS, { root: root + name }, root + name);
    } catch {
      continue; // what cannot be read cannot be drawn into
    }
  FS.chdir(process.cwd());
}
async function run(words) {
  const streams = [reader(), writer(1), writer(2)];
  const environment = { COLUMNS: String(process.stdout.columns ?? process.env.COLUMNS ?? 120) };
  const colex = await load(streams, environment);
  mount(colex.FS, "/");
  process.exitCode = colex.callMain(words);
  for (const write of streams.slice(1)) write(null);
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await run(process.argv.slice(2));
