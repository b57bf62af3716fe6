// The instances of a plan in Terraform: what every provider's part writes with. Private to this folder.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "show/export/common.hpp"
#include "show/export/names.hpp"
#include "show/export/targets/machines/hcl.hpp"

namespace gpusel::show {

/// What the reader gives: no id is invented.
struct TerraformVariable {
  std::string_view name;
  std::string_view type;
  std::string_view description;  // for to_say()
};

inline constexpr TerraformVariable kTerraformZone{"zone", "string",
                                                  to_say("zone of the region in which the instance is offered")};
inline constexpr TerraformVariable kTerraformSubnet{
    "subnet_id", "string", to_say("subnet that the instances are put into, with a way to the internet (NAT)")};
inline constexpr TerraformVariable kTerraformGroups{"security_group_ids", "list(string)",
                                                    to_say("security groups that guard the instances")};
inline constexpr TerraformVariable kTerraformKey{"key_name", "string", to_say("key pair to log in with")};
inline constexpr TerraformVariable kTerraformImage{
    "image_id", "string", to_say("machine image with drivers, Docker and the vendor's container toolkit")};

class Terraform {
 public:
  explicit Terraform(const ExportView& view) : view_(view), name_(job_name(view)), launch_(launch_of(view)) {}

  Result<Exported> run();

 private:
  struct Maker {
    std::string_view provider;
    std::string_view local;
    std::string_view source;
    std::string_view version;
    void (Terraform::*make)();
  };
  static const Maker kMakers[8];
  const answer::Recommendation& chosen() const { return view_.chosen; }
  HclBlock& add(std::string type, std::vector<std::string> labels = {}) {
    blocks_.emplace_back(std::move(type), std::move(labels));
    return blocks_.back();
  }
  std::string type() const { return std::string(host_type(*chosen().instance)); }
  bool spot() const { return is_spot(chosen()); }
  int nodes() const { return chosen().machine().nodes; }
  std::string region() const { return has_region(chosen()) ? hcl_quoted(chosen().region->id) : "var.region"; }
  /// What the reader gives, and the size of the disk.
  void variables(std::initializer_list<TerraformVariable> wanted);
  void ask(std::initializer_list<TerraformVariable> wanted);
  /// The name of each of several.
  std::string numbered(std::string_view index = "count.index") const {
    return hcl_quoted(name_ + "-").insert(name_.size() + 2, format("${{{}}}", index));
  }
  /// Instances that are started alike, in a resource of their own.
  struct Part {
    std::string label;
    int count;
    std::string rank;    // an expression, of each
    std::string master;  // likewise
    std::string name;
  };
  /// All at once, unless the others must know the first one's address before they start: `address` of resource "first".
  std::vector<Part> parts(std::string_view address) const;
  /// A member of all instances, of a resource that is in those parts.
  static std::string all_of(const std::vector<Part>& parts, std::string_view resource, std::string_view member);
  std::string vendor() const { return vendor_of(chosen()); }
  bool together() const { return works_together(view_, launch_); }
  /// What an instance runs when it first boots; `rank` and `master` are expressions.
  std::string start(std::string_view rank, std::string_view master);
  /// The commands, and the variables that they read.
  void add_start();
  void output(std::string name, std::string_view value) { add("output", {std::move(name)}).expression("value", value); }
  /// The driver's image, unless the reader has one.
  void aws_image();
  /// Nothing comes in from outside; instances reach each other.
  void aws_group();
  void aws_term(HclBlock& machine);
  void aws();
  void google();
  /// Instances of the job reach each other; nothing else is let in by it.
  void google_firewall();
  /// What `count` instances of each are called and where.
  HclBlock& azure_resource(std::string kind, bool counted);
  void azure();
  void azure_image(HclBlock& machine);
  // https://registry.terraform.io/providers/oracle/oci/latest/docs/resources/core_instance
  void oracle();
  void oracle_together(bool cluster);
  void nebius();
  // https://github.com/elct9620/terraform-provider-lambdalabs/blob/v0.8.2/docs/resources/instance.md
  void lambda();
  /// The instance takes no user data: the job is started over SSH.
  void start_by_ssh(HclBlock& machine);
  /// Months that a price is for; 0: by the hour.
  int months() const;
  void alicloud();
  void tencent();
  const ExportView& view_;
  std::string name_;
  answer::Launch launch_;
  std::deque<HclBlock> blocks_;  // what add() gave stays where it is
  std::vector<std::string> notes_;
  bool committed_ = false;  // the file itself says the term
  bool orders_disk_ = false;
};

}  // namespace gpusel::show
