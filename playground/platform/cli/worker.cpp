// cli/worker.h where there is one process: the work is done in it. What would end a worker ends the program, and the
// page says so: a stack that ends is a trap. Memory that ends is told here, as elsewhere. Engines look at their
// deadlines; nobody ends them.
#include "cli/worker.h"

#include <fmt/format.h>

#include <new>

#include "base/printable.h"
#include "cli/json.h"
#include "cli/output.h"

namespace fencepost::cli {
namespace {

Diagnostics out_of_memory(const std::string& name) {
  return unsupported_at({},
                        name.empty() ? "gave up: the memory of the page is spent"
                                     : fmt::format("'{}': gave up: the memory of the page is spent", name),
                        "the program, on a machine of your own, may have more")
      .error();
}

FileReport whole(const std::string& name, const std::function<FileReport()>& work, bool json) {
  std::set_new_handler([] { throw std::bad_alloc(); });
  return said_or_failed([&] {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      FileReport r;
      const Diagnostics why = out_of_memory(name);
      for (const Diagnostic& d : why.list) r.err += "fencepost: " + render(d);
      if (json) r.json.push_back(json_errors(name, why));
      r.code = k_exit_undecided;
      return r;
    }
  });
}

}  // namespace

bool is_worker() { return false; }
void if_ended(const FileReport&) {}
double begin_test() { return 0; }

int in_worker(const Limits&, const Console& console, bool json, const std::string& name,
              const std::function<int(const Console&)>& body) {
  bool printed = false;
  Console own = console;
  own.out = [&](std::string_view text) {
    printed = true;
    console.out(text);
  };
  const FileReport r = whole(
      name,
      [&] {
        FileReport done;
        done.code = body(own);
        return done;
      },
      json);
  console.err(r.err);
  if (!printed && !r.json.empty()) console.out(json_list(r.json));
  return r.code;
}

int in_cage(const Confinement&, const Console& console, bool, const std::string&,
            const std::function<int(const Console&)>&) {
  console.err("fencepost: --untrusted: a page of a browser is confined by the browser\n");
  return k_exit_internal;
}

void in_workers(size_t n, uint32_t, const Limits&, const std::function<std::string(size_t)>& name,
                const std::function<FileReport(size_t)>& work, bool json,
                const std::function<void(size_t, FileReport)>& taken, const std::function<void(size_t)>& waiting) {
  for (size_t i = 0; i < n; ++i) {
    taken(i, whole(name(i), [&] { return work(i); }, json));
    waiting(i + 1);
  }
}

FileReport in_this_process(const Limits&, const std::string& name, const std::function<FileReport()>& work, bool json) {
  return whole(name, work, json);
}

}  // namespace fencepost::cli
