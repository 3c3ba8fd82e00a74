// Kernels that are compiled on demand, as far as no GPU is asked: NVRTC compiles without one.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/on_demand.hpp"
#include "gpu/gemm/gemm.hpp"
#include "gpu/gemm/nvrtc.hpp"
#include "gpu/gemm/tuned.hpp"
#include "tests/device/operands.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace colex::gpu {
namespace {

namespace fs = std::filesystem;

#define NEEDS_NVRTC() \
  if (!nvrtc::opened().missing().empty()) GTEST_SKIP() << nvrtc::opened().missing()

// A cache of its own for each test.
struct on_demand : testing::Test {
  fs::path folder = fs::temp_directory_path() / ("colex_on_demand_" + std::to_string(getpid()));
  on_demand() { setenv("COLEX_KERNEL_CACHE", folder.c_str(), 1); }
  ~on_demand() override { fs::remove_all(folder); }

  std::size_t files() const {
    return fs::exists(folder) ? static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})) : 0;
  }
};
std::string text_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(fs::path const& file, std::string const& text) { std::ofstream(file, std::ios::binary) << text; }

on_demand_kernel const& kernel(char const* name) {
  std::string why;
  on_demand_kernel const* const found = kernel_on_demand(name, why);
  if (found == nullptr) throw std::runtime_error(why);
  return *found;
}

// The functions of machine code, the registers of a thread, and whether it has a stack: its ELF says all three.
struct machine_code {
  int functions = 0, registers = 0;
  bool has_stack = false;

  explicit machine_code(std::string const& code) {
    auto const at = [&](std::size_t offset, auto& x) { std::memcpy(&x, code.data() + offset, sizeof x); };
    Elf64_Ehdr head;
    at(0, head);
    Elf64_Shdr names;
    at(head.e_shoff + head.e_shstrndx * sizeof names, names);
    for (int i = 0; i < head.e_shnum; ++i) {
      Elf64_Shdr section;
      at(head.e_shoff + static_cast<std::size_t>(i) * sizeof section, section);
      std::string const name = code.c_str() + names.sh_offset + section.sh_name;
      functions += name.starts_with(".text.");
      if (name == ".nv.info") read(code.substr(section.sh_offset, section.sh_size));
    }
  }
  // Attributes: format, kind, and with format 4 the size of a value, with others two bytes. Kind 0x2f is (symbol, registers),
  // 0x12 (symbol, the least stack).
  void read(std::string const& info) {
    for (std::size_t i = 0; i + 4 <= info.size();) {
      auto const format = static_cast<unsigned char>(info[i]), kind = static_cast<unsigned char>(info[i + 1]);
      std::uint16_t size = 0;
      if (format == 4) std::memcpy(&size, info.data() + i + 2, 2);
      std::uint32_t value = 0;
      if (size == 8) std::memcpy(&value, info.data() + i + 8, 4);
      if (kind == 0x2f) registers = std::max(registers, static_cast<int>(value));
      has_stack |= kind == 0x12 && value != 0;
      i += 4u + size;
    }
  }
};

// One of each mainloop, in the tables and not; the text of the kernels is complete.
TEST_F(on_demand, nvrtc_compiles_lawful_plans) {
  NEEDS_NVRTC();
  for (char const* name : {"sm90_bf16_kk_128x144x64_s4_pingpong", "sm90_s8_kk_64x48x128_s8", "sm90_tf32_mk_128x256x32_s3",
                           "sm90_e4m3_e5m2_two_level_kk_128x96x128_s4_1x2"}) {
    on_demand_kernel::code const c = kernel(name).find_code();
    ASSERT_EQ(c.wrong, "") << name;
    EXPECT_FALSE(c.was_cached);
    machine_code const code(c.binary);
    EXPECT_EQ(code.functions, 1) << name;
    EXPECT_TRUE(code.registers > 0 && code.registers <= kernel(name).plan->registers) << code.registers;
    EXPECT_FALSE(code.has_stack) << name;
    on_demand_kernel::code const again = kernel(name).find_code();
    EXPECT_TRUE(again.was_cached && again.binary == c.binary) << name;
  }
  EXPECT_EQ(files(), 4u);
}
TEST_F(on_demand, broken_entries_are_compiled_again) {
  NEEDS_NVRTC();
  on_demand_kernel const& k = kernel("sm90_bf16_kk_64x16x64_s4");
  ASSERT_EQ(k.find_code().wrong, "");
  std::string broken = text_of(k.cached().file());
  broken[broken.size() / 2] ^= 1;
  write(k.cached().file(), broken);
  on_demand_kernel::code const again = k.find_code();
  EXPECT_TRUE(!again.was_cached && !again.binary.empty());
  EXPECT_TRUE(k.cached().read() == again.binary);
}
TEST_F(on_demand, what_a_compiler_refuses_is_said) {
  NEEDS_NVRTC();
  nvrtc::result const r = nvrtc::opened().compile("#error no such text\n", {}, {});
  EXPECT_TRUE(r.code.empty());
  EXPECT_NE(r.wrong.find("no such text"), r.wrong.npos) << r.wrong;
}

// Entries, by a text that stands for machine code.
std::string const head = "of this\n", code(100'000, 'x');
TEST_F(on_demand, only_whole_entries_are_read) {
  cached_kernel const entry("kernel", head);
  EXPECT_EQ(entry.read(), "");
  entry.write(code);
  ASSERT_TRUE(entry.read() == code);
  EXPECT_EQ(files(), 1u);
  std::string const whole = text_of(entry.file());
  for (std::size_t size : {std::size_t{0}, head.size(), head.size() + 5, whole.size() / 2, whole.size() - 1}) {
    write(entry.file(), whole.substr(0, size));
    EXPECT_EQ(entry.read(), "") << size;
  }
  for (std::size_t at : {std::size_t{0}, head.size() + 6, whole.size() - code.size(), whole.size() - 1}) {
    std::string wrong = whole;
    wrong[at] ^= 1;
    write(entry.file(), wrong);
    EXPECT_EQ(entry.read(), "") << at;
  }
  write(entry.file(), whole + "x");
  EXPECT_EQ(entry.read(), "");
  entry.write(code);
  EXPECT_TRUE(entry.read() == code);
  EXPECT_NE(cached_kernel("kernel", "of that\n").file(), entry.file());
  write(cached_kernel("kernel", "of that\n").file(), whole);
  EXPECT_EQ(cached_kernel("kernel", "of that\n").read(), "");
}
TEST_F(on_demand, a_folder_that_cannot_be_written) {
  for (fs::path const& no_folder : {fs::path("/dev/null/cache"), folder / "file" / "cache"}) {
    fs::create_directories(folder);
    write(folder / "file", "");
    setenv("COLEX_KERNEL_CACHE", no_folder.c_str(), 1);
    cached_kernel const entry("kernel", head);
    entry.write(code);
    EXPECT_EQ(entry.read(), "");
  }
  setenv("COLEX_KERNEL_CACHE", folder.c_str(), 1);
  fs::create_directories(cached_kernel("kernel", head).file());  // a folder where the file belongs
  cached_kernel("kernel", head).write(code);
  EXPECT_EQ(cached_kernel("kernel", head).read(), "");
}
// A limit for files stands for a disk that is full.
TEST_F(on_demand, a_full_disk_leaves_nothing) {
  pid_t const child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit const few{20'000, 20'000};
    setrlimit(RLIMIT_FSIZE, &few);
    cached_kernel("kernel", head).write(code);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_EQ(files(), 0u);
}
// Writers that are killed at any time, while others write and read: what is read is whole.
TEST_F(on_demand, killed_writers_and_others) {
  cached_kernel const entry("kernel", head);
  entry.write(code);
  for (int round = 0; round < 30; ++round) {
    pid_t writers[2];
    for (pid_t& each : writers)
      if ((each = fork()) == 0)
        for (;;) entry.write(code);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(entry.read() == code);
    for (pid_t each : writers) kill(each, SIGKILL), waitpid(each, nullptr, 0);
    EXPECT_TRUE(entry.read() == code);
  }
}
TEST_F(on_demand, where_entries_are) {
  EXPECT_EQ(kernel_cache_folder(), folder);
  unsetenv("COLEX_KERNEL_CACHE");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(kernel_cache_folder(), "/caches/colex");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(kernel_cache_folder(), "/home/somebody/.cache/colex");
  unsetenv("HOME");
  EXPECT_EQ(kernel_cache_folder(), "");
  cached_kernel("kernel", head).write(code);
  EXPECT_EQ(cached_kernel("kernel", head).read(), "");
}

std::vector<std::string> lines(gemm_options const& o) {
  operands const x = cube(4096, element::bf16, element::bf16);
  return explain_gemm(x.d, x.a, x.b, x.c, 1, 0, o, 90, 132);
}
TEST_F(on_demand, only_where_a_call_asks_for_it) {
  gemm_options o;
  o.kernel = "sm90_bf16_kk_128x240x64_s4";
  using one = std::vector<std::string>;
  EXPECT_EQ(lines(o), one{"sm90_bf16_kk_128x240x64_s4 is compiled only if gemm_options::compile says so"});
  o.compile = true;
  ASSERT_EQ(lines(o).size(), 2u);  // as given, and with A and B swapped
  std::string const state = nvrtc::opened().missing().empty()
                                ? "NVRTC " + nvrtc::opened().version() + " would compile it into " + folder.string()
                                : "not compiled: there is no NVRTC";
  for (std::string const& line : lines(o)) {
    EXPECT_TRUE(line.starts_with("sm90_bf16_kk_128x240x64_s4: ")) << line;
    EXPECT_NE(line.find(state), line.npos) << line;
  }
  o.kernel = "sm90_bf16_kk_128x256x64_s5";
  EXPECT_EQ(lines(o), one{"sm90_bf16_kk_128x256x64_s5 breaks warpgroup_plan_fits"});
  o.kernel = "none";
  EXPECT_EQ(lines(o), one{"no kernel is named none"});
}
// What may be compiled comes behind the compiled kernels, and is none of them.
TEST_F(on_demand, what_may_be_compiled_is_listed) {
  gemm_options o;
  std::vector<std::string> const before = lines(o);
  o.compile = true;
  std::vector<std::string> const all = lines(o);
  ASSERT_EQ(all.size(), before.size() + 8);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), all.begin()));
  for (std::size_t i = before.size(); i < all.size(); ++i) {
    std::string const name = all[i].substr(0, all[i].find(':'));
    EXPECT_EQ(broken_law(warpgroup_call_named(name)), "");
    EXPECT_TRUE(std::ranges::none_of(sm90_plans, [&](plan const& p) { return gpu::name(p) == name; })) << name;
  }
}
TEST_F(on_demand, tuned_files_may_name_what_is_compiled_later) {
  auto const refused = [](std::string const& kernel) {
    tuned_for const here{"library", "device"};
    tuned_kernels known;
    known.kernel_of["product"] = kernel;
    fs::path const file = fs::temp_directory_path() / ("colex_tuned_" + std::to_string(getpid()));
    EXPECT_EQ(write_tuned(file, here, known), "");
    std::string const r = read_tuned(file, here, {}).refused;
    fs::remove(file);
    return r;
  };
  EXPECT_EQ(refused("sm90_bf16_kk_128x240x64_s4"), "");
  EXPECT_NE(refused("sm90_bf16_kk_128x241x64_s4_").find("no kernel is named"), std::string::npos);
}

}  // namespace
}  // namespace colex::gpu
