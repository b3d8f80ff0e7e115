#include "tests/terrain/store/faulty_disk.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include <sqlite3.h>

namespace quarry::terrain::test_support {
namespace {

constexpr std::size_t kSector = 512;

// A change that was not synced yet.
struct Pending {
    bool is_truncation = false;
    std::size_t at = 0;  // of a truncation: the new size
    std::string bytes{};
};

struct Image {
    std::string path;
    std::string now;  // as the program sees it
    std::vector<Pending> pending;
};

void put(std::string& content, std::size_t at, const char* bytes, std::size_t count) {
    if (content.size() < at + count) content.resize(at + count, '\0');
    std::memcpy(content.data() + at, bytes, count);
}

std::string read_all(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Disk {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Image>> images;
    bool is_full = false;
    bool is_cut = false;
    std::uint64_t operations = 0;
    std::uint64_t cut_at = 0;  // 0: never
    std::mt19937_64 random;
    sqlite3_vfs* real = nullptr;
    sqlite3_vfs vfs{};

    // Changes go to the real file. With power cut only some do.
    void write_out(Image& image, bool some_only) {
        if (image.pending.empty()) return;
        std::string content = read_all(image.path);
        for (const Pending& change : image.pending) {
            if (some_only && random() % 3 == 0) continue;
            if (change.is_truncation) {
                content.resize(change.at);
                continue;
            }
            for (std::size_t i = 0; i < change.bytes.size();) {
                const std::size_t end =
                    std::min(change.bytes.size(), ((change.at + i) / kSector + 1) * kSector - change.at);
                if (!some_only || random() % 4 != 0) put(content, change.at + i, change.bytes.data() + i, end - i);
                i = end;
            }
        }
        image.pending.clear();
        std::ofstream(image.path, std::ios::binary | std::ios::trunc) << content;
    }

    // Whether the power is still there.
    bool count_operation() {
        if (is_cut) return false;
        if (++operations != cut_at) return true;
        for (const auto& [path, image] : images) write_out(*image, true);
        is_cut = true;
        return false;
    }
};

Disk* disk = nullptr;

struct File {
    sqlite3_file base;
    Image* image;  // null: a temporary file of SQLite, which is none of ours
    sqlite3_file* real;
};

File& of(sqlite3_file* file) {
    return *reinterpret_cast<File*>(file);
}
sqlite3_file* real_of(sqlite3_file* file) {
    return of(file).real;
}

int close_file(sqlite3_file* file) {
    // The real file is closed whatever happened.
    const int code = real_of(file)->pMethods != nullptr ? real_of(file)->pMethods->xClose(real_of(file)) : SQLITE_OK;
    sqlite3_free(real_of(file));
    return code;
}

int read_file(sqlite3_file* file, void* to, int count, sqlite3_int64 at) {
    const std::lock_guard lock(disk->mutex);
    if (disk->is_cut) return SQLITE_IOERR_READ;
    const std::string& now = of(file).image->now;
    const auto first = static_cast<std::size_t>(at);
    const auto wanted = static_cast<std::size_t>(count);
    const std::size_t there = first < now.size() ? std::min(wanted, now.size() - first) : 0;
    if (there > 0) std::memcpy(to, now.data() + first, there);
    if (there == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(to) + there, 0, wanted - there);
    return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int count, sqlite3_int64 at) {
    const std::lock_guard lock(disk->mutex);
    if (!disk->count_operation()) return SQLITE_IOERR_WRITE;
    Image& image = *of(file).image;
    const auto first = static_cast<std::size_t>(at);
    const auto size = static_cast<std::size_t>(count);
    if (disk->is_full && first + size > image.now.size()) return SQLITE_FULL;
    put(image.now, first, static_cast<const char*>(from), size);
    image.pending.push_back({false, first, std::string(static_cast<const char*>(from), size)});
    return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    const std::lock_guard lock(disk->mutex);
    if (!disk->count_operation()) return SQLITE_IOERR_TRUNCATE;
    Image& image = *of(file).image;
    image.now.resize(static_cast<std::size_t>(size));
    image.pending.push_back({true, static_cast<std::size_t>(size), {}});
    return SQLITE_OK;
}

int sync_file(sqlite3_file* file, int /*flags*/) {
    const std::lock_guard lock(disk->mutex);
    if (!disk->count_operation()) return SQLITE_IOERR_FSYNC;
    disk->write_out(*of(file).image, false);
    return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    const std::lock_guard lock(disk->mutex);
    *size = static_cast<sqlite3_int64>(of(file).image->now.size());
    return SQLITE_OK;
}

int control(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) {
    return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file* /*file*/) {
    return kSector;
}
int characteristics(sqlite3_file* /*file*/) {
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

const sqlite3_io_methods kMethods{
    2,
    close_file,
    read_file,
    write_file,
    truncate_file,
    sync_file,
    size_of_file,
    [](sqlite3_file* file, int level) { return real_of(file)->pMethods->xLock(real_of(file), level); },
    [](sqlite3_file* file, int level) { return real_of(file)->pMethods->xUnlock(real_of(file), level); },
    [](sqlite3_file* file, int* out) { return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out); },
    control,
    sector_size,
    characteristics,
    [](sqlite3_file* file, int page, int size, int extend, void volatile** out) {
        return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
    },
    [](sqlite3_file* file, int offset, int n, int flags) {
        return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
    },
    [](sqlite3_file* file) { real_of(file)->pMethods->xShmBarrier(real_of(file)); },
    [](sqlite3_file* file, int remove) { return real_of(file)->pMethods->xShmUnmap(real_of(file), remove); },
    nullptr,
    nullptr,
};

int open_file(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags, int* out) {
    if (name == nullptr || (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0) return SQLITE_CANTOPEN;
    const std::lock_guard lock(disk->mutex);
    File& opened = of(file);
    opened.base.pMethods = nullptr;
    if (disk->is_cut) return SQLITE_CANTOPEN;
    opened.real = static_cast<sqlite3_file*>(sqlite3_malloc(disk->real->szOsFile));
    std::memset(opened.real, 0, static_cast<std::size_t>(disk->real->szOsFile));
    const int code = disk->real->xOpen(disk->real, name, opened.real, flags, out);
    if (code != SQLITE_OK) {
        sqlite3_free(opened.real);
        return code;
    }
    std::shared_ptr<Image>& image = disk->images[name];
    if (image == nullptr) image = std::make_shared<Image>(Image{name, read_all(name), {}});
    opened.image = image.get();
    opened.base.pMethods = &kMethods;
    return SQLITE_OK;
}

int delete_file(sqlite3_vfs* /*vfs*/, const char* name, int sync) {
    const std::lock_guard lock(disk->mutex);
    if (disk->is_cut) return SQLITE_IOERR_DELETE;
    // The file may be open: its image stays where it is, but nobody finds it again.
    if (const auto found = disk->images.find(name); found != disk->images.end()) {
        found->second->pending.clear();
        found->second->now.clear();
    }
    return disk->real->xDelete(disk->real, name, sync);
}

}  // namespace

FaultyDisk::FaultyDisk() {
    disk = new Disk;
    disk->real = sqlite3_vfs_find(nullptr);
    disk->vfs = *disk->real;
    disk->vfs.zName = "faulty";
    disk->vfs.pNext = nullptr;
    disk->vfs.szOsFile = static_cast<int>(sizeof(File));
    disk->vfs.xOpen = open_file;
    disk->vfs.xDelete = delete_file;
    sqlite3_vfs_register(&disk->vfs, 1);
}

FaultyDisk::~FaultyDisk() {
    sqlite3_vfs_unregister(&disk->vfs);
    sqlite3_vfs_register(disk->real, 1);
    if (!disk->is_cut) {
        for (const auto& [path, image] : disk->images) disk->write_out(*image, false);
    }
    delete disk;
    disk = nullptr;
}

void FaultyDisk::set_full(bool is_full) {
    const std::lock_guard lock(disk->mutex);
    disk->is_full = is_full;
}

void FaultyDisk::cut_after(std::uint64_t operations, std::uint64_t seed) {
    const std::lock_guard lock(disk->mutex);
    disk->random.seed(seed);
    disk->cut_at = disk->operations + operations;
}

bool FaultyDisk::is_cut() const {
    const std::lock_guard lock(disk->mutex);
    return disk->is_cut;
}

std::uint64_t FaultyDisk::operations() const {
    const std::lock_guard lock(disk->mutex);
    return disk->operations;
}

}  // namespace quarry::terrain::test_support
