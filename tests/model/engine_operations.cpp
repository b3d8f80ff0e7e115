#include "engine.hpp"
#include "tracked_memory.hpp"

namespace model {

void Engine::record(const char* operation, std::size_t location, std::memory_order order, std::uint64_t value,
                    std::uint64_t earlier) {
    const bool counts = location != kNowhere;
    trace_.push_back(
        TraceEntry{current_, operation, location, order, value, earlier, counts ? memory_.last_staleness() : 0});
}

std::size_t Engine::create(std::uint64_t value) {
    const ModelCode outside(false);
    return memory_.create(current_, value);
}

void Engine::destroy(std::size_t location) {
    const ModelCode outside(false);
    memory_.destroy(current_, location);
}

std::uint64_t Engine::load(std::size_t location, std::memory_order order) {
    const ModelCode outside(false);
    step();
    const std::uint64_t value = memory_.load(current_, location, order);
    record("load", location, order, value, value);
    return value;
}

void Engine::store(std::size_t location, std::uint64_t value, std::memory_order order) {
    const ModelCode outside(false);
    step();
    memory_.store(current_, location, value, order);
    record("store", location, order, value, value);
}

std::uint64_t Engine::modify(const char* operation, std::size_t location, std::memory_order order,
                             std::memory_order failure_order, const MemoryModel::Change& change) {
    const ModelCode outside(false);
    step();
    const std::uint64_t earlier = memory_.modify(current_, location, order, failure_order, change);
    const auto value = change(earlier);
    record(value ? operation : "failed compare-exchange", location, value ? order : failure_order,
           value.value_or(earlier), earlier);
    return earlier;
}

void Engine::fence(std::memory_order order) {
    const ModelCode outside(false);
    // A fence without effect on the order of seq_cst operations changes nothing that another thread could
    // see.
    if (order == std::memory_order_seq_cst) step();
    memory_.fence(current_, order);
    record("fence", kNowhere, order, 0, 0);
}

std::size_t Engine::create_plain() {
    const ModelCode outside(false);
    return memory_.create_plain(current_);
}

void Engine::read_plain(std::size_t field) {
    const ModelCode outside(false);
    memory_.read_plain(current_, field);
}

void Engine::write_plain(std::size_t field, bool destroys) {
    const ModelCode outside(false);
    memory_.write_plain(current_, field, destroys);
}

void Engine::set_name(std::size_t location, const char* name) {
    const ModelCode outside(false);
    memory_.set_name(location, name);
}

void Engine::set_plain_name(std::size_t field, const char* name) {
    const ModelCode outside(false);
    memory_.set_plain_name(field, name);
}

void Engine::name_next(std::initializer_list<const char*> names) {
    const ModelCode outside(false);
    memory_.name_next(names);
}

}  // namespace model
