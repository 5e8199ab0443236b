#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/options.h"
#include "front/spirv.h"

namespace fencepost::cli {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const size_t at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::unexpected<Diagnostics> bad(const OptionInfo& o, const std::string& value, std::string_view wanted, std::string hint) {
  return error_at({}, fmt::format("'{}' is no value for {}: {}", value, o.name, wanted), std::move(hint));
}

Expected<uint64_t> whole(const OptionInfo& o, const std::string& value) {
  uint64_t n = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), n);
  if (failed != std::errc{} || end != value.data() + value.size() || n < o.least || n > o.most)
    return bad(o, value, fmt::format("a whole number in {} is needed", o.range), fmt::format("the default is {}", o.preset));
  return n;
}

Expected<double> seconds(const OptionInfo& o, const std::string& value) {
  double n = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), n);
  const std::string_view unit(end, static_cast<size_t>(value.data() + value.size() - end));
  const double factor = unit == "ms" ? 1e-3 : unit == "s" || unit.empty() ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (failed != std::errc{} || factor == 0 || !std::isfinite(n) || n <= 0)
    return bad(o, value, "a positive time is needed", o.range);
  return n * factor;
}

}  // namespace

Expected<void> store(Settings& s, const OptionInfo& o, const std::string& value) {
  uint64_t number = 0;
  double time = 0;
  if (o.id == OptionId::bound && value == "auto") {
    s.bound = 0;
    return {};
  }
  switch (o.type) {
    case Type::flag: break;
    case Type::text:
    case Type::list:
      if (value.empty()) return error_at({}, fmt::format("{} needs a value", o.name), fmt::format("{} {}", o.name, o.metavar));
      break;
    case Type::whole: {
      const auto n = whole(o, value);
      if (!n) return std::unexpected(n.error());
      number = *n;
      break;
    }
    case Type::seconds: {
      const auto t = seconds(o, value);
      if (!t) return std::unexpected(t.error());
      time = *t;
      break;
    }
    case Type::choice: {
      const auto words = split(o.range, '|');
      bool found = false;
      for (const std::string& w : words) found = found || w == value;
      if (!found) {
        const std::string near = nearest(value, words);
        return bad(o, value, fmt::format("one of {} is needed", fmt::join(words, ", ")),
                   near.empty() ? fmt::format("the default is {}", o.preset) : fmt::format("did you mean '{}'?", near));
      }
      break;
    }
  }
  switch (o.id) {
    case OptionId::model: s.model = value; break;
    case OptionId::engine:
      s.engine = value == "enumerate" ? check::Engine::enumerate
                 : value == "solve"   ? check::Engine::solve
                 : value == "both"    ? check::Engine::both
                                      : check::Engine::automatic;
      break;
    case OptionId::property:
      s.property = value == "races"         ? check::Property::races
                   : value == "termination" ? check::Property::termination
                                            : check::Property::condition;
      break;
    case OptionId::bound: s.bound = static_cast<uint32_t>(number); break;
    case OptionId::budget: s.budget = time; break;
    case OptionId::seed: s.seed = number; break;
    case OptionId::threads: s.threads = static_cast<uint32_t>(number); break;
    case OptionId::json: s.json = true; break;
    case OptionId::witness: s.witness = value; break;
    case OptionId::candidates: s.candidates = static_cast<uint32_t>(number); break;
    case OptionId::root: s.root = value; break;
    case OptionId::suites: s.suites = split(value, ','); break;
    case OptionId::inputs: s.inputs = split(value, ';'); break;
    case OptionId::condition: s.condition = value; break;
    case OptionId::exists: s.condition = "exists (" + value + ")"; break;
    case OptionId::filter: s.filter = value; break;
    case OptionId::entry: s.entry = value; break;
    case OptionId::grid:
      if (const auto g = front::spirv::parse_grid(value); !g) return std::unexpected(g.error());
      s.grid = value;
      break;
    case OptionId::model_dir: s.model_dir = value; break;
    case OptionId::dialect:
      for (const auto d : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl})
        if (value == vocab::name(d)) s.dialect = d;
      break;
    case OptionId::progress_models: s.progress_models = split(value, ','); break;
    case OptionId::fairness: s.fairness = value; break;
    case OptionId::form: s.form = value; break;
    case OptionId::raw: s.raw = true; break;
    case OptionId::abstract: s.abstract = true; break;
    case OptionId::output: s.output = value; break;
    case OptionId::rule: s.rule = value; break;
    case OptionId::csv: s.csv = true; break;
    case OptionId::tests: s.tests = value; break;
    case OptionId::verdicts: s.verdicts = true; break;
    case OptionId::thread_count: s.thread_count = static_cast<uint32_t>(number); break;
    case OptionId::instructions: s.instructions = static_cast<uint32_t>(number); break;
    case OptionId::per_thread: s.per_thread = split(value, ','); break;
    case OptionId::locations: s.locations = static_cast<uint32_t>(number); break;
    case OptionId::values: s.values = static_cast<uint32_t>(number); break;
    case OptionId::constraints: s.constraints = value; break;
    case OptionId::older_stores: s.older_stores = true; break;
    case OptionId::shapes: s.shapes = value; break;
    case OptionId::symmetry: s.symmetry = value; break;
    case OptionId::count: s.count = true; break;
    case OptionId::resume: s.resume = value; break;
    case OptionId::target: s.targets = split(value, ','); break;
    case OptionId::mapping: s.mappings = split(value, ','); break;
    case OptionId::total: s.total = number; break;
    case OptionId::order: s.order = value; break;
    case OptionId::loads: s.loads = value; break;
    case OptionId::bundle: s.bundle = true; break;
    case OptionId::progress: s.progress = value; break;
    case OptionId::liveness: s.liveness = value == "scoped" ? witness::Fairness::scoped : witness::Fairness::co; break;
    case OptionId::keep: s.keep = split(value, ','); break;
    case OptionId::forbid: s.forbid = true; break;
    case OptionId::each_thread: s.each_thread = true; break;
    case OptionId::steps: s.steps = value; break;
    case OptionId::exhaustive: s.exhaustive = true; break;
    case OptionId::changes: s.changes = static_cast<uint32_t>(number); break;
    case OptionId::generate: s.generate = static_cast<uint32_t>(number); break;
    case OptionId::emit_target: s.emit_target = value; break;
    case OptionId::inline_ptx: s.inline_ptx = true; break;
    case OptionId::parameters: s.parameters = value; break;
    case OptionId::mode: s.mode = value; break;
    case OptionId::region: s.region = value; break;
    case OptionId::to_model: s.to_model = value; break;
    case OptionId::device: s.device = value; break;
    case OptionId::iterations: s.iterations = number; break;
    case OptionId::seconds: s.seconds = time; break;
    case OptionId::events: s.events = number; break;
    case OptionId::schedule: s.schedule = value == "drawn" ? "" : value; break;
    case OptionId::rounds: s.rounds = static_cast<uint32_t>(number); break;
    case OptionId::series: s.series = static_cast<uint32_t>(number); break;
    case OptionId::log: s.log = value; break;
    case OptionId::no_model: s.no_model = true; break;
    case OptionId::site: s.site = static_cast<uint32_t>(number); break;
    case OptionId::cycle: s.cycle = value; break;
    case OptionId::families: s.families = split(value, ','); break;
    case OptionId::family_size: s.family_size = static_cast<uint32_t>(number); break;
    case OptionId::relations: s.relations = split(value, ','); break;
    case OptionId::reads: s.reads = split(value, ','); break;
    case OptionId::writes: s.writes = split(value, ','); break;
    case OptionId::uniform: s.uniform = true; break;
    case OptionId::one_location: s.one_location = true; break;
    case OptionId::notation:
      s.notation = value;
      for (char& c : s.notation) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      break;
    case OptionId::access: s.access = value; break;
    case OptionId::placements: s.placements = split(value, ','); break;
    case OptionId::decide: s.decide = true; break;
    case OptionId::allowed: s.allowed = true; break;
    case OptionId::forbidden: s.forbidden = true; break;
    case OptionId::minimal: s.minimal = true; break;
    case OptionId::separating: s.separating = split(value, ','); break;
    case OptionId::thesis: s.thesis = true; break;
    case OptionId::most: s.most = number; break;
    case OptionId::mutants: s.mutants = true; break;
    case OptionId::store: s.store = value; break;
    case OptionId::shard: s.shard = value; break;
    case OptionId::campaign: s.campaign = value; break;
    case OptionId::progress_store: s.progress_store = value; break;
    case OptionId::progress_runs: s.progress_runs = static_cast<uint32_t>(number); break;
    case OptionId::early_stop: s.early_stop = true; break;
    case OptionId::variant: s.variant = value; break;
    case OptionId::contention: s.contention = static_cast<uint32_t>(number); break;
    case OptionId::watchdog: s.watchdog = time; break;
    case OptionId::count_: break;
  }
  return {};
}

}  // namespace fencepost::cli
