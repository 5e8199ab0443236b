#include "cli/output.h"

#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/printable.h"
#include "base/write_file.h"

namespace fencepost::cli {

Expected<void> write_output(const std::string& path, std::string_view text) {
  const Written w = write_file(path, printable(text));
  if (w) return {};
  if (w.code != k_exit_internal) return std::unexpected(w.why);
  std::string why = render(w.why);
  while (!why.empty() && why.back() == '\n') why.pop_back();
  throw OutputLost(why);
}

bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

void say_lost(const Console& console, const OutputLost& lost) {
  if (!reader_is_gone()) console.err(std::string("fencepost: ") + lost.what() + "\n");
}

Expected<void> write_made(const std::string& path, const Expected<std::string>& text) {
  if (!text) return std::unexpected(text.error());
  return write_output(path, std::string_view(*text));
}

int put(const Console& console, const std::string& path, std::string_view text) {
  if (path.empty() || path == "-") {
    console.out(text);
    return k_exit_holds;
  }
  const auto written = write_output(path, text);
  if (written) return k_exit_holds;
  console.err("fencepost: " + render(written.error()));
  return exit_code(written.error());
}

Expected<std::string> form_of_ending(const std::string& path, std::initializer_list<std::string_view> forms) {
  std::string ending = path == "-" ? "" : std::filesystem::path(path).extension().string();
  if (ending.empty() || ending == ".txt") return std::string{};
  if (std::find(forms.begin(), forms.end(), ending) != forms.end()) return ending;
  std::string hint = fmt::format("*{} or *.txt", fmt::join(forms, ", *"));
  if (ending == ".html") hint += "; 'fencepost report' makes a page of a store";
  return error_at({}, fmt::format("the ending of '{}' names no form of this answer", path), hint);
}

}  // namespace fencepost::cli
