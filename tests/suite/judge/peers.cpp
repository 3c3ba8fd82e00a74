// The same questions to every implementation that is installed. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/peers.hpp"

#include "tests/suite/judge/conform.hpp"
#include "tests/suite/judge/evaluate.hpp"
#include "tests/suite/judge/open_question.hpp"

#include <filesystem>
#include <future>

namespace colex {

namespace {

constexpr peer::seconds patience{600};  // a compiler's: one answers when it has compiled all questions

std::string list_of_peers() {
  if (char const* const file = std::getenv("COLEX_PEERS")) return file;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peers/installed";
}

std::vector<std::string> split(std::string const& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

std::vector<installed_peer> all_installed() {
  std::string const file = list_of_peers();
  if (!std::filesystem::exists(file))
    throw bad_file(fmt::format("no list of implementations at {}: ./run peers --install", printable(file, 1000)));
  std::istringstream in(read_file(file));
  std::vector<installed_peer> peers;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> const words = split(line, '\t');
    if (words.size() < 2) throw bad_file(fmt::format("{}: no name and command: {}", printable(file, 1000), printable(line)));
    peers.push_back({words[0], {words.begin() + 1, words.end()}});
  }
  return peers;
}

std::string names_of(std::vector<installed_peer> const& peers) {
  std::vector<std::string> names;
  for (installed_peer const& p : peers) names.push_back(p.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Another inverse may be as good as the reference's.
verdict verdict_of(test_case const& q, answer const& said) {
  verdict const v = judge_case(q, said);
  return v > verdict::form && is_open(q.asked, q.expected, said) ? verdict::pass : v;
}

opinion opinion_of(test_case const& q, reply const& r) {
  if (!r.died.empty()) return {.died = r.died};
  return {.what = verdict_of(q, r.got), .said = r.got};
}

witness hear(installed_peer const& p, std::vector<test_case> const& questions) try {
  peer program(p.command, patience);
  witness w{p.name, program.who().version, {}};
  std::vector<std::string> lines;
  linear_maps maps;
  for (test_case const& q : questions) {
    std::string const limit = is_operation(q.asked.op) ? not_taken(q, program, maps) : "no operation " + q.asked.op;
    if (limit.empty()) lines.push_back(print(q.asked));
    w.opinions.push_back(
        {verdict::unsupported, {status::unsupported, {}, limit.empty() ? "" : "it " + why_not_asked(limit)}, {}});
  }
  std::vector<reply> const replies = program.ask(lines);
  auto next = replies.begin();
  for (std::size_t k = 0; k < questions.size(); ++k)
    if (w.opinions[k].said.reason.empty()) w.opinions[k] = opinion_of(questions[k], *next++);
  return w;
} catch (no_program const& e) {
  return {p.name, "", std::vector<opinion>(questions.size(), {.died = e.what()})};
}

}  // namespace

std::vector<installed_peer> installed_peers(std::string const& names) {
  std::vector<installed_peer> const all = all_installed();
  if (names == "all") return all;
  std::vector<installed_peer> wanted;
  for (std::string const& name : split(names, ',')) {
    auto const at = std::find_if(all.begin(), all.end(), [&](installed_peer const& p) { return p.name == name; });
    if (at == all.end())
      throw usage_error(
          fmt::format("no implementation installed is called '{}'; there are {}", printable(name), names_of(all)));
    wanted.push_back(*at);
  }
  return wanted;
}

std::vector<witness> ask_peers(std::vector<installed_peer> const& peers, std::vector<test_case> const& questions) {
  std::vector<std::future<witness>> asked;
  for (installed_peer const& p : peers) asked.push_back(std::async(std::launch::async, hear, p, questions));
  std::vector<witness> heard;
  for (auto& each : asked) heard.push_back(each.get());
  return heard;
}

}  // namespace colex
