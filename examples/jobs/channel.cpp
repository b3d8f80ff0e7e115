// A channel carries values from the threads that make them to those that use them, and holds the makers back when the
// users are slow.
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
    switch (lines.try_send(std::move(late))) {
        case quarry::SendStatus::sent:
            break;
        case quarry::SendStatus::full:
            break;  // `late` still has its text: keep it for the next frame
        case quarry::SendStatus::closed:
            break;  // and here too
    }
    // [end try]
    std::printf("%zu letters, and \"%s\" stayed here\n", letters, late.c_str());
    return letters == 7890 && late == "one more" ? 0 : 1;
}
