// Kernels of tests/golden/kernels, drawn by tests/fuzz/kernels/keep.py and held by its oracle, right kernels
// beside wrong ones (twins.cu), those of tests/corpus/good-kernels, and what the verifier answers: the verdict,
// why it is none, what it assumes, and where each defect is. FENCEPOST_PROMOTE=1 writes the answers anew: one that
// was `verified` and is not any more, or the other way round, has to be explained.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "clangfe/clangfe.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

const std::string k_folder = std::string(FENCEPOST_SOURCE_DIR) + "/tests/golden/kernels/";

std::string whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Kernel {
  std::string number, text;
  std::vector<std::string> words;
};

// "// ---- NUMBER OPTIONS", and the lines of the kernel.
std::vector<Kernel> kernels(const std::string& path) {
  std::vector<Kernel> out;
  std::istringstream lines(whole(path));
  for (std::string line; std::getline(lines, line);) {
    const std::string mark = "// ---- ";
    if (line.starts_with(mark)) {
      std::istringstream head(line.substr(mark.size()));
      Kernel k;
      head >> k.number;
      for (std::string word; head >> word;) k.words.push_back(word);
      out.push_back(std::move(k));
    } else if (!out.empty()) {
      out.back().text += line + "\n";
    }
  }
  return out;
}

std::string place(const nlohmann::json& j) {
  return fmt::format("{}:{}", j["place"].value("line", 0), j["place"].value("column", 0));
}

// One line for each thing that is said.
std::string said(const Kernel& k, const std::string& file) {
  std::vector<std::string> words = k.words;
  for (const char* more : {"--no-attack", "--timeout=600", "--format=json"}) words.emplace_back(more);
  const auto o = launch::parse(words);
  EXPECT_TRUE(o) << k.number;
  if (!o) return "";
  const launch::Answer a = answer(*o, make_source(file, k.text));
  std::string out = fmt::format("{} exit {}\n", k.number, a.exit_code);
  const auto report = nlohmann::json::parse(a.out, nullptr, false);
  if (report.is_discarded() || !report.contains("kernels")) return out + "  no report\n";
  for (const auto& row : report["kernels"]) {
    // Whether every further question of a kernel that fails was answered depends on how fast the processor is.
    std::string detail = row.value("detail", "");
    if (detail == "further defects: some questions were not answered") detail.clear();
    out += fmt::format("  {} {}\n", row.value("verdict", ""), detail);
    for (const auto& text : row["assumptions"]) out += "  assumes " + text.get<std::string>() + "\n";
    for (const auto& f : row["findings"]) {
      out += fmt::format("  {} at {}", f.value("kind", ""), place(f));
      for (const auto& side : f["threads"])
        if (side.contains("access") && side.contains("place"))
          out += ", " + side.value("access", "") + " " + place(side);
      out += "\n";
    }
  }
  return out;
}

// The files of a folder, whose second line has the options: "//--blockDim=64".
std::vector<Kernel> files(const std::string& folder) {
  std::vector<Kernel> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Kernel k;
    k.number = entry.path().filename().string();
    k.text = whole(entry.path().string());
    std::istringstream lines(k.text);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    if (!line.starts_with("//--")) continue;
    std::istringstream words(line.substr(2));
    for (std::string word; words >> word;) k.words.push_back(word);
    out.push_back(std::move(k));
  }
  std::sort(out.begin(), out.end(), [](const Kernel& a, const Kernel& b) { return a.number < b.number; });
  return out;
}

constexpr size_t k_parts = 6;

// Every sixth kernel, so that the parts run beside each other.
void hold(const std::string& name, const std::vector<Kernel>& all, size_t part) {
  if (!clangfe::available()) GTEST_SKIP() << "built without clang 19";
  ASSERT_GE(all.size(), 70u);
  std::string now;
  for (size_t n = part; n < all.size(); n += k_parts)
    now += said(all[n], name.ends_with("cl") || all[n].number.ends_with(".cl") ? "k.cl" : "k.cu");
  const std::string path = fmt::format("{}{}-{}.txt", k_folder, name, part);
  if (std::getenv("FENCEPOST_PROMOTE") != nullptr) {
    std::ofstream(path, std::ios::binary) << now;
    return;
  }
  EXPECT_EQ(now, whole(path)) << path;
}

class Drawn : public testing::TestWithParam<size_t> {};
TEST_P(Drawn, OpenClAnswersAreThoseThatAreKept) { hold("cl", kernels(k_folder + "drawn.cl"), GetParam()); }
TEST_P(Drawn, CudaAnswersAreThoseThatAreKept) { hold("cu", kernels(k_folder + "drawn.cu"), GetParam()); }
TEST_P(Drawn, TwinsAreToldApart) { hold("twins", kernels(k_folder + "twins.cu"), GetParam()); }
TEST_P(Drawn, GoodKernelsAreVerifiedUnderWhatIsKept) {
  hold("good", files(std::string(FENCEPOST_SOURCE_DIR) + "/tests/corpus/good-kernels"), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Parts, Drawn, testing::Range(size_t{0}, k_parts));

}  // namespace
}  // namespace fencepost::verifier
