#include <fmt/format.h>
#include <sqlite3.h>

#include <map>
#include <memory>

#include "analysis/read_parts.h"

namespace fencepost::analysis {

Expected<Table> read_base(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  const auto failed = [&](const char* what) {
    return error_at({}, fmt::format("{}: {}: {}", path, what, db ? sqlite3_errmsg(db.get()) : "out of memory"),
                    "a store of this program, or a base with tuning_results(gpu_vendor, results), is needed");
  };
  if (status != SQLITE_OK) return failed("cannot be opened");
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(db.get(), "select gpu_vendor, results from tuning_results", -1, &prepared, nullptr) !=
      SQLITE_OK)
    return failed("is not a base of results");
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> query(prepared, sqlite3_finalize);
  const auto text = [&](int column) {
    const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(query.get(), column));
    return p == nullptr ? std::string()
                        : std::string(p, static_cast<size_t>(sqlite3_column_bytes(query.get(), column)));
  };
  Table out;
  out.format = "GPUHarbor base";
  std::map<std::string, int> of_vendor;
  int s;
  while ((s = sqlite3_step(query.get())) == SQLITE_ROW) {
    const std::string vendor = text(0);
    const int n = ++of_vendor[vendor];
    const auto ok = add_configurations(out, text(1), n == 1 ? vendor : fmt::format("{} {}", vendor, n), nullptr);
    if (!ok) return std::unexpected(ok.error());
  }
  if (s != SQLITE_DONE) return failed("cannot be read");
  return out;
}

}  // namespace fencepost::analysis
