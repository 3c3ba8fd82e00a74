// The runner under a fuzzer: bytes are what a hostile program says. Whatever that is, each request gets one reply, a law its
// verdict, and the runner comes to an end.
//   bytes   the runs of the program, each ended by 0xff: what it says; 0xfe: here it falls silent. After the last run the
//           program behaves
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"
#include "tests/suite/judge/evaluate.hpp"
#include "tests/suite/peer/process.hpp"

#include <cstdint>

namespace {

using namespace colex;

constexpr char end_of_run = '\xff', silence = '\xfe';
std::string_view script;  // the runs to come

// A program that says what the script has, however it is asked.
class player final : public process {
 public:
  player() : plays_(!script.empty()) {
    text_ = script.substr(0, script.find(end_of_run));
    script.remove_prefix(std::min(script.size(), text_.size() + 1));
  }
  void write(std::string_view text) override { asked_ += text; }
  got read_line(std::string& line, clock::time_point) override {
    if (!plays_) return behave(line);
    if (text_.empty()) return got::end;
    if (text_.front() == silence) return got::silence;
    std::size_t const end = text_.find('\n');
    if (end == text_.npos) return got::end;
    line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return got::line;
  }
  bool says_more(std::chrono::milliseconds) override { return plays_ && !text_.empty(); }
  std::string_view rest() const override { return text_; }
  void finish() override {}
  std::string last_words() override { return "exited with status 1"; }

 private:
  bool plays_;
  std::string_view text_;
  std::string asked_;

  got behave(std::string& line) {
    std::size_t const end = asked_.find('\n');
    if (end == asked_.npos) return got::silence;
    line = asked_.starts_with("hello") ? "colex 1 player" : "undefined";
    asked_.erase(0, end + 1);
    return got::line;
  }
};

void require(bool good, char const* what) {
  if (!good) fuzz::report({"wire", what, {}, {}, "the runner lost it"});
}

std::vector<std::string> const& questions() {
  static std::vector<std::string> const lines = [] {
    std::vector<std::string> all;
    for (int k = 1; k < 40; ++k) all.push_back("size " + std::to_string(k) + ":1");
    return all;
  }();
  return lines;
}

void ask_questions(peer& p) {
  std::vector<reply> const replies = p.ask(questions());
  require(replies.size() == questions().size(), "a reply for each request");
  for (reply const& r : replies)
    require(r.asked || !r.died.empty() || r.got.what == status::unsupported, "a reason for each request not asked");
}
void judge_law(peer& p, law const& l) {
  evaluator judge(p);
  std::vector<input> batch;
  std::mt19937_64 random(1);
  for (int k = 0; k < 8; ++k) {
    batch.push_back({choices(random), {}, {}, {}});
    batch.back().where = draw_arguments(l, batch.back().from);
  }
  judge.settle(l, batch);
  for (input const& in : batch) require(in.result.what <= verdict::died, "a verdict for each input");
}

}  // namespace

std::unique_ptr<process> colex::start_process(std::vector<std::string> const&) { return std::make_unique<player>(); }

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return -1;
  script = {reinterpret_cast<char const*>(data) + 1, size - 1};
  try {
    peer p({"player"}, peer::seconds(1));
    ask_questions(p);
    judge_law(p, laws()[data[0] % laws().size()]);
  } catch (no_program const&) {  // it does not speak the protocol, and that was said
  }
  return 0;
}
