// libFuzzer target: any bytes into one parser. It must answer with a test or with diagnostics that can be shown,
// and what it accepts must survive printing. Which parser is fixed at compile time, so that each has its corpus.
#include "litmus/parse.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/printable.h"
#include "print/litmus.h"
#include "read/read.h"

#ifndef FENCEPOST_PARSER
#error "define FENCEPOST_PARSER, the function of litmus/parse.h to call"
#endif

namespace {

using namespace fencepost;

// Both shapes of parser: one test, or several.
void look(const Expected<prog::Test>& parsed, bool round_trip) {
  if (!parsed) {
    if (render(parsed.error()).empty()) std::abort();  // a refusal without a word
    return;
  }
  if (!round_trip) return;
  const auto back = read::parse_one(make_source("printed.litmus", print::print(*parsed)));
  if (!back) std::fputs(render(back.error()).c_str(), stderr);
  prog::Test first = *parsed;
  first.title = printable_name(first.title);  // as read::parse does
  if (!back || !(*back == first)) std::abort();
}
void look(const Expected<std::vector<prog::Test>>& parsed, bool) {
  if (!parsed && render(parsed.error()).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  look(litmus::FENCEPOST_PARSER(make_source(FENCEPOST_FILE, text)), true);
  return 0;
}
