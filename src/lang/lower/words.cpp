// The words of each language's forms: a pattern with another one would never fit, and a form with another one would be
// refused only by the first test that meets it. Order and number of words are left to the rules and to the reader of
// the target.
#include "lower/words.h"

#include <algorithm>

namespace fencepost::lower {
namespace {

using List = std::vector<std::string>;

const List k_operations = {"OP", "exch", "add", "sub", "mul", "div", "and", "or", "xor", "cas"};
const List k_ptx_heads = {"ld",   "st",  "tld", "suld",   "cold",  "ldc",   "sust",
                          "atom", "red", "bar", "suatom", "sured", "fence", "barrier"};
const List k_ptx = {"weak",    "relaxed",  "acquire", "release", "acq_rel", "sc",      "volatile",
                    "cta",     "cluster",  "gpu",     "sys",     "proxy",   "generic", "alias",
                    "texture", "constant", "surface", "sync",    "arrive"};
const List k_vulkan_heads = {"ld", "st", "rmw", "membar", "cbar", "avdevice", "visdevice"};
const List k_vulkan = {"atom", "nonpriv", "av",  "vis", "acq", "rel", "acq_rel", "semav",  "semvis", "sg",    "wg",
                       "qf",   "dv",      "sc0", "sc1", "sc2", "sc3", "semsc0",  "semsc1", "semsc2", "semsc3"};
const List k_opencl_heads = {"load", "store", "rmw", "fence", "barrier"};
const List k_opencl = {"plain",   "relaxed",   "acquire",    "release", "acq_rel",
                       "seq_cst", "work_item", "work_group", "device",  "all_svm_devices"};
const List k_cuda_words = {"plain", "volatile"};

List cuda_heads() {
  List out = {"load", "store", "__syncthreads", "__syncwarp"};
  for (const char* scope : {"", "_block", "_system"}) {
    out.push_back(std::string("__threadfence") + scope);
    for (const char* op : {"Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor", "CAS"})
      out.push_back(std::string("atomic") + op + scope);
  }
  return out;
}

bool among(const List& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<std::string> heads(prog::Syntax s) {
  return s == prog::Syntax::ptx      ? k_ptx_heads
         : s == prog::Syntax::vulkan ? k_vulkan_heads
         : s == prog::Syntax::cuda   ? cuda_heads()
                                     : k_opencl_heads;
}

std::string unknown_word(prog::Syntax s, const Words& form) {
  if (!among(heads(s), form.front())) return form.front();
  const List& words = s == prog::Syntax::ptx      ? k_ptx
                      : s == prog::Syntax::vulkan ? k_vulkan
                      : s == prog::Syntax::cuda   ? k_cuda_words
                                                  : k_opencl;
  for (size_t k = 1; k < form.size(); ++k)
    if (form[k] != "SCOPE" && form[k] != "*" && !among(k_operations, form[k]) && !among(words, form[k])) return form[k];
  return "";
}

}  // namespace fencepost::lower
