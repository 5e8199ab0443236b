#include "cli/file_report.h"

namespace fencepost::cli {

void refuse(FileReport& r, const Settings& s, const std::string& path, const Diagnostics& ds) {
  r.err += render(ds);
  if (s.json) r.json.push_back(json_errors(path, ds));
  r.code = worse(r.code, exit_code(ds));
}

}  // namespace fencepost::cli
