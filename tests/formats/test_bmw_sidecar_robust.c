// test_bmw_sidecar_robust.c: the sidecar of BMW, damaged in every way, and without memory and
// files.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../faulty_files.h"
#include "../robust.h"
#include "../scratch.h"
#include "model_help.h"

#include <tenon/bmw.h>

#define MODEL "tests/fixtures/bmw/R4_full.bmw"

// Something of every kind; between the values all that people write there.
static const char whole[] = "{ \"who\": [null, {\"\\u00e4\": -1.5e3}],\n"
                            " \"defaultAnim\": \"w\\u0061lk\", \"rotation\": 90,\r\n"
                            "\t\"rotationAngle\": \"0 .5 -2.\", \"scale\":\"1 1 +1e1\",\n"
                            " \"translation\": \"0 0 7\",\n"
                            " \"clips\": [{\"name\": \"walk\", \"start\": 2, \"end\": 6.5,\n"
                            "   \"loop\": true, \"mode\": \"x\"},\n"
                            "  {\"file\": \"walk.bmw\", \"name\": \"run\", \"hold\": false}],\n"
                            " \"textureOverrides\": [{\"texture\": \"a.dds\"}]}\n";

#define WHOLE_SIZE (sizeof whole - 1)

// -- Damaged text

// What is accepted is written back byte for byte; what is refused has an offset.
static const char *fault_in_text(const char *text, size_t size)
{
    tenon_error err;
    tenon_bmw_sidecar *s = tenon_bmw_sidecar_read(text, size, NULL, &err);
    if (!s) return err.line && err.column ? fault_in_error(&err, size) : "there is no line";
    compared c = {.expected = (const uint8_t *)text, .size = size};
    bool ok = tenon_bmw_sidecar_write(s, compare_bytes, &c, &err);
    tenon_bmw_sidecar_free(s);
    return ok && c.at == size ? NULL : "it is not written back byte for byte";
}

// `head` bytes of the text, `middle_size` others, and the text from `tail` on.
static void judge(size_t head, const char *middle, size_t middle_size, size_t tail)
{
    size_t size = head + middle_size + (WHOLE_SIZE - tail);
    char *text = malloc(size ? size : 1);  // Exactly as large as it is, for sanitizers.
    if (!text) abort();
    memcpy(text, whole, head);
    memcpy(text + head, middle, middle_size);
    memcpy(text + head + middle_size, whole + tail, WHOLE_SIZE - tail);
    const char *fault = fault_in_text(text, size);
    if (fault) {
        fprintf(stderr, "at byte %zu, %zu others: %s\n", head, middle_size, fault);
        test_failures++;
    }
    free(text);
}

TEST(every_cut_is_refused)
{
    for (size_t size = 0; size < WHOLE_SIZE - 1; size++) {
        tenon_error err;
        judge(size, "", 0, WHOLE_SIZE);
        CHECK(!tenon_bmw_sidecar_read(whole, size, NULL, &err) && err.code == TENON_ERR_VALUE);
    }
    judge(WHOLE_SIZE, "", 0, WHOLE_SIZE);
}

TEST(every_byte_may_be_any_other)
{
    int step = ROBUST_SANITIZED ? 5 : 1;  // Sanitizers are slow.
    for (size_t at = 0; at < WHOLE_SIZE; at++)
        for (int value = 0; value < 256; value += step) judge(at, &(char){(char)value}, 1, at + 1);
}

TEST(every_byte_may_be_missing_or_twice)
{
    for (size_t at = 0; at < WHOLE_SIZE; at++) {
        judge(at, "", 0, at + 1);
        judge(at + 1, &whole[at], 1, at + 1);
    }
}

TEST(every_start_may_be_missing)
{
    for (size_t at = 1; at <= WHOLE_SIZE; at++) judge(0, "", 0, at);
}

// -- Without memory

// A step whose memory is the given one. Returns the code: MEMORY, or OK if it worked.
typedef tenon_code work_fn(robust_memory *memory);

// Every allocation fails once, then all of them from there on.
static void fail_every_allocation(work_fn *work, const char *what)
{
    uint64_t failed = 1;
    for (uint64_t i = 1; failed && !test_failures; i++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            robust_memory memory = {.fail_at = i, .for_ever = for_ever != 0};
            tenon_code code = work(&memory);
            failed = memory.failed_calls;
            const char *fault = fault_in_memory(&memory);
            if (!fault && code != (failed ? TENON_ERR_MEMORY : TENON_OK)) fault = "a wrong code";
            if (!fault) continue;
            fprintf(stderr, "%s, allocation %u: %s (%s)\n", what, (unsigned)i, fault,
                    tenon_code_word(code));
            test_failures++;
        }
}

static tenon_code read_it(robust_memory *memory)
{
    tenon_error err;
    const tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_bmw_sidecar *s = tenon_bmw_sidecar_read(whole, WHOLE_SIZE, &opts, &err);
    CHECK((s != NULL) == (err.code == TENON_OK));
    tenon_bmw_sidecar_free(s);
    return err.code;
}

enum { CLIPS = 200 };  // More than what is free after the text that was read.

// Only the writing is without memory.
static tenon_code write_it(robust_memory *memory)
{
    static tenon_bmw_clip clips[CLIPS];
    tenon_error err;
    robust_memory later = *memory;
    memory->fail_at = 0;
    const tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_bmw_sidecar *s = tenon_bmw_sidecar_read(whole, WHOLE_SIZE, &opts, &err);
    if (!s) return err.code;
    for (uint32_t i = 0; i < CLIPS; i++)
        clips[i] = (tenon_bmw_clip){.name = {"step", 4}, .has_range = true, .end = i};
    s->clips = clips;
    s->clip_count = CLIPS;
    memory->fail_at = memory->calls + later.fail_at;
    blob text = {0};
    tenon_bmw_sidecar_write(s, blob_add, &text, &err);
    CHECK(err.code == TENON_OK || text.size == 0);
    blob_free(&text);
    tenon_bmw_sidecar_free(s);
    return err.code;
}

// The model exists, and so does `walk.bmw`; only the check is without memory.
static tenon_code check_it(robust_memory *memory)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(MODEL, NULL, &err);
    if (!doc) return err.code;
    const tenon_check_opts opts = {.allocator = robust_allocator(memory),
                                   .model_path = scratch("model.bmw")};
    tenon_check(doc, &opts, NULL, NULL, NULL, &err);
    tenon_doc_free(doc);
    return err.code;
}

static tenon_code inform_it(robust_memory *memory)
{
    tenon_error err;
    tenon_info info;
    const tenon_read_opts opts = {.allocator = robust_allocator(memory)};
    tenon_doc *doc = tenon_read_file(MODEL, &opts, &err);
    if (!doc) return err.code;
    const tenon_info_opts wants = {.full = true, .model_path = scratch("model.bmw")};
    if (tenon_doc_info(doc, &wants, &info, &err)) tenon_info_free(&info);
    tenon_doc_free(doc);
    return err.code;
}

TEST(every_allocation_may_fail)
{
    fail_every_allocation(read_it, "reading");
    fail_every_allocation(write_it, "writing");
    fail_every_allocation(check_it, "checking");
    fail_every_allocation(inform_it, "informing");
}

TEST(a_limit_is_never_exceeded)
{
    unsigned refused = 0, done = 0;
    for (uint64_t limit = 1; limit < 16384; limit += 61) {
        tenon_error err;
        robust_memory memory = {0};
        const tenon_read_opts opts = {.allocator = robust_allocator(&memory), .max_memory = limit};
        tenon_bmw_sidecar *s = tenon_bmw_sidecar_read(whole, WHOLE_SIZE, &opts, &err);
        CHECK(s || err.code == TENON_ERR_LIMIT);
        refused += !s;
        done += s != NULL;
        tenon_bmw_sidecar_free(s);
        CHECK(fault_in_memory(&memory) == NULL && memory.peak <= robust_memory_most(limit));
    }
    CHECK(refused > 0 && done > 0);
}

// -- Without files

TEST(every_file_operation_may_fail)
{
    const char *model = scratch("model.bmw");
    unsigned failed = 1, reported = 0;
    for (unsigned i = 1; failed; i++) {
        faulty_files faulty;
        tenon_error err;
        faulty_begin(&faulty);
        faulty.fail_at = i;
        faulty.error = EIO;
        faulty.crumbs = i % 2 == 0;
        const tenon_read_opts opts = {.files = &faulty.files};
        tenon_bmw_sidecar *s = tenon_bmw_sidecar_beside(model, &opts, &err);
        failed = faulty.failed_calls;
        CHECK(s ? err.code == TENON_OK : failed > 0);
        reported += err.code == TENON_ERR_IO;
        CHECK(faulty.open_count == 0 && faulty.map_count == 0);
        tenon_bmw_sidecar_free(s);
    }
    CHECK(reported > 0);
}

int main(void)
{
    scratch_begin();
    blob walk = blob_load(MODEL);
    scratch_save("walk.bmw", walk.data, walk.size);
    scratch_save("model.json", whole, WHOLE_SIZE);
    blob_free(&walk);
    RUN(every_cut_is_refused);
    RUN(every_byte_may_be_any_other);
    RUN(every_byte_may_be_missing_or_twice);
    RUN(every_start_may_be_missing);
    RUN(every_allocation_may_fail);
    RUN(a_limit_is_never_exceeded);
    RUN(every_file_operation_may_fail);
    scratch_end();
    TEST_END();
}
