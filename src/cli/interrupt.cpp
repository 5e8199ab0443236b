#include "cli/interrupt.h"

#include <csignal>

namespace fencepost::cli {
namespace {

std::atomic<bool> interrupted = false;
void (*before)(int) = SIG_DFL;
extern "C" void on_interrupt(int signal) {
  if (interrupted.exchange(true)) {
    std::signal(signal, before);  // which cleans up (base/process.h)
    std::raise(signal);
  }
}

}  // namespace

Interruptible::Interruptible() {
  interrupted = false;
  old_ = before = std::signal(SIGINT, on_interrupt);
}
Interruptible::~Interruptible() { std::signal(SIGINT, old_); }
const std::atomic<bool>* Interruptible::flag() const { return &interrupted; }

}  // namespace fencepost::cli
