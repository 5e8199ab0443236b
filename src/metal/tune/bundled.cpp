#include "tune/bundled.h"

#include <fmt/format.h>

#include <vector>

namespace fencepost::tune {
namespace {

constexpr const char* k_tuned =
    "groups=195..259,lanes=128,rounds=32,schedule=fused,rotate=on,shuffle=on,align=on,align-every=2,"
    "delay=0,churn=0,stride=4,layout=apart,xy-stride=8,stress=on,stress-groups=9,"
    "stress-iterations=67,stress-pattern=load-store,stress-line=256,stress-targets=12,"
    "stress-assignment=round-robin,stress-spread=word,pre-stress=off,pre-stress-pattern=load-load,"
    "pre-stress-iterations=31,touch=mixed";
constexpr const char* k_mlfs =
    "groups=135..179,lanes=256,rounds=32,schedule=split,rotate=on,shuffle=on,align=on,align-every=4,"
    "delay=0,churn=8,stride=2,layout=apart,xy-stride=8,stress=on,stress-groups=28,"
    "stress-iterations=239,stress-pattern=load-load,stress-line=32,stress-targets=6,"
    "stress-assignment=round-robin,stress-spread=word,pre-stress=off,pre-stress-pattern=load-store,"
    "pre-stress-iterations=33,touch=all";
constexpr const char* k_none =
    "stress=off,pre-stress=off,touch=off,shuffle=off,rotate=off,align=off,layout=apart,offset=0,"
    "stride=1,xy-stride=1";
constexpr const char* k_close =
    "schedule=fused,lanes=16..64,align=on,align-every=4..16,stride=1..4,stress=off,pre-stress=off,"
    "touch=off";

struct Named {
  const char *name, *parameters;
};

}  // namespace

Bundled bundled_stress(Kind kind) {
  std::vector<Named> list;
  if (kind == Kind::gpu) list = {{"tuned", k_tuned}, {"MLFS-F", k_mlfs}, {"no stress", k_none}};
  if (kind == Kind::processors) list = {{"close", k_close}, {"drawn", ""}, {"no stress", k_none}};
  if (kind == Kind::one_by_one) list = {{"drawn", "groups=4..16,lanes=32,rounds=1..8"}, {"no stress", k_none}};
  Bundled out;
  out.count = list.size();
  for (const Named& n : list) {
    out.text += fmt::format("\n[[configuration]]\nname = \"{}\"\ngive_way = true\n", n.name);
    if (*n.parameters != 0) out.text += fmt::format("parameters = \"{}\"\n", n.parameters);
  }
  return out;
}

}  // namespace fencepost::tune
