#include "prove/rings.h"

#include "prove/ring_proof.h"

namespace fencepost::prove {

void Rings::begin(uint32_t loop) {
  open_ = loop;
  known_.insert(loop);
}

void Rings::use(Use u) { pending_.push_back(std::move(u)); }

void Rings::end(Loop loop) {
  for (Use& u : pending_) {
    u.loop = loops_.size();
    uses_.push_back(std::move(u));
  }
  pending_.clear();
  loops_.push_back(std::move(loop));
  open_ = 0;
}

std::vector<Phases::Claim> Rings::conclude(const Places& places, std::vector<Single>& singles,
                                           std::vector<Phases::Step>& outside, const std::vector<uint32_t>& meetings) {
  if (uses_.empty()) return {};
  std::vector<Phases::Claim> claims = RingProof(*this, places, singles, outside, meetings).run();
  for (Phases::Claim& c : claims) c.of_ring = true;
  return claims;
}

}  // namespace fencepost::prove
