#pragma once
// A directed graph as a layered picture (Sugiyama, Tagawa, Toda 1981): edges that close a cycle in a depth-first walk
// are turned round, nodes get the rank of their longest path from the start, and every edge becomes a chain of places,
// one per rank; odd ranks hold the edges' labels, so that a label has room of its own. Places are ordered within a rank
// by repeated barycentres, the order with the fewest crossings wins, and columns follow by least squares under the
// order (pool-adjacent-violators).
//
// Units: pixels. Deterministic. Time: quadratic in the edges of a rank up to 2,000 places, fewer rounds beyond.
#include <cstdint>
#include <vector>

namespace fencepost::draw {

struct LayeredNode {
  double left = 0, right = 0;  // room that it takes of its x
  double half_height = 0;
};
struct LayeredEdge {  // between two nodes; at most one in each direction
  uint32_t from = 0, to = 0;
  double label_half_width = 0, label_half_height = 0;
};

struct Place {  // of a node, a label, or a bend of a long edge
  double x = 0, y = 0, left = 4, right = 4, half_height = 0;
};
struct LayeredPath {
  bool turned = false;           // it runs upwards
  uint32_t label = 0;            // place
  std::vector<uint32_t> places;  // from the edge's source to its target
};
struct Layered {
  double width = 0, height = 0;
  std::vector<Place> places;       // the nodes first, in their order
  std::vector<LayeredPath> paths;  // by edge
};
// `start`: the node that the walk begins with. `top`: y at which the first rank begins; `margin`: around all.
Layered layered(const std::vector<LayeredNode>& nodes, const std::vector<LayeredEdge>& edges, uint32_t start,
                double top, double margin);

}  // namespace fencepost::draw
