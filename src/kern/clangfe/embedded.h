#pragma once
// The texts of headers/*.hdr, put into the program by the build (links.cmake).
#include <string>
#include <vector>

namespace fencepost::clangfe {

struct EmbeddedHeader {
  std::string name;  // "cuda.hdr"
  std::string text;
};
const std::vector<EmbeddedHeader>& embedded_headers();
inline constexpr const char* k_header_folder = "/fencepost-headers";  // a folder of the virtual file system

}  // namespace fencepost::clangfe
