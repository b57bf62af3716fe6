// What is typed: filters, GPU specifications, numbers with units.
#include <cmath>

#include "answer/lists/list.hpp"
#include "base/text/text.hpp"
#include "base/values/date.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"
#include "catalog/read/priced_name.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"
#include "job/traffic/traffic.hpp"

namespace gpusel::fuzz {

namespace {

template <class Value>
bool reads(const Result<Value>& read) {
  if (!read) check(read.error());
  return read.has_value();
}

const answer::Columns<answer::Listed>& columns() {
  static const auto columns = answer::instance_columns(small().catalog, small().coefficients, kToday);
  return columns;
}

std::vector<answer::Listed> rows() {
  std::vector<answer::Listed> rows;
  for (const catalog::Instance& instance : small().catalog.instances()) {
    rows.push_back({&instance});
    for (const catalog::Offer& offer : small().catalog.offers_of(instance)) rows.push_back({&instance, &offer, 1});
  }
  return rows;
}

}  // namespace

/// Of a condition and its negation a row passes one at most; both of them together say what the one says.
void feed_filter(std::string_view bytes) {
  const auto filter = columns().filter(bytes);
  if (!reads(filter)) return;
  const auto negated = columns().filter("not (" + std::string(bytes) + ")");
  const auto twice = columns().filter("(" + std::string(bytes) + ") and (" + std::string(bytes) + ")");
  static const std::vector<answer::Listed> all = rows();
  for (const answer::Listed& row : all) {
    const bool passes = columns().passes(*filter, row);
    if (negated) must(!(passes && columns().passes(*negated, row)), "a row passes a filter and its negation");
    if (twice) must(passes == columns().passes(*twice, row), "a filter said twice says something else");
  }
  answer::ListQuestion question;
  question.filter = bytes;
  question.today = kToday;
  const auto listed = answer::list_instances(question, true, small().catalog, small().coefficients);
  reads(listed);
}

/// What it says in one spelling it says in another.
void feed_gpu_spec(std::string_view bytes) {
  const auto spec = job::parse_gpu_spec(bytes);
  if (!reads(spec)) return;
  must(spec->text == bytes || spec->text == trim(bytes), "a specification is not kept as it was given");
  for (const Bounds& bounds : {spec->memory_gb, spec->count}) {
    must(!bounds.low || std::isfinite(*bounds.low), "a bound is no number");
    must(!bounds.low || !bounds.high || *bounds.low <= *bounds.high, "a range is empty");
  }
  answer::ListQuestion question;
  question.today = kToday;
  question.constraints.gpus.push_back(*spec);
  const auto listed = answer::list_gpus(question, nullptr, small().catalog, small().coefficients);
  if (!reads(listed) || spec->names.empty()) return;
  for (const answer::ListedGpu& one : *listed) must(spec->names_gpu(*one.gpu), "a GPU is listed that was not named");
}

void feed_values(std::string_view bytes) {
  const auto finite = [](double value) { must(std::isfinite(value), "it is read as no number"); };
  if (const auto number = plain_number(bytes)) {
    finite(*number);
    must(plain_number(format("{}", *number)) == number, "a number is printed as another");
  }
  for (const Range range : {Range{}, Range{0, 1}, Range{1, 1e18}}) {
    if (const auto count = parse_count(bytes, range); reads(count)) must(range.contains(*count), "it is out of range");
    if (const auto share = parse_fraction(bytes, range); reads(share))
      must(range.contains(*share), "it is out of range");
  }
  if (const auto memory = parse_memory(bytes, true); reads(memory)) finite(memory->amount().raw());
  if (const auto time = parse_duration(bytes, seconds(3600)); reads(time)) {
    must(time->raw() >= 0, "a duration is below 0");
    check_shown(human_duration(*time));
  }
  for (const std::string_view unit : {"", "GB", "GiB", "GB/s", "Gbit/s", "TFLOPS", "W", "billions", "tokens"})
    if (const auto measure = parse_measure(bytes, unit); reads(measure)) {
      finite(*measure);
      check_shown(human_number(*measure) + human_count(*measure) + human_price(*measure));
    }
  if (const auto date = Date::parse(bytes)) {
    must(date->text() == trim(bytes), "a date is printed as another");
    (void)date->earliest_day();
  }
  if (const auto time = job::parse_time(bytes)) finite(*time);
  if (const auto discount = catalog::parse_discount(bytes); reads(discount))
    must(discount->share >= 0 && discount->share <= 1, "a discount is no share");
  if (const auto price = catalog::parse_price(bytes); reads(price)) {
    must(price->per_hour.amount >= 0, "a price is below 0");
    finite(price->per_hour.amount);
  }
  reads(catalog::priced_name(bytes, shipped().catalog));
  must(valid_utf8_prefix(printable(bytes)) == printable(bytes).size(), "what is printable is not UTF-8");
  must(printable(shorten(bytes, 20)) == shorten(bytes, 20), "what is shortened is not printable");
  must(display_width(fit_width(printable(bytes), 10)) <= 10, "it does not fit");
}

/// "key=value", as flags, batches and stages say it.
void feed_options(std::string_view bytes) {
  const auto equals = bytes.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view value = bytes.substr(equals + 1);
  job::Request request;
  if (const auto* option = job::find_option(job::request_options(), bytes.substr(0, equals)))
    if (Status set = option->set(request, value); !set) check(set.error());
  job::Constraints limits;
  if (const auto* option = job::find_option(job::constraint_options(), bytes.substr(0, equals)))
    if (Status set = option->set(limits, value); !set) check(set.error());
  job::Objective objective;
  if (Status set = job::add_weights(value, objective); !set) check(set.error());
}

}  // namespace gpusel::fuzz
