// One run of the program under judgement, as a child process.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/process.hpp"

#include "spec/notation/notation.hpp"
#include "tests/suite/peer/keeper.hpp"
#include "tests/suite/peer/printable.hpp"

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async_pipe.hpp>
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>

#include <fcntl.h>

#include <array>
#include <cstring>
#include <thread>

namespace colex {

namespace bp = boost::process;
namespace asio = boost::asio;

namespace {

class child_process final : public process {
 public:
  explicit child_process(std::vector<std::string> const& command) : in_(io_), out_(io_), err_(io_) {
    std::error_code failed;
    std::string const path = find(command.front());
    for (int const end : {leash_.native_source(), leash_.native_sink()}) fcntl(end, F_SETFD, FD_CLOEXEC);
    child_ = bp::child(bp::exe = path, bp::args = std::vector<std::string>(command.begin() + 1, command.end()),
                       bp::std_in<in_, bp::std_out> out_, bp::std_err > err_,
                       bp::extend::on_exec_setup([this](auto&) { become_kept(leash_.native_source()); }), failed);
    if (failed) throw no_program("cannot run " + printable(command.front()) + ": " + failed.message());
    read(out_, from_out_, out_open_, [this](std::string_view s) { text_ += s; });
    read(err_, from_err_, err_open_, [this](std::string_view s) { keep_last_line(s); });
  }
  child_process(child_process const&) = delete;
  child_process& operator=(child_process const&) = delete;
  ~child_process() override { stop(); }

  void write(std::string_view text) override {
    waiting_ += text;
    if (sending_.empty()) send();
  }

  got read_line(std::string& line, clock::time_point until) override {
    for (;;) {
      std::size_t const end = text_.find('\n', scanned_);
      if (end != std::string::npos) return take(line, end);
      scanned_ = text_.size();
      if (text_.size() - begin_ > max_line) return got::too_long;
      if (!out_open_) return got::end;
      if (io_.run_one_until(until) == 0) return got::silence;
    }
  }

  bool says_more(std::chrono::milliseconds within) override {
    auto const until = clock::now() + within;
    while (text_.size() == begin_ && out_open_ && io_.run_one_until(until) != 0) {
    }
    return text_.size() > begin_;
  }
  std::string_view rest() const override { return std::string_view(text_).substr(begin_); }

  void finish() override {
    in_.close();
    ended_by_itself(std::chrono::seconds(2));
  }

  std::string last_words() override {
    std::string how = ended_by_itself(std::chrono::milliseconds(200)) ? exit_text() : "closed its output";
    auto const until = clock::now() + std::chrono::milliseconds(100);
    while (err_open_ && io_.run_one_until(until) != 0) {
    }
    stop();
    if (!last_line_.empty()) how += "; it said: " + printable(last_line_, last_line_.size() > whole_line ? 120 : whole_line);
    return how;
  }

 private:
  using buffer = std::array<char, 1 << 16>;
  static constexpr std::size_t whole_line = 300;  // its end says what is wrong, as `not found` behind a path

  asio::io_context io_;
  bp::async_pipe in_, out_, err_;
  bp::pipe leash_;   // to the keeper; this process has both ends, so that writing to it never fails
  bp::child child_;  // the keeper, which ends as the program does
  buffer from_out_{}, from_err_{};
  bool out_open_ = true, err_open_ = true;
  std::string waiting_, sending_, text_, err_text_, last_line_;
  std::size_t begin_ = 0, scanned_ = 0;

  static std::string find(std::string const& name) {
    if (name.find('/') != std::string::npos) return name;
    std::string path = bp::search_path(name).string();
    if (path.empty()) throw no_program("cannot run " + printable(name) + ": no such program in PATH");
    return path;
  }

  void send() {
    sending_.swap(waiting_);
    asio::async_write(in_, asio::buffer(sending_), [this](boost::system::error_code const& failed, std::size_t) {
      sending_.clear();
      if (!failed && !waiting_.empty()) send();
    });
  }

  template <class F>
  void read(bp::async_pipe& from, buffer& into, bool& open, F use) {
    from.async_read_some(asio::buffer(into),
                         [this, &from, &into, &open, use](boost::system::error_code const& failed, std::size_t n) {
                           if (failed) return void(open = false);
                           use(std::string_view(into.data(), n));
                           read(from, into, open, use);
                         });
  }

  got take(std::string& line, std::size_t end) {
    bool const fits = end - begin_ <= max_line;
    line.assign(text_, begin_, end - begin_);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    begin_ = scanned_ = end + 1;
    if (begin_ == text_.size()) {
      text_.clear();
      begin_ = scanned_ = 0;
    }
    return fits ? got::line : got::too_long;
  }

  void keep_last_line(std::string_view s) {
    for (char const c : s) {
      if (c != '\n') {
        if (err_text_.size() < 1000) err_text_ += c;
      } else if (!err_text_.empty()) {
        last_line_ = std::exchange(err_text_, "");
      }
    }
  }

  bool ended_by_itself(std::chrono::milliseconds within) {
    std::error_code failed;
    for (auto const until = clock::now() + within; clock::now() < until;) {
      if (!child_.running(failed)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  std::string exit_text() const {
    int const s = child_.native_exit_code();
    if (WIFSIGNALED(s)) return fmt::format("killed by signal {} ({})", WTERMSIG(s), strsignal(WTERMSIG(s)));
    return fmt::format("exited with status {}", WEXITSTATUS(s));
  }

  // What the keeper cannot end in that time, it goes on ending without us.
  void stop() {
    leash_.write("", 1);
    if (!ended_by_itself(std::chrono::seconds(5))) child_.detach();
    if (!err_text_.empty()) last_line_ = std::exchange(err_text_, "");
  }
};

}  // namespace

std::unique_ptr<process> start_process(std::vector<std::string> const& command) {
  return std::make_unique<child_process>(command);
}

}  // namespace colex
