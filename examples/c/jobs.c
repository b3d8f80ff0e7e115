/* The host and its workers in one program: started with the word "worker" it serves. C99. */
#include <quarry/c.h>
#include <stdio.h>
#include <string.h>

/* [begin worker] */
static int serve(void) {
    static const char* const names[] = {"square"};
    quarry_worker* worker = quarry_worker_open();
    if (worker == NULL || quarry_worker_ready(worker, names, 1) != QUARRY_OK) return 1;
    quarry_job job;
    while (quarry_worker_take(worker, INT64_MAX, &job) == QUARRY_OK) {
        int number = 0;
        if (job.length != sizeof number) {
            quarry_worker_fail(worker, "square takes one int", NULL);
            continue;
        }
        memcpy(&number, job.payload, sizeof number);
        number *= number;
        memcpy(quarry_worker_reply(worker, sizeof number), &number, sizeof number);
        quarry_worker_finish(worker);
    }
    quarry_worker_close(worker);
    return 0;
}
/* [end worker] */

/* [begin host] */
static int run(const char* program) {
    const char* const command[] = {program, "worker", NULL};
    quarry_engine_options options;
    quarry_engine_options_init(&options);
    options.workers = 2;
    options.command = command;
    quarry_engine* engine = quarry_engine_new(&options);
    if (engine == NULL) {
        fprintf(stderr, "%s\n", quarry_last_error());
        return 1;
    }
    for (int i = 1; i <= 10; ++i) {
        uint64_t id = 0;
        if (quarry_engine_submit(engine, "square", &i, sizeof i, NULL, &id, NULL) != QUARRY_OK) {
            fprintf(stderr, "%s\n", quarry_last_error());
        }
    }
    quarry_engine_drain(engine, quarry_now_ns() + 10000000000);

    int sum = 0;
    size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine, SIZE_MAX, -1, &count);
    const quarry_result* each = quarry_results_get(results);
    for (size_t i = 0; i < count; ++i) {
        int square = 0;
        if (each[i].status != QUARRY_STATUS_OK) continue;
        memcpy(&square, each[i].payload, sizeof square);
        sum += square;
    }
    quarry_results_free(results);
    quarry_engine_free(engine);
    printf("%zu results, sum %d\n", count, sum); /* 10 results, sum 385 */
    return sum == 385 ? 0 : 1;
}
/* [end host] */

int main(int count, char** words) {
    return count > 1 && strcmp(words[1], "worker") == 0 ? serve() : run(words[0]);
}
