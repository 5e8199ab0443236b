#pragma once
// SQLite as the store uses it: a statement whose columns are read by type, a transaction that rolls back. A column that
// holds another type than the schema says (NULL, a number for a text) is a fault of the row, never a value.
#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "base/diagnostic.h"

namespace fencepost::store {

inline std::unexpected<Diagnostics> failed(const std::string& path, const std::string& what, sqlite3* db) {
  return error_at({}, fmt::format("{}: {}: {}", path, what, db == nullptr ? "out of memory" : sqlite3_errmsg(db)));
}

// No count of a store is larger: sums of many rows must not overflow.
inline constexpr uint64_t k_most_counted = uint64_t{1} << 62;

// A prepared statement that is reset when it leaves its scope.
class Query {
 public:
  Query(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) statement_ = nullptr;
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Query& bind(uint64_t v) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<sqlite3_int64>(v));
    return *this;
  }
  Query& bind(int64_t v) { return bind(static_cast<uint64_t>(v)); }
  Query& bind(uint32_t v) { return bind(static_cast<uint64_t>(v)); }
  Query& bind(double v) {
    sqlite3_bind_double(statement_, ++bound_, v);
    return *this;
  }
  Query& bind_blob(const void* data, size_t bytes) {
    sqlite3_bind_blob64(statement_, ++bound_, data == nullptr ? "" : data, bytes, SQLITE_TRANSIENT);
    return *this;
  }
  // SQLITE_ROW, SQLITE_DONE or an error.
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }

  // Columns are read from left to right.
  std::string text() {
    if (!holds(SQLITE_TEXT, "a text")) return {};
    const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(statement_, read_));
    const int bytes = sqlite3_column_bytes(statement_, read_++);
    return p == nullptr ? std::string() : std::string(p, static_cast<size_t>(bytes));
  }
  uint64_t whole() {
    if (!holds(SQLITE_INTEGER, "a whole number")) return 0;
    return static_cast<uint64_t>(sqlite3_column_int64(statement_, read_++));
  }
  uint64_t count() {
    const uint64_t n = whole();
    if (n > k_most_counted) blame(read_ - 1, fmt::format("{}, which is not a count", n));
    return n;
  }
  uint32_t small() {
    const uint64_t n = whole();
    if (n > std::numeric_limits<uint32_t>::max()) blame(read_ - 1, fmt::format("{}, which is out of range", n));
    return static_cast<uint32_t>(n);
  }
  double seconds() {
    if (!holds(SQLITE_FLOAT, "a time")) return 0;
    const double v = sqlite3_column_double(statement_, read_++);
    if (!std::isfinite(v) || v < 0) blame(read_ - 1, fmt::format("{}, which is not a time", v));
    return v;
  }
  std::string blob() {
    if (!holds(SQLITE_BLOB, "bytes")) return {};
    const void* p = sqlite3_column_blob(statement_, read_);
    const int bytes = sqlite3_column_bytes(statement_, read_++);
    return p == nullptr ? std::string() : std::string(static_cast<const char*>(p), static_cast<size_t>(bytes));
  }
  // What is wrong with the columns of this row that were read, "" for nothing.
  const std::string& fault() const { return fault_; }
  void next_row() {
    read_ = 0;
    fault_.clear();
  }

 private:
  void blame(int column, const std::string& what) {
    if (fault_.empty()) fault_ = fmt::format("its {} is {}", sqlite3_column_name(statement_, column), what);
  }
  bool holds(int type, const char* wanted) {
    const int found = sqlite3_column_type(statement_, read_);
    if (found == type) return true;
    const char* names[] = {"", "a whole number", "a fraction", "a text", "bytes", "empty"};
    blame(read_, fmt::format("{}, not {}", found >= 1 && found <= 5 ? names[found] : "unknown", wanted));
    ++read_;
    return false;
  }

  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0, read_ = 0;
  std::string fault_;
};

inline bool run(sqlite3* db, const char* sql) { return sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

// Rolls back unless committed.
class Transaction {
 public:
  // Immediate: the write lock is taken now, so two processes wait for each other here and not in the middle.
  explicit Transaction(sqlite3* db) : db_(db), open_(run(db, "begin immediate")) {}
  ~Transaction() {
    if (open_) run(db_, "rollback");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  bool begun() const { return open_; }
  bool commit() {
    if (!open_ || !run(db_, "commit")) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* db_;
  bool open_;
};

}  // namespace fencepost::store
