#include "fuzz/target.hpp"

#include "fuzz/readers.hpp"

namespace gpusel::fuzz {

std::span<const Target> targets() {
  static const std::vector<Target> kTargets{
      {"answer", feed_answer, {}, request_words, made_answers},
      {"aws-pricing",
       feed_aws_pricing,
       {"tests/catalog/import/other/aws_offer.csv", "tests/catalog/import/other/aws_offer.json",
        "tests/catalog/import/other/aws_query.json"}},
      {"azure-retail", feed_azure_retail, {"tests/catalog/import/other/azure_page.json"}},
      {"catalogue", feed_catalogue, {"tests/data/market", "tests/data/lint"}, catalogue_words},
      {"config", feed_config, {"tests/catalog/configs"}},
      {"filter", feed_filter, {}, filter_words},
      {"generic-csv", feed_generic_csv, {"tests/catalog/import/other/prices.csv"}},
      {"gpu-spec", feed_gpu_spec, {}, filter_words},
      {"gpuhunt", feed_gpuhunt, {"tests/catalog/import/other/gcp_gpuhunt.csv"}},
      {"lock", feed_lock, {}, request_words, made_locks},
      {"mcp", feed_mcp, {}, mcp_words},
      {"measurements", feed_measurements, {"tests/data/runs"}, measurement_words},
      {"options", feed_options, {}, request_words},
      {"overlay", feed_overlay, {"tests/schema/files/hostile.yaml", "tests/schema/files/gpu.yaml"}, catalogue_words},
      {"policy", feed_policy, {"tests/schema/files/policy.yaml"}, policy_words},
      {"requests", feed_requests, {"tests/schema/files/requests.jsonl"}, request_words},
      {"rules", feed_rules, {"data/rules"}, rule_words},
      {"settings", feed_settings, {}, request_words},
      {"skypilot", feed_skypilot, {"tests/catalog/import/sky/gcp.csv", "tests/catalog/import/sky/azure_v6_sample.csv"}},
      {"snapshot", feed_snapshot, {}, nullptr, made_snapshots},
      {"stages",
       feed_stages,
       {"tests/schema/files/stages.yaml", "tests/schema/files/stages-lacking.yaml"},
       request_words},
      {"traffic", feed_traffic},
      {"values", feed_values, {}, filter_words},
      {"vast", feed_vast, {"tests/catalog/import/other/vast_offers.json"}},
      {"weights", feed_weights, {}, nullptr, made_weights},
  };
  return kTargets;
}

}  // namespace gpusel::fuzz
