#pragma once
// The form of a store's file: its tables, its versions, and what no store has.
//
// A file comes from anywhere (`merge`, `judge`, `report` read those of others), so it is looked at before it is asked:
// the tables are those that this program makes, column by column and key by key, and there is nothing else: no trigger,
// no view, no virtual or generated column, no check, no collation of its own. SQLite is told besides to run nothing
// that a schema brings along.
//
// Versions: 1; 2 has trials; 3 has groups.frame_missing; 4 has checksums and tallies. A store that is written to is
// brought to 4, with the checksums of the rows as they are; one that is read is left alone.
#include <string>

#include "store/sql.h"

namespace fencepost::store {

inline constexpr int k_version = 4;
inline constexpr int k_first_with_checksums = 4;

void harden(sqlite3* db);
// 0: an empty file. Errors name what is wrong.
Expected<int> version_of(sqlite3* db, const std::string& path);
bool create(sqlite3* db);
// From an older version; inside a transaction.
Expected<void> migrate(sqlite3* db, int version, const std::string& path);

// The columns of rows.h as a store of this version has them.
std::string columns_of(const char* columns, int version);

}  // namespace fencepost::store
