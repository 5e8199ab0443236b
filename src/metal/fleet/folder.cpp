#include "fleet/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/read_file.h"
#include "campaign/identity.h"

namespace fencepost::fleet {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* k_schema = "fencepost-tasks/1";
constexpr const char* k_manifest = "tasks.json";

std::unexpected<Diagnostics> fault(const std::string& path, const std::string& why) {
  return error_at({}, fmt::format("{}: {}", path, why),
                  "the folder is made by `fencepost campaign PLAN --engine`; remove it to begin again");
}

// "task-17.3.db" -> 17, 3; "task-17.done" -> 17, 0.
bool numbers(const std::string& name, const char* ending, uint32_t& task, uint32_t& attempt) {
  if (!name.starts_with("task-") || !name.ends_with(ending)) return false;
  const char *at = name.data() + 5, *end = name.data() + name.size() - std::strlen(ending);
  auto r = std::from_chars(at, end, task);
  attempt = 0;
  if (r.ec == std::errc() && r.ptr < end && *r.ptr == '.') r = std::from_chars(r.ptr + 1, end, attempt);
  return r.ec == std::errc() && r.ptr == end;
}

Json read_json(const std::string& path, std::string& why) {
  const auto source = read_file(path);
  if (!source) {
    why = source.error().list.front().message;
    return {};
  }
  Json j = Json::parse((*source)->text, nullptr, false);
  if (!j.is_object() || j.value("schema", "") != k_schema) why = "is not a file of tasks as this program makes them";
  return j;
}

uint64_t random_number() {
  uint64_t n = 0;
  if (::getrandom(&n, sizeof n, 0) != sizeof n)
    n = static_cast<uint64_t>(::getpid()) * 0x9e3779b97f4a7c15u ^
        static_cast<uint64_t>(Job::Clock::now().time_since_epoch().count());
  return n;
}

}  // namespace

bool Done::lost() const {
  return std::any_of(problems.begin(), problems.end(), [](const campaign::Problem& p) { return p.lost; });
}

Expected<Tasks> share_out(const campaign::Plan& plan, const std::vector<prog::Test>& tests, size_t own, uint32_t count,
                          const ReadTest& read) {
  Tasks out;
  out.id = "fencepost-" + hex16(random_number());
  out.plan = plan.text;
  std::vector<Piece> pieces;
  for (size_t i = 0; i < tests.size(); ++i) {
    const std::string hash = campaign::hash_of(tests[i]);
    if (i < own && std::find(out.own.begin(), out.own.end(), hash) == out.own.end()) out.own.push_back(hash);
    const std::string text = campaign::text_of(tests[i]);
    if (!out.tests.emplace(hash, text).second) continue;
    const auto again = read(text);
    if (!again) return std::unexpected(again.error());
    if (campaign::hash_of(*again) != hash)
      return error_at(tests[i].span, fmt::format("'{}' has no text that is read as the same test", tests[i].title),
                      "leave it out of a campaign in tasks, or run the plan without --engine");
    for (const std::string& device : plan.devices) pieces.push_back({hash, device});
  }
  if (pieces.empty()) return error_at({}, "the plan has no test", "name tests in `tests`");
  out.tasks.resize(std::min<size_t>(count, pieces.size()));
  for (size_t i = 0; i < pieces.size(); ++i) out.tasks[i % out.tasks.size()].push_back(pieces[i]);
  return out;
}

std::string Folder::log(uint32_t task) const { return file(fmt::format("task-{}.log", task)); }

bool Folder::there() const {
  std::error_code failed;
  return fs::exists(file(k_manifest), failed);
}

// Under another name first; then it is there whole.
Expected<void> Folder::publish(const std::string& name, const std::string& text, bool first_wins) const {
  const std::string to = file(name), made = fmt::format("{}.{}.new", to, hex16(random_number()));
  const int out = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  bool good = out >= 0;
  for (size_t done = 0; good && done < text.size();) {
    const ssize_t n = ::write(out, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) done += static_cast<size_t>(n);
  }
  good = good && ::fsync(out) == 0;
  if (out >= 0) good = ::close(out) == 0 && good;
  if (good && first_wins)
    good = ::link(made.c_str(), to.c_str()) == 0 || errno == EEXIST;
  else if (good)
    good = ::rename(made.c_str(), to.c_str()) == 0;
  const int why = errno;
  if (first_wins || !good) ::unlink(made.c_str());
  if (!good) return error_at({}, fmt::format("{}: cannot be written: {}", to, std::strerror(why)));
  return {};
}

Expected<void> Folder::make(const Tasks& t) const {
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) return error_at({}, fmt::format("{}: cannot be made: {}", path_, failed.message()));
  Json tasks = Json::array();
  for (const auto& pieces : t.tasks) {
    Json one = Json::array();
    for (const Piece& p : pieces) one.push_back({p.test_hash, p.device});
    tasks.push_back(std::move(one));
  }
  const Json j = {{"schema", k_schema}, {"version", t.version}, {"id", t.id},   {"plan_name", t.plan_name},
                  {"plan", t.plan},     {"store", t.store},     {"own", t.own}, {"tests", t.tests},
                  {"tasks", tasks}};
  return publish(k_manifest, j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", true);
}

Expected<Tasks> Folder::tasks() const {
  std::string why;
  const Json j = read_json(file(k_manifest), why);
  if (!why.empty()) return fault(file(k_manifest), why);
  Tasks t;
  try {
    for (const auto& [key, to] : {std::pair{"version", &t.version},
                                  {"id", &t.id},
                                  {"plan_name", &t.plan_name},
                                  {"plan", &t.plan},
                                  {"store", &t.store}})
      j.at(key).get_to(*to);
    j.at("own").get_to(t.own);
    j.at("tests").get_to(t.tests);
    for (const Json& one : j.at("tasks")) {
      auto& pieces = t.tasks.emplace_back();
      for (const Json& p : one) pieces.push_back({p.at(0).get<std::string>(), p.at(1).get<std::string>()});
    }
  } catch (const Json::exception& e) {
    return fault(file(k_manifest), fmt::format("is damaged: {}", e.what()));
  }
  for (const auto& [hash, text] : t.tests)
    if (hex16(fnv1a(text)) != hash)
      return fault(file(k_manifest), fmt::format("the text of test {} has changed", hash));
  for (const auto& pieces : t.tasks)
    for (const Piece& p : pieces)
      if (!t.tests.contains(p.test_hash))
        return fault(file(k_manifest), fmt::format("lacks the text of test {}", p.test_hash));
  return t;
}

Expected<void> Folder::hold() {
  const std::string name = file("tasks.lock");
  held_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (held_ < 0) return error_at({}, fmt::format("{}: cannot be opened: {}", name, std::strerror(errno)));
  if (::flock(held_, LOCK_EX | LOCK_NB) == 0) return {};
  return error_at({}, fmt::format("{}: another program follows these tasks", path_),
                  "wait for its end, or stop it; the same command goes on then");
}

std::vector<std::string> Folder::attempts(uint32_t task) const {
  std::vector<std::pair<uint32_t, std::string>> found;
  std::error_code failed;
  for (fs::directory_iterator it(path_, failed), end; !failed && it != end; it.increment(failed)) {
    uint32_t k = 0, n = 0;
    const std::string name = it->path().filename().string();
    if (numbers(name, ".db", k, n) && k == task && n > 0) found.emplace_back(n, name);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> out;
  for (auto& [n, name] : found) out.push_back(std::move(name));
  return out;
}

Expected<std::string> Folder::begin(uint32_t task, std::vector<std::string>& before) const {
  before = attempts(task);
  uint32_t k = 0, n = 0;
  if (!before.empty()) numbers(before.front(), ".db", k, n);
  while (true) {
    const std::string name = fmt::format("task-{}.{}.db", task, ++n);
    // Exclusive, so that of two attempts that begin at the same time each has its own.
    const int made = ::open(file(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (made >= 0) {
      ::close(made);
      return name;
    }
    if (errno != EEXIST) return error_at({}, fmt::format("{}: cannot be made: {}", file(name), std::strerror(errno)));
  }
}

Expected<void> Folder::finish(uint32_t task, const Done& done) const {
  Json problems = Json::array();
  for (const campaign::Problem& p : done.problems)
    problems.push_back({{"test", p.test},
                        {"device", p.device},
                        {"configuration", p.configuration},
                        {"lost", p.lost},
                        {"why", p.why.list.empty() ? "" : p.why.list.front().message},
                        {"hint", p.why.list.empty() ? "" : p.why.list.front().hint}});
  const Json j = {{"schema", k_schema}, {"store", done.store}, {"works", done.works}, {"problems", problems}};
  return publish(fmt::format("task-{}.done", task), j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", true);
}

std::set<uint32_t> Folder::finished() const {
  std::set<uint32_t> out;
  std::error_code failed;
  for (fs::directory_iterator it(path_, failed), end; !failed && it != end; it.increment(failed)) {
    uint32_t k = 0, n = 0;
    if (numbers(it->path().filename().string(), ".done", k, n) && n == 0) out.insert(k);
  }
  return out;
}

Expected<Done> Folder::done(uint32_t task) const {
  const std::string path = file(fmt::format("task-{}.done", task));
  std::string why;
  const Json j = read_json(path, why);
  if (!why.empty()) return fault(path, why);
  Done out;
  try {
    j.at("store").get_to(out.store);
    j.at("works").get_to(out.works);
    for (const Json& p : j.at("problems"))
      out.problems.push_back({p.at("test").get<std::string>(), p.at("device").get<std::string>(),
                              p.at("configuration").get<std::string>(),
                              error_at({}, p.at("why").get<std::string>(), p.at("hint").get<std::string>()).error(),
                              p.at("lost").get<bool>()});
  } catch (const Json::exception& e) {
    return fault(path, fmt::format("is damaged: {}", e.what()));
  }
  uint32_t k = 0, n = 0;
  if (!numbers(out.store, ".db", k, n) || k != task)
    return fault(path, "names a store that is not an attempt at its task");
  return out;
}

void Folder::forget_done(uint32_t task) const { ::unlink(file(fmt::format("task-{}.done", task)).c_str()); }

void Folder::clear(uint32_t task, const std::string& kept) const {
  for (const std::string& name : attempts(task))
    if (name != kept)
      for (const char* ending : {"", "-wal", "-shm"}) ::unlink((file(name) + ending).c_str());
}

}  // namespace fencepost::fleet
