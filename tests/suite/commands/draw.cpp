// Pictures: one, or every figure that a list names. SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/layout.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/figures.hpp"

namespace colex {
namespace {

int draw_picture(draw_command c) {
  return on_line(c.words, [&](reading const& read) {
    try {
      c.asked.element_bits = read.from.element_bits;
      draw(read.text, c);
      return good;
    } catch (unanswered const& e) {
      complain(show(e.what));
    } catch (ref::undecided const& e) {
      complain(show(answer{status::undecided, {}, e.what()}));
    } catch (ref::undefined const& e) {
      complain(std::string("undefined ") + e.what());
    } catch (ref::unspecified const& e) {
      complain(std::string("unspecified ") + e.what());
    }
    return fails;
  });
}

struct figures_command {
  std::string folder = "spec/figures";
  bool check = false;
};

}  // namespace

void add_draw(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("draw", "a picture: values, threads, banks");
  sub->footer(
      "examples: colex draw '(4,8):(8,1)'\n"
      "          colex draw SM80_16x8x16_F32F16F16F32_TN --highlight 5 -o atom.svg");
  auto const c = std::make_shared<draw_command>();
  add_draw_options(*sub, *c);
  sub->callback([&status, c] { status = draw_picture(*c); });
}

void add_figures(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("figures", "draw every figure that FOLDER/figures.txt lists");
  sub->footer("example: colex figures pictures, where pictures/figures.txt has lines such as `a.svg | (4,8):(8,1)`");
  auto const c = std::make_shared<figures_command>();
  sub->add_option("FOLDER", c->folder, "where the list is and the figures go (default: spec/figures)");
  sub->add_flag("--check", c->check, "write nothing: name the figures that are not what would be drawn");
  sub->callback([&status, c] { status = draw_figures(c->folder, c->check) == 0 ? good : fails; });
}

}  // namespace colex
