// The program under judgement: a child process that reads request lines and answers one line each. It may crash, hang
// or talk nonsense; that is an outcome to report, never an error of the suite. Knows nothing of laws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "tests/suite/peer/limits.hpp"
#include "tests/suite/peer/printable.hpp"
#include "tests/suite/peer/process.hpp"

#include <functional>
#include <set>
#include <unordered_map>

namespace colex {

// What became of one request.
struct reply {
  answer got;
  std::string died;        // how the program died of it; empty: it answered
  bool asked = true;       // false: its operation had been given up before
  std::size_t length = 0;  // of the answer's line
  bool late = false;       // the time was out before it answered: nothing is known of it
};
// The words of `died` before what is quoted of the program: two deaths are alike that begin with the same.
inline std::string way_of_dying(std::string const& died) { return died.substr(0, died.find('"')); }

// What a program says of itself when greeted: `colex 1 [NAME [VERSION [OPERATION or LIMIT...]]]`.
struct introduction {
  std::string name, version;
  std::set<std::string> operations;  // none listed: all are asked
  limits takes{};
  bool offers(std::string const& op) const { return operations.empty() || operations.contains(op); }
};

class peer {
 public:
  using seconds = std::chrono::duration<double>;

  // How much dying is looked at before an operation (or the whole program) is given up, more where it answers more often
  // than it dies with other words each time, and how many `unsupported` without
  // one answer before an operation is taken not to be offered.
  static constexpr std::size_t death_limit = 20, same_death_limit = 100, total_death_limit = 1000, hang_limit = 2,
                               total_hang_limit = 10, unsupported_limit = 50;
  // How many requests are asked in vain of a program that has not answered one yet, and how many of these it may hang at.
  static constexpr std::size_t first_requests = 20, first_hang_limit = 5;

  // Starts what is talked to: a process, or what behaves as one does.
  using starter = std::function<std::unique_ptr<process>()>;

  // Starts the program and greets it. Throws no_program.
  peer(std::vector<std::string> command, seconds limit_per_answer);
  // What is not started by a command; the name is for messages.
  peer(starter start, std::string name, seconds limit_per_answer);
  ~peer();

  // Asks one of these after the other until one is answered. Throws no_program when none is: each line that came instead is no
  // answer, or it died. Where it has hung at first_hang_limit, no more are asked.
  void expect_an_answer(std::vector<std::string> const& requests);

  // One reply for each request line, in order. Many are on the way at a time; after a death the program is restarted
  // and what was not answered yet is asked again, so that only the request that did it is lost.
  std::vector<reply> ask(std::vector<std::string> const& requests);

  // From then on nothing is asked, and no answer is waited for.
  void end_at(process::clock::time_point time) { end_ = time; }
  bool is_late() const { return process::clock::now() >= end_; }
  // How long it had waited for what when the time was out: `9.8 s for an answer to size 4:1`. Empty: for nothing for long.
  std::string const& waited_for() const { return waited_for_; }

  // While shrinking, each death is wanted: nothing is given up.
  void give_up_nothing(bool on) { patient_ = on; }

  introduction const& who() const { return introduction_; }
  std::size_t deaths() const { return deaths_; }
  std::size_t hangs() const { return hangs_; }
  std::set<std::string> given_up() const;
  // The operations to which it ever answered more than `unsupported`, or died.
  std::set<std::string> const& offered() const { return offered_; }
  // Asks operations again that were taken not to be offered: others of their requests may be answered.
  void ask_again() {
    for (auto& [op, known] : records_) known.unsupported = 0;
  }
  // Looks again at every operation given up, but not at a program that hangs.
  void forget() { records_.clear(); }

 private:
  struct record {
    std::size_t deaths = 0, hangs = 0, unsupported = 0, answered = 0;
    std::string last_way;   // of dying
    std::size_t alike = 0;  // deaths in a row of that way
    bool deadly() const {
      return hangs >= hang_limit || deaths >= total_death_limit || alike >= same_death_limit ||
             (deaths >= death_limit && deaths > answered);
    }
    bool not_offered() const { return answered == 0 && unsupported >= unsupported_limit; }
  };
  // extra: nobody knows which line belongs to which request
  enum class stop_kind { none, ended, silent, nonsense, extra, late };
  struct stop {
    stop_kind what = stop_kind::none;
    std::size_t at = 0;  // place in the order of asking
    std::string how;
    bool certain = false;  // it was this request and no other
    seconds waited{};      // for its answer, in vain

    // Something was printed beside the answers, by whichever request.
    bool is_of_any() const { return !certain && (what == stop_kind::extra || what == stop_kind::nonsense); }
  };
  enum class manner { bulk, one_by_one };
  using order = std::vector<std::size_t>;

  starter start_;
  std::string name_;
  seconds limit_;
  std::unique_ptr<process> process_;
  std::string greeted_with_;
  introduction introduction_;
  std::unordered_map<std::string, record> records_;
  std::set<std::string> offered_;
  std::size_t deaths_ = 0, hangs_ = 0, window_ = 512, in_vain_ = 0;
  process::clock::time_point end_ = process::clock::time_point::max();
  std::string waited_for_;
  bool patient_ = false;
  bool fickle_ = false;  // it greets differently each time

  void start();
  void greet();
  order to_ask(std::vector<std::string> const& requests, std::size_t from, std::vector<reply>& replies);
  bool given_up(std::string const& op, reply& r) const;
  stop exchange(std::vector<std::string> const& requests, order const& todo, std::vector<reply>& replies, manner how,
                std::chrono::milliseconds patience = {});
  stop next_line(std::string& line, std::size_t at, bool alone);
  bool greets_differently();
  void learn(std::string const& request, reply const& r);
  stop take_answer(std::size_t at, bool alone, std::chrono::milliseconds patience, reply& r);
  stop take_line(std::string const& line, std::size_t at, reply& r);
  void look_at_alone(std::string const& request, stop& s);
  stop ask_alone(std::string const& request, std::size_t at, std::chrono::milliseconds patience);
  stop search_culprit(std::vector<std::string> const& requests, order const& todo, stop first, std::vector<reply>& replies);
  void blame(std::string const& request, stop const& s, reply& r);
  void note_wait(std::string const& request, seconds waited);
};

}  // namespace colex
