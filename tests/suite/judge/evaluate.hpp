// Evaluates laws on a program's answers and judges what comes out: the program is asked for many inputs at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/answer.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <optional>

namespace colex {

// One evaluation that did not pass.
struct finding {
  verdict what = verdict::pass;
  std::string left, right;
  std::vector<binding> where;                     // of a law
  std::string line;                               // of a case
  std::vector<std::pair<request, answer>> asked;  // in order; the last one may have been deadly
  std::optional<std::size_t> culprit;             // the first of them where the reference says something else
  answer expected;                                // what it says there
  bool was_asked = true;                          // false: the operation had been given up
};

inline bool undecided(answer const& a) {
  return a.what == status::unspecified || (a.what == status::undefined && a.reason.starts_with("not decided"));
}

// A program's answer that a law cannot even look at, such as a number where a layout belongs, is a law broken; the
// reference's would be a mistake of the suite.
struct mistake : std::logic_error {
  using std::logic_error::logic_error;
};

// One input of a law on its way: which of the replies it has used so far, in order.
struct input {
  choices from;
  std::vector<binding> where;
  std::vector<std::size_t> used;
  finding result;
};

// Evaluates inputs of laws in batches. A law is a function of the answers: an input whose answer is not there yet is
// abandoned, and evaluated again when all that the batch misses has been asked at once.
class evaluator {
 public:
  explicit evaluator(peer& p) : peer_(p) {}

  void settle(law const& l, std::vector<input>& batch) {
    forget();
    bool& talkative = talkative_[&l];
    if (talkative) ask_ahead(l, batch);
    std::vector<input*> open;
    for (input& in : batch) open.push_back(&in);
    for (int rounds = 0; !open.empty(); talkative = talkative || ++rounds > most_rounds) {
      std::erase_if(open, [&](input* in) { return evaluate(l, *in); });
      ask_missing();
    }
  }

  // All that the program has answered so far, in characters.
  std::size_t volume() const { return volume_; }

  answer const& reference(request const& r) {
    auto [at, fresh] = reference_.try_emplace(print(r));
    if (fresh) at->second = respond(r);
    return at->second;
  }

 private:
  static constexpr int most_rounds = 12;  // evaluating that often costs less than asking the reference first
  struct pending {};                      // a request of this evaluation has no reply yet
  struct dead {
    request asked;
    reply how;
  };

  peer& peer_;
  std::unordered_map<std::string, std::size_t> place_;  // of a request's reply
  std::vector<reply> replies_;
  std::vector<std::string> missing_;
  std::size_t volume_ = 0;
  std::unordered_map<std::string, answer> reference_;
  std::unordered_map<law const*, bool> talkative_;  // asks so often that evaluating again for each answer takes too long

  // A law may build a request of wrong answers: one that is none, or one beyond what the reference can take.
  static answer respond(request const& r) {
    try {
      return ref::respond(r);
    } catch (malformed const& e) {
      return {status::undefined, {}, e.what()};
    } catch (std::exception const& e) {  // not run: memory would have to run out
      return {status::undefined, {}, std::string("not decided: ") + e.what()};
    }
  }

  std::size_t place_of(request const& r) {
    auto const [at, fresh] = place_.try_emplace(print(r), replies_.size() + missing_.size());
    if (fresh) missing_.push_back(at->first);
    return at->second;
  }
  void ask_missing() {
    for (reply& r : peer_.ask(missing_)) {
      volume_ += r.length;
      replies_.push_back(std::move(r));
    }
    missing_.clear();
  }

  // What the law asks of the reference it will most likely ask of the program.
  void ask_ahead(law const& l, std::vector<input> const& batch) {
    auto const answers = [this](request const& r) { return reference(r); };
    auto const notes = [this](request const& r) { return place_of(r), reference(r); };
    for (input const& in : batch) {
      trial t(in.where, notes, answers);
      try {
        l.check(t);
      } catch (...) {  // however it ends
      }
    }
    ask_missing();
  }

  void forget() {
    place_.clear();
    replies_.clear();
    reference_.clear();
  }

  // The next answer of this evaluation.
  answer subject(request const& r, input& in, std::size_t& next) {
    if (next == in.used.size()) in.used.push_back(place_of(r));
    std::size_t const at = in.used[next++];
    if (at >= replies_.size()) throw pending{};
    if (!replies_[at].died.empty()) throw dead{r, replies_[at]};
    return replies_[at].got;
  }

  // False: it waits for answers.
  bool evaluate(law const& l, input& in) {
    std::size_t next = 0;
    trial t(
        in.where, [&, this](request const& r) { return subject(r, in, next); },
        [this](request const& r) { return reference(r); });
    finding& f = in.result;
    try {
      l.check(t);
      require_values(t);
      f.what = verdict::pass;
    } catch (pending const&) {
      return false;
    } catch (vacuous const&) {
      f.what = verdict::vacuous;
    } catch (broken const& b) {
      f = judge_broken(t, b);
    } catch (not_answered const& n) {
      f = judge_not_answered(t, n);
    } catch (dead const& d) {
      f = judge_dead(t, d);
    } catch (std::exception const& e) {
      check_with_reference(l, in, e);
      f = judge_broken(t, {"an answer of the wrong kind", "one that the law can be read of"});
    }
    if (f.what > verdict::unsupported) f.where = t.bindings();
    return true;
  }

  // A law may not look at all of an answer that has the form of a layout and is none (peer.cpp keeps it as a word).
  static void require_values(trial const& t) {
    for (auto const& [asked, got] : t.asked())
      if (got.result.is(kind::word) && got.result.word.find(':') != std::string::npos) throw no_layout(0, got.result.word);
  }

  static std::vector<std::pair<request, answer>> all_asked(trial const& t) { return {t.asked().begin(), t.asked().end()}; }

  // The first answer where the reference says something else decides.
  finding judge_broken(trial const& t, broken const& b) {
    finding f{
        b.form ? verdict::form : verdict::wrong, printable(b.left), printable(b.right), {}, {}, all_asked(t), {}, {}, true};
    for (std::size_t k = 0; k < f.asked.size(); ++k) {
      auto const& [asked, got] = f.asked[k];
      if (got.what == status::unsupported) return only(verdict::unsupported);
      answer const& right = reference(asked);
      if (right && got && means_the_same(right.result, got.result)) continue;
      if (right.what == got.what && !right) continue;
      f.culprit = k;
      f.expected = right;
      f.what = undecided(right) ? verdict::not_judged : right ? verdict::wrong : verdict::silent;
      break;
    }
    return f;
  }

  static finding only(verdict v) {
    finding f;
    f.what = v;
    return f;
  }

  finding judge_not_answered(trial const& t, not_answered const& n) {
    if (n.got.what == status::unsupported) return only(verdict::unsupported);
    answer const& right = reference(n.asked);
    if (undecided(right)) return only(verdict::not_judged);
    if (!right) return only(verdict::undefined);
    return {verdict::refused,
            printable(print(n.got)),
            printable(print(right)),
            {},
            {},
            all_asked(t),
            t.asked().size() - 1,
            right,
            true};
  }

  finding judge_dead(trial const& t, dead const& d) {
    finding f{verdict::died, d.how.died, "an answer", {}, {}, all_asked(t), t.asked().size(), reference(d.asked), d.how.asked};
    f.asked.emplace_back(d.asked, answer{status::unsupported, {}, "no answer"});
    return f;
  }

  void check_with_reference(law const& l, input const& in, std::exception const& e) {
    auto const ask_reference = [this](request const& r) { return reference(r); };
    trial t(in.where, ask_reference, ask_reference);
    try {
      l.check(t);
    } catch (std::exception const&) {
      throw mistake(fmt::format("{} cannot be evaluated: {}", l.name, e.what()));  // not run: a mistake in a law's row
    } catch (...) {
    }
  }
};

}  // namespace colex
