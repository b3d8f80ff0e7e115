#include "jobs/os/cgroup.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "jobs/os/os.hpp"
#include "tests/jobs/os/fake_file_system.hpp"

// R1: the usable CPUs are what the control groups grant, not only what the machine has.
namespace quarry::impl {
namespace {

using test::FakeFileSystem;

constexpr const char* kMountinfo = "/proc/self/mountinfo";
constexpr const char* kCgroup = "/proc/self/cgroup";
const std::string kVersion2Mount = "31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string kVersion1Mount =
    "33 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:11 - cgroup cgroup rw,cpu,cpuacct\n";
const std::string kOtherMounts =
    "22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "34 24 0:31 / /sys/fs/cgroup/memory rw shared:12 - cgroup cgroup rw,memory\n";

class CgroupVersion2 : public testing::Test {
  protected:
    CgroupVersion2() { files_.write(kMountinfo, kOtherMounts + kVersion2Mount); }

    FakeFileSystem& in_group(const std::string& path) { return files_.write(kCgroup, "0::" + path + "\n"); }
    std::optional<int> limit() const { return cgroup_cpu_limit(files_.root()); }

    FakeFileSystem files_;
};

TEST_F(CgroupVersion2, QuotaOfTheOwnGroupIsTheLimit) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "300000 100000\n");
    EXPECT_EQ(limit(), 3);
}

TEST_F(CgroupVersion2, PartOfACpuCountsAsAWholeOne) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "210000 100000\n");
    EXPECT_EQ(limit(), 3);
    files_.write("/sys/fs/cgroup/app/cpu.max", "1000 100000\n");
    EXPECT_EQ(limit(), 1);
}

TEST_F(CgroupVersion2, SmallestQuotaOnTheWayToTheRootCounts) {
    in_group("/slice/service/app")
        .write("/sys/fs/cgroup/slice/service/app/cpu.max", "800000 100000\n")
        .write("/sys/fs/cgroup/slice/service/cpu.max", "max 100000\n")
        .write("/sys/fs/cgroup/slice/cpu.max", "200000 100000\n");
    EXPECT_EQ(limit(), 2);
}

TEST_F(CgroupVersion2, QuotaAtTheMountPointCounts) {
    in_group("/").write("/sys/fs/cgroup/cpu.max", "500000 100000\n");
    EXPECT_EQ(limit(), 5);
}

TEST_F(CgroupVersion2, QuotaOfAnotherGroupDoesNotCount) {
    in_group("/app").write("/sys/fs/cgroup/other/cpu.max", "100000 100000\n");
    EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CgroupVersion2, MaxMeansNoLimit) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "max 100000\n");
    EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CgroupVersion2, PeriodOtherThanTheUsualOneIsUsed) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "20000 5000\n");
    EXPECT_EQ(limit(), 4);
}

TEST_F(CgroupVersion2, HugeQuotaDoesNotOverflow) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "9223372036854775807 1\n");
    EXPECT_EQ(limit(), 2147483647);
}

TEST_F(CgroupVersion2, MalformedQuotaIsNoLimit) {
    in_group("/app");
    for (const char* text :
         {"", "\n", "fast 100000\n", "100000\n", "200000 \n", "200000 0\n", "-1 100000\n", "0 100000\n",
          "200000 100000 5\n", "2e5 100000\n", "99999999999999999999 1\n", "200000 -100000\n"}) {
        files_.write("/sys/fs/cgroup/app/cpu.max", text);
        EXPECT_EQ(limit(), std::nullopt) << '"' << text << '"';
    }
}

TEST_F(CgroupVersion2, MalformedProcFilesAreNoLimit) {
    files_.write("/sys/fs/cgroup/app/cpu.max", "100000 100000\n");
    for (const char* text : {"", "garbage", "0:/app", "::", "7::/app\n", "0:memory:/app\n"}) {
        files_.write(kCgroup, text);
        EXPECT_EQ(limit(), std::nullopt) << '"' << text << '"';
    }
    in_group("/app");
    EXPECT_EQ(limit(), 1);
    for (const char* text :
         {"", "- - -", "31 23 0:26 / /sys/fs/cgroup rw -", "31 23 0:26 / /sys/fs/cgroup rw - cgroup2"}) {
        files_.write(kMountinfo, text);
        EXPECT_EQ(limit(), std::nullopt) << '"' << text << '"';
    }
}

TEST_F(CgroupVersion2, MountOfASubtreeShowsOnlyWhatIsBelowIt) {
    files_.write(kMountinfo, "31 23 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n")
        .write("/sys/fs/cgroup/app/cpu.max", "200000 100000\n");
    in_group("/docker/abc/app");
    EXPECT_EQ(limit(), 2);
    in_group("/docker/abcdef/app");
    EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CgroupVersion2, GroupThatTheMountDoesNotShowIsLimitedByTheMountPoint) {
    files_.write("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    in_group("/../../elsewhere");
    EXPECT_EQ(limit(), 1);
}

TEST_F(CgroupVersion2, MountPointWithASpaceIsFound) {
    files_.write(kMountinfo, "31 23 0:26 / /control\\040groups rw - cgroup2 cgroup rw\n")
        .write("/control groups/app/cpu.max", "200000 100000\n");
    in_group("/app");
    EXPECT_EQ(limit(), 2);
}

class CgroupVersion1 : public testing::Test {
  protected:
    CgroupVersion1() {
        files_.write(kMountinfo, kOtherMounts + kVersion1Mount)
            .write(kCgroup, "5:memory:/elsewhere\n4:cpu,cpuacct:/slice/app\n");
    }
    void set_quota(const std::string& group, const std::string& quota, const std::string& period) {
        files_.write("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota)
            .write("/sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", period);
    }
    std::optional<int> limit() const { return cgroup_cpu_limit(files_.root()); }

    FakeFileSystem files_;
};

TEST_F(CgroupVersion1, SmallestQuotaOnTheWayToTheRootCounts) {
    set_quota("/slice/app", "600000\n", "100000\n");
    EXPECT_EQ(limit(), 6);
    set_quota("/slice", "250000\n", "100000\n");
    EXPECT_EQ(limit(), 3);
    set_quota("", "100000\n", "100000\n");
    EXPECT_EQ(limit(), 1);
}

TEST_F(CgroupVersion1, MinusOneMeansNoLimit) {
    set_quota("/slice/app", "-1\n", "100000\n");
    EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CgroupVersion1, QuotaWithoutPeriodIsNoLimit) {
    files_.write("/sys/fs/cgroup/cpu,cpuacct/slice/app/cpu.cfs_quota_us", "100000\n");
    EXPECT_EQ(limit(), std::nullopt);
}

TEST_F(CgroupVersion1, BothVersionsAtOnceGiveTheSmallerLimit) {
    set_quota("/slice/app", "600000\n", "100000\n");
    files_.write(kMountinfo, kVersion1Mount + kVersion2Mount)
        .write(kCgroup, "4:cpu,cpuacct:/slice/app\n0::/unified\n")
        .write("/sys/fs/cgroup/unified/cpu.max", "400000 100000\n");
    EXPECT_EQ(limit(), 4);
}

class UsableCpusUnderAQuota : public CgroupVersion2 {};

TEST_F(UsableCpusUnderAQuota, QuotaCutsTheAffinityMask) {
    in_group("/app").write("/sys/fs/cgroup/app/cpu.max", "250000 100000\n");
    EXPECT_EQ(os::usable_cpus(files_.root(), 16), 3);
    EXPECT_EQ(os::usable_cpus(files_.root(), 2), 2);
}

TEST_F(UsableCpusUnderAQuota, NoQuotaLeavesTheAffinityMask) {
    in_group("/app");
    EXPECT_EQ(os::usable_cpus(files_.root(), 16), 16);
    EXPECT_EQ(os::usable_cpus(files_.root() + "/nothing/here", 16), 16);
}

}  // namespace
}  // namespace quarry::impl
