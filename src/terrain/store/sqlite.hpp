#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "quarry/jobs/error.hpp"

struct sqlite3;
struct sqlite3_stmt;

// SQLite with exceptions and destructors, as far as it is used here.
namespace quarry::terrain::store {

// What SQLite answered.
class SqliteError : public Error {
  public:
    SqliteError(int code, const std::string& message) : Error(message), code_(code) {}

    bool is_busy() const noexcept;    // another program holds a lock
    bool is_damage() const noexcept;  // the file is no database, or not a whole one
    bool cannot_open() const noexcept;
    bool is_about_room() const noexcept;
    bool is_read_only() const noexcept;

  private:
    int code_;
};

enum class Access {
    write,      // the file is there
    create,     // it is not
    read,       // others may write meanwhile; the last one tidies up what they have left
    look,       // the same, but changes nothing whatever there is to tidy up
    immutable,  // nobody writes meanwhile; takes no lock, makes no file beside it, does not see the write-ahead log
};

class Connection {
  public:
    // Throws SqliteError.
    Connection(const std::filesystem::path& file, Access access);

    // Statements without results that are used once. Throws SqliteError.
    void run(const std::string& statements);
    // The one number that a query gives.
    std::int64_t number(std::string_view query);
    bool is_read_only() const noexcept;

    sqlite3* get() const noexcept { return handle_.get(); }
    [[noreturn]] void fail(int code) const;

  private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept;
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

// A prepared statement. Numbers of parameters and columns are SQLite's: from 1, and from 0.
class Statement {
  public:
    Statement(Connection& connection, std::string_view text);

    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, double value);
    // The bytes have to stay until the next reset.
    Statement& bind(int parameter, std::span<const std::byte> bytes);

    // Whether there is another row. At the end, and when it throws, it is ready to be run again.
    bool step();
    // To the end.
    void run();
    void reset() noexcept;

    std::int64_t integer(int column) const noexcept;
    double real(int column) const noexcept;
    std::string text(int column) const;
    // Until the next step.
    std::span<const std::byte> bytes(int column) const noexcept;

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* handle) const noexcept;
    };
    Connection& connection_;
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Rolled back unless it was committed.
class Transaction {
  public:
    explicit Transaction(Connection& connection) : connection_(connection) { connection.run("BEGIN IMMEDIATE"); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    void commit();

  private:
    Connection& connection_;
    bool is_open_ = true;
};

}  // namespace quarry::terrain::store
