// test_prepare.c: scenes prepared for the requirements of formats.
// SPDX-License-Identifier: MIT

#include "exchange/prepare.h"
#include "gltf_random.h"
#include "hand_scene.h"
#include "scene/model/pieces.h"

static char reported[1024];

static void note_loss(void *user, const tenon_loss *loss)
{
    size_t n = strlen(reported);
    (void)user;
    snprintf(reported + n, sizeof reported - n, "%s %s %u at %s; ", tenon_loss_word(loss->kind),
             loss->feature, (unsigned)loss->count, loss->path ? loss->path : "-");
}

static const tenon_export_opts opts = {.events.on_loss = note_loss};
static tn_arena arena;
static tenon_error err;

// Prepare a scene; ended by finish().
static const tenon_scene *prepare(const tenon_scene *scene, uint32_t needs, uint64_t limit)
{
    reported[0] = '\0';
    tn_error_clear(&err);
    arena = tn_arena_make(&(tenon_allocator){0}, limit);
    tn_export_state state = {.pulse = {.events = &opts.events}};
    tn_export e = {.scene = scene, .opts = &opts, .arena = &arena, .err = &err, .state = &state};
    return tn_prepare(&e, needs);
}

static void finish(void)
{
    tn_arena_free(&arena);
}

static float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};

TEST(a_scene_that_lacks_nothing_is_not_copied)
{
    hand h;
    uint32_t indices[] = {0, 1, 2, 0, 2, 3};
    hand_begin(&h);
    tenon_primitive *p = hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), square, 4);
    p->indices = indices, p->index_count = 6;
    const tenon_scene *out = prepare(&h.scene, TN_NEEDS_TRIANGLES | TN_NEEDS_INDICES, UINT64_MAX);
    CHECK(out && out != &h.scene && out->nodes == h.scene.nodes);
    CHECK(out->meshes[0].primitives[0].positions == square);
    CHECK(out->meshes[0].primitives[0].indices == indices);
    CHECK_STR(reported, "");
    finish();
}

TEST(everything_a_format_may_need_is_generated)
{
    hand h;
    hand_begin(&h);
    tenon_primitive *p = hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), square, 4);
    p->mode = TENON_TRIANGLE_FAN;
    const tenon_scene *out = prepare(&h.scene, TN_NEEDS_ALL, UINT64_MAX);
    const tenon_primitive *q = &out->meshes[0].primitives[0];
    CHECK(q->mode == TENON_TRIANGLES && q->index_count == 6 && q->indices[5] == 3);
    CHECK(hand_at(q->normals, 0, 0, 1) && hand_at(q->tangents, 1, 0, 0) && q->tangents[3] == 1);
    CHECK(q->uvs[0][0] == 0 && q->uvs[0][1] == 1);
    CHECK_STR(reported, "synthesized normals 4 at meshes[0].primitives[0]; "
                        "synthesized texture coordinates 4 at meshes[0].primitives[0]; "
                        "synthesized tangents 4 at meshes[0].primitives[0]; ");
    CHECK(!p->normals && !p->indices && p->mode == TENON_TRIANGLE_FAN);  // The source stays.
    finish();
}

TEST(coordinates_without_tangents_are_zero)
{
    hand h;
    hand_begin(&h);
    (void)hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), square, 3);
    const tenon_scene *out = prepare(&h.scene, TN_NEEDS_UVS, UINT64_MAX);
    for (int i = 0; i < 6; i++) CHECK(out->meshes[0].primitives[0].uvs[0][i] == 0);
    CHECK_STR(reported, "defaulted texture coordinates 3 at meshes[0].primitives[0]; ");
    finish();
}

// Points and lines are dropped, reported once each; their mesh stays, so that indices stay right.
TEST(points_and_lines_are_dropped)
{
    hand h;
    hand_begin(&h);
    static const tenon_mode modes[] = {TENON_POINTS, TENON_LINES, TENON_LINE_LOOP, TENON_LINE_STRIP,
                                       TENON_TRIANGLES};
    for (int i = 0; i < 5; i++)
        hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), square, 4)->mode = modes[i];
    const tenon_scene *out = prepare(&h.scene, TN_NEEDS_TRIANGLES, UINT64_MAX);
    CHECK(out->mesh_count == 5 && out->meshes[3].primitive_count == 0);
    CHECK(out->meshes[4].primitive_count == 1);
    CHECK(out->meshes[4].primitives[0].vertex_count == 3);  // The remainder makes no triangle.
    CHECK_STR(reported, "dropped points 4 at meshes[0].primitives[0]; "
                        "dropped lines 9 at meshes[1].primitives[0]; "
                        "dropped vertices 1 at meshes[4].primitives[0]; ");
    finish();
}

// Tangents are generated once for vertices that become one.
TEST(lists_without_indices_are_welded)
{
    float points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    float uvs[] = {0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0};
    hand h;
    hand_begin(&h);
    hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), points, 6)->uvs[0] = uvs;
    const tenon_scene *out = prepare(&h.scene, TN_NEEDS_ALL, UINT64_MAX);
    const tenon_primitive *q = &out->meshes[0].primitives[0];
    CHECK(q->vertex_count == 4 && q->index_count == 6);
    for (int i = 0; i < 4; i++) CHECK(hand_at(q->tangents + 4 * i, 1, 0, 0));
    CHECK_STR(reported, "synthesized normals 6 at meshes[0].primitives[0]; "
                        "synthesized tangents 4 at meshes[0].primitives[0]; ");
    finish();
}

static bool has_needs(const tenon_primitive *p, uint32_t needs)
{
    if (needs & TN_NEEDS_TRIANGLES &&
        (p->mode != TENON_TRIANGLES || (p->indices ? p->index_count : p->vertex_count) % 3))
        return false;
    if (needs & TN_NEEDS_INDICES && !p->indices) return false;
    if (needs & TN_NEEDS_NORMALS && !p->normals) return false;
    if (needs & TN_NEEDS_UVS && !p->uvs[0]) return false;
    return !(needs & TN_NEEDS_TANGENTS) || p->tangents || !p->uvs[0];
}

// Whether the triangles are where they were.
static bool are_same_faces(const tenon_primitive *a, const tenon_primitive *b)
{
    uint64_t k = 0, count = tn_piece_count(b);
    for (uint64_t i = 0; i < tn_piece_count(a); i++) {
        uint32_t v[3], w[3];
        tn_piece_at(a, i, v);
        if (a->mode != TENON_TRIANGLES && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])) continue;
        if (k == count) return false;
        tn_piece_at(b, k++, w);
        for (int c = 0; c < 3; c++)
            if (memcmp(a->positions + 3 * v[c], b->positions + 3 * w[c], 12) != 0) return false;
    }
    return k == count;
}

TEST(random_scenes_stay_valid_and_keep_their_triangles)
{
    for (uint32_t seed = 0; seed < 2000; seed++) {
        tn_scene_builder b;
        scene_begin(&b);
        make_random(&b, seed, false);
        uint32_t needs = TN_NEEDS_TRIANGLES | seed % 32;
        const tenon_scene *out = prepare(b.scene, needs, UINT64_MAX);
        CHECK(out != NULL);
        CHECK(tenon_scene_check(out, &err));
        for (uint32_t i = 0; i < out->mesh_count; i++) {
            uint32_t at = 0;
            for (uint32_t k = 0; k < b.scene->meshes[i].primitive_count; k++) {
                const tenon_primitive *p = &b.scene->meshes[i].primitives[k];
                if (p->mode < TENON_TRIANGLES) continue;
                const tenon_primitive *q = &out->meshes[i].primitives[at++];
                CHECK(has_needs(q, needs) && are_same_faces(p, q));
            }
            CHECK(at == out->meshes[i].primitive_count);
        }
        finish();
        scene_end(&b);
    }
}

TEST(without_memory_there_is_an_error)
{
    hand h;
    hand_begin(&h);
    (void)hand_mesh(&h, "m", hand_node(&h, "n", TENON_NONE), square, 3);
    bool is_made = false;
    for (uint64_t limit = 0; limit < 8192 && !is_made; limit += 16) {
        is_made = prepare(&h.scene, TN_NEEDS_ALL, limit) != NULL;
        CHECK(is_made || err.code == TENON_ERR_LIMIT || err.code == TENON_ERR_MEMORY);
        CHECK(is_made || reported[0] == '\0');
        finish();
    }
    CHECK(is_made);
}

int main(void)
{
    RUN(a_scene_that_lacks_nothing_is_not_copied);
    RUN(everything_a_format_may_need_is_generated);
    RUN(coordinates_without_tangents_are_zero);
    RUN(points_and_lines_are_dropped);
    RUN(lists_without_indices_are_welded);
    RUN(random_scenes_stay_valid_and_keep_their_triangles);
    RUN(without_memory_there_is_an_error);
    TEST_END();
}
