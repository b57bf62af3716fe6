// Renting against what others ask for tokens, and against owning the hardware.
#include <algorithm>
#include <cmath>

#include "answer/cost/break_even_parts.hpp"
#include "base/text/joined.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

constexpr double kMillion = 1e6;

/// Tokens of one request as its price counts them: read and written.
struct RequestShape {
  double in = 0;
  double out = 0;
};

std::optional<RequestShape> request_shape(const BreakEvenContext& c) {
  const auto* work = c.work();
  if (work == nullptr || work->counted || job::is_training(work->task) || c.job() == nullptr) return std::nullopt;
  const bool writes = work->model->is_generator();
  return RequestShape{static_cast<double>(work->inference.input_tokens),
                      writes ? static_cast<double>(work->inference.output_tokens) : 0};
}

/// A saved answer counts the tokens that are written, or read where none are.
double requests_per_s(const BreakEvenContext& c, const RequestShape& shape) {
  if (c.plan() != nullptr) return c.plan()->sequences_per_s;
  return c.job()->tokens_per_s.value_or(0) / (shape.out > 0 ? shape.out : shape.in);
}

constexpr std::string_view kCheapest = "cheapest";

/// What the named seller asks for the model, read and written, in the answer's currency.
struct SellersPrice {
  const catalog::TokenPrice* record = nullptr;
  double in = 0;
  double out = 0;
};

/// The cheapest for such requests of those that go by the wished name.
std::optional<SellersPrice> sellers_price(const BreakEvenContext& c, const RequestShape& shape) {
  std::optional<SellersPrice> best;
  const auto cost = [&](const SellersPrice& price) { return price.in * shape.in + price.out * shape.out; };
  for (const catalog::TokenPrice& record : c.catalog.token_prices()) {
    if (record.model != c.work()->model->id || !record.input_per_million) continue;
    if (shape.out > 0 && !record.output_per_million) continue;
    const bool wanted =
        c.wishes.api_seller == kCheapest || fold_name(record.provider) == fold_name(c.wishes.api_seller);
    if (!wanted) continue;
    const auto in = c.answer.converter.convert(*record.input_per_million, record.currency);
    const auto out = c.answer.converter.convert(record.output_per_million.value_or(0), record.currency);
    if (!in || !out) continue;
    const SellersPrice price{&record, *in, *out};
    if (!best || cost(price) < cost(*best)) best = price;
  }
  return best;
}

/// Said when nothing of the seller is known, with whose prices are.
void note_unknown_seller(const BreakEvenContext& c) {
  std::vector<std::string> sellers;
  for (const catalog::TokenPrice& record : c.catalog.token_prices())
    if (record.model == c.work()->model->id && std::ranges::find(sellers, record.provider) == sellers.end())
      sellers.emplace_back(record.provider);
  if (sellers.empty()) return c.note(say("no token price of {} is known", c.work()->model->id));
  c.note(say("no token price of '{}' for {} is known; known sellers: {}", shorten(c.wishes.api_seller, 40),
             c.work()->model->id, first_few(sellers)));
}

/// What others ask per million tokens of such requests; nothing where half of it was said.
catalog::Number asked_price(const BreakEvenContext& c, const RequestShape& shape) {
  const auto& w = c.wishes;
  if (w.api_price) return w.api_price;
  if (!w.api_seller.empty() && !w.api_price_in && !w.api_price_out) {
    const auto found = sellers_price(c, shape);
    if (!found) return std::nullopt;
    c.note(say("{} charges {} input and {} output per million tokens of {} ({}, {})", found->record->provider,
               human_price(found->in), human_price(found->out), c.work()->model->id,
               found->record->as_of.known() ? found->record->as_of.text() : say("undated"), found->record->source));
    return money::blended_price(found->in, found->out, shape.in, shape.out);
  }
  if (!w.api_price_in || (!w.api_price_out && shape.out > 0)) return std::nullopt;
  const double out = w.api_price_out.value_or(0);
  const double price = money::blended_price(*w.api_price_in, out, shape.in, shape.out);
  c.explain(
      "tokens.price_per_million", say("(price read × tokens read + price written × tokens written) ÷ all tokens"),
      format("({:g} × {:g} + {:g} × {:g}) / {:g}", *w.api_price_in, shape.in, out, shape.out, shape.in + shape.out),
      physics::shown("{:.4f}", price, c.currency()), std::string(kDefinition));
  return price;
}

/// What is paid under a term: all of it anyway, or part of it by the hour of work where the rest is switched off.
money::TokenCase token_case(const BreakEvenContext& c, const TermCost& term, double price, double tokens_per_s) {
  const money::Duty& duty = c.item.duty;
  money::TokenCase asked{.price_per_million = price, .tokens_per_s = tokens_per_s};
  asked.hours_per_month = duty.hours_per_day * duty.days_per_month;
  asked.used_hours = duty.used_per_month();
  if (duty.scale_to_zero && term.commitment.is_as_used()) {
    asked.per_hour_of_work = term.hourly;
  }
  // Starts, rounding and what is paid by the month stay.
  asked.fixed_per_month = std::max(0.0, *term.sums().month - asked.per_hour_of_work * asked.used_hours);
  return asked;
}

void explain_tokens(const BreakEvenContext& c, const TokenBreakEven& found, const money::TokenCase& asked) {
  const std::string key = format("tokens.{}", to_text(found.term->offer->term));
  const money::TokenAnswer& answer = found.answer;
  const auto price = [&](std::string_view name, std::string formula, double hours, double value) {
    c.explain(format("{}.{}", key, name), std::move(formula),
              format("({0:.2f} + {1:.4f} × {2:.1f}) / ({3:.1f} × 3600 × {2:.1f} / 10⁶)", asked.fixed_per_month,
                     asked.per_hour_of_work, hours, asked.tokens_per_s),
              physics::shown("{:.4f}", value, c.currency()), std::string(kDefinition));
  };
  c.explain(key + ".capacity_per_month",
            say("requests per second of the plan × tokens of each, read and written × seconds a month"),
            format("{:.2f} tokens/s × 3600 × {:.1f}", asked.tokens_per_s, asked.hours_per_month),
            physics::shown("{:.4g}", answer.capacity_per_month, to_name("tokens")), say("the plan; docs/method.md"));
  price("own_price_per_million", say("(paid anyway + paid per hour of work × hours) ÷ tokens of all hours"),
        asked.hours_per_month, answer.own_price_per_million);
  price("own_price_in_use", say("the same for the hours used"), asked.used_hours, answer.own_price_in_use);
  c.explain(key + ".break_even_tokens", say("paid anyway ÷ (the other's price − paid per hour of work ÷ its tokens)"),
            format("{:.2f} / ({:.4f} − {:.4f} / ({:.1f} × 3600 / 10⁶)) × 10⁶", asked.fixed_per_month,
                   asked.price_per_million, asked.per_hour_of_work, asked.tokens_per_s),
            figure_or(answer.break_even_tokens, "{:.4g}", to_name("tokens"),
                      say("never: an hour of work costs more than its tokens do")),
            std::string(kDefinition));
  c.explain(key + ".utilization", say("those tokens ÷ tokens per month at full load"),
            format("{:.4g} / {:.4g}", answer.break_even_tokens.value_or(0), answer.capacity_per_month),
            answer.utilization ? physics::shown("{:.1f}", *answer.utilization * 100, "%")
                               : physics::Figure::words(say("more than all of it")),
            std::string(kDefinition));
}

/// The newest record of a purchase of that GPU, servers before cards.
const catalog::Purchase* purchase_of(const BreakEvenContext& c) {
  const catalog::Purchase* best = nullptr;
  const auto rank = [](const catalog::Purchase& p) {
    return std::pair(p.kind == catalog::PurchaseKind::server, p.as_of.packed());
  };
  for (const catalog::Purchase& purchase : c.catalog.purchases())
    if (purchase.gpu == c.subject().instance->gpu && (best == nullptr || rank(purchase) > rank(*best)))
      best = &purchase;
  return best;
}

double gpus_of(const BreakEvenContext& c) { return c.subject().instance->gpu_count.value_or(0) * c.subject().nodes; }

/// At the wall: as the record says, else what the GPUs may draw; nothing where neither is known.
catalog::Number watts_of(const BreakEvenContext& c, const catalog::Purchase* record, double units) {
  if (c.wishes.watts) return *c.wishes.watts;
  if (record != nullptr && record->watts) return *record->watts * units;
  const catalog::Gpu* gpu = c.catalog.gpu_of(*c.subject().instance);
  if (gpu == nullptr || !gpu->tdp_w) return std::nullopt;
  c.note(say("power of the purchase: its GPUs only, {} W each", human_number(*gpu->tdp_w)));
  return *gpu->tdp_w * gpus_of(c);
}

/// Whole units, or the rented GPUs' share of one that holds more of them.
double units_of(double gpus, const catalog::Purchase& record) {
  const double units = gpus / record.gpus.value_or(1);
  return units < 1 ? units : std::ceil(units);
}

/// What owning is reckoned with, but for the rent; nothing where a price or its currency is not known.
std::optional<Ownership> ownership(const BreakEvenContext& c) {
  const double gpus = gpus_of(c);
  if (gpus <= 0 && !c.wishes.buy_price) return std::nullopt;
  Ownership own;
  own.record = c.wishes.buy_price ? nullptr : purchase_of(c);
  // Whose power is known, even where the price was given.
  const catalog::Purchase* like = purchase_of(c);
  const double units_of_like = like != nullptr && gpus > 0 ? units_of(gpus, *like) : 1;
  if (c.wishes.buy_price) {
    own.asked.price = *c.wishes.buy_price;
  } else if (own.record != nullptr) {
    own.units = units_of_like;
    const auto price = c.answer.converter.convert(own.record->price.value_or(0) * own.units, own.record->currency);
    if (!price) return std::nullopt;
    own.asked.price = *price;
  } else {
    c.note(say("buying: no published purchase price of {}; set --buy-price", printable(c.subject().instance->gpu)));
    return std::nullopt;
  }
  const auto watts = watts_of(c, like, units_of_like);
  const auto& e = c.economy();
  const catalog::Number power =
      c.wishes.power_price ? catalog::Number(*c.wishes.power_price) : c.from_usd(e.power_usd_per_kwh.value);
  const auto hosting = c.from_usd(e.hosting_usd_per_kw_month.value);
  if (!watts) {
    c.note(say("buying: the hardware's power draw is not known; set --watts"));
    return std::nullopt;
  }
  if (!power || !hosting) return std::nullopt;
  own.asked.watts = *watts;
  own.asked.power_per_kwh = c.said_or(c.wishes.power_price, *power, "power_price");
  own.asked.pue = c.said_or({}, e.pue.value, "pue");
  own.asked.hosting_per_kw_month = c.said_or({}, *hosting, "hosting_per_kw_month");
  own.asked.years = c.said_or(c.wishes.years, e.purchase_years.value, "years");
  own.asked.hours_per_month = c.hours_per_month();
  return own;
}

void explain_owning(const BreakEvenContext& c, const Ownership& own) {
  const money::OwnCase& asked = own.asked;
  const money::OwnAnswer& answer = own.answer;
  const std::string key = format("ownership.{}", to_text(own.term->offer->term));
  const std::string currency = c.currency();
  c.explain(key + ".rent_per_month", say("paid for the instances per month at the duty cycle"),
            format("{:.4f} × {:.1f}", asked.rent_per_hour, asked.hours_per_month),
            physics::shown("{:.2f}", answer.rent_per_month, currency), std::string(kDefinition));
  c.explain(
      key + ".running_per_month", say("kW × PUE × price of a kWh × hours a month + kW × hosting per kW and month"),
      format("{0:.3f} × {1:g} × {2:.4f} × {3:.1f} + {0:.3f} × {4:.2f}", asked.watts / 1000, asked.pue,
             asked.power_per_kwh, asked.hours_per_month, asked.hosting_per_kw_month),
      physics::shown("{:.2f}", answer.running_per_month, currency), say("purchase.* of data/calibration/economy.yaml"));
  c.explain(key + ".months", say("price ÷ (rent per month − running per month)"),
            format("{:.2f} / ({:.2f} − {:.2f})", asked.price, answer.rent_per_month, answer.running_per_month),
            figure_or(answer.months, "{:.1f}", to_name("months"), say("never: running it costs as much as renting")),
            own.record != nullptr ? std::string(own.record->source) : "--buy-price");
  c.explain(key + ".owned_per_hour", say("(price ÷ months of use + running per month) ÷ hours a month"),
            format("({:.2f} / {:g} + {:.2f}) / {:.1f}", asked.price, asked.years * 12, answer.running_per_month,
                   asked.hours_per_month),
            physics::shown("{:.4f}", answer.owned_per_hour, currency), std::string(kDefinition));
  if (own.term->offer->term != catalog::Term::on_demand) return;
  c.explain(key + ".hours_per_month",
            say("(price ÷ months of use + hosting per month) ÷ (rent per hour − power per hour)"),
            format("({:.2f} / {:g} + {:.2f}) / ({:.4f} − {:.4f})", asked.price, asked.years * 12,
                   answer.hosting_per_month, asked.rent_per_hour, answer.power_per_hour),
            figure_or(answer.hours_per_month, "{:.1f}", "h", say("never: more than {:g} h", kHoursPerMonth)),
            std::string(kDefinition));
}

}  // namespace

void add_tokens(const BreakEvenContext& c) {
  const auto& w = c.wishes;
  if (!w.api_price && !w.api_price_in && !w.api_price_out && w.api_seller.empty()) return;
  const auto shape = request_shape(c);
  if (!shape) {
    c.note(c.subject().rank > 0 && c.subject().saved == nullptr && c.plan() == nullptr
               ? say("a token price is not compared: the saved answer's model is not in the catalog")
               : say("a token price compares with serving a language model: give --model and --task inference"));
    return;
  }
  const auto price = asked_price(c, *shape);
  if (!price && !w.api_seller.empty() && !w.api_price_in && !w.api_price_out) return note_unknown_seller(c);
  if (!price) {
    c.note(
        say("a price for reading and one for writing are needed: --api-price-in and --api-price-out, or --api-price"));
    return;
  }
  const double tokens_per_s = requests_per_s(c, *shape) * (shape->in + shape->out);
  if (tokens_per_s <= 0) return;
  if (c.work()->inference.request_rate) c.note(say("full load means the requested rate"));
  for (const TermCost* term : lasting_terms(c)) {
    for (const std::string_view lacking : term->lacking())
      c.note(say("{}: without {}, whose price is not known", to_text(term->offer->term), lacking));
    const money::TokenCase asked = token_case(c, *term, *price, tokens_per_s);
    const TokenBreakEven found{.term = term,
                               .price_per_million = *price,
                               .tokens_per_s = tokens_per_s,
                               .use = asked.used_hours / asked.hours_per_month,
                               .answer = money::compare_tokens(asked)};
    explain_tokens(c, found, asked);
    c.out.tokens.push_back(found);
  }
}

void add_ownership(const BreakEvenContext& c) {
  const auto own = ownership(c);
  if (!own) return;
  for (const TermCost* term : lasting_terms(c)) {
    Ownership found = *own;
    found.term = term;
    // A commitment is paid whole, so that its hours in use cost more each.
    found.asked.rent_per_hour = *term->instances().month / found.asked.hours_per_month;
    found.answer = money::compare_owning(found.asked);
    explain_owning(c, found);
    c.out.ownership.push_back(found);
  }
}

}  // namespace gpusel::answer
