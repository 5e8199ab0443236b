// A location lies in one address space. A published test has one that is global in one thread and local in another; the
// models of the tables read it, the others refuse it as the input's fault.
#include "enumerate_support.h"
#include "prog/test.h"

namespace fencepost::check {
namespace {

prog::Test spaces(const std::string& first, const std::string& second) {
  return parsed("OPENCL t\n{ [x] = 0; }\nP0@wg 0, dev 0 (" + first +
                " atomic_int* x) {\n  atomic_store(x, 1);\n}\nP1@wg 0, dev 0 (" + second +
                " atomic_int* x) {\n  int r0 = atomic_load(x);\n}\nexists (1:r0 = 1)\n");
}

TEST(OpenclSpace, IsOneForEachLocation) {
  const cat::Model opencl = shipped("opencl", vocab::Dialect::opencl),
                   tables = shipped("opencl-tables", vocab::Dialect::opencl);
  for (const auto& [a, b] :
       std::vector<std::pair<std::string, std::string>>{{"local", "global"}, {"global", "local"}}) {
    const auto refused = fits(spaces(a, b), opencl);
    ASSERT_FALSE(refused);
    const Diagnostic& d = refused.error().list.front();
    EXPECT_EQ(d.fault, Fault::bad_input);
    EXPECT_NE(
        d.message.find(a == "local" ? "'x' is local in P0 and global in P1" : "'x' is local in P1 and global in P0"),
        std::string::npos)
        << d.message;
    EXPECT_TRUE(fits(spaces(a, b), tables));
  }
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"local", "local"}, {"global", "global"}, {"", "local"}, {"", ""}})
    EXPECT_TRUE(fits(spaces(a, b), opencl)) << a << " " << b;
}

}  // namespace
}  // namespace fencepost::check
