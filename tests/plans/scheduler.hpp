// Roles as threads of which one runs at a time, and the work that hardware does in between, in an order that a seed draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace colex::umma {

// Who goes next: roles are threads of which one runs at a time, hardware's pending work is done in between. Each has a
// priority that a seed draws and now and then draws anew, so that some run far ahead where nothing holds them.
class scheduler {
 public:
  explicit scheduler(std::uint64_t seed) : random_(seed) {}

  void spawn(std::function<void()> does) {
    std::size_t const i = roles_.size();
    roles_.push_back({.priority = draw()});
    threads_.emplace_back([this, i, does = std::move(does)] {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return current_ == i; });
      }
      try {
        does();
      } catch (std::exception const& e) {
        fail(e.what());
      }
      std::unique_lock lock(mutex_);
      roles_[i].done = true;
      pass();
    });
  }
  // Work that is done some time later: in order within a queue, or in any order in queue none.
  void later(int queue, std::function<void()> does) {
    (queue == none ? loose_ : queues_[static_cast<std::size_t>(queue)]).push_back({draw(), std::move(does)});
  }
  // The same, but it may overtake what was issued before.
  void sooner(int queue, std::function<void()> does) {
    auto& q = queues_[static_cast<std::size_t>(queue)];
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(random_() % (q.size() + 1)), {draw(), std::move(does)});
  }
  // Returns once it holds; others run meanwhile in any case.
  void wait(std::function<bool()> const& holds) {
    std::unique_lock lock(mutex_);
    std::size_t const me = current_;
    roles_[me].holds = &holds;
    pass();
    changed_.wait(lock, [&] { return current_ == me; });
    roles_[me].holds = nullptr;
    if (!failure_.empty()) throw std::runtime_error("stopped");
  }
  void yield() {
    wait([] { return true; });
  }
  // Runs everything; what went wrong, or nothing.
  std::string run() {
    {
      std::unique_lock lock(mutex_);
      pass();
    }
    for (std::thread& t : threads_) t.join();
    if (failure_.empty() && (!loose_.empty() || !queues_[0].empty() || !queues_[1].empty())) failure_ = "work was left";
    return failure_;
  }
  void fail(std::string const& why) {
    if (failure_.empty()) failure_ = why;
  }
  static constexpr int none = -1;

 private:
  static constexpr std::size_t none_running = static_cast<std::size_t>(-1);
  struct role {
    unsigned priority = 0;
    bool done = false;
    std::function<bool()> const* holds = nullptr;
  };
  struct work {
    unsigned priority;
    std::function<void()> does;
  };
  unsigned draw() { return static_cast<unsigned>(random_() % 1000000); }

  // What runs next: a role, pending work, or nothing.
  struct turn {
    std::size_t role = none_running;
    std::deque<work>* queue = nullptr;
    std::size_t at = 0;
    unsigned priority = 0;

    void offer(turn const& t) {
      if (t.priority + 1 > priority) *this = t, ++priority;
    }
  };
  bool may_run(role const& r) const { return !r.done && (!failure_.empty() || !r.holds || (*r.holds)()); }
  turn next_turn() {
    turn best;
    for (std::size_t i = 0; i < roles_.size(); ++i)
      if (may_run(roles_[i])) best.offer({i, nullptr, 0, roles_[i].priority});
    if (!failure_.empty()) return best;
    for (std::size_t i = 0; i < loose_.size(); ++i) best.offer({none_running, &loose_, i, loose_[i].priority});
    for (auto& q : queues_)
      if (!q.empty()) best.offer({none_running, &q, 0, q.front().priority});
    return best;
  }
  void work_on(turn const& t) {
    auto const does = std::move((*t.queue)[t.at].does);
    t.queue->erase(t.queue->begin() + static_cast<std::ptrdiff_t>(t.at));
    try {
      does();
    } catch (std::exception const& e) {
      fail(e.what());
    }
  }
  // Does pending work until a role, or nothing, is next.
  void pass() {
    turn t = next_turn();
    for (; t.queue; t = next_turn()) work_on(t);
    bool const all_done = std::all_of(roles_.begin(), roles_.end(), [](role const& r) { return r.done; });
    if (t.role == none_running && !all_done) {
      fail("all wait for each other");
      t = next_turn();
    }
    if (t.role != none_running && random_() % 16 == 0) roles_[t.role].priority = draw();
    current_ = t.role;
    changed_.notify_all();
  }

  std::mt19937_64 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<role> roles_;
  std::vector<std::thread> threads_;
  std::deque<work> loose_;
  std::array<std::deque<work>, 2> queues_;  // of the tensor core of each SM
  std::size_t current_ = none_running;
  std::string failure_;
};

}  // namespace colex::umma
