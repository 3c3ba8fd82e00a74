// Which cells of a question's pictures are one element: of the answer (C), of its arguments (A, B), and of the picture of
// everybody's share (whole). SPDX-License-Identifier: Apache-2.0

export const sizeOf = (shape) => (Array.isArray(shape) ? shape.reduce((n, s) => n * sizeOf(s), 1) : Number(shape));
const shapeOf = ({ shape, composed }) => shape ?? composed?.at(-1).shape;
const modesOf = (shape, rank) => Array.from({ length: rank }, (_, k) => sizeOf((Array.isArray(shape) ? shape : [shape])[k] ?? 1));
const isPartition = (operation) => /^((tiled_copy_._)?partition_[A-DS]|local_partition)$/.test(operation);

// Everybody's picture, of a question about one thread or tile.
export function wholeOf({ operation, arguments: args }) {
  const texts = args.map((a) => a.text);
  const at = operation === "local_partition" ? 2 : texts.length - 1;
  if (isPartition(operation)) return texts[at] ? `${operation} ${texts.toSpliced(at, 1).join(" ")} --highlight ${texts[at]}` : null;
  return operation === "local_tile" && texts.length === 3 ? `${operation} ${texts.slice(0, 2).join(" ")}` : null;
}
// Who asks, as that picture names him.
const askerOf = ({ operation, arguments: args }) => {
  const { text } = args[/^local_/.test(operation) ? 2 : args.length - 1];
  return isPartition(operation) ? `T${text}` : text;
};

// ---- rows {A: index, B: index, C: index}: these are one ----

function ofProduct(operation, A, B, count) {
  const rank = operation.startsWith("b") || operation.startsWith("r") ? Math.max(...[A, B].map((s) => (Array.isArray(s) ? s.length : 1))) : 1;
  const [as, bs] = rank > 1 ? [modesOf(A, rank), modesOf(B, rank)] : [[sizeOf(A)], [sizeOf(B)]];
  return Array.from({ length: count }, (_, C) => {
    const row = { A: 0, B: 0, C };
    let rest = C, stepA = 1, stepB = 1;
    as.forEach((a, k) => {
      const at = rest % (a * bs[k]);
      const [inA, inB] = operation === "raked_product" ? [Math.floor(at / bs[k]), at % bs[k]] : [at % a, Math.floor(at / a)];
      row.A += stepA * inA;
      row.B += stepB * inB;
      [rest, stepA, stepB] = [Math.floor(rest / (a * bs[k])), stepA * a, stepB * bs[k]];
    });
    return row;
  });
}
// The values of both, index by index.
const areSame = (A, C) => A.size === C.size && [...A].every(([i, value]) => C.get(i) === value);

function indicesOf({ operation, arguments: args }, A, B, C) {
  const rows = (of, f) => [...of].map(([i, value]) => f(i, Number(value)));
  if (operation === "composition" && A.size && B.size) return rows(B, (i, b) => ({ A: b, B: i, C: i }));
  if (operation === "solve_composition_right") return rows(C, (i, x) => ({ A: x, B: i, C: i }));
  if (operation === "solve_composition_left") return rows(A, (i, a) => ({ A: i, B: i, C: a }));
  if (operation === "right_inverse") return rows(C, (i, a) => ({ A: a, C: i }));
  if (operation === "left_inverse") return rows(A, (i, a) => ({ A: i, C: a }));
  if (/_product$/.test(operation) && A.size && B.size) return ofProduct(operation, ...args.map((a) => shapeOf(a.tree)), C.size);
  if (/_divide$/.test(operation) && A.size && B.size)
    return [...C].flatMap(([i, c]) => [...A].filter(([, a]) => a === c).map(([a]) => ({ A: a, B: i % B.size, C: i })));
  return areSame(A, C) ? rows(C, (i) => ({ A: i, C: i })) : null;
}

// ---- rows of cells ----

function ofShares(look, whole, A, C) {
  const asker = askerOf(look);
  const inAnswer = new Map((C?.cells ?? []).map((cell) => [cell.value, cell]));
  const own = (cell, inA) => C && (cell.label.includes("V") ? C.at(Number(cell.label.split("V")[1]))[0] : inAnswer.get(inA?.value));
  return whole.cells.filter((cell) => cell.label).map((cell) => {
    const [inA] = A?.at(cell.index) ?? [];
    const answer = cell.owner === asker ? own(cell, inA) : null;
    return { whole: [cell], A: inA ? [inA] : [], C: answer ? [answer] : [] };
  });
}
const ofBanks = (A, C) => C.cells.filter((c) => c.label).map((cell) => ({ A: A.at(Number(cell.owner.slice(1))), C: [cell] }));

// The rows of cells, by the names of their pictures, or null: then what has equal values belongs together.
export function together(look, pictures) {
  const [whole, A, B, C] = ["whole", "A", "B", "C"].map((name) => pictures.get(name));
  if (!look?.arguments) return null;
  if (whole) return ofShares(look, whole, A, C);
  if (look.operation === "bank_conflict_phases") return A && C ? ofBanks(A, C) : null;
  const rows = indicesOf(look, ...[A, B, C].map((p) => p?.values ?? new Map()));
  return rows?.map((row) => Object.fromEntries(Object.entries(row).map(([name, i]) => [name, pictures.get(name)?.at(i) ?? []]))) ?? null;
}
