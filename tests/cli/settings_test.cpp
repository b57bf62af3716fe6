// Settings: flags over variables over the project's file over the person's, each with its origin.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/program.hpp"

namespace settings_test {

using namespace gpusel::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// A home directory with a project in it, each with settings of its own.
class Place {
 public:
  explicit Place(const std::string& project, const std::string& user = {}) : home_(scratch_directory()) {
    fs::create_directories(home_ + "/.config/gpusel");
    fs::create_directories(home_ + "/project/below");
    if (!user.empty()) std::ofstream(home_ + "/.config/gpusel/config.yaml") << user;
    if (!project.empty()) std::ofstream(home_ + "/project/.gpusel.yaml") << project;
  }

  Run ask(const std::vector<std::string>& words, std::map<std::string, std::string> variables = {},
          const std::string& folder = "/project/below") const {
    variables.merge(std::map<std::string, std::string>{{"HOME", home_}, {"XDG_CONFIG_HOME", ""}});
    return gpusel::test::ask(words, {.environment = variables, .directory = home_ + folder});
  }
  /// The first row's currency of `instances`.
  std::string currency(const std::vector<std::string>& more = {},
                       const std::map<std::string, std::string>& variables = {}) const {
    std::vector<std::string> words{"instances", "--gpu", "l4", "-n", "1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Run run = ask(words, variables);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out)["items"][0]["best_offer"]["price_currency"];
  }
  const std::string& home() const { return home_; }

 private:
  std::string home_;
};

Json setting_of(const Json& shown, const std::string& name, const Json& command = nullptr) {
  for (const Json& one : shown["settings"])
    if (one["name"] == name && one["command"] == command) return one;
  return nullptr;
}

}  // namespace

TEST_CASE("a flag wins over a variable, that over the project, that over the person") {
  const Place both("currency: EUR\n", "currency: JPY\n");
  CHECK(both.currency({"--currency", "CNY"}, {{"GPUSEL_CURRENCY", "GBP"}}) == "CNY");
  CHECK(both.currency({}, {{"GPUSEL_CURRENCY", "GBP"}}) == "GBP");
  CHECK(both.currency() == "EUR");
  CHECK(Place({}, "currency: JPY\n").currency() == "JPY");
  CHECK(Place({}).currency() == "USD");
  CHECK(both.currency({}, {{"GPUSEL_CURRENCY", ""}}) == "EUR");  // empty: not set
}

TEST_CASE("what a setting makes of an answer is said, with its place, unless the line says -q") {
  const Place place("cloud: gcp\noutput: csv\n", "currency: JPY\n");
  const Run run = place.ask({"instances", "--gpu", "l4"});
  CHECK(
      run.err.find("settings: cloud gcp (~/project/.gpusel.yaml:1), currency JPY (~/.config/gpusel/config.yaml:1)\n") !=
      std::string::npos);
  CHECK(run.out.find("aws") == std::string::npos);
  CHECK(run.out.starts_with("provider,"));
  CHECK(place.ask({"instances", "--gpu", "l4", "-q"}).err.empty());
  CHECK(Place("output: json\n").ask({"gpus", "l40s"}).err.empty());  // shapes no answer
  CHECK(Place("quiet: true\n").ask({"gpus", "l40s"}).status == 2);
}

TEST_CASE("a setting of one command is stronger than one of all, and holds nowhere else") {
  const Place place("limit: 4\ninstances:\n  limit: 2\n");
  CHECK(Json::parse(place.ask({"instances", "--json"}).out)["items"].size() == 2);
  CHECK(Json::parse(place.ask({"gpus", "--json"}).out)["items"].size() == 4);
  CHECK(Json::parse(place.ask({"gpus", "--json", "-n", "3"}).out)["items"].size() == 3);
}

TEST_CASE("a list on the line replaces the setting's, in whatever spelling") {
  const Place place("cloud: [gcp, azure]\nterm: reserved-1y\n");
  for (const auto& words : {std::vector<std::string>{"--provider", "aws"}, {"--infra", "aws/us-east-1"}}) {
    std::vector<std::string> all{"instances", "--gpu", "l4", "--use-spot", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Json json = Json::parse(place.ask(all).out);
    REQUIRE_FALSE(json["items"].empty());
    for (const Json& item : json["items"]) {
      CHECK(item["provider"] == "aws");
      CHECK(item["best_offer"]["term"] == "spot");
    }
  }
}

TEST_CASE("a setting of the job is a default, no claim about this job") {
  // Said on the line, --engine would be refused beside an instance and remarked on beside a training.
  const Place place("engine: vllm\n");
  CHECK(place.ask({"cost", "p4d.24xlarge"}).status == 0);
  CHECK(place.ask({"cost", "p4d.24xlarge", "--engine", "vllm"}).status == 2);
  const Run run = place.ask({"estimate", "--model", "llama-7b", "--method", "lora", "--gpu", "h100"});
  CHECK(run.status == 0);
  CHECK((run.out + run.err).find("has no effect") == std::string::npos);
}

TEST_CASE("paths in a file are seen from its folder, own prices are maps") {
  const Place place("overlay: own.yaml\nprice: {p4d.24xlarge: 4.25}\n");
  std::ofstream(place.home() + "/project/own.yaml")
      << "providers:\n  - {id: mine, name: Mine, country: US, kind: hyperscaler, regions: {x: {country: US}}}\n";
  const Run run = place.ask({"catalog", "path", "--json"});
  CAPTURE(run.err);
  CHECK(run.out.find(place.home() + "/project/own.yaml") != std::string::npos);
  const Run priced = place.ask({"instances", "p4d.24xlarge"});
  CAPTURE(priced.err);
  CHECK(priced.err.find("4.25 USD per hour") != std::string::npos);
  // A variable has several paths, seen from where one is.
  const Run two = place.ask({"catalog", "path", "--json"}, {{"GPUSEL_OVERLAY", "../own.yaml:../own.yaml"}});
  CHECK(two.out.find("\"../own.yaml\"") != std::string::npos);
}

TEST_CASE("what is wrong in a file is said with its place and stops the answer") {
  const auto error = [](const std::string& text) {
    const Run run = Place(text).ask({"recommend", "--model", "llama-7b", "--task", "finetune"});
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  const auto says = [&](const std::string& text, const std::string& words) {
    const std::string err = error(text);
    CAPTURE(text, err, words);
    CHECK(err.find(words) != std::string::npos);
  };
  says("curency: EUR\n",
       "/project/.gpusel.yaml:1:1: no command has a setting 'curency'\nhelp: did you mean 'currency'?");
  says("# mine\nrecommend:\n  limt: 5\n",
       ".gpusel.yaml:3:3: recommend has no setting 'limt'\nhelp: did you mean 'limit'?");
  says("currency: florin\n", ".gpusel.yaml:1:1: currency: 'florin' is not a currency");
  says("limit: -3\n", ".gpusel.yaml:1:1: limit: ");
  says("- currency\n", "settings are a map");
  says("currency:\n", "'currency' has no value");
  says("cloud: [[aws]]\n", "a setting is a value, a list of values or a map of values");
  says("currency: EUR\ncurrency: CNY\n", "currency");
  says("currency: [EUR\n", ".gpusel.yaml:");
  says("calibrate:\n  to: /tmp/x\n", "'to' can be set on the command line only");
  says("stages: jobs.yaml\n", "'stages' can be set on the command line only");
  says("explain: perhaps\n", "must be true or false");
}

TEST_CASE("a variable is checked like a flag, and one that is nearly a setting is told of") {
  const Place place({});
  const Run wrong = place.ask({"instances", "--gpu", "l4"}, {{"GPUSEL_CURRENCY", "florin"}});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.starts_with("error: GPUSEL_CURRENCY: currency: 'florin' is not a currency"));
  const Run typo = place.ask({"instances", "--gpu", "l4", "-n", "1"}, {{"GPUSEL_CURENCY", "EUR"}});
  CHECK(typo.status == 0);
  CHECK(typo.err.find("GPUSEL_CURENCY: no command has a setting 'curency'; did you mean 'currency'?") !=
        std::string::npos);
  CHECK(place.ask({"gpus", "l40s"}, {{"GPUSEL_BUILD_MACHINE_7", "x"}}).err.empty());
  const Run format = place.ask({"gpus", "l40s"}, {{"GPUSEL_OUTPUT", "jsn"}});
  CHECK(format.status == 2);
  CHECK(format.err.starts_with("error: GPUSEL_OUTPUT: unknown output format 'jsn'\nhelp: did you mean 'json'?"));
}

TEST_CASE("the project's file is looked for up to a repository's root and no further") {
  const Place place("currency: EUR\n");
  fs::create_directories(place.home() + "/project/repository/.git");
  fs::create_directories(place.home() + "/project/repository/inner");
  const auto found = [&](const std::string& folder) {
    return Json::parse(place.ask({"config", "path", "--json"}, {}, folder).out)["files"][0]["found"] == true;
  };
  CHECK(found("/project"));
  CHECK(found("/project/below"));
  CHECK_FALSE(found("/project/repository/inner"));
  CHECK_FALSE(found(""));
}

TEST_CASE("config show names each setting's origin") {
  const Place place("currency: EUR\nrecommend:\n  limit: 5\n", "currency: JPY\ncloud: [aws, gcp]\n");
  const Run run = place.ask({"config", "show", "--json"}, {{"GPUSEL_MAX_PRICE", "3"}});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  const Json shown = Json::parse(run.out);
  CHECK(shown["schema"] == "gpusel.config/1");
  CHECK(setting_of(shown, "currency")["values"] == Json{"EUR"});
  CHECK(setting_of(shown, "currency")["origin"]["kind"] == "project");
  CHECK(setting_of(shown, "currency")["origin"]["line"] == 1);
  CHECK(setting_of(shown, "cloud")["values"] == Json{"aws", "gcp"});
  CHECK(setting_of(shown, "cloud")["origin"]["kind"] == "user");
  CHECK(setting_of(shown, "max-price")["origin"]["name"] == "GPUSEL_MAX_PRICE");
  CHECK(setting_of(shown, "limit", "recommend")["values"] == Json{"5"});
  CHECK(setting_of(shown, "vendor")["origin"]["kind"] == "built-in");
  CHECK(setting_of(shown, "json")["origin"]["kind"] == "line");
  const Json of_gpus = Json::parse(place.ask({"config", "show", "gpus", "--json"}).out);
  CHECK(setting_of(of_gpus, "limit", "gpus").is_null());
  CHECK(setting_of(of_gpus, "currency", "gpus")["values"] == Json{"EUR"});
  for (const char* format : {"table", "wide", "yaml", "csv", "markdown", "html"}) {
    const Run other = place.ask({"config", "show", "-o", format});
    CHECK(other.status == 0);
    CHECK(other.out.find("EUR") != std::string::npos);
  }
  CHECK(place.ask({"config", "show", "recomend"}).err.find("did you mean 'recommend'?") != std::string::npos);
}

TEST_CASE("config show and doctor say what is wrong instead of stumbling over it") {
  const Place place("curency: EUR\nlimit: many\n");
  const Run show = place.ask({"config", "show"});
  CHECK(show.status == 2);
  CHECK(show.out.find("vendor") != std::string::npos);
  CHECK(show.err.find(".gpusel.yaml:1:1: no command has a setting 'curency'") != std::string::npos);
  CHECK(show.err.find(".gpusel.yaml:2:1: ") != std::string::npos);
  const Run doctor = place.ask({"doctor", "-o", "wide"});
  CHECK(doctor.status == 2);
  CHECK(doctor.out.find("no command has a setting 'curency'") != std::string::npos);
  CHECK(Place("currency: EUR\n").ask({"doctor"}).status == 0);
}

TEST_CASE("what is built in is what holds without a word") {
  // Said, it changes nothing.
  const std::vector<std::string> question{"recommend", "--model", "llama-7b", "--task", "finetune", "--json"};
  const Json unsaid = Json::parse(ask(question).out)["recommendations"];
  for (const char* name : {"currency", "term", "vendor", "objective"}) {
    const Json shown = Json::parse(ask({"config", "show", "--json"}).out);
    const Json one = setting_of(shown, name);
    CAPTURE(name);
    REQUIRE(one.is_object());
    std::vector<std::string> said = question;
    said.insert(said.end(), {"--" + std::string(name), one["values"][0]});
    CHECK(Json::parse(ask(said).out)["recommendations"] == unsaid);
  }
}

TEST_CASE("a command is called like no flag that takes a map: a map below its name would be read as either") {
  gpusel::cli::Context context;
  for (const auto& command : gpusel::cli::commands())
    for (const auto& other : gpusel::cli::commands())
      for (const auto& flag : gpusel::cli::set_up(other, context).flags) {
        CAPTURE(command.name, flag.names);
        CHECK((!flag.is_called(command.name) || !flag.repeats));
      }
}

TEST_CASE("a pipe under the name of a settings file or an overlay is refused, not waited for") {
  const Place place("");
  REQUIRE(shell("mkfifo " + place.home() + "/project/.gpusel.yaml " + place.home() + "/o.yaml").status == 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"gpus", "l4"}, {"config", "show"}, {"gpus", "--overlay", place.home() + "/o.yaml"}}) {
    const Run run = place.ask(words);
    CHECK(run.status == 2);
    CHECK(run.err.find("it is not a regular file") != std::string::npos);
  }
  CHECK(place.ask({"__complete", "--", "gpus", "--j"}).out == "--json\tshort for -o json\n");
  CHECK(ask({"gpus", "l4", "--overlay", "/dev/stdin"}, {.input = "gpus: []\n"}).status == 0);
  CHECK(shell("bash -c \"gpusel gpus l4 --overlay <(echo 'gpus: []')\"").err.find("regular") == std::string::npos);
}

TEST_CASE("names in settings are judged by the catalogue, with their place") {
  const Place place("cloud: [awz]\ngpu: h1000x\nresidency: xx\nregion: nowhere-1\nmodel: llama-7bb\n");
  const Run shown = place.ask({"config", "show"}, {{"GPUSEL_CURRENCY", "XXX"}});
  CHECK(shown.status == 2);
  for (const char* where : {".gpusel.yaml:1:1", ".gpusel.yaml:2:1", ".gpusel.yaml:3:1", ".gpusel.yaml:4:1",
                            ".gpusel.yaml:5:1", "GPUSEL_CURRENCY"}) {
    CAPTURE(where, shown.err);
    CHECK(shown.err.find(where) != std::string::npos);
  }
  const Run asked = Place("cloud: [awz]\n").ask({"recommend", "-m", "llama-7b", "-t", "finetune"});
  CHECK(asked.status == 2);
  CHECK(asked.err.find(".gpusel.yaml:1:1: ") != std::string::npos);
  CHECK(Place("cloud: [Amazon]\ngpu: H100\nresidency: eu\nregion: Frankfurt\nmodel: llama-7b\ncurrency: eur\n")
            .ask({"config", "show"})
            .status == 0);
}

TEST_CASE("two settings that contradict each other are refused in one file, and settled by strength elsewhere") {
  const std::vector<std::string> words{"instances", "--gpu", "l4", "-n", "1", "--json"};
  const Run both = Place("use-spot: true\nterm: on-demand\n").ask(words);
  CHECK(both.status == 2);
  CHECK(both.err.find("contradict each other") != std::string::npos);
  CHECK(Place("use-spot: false\nterm: on-demand\n").ask(words).status == 0);
  const auto term = [&](const Run& run) { return Json::parse(run.out)["items"][0]["best_offer"]["term"]; };
  CHECK(term(Place("use-spot: true\n", "term: on-demand\n").ask(words)) == "spot");
  std::vector<std::string> on_line = words;
  on_line.insert(on_line.end(), {"--term", "on-demand"});
  CHECK(term(Place("use-spot: true\n").ask(on_line)) == "on-demand");
}

TEST_CASE("a second format beside --json, and a command that does not exist, are refused in a sentence") {
  const Run both = ask({"gpus", "l4", "--json", "-o", "csv"});
  CHECK(both.status == 2);
  CHECK(Json::parse(both.out)["schema"] == "gpusel.error/1");
  CHECK(Json::parse(both.out)["flag"] == "--output");
  CHECK(ask({"gpus", "l4", "--json", "-o", "json"}).status == 0);
  CHECK(ask({"config", "show", "nosuch"}).err.find("all commands: gpusel --help") != std::string::npos);
  CHECK(ask({"recomend", "-m", "x"}).err.find("'recomend'") != std::string::npos);
}

TEST_CASE("a list with no match is empty and has one status in every format") {
  for (const std::string format : {"table", "wide", "json", "yaml", "csv", "markdown", "html"}) {
    const Run run = ask({"gpus", "nosuchgpu", "-o", format});
    CAPTURE(format);
    CHECK(run.status == 3);
    if (format == "json") CHECK(Json::parse(run.out)["items"].empty());
  }
}

TEST_CASE("what CSV has no place for is said") {
  const Run run =
      ask({"recommend", "-m", "llama-7b", "-t", "finetune", "-n", "1", "-o", "csv", "--explain", "--show-rejected"});
  CHECK(run.err.find("--explain cannot be shown in csv") != std::string::npos);
  CHECK(run.err.find("--show-rejected cannot be shown in csv") != std::string::npos);
}

}  // namespace settings_test
