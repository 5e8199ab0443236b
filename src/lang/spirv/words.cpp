#include "spirv/words.h"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>
#define SPV_ENABLE_UTILITY_CODE 1
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "litmus/lexer.h"

namespace fencepost::spirv {
namespace {

struct ContextEnd {
  void operator()(spv_context_t* c) const { spvContextDestroy(c); }
};
using Context = std::unique_ptr<spv_context_t, ContextEnd>;
struct BinaryEnd {
  void operator()(spv_binary_t* b) const { spvBinaryDestroy(b); }
};
struct TextEnd {
  void operator()(spv_text_t* t) const { spvTextDestroy(t); }
};
struct Complaint {
  spv_diagnostic d = nullptr;
  Complaint() = default;
  Complaint(const Complaint&) = delete;
  ~Complaint() { spvDiagnosticDestroy(d); }
};

constexpr uint32_t k_magic = 0x07230203;

// ---- text ------------------------------------------------------------------------------------------

struct Word {
  std::string_view text;
  uint32_t begin = 0, end = 0;
};

// Words of assembly: blanks separate, ';' starts a comment, strings are one word with their quotes.
std::vector<Word> split(std::string_view text) {
  std::vector<Word> out;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++i;
    } else if (c == ';') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else {
      const size_t begin = i;
      bool quoted = false;
      for (; i < text.size(); ++i) {
        const char d = text[i];
        if (quoted && d == '\\' && i + 1 < text.size())
          ++i;
        else if (d == '"')
          quoted = !quoted;
        else if (!quoted && (d == ' ' || d == '\t' || d == '\n' || d == '\r' || d == ';'))
          break;
      }
      out.push_back({text.substr(begin, i - begin), static_cast<uint32_t>(begin), static_cast<uint32_t>(i)});
    }
  }
  return out;
}

bool is_opcode(std::string_view w) { return w.size() > 2 && w.starts_with("Op") && w[2] >= 'A' && w[2] <= 'Z'; }

struct Statement {
  std::string_view result;  // "%x" or ""
  std::vector<Word> words;  // from the opcode on
  uint32_t begin = 0, end = 0;
};

std::vector<Statement> statements(const SourcePtr& source) {
  const std::vector<Word> words = split(source->text);
  std::vector<Statement> out;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool assigns = words[i].text.starts_with("%") && i + 2 < words.size() && words[i + 1].text == "=" &&
                         is_opcode(words[i + 2].text);
    if (assigns) {
      out.push_back({words[i].text, {words[i + 2]}, words[i].begin, words[i + 2].end});
      i += 2;
    } else if (is_opcode(words[i].text) &&
               !(!out.empty() && out.back().words.front().text == "OpSpecConstantOp" && out.back().words.size() == 2)) {
      out.push_back({{}, {words[i]}, words[i].begin, words[i].end});
    } else if (out.empty()) {
      litmus::fail_at(Span{source, words[i].begin, words[i].end},
                      fmt::format("{} is not a SPIR-V instruction", litmus::quoted(words[i].text)),
                      "an instruction is 'OpName operands' or '%result = OpName operands'");
    } else {
      out.back().words.push_back(words[i]);
      out.back().end = words[i].end;
    }
  }
  return out;
}

// The text for the assembler; same length up to the last mended number.
std::string mend(const std::string& text, const std::vector<Statement>& all) {
  std::string out = text;
  std::map<std::string_view, uint32_t> unsigned_types;
  std::vector<std::pair<Word, std::string>> longer;
  for (const Statement& s : all) {
    const std::string_view op = s.words[0].text;
    if (op == "OpSource" && s.words.size() > 1) {
      static constexpr std::string_view known[] = {"Unknown",    "ESSL", "GLSL",           "OpenCL_C",
                                                   "OpenCL_CPP", "HLSL", "CPP_for_OpenCL", "SYCL"};
      if (std::find(std::begin(known), std::end(known), s.words[1].text) == std::end(known) &&
          s.words[1].text.size() >= 1) {
        // "Unknown" need not fit into the space of the name: 0 is its number.
        longer.push_back({s.words[1], "Unknown"});
      }
    }
    if (op == "OpTypeInt" && s.words.size() == 3 && s.words[2].text == "0" && s.words[1].text.size() <= 2)
      unsigned_types[s.result] = static_cast<uint32_t>(std::atoi(std::string(s.words[1].text).c_str()));
    if ((op == "OpConstant" || op == "OpSpecConstant") && s.words.size() == 3 && s.words[2].text.starts_with("-")) {
      const auto it = unsigned_types.find(s.words[1].text);
      if (it == unsigned_types.end() || it->second == 0 || it->second > 64) continue;
      int64_t v = 0;
      if (std::sscanf(std::string(s.words[2].text).c_str(), "%lld", reinterpret_cast<long long*>(&v)) != 1) continue;
      const uint64_t mask = it->second == 64 ? ~uint64_t{0} : (uint64_t{1} << it->second) - 1;
      longer.push_back({s.words[2], std::to_string(static_cast<uint64_t>(v) & mask)});
    }
  }
  for (size_t k = longer.size(); k-- > 0;)
    out.replace(longer[k].first.begin, longer[k].first.end - longer[k].first.begin, longer[k].second);
  return out;
}

// "21: 25: message" of the library is line and column, from 0.
[[noreturn]] void fail_text(const SourcePtr& source, const Complaint& complaint, std::string_view fallback) {
  if (complaint.d == nullptr) litmus::fail_at(Span{source, 0, 0}, std::string(fallback));
  const spv_position_t p = complaint.d->position;
  size_t at = 0;
  for (size_t line = 0; line < p.line; ++line) {
    const size_t eol = source->text.find('\n', at);
    if (eol == std::string::npos) break;
    at = eol + 1;
  }
  const auto begin = static_cast<uint32_t>(std::min(at + p.column, source->text.size()));
  uint32_t end = begin;
  while (end < source->text.size() && static_cast<unsigned char>(source->text[end]) > ' ') ++end;
  std::string message = complaint.d->error != nullptr ? complaint.d->error : std::string(fallback);
  while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
  if (!message.empty() && message[0] >= 'A' && message[0] <= 'Z' &&
      !(message.size() > 1 && message[1] >= 'A' && message[1] <= 'Z') && !is_opcode(message))
    message[0] = static_cast<char>(message[0] - 'A' + 'a');
  for (char& c : message)
    if (c == '\n') c = ' ';
  litmus::fail_at(Span{source, begin, end}, std::move(message), "the text is read by SPIRV-Tools' assembler");
}

// ---- instructions ----------------------------------------------------------------------------------

struct Collector {
  std::vector<Instruction> list;
  uint32_t bound = 0;
  uint32_t offset = 5;  // words of the header
};

spv_result_t take_header(void* user, spv_endianness_t, uint32_t, uint32_t, uint32_t, uint32_t bound, uint32_t) {
  static_cast<Collector*>(user)->bound = bound;
  return SPV_SUCCESS;
}

spv_result_t take_instruction(void* user, const spv_parsed_instruction_t* in) {
  auto& c = *static_cast<Collector*>(user);
  Instruction i;
  i.op = in->opcode;
  i.type = in->type_id;
  i.result = in->result_id;
  i.words.assign(in->words, in->words + in->num_words);
  for (uint16_t k = 0; k < in->num_operands; ++k) {
    const spv_parsed_operand_t& o = in->operands[k];
    if (o.type == SPV_OPERAND_TYPE_TYPE_ID || o.type == SPV_OPERAND_TYPE_RESULT_ID) continue;
    i.args.push_back({o.offset, o.num_words,
                      o.type == SPV_OPERAND_TYPE_ID || o.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
                          o.type == SPV_OPERAND_TYPE_SCOPE_ID});
  }
  i.offset = c.offset;
  c.offset += in->num_words;
  c.list.push_back(std::move(i));
  return SPV_SUCCESS;
}

// `text`: the statements that the words were made of, or none.
Collector parse(const Context& context, const std::vector<uint32_t>& words, const SourcePtr& source,
                const std::vector<Statement>& text) {
  Collector c;
  Complaint complaint;
  if (spvBinaryParse(context.get(), &c, words.data(), words.size(), take_header, take_instruction, &complaint.d) !=
      SPV_SUCCESS) {
    std::string message =
        complaint.d != nullptr && complaint.d->error != nullptr ? complaint.d->error : "the module is malformed";
    while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
    for (char& ch : message)
      if (ch == '\n') ch = ' ';
    if (c.list.size() < text.size()) {  // the instruction behind those that were taken
      const Statement& s = text[c.list.size()];
      litmus::fail_at(Span{source, s.begin, s.end}, std::move(message), "the text is read by SPIRV-Tools' assembler");
    }
    const size_t at = complaint.d != nullptr ? complaint.d->position.index : 0;
    litmus::fail_at(Span{source, 0, 0}, fmt::format("word {} of the module: {}", at, message),
                    "the file is damaged, or is not a SPIR-V module");
  }
  return c;
}

// A text by lines, to find places of it.
class Lines {
 public:
  explicit Lines(SourcePtr source) : source_(std::move(source)) {
    begins_.push_back(0);
    for (size_t i = 0; i < source_->text.size(); ++i)
      if (source_->text[i] == '\n') begins_.push_back(static_cast<uint32_t>(i + 1));
  }
  Span top() const { return {source_, 0, 0}; }
  // A word or sign at a column from 1; column 0: what the line says.
  std::optional<Span> at(uint32_t line, uint32_t column) const {
    if (line == 0 || line > begins_.size()) return std::nullopt;
    const std::string& t = source_->text;
    uint32_t begin = begins_[line - 1], end = begin;
    while (end < t.size() && t[end] != '\n' && t[end] != '\r') ++end;
    if (column > end - begin) column = 0;
    if (column > 0) {
      begin += column - 1;
      uint32_t stop = begin;
      while (stop < end && is_name(t[stop])) ++stop;
      return Span{source_, begin, std::max(stop, begin + 1)};
    }
    while (begin < end && (t[begin] == ' ' || t[begin] == '\t')) ++begin;
    if (const size_t comment = std::string_view(t).substr(begin, end - begin).find("//");
        comment != 0 && comment != std::string_view::npos)
      end = begin + static_cast<uint32_t>(comment);
    while (end > begin && (t[end - 1] == ' ' || t[end - 1] == '\t')) --end;
    return Span{source_, begin, end};
  }
  // Where a name stands first outside of comment lines.
  std::optional<Span> first(std::string_view name) const {
    const std::string_view t = source_->text;
    if (name.empty()) return std::nullopt;
    for (size_t i = t.find(name); i != std::string_view::npos; i = t.find(name, i + 1)) {
      const size_t end = i + name.size();
      if ((i > 0 && is_name(t[i - 1])) || (end < t.size() && is_name(t[end]))) continue;
      const size_t bol = i == 0 ? 0 : t.rfind('\n', i - 1) + 1;  // npos + 1 == 0
      if (t.substr(bol, i - bol).find("//") != std::string_view::npos) continue;
      return Span{source_, static_cast<uint32_t>(i), static_cast<uint32_t>(end)};
    }
    return std::nullopt;
  }

 private:
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  SourcePtr source_;
  std::vector<uint32_t> begins_;
};

// Which line of a source language each instruction comes from; as a place, where that text is at hand.
void add_lines(Words& w, const Compiled* compiled) {
  std::unordered_map<Id, std::string> strings, names;
  std::optional<Lines> lines;
  if (compiled != nullptr) lines.emplace(compiled->source);
  std::string line;
  std::optional<Span> here;  // of the OpLine in force
  Span last;                 // of this function
  for (Instruction& i : w.instructions) {
    const auto op = static_cast<spv::Op>(i.op);
    switch (op) {
      case spv::Op::OpString:
        strings[i.result] = i.string(0);
        break;
      case spv::Op::OpName:
        names[i.word(0)] = i.string(1);
        break;
      case spv::Op::OpLine:
        line = fmt::format("{}:{}", strings[i.word(0)], i.word(1));
        // Line 0 is no line: what a compiler made by itself.
        if (lines) here = strings[i.word(0)] == compiled->file ? lines->at(i.word(1), i.word(2)) : std::nullopt;
        break;
      case spv::Op::OpNoLine:
      case spv::Op::OpFunctionEnd:
        line.clear();
        here.reset();
        break;
      default:
        i.line = line;
        break;
    }
    if (!lines) continue;
    if (op == spv::Op::OpFunction) last = here ? *here : lines->first(names[i.result]).value_or(lines->top());
    if (op == spv::Op::OpEntryPoint)
      i.span = lines->first(i.string(2)).value_or(lines->top());
    else if (op == spv::Op::OpVariable)
      i.span = here ? *here : lines->first(names[i.result]).value_or(lines->top());
    else if (here)
      i.span = last = *here;
    else
      i.span = last.source != nullptr ? last : lines->top();
    if (op == spv::Op::OpFunctionEnd) last = {};
    if (here || (last.source != nullptr && line.ends_with(":0"))) i.line.clear();  // the span says it
  }
}

void add_names(Words& w) {
  std::unordered_map<std::string, int> uses;
  for (const Instruction& i : w.instructions)
    if (static_cast<spv::Op>(i.op) == spv::Op::OpName) ++uses[i.string(1)];
  for (const Instruction& i : w.instructions)
    if (w.compiled && static_cast<spv::Op>(i.op) == spv::Op::OpMemberName) {
      w.members[i.word(0)][i.word(1)] = i.string(2);
    } else if (static_cast<spv::Op>(i.op) == spv::Op::OpName) {
      const std::string text = i.string(1);
      if (text.empty()) continue;
      if (w.compiled) w.given[i.word(0)] = text.substr(text.starts_with("struct.") ? 7 : 0, text.find('('));
      if (uses[text] == 1 && !w.by_name.contains("%" + text)) w.by_name["%" + text] = i.word(0);
      if (w.binary) w.names[i.word(0)] = "%" + text;
    }
}

std::vector<uint32_t> words_of(const SourcePtr& source) {
  const std::string& bytes = source->text;
  if (bytes.size() % 4 != 0)
    litmus::fail_at(Span{source, 0, 0},
                    fmt::format("a SPIR-V module is whole words, and this file has {} bytes", bytes.size()),
                    "the file is cut short");
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  if (!words.empty() && words[0] != k_magic)
    for (uint32_t& x : words) x = __builtin_bswap32(x);
  return words;
}

bool has_magic(std::string_view bytes) {
  return bytes.size() >= 4 && (bytes.substr(0, 4) == "\x03\x02\x23\x07" || bytes.substr(0, 4) == "\x07\x23\x02\x03");
}

std::string place(const Words& w, const Instruction& i) {
  std::string out;
  if (!i.line.empty()) out += ", " + i.line;
  if (w.binary && !w.compiled) out += fmt::format(", word {}", i.offset);
  return out.empty() ? opcode_name(i.op) : opcode_name(i.op) + out;
}

}  // namespace

uint64_t Instruction::number(size_t k) const {
  const Argument& a = args[k];
  uint64_t v = words[a.word];
  if (a.count > 1) v |= uint64_t{words[a.word + 1]} << 32;
  return v;
}

std::string Instruction::string(size_t k) const {
  std::string out;
  for (uint32_t n = 0; n < args[k].count; ++n)
    for (int b = 0; b < 4; ++b) {
      const char c = static_cast<char>(words[args[k].word + n] >> (8 * b));
      if (c == 0) return out;
      out += c;
    }
  return out;
}

std::string opcode_name(uint32_t op) {
  const char* s = spvOpcodeString(op);
  return fmt::format("Op{}", s != nullptr ? s : std::to_string(op));
}

std::string Words::name(Id id) const {
  const auto it = names.find(id);
  return it != names.end() ? it->second : fmt::format("%{}", id);
}

namespace {

Words read(const SourcePtr& given, const Compiled* compiled) {
  Words w;
  const Context context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6));
  w.binary = has_magic(given->text);
  w.source = given;
  std::vector<uint32_t> words;
  if (w.binary) {
    words = words_of(given);
    parse(context, words, make_source(given->name, ""), {});  // names the word at fault
    spv_text text = nullptr;
    Complaint complaint;
    if (spvBinaryToText(context.get(), words.data(), words.size(), SPV_BINARY_TO_TEXT_OPTION_INDENT, &text,
                        &complaint.d) != SPV_SUCCESS)
      fail_text(make_source(given->name, ""), complaint, "the module is malformed");
    const std::unique_ptr<spv_text_t, TextEnd> owner(text);
    w.source = make_source(given->name, std::string(text->str, text->length));
  }
  const std::vector<Statement> all = statements(w.source);
  if (!w.binary) {
    if (const size_t nul = given->text.find('\0'); nul != std::string::npos)
      litmus::fail_at(Span{given, static_cast<uint32_t>(nul), static_cast<uint32_t>(nul + 1)},
                      "a character 0 stands in this text",
                      "assembly is plain text; a binary module begins with its magic number");
    const std::string text = mend(given->text, all);
    spv_binary binary = nullptr;
    Complaint complaint;
    if (spvTextToBinary(context.get(), text.data(), text.size(), &binary, &complaint.d) != SPV_SUCCESS)
      fail_text(w.source, complaint, "the text is not SPIR-V assembly");
    const std::unique_ptr<spv_binary_t, BinaryEnd> owner(binary);
    words.assign(binary->code, binary->code + binary->wordCount);
  }
  Collector c = parse(context, words, w.source, all);
  // Odd characters between words, or in names, can make the assembler cut the text where the scanner does not.
  for (size_t k = 0; k < std::min(c.list.size(), all.size()); ++k)
    if (opcode_name(c.list[k].op) != all[k].words[0].text)
      litmus::fail_at(Span{w.source, all[k].begin, all[k].end},
                      fmt::format("this is read as {} by the assembler", opcode_name(c.list[k].op)),
                      "the instructions before it contain words that do not belong there");
  if (c.list.size() != all.size())
    litmus::fail_at(Span{w.source, 0, 0}, "the assembler finds other instructions in this module than its text shows",
                    "is there a word like 'Op...' where an operand is meant?");
  w.instructions = std::move(c.list);
  w.bound = c.bound;
  for (size_t k = 0; k < all.size(); ++k) {
    Instruction& i = w.instructions[k];
    i.span = {w.source, all[k].begin, all[k].end};
    if (static_cast<spv::Op>(i.op) == spv::Op::OpExtInst && all[k].words.size() > 3) i.extended = all[k].words[3].text;
    std::vector<Id> ids;
    if (i.type != 0) ids.push_back(i.type);
    for (size_t n = 0; n < i.size(); ++n)
      if (i.args[n].is_id) ids.push_back(i.word(n));
    std::vector<std::string_view> spelt;
    for (const Word& x : all[k].words)
      if (x.text.starts_with("%")) spelt.push_back(x.text);
    for (size_t n = 0; ids.size() == spelt.size() && n < ids.size(); ++n) w.names.emplace(ids[n], spelt[n]);
    if (i.result == 0 || all[k].result.empty()) continue;
    w.by_name.emplace(all[k].result, i.result);
    w.names.emplace(i.result, all[k].result);
  }
  w.compiled = compiled != nullptr;
  add_lines(w, compiled);
  add_names(w);
  if (compiled != nullptr) {
    w.source = compiled->source;
    for (const Instruction& i : w.instructions)
      if (static_cast<spv::Op>(i.op) == spv::Op::OpFunction && w.given.contains(i.result))
        w.names[i.result] = w.given[i.result];
    for (const auto& [name, variable] : compiled->variables)
      if (const auto it = w.by_name.find(variable.id); it != w.by_name.end() && variable.path.empty())
        w.names[it->second] = name;
  }
  return w;
}

}  // namespace

Words read_words(const SourcePtr& given) { return read(given, nullptr); }

Words read_words(const Compiled& compiled) {
  return read(make_source(compiled.source->name + ".spvasm", compiled.module), &compiled);
}

void fail(const Words& w, const Instruction& i, std::string message, std::string hint) {
  litmus::fail_at(i.span, fmt::format("{} ({})", message, place(w, i)), std::move(hint));
}

void refuse(const Words& w, const Instruction& i, std::string message, std::string hint) {
  litmus::unsupported(i.span, fmt::format("{} ({})", message, place(w, i)), std::move(hint));
}

}  // namespace fencepost::spirv
