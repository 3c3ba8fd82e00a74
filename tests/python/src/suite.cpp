// The suite in Python: a function, or a program, judged by the laws. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/nearest.hpp"
#include "tests/python/src/parts.hpp"
#include "tests/python/src/values.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/commands/numbers.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/page.hpp"
#include "tests/suite/report/report.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <deque>
#include <future>

namespace colex::python {
namespace {

// What ends a run from outside; no law is to take it for an answer.
struct interrupted {};

// What a Python function does that ends the run: KeyboardInterrupt, SystemExit. It is raised again where the run was called.
struct raised {
  std::exception_ptr what;
};

// A Python function from request line to answer line, talked to as a program is: what it raises, it dies of.
class callable_process final : public process {
 public:
  callable_process(nb::handle answers, raised& ends) : answers_(answers), ends_(ends) {}

  void write(std::string_view text) override {
    for (std::size_t from = 0, to; (to = text.find('\n', from)) != text.npos; from = to + 1)
      asked_.emplace_back(text.substr(from, to - from));
  }
  got read_line(std::string& line, clock::time_point) override {
    if (!last_words_.empty()) return got::end;
    if (asked_.empty()) return got::silence;
    std::string const request = std::move(asked_.front());
    asked_.pop_front();
    nb::gil_scoped_acquire const locked;
    try {
      line = nb::cast<std::string>(answers_(request));
      return line.size() > max_line ? got::too_long : got::line;
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_Exception)) end_run();
      last_words_ = "raised " + summary(e);
    } catch (nb::cast_error const&) {
      last_words_ = "gave no line of answer";
    }
    return got::end;
  }
  bool says_more(std::chrono::milliseconds) override { return false; }
  std::string_view rest() const override { return {}; }
  void finish() override {}
  std::string last_words() override { return last_words_; }

 private:
  nb::handle answers_;
  std::string last_words_;
  std::deque<std::string> asked_;
  raised& ends_;

  [[noreturn]] void end_run() {
    ends_.what = std::current_exception();
    throw interrupted{};
  }
  static std::string summary(nb::python_error const& e) {
    std::string const said = nb::cast<std::string>(nb::str(e.value())), type = nb::type_name(e.type()).c_str();
    return printable(said.empty() ? type : type + ": " + said, 300);
  }
};

// A program whose answers are waited for a little at a time, so that the run can be ended.
class watched_process final : public process {
 public:
  watched_process(std::unique_ptr<process> p, std::atomic<bool> const& end) : process_(std::move(p)), end_(end) {}

  void write(std::string_view text) override { process_->write(text); }
  got read_line(std::string& line, clock::time_point until) override {
    for (;;) {
      if (end_) throw interrupted{};
      auto const next = clock::now() + std::chrono::milliseconds(100);
      got const g = process_->read_line(line, std::min(until, next));
      if (g != got::silence || next >= until) return g;
    }
  }
  bool says_more(std::chrono::milliseconds within) override { return process_->says_more(within); }
  std::string_view rest() const override { return process_->rest(); }
  void finish() override {
    if (!end_) process_->finish();
  }
  std::string last_words() override { return process_->last_words(); }

 private:
  std::unique_ptr<process> process_;
  std::atomic<bool> const& end_;
};

// ---- how it is asked for again ----

std::string repr_of(std::string const& text) { return nb::cast<std::string>(nb::repr(nb::str(text.c_str(), text.size()))); }

// `seed=7`
std::string keyword(given_option const& o) {
  std::string name = o.name;
  std::replace(name.begin(), name.end(), '-', '_');
  switch (o.what) {
    case given_option::kind::flag: return name + "=True";
    case given_option::kind::number: return name + "=" + o.text;
    case given_option::kind::word: return name + "=" + repr_of(o.text);
    case given_option::kind::words: break;
  }
  return name + "=" + nb::cast<std::string>(nb::repr(nb::str(o.text.c_str()).attr("split")(",")));
}
std::string python_call(std::vector<given_option> const& given) {
  std::string s = "cx.conform(operations";
  for (given_option const& o : given) s += ", " + keyword(o);
  return s + ")";
}

// ---- a run ----

struct run_of_suite {
  run_report is;
};

progress_line telling(nb::handle progress) {
  if (progress.is_none()) return [](auto&&...) {};
  return [progress](std::string const& name, std::size_t done, std::size_t all) {
    nb::gil_scoped_acquire const locked;
    progress(name, done, all);
  };
}

// In this thread: Python's signals are seen wherever the function is called.
run_report judge_function(options o, nb::handle answers, progress_line const& progress) {
  raised ends;
  o.jobs = 1;
  if (!o.spelled) o.spelled = python_call;
  o.start = [&] { return std::make_unique<callable_process>(answers, ends); };
  try {
    nb::gil_scoped_release const unlocked;
    return conform(o, progress);
  } catch (interrupted const&) {
    std::rethrow_exception(ends.what);
  }
}

// In another thread, while this one looks for signals.
run_report judge_program(options o, progress_line const& progress) {
  std::atomic<bool> end = false;
  o.start = [&end, command = o.program] { return std::make_unique<watched_process>(start_process(command), end); };
  std::future<run_report> run = std::async(std::launch::async, [&] { return conform(o, progress); });
  bool signalled = false;
  for (bool done = false; !done && !signalled; signalled = PyErr_CheckSignals() != 0) {
    nb::gil_scoped_release const unlocked;
    done = run.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  }
  end = signalled;
  try {
    nb::gil_scoped_release const unlocked;
    run_report r = run.get();
    if (!signalled) return r;
  } catch (interrupted const&) {
  }
  throw nb::python_error();
}

options options_from(nb::dict const& given) {
  options o;
  auto const take = [&](char const* name, auto& to) {
    if (given.contains(name) && !nb::try_cast(given[name], to))
      throw usage_error(std::string(name) + " cannot be " + nb::cast<std::string>(nb::repr(given[name])));
  };
  take("program", o.program), take("law", o.laws), take("op", o.operations), take("level", o.level), take("since", o.since);
  take("seed", o.seed), take("count", o.count), take("exact", o.exact), take("timeout", o.timeout), take("time", o.time);
  take("cases", o.case_files), take("jobs", o.jobs), take("require_ops", o.required), take("allow_lost", o.allow_lost);
  take("only", o.only);
  if (std::string again; take("again", again), !again.empty()) o.spelled = [again](auto&&) { return again; };
  if (given.contains("baseline")) o.baseline = read_baseline(path_of(given["baseline"]));
  return o;
}

run_of_suite judged(nb::dict const& given, nb::handle answers, nb::handle progress) {
  options const o = options_from(given);
  run_report r = answers.is_none() ? judge_program(o, telling(progress)) : judge_function(o, answers, telling(progress));
  r.asked.start = nullptr;
  return {std::move(r)};
}

// ---- arguments ----

nb::dict drawn_input(std::string const& law_name, std::vector<std::uint64_t> const& made) {
  law const* const l = find_law(law_name);
  if (!l) throw usage_error("there is no law '" + law_name + "'" + did_you_mean(law_name, law_names()));
  nb::dict out;
  for (auto const& [name, v] : draw_arguments(*l, made)) out[name.c_str()] = object_of(v);
  return out;
}

// Some law of the operation asks it of these; nothing where that has no answer.
nb::object admissible(std::string const& operation, std::vector<std::uint64_t> const& made) {
  choices from(made);
  std::vector<law const*> of;
  for (law const& l : laws())
    if (l.operation == operation) of.push_back(&l);
  if (of.empty()) throw usage_error("no law is one of '" + operation + "'" + did_you_mean(operation, operation_names()));
  law const& l = *of[from.below(of.size())];
  auto const where = draw_arguments(l, from);
  auto const answers = [](request const& r) { return said(ref::respond, r); };
  trial t(where, answers, answers);
  ending_of([&] { l.check(t); });
  for (auto const& [asked, got] : t.asked())
    if (asked.op == operation && got->what == status::answered) return object_of(tuple_of(asked.args));
  return nb::none();
}

}  // namespace

void add_suite(nb::module_& m) {
  nb::class_<run_of_suite>(m, "_Run")
      .def("text", [](run_of_suite const& r, bool verbose) { return text_of(r.is, verbose); })
      .def("failure", [](run_of_suite const& r, std::size_t k) { return failure_text(r.is, r.is.laws.at(k), false); })
      .def("is_judged", [](run_of_suite const& r, std::size_t k) { return r.is.laws.at(k).judged(); })
      .def("judged", [](run_of_suite const& r, std::size_t k) { return what_was_judged(r.is, r.is.laws.at(k)); })
      .def("json", [](run_of_suite const& r) { return json_of(r.is); })
      .def("junit", [](run_of_suite const& r) { return junit_of(r.is); })
      .def("html", [](run_of_suite const& r) { return page_of({nlohmann::ordered_json::parse(json_of(r.is))}); })
      .def("baseline", [](run_of_suite const& r) { return baseline_of(r.is); });
  m.def("_conform", &judged, nb::arg("options"), nb::arg("answers").none(), nb::arg("progress").none());
  m.def("_seconds_in", &seconds_in);
  m.def("_drawn", &drawn_input);
  m.def("_admissible", &admissible);
  m.def("_write", [](nb::handle file, std::string const& text) { write_file(path_of(file), text); });
}

}  // namespace colex::python
