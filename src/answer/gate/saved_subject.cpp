// One recommendation out of an answer that `gpusel recommend` wrote as JSON or YAML.
#include <algorithm>
#include <cmath>

#include "answer/cost/cost_parts.hpp"
#include "answer/gate/saved.hpp"
#include "answer/stages/launch.hpp"
#include "base/io/document.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/read/own_prices.hpp"

namespace gpusel::answer {

namespace {

catalog::Number figure(const Node* map, std::string_view key) {
  const Node* node = map != nullptr ? map->find(key) : nullptr;
  return node != nullptr && node->is_scalar() && !node->quoted ? plain_number(node->text) : std::nullopt;
}
std::string text(const Node* map, std::string_view key) { return map != nullptr ? map->text_at(key) : std::string(); }

/// The job that these options ask for.
Result<job::Job> work_of(const Node& options, const catalog::Catalog& catalog) {
  const auto request = job::read_request(options);
  if (!request) return std::unexpected(request.error());
  const auto model = find_model(*request, catalog);
  return model ? resolve_work(*request, *model, catalog) : std::unexpected(model.error());
}

/// What was asked: by the options as they were written, else by what the answer says of the job.
Result<job::Job> work_asked(const Node& asked, const catalog::Catalog& catalog) {
  const auto is_option = [](const Node& member) {
    return member.is_scalar() && job::find_option(job::request_options(), member.key) != nullptr;
  };
  Node known = asked;
  std::erase_if(known.children, [&](const Node& member) { return !is_option(member); });
  const Node* given = asked.find("given");
  if (given == nullptr || !given->is_map()) return work_of(known, catalog);
  Node typed = *given;
  std::erase_if(typed.children, [&](const Node& member) { return !is_option(member); });
  const bool serves = text(&asked, "task") == to_text(job::Task::inference) && asked.find("input_tokens") != nullptr;
  for (const Node& member : known.children) {
    const bool names_it = member.key == "task" || member.key == "model" || member.key == "profile";
    if (!names_it && !serves) continue;  // a service says all of itself, and its load may have been users
    std::erase_if(typed.children, [&](const Node& other) { return other.key == member.key; });
    typed.children.push_back(member);
  }
  auto work = work_of(typed, catalog);
  return work ? std::move(work) : work_of(known, catalog);
}

/// What was asked, as far as it was saved; null where that makes no job of a model in the catalogue.
std::shared_ptr<const SavedWork> work_in(const Node& root, const Node& chosen, const catalog::Catalog& catalog) {
  const Node* asked = root.find("workload");
  if (asked == nullptr || !asked->is_map()) return nullptr;
  if (const std::string model = text(asked, "model"); !model.empty() && !catalog.model(model)) return nullptr;
  auto work = work_asked(*asked, catalog);
  if (!work) return nullptr;
  const std::string repository = text(asked, "repository");
  if (repository != weights_of(*work).name) work->asked_as = repository;
  SavedWork saved{.work = std::move(*work), .precision = job::Precision::fp32, .rate = {}};
  if (const auto precision = from_text<job::Precision>(text(chosen.find("plan"), "precision")))
    saved.precision = *precision;
  if (saved.work.counted && figure(asked, "demand")) saved.work.counted->demand = *figure(asked, "demand");
  const Node* interval = chosen.find("interval");
  const Node* rate = interval != nullptr ? interval->find(saved.work.counted ? "throughput" : "tokens_per_s") : nullptr;
  if (rate != nullptr && rate->is_list() && rate->children.size() == 2)
    saved.rate = {plain_number(rate->children[0].text).value_or(0), plain_number(rate->children[1].text).value_or(0)};
  return std::make_shared<const SavedWork>(std::move(saved));
}

/// What the answer says of the job's time and rates; the kind of work says what they are of.
CostJob job_in(const Node& chosen, const SavedWork* saved) {
  CostJob job;
  const Node* cost = chosen.find("cost");
  const Node* performance = chosen.find("performance");
  const auto hours = figure(cost, "hours");
  const std::string of = text(cost, "total_of");
  // Answers saved before they said what the total is of: a service has the hours of a month.
  if (of == "job" || (of.empty() && hours && *hours != kHoursPerMonth)) job.hours = hours;
  for (const std::string_view key : {"tokens_per_s", "output_tokens_per_s", "total_tokens_per_s"})
    if (const auto rate = figure(performance, key); rate.value_or(0) > 0 && !job.tokens_per_s) job.tokens_per_s = rate;
  if (saved == nullptr || !saved->work.counted) {
    if (figure(performance, "output_tokens_per_s")) job.tokens = "written";
    job.needs_workstation = figure(cost, "licence_hourly").value_or(0) > 0;
    return job;
  }
  const job::Counted& counted = *saved->work.counted;
  const double rate = figure(performance != nullptr ? performance->find("throughput") : nullptr, "value").value_or(0);
  const double served = std::min(rate, counted.demand.value_or(rate));
  job.tokens_per_s = catalog::Number();
  job.units_per_hour = counted.unit.priced_per_hour(served);
  job.unit = counted.unit.priced;
  job.needs_workstation = counted.needs_workstation;
  job.egress_mbps = counted.egress_mbps * served;
  return job;
}

/// What the options of a list say in the saved workload.
template <class Target>
Target said_in(const Node& root, std::span<const job::Option<Target>> options) {
  Target target;
  const Node* asked = root.find("workload");
  if (asked == nullptr || !asked->is_map()) return target;
  for (const Node& member : asked->children) {
    const auto* option = member.is_scalar() ? job::find_option(options, member.key) : nullptr;
    if (option == nullptr || !option->set(target, member.text)) continue;
    if constexpr (requires { target.given; }) target.given.push_back(option->key);
  }
  return target;
}

}  // namespace

Result<Document> saved_answer(const std::string& content, const std::string& name) {
  auto document = trim(content).starts_with('{') ? parse_json(content, name) : parse_yaml(content, name);
  if (!document) return document;
  if (text(&document->root, "schema") != kAnswerSchema)
    return usage_error(say("is not an answer of gpusel recommend"), name,
                       say("save one with gpusel recommend … --json"));
  const Node* list = document->root.find("recommendations");
  if (list == nullptr || !list->is_list() || list->children.empty())
    return usage_error(say("has no recommendation"), name);
  return document;
}

Result<CostSubject> saved_subject(const std::string& content, const std::string& name, int rank,
                                  const catalog::Catalog& catalog) {
  const auto document = saved_answer(content, name);
  if (!document) return std::unexpected(document.error());
  return saved_subject(*document, rank, catalog);
}

Result<CostSubject> saved_subject(const Document& answer, int rank, const catalog::Catalog& catalog) {
  const std::string& name = answer.name;
  const Node& root = answer.root;
  const Node* list = root.find("recommendations");
  const std::size_t count = list->children.size();
  if (static_cast<std::size_t>(rank) > count)
    return usage_error(say("has only {} recommendations, no rank {}", count, rank), name);
  const Node& chosen = list->children[static_cast<std::size_t>(rank - 1)];
  CostSubject subject;
  subject.name = format("{}/{}", text(&chosen, "provider"), text(&chosen, "sku"));
  const auto instance = catalog.instance(subject.name);
  if (!instance) {
    Error error = instance.error();
    error.where = position(name, chosen);
    return std::unexpected(std::move(error));
  }
  subject.instance = *instance;
  const double nodes = figure(&chosen, "nodes").value_or(1);
  if (nodes < 1 || nodes > 1e5 || nodes != std::floor(nodes))
    return usage_error(say("'nodes' must be a whole number from 1"), position(name, chosen));
  subject.nodes = static_cast<int>(nodes);
  subject.provider = provider_of(*subject.instance, catalog);
  subject.rank = rank;
  const Node* cost = chosen.find("cost");
  subject.currency = Currency::parse(text(cost, "currency"));
  const Node* offer = cost != nullptr && cost->is_map() ? cost->find("offer") : nullptr;
  const Node* price = offer != nullptr && offer->is_map() ? offer : nullptr;
  const auto offered_in = Currency::parse(text(price, "currency"));
  if (const auto hourly = figure(price, "hourly"); hourly && offered_in)
    subject.saved_price = SavedPrice{{*hourly, *offered_in},
                                     text(cost, "billing"),
                                     text(&chosen, "region"),
                                     text(cost, "price_source") == catalog::kOwnPrice,
                                     Date::parse(text(cost, "price_as_of")).value_or(Date{})};
  subject.saved_duty = said_in<money::Duty>(root, money::duty_options());
  subject.saved_extras = said_in<money::Extras>(root, money::extra_options());
  if (const auto start = figure(cost, "cold_start_s"); start.value_or(-1) > 0) subject.saved_start_s = *start;
  subject.saved = work_in(root, chosen, catalog);
  subject.job = job_in(chosen, subject.saved.get());
  return subject;
}

}  // namespace gpusel::answer
