#include "money/lines.hpp"

#include <algorithm>
#include <cmath>

#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"
#include "money/storage.hpp"
#include "physics/economy.hpp"

namespace gpusel::money {

namespace {

constexpr double kMonthsOfYear = 12;

Line line_of(std::string_view key, std::string_view source = {}, Date as_of = {}) {
  Line line;
  line.key = key;
  line.source = source;
  line.as_of = as_of;
  return line;
}

/// Once what it costs in its own currency is known.
void set_monthly(Line& line, catalog::Number amount, std::string_view currency, const LineView& view) {
  const auto month = amount ? view.converter.convert(*amount, currency) : catalog::Number();
  if (!month) return;
  line.known = true;
  line.amounts = monthly(*month, *view.use.duty, view.use.job_hours());
}

double gpus_of(const LineView& view) {
  return std::max(1.0, std::round(view.instance.gpu_count.value_or(1))) * view.use.nodes;
}

/// What the host has that is charged for, of one instance; nothing where it is not known.
struct HostSize {
  catalog::Number vcpu, memory_gib;
};
HostSize host_size(const catalog::BillingRule& rule, const LineView& view) {
  const catalog::Instance& instance = view.instance;
  HostSize size{instance.vcpu, instance.memory_gib};
  if (rule.host_vcpu) size.vcpu = rule.host_vcpu;
  const catalog::Gpu* gpu = view.catalog.gpu_of(instance);
  if (rule.host_memory_per_gpu_gb && gpu != nullptr && gpu->memory_gb && instance.gpu_count)
    size.memory_gib = *rule.host_memory_per_gpu_gb * *gpu->memory_gb * *instance.gpu_count;
  return size;
}

/// vCPU and memory of a seller whose price is of the GPU alone, paid for the same hours.
Line host_line(const catalog::BillingRule& rule, const LineView& view) {
  Line line = line_of(to_name("host"), rule.source, rule.as_of);
  const HostSize size = host_size(rule, view);
  if (!rule.per_vcpu_hour || !rule.per_memory_gib_hour || !size.vcpu || !size.memory_gib) {
    line.words = say("vCPU and memory are charged on top, how much is not published");
    return line;
  }
  line.words = say("{} vCPU at {} and {} GiB at {} {} per hour, on top of the GPU", human_number(*size.vcpu),
                   human_price(*rule.per_vcpu_hour), human_number(*size.memory_gib),
                   human_price(*rule.per_memory_gib_hour), rule.currency);
  if (!rule.note.empty()) add_clause(line.words, printable(rule.note));
  const double each = *size.vcpu * *rule.per_vcpu_hour + *size.memory_gib * *rule.per_memory_gib_hour;
  const auto rate = view.converter.convert(each * view.use.nodes, rule.currency);
  if (!rate) return line;
  line.known = true;
  line.amounts = amounts_of(*rate, view.paid);
  return line;
}

/// Once for each instance: whole in the first month, or spread over the months that a service is needed.
Line setup_line(const catalog::BillingRule& rule, const LineView& view) {
  Line line = line_of(to_name("setup"), rule.source, rule.as_of);
  const double months = std::max(1.0, view.use.duty->months.value_or(1));
  line.words = months > 1
                   ? say("{} {} once for each instance, spread over {} months", human_price(*rule.setup), rule.currency,
                         human_number(months))
                   : say("{} {} once for each instance, in the first month", human_price(*rule.setup), rule.currency);
  const auto once = view.converter.convert(*rule.setup * std::ceil(view.use.nodes), rule.currency);
  if (!once) return line;
  line.known = true;
  line.amounts.month = *once / months;
  line.amounts.day = *line.amounts.month / view.use.duty->days_per_month;
  line.amounts.year = *once * std::min(1.0, kMonthsOfYear / months);
  line.amounts.commitment = once;
  if (view.use.job_hours()) line.amounts.job = once;
  return line;
}

/// Asked for by the hour that a machine runs, whatever its own term.
void set_licence(Line& line, const LineView& view) {
  const catalog::Instance& instance = view.instance;
  const double gpus = gpus_of(view);
  const auto each = instance.workstation_per_gpu_hour;
  const std::string_view currency =
      instance.workstation_currency.empty() ? Currency::usd().code() : instance.workstation_currency;
  line.words = each ? say("{} {} per GPU and hour, of {}", human_price(*each), currency, human_number(gpus))
                    : say("charged on top, its price is not published");
  const auto rate = each ? view.converter.convert(*each * gpus, instance.workstation_currency) : catalog::Number();
  if (!rate) return;
  line.known = true;
  line.amounts = amounts_of(*rate, paid_hours({}, *view.use.duty, view.billing, view.use.job_hours()));
}

Line licence_line(const LineView& view) {
  const catalog::Instance& instance = view.instance;
  Line line = line_of(to_name("licence"), instance.workstation_source);
  if (!instance.workstation_licence) {
    line.words = say("whether a graphics driver's license is included is not published");
    return line;
  }
  switch (*instance.workstation_licence) {
    case catalog::Licence::included:
      line.words = say("included in the price");
      line.known = true;
      line.amounts = monthly(0, *view.use.duty, view.use.job_hours());
      line.amounts.hour = 0.0;
      break;
    case catalog::Licence::surcharge: set_licence(line, view); break;
    case catalog::Licence::own: line.words = say("your own, bought elsewhere"); break;
    case catalog::Licence::none: line.words = say("no licensed graphics driver is available"); break;
  }
  return line;
}

/// That hold it together, for each that has its own.
double volumes_needed(const catalog::Storage& storage, const LineView& view) {
  return storage.max_gb ? std::max(1.0, std::ceil(*view.use.extras->storage_gb / *storage.max_gb)) : 1;
}

/// A month of it in the answer's currency; nothing where that is not known or it cannot hold so much.
catalog::Number month_of(const catalog::Storage& storage, const LineView& view) {
  const double volumes = volumes_needed(storage, view);
  StorageUse use =
      storage_use(view.instance, *view.use.extras->storage_gb / volumes, static_cast<int>(std::ceil(view.use.nodes)));
  use.least_gb = view.coefficients.economy->storage_least_gb.of(storage.id);
  const auto price = price_per_month(storage, use);
  return price ? view.converter.convert({price->amount * volumes, price->currency}) : catalog::Number();
}

/// The instance's own disks, paid with it.
Line local_line(const LineView& view, const std::string& size) {
  const catalog::Instance& instance = view.instance;
  Line line = line_of(to_name("storage"));
  const auto disks = instance.local_ssd_gb;
  if (!disks) {
    line.words = say("{} of its own disks: their size is not published", size);
    return line;
  }
  line.words =
      say("{} of its own disks, {} GB each, included; contents are lost when it stops", size, human_number(*disks));
  if (*disks < *view.use.extras->storage_gb) {
    line.words = say("{} of its own disks: it has {} GB", size, human_number(*disks));
    return line;
  }
  set_monthly(line, 0.0, view.converter.currency().code(), view);
  return line;
}

/// The cheapest of its kind that is sold there and holds so much.
Line storage_line(const LineView& view) {
  const catalog::StorageKind kind = view.use.extras->storage_kind.value_or(catalog::StorageKind::block);
  std::string size = say("{} GB", human_number(*view.use.extras->storage_gb));
  if (is_each_nodes_own(kind) && view.use.nodes > 1) size += say(" for each of {}", view.use.nodes);
  if (kind == catalog::StorageKind::local) return local_line(view, size);
  const catalog::Storage* best = nullptr;
  for (const catalog::Storage* storage : storages_at({view.instance, view.region.id}, kind, view.catalog)) {
    const auto month = month_of(*storage, view);
    if (month && (best == nullptr || *month < *month_of(*best, view))) best = storage;
  }
  if (best == nullptr) {
    Line line = line_of(to_name("storage"));
    line.words = say("{} of {} storage: no published price of a size that fits", size, said(kind));
    return line;
  }
  Line line = line_of(to_name("storage"), best->source, best->as_of);
  line.words = say("{} of {} at {} {} per GB and month", size, printable(best->name), human_price(*best->per_gb_month),
                   best->currency);
  if (const double least = view.coefficients.economy->storage_least_gb.of(best->id);
      least > *view.use.extras->storage_gb)
    line.words += say(", sold from {} GB on", human_number(least));
  if (const double volumes = volumes_needed(*best, view); volumes > 1)
    line.words += say(", in {} of at most {} GB", human_number(volumes), human_number(*best->max_gb));
  if (best->regions.empty()) line.words += say("; the general price of {}", best->provider);
  line.figures = say("{:.6g} GB × {:.6g} {} × {}", *view.use.extras->storage_gb, *best->per_gb_month, best->currency,
                     is_each_nodes_own(kind) ? view.use.nodes : 1);
  set_monthly(line, month_of(*best, view), view.converter.currency().code(), view);
  return line;
}

/// What was said, else what the job sends while it works.
std::optional<double> egress_gb(const LineView& view) {
  if (view.use.extras->egress_gb) return view.use.extras->egress_gb;
  if (view.use.job == nullptr || view.use.job->egress_mbps <= 0) return std::nullopt;
  return view.use.job->egress_mbps * 3600 / 8 / 1000 * view.use.duty->used_per_month();
}

Line egress_line(const LineView& view, double size) {
  const catalog::Egress* egress = view.catalog.egress_of(view.region.provider, view.region.id);
  const auto amount = egress != nullptr ? egress_cost(*egress, size) : catalog::Number();
  if (!amount) {
    Line line = line_of(to_name("egress"));
    line.words = say("{} GB a month to the internet: no price is published", human_number(size));
    return line;
  }
  Line line = line_of(to_name("egress"), egress->source, egress->as_of);
  std::string tiers;
  double below = egress->free_gb_per_month.value_or(0);
  for (const std::string_view tier : egress->tiers) {
    const auto equals = tier.find('=');
    const std::string_view price = tier.substr(equals + 1);
    tiers += (tiers.empty() ? "" : ", ") +
             (equals == 0 ? std::string(price) : say("{} up to {} GB", price, tier.substr(0, equals)));
    const double end = std::min(size, plain_number(tier.substr(0, equals)).value_or(size));
    if (end <= below) continue;
    line.figures +=
        format("{}{:.6g} GB × {} {}", line.figures.empty() ? "" : " + ", end - below, price, egress->currency);
    below = end;
  }
  line.words = say("{} GB a month to the internet, {} free, then {} per GB: {}", human_number(size),
                   human_number(egress->free_gb_per_month.value_or(0)), egress->currency, tiers);
  if (!egress->note.empty()) add_clause(line.words, printable(egress->note));
  set_monthly(line, amount, egress->currency, view);
  return line;
}

auto set_workstation(std::string_view text, Extras& extras) {
  std::optional<bool> value;
  auto set = job::assign(text, value);
  if (set) extras.workstation = *value;
  return set;
}

constexpr std::string_view kCostGroup = to_say("In addition to the instances");
constexpr job::Limits kEgressGigabytes{{.low = 0, .high = 1e12}, 1000, "gb"};

#define GPUSEL_DO(...) [](Extras& e, std::string_view t) { return __VA_ARGS__; }

constexpr job::Option<Extras> kCostOptions[] = {
    {"storage_gb", "", "GB", to_say("stored all the time: block storage for each instance, other for all"), kCostGroup,
     GPUSEL_DO(job::assign(t, e.storage_gb, kEgressGigabytes))},
    {"storage", "", "KIND",
     to_say("storage of data and weights: local, block (default), file, parallel-file or object"), kCostGroup,
     GPUSEL_DO(job::assign(t, e.storage_kind))},
    {"egress_gb", "", "GB", to_say("sent to the internet a month"), kCostGroup,
     GPUSEL_DO(job::assign(t, e.egress_gb, kEgressGigabytes))},
    {"workstation", "", "BOOL", to_say("with a license for a graphics driver"), kCostGroup,
     GPUSEL_DO(set_workstation(t, e)), true},
};

#undef GPUSEL_DO

}  // namespace

std::span<const job::Option<Extras>> extra_options() { return kCostOptions; }

void add_lines(Quote& quote, const LineView& view) {
  if (view.billing.host != nullptr) quote.lines.push_back(host_line(*view.billing.host, view));
  if (view.billing.setup != nullptr) quote.lines.push_back(setup_line(*view.billing.setup, view));
  if (view.use.extras->workstation || (view.use.job != nullptr && view.use.job->needs_workstation))
    quote.lines.push_back(licence_line(view));
  if (view.use.extras->storage_gb) quote.lines.push_back(storage_line(view));
  if (const auto size = egress_gb(view)) quote.lines.push_back(egress_line(view, *size));
}

}  // namespace gpusel::money
