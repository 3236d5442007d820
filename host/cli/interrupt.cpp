#include "host/cli/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace stiction {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) { received = signal; }

void install(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  for (const int signal : {SIGINT, SIGTERM}) install(signal, remember, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM}) install(signal, SIG_DFL, 0);
}

int InterruptGuard::signal_received() { return received; }

}  // namespace stiction
