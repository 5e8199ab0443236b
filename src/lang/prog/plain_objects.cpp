#include "prog/plain_objects.h"

namespace fencepost::prog {

void mark_plain_objects(Test& test) {
  std::vector<bool> atomic(test.objects.size(), false);
  for (const Template& t : test.templates)
    for (const Instr& i : t.code) {
      if (!i.tags.has(Tag::A) && !i.store_tags.has(Tag::A)) continue;
      if (i.kind != Kind::load && i.kind != Kind::store && i.kind != Kind::rmw) continue;
      if (i.addr.symbol == k_none) return;
      atomic[test.symbols[i.addr.symbol].object] = true;
    }
  for (ObjectId o = 0; o < test.objects.size(); ++o)
    if (!atomic[o]) test.objects[o].tags.add(Tag::NAL);
}

}  // namespace fencepost::prog
