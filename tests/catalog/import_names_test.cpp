// What names, forms and memory in a price list say of the GPU and the region that are meant.
#include "imports.hpp"

namespace import_names_test {

using namespace gpusel;
using namespace gpusel::test;

TEST_CASE("import: form and memory tell GPUs of one name apart", "[import]") {
  const Import vast = skypilot("vast/vms.csv");
  check_accounts(vast);
  CHECK(vast.report.files[0].cloud == "vast");
  CHECK(gpus_of(vast.market, "2x-H100_NVL-32-65536") == "2 h100-nvl-94gb");
  CHECK(gpus_of(vast.market, "1x-A100_PCIE-32-65536") == "1 a100-pcie-80gb");
  CHECK(reason_on(vast, 6) == "another accelerator than the rows of '1x-A100_PCIE-32-65536' before it");
  CHECK(prices_of(vast.market, "1x-A100_PCIE-32-65536") ==
        Lines{"on-demand 0.87 USD us"});  // the cheapest of a country
  CHECK(reason_on(vast, 8) == "the catalog has no accelerator 'rtx9999ti'");
  CHECK(gpus_of(vast.market, "1x-RTX_3060-32-65536") == "1 rtx-3060");
  const Import runpod = skypilot("runpod/vms.csv");
  check_accounts(runpod);
  CHECK(gpus_of(runpod.market, "2x_A100-80GB_SECURE") == "2 a100-pcie-80gb");
  CHECK(prices_of(runpod.market, "2x_A100-80GB_SECURE") == Lines{"on-demand 2.68 USD IS", "spot 1.9 USD IS"});
  CHECK(gpus_of(runpod.market, "4x_H100_SECURE") == "4 undisclosed");
  CHECK(warns(runpod, 4, "could be any of"));
  CHECK(reason_on(runpod, 5) == "12 of h100-sxm-80gb: boards of it have up to 8");
}

TEST_CASE("import: SKU, source and driver's name tell GPUs apart where the name does not", "[import]") {
  const std::string columns = "InstanceType,UpstreamCloudId,AcceleratorName,AcceleratorCount,GpuInfo,Region,Price\n";
  const Import result = import_text(
      ImportFormat::skypilot, "primeintellect.csv",
      columns +
          "gpu-l40s-d_2gpu,,L40S,2,,FI,4.57\n"
          "RTX_4090_D,,RTX4090,1,,FI,0.3\n"
          "lambdalabs__8xH100,gpu_8x_h100_sxm5,H100,8,,US,23.92\n"
          "hyperstack__1xH100,n3-H100x1,H100,1,,CA,1.9\n"
          "datacrunch__1xA100__SPOT,1A100.22V_SPOT,A100-80GB,1,,FI,0.53\n"
          "oblivus__8xA100,A100_NVLINK_80GB,A100-80GB,8,,CA,12.57\n"
          "1x-H100-75-722,,H100,1,{'Name': 'NVIDIA-H100-80GB-HBM3' 'MemoryInfo': {'SizeInMiB': 81559}},US,1.29\n"
          "ice-lake-a100-pci_1x2v4gb,,A100-80GB,1,,US,1.37\n"
          "8x_bare,,RTX5090_PCIE_BAREMETAL,8,,US,7.39\n"
          "NC144lds_xl_RTXPRO6000BSE_v6,,,1,,US,5.5\n");
  check_accounts(result);
  CHECK(gpus_of(result.market, "gpu-l40s-d_2gpu") == "2 l40s");
  CHECK(gpus_of(result.market, "RTX_4090_D") == "1 rtx-4090-d");
  CHECK(gpus_of(result.market, "lambdalabs__8xH100") == "8 h100-sxm-80gb");
  CHECK(gpus_of(result.market, "hyperstack__1xH100") == "1 h100-pcie-80gb");
  CHECK(gpus_of(result.market, "datacrunch__1xA100__SPOT") == "1 a100-sxm-80gb");
  CHECK(gpus_of(result.market, "oblivus__8xA100") == "8 undisclosed");
  CHECK(gpus_of(result.market, "1x-H100-75-722") == "1 h100-sxm-80gb");
  CHECK(gpus_of(result.market, "ice-lake-a100-pci_1x2v4gb") == "1 a100-pcie-80gb");
  CHECK(gpus_of(result.market, "8x_bare") == "8 rtx-5090");
  CHECK(gpus_of(result.market, "NC144lds_xl_RTXPRO6000BSE_v6") == "1 rtx-pro-6000-server-96gb");
}

TEST_CASE("import: a region that is left out is the one its zone is named after", "[import]") {
  const Import result = import_text(ImportFormat::skypilot, "ibm.csv",
                                    "InstanceType,AcceleratorName,AcceleratorCount,Region,AvailabilityZone,Price\n"
                                    "gx2-8x64x1v100,V100,1,jp-tok,jp-tok-1,2.821\n"
                                    "gx2-8x64x1v100,V100,1,,jp-tok-2,2.721\n"
                                    "gx2-8x64x1v100,V100,1,,br-sao-1,2.996\n");
  check_accounts(result);
  CHECK(prices_of(result.market, "gx2-8x64x1v100") == Lines{"on-demand 2.721 USD jp-tok"});
  CHECK(reason_on(result, 4) == "no region");
  REQUIRE(result.report.warnings.size() == 1);
  CHECK(result.report.warnings[0].rows == 2);  // of one instance type: remarks count rows
}

TEST_CASE("import: gpuhunt's rows of Google name sizes that take any GPU, and slices of TPUs", "[import]") {
  const Import result =
      import_text(ImportFormat::gpuhunt, "gcp.csv",
                  "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,gpu_vendor\n"
                  "n1-standard-8,us-central1-a,0.73,8,30,1,T4,16,False,nvidia\n"
                  "n1-standard-8,us-central1-a,1.08,8,30,2,T4,16,False,nvidia\n"
                  "n1-standard-8,us-central1-b,1.84,8,30,1,P100,16,True,nvidia\n"
                  "n1-standard-8,us-central1-b,0.38,8,30,0,,,False,\n"
                  "v5litepod-8,us-central1,9.6,224,384,1,v5litepod-8,128,False,google\n"
                  "v4-8,us-central1,3.22,240,400,1,tpu-v4-8,128,False,\n"
                  "v9-8,us-central1,21.6,180,1440,1,v9-8,256,False,google\n");
  check_accounts(result);
  CHECK(gpus_of(result.market, "n1-standard-8+1xT4") == "1 t4");
  CHECK(gpus_of(result.market, "n1-standard-8+2xT4") == "2 t4");
  CHECK(gpus_of(result.market, "n1-standard-8+1xP100") == "1 p100-16gb");
  CHECK(gpus_of(result.market, "n1-standard-8") == "0 none");
  CHECK(prices_of(result.market, "n1-standard-8+1xP100") == Lines{"spot 1.84 USD us-central1"});
  CHECK(gpus_of(result.market, "tpu-v5litepod-8") == "8 tpu-v5e");
  CHECK(prices_of(result.market, "tpu-v5litepod-8") == Lines{"on-demand 9.6 USD us-central1"});
  CHECK(gpus_of(result.market, "tpu-v4-8") == "4 tpu-v4");
  CHECK(reason_on(result, 8) == "the catalog has no accelerator 'tpu-v9-8'");
}

TEST_CASE("import: gpuhunt's flags tell other products, and RunPod's SKU is a GPU of any number", "[import]") {
  const std::string columns = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,flags\n";
  const Import runpod =
      import_text(ImportFormat::gpuhunt, "runpod.csv",
                  columns +
                      "NVIDIA H100 80GB HBM3,CA-MTL-1,2.99,16,125,1,H100,80,False,\n"
                      "NVIDIA H100 80GB HBM3,CA-MTL-1,23.92,128,1000,8,H100,80,False,\n"
                      "NVIDIA H100 80GB HBM3,CA-MTL-1,21.52,128,1000,8,H100,80,False,runpod-cluster\n");
  check_accounts(runpod);
  CHECK(gpus_of(runpod.market, "NVIDIA H100 80GB HBM3") == "1 h100-sxm-80gb");
  CHECK(gpus_of(runpod.market, "NVIDIA H100 80GB HBM3 x8") == "8 h100-sxm-80gb");
  CHECK(prices_of(runpod.market, "NVIDIA H100 80GB HBM3 x8") == Lines{"on-demand 23.92 USD CA-MTL-1"});
  CHECK(reason_on(runpod, 4) == "'runpod-cluster': the price of another product than the size itself");
  const Import gcp = import_text(ImportFormat::gpuhunt, "gcp.csv",
                                 columns +
                                     "a4-highgpu-8g,us-central1-b,90.2,224,3968,8,B200,180,False,gcp-a4\n"
                                     "a4-highgpu-8g,us-central1-b,64.4,224,3968,8,B200,180,False,"
                                     "gcp-dws-calendar-mode gcp-a4\n");
  check_accounts(gcp);
  CHECK(prices_of(gcp.market, "a4-highgpu-8g") == Lines{"on-demand 90.2 USD us-central1"});
}

TEST_CASE("import: a short name of several parts is the one that the seller has", "[import]") {
  const Import offers =
      import_text(ImportFormat::vast, "offers.json", "[{\"gpu_name\": \"H200\", \"num_gpus\": 1, \"dph_total\": 3.5}]");
  check_accounts(offers);
  REQUIRE(offers.market.instances().size() == 1);
  CHECK(offers.market.instances()[0].gpu == "h200-sxm-141gb");
  REQUIRE(offers.report.warnings.size() == 1);
  // It has A100 of 80 GB of both forms.
  const Import both =
      import_text(ImportFormat::vast, "offers.json",
                  "[{\"gpu_name\": \"A100\", \"num_gpus\": 1, \"gpu_ram\": 81920, \"dph_total\": 1.5}]");
  REQUIRE(both.market.instances().size() == 1);
  CHECK(both.market.instances()[0].gpu == "undisclosed");
}

}  // namespace import_names_test
