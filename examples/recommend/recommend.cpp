// Asks the library for the cheapest instances that serve a model, and prints them with their memory and prices.
// recommend [MODEL]
#include <gpusel/advisor.hpp>

#include <chrono>
#include <cstdio>

namespace {

int fail(const gpusel::Error& error) {
  std::fprintf(stderr, "recommend: %s %s\n", error.message.c_str(), error.hint.c_str());
  return 1;
}

gpusel::Date today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return {static_cast<int>(day.year()), static_cast<int>(static_cast<unsigned>(day.month())),
          static_cast<int>(static_cast<unsigned>(day.day()))};
}

void print(const gpusel::answer::Recommendation& one) {
  std::printf("%d. %.*s %.*s: %.2f USD/h, %.0f tokens/s, %.1f GiB per GPU", one.rank,
              static_cast<int>(one.instance->provider.size()), one.instance->provider.data(),
              static_cast<int>(one.instance->sku.size()), one.instance->sku.data(), one.cost.hourly, one.tokens_per_s(),
              gpusel::in_gib(one.memory().total()));
  if (one.cost.per_million_tokens) std::printf(", %.3f USD per million tokens", *one.cost.per_million_tokens);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  // What the library carries: the catalogue, and in it the coefficients of the estimates and the rules. The answer
  // points into it, so that it must live as long.
  const auto advisor = gpusel::Advisor::open();
  if (!advisor) return fail(advisor.error().front());

  gpusel::answer::Question question;
  question.request.task = gpusel::job::Task::inference;
  question.request.model = argc > 1 ? argv[1] : "llama-3.1-8b";
  question.objective.kind = gpusel::job::ObjectiveKind::cost;
  question.constraints.clouds = {"aws", "gcp", "azure"};
  question.today = today();

  const auto advice = advisor->recommend(question);
  if (!advice) return fail(advice.error());
  for (const auto& one : advice->recommendations)
    if (one.rank <= 3) print(one);
  return advice->recommendations.empty() ? 3 : 0;
}
