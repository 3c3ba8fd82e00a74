// The bundled algebra beside the reference, and beside any program such as the extracted model, on as many different requests
// as one likes: small ones, what laws ask about drawn arguments, and each such request changed in one place. Of the inputs
// drawn those are asked whose classes a law has met least. Counts by class of arguments; judges none: the laws do.
//   bulk COUNT SEED [PROGRAM [ARG...]]
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/agreement/small.hpp"
#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <future>
#include <optional>
#include <unordered_set>

namespace {

using namespace colex;

// The classes of arguments that laws are counted by, and those in which two algebras differ sooner: modes that overlap, alone
// and behind a swizzle; a swizzle that flips higher bits, one behind the first argument; a linear map; an atom.
constexpr std::array<char const*, 6> more_names{"overlapping", "both", "downward", "second", "map", "atom"};
constexpr std::size_t kind_count = class_count + more_names.size();
constexpr char const* name_of(std::size_t k) { return k < class_count ? class_names[k] : more_names[k - class_count]; }

// Does a mode that moves begin inside the ones of lesser stride?
bool overlaps(value const& a) {
  leaf_list moving = leaves(a);
  std::erase_if(moving, [](auto const& m) { return m.first == 1 || !m.second.is_integer() || m.second.number == 0; });
  std::sort(moving.begin(), moving.end(),
            [](auto const& x, auto const& y) { return mp::abs(x.second.number) < mp::abs(y.second.number); });
  return std::adjacent_find(moving.begin(), moving.end(), [](auto const& x, auto const& y) {
           return mp::abs(y.second.number) < x.first * mp::abs(x.second.number);
         }) != moving.end();
}
// Bit k: name_of(k) holds of argument v, the n-th.
class_set more_kinds(value const& v, std::size_t n) {
  class_set found = 0;
  auto const add = [&](std::size_t k, bool on) { found |= on ? 1u << (class_count + k) : 0u; };
  value const& inner = v.is(kind::composed) ? v.items.back() : v;
  bool const overlapping = inner.is(kind::layout) && overlaps(inner);
  value const* const outer = v.is(kind::swizzle) ? &v : v.is(kind::composed) && v.items.size() == 3 ? &v.items[0] : nullptr;
  bool const swizzled = outer && outer->items[0].number > 0;
  add(0, overlapping);
  add(1, overlapping && swizzled);
  add(2, swizzled && outer->items[2].number < 0);
  add(3, swizzled && n > 0);
  add(4, v.is(kind::f2));
  add(5, v.is(kind::word) && v.word.find('_') != std::string::npos);
  return found;
}
class_set kinds_of(request const& r) {
  class_set found = classes_of(r);
  for (std::size_t n = 0; n < r.args.size(); ++n) found |= more_kinds(r.args[n], n);
  return found;
}
class_set kinds_of(std::vector<binding> const& where) {
  class_set found = classes_of(where);
  for (std::size_t n = 0; n < where.size(); ++n) found |= more_kinds(where[n].second, n);
  return found;
}

// How two answered: in the same words, both not, so that neither need be wrong, or otherwise.
struct counts {
  long answered = 0, refused = 0, open = 0, differ = 0;
  long all() const { return answered + refused + open + differ; }
  void print(std::string_view of, std::string_view beside) const {
    fmt::print("{:12} {:10} {:>10} {:>10} {:>10} {:>8} {:>6}\n", of, beside, all(), answered, refused, open, differ);
  }
};
// The last row is of all requests.
struct table {
  std::string beside;
  std::array<counts, kind_count + 1> rows{};

  counts const& all() const { return rows[kind_count]; }

  void add(class_set in, long counts::* how) {
    for (std::size_t k = 0; k < kind_count; ++k) rows[k].*how += in >> k & 1;
    ++(rows[kind_count].*how);
  }
  void compare(request const& r, answer const& gpu, answer const& other) {
    long counts::* how = alike(gpu, other) ? (other ? &counts::answered : &counts::refused)
                         : !(gpu && has_one_answer(r.op)) && is_open(r, gpu, other) ? &counts::open
                                                                                    : &counts::differ;
    add(kinds_of(r), how);
    if (how == &counts::differ && all().differ <= 20)
      fmt::print("{}\n  gpu {}\n  {} {}\n", print(r), print(gpu), beside, print(other));
  }
};

// A program may offer less, or take too long. That of the optimized algebra says what is beyond 64 bits or 32 leaves: there
// nothing is left open.
bool is_inside(reply const& a) {
  return a.asked && a.died.empty() && (a.got.what != status::unsupported || a.got.reason.starts_with("beyond"));
}

class bulk {
 public:
  explicit bulk(std::vector<std::string> const& program) {
    if (!program.empty()) model_.emplace(program, peer::seconds(60));
  }
  long asked() const { return static_cast<long>(seen_.size()); }

  // With what the reference says, where that is known.
  void ask(request const& r, std::optional<answer> right = {}) {
    std::string line = print(r);
    if (!seen_.insert(std::hash<std::string>{}(line)).second) return;
    answer const gpu = said(gpu::respond, r);
    ref_.compare(r, gpu, right ? *right : said(ref::respond, r));
    lines_.push_back(std::move(line));
    waiting_.emplace_back(r, gpu);
    if (waiting_.size() == 4096) compare();
  }
  // The program answers while others are drawn.
  void compare() {
    finish();
    if (model_)
      answering_ = std::async(std::launch::async, [this, of = std::exchange(waiting_, {}), lines = std::exchange(lines_, {})] {
        compare(of, lines);
      });
    waiting_.clear();
    lines_.clear();
  }
  void finish() {
    if (answering_.valid()) answering_.get();
  }
  // Was something compared, and nothing different?
  bool report() const {
    fmt::print("{:12} {:10} {:>10} {:>10} {:>10} {:>8} {:>6}\n", "class", "beside", "requests", "answered", "refused", "open",
               "differ");
    for (table const* t : {&ref_, &its_})
      for (std::size_t k = 0; k <= kind_count && t->all().all() > 0; ++k)
        t->rows[k].print(k < kind_count ? name_of(k) : "all", t->beside);
    if (model_) fmt::print("the program died of {} requests, {} of them too slow\n", model_->deaths(), model_->hangs());
    return ref_.all().answered > 0 && ref_.all().differ + its_.all().differ == 0 && (!model_ || its_.all().answered > 0);
  }

 private:
  using answers = std::vector<std::pair<request, answer>>;
  std::unordered_set<std::size_t> seen_;
  std::vector<std::string> lines_;
  answers waiting_;  // what the bundled algebra says
  std::optional<peer> model_;
  std::future<void> answering_;
  table ref_{"reference"}, its_{"program"};

  void compare(answers const& of, std::vector<std::string> const& lines) {
    std::vector<reply> const replies = model_->ask(lines);
    for (std::size_t k = 0; k < of.size(); ++k) {
      auto const& [r, gpu] = of[k];
      if (!replies[k].died.empty()) fmt::print("{}\n  the program {}\n", lines[k], replies[k].died);
      if (is_inside(replies[k])) its_.compare(r, gpu, replies[k].got);
    }
  }
};

// Of some inputs drawn for a law the one with the class that it has met least; what has none counts as one more class.
class sampler {
 public:
  explicit sampler(law const& l) : law_(l) {}
  // What takes long is drawn less often: tilings, and more so what searches.
  bool is_due(long round) const {
    group const in = operations[place_of(law_.operation)].in;
    bool const tiles = in == group::tiled_mma || in == group::tiled_copy;
    return round % (std::string_view(law_.operation).starts_with("solve_") ? 16 : law_.costly ? 8 : tiles ? 4 : 1) == 0;
  }
  std::vector<std::pair<request, answer>> next(std::mt19937_64& random) {
    std::vector<binding> best;
    class_set least = 0;
    for (int k = 0; k < 4; ++k) {
      choices from(random);
      std::vector<binding> where = draw_arguments(law_, from);
      class_set const in = kinds_of(where);
      if (k > 0 && rarest(in) >= rarest(least)) continue;
      best = std::move(where);
      least = in;
    }
    for (std::size_t k = 0; k < kind_count; ++k) met_[k] += least >> k & 1;
    ++met_[kind_count];
    return asked_at(law_, best);
  }

 private:
  law const& law_;
  std::array<long, kind_count + 1> met_{};
  long rarest(class_set in) const {
    long most = met_[kind_count];
    for (std::size_t k = 0; k < kind_count; ++k)
      if (in >> k & 1) most = std::min(most, met_[k]);
    return most;
  }
};

}  // namespace

int main(int argc, char** argv) {
  long const count = argc > 1 ? std::atol(argv[1]) : 0;
  if (count < 1 || argc < 3) return fmt::print(stderr, "usage: bulk COUNT SEED [PROGRAM [ARG...]]\n"), 2;
  try {
    bulk b({argv + 3, argv + argc});
    std::mt19937_64 random(std::strtoul(argv[2], nullptr, 10));
    std::vector<sampler> laws_sampled(laws().begin(), laws().end());
    for (small_set const& each : small_sets())
      for (request const& r : each.requests(static_cast<std::size_t>(count) / (50 * small_sets().size())))
        b.ask(parse_request(print(r)));
    for (long round = 0; b.asked() < count; ++round)
      for (sampler& s : laws_sampled)
        if (s.is_due(round))
          for (auto const& [r, right] : s.next(random)) {
            b.ask(r, right);
            b.ask(changed(r, random));
          }
    b.compare();
    b.finish();
    return b.report() ? 0 : 1;
  } catch (no_program const& e) {
    return fmt::print(stderr, "bulk: {}\n", e.what()), 2;
  }
}
