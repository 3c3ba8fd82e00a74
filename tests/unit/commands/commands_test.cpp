// What the other commands for people say: what is found, listed, begun, completed.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/unit/harness.hpp"

#include <sstream>

namespace colex {
namespace {

using namespace harness;

TEST(tool, lists_every_operation_with_an_example) {
  json const all = json::parse(shell(tool + " ops --json").out);
  ASSERT_EQ(all.size(), operation_names().size());
  for (json const& o : all) {
    answer const a = ref::respond(parse_request(o["example"]["request"].get<std::string>()));
    EXPECT_TRUE(a && print(a.result) == o["example"]["answer"]) << o;
    EXPECT_TRUE(o["example"]["request"].get<std::string>().starts_with(o["operation"].get<std::string>() + " ")) << o;
  }
  std::string const divides = shell(tool + " ops divide").out;
  for (char const* const part : {"\nzipped_divide ", "A:tensor T:tiler", " = ", "a tiler <...> by mode"})
    EXPECT_NE(divides.find(part), std::string::npos) << divides;
  EXPECT_EQ(divides.find("coalesce"), std::string::npos) << divides;
  EXPECT_EQ(shell(tool + " ops tildivide").status, 2);
}

TEST(tool, lists_atoms_that_there_are) {
  EXPECT_GT(json::parse(shell(tool + " atoms --json").out).size(), 50u);
  json const some = json::parse(shell(tool + " atoms --json LDSM").out);
  ASSERT_GT(some.size(), 5u);
  for (json const& a : some) {
    EXPECT_TRUE(ref::respond({a["operation"], {word_of(a["atom"]), word_of("ThrID")}})) << a;
    EXPECT_EQ(a["fields"]["ThrID"], "32:1");
  }
  EXPECT_NE(shell(tool + " atoms '16x8x16_F32F16'").out.find("\n    mma_atom SM80_16x8x16_F32F16F16F32_TN CLayout = "),
            std::string::npos);
  std::string const many = shell(tool + " atoms cp.async").out, folded = shell(tool + " atoms").out;
  EXPECT_NE(many.find("SM90_TMA_{LOAD|LOAD_OP|"), std::string::npos) << many;
  EXPECT_LT(many.size(), folded.size()) << "families, not names";
}

// By the name of the PTX instruction, too, with or without what follows it.
TEST(tool, lists_atoms_by_their_instruction) {
  auto const names = [](std::string const& pattern) {
    std::set<std::string> out;
    for (json const& a : json::parse(shell(tool + " atoms --json '" + pattern + "'").out)) out.insert(a["atom"]);
    return out;
  };
  EXPECT_EQ(names("ldmatrix"), names("LDSM"));
  EXPECT_EQ(names("ldmatrix.sync.aligned.m8n8.x4.shared.b16"), names("LDSM"));
  EXPECT_EQ(names("ldsm"), names("LDSM"));
  EXPECT_EQ(names("stmatrix"), names("STSM"));
  EXPECT_EQ(names("cp.async.cg.shared.global"), names("CP_ASYNC"));
  EXPECT_EQ(names("tcgen05.cp"), names("UTCCP"));
  EXPECT_TRUE(names("cp.async").contains("SM90_TMA_LOAD,128b"));
  EXPECT_TRUE(names("tma").contains("SM90_TMA_LOAD,128b"));
  EXPECT_TRUE(names("wgmma").contains("SM90_64x64x16_F16F16F16_SS"));
  EXPECT_FALSE(names("wgmma").contains("SM90_16x8x4_F64F64F64F64_TN"));
  std::set<std::string> const shaped = names("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  EXPECT_TRUE(shaped.contains("SM80_16x8x16_F32BF16BF16F32_TN"));
  EXPECT_FALSE(shaped.contains("SM80_16x8x8_F32BF16BF16F32_TN"));
  EXPECT_NE(shell(tool + " atoms ldmatrix").out.find("SM75_U32x4_LDSM_N  (ldmatrix)\n"), std::string::npos);
  for (json const& a : json::parse(shell(tool + " atoms --json").out)) {
    std::string const name = a["atom"];
    bool const many = name.starts_with("Universal") || name.starts_with("AutoVect");
    EXPECT_EQ(a.contains("ptx"), !many) << "which instruction it is: " << name;
  }
}

TEST(tool, asks_who_was_meant) {
  for (auto const& [words, meant] : std::initializer_list<std::pair<std::string, std::string>>{
           {"ask 'compositon 4:1 2:1'", "composition"},
           {"explain 'colaesce 4:1'", "coalesce"},
           {"ask 'size(coalesec(4:1))'", "coalesce"},
           {"ask 'mma_atom SM80_16x8x16_F32F16F16F32_NT CLayout'", "SM80_16x8x16_F32F16F16F32_TN"},
           {"draw SM75_U32x4_LDSM", "SM75_U32x4_LDSM_N"},
           {"ops composiiton", "composition"},
           {"conform --law composition_pointwse -- true", "composition_pointwise"},
           {"conform --law compositon_form -- true", "composition_form"},
           {"conform --op compositon -- true", "composition"},
           {"conform --only 'composition_pointwse A=4:1' -- " + broken_program + " honest", "composition_pointwise"},
           {"conform --basline x -- true", "--baseline"},
           {"explan 'size 4:1'", "explain"},
           {"ask 'inverse 4:1'", "right_inverse, left_inverse or f2_right_inverse"},
           {"ask 'divide 4:1 2:1'", "logical_divide, zipped_divide or [a-z]+_divide"},
           {"ask 'product 4:1 2:1'", "product_each, logical_product or [a-z]+_product"},
           {"ask 'compose 4:1 2:1'", "composition or f2_compose"},
           {"conform --op compose -- true", "composition or f2_compose"},
           {"explain 'invers (4,2):(2,1)'", "right_inverse, left_inverse or f2_invert"},
           {"ask 'divid 4:1 2:1'", "logical_divide, zipped_divide or [a-z]+_divide"},
           {"ask 'prodcut 4:1 2:1'", "product_each, logical_product or [a-z]+_product"},
           {"ask 'SIZE (4,2):(2,1)'", "size"},
           {"ask 'swizle 4:1'", "swizzle_for"},
           {"ask 'LogicalDivide 4:1 2:1'", "logical_divide"},
           {"ask 'sm80_16x8x16_f32f16f16f32_nt'", "SM80_16x8x16_F32F16F16F32_TN"},
           {"draw SM75_u32x4_ldsm_n", "SM75_U32x4_LDSM_N"},
           {"laws compositon", "composition"},
           {"laws composition_pointwse", "composition_pointwise"},
           {"--vresion", "--version"}}) {
    result const r = shell(tool + " " + words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_TRUE(std::regex_search(r.err, std::regex("did you mean " + meant + "\\?"))) << words << "\n" << r.err;
  }
  for (char const* const words : {"ask 'frobnicate 4:1'", "conform --op size --law coalesce_flat -- true"})
    EXPECT_EQ(shell(tool + " " + words).err.find("did you mean"), std::string::npos) << words;
}

TEST(tool, a_command_that_there_is_not_has_no_help) {
  for (auto const& [words, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {"banks", "there is no command 'banks' (colex --help)"},
           {"bnaks --help", "there is no command 'bnaks' (colex --help)"},
           {"ask --jsn --help", "ask has no option --jsn; did you mean --json? (colex ask --help)"},
           {"composition 4:1 2:1", "there is no command 'composition'; 'colex ask' asks an operation (colex --help)"},
           {"'size(4:1)'", "there is no command 'size(4:1)'; 'colex ask' asks an operation (colex --help)"}}) {
    result const r = shell(tool + " " + words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_EQ(r.err, "colex: " + why + "\n") << words;
  }
  EXPECT_EQ(shell(tool + " ask --help").status, 0);
  EXPECT_EQ(shell(tool + " --help").status, 0);
  EXPECT_EQ(shell(tool + " help").out, shell(tool + " --help").out);
  EXPECT_EQ(shell(tool + " help ask").out, shell(tool + " ask --help").out);
  EXPECT_EQ(shell(tool + " help bnaks").status, 2);
}
TEST(tool, begins_an_adapter_that_runs) {
  std::string const folder = scratch.file("new/adapters"), at = "'" + folder + "'";
  std::string const judged = tool + " conform --count 60 --op size -- ";
  EXPECT_EQ(shell(tool + " init python " + at).status, 0);
  result r = shell(judged + "python3 " + at + "/adapter.py");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("nothing was judged"), std::string::npos) << "as long as it offers nothing: " << r.out << r.err;
  shell(
      "sed -i 's/# size=my_package.size/size=lambda a: 1/; s/# composition=taking(my_package.composition/"
      "composition=taking(lambda a, b: b/' " +
      at + "/adapter.py");
  r = shell("printf 'composition 4:1 2:1\ncomposition 4:1 2\n' | python3 " + at + "/adapter.py");
  EXPECT_EQ(r.out, "2:1\nunsupported not for int 2\n") << r.err;
  r = shell(judged + "python3 " + at + "/adapter.py");
  EXPECT_NE(r.out.find("FAIL size_product "), std::string::npos) << r.out << r.err;
  EXPECT_EQ(shell(tool + " init cpp " + at).status, 0);
  r = shell("g++ -std=c++17 " + at + "/adapter.cpp -o " + at + "/adapter && " + judged + at + "/adapter");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("nothing was judged"), std::string::npos) << r.out << r.err;
  store(folder + "/adapter.py", "mine");
  EXPECT_EQ(shell(tool + " init python " + at).status, 2) << "what is there is nobody's to replace";
  EXPECT_EQ(contents(folder + "/adapter.py"), "mine");
  EXPECT_EQ(shell(tool + " init rust " + at).status, 2);
}

TEST(tool, begins_no_adapter_where_no_folder_can_be) {
  std::string const file = scratch.file("a_file"), link = scratch.file("a_loop");
  store(file, "");
  fs::create_directory_symlink(link, link);
  for (auto const& [folder, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "init: the name of the folder is empty"},
           {file, "cannot make the folder " + file + ": " + file + " is a file"},
           {file + "/below/it", "cannot make the folder " + file + "/below/it: " + file + " is a file"},
           {link, "cannot make the folder " + link + ": Too many levels of symbolic links"},
           {scratch.file(std::string(300, 'x')),
            "cannot make the folder " + scratch.file(std::string(300, 'x')) + ": File name too long"}}) {
    result const r = shell(tool + " init python '" + folder + "'");
    EXPECT_EQ(r.status, 2) << folder;
    EXPECT_EQ(r.err, "colex: " + why + "\n");
  }
  EXPECT_NE(shell(tool + " draw 4:1 -o " + scratch.file(std::string(300, 'x')) + ".svg").err.find(": File name too long\n"),
            std::string::npos);
}
TEST(tool, says_how_to_run_the_adapter_that_it_began) {
  std::string const folder = scratch.file("two words");
  EXPECT_EQ(shell(tool + " init python '" + folder + "'").out, "colex conform -- python3 '" + folder + "/adapter.py'\n");
  EXPECT_NE(shell(tool + " init cpp '" + folder + "'").out.find("\ncolex conform -- '" + folder + "/adapter'\n"),
            std::string::npos);
  EXPECT_EQ(shell("cd " + scratch.file("") + " && " + tool + " init cpp 'its own'").out,
            "g++ -std=c++17 -O2 'its own/adapter.cpp' -o 'its own/adapter'\ncolex conform -- './its own/adapter'\n");
  EXPECT_EQ(shell("grep -c 'g++ .* adapter.cpp ' '" + folder + "/adapter.cpp'; grep template '" + folder + "/adapter.cpp'").out,
            "1\n");
}

TEST(tool, completes_commands_options_and_operations) {
  std::string const script = scratch.file("completion");
  EXPECT_EQ(shell(tool + " completion bash >" + script).status, 0);
  auto const completed = [&](std::string const& words, int at) {
    return shell("bash -c 'source " + script + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                 "; _colex; echo ${COMPREPLY[@]}'")
        .out;
  };
  EXPECT_EQ(completed("colex expl", 1), "explain\n");
  EXPECT_EQ(completed("colex conform --base", 2), "--baseline\n");
  EXPECT_EQ(completed("colex ask coal", 2), "coalesce\n");
  EXPECT_NE(shell(tool + " completion fish").out.find("complete -c colex -n __fish_use_subcommand -a explain"),
            std::string::npos);
  EXPECT_TRUE(shell(tool + " completion zsh").out.starts_with("autoload"));
  EXPECT_EQ(shell(tool + " completion csh").status, 2);
}

TEST(tool, every_command_says_how_it_is_used) {
  for (char const* const command : {"ask", "explain", "draw", "figures", "ops", "atoms", "laws", "cases", "init", "conform",
                                    "merge", "report", "plan", "completion"}) {
    result const r = shell(tool + " " + command + " --help");
    EXPECT_EQ(r.status, 0) << command;
    EXPECT_NE(r.out.find("colex " + std::string(command) + " "), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("example"), std::string::npos) << command;
  }
}

TEST(tool, the_ending_of_a_file_is_its_format) {
  auto const written = [](std::string const& name) {
    std::string const file = scratch.file(name);
    fs::remove(file);
    result const r = shell(tool + " draw '(4,8):(8,1)' -o " + file);
    EXPECT_TRUE(r.status == 0 || !fs::exists(file)) << "a part of it was written";
    return r.status == 0 ? contents(file) : r.err;
  };
  EXPECT_NE(written("a.svg").find("<svg"), std::string::npos);
  EXPECT_TRUE(written("a.txt").starts_with("(4,8):(8,1)\n"));
  EXPECT_TRUE(written("a.tex").starts_with("\\documentclass"));
  bool const converter = shell("command -v rsvg-convert").status == 0;
  EXPECT_TRUE(written("a.png").starts_with(converter ? "\x89PNG" : "colex: PNG and PDF need rsvg-convert")) << written("a.png");
  EXPECT_TRUE(written("a.pdf").starts_with(converter ? "%PDF-" : "colex: PNG and PDF need rsvg-convert")) << written("a.pdf");
  EXPECT_NE(written("a.gif").find("does not end in .svg, .png, .pdf, .tex or .txt"), std::string::npos);
  result const none = shell("PATH=/nowhere " + tool + " draw 4:1 -o " + scratch.file("b.png"));
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("librsvg2-bin"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(scratch.file("b.png")));
}

TEST(tool, durations_counts_and_seeds) {
  for (char const* const good : {"1s", "0.5s", "1", "0.02m", "0.0003h"})
    EXPECT_EQ(shell(tool + " conform --op size --count 5 --cases /dev/null --timeout " + good + " --time " + good + " -- " +
                    broken_program + " honest")
                  .status,
              0)
        << good;
  for (std::string const option :
       {"--time 5x", "--time 0", "--time -1s", "--time ''", "--time 1e3", "--time 9999h", "--time inf", "--timeout 1d",
        "--count abc", "--count 0", "--count 1e3", "--count 99999999999999999999", "--seed -1", "--seed 1.5", "--jobs 0"}) {
    result const r = shell(tool + " conform " + option + " -- true");
    EXPECT_EQ(r.status, 2) << option;
    EXPECT_TRUE(std::regex_match(r.err, std::regex("colex: --.{1,110}\n"))) << option << r.err;
  }
  EXPECT_NE(shell(tool + " plan 1e3 4 4 f32").err.find("M: '1e3' is no integer from 1 to"), std::string::npos);
}

TEST(tool, laws) {
  result const r = shell(tool + " laws");
  EXPECT_EQ(r.status, 0);
  std::istringstream lines(r.out);
  std::size_t named = 0;
  for (std::string line; std::getline(lines, line);) named += !line.starts_with(" ");  // a reason stands below its law
  EXPECT_EQ(named, laws().size());
  json const listed = json::parse(shell(tool + " laws --json").out);
  EXPECT_EQ(listed.size(), laws().size());
  EXPECT_EQ(listed[0]["law"], laws()[0].name);
  EXPECT_EQ(shell(tool + " --help").status, 0);
}
TEST(tool, laws_of_an_operation_or_of_a_name) {
  for (json const& law : json::parse(shell(tool + " laws --json crd2idx").out)) EXPECT_EQ(law["operation"], "crd2idx");
  for (std::string const& operation : operation_names()) {
    auto const of = static_cast<std::size_t>(std::ranges::count(laws(), operation, [](law const& l) { return l.operation; }));
    result const r = shell(tool + " laws --json " + operation);
    EXPECT_EQ(r.status == 0 ? json::parse(r.out).size() : 0, of) << operation;
    EXPECT_TRUE(of > 0 || r.err.find(operation + " has no law of its own") != r.err.npos) << r.err;
  }
  EXPECT_TRUE(shell(tool + " laws 'crd2idx_def*'").out.starts_with("crd2idx_definition "));
  EXPECT_EQ(json::parse(shell(tool + " laws --json '*_pointwise'").out)[0]["law"], "composition_pointwise");
}

TEST(tool, says_its_version) {
  result const r = shell(tool + " --version");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(std::regex_match(r.out, std::regex("colex \\d+\\.\\d+\\.\\d+\n"))) << r.out;
}

TEST(tool, holds_the_texts_that_it_reads) {
  std::set<std::string> held;
  for (text const& t : texts()) {
    EXPECT_EQ(t.content, contents(std::string(t.place))) << t.place;
    held.insert(std::string(t.place));
  }
  for (auto const& entry : fs::directory_iterator("spec/cases"))
    EXPECT_TRUE(held.contains(entry.path().string())) << entry.path();
  EXPECT_THROW(text_at("spec/none.md"), bad_file);
}

TEST(tool, a_pattern_that_matches_no_law_is_an_error) {
  EXPECT_EQ(shell(tool + " conform --law no_such_law -- " + broken_program + " honest").status, 2);
  EXPECT_EQ(shell(tool + " conform --op no_such_operation -- " + broken_program + " honest").status, 2);
}

}  // namespace
}  // namespace colex
