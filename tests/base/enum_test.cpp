// Enumerations are read and written through one list of names.
#include <catch2/catch.hpp>

#include <set>

#include "base/values/enum.hpp"
#include "catalog/records/gpu.hpp"
#include "catalog/records/market.hpp"
#include "catalog/records/model.hpp"

namespace enum_test {

using namespace gpusel;

TEMPLATE_TEST_CASE("every name of an enumeration is read back as what it names", "", catalog::GpuLink,
                   catalog::VgpuSupport, catalog::ModelKind, catalog::ProviderKind, catalog::NodeLink, catalog::Rdma,
                   catalog::CpuArch, catalog::Availability, catalog::Term, catalog::Period, catalog::Confidence) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < enum_names<TestType>.size(); ++i) {
    const std::string_view name = enum_names<TestType>[i];
    CHECK(seen.insert(name).second);
    const auto value = from_text<TestType>(name);
    REQUIRE(value);
    CHECK(static_cast<std::size_t>(*value) == i);
    CHECK(to_text(*value) == name);
  }
}

TEST_CASE("the last enumerator has the last name") {
  CHECK(to_text(catalog::GpuLink::roce) == "roce");
  CHECK(to_text(catalog::VgpuSupport::sr_iov) == "sr-iov");
  CHECK(to_text(catalog::ModelKind::speech) == "speech");
  CHECK(to_text(catalog::ProviderKind::marketplace) == "marketplace");
  CHECK(to_text(catalog::NodeLink::hccs) == "hccs");
  CHECK(to_text(catalog::Rdma::erdma) == "erdma");
  CHECK(to_text(catalog::CpuArch::arm64) == "arm64");
  CHECK(to_text(catalog::Availability::retired) == "retired");
  CHECK(to_text(catalog::Term::year) == "year");
  CHECK(to_text(catalog::Period::year) == "year");
  CHECK(to_text(catalog::Confidence::derived) == "derived");
}

TEST_CASE("a name that is almost right is refused") {
  const auto name = GENERATE("", "Spot", "spot ", "on_demand", "ondemand", "reserved", "spot\n");
  CAPTURE(name);
  CHECK_FALSE(from_text<catalog::Term>(name));
}

}  // namespace enum_test
