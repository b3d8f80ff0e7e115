#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

// What the compiler says to wrong uses: one line that names the mistake, first of all.

namespace quarry {
namespace {

struct Compiled {
    std::vector<std::string> errors;  // one line each
    std::size_t lines = 0;
};

class Misuse : public testing::Test {
  protected:
    static Compiled compile(const std::string& code, const std::string& standard = "c++20") {
        const std::string name = testing::TempDir() + "/quarry_misuse." + std::to_string(getpid()) + ".cpp";
        std::ofstream(name) << code;
        // The standard library's long types are of no interest here.
        const std::string command =
            QUARRY_COMPILER " -std=" + standard + " -fsyntax-only -I" QUARRY_INCLUDE " " + name + " 2>&1";
        std::FILE* const output = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a compiler is what is tested
        if (output == nullptr) return {};
        std::string text;
        char buffer[4096];
        for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, output)) > 0;)
            text.append(buffer, count);
        pclose(output);
        std::remove(name.c_str());
        Compiled compiled;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line); ++compiled.lines) {
            if (line.find("error: ") != std::string::npos) compiled.errors.push_back(line);
        }
        return compiled;
    }

    // The first error is the one that helps, and not many follow.
    static void expect_said(const std::string& code, const std::string& said) {
        const Compiled compiled = compile(code);
        ASSERT_FALSE(compiled.errors.empty()) << "it compiles";
        EXPECT_NE(compiled.errors[0].find(said), std::string::npos) << compiled.errors[0];
        EXPECT_LE(compiled.errors.size(), 2u) << compiled.errors[1];
        EXPECT_LE(compiled.lines, 40u);
    }
};

constexpr const char* kFixed = R"(
struct Fixed {
    Fixed() = default;
    Fixed(Fixed&&) = delete;
};
)";

TEST_F(Misuse, RightUsesCompileWithThePoolsHeaderAlone) {
    const Compiled compiled = compile(R"(
#include <quarry/jobs/pool.hpp>
struct Body {
    void operator()(quarry::Scope& scope) const { scope.spawn([] {}); }
};
void use(quarry::Pool& pool) {
    try {
        pool.scope([](quarry::Scope& scope) { (void)scope.spawn([] { return 1; }); });
        pool.scope(Body{});
        pool.scope(Body{}, quarry::ScopeOptions{});
        auto [a, b] = pool.join([] { return 1; }, [] {});
        int c = pool.submit([a = a] { return a; }).get();
        (void)b, (void)c, (void)pool.try_submit([] {});
        pool.run_host_jobs();
        (void)pool.stats().total.executed();
    } catch (const quarry::Cancelled&) {
    } catch (const quarry::Error&) {
    }
}
)");
    EXPECT_TRUE(compiled.errors.empty()) << compiled.errors[0];
    EXPECT_EQ(compiled.lines, 0u);
}

TEST_F(Misuse, MapOfAFunctionThatReturnsNothing) {
    expect_said(R"(
#include <vector>
#include <quarry/quarry.hpp>
void use(quarry::Pool& pool, std::vector<int> numbers) {
    quarry::parallel_map(pool, numbers, [](int) {});
}
)",
                "parallel_map: the function returns nothing; use parallel_for");
}

TEST_F(Misuse, JoinOfAResultThatCanNotBeMoved) {
    for (const char* join : {"quarry::join", "pool.join"}) {
        expect_said(std::string("#include <quarry/quarry.hpp>\n") + kFixed +
                        "void use(quarry::Pool& pool) { (void)pool; " + join +
                        "([] { return Fixed(); }, [] { return 1; }); }\n",
                    "join: a result can neither be moved nor copied");
    }
}

TEST_F(Misuse, JoinOfAFunctionThatNeedsAnArgument) {
    expect_said("#include <quarry/quarry.hpp>\nvoid use() { quarry::join([](int) {}, [] {}); }\n",
                "join: both functions must be callable without arguments");
}

TEST_F(Misuse, SubmitOfAResultThatCanNotBeMoved) {
    expect_said(std::string("#include <quarry/quarry.hpp>\n") + kFixed +
                    "void use(quarry::Pool& pool) { pool.submit([] { return Fixed(); }); }\n",
                "Pool::submit: the result can neither be moved nor copied");
}

TEST_F(Misuse, ReduceOfAnotherType) {
    expect_said(R"(
#include <string>
#include <quarry/quarry.hpp>
void use(quarry::Pool& pool) {
    quarry::parallel_reduce(pool, 0, 10, std::string(), [](int i) { return &i; }, [](std::string a, std::string b) { return a + b; });
}
)",
                "parallel_reduce: map(index) must give what identity is");
    expect_said(R"(
#include <string>
#include <quarry/quarry.hpp>
void use(quarry::Pool& pool) {
    quarry::parallel_reduce(pool, 0, 10, 0, [](int i) { return i; }, [](std::string a, std::string b) { return a + b; });
}
)",
                "parallel_reduce: combine must take two of what identity is");
}

TEST_F(Misuse, OlderStandards) {
    for (const char* header : {"quarry.hpp", "jobs/pool.hpp", "frame/inbox.hpp", "terrain/mesh.hpp", "jobs/lane.hpp"}) {
        const Compiled compiled = compile("#include <quarry/" + std::string(header) + ">\n", "c++17");
        ASSERT_FALSE(compiled.errors.empty()) << header;
        EXPECT_NE(compiled.errors[0].find("Quarry needs C++20"), std::string::npos) << compiled.errors[0];
    }
}

}  // namespace
}  // namespace quarry
