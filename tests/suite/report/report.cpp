// What a run of the suite tells. Computes no verdict; conform.cpp has.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pugixml.hpp>

#include <unistd.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

namespace colex {

bool regression(run_report const& run, law_report const& r) {
  return (r.failed(run.asked.exact) && !r.known) || (r.lost && !run.asked.allow_lost);
}
bool passed(run_report const& run, law_report const& r) {
  return !r.failed(run.asked.exact) && (r.outcome() == verdict::pass || r.outcome() == verdict::form);
}

std::size_t count_laws(run_report const& run, bool (*which)(run_report const&, law_report const&)) {
  return static_cast<std::size_t>(
      std::count_if(run.laws.begin(), run.laws.end(), [&](law_report const& r) { return which(run, r); }));
}

std::size_t evaluations(run_report const& run) {
  std::size_t n = 0;
  for (law_report const& r : run.laws) n += r.evaluations;
  return n;
}

namespace {

std::string shell_word(std::string const& word) {
  auto const plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./=:,+@%", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string s = "'";
  for (char const c : word) s += c == '\'' ? "'\\''" : std::string(1, c);
  return s + "'";
}

}  // namespace

std::string again(run_report const& run, law_report const& r) {
  std::string only = r.name;
  for (auto const& [name, v] : r.found->where) only += " " + name + "=" + print(v);
  if (!r.row) only += " " + r.found->line;
  std::string command = "colex conform";
  if (run.asked.exact) command += " --exact";
  if (run.asked.timeout != options{}.timeout) command += fmt::format(" --timeout {}", run.asked.timeout);
  command += " --only " + shell_word(only) + " --";
  for (std::string const& word : run.asked.program) command += " " + shell_word(word);
  return command;
}

namespace {

std::string grouped(std::size_t n) {
  std::string s = std::to_string(n);
  for (int at = static_cast<int>(s.size()) - 3; at > 0; at -= 3) s.insert(static_cast<std::size_t>(at), 1, ',');
  return s;
}
std::string counted(std::size_t n, char const* what) { return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s"); }

// ---- one failure ----

// An argument by the name it is bound to, otherwise as it is.
std::string by_its_name(value const& v, std::vector<binding>& unused) {
  for (auto at = unused.begin(); at != unused.end(); ++at)
    if (at->second == v) {
      std::string name = at->first;
      unused.erase(at);
      return name;
    }
  return clipped(print(v), 60);
}
std::string call(request const& r, std::vector<binding> unused) {
  std::string s = r.op + "(";
  for (std::size_t k = 0; k < r.args.size(); ++k) s += (k ? ", " : "") + by_its_name(r.args[k], unused);
  return s + ")";
}

// What the program answered, and what the reference answers there: the first place where they differ.
std::pair<std::string, std::string> notes(finding const& f) {
  if (f.asked.empty()) return {};
  auto const& [asked, got] = f.asked[f.culprit.value_or(f.asked.size() - 1)];
  std::string const what = call(asked, f.where) + " = ";
  std::string const said = printable(print(got));
  bool const told = f.what == verdict::died || said == f.left;
  return {told ? call(asked, f.where) : what + said,
          f.culprit ? "the reference: " + what + printable(print(f.expected)) : std::string()};
}

// At most `lines` lines; the last takes what is left.
std::string where_lines(finding const& f, std::size_t lines) {
  if (f.where.empty()) return fmt::format("  where  {}\n", clipped(f.line));
  std::string s;
  for (std::size_t k = 0; k < f.where.size(); ++k) {
    bool const new_line = k < lines;
    if (k > 0) s += new_line ? "\n" : ", ";
    if (new_line) s += k == 0 ? "  where  " : "         ";
    s += f.where[k].first + " = " + clipped(show(f.where[k].second), new_line ? 160 : 60);
  }
  return s + "\n";
}

std::string effort(run_report const& run, law_report const& r) {
  if (run.asked.only) return "1 input";
  if (!r.row) return counted(r.input, "case");
  std::string s = fmt::format("{}, {}, seed {}", counted(r.input, "input"), counted(r.shrinks, "shrink"), run.asked.seed);
  if (!r.found->was_asked) return s + " (never asked)";
  if (!r.alone) return s + " (not when asked alone: not shrunk)";
  if (!r.shrunk_out) s += fmt::format(" (stopped after {} tries: smaller ones may fail too)", r.tries);
  return s;
}

// The laws folded under this one, counted by what they have to do with it.
std::string also(run_report const& run, law_report const& r, bool verbose) {
  std::size_t own = 0, others = 0;
  std::string names;
  for (law_report const& other : run.laws) {
    if (other.under == law_report::alone_standing || &run.laws[other.under] != &r) continue;
    ++(other.operation == r.operation ? own : others);
    names += "         " + std::string(name_of(other.outcome())) + " " + other.name + "\n";
  }
  if (own + others == 0) return {};
  std::string s = "  also broken: ";
  if (own) s += fmt::format("{} of {}", counted(own, "law"), r.operation) + (others ? ", " : "");
  if (others) s += fmt::format("{} that use{} {}", counted(others, "law"), others == 1 ? "s" : "", r.operation);
  return s + "\n" + (verbose ? names : "");
}

std::string headline(law_report const& r) {
  verdict const v = r.outcome();
  std::string const head = "FAIL " + r.name + (v == verdict::wrong ? "" : fmt::format("  {}", name_of(v)));
  return r.stated.empty() ? head + "\n" : fmt::format("{:<60} {}\n", head, r.stated);
}

std::string failure(run_report const& run, law_report const& r, bool verbose) {
  std::string s = headline(r) + fmt::format("  law    {}\n", r.statement);
  if (r.lost) return s + fmt::format("  lost   the baseline has it as {}\n", name_of(run.asked.baseline.laws.at(r.name).what));
  if (r.outcome() == verdict::vanished)
    return s +
           fmt::format("  after  {}: the answer to `hello` lists {}, and every request was answered `unsupported`\n",
                       counted(r.evaluations, "input"), r.operation) +
           also(run, r, verbose);
  if (!r.found) {
    return s + fmt::format("  after  {} of {} inputs did not satisfy the hypothesis; a fifth of them may\n",
                           grouped(r[verdict::vacuous]), grouped(r.evaluations));
  }
  finding const& f = *r.found;
  std::string const others = also(run, r, verbose);
  auto const [said, should] = notes(f);
  std::string const left = clipped(f.left), right = clipped(f.right);
  std::size_t const widest = std::max(left.size(), right.size()), wide = widest > 40 ? 0 : widest;
  s += where_lines(f, others.empty() ? 4 : 3);
  auto const side = [&](char const* name, std::string const& text, std::string const& note) {
    bool const says_more = !note.empty() && !note.ends_with(" = " + text);  // not the same once more
    return says_more ? fmt::format("  {}  {:<{}}    {}\n", name, text, wide, clipped(note))
                     : fmt::format("  {}  {}\n", name, text);
  };
  s += side("left ", left, said) + side("right", right, should);
  return s + fmt::format("  after  {}\n  again  {}\n", effort(run, r), again(run, r)) + others;
}

// ---- the summary ----

// For each operation that does not simply pass: how many of its laws came to what.
std::string operations_that_fail(run_report const& run) {
  std::map<std::string, std::map<verdict, std::size_t>> laws;
  for (law_report const& r : run.laws) ++laws[r.operation][r.outcome()];
  std::string s;
  for (auto const& [operation, outcomes] : laws) {
    if (outcomes.rbegin()->first <= verdict::undefined) continue;
    std::string line;
    for (auto const& [v, n] : outcomes) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", n, name_of(v));
    s += fmt::format("{:<24} {}\n", operation, line);
  }
  return s.empty() ? s : s + "\n";
}

std::string share_of(std::size_t part, std::size_t all) {
  return fmt::format("{:.1f}%", all ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0);
}

std::string table(run_report const& run) {
  std::string s = fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", "law", "verdict", "evaluations", "vacuous", "undefined");
  for (law_report const& r : run.laws)
    s += fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", r.name, name_of(r.outcome()), grouped(r.evaluations),
                     share_of(r[verdict::vacuous], r.evaluations), share_of(r[verdict::undefined], r.evaluations));
  return s + "\n";
}

// One line for each verdict there was, and for `silent` always.
std::string verdicts(run_report const& run) {
  std::string s;
  for (std::size_t v = 0; v < verdict_name.size(); ++v) {
    std::size_t laws = 0, evaluations = 0;
    for (law_report const& r : run.laws) {
      laws += static_cast<std::size_t>(r.outcome()) == v;
      evaluations += r.count[v];
    }
    if (laws + evaluations == 0 && v != static_cast<std::size_t>(verdict::silent)) continue;
    s += fmt::format("{:<12} {:>5} law{} {:>12} evaluation{}\n", verdict_name[v], laws, laws == 1 ? " " : "s",
                     grouped(evaluations), evaluations == 1 ? "" : "s");
  }
  return s;
}

// Of a shard nobody can say.
bool nothing_judged(run_report const& run) {
  return run.asked.part.whole() &&
         std::none_of(run.laws.begin(), run.laws.end(), [](law_report const& r) { return r.judged(); });
}

// Did it fail, as the baseline has it?
bool failed_before(run_report const& run, law_report const& r) {
  auto const at = run.asked.baseline.laws.find(r.name);
  return at != run.asked.baseline.laws.end() && at->second.what > verdict::form;
}

std::string lost_notes(run_report const& run) {
  std::string s;
  for (law_report const& r : run.laws)
    if (r.lost)
      s += fmt::format("lost: {} was {} in the baseline and is {}\n", r.name, name_of(run.asked.baseline.laws.at(r.name).what),
                       name_of(r.outcome()));
  for (std::string const& op : run.lost) s += fmt::format("lost: {} was offered in the baseline and is not any more\n", op);
  if (!s.empty() && run.asked.allow_lost) s += "what is lost may be, as --allow-lost says\n";
  for (std::string const& op : run.lacking) s += fmt::format("lacking: {} is required and not offered\n", op);
  return s;
}

// Inputs that were not asked, by the limit outside of which they lie.
std::string not_covered_notes(run_report const& run) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> inputs_and_laws;
  for (law_report const& r : run.laws)
    for (auto const& [limit, n] : r.not_covered) inputs_and_laws[limit].first += n, ++inputs_and_laws[limit].second;
  std::string s;
  for (auto const& [limit, n] : inputs_and_laws)
    s += fmt::format("not covered, as the program declares {}: {} of {}\n", printable(limit), counted(n.first, "input"),
                     counted(n.second, "law"));
  return s;
}

std::string baseline_notes(run_report const& run) {
  std::string s = lost_notes(run);
  for (law_report const& r : run.laws)
    if (failed_before(run, r) && passed(run, r)) s += fmt::format("passes now, though the baseline lists it: {}\n", r.name);
  std::size_t const known = count_laws(run, [](run_report const&, law_report const& r) { return r.known; });
  if (known) s += fmt::format("{} known to fail, as the baseline says\n", counted(known, "law"));
  return s;
}

std::string out_of_time(run_report const& run) {
  std::vector<std::string> names;
  for (law_report const& r : run.laws)
    if (r.evaluations == 0) names.push_back(r.name);
  if (run.asked.time <= 0 || names.empty()) return {};
  return fmt::format("the time was out before {}: {}\n", counted(names.size(), "law"), fmt::join(names, " "));
}

}  // namespace

int exit_code(run_report const& run) {
  bool const lost = !run.lost.empty() && !run.asked.allow_lost;
  bool failed = nothing_judged(run) || lost || !run.lacking.empty(), died = false;
  for (law_report const& r : run.laws)
    if (regression(run, r)) {
      failed = true;
      died = died || r[verdict::died] > 0;
    }
  return died ? 3 : failed ? 1 : 0;
}

std::string text_of(run_report const& run, bool verbose) {
  std::string s;
  for (law_report const& r : run.laws)
    if (regression(run, r) && !r.lost && r.under == law_report::alone_standing) s += failure(run, r, verbose) + "\n";
  s += operations_that_fail(run);
  if (verbose) s += table(run);
  s += verdicts(run) + not_covered_notes(run) + baseline_notes(run);
  if (!run.given_up.empty())
    s += fmt::format("given up after too many deaths, the rest not asked: {}\n", fmt::join(run.given_up, ", "));
  s += out_of_time(run);
  if (nothing_judged(run)) s += "nothing was judged: to no request of these laws was the answer more than `unsupported`\n";
  if (run.deaths)
    s += fmt::format("the program died {} ({} of them hanging) and was restarted\n", counted(run.deaths, "time"), run.hangs);
  std::string const part = run.asked.part.whole() ? "" : fmt::format(", shard {}/{}", run.asked.part.index, run.asked.part.of);
  s += fmt::format("{} evaluations in {:.1f} s, seed {}{}\n", grouped(evaluations(run)), run.seconds, run.asked.seed, part);
  return s + fmt::format("{} passed, {} failed\n", count_laws(run, passed), count_laws(run, regression));
}

// ---- JUnit ----

// As the XML schema of Apache Ant's reports (windyroad/JUnit-Schema) wants it.
std::string junit_of(run_report const& run) {
  std::string const now = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  std::map<std::string, pugi::xml_node> suite;
  for (law_report const& r : run.laws) {
    pugi::xml_node& parent = suite[r.operation];
    if (!parent) {
      parent = suites.append_child("testsuite");
      parent.append_attribute("name") = r.operation.c_str();
      parent.append_child("properties");
    }
    pugi::xml_node test = parent.append_child("testcase");
    test.append_attribute("classname") = r.operation.c_str();
    test.append_attribute("name") = r.name.c_str();
    test.append_attribute("time") = fmt::format("{:.3f}", r.seconds).c_str();
    if (regression(run, r)) {
      pugi::xml_node node = test.append_child("failure");
      node.append_attribute("message") = std::string(name_of(r.outcome())).c_str();
      node.append_attribute("type") = std::string(name_of(r.outcome())).c_str();
      node.text() = failure(run, r, false).c_str();
    } else if (!passed(run, r)) {
      test.append_child("skipped").append_attribute("message") =
          (std::string(r.known ? "known: " : "") + std::string(name_of(r.outcome()))).c_str();
    }
  }
  int id = 0;
  for (auto& of_operation : suite) {
    pugi::xml_node& node = of_operation.second;
    auto const count = [&](bool (*which)(run_report const&, law_report const&)) {
      return std::count_if(run.laws.begin(), run.laws.end(),
                           [&](law_report const& r) { return r.operation == of_operation.first && which(run, r); });
    };
    auto const all = count([](run_report const&, law_report const&) { return true; }), failed = count(regression),
               good = count(passed);
    node.append_attribute("tests") = static_cast<long long>(all);
    node.append_attribute("failures") = static_cast<long long>(failed);
    node.append_attribute("skipped") = static_cast<long long>(all - failed - good);
    node.append_attribute("errors") = 0;
    node.append_attribute("id") = id++;
    node.append_attribute("package") = "colex";
    node.append_attribute("timestamp") = now.c_str();
    node.append_attribute("hostname") = "localhost";
    double seconds = 0;
    for (law_report const& r : run.laws)
      if (r.operation == of_operation.first) seconds += r.seconds;
    node.append_attribute("time") = fmt::format("{:.3f}", seconds).c_str();
    node.append_child("system-out");
    node.append_child("system-err");
  }
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

// ---- the baseline ----

std::string baseline_of(run_report const& run) {
  std::string s =
      "# What a program did, as `colex conform --write-baseline` writes it: `offers OPERATION` that it answered, and `VERDICT "
      "LAW`\n# of each law that passed or failed, and how many of its inputs failed, or came in another spelling.\n";
  for (std::string const& op : run.offered) s += fmt::format("offers {}\n", op);
  for (law_report const& r : run.laws)
    if (r.failed(run.asked.exact) || r.judged() || r[verdict::undefined] > 0)
      s += fmt::format("{} {}{}\n", name_of(r.outcome()), r.name,
                       r.failures() ? fmt::format(" {}/{}", r.failures(), r.evaluations) : "");
  return s;
}

namespace {
// Names stay, so that one that is unknown is a mistake.
bool is_law(std::string const& name) {
  return std::any_of(laws().begin(), laws().end(), [&](law const& l) { return l.name == name; }) ||
         (name.ends_with("_form") && is_operation(name.substr(0, name.size() - 5)));
}
// 12/40
bool is_share(std::string const& word, baseline::noted& of) {
  std::istringstream in(word);
  char slash = 0;
  bool const plain = word.find_first_not_of("0123456789/") == word.npos;
  return plain && in >> of.failed >> slash >> of.of && in.peek() == EOF && slash == '/' && of.of > 0 && of.failed <= of.of;
}
}  // namespace

baseline read_baseline(std::string const& file) {
  std::istringstream in(read_file(file));
  baseline before;
  std::string line, what, name, more;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (!(words >> what)) continue;
    auto const refuse = [&](std::string const& why) {
      throw bad_file(fmt::format("{}:{}: {}", printable(file, 1000), number, why));
    };
    auto const v = std::find(verdict_name.begin(), verdict_name.end(), what);
    bool const offers = what == "offers";
    baseline::noted how;
    if ((v == verdict_name.end() && !offers) || !(words >> name) || (words >> more && (offers || !is_share(more, how))))
      refuse("`VERDICT LAW [FAILED/INPUTS]` or `offers OPERATION` belongs here, not \"" + printable(line) + "\"");
    if (offers ? !is_operation(name) : !is_law(name))
      refuse(fmt::format("there is no {} \"{}\"", offers ? "operation" : "law", printable(name)));
    if (offers)
      before.offered.insert(name);
    else
      before.laws[name] = {static_cast<verdict>(v - verdict_name.begin()), how.failed, how.of};
  }
  return before;
}

}  // namespace colex
