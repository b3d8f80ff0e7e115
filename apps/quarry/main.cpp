#include <array>

#include "command_line.hpp"

namespace quarry::app {

template <class... Names>
struct CommandList {
    static auto make() { return std::array{command<Names>()...}; }
};

// Every command, in the order of the help. Each is defined in a file of its own, as command<TheNameHere>().
using AllCommands = CommandList<struct BenchJobsCommand,     //
                                struct BenchFrameCommand,    //
                                struct BenchGraphCommand,    //
                                struct BenchEcsCommand,      //
                                struct BenchTerrainCommand,  //
                                struct BenchStreamCommand,   //
                                struct BenchEditCommand,     //
                                struct BenchProcessCommand,  //
                                struct StressCommand,        //
                                struct SyncCommand,          //
                                struct BakeCommand,          //
                                struct FlyCommand,           //
                                struct FieldCommand,         //
                                struct WorldInfoCommand,     //
                                struct WorldCheckCommand,    //
                                struct WorldDiffCommand,     //
                                struct WorldExportCommand,   //
                                struct WorldCompactCommand,  //
                                struct DemoCommand,          //
                                struct WorkerCommand,        //
                                struct ServeEngineCommand>;

constexpr std::array kGroups{CommandGroup{"bench", "Benchmarks, against bare baselines and other engines"},
                             CommandGroup{"world", "Files of edits: inspect, check, compare, export, compact"}};

}  // namespace quarry::app

int main(int count, char** words) {
    const auto commands = quarry::app::AllCommands::make();
    return quarry::app::run_command_line(count, words, quarry::app::kGroups, commands);
}
