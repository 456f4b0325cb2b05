// test_arena.c: memory that is freed all at once: its contract, to the byte.
// SPDX-License-Identifier: MIT

#include "core_help.h"

static tn_arena watched(meter *m, uint64_t limit)
{
    *m = (meter){0};
    tenon_allocator allocator = metered(m);
    return tn_arena_make(&allocator, limit);
}

static bool all_zero(const uint8_t *p, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (p[i] != 0) return false;
    return true;
}

// Whether the library was built so that every object is a separate allocation.
static bool is_debug_build(void)
{
    meter m;
    tn_arena arena = watched(&m, 1000);
    tn_arena_alloc(&arena, 1, 8, NULL);
    tn_arena_alloc(&arena, 1, 8, NULL);
    bool own = m.calls == 2;
    tn_arena_free(&arena);
    return own;
}

// -- Errors

TEST(a_failed_allocation_says_for_what)
{
    meter m;
    tenon_error err = {0};
    tn_arena arena = watched(&m, 1000);
    CHECK(tn_arena_alloc_or_fail(&arena, 10, 100, "bones", &err) != NULL);
    CHECK(err.code == TENON_OK);
    CHECK(tn_arena_alloc_or_fail(&arena, 1, 1, "one more bone", &err) == NULL);
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.message, "one more bone would exceed the memory limit of 1000 bytes");
    CHECK(tn_arena_alloc_or_fail(&arena, 1, 1, "one more bone", NULL) == NULL);
    tn_arena_free(&arena);

    arena = watched(&m, UINT64_MAX);
    m.fail_at = 1;
    CHECK(tn_arena_alloc_or_fail(&arena, 1, 1, "a name", &err) == NULL);
    CHECK(err.code == TENON_ERR_MEMORY);
    CHECK_STR(err.message, "out of memory for a name");
    CHECK(!tn_arena_fail(&arena, TN_OVER_LIMIT, "a name", &err));
    CHECK(err.code == TENON_ERR_LIMIT);
    CHECK_STR(err.message, "out of memory for a name");
    tn_arena_free(&arena);
}

// -- Objects

TEST(objects_are_zeroed_and_aligned_for_anything)
{
    meter m;
    tn_arena arena = watched(&m, 1 << 20);
    for (size_t size = 1; size < 300; size++) {
        tn_refusal why = TN_OVER_LIMIT;
        uint8_t *p = tn_arena_alloc(&arena, 1, size, &why);
        CHECK(p && why == TN_GRANTED);
        if (!p) break;
        CHECK((uintptr_t)p % _Alignof(max_align_t) == 0);
        CHECK(all_zero(p, size));
        memset(p, 0xFF, size);  // Must not change the neighbors, nor they this.
    }
    tn_arena_free(&arena);
}

TEST(memory_used_before_is_zeroed_again)
{
    meter m;
    tn_arena arena = watched(&m, 1 << 20);
    tn_arena_alloc(&arena, 1, 1, NULL);
    tn_mark mark = tn_arena_mark(&arena);
    for (int round = 0; round < 3; round++) {
        uint8_t *p = tn_arena_alloc(&arena, 3, 100, NULL);
        CHECK(p && all_zero(p, 300));
        if (p) memset(p, 0xFF, 300);
        tn_arena_rewind(&arena, mark);
    }
    tn_arena_free(&arena);
}

// What calloc() gives is not zeroed a second time, but what was used is.
TEST(memory_of_the_system_is_zeroed_as_well)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1 << 20);
    for (int round = 0; round < 4; round++) {
        size_t size = 1000 + 700 * (size_t)round;  // Partly where the last one was.
        tn_mark mark = tn_arena_mark(&arena);
        uint8_t *p = tn_arena_alloc(&arena, 1, size, NULL);
        uint8_t *behind = tn_arena_alloc(&arena, 1, 33, NULL);
        CHECK(p && behind && all_zero(p, size) && all_zero(behind, 33));
        if (p) memset(p, 0xFF, size);
        if (behind) memset(behind, 0xFF, 33);
        if (round != 1) tn_arena_rewind(&arena, mark);
    }
    tn_arena_free(&arena);
}

TEST(an_arena_that_holds_nothing_asks_for_nothing)
{
    meter m;
    tn_arena arena = watched(&m, 1000);
    tn_refusal why = TN_OVER_LIMIT;
    CHECK(tn_arena_alloc(&arena, 0, 16, &why) != NULL && why == TN_GRANTED);
    CHECK(tn_arena_alloc(&arena, 16, 0, NULL) != NULL);
    CHECK(tn_arena_alloc(&arena, 0, SIZE_MAX, NULL) != NULL);
    CHECK(arena.used == 0);
    tn_arena_rewind(&arena, tn_arena_mark(&arena));
    tn_arena_free(&arena);
    CHECK(m.calls == 0);
}

TEST(zero_objects_fit_even_in_a_full_arena)
{
    meter m;
    tn_arena arena = watched(&m, 0);
    CHECK(tn_arena_alloc(&arena, 0, 1, NULL) != NULL);
    CHECK(tn_arena_alloc(&arena, 1, 1, NULL) == NULL);
    tn_arena_free(&arena);
}

// -- Limits

TEST(the_limit_is_exact)
{
    meter m;
    tn_arena arena = watched(&m, 100);
    tn_refusal why;
    CHECK(tn_arena_alloc(&arena, 3, 20, &why) != NULL && arena.used == 60);
    CHECK(tn_arena_alloc(&arena, 41, 1, &why) == NULL && why == TN_OVER_LIMIT);
    CHECK(tn_arena_alloc(&arena, 2, 21, &why) == NULL && why == TN_OVER_LIMIT);
    CHECK(arena.used == 60);
    CHECK(tn_arena_alloc(&arena, 2, 20, &why) != NULL && why == TN_GRANTED);
    CHECK(arena.used == 100);
    CHECK(tn_arena_alloc(&arena, 1, 1, NULL) == NULL);
    tn_arena_free(&arena);
    CHECK(arena.used == 0);
}

TEST(what_is_over_the_limit_is_not_even_asked_for)
{
    meter m;
    tn_arena arena = watched(&m, 1000);
    tn_refusal why;
    CHECK(tn_arena_alloc(&arena, 1, 1001, &why) == NULL && why == TN_OVER_LIMIT);
    CHECK(m.calls == 0);
    tn_arena_free(&arena);
}

TEST(products_that_wrap_are_refused)
{
    static const struct {
        uint64_t count;
        size_t size;
    } asked[] = {
        {UINT64_MAX, 1},           {UINT64_MAX, SIZE_MAX}, {1, SIZE_MAX},
        {UINT64_MAX / 2 + 1, 2},   {UINT64_MAX / 8, 9},    {(uint64_t)1 << 32, (size_t)1 << 31},
        {UINT64_MAX / 16 + 2, 16},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        meter m;
        tn_arena arena = watched(&m, UINT64_MAX);
        m.fail_at = 1;  // Should the arena ask after all, it must not get that much.
        tn_refusal why = TN_GRANTED;
        CHECK(tn_arena_alloc(&arena, asked[i].count, asked[i].size, &why) == NULL);
        CHECK(why != TN_GRANTED && arena.used == 0);
        CHECK(m.calls == 0 || m.largest > UINT64_MAX / 4);  // Never a small block for a large size.
        tn_arena_free(&arena);
    }
}

TEST(out_of_memory_and_over_the_limit_differ_and_can_be_survived)
{
    meter m;
    tn_arena arena = watched(&m, 1 << 20);
    m.fail_at = 2;
    tn_refusal why;
    CHECK(tn_arena_alloc(&arena, 1, 100, &why) != NULL);
    CHECK(tn_arena_alloc(&arena, 1, 100000, &why) == NULL && why == TN_OUT_OF_MEMORY);
    CHECK(arena.used == 100);
    CHECK(tn_arena_alloc(&arena, 1, 100000, &why) != NULL && why == TN_GRANTED);
    CHECK(arena.used == 100100);
    tn_arena_free(&arena);
    CHECK(m.live_blocks == 0);
}

// -- Mark and rewind

TEST(rewinding_gives_back_what_came_after_the_mark)
{
    meter m;
    tn_arena arena = watched(&m, 10 << 20);
    uint32_t *kept = tn_arena_alloc(&arena, 10, sizeof *kept, NULL);
    CHECK(kept != NULL);
    if (!kept) return;
    kept[9] = 12345;
    tn_mark mark = tn_arena_mark(&arena);
    uint64_t bytes = m.live_bytes;
    for (uint32_t i = 0; i < 1000; i++) tn_arena_alloc(&arena, i, 10, NULL);
    CHECK(arena.used == 40 + 10 * 999 * 1000 / 2 && m.live_bytes > bytes);
    tn_arena_rewind(&arena, mark);
    CHECK(arena.used == 40 && m.live_bytes == bytes && kept[9] == 12345);
    tn_arena_free(&arena);
    CHECK(m.live_bytes == 0 && !m.wrong_size);
}

TEST(marks_nest_and_reach_back_to_the_empty_arena)
{
    meter m;
    tn_arena arena = watched(&m, 1 << 20);
    tn_mark empty = tn_arena_mark(&arena);
    tn_arena_alloc(&arena, 1, 5000, NULL);
    tn_mark outer = tn_arena_mark(&arena);
    tn_arena_alloc(&arena, 1, 6000, NULL);
    tn_mark inner = tn_arena_mark(&arena);
    tn_arena_alloc(&arena, 1, 7000, NULL);
    tn_arena_rewind(&arena, inner);
    CHECK(arena.used == 11000);
    tn_arena_rewind(&arena, inner);  // Nothing was allocated since.
    CHECK(arena.used == 11000);
    tn_arena_rewind(&arena, outer);
    CHECK(arena.used == 5000);
    tn_arena_rewind(&arena, empty);
    CHECK(arena.used == 0 && m.live_blocks == 0);
    CHECK(tn_arena_alloc(&arena, 1, 16, NULL) != NULL);
    tn_arena_free(&arena);
}

TEST(the_limit_counts_again_after_a_rewind)
{
    meter m;
    tn_arena arena = watched(&m, 64);
    tn_mark mark = tn_arena_mark(&arena);
    for (int round = 0; round < 100; round++) {
        CHECK(tn_arena_alloc(&arena, 1, 64, NULL) != NULL);
        CHECK(tn_arena_alloc(&arena, 1, 1, NULL) == NULL);
        tn_arena_rewind(&arena, mark);
    }
    tn_arena_free(&arena);
}

// -- Blocks

TEST(blocks_are_freed_with_the_size_they_were_made_with)
{
    meter m;
    tn_arena arena = watched(&m, 100 << 20);
    for (uint64_t size = 1; size < 3 << 20; size = size * 3 + 1)
        CHECK(tn_arena_alloc(&arena, 1, (size_t)size, NULL) != NULL);
    tn_arena_free(&arena);
    CHECK(m.live_blocks == 0 && m.live_bytes == 0 && !m.wrong_size);
    tn_arena_free(&arena);  // Freeing twice is freeing nothing.
}

TEST(small_objects_share_blocks)
{
    if (is_debug_build()) return;
    meter m;
    tn_arena arena = watched(&m, 100 << 20);
    for (int i = 0; i < 100000; i++) tn_arena_alloc(&arena, 1, 16, NULL);
    CHECK(m.calls < 20);
    CHECK(m.live_bytes < 2 * arena.used);
    tn_arena_free(&arena);
}

TEST(a_block_is_filled_to_its_last_byte)
{
    if (is_debug_build()) return;
    meter m;
    tn_arena arena = watched(&m, 100 << 20);
    for (int i = 0; i < 4096 / 16; i++) tn_arena_alloc(&arena, 1, 16, NULL);
    CHECK(m.calls == 1);
    tn_arena_alloc(&arena, 1, 1, NULL);
    CHECK(m.calls == 2);
    tn_arena_free(&arena);
}

TEST(small_objects_share_blocks_whatever_came_before)
{
    if (is_debug_build()) return;
    // Each of these is too large for the next block, and so gets a block of exactly its size.
    static const size_t before[] = {2000, 1008, 528, 272, 144, 80, 48};
    meter m;
    tn_arena arena = watched(&m, 100 << 20);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        tn_arena_alloc(&arena, 1, before[i], NULL);
    for (int i = 0; i < 100000; i++) tn_arena_alloc(&arena, 1, 48, NULL);
    CHECK(m.calls < 30);
    CHECK(m.live_bytes < 2 * arena.used);
    tn_arena_free(&arena);
}

TEST(in_a_debug_build_every_object_is_a_block_of_its_size)
{
    if (!is_debug_build()) return;
    meter m;
    tn_arena arena = watched(&m, 1 << 20);
    tn_arena_alloc(&arena, 1, 1, NULL);
    uint64_t head = m.live_bytes - 1;
    for (size_t size = 2; size < 100; size++) {
        uint64_t calls = m.calls, bytes = m.live_bytes;
        tn_arena_alloc(&arena, 1, size, NULL);
        CHECK(m.calls == calls + 1);
        CHECK(m.live_bytes == bytes + head + size);  // Not rounded up: the next byte is a fault.
    }
    tn_arena_free(&arena);
}

TEST(without_an_allocator_there_is_malloc)
{
    tn_arena arena = tn_arena_make(&(tenon_allocator){0}, 1000);
    uint8_t *p = tn_arena_alloc(&arena, 1, 1000, NULL);
    CHECK(p && all_zero(p, 1000));
    tn_arena_free(&arena);
    void *block = tn_block_alloc(&(tenon_allocator){0}, 10);
    CHECK(block != NULL);
    tn_block_free(&(tenon_allocator){0}, block, 10);
    tn_block_free(&(tenon_allocator){0}, NULL, 10);
}

static void *take_from_pool(void *user, size_t size)
{
    return size <= 4096 + 64 ? user : NULL;
}

TEST(an_allocator_need_not_free)
{
    static max_align_t pool[(4096 + 64) / sizeof(max_align_t)];
    tenon_allocator once = {.alloc = take_from_pool, .user = pool};
    tn_arena arena = tn_arena_make(&once, 1000);
    CHECK(tn_arena_alloc(&arena, 1, 100, NULL) != NULL);
    tn_arena_free(&arena);
}

int main(void)
{
    RUN(a_failed_allocation_says_for_what);
    RUN(objects_are_zeroed_and_aligned_for_anything);
    RUN(memory_used_before_is_zeroed_again);
    RUN(memory_of_the_system_is_zeroed_as_well);
    RUN(an_arena_that_holds_nothing_asks_for_nothing);
    RUN(zero_objects_fit_even_in_a_full_arena);
    RUN(the_limit_is_exact);
    RUN(what_is_over_the_limit_is_not_even_asked_for);
    RUN(products_that_wrap_are_refused);
    RUN(out_of_memory_and_over_the_limit_differ_and_can_be_survived);
    RUN(rewinding_gives_back_what_came_after_the_mark);
    RUN(marks_nest_and_reach_back_to_the_empty_arena);
    RUN(the_limit_counts_again_after_a_rewind);
    RUN(blocks_are_freed_with_the_size_they_were_made_with);
    RUN(small_objects_share_blocks);
    RUN(a_block_is_filled_to_its_last_byte);
    RUN(small_objects_share_blocks_whatever_came_before);
    RUN(in_a_debug_build_every_object_is_a_block_of_its_size);
    RUN(without_an_allocator_there_is_malloc);
    RUN(an_allocator_need_not_free);
    TEST_END();
}
