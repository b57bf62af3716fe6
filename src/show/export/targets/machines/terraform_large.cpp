// https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/instance
// https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/compute_instance
// https://registry.terraform.io/providers/hashicorp/azurerm/latest/docs/resources/linux_virtual_machine
#include <algorithm>

#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"
#include "show/export/targets/machines/terraform.hpp"

namespace gpusel::show {

namespace {

// Images with NVIDIA's driver, Docker and its container toolkit:
// https://docs.aws.amazon.com/dlami/latest/devguide/find-dlami-id.html,
// https://cloud.google.com/deep-learning-vm/docs/images,
// https://learn.microsoft.com/azure/virtual-machines/azure-hpc-vm-images
constexpr std::string_view kAwsImage =
    "/aws/service/deeplearning/ami/{}/base-oss-nvidia-driver-gpu-ubuntu-22.04/latest/ami-id";
constexpr std::string_view kAwsPlain =
    "/aws/service/canonical/ubuntu/server/24.04/stable/current/{}/hvm/ebs-gp3/ami-id";
constexpr std::string_view kGoogleImage = "common-cu129-ubuntu-2204-nvidia-580";

}  // namespace

void Terraform::aws_image() {
  const bool arm = chosen().instance->cpu_arch == catalog::CpuArch::arm64;
  // Open kernel modules begin with Turing.
  constexpr double kTuring = 7.5;
  const bool drivers = vendor() == "nvidia" && chosen().gpu->capability.value_or(kTuring) >= kTuring;
  std::string name(drivers ? kAwsImage : kAwsPlain);
  name.replace(name.find("{}"), 2, drivers ? arm ? "arm64" : "x86_64" : arm ? "arm64" : "amd64");
  add("data", {"aws_ssm_parameter", "image"}).text("name", name);
  HclBlock& own = add("variable", {"ami_id"});
  own.expression("type", "string")
      .text("description", say("machine image of your own; else the current one of Amazon"));
  if (drivers || chosen().gpu == nullptr)
    own.expression("default", "null");
  else
    notes_.push_back(say("the usual image has no driver for {}: give ami_id", chosen().gpu->id));
}

void Terraform::aws_group() {
  add("data", {"aws_subnet", "job"}).expression("id", "var.subnet_id");
  HclBlock& group = add("resource", {"aws_security_group", "job"});
  group.text("name", name_).expression("vpc_id", "data.aws_subnet.job.vpc_id");
  group.block("ingress").number("from_port", 0).number("to_port", 0).text("protocol", "-1").flag("self", true);
  HclBlock& out = group.block("egress");
  out.number("from_port", 0).number("to_port", 0).text("protocol", "-1").flag("self", true);
  out.expression("cidr_blocks", "[\"0.0.0.0/0\"]");
}

void Terraform::aws_term(HclBlock& machine) {
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

void Terraform::aws() {
  add("provider", {"aws"}).expression("region", region());
  variables({kTerraformSubnet, kTerraformKey});
  aws_image();
  aws_group();
  add_start();
  const bool cluster = together();
  const int efa = cluster && chosen().instance->rdma == catalog::Rdma::efa ? std::max(1, efa_interfaces(type())) : 0;
  const bool first = efa == 0 || efa_on_first_card(type());
  const int cards = std::max(1, efa) + (first ? 0 : 1);
  if (cluster) add("resource", {"aws_placement_group", "job"}).text("name", name_).text("strategy", "cluster");
  HclBlock& card = add("resource", {"aws_network_interface", "job"});
  card.number("count", nodes() * cards)
      .expression("subnet_id", "var.subnet_id")
      .expression("security_groups", "[aws_security_group.job.id]");
  if (efa > 0 && first) card.text("interface_type", "efa");
  if (!first) card.expression("interface_type", format("count.index % {} == 0 ? null : \"efa\"", cards));
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

void Terraform::google() {
  add("variable", {"project"}).expression("type", "string").text("description", say("project to bill"));
  add("provider", {"google"}).expression("project", "var.project").expression("region", region());
  variables({kTerraformZone,
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
      .text("type", google_boot_disk(type()).empty() ? "pd-balanced" : google_boot_disk(type()));
  machine.block("network_interface").expression("subnetwork", "var.subnetwork");
  if (const std::string card = attached_card(*chosen().instance); !card.empty())
    machine.block("guest_accelerator").text("type", card).number("count", devices_of(chosen()));
  HclBlock& scheduling = machine.block("scheduling");
  scheduling.text("on_host_maintenance", "TERMINATE").flag("automatic_restart", !spot());
  if (spot())
    scheduling.text("provisioning_model", "SPOT").flag("preemptible", true).text("instance_termination_action", "STOP");
  output("instances", "google_compute_instance.job[*].self_link");
  output("addresses", "google_compute_instance.job[*].network_interface[0].network_ip");
}

void Terraform::google_firewall() {
  add("data", {"google_compute_subnetwork", "job"}).expression("name", "var.subnetwork").expression("region", region());
  HclBlock& wall = add("resource", {"google_compute_firewall", "job"});
  wall.text("name", name_)
      .expression("network", "data.google_compute_subnetwork.job.network")
      .expression("source_tags", "[" + hcl_quoted(name_) + "]")
      .expression("target_tags", "[" + hcl_quoted(name_) + "]");
  wall.block("allow").text("protocol", "all");
}

HclBlock& Terraform::azure_resource(std::string kind, bool counted) {
  HclBlock& resource = add("resource", {std::move(kind), "job"});
  if (counted) resource.number("count", nodes());
  return resource.expression("name", counted ? numbered() : hcl_quoted(name_))
      .expression("location", region())
      .expression("resource_group_name", "var.resource_group_name");
}

void Terraform::azure() {
  add("variable", {"subscription_id"}).expression("type", "string").text("description", say("subscription to bill"));
  add("provider", {"azurerm"}).expression("subscription_id", "var.subscription_id").block("features");
  variables({{"resource_group_name", "string", to_say("resource group that the instances belong to")},
             kTerraformSubnet,
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
      .expression("custom_data",
                  "base64encode(" + start("count.index", "azurerm_network_interface.job[0].private_ip_address") + ")");
  if (close) machine.expression("availability_set_id", "azurerm_availability_set.job.id");
  if (spot()) machine.text("priority", "Spot").text("eviction_policy", "Deallocate").number("max_bid_price", -1);
  azure_image(machine);
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

/// Parts of cards need the driver of their virtual GPUs, which no published image has:
/// https://learn.microsoft.com/azure/virtual-machines/linux/n-series-driver-setup
void Terraform::azure_image(HclBlock& machine) {
  if (type().starts_with("Standard_NV")) {
    add("variable", {std::string(kTerraformImage.name)})
        .expression("type", kTerraformImage.type)
        .text("description", say_text(kTerraformImage.description));
    machine.expression("source_image_id", "var.image_id");
    return;
  }
  const bool drivers = vendor() == "nvidia" || vendor() == "amd";
  machine.block("source_image_reference")
      .text("publisher", drivers ? "microsoft-dsvm" : "Canonical")
      .text("offer", drivers ? "ubuntu-hpc" : "ubuntu-24_04-lts")
      .text("sku", vendor() == "amd" ? "2204-rocm"
                   : drivers         ? "2204"
                                     : "server")
      .text("version", "latest");
}

}  // namespace gpusel::show
