// Completion as a person meets it: in real shells, through the scripts that `gpusel completion` prints.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"
#include "cli/words/values.hpp"
#include "job/limits/allowed.hpp"
#include "support/program.hpp"

namespace completion_test {

using namespace gpusel::test;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

bool has(const Lines& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// What the program offers for the last word, without what it says about it.
Lines offered(std::vector<std::string> words, const Setting& setting = {}) {
  words.insert(words.begin(), {"__complete", "--"});
  const Run run = ask(words, setting);
  CAPTURE(words, run.err);
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  Lines values;
  for (const std::string& line : lines_of(run.out)) values.push_back(line.substr(0, line.find('\t')));
  return values;
}

bool is_installed(const std::string& program) { return shell("command -v " + program).status == 0; }

/// What bash puts in place of the word at the end of `line`.
Lines in_bash(const std::string& line, const Setting& setting = {}) {
  // Readline splits at COMP_WORDBREAKS; the function is given what readline gives it.
  const std::string script = R"script(
eval "$(gpusel completion bash)"
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=()
rest=$1
while [[ -n $rest ]]; do
  if [[ $rest =~ ^[[:space:]]+(.*)$ ]]; then
    rest=${BASH_REMATCH[1]}
    [[ -z $rest ]] && COMP_WORDS+=("")
  elif [[ $rest =~ ^([=:]+)(.*)$ || $rest =~ ^([^[:space:]=:]+)(.*)$ ]]; then
    COMP_WORDS+=("${BASH_REMATCH[1]}")
    rest=${BASH_REMATCH[2]}
  fi
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_gpusel
printf '%s\n' "${COMPREPLY[@]}"
)script";
  const std::string file = scratch_file("complete.bash", script);
  const Run run = shell("bash --norc " + file + " '" + line + "'", setting);
  CAPTURE(line, run.err);
  CHECK(run.status == 0);
  return lines_of(run.out);
}

/// What fish offers, each with its description behind a tab.
Lines in_fish(const std::string& line) {
  // Where no home exists, fish makes one.
  const Run run =
      shell("HOME=" + scratch_directory() +
            " XDG_CONFIG_HOME= XDG_DATA_HOME= fish --no-config -c 'gpusel completion fish | source; complete -C \"" +
            line + "\"'");
  CAPTURE(line, run.err);
  CHECK(run.status == 0);
  return lines_of(run.out);
}

/// The line as zsh leaves it after Tab: typed into an interactive shell behind a pseudo-terminal.
std::string in_zsh(const std::string& line) {
  const std::string folder = scratch_directory();
  shell("gpusel completion zsh >_gpusel", {.directory = folder});
  const std::string script = R"script(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= PROMPT= ; unsetopt zle_bracketed_paste; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $1/dump"
zpty -w shell "show() { print -r -- \"<<\$BUFFER>>\"; zle kill-buffer }; zle -N show; bindkey '^X' show; zstyle ':completion:*' menu no"
zpty -w shell "print rea""dy"
zpty -r shell seen '*ready*'
zpty -w -n shell "$2"$'\t'
sleep $3
zpty -w -n shell $'\x18'
zpty -r shell seen '*<<*>>*'
print -r -- "$seen"
zpty -d shell
)script";
  const std::string file = scratch_file("complete.zsh", script);
  // The shell says nothing when it has done with Tab: it is given more time where it has not.
  std::string seen;
  for (const char* pause : {"0.3", "2", "6"}) {
    const Run run = shell("timeout 60 zsh -f " + file + " " + folder + " '" + line + "' " + pause);
    CAPTURE(line, run.err, run.out);
    const auto begin = run.out.rfind("<<");
    const auto end = run.out.rfind(">>");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    seen = run.out.substr(begin + 2, end - begin - 2);
    if (seen != line && seen != "$BUFFER") break;  // its own echo of what it was told
  }
  return seen;
}

}  // namespace

TEST_CASE("completion knows commands, flags and the values of flags") {
  CHECK(has(offered({"re"}), "recommend"));
  CHECK(has(offered({"catalog", "l"}), "lint"));
  CHECK(offered({"nonsense", ""}).empty());
  CHECK(has(offered({"recommend", "--mod"}), "--model"));
  CHECK(offered({"recommend", "--task", "fine"}) == Lines{"finetune"});
  CHECK(offered({"recommend", "--task=fine"}) == Lines{"--task=finetune"});
  CHECK(has(offered({"recommend", "-m", "llama-3.1"}), "llama-3.1-8b"));
  CHECK(has(offered({"recommend", "--model", ""}), ":files"));
  CHECK(has(offered({"recommend", "--cloud", "aws,g"}), "aws,gcp"));
  CHECK(has(offered({"recommend", "--term", "on-demand,sp"}), "on-demand,spot"));
  CHECK(has(offered({"recommend", "--region", "us-east-"}), "us-east-1"));
  CHECK(has(offered({"recommend", "--infra", "aws/us-east-"}), "aws/us-east-1"));
  CHECK(has(offered({"recommend", "--residency", "e"}), "eu"));
  CHECK(has(offered({"recommend", "--currency", "C"}), "CNY"));
  CHECK(has(offered({"recommend", "--family", "p4"}), "p4d"));
  CHECK(has(offered({"recommend", "--output", "ma"}), "markdown"));
  CHECK(has(offered({"recommend", "--quant", "int"}), "int8"));
  CHECK(has(offered({"recommend", "--weight", "co"}), "cost="));
  CHECK(has(offered({"recommend", "--weight", "co"}), ":nospace"));
  CHECK(has(offered({"recommend", "--price", "p4d.24"}), "p4d.24xlarge="));
  CHECK(has(offered({"recommend", "--nvlink=t"}), "--nvlink=true"));
  CHECK(has(offered({"recommend", "--framework", "deep"}), "deepspeed"));
  CHECK(has(offered({"models", "--family", "qwe"}), "qwen"));
  CHECK(has(offered({"verify", "--by", "source,g"}), "source,gpu"));
  CHECK(offered({"recommend", "--budget", ""}).empty());
}

TEST_CASE("completion knows how many of a GPU are sold together") {
  const Lines counts = offered({"recommend", "--gpu", "h100-sxm-80gb:"});
  CHECK(has(counts, "h100-sxm-80gb:8"));
  CHECK_FALSE(has(counts, "h100-sxm-80gb:3"));
  CHECK(has(offered({"recommend", "--gpu", "l4:1,l40"}), "l4:1,l40s"));
  CHECK(has(offered({"compare", "h100-sxm-80gb:"}), "h100-sxm-80gb:8"));
}

TEST_CASE("completion knows what may stand alone") {
  CHECK(offered({"gpus", ""}) == Lines{"show"});
  CHECK(has(offered({"gpus", "show", "l40"}), "l40s"));
  CHECK(offered({"gpus", "show", "l40s", ""}).empty());
  CHECK(has(offered({"instances", "show", "p5.48"}), "p5.48xlarge"));
  CHECK(has(offered({"instances", "show", "aws/p5.48"}), "aws/p5.48xlarge"));
  CHECK(has(offered({"compare", "l4", "p4d."}), "p4d.24xlarge"));
  CHECK(has(offered({"cost", "p4d."}), "p4d.24xlarge"));
  CHECK(has(offered({"catalog", "show", "provider", "a"}), "aws"));
  CHECK(has(offered({"config", "show", "recom"}), "recommend"));
  CHECK(has(offered({"completion", "z"}), "zsh"));
  CHECK(has(offered({"export", "sky"}), "skypilot"));
  CHECK(has(offered({"diff", ""}), ":files"));
  CHECK(has(offered({"recommend", ""}), "llama-7b"));
  CHECK(has(offered({"recommend", "llama-7b", "l40"}), "l40s"));
  // A command without any: its flags.
  CHECK(has(offered({"doctor", ""}), "--strict"));
}

TEST_CASE("a flag that was said is not offered again, its other spellings only where they are typed") {
  const Lines flags = offered({"recommend", "--model", "llama-7b", "--"});
  CHECK_FALSE(has(flags, "--model"));
  CHECK(has(flags, "--cloud"));
  CHECK_FALSE(has(flags, "--quant"));
  CHECK(has(offered({"recommend", "--cloud", "aws", "--clo"}), "--cloud"));  // may be given again
  CHECK(offered({"recommend", "--quant"}) == Lines{"--quant", "--quantization"});
}

TEST_CASE("completion knows the names of overlays on the line and in settings") {
  const std::string file = scratch_file(
      "own.yaml",
      "providers:\n  - {id: zz-mine, name: Mine, country: US, kind: hyperscaler, regions: {x: {country: US}}}\n");
  CHECK(offered({"recommend", "--cloud", "zz-"}).empty());
  CHECK(offered({"recommend", "--overlay", file, "--cloud", "zz-"}) == Lines{"zz-mine"});
  CHECK(offered({"recommend", "--cloud", "zz-"}, {.environment = {{"GPUSEL_OVERLAY", file}}}) == Lines{"zz-mine"});
  // What cannot be read is no reason to complete nothing.
  CHECK(has(offered({"gpus", "--overlay", "/nonexistent", "show", "l40"}), "l40s"));
}

TEST_CASE("completion comes to an end, whatever is typed") {
  // Against a hang alone: how long it takes is measured by ./dev bench.
  for (const char* words : {"recommend --model llama", "recommend --gpu h", "explain ''", "catalog show provider ''"}) {
    CAPTURE(words);
    CHECK(shell(std::string("timeout 60 gpusel __complete -- ") + words).status == 0);
  }
}

TEST_CASE("bash completes") {
  REQUIRE(is_installed("bash"));
  CHECK(has(in_bash("gpusel rec"), "recommend"));
  CHECK(has(in_bash("gpusel recommend --model llama-3.1-8"), "llama-3.1-8b"));
  CHECK(has(in_bash("gpusel recommend --cloud aws,g"), "aws,gcp"));
  // What stands before = or : stays on the line: only what is behind it is replaced.
  CHECK(has(in_bash("gpusel recommend --task=fine"), "finetune"));
  CHECK(has(in_bash("gpusel recommend --cloud="), "aws"));
  CHECK(has(in_bash("gpusel recommend --gpu h100-sxm-80gb:"), "8"));
  CHECK(has(in_bash("gpusel instances show p5.48"), "p5.48xlarge"));
  CHECK(has(in_bash("gpusel gpus "), "show"));
  const std::string folder = scratch_directory();
  shell("touch own.yaml", {.directory = folder});
  CHECK(has(in_bash("gpusel recommend --overlay ow", {.directory = folder}), "own.yaml"));
  CHECK(has(in_bash("gpusel recommend --overlay=ow", {.directory = folder}), "own.yaml"));
}

TEST_CASE("bash-completion loads the installed script by its name") {
  REQUIRE(fs::exists("/usr/share/bash-completion/bash_completion"));
  const std::string share = scratch_directory();
  fs::create_directories(share + "/bash-completion/completions");
  shell("gpusel completion bash >" + share + "/bash-completion/completions/gpusel");
  const Run run = shell(
      "bash --norc -c '. /usr/share/bash-completion/bash_completion; _completion_loader gpusel; "
      "complete -p gpusel'",
      {.environment = {{"BASH_COMPLETION_USER_DIR", share + "/bash-completion"}}});
  CAPTURE(run.err);
  CHECK(run.out.find("-F _gpusel gpusel") != std::string::npos);
}

TEST_CASE("fish completes, with descriptions") {
  REQUIRE(is_installed("fish"));
  const Lines commands = in_fish("gpusel rec");
  REQUIRE_FALSE(commands.empty());
  CHECK(commands.front().starts_with("recommend\tWhich instances"));
  const Lines flags = in_fish("gpusel recommend --mode");
  CHECK(std::any_of(flags.begin(), flags.end(), [](const auto& line) { return line.starts_with("--model\tcatalog"); }));
  const auto begins = [](const Lines& lines, const std::string& with) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(with); });
  };
  CHECK(begins(in_fish("gpusel recommend --cloud aws,g"), "aws,gcp"));
  CHECK(begins(in_fish("gpusel recommend --task=fine"), "--task=finetune"));
  CHECK(begins(in_fish("gpusel recommend --gpu h100-sxm-80gb:"), "h100-sxm-80gb:8"));
  CHECK(begins(in_fish("gpusel gpus show l40"), "l40s\tNVIDIA"));
  CHECK(begins(in_fish("gpusel recommend --overlay READ"), "README.md"));
  CHECK(begins(in_fish("gpusel recommend --overlay=READ"), "--overlay=README.md"));
}

TEST_CASE("zsh completes") {
  REQUIRE(is_installed("zsh"));
  CHECK(in_zsh("gpusel recomm") == "gpusel recommend ");
  CHECK(in_zsh("gpusel recommend --task fine") == "gpusel recommend --task finetune ");
  CHECK(in_zsh("gpusel recommend --task=fine") == "gpusel recommend --task=finetune ");
  CHECK(in_zsh("gpusel recommend --cloud aws,azu") == "gpusel recommend --cloud aws,azure ");
  CHECK(in_zsh("gpusel recommend --weight hea") == "gpusel recommend --weight headroom=");
}

TEST_CASE("completion of an unknown shell names those that there are") {
  const Run run = ask({"completion", "tcsh"});
  CHECK(run.status == 2);
  CHECK(run.err.find("bash, zsh, fish") != std::string::npos);
}

TEST_CASE("behind a vendor only its GPUs are offered, behind a flag of yes or no these two") {
  const Lines nvidia = offered({"recommend", "--gpu", "nvidia:"});
  CHECK(has(nvidia, "nvidia:l40s"));
  CHECK_FALSE(has(nvidia, "nvidia:mi300x-192gb"));
  CHECK(ask({"recommend", "-m", "llama-7b", "-t", "finetune", "--gpu", "nvidia:mi300x-192gb"})
            .err.find("is made by amd, not by nvidia") != std::string::npos);
  CHECK(offered({"recommend", "--nvlink", ""}) == Lines{"true", "false"});
  CHECK(has(offered({"recommend", "--nvlink", "--str"}), "--strict"));
  CHECK(has(offered({"explain", "old"}), "old-price"));
}

}  // namespace completion_test
