// test_surface_flood.c: equal vertices are found, and fast, even if all have the same hash.
// SPDX-License-Identifier: MIT

#include "scene/surface/surface_weld.c"  // For its hash.

#include "../test.h"

#define COUNT 2000
#define ROOM  4096  // Slots of a table for so many.

static uint32_t words[COUNT][3], first[COUNT], expected[COUNT];

static const tn_stream stream = {words, 3};
static const tn_key_layout layout = {1, &stream, false};

static tn_arena memory(void)
{
    return tn_arena_make(&(tenon_allocator){0}, UINT64_MAX);
}

// All have the first slot; every seventh occurs again later.
static void make_flood(void)
{
    uint32_t try = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % 7 == 6) {
            memcpy(words[i], words[i / 2], sizeof words[i]);
            continue;
        }
        do {
            words[i][0] = ++try, words[i][1] = i, words[i][2] = 0;
        } while ((surface_weld_hash_of(&layout, i) & (ROOM - 1)) != 0);
    }
}

static void make_usual(void)
{
    for (uint32_t i = 0; i < COUNT; i++)
        words[i][0] = i * 2654435761u >> 22, words[i][1] = i % 3, words[i][2] = 7;
}

static void find_slowly(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        expected[i] = 0;
        while (!surface_weld_is_equal(&layout, expected[i], i)) expected[i]++;
    }
}

static bool is_found(void)
{
    return memcmp(first, expected, sizeof first) == 0;
}

TEST(a_flood_is_noticed_and_equal_vertices_are_still_found)
{
    tn_arena work = memory();
    bool is_given_up = false;
    make_flood();
    find_slowly();
    CHECK(surface_weld_find_equal_by_hashing(&layout, COUNT, &work, NULL, first, &is_given_up) &&
          is_given_up);
    memset(first, 0, sizeof first);
    CHECK(tn_find_equal(&layout, COUNT, &work, NULL, first) && is_found());
    CHECK(work.used > 0);  // The table of the first call; the second has left nothing.
    tn_arena_free(&work);
}

TEST(usual_vertices_need_no_sorting_but_it_finds_the_same)
{
    tn_arena work = memory();
    bool is_given_up = true;
    make_usual();
    find_slowly();
    CHECK(surface_weld_find_equal_by_hashing(&layout, COUNT, &work, NULL, first, &is_given_up) &&
          !is_given_up && is_found());
    memset(first, 0, sizeof first);
    CHECK(surface_weld_find_equal_by_sorting(&layout, COUNT, &work, first) && is_found());
    tn_arena_free(&work);
}

TEST(a_flood_without_memory_for_sorting_fails)
{
    make_flood();
    bool ok = false, was_refused = false;
    for (uint64_t limit = 1024; !ok; limit += 1024) {
        tn_arena work = tn_arena_make(&(tenon_allocator){0}, limit);
        ok = tn_find_equal(&layout, COUNT, &work, NULL, first);
        was_refused = was_refused || !ok;
        CHECK(work.used == 0);
        tn_arena_free(&work);
    }
    CHECK(was_refused);
}

static bool say_stop(void *user, uint64_t done, uint64_t total)
{
    uint32_t *calls = user;
    (void)done, (void)total;
    ++*calls;
    return false;
}

TEST(a_pulse_calls_once_in_so_many_items_and_not_after_a_cancel)
{
    uint32_t calls = 0;
    tenon_events events = {.user = &calls, .on_progress = say_stop};
    tn_pulse pulse = {.events = &events};
    for (uint32_t i = 0; i + 1 < TN_PULSE_STEPS; i++) CHECK(tn_goes_on(&pulse, 1));
    CHECK(calls == 0);
    CHECK(!tn_goes_on(&pulse, 1) && calls == 1 && pulse.stopped);
    CHECK(!tn_pulse_report(&pulse, 1, 2) && calls == 1);
    CHECK(tn_goes_on(NULL, TN_PULSE_STEPS));
}

int main(void)
{
    RUN(a_flood_is_noticed_and_equal_vertices_are_still_found);
    RUN(usual_vertices_need_no_sorting_but_it_finds_the_same);
    RUN(a_flood_without_memory_for_sorting_fails);
    RUN(a_pulse_calls_once_in_so_many_items_and_not_after_a_cancel);
    TEST_END();
}
