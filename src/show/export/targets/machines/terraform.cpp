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
#include "show/export/targets/machines/containers.hpp"
#include "show/export/targets/machines/hcl.hpp"

namespace gpusel::show {

namespace {

/// What the reader gives: no id is invented.
struct Variable {
  std::string_view name;
  std::string_view type;
  std::string_view description;  // for to_say()
};

constexpr Variable kZone{"zone", "string", to_say("zone of the region in which the instance is offered")};
constexpr Variable kSubnet{"subnet_id", "string",
                           to_say("subnet that the instances are put into, with a way to the internet (NAT)")};
constexpr Variable kGroups{"security_group_ids", "list(string)", to_say("security groups that guard the instances")};
constexpr Variable kKey{"key_name", "string", to_say("key pair to log in with")};
constexpr Variable kImage{"image_id", "string",
                          to_say("machine image with drivers, Docker and the vendor's container toolkit")};

// Images with NVIDIA's driver, Docker and its container toolkit:
// https://docs.aws.amazon.com/dlami/latest/devguide/find-dlami-id.html,
// https://cloud.google.com/deep-learning-vm/docs/images,
// https://learn.microsoft.com/azure/virtual-machines/azure-hpc-vm-images
constexpr std::string_view kAwsImage =
    "/aws/service/deeplearning/ami/{}/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id";
constexpr std::string_view kAwsPlain =
    "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id";
constexpr std::string_view kGoogleImage = "common-cu128-ubuntu-2204-nvidia-570";

// https://cloud.google.com/compute/docs/disks#disk-types: what these families boot from
struct BootDisk {
  std::string_view family;  // begin of the type's name
  std::string_view type;
};
constexpr BootDisk kBootDisks[] = {{"a3-ultragpu", "hyperdisk-balanced"}, {"a4", "hyperdisk-balanced"},
                                   {"g4", "hyperdisk-balanced"},          {"c4", "hyperdisk-balanced"},
                                   {"n4", "hyperdisk-balanced"},          {"x4", "hyperdisk-balanced"}};

std::string_view boot_disk(std::string_view type) {
  for (const BootDisk& one : kBootDisks)
    if (type.starts_with(one.family)) return one.type;
  return "pd-balanced";
}

class Terraform {
 public:
  explicit Terraform(const ExportView& view) : view_(view), name_(job_name(view)), launch_(launch_or_own(view)) {}

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
    for (const std::string& note : launch_notes(launch_))
      if (note.find("RANK") == std::string::npos) out.notes.push_back(note);
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
  static const Maker kMakers[7];

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

  std::string vendor() const { return vendor_of(chosen()); }
  bool together() const { return works_together(view_, launch_); }

  /// What an instance runs when it first boots; `rank` and `master` are expressions.
  std::string start(std::string_view rank, std::string_view master) {
    std::string exports = "\"#!/bin/bash\", \"export HOME=/root\"";
    if (reads_rank(launch_) && nodes() > 1)
      exports += format(R"(, "export RANK=${{{}}} MASTER=${{{}}}")", rank, master);
    for (const auto& [name, meaning] : launch_.env) {
      std::string variable = lower(name);
      exports += format(R"(, "export {}='${{var.{}}}'")", name, variable);
    }
    return format("join(\"\\n\", [{}, local.start])", exports);
  }

  /// The commands, and the variables that they read.
  void add_start() {
    for (const auto& [name, meaning] : launch_.env) {
      HclBlock& variable = add("variable", {lower(name)});
      variable.expression("type", "string").text("description", meaning);
      if (name == kTokenVariable) variable.flag("sensitive", true).text("default", "");
      if (name == kOutputVariable) variable.text("default", "/output");
    }
    const auto container = container_of(view_, launch_);
    std::string script = "set -eu\n";
    if (container)
      script +=
          "command -v docker >/dev/null || curl --fail --silent --show-error --location https://get.docker.com | sh\n" +
          docker_lines(view_, launch_, *container);
    else
      script += (launch_.setup.empty() ? std::string() : launch_.setup + "\n") + script_of(launch_);
    add("locals").lines("start", script);
  }

  void output(std::string name, std::string_view value) { add("output", {std::move(name)}).expression("value", value); }

  /// The driver's image, unless the reader has one.
  void aws_image() {
    const bool arm = chosen().instance->cpu_arch == catalog::CpuArch::arm64;
    const bool drivers = vendor() == "nvidia";
    std::string name(drivers ? kAwsImage : kAwsPlain);
    name.replace(name.find("{}"), 2, drivers ? arm ? "arm64" : "x86_64" : arm ? "arm64" : "amd64");
    add("data", {"aws_ssm_parameter", "image"}).text("name", name);
    add("variable", {"ami_id"})
        .expression("type", "string")
        .text("description", say("machine image of your own; else the current one of Amazon"))
        .expression("default", "null");
    if (!drivers && chosen().gpu != nullptr)
      notes_.push_back(say("the usual image has no driver for {}: give ami_id", chosen().gpu->id));
  }

  /// Nothing comes in from outside; instances reach each other.
  void aws_group() {
    add("data", {"aws_subnet", "job"}).expression("id", "var.subnet_id");
    HclBlock& group = add("resource", {"aws_security_group", "job"});
    group.text("name", name_).expression("vpc_id", "data.aws_subnet.job.vpc_id");
    group.block("ingress").number("from_port", 0).number("to_port", 0).text("protocol", "-1").flag("self", true);
    HclBlock& out = group.block("egress");
    out.number("from_port", 0).number("to_port", 0).text("protocol", "-1").flag("self", true);
    out.expression("cidr_blocks", "[\"0.0.0.0/0\"]");
  }

  void aws_term(HclBlock& machine) {
    if (spot()) {
      HclBlock& market = machine.block("instance_market_options");
      market.text("market_type", "spot");
      market.block("spot_options")
          .text("spot_instance_type", "one-time")
          .text("instance_interruption_behavior", "terminate");
    } else if (chosen().offer->term == catalog::Term::capacity_block) {
      committed_ = true;
      machine.block("instance_market_options").text("market_type", "capacity-block");
      machine.block("capacity_reservation_specification")
          .block("capacity_reservation_target")
          .expression("capacity_reservation_id", "var.capacity_reservation_id");
      add("variable", {"capacity_reservation_id"})
          .expression("type", "string")
          .text("description", say("the capacity block, bought in advance"));
    }
  }

  void aws() {
    add("provider", {"aws"}).expression("region", region());
    variables({kSubnet, kKey});
    aws_image();
    aws_group();
    add_start();
    // Replicas of a service gain nothing from lying close, and are lost together.
    const bool cluster = together();
    const int efa = cluster && chosen().instance->rdma == catalog::Rdma::efa ? std::max(1, efa_interfaces(type())) : 0;
    const int cards = std::max(1, efa);
    if (cluster) add("resource", {"aws_placement_group", "job"}).text("name", name_).text("strategy", "cluster");
    HclBlock& card = add("resource", {"aws_network_interface", "job"});
    card.number("count", nodes() * cards)
        .expression("subnet_id", "var.subnet_id")
        .expression("security_groups", "[aws_security_group.job.id]");
    if (efa > 0) card.text("interface_type", "efa");
    HclBlock& machine = add("resource", {"aws_instance", "job"});
    machine.number("count", nodes())
        .expression("ami", "coalesce(var.ami_id, nonsensitive(data.aws_ssm_parameter.image.value))")
        .text("instance_type", type())
        .expression("key_name", "var.key_name")
        .expression("user_data", start("count.index", "aws_network_interface.job[0].private_ip"));
    if (cluster) machine.expression("placement_group", "aws_placement_group.job.name");
    machine.expression("tags", "{ Name = " + numbered() + " }");
    HclBlock& attached = machine.block("dynamic", {"network_interface"});
    attached.expression("for_each", format("range({})", cards));
    attached.block("content")
        .expression("network_interface_id",
                    format("aws_network_interface.job[count.index * {} + network_interface.value].id", cards))
        .expression("network_card_index", "network_interface.value")
        .expression("device_index", "network_interface.value == 0 ? 0 : 1");
    machine.block("root_block_device").expression("volume_size", "var.disk_gb").text("volume_type", "gp3");
    machine.block("metadata_options").text("http_tokens", "required");
    aws_term(machine);
    output("instances", "aws_instance.job[*].id");
    output("addresses", "aws_instance.job[*].private_ip");
  }

  void google() {
    add("variable", {"project"}).expression("type", "string").text("description", say("project that pays"));
    add("provider", {"google"}).expression("project", "var.project").expression("region", region());
    variables({kZone,
               {"subnetwork", "string",
                to_say("subnetwork that the instances are put into, with a way to the internet (NAT)")}});
    const bool drivers = vendor() == "nvidia";
    add("data", {"google_compute_image", "job"})
        .text("family", drivers ? kGoogleImage : "ubuntu-2404-lts-amd64")
        .text("project", drivers ? "deeplearning-platform-release" : "ubuntu-os-cloud");
    add_start();
    const bool cluster = together();
    if (cluster) {
      HclBlock& policy = add("resource", {"google_compute_resource_policy", "job"});
      policy.text("name", name_).expression("region", region());
      policy.block("group_placement_policy").number("vm_count", nodes()).text("collocation", "COLLOCATED");
      google_firewall();
    }
    HclBlock& machine = add("resource", {"google_compute_instance", "job"});
    machine.number("count", nodes())
        .expression("name", numbered())
        .text("machine_type", type())
        .expression("zone", "var.zone")
        .expression("tags", "[" + hcl_quoted(name_) + "]")
        .expression("metadata_startup_script", start("count.index", hcl_quoted(name_ + "-0")));
    if (cluster) machine.expression("resource_policies", "[google_compute_resource_policy.job.id]");
    machine.block("boot_disk")
        .block("initialize_params")
        .expression("image", "data.google_compute_image.job.self_link")
        .expression("size", "var.disk_gb")
        .text("type", boot_disk(type()));
    machine.block("network_interface").expression("subnetwork", "var.subnetwork");
    if (const std::string card = attached_card(*chosen().instance); !card.empty())
      machine.block("guest_accelerator").text("type", card).number("count", devices_of(chosen()));
    HclBlock& scheduling = machine.block("scheduling");
    scheduling.text("on_host_maintenance", "TERMINATE").flag("automatic_restart", !spot());
    if (spot())
      scheduling.text("provisioning_model", "SPOT")
          .flag("preemptible", true)
          .text("instance_termination_action", "STOP");
    output("instances", "google_compute_instance.job[*].self_link");
    output("addresses", "google_compute_instance.job[*].network_interface[0].network_ip");
  }

  /// Instances of the job reach each other; nothing else is let in by it.
  void google_firewall() {
    add("data", {"google_compute_subnetwork", "job"})
        .expression("name", "var.subnetwork")
        .expression("region", region());
    HclBlock& wall = add("resource", {"google_compute_firewall", "job"});
    wall.text("name", name_)
        .expression("network", "data.google_compute_subnetwork.job.network")
        .expression("source_tags", "[" + hcl_quoted(name_) + "]")
        .expression("target_tags", "[" + hcl_quoted(name_) + "]");
    wall.block("allow").text("protocol", "all");
  }

  /// What `count` instances of each are called and where.
  HclBlock& azure_resource(std::string kind, bool counted) {
    HclBlock& resource = add("resource", {std::move(kind), "job"});
    if (counted) resource.number("count", nodes());
    return resource.expression("name", counted ? numbered() : hcl_quoted(name_))
        .expression("location", region())
        .expression("resource_group_name", "var.resource_group_name");
  }

  void azure() {
    add("variable", {"subscription_id"})
        .expression("type", "string")
        .text("description", say("subscription that pays"));
    add("provider", {"azurerm"}).expression("subscription_id", "var.subscription_id").block("features");
    variables({{"resource_group_name", "string", to_say("resource group that the instances belong to")},
               kSubnet,
               {"admin_username", "string", to_say("user to log in as")},
               {"ssh_public_key", "string", to_say("the user's public key")}});
    add_start();
    azure_resource("azurerm_network_security_group", false);  // its own rules let in nothing from outside
    const bool close = together() && !spot();                 // spot instances are in no set
    if (close) azure_resource("azurerm_availability_set", false).number("platform_fault_domain_count", 1);
    azure_resource("azurerm_network_interface", true)
        .flag("accelerated_networking_enabled", true)
        .block("ip_configuration")
        .text("name", "internal")
        .expression("subnet_id", "var.subnet_id")
        .text("private_ip_address_allocation", "Dynamic");
    add("resource", {"azurerm_network_interface_security_group_association", "job"})
        .number("count", nodes())
        .expression("network_interface_id", "azurerm_network_interface.job[count.index].id")
        .expression("network_security_group_id", "azurerm_network_security_group.job.id");
    HclBlock& machine = azure_resource("azurerm_linux_virtual_machine", true);
    machine.text("size", type())
        .expression("network_interface_ids", "[azurerm_network_interface.job[count.index].id]")
        .expression("admin_username", "var.admin_username")
        .expression(
            "custom_data",
            "base64encode(" + start("count.index", "azurerm_network_interface.job[0].private_ip_address") + ")");
    if (close) machine.expression("availability_set_id", "azurerm_availability_set.job.id");
    if (spot()) machine.text("priority", "Spot").text("eviction_policy", "Deallocate").number("max_bid_price", -1);
    const bool drivers = vendor() == "nvidia" || vendor() == "amd";
    machine.block("source_image_reference")
        .text("publisher", drivers ? "microsoft-dsvm" : "Canonical")
        .text("offer", drivers ? "ubuntu-hpc" : "ubuntu-24_04-lts")
        .text("sku", vendor() == "amd" ? "2204-rocm"
                     : drivers         ? "2204"
                                       : "server")
        .text("version", "latest");
    machine.block("admin_ssh_key")
        .expression("username", "var.admin_username")
        .expression("public_key", "var.ssh_public_key");
    machine.block("os_disk")
        .text("caching", "ReadWrite")
        .text("storage_account_type", "Premium_LRS")
        .expression("disk_size_gb", "var.disk_gb");
    output("instances", "azurerm_linux_virtual_machine.job[*].id");
    output("addresses", "azurerm_network_interface.job[*].private_ip_address");
  }

  // https://registry.terraform.io/providers/oracle/oci/latest/docs/resources/core_instance
  void oracle() {
    add("provider", {"oci"}).expression("region", region());
    variables({{"compartment_id", "string", to_say("compartment that the instances belong to")},
               {"availability_domain", "string", to_say("availability domain where the shape is offered")},
               kImage,
               kSubnet,
               {"ssh_public_key", "string", to_say("public key of who logs in")}});
    add_start();
    add("data", {"oci_core_subnet", "job"}).expression("subnet_id", "var.subnet_id");
    add("resource", {"oci_core_network_security_group", "job"})  // without a rule, nothing comes in
        .expression("compartment_id", "var.compartment_id")
        .expression("vcn_id", "data.oci_core_subnet.job.vcn_id")
        .text("display_name", name_);
    HclBlock& machine = add("resource", {"oci_core_instance", "job"});
    machine.number("count", nodes())
        .expression("availability_domain", "var.availability_domain")
        .expression("compartment_id", "var.compartment_id")
        .text("shape", type())
        .expression("display_name", numbered())
        .expression("metadata", "{ ssh_authorized_keys = var.ssh_public_key, user_data = base64encode(" +
                                    start("count.index", "var.master") + ") }");
    machine.block("source_details")
        .text("source_type", "image")
        .expression("source_id", "var.image_id")
        .expression("boot_volume_size_in_gbs", "var.disk_gb");
    machine.block("create_vnic_details")
        .expression("subnet_id", "var.subnet_id")
        .expression("nsg_ids", "[oci_core_network_security_group.job.id]")
        .flag("assign_public_ip", false);
    if (spot()) machine.block("preemptible_instance_config").block("preemption_action").text("type", "TERMINATE");
    ask_for_master();
    output("instances", "oci_core_instance.job[*].id");
    output("addresses", "oci_core_instance.job[*].private_ip");
  }

  // https://docs.nebius.com/terraform-provider/reference/resources/compute_v1_instance
  void nebius() {
    const std::string_view sku = chosen().instance->sku;  // "gpu-h100-sxm_8gpu-128vcpu-1600gb"
    const auto mark = std::min(sku.find('_'), sku.size() - 1);
    add("provider", {"nebius"});
    variables({{"parent_id", "string", to_say("project that the instances belong to")}, kSubnet});
    add_start();
    HclBlock& disk = add("resource", {"nebius_compute_v1_disk", "job"});
    disk.number("count", nodes())
        .expression("parent_id", "var.parent_id")
        .expression("name", numbered())
        .text("type", "NETWORK_SSD")
        .expression("size_gibibytes", "var.disk_gb")
        .expression("source_image_family", "{ image_family = \"ubuntu24.04-cuda12\" }");
    const bool cluster = together() && chosen().instance->rdma == catalog::Rdma::infiniband;
    if (cluster) {
      add("variable", {"infiniband_fabric"})
          .expression("type", "string")
          .text("description", say("fabric of the region that joins the instances"));
      add("resource", {"nebius_compute_v1_gpu_cluster", "job"})
          .expression("parent_id", "var.parent_id")
          .text("name", name_)
          .expression("infiniband_fabric", "var.infiniband_fabric");
    }
    HclBlock& machine = add("resource", {"nebius_compute_v1_instance", "job"});
    machine.number("count", nodes())
        .expression("parent_id", "var.parent_id")
        .expression("name", numbered())
        .expression("resources", format("{{ platform = {}, preset = {} }}", hcl_quoted(sku.substr(0, mark)),
                                        hcl_quoted(sku.substr(mark + 1))))
        .expression("boot_disk",
                    "{ attach_mode = \"READ_WRITE\", existing_disk = { id = "
                    "nebius_compute_v1_disk.job[count.index].id } }")
        .expression("network_interfaces", "[{ name = \"eth0\", subnet_id = var.subnet_id, ip_address = {} }]")
        .expression("cloud_init_user_data", start("count.index", "var.master"));
    if (cluster) machine.expression("gpu_cluster", "{ id = nebius_compute_v1_gpu_cluster.job.id }");
    if (spot()) machine.expression("preemptible", "{ on_preemption = \"STOP\" }");
    ask_for_master();
    output("instances", "nebius_compute_v1_instance.job[*].id");
  }

  /// Where no address is known before the instances are there.
  void ask_for_master() {
    if (!reads_rank(launch_) || nodes() < 2) return;
    add("variable", {"master"})
        .expression("type", "string")
        .text("description", say("address of the first instance, as its subnet gives it"));
  }

  /// Months that a price is for; 0: by the hour.
  int months() const {
    const catalog::Term term = chosen().offer->term;
    const bool is_plan = term == catalog::Term::savings_1y || term == catalog::Term::savings_3y;  // bought apart
    return is_plan ? 0 : static_cast<int>(money::commitment_of(term).months().value_or(0));
  }

  void alicloud() {
    add("provider", {"alicloud"}).expression("region", region());
    add_start();
    ask_for_master();
    variables({kImage,
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
        .expression("user_data", start("count.index", "var.master"))
        .text("instance_charge_type", months() > 0 ? "PrePaid" : "PostPaid");
    committed_ = months() > 0;
    if (committed_) machine.number("period", months()).text("period_unit", "Month");
    if (spot()) machine.text("spot_strategy", "SpotAsPriceGo");
    output("instances", "alicloud_instance.job[*].id");
  }

  void tencent() {
    add("provider", {"tencentcloud"}).expression("region", region());
    add_start();
    ask_for_master();
    variables({kZone,
               kImage,
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
        .expression("user_data_raw", start("count.index", "var.master"))
        .text("system_disk_type", "CLOUD_PREMIUM")
        .expression("system_disk_size", "var.disk_gb")
        .text("instance_charge_type", months() > 0 ? "PREPAID"
                                      : spot()     ? "SPOTPAID"
                                                   : "POSTPAID_BY_HOUR");
    committed_ = months() > 0;
    if (committed_) machine.number("instance_charge_type_prepaid_period", months());
    if (spot()) machine.text("spot_instance_type", "ONE-TIME");
    output("instances", "tencentcloud_instance.job[*].id");
  }

  const ExportView& view_;
  std::string name_;
  answer::Launch launch_;
  std::deque<HclBlock> blocks_;  // what add() gave stays where it is
  std::vector<std::string> notes_;
  bool committed_ = false;  // the file itself says the term
};

const Terraform::Maker Terraform::kMakers[7] = {
    {"aws", "aws", "hashicorp/aws", ">= 5.0", &Terraform::aws},
    {"gcp", "google", "hashicorp/google", ">= 5.0", &Terraform::google},
    {"azure", "azurerm", "hashicorp/azurerm", ">= 4.0", &Terraform::azure},
    {"oci", "oci", "oracle/oci", ">= 6.0", &Terraform::oracle},
    {"nebius", "nebius", "terraform-provider.storage.eu-north1.nebius.cloud/nebius/nebius", ">= 0.5",
     &Terraform::nebius},
    {"aliyun", "alicloud", "aliyun/alicloud", ">= 1.200", &Terraform::alicloud},
    {"tencent", "tencentcloud", "tencentcloudstack/tencentcloud", ">= 1.81", &Terraform::tencent},
};

}  // namespace

Result<Exported> export_terraform(const ExportView& view) { return Terraform(view).run(); }

}  // namespace gpusel::show
