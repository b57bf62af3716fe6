// The instances in Terraform. Resources and arguments as their providers document them:
// https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/instance
// https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/compute_instance
// https://registry.terraform.io/providers/hashicorp/azurerm/latest/docs/resources/linux_virtual_machine
// https://registry.terraform.io/providers/aliyun/alicloud/latest/docs/resources/instance
// https://registry.terraform.io/providers/tencentcloudstack/tencentcloud/latest/docs/resources/instance
#include <algorithm>
#include <deque>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/hcl.hpp"

namespace gpusel::show {

namespace {

/// What the reader gives: no id is invented.
struct Variable {
  std::string_view name;
  std::string_view type;
  std::string_view description;  // for to_say()
};

constexpr Variable kZone{"zone", "string", to_say("zone of the region in which the instance is offered")};
constexpr Variable kSubnet{"subnet_id", "string", to_say("subnet that the instances are put into")};
constexpr Variable kGroups{"security_group_ids", "list(string)", to_say("security groups that guard the instances")};
constexpr Variable kKey{"key_name", "string", to_say("key pair to log in with")};

class Terraform {
 public:
  explicit Terraform(const ExportView& view) : view_(view), name_(job_name(view)) {}

  Result<Exported> run() {
    const auto* maker = std::ranges::find(kMakers, view_.chosen.instance->provider, &Maker::provider);
    if (maker == std::end(kMakers))
      return cannot(say("instances of {} are not written for Terraform", view_.chosen.instance->provider));
    HclBlock& terraform = add("terraform");
    terraform.text("required_version", ">= 1.3");
    terraform.block("required_providers")
        .map(std::string(maker->local),
             {{"source", std::string(maker->source)}, {"version", std::string(maker->version)}});
    (this->*maker->make)();
    if (!has_region(view_.chosen)) {
      add("variable", {"region"})
          .expression("type", "string")
          .text("description", say("region of the provider where the instance is offered"));
      notes_.push_back(
          say("the price is for {} as a whole, which is not a region of the provider: set one as a variable",
              view_.chosen.region->id));
    }
    Exported out{"main.tf", {}, std::move(notes_)};
    if (!committed_)
      for (std::string& note : term_notes(view_.chosen)) out.notes.push_back(std::move(note));
    out.notes.push_back(disk_note(view_));
    out.notes.push_back(say("terraform plan asks for variables without a value"));
    out.notes.push_back(
        say("for the command on the instances: gpusel export vllm, sglang, torchrun … for the same job"));
    out.content = heading(view_, out.notes);
    for (const HclBlock& block : blocks_) out.content += "\n" + block.written();
    return out;
  }

 private:
  struct Maker {
    std::string_view provider;
    std::string_view local;
    std::string_view source;
    std::string_view version;
    void (Terraform::*make)();
  };
  static const Maker kMakers[5];

  const answer::Recommendation& chosen() const { return view_.chosen; }
  HclBlock& add(std::string type, std::vector<std::string> labels = {}) {
    blocks_.emplace_back(std::move(type), std::move(labels));
    return blocks_.back();
  }
  std::string type() const { return std::string(host_type(*chosen().instance)); }
  bool spot() const { return is_spot(chosen()); }
  int nodes() const { return chosen().machine().nodes; }
  std::string region() const { return has_region(chosen()) ? hcl_quoted(chosen().region->id) : "var.region"; }

  void variables(std::initializer_list<Variable> wanted) {
    for (const Variable& one : wanted)
      add("variable", {std::string(one.name)})
          .expression("type", one.type)
          .text("description", say_text(one.description));
    add("variable", {"disk_gb"})
        .expression("type", "number")
        .text("description", say("system disk of each instance, GB"))
        .number("default", disk_gb(view_));
  }

  /// The name of each of several.
  std::string numbered() const { return hcl_quoted(name_ + "-").insert(name_.size() + 2, "${count.index}"); }

  void aws() {
    add("provider", {"aws"}).expression("region", region());
    variables({{"ami_id", "string", to_say("machine image with drivers, such as a Deep Learning AMI of the region")},
               kSubnet,
               kGroups,
               kKey});
    // Replicas of a service gain nothing from lying close, and are lost together.
    const bool cluster = works_together(view_, launch_or_own(view_));
    if (cluster) add("resource", {"aws_placement_group", "job"}).text("name", name_).text("strategy", "cluster");
    HclBlock& machine = add("resource", {"aws_instance", "job"});
    machine.number("count", nodes())
        .expression("ami", "var.ami_id")
        .text("instance_type", type())
        .expression("subnet_id", "var.subnet_id")
        .expression("vpc_security_group_ids", "var.security_group_ids")
        .expression("key_name", "var.key_name");
    if (cluster) machine.expression("placement_group", "aws_placement_group.job.name");
    machine.expression("tags", "{ Name = " + numbered() + " }");
    machine.block("root_block_device").expression("volume_size", "var.disk_gb").text("volume_type", "gp3");
    const bool block = chosen().offer->term == catalog::Term::capacity_block;
    if (spot()) {
      HclBlock& market = machine.block("instance_market_options");
      market.text("market_type", "spot");
      market.block("spot_options")
          .text("spot_instance_type", "one-time")
          .text("instance_interruption_behavior", "terminate");
    } else if (block) {
      committed_ = true;
      machine.block("instance_market_options").text("market_type", "capacity-block");
      machine.block("capacity_reservation_specification")
          .block("capacity_reservation_target")
          .expression("capacity_reservation_id", "var.capacity_reservation_id");
      add("variable", {"capacity_reservation_id"})
          .expression("type", "string")
          .text("description", say("the capacity block, bought in advance"));
    }
    if (cluster && chosen().instance->rdma == catalog::Rdma::efa)
      notes_.push_back(say("EFA needs network interfaces of type efa, which a launch template adds"));
  }

  void google() {
    add("variable", {"project"}).expression("type", "string").text("description", say("project that pays"));
    add("provider", {"google"}).expression("project", "var.project").expression("region", region());
    variables({kZone,
               {"image", "string", to_say("boot image with drivers, as project/family or its full name")},
               {"subnetwork", "string", to_say("subnetwork that the instances are put into")}});
    HclBlock& machine = add("resource", {"google_compute_instance", "job"});
    machine.number("count", nodes())
        .expression("name", numbered())
        .text("machine_type", type())
        .expression("zone", "var.zone");
    machine.block("boot_disk")
        .block("initialize_params")
        .expression("image", "var.image")
        .expression("size", "var.disk_gb");
    machine.block("network_interface").expression("subnetwork", "var.subnetwork");
    if (const std::string card = attached_card(*chosen().instance); !card.empty())
      machine.block("guest_accelerator").text("type", card).number("count", devices_of(chosen()));
    HclBlock& scheduling = machine.block("scheduling");
    scheduling.text("on_host_maintenance", "TERMINATE").flag("automatic_restart", !spot());
    if (spot())
      scheduling.text("provisioning_model", "SPOT")
          .flag("preemptible", true)
          .text("instance_termination_action", "STOP");
  }

  void azure() {
    add("provider", {"azurerm"}).block("features");
    variables({{"resource_group_name", "string", to_say("resource group that the instances belong to")},
               {"image_id", "string", to_say("machine image with drivers: an id of a gallery or of the marketplace")},
               kSubnet,
               {"admin_username", "string", to_say("user to log in as")},
               {"ssh_public_key", "string", to_say("the user's public key")}});
    HclBlock& card = add("resource", {"azurerm_network_interface", "job"});
    card.number("count", nodes())
        .expression("name", numbered())
        .expression("location", region())
        .expression("resource_group_name", "var.resource_group_name");
    card.block("ip_configuration")
        .text("name", "internal")
        .expression("subnet_id", "var.subnet_id")
        .text("private_ip_address_allocation", "Dynamic");
    HclBlock& machine = add("resource", {"azurerm_linux_virtual_machine", "job"});
    machine.number("count", nodes())
        .expression("name", numbered())
        .expression("location", region())
        .expression("resource_group_name", "var.resource_group_name")
        .text("size", type())
        .expression("source_image_id", "var.image_id")
        .expression("network_interface_ids", "[azurerm_network_interface.job[count.index].id]")
        .expression("admin_username", "var.admin_username");
    if (spot()) machine.text("priority", "Spot").text("eviction_policy", "Deallocate").number("max_bid_price", -1);
    machine.block("admin_ssh_key")
        .expression("username", "var.admin_username")
        .expression("public_key", "var.ssh_public_key");
    machine.block("os_disk")
        .text("caching", "ReadWrite")
        .text("storage_account_type", "Premium_LRS")
        .expression("disk_size_gb", "var.disk_gb");
  }

  /// Months that a price is for; 0: by the hour.
  int months() const {
    const catalog::Term term = chosen().offer->term;
    const bool is_plan = term == catalog::Term::savings_1y || term == catalog::Term::savings_3y;  // bought apart
    return is_plan ? 0 : static_cast<int>(money::commitment_of(term).months().value_or(0));
  }

  void alicloud() {
    add("provider", {"alicloud"}).expression("region", region());
    variables({{"image_id", "string", to_say("machine image with drivers")},
               {"vswitch_id", "string", to_say("virtual switch of a zone where the instance is offered")},
               kGroups,
               kKey});
    HclBlock& machine = add("resource", {"alicloud_instance", "job"});
    machine.number("count", nodes())
        .expression("instance_name", numbered())
        .text("instance_type", type())
        .expression("image_id", "var.image_id")
        .expression("vswitch_id", "var.vswitch_id")
        .expression("security_groups", "var.security_group_ids")
        .expression("key_name", "var.key_name")
        .text("system_disk_category", "cloud_essd")
        .expression("system_disk_size", "var.disk_gb")
        .text("instance_charge_type", months() > 0 ? "PrePaid" : "PostPaid");
    committed_ = months() > 0;
    if (committed_) machine.number("period", months()).text("period_unit", "Month");
    if (spot()) machine.text("spot_strategy", "SpotAsPriceGo");
  }

  void tencent() {
    add("provider", {"tencentcloud"}).expression("region", region());
    variables({kZone,
               {"image_id", "string", to_say("machine image with drivers")},
               {"vpc_id", "string", to_say("private network that the instances are put into")},
               kSubnet,
               kGroups,
               {"key_ids", "list(string)", to_say("key pairs to log in with")}});
    HclBlock& machine = add("resource", {"tencentcloud_instance", "job"});
    machine.number("count", nodes())
        .expression("instance_name", numbered())
        .text("instance_type", type())
        .expression("availability_zone", "var.zone")
        .expression("image_id", "var.image_id")
        .expression("vpc_id", "var.vpc_id")
        .expression("subnet_id", "var.subnet_id")
        .expression("orderly_security_groups", "var.security_group_ids")
        .expression("key_ids", "var.key_ids")
        .text("system_disk_type", "CLOUD_PREMIUM")
        .expression("system_disk_size", "var.disk_gb")
        .text("instance_charge_type", months() > 0 ? "PREPAID"
                                      : spot()     ? "SPOTPAID"
                                                   : "POSTPAID_BY_HOUR");
    committed_ = months() > 0;
    if (committed_) machine.number("instance_charge_type_prepaid_period", months());
    if (spot()) machine.text("spot_instance_type", "ONE-TIME");
  }

  const ExportView& view_;
  std::string name_;
  std::deque<HclBlock> blocks_;  // what add() gave stays where it is
  std::vector<std::string> notes_;
  bool committed_ = false;  // the file itself says the term
};

const Terraform::Maker Terraform::kMakers[5] = {
    {"aws", "aws", "hashicorp/aws", ">= 5.0", &Terraform::aws},
    {"gcp", "google", "hashicorp/google", ">= 5.0", &Terraform::google},
    {"azure", "azurerm", "hashicorp/azurerm", ">= 3.0", &Terraform::azure},
    {"aliyun", "alicloud", "aliyun/alicloud", ">= 1.200", &Terraform::alicloud},
    {"tencent", "tencentcloud", "tencentcloudstack/tencentcloud", ">= 1.81", &Terraform::tencent},
};

}  // namespace

Result<Exported> export_terraform(const ExportView& view) { return Terraform(view).run(); }

}  // namespace gpusel::show
