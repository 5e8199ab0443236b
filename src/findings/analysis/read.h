#pragma once
// Result sets -> tables. The form is known by content, never by name.
//
//   store            a store of ours (`campaign`, `tune`): configurations are those of the plans, or the numbers of
//                    tuning (of a search, an ablation, a confirmation: with that word before)
//   litmus7 log      what litmus7 and `fencepost run --log` write: Test, Histogram, Witnesses, Observation, Time. Runs
//                    of one test in one log are batches of one cell; the device is Device=, or the file's name
//   configurations   JSON of WebGPU litmus testing: {"0": {TEST: {"seq", "interleaved", "weak"[, "durationSeconds"]},
//                    ..., "params": {...}}, "1": ...}: MC Mutants (ASPLOS 2023), webgpu-litmus/results, GPUHarbor
//                    (ISSTA 2023)
//   GPUHarbor base   an SQLite base with such JSON in tuning_results(gpu_vendor, results)
//   cuda-litmus log  "Iteration: N", "Test NAME weak: W, total: T, rate: R per second": an iteration is a
//                    configuration, T / (W / R) its seconds where W > 0
//   cuda-litmus csv  test,base,strengthened,DEVICE...: seen or not seen, and what two models say; no counts
//   table of counts  CSV with a column `test`; a column of whole numbers is a device, how often it showed the outcome
//                    (empty: not measured); `instances` of each row, where known; `table` and columns of texts are left
//                    out, with a remark
//   folder           the files in it that are one of these, a device each
//
// Tests of the WebGPU forms are mutants; their mutator is told by their names as the authors' scripts do it:
// "Mutations" reverses po-loc, "Coherency" weakens po-loc, anything else weakens synchronises-with. Of tests in a store
// the weakenings of a campaign ("MP~2") are mutants of the test before the "~", and what `suite
// --mutants` writes ("MP--scope-3") of the test before the "--".
//
// Errors: a file that is none of these, with what was looked for; a malformed line or number, at its place.
#include <string>

#include "analysis/table.h"
#include "base/diagnostic.h"
#include "store/store.h"

namespace fencepost::analysis {

Expected<Table> read(const std::string& path, const store::Filter& filter = {});

// The forms that are text; `device` where the text names none.
Expected<Table> read_text(SourcePtr source, const std::string& device);
Expected<Table> read_store(const store::Store& store, const store::Filter& filter);

}  // namespace fencepost::analysis
