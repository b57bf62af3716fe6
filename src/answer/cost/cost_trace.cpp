// Formula and values of every figure of a cost answer.
#include <algorithm>
#include <cmath>

#include "answer/cost/cost_parts.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"

namespace gpusel::answer {

namespace {

class CostTracer {
 public:
  CostTracer(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog)
      : item_(item), catalog_(catalog), currency_(answer.converter.currency().code()) {}

  physics::Trace take() {
    duty();
    for (const TermCost& term : item_.terms) of_term(term);
    return std::move(trace_);
  }

 private:
  void add(std::string quantity, std::string formula, std::string substituted, physics::Figure value,
           std::string source) {
    trace_.push_back(
        {std::move(quantity), std::move(formula), std::move(substituted), std::move(value), std::move(source)});
  }
  physics::Figure money(double amount) const { return money(amount, currency_); }
  /// To the cent; what is below one, to six figures.
  static physics::Figure money(double amount, std::string_view currency) {
    return amount >= 1 ? physics::shown("{:.2f}", amount, currency) : physics::shown("{:.6g}", amount, currency);
  }
  static physics::Figure hours(double amount) { return physics::shown("{:.6g}", amount, "h"); }
  static std::string asked() { return say("the question"); }
  static std::string arithmetic() { return say("arithmetic"); }

  void duty() {
    const money::Duty& d = item_.duty;
    add(say("hours of work a month"), say("hours a day × days a month × share in use"),
        format("{:.6g} × {:.6g} × {:.6g}", d.hours_per_day, d.days_per_month, d.utilization), hours(d.used_per_month()),
        asked());
    std::string substituted =
        d.scale_to_zero ? format("{:.6g} × {:.6g}", d.hours_per_day, d.utilization) : format("{:.6g}", d.hours_per_day);
    if (d.cold_start_s) substituted += say(" + {:.6g} × {:.6g} s ÷ 3600", d.starts(), *d.cold_start_s);
    add(say("hours of running per day"),
        d.scale_to_zero ? say("hours a day × share in use + starts × cold start, at most 24")
                        : say("hours a day + starts × cold start, at most 24"),
        std::move(substituted), hours(d.run_per_day()), asked());
    const auto& job = item_.subject.job;
    if (job && job->hours)
      add(say("job, start to end"), say("hours at full speed ÷ hours of work a month × 730"),
          format("{:.6g} ÷ {:.6g} × 730", *job->hours, d.used_per_month()), hours(money::elapsed_hours(*job->hours, d)),
          say("the job's plan"));
  }

  void of_term(const TermCost& term) {
    const std::string name(to_text(term.offer->term));
    rate(term, name);
    paid(term, name);
    amounts(name, term.instances(), term, term.rate, currency_);
    if (term.exchange)
      amounts(say("{} as offered", name), term.own(), term, term.published.amount * item_.subject.nodes,
              term.published.currency.code());
    for (const CostLine& line : term.lines) of_line(line, name);
    total(term, name);
  }

  void amounts(const std::string& name, const money::Amounts& of, const TermCost& term, double rate,
               std::string_view currency) {
    const auto listed = [](const money::Paid& paid) {
      std::vector<catalog::Number> hours;
      const money::Amounts each_of_one = money::amounts_of(1, paid);
      money::visit_amounts(each_of_one, [&](std::string_view, const catalog::Number& each) { hours.push_back(each); });
      return hours;
    };
    const auto paid = listed(term.paid);
    const auto on_demand = listed(money::paid_hours({}, duty_of(term), term.billing,
                                                    item_.subject.job ? item_.subject.job->hours : catalog::Number()));
    std::size_t at = 0;
    money::visit_amounts(of, [&](std::string_view period, const catalog::Number& amount) {
      const std::size_t place = at++;
      if (!amount || period == "hour") return;
      const bool bounded = period == "job" ? term.paid.job_bounded : term.paid.bounded && period != "commitment";
      add(format("{}.{}", name, period),
          bounded ? say("at most what on-demand in that place costs: price per hour × hours as used")
                  : say("price per hour × hours paid"),
          bounded ? format("{:.6g} {} × {:.6g} h", term.on_demand * rate / term.rate, currency, *on_demand[place])
                  : format("{:.6g} {} × {:.6g} h", rate, currency, *paid[place]),
          money(*amount, currency), arithmetic());
    });
  }

  void rate(const TermCost& term, const std::string& name) {
    const catalog::Origin& origin = catalog_.origin_of(*term.offer);
    std::string substituted =
        format("{:.6g} {} × {}", term.published.amount, term.published.currency.code(), item_.subject.nodes);
    if (term.exchange) {
      substituted += say(" × {:.6g} {} per {}", term.exchange->rate, currency_, term.published.currency.code());
      if (term.exchange->as_of.known()) substituted += say(" of {}", term.exchange->as_of.text());
    }
    const Date date = Date::from_packed(term.offer->as_of);
    add(name + ".hour",
        term.exchange ? say("published price of one instance × instances × rate of exchange")
                      : say("published price of one instance × instances"),
        std::move(substituted), money(term.rate),
        format("{}, {}, {}", origin.source.empty() ? say("no source") : printable(origin.source),
               date.known() ? date.text() : say("undated"), printable(term.region->id)));
  }

  /// With starts that take as long as in the term's place.
  money::Duty duty_of(const TermCost& term) const {
    money::Duty duty = item_.duty;
    if (term.cold_start_s > 0) duty.cold_start_s = term.cold_start_s;
    return duty;
  }

  void paid(const TermCost& term, const std::string& name) {
    const money::Duty d = duty_of(term);
    if (!term.commitment.is_as_used()) {
      if (!term.paid.bounded)
        add(name + say(" hours paid a month"),
            term.commitment.by_day ? say("days × 24: paid by whole days, used or not")
            : d.months && term.paid.commitment
                ? say("whole periods of the term ÷ months that it is needed, used or not")
                : say("all of them: paid in full, used or not"),
            term.commitment.by_day             ? format("{:.6g} × {:.6g}", d.days_per_month, term.commitment.hours)
            : d.months && term.paid.commitment ? say("periods of {:.6g} h ÷ {:.6g}", term.commitment.hours, *d.months)
                                               : format("{:.6g}", kHoursPerMonth),
            hours(term.paid.month), say("the term"));
      if (term.paid.job && !term.paid.job_bounded)
        add(name + say(" hours paid for the job"),
            term.commitment.by_day ? say("hours at full speed ÷ hours of work a day, in whole days")
                                   : say("start to end, in whole periods of the term"),
            term.commitment.by_day ? format("{:.6g} ÷ {:.6g}, × {:.6g}", *item_.subject.job->hours, d.used_per_day(),
                                            term.commitment.hours)
                                   : say("{:.6g} h in periods of {:.6g} h",
                                         money::elapsed_hours(*item_.subject.job->hours, d), term.commitment.hours),
            hours(*term.paid.job), say("the term"));
      return;
    }
    const money::Billing& billing = term.billing;
    const auto unit = [](const catalog::Number& s) { return s ? say("{:.6g} s", *s) : say("unknown"); };
    const std::string rounding =
        say("steps of {}, at least {} a start", unit(billing.granularity_s), unit(billing.minimum_s));
    const std::string source = billing.source.empty() ? say("not published") : printable(billing.source);
    if (!billing.increments.empty()) return charged(term, name);
    add(name + say(" hours paid a month"), say("starts × hours of each, rounded up as billed, × days a month"),
        d.starts() > 0 ? say("{:.6g} × {:.6g} h, {}, × {:.6g}", d.starts(), d.run_per_day() / d.starts(), rounding,
                             d.days_per_month)
                       : format("{:.6g} h × {:.6g}", d.run_per_day(), d.days_per_month),
        hours(term.paid.month), source);
    if (term.paid.job)
      add(name + say(" hours paid for the job"), say("hours it runs, start by start, rounded up as billed"),
          say("{:.6g} h, {}", *item_.subject.job->hours, rounding), hours(*term.paid.job), source);
  }

  /// Hours that cost less and less as the month goes on.
  void charged(const TermCost& term, const std::string& name) {
    money::Billing plain = term.billing;
    plain.increments.clear();
    const catalog::Number job = item_.subject.job ? item_.subject.job->hours : catalog::Number();
    const money::Paid billed = money::paid_hours({}, item_.duty, plain, job);
    const std::string source =
        term.billing.increments_source.empty() ? say("not published") : printable(term.billing.increments_source);
    add(name + say(" hours paid a month"), say("hours billed of a month, each at its share of the price"),
        shares(term.billing, billed.month), hours(term.paid.month), source);
    if (!term.paid.job) return;
    const double elapsed = money::elapsed_hours(*job, item_.duty);
    const double months = std::floor(elapsed / kHoursPerMonth + 1e-9), each = *billed.job / elapsed;
    const std::string rest = shares(term.billing, each * (elapsed - months * kHoursPerMonth));
    add(name + say(" hours paid for the job"),
        say("hours billed from the start of a month on, each at its share of the price"),
        months > 0 ? format("{:g} × ({}) + {}", months, shares(term.billing, each * kHoursPerMonth), rest) : rest,
        hours(*term.paid.job), source);
  }

  /// "182.5 × 1 + 37.5 × 0.8".
  static std::string shares(const money::Billing& billing, double month_hours) {
    std::string sum;
    double below = 0;
    for (const money::Increment& increment : billing.increments) {
      const double end = std::min(month_hours, increment.up_to * kHoursPerMonth);
      if (end <= below) continue;
      sum += format("{}{:.6g} × {:.6g}", sum.empty() ? "" : " + ", end - below, increment.price);
      below = end;
    }
    return sum.empty() ? "0" : sum;
  }

  void of_line(const CostLine& line, const std::string& name) {
    const std::string source = line.source.empty() ? say("not published") : printable(line.source);
    add(format("{}.{}.month", name, line.key), line.words, line.figures,
        line.known ? money(*line.amounts.month) : physics::Figure::words(say("unknown")), source);
    if (!line.known) return;
    money::visit_amounts(line.amounts, [&](std::string_view period, const catalog::Number& amount) {
      if (amount && period != "month")
        add(format("{}.{}.{}", name, line.key, period), say("its share of the month's amount"), {}, money(*amount),
            arithmetic());
    });
  }

  void total(const TermCost& term, const std::string& name) {
    if (!term.lines.empty()) sums(term, name);
    if (!term.per_used_hour) return;
    const auto& job = item_.subject.job;
    const bool ends = job && job->hours;
    add(name + ".per_used_hour",
        ends ? say("whole job ÷ its hours at full speed") : say("month ÷ hours of work a month"),
        format("{} ÷ {:.6g} h", money(ends ? *term.sums().job : *term.sums().month).text,
               ends ? *job->hours : item_.duty.used_per_month()),
        money(*term.per_used_hour), arithmetic());
    if (term.per_million_tokens)
      add(name + ".per_million_tokens", say("price per hour of work ÷ tokens an hour × 1e6"),
          format("{} ÷ ({:.6g} × 3600) × 1e6", money(*term.per_used_hour).text, *item_.subject.job->tokens_per_s),
          money(*term.per_million_tokens), say("the job's plan"));
    if (term.per_unit)
      add(name + ".per_unit", say("price per hour of work ÷ {} an hour", say_name(item_.subject.job->unit)),
          format("{} ÷ {:.6g}", money(*term.per_used_hour).text, *item_.subject.job->units_per_hour),
          money(*term.per_unit), say("the job's plan"));
  }

  /// Instances and what comes beside, period by period.
  void sums(const TermCost& term, const std::string& name) {
    std::vector<std::string> parts;
    const auto append = [&](const money::Amounts& of, bool known) {
      std::size_t at = 0;
      money::visit_amounts(of, [&](std::string_view, const catalog::Number& amount) {
        if (parts.size() == at) parts.emplace_back();
        parts[at] += (parts[at].empty() ? "" : " + ") + (known && amount ? money(*amount).text : say("unknown"));
        ++at;
      });
    };
    append(term.instances(), true);
    for (const CostLine& line : term.lines) append(line.amounts, line.known);
    std::size_t at = 0;
    const money::Amounts total = term.sums();
    money::visit_amounts(total, [&](std::string_view period, const catalog::Number& amount) {
      if (amount)
        add(format("{}.total.{}", name, period),
            term.lacking().empty() ? say("instances + extras") : say("instances + extras, as far as known"), parts[at],
            money(*amount), arithmetic());
      ++at;
    });
  }

  const CostItem& item_;
  const catalog::Catalog& catalog_;
  std::string currency_;
  physics::Trace trace_;
};

}  // namespace

physics::Trace explain_cost(const CostItem& item, const CostAnswer& answer, const catalog::Catalog& catalog) {
  return CostTracer(item, answer, catalog).take();
}

}  // namespace gpusel::answer
