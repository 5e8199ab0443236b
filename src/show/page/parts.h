#pragma once
// Sections of the page that are mostly plots.
#include <string>

#include "page/page.h"
#include "page/plot.h"

namespace fencepost::page {

std::string rate_histograms(const Set& s, const Options& o);
std::string arrivals(const Set& s, const Options& o);
std::string tuning_curves(const Set& s, const Options& o);
std::string tuning_tables(const Set& s, const Options& o);  // winners on fresh seeds, incantations
std::string portability(const Set& s, const Options& o);
std::string correlations(const Set& s, const Options& o);

}  // namespace fencepost::page
