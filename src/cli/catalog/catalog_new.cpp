// gpusel catalog new: a commented file of one's own machines and prices, to be filled in.
#include <memory>

#include "base/io/own_file.hpp"
#include "base/words/message.hpp"
#include "cli/commands.hpp"

namespace gpusel::cli {

namespace {

/// Every key that people fill in, with what it may be; it loads as it is.
constexpr std::string_view kTemplate = R"(# Machines and prices of your own. Fill in, and then:
#   gpusel recommend llama-3.1-8b --overlay FILE --cloud on-prem
# or put it into your data folder (gpusel catalog path), where every command reads it.
# What you don't know, leave out: gpusel takes it as unknown, never as zero.

# Where the figures come from, for the lists of sources below.
sources:
  inventory: {publisher: our data center, document: inventory and internal rates, date: 2026-11, confidence: documented}

providers:
  - id: on-prem               # what --cloud on-prem names
    name: Our data center
    kind: cloud               # hyperscaler, cloud, marketplace or community
    country: US               # where the company is; ISO code
    billing: {granularity_s: 3600, minimum_s: 3600, source: inventory}  # paid by the hour
    regions:
      dallas: {country: US, name: Dallas}

# One family for each kind of node.
families:
  - provider: on-prem
    id: l40s-node
    gpu: l40s                 # an id of gpusel gpus
    interconnect: {kind: pcie}  # inside a node: pcie, nvlink-pairs, nvlink-mesh, nvswitch, xgmi
    rdma: none                # between nodes: none, infiniband, roce, efa
    cpu: AMD EPYC 9354
    bare_metal: true
    sources: inventory
    sizes:
      - {sku: l40s-4, gpus: 4, vcpu: 64, memory_gib: 512, local_ssd_gb: 7680, network_gbps: 100}
      - {sku: l40s-8, gpus: 8, vcpu: 128, memory_gib: 1024, local_ssd_gb: 15360, network_gbps: 100}

# What an hour of the whole node costs.
prices:
  - provider: on-prem
    region: dallas
    term: on-demand           # or spot, reserved-1y, reserved-3y, month, year
    currency: USD
    as_of: 2026-11            # when that was the price
    source: inventory
    per_hour: {l40s-4: 2.10, l40s-8: 4.20}

# Your price of a cloud's instance takes the place of the published one:
#  - provider: aws
#    region: us-east-1
#    term: on-demand
#    currency: USD
#    as_of: 2026-11
#    source: inventory
#    per_hour: {p5.48xlarge: 31.40}
)";

struct NewOptions {
  std::string file;
  bool force = false;
};

int run_catalog_new(const NewOptions& options, Context& context) {
  if (options.file.empty()) {
    context.out.write(kTemplate);
    return kOk;
  }
  const std::string text = signed_text(kTemplate);
  const FileText file{options.file, text};
  if (Status written = write_own({.files = {&file, 1}, .force = options.force}); !written)
    return context.fail(written.error());
  context.note(
      say("written: {}; --overlay {} makes a command read it", printable(options.file), printable(options.file)));
  return kOk;
}

}  // namespace

Parsed make_catalog_new() {
  auto options = std::make_shared<NewOptions>();
  Parsed parsed;
  parsed.positional = "FILE";
  parsed.positional_help = say("file to write (default: standard output)");
  parsed.positional_set = [options](std::string_view name) -> Status {
    if (!options->file.empty()) return usage_error(say("one file at a time"));
    options->file = name;
    return {};
  };
  parsed.flags.push_back(force_flag(options->force, say("Output and data")));
  parsed.run = [options](Context& context) { return run_catalog_new(*options, context); };
  return parsed;
}

}  // namespace gpusel::cli
