// The bundled algebra beside the reference, and beside any program such as the extracted model, on as many different requests
// as one likes: what laws ask about drawn arguments, and each request changed in one place. Of the inputs drawn those are asked
// whose classes a law has met least. Counts by class of arguments; judges none: the laws do.
//   bulk COUNT SEED [PROGRAM [ARG...]]
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

namespace {

using namespace colex;

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
  std::array<counts, class_count + 1> rows{};

  void add(class_set in, long counts::* how) {
    for (std::size_t k = 0; k < class_count; ++k) rows[k].*how += in >> k & 1;
    ++(rows[class_count].*how);
  }
  void compare(request const& r, answer const& gpu, answer const& other) {
    long counts::* how = alike(gpu, other) ? (other ? &counts::answered : &counts::refused)
                         : !(gpu && has_one_answer(r.op)) && is_open(r, gpu, other) ? &counts::open
                                                                                    : &counts::differ;
    add(classes_of(r), how);
    if (how == &counts::differ && rows[class_count].differ <= 20)
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
  void compare() {
    std::vector<reply> const replies = model_ ? model_->ask(lines_) : std::vector<reply>(lines_.size());
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      auto const& [r, gpu] = waiting_[k];
      if (model_ && is_inside(replies[k])) its_.compare(r, gpu, replies[k].got);
    }
    lines_.clear();
    waiting_.clear();
  }
  // Was something compared, and nothing different?
  bool report() const {
    fmt::print("{:12} {:10} {:>10} {:>10} {:>10} {:>8} {:>6}\n", "class", "beside", "requests", "answered", "refused", "open",
               "differ");
    for (table const* t : {&ref_, &its_})
      for (std::size_t k = 0; k <= class_count && t->rows[class_count].all() > 0; ++k)
        t->rows[k].print(k < class_count ? class_names[k] : "all", t->beside);
    if (model_) fmt::print("the program died of {} requests, {} of them too slow\n", model_->deaths(), model_->hangs());
    return ref_.rows[class_count].answered > 0 && ref_.rows[class_count].differ + its_.rows[class_count].differ == 0 &&
           (!model_ || its_.rows[class_count].answered > 0);
  }

 private:
  std::unordered_set<std::size_t> seen_;
  std::vector<std::string> lines_;
  std::vector<std::pair<request, answer>> waiting_;  // what the bundled algebra says
  std::optional<peer> model_;
  table ref_{"reference"}, its_{"program"};
};

// Of some inputs drawn for a law the one with the class that it has met least; what has none counts as one more class.
class sampler {
 public:
  explicit sampler(law const& l) : law_(l) {}
  std::vector<std::pair<request, answer>> next(std::mt19937_64& random) {
    std::vector<binding> best;
    for (int k = 0; k < 4; ++k) {
      choices from(random);
      std::vector<binding> where = draw_arguments(law_, from);
      if (k == 0 || rarest(classes_of(where)) < rarest(classes_of(best))) best = std::move(where);
    }
    count_classes(met_, classes_of(best));
    return asked_at(law_, best);
  }

 private:
  law const& law_;
  class_counts met_{};
  std::uint64_t rarest(class_set in) const {
    std::uint64_t least = met_[class_count];
    for (std::size_t k = 0; k < class_count; ++k)
      if (in >> k & 1) least = std::min(least, met_[k]);
    return least;
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
    while (b.asked() < count)
      for (sampler& s : laws_sampled)
        for (auto const& [r, right] : s.next(random)) {
          b.ask(r, right);
          b.ask(changed(r, random));
        }
    b.compare();
    return b.report() ? 0 : 1;
  } catch (no_program const& e) {
    return fmt::print(stderr, "bulk: {}\n", e.what()), 2;
  }
}
