#include "weaker.h"

#include <fmt/format.h>

#include <algorithm>

using namespace fencepost;

std::vector<std::string> weaker(const std::string& instruction) {
  const size_t blank = std::min(instruction.find(' '), instruction.size());
  const std::string mnemonic = instruction.substr(0, blank), rest = instruction.substr(blank);
  std::set<std::string> out;
  const auto put = [&](const std::string& from, const std::string& to) {
    // A word of the mnemonic, and no part of one.
    for (size_t at = mnemonic.find(from); at != std::string::npos; at = mnemonic.find(from, at + 1)) {
      const size_t end = at + from.size();
      if (end != mnemonic.size() && mnemonic[end] != '.') continue;
      out.insert(mnemonic.substr(0, at) + to + mnemonic.substr(end) + rest);
    }
  };
  const bool fence = mnemonic.starts_with("fence");
  if (!fence && mnemonic.find("sync_restrict") == std::string::npos) {
    put(".release", ".relaxed"), put(".acquire", ".relaxed"), put(".acq_rel", ".relaxed");
    if (mnemonic.starts_with("mbarrier") && mnemonic.find(".cluster.") == std::string::npos &&
        mnemonic.find(".cta.") == std::string::npos)
      for (const char* w : {".arrive", ".expect_tx", ".test_wait", ".try_wait", ".parity"})
        if (mnemonic.find(".relaxed") == std::string::npos) put(w, std::string(w) + ".relaxed.cta");
    put("barrier.cluster.arrive", "barrier.cluster.arrive.relaxed");
  } else {
    put(".acq_rel", ".acquire"), put(".acq_rel", ".release"), put(".sc", ".acq_rel");
    put("fence.proxy.async", "fence.proxy.async.global"), put("fence.proxy.async", "fence.proxy.async.shared::cta");
  }
  if (mnemonic.find("sync_restrict") == std::string::npos && !mnemonic.starts_with("cp."))
    put(".sys", ".gpu"), put(".gpu", ".cta"), put(".cluster", ".cta");
  for (const char* s : {".cta", ".cluster", ".gpu", ".sys"})
    if (mnemonic.starts_with("ld.") || mnemonic.starts_with("st.")) put(std::string(".relaxed") + s, ".weak");
  if (mnemonic.find(".mmio") == std::string::npos) put(".volatile", ".weak");
  put("membar.sys", "membar.gl"), put("membar.gl", "membar.cta");
  put(".wait_group", ".wait_group.read");
  if (mnemonic.ends_with("wait_group") || mnemonic.ends_with("wait_group.read")) out.insert(mnemonic + " 5");
  if (fence || mnemonic.starts_with("membar") || mnemonic.find("wait_group") != std::string::npos ||
      mnemonic.find("wait_all") != std::string::npos || mnemonic.find("commit_group") != std::string::npos ||
      mnemonic.starts_with("barrier.cta") || mnemonic.starts_with("bar.warp"))
    out.insert("");
  return {out.begin(), out.end()};
}

std::string with(const std::string& text, const emit::PtxSite& site, const std::string& instruction) {
  const std::string loc = fmt::format(".loc 1 {} 0\n\t", site.line);
  const size_t at = text.find(loc) + loc.size(), end = text.find('\n', at), blank = text.find_first_of(" ;", at);
  const std::string mnemonic = instruction.substr(0, instruction.find(' '));
  std::string line;
  if (mnemonic.find("wait_group") != std::string::npos)
    line = instruction + ";";
  else if (!instruction.empty())
    line = mnemonic + text.substr(blank, end - blank);
  return text.substr(0, at) + line + text.substr(end);
}
