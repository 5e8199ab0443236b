#pragma once
// What the two forms of an audit for people, text and HTML, have in common. Internal to audit_page.cpp and
// audit_html.cpp.
#include <array>
#include <string>

#include "cli/audit.h"

namespace fencepost::cli::audit {

// What the page is made of, in its order.
struct Section {
  const char *kind, *title, *one, *more;
};
inline constexpr std::array k_sections = {
    Section{"race", "races", "race", "races"},
    Section{"other-defect", "other defects", "other defect", "other defects"},
    Section{"missing-order", "missing order", "missing order", "missing orders"},
    Section{"may-hang", "may hang", "way to hang", "ways to hang"},
    Section{"fence-not-needed", "fences not needed", "fence not needed", "fences not needed"}};

// How sure a finding is, at which launch, and with which values.
std::string standing(const Json& finding);
// What the proofs of a kernel rest on, each sentence once.
Json granted_to_proofs(const Json& kernel);
// "2 kernels in 1 file: 1 race, ...; 0 questions not decided", with a newline.
std::string summary(const Json& page);
// The architecture that the proofs of a CUDA file are about; "" of other files.
std::string arch_words(const Json& file);

}  // namespace fencepost::cli::audit
