// Storage: what is read from it and what a month costs, worked by hand.
#include "money/storage.hpp"

#include <catch2/catch.hpp>

namespace storage_test {

using namespace gpusel;
using namespace gpusel::money;
using catalog::Storage;
using catalog::StorageKind;

namespace {

Storage storage(StorageKind kind) {
  Storage one;
  one.kind = kind;
  one.currency = "USD";
  return one;
}

StorageUse use(double gb, int nodes = 1, double bought = 0) {
  StorageUse out;
  out.gb = gb;
  out.nodes = nodes;
  out.bought_gbs = bought;
  out.node_gbs = 100;  // a network that bounds nothing
  return out;
}

/// 0.08 per GB, 125 MB/s included, 40 for each GB/s more, at most 1 GB/s.
Storage volume() {
  Storage one = storage(StorageKind::block);
  one.per_gb_month = 0.08;
  one.per_gbs_month = 40;
  one.read_gbs_included = 0.125;
  one.read_gbs = 1;
  return one;
}

/// A file system of 0.1 GB/s for each TB.
Storage lustre() {
  Storage one = storage(StorageKind::parallel_file);
  one.per_gb_month = 0.145;
  one.read_gbs_per_tb = 0.1;
  return one;
}

}  // namespace

TEST_CASE("a volume reads what is included, and more where throughput is bought") {
  CHECK(read_rate(volume(), use(500))->gbs == Approx(0.125));
  CHECK(read_rate(volume(), use(500, 1, 0.5))->gbs == Approx(0.625));
  CHECK(read_rate(volume(), use(500, 1, 5))->gbs == Approx(1));  // its own limit
}

TEST_CASE("every node has a volume of its own, a file system is one for all") {
  CHECK(read_rate(volume(), use(500, 4))->gbs == Approx(0.5));
  CHECK(read_rate(lustre(), use(2000, 4))->gbs == Approx(0.2));
  CHECK(price_per_month(volume(), use(500, 4))->amount == Approx(160));   // 4 × 500 × 0.08
  CHECK(price_per_month(lustre(), use(2000, 4))->amount == Approx(290));  // 2000 × 0.145
}

TEST_CASE("parts of a rate add up, and what is stored counts") {
  Storage essd = storage(StorageKind::block);
  essd.read_gbs_included = 0.12;
  essd.read_gbs_per_tb = 0.5;
  essd.read_gbs = 0.35;
  CHECK(read_rate(essd, use(200))->gbs == Approx(0.22));   // 0.12 + 0.2 × 0.5
  CHECK(read_rate(essd, use(1000))->gbs == Approx(0.35));  // 0.62, cut
}

TEST_CASE("sizes that are not sold bring and cost what the least one does") {
  StorageUse small = use(100);
  small.least_gb = 1200;
  CHECK(read_rate(lustre(), small)->gbs == Approx(0.12));            // 1.2 TB
  CHECK(price_per_month(lustre(), small)->amount == Approx(174.0));  // 1200 × 0.145
  small.gb = 5000;
  CHECK(small.sold_gb() == 5000);
}

TEST_CASE("an instance draws no more than its share, nor than its network carries") {
  Storage bucket = storage(StorageKind::object);
  bucket.read_gbs_per_node = 12.5;
  StorageUse two = use(1000, 2);
  CHECK(read_rate(bucket, two)->gbs == Approx(25));
  CHECK(read_rate(bucket, two)->bound_by == "instance");
  two.node_gbs = 3.125;  // 25 Gbit/s
  CHECK(read_rate(bucket, two)->gbs == Approx(6.25));
  CHECK(read_rate(bucket, two)->bound_by == "network");
  bucket.read_gbs = 5;
  CHECK(read_rate(bucket, two)->bound_by == "volume");
}

TEST_CASE("where the network of an instance is not known, only its own disks have a rate") {
  Storage bucket = storage(StorageKind::object);
  bucket.read_gbs_per_node = 12.5;
  StorageUse unknown = use(1000);
  unknown.node_gbs.reset();
  CHECK_FALSE(read_rate(bucket, unknown));
  CHECK_FALSE(read_rate(volume(), unknown));
  Storage disks = storage(StorageKind::local);
  disks.read_gbs_per_tb = 2;
  CHECK(read_rate(disks, unknown)->gbs == Approx(2));
}

TEST_CASE("what is not published stays unknown") {
  StorageUse with_network = use(1000);
  with_network.node_gbs = 10;
  CHECK_FALSE(read_rate(storage(StorageKind::file), with_network));
  CHECK_FALSE(price_per_month(storage(StorageKind::file), with_network));
  Storage no_currency = volume();
  no_currency.currency = {};
  CHECK_FALSE(price_per_month(no_currency, use(100)));
}

TEST_CASE("a volume that gives nothing unbought has no rate until some is bought") {
  Storage one = volume();
  one.read_gbs_included = 0;
  CHECK_FALSE(read_rate(one, use(100)));
  CHECK(read_rate(one, use(100, 1, 0.4))->gbs == Approx(0.4));
}

TEST_CASE("throughput is bought for what is wanted, per volume and up to what is sold") {
  CHECK(throughput_to_buy(volume(), use(500), 0.6) == Approx(0.475));
  CHECK(throughput_to_buy(volume(), use(500, 4), 2) == Approx(0.375));  // 0.5 for each of four
  CHECK(throughput_to_buy(volume(), use(500), 9) == Approx(0.875));     // up to 1 GB/s
  CHECK(throughput_to_buy(volume(), use(500), 0.1) == 0);
  CHECK(throughput_to_buy(lustre(), use(500), 9) == 0);                          // not sold apart
  CHECK(price_per_month(volume(), use(500, 1, 0.475))->amount == Approx(59.0));  // 40 + 19
}

TEST_CASE("a volume that would have to be larger than it can be has no price") {
  Storage one = volume();
  one.max_gb = 1000;
  CHECK(holds(one, 1000));
  CHECK_FALSE(holds(one, 1001));
  CHECK_FALSE(price_per_month(one, use(1001)));
}

TEST_CASE("the instance's own disks cost nothing on top of it") {
  Storage disks = storage(StorageKind::local);
  disks.read_gbs_per_tb = 2;
  StorageUse far = use(8000);
  far.node_gbs = 1;  // no network is between
  CHECK(read_rate(disks, far)->gbs == Approx(16));
  CHECK(price_per_month(disks, far)->amount == 0);
}

}  // namespace storage_test
