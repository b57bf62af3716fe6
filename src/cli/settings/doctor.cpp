// gpusel doctor: whether the data can be relied on today, and what of the surroundings has an effect.
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"
#include "cli/question/answer.hpp"
#include "cli/settings/surroundings.hpp"
#include "gpusel/version.hpp"
#include "physics/own.hpp"
#include "show/catalogue/catalog_state.hpp"
#include "show/catalogue/catalogue_name.hpp"
#include "show/export/orders.hpp"

namespace gpusel::cli {

namespace {

constexpr double kOldDays = 270;  // as the shipped rule old-price has it

struct DoctorOptions {
  job::Constraints limits;  // max_price_age_days, strict
};

std::string_view name_of(Health health) {
  constexpr std::string_view kNames[] = {"ok", "warn", "fail"};
  return kNames[static_cast<std::size_t>(health)];
}

std::string aged(Date date, Date today) {
  const auto days = days_between(date, today);
  if (!days) return say("unknown date");
  return *days < 0 ? say("{}, {} days after today", date.text(), -*days) : say("{}, {} days ago", date.text(), *days);
}

class Doctor {
 public:
  Doctor(const DoctorOptions& options, Context& context, Date today)
      : options_(options), context_(context), today_(today) {}

  std::vector<Finding> examine() {
    add(say("program"), Health::ok, format("gpusel {}", kVersion));
    examine_layers();
    if (catalog_) {
      examine_prices();
      examine_rates();
      examine_targets();
    }
    examine_surroundings();
    return std::move(findings_);
  }
  int status() const { return status_; }

 private:
  void add(std::string subject, Health health, std::string words) {
    findings_.push_back({std::move(subject), health, std::move(words)});
  }

  void examine_layers() {
    auto layers = changes_by_layer(context_);
    if (!layers) {
      for (const Error& error : layers.error())
        add(say("overlays"), Health::fail, (error.where.empty() ? "" : printable(error.where) + ": ") + error.message);
      status_ = kBadCatalogue;
      return;
    }
    auto catalog = context_.load_catalog();
    if (!catalog) return;
    catalog_.emplace(std::move(*catalog));
    read_own();
    add(say("catalog"), Health::ok,
        say("{}: {} GPUs, {} models, {} instances of {} providers, {} offers", show::catalogue_name(*catalog_),
            catalog_->gpus().size(), catalog_->models().size(), catalog_->instances().size(),
            catalog_->providers().size(), catalog_->offers().size()));
    for (const show::LayerChanges& layer : *layers) {
      const bool ours = own_ && layer.changes.empty() && layer.path.ends_with(own_->file);
      add(say("overlay"), layer.changes.empty() && !ours ? Health::warn : Health::ok,
          format("{}: {}", printable(layer.path),
                 ours ? say("calibrated with your own measurements") : show::changes_summary(layer.changes)));
    }
    if (own_) examine_own();
  }

  void read_own() {
    const auto coefficients = load_coefficients(*catalog_);
    const auto shipped = physics::read_coefficients(*catalog_, physics::Own::left_out);
    if (coefficients && shipped) {
      own_ = coefficients->own;
      shipped_ = *shipped;
      return;
    }
    for (const Error& error : coefficients ? shipped.error() : coefficients.error())
      add(say("coefficients"), Health::fail,
          (error.where.empty() ? "" : printable(error.where) + ": ") + error.message);
    status_ = kBadCatalogue;
  }

  /// Which coefficients are the user's own, since when and from how many measurements.
  void examine_own() {
    add(say("own calibration"), Health::ok,
        say("of {}: {} coefficients and {} intervals from {} measurements", own_->as_of.text(), own_->values.size(),
            own_->widths.size(), own_->rows.size()));
    for (const physics::OwnValue& own : own_->values) {
      const auto coefficient = physics::find_coefficient(shipped_, own.value.id);
      const double now = coefficient ? coefficient->of(own.value.name) : own.shipped;
      const bool moved = std::abs(now - own.shipped) > 1e-9 * std::abs(own.shipped);
      std::string words = say("{}{}: {:.4g}, shipped {:.4g}, rows: {}", own.value.id,
                              own.value.name.empty() ? std::string() : format(" [{}]", printable(own.value.name)),
                              own.value.value, now, own.rows);
      if (moved) words += say("; fitted to a shipped value of {:.4g}: run gpusel calibrate again", own.shipped);
      add(say("own value"), moved ? Health::warn : Health::ok, std::move(words));
    }
  }

  void examine_prices() {
    const double limit = options_.limits.max_price_age_days.value_or(kOldDays);
    std::size_t old = 0;
    std::size_t undated = 0;
    for (const catalog::Offer& offer : catalog_->offers()) {
      const auto age = days_between(Date::from_packed(offer.as_of), today_);
      undated += age ? 0 : 1;
      old += age && *age > limit ? 1 : 0;
    }
    const std::size_t all = catalog_->offers().size();
    const Date newest = catalog_->newest_price();
    const int age = days_between(newest, today_).value_or(0);
    const bool stale = newest.known() && (age > limit || age < 0);
    add(say("newest price"), all == 0 || stale ? Health::warn : Health::ok,
        all == 0 ? say("no prices") : aged(newest, today_));
    add(say("old prices"), old + undated > 0 ? Health::warn : Health::ok,
        say("{} of {} are older than {:.0f} days, {} have no date", old, all, limit, undated));
    if (options_.limits.strict.value_or(false) && options_.limits.max_price_age_days && old + undated > 0)
      status_ = kStale;
  }

  void examine_rates() {
    const catalog::Statistics statistics = catalog::statistics(*catalog_, today_);
    const auto age = days_between(statistics.oldest_rate, today_);
    add(say("exchange rates"), age && *age > kOldDays ? Health::warn : Health::ok,
        say("{}, the oldest from {}", catalog_->exchange_rates().size(), aged(statistics.oldest_rate, today_)));
  }

  /// What other tools can order, as their sources had it.
  void examine_targets() {
    const auto tools = show::read_orders(catalog_->documents("targets"));
    if (!tools) {
      for (const Error& error : tools.error())
        add(say("targets"), Health::fail, printable(error.where) + ": " + error.message);
      status_ = kBadCatalogue;
      return;
    }
    for (const show::ToolOrders& tool : *tools) {
      const auto age = days_between(tool.as_of, today_);
      add(say("{} data", tool.id), age && *age > kOldDays ? Health::warn : Health::ok,
          say("sources of {} (version {})", aged(tool.as_of, today_), printable(tool.version)));
    }
  }

  void examine_surroundings() {
    for (Finding& finding : surroundings(context_, today_)) {
      if (finding.health == Health::fail && status_ == kOk) status_ = kUsage;
      findings_.push_back(std::move(finding));
    }
  }

  const DoctorOptions& options_;
  Context& context_;
  Date today_;
  std::optional<catalog::Catalog> catalog_;
  std::shared_ptr<const physics::OwnCalibration> own_;
  physics::Coefficients shipped_;
  std::vector<Finding> findings_;
  int status_ = kOk;
};

show::Json findings_json(std::span<const Finding> findings) {
  show::Json list = show::Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"subject", finding.subject}, {"health", name_of(finding.health)}, {"words", finding.words}});
  return {{"schema", "gpusel.doctor/1"}, {"findings", std::move(list)}};
}

show::Table findings_table(std::span<const Finding> findings) {
  show::Table table({show::left("", 0, 0, "health"), show::left(say("subject")), show::left(say("finding"), 0, 20)});
  for (const Finding& finding : findings)
    table.add({std::string(name_of(finding.health)), finding.subject, finding.words});
  return table;
}

/// How it stands, before the rows that say why.
show::Text verdict_on(std::span<const Finding> findings) {
  const auto bad = [](const Finding& finding) { return finding.health != Health::ok; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(findings, bad));
  if (count == 0) return {say("No problems found."), show::Meaning::best};
  const Finding& first = *std::ranges::find_if(findings, bad);
  return {count == 1 ? say("1 finding: {}", first.subject) : say("{} findings, the first: {}", count, first.subject),
          show::Meaning::warn};
}

int run_doctor(const DoctorOptions& options, Context& context) {
  const auto format = context.format();
  if (!format) return context.fail(format.error());
  const auto today = context.today();
  if (!today) return context.fail(today.error());
  Doctor doctor(options, context, *today);
  const std::vector<Finding> findings = doctor.examine();
  print({.data = [&] { return findings_json(findings); },
         .document =
             [&](bool) {
               show::Document page;
               return page.page_title(say("State of gpusel and its data on {}", today->text()))
                   .line(verdict_on(findings))
                   .gap()
                   .add(findings_table(findings));
             }},
        *format, context);
  return doctor.status();
}

}  // namespace

std::expected<std::vector<show::LayerChanges>, Errors> changes_by_layer(const Context& context) {
  const catalog::LoadOptions all = context.layers();
  catalog::LoadOptions so_far;
  std::vector<show::LayerChanges> out;
  auto below = catalog::load(so_far);
  if (!below) return std::unexpected(below.error());
  const auto lay = [&](const std::string& path) -> Errors {
    auto next = catalog::load(so_far);
    if (!next) return next.error();
    out.push_back({path, catalog::diff(*below, *next)});
    below = std::move(next);
    return {};
  };
  so_far.replacement = all.replacement;
  if (!all.replacement.empty())
    if (Errors errors = lay(all.replacement); !errors.empty()) return std::unexpected(std::move(errors));
  for (const std::string& overlay : all.overlays) {
    so_far.overlays.push_back(overlay);
    if (Errors errors = lay(overlay); !errors.empty()) return std::unexpected(std::move(errors));
  }
  return out;
}

Parsed make_doctor() {
  auto options = std::make_shared<DoctorOptions>();
  Parsed parsed;
  add_limits(parsed.flags, options->limits, [](const auto& limit) { return limit.also.of_age; });
  parsed.shows_settings = true;
  parsed.run = [options](Context& context) { return run_doctor(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
