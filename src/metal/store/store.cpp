#include "store/store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <tuple>

#include "base/child.h"
#include "base/hash.h"
#include "base/read_file.h"
#include "base/uri.h"
#include "store/rows.h"
#include "store/schema.h"

namespace fencepost::store {
namespace {

constexpr size_t k_named_faults = 5;
constexpr int k_patience_ms = 10'000;  // with another writer

// All reads of one question see one state of the file, whoever writes to it meanwhile.
class View {
 public:
  explicit View(sqlite3* db) : db_(sqlite3_get_autocommit(db) != 0 ? db : nullptr) {
    if (db_ != nullptr) run(db_, "begin");
  }
  ~View() {
    if (db_ != nullptr) run(db_, "commit");
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

 private:
  sqlite3* db_;
};

bool matches(const std::string& wanted, const std::string& is) { return wanted.empty() || wanted == is; }
bool keeps(const Filter& f, const Record& r) {
  return matches(f.campaign, r.campaign) && matches(f.test, r.test) && matches(f.device, r.device) &&
         matches(f.configuration, r.configuration);
}
bool keeps(const Filter& f, const ProgressRecord& r) {
  return matches(f.campaign, r.campaign) && matches(f.test, r.test) && matches(f.device, r.device) &&
         matches(f.mapping, r.mapping);
}
bool keeps(const Filter& f, const Trial& t) {
  return matches(f.campaign, t.campaign) && matches(f.purpose, t.purpose) && matches(f.test, t.test) &&
         matches(f.device, t.device) && matches(f.configuration, t.configuration);
}

auto place(const Record& r) { return std::tie(r.campaign, r.test, r.test_hash, r.device, r.configuration, r.group); }
auto place(const ProgressRecord& r) {
  return std::tie(r.campaign, r.test, r.test_hash, r.device, r.mapping, r.variant, r.run);
}
auto place(const Trial& t) {
  using Text = const std::string&;
  return std::tuple<Text, Text, Text, Text, Text, size_t, Text, uint32_t>(
      t.campaign, t.purpose, t.test, t.test_hash, t.device, t.configuration.size(), t.configuration, t.part);
}

}  // namespace

bool is_database(const std::string& path) {
  if (!can_be_read(path)) return false;
  char head[16] = {};
  std::ifstream in(path, std::ios::binary);
  return in.read(head, sizeof head) && std::string_view(head, sizeof head) == std::string_view("SQLite format 3\0", 16);
}

uint64_t Trial::instances() const {
  uint64_t n = 0;
  for (const Round& r : rounds) n += r.instances;
  return n;
}

uint64_t Trial::events() const {
  uint64_t n = 0;
  for (const Round& r : rounds) n += r.events;
  return n;
}

struct Store::Impl {
  sqlite3* db = nullptr;
  std::string path, warning;
  int version = k_version;
  std::unique_ptr<ScratchFolder> copy;  // of a file that could not be read in its place
  bool writes = false;
  // The last writer leaves one file without a log: to read that, SQLite makes no files beside it.
  ~Impl() {
    if (writes) run(db, "pragma journal_mode = delete");
    sqlite3_close(db);
  }

  template <class R>
  Expected<bool> add(const R& r) {
    Transaction t(db);
    if (!t.begun()) return failed(path, "cannot be written", db);
    const auto added = insert(db, r);
    if (!added || !t.commit()) return failed(path, "cannot be written", db);
    return *added;
  }
  template <class R>
  Expected<bool> has(const R& r) const {
    Query q(db, fmt::format("select 1 from {}{}", Table<R>::k_name, Table<R>::k_where).c_str());
    bind_key(q, r);
    const int status = q.step();
    if (status != SQLITE_ROW && status != SQLITE_DONE) return failed(path, "cannot be read", db);
    return status == SQLITE_ROW;
  }
  // All rows are looked at, whatever the filter: a damaged one may have had any key. An index may be damaged as well,
  // so none is asked.
  template <class R>
  Expected<std::vector<R>> all(const Filter& filter) const {
    std::vector<R> rows;
    if (version < 2 && std::is_same_v<R, Trial>) return rows;
    const View view(db);
    const bool has_checksums = version >= k_first_with_checksums;
    Tally found;
    std::vector<std::string> faults;
    Query q(db, fmt::format("select {} from {} not indexed", columns_of(Table<R>::k_columns, version), Table<R>::k_name)
                    .c_str());
    int status;
    while ((status = q.step()) == SQLITE_ROW) {
      auto read = read_row(db, q, has_checksums, static_cast<const R*>(nullptr));
      if (!read) return failed(path, "cannot be read", db);
      if (!read->fault.empty()) {
        faults.push_back(
            fmt::format("row {} of '{}' ({}): {}", read->id, Table<R>::k_name, key_text(read->row), read->fault));
        continue;
      }
      found.add(read->checksum);
      if (keeps(filter, read->row)) rows.push_back(std::move(read->row));
    }
    if (status != SQLITE_DONE) return failed(path, "cannot be read", db);
    if (!faults.empty()) return damaged(faults);
    const auto written = has_checksums ? tally(db, Table<R>::k_name) : found;
    if (!written || *written != found)
      return damaged({fmt::format("'{}' has {} rows, and not those {} that were written", Table<R>::k_name, found.rows,
                                  written ? written->rows : 0)});
    std::sort(rows.begin(), rows.end(), [](const R& a, const R& b) { return place(a) < place(b); });
    return rows;
  }
  std::unexpected<Diagnostics> damaged(const std::vector<std::string>& faults) const {
    std::string named;
    for (size_t i = 0; i < std::min(faults.size(), k_named_faults); ++i) named += (i == 0 ? "" : "; ") + faults[i];
    if (faults.size() > k_named_faults) named += fmt::format("; and {} more", faults.size() - k_named_faults);
    return error_at({}, fmt::format("{}: is damaged, and nothing of it is used: {}", path, named),
                    "take a copy of it, or run the campaign again into another store");
  }
  // The text of a plan or of a test.
  Expected<std::optional<std::string>> text_of(const char* table, const char* key, const std::string& name) const {
    Query q(db, fmt::format("select text, {} from {} where {} = ?",
                            version >= k_first_with_checksums ? "checksum" : "0", table, key)
                    .c_str());
    q.bind(name);
    const int status = q.step();
    if (status == SQLITE_DONE) return std::optional<std::string>();
    if (status != SQLITE_ROW) return failed(path, "cannot be read", db);
    std::string text = q.text();
    const uint64_t sum = q.whole();
    if (!q.fault().empty() || (version >= k_first_with_checksums && sum != checksum(name, text)))
      return damaged({fmt::format("the text of '{}' in '{}'", name, table)});
    return std::optional(std::move(text));
  }
  Expected<std::vector<std::string>> names(const char* table, const char* key) const {
    std::vector<std::string> all;
    Query q(db, fmt::format("select {} from {} order by 1", key, table).c_str());
    int status;
    while ((status = q.step()) == SQLITE_ROW) {
      q.next_row();
      all.push_back(q.text());
      if (!q.fault().empty()) return damaged({fmt::format("'{}': {}", table, q.fault())});
    }
    if (status != SQLITE_DONE) return failed(path, "cannot be read", db);
    return all;
  }
  // Inside a transaction.
  Expected<void> put_plan(const std::string& campaign, const std::string& text) {
    const auto old = text_of("plans", "campaign", campaign);
    if (!old) return std::unexpected(old.error());
    if (*old && **old != text)
      return error_at({}, fmt::format("{}: campaign '{}' was begun under another plan", path, campaign),
                      "give the changed plan another name, or another store; a campaign runs unchanged to its end");
    if (*old) return {};
    Query q(db, "insert into plans(campaign, text, checksum) values(?,?,?)");
    q.bind(campaign).bind(text).bind(checksum(campaign, text));
    if (q.step() != SQLITE_DONE) return failed(path, "cannot be written", db);
    return {};
  }
  Expected<void> put_test(const std::string& hash, const std::string& text) {
    Query q(db, "insert or ignore into tests(hash, text, checksum) values(?,?,?)");
    q.bind(hash).bind(text).bind(checksum(hash, text));
    if (q.step() != SQLITE_DONE) return failed(path, "cannot be written", db);
    return {};
  }
  template <class R>
  Expected<void> take(const Impl& other, Merged& merged) {
    const auto rows = other.all<R>({});
    if (!rows) return std::unexpected(rows.error());
    for (const R& row : *rows) {
      const auto added = insert(db, row);
      if (!added) return failed(path, "cannot be written", db);
      if (*added) {
        ++merged.added;
        continue;
      }
      Query q(db, fmt::format("select {} from {}{}", Table<R>::k_columns, Table<R>::k_name, Table<R>::k_where).c_str());
      bind_key(q, row);
      if (q.step() != SQLITE_ROW) return failed(path, "cannot be read", db);
      const auto mine = read_row(db, q, true, static_cast<const R*>(nullptr));
      if (!mine) return failed(path, "cannot be read", db);
      if (!mine->fault.empty())
        return damaged(
            {fmt::format("row {} of '{}' ({}): {}", mine->id, Table<R>::k_name, key_text(mine->row), mine->fault)});
      ++(mine->row == row ? merged.known : merged.different);
    }
    return {};
  }
  // Inside a transaction.
  Expected<void> take_all(const Impl& other, Merged& merged) {
    for (const auto& [table, key] : {std::pair{"plans", "campaign"}, {"tests", "hash"}}) {
      const auto names = other.names(table, key);
      if (!names) return std::unexpected(names.error());
      for (const std::string& name : *names) {
        const auto text = other.text_of(table, key, name);
        if (!text) return std::unexpected(text.error());
        if (!*text) continue;
        if (auto kept = key[0] == 'c' ? put_plan(name, **text) : put_test(name, **text); !kept) return kept;
      }
    }
    if (auto ok = take<Record>(other, merged); !ok) return ok;
    if (auto ok = take<ProgressRecord>(other, merged); !ok) return ok;
    return take<Trial>(other, merged);
  }
};

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;
const std::string& Store::warning() const { return impl_->warning; }

namespace {

constexpr const char* k_made_by = "a store is made by `fencepost run --store FILE` or `fencepost campaign`";

// A pipe would be waited for, and a device has no rows.
Expected<void> is_file(const std::string& path, bool must_exist) {
  struct stat at{};
  if (::stat(path.c_str(), &at) != 0) {
    if (!must_exist) return {};
    return error_at({}, fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)), k_made_by);
  }
  if (!S_ISREG(at.st_mode)) return error_at({}, fmt::format("{}: is not a store: it is not a file", path), k_made_by);
  return {};
}

// SQLite looks for no journal of a file that is named so.
std::string unchanging(const std::string& path) {
  return (path.starts_with('/') ? "" : "file:") + uri_of_path(path) + "?immutable=1";
}

bool opens(sqlite3*& db, const std::string& name, int flags) {
  sqlite3_close(db);
  db = nullptr;
  if (sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK)
    return false;
  harden(db);
  sqlite3_busy_timeout(db, k_patience_ms);
  Query q(db, "select count(*) from sqlite_master");
  return q.step() == SQLITE_ROW;
}

// A change of the mode takes the file for itself, and SQLite does not wait for that: it says "locked" at once while
// another writer opens or closes the same store.
bool log_mode(sqlite3* db) {
  using namespace std::chrono;
  for (const auto end = steady_clock::now() + milliseconds(k_patience_ms); !run(db, "pragma journal_mode = wal");
       std::this_thread::sleep_for(milliseconds(2)))
    if ((sqlite3_errcode(db) & 0xff) != SQLITE_BUSY || steady_clock::now() > end) return false;
  return true;
}

}  // namespace

Expected<Store> Store::open(const std::string& path, bool must_exist) {
  if (const auto ok = is_file(path, must_exist); !ok) return std::unexpected(ok.error());
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (must_exist ? 0 : SQLITE_OPEN_CREATE);
  if (sqlite3_open_v2(path.c_str(), &impl->db, flags, nullptr) != SQLITE_OK)
    return failed(path, "cannot be opened", impl->db);
  sqlite3* db = impl->db;
  harden(db);
  sqlite3_busy_timeout(db, k_patience_ms);
  Transaction t(db);
  if (!t.begun()) return failed(path, "is not a store", db);
  const auto version = version_of(db, path);
  if (!version) return std::unexpected(version.error());
  if (*version == 0) {
    if (!create(db)) return failed(path, "cannot be written", db);
  } else if (*version < k_version) {
    if (auto ok = migrate(db, *version, path); !ok) return std::unexpected(ok.error());
    impl->warning = fmt::format("{}: was of version {} of the format, without checksums; its rows got them as they are",
                                path, *version);
  }
  if (!t.commit()) return failed(path, "cannot be written", db);
  // In the log mode a killed writer leaves whole transactions only.
  if (!log_mode(db) || !run(db, "pragma synchronous = normal")) return failed(path, "cannot be written", db);
  impl->writes = true;
  return Store(std::move(impl));
}

Expected<Store> Store::read(const std::string& path) {
  if (const auto ok = is_file(path, true); !ok) return std::unexpected(ok.error());
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  if (!opens(impl->db, path, 0)) {
    // SQLite wants to make files beside a store in the log mode. Where it may not, nobody writes either.
    const int why = sqlite3_errcode(impl->db);
    const bool barred = (why & 0xff) == SQLITE_CANTOPEN || (why & 0xff) == SQLITE_READONLY;
    std::error_code failed_at;
    const auto log = std::filesystem::file_size(path + "-wal", failed_at);
    if (!barred) return failed(path, "is not a store", impl->db);
    std::string name = path;
    if (!failed_at && log > 0) {  // a killed campaign's; its rows count
      impl->copy = std::make_unique<ScratchFolder>();
      name = impl->copy->path() + "/store.db";
      std::filesystem::copy_file(path, name, failed_at);
      if (!failed_at) std::filesystem::copy_file(path + "-wal", name + "-wal", failed_at);
      if (failed_at) return error_at({}, fmt::format("{}: cannot be read: {}", path, failed_at.message()));
      std::filesystem::permissions(name, std::filesystem::perms::owner_write, std::filesystem::perm_options::add,
                                   failed_at);
      std::filesystem::permissions(name + "-wal", std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add, failed_at);
    }
    if (!opens(impl->db, impl->copy ? name : unchanging(path), impl->copy ? 0 : SQLITE_OPEN_URI))
      return failed(path, "cannot be opened", impl->db);
  }
  const View view(impl->db);
  const auto version = version_of(impl->db, path);
  if (!version) return std::unexpected(version.error());
  if (*version == 0) return error_at({}, fmt::format("{}: is not a store: it is empty", path), k_made_by);
  impl->version = *version;
  if (*version < k_first_with_checksums)
    impl->warning = fmt::format("{}: is of version {} of the format, without checksums; damage to it would not show",
                                path, *version);
  return Store(std::move(impl));
}

Expected<bool> Store::add(const Record& r) { return impl_->add(r); }
Expected<bool> Store::add(const ProgressRecord& r) { return impl_->add(r); }
Expected<bool> Store::add(const Trial& t) { return impl_->add(t); }
Expected<bool> Store::has(const Record& key) const { return impl_->has(key); }
Expected<bool> Store::has(const ProgressRecord& key) const { return impl_->has(key); }

Expected<std::vector<Record>> Store::records(const Filter& f) const {
  auto rows = impl_->all<Record>(f);
  if (!rows) return rows;
  unsigned __int128 instances = 0;
  for (const Record& r : *rows) instances += r.instances;
  if (instances > k_most_counted) return impl_->damaged({"'groups' counts more instances than anybody has run"});
  return rows;
}

Expected<std::vector<ProgressRecord>> Store::progress_records(const Filter& f) const {
  return impl_->all<ProgressRecord>(f);
}
Expected<std::vector<Trial>> Store::trials(const Filter& f) const { return impl_->all<Trial>(f); }

Expected<std::optional<std::string>> Store::plan(const std::string& campaign) const {
  return impl_->text_of("plans", "campaign", campaign);
}

Expected<void> Store::remember_plan(const std::string& campaign, const std::string& text) {
  Transaction t(impl_->db);
  if (!t.begun()) return failed(impl_->path, "cannot be written", impl_->db);
  if (auto ok = impl_->put_plan(campaign, text); !ok) return ok;
  if (!t.commit()) return failed(impl_->path, "cannot be written", impl_->db);
  return {};
}

Expected<std::optional<std::string>> Store::test(const std::string& hash) const {
  return impl_->text_of("tests", "hash", hash);
}
Expected<std::vector<std::string>> Store::test_hashes() const { return impl_->names("tests", "hash"); }
Expected<void> Store::remember_test(const std::string& hash, const std::string& text) {
  return impl_->put_test(hash, text);
}

Expected<Merged> Store::merge(const std::string& path) { return merge(std::vector{path}); }

Expected<Merged> Store::merge(const std::vector<std::string>& paths) {
  std::vector<Store> others;
  for (const std::string& path : paths) {
    auto other = Store::read(path);
    if (!other) return std::unexpected(other.error());
    if (impl_->warning.empty()) impl_->warning = other->warning();
    others.push_back(std::move(*other));
  }
  // One transaction: a merge that is killed has added nothing.
  Transaction t(impl_->db);
  if (!t.begun()) return failed(impl_->path, "cannot be written", impl_->db);
  Merged merged;
  for (const Store& other : others)
    if (auto ok = impl_->take_all(*other.impl_, merged); !ok) return std::unexpected(ok.error());
  if (!t.commit()) return failed(impl_->path, "cannot be written", impl_->db);
  return merged;
}

namespace {

std::unexpected<Diagnostics> unwritable(const std::string& path) {
  return error_at({}, fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

bool copy_bytes(int from, int to) {
  std::vector<char> buffer(1 << 16);
  for (ssize_t n; (n = ::read(from, buffer.data(), buffer.size())) != 0;) {
    if (n < 0) return false;
    for (ssize_t done = 0; done < n;) {
      const ssize_t written = ::write(to, buffer.data() + done, static_cast<size_t>(n - done));
      if (written <= 0) return false;
      done += written;
    }
  }
  return ::fsync(to) == 0;
}

// The file has no name until it is whole, so that whoever is killed leaves nothing.
Expected<void> publish(const std::string& from, const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = (parent.empty() ? std::filesystem::path(".") : parent).string();
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  std::string name;  // where the file system knows no file without one
  int out = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
  if (out < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    name = fmt::format("{}.{}.new", path, ::getpid());
    out = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  }
  const std::string itself = name.empty() ? fmt::format("/proc/self/fd/{}", out) : name;
  const bool good = in >= 0 && out >= 0 && copy_bytes(in, out) &&
                    ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  const int why = errno;
  if (!name.empty()) ::unlink(name.c_str());
  if (in >= 0) ::close(in);
  if (out >= 0) ::close(out);
  errno = why;
  if (!good) return unwritable(path);
  return {};
}

}  // namespace

Expected<Merged> merge_files(const std::string& path, const std::vector<std::string>& others, std::string& warning) {
  std::error_code failed_at;
  const bool there = std::filesystem::exists(path, failed_at);
  const ScratchFolder scratch;
  if (!there && scratch.path().empty()) return error_at({}, "no folder for temporary files can be made");
  const std::string made = there ? path : scratch.path() + "/store.db";
  Expected<Merged> merged;
  {
    // The others first: a merge that has nothing to read makes nothing.
    for (const std::string& other : others)
      if (auto ok = Store::read(other); !ok) return std::unexpected(ok.error());
    auto store = Store::open(made);
    if (!store) return std::unexpected(store.error());
    merged = store->merge(others);
    warning = store->warning();
    if (!merged) return merged;
  }
  if (there) return merged;
  if (auto ok = publish(made, path); !ok) return std::unexpected(ok.error());
  return merged;
}

std::string hash_of(const std::string& text) { return hex16(fnv1a(text)); }

bool Shard::takes(const std::string& key) const {
  // The low bits of FNV-1a are weak on short keys; mixed before the remainder.
  uint64_t h = fnv1a(key);
  h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
  return (h >> 33) % count == index - 1;
}

Expected<Shard> parse_shard(const std::string& text) {
  const auto bad = [&] {
    return error_at({}, fmt::format("'{}' is not a shard", text), "I/N, with I from 1 to N: 3/8 is the third of eight");
  };
  const size_t slash = text.find('/');
  if (slash == std::string::npos || text.size() > 20) return bad();
  const auto number = [](const std::string& s) -> uint64_t {
    if (s.empty() || s.find_first_not_of("0123456789") != std::string::npos || s.size() > 6) return 0;
    return std::stoull(s);
  };
  const uint64_t i = number(text.substr(0, slash)), n = number(text.substr(slash + 1));
  if (i == 0 || n == 0 || i > n) return bad();
  return Shard{static_cast<uint32_t>(i), static_cast<uint32_t>(n)};
}

}  // namespace fencepost::store
