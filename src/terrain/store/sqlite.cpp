#include "terrain/store/sqlite.hpp"

#include <sqlite3.h>

#include "terrain/files.hpp"

namespace quarry::terrain::store {
namespace {

constexpr int kBusyMilliseconds = 200;

// A path as part of a file: address.
std::string escaped(const std::string& path) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#') {
            const auto number = static_cast<unsigned char>(c);
            text += '%';
            text += kDigits[number >> 4U];
            text += kDigits[number & 15U];
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace

bool SqliteError::is_busy() const noexcept {
    return (code_ & 255) == SQLITE_BUSY || (code_ & 255) == SQLITE_LOCKED;
}
bool SqliteError::is_damage() const noexcept {
    return (code_ & 255) == SQLITE_CORRUPT || (code_ & 255) == SQLITE_NOTADB || (code_ & 255) == SQLITE_ERROR ||
           code_ == SQLITE_IOERR_SHORT_READ || (code_ & 255) == SQLITE_FORMAT;
}
bool SqliteError::cannot_open() const noexcept {
    return (code_ & 255) == SQLITE_CANTOPEN;
}
bool SqliteError::is_about_room() const noexcept {
    return code_ == SQLITE_IOERR_SHMSIZE;
}
bool SqliteError::is_read_only() const noexcept {
    return (code_ & 255) == SQLITE_READONLY || (code_ & 255) == SQLITE_PERM;
}

void Connection::Close::operator()(sqlite3* handle) const noexcept {
    sqlite3_close(handle);
}

Connection::Connection(const std::filesystem::path& file, Access access) {
    std::string name = "file:" + escaped(std::filesystem::absolute(file).string());
    if (access == Access::immutable) name += "?immutable=1";
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    switch (access) {
        case Access::write:
        case Access::read:  // a file that may not be written is opened all the same
            flags |= SQLITE_OPEN_READWRITE;
            break;
        case Access::create:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
            break;
        default:
            flags |= SQLITE_OPEN_READONLY;
            break;
    }
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) fail(code);
    sqlite3_busy_timeout(handle, kBusyMilliseconds);
    if (access == Access::read) run("PRAGMA query_only = 1");
    // A file may be made to do harm.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
}

void Connection::fail(int code) const {
    // The connection's own text says more, if it is about this error.
    const bool has_text = handle_ != nullptr && sqlite3_extended_errcode(handle_.get()) == code;
    throw SqliteError(code, impl::on_one_line(has_text ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code)));
}

void Connection::run(const std::string& statements) {
    const int code = sqlite3_exec(handle_.get(), statements.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::number(std::string_view query) {
    Statement statement(*this, query);
    if (!statement.step()) throw SqliteError(SQLITE_CORRUPT, "a row is missing");
    return statement.integer(0);
}

bool Connection::is_read_only() const noexcept {
    return sqlite3_db_readonly(handle_.get(), "main") == 1;
}

void Statement::Finalize::operator()(sqlite3_stmt* handle) const noexcept {
    sqlite3_finalize(handle);
}

Statement::Statement(Connection& connection, std::string_view text) : connection_(connection) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v2(connection.get(), text.data(), static_cast<int>(text.size()), &handle, nullptr);
    if (code != SQLITE_OK) connection.fail(code);
    handle_.reset(handle);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    const int code = sqlite3_bind_int64(handle_.get(), parameter, value);
    if (code != SQLITE_OK) connection_.fail(code);
    return *this;
}

Statement& Statement::bind(int parameter, double value) {
    const int code = sqlite3_bind_double(handle_.get(), parameter, value);
    if (code != SQLITE_OK) connection_.fail(code);
    return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> bytes) {
    const int code = sqlite3_bind_blob64(handle_.get(), parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) connection_.fail(code);
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) {
        reset();
        return false;
    }
    try {
        connection_.fail(code);
    } catch (...) {
        reset();
        throw;
    }
}

void Statement::run() {
    while (step()) {
    }
}

void Statement::reset() noexcept {
    sqlite3_reset(handle_.get());
}

std::int64_t Statement::integer(int column) const noexcept {
    return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const noexcept {
    return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return text == nullptr ? std::string() : std::string(text);
}

std::span<const std::byte> Statement::bytes(int column) const noexcept {
    const auto* const data = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
    return {data, static_cast<std::size_t>(data == nullptr ? 0 : sqlite3_column_bytes(handle_.get(), column))};
}

Transaction::~Transaction() {
    // After some errors SQLite has rolled back by itself; then this is refused, and nothing is lost.
    if (is_open_) sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
    connection_.run("COMMIT");
    is_open_ = false;
}

}  // namespace quarry::terrain::store
