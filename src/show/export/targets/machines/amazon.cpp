// CloudFormation of AWS. SageMaker: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/AWS_SageMaker.html,
// with AWS's container of vLLM, https://aws.github.io/deep-learning-containers/vllm/configuration/; AWS Batch:
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/AWS_Batch.html, several instances:
// https://docs.aws.amazon.com/batch/latest/userguide/multi-node-parallel-jobs.html
#include <algorithm>
#include <cmath>

#include "base/text/text.hpp"
#include "base/values/units.hpp"
#include "base/words/message.hpp"
#include "show/export/names.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/machines/containers.hpp"

namespace gpusel::show {

namespace {

constexpr double kHostShare = 0.9;  // of an instance's memory that containers may have
constexpr std::string_view kVllmServe = "vllm serve ";
// Regions have accounts of their own; this one is that of most:
// https://aws.github.io/deep-learning-containers/reference/available_images/
constexpr std::string_view kContainers =
    "763104351884.dkr.ecr.${AWS::Region}.amazonaws.com/vllm:server-sagemaker-cuda-v1";

Json reference(std::string_view name) { return {{"Ref", name}}; }
Json of_resource(std::string_view resource, std::string_view name) {
  return {{"Fn::GetAtt", Json::array({resource, name})}};
}
Json parameter(std::string_view type, std::string description) {
  return {{"Type", type}, {"Description", std::move(description)}};
}

/// Error: not of AWS, or its price is of a term that this starts nothing on.
Status check_amazon(const ExportView& view, std::string_view service) {
  const answer::Recommendation& r = view.chosen;
  if (r.instance->provider != "aws")
    return cannot(say("{} runs on instances of {}, not of {}", service, "aws", r.instance->provider));
  if (!is_by_the_hour(r))
    return cannot(say("{} starts instances on demand or spot, and {} is neither", service, to_text(r.offer->term)));
  if (vendor_of(r) != "nvidia" && r.gpu != nullptr)
    return cannot(say("it is not known how a container reaches {}", r.gpu->id));
  return {};
}

/// Flags of the command as the container of AWS takes them: SM_VLLM_MAX_MODEL_LEN for --max-model-len. Null: the
/// command is more than that.
Json vllm_variables(const answer::Launch& launch) {
  if (launch.lines.size() != 1 || !launch.lines.front().starts_with(kVllmServe)) return nullptr;
  const std::string_view command = std::string_view(launch.lines.front()).substr(kVllmServe.size());
  if (command.find_first_of("'\"$\\") != std::string_view::npos) return nullptr;
  const auto words = split(command, ' ');
  Json out{{"SM_VLLM_MODEL", words.front()}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) return nullptr;
    std::string name(words[i].substr(2));
    if (name == "host" || name == "port") {
      ++i;  // the container's own
      continue;
    }
    std::ranges::replace(name, '-', '_');
    const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
    out["SM_VLLM_" + upper(name)] = has_value ? std::string(words[++i]) : std::string("true");
  }
  return out;
}

// Their drivers (550, 580): https://docs.aws.amazon.com/sagemaker/latest/dg/inference-gpu-drivers.html
constexpr std::string_view kUsualAmi = "al2-ami-sagemaker-inference-gpu-3-1";
constexpr std::string_view kBlackwellAmi = "al2023-ami-sagemaker-inference-gpu-4-1";

std::string_view inference_ami(const answer::Recommendation& r) {
  return r.gpu != nullptr && r.gpu->capability.value_or(0) >= catalog::kBlackwell ? kBlackwellAmi : kUsualAmi;
}

/// Whether endpoints run on such an instance, as far as SageMaker's own list is known.
bool has_endpoints(const ExportView& view) {
  const ToolOrders* tool = find_orders(view.facts.orders, "sagemaker");
  const CloudOrders* cloud = tool == nullptr ? nullptr : tool->find("aws");
  return cloud == nullptr || cloud->takes_type(host_type(*view.chosen.instance));
}

Json sagemaker_resources(const ExportView& view, Json variables) {
  const answer::Recommendation& r = view.chosen;
  const int patience = std::min(start_seconds(view, 900), 3600);  // more is refused
  variables["HF_TOKEN"] = reference("HuggingFaceToken");
  Json variant{{"VariantName", "plan"},
               {"ModelName", of_resource("Model", "ModelName")},
               {"InstanceType", format("ml.{}", host_type(*r.instance))},
               {"InitialInstanceCount", r.machine().nodes},
               {"InitialVariantWeight", 1},
               {"InferenceAmiVersion", inference_ami(r)},
               {"ModelDataDownloadTimeoutInSeconds", patience},
               {"ContainerStartupHealthCheckTimeoutInSeconds", patience}};
  return {{"Model",
           {{"Type", "AWS::SageMaker::Model"},
            {"Properties",
             {{"ExecutionRoleArn", reference("ExecutionRoleArn")},
              {"PrimaryContainer", {{"Image", {{"Fn::Sub", kContainers}}}, {"Environment", std::move(variables)}}}}}}},
          {"EndpointConfig",
           {{"Type", "AWS::SageMaker::EndpointConfig"},
            {"Properties", {{"ProductionVariants", Json::array({std::move(variant)})}}}}},
          {"Endpoint",
           {{"Type", "AWS::SageMaker::Endpoint"},
            {"Properties",
             {{"EndpointName", job_name(view)},
              {"EndpointConfigName", of_resource("EndpointConfig", "EndpointConfigName")}}}}}};
}

/// What a container of the whole instance may have of it.
Json requirements_of(const ExportView& view) {
  const answer::Recommendation& r = view.chosen;
  Json out = Json::array();
  const auto add = [&](std::string_view type, double value) {
    out.push_back({{"Type", type}, {"Value", format("{:.0f}", value)}});
  };
  if (devices_of(r) > 0) add("GPU", devices_of(r));
  if (r.instance->vcpu) add("VCPU", *r.instance->vcpu);
  if (r.instance->memory_gib) add("MEMORY", std::floor(kHostShare * kMibPerGib * *r.instance->memory_gib));
  return out;
}

/// EFA as containers see it: https://docs.aws.amazon.com/batch/latest/userguide/efa.html
Json fabric_devices(const ExportView& view, const answer::Launch& launch) {
  Json out = Json::array();
  for (int i = 0; i < fabric_interfaces(view, launch); ++i) {
    const std::string path = format("/dev/infiniband/uverbs{}", i);
    out.push_back(
        {{"HostPath", path}, {"ContainerPath", path}, {"Permissions", Json::array({"READ", "WRITE", "MKNOD"})}});
  }
  return out;
}

/// Of the launch template: the first card's may be a plain one beside those of the fabric.
Json network_interfaces(const ExportView& view, const answer::Launch& launch) {
  Json out = Json::array();
  const int efa = fabric_interfaces(view, launch);
  const bool first = efa_on_first_card(host_type(*view.chosen.instance));
  for (int card = 0; efa > 0 && card < efa + (first ? 0 : 1); ++card) {
    Json one{{"NetworkCardIndex", card},
             {"DeviceIndex", card == 0 ? 0 : 1},
             {"Groups", reference("SecurityGroups")},
             {"DeleteOnTermination", true}};
    if (card > 0 || first) one["InterfaceType"] = "efa";
    out.push_back(std::move(one));
  }
  return out;
}

/// What runs before the job, so that its results are in the bucket when it ends or fails, and what an earlier try left
/// there is back.
std::string kept_in_bucket(const ExportView& view) {
  const std::string results = format("\"s3://$BUCKET/{}\"", job_name(view));
  return format(R"(export OUTPUT={1}
mkdir -p "$OUTPUT"
pip install --quiet awscli
aws s3 sync --only-show-errors {0} "$OUTPUT"
keep() {{ aws s3 sync --only-show-errors "$OUTPUT" {0}; }}
(while sleep 600; do keep; done) &
trap keep EXIT
)",
                results, kResultFolder);
}

/// May read and write that bucket: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html
Json bucket_role() {
  const auto statement = [](Json actions, std::string_view resource) {
    return Json{{"Effect", "Allow"}, {"Action", std::move(actions)}, {"Resource", {{"Fn::Sub", resource}}}};
  };
  const Json policy{
      {"Version", "2012-10-17"},
      {"Statement", Json::array({statement(Json::array({"s3:ListBucket"}), "arn:${AWS::Partition}:s3:::${Bucket}"),
                                 statement(Json::array({"s3:GetObject", "s3:PutObject"}),
                                           "arn:${AWS::Partition}:s3:::${Bucket}/*")})}};
  const Json trust{{"Version", "2012-10-17"},
                   {"Statement", Json::array({{{"Effect", "Allow"},
                                               {"Principal", {{"Service", "ecs-tasks.amazonaws.com"}}},
                                               {"Action", "sts:AssumeRole"}}})}};
  return {{"Type", "AWS::IAM::Role"},
          {"Properties",
           {{"AssumeRolePolicyDocument", trust},
            {"Policies", Json::array({{{"PolicyName", "results"}, {"PolicyDocument", policy}}})}}}};
}

Json batch_container(const ExportView& view, const answer::Launch& launch, const Container& container) {
  const bool together = reads_rank(launch) && view.chosen.machine().nodes > 1;
  const bool keeps = has_output(launch);
  std::string preamble = together ? "RANK=\"$AWS_BATCH_JOB_NODE_INDEX\"\n"
                                    "MASTER=\"${AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS:-$(hostname -i)}\"\n"
                                  : "";
  std::string script = container.script;
  if (keeps) preamble += kept_in_bucket(view);
  // Only process 1 gets SIGTERM, and a shell runs its trap only after a foreground command ends.
  if (keeps) script = "(\n" + script + ") & work=$!\ntrap 'kill -TERM -1; wait $work; exit 143' TERM\nwait $work\n";
  Json environment = Json::array();
  for (const auto& [name, meaning] : without_output(launch).env)
    environment.push_back({{"Name", name}, {"Value", reference(name)}});
  if (keeps) environment.push_back({{"Name", "BUCKET"}, {"Value", reference("Bucket")}});
  Json out{{"Image", container.image},
           {"Command", Json::array({"/bin/sh", "-euc", preamble + script})},
           {"ResourceRequirements", requirements_of(view)},
           {"LinuxParameters", {{"SharedMemorySize", 65536}}}};
  if (Json devices = fabric_devices(view, launch); !devices.empty())
    out["LinuxParameters"]["Devices"] = std::move(devices);
  if (keeps) out["JobRoleArn"] = of_resource("Role", "Arn");
  if (!environment.empty()) out["Environment"] = std::move(environment);
  return out;
}

Json batch_definition(const ExportView& view, Json container) {
  const answer::Recommendation& r = view.chosen;
  Json out{{"JobDefinitionName", job_name(view)}, {"RetryStrategy", {{"Attempts", is_spot(r) ? 5 : 1}}}};
  if (r.machine().nodes == 1) {
    out.update({{"Type", "container"}, {"ContainerProperties", std::move(container)}});
    return out;
  }
  out["Type"] = "multinode";
  out["NodeProperties"] = {
      {"NumNodes", r.machine().nodes},
      {"MainNode", 0},
      {"NodeRangeProperties", Json::array({{{"TargetNodes", "0:"}, {"Container", std::move(container)}}})}};
  return out;
}

Json batch_resources(const ExportView& view, const answer::Launch& launch, const Container& container) {
  const answer::Recommendation& r = view.chosen;
  Json disk{{"DeviceName", "/dev/xvda"},
            {"Ebs", {{"VolumeSize", disk_gb(view)}, {"VolumeType", "gp3"}, {"DeleteOnTermination", true}}}};
  Json computers{{"Type", is_spot(r) ? "SPOT" : "EC2"},
                 {"AllocationStrategy", is_spot(r) ? "SPOT_PRICE_CAPACITY_OPTIMIZED" : "BEST_FIT_PROGRESSIVE"},
                 {"InstanceTypes", Json::array({host_type(*r.instance)})},
                 {"MinvCpus", 0},
                 {"MaxvCpus", static_cast<int>(r.machine().nodes * r.instance->vcpu.value_or(256))},
                 {"Subnets", reference("Subnets")},
                 {"SecurityGroupIds", reference("SecurityGroups")},
                 {"InstanceRole", reference("InstanceProfile")},
                 {"LaunchTemplate", {{"LaunchTemplateId", reference("Disk")}}}};
  if (devices_of(r) > 0) computers["Ec2Configuration"] = Json::array({{{"ImageType", "ECS_AL2023_NVIDIA"}}});
  Json machine{{"BlockDeviceMappings", Json::array({std::move(disk)})}};
  if (Json cards = network_interfaces(view, launch); !cards.empty()) machine["NetworkInterfaces"] = std::move(cards);
  Json out{
      {"Disk", {{"Type", "AWS::EC2::LaunchTemplate"}, {"Properties", {{"LaunchTemplateData", std::move(machine)}}}}}};
  if (works_together(view, launch)) {
    out["Together"] = {{"Type", "AWS::EC2::PlacementGroup"}, {"Properties", {{"Strategy", "cluster"}}}};
    computers["PlacementGroup"] = reference("Together");
  }
  out["Computers"] = {{"Type", "AWS::Batch::ComputeEnvironment"},
                      {"Properties", {{"Type", "MANAGED"}, {"ComputeResources", std::move(computers)}}}};
  out["Queue"] = {
      {"Type", "AWS::Batch::JobQueue"},
      {"Properties",
       {{"Priority", 1},
        {"ComputeEnvironmentOrder", Json::array({{{"Order", 1}, {"ComputeEnvironment", reference("Computers")}}})}}}};
  if (has_output(launch)) out["Role"] = bucket_role();
  out["Job"] = {{"Type", "AWS::Batch::JobDefinition"},
                {"Properties", batch_definition(view, batch_container(view, launch, container))}};
  return out;
}

std::string deploy_line(const ExportView& view, std::string_view file, std::string_view further = {}) {
  return format("aws cloudformation deploy --region {} --stack-name {} --template-file {}{} --parameter-overrides …",
                has_region(view.chosen) ? view.chosen.region->id : "REGION", job_name(view), file, further);
}

}  // namespace

Result<Exported> export_sagemaker(const ExportView& view) {
  if (Status possible = check_amazon(view, "SageMaker"); !possible) return std::unexpected(possible.error());
  const answer::Launch launch = launch_of(view);
  if (!launch.serves()) return cannot(say("SageMaker endpoints run servers, and this plan is not a server"));
  if (launch.nodes > 1)
    return cannot(
        say("one replica spans {} instances, which an endpoint of {} cannot start", launch.nodes, "SageMaker"));
  if (is_spot(view.chosen)) return cannot(say("endpoints of {} run on demand", "SageMaker"));
  if (!has_endpoints(view))
    return cannot(say("{} has no instance type {}", "SageMaker", host_type(*view.chosen.instance)));
  if (view.chosen.region->id.starts_with("cn-"))
    return cannot(say("the registry of SageMaker's containers in {} is not known", view.chosen.region->id));
  Json variables = vllm_variables(launch);
  if (variables.is_null())
    return cannot(
        say("SageMaker's container of vLLM takes flags and published weights alone: --engine vllm plans for it"));
  Exported out{"sagemaker.yaml", {}, {}};
  for (const std::string& remark : launch.remarks) out.notes.push_back(remark);
  out.notes.push_back(say("the price is that of the instance alone: {} bills its own, which is higher", "SageMaker"));
  out.notes.push_back(deploy_line(view, out.name));
  const Json document{
      {"AWSTemplateFormatVersion", "2010-09-09"},
      {"Parameters",
       {{"ExecutionRoleArn", parameter("String", say("role that SageMaker acts as"))},
        {"HuggingFaceToken",
         {{"Type", "String"}, {"NoEcho", true}, {"Default", ""}, {"Description", say("if the repository is gated")}}}}},
      {"Resources", sagemaker_resources(view, std::move(variables))},
      {"Outputs", {{"EndpointName", {{"Value", of_resource("Endpoint", "EndpointName")}}}}}};
  out.content = yaml_file(view, out.notes, {document});
  return out;
}

Result<Exported> export_batch(const ExportView& view) {
  const answer::Launch launch = launch_of(view);
  if (launch.serves()) return cannot(say("AWS Batch runs jobs that end, and this plan is a server"));
  if (Status possible = check_amazon(view, "AWS Batch"); !possible) return std::unexpected(possible.error());
  if (view.chosen.machine().nodes > 1 && is_spot(view.chosen))
    return cannot(say("AWS Batch cannot run multi-node jobs on spot instances"));
  const auto container = container_of(view, launch);
  if (!container) return std::unexpected(container.error());
  const bool keeps = has_output(launch);
  const answer::Launch asked = without_output(launch);
  Exported out{"batch.yaml", {}, launch_notes(asked)};
  out.notes.push_back(disk_note(view));
  if (keeps)
    out.notes.push_back(
        say("results go to {} in your bucket, every ten minutes and when the job ends", job_name(view)));
  out.notes.push_back(deploy_line(view, out.name, keeps ? " --capabilities CAPABILITY_IAM" : ""));
  out.notes.push_back(
      say("then: aws batch submit-job with the queue and the definition that the stack's outputs name"));
  Json parameters{{"Subnets", parameter("List<AWS::EC2::Subnet::Id>", say("subnets that the instances are put into"))},
                  {"SecurityGroups",
                   parameter("List<AWS::EC2::SecurityGroup::Id>", say("security groups that guard the instances"))},
                  {"InstanceProfile", parameter("String", say("instance profile of ECS for the instances"))}};
  if (keeps) parameters["Bucket"] = parameter("String", say("S3 bucket for the results"));
  for (const auto& [name, meaning] : asked.env) {
    parameters[name] = parameter("String", meaning);
    if (name == kTokenVariable) parameters[name].update({{"NoEcho", true}, {"Default", ""}});
  }
  const Json document{
      {"AWSTemplateFormatVersion", "2010-09-09"},
      {"Parameters", std::move(parameters)},
      {"Resources", batch_resources(view, launch, *container)},
      {"Outputs", {{"Queue", {{"Value", reference("Queue")}}}, {"Definition", {{"Value", reference("Job")}}}}}};
  out.content = yaml_file(view, out.notes, {document});
  return out;
}

}  // namespace gpusel::show
