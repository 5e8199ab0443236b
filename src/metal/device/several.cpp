#include "device/several.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace fencepost::device {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

// What plans may count on: the least of all.
Info info_of_all(std::string id, const std::vector<Info>& members, bool host) {
  Info out = members[0];
  out.id = std::move(id);
  std::vector<std::string> names, drivers;
  out.properties.clear();
  out.defects.clear();
  const auto add = [](std::vector<std::string>& list, const std::string& s) {
    if (std::find(list.begin(), list.end(), s) == list.end()) list.push_back(s);
  };
  for (size_t k = 0; k < members.size(); ++k) {
    const Info& i = members[k];
    const bool is_host = host && k + 1 == members.size();
    if (!is_host) add(names, i.name);
    add(drivers, i.driver);
    out.units = std::min(out.units, i.units);
    out.max_lanes = std::min(out.max_lanes, i.max_lanes);
    out.max_groups = std::min(out.max_groups, i.max_groups);
    out.shared_bytes = std::min(out.shared_bytes, i.shared_bytes);
    out.max_cluster = std::min(out.max_cluster, i.max_cluster);
    out.memory_bytes = std::min(out.memory_bytes, i.memory_bytes);
    out.line_bytes = std::max(out.line_bytes, i.line_bytes);
    out.runs_groups_together = out.runs_groups_together && i.runs_groups_together;
    out.device_scope = out.device_scope && i.device_scope;
    const std::string place = is_host ? "host" : fmt::format("gpu {}", k);
    for (const Property& p : i.properties) out.properties.push_back({fmt::format("{}: {}", place, p.name), p.value});
    for (const Defect& d : i.defects) out.defects.push_back(d);
  }
  const size_t devices = members.size() - (host ? 1 : 0);
  out.name = names.size() == 1 && devices > 1 ? fmt::format("{} x {}", devices, names.front())
                                              : fmt::format("{}", fmt::join(names, " + "));
  // Stores know devices by their names: with and without the host they are two.
  if (host) out.name += " + " + members.back().name;
  out.driver = fmt::format("{}", fmt::join(drivers, "; "));
  return out;
}

std::optional<Info> device_of(const Found& found, const std::string& id) {
  const auto one = [&](const std::string& wanted) -> std::optional<Info> {
    for (const Info& i : found.devices)
      if (i.id == wanted || name(i.api) == wanted) return i;
    return std::nullopt;
  };
  if (id.find('+') == std::string::npos) return one(id);
  std::vector<Info> members;
  std::string api;
  const bool host = id.ends_with("+host");
  for (size_t at = 0; at <= id.size();) {
    const size_t plus = std::min(id.find('+', at), id.size());
    std::string part = id.substr(at, plus - at);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos) part.insert(0, api + ":");
    api = part.substr(0, part.find(':'));
    const auto found_one = one(host && plus == id.size() ? "cpu" : part);
    if (!found_one) return std::nullopt;
    members.push_back(*found_one);
    at = plus + 1;
  }
  return info_of_all(id, members, host);
}

Expected<std::unique_ptr<Several>> Several::make(std::string id, std::vector<std::unique_ptr<Backend>> members,
                                                 std::vector<std::vector<Reach>> reach, std::vector<Property> links,
                                                 bool host) {
  FENCEPOST_INVARIANT(members.size() >= 2 && reach.size() == members.size(), "several devices are at least two");
  for (const std::vector<Reach>& r : reach)
    FENCEPOST_INVARIANT(r.size() == members.size() + 1, "a device has a reach for each home");
  for (const auto& m : members)
    // Threads of the host are in no subgroup, whatever their numbers.
    if (!(host && m == members.back()) && m->info().subgroup != members[0]->info().subgroup)
      return unsupported_at({},
                            fmt::format("{}: {} has subgroups of {} and {} of {}", id, members[0]->info().id,
                                        members[0]->info().subgroup, m->info().id, m->info().subgroup),
                            "devices that work together have subgroups of one size");
  std::unique_ptr<Several> out(new Several());
  std::vector<Info> infos;
  for (const auto& m : members) infos.push_back(m->info());
  out->info_ = info_of_all(std::move(id), infos, host);
  out->host_ = host;
  // Stores and pages keep the driver's words, so what the devices may do with each other's memory stands there too.
  for (const Property& l : links) out->info_.driver += fmt::format("; {}: {}", l.name, l.value);
  out->info_.properties.insert(out->info_.properties.end(), links.begin(), links.end());
  out->members_ = std::move(members);
  out->reach_ = std::move(reach);
  return out;
}

Expected<std::unique_ptr<Several>> Several::make_with_host(std::string id,
                                                           std::vector<std::unique_ptr<Backend>> members,
                                                           std::vector<std::vector<Reach>> reach,
                                                           std::vector<Property> links,
                                                           std::unique_ptr<Backend> processors) {
  const size_t devices = members.size();
  for (std::vector<Reach>& r : reach) r.insert(r.begin() + static_cast<ptrdiff_t>(devices), Reach::none);
  std::vector<Reach> own(devices, Reach::none);
  own.insert(own.end(), {Reach::atomic, Reach::atomic});
  reach.push_back(std::move(own));
  members.push_back(std::move(processors));
  return make(std::move(id), std::move(members), std::move(reach), std::move(links), true);
}

Several::~Several() {
  // Whoever adopted memory lets go of it before its owner does.
  while (dead_.empty() && !buffers_.empty()) release(buffers_.begin()->first);
}

std::string Several::name_of(uint32_t place) const {
  return is_host(place) ? fmt::format("the host ({})", info_of(place).id)
                        : fmt::format("gpu {} ({})", place, info_of(place).id);
}

Expected<void> Several::alive() const { return dead_.empty() ? Expected<void>{} : error_at({}, dead_); }

void Several::begin(uint64_t seed) {
  for (const auto& m : members_) m->begin(seed);
}

Expected<ModuleId> Several::load_at(uint32_t place, const Source& source) {
  if (const auto ok = alive(); !ok) return std::unexpected(ok.error());
  return members_[place]->load(source);
}

Expected<BufferId> Several::allocate_at(uint32_t home, uint64_t words) {
  if (const auto ok = alive(); !ok) return std::unexpected(ok.error());
  Shared s;
  s.owner = home < places() ? home : 0;
  const auto made = home < places() ? members_[home]->allocate(words) : members_[0]->allocate_on_host(words);
  if (!made) return std::unexpected(made.error());
  s.ids[s.owner] = *made;
  const auto at = members_[s.owner]->address(*made);
  if (!at) return std::unexpected(at.error());
  for (uint32_t p = 0; p < places(); ++p) {
    if (p == s.owner || reach_[p][home] == Reach::none) continue;
    const auto adopted = members_[p]->adopt(*at, words);
    if (!adopted) return std::unexpected(adopted.error());
    s.ids[p] = *adopted;
  }
  buffers_[next_] = std::move(s);
  return next_++;
}

void Several::release(BufferId buffer) {
  const auto at = buffers_.find(buffer);
  if (at == buffers_.end()) return;
  for (const auto& [place, id] : at->second.ids)
    if (place != at->second.owner) members_[place]->release(id);
  members_[at->second.owner]->release(at->second.ids.at(at->second.owner));
  buffers_.erase(at);
}

Expected<void> Several::fill(BufferId buffer, uint64_t first, uint64_t words, uint32_t value) {
  if (const auto ok = alive(); !ok) return ok;
  const Shared& s = buffers_.at(buffer);
  return members_[s.owner]->fill(s.ids.at(s.owner), first, words, value);
}

Expected<void> Several::write(BufferId buffer, uint64_t first, std::span<const uint32_t> words) {
  if (const auto ok = alive(); !ok) return ok;
  const Shared& s = buffers_.at(buffer);
  return members_[s.owner]->write(s.ids.at(s.owner), first, words);
}

Expected<void> Several::read(BufferId buffer, uint64_t first, std::span<uint32_t> words) {
  if (const auto ok = alive(); !ok) return ok;
  const Shared& s = buffers_.at(buffer);
  return members_[s.owner]->read(s.ids.at(s.owner), first, words);
}

Expected<Launch> Several::own(const Part& part) const {
  Launch out = part.launch;
  for (BufferId& b : out.buffers) {
    const auto at = buffers_.find(b);
    const auto id = at == buffers_.end() ? decltype(at->second.ids.begin()){} : at->second.ids.find(part.place);
    if (at == buffers_.end() || id == at->second.ids.end())
      return error_at({}, fmt::format("{}: {} has no access to buffer {}", info_.id, name_of(part.place), b));
    b = id->second;
  }
  return out;
}

Expected<Outcome> Several::launch(const Launch& launch) {
  if (const auto ok = alive(); !ok) return std::unexpected(ok.error());
  const auto mine = own({0, launch});
  if (!mine) return std::unexpected(mine.error());
  auto done = members_[0]->launch(*mine);
  if (done && done->status != Outcome::Status::done) dead_ = fmt::format("{}: {}", info_.id, done->message);
  return done;
}

Expected<std::vector<Outcome>> Several::together(std::span<const Part> parts, double limit) {
  if (const auto ok = alive(); !ok) return std::unexpected(ok.error());
  std::vector<Launch> launches;
  for (const Part& p : parts) {
    auto mine = own(p);
    if (!mine) return std::unexpected(mine.error());
    launches.push_back(std::move(*mine));
  }
  const auto begin = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::vector<bool> running(parts.size(), false);
  const auto give_up = [&](const std::string& why) {
    dead_ = fmt::format("{}: {}", info_.id, why);
    for (size_t k = 0; k < parts.size(); ++k)
      if (running[k]) members_[parts[k].place]->give_up(why);
  };
  for (size_t k = 0; k < parts.size(); ++k) {
    if (const auto ok = members_[parts[k].place]->start(launches[k]); !ok) {
      give_up("a launch could not begin on " + name_of(parts[k].place));
      return std::unexpected(ok.error());
    }
    running[k] = true;
  }
  std::vector<Outcome> out(parts.size());
  size_t left = parts.size();
  while (left > 0) {
    for (size_t k = 0; k < parts.size(); ++k) {
      if (!running[k]) continue;
      const auto ended = members_[parts[k].place]->poll();
      if (!ended) {
        running[k] = false;
        give_up(name_of(parts[k].place) + " failed");
        return std::unexpected(ended.error());
      }
      if (!*ended) continue;
      running[k] = false;
      --left;
      out[k] = **ended;
      if (out[k].status == Outcome::Status::done) continue;
      out[k].message = fmt::format("on {}: {}", name_of(parts[k].place), out[k].message);
      give_up(out[k].message);
      return out;
    }
    if (left > 0 && passed() > limit) {
      std::string names;
      for (size_t k = 0; k < parts.size(); ++k)
        if (running[k]) {
          names += (names.empty() ? "" : ", ") + name_of(parts[k].place);
          out[k].status = Outcome::Status::timed_out;
          out[k].seconds = passed();
        }
      const std::string why = fmt::format("a launch did not end within {:g} s on {}", limit, names);
      for (Outcome& o : out)
        if (o.status == Outcome::Status::timed_out) o.message = why;
      give_up(why);
      return out;
    }
    if (left > 0 && passed() > 0.002) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return out;
}

}  // namespace fencepost::device
