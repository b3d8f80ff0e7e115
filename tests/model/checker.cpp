#include "checker.hpp"

#include <utility>

#include "engine.hpp"
#include "tracked_memory.hpp"

namespace model {

Result check(const Options& options, const std::function<void()>& set_up) {
    return Engine(options).run(set_up);
}

void thread(std::function<void()> body) {
    Engine::active().add_thread(std::move(body));
}
void after(std::function<void()> body) {
    Engine::active().add_after(std::move(body));
}
void require(bool holds, const char* what) {
    if (holds) return;
    const ModelCode outside(false);
    Engine::active().fail(what);
}
void observe(const std::string& outcome) {
    Engine::active().observe(outcome);
}

void name_next(std::initializer_list<const char*> names) {
    Engine::active().name_next(names);
}

}  // namespace model
