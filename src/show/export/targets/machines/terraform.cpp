// The instances in Terraform. Resources and arguments are those that their providers document.
#include <algorithm>

#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"
#include "show/export/targets/machines/terraform.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kNoAddresses = "lambda";

}  // namespace

Result<Exported> Terraform::run() {
  const auto* maker = std::ranges::find(kMakers, view_.chosen.instance->provider, &Maker::provider);
  if (maker == std::end(kMakers))
    return cannot(say("Terraform output does not cover instances of {}", view_.chosen.instance->provider));
  HclBlock& terraform = add("terraform");
  terraform.text("required_version", ">= 1.3");
  terraform.block("required_providers")
      .map(std::string(maker->local),
           {{"source", std::string(maker->source)}, {"version", std::string(maker->version)}});
  if (maker->provider == kNoAddresses && reads_rank(launch_) && nodes() > 1)
    return cannot(say("the plan needs private addresses, which Lambda's provider for Terraform does not know"));
  (this->*maker->make)();
  if (!has_region(view_.chosen)) {
    add("variable", {"region"})
        .expression("type", "string")
        .text("description", say("region of the provider where the instance is offered"));
    notes_.push_back(say("the price is for {} as a whole, which is not a region of the provider: set one as a variable",
                         view_.chosen.region->id));
  }
  Exported out{"main.tf", {}, std::move(notes_)};
  if (!committed_)
    for (std::string& note : term_notes(view_.chosen)) out.notes.push_back(std::move(note));
  if (orders_disk_) out.notes.push_back(disk_note(view_));
  out.notes.push_back(say("terraform plan asks for variables without a value"));
  for (const std::string& note : launch_notes(launch_))
    if (note.find("RANK") == std::string::npos) out.notes.push_back(note);
  out.content = heading(view_, out.notes);
  for (const HclBlock& block : blocks_) out.content += "\n" + block.written();
  return out;
}

void Terraform::ask(std::initializer_list<TerraformVariable> wanted) {
  for (const TerraformVariable& one : wanted)
    add("variable", {std::string(one.name)})
        .expression("type", one.type)
        .text("description", say_text(one.description));
}

void Terraform::variables(std::initializer_list<TerraformVariable> wanted) {
  ask(wanted);
  orders_disk_ = true;
  add("variable", {"disk_gb"})
      .expression("type", "number")
      .text("description", say("system disk of each instance, GB"))
      .number("default", disk_gb(view_));
}

std::string Terraform::start(std::string_view rank, std::string_view master) {
  std::string exports = "\"#!/bin/bash\", \"export HOME=/root\"";
  if (reads_rank(launch_) && nodes() > 1) exports += format(R"(, "export RANK=${{{}}} MASTER=${{{}}}")", rank, master);
  for (const auto& [name, meaning] : launch_.env) {
    std::string variable = lower(name);
    exports += format(R"(, "export {}='${{var.{}}}'")", name, variable);
  }
  return format("join(\"\\n\", [{}, local.start])", exports);
}

void Terraform::add_start() {
  for (const auto& [name, meaning] : launch_.env) {
    HclBlock& variable = add("variable", {lower(name)});
    variable.expression("type", "string").text("description", meaning);
    if (name == kTokenVariable) variable.flag("sensitive", true).text("default", "");
    if (name == kOutputVariable) variable.text("default", "/output");
  }
  const auto container = container_of(view_, launch_);
  std::string script = "set -eu\n";
  if (launch_.lines.empty())
    notes_.push_back(machines_alone(view_));
  else if (container)
    script +=
        "command -v docker >/dev/null || curl --fail --silent --show-error --location https://get.docker.com | sh\n" +
        docker_lines(view_, launch_, *container);
  else
    script += (launch_.setup.empty() ? std::string() : launch_.setup + "\n") + script_of(launch_);
  add("locals").lines("start", script);
}

std::vector<Terraform::Part> Terraform::parts(std::string_view address) const {
  if (!reads_rank(launch_) || nodes() < 2) return {{"job", nodes(), "count.index", "null", numbered()}};
  return {{"first", 1, "count.index", "\"$(hostname -I | cut -d' ' -f1)\"", numbered()},
          {"job", nodes() - 1, "count.index + 1", std::string(address), numbered("count.index + 1")}};
}

std::string Terraform::all_of(const std::vector<Part>& parts, std::string_view resource, std::string_view member) {
  const std::string lists =
      join_texts(parts, ", ", [&](const Part& part) { return format("{}.{}[*].{}", resource, part.label, member); });
  return parts.size() == 1 ? lists : "concat(" + lists + ")";
}

int Terraform::months() const {
  const catalog::Term term = chosen().offer->term;
  return catalog::is_savings_plan(term) ? 0 : static_cast<int>(money::commitment_of(term).months().value_or(0));
}

const Terraform::Maker Terraform::kMakers[8] = {
    {"aws", "aws", "hashicorp/aws", ">= 5.0", &Terraform::aws},
    {"gcp", "google", "hashicorp/google", ">= 5.0", &Terraform::google},
    {"azure", "azurerm", "hashicorp/azurerm", ">= 4.0", &Terraform::azure},
    {"oci", "oci", "oracle/oci", ">= 6.0", &Terraform::oracle},
    {"nebius", "nebius", "nebius/nebius", ">= 0.6.8", &Terraform::nebius},
    {"lambda", "lambdalabs", "elct9620/lambdalabs", "0.8.2", &Terraform::lambda},
    {"aliyun", "alicloud", "aliyun/alicloud", ">= 1.200", &Terraform::alicloud},
    {"tencent", "tencentcloud", "tencentcloudstack/tencentcloud", ">= 1.81", &Terraform::tencent},
};

Result<Exported> export_terraform(const ExportView& view) { return Terraform(view).run(); }

}  // namespace gpusel::show
