// A process of its own for each program, since only a parent that takes in orphans finds all that a program has started. It
// is forked off a process that may have other threads: no locale, no stream. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/keeper.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/prctl.h>
#endif

// What is counted in a keeper, or before exec, is lost: coverage sees none of it.
namespace colex {
namespace {

constexpr int most_rounds = 10'000;  // of killing, a millisecond and more each; what is left then cannot be killed

// From that number on no file stays open: now, or not beyond exec.
void close_from(unsigned first, bool at_exec) {  // not run: in a keeper
#ifdef CLOSE_RANGE_CLOEXEC
  if (close_range(first, ~0u, at_exec ? CLOSE_RANGE_CLOEXEC : 0) == 0) return;
#endif
  for (int fd = static_cast<int>(first); fd < 1024; ++fd) at_exec ? fcntl(fd, F_SETFD, FD_CLOEXEC) : close(fd);
}

// 0: it is gone.
pid_t parent_of(char const* process) {  // not run: in a keeper
  char text[512] = {};
  int const proc = open("/proc", O_RDONLY | O_DIRECTORY), folder = openat(proc, process, O_RDONLY | O_DIRECTORY);
  int const stat = openat(folder, "stat", O_RDONLY);
  bool const got = read(stat, text, sizeof text - 1) > 0;
  for (int const fd : {proc, folder, stat}) close(fd);
  char const* const name_ends = got ? std::strrchr(text, ')') : nullptr;  // a name may hold brackets; then ` STATE PARENT`
  return name_ends && std::strlen(name_ends) > 4 ? static_cast<pid_t>(std::strtol(name_ends + 4, nullptr, 10)) : 0;
}

// All processes and their parents.
std::vector<std::pair<pid_t, pid_t>> processes() {  // not run: in a keeper
  std::vector<std::pair<pid_t, pid_t>> all;
  DIR* const folder = opendir("/proc");
  for (dirent const* each; folder && (each = readdir(folder));)
    if (pid_t const pid = static_cast<pid_t>(std::strtol(each->d_name, nullptr, 10)))
      all.emplace_back(pid, parent_of(each->d_name));
  if (folder) closedir(folder);
  return all;
}

void kill_descendants() {  // not run: in a keeper
  std::vector<std::pair<pid_t, pid_t>> const all = processes();
  std::set<pid_t> mine{getpid()};
  for (std::size_t before = 0; before != mine.size();) {
    before = mine.size();
    for (auto const& [pid, parent] : all)
      if (mine.contains(parent)) mine.insert(pid);
  }
  mine.erase(getpid());
  for (pid_t const pid : mine) kill(pid, SIGKILL);
}

// Takes away what has ended, and notes how the program did. Is anybody left?
bool anybody_left(pid_t program, std::optional<int>& ended) {  // not run: in a keeper
  int status = 0;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    if (pid == program) ended = status;
  return pid == 0;
}

// Waits until a child has ended or the leash, which is file 0 here, can be read.
bool told_to_end() {  // not run: in a keeper
  sigset_t others;
  sigfillset(&others);
  sigdelset(&others, SIGCHLD);
  fd_set leash;
  FD_ZERO(&leash);
  FD_SET(0, &leash);
  return pselect(1, &leash, nullptr, nullptr, nullptr, &others) > 0;
}

[[noreturn]] void end_as(int status) {  // not run: in a keeper
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  int const with = WTERMSIG(status);
  std::signal(with, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  kill(getpid(), with);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  _exit(128 + with);
}

[[noreturn]] void keep(pid_t program, int leash) {  // not run: in a keeper
  dup2(leash, 0);
  close_from(1, false);
  std::optional<int> ended;
  while (anybody_left(program, ended) && !ended && !told_to_end()) {
  }
  for (int round = 0; round < most_rounds && anybody_left(program, ended); ++round) {
    round == 0 ? void(kill(-program, SIGKILL)) : kill_descendants();  // most often its group is all, and /proc is long
    usleep(1000);
  }
  end_as(ended.value_or(SIGKILL));
}

}  // namespace

void become_kept(int leash) {  // not run: in a keeper
  setpgid(0, 0);               // what a terminal sends to the judge's group is not for the keeper
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  std::signal(SIGCHLD, [](int) {});
  pid_t const program = fork();
  if (program < 0) _exit(EXIT_FAILURE);
  if (program > 0) keep(program, leash);
  setpgid(0, 0);
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close_from(3, true);  // another copy's pipes
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace colex
