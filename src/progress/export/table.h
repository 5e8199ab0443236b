#pragma once
// A mapping that a person wrote: which launched invocation plays which thread of which instance, as a text file.
//
//   mapping two-apart             its name: letters, digits, '-' and '_', none of the shipped mappings
//   any-order                     optional, see below
//   0.0 0.1 1.0 1.1 - 0.2 1.2     INSTANCE.THREAD of each launched invocation in the order of ids, or '-': no role
//
//   repeat 100 ( 0.0 0.1 )        the words so often; each time the instances go on where they stopped, here by 1
//
// Comments run from '#' to the end of the line. Laws: instances are 0 .. I-1 and threads 0 .. T-1 without gaps, each
// thread of each instance has exactly one id; else the text is refused where it is at fault. Within an instance a
// thread with a larger number has a larger id, unless the file says any-order: then what is seen says nothing of
// models that look at the order of ids (HSA, LOBE).
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/source.h"
#include "export/mapping.h"

namespace fencepost::exports {

struct RoleTable {
  std::string name;
  uint32_t threads = 0, instances = 0;     // T, I
  std::vector<std::optional<Role>> roles;  // by id; as many as are launched
  bool any_order = false;
};

Expected<std::shared_ptr<const RoleTable>> parse_table(const SourcePtr& source);
// Law: parse_table gives it back.
std::string to_text(const RoleTable& table);

}  // namespace fencepost::exports
