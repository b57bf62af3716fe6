// rules::RuleSet and relaxations of one limit each, which no form covers. Private to this room.
#pragma once

#include "job/limits/limit_forms.hpp"

namespace gpusel::job {

/// Ids of the providers that a list names; names of nobody are another limit's to refuse.
std::vector<std::string> ids_of(std::span<const std::string> names, const catalog::Catalog& catalog);

Status judge_not_cloud(const Judging& judging);
Status judge_market(const Judging& judging);
Status judge_country(const Judging& judging);
Status judge_region(const Judging& judging);
Status judge_infra(const Judging& judging);
Status judge_residency(const Judging& judging);
Status judge_family(const Judging& judging);
Status judge_allow_list(const Judging& judging);
Status judge_deny_list(const Judging& judging);
Status judge_gpu(const Judging& judging);
Status judge_vendor(const Judging& judging);
Status judge_nvlink(const Judging& judging);
Status judge_interconnect(const Judging& judging);
Status judge_formats(const Judging& judging);
Status judge_rdma(const Judging& judging);
Status judge_term(const Judging& judging);
Status judge_deadline(const Judging& judging);
Status judge_price_age(const Judging& judging);

Needed relax_gpu(const Passing& passing);
Needed relax_infra(const Passing& passing);
/// The region itself, or any where its price is the same in all.
Needed relax_region(const Passing& passing);
Needed relax_market(const Passing& passing);
Needed relax_formats(const Passing& passing);
Needed relax_nodes(const Passing& passing);

/// Keeps nobody out. Errors: a provider that the catalogue does not know.
Status know_own_clouds(const Constraints& limits, const catalog::Catalog& catalog);

/// Whether what names the GPU or the machine names its maker too.
bool names_maker(const Constraints& limits);
std::string nvlink_of_one(const Constraints& limits, const catalog::Catalog& catalog);
std::string nodes_of_gpus(const Constraints& limits, const catalog::Catalog& catalog);
std::string own_left_out(const Constraints& limits, const catalog::Catalog& catalog);
std::string cloud_left_out(const Constraints& limits, const catalog::Catalog& catalog);
std::string region_of_another(const Constraints& limits, const catalog::Catalog& catalog);
std::string region_elsewhere(const Constraints& limits, const catalog::Catalog& catalog);

}  // namespace gpusel::job
