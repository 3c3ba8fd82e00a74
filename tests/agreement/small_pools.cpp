// Small arguments of each kind, and those at the limits of a value. SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/small_pools.hpp"

#include "tests/agreement/requests.hpp"
#include "tests/agreement/small_layouts.hpp"
#include "tests/agreement/small_rows.hpp"

namespace colex {
namespace {

using namespace rows;

row words(texts const& all) {
  row out;
  for (std::string const& w : all) out.push_back(word_of(w));
  return out;
}
std::string each_mode(int n) {
  std::string out;
  for (int k = 0; k < n; ++k) out += (k ? "," : "(") + ("1@" + std::to_string(k));
  return out + ")";
}

row flat(scope const& within) {
  row out;
  each_layout(within, [&](oracle::leaf_list const& a) { out.push_back(spell(a)); });
  return out;
}
// The three modes in two: the first or the last two are one.
value grouped(value const& v, bool front) {
  auto const group = [&](value const& t) {
    return front ? tuple_of({tuple_of({t.items[0], t.items[1]}), t.items[2]})
                 : tuple_of({t.items[0], tuple_of({t.items[1], t.items[2]})});
  };
  return layout_of(group(v.shape()), group(v.stride()));
}
row nested_layouts() {
  row out = read({"():()", "(3):(2)", "((2,3)):((1,2))", "((2),3):((1),2)", "((2,2),(2,2)):((1,2),(4,8))",
                  "((2,2),(2,2)):((4,1),(8,2))", "(((2,2),2),2):(((1,2),4),8)", "(2,(2,(2,2))):(8,(4,(2,1)))"});
  for (value const& v : flat({8, 3, 4}))
    if (rank(v) == 3)
      for (bool const front : {true, false}) out.push_back(grouped(v, front));
  return out;
}
// With other strides: f(mode, stride).
template <class F>
row changed_strides(row const& all, F f) {
  row out = all;
  for (value& v : out) {
    std::size_t k = 0;
    v = layout_of(v.shape(), map_strides(v.shape(), v.stride(), [&](value const&, value const& d) { return f(k++, d); }));
  }
  return out;
}
row signed_layouts() {
  row out;
  for (std::size_t const signs : {1u, 2u, 3u})
    for (value& v : changed_strides(
             flat({6, 2, 4}), [&](std::size_t k, value const& d) { return signs >> k & 1 ? value(integer(-d.number)) : d; }))
      out.push_back(std::move(v));
  return out;
}
row basis_layouts() {
  row out = read({"(2,3):(1@0,1)", "(2,2):(1,1@0)", "(2,2,2):(1@0,1@0@1,1@1@1)", "((2,3),4):((1@0@0,1@1@0),1@1)",
                  "(2,2):(1@0@0,1@0)", "(2,2):(1@0,0@0)", "(1,2):(1@0,1@1@0)", "(2,1):(1@0,-1)", "(2,1):(1@0,-1@0)", "2:1@254",
                  "2:1@255", "2:1@0@0@0@0@0@0@0@0", "2:1@0@0@0@0@0@0@0@0@0", "(2,2):(1@1@0@0@0@0@0@0@0,1@0)",
                  "(2,2):(1@0@0@0@0@0@0@0@0,2@0@0@0@0@0@0@0@0)", "(2,2):(1@0@0@0@0@0@0@0@0,2@1@0@0@0@0@0@0@0)",
                  "(2,2):(1@0@0@0@0@0@0@0,2@3@4@0@0@0@0@0)", "(2,2):(1@0@0@0@0@0@0@0,2@0@0@0@0@0@4@3)"});
  std::vector<int> const paths[] = {{0}, {1}, {1, 0}, {}};
  for (std::size_t const which : {0u, 1u, 4u, 5u, 6u, 9u, 12u, 13u})
    for (value& v : changed_strides(flat({6, 2, 3}), [&](std::size_t k, value const& d) {
           return d.number == 0 ? d : value(d.number, paths[which >> 2 * k & 3]);
         }))
      out.push_back(std::move(v));
  return out;
}
// As many leaves, parentheses and bits as a value holds, and one more.
texts const limits = {
    times(32, "2") + ":" + times(32, "1"),
    times(33, "1") + ":" + times(33, "0"),
    times(32, "1") + ":" + times(32, "3"),
    "(" + times(16, "2") + "," + times(16, "1") + "):(" + times(16, "3") + "," + times(16, "0") + ")",
    times(32, "2") + ":" + times(32, "0"),
    "(" + times(31, "1") + ",2):(" + times(31, "5") + ",7)",
    "(2," + times(31, "1") + "):(3," + times(31, "0") + ")",
    times(32, "2") + ":" + times(32, "1@0"),
    times(32, "1") + ":" + times(32, "-1"),
    times(31, "2") + ":" + times(31, "5"),
    times(32, "2") + ":" + each_mode(32),
    times(32, "2") + ":(64,1,65,2,66,3,67,4,68,5,69,6,70,7,71,8,72,9,73,10,74,11,75,12,76,13,77,14,78,15,79,16)",
    nested(255, "2") + ":" + nested(255, "1"),
    nested(256, "2") + ":" + nested(256, "1"),
    nested(254, "2,3") + ":" + nested(254, "1,2"),
    "2:2147483648",
    "(2,2):(4294967296,1)",
    "2:4611686018427387904",
    "2:9223372036854775807",
    "2:9223372036854775808",
    "2:-9223372036854775807",
    "2:-9223372036854775808",
    "3:4611686018427387904",
    "9223372036854775807:1",
    "9223372036854775808:1",
    "(4611686018427387904,2):(1,0)",
    "(1,2):(9223372036854775807,1)",
    "(3037000500,3037000500):(1,0)",
    "256:3",
    "(257,2):(3,1)"};
texts const composed_texts =
    both({"Sw<1,0,1>o0o(2,4):(4,1)",  "Sw<2,0,2>o0o(4,4):(4,1)", "Sw<2,1,3>o0o(8,8):(8,1)",  "Sw<1,0,-1>o0o(2,2):(1,2)",
          "Sw<2,1,-2>o4o(4,2):(2,1)", "Sw<0,0,0>o0o(2,2):(1,2)", "Sw<0,0,0>o-3o(2,2):(1,2)", "Sw<0,3,0>o8o(4,2):(2,1)",
          "Sw<3,4,3>o16o(8,8):(8,1)", "Sw<1,0,3>o0o16:1",        "Sw<1,2,2>o0o(4,4):(1,4)",  "Sw<1,0,2>o0o8:1",
          "Sw<1,1,1>o0o(4,2):(2,1)",  "Sw<1,1,1>o0o8:1",         "Sw<1,1,1>o0o4:1",          "Sw<2,0,2>o0o16:1",
          "Sw<2,0,2>o0o8:1",          "Sw<1,0,1>o0o4:2",         "Sw<1,0,-1>o0o4:1",         "Sw<1,0,-2>o0o8:1",
          "Sw<1,1,-1>o2o(2,4):(4,1)", "Sw<1,61,1>o0o4:1",        "Sw<1,0,62>o0o4:1",         "Sw<1,62,1>o0o2:1",
          "Sw<1,0,-62>o0o4:1",        "Sw<2,60,2>o0o4:1"},
         {"3o(2,4):(1,2)", "0o(2,4):(4,1)", "-2o(2,2):(1,-2)", "12o64:1", "4o(4,4):(4,1)", "9223372036854775807o2:1", "0o():()",
          "(1,2)o(2,2):(1@0,1@1)", "(0,0)o(1,1):(0,0)", "(1,(2,3))o(2,(1,2)):(1@0,(1@0@1,1@1@1))", "(5)o(4,2):(1@0,1@1)",
          "(1,2,3)o(4,1):(1@0,1@1)", "(0,0)o(4,2):(1,4)", "((1))o4:1@0", "(1,2)o(2,2):(1,1@0)", "(-1,2)o():()"});
// Each swizzle over each layout.
row swizzled_layouts(std::string const& offset) {
  texts out = {"Sw<1,0,3>o0o4096:1", "Sw<1,0,3>o0o4097:1"};
  for (std::string const sw : {"Sw<1,0,1>", "Sw<1,0,2>", "Sw<2,0,2>", "Sw<1,1,1>", "Sw<1,0,-1>", "Sw<1,0,-2>", "Sw<2,1,-2>",
                               "Sw<1,2,-1>", "Sw<1,1,2>", "Sw<2,0,3>"})
    for (std::string const inner : {"8:1", "16:1", "(2,4):(4,1)", "(4,2):(2,1)", "(2,2,2):(1,4,2)", "(2,2,2):(4,2,1)",
                                    "(4,2):(1,0)", "(4,4):(1,2)", "8:2", "(2,3):(1,2)", "4:4", "(2,2,2):(0,2,1)", "(4,3):(1,4)",
                                    "(2,2,2):(2,8,1)", "(2,3):(3,1)", "(2,3):(0,1)", "(2,3,2,8):(3,1,1,0)", "4:2"})
      out.push_back(sw + offset + inner);
  return read(out);
}
// Modes that overlap, with broadcast and negative ones among them.
row overlapping_layouts() {
  row out = flat({24, 4, 3});
  for (value& v :
       changed_strides(flat({18, 3, 4}), [](std::size_t k, value const& d) { return k == 0 ? value(integer(-d.number)) : d; }))
    out.push_back(std::move(v));
  return out;
}
// The same behind swizzles of both directions.
row swizzled_overlapping() {
  row out;
  for (value const& w : read({"Sw<1,0,1>", "Sw<1,1,1>", "Sw<2,0,3>", "Sw<1,0,-1>", "Sw<2,1,-2>", "Sw<3,4,-5>"}))
    for (value const& a : flat({16, 3, 4})) out.push_back({kind::composed, {w, value(0), a}});
  return out;
}
// Layouts that are linear across their modes here and there, alone and mode by mode, and what finds them so.
texts const cancelling = {"(2,2,4):(1,1,3)",
                          "(2,2,2):(1,3,5)",
                          "(3,2,2):(0,1,1)",
                          "(2,2,4):(1@0,1@0,3@0)",
                          "(2,3,4):(-1,4,6)",
                          "(2,2,2,2):(1@0,3@0,5@0,7@1)",
                          "(2,2,2):(-1,-3,-5)",
                          "((2,2,4),(2,2,2)):((1,1,3),(1,3,5))",
                          "((2,2,4),(2,2,2)):((1@0,1@0,3@0),(1@1,3@1,5@1))",
                          "(2,2,4):(1@1,1@1,3@1)",
                          "(2,2,4,2):(1,1,3,50)",
                          "(2,2):(-1@0,1@1)",
                          "(2,2,4):(-1@0,-1@0,-3@0)",
                          "(2,2,4,2):(1@1,1@1,3@1,5@0)"};
row stepping_layouts() {
  texts const extents = {"1", "2", "3", "4", "6", "9"},
              strides = {"0", "1", "3", "3", "5", "6", "9", "12", "-1", "3@0", "3@1", "5@1", "9@0", "6@0"};
  texts out;
  for (std::string const& s : extents)
    for (std::string const& d : strides) {
      out.push_back(s + ":" + d);
      for (std::string const& t : extents)
        for (std::string const& e : strides) out.push_back("(" + s + "," + t + "):(" + d + "," + e + ")");
    }
  return read(out);
}
// Matrices that tilings divide.
texts const matrices = {"(8,8):(1,8)",
                        "(16,8):(8,1)",
                        "(16,16):(1,16)",
                        "(8,16):(16,1)",
                        "(32,8):(8,1)",
                        "((4,2),(2,4)):((2,1),(8,16))",
                        "(16,8,2):(8,1,128)",
                        "(8,4):(1,8)",
                        "(4,4):(4,1)",
                        "(2,2):(1@0,1@1)",
                        "(16,8):(1@0,1@1)",
                        "3o(16,8):(8,1)",
                        "Sw<2,1,3>o0o(16,16):(16,1)",
                        "(4,2,2):(1,4,8)"};

pool tensors() {
  return {flat({8, 2, 8}), nested_layouts(),     signed_layouts(), basis_layouts(),
          read(limits),    read(composed_texts), read(matrices),   flat({12, 3, 3})};
}
pool tiled() { return {read(matrices), flat({8, 2, 4}), read(matrices), basis_layouts()}; }
pool plain_layouts() {
  return {flat({8, 2, 8}), flat({6, 2, 3}),  nested_layouts(), flat({4, 1, 12}),
          basis_layouts(), signed_layouts(), read(limits)};
}

texts const few = {"1", "2", "3", "4"};
texts const digits = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
texts const small = both(digits, {"-1", "-2", "10", "12"});
texts const large = {"16",
                     "24",
                     "32",
                     "64",
                     "255",
                     "256",
                     "4096",
                     "2147483648",
                     "4611686018427387904",
                     "9223372036854775807",
                     "9223372036854775808",
                     "-9223372036854775808",
                     "-9223372036854775809",
                     "-2147483648"};
pool numbers() { return {read(small), read(digits), read(few), read(large)}; }
pool widths() {
  return {read({"1", "2", "3", "4", "6", "8", "12", "16", "24", "32", "64", "128"}),
          words({"8b", "16b", "32b", "4b", "1b", "0b", "12b", "b", "xb", "x8b"}), read({"0", "-1", "-8"})};
}
texts tuples(texts const& leaf) {
  texts out = both(leaf, pairs("(", leaf, leaf, ")"));
  for (std::string const& x : leaf)
    for (std::string const& p : pairs("(", few, few, ")"))
      out.push_back("(" + x + "," + p + ")"), out.push_back("(" + p + "," + x + ")");
  return both(out, both(pairs("(", pairs("", few, few, ""), {"2", "1"}, ")"),
                        {"()", "((),2)", "(2)", "((2,2),(2,2))", "((1,2),(3,4))", "(1,2,3,4)"}));
}
pool shapes() {
  return {read(tuples({"1", "2", "3", "4", "5", "6"})), read(few),
          read({"0", "-1", "(2,0)", "(0,2)", "(2,-1)", "16", "24", "(12,8)", "(2,(3,0))"}),
          read({times(32, "2"), times(33, "1"), times(32, "1"), "(3037000500,3037000500)", "9223372036854775807",
                "9223372036854775808", "(4611686018427387904,2)", nested(256, "2")})};
}
pool coordinates() {
  return {read(tuples({"0", "1", "2", "3", "-1", "5"})), read(digits),
          read({times(32, "0"), times(32, "1"), "9223372036854775807", "(0,4611686018427387904)"})};
}
pool slicers() {
  return {read(tuples({"0", "1", "2", "_"})), read({"_", "X", "(_,_)", "(_,0)", "(1,_)", "(_,_,0)", "(0,_,_)", "(X,1)",
                                                    "((_,0),1)", "(0,(_,1))", "(_,(_,_))", "(-1,_)", "(_,-1)", "(_)"})};
}
pool tilers() {
  texts const leaf = {"1", "2", "3", "4", "_", "2:1", "2:2", "2:4", "(2,2):(1,4)", "3:2", "1:0", "2:0"};
  return {read(both(pairs("<", leaf, leaf, ">"), leaf)),
          flat({8, 2, 8}),
          read(few),
          nested_layouts(),
          read({"<2>",
                "<_>",
                "<2:1>",
                "<<2,2>,2>",
                "<2,<2,_>>",
                "<<2:1>,4>",
                "<2,2,2>",
                "<2,2,2,2>",
                "<(2,2):(1,2),_>",
                "<0,2>",
                "<-1>",
                "<2:1@0,2>",
                "<():()>",
                "_",
                "X",
                "Sw<1,0,1>",
                "<(1,2)>",
                "<" + repeated(32, "1", ",") + ">",
                "<" + repeated(33, "1", ",") + ">",
                "<" + times(32, "2") + ":" + times(32, "1") + ",2>",
                "<16,8>",
                "<8,4>"}),
          signed_layouts(),
          basis_layouts()};
}
pool numbers_of_bits() { return {read(digits), read(digits), read({"16", "63", "64", "65", "1000", "1001", "-1"})}; }
}  // namespace

std::map<std::string, pool> const& pools() {
  static std::map<std::string, pool> const all = [] {
    pool const indexed{flat({8, 3, 3})}, matrix = tiled();
    row const threads = read({"1:0", "2:1", "(2,2):(1,2)", "(4,2):(2,1)", "(32,1):(1,0)", "(8,4):(4,1)", "32:1", "(2,2):(1,4)",
                              "(6,2):(1,16)", "(2,4):(0,1)", "():()"});
    row const atoms =
        read({"1:0", "2:1", "(1,1,1):(0,0,0)", "(2,1):(1,0)", "(2,2,1):(1,2,0)", "(1,2,2):(0,1,2)", "(2,2):(2,1)",
              "((2,2),1):((1,2),0)", "4:2", "(2,2):(1,4)", "(1,1,1,2):(0,0,0,1)", "(2,2):(1,1)", "2:1@0", "2:-1", "():()"});
    row const mma = words({"UniversalFMA", "SM80_8x8x4_F64F64F64F64_TN", "SM61_DP4A", "SM80_16x8x8_F16F16F16F16_TN",
                           "SM70_8x8x4_F32F16F16F32_NT", "none"});
    row const modes = read({"<_,_,_>", "<16,_,_>", "<_,16>", "<32,16,8>", "<16:1>", "<(4,4):(4,1),_>", "<>", "<_,_,_,_>", "2",
                            "<_>", "<8,8,4>", "<<2,2>,2>", "<_,_,<2,2>>", "<_,<<8,2>,_>>"});
    row const copies = words({"UniversalCopy<uint16_t>", "UniversalCopy<uint32_t>", "UniversalCopy<uint128_t>",
                              "SM75_U32x1_LDSM_N", "SM75_U16x2_LDSM_T", "none"});
    row const values = read({"1:0", "2:1", "(1,2):(0,1)", "(2,1):(1,0)", "8:1", "(1,8):(0,1)", "(2,2):(1,2)", "(4,2):(1,4)",
                             "(2,2):(1,1)", "((2,1),1):((1,0),0)", "():()"});
    return std::map<std::string, pool>{
        {"tensor", tensors()},
        {"layout", plain_layouts()},
        {"integer", numbers()},
        {"integers", coordinates()},
        {"coordinate", slicers()},
        {"order", {words({"LayoutLeft", "LayoutRight", "LayoutUp"})}},
        {"tiler", tilers()},
        {"modes", {modes}},
        {"swizzle", swizzles()},
        {"width", widths()},
        {"S", shapes()},
        {"S'", shapes()},
        {"M|S", shapes()},
        {"proj", {read({"(1,1)", "(1,_)", "(_,1)", "(X,1)", "(1,X)", "1", "(1)", "(1,1,1)", "(0,2)", "(1,(1,_))"})}},
        {"INDICES", {words({"a", "b", "ab", "ba", "abc", "bc", "cb", "ac", "c", "aa", "a1"})}},
        {"INDICES A", indexed},
        {"INDICES B", indexed},
        {"INDICES C", indexed},
        {"ATOM", {mma}},
        {"ATOM THR", {atoms}},
        {"T A", matrix},
        {"T F", matrix},
        {"COPY", {copies}},
        {"TYPE", {words({"half_t", "uint8_t", "float", "double", "uint1_t", "none"})}},
        {"ACCESS",
         {words({"32b", "64b", "128b", "8b", "33b", "256b", "SM75_U32x1_LDSM_N", "SM90_U16x4_STSM_T", "SM100_U8x16_LDSM_T",
                 "UniversalCopy<double>", "UniversalCopy<uint256_t>", "SM75_U32x1_MOVM_T", "SM90_TMA_LOAD,128b", "none"})}},
        {"THR", {threads}},
        {"VAL", {values}},
        {"VAL A", matrix},
        {"VAL F", matrix},
        {"make_tiled_copy_A", {words({"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C", "make_tiled_copy_D"})}},
        {"map", maps()},
        {"linear", {linear_layouts()}},
        {"shared",
         {read({"(64,64):(64,1)", "(8,32):(32,1)", "(32,32):(32,1)", "(32,32):(33,1)", "(16,16):(1,16)", "256:1",
                "(32,2):(64,1)", "(128,8):(16,1)", "(4,8):(3,16)", "32:4096", "64:0", "(8,8):(-8,1)"})}},
        {"element", {words({"16b", "32b", "8b", "64b", "24b"})}},
        {"lanes",
         {read({"32:1", "32:32", "8:1", "8:8", "16:4", "(8,4):(1,512)", "(8,4):(512,1)", "(4,8):(8,64)", "(8,2):(1,64)", "1:0",
                "32:0", "33:1", "8:-1"})}},
        {"bits", numbers_of_bits()},
        {"swizzled", {swizzled_layouts("o0o"), swizzled_layouts("o1o"), swizzled_layouts("o-2o"), swizzled_overlapping()}},
        {"overlapping", {overlapping_layouts()}},
        {"cancelling", {read(cancelling)}},
        {"stepping", {stepping_layouts()}}};
  }();
  return all;
}

}  // namespace colex
