// An adapter to start from: reads requests and layouts, and writes layouts. It offers nothing until `answer` does, and a run
// says so. It needs no library.
//   g++ -std=c++17 -O2 template.cpp -o my-layouts && colex conform -- ./my-layouts
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct tuple {  // an integer, or a list
  long long number = 0;
  std::vector<tuple> items;
  bool is_list = false;
};
struct layout {  // yours instead
  tuple shape, stride;
};

struct no_word : std::runtime_error {  // of the notation, that this adapter has not
  using std::runtime_error::runtime_error;
};

tuple read_tuple(std::istream& in) {
  tuple t;
  if (in.peek() != '(') {
    if (!(in >> t.number)) throw no_word("an integer");
    return t;
  }
  t.is_list = true;
  in.get();
  while (in.peek() != ')') {
    t.items.push_back(read_tuple(in));
    if (in.peek() == ',') in.get();
  }
  in.get();
  return t;
}
layout read_layout(std::istream& in) {
  layout a;
  in >> std::ws;
  a.shape = read_tuple(in);
  if (in.get() != ':') throw no_word("a layout");
  a.stride = read_tuple(in);
  return a;
}
std::string show(tuple const& t) {
  if (!t.is_list) return std::to_string(t.number);
  std::string s;
  for (tuple const& each : t.items) s += (s.empty() ? "" : ",") + show(each);
  return "(" + s + ")";
}
std::string show(layout const& a) { return show(a.shape) + ":" + show(a.stride); }

std::string answer(std::string const& line) try {
  std::istringstream in(line);
  std::string operation;
  in >> operation;
  if (operation == "hello") return "colex 1 my-layouts 0.1 int=64";  // what a long long holds; operations may follow
  layout const a = read_layout(in);
  // if (operation == "composition") return show(composition(a, read_layout(in)));
  if (in >> std::ws && !in.eof()) return "unsupported more arguments";
  // if (operation == "size") return std::to_string(size(a));
  // if (operation == "coalesce") return show(coalesce(a));
  return "unsupported";
} catch (no_word const& e) {
  return std::string("unsupported ") + e.what();
} catch (std::exception const& e) {  // your implementation refuses
  return std::string("undefined ") + e.what();
}

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(line) << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();  // nothing more has come: somebody waits
  }
}
