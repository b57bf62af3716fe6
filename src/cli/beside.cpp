#include "cli/beside.hpp"

#include "gpusel/base/message.hpp"
#include "report/job/data_path.hpp"

namespace gpusel::cli {

namespace {

advise::DataPath path_of(const BesideContext& c, const advise::Recommendation& one, const cost::Converter& converter) {
  return advise::data_path(one, c.advice, c.question.request, c.beside.wishes, c.catalog, c.coefficients, converter,
                           c.explain);
}

}  // namespace

void add_beside_flags(std::vector<Flag>& flags, Beside& beside) {
  const auto on = [](bool& place) {
    return [&place](std::string_view) -> Status {
      place = true;
      return {};
    };
  };
  add_options(flags, advise::data_options(), beside.wishes);
  const std::string group = flags.back().group;
  flags.push_back({"--data-path", "", say("data set, checkpoints and weights against the provider's storage"), group,
                   on(beside.data_path)});
  flags.push_back({"--show-services", "", say("managed services and service levels beside the best instance"), group,
                   on(beside.services)});
}

report::Document beside_page(const BesideContext& c) {
  report::Document page;
  if (c.advice.recommendations.empty()) return page;
  const advise::Recommendation& best = c.advice.recommendations.front();
  const auto converter = cost::Converter::into(c.question.currency, c.catalog);
  if (c.beside.shows_data() && converter)
    page.append(report::data_path_page(path_of(c, best, *converter), best, c.advice));
  if (c.beside.services)
    page.append(report::services_page(advise::services_of(*best.instance, c.advice.work, c.catalog), best, c.catalog));
  return page;
}

std::function<void(report::JsonOut&, std::size_t)> beside_told(const BesideContext& c) {
  return [&c, converter = cost::Converter::into(c.question.currency, c.catalog)](report::JsonOut& out, std::size_t i) {
    const advise::Recommendation& one = c.advice.recommendations[i];
    if (c.beside.shows_data() && converter)
      out.tree("data_path", report::data_path_json(path_of(c, one, *converter), one, c.advice));
    if (c.beside.services)
      out.tree("services", report::services_json(advise::services_of(*one.instance, c.advice.work, c.catalog)));
  };
}

}  // namespace gpusel::cli
