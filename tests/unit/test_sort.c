// test_sort.c: sorting is right, stable, and the same whatever the length.
// SPDX-License-Identifier: MIT

#include "../test.h"
#include "core/math/sort.h"

#define MOST 257

static bool is_less(const void *context, uint32_t a, uint32_t b)
{
    const uint8_t *keys = context;
    return keys[a] < keys[b];
}

// Every length up to MOST, with keys that repeat.
TEST(items_are_sorted_and_equal_ones_keep_their_order)
{
    uint8_t keys[MOST] = {0};
    uint32_t items[MOST], spare[MOST];
    for (uint32_t count = 0; count <= MOST; count++) {
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (uint8_t)(i * 2654435761u >> 28);
            items[i] = i;
        }
        tn_sort(items, spare, count, is_less, keys);
        bool is_permutation = true;
        bool seen[MOST] = {false};
        for (uint32_t i = 0; i < count; i++) {
            is_permutation = is_permutation && items[i] < count && !seen[items[i]];
            seen[items[i]] = true;
        }
        CHECK(is_permutation);
        for (uint32_t i = 1; i < count; i++) {
            uint32_t a = items[i - 1], b = items[i];
            CHECK(keys[a] < keys[b] || (keys[a] == keys[b] && a < b));
        }
    }
}

TEST(only_the_items_given_are_sorted)
{
    const uint8_t keys[] = {9, 3, 5, 1};
    uint32_t items[] = {2, 0, 3}, spare[3];
    tn_sort(items, spare, 3, is_less, keys);
    CHECK(items[0] == 3 && items[1] == 2 && items[2] == 0);
}

int main(void)
{
    RUN(items_are_sorted_and_equal_ones_keep_their_order);
    RUN(only_the_items_given_are_sorted);
    TEST_END();
}
