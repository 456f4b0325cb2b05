// test_guarded.c: bytes after the end of the streams of a scene, and after the end of a file, make
// no difference.
// SPDX-License-Identifier: MIT

#include "../formats/model_help.h"

#include <tenon/scene.h>

#define GUARD 256  // Bytes.

// Copies of streams, each followed by bytes that do not belong to it.
typedef struct guarded {
    void *blocks[4096];
    uint32_t count;
    int guard;
} guarded;

static void *guard_stream(guarded *g, const void *data, size_t size)
{
    if (!data) return NULL;
    uint8_t *copy = malloc(size + GUARD);
    if (!copy || g->count == sizeof g->blocks / sizeof g->blocks[0]) abort();
    memcpy(copy, data, size);
    memset(copy + size, g->guard, GUARD);
    return g->blocks[g->count++] = copy;
}

static void guard_floats(guarded *g, float **data, uint64_t count)
{
    *data = guard_stream(g, *data, (size_t)count * sizeof **data);
}

static void guard_primitive(guarded *g, tenon_primitive *p)
{
    uint64_t count = p->vertex_count;
    guard_floats(g, &p->positions, 3 * count);
    guard_floats(g, &p->normals, 3 * count);
    guard_floats(g, &p->tangents, 4 * count);
    for (int i = 0; i < TENON_UV_SETS; i++) guard_floats(g, &p->uvs[i], 2 * count);
    for (int i = 0; i < TENON_COLOR_SETS; i++) guard_floats(g, &p->colors[i], 4 * count);
    guard_floats(g, &p->weights, p->influence_count * count);
    p->joints = guard_stream(g, p->joints, p->influence_count * (size_t)count * sizeof *p->joints);
    p->indices = guard_stream(g, p->indices, p->index_count * sizeof *p->indices);
}

static void guard_scene(guarded *g, tenon_scene *s)
{
    for (uint32_t i = 0; i < s->mesh_count; i++)
        for (uint32_t k = 0; k < s->meshes[i].primitive_count; k++)
            guard_primitive(g, &s->meshes[i].primitives[k]);
    for (uint32_t i = 0; i < s->skin_count; i++) {
        tenon_skin *skin = &s->skins[i];
        skin->joints = guard_stream(g, skin->joints, skin->joint_count * sizeof *skin->joints);
        guard_floats(g, &skin->inverse_binds, 16 * (uint64_t)skin->joint_count);
    }
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < s->animations[i].channel_count; k++) {
            tenon_channel *c = &s->animations[i].channels[k];
            uint32_t each = c->target == TENON_ROTATION ? 4 : 3;
            guard_floats(g, &c->times, c->key_count);
            guard_floats(g, &c->values,
                         (uint64_t)each * c->key_count * (c->curve == TENON_CUBIC ? 3 : 1));
        }
    s->nodes = guard_stream(g, s->nodes, s->node_count * sizeof *s->nodes);
}

// -- What is made of it

static bool begin_file(void *user, const char *name)
{
    return blob_add(user, name, strlen(name) + 1);
}

static bool end_file(void *user)
{
    return blob_add(user, "end", 4);
}

static void note_loss(void *user, const tenon_loss *loss)
{
    char text[300];
    int size = snprintf(text, sizeof text, "%s %s %" PRIu64 " %g\n", tenon_loss_word(loss->kind),
                        loss->feature, loss->count, loss->error);
    blob_add(user, text, (size_t)size);
}

// All files of a scene and all losses, one after the other.
static blob written(const tenon_scene *scene, const char *format)
{
    blob out = {0};
    tenon_error err;
    tenon_sink sink = {begin_file, blob_add, end_file, &out};
    tenon_export_opts opts = {.format = format, .events = {.user = &out, .on_loss = note_loss}};
    if (!tenon_export(scene, &opts, &sink, &err)) {
        fprintf(stderr, "%s: %s\n", format, err.message);
        test_failures++;
    }
    return out;
}

static tenon_scene *scene_of(const char *path)
{
    tenon_doc *doc = tenon_read_file(path, NULL, NULL);
    tenon_scene *scene = doc ? tenon_to_scene(doc, NULL, NULL) : NULL;
    tenon_doc_free(doc);
    if (!scene) exit(1);
    return scene;
}

static const char *const formats[] = {"bbmod", "gpb",  "bmw", "cea", "cem",
                                      "bplx",  "gltf", "glb", "obj"};

static void write_guarded(const char *path, const char *format)
{
    static const int guards[] = {0, 0x4b, 0xff};  // Numbers: 0, 13323083, NaN.
    blob first = {0};
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        static guarded g;
        g = (guarded){.guard = guards[i]};
        tenon_scene *scene = scene_of(path);
        guard_scene(&g, scene);
        blob out = written(scene, format);
        CHECK(out.size > 0);
        if (i == 0) {
            first = out;
        } else {
            if (!blob_same(&first, &out)) fprintf(stderr, "%s as %s\n", path, format);
            CHECK(blob_same(&first, &out));
            blob_free(&out);
        }
        tenon_scene_free(scene);
        for (uint32_t k = 0; k < g.count; k++) free(g.blocks[k]);
    }
    blob_free(&first);
}

TEST(nothing_after_the_end_of_a_stream_is_written)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        write_guarded("samples/crane.glb", formats[i]);
        write_guarded("samples/crane.gpb", formats[i]);
        write_guarded("samples/crane.bplx", formats[i]);
    }
}

int main(void)
{
    RUN(nothing_after_the_end_of_a_stream_is_written);
    TEST_END();
}
