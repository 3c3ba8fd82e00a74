// What pictures promise: cells that agree with the layouts, labels where they can be read, SVG that is XML.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "ref/tiling_arguments.hpp"
#include "tests/suite/picture/make_picture.hpp"
#include "tests/suite/picture/render.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <sstream>

namespace colex {
namespace {

picture drawn(std::string const& line, picture_options const& asked = {}) { return make_picture(line, asked); }
panel const& panel_called(picture const& p, std::string const& name) {
  return *std::find_if(p.panels.begin(), p.panels.end(), [&](panel const& x) { return x.name == name; });
}
std::pair<integer, integer> thread_and_value(cell const& c) {
  std::size_t const v = c.label.find("\nV");
  return {integer(c.label.substr(1, v - 1)), integer(c.label.substr(v + 2))};
}
// Each cell's thread and value lead, by the layout (thread, value) -> index, to that cell.
void agrees(panel const& p, ref::layout const& tv, bool transposed) {
  for (std::size_t r = 0; r < p.rows; ++r)
    for (std::size_t c = 0; c < p.columns; ++c) {
      auto const [t, v] = thread_and_value(p.at(r, c));
      ASSERT_EQ(print(tv(tuple_of({value(t), value(v)}))), std::to_string(transposed ? c + r * p.columns : r + c * p.rows))
          << p.name << " at " << r << ", " << c;
    }
}

TEST(picture, of_tilings_agrees_with_their_layouts) {
  for (std::string const line :
       {"UniversalFMA (16,16,1):(16,1,0) <(16,4):(4,1),(16,4):(4,1),_>", "SM70_8x8x4_F32F16F16F32_NT (2,2,1):(1,2,0) <_,_,_>",
        "SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) <32,32,16>",
        "SM80_16x8x8_F32F16F16F32_TN (4,1,1):(1,0,0) <_,(8,2):(2,1),_>",
        "SM90_64x16x16_F32F16F16_SS (2,1,1):(1,0,0) <_,_,_>"}) {
    picture const p = drawn("tiled_mma " + line);
    for (std::string const x : {"A", "B", "C"}) {
      answer const tv = ref::respond(parse_request("tiled_mma_layout" + x + "_TV " + line));
      ASSERT_TRUE(tv) << print(tv);
      agrees(panel_called(p, x), ref::from_value(tv.result), x == "B");
    }
  }
}
TEST(picture, of_copies_agrees_with_their_layouts) {
  for (std::string const line :
       {"UniversalCopy<uint128_t> half_t (16,8):(8,1) (1,8):(0,1)", "SM75_U32x4_LDSM_N half_t (32,1):(1,0) (1,8):(0,1)",
        "SM75_U16x8_LDSM_T half_t (4,8):(1,4) (2,4):(1,2)",
        "make_tiled_copy_A SM75_U32x4_LDSM_N half_t SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) <32,32,16>"}) {
    std::string const make = line.starts_with("make") ? "tiled_copy_A_layout" : "tiled_copy_layout";
    picture const p = drawn("tiled_copy " + line);
    for (std::string const x : {"S", "D"})
      agrees(panel_called(p, x), ref::from_value(ref::respond(parse_request(make + x + "_TV " + line)).result), false);
  }
}
TEST(picture, of_a_partition_is_that_of_each_thread) {
  std::string const call = "partition_C SM80_16x8x16_F32F16F16F32_TN (2,1,1):(1,0,0) <_,_,_> ";
  picture const p = drawn(call + "(64,24):(24,1)");
  for (int const t : {0, 31, 37, 63}) {
    value const view = ref::respond(parse_request(call + "(64,24):(24,1) " + std::to_string(t))).result;
    for (integer i = 0; i < size(view); ++i) {
      std::size_t const offset = static_cast<std::size_t>(value_at(view, i).number);
      EXPECT_EQ(p.panels[0].at(offset / 24, offset % 24).label, "T" + std::to_string(t) + "\nV" + i.str());
    }
  }
}
TEST(picture, of_a_copied_tensor_is_that_of_each_thread) {
  std::string const call = " UniversalCopy<uint128_t> half_t (16,8):(8,1) (1,8):(0,1) (16,64):(64,1)";
  for (std::string const op : {"partition_S", "partition_D"}) {
    picture const p = drawn(op + call);
    for (int const t : {0, 31, 77, 127}) {
      std::size_t const offset =
          static_cast<std::size_t>(value_at(ref::respond(parse_request(op + call + " " + std::to_string(t))).result, 3).number);
      EXPECT_EQ(p.panels[0].at(offset / 64, offset % 64).label, "T" + std::to_string(t) + "\nV3");
    }
  }
}
TEST(picture, masks_what_lies_past_the_end) {
  picture const whole = drawn("partition_C UniversalFMA (4,4,1):(4,1,0) <_,_,_> (8,8):(8,1)"),
                cut = drawn("partition_C UniversalFMA (4,4,1):(4,1,0) <_,_,_> (6,7):(7,1)");
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(cut.panels[0].at(r, c).owner, whole.panels[0].at(r, c).owner);
  EXPECT_NE(cut.panels[0].title.find("22 values lie past the end"), std::string::npos) << cut.panels[0].title;
}
TEST(picture, highlights_all_that_a_thread_holds) {
  picture const p = drawn("SM90_64x16x16_F32F16F16_SS", {{"77"}, {}, 0, false});
  std::size_t bright = 0;
  for (cell const& c : panel_called(p, "A").cells) bright += !c.faded && c.owner == "T77";
  EXPECT_EQ(bright, 64u * 16);
  bright = 0;
  for (cell const& c : panel_called(p, "C").cells) bright += !c.faded;
  EXPECT_EQ(bright, 8u);
}
TEST(picture, of_an_element_that_threads_share_shows_the_first_or_the_highlighted) {
  auto const shown = [](std::vector<std::string> const& highlight) {
    panel const x = drawn("tv (2,2):(1,1) 3", {highlight, {}, 0, false}).panels.at(0);
    EXPECT_EQ(x.title, "1x3, each in up to 2 threads: the first is shown");
    return x.at(0, 1);
  };
  EXPECT_EQ(shown({}).label, "T0\nV1");
  EXPECT_EQ(shown({"1"}).label, "T1\nV0");
  EXPECT_FALSE(shown({"1"}).faded);
  EXPECT_EQ(shown({"0", "1"}).label, "T0\nV1");
  EXPECT_EQ(drawn("tv (2,2):(1,0) 2").panels.at(0).title, "1x2") << "a thread that holds it twice shares it with no other";
}
TEST(picture, of_one_thread_is_that_of_its_view) {
  for (std::string const line : {"partition_S UniversalCopy<uint128_t> half_t (16,8):(8,1) (1,8):(0,1) (16,64):(64,1) 5",
                                 "local_partition (8,8):(1,8) (2,2,1):(2,1,0) 3 (1,1,X)"})
    EXPECT_EQ(drawn(line).panels.at(0).title, "= " + show(ref::respond(parse_request(line)).result));
}
TEST(picture, of_tiles_names_them_in_tensors_of_any_rank) {
  panel const row = drawn("local_tile 8:1 <2>").panels.at(0), box = drawn("local_tile (4,4,2):(1,4,16) <2,2,1>").panels.at(0);
  ASSERT_EQ(row.rows, 1u);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(row.at(0, c).label, fmt::format("({})", c / 2));
    for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(box.at(r, c).label, fmt::format("({},{},{})", r / 2, c % 4 / 2, c / 4));
  }
}
TEST(picture, of_a_copy_by_one_thread_has_one_cell) {
  for (auto const& [atom, bits] : {std::pair("UniversalCopy<uint32_t>", "32"), std::pair("UniversalCopy<uint1b_t>", "1")}) {
    picture const p = drawn(atom);
    EXPECT_EQ(p.title, fmt::format("{}: cells of {} bits, in rows of up to 128 bits", atom, bits));
    EXPECT_EQ(panel_called(p, "S").cells.size(), 1u);
  }
}
TEST(picture, has_slices_of_the_modes_behind_the_second) {
  picture_options sliced;
  sliced.slices = true;
  EXPECT_EQ(drawn("(2,2,3):(1,2,4)", sliced).panels.size(), 3u);
  EXPECT_EQ(text_of(drawn("(2,2):(1,2)", sliced), false), text_of(drawn("(2,2):(1,2)"), false));
}
TEST(picture, of_values_is_the_layout) {
  for (std::string const line : {"((2,2),(4,2)):((1,8),(2,16))", "5 o (3,(2,4)):(-1,(40,7))", "(2,3,4):(12,4,1)", "7:3",
                                 "():()", "Sw<2,1,3> o 4 o (8,8):(8,1)"}) {
    picture const p = drawn(line);
    value const v = parse(line);
    panel const& x = p.panels.at(0);
    ASSERT_EQ(integer(x.cells.size()), size(v));
    for (std::size_t i = 0; i < x.cells.size(); ++i) {
      std::string const label = x.at(i % x.rows, i / x.rows).label;
      EXPECT_EQ(label.substr(0, label.find('\n')), print(value_at(v, integer(i)))) << line;
    }
  }
}
TEST(picture, says_what_is_too_large) {
  for (std::string const line : {"2000:1", "(1024,1024):(1,1024)", "(4,1000000000000):(1,4)", "Sw<60,0,60>", "rank 4:1", "foo"})
    EXPECT_ANY_THROW(drawn(line)) << line;
}
TEST(picture, of_banks_counts_four_bytes_each) {
  picture_options by_bank;
  by_bank.bank_bits = 16;
  panel const x = drawn("(2,64):(64,1)", by_bank).panels.at(0);
  EXPECT_EQ(x.at(0, 0).label, "0\nb0");
  EXPECT_EQ(x.at(0, 63).label, "63\nb31");
  EXPECT_EQ(x.at(1, 3).label, "67\nb1");
  std::set<int> colours;
  for (cell const& c : x.cells) colours.insert(c.colour);
  EXPECT_EQ(colours.size(), 32u);
}

TEST(picture, of_threads_and_values_says_what_is_left_and_what_is_too_much) {
  EXPECT_EQ(drawn("tv (4,2):(1,4) (4,2)").panels.at(0).title, "4x2");
  EXPECT_EQ(drawn("tv (4,2):(1,4) (4,4)").panels.at(0).title, "4x4, 8 of 16 elements belong to no thread");
  EXPECT_EQ(drawn("tv (4,2):(1,4) (2,2)").panels.at(0).title, "2x2, 4 values lie past the end");
  EXPECT_EQ(drawn("tv (3,2):(1,3) 5").panels.at(0).title, "1x5, 1 value lies past the end");
  EXPECT_THROW(drawn("tv 4:1 4"), not_drawn);
}
TEST(picture, of_an_access_has_a_panel_a_phase_and_a_row_a_wavefront) {
  picture const p = drawn("bank_conflict_phases (8,4):(64,8) 16b SM75_U32x4_LDSM_N");
  ASSERT_EQ(p.panels.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    panel const& x = p.panels[k];
    ASSERT_EQ(x.rows, 8u);
    for (std::size_t row = 0; row < 8; ++row)
      for (std::size_t bank = 0; bank < 32; ++bank)
        EXPECT_EQ(x.at(row, bank).label, bank / 4 == k ? "T" + std::to_string(8 * k + row) : "") << k << " " << bank;
    EXPECT_EQ(x.title, fmt::format("T{} to T{}: 8 wavefronts", 8 * k, 8 * k + 7));
    EXPECT_EQ(x.row_axis, "wavefront");
  }
  EXPECT_EQ(p.title, "bank_conflict_phases (8,4):(64,8) 16b SM75_U32x4_LDSM_N: wavefronts 8 + 8 + 8 + 8");
  EXPECT_EQ(drawn("bank_conflict_phases (2,16):(0,1) 32b 32b").panels.at(0).at(0, 3).label, "T6\n+1");
}

TEST(picture, of_a_linear_map_has_its_bits_and_its_values) {
  picture const p = drawn("to_f2 Sw<2,0,2>o0o(4,4):(4,1)");  // F2<4>((5,10),(1,2))
  ASSERT_EQ(p.panels.size(), 2u);
  panel const &bits = p.panels[0], &values = p.panels[1];
  ASSERT_TRUE(bits.rows == 4 && bits.columns == 4 && values.rows == 4 && values.columns == 4);
  for (std::size_t bit = 0; bit < 4; ++bit) {
    EXPECT_EQ(bits.at(bit, 0).label, bit % 2 == 0 ? "1" : "0");
    EXPECT_EQ(bits.at(bit, 3).label, bit == 1 ? "1" : "0");
  }
  EXPECT_EQ(values.at(3, 1).label, "14");
  EXPECT_THROW(drawn("F2<4>()"), not_drawn);
}

TEST(colours, show_quads_by_hue_and_lanes_by_shade) {
  panel const c = panel_called(drawn("SM80_16x8x16_F32F16F16F32_TN"), "C");
  for (std::size_t r = 0; r < c.rows; ++r)
    for (std::size_t n = 0; n < c.columns; ++n) {
      EXPECT_EQ(c.at(r, n).colour % hues, static_cast<int>(r % 8));
      EXPECT_EQ(c.at(r, n).colour / hues, static_cast<int>(n / 2));
    }
}
std::set<std::string> bright(panel const& x) {
  std::set<std::string> out;
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < x.columns; ++c)
      if (!x.at(r, c).faded) out.insert(fmt::format("{},{}", r, c));
  return out;
}
picture lit(std::string const& line, std::vector<std::string> const& highlight) {
  return drawn(line, {highlight, {}, 0, false});
}
TEST(highlight, an_element_or_a_slice_by_its_coordinate) {
  using cells = std::set<std::string>;
  EXPECT_EQ(bright(lit("(4,3):(1,4)", {"(2,1)"}).panels[0]), (cells{"2,1"}));
  EXPECT_EQ(bright(lit("(4,3):(1,4)", {"(_,1)", "(0,0)"}).panels[0]), (cells{"0,0", "0,1", "1,1", "2,1", "3,1"}));
  EXPECT_EQ(bright(lit("((2,2),3):((1,2),4)", {"((_,1),2)"}).panels[0]), (cells{"2,2", "3,2"}));
  EXPECT_EQ(bright(lit("(2,2,2):(1,2,4)", {"(0,_,1)"}).panels[0]), (cells{"0,2", "0,3"}));
  EXPECT_EQ(bright(lit("(2,2):(1,2)", {"3"}).panels[0]), (cells{"1,1"})) << "a value";
  EXPECT_EQ(bright(lit("local_tile (4,4):(1,4) <2,2>", {"(_,3)"}).panels[0]), (cells{"0,3", "1,3", "2,3", "3,3"}));
  EXPECT_THROW(lit("(4,3):(1,4)", {"(1,2,3)"}), not_drawn);
  EXPECT_THROW(lit("(4,3):(1,4)", {"12"}), not_drawn);
}
TEST(highlight, the_same_element_in_every_operand) {
  picture const p = lit("SM80_16x8x16_F32F16F16F32_TN", {"(3,5,2)"});
  EXPECT_EQ(bright(panel_called(p, "A")), (std::set<std::string>{"3,2"}));
  EXPECT_EQ(bright(panel_called(p, "B")), (std::set<std::string>{"2,5"})) << "B stands on its side";
  EXPECT_EQ(bright(panel_called(p, "C")), (std::set<std::string>{"3,5"}));
  EXPECT_EQ(bright(panel_called(lit("SM80_16x8x16_F32F16F16F32_TN", {"(3,5,_)"}), "A")).size(), 16u);
  EXPECT_THROW(lit("SM80_16x8x16_F32F16F16F32_TN", {"(3,5)"}), not_drawn);
}

TEST(colours, differ_where_threads_meet) {
  for (std::string const line :
       {"partition_C UniversalFMA (16,16,1):(16,1,0) <(16,4):(4,1),(16,4):(4,1),_> (128,128):(128,1)",
        "tv (256,1):(1,0) (2,128)", "tv (256,1):(1,0) (4,64)", "tv (256,1):(1,0) (8,32)", "tv (256,1):(1,0) (16,16)",
        "tv (256,1):(1,0) (32,8)", "tv (256,1):(1,0) (64,4)", "tv (256,1):(1,0) (128,2)"}) {
    panel const x = drawn(line).panels.at(0);
    for (std::size_t r = 0; r < x.rows; ++r)
      for (std::size_t c = 0; c < x.columns; ++c) {
        cell const& here = x.at(r, c);
        for (cell const* beside : {c + 1 < x.columns ? &x.at(r, c + 1) : &here, r + 1 < x.rows ? &x.at(r + 1, c) : &here})
          EXPECT_TRUE(beside->owner == here.owner || beside->colour != here.colour)
              << here.owner << " beside " << beside->owner;
      }
  }
}

TEST(svg, is_xml_without_scripts_in_light_and_dark) {
  for (std::string const line :
       {"(4,8):(1,4)", "Sw<2,3,3>", "SM120_SPARSE_16x8x64_TN_VS<float_e5m2_t,float_e2m3_t,float,float_ue8m0_t,64>",
        "permutations 128 16 (16,4):(4,1)"}) {
    std::string const text = svg_of(drawn(line));
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(text.c_str())) << line;
    EXPECT_STREQ(document.document_element().name(), "svg");
    EXPECT_EQ(text.find("<script"), std::string::npos);
    EXPECT_NE(text.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_EQ(text, svg_of(drawn(line)));
  }
}
TEST(svg, has_nothing_where_nobody_is_and_escapes_titles) {
  picture p = drawn("tv (2,1):(1,0) (2,2)");
  p.title = "a<b>&c";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg_of(p).c_str()));
  pugi::xml_node const svg = document.document_element();
  EXPECT_STREQ(svg.child_value("title"), "a<b>&c");
  EXPECT_EQ(std::distance(svg.children("path").begin(), svg.children("path").end()), 3) << "T0, T1 and the grid";
  EXPECT_EQ(std::distance(svg.child("g").children("text").begin(), svg.child("g").children("text").end()), 4);
}
TEST(svg, has_a_style_of_its_own) {
  std::string const text = svg_of(drawn("SM80_16x8x16_F32F16F16F32_TN"));
  std::size_t const begin = text.find("<style>") + 7;
  std::istringstream lines(text.substr(begin, text.find("</style>") - begin));
  std::size_t rules = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find('{') != line.npos && line[0] != '@') {
      EXPECT_TRUE(line.starts_with(".colex-picture")) << line;
      ++rules;
    }
  EXPECT_GT(rules, 20u);
  EXPECT_NE(text.find("class=\"colex-picture\""), text.npos);
}
TEST(svg, lights_a_thread_in_every_panel) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg_of(drawn("SM80_16x8x16_F32F16F16F32_TN")).c_str()));
  std::string cells;
  for (pugi::xml_node const path : document.document_element().children("path"))
    if (std::string_view(path.child_value("title")) == "T5") {
      EXPECT_TRUE(cells.empty()) << "one path for all that it holds";
      cells = path.attribute("d").value();
    }
  EXPECT_EQ(std::count(cells.begin(), cells.end(), 'M'), 4 + 4 + 2) << "runs of A, of B and of C: " << cells;
}
TEST(svg, names_axes_and_says_what_colours_mean) {
  std::string const text = svg_of(drawn("SM80_16x8x16_F32F16F16F32_TN"));
  for (std::string const part : {">m</text>", ">n</text>", ">k</text>", ">hue: four lanes</text>", ">T28-31</text>"})
    EXPECT_NE(text.find(part), text.npos) << part;
  EXPECT_NE(svg_of(drawn("(4,8):(1,4)")).find(">mode 1</text>"), text.npos);
  EXPECT_NE(svg_of(drawn("Sw<3,3,3>o0o(8,8):(8,1)")).find(">hue: four banks together</text>"), text.npos);
}
TEST(svg, names_blocks_where_cells_are_too_small_for_labels) {
  std::string const line = "partition_C UniversalFMA (16,16,1):(16,1,0) <(16,4):(4,1),(16,4):(4,1),_> (128,128):(128,1)";
  std::string const text = svg_of(drawn(line));
  std::size_t names = 0;
  for (std::size_t at = 0; (at = text.find(">T255</text>", at)) != text.npos; ++at) ++names;
  EXPECT_EQ(names, 4u);
  EXPECT_NE(latex_of(drawn(line)).find("\\tiny T255"), text.npos);
}
TEST(svg, leaves_labels_away_where_they_could_not_be_read) {
  EXPECT_NE(svg_of(drawn("(64,64):(1,64)")).find(">4095</text>"), std::string::npos);
  EXPECT_EQ(svg_of(drawn("(65,64):(1,65)")).find(">4159</text>"), std::string::npos);
}
TEST(text, has_colours_on_demand) {
  picture const p = drawn("(2,2):(1,2)");
  EXPECT_EQ(text_of(p, false), "(2,2):(1,2)\n\n   0  1\n0  0  2\n1  1  3\n");
  EXPECT_NE(text_of(p, true).find("\033[38;5;16;48;5;110m  0\033[0m"), std::string::npos) << text_of(p, true);
}
std::string coloured(std::string const& line, picture_options const& asked = {}) { return text_of(drawn(line, asked), true); }
bool holds(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
TEST(text, has_the_nearest_colour_of_a_terminal) {
  EXPECT_TRUE(holds(coloured("8:1"), "\033[38;5;16;48;5;142m  4\033[0m")) << "aaaa00";
  EXPECT_TRUE(holds(coloured("(2,2):(1@0,1@1)"), "\033[2m  (1,1)\033[0m")) << "what has no colour";
  EXPECT_TRUE(holds(coloured("tv (2,1):(1,0) (2,2)"), "T1 V0\033[0m\n")) << "nothing where nobody is";
}
TEST(text, leaves_labels_away_where_they_could_not_be_read) {
  std::string const text = coloured("(2,65):(1,2)");
  EXPECT_TRUE(holds(text, "\n 0       8       16 ")) << text;
  EXPECT_TRUE(holds(text, "\n1\033[38;5;16;48;5;117m \033[0m\033[")) << text;
  EXPECT_TRUE(holds(coloured("tv (2,65):(1,2) (2,65)", {{"0"}, {}, 0, false}), "\n1\033[2m.\033[0m"));
}
TEST(text, has_points_for_what_is_not_highlighted) {
  std::string const text = text_of(drawn("tv (2,2):(1,1) 3", {{"1"}, {}, 0, false}), false);
  EXPECT_TRUE(text.ends_with("\n0      .  T1 V0  T1 V1\n")) << text;
}
TEST(text, has_panels_of_any_height_beside_each_other) {
  picture p = drawn("(2,1):(1,0)");
  p.panels.push_back(drawn("1:0").panels.at(0));
  p.panels[1].place_column = 1;
  EXPECT_EQ(text_of(p, false), "(2,1):(1,0)\n\n   0      0\n0  0   0  0\n1  1\n");
}
TEST(text, folds_where_it_is_wider_than_asked) {
  for (std::string const line : {"partition_C UniversalFMA (16,16,1):(16,1,0) <(16,4):(4,1),(16,4):(4,1),_> (128,128):(128,1)",
                                 "(2,65):(1,2)", "SM80_16x8x16_F32F16F16F32_TN"}) {
    std::istringstream lines(text_of(drawn(line), false, 80));
    std::string title;
    std::getline(lines, title);
    for (std::string one; std::getline(lines, one);) EXPECT_LE(one.size(), 80u) << one;
  }
  EXPECT_EQ(text_of(drawn("(2,5):(1,2)"), false, 8),
            "(2,5):(1,2)\n\n   0  1\n0  0  2\n1  1  3\n\n   2  3\n0  4  6\n1  5  7\n\n   4\n0  8\n1  9\n");
  EXPECT_EQ(text_of(drawn("(2,5):(1,2)"), false, 16), text_of(drawn("(2,5):(1,2)"), false)) << "there is room for all";
}
TEST(latex, escapes_what_tex_would_read) {
  std::string const text = latex_of(drawn("SM75_U32x4_LDSM_N"));
  EXPECT_NE(text.find("SM75\\_U32x4\\_LDSM\\_N"), std::string::npos);
  EXPECT_EQ(text.find("SM75_"), std::string::npos);
  picture p = drawn("(2,2):(1,2)");
  p.title = "a\\b~c^d";
  EXPECT_NE(latex_of(p).find("a\\char`\\\\b\\char`\\~c\\char`\\^d"), std::string::npos) << latex_of(p);
}
TEST(latex, fills_a_hundred_rectangles_at_a_time) {
  auto const count = [](std::string const& text, std::string const& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++n;
    return n;
  };
  std::istringstream lines(latex_of(drawn("(32,32):(1,32)")));
  std::size_t all = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(count(line, " rectangle "), 100u);
    all += line.find("\\fill") != line.npos ? count(line, " rectangle ") : 0;
  }
  EXPECT_EQ(all, 32u * 32 + hues) << "and the legend";
}
TEST(latex, greys_what_is_not_highlighted) {
  std::string const text = latex_of(drawn("tv (2,1):(1,0) 2", {{"1"}, {}, 0, false}));
  EXPECT_TRUE(holds(text, "{fl}{T0}")) << text;
  EXPECT_TRUE(holds(text, "{l}{T1}")) << text;
}

}  // namespace
}  // namespace colex
