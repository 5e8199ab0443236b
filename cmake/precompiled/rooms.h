// What many sources include of the standard library, and fmt, parsed once for all (cmake/precompiled.cmake). A source
// includes what it uses all the same: it must compile without this file. Not <filesystem> nor <iomanip>: their
// std::quoted would compete with our functions of that name. Not JSON: a source that does not use it would wait 0.3 s
// longer, six times as many as would wait 0.5 s less.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
