// import_main.c: tenon-import: reads a model through Assimp and writes it as GLB.
// SPDX-License-Identifier: MIT
//
// Assimp may crash on a damaged file, want all memory there is, or be taken over. So this is a
// separate program: tenon starts it with limits, it locks itself down before it reads the first
// byte, and its result is read like any other file.

#include "../cli/system/sanitizer.h"
#include "scene/import.h"
#include "system/import_files.h"
#include "system/import_pipe.h"
#include "system/import_sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>

#define SCENE_MEMORY ((uint64_t)1 << 40)  // The limit of the process counts.
#define PART_SIZE    65536                // Bytes of the result that are sent together.

// Nothing is ever freed, which a sanitizer need not tell.
#if HAS_ADDRESS_SANITIZER
TENON_API const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

// -- Reading

static struct aiPropertyStore *settings(void)
{
    struct aiPropertyStore *s = aiCreatePropertyStore();
    // Rows of helper nodes are exact; import_nodes.c makes one node of each.
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES, 0);
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_FBX_READ_ALL_GEOMETRY_LAYERS, 1);
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_FBX_EMBEDDED_TEXTURES_LEGACY_NAMING, 1);
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES, 0);
    aiSetImportPropertyInteger(s, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    return s;
}

static bool read_model(import *m, tenon_error *err)
{
    char *name;
    pipe_file model;
    pipe_receive_model(&name, &model);
    m->name = name;
    import_files files = {name, model.data, model.size};
    if (model.size == 0) {
        (void)snprintf(err->message, sizeof err->message, "the file is empty");
        return false;
    }
    if (fbx_is_one(files.data, files.size)) fbx_mend(&files.data, &files.size, &m->fbx);
    struct aiFileIO io = import_file_io(&files);
    m->from = aiImportFileExWithProperties(m->name, aiProcess_Triangulate | aiProcess_SortByPType,
                                           &io, settings());
    if (m->from && m->from->mRootNode) return true;
    (void)snprintf(err->message, sizeof err->message, "%s", aiGetErrorString());
    return false;
}

// -- Writing

// Bytes of the result that are sent when there are enough of them.
typedef struct part {
    size_t size;
    uint8_t bytes[PART_SIZE];
} part;

static bool begin(void *user, const char *name)
{
    (void)user;
    return !*name;
}

static bool put(void *user, const void *bytes, size_t size)
{
    part *p = user;
    if (size > PART_SIZE - p->size) {
        pipe_send_data(p->bytes, p->size);
        p->size = 0;
    }
    if (size > PART_SIZE) {
        pipe_send_data(bytes, size);
        return true;
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return true;
}

static bool end(void *user)
{
    const part *p = user;
    pipe_send_data(p->bytes, p->size);
    return true;
}

static bool encode_png(void *user, const uint8_t *pixels, uint32_t width, uint32_t height,
                       uint32_t channels, tenon_write_fn *write, void *write_user)
{
    (void)user;
    size_t size;
    uint8_t *file = import_png(pixels, width, height, channels, &size);
    bool ok = file && write(write_user, file, size);
    free(file);
    return ok;
}

static bool write_model(const import *m, tenon_error *err)
{
    part first = {0};
    tenon_sink sink = {begin, put, end, &first};
    // Pictures beside the model stay there, since the model's path is not told.
    tenon_export_opts opts = {.format = "glb", .embed = true, .png = encode_png};
    if (!tenon_export(m->to, &opts, &sink, err)) return false;
    pipe_send_done();
    return true;
}

// -- The program

// What FBX files hold and is not read, with the reason.
static const struct {
    const char *feature, *why;
} omissions[FBX_FEATURE_COUNT] = {
    [FBX_NURBS_CURVES] = {"NURBS curves", "they are not read"},
    [FBX_NURBS_SURFACES] = {"NURBS surfaces", "they are not read"},
    [FBX_OTHER_GEOMETRY] = {"geometry", "it is of kinds that are not read"},
    [FBX_BLEND_SHAPES] = {"blend shapes", "they change meshes at rest and are not applied"},
    [FBX_BLEND_SHAPE_CURVES] = {"animations of blend shapes", "they are not read"},
    [FBX_CACHES] = {"geometry caches", "vertices that files move are not read"},
    [FBX_SUBDIVISION] = {"subdivision", "meshes stay as coarse as they are stored"},
    [FBX_HOLES] = {"holes", "faces that are marked as holes are drawn"},
    [FBX_CONSTRAINTS] = {"constraints", "they are not applied"},
    [FBX_DUAL_QUATERNIONS] = {"dual quaternion skinning", "it is taken for linear skinning"},
    [FBX_ADDITIVE_CLUSTERS] = {"additive skin clusters", "they are taken for normalized ones"},
    [FBX_SKIN_INSTANCES] = {"instances of skinned meshes", "they are not where the file has them"},
    [FBX_VISIBILITY_CURVES] = {"animations of visibility", "nodes are visible all the time"},
    [FBX_TCB_TANGENTS] = {"TCB tangents", "they are taken for smooth ones"},
    [FBX_BIASED_TANGENTS] = {"tangents with a bias", "they are taken for smooth ones"},
    [FBX_OTHER_TICKS] = {"ticks of another length", "clips have wrong times"},
};

static void report_fbx(import *m)
{
    for (int i = 0; i < FBX_FEATURE_COUNT; i++) {
        const fbx_finding *f = &m->fbx.found[i];
        const char *name = import_text(m, f->name ? f->name : "", f->name_size).data;
        if (omissions[i].feature)
            import_omit(m, omissions[i].feature, omissions[i].why, f->count, name);
        else if (i == FBX_HIDDEN)
            import_lose(m, TENON_APPROXIMATED, "hidden nodes", "they are drawn", f->count, name);
        else if (i == FBX_LEVELS_OF_DETAIL)
            import_lose(m, TENON_APPROXIMATED, "levels of detail", "all of them are drawn",
                        f->count, name);
    }
    for (uint32_t i = 0; i < m->fbx.model_count; i++) {
        const fbx_model *model = &m->fbx.models[i];
        if (!model->has_mesh) continue;
        char *name = import_alloc((uint64_t)model->name_size + 1, 1);
        memcpy(name, model->name, model->name_size);
        uint32_t node = import_node_named(m, name);
        uint32_t mesh = node == TENON_NONE ? TENON_NONE : m->to->nodes[node].mesh;
        if (mesh == TENON_NONE || m->to->meshes[mesh].primitive_count == 0)
            import_omit(m, "meshes", "they could not be read", 1, import_name(m, name).data);
        free(name);
    }
    import_lose(m, TENON_APPROXIMATED, "rotation orders", "spheric ones are taken for XYZ",
                m->fbx.spheric_count, NULL);
    uint32_t takes = m->fbx.take_count, clips = m->from->mNumAnimations;
    import_lose(m, TENON_DROPPED, "takes", "nothing moves in them",
                takes > clips ? takes - clips : 0, NULL);
    import_omit(m, "animation layers", "the last one counts, they are not mixed",
                m->fbx.layer_count, NULL);
}

static bool convert(import *m, tenon_error *err)
{
    m->to = tenon_scene_new(&(tenon_scene_opts){.max_memory = SCENE_MEMORY}, err);
    if (!m->to) return false;
    import_find_space(m);
    import_find_nodes(m);
    import_make_cameras(m);
    import_make_nodes(m);
    import_make_materials(m);
    import_make_meshes(m);
    import_make_animations(m);
    import_check_skins(m);
    report_fbx(m);
    import_keep_losses(m);
    return tenon_scene_check(m->to, err);
}

static int list_extensions(void)
{
    struct aiString list;
    aiGetExtensionList(&list);
    return printf("%s\n", list.data) > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    char lacks[200] = "";
    const char *option = argc == 2 ? argv[1] : "";
    if (strcmp(option, "--extensions") == 0) return list_extensions();
    if (strcmp(option, "--try-sandbox") == 0) return sandbox_try();
    if (strcmp(option, "--pipes") != 0) {
        (void)fputs("usage: tenon-import --extensions | --try-sandbox\n"
                    "tenon starts it with --pipes to read FBX and other models\n",
                    stderr);
        return 2;
    }
import m = {0 };
    tenon_error err = {0};
    (void)sandbox_enter(lacks, sizeof lacks);
    pipe_send_ready(lacks);
    if (read_model(&m, &err) && convert(&m, &err) && write_model(&m, &err)) return EXIT_SUCCESS;
    (void)fprintf(stderr, "tenon-import: %s%s%s\n", err.path, err.path[0] ? ": " : "", err.message);
    return EXIT_FAILURE;
}
