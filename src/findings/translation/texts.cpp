#include "translation/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fencepost::translation {

// llvm_text.cpp
std::string llvm_kernel(const Program& p, const std::string& name);
std::string llvm_frame(size_t kernels);

namespace {

const char* type_of(const Statement& s) { return s.bits() == 64 ? "unsigned long long" : "unsigned"; }
std::string literal(const Statement& s, uint32_t v) { return fmt::format("{}{}", v, s.bits() == 64 ? "ull" : "u"); }

bool in_cuda(Language l) { return l == Language::nvcc || l == Language::clang; }

std::string upper(std::string word) {
  for (char& c : word) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return word;
}

// One statement in a language of the C family, without its condition.
class CStatement {
 public:
  // litmus: for the notation of tests, which has no casts.
  CStatement(const Statement& s, Language language, std::string result, bool litmus = false)
      : s_(s), language_(language), result_(std::move(result)), litmus_(litmus) {}

  std::string text() const {
    if (!s_.is_atomic()) return plain();
    if (language_ == Language::opencl) return opencl();
    if (s_.spelling == Spelling::ref) return reference();
    if (s_.spelling == Spelling::old) return old();
    return language_ == Language::nvcc ? nv_builtin() : gnu_builtin();
  }

 private:
  std::string got(const std::string& value) const { return result_ + " = " + value + ";"; }
  std::string v(uint32_t value) const { return literal(s_, value); }

  std::string plain() const {
    const std::string at = s_.order == Order::volatile_
                               ? fmt::format("*(volatile {}{}*){}", language_ == Language::opencl ? "global " : "",
                                             language_ == Language::opencl ? opencl_type() : type_of(s_), s_.place)
                               : fmt::format("*{}", s_.place);
    return s_.op == Op::ld ? got(at) : fmt::format("{} = {};", at, s_.value);
  }
  std::string opencl_type() const { return s_.bits() == 64 ? "ulong" : "uint"; }

  static std::string order(Order o) { return fmt::format("cuda::memory_order_{}", name(o)); }
  std::string reference() const {
    if (s_.op == Op::fence)
      return fmt::format("cuda::atomic_thread_fence({}, cuda::thread_scope_{});", order(s_.order), name(s_.scope));
    const std::string at =
        fmt::format("cuda::atomic_ref<{}, cuda::thread_scope_{}>(*{}).", type_of(s_), name(s_.scope), s_.place);
    switch (s_.op) {
      case Op::ld:
        return got(fmt::format("{}load({})", at, order(s_.order)));
      case Op::st:
        return fmt::format("{}store({}, {});", at, v(s_.value), order(s_.order));
      case Op::exch:
        return got(fmt::format("{}exchange({}, {})", at, v(s_.value), order(s_.order)));
      case Op::cas:
        return fmt::format("{{ {} c = {}; {}compare_exchange_strong(c, {}, {}, {}); {} }}", type_of(s_), v(s_.value),
                           at, v(s_.written), order(s_.order), order(order_of_failure(s_.order)), got("c"));
      default:
        return got(fmt::format("{}fetch_{}({}, {})", at, name(s_.op), v(s_.value), order(s_.order)));
    }
  }

  std::string old() const {
    static constexpr const char* suffix[] = {"_block", "", "_system"};
    const std::string end = suffix[static_cast<size_t>(s_.scope)];
    if (s_.op == Op::fence) return fmt::format("__threadfence{}();", end);
    std::string word = name(s_.op);
    word = s_.op == Op::cas ? "CAS" : upper(word.substr(0, 1)) + word.substr(1);
    return got(s_.op == Op::cas ? fmt::format("atomicCAS{}({}, {}, {})", end, s_.place, v(s_.value), v(s_.written))
                                : fmt::format("atomic{}{}({}, {})", word, end, s_.place, v(s_.value)));
  }

  // A family of functions: PREFIX, how orders are called, and the last argument, with its comma.
  std::string family(const std::string& prefix, const std::string& orders, const std::string& scope) const {
    const std::string o = orders + upper(name(s_.order));
    switch (s_.op) {
      case Op::fence:
        return fmt::format("{}thread_fence({}{});", prefix, o, scope);
      case Op::ld:
        return got(fmt::format("{}load_n({}, {}{})", prefix, s_.place, o, scope));
      case Op::st:
        return fmt::format("{}store_n({}, {}, {}{});", prefix, s_.place, v(s_.value), o, scope);
      case Op::exch:
        return got(fmt::format("{}exchange_n({}, {}, {}{})", prefix, s_.place, v(s_.value), o, scope));
      case Op::cas:
        return fmt::format("{{ {} c = {}; {}compare_exchange_n({}, &c, {}, false, {}, {}{}); {} }}", type_of(s_),
                           v(s_.value), prefix, s_.place, v(s_.written), o,
                           orders + upper(name(order_of_failure(s_.order))), scope, got("c"));
      default:
        return got(fmt::format("{}fetch_{}({}, {}, {}{})", prefix, name(s_.op), s_.place, v(s_.value), o, scope));
    }
  }
  std::string nv_builtin() const {
    return family("__nv_atomic_", "__NV_ATOMIC_", ", __NV_THREAD_SCOPE_" + upper(name(s_.scope)));
  }
  // GNU's have the scope of the system.
  std::string gnu_builtin() const {
    if (s_.scope == Scope::system) return family("__atomic_", "__ATOMIC_", "");
    return family("__scoped_atomic_", "__ATOMIC_",
                  s_.scope == Scope::block ? ", __MEMORY_SCOPE_WRKGRP" : ", __MEMORY_SCOPE_DEVICE");
  }

  std::string opencl() const {
    static constexpr const char* scopes[] = {"memory_scope_work_group", "memory_scope_device",
                                             "memory_scope_all_svm_devices"};
    const std::string scope = scopes[static_cast<size_t>(s_.scope)];
    const std::string o = fmt::format("memory_order_{}, {}", name(s_.order), scope);
    if (s_.op == Op::fence) return fmt::format("atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {});", o);
    const bool cast = !litmus_ && (s_.place == 'd' || s_.place == 'e');
    const std::string at = (cast ? "(global atomic_uint*)" : "") + std::string(1, s_.place);
    // Functions of several types are chosen by the operand.
    const std::string value = fmt::format("{}{}", !litmus_ && s_.bits() == 64 ? "(ulong)" : "", s_.value);
    switch (s_.op) {
      case Op::ld:
        return got(fmt::format("atomic_load_explicit({}, {})", at, o));
      case Op::st:
        return fmt::format("atomic_store_explicit({}, {}, {});", at, value, o);
      case Op::exch:
        return got(fmt::format("atomic_exchange_explicit({}, {}, {})", at, value, o));
      case Op::cas:
        return fmt::format(
            "{{ {} c = {}; atomic_compare_exchange_strong_explicit({}, &c, {}, memory_order_{}, "
            "memory_order_{}, {}); {} }}",
            opencl_type(), s_.value, at, s_.written, name(s_.order), name(order_of_failure(s_.order)), scope, got("c"));
      default:
        return got(fmt::format("atomic_fetch_{}_explicit({}, {}, {})", name(s_.op), at, value, o));
    }
  }

  const Statement& s_;
  Language language_;
  std::string result_;
  bool litmus_;
};

std::string thread_text(const Program& p, size_t t, Language language) {
  const bool cuda = in_cuda(language);
  std::string out = fmt::format("  if ({} == {} && {} == {}) {{\n", cuda ? "blockIdx.x" : "get_group_id(0)",
                                p.threads[t].block, cuda ? "threadIdx.x" : "get_local_id(0)", p.number_in_block(t));
  std::string declared, body, ends, last;
  const auto results = results_of(p);
  auto next = std::ranges::find(results, t, &Result::thread);
  for (const Statement& s : p.threads[t].body) {
    std::string result;
    if (s.has_result()) {
      result = fmt::format("r{}", next->number);
      declared += fmt::format("    {} {} = 0;\n", cuda ? type_of(s) : s.bits() == 64 ? "ulong" : "uint", result);
      ends += fmt::format("    {}[{}] = {};\n", s.bits() == 64 ? 'w' : 'o', next->index, result);
      ++next;
    }
    const std::string one = CStatement(s, language, result).text();
    body += s.guard ? fmt::format("    if ({} == {}) {{ {} }}\n", last, *s.guard, one) : "    " + one + "\n";
    if (!s.guard && s.has_result()) last = result;
  }
  return out + declared + body + ends + "  }\n";
}

std::string kernel(const Program& p, const std::string& name, Language language) {
  std::string out =
      in_cuda(language)
          ? fmt::format(
                "extern \"C\" __global__ void {}(unsigned* x, unsigned* y, unsigned long long* u, unsigned "
                "long long* v, unsigned* d, unsigned* e, unsigned* o, unsigned long long* w) {{\n",
                name)
          : fmt::format(
                "kernel void {}(global atomic_uint* x, global atomic_uint* y, global atomic_ulong* u, global "
                "atomic_ulong* v, global uint* d, global uint* e, global uint* o, global ulong* w) {{\n",
                name);
  for (size_t t = 0; t < p.threads.size(); ++t) out += thread_text(p, t, language);
  return out + "}\n";
}

bool has(const std::vector<Program>& programs, Spelling spelling) {
  for (const Program& p : programs)
    for (const Thread& t : p.threads)
      for (const Statement& s : t.body)
        if (s.is_atomic() && s.spelling == spelling) return true;
  return false;
}

}  // namespace

std::vector<Result> results_of(const Program& p) {
  std::vector<Result> out;
  uint32_t narrow = 0, wide = 0;
  for (size_t t = 0; t < p.threads.size(); ++t) {
    uint32_t number = 0;
    for (const Statement& s : p.threads[t].body)
      if (s.has_result()) out.push_back({t, number++, s.bits(), s.bits() == 64 ? wide++ : narrow++});
  }
  return out;
}

Text text_of(const std::vector<Program>& programs, Language language, bool headers) {
  Text out;
  if (in_cuda(language) && headers && has(programs, Spelling::ref)) out.text += "#include <cuda/atomic>\n";
  if (in_cuda(language) && !headers)
    out.text +=
        "#define __global__ __attribute__((global))\n"
        "struct Number { __attribute__((device)) operator unsigned() const { return __nvvm_read_ptx_sreg_tid_x(); } "
        "};\n"
        "struct Place { Number x; };\n"
        "extern __attribute__((device)) const Place threadIdx, blockIdx;\n";
  if (language == Language::llvm) out.text += "target triple = \"nvptx64-nvidia-cuda\"\n";
  if (language == Language::opencl)
    out.text +=
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
  auto line = static_cast<uint32_t>(1 + std::ranges::count(out.text, '\n'));
  for (size_t n = 0; n < programs.size(); ++n) {
    const std::string name = fmt::format("t{}", n);
    const std::string one =
        language == Language::llvm ? llvm_kernel(programs[n], name) : kernel(programs[n], name, language);
    out.lines.push_back(line);
    line += static_cast<uint32_t>(std::ranges::count(one, '\n'));
    out.text += one;
  }
  out.lines.push_back(line);
  if (language == Language::llvm) out.text += llvm_frame(programs.size());
  return out;
}

std::string text_of(const Statement& s, Language language) {
  std::string out = CStatement(s, language, "r").text();
  if (out.starts_with("r = ")) out.erase(0, 4);
  if (out.ends_with(";")) out.pop_back();
  return out;
}

std::string litmus_of(const Program& p) {
  std::string out = "OPENCL program\n{ ";
  for (const char c : std::string_view(k_places))
    if (p.uses(c)) out += fmt::format("[{}] = 0; ", c);
  out += "}\n";
  std::string parameters, shown;
  for (const char c : std::string_view(k_places))
    if (p.uses(c)) {
      bool atomic = false;
      for (const Thread& t : p.threads)
        for (const Statement& s : t.body) atomic = atomic || (s.op != Op::fence && s.place == c && s.is_atomic());
      const bool wide = c == 'u' || c == 'v';
      parameters += fmt::format("{}global {}* {}", parameters.empty() ? "" : ", ",
                                atomic ? (wide ? "atomic_ulong" : "atomic_uint") : (wide ? "ulong" : "uint"), c);
      if (p.writes(c)) shown += fmt::format("{}; ", c);
    }
  const auto results = results_of(p);
  for (size_t t = 0; t < p.threads.size(); ++t) {
    out += fmt::format("\nP{}@wg {}, dev 0 ({}) {{\n", t, p.threads[t].block, parameters);
    auto next = std::ranges::find(results, t, &Result::thread);
    std::string last;
    for (Statement s : p.threads[t].body) {
      std::string result;
      if (s.has_result()) {
        result = fmt::format("r{}", next->number);
        out += fmt::format("  {} {} = 0;\n", s.bits() == 64 ? "ulong" : "uint", result);
        shown += fmt::format("{}:{}; ", t, result);
        ++next;
      }
      if (s.order == Order::volatile_) s.order = Order::plain;
      std::string one = CStatement(s, Language::opencl, result, true).text();
      if (s.op == Op::cas)  // `expected` is the result itself, which costs no access
        one = fmt::format(
            "{1} = {6}; atomic_compare_exchange_strong_explicit({0}, &{1}, {2}, memory_order_{3}, "
            "memory_order_{4}, {5});",
            s.place, result, s.written, name(s.order), name(order_of_failure(s.order)),
            s.scope == Scope::block    ? "memory_scope_work_group"
            : s.scope == Scope::device ? "memory_scope_device"
                                       : "memory_scope_all_svm_devices",
            s.value);
      out += s.guard ? fmt::format("  if ({} == {}) {{ {} }}\n", last, *s.guard, one) : "  " + one + "\n";
      if (!s.guard && s.has_result()) last = result;
    }
    out += "}\n";
  }
  return out + fmt::format("\nlocations [{}]\nexists (true)\n", shown);
}

}  // namespace fencepost::translation
