// The options of `prove`: the table of them, the parser that reads it, and the checks of what was given together.
// More than 800 lines: the parser has a line or two for each row of the table.
#include "launch/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "launch/toolkit.h"

namespace fencepost::launch {
namespace {

constexpr const char *k_size = "SIZE", *k_launch = "Launch", *k_input = "Input", *k_check = "What is checked",
                     *k_how = "How", *k_infer = "Inference", *k_output = "Output",
                     *k_reference = "Accepted for scripts of the reference, without effect";
constexpr std::string_view k_repeated = "May be repeated.";  // how the help of such an option ends

constexpr std::array k_table = {
    OptionInfo{"--local_size", k_size, "", k_launch,
               "Work items of a group: N, N,N or N,N,N; '*' for a size that is not fixed."},
    OptionInfo{"--num_groups", k_size, "", k_launch, "Groups of the grid."},
    OptionInfo{"--global_size", k_size, "", k_launch,
               "Work items of the grid, in place of --num_groups; a multiple of the local size."},
    OptionInfo{"--global_offset", k_size, "0", k_launch, "The first global id (OpenCL)."},
    OptionInfo{"--blockDim", k_size, "", k_launch, "CUDA's name of --local_size. Also --block-dim."},
    OptionInfo{"--gridDim", k_size, "", k_launch, "CUDA's name of --num_groups. Also --grid-dim."},
    OptionInfo{"--kernel-args", "K,V,...", "", k_launch,
               "Kernel K is called with these numbers as its scalar parameters, in order, also below 0; '*': any. May "
               "be repeated."},
    OptionInfo{"--kernel-arrays", "K,S,...", "", k_launch,
               "The arrays of kernel K have these sizes in bytes, in order; '*': any. May be repeated."},
    OptionInfo{"--entry", "NAME", "all kernels", k_launch, "Only this kernel of the file."},
    OptionInfo{"--opencl", "", "", k_input, "The file is OpenCL C, whatever its ending."},
    OptionInfo{"--cuda", "", "", k_input, "The file is CUDA C++, whatever its ending."},
    OptionInfo{"-D", "NAME[=VALUE]", "", k_input, "Define a macro. May be repeated."},
    OptionInfo{"-I", "DIR", "", k_input, "Look for included files here. May be repeated."},
    OptionInfo{"--std", "NAME", "CL1.2 or what the text needs; c++17", k_input, "The version of the language."},
    OptionInfo{
        "--profile", "standard|gpuverify", "standard", k_input,
        "What is taken for granted of machine and caller; 'gpuverify': as the reference has it, 32-bit addresses "
        "and pointers that are neither null nor misaligned."},
    OptionInfo{
        "--model", "cuda|ptx|opencl", "the language's", k_input,
        "By what rules threads see each other's accesses. 'ptx': a CUDA kernel by the document of PTX, in which a "
        "last block needs a fence."},
    OptionInfo{"--strict", "", "", k_input,
               "Nothing is taken for granted: a proof that rests on an assumption is not decided, and says which."},
    OptionInfo{"--pointer-bitwidth", "32|64", "64, or 32 under the profile gpuverify", k_input,
               "The width of addresses and of size_t."},
    OptionInfo{"--cuda-arch", "N", "700, or 900 with --cuda-path; a newer one that the file has code for", k_input,
               "The value of __CUDA_ARCH__: 700 for sm_70."},
    OptionInfo{"--cuda-path", "DIR|env", "", k_input,
               "Read the headers of this CUDA toolkit (9.0 to 12.9) in the place of our own declarations; 'env': the "
               "folder that CUDA_PATH, CUDA_HOME or CUDA_ROOT names."},
    OptionInfo{"--sub-group-size", "N", "any", k_input, "Work items of a sub-group (OpenCL)."},
    OptionInfo{"--clang-opt", "WORD", "", k_input, "A further argument of clang's front end. May be repeated."},
    OptionInfo{"--check-array-bounds", "", "", k_check,
               "Also check that accesses stay inside arrays whose size is known."},
    OptionInfo{"--no-benign-tolerance", "", "", k_check, "Two writes of the same value are a race too."},
    OptionInfo{"--only-divergence", "", "", k_check, "Check barriers only, not races."},
    OptionInfo{"--only-intra-group", "", "", k_check, "Check races within groups only."},
    OptionInfo{"--only-log", "", "", k_check, "Follow accesses for annotations, but check no races."},
    OptionInfo{"--check-arrays", "A,B", "all", k_check, "Check races on these arrays only."},
    OptionInfo{"--check-warp-divergence", "", "", k_check,
               "With --warp-sync: report branches at which threads of one warp go different ways."},
    OptionInfo{"--adversarial-abstraction", "", "", k_how, "What is read from shared arrays is any value."},
    OptionInfo{"--equality-abstraction", "", "", k_how,
               "After a barrier, what is read from a shared array is any value, but the same for all threads."},
    OptionInfo{"--atomics", "refined|coarse", "refined", k_how, "Whether the tickets of counters are known to differ."},
    OptionInfo{"--warp-sync", "N|volta", "", k_how,
               "Threads of a warp of N go in lock-step. 'volta': warps of 32 that only warp barriers synchronise."},
    OptionInfo{"--warp-method", "auto|resync|two-pass|both", "auto", k_how, "How lock-step is verified."},
    OptionInfo{"--no-inline", "", "", k_how, "Verify each function for itself, by its contract."},
    OptionInfo{"--no-annotations", "", "", k_how, "Ignore the kernel's annotations."},
    OptionInfo{"--only-requires", "", "", k_how, "Ignore the kernel's annotations except for preconditions."},
    OptionInfo{"--invariants-as-candidates", "", "", k_how,
               "Invariants of the kernel are proposals: those that do not hold are dropped."},
    OptionInfo{"--no-barrier-access-checks", "", "", k_how, "Barrier invariants may read what others may write."},
    OptionInfo{"--asymmetric-asserts", "", "", k_how, "Check assertions for one thread of a pair only."},
    OptionInfo{"--boogie-file", "FILE", "", k_how, "Axioms about functions that the kernel declares. May be repeated."},
    OptionInfo{"--findbugs", "", "", k_how, "Look for defects on paths through few loop heads; nothing is verified."},
    OptionInfo{"--loop-unwind", "N", "2 with --findbugs", k_how,
               "At most so many loop heads on a path; implies --findbugs."},
    OptionInfo{"--verify", "", "", k_how, "The opposite of --findbugs; the default."},
    OptionInfo{"--no-infer", "", "", k_infer, "Use only the invariants that the kernel gives."},
    OptionInfo{"--no-attack", "", "", k_how, "Do not run a kernel before it is called verified."},
    OptionInfo{"--infer-info", "", "", k_infer, "Say which invariants were found."},
    OptionInfo{"--k-induction-depth", "K", "off", k_infer, "Prove loops by k-induction."},
    OptionInfo{
        "--timeout", "S", "300", k_how,
        "Seconds for one kernel, with the runs that confirm what is found; with --suite, seconds of processor time "
        "for one file; 0: none."},
    OptionInfo{"--budget", "S", "0", k_how, "Seconds of wall time for the whole command; 0: none."},
    OptionInfo{"--untrusted", "", "", k_how,
               "The file is a stranger's: one process reads it that may open nothing but the file's folder, -I below "
               "it and what comes with the program, write nothing but --output, and start nothing; at most 1 MiB, "
               "within 60 s or the --budget (docs/untrusted.md)."},
    OptionInfo{"--second-opinion", "z3|cvc5|bitwuzla", "", k_how,
               "Ask this solver, found on PATH, every question of the proof again; a disagreement is an error of "
               "Fencepost (exit 4)."},
    OptionInfo{"--smt-dump", "DIR", "", k_how, "Write every question of the proof into DIR, as SMT-LIB 2."},
    OptionInfo{"--seed", "N", "1", k_how, "Seed of everything that is random."},
    OptionInfo{"--jobs", "N", "one per processor", k_how,
               "How many kernels of a suite are decided at the same time. Also -j."},
    OptionInfo{
        "--format", "text|json|sarif|junit|html", "by the ending of --output, else text", k_output,
        "The form of the report; sarif is SARIF 2.1.0, for code-scanning viewers, junit the XML of test reports. "
        "--json is --format=json."},
    OptionInfo{"--output", "FILE", "standard output", k_output, "Where the report goes. Also -o."},
    OptionInfo{"--error-limit", "N", "none", k_output, "Report at most so many defects."},
    OptionInfo{"--silent", "", "", k_output, "Say nothing about kernels that are verified. Also -q and --quiet."},
    OptionInfo{"--verbose", "", "", k_output, "Say what is done."},
    OptionInfo{
        "--trace", "prove", "", k_output,
        "Tell on standard error what the proof does and why: which loop invariants are proposed and refuted, how "
        "many pairs of accesses are compared, and what is asked of the solver."},
    OptionInfo{"--time", "", "", k_output, "Say how long it took."},
    OptionInfo{"--time-as-csv", "LABEL", "", k_output, "The times as one line of CSV."},
    OptionInfo{"--compat", "", "", k_output, "Word reports as the reference does, and reject what it rejects."},
    OptionInfo{"--print-ir", "", "", k_output, "Print the kernel's intermediate code and stop."},
    OptionInfo{"--debug", "", "", k_output, "Say more of what happens inside."},
    OptionInfo{"--suite", "DIR", "", k_output,
               "Run the files below DIR by their own header lines; print how many passed and failed."},
    OptionInfo{"--list-failures", "", "", k_output, "With --suite: say of each failure why."},
    OptionInfo{"--table", "FILE", "", k_output,
               "With --suite: write verdict and time of each file, as CSV, or as JSON by the file's ending."},
    OptionInfo{"--again", "stripped|groups-16|local-16|any-size", "", k_output,
               "With --suite: decide each file a second time, without comments, name and header and with the options "
               "in another order, or with 16 times the groups or work items, or with no size fixed, and compare."},
    OptionInfo{"--mutants", "", "", k_output,
               "Break each verified kernel in many small ways: all that a run shows to be wrong must be refuted."},
    OptionInfo{"--compare", "FILE", "", k_output,
               "With --suite: say what differs from an earlier --table, in verdicts and time."},
    OptionInfo{"--plot", "FILE", "", k_output, "With --compare: draw the times of both, as SVG."},
    OptionInfo{"--vcgen-opt", "WORD", "", k_how,
               "An option of the reference's generator: /checkArrays:A,B or /noRefinedAtomics. May be repeated."},
    OptionInfo{"--solver", "NAME", "", k_reference, ""},
    OptionInfo{"--race-instrumenter", "NAME", "", k_reference, ""},
    OptionInfo{"--keep-temps", "", "", k_reference, ""},
    OptionInfo{"--gen-smt2", "", "", k_reference, ""},
    OptionInfo{"--opt-opt", "WORD", "", k_reference, ""},
    OptionInfo{"--bugle-opt", "WORD", "", k_reference, ""},
    OptionInfo{"--cruncher-opt", "WORD", "", k_reference, ""},
    OptionInfo{"--boogie-opt", "WORD", "", k_reference, ""},
    OptionInfo{"--help", "", "", k_output, "Print this text."},
    OptionInfo{"--version", "", "", k_output, "Print the versions of the parts."},
};

// Names that the other verbs have, and spellings by the habit of command lines: another name of an option, with its
// value where the name says it.
struct Alias {
  const char *given, *name, *value;
};
constexpr Alias k_aliases[] = {
    {"-o", "--output", ""},
    {"-q", "--silent", ""},
    {"--quiet", "--silent", ""},
    {"-h", "--help", ""},
    {"-j", "--jobs", ""},
    {"--json", "--format", "json"},
    {"--block-dim", "--blockDim", ""},
    {"--grid-dim", "--gridDim", ""},
    {"--local-size", "--local_size", ""},
    {"--num-groups", "--num_groups", ""},
    {"--global-size", "--global_size", ""},
    {"--global-offset", "--global_offset", ""},
};

// Options of the reference that would change the question, and that are not there.
struct Absent {
  const char *name, *hint;
};
constexpr Absent k_absent[] = {
    {"--math-int", "integers are as the language has them: unsigned ones wrap, and signed ones are assumed not to"},
    {"--check-overflow", "signed overflow is undefined, and assumed absent"},
    {"--omit-infer", "--no-infer proposes no invariants at all"},
};

// What has a meaning only beside another option.
struct Needs {
  const char *name, *other, *hint;
};
constexpr Needs k_needs[] = {
    {"--list-failures", "--suite", "--suite=DIR"},
    {"--table", "--suite", "--suite=DIR"},
    {"--again", "--suite", "--suite=DIR"},
    {"--compare", "--suite", "--suite=DIR"},
    {"--plot", "--compare", "the plot has the times of both tables"},
    {"--jobs", "--suite", "--suite=DIR; one kernel is decided by one process"},
    {"--warp-method", "--warp-sync", "--warp-sync=N"},
    {"--check-warp-divergence", "--warp-sync", "--warp-sync=N"},
};

class Parser {
 public:
  Parser(const SourcePtr& line, const Permit& permit, size_t own) : line_(line), permit_(permit), own_(own) {}

  Expected<Options> run(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size() && faults_.list.empty(); ++i) {
      if (i == own_) values_.clear();
      place(words[i]);
      const std::string& w = words[i];
      if (permit_ && (w == "--" || w.size() < 2 || w[0] != '-'))
        if (const std::string why = permit_({"", "", "", "", ""}, w); !why.empty()) {
          fault(why, "");
          break;
        }
      if (w == "--") {
        for (++i; i < words.size(); ++i) o_.files.push_back(words[i]);
        break;
      }
      if (w.size() < 2 || w[0] != '-') {
        o_.files.push_back(w);
        continue;
      }
      std::string name = w, value;
      bool has_value = false;
      if (w.starts_with("-D") || w.starts_with("-I") || (w.starts_with("-j") && w.size() > 2)) {
        name = w.substr(0, 2);
        value = w.substr(2);
        has_value = !value.empty();
      } else if (const auto at = w.find('='); at != std::string::npos) {
        name = w.substr(0, at);
        value = w.substr(at + 1);
        has_value = true;
      }
      for (const Alias& a : k_aliases) {
        if (name != a.given) continue;
        name = a.name;
        if (*a.value != 0 && has_value) {
          fault(fmt::format("{} takes no value", a.given), "");
          break;
        }
        if (*a.value != 0) {
          value = a.value;
          has_value = true;
        }
        break;
      }
      if (!faults_.list.empty()) break;
      const OptionInfo* info = find(name);
      if (info == nullptr) break;
      given_.insert(info->name);
      if (*info->metavar == 0) {
        if (has_value) {
          fault(fmt::format("{} takes no value", info->name), "");
          break;
        }
      } else if (!has_value) {
        if (i + 1 >= words.size()) {
          fault(fmt::format("{} needs a value", info->name), fmt::format("{}={}", info->name, info->metavar));
          break;
        }
        value = words[++i];
      }
      if (*info->metavar != 0 && value.empty()) {
        fault(fmt::format("{} needs a value that is not empty", info->name),
              fmt::format("{}={}", info->name, info->metavar));
        break;
      }
      if (permit_)
        if (const std::string why = permit_(*info, value); !why.empty()) {
          fault(why, "");
          break;
        }
      twice(*info, value);
      set(*info, value);
    }
    span_ = {};
    for (const Needs& n : k_needs)
      if (given_.contains(n.name) && !given_.contains(n.other) && !given_.contains("--suite") && !permit_)
        fault(fmt::format("{} has no meaning without {}", n.name, n.other), n.hint);
    if (!given_.contains("--format")) form_by_name();
    if (!faults_.list.empty()) return std::unexpected(std::move(faults_));
    return std::move(o_);
  }

 private:
  // The ending of the report's file picks its form, as in other verbs. Another ending would hold what its name does not
  // say.
  void form_by_name() {
    const std::string ending = std::filesystem::path(o_.output).extension().string();
    if (ending == ".html")
      o_.form = Form::html;
    else if (ending == ".json" || ending == ".xml")
      o_.form = Form::json;
    else if (ending == ".sarif")
      o_.form = Form::sarif;
    else if (!ending.empty() && ending != ".txt" && ending != ".log")
      fault(fmt::format("the ending of '{}' names no form of this report", o_.output),
            "*.html, *.json, *.sarif, *.xml, *.txt or *.log; with --format any name");
  }

  // The word's place in the line that it comes from: words come in order.
  void place(const std::string& word) {
    if (!line_) return;
    const size_t at = line_->text.find(word, from_);
    if (at == std::string::npos) return;
    span_ = {line_, static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())};
    from_ = at + word.size();
  }
  void fault(std::string message, std::string hint) {
    if (faults_.list.empty()) faults_.add({.span = span_, .message = std::move(message), .hint = std::move(hint)});
  }

  const OptionInfo* find(const std::string& name) {
    const OptionInfo* found = nullptr;
    std::vector<std::string> names;
    for (const OptionInfo& info : k_table) {
      if (name == info.name) return &info;
      names.emplace_back(info.name);
      if (name.size() > 2 && std::string_view(info.name).starts_with(name)) {
        if (found != nullptr) {
          fault(fmt::format("'{}' may be {} or {}", name, found->name, info.name), "write more of it");
          return nullptr;
        }
        found = &info;
      }
    }
    if (found == nullptr) {
      for (const Absent& a : k_absent)
        if (name == a.name) {
          fault(fmt::format("{} is not supported", name), a.hint);
          return nullptr;
        }
      const std::string near = nearest(name, names);
      fault(fmt::format("'{}' is not an option of prove", name),
            near.empty() ? "fencepost prove --help lists them" : fmt::format("did you mean '{}'?", near));
    }
    return found;
  }

  std::optional<uint64_t> number(const OptionInfo& info, std::string_view text, uint64_t least, uint64_t most) {
    uint64_t v = 0;
    int base = 10;
    std::string_view digits = text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.remove_prefix(2);
    }
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
    if (ec != std::errc{} || end != digits.data() + digits.size() || digits.empty() || v < least || v > most) {
      fault(fmt::format("{} is '{}', not a whole number from {} to {}", info.name, text, least, most), "");
      return std::nullopt;
    }
    return v;
  }

  // The 64 bits of a number below 0.
  std::optional<uint64_t> negative(const OptionInfo& info, std::string_view text) {
    int64_t v = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (ec == std::errc{} && end == text.data() + text.size()) return static_cast<uint64_t>(v);
    fault(fmt::format("{} is '{}', not a whole number from {} to {}", info.name, text, INT64_MIN, UINT64_MAX), "");
    return std::nullopt;
  }

  // `templates`: the commas of k<128, true> are part of a name.
  static std::vector<std::string> list(const std::string& text, bool templates = false) {
    std::vector<std::string> parts(1);
    int open = 0;
    for (const char c : text) {
      if (templates) open += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && open <= 0)
        parts.emplace_back();
      else
        parts.back() += c;
    }
    return parts;
  }

  std::vector<Size> sizes(const OptionInfo& info, std::string text) {
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    std::vector<Size> out;
    for (const std::string& part : list(text)) {
      if (part == "*") {
        out.push_back(std::nullopt);
        continue;
      }
      if (part == "0") {
        fault(fmt::format("{} is '{}': a size is at least 1", info.name, text), "use * for a size that is not fixed");
        return {};
      }
      const auto v = number(info, part, 1, 0xffffffffu);
      if (!v) return {};
      out.push_back(*v);
    }
    if (out.size() > 3) fault(fmt::format("{} has {} dimensions", info.name, out.size()), "a launch has one to three");
    return out;
  }

  // Of two values one would be passed over.
  void twice(const OptionInfo& info, const std::string& value) {
    if (std::string_view(info.help).ends_with(k_repeated) || std::string_view(info.group) == k_reference) return;
    const auto [before, is_new] = values_.emplace(info.name, value);
    if (!is_new && before->second != value)
      fault(fmt::format("{} is given twice: '{}' and '{}'", info.name, before->second, value), "give one of the two");
  }

  // Options that exclude each other: the second one names the first.
  void once(const char* topic, const OptionInfo& info) {
    for (const auto& [t, other] : chosen_)
      if (t == std::string(topic) && other != std::string(info.name)) {
        fault(fmt::format("argument {}: not allowed with argument {}", spelled(info.name), spelled(other)),
              "give one of the two");
        return;
      }
    chosen_.push_back({topic, info.name});
  }
  static std::string spelled(const std::string& name) {
    for (const OptionInfo& info : k_table)
      if (name == info.name) return *info.metavar != 0 ? name + "=" : name;
    return name;
  }

  template <class E>
  void choice(const OptionInfo& info, const std::string& value, E& to,
              std::initializer_list<std::pair<const char*, E>> known) {
    std::vector<std::string> names;
    for (const auto& [n, e] : known) {
      if (value == n) {
        to = e;
        return;
      }
      names.emplace_back(n);
    }
    const std::string near = nearest(value, names);
    fault(fmt::format("{} is '{}', not one of {}", info.name, value, fmt::join(names, ", ")),
          near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }

  void reference_option(const std::string& value) {
    o_.vcgen_options.push_back(value);
    if (value.starts_with("/checkArrays:"))
      o_.check_arrays = list(value.substr(13));
    else if (value == "/noRefinedAtomics")
      o_.atomics = Atomics::coarse;
    else
      fault(fmt::format("--vcgen-opt={} is not supported", value), "/checkArrays:A,B and /noRefinedAtomics are");
  }

  void set(const OptionInfo& info, const std::string& v) {
    const std::string_view n = info.name;
    const auto whole = [&](auto& to, uint64_t least, uint64_t most) {
      if (const auto x = number(info, v, least, most)) to = static_cast<std::decay_t<decltype(to)>>(*x);
    };
    // "30", "2.5", "500ms", "60s", "2m", "1h"
    const auto seconds = [&](double& to) {
      double x = 0;
      const auto [end, ec] = std::from_chars(v.data(), v.data() + v.size(), x, std::chars_format::fixed);
      const std::string_view unit(end, static_cast<size_t>(v.data() + v.size() - end));
      const double factor = unit.empty() || unit == "s" ? 1
                            : unit == "ms"              ? 1e-3
                            : unit == "m"               ? 60
                            : unit == "h"               ? 3600
                                                        : -1;
      if (ec != std::errc{} || factor < 0 || !(x * factor >= 0 && x * factor <= 1u << 30))
        fault(fmt::format("{} is '{}', not a number of seconds from 0 to {}, such as 30, 2.5, 500ms or 2m", info.name,
                          v, 1u << 30),
              "");
      else
        to = x * factor;
    };
    const auto arguments = [&](std::vector<Arguments>& to) {
      const auto parts = list(v, true);
      Arguments a{.kernel = parts[0]};
      for (size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] == "*") {
          a.values.push_back(std::nullopt);
        } else if (const auto x = &to == &o_.kernel_args && parts[i].starts_with('-')
                                      ? negative(info, parts[i])
                                      : number(info, parts[i], 0, ~uint64_t{0})) {
          a.values.push_back(*x);
        }
      }
      to.push_back(std::move(a));
    };
    if (n == "--local_size" || n == "--blockDim")
      once("local", info), o_.launch.local_size = sizes(info, v);
    else if (n == "--num_groups" || n == "--gridDim")
      once("grid", info), o_.launch.num_groups = sizes(info, v);
    else if (n == "--global_size")
      once("grid", info), o_.launch.global_size = sizes(info, v);
    else if (n == "--global_offset") {
      for (const std::string& part : list(v.starts_with('[') && v.ends_with(']') ? v.substr(1, v.size() - 2) : v))
        if (const auto x = number(info, part, 0, 0xffffffffu)) o_.launch.global_offset.push_back(*x);
    } else if (n == "--kernel-args")
      arguments(o_.kernel_args);
    else if (n == "--kernel-arrays")
      arguments(o_.kernel_arrays);
    else if (n == "--entry")
      o_.entry = v;
    else if (n == "--opencl")
      once("language", info), o_.dialect = ir::Dialect::opencl;
    else if (n == "--cuda")
      once("language", info), o_.dialect = ir::Dialect::cuda;
    else if (n == "-D")
      o_.defines.push_back(v);
    else if (n == "-I")
      o_.include_folders.push_back(v);
    else if (n == "--std")
      o_.standard = v;
    else if (n == "--pointer-bitwidth")
      choice<uint32_t>(info, v, o_.pointer_bits, {{"32", 32}, {"64", 64}});
    else if (n == "--profile")
      choice<Profile>(info, v, o_.profile, {{"standard", Profile::standard}, {"gpuverify", Profile::gpuverify}});
    else if (n == "--strict")
      o_.strict = true;
    else if (n == "--model")
      choice<Model>(info, v, o_.model, {{"cuda", Model::cuda}, {"ptx", Model::ptx}, {"opencl", Model::opencl}});
    else if (n == "--cuda-arch")
      choice<uint32_t>(info, v, o_.cuda_arch.emplace(),
                       {{"500", 500},
                        {"520", 520},
                        {"530", 530},
                        {"600", 600},
                        {"610", 610},
                        {"620", 620},
                        {"700", 700},
                        {"720", 720},
                        {"750", 750},
                        {"800", 800},
                        {"860", 860},
                        {"870", 870},
                        {"890", 890},
                        {"900", 900}});
    else if (n == "--cuda-path")
      o_.cuda_path = v;
    else if (n == "--sub-group-size")
      whole(o_.sub_group_size.emplace(), 1, 1u << 20);
    else if (n == "--no-attack")
      o_.attack = false;
    else if (n == "--clang-opt")
      o_.clang_arguments.push_back(v);
    else if (n == "--check-array-bounds")
      o_.check_array_bounds = true;
    else if (n == "--no-benign-tolerance")
      o_.benign_races = false;
    else if (n == "--only-divergence")
      o_.only_divergence = true;
    else if (n == "--only-intra-group")
      o_.only_intra_group = true;
    else if (n == "--only-log")
      o_.only_log = true;
    else if (n == "--check-arrays")
      o_.check_arrays = list(v);
    else if (n == "--check-warp-divergence")
      o_.check_warp_divergence = true;
    else if (n == "--adversarial-abstraction")
      once("abstraction", info), o_.abstraction = Abstraction::adversarial;
    else if (n == "--equality-abstraction")
      once("abstraction", info), o_.abstraction = Abstraction::equality;
    else if (n == "--atomics")
      choice<Atomics>(info, v, o_.atomics, {{"refined", Atomics::refined}, {"coarse", Atomics::coarse}});
    else if (n == "--warp-sync") {
      o_.volta = v == "volta";
      if (o_.volta)
        o_.warp_size = 32;
      else
        whole(o_.warp_size.emplace(), 1, 1u << 20);
    } else if (n == "--warp-method")
      choice<WarpMethod>(info, v, o_.warp_method,
                         {{"auto", WarpMethod::automatic},
                          {"resync", WarpMethod::resync},
                          {"two-pass", WarpMethod::two_pass},
                          {"both", WarpMethod::both}});
    else if (n == "--no-inline")
      o_.inline_calls = false;
    else if (n == "--no-annotations")
      once("annotations", info), o_.annotations = Annotations::none;
    else if (n == "--only-requires")
      once("annotations", info), o_.annotations = Annotations::only_requires;
    else if (n == "--invariants-as-candidates")
      o_.invariants_as_candidates = true;
    else if (n == "--no-barrier-access-checks")
      o_.barrier_access_checks = false;
    else if (n == "--asymmetric-asserts")
      o_.asymmetric_asserts = true;
    else if (n == "--boogie-file")
      o_.axiom_files.push_back(v);
    else if (n == "--findbugs")
      once("mode", info), o_.loop_unwind = o_.loop_unwind.value_or(2);
    else if (n == "--loop-unwind")
      whole(o_.loop_unwind.emplace(), 0, 1u << 20);
    else if (n == "--verify")
      once("mode", info);
    else if (n == "--no-infer")
      o_.infer = false;
    else if (n == "--infer-info")
      o_.infer_info = true;
    else if (n == "--k-induction-depth")
      whole(o_.k_induction_depth, 1, 1000);
    else if (n == "--timeout")
      seconds(o_.timeout);
    else if (n == "--budget")
      seconds(o_.budget);
    else if (n == "--second-opinion")
      choice<std::string>(info, v, o_.second_opinion, {{"z3", "z3"}, {"cvc5", "cvc5"}, {"bitwuzla", "bitwuzla"}});
    else if (n == "--smt-dump")
      o_.smt_dump = v;
    else if (n == "--seed")
      whole(o_.seed, 0, ~uint64_t{0});
    else if (n == "--jobs")
      whole(o_.jobs, 1, 1024);
    else if (n == "--format")
      // junit: the program makes it of the JSON.
      choice<Form>(info, v, o_.form,
                   {{"text", Form::text},
                    {"json", Form::json},
                    {"sarif", Form::sarif},
                    {"junit", Form::json},
                    {"html", Form::html}});
    else if (n == "--output")
      o_.output = v;
    else if (n == "--error-limit")
      whole(o_.error_limit, 1, 1u << 30);
    else if (n == "--silent")
      once("verbosity", info), o_.silent = true;
    else if (n == "--verbose")
      once("verbosity", info), o_.verbose = true;
    else if (n == "--trace")
      choice<bool>(info, v, o_.trace, {{"prove", true}});
    else if (n == "--time")
      o_.time = true;
    else if (n == "--time-as-csv")
      o_.time_label = v;
    else if (n == "--compat")
      o_.compat = true;
    else if (n == "--print-ir")
      o_.print_ir = true;
    else if (n == "--debug")
      o_.debug = true;
    else if (n == "--suite")
      o_.suite = v;
    else if (n == "--list-failures")
      o_.list_failures = true;
    else if (n == "--table")
      o_.table = v;
    else if (n == "--compare")
      o_.compare = v;
    else if (n == "--plot")
      o_.plot = v;
    else if (n == "--again")
      choice<Options::Again>(info, v, o_.again,
                             {{"stripped", Options::Again::stripped},
                              {"groups-16", Options::Again::groups_16},
                              {"local-16", Options::Again::local_16},
                              {"any-size", Options::Again::any_size}});
    else if (n == "--mutants")
      o_.mutants = true;
    else if (n == "--vcgen-opt")
      reference_option(v);
    else if (n == "--help")
      o_.help = true;
    else if (n == "--version")
      o_.version = true;
    else if (n == "--untrusted")  // who reads the command line takes it away; it is never passed over
      fault("--untrusted belongs to the command line", "fencepost prove --untrusted FILE");
    else {
      if (n == "--cruncher-opt") o_.cruncher_options.push_back(v);
      if (n == "--boogie-opt") o_.boogie_options.push_back(v);
      o_.ignored.emplace_back(info.name);
    }
  }

  SourcePtr line_;
  const Permit& permit_;
  const size_t own_;  // from this word on the command line speaks, whose options replace those of a header
  Span span_;
  size_t from_ = 0;
  Options o_;
  Diagnostics faults_;
  std::vector<std::pair<std::string, std::string>> chosen_;
  std::set<std::string_view> given_;
  std::map<std::string_view, std::string> values_;
};

}  // namespace

std::span<const OptionInfo> option_table() { return k_table; }

Expected<Options> parse(const std::vector<std::string>& words, const SourcePtr& line, const Permit& permit,
                        size_t own) {
  return Parser(line, permit, own).run(words);
}

Expected<void> settle(Options& o, const Source& file) {
  if (!o.dialect) {
    const auto has = [&](const char* word) { return file.text.find(word) != std::string::npos; };
    if (file.name.ends_with(".cl"))
      o.dialect = ir::Dialect::opencl;
    else if (file.name.ends_with(".cu"))
      o.dialect = ir::Dialect::cuda;
    else if (has("__kernel") || has("get_local_size") || has("get_global_size"))
      o.dialect = ir::Dialect::opencl;
    else if (has("__global__") || has("blockDim"))
      o.dialect = ir::Dialect::cuda;
    else
      return error_at({}, fmt::format("'{}' could be OpenCL C or CUDA", file.name), "say --opencl or --cuda");
  }
  const bool cuda = *o.dialect == ir::Dialect::cuda;
  if (o.model != Model::by_dialect && cuda == (o.model == Model::opencl))
    return error_at({}, fmt::format("this model is not one of {}", cuda ? "CUDA" : "OpenCL C"),
                    cuda ? "--model=cuda or --model=ptx" : "--model=opencl");
  if (o.strict && o.profile == Profile::gpuverify)
    return error_at({}, "--strict takes nothing for granted, and the profile gpuverify does", "give one of the two");
  if (!cuda && o.cuda_arch) return error_at({}, "--cuda-arch is CUDA's", "OpenCL C has no __CUDA_ARCH__");
  if (!cuda && !o.cuda_path.empty())
    return error_at({}, "--cuda-path is CUDA's", "OpenCL C has its declarations from clang");
  if (cuda && o.sub_group_size) return error_at({}, "--sub-group-size is OpenCL's", "CUDA has warps of 32");
  if (o.pointer_bits == 0) o.pointer_bits = o.profile == Profile::standard ? 64 : 32;
  if (!o.cuda_path.empty()) {
    if (o.pointer_bits != 64)
      return error_at({}, "--cuda-path: the headers of a toolkit are for addresses of 64 bits",
                      "--pointer-bitwidth=64");
    auto toolkit = find_toolkit(o.cuda_path);
    if (!toolkit) return std::unexpected(std::move(toolkit.error()));
    o.cuda_path = std::move(toolkit->folder);
    o.cuda_version = toolkit->version;
  }
  if (!cuda && !o.sub_group_size && !o.warp_size && o.profile == Profile::gpuverify) o.sub_group_size = 32;
  Launch& l = o.launch;
  // A CUDA file may hold its launches.
  if (!cuda && (l.local_size.empty() || (l.num_groups.empty() && l.global_size.empty())))
    return error_at({}, "the launch is not given",
                    "give --local_size and --num_groups or --global_size; * for a size that is not fixed");
  if (cuda && !l.global_offset.empty()) return error_at({}, "--global_offset is OpenCL's", "CUDA launches have none");
  if (!l.global_size.empty()) {
    if (l.global_size.size() != l.local_size.size())
      return error_at(
          {}, "Dimensions of local and global size must match",
          fmt::format("the local size has {}, the global size {}", l.local_size.size(), l.global_size.size()));
    l.num_groups.clear();
    for (size_t d = 0; d < l.global_size.size(); ++d) {
      if (!l.global_size[d] || !l.local_size[d]) {
        l.num_groups.push_back(std::nullopt);
        continue;
      }
      if (*l.global_size[d] % *l.local_size[d] != 0)
        return error_at({},
                        fmt::format("Dimension {} of global size does not divide by dimension {} of local size", d, d),
                        fmt::format("{} is not a multiple of {}", *l.global_size[d], *l.local_size[d]));
      l.num_groups.push_back(*l.global_size[d] / *l.local_size[d]);
    }
  }
  if (!l.global_offset.empty() && l.global_offset.size() != l.num_groups.size())
    return error_at({}, "Dimensions of global offset and global size must match",
                    fmt::format("the offset has {}, the size {}", l.global_offset.size(), l.num_groups.size()));
  return {};
}

namespace {

// A paragraph in lines of at most 100 characters, as the help of the other verbs has them.
std::string filled(std::string_view text, size_t indent) {
  constexpr size_t k_width = 100;
  std::string out, line(indent, ' ');
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() > indent && line.size() + 1 + word.size() > k_width) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
  }
  return out + line + "\n";
}

}  // namespace

std::string help() {
  std::string out =
      std::string(
          "fencepost prove - prove a kernel free of data races and of barrier divergence\n\n"
          "SYNOPSIS\n    fencepost prove [OPTION...] FILE\n    fencepost prove --suite DIR [OPTION...]\n\n"
          "DESCRIPTION\n") +
      filled(
          "Reads an OpenCL C or CUDA kernel and decides for all pairs of threads and all schedules whether it has a "
          "data race, a "
          "barrier that not all threads of a group reach, or an assertion that fails. Options may be shortened.",
          4);
  const char* group = "";
  std::vector<const char*> groups;
  for (const OptionInfo& i : k_table)
    if (std::none_of(groups.begin(), groups.end(), [&](const char* g) { return std::string_view(g) == i.group; }))
      groups.push_back(i.group);
  for (const char* g : groups) {
    group = g;
    out += fmt::format("\n{}\n", g);
    for (const OptionInfo& i : k_table) {
      if (std::string_view(i.group) != group) continue;
      const std::string spelling = *i.metavar != 0 ? (i.name[1] == '-' ? fmt::format("{}={}", i.name, i.metavar)
                                                                       : fmt::format("{} {}", i.name, i.metavar))
                                                   : i.name;
      out += fmt::format("    {}\n", spelling);
      const std::string text =
          fmt::format("{}{}", i.help, *i.preset != 0 ? fmt::format(" Default: {}.", i.preset) : "");
      if (!text.empty()) out += filled(text, 8);
    }
  }
  out +=
      "\nEXIT STATUS\n    0  verified\n    1  a defect was found, or may be there\n    2  the input or the command "
      "line is at fault\n"
      "    3  not decided: unsupported, or given up\n    4  an internal error\n";
  return out;
}

std::string markdown() {
  std::string out = "| option | default | meaning |\n|---|---|---|\n";
  const auto cell = [](std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
    return text;
  };
  for (const OptionInfo& i : k_table) {
    if (std::string_view(i.group) == k_reference) continue;
    out += fmt::format("| `{}{}` | {} | {} |\n", i.name, *i.metavar != 0 ? cell(fmt::format(" {}", i.metavar)) : "",
                       cell(i.preset), cell(i.help));
  }
  return out;
}

}  // namespace fencepost::launch
