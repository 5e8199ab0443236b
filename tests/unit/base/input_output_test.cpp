// What comes from files and folders, and what goes to them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/child.h"
#include "base/csv.h"
#include "base/folder.h"
#include "base/markdown.h"
#include "base/printable.h"
#include "base/read_file.h"
#include "base/write_file.h"

namespace fencepost {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string refusal(const std::string& path, uint64_t most = k_most_input) {
  const auto read = read_file(path, most);
  return read ? "" : render(read.error());
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ReadFile, files_and_nothing_else) {
  const ScratchFolder folder;
  const std::string at = folder.path() + "/";
  write(at + "whole", std::string("a\0b\n", 4));
  EXPECT_EQ((*read_file(at + "whole"))->text, std::string("a\0b\n", 4));
  EXPECT_TRUE(has(refusal(at + "none"), "No such file"));
  EXPECT_TRUE(has(refusal(folder.path()), "it is a folder"));
  ASSERT_EQ(mkfifo((at + "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has(refusal(at + "pipe"), "it is a pipe"));  // nobody writes to it: this must not wait
  EXPECT_TRUE(has(refusal("/dev/zero"), "it is a device"));
  EXPECT_FALSE(can_be_read("/dev/zero"));
  EXPECT_TRUE(can_be_read(at + "whole"));
  EXPECT_TRUE(has(refusal(at + std::string(300, 'x')), "too long"));
}

TEST(ReadFile, no_input_is_larger_than_the_limit) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/large";
  write(path, std::string(1 << 20, ' '));
  EXPECT_EQ(refusal(path, 1 << 20), "");
  write(path, std::string((1 << 20) + 1, ' '));
  EXPECT_TRUE(has(refusal(path, 1 << 20), "larger than 1 MiB"));
  fs::resize_file(path, k_most_input + 1);
  EXPECT_TRUE(has(refusal(path), "larger than 64 MiB"));
}

TEST(WriteFile, what_is_cut_is_told) {
  const ScratchFolder folder;
  const std::string path = folder.path() + "/out";
  ASSERT_TRUE(write_file(path, "older and longer"));
  ASSERT_TRUE(write_file(path, "text"));
  EXPECT_EQ((*read_file(path))->text, "text");
  EXPECT_EQ(write_file(folder.path() + "/no/such/folder", "text").code, 2);
  EXPECT_EQ(write_file(folder.path(), "text").code, 2);
  const Written full = write_file("/dev/full", "text");
  EXPECT_EQ(full.code, 4);
  EXPECT_TRUE(has(render(full.why), "No space left"));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit most{65536, 65536};
    setrlimit(RLIMIT_FSIZE, &most);
    _exit(write_file(path, std::string(100000, 'x')).code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(Folder, every_file_is_found_once) {
  const ScratchFolder folder;
  const std::string at = folder.path() + "/";
  fs::create_directories(at + "b/deep");
  for (const char* f : {"z.cl", "a.cl", "b/m.cl", "b/deep/n.cl", "b/other.txt"}) write(at + f, "");
  fs::create_directory_symlink("..", at + "b/deep/loop");
  fs::create_directory_symlink("b", at + "again");
  fs::create_symlink("b/other.txt", at + "c.cl");
  fs::create_symlink("nowhere", at + "dead.txt");  // of no interest
  fs::create_symlink("self", at + "self");
  const auto found = files_below(folder.path(), {".cl"});
  ASSERT_TRUE(found) << render(found.error());
  std::vector<std::string> names;
  for (const std::string& f : *found) names.push_back(f.substr(at.size()));
  EXPECT_EQ(names, (std::vector<std::string>{"a.cl", "again/deep/n.cl", "again/m.cl", "c.cl", "z.cl"}));
}

TEST(Folder, what_cannot_be_read_is_an_error) {
  const ScratchFolder folder;
  const std::string at = folder.path() + "/";
  write(at + "a.cl", "");
  fs::create_symlink("nowhere", at + "dead.cl");
  auto found = files_below(folder.path(), {".cl"});
  ASSERT_FALSE(found);
  EXPECT_TRUE(has(render(found.error()), "dead.cl' cannot be read: No such file"));
  fs::remove(at + "dead.cl");
  fs::create_symlink("circle.cl", at + "circle.cl");
  EXPECT_FALSE(files_below(folder.path(), {".cl"}));
  fs::remove(at + "circle.cl");
  EXPECT_TRUE(files_below(folder.path(), {".cl"}));
  EXPECT_FALSE(files_below(at + "none", {".cl"}));
  // A folder that may not be opened, as anybody but root finds it.
  fs::create_directory(at + "closed");
  fs::permissions(fs::path(folder.path()).parent_path(), fs::perms::all);  // the scratch folder of this run
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(at + "closed", fs::perms::none);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
    const auto seen = files_below(folder.path(), {".cl"});
    _exit(seen ? 1 : has(render(seen.error()), "closed' cannot be read: Permission denied") ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Folder, paths_longer_than_the_system_takes) {
  const ScratchFolder folder;
  std::string deep = folder.path();
  const std::string part(200, 'd');
  const int before = open(".", O_RDONLY);
  ASSERT_EQ(chdir(folder.path().c_str()), 0);
  for (size_t i = 0; i < 25; ++i) {
    ASSERT_EQ(mkdir(part.c_str(), 0700), 0);
    ASSERT_EQ(chdir(part.c_str()), 0);
  }
  write("hidden.cl", "");
  ASSERT_EQ(fchdir(before), 0);
  close(before);
  const auto found = files_below(folder.path(), {".cl"});
  ASSERT_FALSE(found);
  EXPECT_TRUE(has(render(found.error()), "too long"));
}

TEST(Folder, inside_and_outside) {
  const ScratchFolder folder;
  const std::string at = folder.path() + "/";
  fs::create_directories(at + "in/deep");
  fs::create_directory(at + "inner");
  fs::create_directory_symlink("/etc", at + "in/way-out");
  EXPECT_TRUE(is_below(at + "in", at + "in"));
  EXPECT_TRUE(is_below(at + "in/", at + "in"));
  EXPECT_TRUE(is_below(at + "in/deep/../x", at + "in/"));
  EXPECT_TRUE(is_below(at + "in/not/yet", at + "in"));
  EXPECT_FALSE(is_below(at + "inner", at + "in"));
  EXPECT_FALSE(is_below(at + "in/..", at + "in"));
  EXPECT_FALSE(is_below(at + "in/deep/../../x", at + "in"));
  EXPECT_FALSE(is_below(at + "in/way-out/passwd", at + "in"));
  EXPECT_FALSE(is_below("/", at + "in"));
  EXPECT_TRUE(is_below("x", "."));
  EXPECT_FALSE(is_below("..", "."));
}

TEST(Printable, bytes_that_are_no_text) {
  EXPECT_EQ(printable("plain \t\n"), "plain \t\n");
  EXPECT_EQ(printable("\xc3\xa9\xe2\x86\x92\xf0\x9f\x98\x80"), "\xc3\xa9\xe2\x86\x92\xf0\x9f\x98\x80");
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a" + r + "b");
  EXPECT_EQ(printable("\xc3"), r);                          // cut
  EXPECT_EQ(printable("\xc0\xaf"), r + r);                  // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), r + r + r);          // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), r + r + r + r);  // above the last
  EXPECT_EQ(printable("\x1b[31m\x07"), r + "[31m" + r);
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            r + "31m");  // the same in one character
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a" + r + "b");  // right to left
  EXPECT_EQ(printable("a\r\nb\rc"), "a\nb" + r + "c");
  EXPECT_EQ(printable(std::string_view("\0", 1)), r);
  EXPECT_EQ(printable_name("a\nb\tc"), "a" + r + "b" + r + "c");
}

TEST(Csv, no_formula) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("-2+3,\"x\""), "\"'-2+3,\"\"x\"\"\"");
  for (const char* harmless : {"-1.5", "+3", "-", "a=b", "", "-1e-05"}) EXPECT_EQ(csv_field(harmless), harmless);
}

TEST(Markdown, no_markup) {
  EXPECT_EQ(markdown_text("MP+fence"), "MP+fence");
  EXPECT_EQ(markdown_text("<script>|\n[x](y)`"), "&#60;script&#62;&#124;\xef\xbf\xbd&#91;x&#93;(y)&#96;");
}

}  // namespace
}  // namespace fencepost
