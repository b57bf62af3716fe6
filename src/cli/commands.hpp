// One function per command file, and what several of them share.
#pragma once

#include "cli/command.hpp"
#include "job/limits/limits.hpp"
#include "show/catalogue/catalog_state.hpp"

namespace gpusel::cli {

Parsed make_recommend();
Parsed make_estimate();
Parsed make_fit();
Parsed make_preflight();
Parsed make_compare();
Parsed make_cost();
Parsed make_explain();
Parsed make_why();
Parsed make_fleet();
Parsed make_simulate();
Parsed make_export();
Parsed make_verify();
Parsed make_whatif();
Parsed make_report();
Parsed make_gpus();
Parsed make_instances();
Parsed make_models();
Parsed make_mcp();
Parsed make_calibrate();
Parsed make_catalog_drift();
Parsed make_catalog_import();
Parsed make_catalog_lint();
Parsed make_catalog_new();
Parsed make_catalog_path();
Parsed make_catalog_show();
Parsed make_catalog_sources();
Parsed make_catalog_stats();
Parsed make_catalog_update();
Parsed make_catalog_diff();
Parsed make_completion();
Parsed make_config_path();
Parsed make_config_show();
Parsed make_doctor();
Parsed make_check();
Parsed make_lock();
Parsed make_diff();

/// What --catalog and each overlay change, in the order in which they are laid on top.
std::expected<std::vector<show::LayerChanges>, Errors> changes_by_layer(const Context& context);

/// Where `gpusel calibrate` keeps its results; empty without a home directory.
std::string own_calibration_file();

/// --currency, into `place`.
Flag columns_flag(std::vector<std::string>& columns, std::string group);
Flag currency_flag(Currency& place);

/// Flags for those limits that `asks` for.
void add_limits(std::vector<Flag>& flags, job::Constraints& constraints, bool (*asks)(const job::Limit& limit));

/// --use-spot: short for --term spot.
Flag use_spot_flag(job::Constraints& constraints);

/// An error about a key of a request, about the flag of that name.
Error as_flag(Error error);

/// A remark where a name in --gpu means several parts.
void tell_broad_names(const job::Constraints& limits, const catalog::Catalog& catalog, Context& context);

inline constexpr std::string_view kStandardInput = "-";
/// What messages call a file that a person named.
std::string input_name(const std::string& file);
/// That it cannot be read, and why.
Error unreadable(std::string_view file, const std::string& why);
/// The text of a file, or of standard input where it is "-".
Result<std::string> read_input(const std::string& file);

/// Error: --strict without an age.
Status check_strict(const job::Constraints& limits);
/// `status`, or kStale with a sentence where --strict is set and one of these prices is too old or undated.
int gate_price_age(const job::Constraints& limits, std::span<const catalog::Offer* const> offers, Date today,
                   Context& context, int status);

}  // namespace gpusel::cli
