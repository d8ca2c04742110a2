// The library and the machine.
#include "engine/bindings/c/guard.hpp"
#include "engine/bindings/c/structs.hpp"
#include "engine/platform/cpu.hpp"
#include "engine/platform/isa.hpp"

const char* headway_version() {
  return headway::version();
}

headway_status headway_get_machine(headway_machine* machine, headway_error* error) {
  using namespace headway::c;
  return guard(error, [&] {
    headway_machine facts{};
    facts.isa = headway::to_string(headway::max_isa());
    facts.cores = headway::usable_cores();
    write_struct(machine, "machine", facts);
  });
}
