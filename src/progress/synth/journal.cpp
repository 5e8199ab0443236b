#include "synth/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/hash.h"

namespace fencepost::synth {
namespace {

std::string to_line(uint64_t unit, const UnitResult& r) {
  std::string s = fmt::format("unit {} {} {} {} {}", unit, r.canonical, r.labelled, r.graphs, r.hits.size());
  for (const Hit& h : r.hits)
    fmt::format_to(std::back_inserter(s), " {} {} {} {} {}", h.locations, h.labelled, h.size.states, h.size.actions,
                   list_line(to_test(h.program, h.locations)));
  return fmt::format("{} #{}\n", s, hex16(fnv1a(s)));
}

class LineReader {
 public:
  explicit LineReader(std::string_view s) : s_(s) {}
  bool word(std::string_view w) {
    if (!s_.starts_with(w)) return false;
    s_.remove_prefix(w.size());
    return true;
  }
  std::optional<uint64_t> number() {
    uint64_t n = 0;
    const auto [end, error] = std::from_chars(s_.data(), s_.data() + s_.size(), n);
    if (error != std::errc()) return std::nullopt;
    s_.remove_prefix(static_cast<size_t>(end - s_.data()));
    return n;
  }
  std::optional<uint64_t> next_number() { return word(" ") ? number() : std::nullopt; }
  std::optional<Program> program() {
    Program p;
    if (!word(" [")) return std::nullopt;
    do {
      Code c;
      if (!word("[")) return std::nullopt;
      while (!word("]")) {
        if (c.length == k_max_instructions || (c.length > 0 && !word(",")) || !word("[")) return std::nullopt;
        uint64_t field[5];
        for (int k = 0; k < 5; ++k) {
          const auto n = k == 0 || word(",") ? number() : std::nullopt;
          if (!n || *n > k_max_instructions) return std::nullopt;
          field[k] = *n;
        }
        if (!word("]")) return std::nullopt;
        c.ins[c.length++] = {static_cast<uint8_t>(field[0]), static_cast<uint8_t>(field[1]),
                             static_cast<uint8_t>(field[2]),
                             field[3] != 0 ? static_cast<uint8_t>(field[4]) : k_no_exchange};
      }
      p.push_back(c);
    } while (word(","));
    if (!word("]")) return std::nullopt;
    return p;
  }
  bool at_end() const { return s_.empty(); }

 private:
  std::string_view s_;
};

std::optional<std::pair<uint64_t, UnitResult>> from_line(std::string_view line) {
  const size_t hash = line.rfind(" #");
  if (hash == std::string_view::npos || line.substr(hash + 2) != hex16(fnv1a(line.substr(0, hash))))
    return std::nullopt;
  LineReader in(line.substr(0, hash));
  if (!in.word("unit")) return std::nullopt;
  const auto unit = in.next_number(), canonical = in.next_number(), labelled = in.next_number(),
             graphs = in.next_number(), hits = in.next_number();
  if (!hits) return std::nullopt;
  UnitResult r{*canonical, *labelled, *graphs, {}};
  for (uint64_t k = 0; k < *hits; ++k) {
    const auto locations = in.next_number(), stands_for = in.next_number(), states = in.next_number(),
               actions = in.next_number();
    auto program = actions ? in.program() : std::nullopt;
    if (!program) return std::nullopt;
    r.hits.push_back({std::move(*program), static_cast<uint32_t>(*locations), *stands_for, {*states, *actions}, {}});
  }
  if (!in.at_end()) return std::nullopt;
  return std::pair{*unit, std::move(r)};
}

bool write_all(int fd, std::string_view s) {
  while (!s.empty()) {
    const ssize_t n = ::write(fd, s.data(), s.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    s.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

Expected<void> Journal::open(const std::string& path, const std::string& request_line, uint64_t units) {
  const auto fault = [&](const std::string& what, const std::string& hint = "") {
    return error_at(Span{}, "the state file '" + path + "' " + what, hint);
  };
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) return fault(std::string("cannot be opened: ") + std::strerror(errno));
  // A pipe would be read for ever, and a device has no end.
  struct stat is{};
  if (::fstat(fd_, &is) != 0 || !S_ISREG(is.st_mode))
    return fault("is not a file", "name a file that does not exist yet");
  // A process that was just killed may take a moment to let go.
  for (int tries = 0; ::flock(fd_, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries == 40) return fault("is in use by another process", "wait for it, or take another file");
    ::usleep(50'000);
  }
  std::string text;
  char buffer[1 << 16];
  for (ssize_t n; (n = ::read(fd_, buffer, sizeof buffer)) != 0;) {
    if (n < 0) return fault(std::string("cannot be read: ") + std::strerror(errno));
    text.append(buffer, static_cast<size_t>(n));
  }
  const SourcePtr source = make_source(path, text);
  const auto fault_at = [&](size_t begin, size_t end, const std::string& what, const std::string& hint) {
    return error_at({source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, what, hint);
  };
  const std::string header = "fencepost synthesis 1: " + request_line;
  size_t good = 0;  // bytes that stay
  const size_t header_end = text.find('\n');
  if (header_end == std::string::npos) {
    // Nothing yet, or killed within the first write. Anything else is not ours to overwrite.
    if (!(header + "\n").starts_with(text))
      return fault_at(0, text.size(), "this is not a state file of this request",
                      "name a file that does not exist yet");
  } else {
    if (text.substr(0, header_end) != header)
      return fault_at(0, header_end, "this is not a state file of this request: " + header,
                      "repeat the options of that request, or name a file that does not exist yet");
    good = header_end + 1;
    while (good < text.size()) {
      const size_t end = text.find('\n', good);
      auto unit = end == std::string::npos ? std::nullopt : from_line(std::string_view(text).substr(good, end - good));
      if (!unit || unit->first >= units) {
        if (end != std::string::npos && end + 1 < text.size())
          return fault_at(good, end, "this line of the state file is damaged and is not the last",
                          "delete this line, and its unit is searched again");
        break;
      }
      finished_.insert_or_assign(unit->first, std::move(unit->second));
      good = end + 1;
    }
  }
  if (::ftruncate(fd_, static_cast<off_t>(good)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0 ||
      (good == 0 && !write_all(fd_, header + "\n")))
    return fault(std::string("cannot be written: ") + std::strerror(errno));
  return {};
}

bool Journal::append(uint64_t unit, const UnitResult& result) {
  if (fd_ < 0) return true;
  const std::string line = to_line(unit, result);
  const std::lock_guard lock(mutex_);
  return write_all(fd_, line) && ::fdatasync(fd_) == 0;
}

}  // namespace fencepost::synth
