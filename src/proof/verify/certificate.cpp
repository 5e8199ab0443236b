#include "verify/certificate.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "verify/drat.h"

namespace fencepost::verify {
namespace {

constexpr const char* k_format = "fencepost certificate 1";

}  // namespace

std::string one_line(const std::string& s) {
  std::string out;
  for (const unsigned char c : s) out += c < ' ' || c == 127 ? ' ' : c < 127 ? static_cast<char>(c) : '?';
  const size_t from = out.find_first_not_of(' ');
  return from == std::string::npos ? "" : out.substr(from, out.find_last_not_of(' ') + 1 - from);
}

// FIPS 180-4, section 6.2.
std::string sha256(const std::string& text) {
  static constexpr uint32_t k[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string m = text + '\x80';
  while (m.size() % 64 != 56) m += '\0';
  for (int b = 7; b >= 0; --b) m += static_cast<char>((uint64_t{text.size()} * 8) >> (8 * b));
  const auto turn = [](uint32_t x, int n) { return (x >> n) | (x << (32 - n)); };
  for (size_t at = 0; at < m.size(); at += 64) {
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = 0;
      for (size_t b = 0; b < 4; ++b) w[i] = (w[i] << 8) | static_cast<unsigned char>(m[at + 4 * i + b]);
    }
    for (size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >> 3)) + w[i - 7] +
             (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >> 10));
    std::copy(h, h + 8, v);
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t t1 =
          v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const uint32_t t2 =
          (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (size_t r = 7; r > 0; --r) v[r] = v[r - 1];
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (size_t r = 0; r < 8; ++r) h[r] += v[r];
  }
  std::ostringstream out;
  for (const uint32_t x : h)
    for (int b = 28; b >= 0; b -= 4) out << "0123456789abcdef"[(x >> b) & 15];
  return out.str();
}

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw BadText("there is no file '" + path.string() + "'");
  if (std::filesystem::file_size(path, error) > (uintmax_t{1} << 30))
    throw BadText("'" + path.string() + "' is larger than 1 GiB");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) throw BadText("'" + path.string() + "' cannot be read");
  return out.str();
}

// A link of a stranger's folder would show in messages how another file begins.
std::string read_inside(const std::filesystem::path& folder, const char* name) {
  if (std::filesystem::is_symlink(folder / name)) throw BadText(std::string(name) + " is a link");
  return read_file(folder / name);
}

Built build(const Problem& p, bool whole) {
  Built out;
  out.program = read_litmus(p.test_text);
  out.encoding = encode(out.program, read_cat(p.prelude_text), read_cat(p.model_text), p.question);
  if (whole) {
    out.encoding.circuit.label("whole");
    out.encoding.circuit.demand(negated(out.encoding.partial));
  }
  out.cnf = out.encoding.circuit.clauses();
  return out;
}

std::string statement(const Problem& p, const Built& b, bool reachable) {
  std::ostringstream out;
  const bool filtered = b.program.filter && p.question.use_filter;
  const std::string& q = b.program.quantifier;
  out << "format: " << k_format << "\n"
      << "made by: " << one_line(p.version) << "\n"
      << "test: " << one_line(p.test_name) << "\n"
      << "test sha256: " << sha256(p.test_text) << "\n"
      << "model: " << one_line(p.model_name) << "\n"
      << "model sha256: " << sha256(p.model_text) << "\n"
      << "prelude sha256: " << sha256(p.prelude_text) << "\n"
      << "property: " << (p.question.races ? "races" : "condition") << "\n";
  if (!p.question.races) out << "condition: " << q << " " << b.program.condition_text << "\n";
  if (b.program.filter) out << "filter: " << (filtered ? b.program.filter_text : "ignored") << "\n";
  out << "bound: " << p.question.bound << "\n";
  out << "loops: "
      << (b.encoding.bounded ? "cut; executions in which a loop goes back as often as the "
                               "bound, or oftener, are not spoken of"
                             : "none is cut; all executions are spoken of")
      << "\n";
  out << "assumed: no thread is left behind but at a barrier" << (p.question.races && !reachable ? " or in a loop" : "")
      << "\n";
  std::string what = p.question.races ? "raises a flag of the model"
                     : q == "forall"  ? "violates the condition"
                                      : "meets the condition";
  out << "answer: " << (reachable ? "reachable" : "unreachable") << "\n"
      << "meaning: " << (reachable ? "some" : "no") << " consistent " << (p.question.races ? "" : "complete ")
      << "execution" << (filtered ? " that meets the filter " : " ") << what << "\n";
  return out.str();
}

namespace {

// A number of at most so many digits.
uint64_t digits(const std::string& text, size_t most, const char* otherwise) {
  if (text.empty() || text.size() > most || text.find_first_not_of("0123456789") != std::string::npos)
    throw BadText(otherwise);
  uint64_t v = 0;
  for (const char d : text) v = 10 * v + static_cast<uint64_t>(d - '0');
  return v;
}

std::set<std::string> read_choices(const std::string& text, const Circuit& c) {
  const std::set<std::string> known(c.inputs().begin(), c.inputs().end());
  std::set<std::string> out;
  std::istringstream in(text);
  std::string line;
  const auto take = [&](const std::string& name) {
    if (!known.contains(name)) throw BadText("execution.txt: there is no choice '" + name.substr(0, 80) + "'");
    if (!out.insert(name).second) throw BadText("execution.txt: a choice stands twice");
  };
  while (std::getline(in, line)) {
    if (line.empty() || line.starts_with("#")) continue;
    const size_t blank = line.rfind(' ');
    if (line.starts_with("choose ") && !line.starts_with("choose bit ")) {
      take(line.substr(7));
    } else if (line.starts_with("value ") && blank > 6) {
      const uint64_t v = digits(line.substr(blank + 1), 20, "execution.txt: no value");
      for (size_t k = 0; k < 64; ++k)
        if (((v >> k) & 1) != 0) take("bit " + line.substr(6, blank - 6) + " " + std::to_string(k));
    } else {
      throw BadText("execution.txt: a line of another kind");
    }
  }
  return out;
}

}  // namespace

std::string dimacs(const Built& b) {
  std::ostringstream out;
  const auto& events = b.encoding.events;
  out << "c the clauses that every execution in question obeys; before each "
         "its rule and events\n";
  out << "p cnf " << b.cnf.variables << " " << b.cnf.clauses.size() << "\n";
  for (size_t k = 0; k < b.cnf.clauses.size(); ++k) {
    const Label& l = b.cnf.labels[k];
    out << "c " << b.encoding.circuit.rules()[l.rule];
    for (const size_t e : {l.a, l.b})
      if (e < events.size()) out << " " << events[e].name;
    out << "\n";
    for (const int32_t x : b.cnf.clauses[k]) out << x << " ";
    out << "0\n";
  }
  return out.str();
}

namespace {

// statement.txt as keys and values; each key once.
std::map<std::string, std::string> fields_of(const std::string& text) {
  std::map<std::string, std::string> out;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || !out.emplace(line.substr(0, colon), line.substr(colon + 2)).second)
      throw BadText("statement.txt has a line of another kind, or one twice");
  }
  return out;
}

void same(const std::string& path, const std::string& text, const char* what) {
  if (!path.empty() && read_file(path) != text)
    throw BadText("the " + std::string(what) + " that is given is not the certificate's");
}

}  // namespace

Certificate read_certificate(const std::filesystem::path& folder, const Given& given) {
  Certificate out;
  out.claimed = read_inside(folder, "statement.txt");
  const auto fields = fields_of(out.claimed);
  const auto field = [&](const char* key) {
    const auto at = fields.find(key);
    if (at == fields.end()) throw BadText("statement.txt lacks '" + std::string(key) + "'");
    return at->second;
  };
  if (field("format") != k_format)
    throw BadText("a certificate of another format, '" + field("format").substr(0, 60) + "'");
  Problem& p = out.problem;
  p.test_name = field("test");
  p.model_name = field("model");
  p.version = field("made by");
  p.test_text = read_inside(folder, "test.litmus");
  p.model_text = read_inside(folder, "model.cat");
  p.prelude_text = read_inside(folder, "prelude.cat");
  same(given.test, p.test_text, "test");
  same(given.model, p.model_text, "model");
  same(given.prelude, p.prelude_text, "prelude");
  p.question.races = field("property") == "races";
  p.question.use_filter = !fields.contains("filter") || fields.at("filter") != "ignored";
  p.question.bound = digits(field("bound"), 4, "statement.txt has no bound");
  out.reachable = field("answer") == "reachable";
  return out;
}

std::string refusal(Built& b, bool reachable, const std::filesystem::path& folder) {
  Circuit& c = b.encoding.circuit;
  if (reachable) {
    const auto failures = c.failures(read_choices(read_inside(folder, "execution.txt"), c));
    return failures.empty() ? "" : "the execution breaks '" + c.rules()[failures.front().rule] + "'";
  }
  std::istringstream proof(read_inside(folder, "proof.drat"));
  return check_drat(b.cnf.variables, b.cnf.clauses, proof);
}

Outcome verify(const std::filesystem::path& folder, const Given& given) {
  Outcome out;
  try {
    const Certificate c = read_certificate(folder, given);
    Built b = build(c.problem, c.reachable);
    out.statement = statement(c.problem, b, c.reachable);
    out.why = out.statement == c.claimed ? refusal(b, c.reachable, folder)
                                         : "the texts make another statement than statement.txt";
    out.accepted = out.why.empty();
    return out;
  } catch (const NotCertified& e) {
    return {false, "", "no certificate: " + one_line(e.what()) + " is not in the certified part"};
  } catch (const BadText& e) {
    return {false, "", one_line(e.what())};
  }
}

}  // namespace fencepost::verify
