#pragma once
// What rewriting can make of a question before a solver sees it.
//
// Input and output: conjunctions. `simplified` and `prepared` lose nothing: a model of the result is one of the
// question.
#include <vector>

#include "formula/pool.h"
#include "prove/products.h"

namespace fencepost::prove {

// What stands alone is known in the rest.
std::vector<Term> simplified(Pool& pool, std::vector<Term> goal);
// Besides: truth values are put in, variables are replaced by what they are equal to, and what is equal to the same is
// equal.
std::vector<Term> prepared(Pool& pool, const Products& products, std::vector<Term> goal);
// What the conjunction, without its i-th part, has to do with a term; sizes have to do with everything. The term itself
// comes first.
std::vector<Term> about(const Pool& pool, const Products& products, const std::vector<Term>& goal, size_t without,
                        Term t);

}  // namespace fencepost::prove
