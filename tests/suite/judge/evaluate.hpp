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
  std::string left{}, right{};
  std::vector<binding> where{};          // of a law
  std::string line{};                    // of a case
  std::vector<exchanged> asked{};        // in order; the last one may have been deadly
  std::optional<std::size_t> culprit{};  // the first of them where the reference says something else
  answer expected{};                     // what it says there
  bool was_asked = true;                 // false: the operation had been given up
  std::string outside{};                 // the limit of the program's outside of which a request lies
  std::string lacks{};                   // the operation that answered `unsupported`
};

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
  bool left_out = false;  // nothing came of it: the time was out, or enough had failed on very long answers
};

// `0:2 (extent 0: the extents of a shape are positive)`
inline std::string why_no_layout(std::string const& text) {
  try {
    parse_answer(text);
  } catch (no_layout const& e) {
    return fmt::format("{} ({})", clipped(text, 60), e.what());
  }
  return clipped(text, 60);
}
// What an answer is: `a tuple of 2`.
inline std::string kind_in_words(answer const& a) {
  value const& v = a.result;
  if (!a) return "no answer";
  switch (v.what) {
    case kind::number: return v.basis.empty() ? "an integer" : "a basis element";
    case kind::tuple: return fmt::format("a tuple of {}", v.items.size());
    case kind::layout: return "a layout";
    case kind::tiler: return "a tiler";
    case kind::swizzle: return "a swizzle";
    case kind::composed: return v.items[0].is(kind::swizzle) ? "a composed layout" : "a view";
    case kind::f2: return "a linear map";
    case kind::word: break;
  }
  return v.word.find(':') == v.word.npos ? "a word" : "no layout: " + why_no_layout(v.word);
}

// Does a program offer linear maps? Who does not is judged without what they alone answer (laws.md, "Closure").
class linear_maps {
 public:
  bool asked(peer& p) {
    if (!offered_) offered_ = p.who().offers("to_f2") && p.ask({"to_f2 2:3"}).front().got.result.is(kind::f2);
    return *offered_;
  }

 private:
  std::optional<bool> offered_;
};
inline bool is_composed(request const& r) {
  return std::any_of(r.args.begin(), r.args.end(), [](value const& v) { return v.is(kind::composed); });
}
// Do linear maps answer it, where functions of layouts alone refuse?
inline bool needs_maps(test_case const& c) {
  return c.expected && is_composed(c.asked) && ref::respond_as_layouts(c.asked).is_undefined() && ref::respond(c.asked);
}
// By what a program declares or lacks that it does not take a case, which it is not asked then. Empty: it takes it.
inline std::string not_taken(test_case const& c, peer& p, linear_maps& maps) {
  return !needs_maps(c) || maps.asked(p) ? p.who().takes.outside(c.asked, c.expected) : "no to_f2";
}

// Evaluates inputs of laws in batches. A law is a function of the answers: an input whose answer is not there yet is
// abandoned, and evaluated again when all that the batch misses has been asked at once.
class evaluator {
 public:
  // A law that fails on answers of so many characters is settled, in the middle of a batch, too.
  static constexpr std::size_t enough_text = std::size_t{4} << 20;

  explicit evaluator(peer& p) : peer_(p) {}

  void settle(law const& l, std::vector<input>& batch) {
    forget();
    bool& talkative = talkative_[&l];
    if (talkative) ask_ahead(l, batch);
    std::vector<input*> open;
    for (input& in : batch) open.push_back(&in);
    for (int rounds = 0; !open.empty(); talkative = talkative || ++rounds > most_rounds) {
      std::erase_if(open, [&](input* in) { return finish(l, *in); });
      open.empty() ? missing_.clear() : ask_missing();
    }
  }

  void ask_again() { peer_.ask_again(); }
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
  struct late {};                         // it got none before the time was out
  struct not_taken {                      // a request of it lies outside what the program declares
    std::string limit;
  };
  struct dead {
    request asked;
    reply how;
  };

  peer& peer_;
  std::unordered_map<std::string, std::size_t> place_;  // of a request's reply
  std::vector<std::shared_ptr<reply const>> replies_;
  std::vector<std::string> missing_;
  std::size_t volume_ = 0, begun_at_ = 0;  // in all, and when the batch began
  bool enough_ = false;                    // of the batch: the rest is left out
  std::unordered_map<std::string, answer> reference_;
  linear_maps maps_;
  std::unordered_map<law const*, bool> talkative_;  // asks so often that evaluating again for each answer takes too long

  // A law may build a request of wrong answers: one that is none, or one beyond what the reference can take.
  answer respond(request const& r) {
    try {
      return is_composed(r) && !maps_.asked(peer_) ? ref::respond_as_layouts(r) : ref::respond(r);
    } catch (malformed const& e) {
      return {status::undefined, {}, e.what()};
    } catch (std::exception const& e) {  // not run: memory would have to run out
      return {status::undecided, {}, std::string(not_decided) + ": " + e.what()};
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
      replies_.push_back(std::make_shared<reply const>(std::move(r)));
    }
    missing_.clear();
  }

  // What the law asks of the reference it will most likely ask of the program.
  void ask_ahead(law const& l, std::vector<input> const& batch) {
    auto const answers = [this](request const& r) { return reference(r); };
    auto const notes = [this](request const& r) {
      if (outside(r).empty()) place_of(r);
      return reference(r);
    };
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
    begun_at_ = volume_;
    enough_ = false;
  }

  // The request that it waits for was the program's death: that is kept where the time is out, too.
  bool is_dead(input const& in) const {
    return !in.used.empty() && in.used.back() < replies_.size() && !replies_[in.used.back()]->died.empty();
  }
  // False: it waits for answers.
  bool finish(law const& l, input& in) {
    bool const looked_at = !enough_ || is_dead(in);
    if (looked_at && !evaluate(l, in)) return false;
    in.left_out = in.left_out || !looked_at;
    bool const settled = in.result.what > verdict::form && volume_ - begun_at_ >= enough_text;
    enough_ = enough_ || settled || peer_.is_late();
    return true;
  }

  std::string outside(request const& r) {
    limits const& takes = peer_.who().takes;
    return takes.any() ? takes.outside(r, reference(r)) : std::string();
  }

  // The next answer of this evaluation.
  shared_answer subject(request const& r, input& in, std::size_t& next) {
    if (std::string const limit = outside(r); !limit.empty()) throw not_taken{limit};
    if (next == in.used.size()) in.used.push_back(place_of(r));
    std::size_t const at = in.used[next++];
    if (at >= replies_.size()) throw pending{};
    std::shared_ptr<reply const> const& came = replies_[at];
    if (came->late) throw late{};
    if (!came->died.empty()) throw dead{r, *came};
    return shared_answer(std::shared_ptr<answer const>(came, &came->got));
  }

  // False: it waits for answers.
  bool evaluate(law const& l, input& in) {
    std::size_t next = 0;
    trial t(
        in.where, [&, this](request const& r) { return subject(r, in, next); },
        [this](request const& r) { return reference(r); });
    try {
      ending const end = ending_of([&] {
        l.check(t);
        t.require_indices();
        require_values(t);
      });
      if (auto const* const e = std::get_if<unreadable>(&end)) check_with_reference(l, in, e->why);
      in.result = std::visit([&](auto const& how) { return judge(t, how); }, end);
    } catch (pending const&) {
      return false;
    } catch (late const&) {
      in.left_out = true;
    } catch (not_taken const& n) {
      in.result = {.what = verdict::unsupported, .outside = n.limit};
    } catch (dead const& d) {
      in.result = judge(t, d);
    }
    if (in.result.what > verdict::unsupported) in.result.where = t.bindings();
    return true;
  }

  // A law may not look at all of an answer that has the form of a layout and is none (peer.cpp keeps it as a word).
  static void require_values(trial const& t) {
    for (auto const& [asked, got] : t.asked())
      if (got->result.is(kind::word) && got->result.word.find(':') != std::string::npos) throw no_layout(0, got->result.word);
  }

  static std::vector<exchanged> all_asked(trial const& t) { return {t.asked().begin(), t.asked().end()}; }

  finding not_offered(request const& asked, shared_answer const& got) const {
    return {
        .what = verdict::unsupported, .asked = {{asked, got}}, .was_asked = peer_.who().offers(asked.op), .lacks = asked.op};
  }
  // Where a request was answered `unsupported`, there is nothing else to say.
  finding unless_not_offered(trial const& t, finding f) const {
    for (auto const& [asked, got] : t.asked())
      if (got->what == status::unsupported) return not_offered(asked, got);
    return f;
  }
  // A law holds of what was asked and answered.
  finding judge(trial const& t, held) {
    return unless_not_offered(t, {.what = t.asked().empty() ? verdict::vacuous : verdict::pass});
  }
  finding judge(trial const& t, vacuous const& v) { return unless_not_offered(t, {.what = verdict::vacuous, .left = v.why}); }
  finding judge(trial const& t, unreadable const&) {
    finding f = judge(t, broken{"an answer of the wrong kind", "one that the law can be read of"});
    if (f.what < verdict::wrong || !f.culprit) return f;
    answer const& got = f.asked[*f.culprit].second;
    std::string const came = kind_in_words(got), right = kind_in_words(f.expected);
    f.left += ": " + came;
    if (came != right) f.right = right;
    return f;
  }

  // The first answer where the reference says something else decides.
  finding judge(trial const& t, broken const& b) {
    finding f{.what = b.form ? verdict::form : verdict::wrong,
              .left = printable(b.left),
              .right = printable(b.right),
              .asked = all_asked(t)};
    for (std::size_t k = 0; k < f.asked.size(); ++k) {
      auto const& [asked, said] = f.asked[k];
      answer const& got = said;
      if (got.what == status::unsupported) return not_offered(asked, said);
      answer const& right = reference(asked);
      if (right && got && means_the_same(right.result, got.result)) continue;
      if (!right && same_status(right, got)) continue;
      f.culprit = k;
      f.expected = right;
      f.what = right.leaves_open() ? verdict::not_judged : right ? verdict::wrong : verdict::silent;
      break;
    }
    return f;
  }

  finding judge(trial const& t, not_answered const& n) {
    if (n.got.what == status::unsupported) return not_offered(n.asked, n.got);
    answer const& right = reference(n.asked);
    if (right.leaves_open()) return {.what = verdict::not_judged};
    if (!right) return {.what = verdict::undefined};
    return {.what = verdict::refused,
            .left = printable(print(n.got)),
            .right = printable(print(right)),
            .asked = all_asked(t),
            .culprit = t.asked().size() - 1,
            .expected = right};
  }

  finding judge(trial const& t, dead const& d) {
    finding f{.what = verdict::died,
              .left = d.how.died,
              .right = "an answer",
              .asked = all_asked(t),
              .culprit = t.asked().size(),
              .expected = reference(d.asked),
              .was_asked = d.how.asked};
    f.asked.emplace_back(d.asked, answer{status::unsupported, {}, "no answer"});
    return f;
  }

  // A law that cannot look at the reference's answers either is a mistake in its row.
  void check_with_reference(law const& l, input const& in, std::string const& why) {
    auto const ask_reference = [this](request const& r) { return reference(r); };
    trial t(in.where, ask_reference, ask_reference);
    if (std::holds_alternative<unreadable>(ending_of([&] { l.check(t); })))
      throw mistake(fmt::format("{} cannot be evaluated: {}", l.name, why));  // not run: a mistake in a law's row
  }
};

}  // namespace colex
