// Swizzles, linear maps over bits, and layouts that are such maps, small ones and those at the limits of a value.
// SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/small_rows.hpp"

namespace colex::rows {

namespace {

// Linear maps: all of one mode up to 3 bits on either side; the bases of each in two modes, and in one with one around it.
row small_maps() {
  row out;
  for (int width = 0; width <= 3; ++width)
    for (int count = 0; count <= 3; ++count)
      for (int k = 0; k < 1 << width * count; ++k) {
        value bases = tuple_of({});
        for (int j = 0; j < count; ++j) bases.items.emplace_back(k >> width * j & ((1 << width) - 1));
        out.push_back({kind::f2, {value(width), std::move(bases)}});
      }
  return out;
}
row maps_by_modes() {
  row out;
  for (value const& f : small_maps()) {
    value front = tuple_of({}), rest = tuple_of({});
    for (value const& b : f.items[1].items) (front.items.empty() ? front : rest).items.push_back(b);
    out.push_back({kind::f2, {f.items[0], tuple_of({front, rest})}});
    out.push_back({kind::f2, {f.items[0], tuple_of({tuple_of({rest, tuple_of({})}), tuple_of({front})})}});
  }
  return out;
}
// As many bits, modes and parentheses as a map holds, and one more; layouts behind swizzles, and what is none.
texts const map_limits = {
    "F2<64>()",
    "F2<64>(18446744073709551615)",
    "F2<64>(9223372036854775808,0)",
    "F2<64>((9223372036854775808),(1,3))",
    "F2<63>(9223372036854775807,4611686018427387904)",
    "F2<65>()",
    "F2<65>(1,18446744073709551616)",
    "F2<32>(1,2147483648)",
    "F2<1>" + times(62, "0"),
    "F2<1>" + times(63, "0"),
    "F2<1>" + times(64, "0"),
    "F2<1>" + times(64, "1"),
    "F2<1>" + times(65, "0"),
    "F2<2>(" + times(40, "0") + "," + times(24, "2") + ",())",
    "F2<6>((" + repeated(32, "1,5", ",") + "))",
    "F2<6>" + times(33, "1,8"),
    "F2<2>" + times(31, "(2)"),
    "F2<2>" + times(32, "()"),
    "F2<2>" + times(33, "(1)"),
    "F2<2>" + nested(254, "(1),(2)"),
    "F2<2>" + nested(255, "()"),
    "F2<2>" + nested(256, "1,2"),
};
texts const swizzled_maps = {
    "F2<4>((1,2),(5,10))",
    "F2<4>(5,10,4,8)",
    "F2<4>(1,2,4,8)",
    "F2<6>((1,2,4),(9,18,36))",
    "F2<6>((9,18,36),(8,16,32))",
    "F2<6>((1,2,4),(9,18,32))",
    "F2<6>(8,16,33,2,4)",
    "F2<7>(1,2,4,24,48,96)",
    "F2<4>(3,6,12,9)",
    "F2<5>((1,6),(10,16))",
    "F2<6>(0,0,3,6,32)",
    "F2<10>((1,2,4),(8,16,32),(72,144,288))",
    "F2<3>((1),((2),(4)))",
    "F2<8>((1,2,4,8),(17,34,68,136))",
    "F2<64>(1,9223372036854775808,4294967297,8589934594)",
};

}  // namespace

pool swizzles() {
  row all = read({"Sw<1,61,1>",  "Sw<1,62,1>",  "Sw<1,0,62>",  "Sw<1,0,63>",   "Sw<2,59,2>",   "Sw<1,58,3>",   "Sw<1,59,3>",
                  "Sw<1,57,4>",  "Sw<1,0,-62>", "Sw<1,0,-63>", "Sw<30,1,31>",  "Sw<31,0,31>",  "Sw<32,0,-32>", "Sw<62,0,62>",
                  "Sw<63,0,63>", "Sw<1,100,1>", "Sw<0,62,5>",  "Sw<20,20,20>", "Sw<21,20,21>", "Sw<1,59,1>",   "Sw<1,60,1>"});
  row few_bits;
  for (int b = 0; b <= 3; ++b)
    for (int m = 0; m <= 4; ++m)
      for (int s = -4; s <= 4; ++s)
        if (std::abs(s) >= b) few_bits.push_back({kind::swizzle, {value(b), value(m), value(s)}});
  return {few_bits, all, few_bits};
}

pool maps() {
  row all = small_maps(), limits = read(map_limits);
  all.insert(all.end(), limits.begin(), limits.end());
  return {all, maps_by_modes(), read(swizzled_maps)};
}

row linear_layouts() {
  row out = read({"(4,4):(1,4)",
                  "((2,2),4):((4,1),8)",
                  "(4,4):(0,1)",
                  "(2,4):(3,4)",
                  "2:3",
                  "4:3",
                  "(2,2):(1,1)",
                  "(1,2):(5,-1)",
                  "2:-1",
                  "(1,4):(-7,2)",
                  "(1,2):(1@0,2)",
                  "2:1@0",
                  "(2,2):(2,4611686018427387904)",
                  "4:4611686018427387904",
                  "8:4611686018427387904",
                  "0o(4,4):(4,1)",
                  "4o(4,4):(4,1)",
                  "0o2:1@0",
                  "(0,0)o2:1",
                  "():()",
                  "0o():()",
                  "(8,8,2):(1,8,0)",
                  "(2,2,2):(1,6,8)",
                  "(4,2):(2,16)",
                  "(2,8):(5,2)",
                  "(2,4):(64,0)",
                  "4294967296:4294967296",
                  "4294967296:4294967295",
                  "9223372036854775808:1",
                  "(4294967296,4294967296):(0,1)"});
  pool const behind = swizzles();
  for (value const& w : behind[0])
    for (char const* a : {"8:1", "(4,2):(2,1)", "(4,2):(2,8)", "(2,2,2):(1,16,64)", "(2,2):(3,4)"})
      out.push_back({kind::composed, {w, value(0), parse(a)}});
  return out;
}

}  // namespace colex::rows
