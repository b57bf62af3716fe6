#include "show/export/targets/machines/hcl.hpp"

#include <catch2/catch.hpp>

namespace hcl_test {

using gpusel::show::hcl_quoted;
using gpusel::show::HclBlock;

TEST_CASE("a name from a catalogue does not get out of its string", "[export]") {
  CHECK(hcl_quoted("p5.48xlarge") == R"("p5.48xlarge")");
  CHECK(hcl_quoted(R"(a" }  # \)") == R"("a\" }  # \\")");
  CHECK(hcl_quoted("${file(\"/etc/passwd\")}") == R"("$${file(\"/etc/passwd\")}")");
  CHECK(hcl_quoted("%{ if true }") == R"("%%{ if true }")");
  CHECK(hcl_quoted("$${x}") == R"("$$${x}")");
  CHECK(hcl_quoted("5 $ or 5 %") == R"("5 $ or 5 %")");
  CHECK(hcl_quoted("a\nb\r\t\x01\x7F") == R"("a\nb\r\t\u0001\u007F")");
  CHECK(hcl_quoted("\xFF") == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("blocks are written with their labels, arguments in line, blocks inside", "[export]") {
  HclBlock block("resource", {"aws_instance", "job"});
  block.number("count", 2).text("instance_type", "p5.48xlarge").flag("monitoring", true);
  block.block("root_block_device").expression("volume_size", "var.disk_gb");
  CHECK(block.written() ==
        "resource \"aws_instance\" \"job\" {\n"
        "  count         = 2\n"
        "  instance_type = \"p5.48xlarge\"\n"
        "  monitoring    = true\n"
        "\n"
        "  root_block_device {\n"
        "    volume_size = var.disk_gb\n"
        "  }\n"
        "}\n");
}

}  // namespace hcl_test
