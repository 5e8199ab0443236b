#pragma once
// A graph as GraphML (graphml.graphdrawing.org), for tools that read graphs: yEd, Gephi, NetworkX. Data of nodes:
// label, detail, column (its title), row; of edges: label, style, emphasis. Title and caption are data of the graph.
// The order is that of the graph, and equal graphs give equal bytes.
#include <string>

#include "draw/graph.h"

namespace fencepost::draw {

std::string to_graphml(const Graph& g);

}  // namespace fencepost::draw
