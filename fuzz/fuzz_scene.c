// fuzz_scene.c: what is accepted becomes a valid scene, can be posed at any time and written;
// memory stays within its limit.
// SPDX-License-Identifier: MIT
//
// With TENON_FUZZ_FORMAT=bmw in the environment every input is read as a BMW file.

#include "fuzz.h"

#define SCENE_MEMORY ((uint64_t)32 << 20)
#define MOST_MESHES  4  // Of each input, to be skinned.

// -- Writing

typedef struct sink {
    uint64_t size, open, ended;
} sink;

static bool begin(void *user, const char *name)
{
    sink *s = user;
    require(s->open == s->ended && name, "files are written one after the other", NULL);
    s->open++;
    return true;
}

static bool take(void *user, const void *bytes, size_t size)
{
    sink *s = user;
    require(s->open == s->ended + 1 && (bytes || !size), "bytes belong to a file", NULL);
    s->size += size;
    return true;
}

static bool end(void *user)
{
    ((sink *)user)->ended++;
    return true;
}

static void write_as(const tenon_scene *scene, const char *format)
{
    sink s = {0};
    tenon_error err;
    tenon_export_opts opts = {.format = format, .name = "x"};
    bool ok = tenon_export(scene, &opts, &(tenon_sink){begin, take, end, &s}, &err);
    require(ok || err.code == TENON_ERR_LIMIT || err.code == TENON_ERR_MEMORY, format, &err);
    require(!ok || (s.ended == s.open && s.ended > 0 && s.size > 0), "a file was written", &err);
}

// -- Posing

static void skin(const tenon_pose *pose, const tenon_scene *scene)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < scene->node_count && done < MOST_MESHES; i++) {
        if (scene->nodes[i].mesh == TENON_NONE) continue;
        const tenon_mesh *mesh = &scene->meshes[scene->nodes[i].mesh];
        for (uint32_t k = 0; k < mesh->primitive_count && done < MOST_MESHES; k++, done++) {
            size_t count = 3 * (size_t)mesh->primitives[k].vertex_count;
            float *positions = malloc((count + 1) * sizeof *positions);
            float *normals = malloc((count + 1) * sizeof *normals);
            if (positions && normals) tenon_pose_skin(pose, i, k, positions, normals);
            free(positions);
            free(normals);
        }
    }
}

static void play(const tenon_scene *scene)
{
    static const double shares[] = {-1, 0, 0.3, 1, 7};
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(scene, NULL, &err);
    require(pose != NULL, "a pose", &err);
    double low[3], high[3];
    skin(pose, scene);
    for (uint32_t i = 0; i < scene->animation_count && i < 3; i++)
        for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
            tenon_pose_set(pose, i, shares[k] * scene->animations[i].duration);
    skin(pose, scene);
    (void)tenon_pose_bounds(pose, low, high);
    for (uint32_t i = 0; i < scene->skin_count && i < MOST_MESHES; i++) {
        float *matrices = malloc((16 * (size_t)scene->skins[i].joint_count + 1) * sizeof *matrices);
        if (matrices) tenon_pose_palette(pose, i, matrices);
        free(matrices);
    }
    if (scene->node_count) require(tenon_pose_global(pose, 0) != NULL, "a matrix", NULL);
    // Hours of keys take a long time.
    if (scene->animation_count && scene->animations[0].duration < 60)
        (void)tenon_pose_clip_bounds(pose, 0, low, high);
    tenon_pose_free(pose);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tenon_error err;
    tenon_read_opts opts = {
        .max_memory = SCENE_MEMORY, .format = fuzzed_format(), .partial = size % 2 != 0};
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    if (!doc) return 0;
    tenon_scene_opts scene_opts = {.max_memory = SCENE_MEMORY};
    uint64_t start = fuzz_work;
    tenon_scene *scene = tenon_to_scene(doc, &scene_opts, &err);
    require_little_work(start, size, "making a scene");
    tenon_doc_free(doc);
    if (!scene) {
        require(err.code != TENON_OK && err.message[0], "a reason", &err);
        return 0;
    }
    require(tenon_scene_check(scene, &err), "the scene holds", &err);
    play(scene);
    write_as(scene, "glb");
    write_as(scene, "obj");
    tenon_scene_free(scene);
    return 0;
}
