// A request as others write it: a case line, a command, C++ of CuTe, Python. SPDX-License-Identifier: Apache-2.0

// ---- the notation ----

// A value from its parts, as the engine gives them.
export function textOf(tree) {
  if (typeof tree === "string") return tree;
  if (Array.isArray(tree)) return `(${tree.map(textOf).join(",")})`;
  if (tree.shape !== undefined) return `${textOf(tree.shape)}:${textOf(tree.stride)}`;
  if (tree.basis) return [tree.number, ...tree.basis.toReversed()].join("@");
  if (tree.tiler) return `<${tree.tiler.map(textOf).join(",")}>`;
  if (tree.swizzle) return `Sw<${tree.swizzle.join(",")}>`;
  if (tree.f2) return `F2<${tree.f2[0]}>${textOf(tree.f2[1])}`;
  return tree.composed ? tree.composed.map(textOf).join("o") : tree.word;
}

export function caseLine({ read, status, result }) {
  if (status === "drawn") return null;
  const right = { answered: result, undecided: "undefined" }[status] ?? status;
  return `${read} = ${right}`;
}

// ---- a shell ----

const quoted = (word) => (/^[\w.:,@%+=/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export function command(line, { status }) {
  const [question, ...options] = line.trim().split(/ (?=--)/);
  if (line.includes("?")) return `colex solve ${quoted(line.trim())}`;
  if (status !== "drawn") return `colex explain ${quoted(question)}`;
  return ["colex draw", quoted(question), ...options, "-o picture.svg"].join(" ");
}

// ---- Python ----

const askedAsText = /^(mma_atom|copy_atom|bank_|solve_|fold)/; // Python adds something to these, or words stand in them

export function python(line, { status, operation, arguments: args }) {
  const text = JSON.stringify;
  const begin = "import colex_layouts as cx\n\n";
  if (status === "drawn") return `${begin}cx.draw(${text(line)})`;
  if (askedAsText.test(operation)) return `${begin}cx.ask(${text([operation, ...args.map((a) => a.text)].join(" "))})`;
  return `${begin}cx.${operation}(${args.map((a) => text(a.text)).join(", ")})`;
}

// ---- C++ ----

class NotInCute extends Error {}
const refuse = (why) => {
  throw new NotInCute(why);
};

function cppOf(tree, maker = "make_tuple") {
  const all = (items) => items.map((item) => cppOf(item)).join(", ");
  if (typeof tree === "string") return `Int<${tree}>{}`;
  if (Array.isArray(tree)) return `${maker}(${tree.map((item) => cppOf(item, maker)).join(", ")})`;
  if (tree.shape !== undefined) return `make_layout(${cppOf(tree.shape, "make_shape")}, ${cppOf(tree.stride, "make_stride")})`;
  if (tree.basis) return `Int<${tree.number}>{} * E<${tree.basis.join(", ")}>{}`;
  if (tree.tiler) return `make_tile(${all(tree.tiler)})`;
  if (tree.swizzle) return `Swizzle<${tree.swizzle.join(", ")}>{}`;
  if (tree.f2) return refuse("CuTe has no linear maps over F2");
  if (tree.composed?.length === 3) return `composition(${all(tree.composed)})`;
  if (tree.composed) return refuse("CuTe has a view only as a tensor");
  return tree.word === "_" ? "_" : `${tree.word}{}`;
}
const numberIn = (tree) => (typeof tree === "string" ? tree : refuse("a template argument of CuTe's is an integer"));
const bitsOf = (tree) => `uint_bit_t<${typeof tree === "string" ? tree : tree.word.replace("b", "")}>`;
const tensorOf = (tree) => `make_tensor(counting_iterator<int>{0}, ${cppOf(tree)})`;

// Functions that take layouts and coordinates as they are.
const plain = new Set(`rank depth size cosize coshape flatten coalesce filter filter_zeros right_inverse left_inverse nullspace
  complement make_layout_like max_alignment composition logical_divide zipped_divide tiled_divide flat_divide logical_product
  zipped_product tiled_product flat_product blocked_product raked_product max_common_layout max_common_vector congruent
  weakly_congruent compatible evenly_divides shape_div ceil_div product_each idx2crd crd2idx slice slice_and_offset dice zip
  make_ordered_layout make_fragment_like make_identity_layout domain_distribute tile_to_shape`.split(/\s+/));
// Those whose integers are template arguments.
const templated = new Set("select take group upcast downcast".split(" "));

const call = (name, args) => `${name}(${args.map((a) => cppOf(a)).join(", ")})`;
const member = (name) => ([a, i]) => `${cppOf(a)}.${name}(${cppOf(i)})`;
const special = {
  apply: ([a, c]) => `${cppOf(a)}(${cppOf(c, "make_coord")})`,
  get: ([a, i]) => `get<${numberIn(i)}>(${cppOf(a)})`,
  replace: ([a, i, b]) => `replace<${numberIn(i)}>(${cppOf(a)}, ${cppOf(b)})`,
  append: ([a, ...more]) => extended("append", a, more),
  prepend: ([a, ...more]) => extended("prepend", a, more),
  recast_layout: ([a, from, to]) => `recast_layout<${bitsOf(from)}, ${bitsOf(to)}>(${cppOf(a)})`,
  make_layout_left: ([s]) => `make_layout(${cppOf(s, "make_shape")}, LayoutLeft{})`,
  make_layout_right: ([s]) => `make_layout(${cppOf(s, "make_shape")}, LayoutRight{})`,
  get_hier_coord: member("get_hier_coord"),
  get_flat_coord: member("get_flat_coord"),
  get_1d_coord: member("get_1d_coord"),
  mma_atom: ([name, field]) => `typename MMA_Traits<${atomOf(name)}>::${field.word}{}`,
  copy_atom: ([name, field]) => `typename Copy_Traits<${name.word}>::${field.word}{}`,
  local_tile: ([a, ...rest]) => `local_tile(${[tensorOf(a), ...rest.map((r) => cppOf(r, "make_coord"))].join(", ")})`,
  local_partition: ([a, ...rest]) => `local_partition(${[tensorOf(a), ...rest.map((r) => cppOf(r, "make_coord"))].join(", ")})`,
  inner_partition: ([a, t, c]) => `inner_partition(${tensorOf(a)}, ${cppOf(t)}, ${cppOf(c, "make_coord")})`,
  outer_partition: ([a, t, c]) => `outer_partition(${tensorOf(a)}, ${cppOf(t)}, ${cppOf(c, "make_coord")})`,
};
function extended(name, a, more) {
  const size = typeof more[0] === "string" ? `<${more.shift()}>` : "";
  return `${name}${size}(${[a, ...more].map((x) => cppOf(x)).join(", ")})`;
}
// wgmma's atoms take their majors as template arguments.
const atomOf = ({ word }) => (/^SM90_64x/.test(word) ? `${word}<GMMA::Major::K, GMMA::Major::K>` : word);

function tiledMma(operation, args) {
  const [atom, threads, tile, ...rest] = args;
  const made = `make_tiled_mma(${atomOf(atom)}{}, ${cppOf(threads)}, ${cppOf(tile)})`;
  const way = /^(?:tiled_mma_)?(thrfrg|partition|partition_shape|partition_fragment)_([ABC])(_identity)?$/.exec(operation);
  if (!way) return /^tiled_mma_layout._TV$/.test(operation) ? `${made}.get_${operation.slice(10)}()` : refuse("no one call of CuTe's");
  const [, what, of, identity] = way;
  if (what === "thrfrg") return `${made}.thrfrg_${of}(${cppOf(rest[0])})`;
  if (what !== "partition") return `${what}_${of}(${made}, ${cppOf(rest[0], "make_shape")})`;
  const tensor = identity ? `make_identity_tensor(${cppOf(rest[0], "make_shape")})` : tensorOf(rest[0]);
  return `${made}.get_thread_slice(${numberIn(rest[1])}).partition_${of}(${tensor})`;
}
function tiledCopy(operation, args) {
  const [atom, type, threads, values, ...rest] = args;
  if (atom.word.startsWith("make_tiled_copy")) return refuse("two calls of CuTe's");
  const made = `make_tiled_copy(Copy_Atom<${atom.word}, ${type.word}>{}, ${cppOf(threads)}, ${cppOf(values)})`;
  const share = /^partition_([SD])$/.exec(operation);
  if (share) return `${made}.get_slice(${numberIn(rest[1])}).partition_${share[1]}(${tensorOf(rest[0])})`;
  const tidfrg = /^tiled_copy_(tidfrg_[SD])$/.exec(operation);
  if (tidfrg) return `${made}.${tidfrg[1]}(${cppOf(rest[0])})`;
  const layout = /^tiled_copy_(layout[SD]_TV)$/.exec(operation);
  return layout ? `${made}.get_${layout[1]}()` : refuse("no one call of CuTe's");
}

function expression(operation, args) {
  if (operation === "") return args[0].word ? refuse("a name alone") : cppOf(args[0]);
  if (special[operation]) return special[operation](args);
  if (templated.has(operation)) return `${operation}<${args.slice(1).map(numberIn).join(", ")}>(${cppOf(args[0])})`;
  if (plain.has(operation)) return call(operation, args);
  if (/^(tiled_mma_.*|partition_(\w+_)?[ABC](_identity)?)$/.test(operation)) return tiledMma(operation, args);
  if (/^(tiled_copy_.*|partition_[SD])$/.test(operation)) return tiledCopy(operation, args);
  return refuse("CuTe has no function of that name");
}

// The program, or null where CuTe has no such call.
export function cpp({ operation, arguments: args }) {
  if (!args) return null;
  try {
    const code = expression(operation, args.map((a) => structuredClone(a.tree)));
    return `#include <cute/tensor.hpp>\nusing namespace cute;\n\nint main() { print(${code}); }\n`;
  } catch (e) {
    if (e instanceof NotInCute) return null;
    throw e;
  }
}
