// The playground's engine, in a worker: a line in, what the tool says of it out. What is asked last goes before what is left to do.
// SPDX-License-Identifier: Apache-2.0
"use strict";

let colex = null;
let todo = [];

async function unpacked(bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

async function start(packed) {
  const whole = await unpacked(packed);
  const end = 8 + Number(String.fromCharCode(...whole.subarray(0, 8)));
  const glue = URL.createObjectURL(new Blob([whole.subarray(8, end)], { type: "text/javascript" }));
  importScripts(glue);
  URL.revokeObjectURL(glue);
  const made = await Colex({ wasmBinary: whole.subarray(end), print() {}, printErr() {} });
  colex = Object.fromEntries(["look", "draw"].map((name) => [name, made.cwrap(`colex_${name}`, "string", ["string"])]));
  postMessage({ ready: true });
  next();
}

// One thing at a time, so that a new question is heard between two.
function next() {
  if (!colex || !todo.length) return;
  const { id, name, kind, line } = todo.shift();
  try {
    postMessage({ id, name, said: colex[kind](line) });
    setTimeout(next);
  } catch (e) {
    postMessage({ broken: `More than a page can hold (${e.message}): ended.` });
  }
}

onmessage = ({ data }) => {
  if (data.packed) return start(data.packed).catch((e) => postMessage({ failed: `This browser cannot run the playground: ${e.message}` }));
  const idle = todo.length === 0;
  todo = data.fresh ? data.tasks : todo.concat(data.tasks);
  if (idle) next();
};
