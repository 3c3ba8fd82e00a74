// The law table under a fuzzer: bytes choose a law and its arguments; what a law says of the bundled algebra, of the reference
// or of a program (COLEX_PEER, a shell's command line that speaks the protocol) must hold.
//   bytes   4 of the law's key, 1 of who is asked, then 2 a choice (tests/suite/arguments/choices.hpp)
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"
#include "fuzz/engine/mutate.hpp"
#include "gpu/wire/answer.hpp"
#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/arguments/hash.hpp"
#include "tests/suite/arguments/shrink.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/peer/peer.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <numeric>

namespace {

using namespace colex;

constexpr std::size_t header = 5;
constexpr unsigned asks_reference = 1;  // bit of the fifth byte

std::uint32_t key_of(law const& l) { return static_cast<std::uint32_t>(hash_of(l.name)); }

struct input {
  law const* which;
  bool of_reference;
  std::vector<std::uint64_t> made;
};

// A number that is no law's key stands for one all the same, so that every input is one.
law const& law_of(std::uint32_t key) {
  static std::map<std::uint32_t, law const*> const table = [] {
    std::map<std::uint32_t, law const*> t;
    for (law const& l : laws()) t.emplace(key_of(l), &l);
    return t;
  }();
  auto const at = table.find(key);
  return at != table.end() ? *at->second : laws()[key % laws().size()];
}

input read(std::uint8_t const* data, std::size_t size) {
  std::uint32_t key = 0;
  for (std::size_t k = 0; k < 4 && k < size; ++k) key |= std::uint32_t{data[k]} << (8 * k);
  input in{&law_of(key), size >= header && (data[4] & asks_reference), {}};
  for (std::size_t k = header; k + 1 < size; k += 2) in.made.push_back(data[k] | std::uint64_t{data[k + 1]} << 8);
  return in;
}
std::size_t write(input const& in, std::uint8_t* data, std::size_t most) {
  if (most < header) return 0;
  std::uint32_t const key = key_of(*in.which);
  for (std::size_t k = 0; k < 4; ++k) data[k] = static_cast<std::uint8_t>(key >> (8 * k));
  data[4] = in.of_reference ? asks_reference : 0;
  std::size_t size = header;
  for (std::uint64_t const c : in.made) {
    if (size + 2 > most) break;
    data[size++] = static_cast<std::uint8_t>(c);
    data[size++] = static_cast<std::uint8_t>(c >> 8);
  }
  return size;
}

// ---- who is asked ----

peer* stranger() {
  static std::unique_ptr<peer> const p = [] {
    char const* const command = std::getenv("COLEX_PEER");
    auto made = command ? std::make_unique<peer>(std::vector<std::string>{"sh", "-c", command}, peer::seconds(10)) : nullptr;
    if (made) made->give_up_nothing(true);
    return made;
  }();
  return p.get();
}
answer asked_stranger(request const& r) {
  reply const got = stranger()->ask({print(r)}).front();
  if (!got.died.empty()) throw std::runtime_error("died: " + got.died);
  if (got.got.what == status::unsupported) throw vacuous{};
  return got.got;
}
struct subject {
  char const* name;
  trial::implementation ask;
};
subject const& subject_of(input const& in) {
  static subject const ref{"ref", ref::respond}, gpu{"gpu", gpu::respond}, other{"peer", asked_stranger};
  return stranger() ? other : in.of_reference ? ref : gpu;
}

// ---- what is found ----

bool same(answer const& a, answer const& b) {
  if (!a || !b) return same_status(a, b);
  return means_the_same(a.result, b.result);
}

// The choices make as many lists of arguments as they last for, and the law is evaluated on each: f(arguments, outcome,
// choices, the first of them that made these), up to the first that it does not hold for. Where an evaluation costs little,
// more lists follow, drawn at random from the input's own seed: an engine spends longer on a turn than such a law does.
constexpr int more_lists = 96;

template <class F>
bool evaluate_next(input const& in, choices& from, F f) {
  std::size_t const first = from.used();
  std::vector<binding> const where = draw_arguments(*in.which, from);
  outcome const o = evaluate(*in.which, where, subject_of(in).ask);
  f(where, o, from, first);
  return o.good;
}
template <class F>
bool each_evaluation(input const& in, F f) {
  choices given(in.made);
  do {
    if (!evaluate_next(in, given, f)) return false;
  } while (given.used() < in.made.size());
  if (in.which->costly || in.of_reference || stranger()) return true;
  std::mt19937_64 random(
      std::accumulate(in.made.begin(), in.made.end(), std::uint64_t{1}, [](auto h, auto c) { return h * 31 + c; }));
  for (int k = 0; k < more_lists; ++k)
    if (choices drawn(random); !evaluate_next(in, drawn, f)) return false;
  return true;
}

// The first answer that the reference does not give makes the case line.
fuzz::find find_of(input const& in, outcome const& o) {
  fuzz::find f{std::string("laws, ") + subject_of(in).name, in.which->name, o.where, {}, o.what};
  for (auto const& [asked, got] : o.asked) {
    answer const right = said(ref::respond, asked);
    if (same(right, got) || right.what == status::undecided) continue;
    f.line = print(asked) + " = " + (right ? print(right) : std::string(status_name[static_cast<int>(right.what)]));
    break;
  }
  return f;
}
// Shrunk, from the choices that made its arguments.
fuzz::find smallest(input const& in, std::vector<std::uint64_t> const& made) {
  outcome broken;
  auto const fails = [&](choice_list const& simpler) {
    outcome const o = evaluate(*in.which, draw_arguments(*in.which, simpler), subject_of(in).ask);
    if (!o.good) broken = o;
    return !o.good;
  };
  fails(made);
  shrink(made, fails);
  return find_of(in, broken);
}

// What each law has cost so far, so that the mutator gives every law the same time, not the same turns.
class clock_of_laws {
 public:
  std::chrono::nanoseconds& of(law const& l) { return spent_[index(l)]; }
  // That law, or another one that has had less time; a law that is known to be broken needs none.
  law const& choose(law const& here, fuzz::random_source& random) {
    law const& other = laws()[fuzz::below(random, laws().size())];
    if (fuzz::known(other.name)) return here;
    return fuzz::known(here.name) || of(other) < of(here) ? other : here;
  }

 private:
  std::vector<std::chrono::nanoseconds> spent_ = std::vector<std::chrono::nanoseconds>(laws().size());
  static std::size_t index(law const& l) { return static_cast<std::size_t>(&l - laws().data()); }
};
clock_of_laws spent;

// How often each law was evaluated, and with which classes of arguments. COLEX_CLASSES names a file that has it, rewritten now
// and then and at the end.
class account {
 public:
  ~account() { save(); }

  void add(law const& l, std::vector<binding> const& where) {
    count_classes(rows_[static_cast<std::size_t>(&l - laws().data())], classes_of(where));
    if (++added_ % (1 << 16) == 0) save();
  }

 private:
  std::vector<class_counts> rows_ = std::vector<class_counts>(laws().size());
  std::uint64_t added_ = 0;

  void save() const {
    char const* const file = std::getenv("COLEX_CLASSES");
    if (!file) return;
    nlohmann::json all{{"classes", class_names}};
    for (std::size_t k = 0; k < rows_.size(); ++k) all["laws"][laws()[k].name] = rows_[k];
    write_file(file, all.dump() + "\n");
  }
};
account evaluated;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input const in = read(data, size);
  if (fuzz::known(in.which->name)) return -1;
  auto const begin = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> made;
  bool const holds =
      each_evaluation(in, [&](std::vector<binding> const& where, outcome const& o, choices const& from, std::size_t first) {
        if (!o.good)
          made = from.made(first);
        else if (!o.vacuous)
          evaluated.add(*in.which, where);
      });
  if (!holds) fuzz::report(smallest(in, made));
  spent.of(*in.which) += std::chrono::steady_clock::now() - begin;
  return 0;
}

// An input goes to another law as long as that has had less time; one in sixteen asks the reference, the slowest of all.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  fuzz::random_source random(seed + 1);
  input in = read(data, size);
  in.which = &spent.choose(*in.which, random);
  in.of_reference = fuzz::below(random, 16) == 0;
  for (std::size_t times = 1 + fuzz::below(random, 3); times > 0; --times) fuzz::change(in.made, random);
  return write(in, data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* one, std::size_t size_one, std::uint8_t const* two,
                                                 std::size_t size_two, std::uint8_t* out, std::size_t most, unsigned seed) {
  fuzz::random_source random(seed + 1);
  input a = read(one, size_one);
  input const b = read(two, size_two);
  a.made.resize(fuzz::below(random, a.made.size() + 1));
  a.made.insert(a.made.end(), b.made.begin() + static_cast<std::ptrdiff_t>(fuzz::below(random, b.made.size() + 1)),
                b.made.end());
  return write(a, out, most);
}
