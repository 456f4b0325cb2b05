// test_bbmod_import_frames.c: frames converted in large blocks give the results of small blocks.
// SPDX-License-Identifier: MIT

#include "bbmod_import_help.h"

#define FRAMES 53  // More than a block, and not a multiple of one.
#define FEW    5   // Less than a block.
#define NODES  5
#define ROW    (8 * NODES)

static float frames[FRAMES][ROW];

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Rows of any length; and some of length 0, in separate frames.
static void fill_frames(void)
{
    static const float odd[] = {0, INFINITY, NAN, 1e-30f, 3e38f, -0.0f};
    uint32_t state = 7;
    for (uint32_t i = 0; i < FRAMES; i++)
        for (uint32_t k = 0; k < ROW; k++)
            frames[i][k] = (float)((int)(next_random(&state) % 4001) - 2000) / 1000;
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t k = 0; k < (i == 1 ? 1 : 8); k++) frames[20 + 2 * i][8 + k] = odd[i];
}

// The scene of an arm with `count` frames from `first` on.
static bbmod_made make_frames(uint32_t first, uint32_t count)
{
    bbmod_made m = open_model(MODELS "3.4_skinned.bbmod");
    add_clip(&m, ANIMATIONS "3.4_spaces_1.bbanim");
    tenon_span *span = &tenon_as_bbanim(m.clips[0])->frames;
    CHECK(span->layout->stride == sizeof frames[0] && !span->big_endian);
    span->data = (const uint8_t *)frames[first];
    span->count = count;
    span->size = count * sizeof frames[0];
    make(&m);
    return m;
}

static bool same_keys(const tenon_channel *all, const tenon_channel *few, uint32_t first)
{
    size_t each = all->target == TENON_ROTATION ? 4 : 3;
    return all->node == few->node && all->target == few->target && few->key_count == FEW &&
           memcmp(all->values + each * first, few->values, FEW * each * sizeof(float)) == 0;
}

static bool host_is_little(void)
{
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    return low == 1;
}

// -- Tests

TEST(many_frames_give_what_few_give)
{
    fill_frames();
    bbmod_made all = make_frames(0, FRAMES);
    const tenon_animation *a = &all.scene->animations[0];
    CHECK(a->channel_count == 2 * NODES && a->channels[0].key_count == FRAMES);
    for (uint32_t first = 0; first + FEW <= FRAMES; first++) {
        bbmod_made few = make_frames(first, FEW);
        const tenon_animation *b = &few.scene->animations[0];
        CHECK(b->channel_count == a->channel_count);
        for (uint32_t i = 0; i < a->channel_count; i++)
            CHECK(same_keys(&a->channels[i], &b->channels[i], first));
        made_free(&few);
    }
    made_free(&all);
}

int main(void)
{
    if (!host_is_little()) {
        printf("skipped: the frames of this test are in the order of little-endian machines\n");
        return 77;
    }
    RUN(many_frames_give_what_few_give);
    TEST_END();
}
