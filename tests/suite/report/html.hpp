// Elements of a page. What is text in it stays text, whoever says it: pugixml escapes it, and `write` and `set` are the only
// ways in. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/peer/printable.hpp"

#include <pugixml.hpp>

#include <algorithm>

namespace colex::html {

using node = pugi::xml_node;

// An element without any would close itself, which HTML does not know.
inline void write(node at, std::string const& text) {
  at.append_child(pugi::node_pcdata).set_value(printable(text, text.size()).c_str());
}
inline void set(node at, char const* name, std::string const& value) {
  at.append_attribute(name).set_value(printable(value, value.size()).c_str());
}
inline node add(node parent, char const* tag, std::string const& css = {}) {
  node n = parent.append_child(tag);
  if (!css.empty()) set(n, "class", css);
  return n;
}
inline node add_text(node parent, char const* tag, std::string const& text, std::string const& css = {}) {
  node n = add(parent, tag, css);
  write(n, text);
  return n;
}
inline node add_link(node parent, std::string const& to, std::string const& text) {
  node n = add_text(parent, "a", text);
  set(n, "href", "#" + to);
  return n;
}
// A place where a line may break behind each _.
inline void write_name(node at, std::string const& name) {
  for (std::size_t from = 0; from < name.size();) {
    std::size_t const to = std::min(name.find('_', from), name.size() - 1) + 1;
    write(at, name.substr(from, to - from));
    if (to < name.size()) at.append_child("wbr");
    from = to;
  }
}
// Backquotes as in Markdown.
inline void write_prose(node at, std::string const& text) {
  bool is_code = false;
  for (std::size_t from = 0; from <= text.size(); is_code = !is_code) {
    std::size_t const to = std::min(text.find('`', from), text.size());
    if (is_code)
      add_text(at, "code", text.substr(from, to - from));
    else
      write(at, text.substr(from, to - from));
    from = to + 1;
  }
}
// A table that scrolls by itself where the page is narrow.
inline node add_table(node parent, std::string const& css) {
  node frame = add(parent, "div", "wide");
  set(frame, "tabindex", "0");
  return add(frame, "table", css);
}
inline node add_details(node parent, bool open) {
  node n = add(parent, "details");
  if (open) set(n, "open", "");
  return n;
}

}  // namespace colex::html
