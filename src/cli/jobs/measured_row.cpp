#include "cli/jobs/measured_row.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/records/measurement.hpp"
#include "job/job.hpp"

namespace gpusel::cli {

namespace {

Node cell(std::string_view key, std::string text) {
  Node out;
  out.kind = Node::Kind::scalar;
  out.key = key;
  out.text = std::move(text);
  out.line = out.column = out.key_line = out.key_column = 1;
  return out;
}

/// Rows of files have plain numbers, where flags may say 4k.
std::string plain(std::string_view key, std::string_view text, job::ValueShape::Kind kind) {
  using Kind = job::ValueShape::Kind;
  if (plain_number(text) || (kind != Kind::number && kind != Kind::whole_number)) return std::string(text);
  const bool tokens = key.ends_with("_tokens") || key.ends_with("_len") || key == "context";
  std::optional<double> value;
  if (!job::assign(text, value, {.range = {.low = 0}, .kilo = tokens ? 1024.0 : 1000.0}) || !value)
    return std::string(text);
  return format("{:.12g}", *value);
}

/// Whether a key of a request bounds what may be measured.
bool is_target(std::string_view key) { return catalog::measured_column(std::string(key) + "_ms").has_value(); }

Status refuse_target(std::string_view key) {
  if (!is_target(key)) return {};
  return usage_error(say("'{}' is a target here: what was measured is said by --measured", key),
                     "--" + std::string(key), say("--measured {}_ms=38", key));
}

}  // namespace

void MeasuredRow::say_of(std::string_view key, std::string_view value) {
  std::erase_if(said_, [&](const Node& there) { return there.key == key; });
  said_.push_back(cell(key, std::string(value)));
}

void MeasuredRow::add_flags(std::vector<Flag>& flags) {
  const auto options = job::request_options();
  const std::size_t first = flags.size();
  add_options(flags, options, request_);
  for (std::size_t i = 0; i < options.size(); ++i) {
    Flag& flag = flags[first + i];
    const auto kind = options[i].set.shape.kind;
    flag.preset = [this, set = flag.preset, key = options[i].key, kind](std::string_view text) -> Status {
      Status done = set(text);
      if (done && !is_target(key)) preset_.push_back(cell(key, plain(key, text, kind)));
      return done;
    };
    flag.set = FlagSetter(
        [this, set = flag.set, key = options[i].key, kind](std::string_view text) -> Status {
          if (Status is_none = refuse_target(key); !is_none) return is_none;
          Status done = set(text);
          if (done) say_of(key, plain(key, text, kind));
          return done;
        },
        options[i].set.shape);
  }
  Flag measured{"--measured", "KEY=VALUE",
                say("measurement of this job: itl_ms=38, tpot_ms, ttft_ms, tokens_per_s, ..."),
                say("What was measured"), FlagSetter([this](std::string_view text) { return measure(text); })};
  measured.repeats = true;
  flags.push_back(std::move(measured));
}

Status MeasuredRow::measure(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return usage_error(say("'{}' is not a figure that can be measured", printable(shorten(text, 40))), {},
                       say("--measured itl_ms=38, for example"));
  std::string key(trim(text.substr(0, equals)));
  std::ranges::replace(key, '-', '_');
  const std::string value(trim(text.substr(equals + 1)));
  const bool is_word = key == "memory_kind" || key == "fits";
  const auto number = plain_number(value);
  if (!is_word && (!number || *number <= 0))
    return usage_error(say("'{}' is not a positive number", printable(shorten(value, 40))), {},
                       say("{}=38, in the unit of its name", printable(shorten(key, 40))));
  if (std::ranges::find(measured_, key, &std::pair<std::string, std::string>::first) != measured_.end())
    return usage_error(say("'{}' appears twice", printable(shorten(key, 40))), {},
                       say("one call of calibrate for each run"));
  measured_.emplace_back(std::move(key), value);
  return {};
}

Result<Node> MeasuredRow::record() const {
  Node out;
  out.kind = Node::Kind::map;
  out.line = out.column = 1;
  Node measured = out;
  measured.key = "measured";
  const bool training = request_.task && job::is_training(*request_.task);
  for (const auto& [key, value] : measured_) {
    if (key != "tokens_per_s") {
      measured.children.push_back(cell(key, value));
    } else if (training) {  // of all GPUs
      const double gpus = static_cast<double>(request_.gpus.value_or(1));
      measured.children.push_back(cell("tokens_per_s_per_gpu", format("{:.12g}", *plain_number(value) / gpus)));
    } else {
      measured.children.push_back(cell("output_tokens_per_s", value));
    }
  }
  if (const Node* twice = duplicate_key(measured))
    return usage_error(say("'{}' appears twice", twice->key), "--measured", say("tokens_per_s is another name of it"));
  out.children = said_;
  const auto add = [&](std::string_view key, std::string text) {
    if (out.find(key) == nullptr) out.children.push_back(cell(key, std::move(text)));
  };
  for (const Node& each : preset_) add(each.key, each.text);
  if (request_.task) add("task", std::string(to_text(*request_.task)));
  // An instance in place of a GPU has told which GPUs it has.
  for (Node& each : out.children)
    if (each.key == "gpu") each.text = request_.gpu;
  if (request_.gpus) add("gpus", format("{}", *request_.gpus));
  if (request_.gpus_per_node) add("gpus_per_node", format("{}", *request_.gpus_per_node));
  out.children.push_back(std::move(measured));
  return out;
}

}  // namespace gpusel::cli
