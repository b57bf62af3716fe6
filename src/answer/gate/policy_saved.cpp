// The recommendations of a saved answer as policies see them: what was saved stands, what the catalogue knows of the
// instance beside it comes from the catalogue.
#include <algorithm>

#include "answer/facts/candidates.hpp"
#include "answer/gate/policy.hpp"
#include "answer/gate/saved.hpp"
#include "answer/gate/saved_row.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/records/price_date.hpp"

namespace gpusel::answer {

namespace {

using rules::Fact;

struct SavedFact {
  Fact fact;
  std::string_view path;  // in a recommendation
};
constexpr SavedFact kSaved[] = {
    {Fact::provider, "provider"},
    {Fact::sku, "sku"},
    {Fact::family, "family"},
    {Fact::gpu, "gpu"},
    {Fact::gpus_per_node, "gpus_per_node"},
    {Fact::nodes, "nodes"},
    {Fact::gpus, "gpus"},
    {Fact::vcpu, "vcpu"},
    {Fact::tp, "plan.tp"},
    {Fact::pp, "plan.pp"},
    {Fact::dp, "plan.dp"},
    {Fact::precision, "plan.precision"},
    {Fact::memory_needed_gib, "memory.needed"},
    {Fact::memory_usable_gib, "memory.usable"},
    {Fact::memory_required_gib, "memory.needed"},
    {Fact::fit_probability, "probability.fits"},
    {Fact::targets_probability, "probability.targets"},
    {Fact::budget_probability, "probability.budget"},
    {Fact::fit, "fit.verdict"},
    {Fact::bound_by, "performance.bound_by"},
    {Fact::mfu, "performance.mfu"},
    {Fact::tokens_per_s, "performance.tokens_per_s"},
    {Fact::throughput, "performance.throughput.value"},
    {Fact::latency_ms, "performance.latency_ms"},
    {Fact::region, "region"},
    {Fact::country, "country"},
    {Fact::term, "cost.billing"},
    {Fact::currency, "cost.offer.currency"},
    {Fact::price_per_hour, "cost.hourly"},
    {Fact::price_confidence, "cost.price_confidence"},
    {Fact::cost, "cost.total"},
    {Fact::cost_per_million_tokens, "cost.per_million_tokens"},
    {Fact::cost_per_unit, "cost.per_unit"},
};

/// Figures that no answer has below 0, and the most that is believed of them.
constexpr std::string_view kSavedFigures[] = {"gpus_per_node",
                                              "nodes",
                                              "gpus",
                                              "memory.needed",
                                              "memory.usable",
                                              "cost.hourly",
                                              "cost.total",
                                              "cost.hours",
                                              "cost.offer.hourly",
                                              "cost.per_unit",
                                              "cost.per_million_tokens"};
constexpr double kMostFigure = 1e12;
/// What a whole answer has: one without them ends early.
constexpr std::string_view kParts[] = {"workload", "assumed", "catalog", "recommendations", "rejected", "alternatives"};

class SavedReader {
 public:
  SavedReader(std::shared_ptr<const Document> document, const Node& answer, Date today, const catalog::Catalog& catalog,
              const physics::Coefficients& coefficients)
      : document_(std::move(document)),
        answer_(answer),
        today_(today),
        catalog_(catalog),
        coefficients_(coefficients) {}

  Result<std::vector<PolicySubject>> read() const {
    const Node* list = answer_.find("recommendations");
    if (list == nullptr || !list->is_list())
      return usage_error(say("has no list of recommendations"), position(document_->name, answer_));
    if (Status job = check_job(); !job) return std::unexpected(job.error());
    std::vector<PolicySubject> subjects;
    for (const Node& row : list->children) {
      auto subject = subject_of(row, static_cast<int>(subjects.size()) + 1);
      if (!subject) return std::unexpected(subject.error());
      subjects.push_back(std::move(*subject));
    }
    return subjects;
  }

 private:
  /// What is asked of models must not pass because nobody says which one it is.
  Status check_job() const {
    const Node* workload = answer_.find("workload");
    const Node& at = workload != nullptr ? *workload : answer_;
    const auto task = from_text<job::Task>(text_at(answer_, "workload.task"));
    if (!task) return usage_error(say("does not say the task of its job"), position(document_->name, at));
    if (job::runs_model(*task) && text_at(answer_, "workload.model").empty())
      return usage_error(say("does not say the model of its job"), position(document_->name, at));
    return {};
  }

  Status check_row(const Node& row) const {
    const auto wrong = [&](const Node& at, std::string message) {
      return usage_error(std::move(message), position(document_->name, at));
    };
    if (text_at(row, "provider").empty() || text_at(row, "sku").empty() ||
        !Currency::parse(text_at(row, "cost.currency")))
      return wrong(row, say("is not a complete recommendation: provider, sku or the cost's currency is missing"));
    for (const std::string_view path : kSavedFigures) {
      const Node* node = at(row, path);
      if (node == nullptr || node->kind == Node::Kind::null) continue;
      const auto figure = figure_at(row, path);
      if (!figure || *figure < 0 || *figure > kMostFigure)
        return wrong(*node, say("'{}' cannot be {}", path, node->describe()));
    }
    if (const auto wrong_pair = contradiction(row)) return wrong(*wrong_pair->place, wrong_pair->words);
    return check_gpu(row);
  }

  /// An instance has the GPU that the catalogue knows it by, whatever a row says.
  Status check_gpu(const Node& row) const {
    const auto instance = catalog_.instance(format("{}/{}", text_at(row, "provider"), text_at(row, "sku")));
    const Node* gpu = row.find("gpu");
    if (!instance || gpu == nullptr || (*instance)->gpu == text_at(row, "gpu")) return {};
    const std::string known = (*instance)->gpu.empty() ? say("none") : std::string((*instance)->gpu);
    return usage_error(say("the GPU of {} cannot be {}", printable(text_at(row, "sku")), gpu->describe()),
                       position(document_->name, *gpu), say("in the catalog it is {}", known));
  }

  Result<PolicySubject> subject_of(const Node& row, int rank) const {
    if (Status sound = check_row(row); !sound) return std::unexpected(sound.error());
    PolicySubject subject{.rank = rank,
                          .provider = std::string(text_at(row, "provider")),
                          .sku = std::string(text_at(row, "sku")),
                          .region = std::string(text_at(row, "region")),
                          .currency = *Currency::parse(text_at(row, "cost.currency")),
                          .facts = {},
                          .priced = {},
                          .price_source = {},
                          .keeper = document_};
    from_catalogue(subject);
    from_job(subject.facts);
    from_row(subject, row);
    return subject;
  }

  void from_catalogue(PolicySubject& subject) const {
    const auto provider = catalog_.provider(subject.provider);
    const auto instance = catalog_.instance(subject.provider + "/" + subject.sku);
    if (instance) instance_facts(subject.facts, {**instance, provider ? *provider : nullptr, catalog_, coefficients_});
    if (!provider || instance) return;
    if ((*provider)->kind) subject.facts.set(Fact::provider_kind, to_text(*(*provider)->kind));
    subject.facts.set(Fact::provider_country, (*provider)->country);
  }

  void from_job(rules::Facts& facts) const {
    const std::string_view model = text_at(answer_, "workload.model");
    facts.set(Fact::task, text_at(answer_, "workload.task"));
    facts.set(Fact::method, text_at(answer_, "workload.method"));
    facts.set(Fact::profile, text_at(answer_, "workload.profile"));
    facts.set(Fact::model, model);
    const auto known = model.empty() ? usage_error({}) : catalog_.model(model);
    if (!known) return;
    facts.set(Fact::model_licence, (*known)->licence);
    facts.set(Fact::model_family, (*known)->family);
    if ((*known)->kind) facts.set(Fact::model_kind, to_text(*(*known)->kind));
  }

  void from_row(PolicySubject& subject, const Node& row) const {
    rules::Facts& facts = subject.facts;
    for (const SavedFact& saved : kSaved) {
      const Node* node = at(row, saved.path);
      if (node == nullptr || node->kind == Node::Kind::null) continue;
      if (rules::info(saved.fact).type == rules::FactType::text)
        facts.set(saved.fact, std::string_view(node->text));
      else
        facts.set(saved.fact, figure_at(row, saved.path));
    }
    if (!text_at(row, "gpu").empty()) facts.set(Fact::is_cpu, false);
    if (const auto named = catalog_.gpu(text_at(row, "gpu"))) subject.gpu = *named;
    free_memory_facts(facts);
    const auto hours = figure_at(row, "cost.hours");
    const std::string_view of = text_at(row, "cost.total_of");
    if (hours && (of == "job" || (of.empty() && *hours != kHoursPerMonth))) facts.set(Fact::hours, *hours);
    const auto dated = Date::parse(text_at(row, "cost.price_as_of"));
    const auto days = dated ? days_between(*dated, today_) : std::nullopt;
    subject.price_source = std::string(text_at(row, "cost.price_source"));
    if (!days || catalog::is_to_come(*dated, today_)) return;  // is no date of a price
    subject.priced = *dated;
    facts.set(Fact::price_age_days, static_cast<double>(std::max(0, *days)));
  }

  std::shared_ptr<const Document> document_;
  const Node& answer_;
  Date today_;
  const catalog::Catalog& catalog_;
  const physics::Coefficients& coefficients_;
};

}  // namespace

Result<std::vector<PolicySubject>> saved_subjects(const std::string& content, const std::string& name, Date today,
                                                  const catalog::Catalog& catalog,
                                                  const physics::Coefficients& coefficients) {
  auto read = trim(content).starts_with('{') ? parse_json(content, name) : parse_yaml(content, name);
  if (!read) return std::unexpected(read.error());
  const auto document = std::make_shared<const Document>(std::move(*read));
  const Node* answer = &document->root;
  const bool is_lock = text_at(*answer, "schema") == kLockSchema;
  if (is_lock) answer = answer->find("answer");
  if (answer == nullptr || text_at(*answer, "schema") != kAnswerSchema)
    return usage_error(say("is neither an answer of gpusel recommend nor a lock"), name,
                       say("save one with gpusel recommend … --json, or with gpusel lock"));
  if (!is_lock)
    for (const std::string_view part : kParts)
      if (answer->find(part) == nullptr)
        return usage_error(say("ends early: '{}' is missing", part), name, say("save the whole answer again"));
  return SavedReader(document, *answer, today, catalog, coefficients).read();
}

}  // namespace gpusel::answer
