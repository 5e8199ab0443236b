#pragma once
// Messages of session.h as JSON text and back. Both ends are one program, so nothing is versioned.
#include <string>

#include "campaign/session.h"

namespace fencepost::campaign {

std::string to_json(const Message& m);
// Invariant: the text was made by to_json.
Message message_of(const std::string& json);

std::string to_json(const device::Found& f);
device::Found found_of(const std::string& json);

}  // namespace fencepost::campaign
