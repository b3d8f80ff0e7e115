#include "bench/report.hpp"

#include <nlohmann/json.hpp>

#include "tools/report_head.hpp"

namespace quarry::app {

std::string format_report(std::string_view program, const bench::Machine& machine,
                          const nlohmann::ordered_json& options, std::span<const bench::Result> results,
                          bool (*higher_is_better)(std::string_view unit)) {
    nlohmann::ordered_json json = report_head(program, machine);
    json["options"] = options;
    json["results"] = nlohmann::ordered_json::array();
    for (const bench::Result& result : results) {
        json["results"].push_back({{"name", result.name},
                                   {"engine", result.engine},
                                   {"workers", result.workers},
                                   {"value", result.value},
                                   {"unit", result.unit},
                                   {"better", higher_is_better(result.unit) ? "higher" : "lower"},
                                   {"runs", result.runs},
                                   {"spread", result.spread}});
    }
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
