#include "cli/question/sections.hpp"

#include "base/words/message.hpp"
#include "show/job/data_path.hpp"

namespace gpusel::cli {

namespace {

answer::DataPath path_of(const SectionContext& c, const answer::Recommendation& one,
                         const money::Converter& converter) {
  return answer::data_path(one, c.advice, c.question.request, c.beside.wishes, c.catalog, c.coefficients, converter,
                           c.explain);
}

}  // namespace

void add_beside_flags(std::vector<Flag>& flags, Sections& beside) {
  std::vector<job::Option<answer::DataWishes>> data;  // --storage is of the job's own flags
  for (const auto& option : answer::data_options())
    if (option.key != "storage") data.push_back(option);
  add_options<answer::DataWishes>(flags, data, beside.wishes);
  const std::string group = flags.back().group;
  flags.push_back({"--data-path", "", say("data set, checkpoints and weights against the provider's storage"), group,
                   turns_on(beside.data_path)});
  flags.push_back({"--show-services", "", say("managed services and service levels next to the best instance"), group,
                   turns_on(beside.services)});
}

show::Document beside_page(const SectionContext& c) {
  show::Document page;
  if (c.advice.recommendations.empty()) return page;
  const answer::Recommendation& best = c.advice.recommendations.front();
  const auto converter = money::Converter::into(c.question.currency, c.catalog);
  if (c.beside.shows_data() && converter)
    page.append(show::data_path_page(path_of(c, best, *converter), best, c.advice));
  if (c.beside.services)
    page.append(show::services_page(answer::services_of(*best.instance, best.offer->term, c.advice.work, c.catalog),
                                    best, c.catalog));
  return page;
}

std::function<void(show::JsonOut&, std::size_t)> beside_told(const SectionContext& c) {
  return [&c, converter = money::Converter::into(c.question.currency, c.catalog)](show::JsonOut& out, std::size_t i) {
    const answer::Recommendation& one = c.advice.recommendations[i];
    if (c.beside.shows_data() && converter)
      out.tree("data_path", show::data_path_json(path_of(c, one, *converter), one, c.advice));
    if (c.beside.services)
      out.tree("services",
               show::services_json(answer::services_of(*one.instance, one.offer->term, c.advice.work, c.catalog)));
  };
}

}  // namespace gpusel::cli
