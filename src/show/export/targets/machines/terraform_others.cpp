// https://registry.terraform.io/providers/oracle/oci/latest/docs/resources/core_instance
// https://github.com/nebius/terraform-provider-nebius/blob/v0.6.32/docs/resources/compute_v1_instance.md; images:
// https://docs.nebius.com/compute/storage/boot-disk-images
// https://github.com/elct9620/terraform-provider-lambdalabs (0.8.2 of 2026-03-17: Lambda has no provider of its own)
// https://registry.terraform.io/providers/aliyun/alicloud/latest/docs/resources/instance
// https://registry.terraform.io/providers/tencentcloudstack/tencentcloud/latest/docs/resources/instance
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"
#include "show/export/targets/machines/terraform.hpp"

namespace gpusel::show {

void Terraform::oracle() {
  add("provider", {"oci"}).expression("region", region());
  variables({{"compartment_id", "string", to_say("compartment that the instances belong to")},
             {"availability_domain", "string", to_say("availability domain where the shape is offered")},
             kTerraformImage,
             kTerraformSubnet,
             {"ssh_public_key", "string", to_say("public key of the user who logs in")}});
  add_start();
  add("data", {"oci_core_subnet", "job"}).expression("subnet_id", "var.subnet_id");
  add("resource", {"oci_core_network_security_group", "job"})  // without a rule, nothing comes in
      .expression("compartment_id", "var.compartment_id")
      .expression("vcn_id", "data.oci_core_subnet.job.vcn_id")
      .text("display_name", name_);
  const bool cluster = together() && chosen().instance->rdma.value_or(catalog::Rdma::none) != catalog::Rdma::none;
  if (together()) oracle_together(cluster);
  const auto groups = parts("oci_core_instance.first[0].private_ip");
  for (const Part& part : groups) {
    HclBlock& machine = add("resource", {"oci_core_instance", part.label});
    machine.number("count", part.count)
        .expression("availability_domain", "var.availability_domain")
        .expression("compartment_id", "var.compartment_id")
        .text("shape", shape_of(*chosen().instance))
        .expression("display_name", part.name)
        .expression("metadata", "{ ssh_authorized_keys = var.ssh_public_key, user_data = base64encode(" +
                                    start(part.rank, part.master) + ") }");
    if (cluster) machine.expression("compute_cluster_id", "oci_core_compute_cluster.job.id");
    if (shape_of(*chosen().instance) != type())  // an OCPU is a core of two threads
      machine.block("shape_config")
          .number("ocpus", chosen().instance->vcpu.value_or(2) / 2)
          .number("memory_in_gbs", chosen().instance->memory_gib.value_or(16));
    machine.block("source_details")
        .text("source_type", "image")
        .expression("source_id", "var.image_id")
        .expression("boot_volume_size_in_gbs", "var.disk_gb");
    machine.block("create_vnic_details")
        .expression("subnet_id", "var.subnet_id")
        .expression("nsg_ids", "[oci_core_network_security_group.job.id]")
        .flag("assign_public_ip", false);
    if (spot()) machine.block("preemptible_instance_config").block("preemption_action").text("type", "TERMINATE");
  }
  output("instances", all_of(groups, "oci_core_instance", "id"));
  output("addresses", all_of(groups, "oci_core_instance", "private_ip"));
}

/// Instances of the job reach each other, by RDMA where the shape has it:
/// https://registry.terraform.io/providers/oracle/oci/latest/docs/resources/core_network_security_group_security_rule,
/// …/core_compute_cluster
void Terraform::oracle_together(bool cluster) {
  for (const std::string direction : {"INGRESS", "EGRESS"}) {
    const std::string end = direction == "INGRESS" ? "source" : "destination";
    add("resource", {"oci_core_network_security_group_security_rule", lower(direction)})
        .expression("network_security_group_id", "oci_core_network_security_group.job.id")
        .text("direction", direction)
        .text("protocol", "all")
        .expression(end, "oci_core_network_security_group.job.id")
        .text(end + "_type", "NETWORK_SECURITY_GROUP");
  }
  if (!cluster) return;
  add("resource", {"oci_core_compute_cluster", "job"})
      .expression("availability_domain", "var.availability_domain")
      .expression("compartment_id", "var.compartment_id")
      .text("display_name", name_);
}

void Terraform::nebius() {
  const std::string_view sku = chosen().instance->sku;  // "gpu-h100-sxm_8gpu-128vcpu-1600gb"
  const auto mark = std::min(sku.find('_'), sku.size() - 1);
  add("provider", {"nebius"}).expression("profile", "{}");  // the usual one of Nebius' command line
  variables({{"parent_id", "string", to_say("project that the instances belong to")}, kTerraformSubnet});
  add_start();
  HclBlock& disk = add("resource", {"nebius_compute_v1_disk", "job"});
  disk.number("count", nodes())
      .expression("parent_id", "var.parent_id")
      .expression("name", numbered())
      .text("type", "NETWORK_SSD")
      .expression("size_gibibytes", "var.disk_gb")
      .expression("source_image_family", "{ image_family = \"ubuntu24.04-cuda13.0\" }");
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
  // The address comes with the length of its network behind it.
  const auto groups =
      parts("split(\"/\", nebius_compute_v1_instance.first[0].status.network_interfaces[0].ip_address.address)[0]");
  for (const Part& part : groups) {
    HclBlock& machine = add("resource", {"nebius_compute_v1_instance", part.label});
    machine.number("count", part.count)
        .expression("parent_id", "var.parent_id")
        .expression("name", part.name)
        .expression("resources", format("{{ platform = {}, preset = {} }}", hcl_quoted(sku.substr(0, mark)),
                                        hcl_quoted(sku.substr(mark + 1))))
        .expression("boot_disk", format("{{ attach_mode = \"READ_WRITE\", existing_disk = {{ id = "
                                        "nebius_compute_v1_disk.job[{}].id }} }}",
                                        part.rank))
        .expression("network_interfaces", "[{ name = \"eth0\", subnet_id = var.subnet_id, ip_address = {} }]")
        .expression("cloud_init_user_data", start(part.rank, part.master));
    if (cluster) machine.expression("gpu_cluster", "{ id = nebius_compute_v1_gpu_cluster.job.id }");
    if (spot()) machine.expression("preemptible", "{ on_preemption = \"STOP\" }");
  }
  output("instances", all_of(groups, "nebius_compute_v1_instance", "id"));
}

void Terraform::lambda() {
  notes_.push_back(say("Lambda has no Terraform provider of its own: this one is elct9620's, at a fixed version"));
  notes_.push_back(say("the instances have public addresses, and Lambda's firewall alone guards them"));
  add("provider", {"lambdalabs"});  // reads LAMBDALABS_API_KEY
  ask({kTerraformKey, {"private_key_file", "string", to_say("file of the private key, to start the job over SSH")}});
  const bool results = has_output(launch_);
  if (results)
    ask({{"file_system", "string", to_say("file system of Lambda in that region, which keeps the results")}});
  add_start();
  HclBlock& machine = add("resource", {"lambdalabs_instance", "job"});
  machine.number("count", nodes())
      .expression("name", numbered())
      .expression("region_name", region())
      .text("instance_type_name", type())
      .expression("ssh_key_names", "[var.key_name]");
  if (results) machine.expression("file_system_names", "[var.file_system]");
  start_by_ssh(machine);
  output("instances", "lambdalabs_instance.job[*].id");
  output("addresses", "lambdalabs_instance.job[*].ip");
}

/// File systems lie below /lambda/nfs: https://docs.lambda.ai/public-cloud/filesystems/
void Terraform::start_by_ssh(HclBlock& machine) {
  machine.block("connection")
      .text("type", "ssh")
      .text("user", "ubuntu")
      .expression("host", "self.ip")
      .expression("private_key", "file(var.private_key_file)");
  machine.block("provisioner", {"file"})
      .expression("content", start("count.index", "null"))
      .text("destination", "/home/ubuntu/start.sh");
  std::string lines = "\"chmod 700 start.sh\"";
  if (has_output(launch_)) lines += R"(, "sudo ln -sfn /lambda/nfs/${var.file_system} /output")";
  lines += R"(, "sudo systemd-run --unit=job /bin/bash /home/ubuntu/start.sh")";
  machine.block("provisioner", {"remote-exec"}).expression("inline", "[" + lines + "]");
}

void Terraform::alicloud() {
  add("provider", {"alicloud"}).expression("region", region());
  add_start();
  variables({kTerraformImage,
             {"vswitch_id", "string", to_say("virtual switch of a zone where the instance is offered")},
             kTerraformGroups,
             kTerraformKey});
  committed_ = months() > 0;
  const auto groups = parts("alicloud_instance.first[0].private_ip");
  for (const Part& part : groups) {
    HclBlock& machine = add("resource", {"alicloud_instance", part.label});
    machine.number("count", part.count)
        .expression("instance_name", part.name)
        .text("instance_type", type())
        .expression("image_id", "var.image_id")
        .expression("vswitch_id", "var.vswitch_id")
        .expression("security_groups", "var.security_group_ids")
        .expression("key_name", "var.key_name")
        .text("system_disk_category", "cloud_essd")
        .expression("system_disk_size", "var.disk_gb")
        .expression("user_data", start(part.rank, part.master))
        .text("instance_charge_type", months() > 0 ? "PrePaid" : "PostPaid");
    if (committed_) machine.number("period", months()).text("period_unit", "Month");
    if (spot()) machine.text("spot_strategy", "SpotAsPriceGo");
  }
  output("instances", all_of(groups, "alicloud_instance", "id"));
}

void Terraform::tencent() {
  add("provider", {"tencentcloud"}).expression("region", region());
  add_start();
  variables({kTerraformZone,
             kTerraformImage,
             {"vpc_id", "string", to_say("private network that the instances are put into")},
             kTerraformSubnet,
             kTerraformGroups,
             {"key_ids", "list(string)", to_say("key pairs to log in with")}});
  committed_ = months() > 0;
  const auto groups = parts("tencentcloud_instance.first[0].private_ip");
  for (const Part& part : groups) {
    HclBlock& machine = add("resource", {"tencentcloud_instance", part.label});
    machine.number("count", part.count)
        .expression("instance_name", part.name)
        .text("instance_type", type())
        .expression("availability_zone", "var.zone")
        .expression("image_id", "var.image_id")
        .expression("vpc_id", "var.vpc_id")
        .expression("subnet_id", "var.subnet_id")
        .expression("orderly_security_groups", "var.security_group_ids")
        .expression("key_ids", "var.key_ids")
        .expression("user_data_raw", start(part.rank, part.master))
        .text("system_disk_type", "CLOUD_PREMIUM")
        .expression("system_disk_size", "var.disk_gb")
        .text("instance_charge_type", months() > 0 ? "PREPAID"
                                      : spot()     ? "SPOTPAID"
                                                   : "POSTPAID_BY_HOUR");
    if (committed_) machine.number("instance_charge_type_prepaid_period", months());
    if (spot()) machine.text("spot_instance_type", "ONE-TIME");
  }
  output("instances", all_of(groups, "tencentcloud_instance", "id"));
}

}  // namespace gpusel::show
