#pragma once

#include <cstdint>
#include <string>

namespace quarry::terrain::test_support {

// While it exists, SQLite in this process works on a disk that can fill up, and from which power can be cut. What
// SQLite writes reaches the real files only when it is synced. One at a time.
class FaultyDisk {
  public:
    FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;
    // What was not synced reaches the files, unless power was cut.
    ~FaultyDisk();

    // No file may grow any more; what is there can be written.
    void set_full(bool is_full);

    // Power is cut at the so many-th write, sync or truncation from now on: of what was not synced a random part
    // reaches the files, in 512-byte sectors. All that comes later fails.
    void cut_after(std::uint64_t operations, std::uint64_t seed);
    bool is_cut() const;
    // Writes, syncs and truncations so far.
    std::uint64_t operations() const;
};

}  // namespace quarry::terrain::test_support
