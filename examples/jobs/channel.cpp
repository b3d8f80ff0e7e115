// A channel carries values from one thread to another. The sender waits while the receiver is slow.
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <quarry/jobs/channel.hpp>

int main() {
    std::size_t letters = 0;
    // [begin docs]
    quarry::Channel<std::string> lines(64);  // at most 64 lines wait

    std::jthread reader([&] {
        for (int i = 0; i < 1000; ++i) lines.send("line " + std::to_string(i));  // waits while the channel is full
        lines.close();                                                           // loses nothing that was sent
    });

    while (std::optional<std::string> line = lines.receive()) letters += line->size();  // ends when all has arrived
    // [end docs]
    reader.join();

    // [begin try]
    std::string late = "one more";
    const quarry::SendStatus status = lines.try_send(std::move(late));
    const bool kept = status != quarry::SendStatus::sent;  // full or closed: `late` still has its text
    // [end try]
    std::printf("%zu letters, and \"%s\" stayed here\n", letters, late.c_str());  // NOLINT: it was not moved from
    return letters == 7890 && kept && late == "one more" ? 0 : 1;
}
