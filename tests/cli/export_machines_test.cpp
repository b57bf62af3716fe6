// What orders machines at their sellers, and starts the job there.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "support/exports.hpp"

namespace export_machines_test {

using namespace gpusel::test;
using Json = nlohmann::json;

TEST_CASE("places that no API knows are variables, or left out", "[export]") {
  const Run run = ask({"export", "terraform", "--model", "llama-7b", "--task", "inference", "--cloud", "tencent",
                       "--infra", "tencent/cn-mainland", "--gpu", "a100-sxm-40gb"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(has(run.out, "region = var.region"));
  CHECK_FALSE(has(run.out, "\"cn-mainland\""));
  CHECK_FALSE(has(exported("dstack", "vast"), "regions:"));
  CHECK(has(exported("dstack", "vast"), "name: "));
}

TEST_CASE("replicas are a service of SkyPilot, and no cluster in Terraform", "[export]") {
  const Run asked = ask({"recommend", "--model", "llama-3.1-8b", "--task", "inference", "--infra", "gcp/us-central1",
                         "--gpu", "l4:1", "--rps", "1", "--json"});
  const int nodes = Json::parse(asked.out)["recommendations"][0]["nodes"];
  REQUIRE(nodes > 1);
  CHECK(has(exported("skypilot", "gcp-serving"), "replicas: " + std::to_string(nodes) + "\n"));
  const Run run = ask({"export", "terraform", "--model", "llama-3.1-8b", "--task", "inference", "--cloud", "aws",
                       "--gpu", "l4:1", "--rps", "2", "--pp", "1"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_FALSE(has(run.out, "aws_placement_group"));
  CHECK(has(exported("terraform", "aws-two-nodes"), "aws_placement_group"));
}

TEST_CASE("instances that must know the first one's address are started after it", "[export]") {
  const std::string job = "export terraform --model llama-3.1-70b --task finetune --method full --nodes 2 --cloud ";
  const Run oci = ask(words_of(job + "oci"));
  CAPTURE(oci.err);
  CHECK(has(oci.out, "MASTER=${oci_core_instance.first[0].private_ip}"));
  CHECK(has(oci.out, "source_type               = \"NETWORK_SECURITY_GROUP\""));
  CHECK(has(oci.out, "compute_cluster_id  = oci_core_compute_cluster.job.id"));
  const Run nebius = ask(words_of(job + "nebius"));
  CHECK(has(nebius.out, "nebius_compute_v1_instance.first[0].status.network_interfaces[0].ip_address.address)[0]"));
  for (const Run& run : {oci, nebius}) CHECK_FALSE(has(run.out, "var.master"));
  const Run volta = ask(words_of("export terraform --model llama-3.1-8b --task inference --allow-list p3.2xlarge"));
  CHECK(has(volta.out, "give ami_id"));
  CHECK_FALSE(has(volta.out, "default = null"));
  const Run part =
      ask(words_of("export terraform --model llama-3.1-8b --task inference --allow-list Standard_NV.*A10.*"));
  CHECK(has(part.out, "source_image_id"));
  CHECK_FALSE(has(part.out, "ubuntu-hpc"));
}

TEST_CASE("AWS Batch takes variables by reference, whole processors, and the fabric", "[export]") {
  const std::string nodes = exported("batch", "aws-two-nodes");
  CHECK(has(nodes, "- Name: DATASET\n"));
  CHECK(has(nodes, "Ref: DATASET"));
  CHECK_FALSE(has(nodes, "Value: DATASET"));
  CHECK(has(nodes, "MaxvCpus: 576\n"));
  CHECK(has(nodes, "InterfaceType: efa"));
  CHECK(has(nodes, "/dev/infiniband/uverbs31"));
  CHECK_FALSE(has(exported("batch", "lora-on-one-gpu"), "infiniband"));
  const Run spot = asked_export("batch",
                                "--model llama-3.1-70b --task finetune --allow-list p5.48xlarge "
                                "--cloud aws --nodes 3 --use-spot");
  CHECK(spot.status == 3);
  CHECK(has(spot.err, "cannot run multi-node jobs on spot instances"));
}

TEST_CASE("what a job makes outlives its machine", "[export]") {
  const std::string batch = exported("batch", "lora-on-one-gpu");
  for (const char* part : {"aws s3 sync --only-show-errors \"$OUTPUT\" \"s3://$BUCKET/gpusel-llama-7b\"",
                           "trap keep EXIT", "JobRoleArn:", "Ref: Bucket", "--capabilities CAPABILITY_IAM"})
    CHECK(has(batch, part));
  const std::string tune = "--model llama-3.1-8b --task finetune --method lora --cloud ";
  const std::string azure = export_of("azureml", tune + "azure").out;
  CHECK(has(azure, "export OUTPUT=${{outputs.results}}"));
  CHECK(has(azure, "outputs:\n  results:\n    type: uri_folder\n"));
  const std::string pod = export_of("runpod", tune + "runpod --allow-list '.*_SECURE'").out;
  for (const char* part : {"\"networkVolumeId\": \"NETWORK_VOLUME_ID\"", "\"volumeMountPath\": \"/output\"",
                           "runpodctl remove pod", ": \"${NETWORK_VOLUME_ID:?}\""})
    CHECK(has(pod, part));
  CHECK(has(exported("terraform", "lambda"), "file_system_names  = [var.file_system]"));
  CHECK(has(export_of("vertex", tune + "gcp").out, "value: \"/gcs/$BUCKET/gpusel-llama-3-1-8b\""));
  for (const std::string& text : {batch, azure, pod}) CHECK_FALSE(has(text, "- set OUTPUT"));
}

TEST_CASE("hosts of others are asked for a driver that the image runs on", "[export]") {
  const std::string serve = "--model llama-3.1-8b --task inference --cloud ";
  CHECK(has(export_of("vast", serve + "vast").out, " cuda_vers>=13.0'"));
  CHECK(has(export_of("runpod", serve + "runpod").out, "\"allowedCudaVersions\": [\n    \"13.0\"\n  ]"));
}

TEST_CASE("flexible shapes of OCI are called by their name, with their size beside it", "[export]") {
  const std::string shape = export_of("terraform", "--task preprocess --preprocess tokenize --cloud oci").out;
  for (const char* part : {".Flex\"\n", "shape_config {", "ocpus         = ", "memory_in_gbs = "})
    CHECK(has(shape, part));
  CHECK_FALSE(has(shape, "shape               = \"VM.Standard.E4.Flex$"));
}

TEST_CASE("Lambda's instances start the job over SSH", "[export]") {
  const std::string one = exported("terraform", "lambda");
  for (const char* part : {"source = \"elct9620/lambdalabs\", version = \"0.8.2\"", "provisioner \"remote-exec\"",
                           "no Terraform provider of its own"})
    CHECK(has(one, part));
}

TEST_CASE("endpoints of SageMaker have types that it has, and drivers that know the card", "[export]") {
  const std::string serve = "--model llama-3.2-1b --task inference --cloud aws --allow-list ";
  const Run none = asked_export("sagemaker", serve + "gr6.4xlarge");
  CHECK(none.status == 3);
  CHECK(has(none.err, "SageMaker has no instance type gr6.4xlarge"));
  CHECK(has(export_of("sagemaker", serve + "g6e.xlarge").out, "al2-ami-sagemaker-inference-gpu-3-1"));
  CHECK(has(export_of("sagemaker", serve + "g7e.2xlarge").out, "al2023-ami-sagemaker-inference-gpu-4-1"));
}

TEST_CASE("each family of AMD's cards has its image, and what has none is refused", "[export]") {
  const std::string serve = "--model llama-3.1-8b --task inference --gpu ";
  CHECK(has(export_of("docker", serve + "v710 --cloud azure").out, "rocm/vllm:rocm7.14.0_rdna_"));
  CHECK(has(export_of("docker", serve + "mi300x").out, "rocm/vllm:rocm7.14.0_cdna_"));
}

TEST_CASE("Vertex AI boots from the disk of the machine, and the script keeps its own variables", "[export]") {
  const std::string job = export_of("vertex",
                                    "--model llama-3.1-8b --task finetune --method lora --cloud gcp "
                                    "--allow-list a3-ultragpu-8g --nodes 2")
                              .out;
  CHECK(has(job, "bootDiskType: hyperdisk-balanced"));
  CHECK(has(job, "envsubst '$"));
  CHECK_FALSE(has(job, "envsubst <"));
}

TEST_CASE("Pyxis is told the registry apart from the image", "[export]") {
  const std::string flags = "--model llama-3.1-8b --task inference --gpu h100-sxm-80gb:1 --engine ";
  CHECK(has(export_of("slurm", flags + "trt-llm").out, "--container-image=nvcr.io#nvidia/tensorrt-llm/release:"));
}

TEST_CASE("on p6-b300 the first network card has no EFA", "[export]") {
  const std::string flags = "--model llama-3.1-70b --task finetune --method full --cloud aws --nodes 2 --allow-list ";
  const std::string b300 = export_of("terraform", flags + "p6-b300.48xlarge").out;
  CHECK(has(b300, "count.index % 17 == 0 ? null : \"efa\""));
  CHECK(has(b300, "range(17)"));
  CHECK(has(exported("terraform", "aws-two-nodes"), "interface_type  = \"efa\""));
}

TEST_CASE("dstack gets the script in one piece: it joins commands by &&", "[export]") {
  const std::string task = export_of("dstack", "--model sdxl --task inference --cloud aws --gpu l40s:1").out;
  CHECK(has(task, "  - |\n    set -e\n    cat > /tmp/generate.py <<'END'\n"));
}

}  // namespace export_machines_test
