// The throwing half of the C++ runtime for WebAssembly: Debian's libc++abi for it is built without exceptions. The
// other half (types of exceptions, std::terminate, guards) is that library's. What clang calls with -fwasm-exceptions,
// after LLVM's cxa_exception.cpp, cxa_personality.cpp and Unwind-wasm.c. One thread; exception specifications are not
// read.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <typeinfo>

namespace __cxxabiv1 {

// As libc++abi declares it (private_typeinfo.h): the virtual functions must stand in this order.
class __shim_type_info : public std::type_info {
 public:
  ~__shim_type_info() override;
  virtual void noop1() const;
  virtual void noop2() const;
  virtual bool can_catch(const __shim_type_info* thrown, void*& object) const = 0;
};

}  // namespace __cxxabiv1

namespace {

struct alignas(16) Thrown {  // what stands before the object
  const std::type_info* type;
  void* (*destroy)(void*);   // for this target a destructor returns its object
  int references, handlers;  // handlers < 0: thrown again by them
  Thrown* next;              // caught before this one
  void* adjusted;            // the object as the handler's type sees it
  void* object() { return this + 1; }
};
Thrown* of(void* object) { return static_cast<Thrown*>(object) - 1; }

Thrown* caught = nullptr;
unsigned uncaught = 0;

[[noreturn]] void throw_now(Thrown* t) {
  ++uncaught;
  __builtin_wasm_throw(0, t);
}

void release(Thrown* t) {
  if (--t->references > 0) return;
  if (t->destroy != nullptr) t->destroy(t->object());
  std::free(t);
}

// What a landing pad tells and asks; the compiler writes and reads it by this name.
struct LandingPad {
  uintptr_t index, table, selector;
};

// A number of variable length (LEB128), without its sign, and how many bits were read; `at` goes behind it.
uint64_t read_bits(const uint8_t*& at, unsigned& bits) {
  uint64_t n = 0;
  uint8_t byte = 0;
  bits = 0;
  do {
    byte = *at++;
    n |= static_cast<uint64_t>(byte & 0x7f) << bits;
    bits += 7;
  } while ((byte & 0x80) != 0);
  return n;
}

uint64_t read_unsigned(const uint8_t*& at) {
  unsigned bits = 0;
  return read_bits(at, bits);
}

int64_t read_signed(const uint8_t*& at) {
  unsigned bits = 0;
  uint64_t n = read_bits(at, bits);
  if (bits < 64 && (n >> (bits - 1) & 1) != 0) n |= ~uint64_t{0} << bits;
  return static_cast<int64_t>(n);
}

// The number of the first handler of landing pad `index` that catches `t`; 0: none does.
uintptr_t handler_of(const uint8_t* table, uintptr_t index, Thrown* t) {
  constexpr uint8_t k_omitted = 0xff;
  if (*table++ != k_omitted) std::abort();  // a base of landing pads: clang writes none for this target
  const uint8_t* types = nullptr;
  if (*table++ != k_omitted) {
    const uint64_t offset = read_unsigned(table);
    types = table + offset;
  }
  ++table;  // how call sites are written: as numbers of variable length
  const uint64_t length = read_unsigned(table);
  const uint8_t* actions = table + length;
  uint64_t first = 0;
  for (uintptr_t site = 0; site <= index; ++site) {
    if (table >= actions) std::terminate();
    read_unsigned(table);
    first = read_unsigned(table);
  }
  if (first == 0) return 0;
  for (const uint8_t* action = actions + (first - 1);;) {
    const int64_t number = read_signed(action);
    if (number < 0) std::abort();
    if (number > 0) {
      const __cxxabiv1::__shim_type_info* type = nullptr;
      std::memcpy(&type, types - number * static_cast<int64_t>(sizeof type), sizeof type);
      void* object = t->object();
      if (type == nullptr || type->can_catch(static_cast<const __cxxabiv1::__shim_type_info*>(t->type), object)) {
        t->adjusted = object;
        return static_cast<uintptr_t>(number);
      }
    }
    const uint8_t* here = action;
    const int64_t step = read_signed(here);
    if (step == 0) return 0;
    action += step;
  }
}

}  // namespace

extern "C" {

LandingPad __wasm_lpad_context;

int _Unwind_CallPersonality(void* exception) {
  constexpr int k_found = 6, k_go_on = 8;  // _URC_HANDLER_FOUND, _URC_CONTINUE_UNWIND
  LandingPad& pad = __wasm_lpad_context;
  pad.selector = handler_of(reinterpret_cast<const uint8_t*>(pad.table), pad.index, static_cast<Thrown*>(exception));
  return pad.selector != 0 ? k_found : k_go_on;
}
// Named by the tables; never called, as the function above does its work.
int __gxx_wasm_personality_v0() { std::abort(); }

void* __cxa_allocate_exception(size_t size) noexcept {
  auto* t = static_cast<Thrown*>(std::calloc(1, sizeof(Thrown) + size));
  if (t == nullptr) std::terminate();
  return t->object();
}
void __cxa_free_exception(void* object) noexcept { std::free(of(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Thrown* t = of(object);
  t->type = type;
  t->destroy = destroy;
  t->references = 1;
  throw_now(t);
}

void* __cxa_get_exception_ptr(void* exception) noexcept { return static_cast<Thrown*>(exception)->adjusted; }

void* __cxa_begin_catch(void* exception) noexcept {
  auto* t = static_cast<Thrown*>(exception);
  t->handlers = (t->handlers < 0 ? -t->handlers : t->handlers) + 1;
  if (t != caught) {
    t->next = caught;
    caught = t;
  }
  --uncaught;
  return t->adjusted;
}

void __cxa_end_catch() {
  Thrown* t = caught;
  if (t == nullptr) return;
  if (t->handlers < 0) {  // on its way again: whoever catches it then lets it go
    if (++t->handlers == 0) caught = t->next;
  } else if (--t->handlers == 0) {
    caught = t->next;
    release(t);
  }
}

[[noreturn]] void __cxa_rethrow() {
  if (caught == nullptr) std::terminate();
  caught->handlers = -caught->handlers;
  throw_now(caught);
}

void* __cxa_current_primary_exception() noexcept {
  if (caught == nullptr) return nullptr;
  ++caught->references;
  return caught->object();
}
void __cxa_increment_exception_refcount(void* object) noexcept {
  if (object != nullptr) ++of(object)->references;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
  if (object != nullptr) release(of(object));
}
void __cxa_rethrow_primary_exception(void* object) {
  if (object == nullptr) return;
  Thrown* t = of(object);
  if (t->handlers != 0) std::abort();  // caught at this moment: there would have to be two of it
  ++t->references;
  throw_now(t);
}
bool __cxa_uncaught_exception() noexcept { return uncaught != 0; }
unsigned __cxa_uncaught_exceptions() noexcept { return uncaught; }
}
