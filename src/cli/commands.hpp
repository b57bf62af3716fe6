// One function per command file, and what several of them share.
#pragma once

#include "cli/command.hpp"
#include "gpusel/rules/rule.hpp"

namespace gpusel::cli {

Parsed make_recommend();
Parsed make_estimate();
Parsed make_compare();
Parsed make_gpus();
Parsed make_instances();
Parsed make_models();
Parsed make_catalog_path();

/// --currency, into `place`.
Flag currency_flag(Currency& place);

/// An error about a key of a request, about the flag of that name.
Error as_flag(Error error);

/// The shipped rules and those of the user's files.
std::expected<std::vector<rules::Rule>, Errors> load_rules(const catalog::Catalog& catalog,
                                                           const std::vector<std::string>& files);

}  // namespace gpusel::cli
