#include "jobs/engine_host.hpp"

#include <cstdio>
#include <exception>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

#include "jobs/rows/list.hpp"

namespace quarry::bench {
namespace {

void print_answer(const Answer& answer) {
    for (const Answer::Value& value : answer.values) {
        std::printf("value %s %s %.9g\n", value.name.c_str(), value.unit.c_str(), value.value);
    }
    for (const Answer::Samples& samples : answer.samples) {
        std::printf("samples %s %s", samples.name.c_str(), samples.unit.c_str());
        for (const double sample : samples.values) std::printf(" %.6g", sample);
        std::printf("\n");
    }
}

class Server {
  public:
    explicit Server(EngineHost& host) : host_(host) {}

    void run(const std::string& row, int workers, bool quick) {
        const RowInfo* info = host_.find(row);
        if (info == nullptr || workers < 1) {
            std::printf("error no such row or number of workers\n");
            return;
        }
        if (const char* reason = host_.unsupported(row, workers)) {
            std::printf("unsupported %s\n", reason);
            return;
        }
        const bool first = warm_.insert({row, workers}).second;
        const bool warms_itself = info->cold || info->warms_itself;
        if (first && !info->together && !warms_itself && !(quick && info->heavy)) measure(row, workers, quick);
        reset_peak_memory();
        Answer answer = measure(row, workers, quick);
        if (host_.tells_memory()) answer.add(row + "_memory", "MiB", peak_memory_mib());
        print_answer(answer);
        std::printf("done\n");
    }

    void release() {
        data_ = RowData();
        std::printf("done\n");
    }

  private:
    Answer measure(const std::string& row, int workers, bool quick) {
        Answer answer;
        RowContext context{quick, data_, answer, workers};
        host_.run(row, context);
        return answer;
    }

    EngineHost& host_;
    RowData data_;
    std::set<std::pair<std::string, int>> warm_;
};

}  // namespace

int serve(EngineHost& host) {
    Server server(host);
    std::string line;
    while (std::getline(std::cin, line) && line != "quit") {
        std::istringstream words(line);
        std::string command;
        std::string rest;
        std::string row;
        std::string length;
        int workers = 0;
        words >> command;
        std::getline(words >> std::ws, rest);
        words = std::istringstream(rest);
        words >> row >> workers >> length;
        try {
            if (command == "run") {
                server.run(row, workers, length == "quick");
            } else if (command == "release") {
                server.release();
            } else if (command == "trace") {
                host.write_trace(rest);
                std::printf("done\n");
            } else {
                std::printf("error unknown request\n");
            }
        } catch (const std::exception& failure) {
            std::printf("error %s\n", failure.what());
        }
        std::fflush(stdout);
    }
    return 0;
}

}  // namespace quarry::bench
