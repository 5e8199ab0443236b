#pragma once
// A cycle of relations that a litmus test is to exhibit, as text and as a value. The vocabulary is diy's, extended with
// scopes, regions, fences with semantics, proxies, barriers and annotated accesses; one table (cycle.cpp) drives
// parser, printer, namer and enumerator.
//
//   cycle := element { element }                 separated by blanks or commas
//   com   := (Rf | Co | Fr)(e | i) [@level]      Ws is read as Co. e: another thread, i: the same one
//   int   := (Po | Fence.<sem>.<scope> | Proxy.<proxy> | DpAddr | DpData | DpCtrl | Bar.<id> | Rmw | AvDevice |
//            VisDevice)(s|d)(R|W)(R|W); behind Fence.<sem>.<scope> and Bar.<id> parts of `covers` may follow
//            s: the same location, d: the next one; a dot before these three letters is read too; Rmw alone is RmwsRW
//   node  := parts joined by dots, between two relations: the access that the first enters and the second leaves
//            sem     weak relaxed acquire release acq_rel sc volatile mmio
//            scope, level   warp cta cluster gpu sys
//            region  global shared dshared host; storage classes sc0 sc1 sc2 sc3 of VULKAN
//            covers  semsc0 semsc1 semsc2 semsc3 semav semvis: what an ordered operation of VULKAN speaks of; nonpriv
//            proxy   generic alias const tex surf async
//            cache   ca cg cv wb wt     width  w8 w16 w32 w64 w128     operation  exch add
//
// @level: the narrowest group that holds both threads is one of that level, exactly.
// What a dialect has no instruction for is refused when the cycle becomes a test (test.h), by its name and place.
// Rules (as diy's): directions agree at every joint; two or more communications go to another thread; locations change
// at d, and so at none or at two or more places; Co or Fr is not followed at once by Co or Fr.
// Sources: the diy7 manual; the grammar of scopes and regions is ours.
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace fencepost::gen {

enum class Dir : uint8_t { read, write };
enum class Sem : uint8_t { none, weak, relaxed, acquire, release, acq_rel, sc, volatile_, mmio };
enum class Scope : uint8_t { none, warp, cta, cluster, gpu, sys };
enum class Region : uint8_t { none, global, shared, dshared, host, sc0, sc1, sc2, sc3 };
enum class Proxy : uint8_t { none, generic, alias, constant, texture, surface, async };
enum class Cache : uint8_t { none, ca, cg, cv, wb, wt };
enum class Operation : uint8_t { none, exch, add };
const char* name(Sem s);
const char* name(Scope s);
const char* name(Region r);
const char* name(Proxy p);
const char* name(Cache c);
const char* name(Operation o);

// What an ordered operation of VULKAN covers besides order and scope.
struct Covers {
  uint8_t classes = 0;           // bit k: storage class k; none: all classes that the test has
  bool av = false, vis = false;  // makes available, makes visible
  bool operator==(const Covers&) const = default;
};

// How an access is made; `none` parts are the default of the test that is made (test.h).
struct Node {
  Sem sem = Sem::none;
  Scope scope = Scope::none;
  Region region = Region::none;
  Proxy proxy = Proxy::none;
  Cache cache = Cache::none;
  uint8_t width = 0;
  Operation operation = Operation::none;
  Covers covers;
  bool nonpriv = false;  // a plain access of VULKAN that takes part in synchronisation
  Span span;
  bool empty() const;
  bool operator==(const Node&) const = default;
};

enum class Rel : uint8_t { rf, co, fr, po, fence, proxy, addr, data, ctrl, bar, rmw, av_device, vis_device };

struct Edge {
  Rel rel = Rel::po;
  bool external = false;
  bool same_location = true;
  Dir from = Dir::write, to = Dir::write;
  Sem sem = Sem::none;        // fence
  Scope scope = Scope::none;  // fence
  Proxy proxy = Proxy::none;  // proxy
  uint32_t barrier = 0;       // bar
  Covers covers;              // fence, bar
  Scope level = Scope::none;  // external: of the two threads
  Span span;
  bool operator==(const Edge&) const = default;
  bool communication() const { return rel <= Rel::fr; }
};

// nodes[k] is the source of edges[k]; both have the same length.
struct Cycle {
  std::vector<Edge> edges;
  std::vector<Node> nodes;
  size_t size() const { return edges.size(); }
  size_t before(size_t k) const { return (k + size() - 1) % size(); }
  size_t after(size_t k) const { return (k + 1) % size(); }
  bool operator==(const Cycle&) const = default;
};

Expected<Cycle> parse_cycle(SourcePtr source);
Expected<Cycle> parse_cycle(const std::string& text);
Expected<Node> parse_node(const std::string& text);
// An internal relation without its directions and location: "Po", "Fence.sc.gpu", "DpData"; for enumeration.
Expected<Edge> parse_kind(const std::string& text);
Expected<void> check(const Cycle& c);  // the rules above; parse_cycle has applied them

// Law: parse_cycle(print(c)) == c.
std::string print(const Cycle& c);
std::string print(const Edge& e);
std::string print(const Node& n);
std::string print_kind(const Edge& e);

Cycle rotated(const Cycle& c, size_t start);  // begins with edge `start`

// Empty parts of accesses without a sem are filled from `access`: of acq_rel a read
// gets acquire and a write release; an order that the direction does not have becomes relaxed.
Cycle with_access(Cycle c, const Node& access);

}  // namespace fencepost::gen
