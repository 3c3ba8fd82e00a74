// The program under judgement: asking it much at once, and finding the request it died of.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <csignal>
#include <sstream>

namespace colex {

using clock = process::clock;

// ---- the peer ----

namespace {
std::string operation_of(std::string const& request) { return request.substr(0, request.find(' ')); }
constexpr std::size_t most_in_vain = 3;  // searches for who prints: each takes a second
constexpr char const* greeting = "hello\n";
constexpr char const* too_talkative = "answered with more than one line";
constexpr std::chrono::milliseconds a_moment{2}, a_while{200};  // for what is written behind an answer
constexpr peer::seconds worth_telling{0.5};
// What was said beside the answer, or before it: mostly what is printed for people.
std::string two_lines(std::string_view first, std::string_view second) {
  return fmt::format("{}: \"{}\", then \"{}\"", too_talkative, printable(first, 60),
                     printable(second.substr(0, second.find('\n')), 60));
}

// What has the form of a layout and is none, such as (0,4):(2,2), is an answer: one of the wrong kind.
answer answer_of(std::string const& line) {
  try {
    return parse_answer(line);
  } catch (no_layout const&) {
    if (line.find_first_not_of("0123456789-(),:@<>oSwX_") != std::string::npos) throw;
    return {status::answered, word_of(line), {}};
  }
}

// What answers for the program has ended at a request, and another stands in its place, or what it calls raised what nobody
// raises on purpose. Else a word that begins so is no answer.
bool is_death(std::string const& line) {
  return line.starts_with("died exited with status ") || line.starts_with("died killed by signal ") ||
         line.starts_with("died raised ");
}
std::string death_in(std::string const& line) { return printable(line.substr(5), 300); }

introduction introduced(std::string const& line, std::string const& who) {
  std::istringstream words(line);
  introduction i;
  std::string colex, protocol, word;
  if (!(words >> colex >> protocol) || colex != "colex")
    throw no_program(fmt::format("{} answered 'hello' with \"{}\"; `colex 1 NAME VERSION [OPERATION...]` belongs there", who,
                                 printable(line)));
  if (protocol != "1")
    throw no_program(fmt::format("{} speaks version {} of the protocol; this tool speaks 1", who, printable(protocol)));
  words >> i.name >> i.version;
  try {
    while (words >> word) limits::is_declaration(word) ? i.takes.declare(word) : void(i.operations.insert(word));
  } catch (no_limit const& e) {
    throw no_program(fmt::format("{} declares in its answer to 'hello' {}", who, e.what()));
  }
  return i;
}
}  // namespace

peer::peer(std::vector<std::string> command, seconds limit)
    : peer([command] { return start_process(command); }, command.front(), limit) {}
peer::peer(starter start, std::string name, seconds limit) : start_(std::move(start)), name_(std::move(name)), limit_(limit) {
  std::signal(SIGPIPE, SIG_IGN);
  greet();
}
peer::~peer() {
  if (process_ && !is_late()) process_->finish();
}

void peer::start() {
  process_.reset();
  process_ = start_();
}

void peer::greet() {
  start();
  process_->write(greeting);
  auto const got = process_->read_line(greeted_with_, clock::now() + std::chrono::duration_cast<clock::duration>(limit_));
  std::string const who = printable(name_);
  if (got == process::got::end) throw no_program(who + " " + process_->last_words() + " before it answered 'hello'");
  if (got == process::got::silence)
    throw no_program(
        fmt::format("{} did not answer 'hello' within {} s (does it flush its output after every line?)", who, limit_.count()));
  if (got == process::got::too_long) throw no_program(who + " answered 'hello' with a line longer than a line may be");
  if (process_->says_more(std::chrono::milliseconds(20)))
    throw no_program(fmt::format("{} said more than one line to 'hello': \"{}\"", who, printable(process_->rest())));
  introduction_ = introduced(greeted_with_, who);
}

bool peer::given_up(std::string const& op, reply& r) const {
  if (!introduction_.offers(op)) return r = {{status::unsupported, {}, "not offered"}, {}, false, 0}, true;
  if (patient_) return false;
  auto const at = records_.find(op);
  if (hangs_ >= total_hang_limit) {
    r = {{}, fmt::format("not asked: the program hung {} times", hangs_), false, 0};
  } else if (at == records_.end()) {
    return false;
  } else if (at->second.deadly()) {
    r = {{}, fmt::format("not asked: {} died {} times", op, at->second.deaths), false, 0};
  } else if (at->second.not_offered()) {
    r = {{status::unsupported, {}, "not asked again"}, {}, false, 0};
  } else {
    return false;
  }
  return true;
}

std::set<std::string> peer::given_up() const {
  if (hangs_ >= total_hang_limit) return {"everything"};
  std::set<std::string> operations;
  for (auto const& [op, known] : records_)
    if (known.deadly()) operations.insert(op);
  return operations;
}

peer::order peer::to_ask(std::vector<std::string> const& requests, std::size_t from, std::vector<reply>& replies) {
  order todo;
  for (std::size_t i = from; i < requests.size(); ++i)
    if (!given_up(operation_of(requests[i]), replies[i])) todo.push_back(i);
  return todo;
}

void peer::expect_an_answer(std::vector<std::string> const& requests) {
  std::string first, last_death, line;
  std::size_t asked = 0, hung = 0;
  for (std::string const& request : requests) {
    process_->write(request + '\n');
    stop const s = next_line(line, 0, true);
    if (s.what != stop_kind::none) start();
    if (s.what == stop_kind::late || is_death(line)) return;
    ++asked;
    if (s.what != stop_kind::none) {
      last_death = fmt::format("`{}`: {}", request, s.how);
      if (s.what == stop_kind::silent && ++hung == first_hang_limit) break;
      continue;
    }
    try {
      answer_of(line);
      if (!first.empty() || process_->says_more(a_moment)) start();  // nobody knows what else is on its way
      return;
    } catch (malformed const& e) {
      if (first.empty())
        first = fmt::format("`{}` with \"{}\" (column {}: {})", request, printable(line), e.column + 1, e.what());
    }
  }
  if (!last_death.empty())
    throw no_program(
        fmt::format("{} answered none of {} requests; the last that it died of: {}", printable(name_), asked, last_death));
  if (!requests.empty())
    throw no_program(fmt::format("{} answered {}, and {} with an answer: a value, `undefined REASON` or `unsupported REASON`",
                                 printable(name_), first,
                                 requests.size() == 1 ? "not" : fmt::format("none of {} requests", requests.size())));
}

std::vector<reply> peer::ask(std::vector<std::string> const& requests) {
  std::vector<reply> replies(requests.size());
  for (std::size_t next = 0;;) {
    order const todo = to_ask(requests, next, replies);
    if (todo.empty()) return replies;
    stop s = exchange(requests, todo, replies, manner::bulk);
    if (!s.certain && s.what == stop_kind::nonsense) look_at_alone(requests[todo[s.at]], s);
    std::size_t const answered = s.what == stop_kind::none ? todo.size() : s.is_of_any() ? 0 : s.at;
    for (std::size_t k = 0; k < answered; ++k) learn(requests[todo[k]], replies[todo[k]]);
    if (!s.certain && s.what != stop_kind::none && s.what != stop_kind::late) s = search_culprit(requests, todo, s, replies);
    if (s.what == stop_kind::none) return replies;
    if (s.what == stop_kind::late) {
      for (std::size_t k = s.at; k < todo.size(); ++k) replies[todo[k]].late = true;
      note_wait(requests[todo[s.at]], s.waited);
      return replies;
    }
    blame(requests[todo[s.at]], s, replies[todo[s.at]]);
    next = todo[s.at] + 1;
    start();
  }
}

// Asks this alone of a program just started, and waits so long for a second line.
peer::stop peer::ask_alone(std::string const& request, std::size_t at, std::chrono::milliseconds patience) {
  start();
  process_->write(request + '\n');
  reply r;
  return take_answer(at, true, patience, r);
}

// Is what is no answer said to this request alone, too? What a program prints beside its answers may come before those to other
// requests. Where that was looked for often in vain, this one is blamed.
void peer::look_at_alone(std::string const& request, stop& s) {
  if (stop const alone = ask_alone(request, s.at, {}); alone.what == stop_kind::nonsense)
    s = alone;
  else if (in_vain_ >= most_in_vain)
    s.certain = true, s.how += " (not when asked alone)";
}

// Answers may be lost in the buffers of a program that died: what is unanswered is asked again one by one.
peer::stop peer::search_culprit(std::vector<std::string> const& requests, order const& todo, stop first,
                                std::vector<reply>& replies) {
  bool const printed = first.is_of_any();
  std::size_t const from = printed ? 0 : first.at;
  start();
  order const rest(todo.begin() + static_cast<std::ptrdiff_t>(from), todo.end());
  stop s = exchange(requests, rest, replies, manner::one_by_one, printed ? a_moment : std::chrono::milliseconds{0});
  s.at += from;
  if (s.at == first.at) s.waited += first.waited;
  if (printed && s.what == stop_kind::nonsense && s.at > 0 && in_vain_ < most_in_vain) {
    stop const late = ask_alone(requests[todo[s.at - 1]], s.at - 1, a_while);  // as a thread of its own prints
    if (late.what == stop_kind::extra) return late;
    ++in_vain_;
  }
  if (s.what != stop_kind::none) return s;
  if (first.what == stop_kind::silent) {  // slow in bulk, not hanging: ask in smaller portions from now on
    window_ = std::max<std::size_t>(1, window_ / 8);
    return s;
  }
  if (first.what == stop_kind::extra && greets_differently()) return s;
  in_vain_ += first.what == stop_kind::nonsense;
  first.how += " (not when asked one by one)";
  blame(requests[todo[first.at]], first, replies[todo[first.at]]);
  return s;
}

// A program may answer the greeting with its age; then the greeting shows nothing.
bool peer::greets_differently() {
  start();
  for (int k = 0; k < 2 && !fickle_; ++k) {
    std::string line;
    process_->write(greeting);
    fickle_ = next_line(line, 0, true).what != stop_kind::none || line != greeted_with_;
  }
  return fickle_;
}

void peer::blame(std::string const& request, stop const& s, reply& r) {
  r = {{}, s.how, true, 0};
  learn(request, r);
  if (s.what == stop_kind::silent) {
    ++hangs_;
    ++records_[operation_of(request)].hangs;
  }
}

void peer::note_wait(std::string const& request, seconds waited) {
  if (waited >= worth_telling)
    waited_for_ = fmt::format("{:.1f} s for an answer to {}", waited.count(), printable(request, max_line));
}

// Sends what fits and takes what comes. In bulk, the greeting is asked again at the end: an answer other than the first
// shows that the answers do not belong to the requests.
peer::stop peer::exchange(std::vector<std::string> const& requests, order const& todo, std::vector<reply>& replies, manner how,
                          std::chrono::milliseconds patience) {
  std::size_t const window = how == manner::bulk ? window_ : 1;
  std::size_t sent = 0;
  for (std::size_t k = 0; k < todo.size(); ++k) {
    if (is_late()) return {stop_kind::late, k, {}, true};
    if (sent < todo.size() && (sent == k || sent - k < window / 2)) {
      std::string text;
      for (; sent < std::min(todo.size(), k + window); ++sent) text += requests[todo[sent]] + '\n';
      if (how == manner::bulk && sent == todo.size()) text += greeting;
      process_->write(text);
    }
    stop s = take_answer(k, sent == k + 1, patience, replies[todo[k]]);
    if (s.what == stop_kind::nonsense) s.certain = how != manner::bulk || todo.size() == 1;
    if (s.what != stop_kind::none) return s;
    if (how != manner::bulk) learn(requests[todo[k]], replies[todo[k]]);
  }
  if (how != manner::bulk) return {};
  std::string line;
  stop const s = next_line(line, todo.size() - 1, false);
  if (s.what != stop_kind::none || line == greeted_with_ || fickle_) return s;
  if (todo.size() > 1) return {stop_kind::extra, todo.size() - 1, too_talkative, false};
  return {stop_kind::extra, 0, two_lines(print(replies[todo[0]].got), line), true};
}

peer::stop peer::next_line(std::string& line, std::size_t at, bool alone) {
  auto const begin = clock::now();
  switch (process_->read_line(line, std::min(begin + std::chrono::duration_cast<clock::duration>(limit_), end_))) {
    case process::got::line: return {};
    case process::got::silence:
      if (is_late()) return {stop_kind::late, at, {}, true, clock::now() - begin};
      return {stop_kind::silent, at, fmt::format("no answer within {} s", limit_.count()), alone, limit_};
    case process::got::too_long: return {stop_kind::nonsense, at, "answered with an endless line", true};
    case process::got::end: break;
  }
  std::string const half = printable(process_->rest(), 60), how = process_->last_words();
  if (half.empty()) return {stop_kind::ended, at, how, alone};
  return {stop_kind::ended, at, how + " in the middle of the line \"" + half + "\"", true};
}

void peer::learn(std::string const& request, reply const& r) {
  std::string const op = operation_of(request);
  record& known = records_[op];
  if (!r.died.empty()) {
    offered_.insert(op);
    ++deaths_;
    ++known.deaths;
    std::string const way = way_of_dying(r.died);
    known.alike = way == known.last_way ? known.alike + 1 : 1;
    known.last_way = way;
  } else if (r.got.what == status::unsupported) {
    ++known.unsupported;
  } else if (known.answered++ == 0) {
    offered_.insert(op);
  }
}

peer::stop peer::take_answer(std::size_t at, bool alone, std::chrono::milliseconds patience, reply& r) {
  std::string line;
  stop s = next_line(line, at, alone);
  if (s.what == stop_kind::none) s = take_line(line, at, r);
  if (s.what != stop_kind::none || patience.count() == 0 || !process_->says_more(patience)) return s;
  return {stop_kind::extra, at, two_lines(line, process_->rest()), true};
}

peer::stop peer::take_line(std::string const& line, std::size_t at, reply& r) {
  if (is_death(line)) return r = {{}, death_in(line), true, line.size()}, stop{};
  try {
    r = {answer_of(line), {}, true, line.size()};
    return {};
  } catch (malformed const& e) {
    return {stop_kind::nonsense, at,
            fmt::format("answered \"{}\", which is no answer: column {}: {}", printable(line, 60), e.column + 1,
                        printable(e.what())),
            true};
  }
}

}  // namespace colex
