#pragma once
// The readers that read.cpp chooses from.
#include <string>

#include "analysis/table.h"
#include "base/diagnostic.h"

namespace fencepost::analysis {

// WebGPU configurations; `source` for messages, or none.
Expected<void> add_configurations(Table& out, const std::string& text, const std::string& device,
                                  const SourcePtr& source);

// An SQLite file of the GPUHarbor form. Devices are "vendor", or "vendor 2", ... where a vendor has several rows.
Expected<Table> read_base(const std::string& path);

}  // namespace fencepost::analysis
