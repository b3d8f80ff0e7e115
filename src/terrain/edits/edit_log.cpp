#include "quarry/terrain/edit_log.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "quarry/jobs/error.hpp"

namespace quarry::terrain {
namespace {

// A log is a head and records, all numbers with the low byte first.
//   head:   "QEdits" version(1) size(1) voxel_size origin(x y z) undo_bytes ground first_number checksum(4)
//   record: size(1) number(8) kind(1) shape(1) editor(2) stroke(4) [brush] checksum(4); size is that of the whole
constexpr std::string_view kMagic = "QEdits";
constexpr std::uint8_t kStreamVersion = 1;
constexpr std::size_t kHeadBytes = 6 + 1 + 1 + 7 * 8 + 4;
constexpr std::size_t kShortest = 1 + 8 + 1 + 1 + 2 + 4 + 4;
constexpr std::size_t kForget = 65'536;  // bytes that were read, before they are let go

// CRC-32 as zlib and PNG have it.
std::uint32_t checksum(std::span<const std::byte> bytes) noexcept {
    static constexpr auto kTable = [] {
        std::array<std::uint32_t, 256> table{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? 0xedb88320U ^ value >> 1 : value >> 1;
            table[i] = value;
        }
        return table;
    }();
    std::uint32_t sum = 0xffffffffU;
    for (const std::byte byte : bytes) sum = kTable[(sum ^ static_cast<std::uint32_t>(byte)) & 255] ^ sum >> 8;
    return ~sum;
}

class Out {
  public:
    explicit Out(std::vector<std::byte>& bytes) : bytes_(bytes), first_(bytes.size()) {}

    template <class Number>
    void put(Number number, std::size_t size = sizeof(Number)) {
        const auto value = static_cast<std::uint64_t>(number);
        for (std::size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(value >> 8 * i & 255));
    }
    void put(float number) { put(std::bit_cast<std::uint32_t>(number)); }
    void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
    void put(Vector3 v) {
        for (const float part : {v.x, v.y, v.z}) put(part);
    }
    void put(Position p) {
        for (const double part : {p.x, p.y, p.z}) put(part);
    }
    void end_record() {
        bytes_[first_] = static_cast<std::byte>(bytes_.size() - first_ + 4);
        put(checksum(std::span<const std::byte>(bytes_).subspan(first_)));
    }

  private:
    std::vector<std::byte>& bytes_;
    std::size_t first_;
};

// Whoever reads has made sure that there are enough bytes; ok() says whether that was so.
class In {
  public:
    explicit In(std::span<const std::byte> bytes) : bytes_(bytes) {}

    template <class Number>
    Number get() noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof(Number); ++i, ++at_) {
            if (at_ < bytes_.size()) value |= static_cast<std::uint64_t>(bytes_[at_]) << 8 * i;
        }
        return static_cast<Number>(value);
    }
    float get_float() noexcept { return std::bit_cast<float>(get<std::uint32_t>()); }
    double get_double() noexcept { return std::bit_cast<double>(get<std::uint64_t>()); }
    Vector3 get_vector() noexcept {
        Vector3 v;
        for (float* part : {&v.x, &v.y, &v.z}) *part = get_float();
        return v;
    }
    Position get_position() noexcept {
        Position p;
        for (double* part : {&p.x, &p.y, &p.z}) *part = get_double();
        return p;
    }
    bool ended() const noexcept { return at_ == bytes_.size(); }

  private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

bool has_brush(EditKind kind) noexcept {
    return kind != EditKind::undo && kind != EditKind::redo && kind != EditKind::remove;
}
bool has_extent(BrushShape shape) noexcept {
    return shape == BrushShape::box || shape == BrushShape::capsule;
}

void put_edit(Out& out, const Edit& edit) {
    out.put(static_cast<std::uint8_t>(edit.kind));
    out.put(static_cast<std::uint8_t>(edit.shape));
    out.put(edit.editor);
    out.put(edit.stroke);
    if (edit.kind == EditKind::remove) out.put(edit.at);
    if (!has_brush(edit.kind)) return;
    out.put(edit.at);
    out.put(edit.radius);
    out.put(edit.strength);
    out.put(edit.falloff);
    if (has_extent(edit.shape)) out.put(edit.extent);
    if (edit.shape == BrushShape::stamp) out.put(edit.stamp);
    if (edit.kind == EditKind::paint) out.put(edit.material);
    if (edit.kind == EditKind::raise) out.put(edit.amount);
    if (edit.kind == EditKind::flatten) out.put(edit.normal);
}

Edit get_edit(In& in) {
    Edit edit;
    edit.kind = static_cast<EditKind>(in.get<std::uint8_t>());
    edit.shape = static_cast<BrushShape>(in.get<std::uint8_t>());
    edit.editor = in.get<std::uint16_t>();
    edit.stroke = in.get<std::uint32_t>();
    if (edit.kind == EditKind::remove) edit.at = in.get_position();
    if (!has_brush(edit.kind)) return edit;
    edit.at = in.get_position();
    edit.radius = in.get_float();
    edit.strength = in.get_float();
    edit.falloff = in.get_float();
    if (has_extent(edit.shape)) edit.extent = in.get_vector();
    if (edit.shape == BrushShape::stamp) edit.stamp = in.get<std::uint16_t>();
    if (edit.kind == EditKind::paint) edit.material = in.get<std::uint8_t>();
    if (edit.kind == EditKind::raise) edit.amount = in.get_float();
    if (edit.kind == EditKind::flatten) edit.normal = in.get_vector();
    return edit;
}

[[noreturn]] void refuse(const std::string& why) {
    throw Error("the edit log " + why);
}

}  // namespace

EditLog::EditLog(const EditLogWorld& world, std::uint64_t first) : world_(world), next_written_(first) {
    Out out(written_);
    for (const char letter : kMagic) out.put(static_cast<std::uint8_t>(letter));
    out.put(kStreamVersion);
    out.put(static_cast<std::uint8_t>(kHeadBytes));
    out.put(world.lattice.voxel_size);
    out.put(world.lattice.origin);
    out.put(world.undo_bytes);
    out.put(world.ground);
    out.put(first);
    out.put(checksum(written_));
}

std::uint64_t EditLog::write(const Edit& edit) {
    Out out(written_);
    out.put(std::uint8_t{0});  // the size, once it is known
    out.put(next_written_);
    put_edit(out, edit);
    out.end_record();
    return next_written_++;
}

std::vector<std::byte> EditLog::take() {
    std::vector<std::byte> taken;
    taken.swap(written_);
    return taken;
}

void EditLog::feed(std::span<const std::byte> bytes) {
    if (at_ > kForget) {
        fed_.erase(fed_.begin(), fed_.begin() + static_cast<std::ptrdiff_t>(at_));
        at_ = 0;
    }
    fed_.insert(fed_.end(), bytes.begin(), bytes.end());
}

bool EditLog::read_head() {
    const std::span<const std::byte> bytes = std::span<const std::byte>(fed_).subspan(at_);
    const std::size_t there = std::min(bytes.size(), kMagic.size());
    if (std::memcmp(bytes.data(), kMagic.data(), there) != 0) refuse("does not begin as one");
    if (bytes.size() > kMagic.size() && static_cast<std::uint8_t>(bytes[kMagic.size()]) != kStreamVersion) {
        refuse("has version " + std::to_string(static_cast<int>(bytes[kMagic.size()])) + "; version " +
               std::to_string(kStreamVersion) + " is needed");
    }
    if (bytes.size() < kHeadBytes) return false;
    const std::span<const std::byte> head = bytes.first(kHeadBytes);
    In in(head.subspan(kMagic.size() + 2));
    EditLogWorld world;
    world.lattice.voxel_size = in.get_double();
    world.lattice.origin = in.get_position();
    world.undo_bytes = in.get<std::uint64_t>();
    world.ground = in.get<std::uint64_t>();
    const auto first = in.get<std::uint64_t>();
    if (in.get<std::uint32_t>() != checksum(head.first(kHeadBytes - 4)) || first == 0) refuse("has a damaged head");
    if (world.lattice != world_.lattice) refuse("is for another lattice");
    if (world.undo_bytes != world_.undo_bytes) {
        refuse("is for a world with " + std::to_string(world.undo_bytes) + " bytes for undo, not " +
               std::to_string(world_.undo_bytes));
    }
    if (world.ground != world_.ground) {
        refuse("is for ground " + std::to_string(world.ground) + ", not " + std::to_string(world_.ground));
    }
    at_ += kHeadBytes;
    next_read_ = first;
    return true;
}

std::optional<NumberedEdit> EditLog::next() {
    if (next_read_ == 0 && (fed_.empty() || !read_head())) return std::nullopt;
    const std::span<const std::byte> bytes = std::span<const std::byte>(fed_).subspan(at_);
    if (bytes.empty()) return std::nullopt;
    const auto size = static_cast<std::size_t>(bytes[0]);
    const std::string name = "has a damaged edit in place of number " + std::to_string(next_read_);
    if (size < kShortest || size > kMostEditBytes) refuse(name);
    if (bytes.size() < size) return std::nullopt;
    const std::span<const std::byte> record = bytes.first(size);
    In sum(record.last(4));
    if (sum.get<std::uint32_t>() != checksum(record.first(size - 4))) refuse(name);
    In in(record.subspan(1, size - 5));
    NumberedEdit numbered;
    numbered.number = in.get<std::uint64_t>();
    numbered.edit = get_edit(in);
    if (!in.ended()) refuse(name);
    if (numbered.number != next_read_) {
        refuse("has edit " + std::to_string(numbered.number) + " in place of " + std::to_string(next_read_));
    }
    at_ += size;
    ++next_read_;
    return numbered;
}

bool EditLog::at_end() const noexcept {
    return next_read_ != 0 && at_ == fed_.size();
}

}  // namespace quarry::terrain
