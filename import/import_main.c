// import_main.c: tenon-import: reads a model through Assimp and writes it as GLB.
// SPDX-License-Identifier: MIT
//
// Assimp may crash on a damaged file, use up all memory, or be taken over by a malicious file. So
// this is a separate program: tenon starts it with limits, it enters a sandbox before it reads the
// first byte, and tenon reads its result like any other file.

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

#define SCENE_MEMORY ((uint64_t)1 << 40)  // No limit here; the process has one.
#define PART_SIZE    65536                // Bytes of the result in one message.

// Memory is not freed on purpose, so leaks are not reported.
#if HAS_ADDRESS_SANITIZER
TENON_API const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

// -- Reading

static bool import_main_read_model(assimp_importer *importer, tenon_error *err)
{
    char *name;
    pipe_file model;
    pipe_receive_model(&name, &model);
    importer->name = name;
    import_files files = {name, model.data, model.size};
    if (model.size == 0) {
        (void)snprintf(err->message, sizeof err->message, "the file is empty");
        return false;
    }
    if (fbx_detect(files.data, files.size)) fbx_rewrite(&files.data, &files.size, &importer->fbx);
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    // Rows of helper nodes are exact; import_nodes.c joins them.
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_READ_ALL_GEOMETRY_LAYERS, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_FBX_EMBEDDED_TEXTURES_LEGACY_NAMING, 1);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_REMOVE_EMPTY_BONES, 0);
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, 1);
    struct aiFileIO io = import_file_io(&files);
    importer->assimp = aiImportFileExWithProperties(
        name, aiProcess_Triangulate | aiProcess_SortByPType, &io, settings);
    if (importer->assimp && importer->assimp->mRootNode) return true;
    (void)snprintf(err->message, sizeof err->message, "%s", aiGetErrorString());
    return false;
}

// -- Writing

// Collects bytes of the result, so that messages are not small.
typedef struct result_buffer {
    size_t size;
    uint8_t bytes[PART_SIZE];
} result_buffer;

static bool import_main_begin(void *user, const char *name)
{
    (void)user;
    return !*name;
}

static bool import_main_add_bytes(void *user, const void *bytes, size_t size)
{
    result_buffer *buffer = user;
    if (size > PART_SIZE - buffer->size) {
        pipe_send_data(buffer->bytes, buffer->size);
        buffer->size = 0;
    }
    if (size > PART_SIZE) {
        pipe_send_data(bytes, size);
        return true;
    }
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}

static bool import_main_end(void *user)
{
    const result_buffer *buffer = user;
    pipe_send_data(buffer->bytes, buffer->size);
    return true;
}

static bool import_main_encode_png(void *user, const uint8_t *pixels, uint32_t width,
                                   uint32_t height, uint32_t channels, tenon_write_fn *write,
                                   void *write_user)
{
    (void)user;
    size_t size;
    uint8_t *file = import_png(pixels, width, height, channels, &size);
    bool ok = file && write(write_user, file, size);
    free(file);
    return ok;
}

static bool import_main_write_model(const assimp_importer *importer, tenon_error *err)
{
    result_buffer buffer = {0};
    tenon_sink sink = {import_main_begin, import_main_add_bytes, import_main_end, &buffer};
    // Images beside the model are not embedded, since this program does not know the model's path.
    tenon_export_opts opts = {
        .format = "glb", .embed = true, .pictures = {.encode_png = import_main_encode_png}};
    if (!tenon_export(importer->scene, &opts, &sink, err)) return false;
    pipe_send_done();
    return true;
}

// -- The program

// What FBX files have and scenes do not, with the reason.
static const struct {
    const char *feature, *why;
} omissions[FBX_FEATURE_COUNT] = {
    [FBX_NURBS_CURVES] = {"NURBS curves", "not supported"},
    [FBX_NURBS_SURFACES] = {"NURBS surfaces", "not supported"},
    [FBX_OTHER_GEOMETRY] = {"geometry", "its kind is not supported"},
    [FBX_BLEND_SHAPES] = {"blend shapes", "not applied: meshes have their base shape"},
    [FBX_BLEND_SHAPE_CURVES] = {"animations of blend shapes", "not supported"},
    [FBX_CACHES] = {"geometry caches", "not read: vertices do not move"},
    [FBX_SUBDIVISION] = {"subdivision", "not applied: meshes stay coarse"},
    [FBX_HOLES] = {"holes", "faces marked as holes are drawn"},
    [FBX_CONSTRAINTS] = {"constraints", "not applied"},
    [FBX_DUAL_QUATERNIONS] = {"dual quaternion skinning", "replaced by linear skinning"},
    [FBX_ADDITIVE_CLUSTERS] = {"additive skin clusters", "treated as normalized clusters"},
    [FBX_SKIN_INSTANCES] = {"instances of skinned meshes", "not at their positions in the file"},
    [FBX_VISIBILITY_CURVES] = {"animations of visibility", "nodes are always visible"},
    [FBX_TCB_TANGENTS] = {"TCB tangents", "replaced by smooth tangents"},
    [FBX_BIASED_TANGENTS] = {"tangents with a bias", "replaced by smooth tangents"},
    [FBX_OTHER_TICKS] = {"ticks of another length", "clips have wrong times"},
};

static void import_main_report_fbx(assimp_importer *importer)
{
    const fbx_facts *fbx = &importer->fbx;
    for (int i = 0; i < FBX_FEATURE_COUNT; i++) {
        const fbx_finding *finding = &fbx->found[i];
        const char *name =
            import_text(importer, finding->name ? finding->name : "", finding->name_size).data;
        if (omissions[i].feature)
            import_report_omission(importer, omissions[i].feature, omissions[i].why, finding->count,
                                   name);
        else if (i == FBX_HIDDEN)
            import_report_loss(importer, TENON_APPROXIMATED, "hidden nodes", "they become visible",
                               finding->count, name);
        else if (i == FBX_LEVELS_OF_DETAIL)
            import_report_loss(importer, TENON_APPROXIMATED, "levels of detail",
                               "all levels are visible", finding->count, name);
    }
    for (uint32_t i = 0; i < fbx->model_count; i++) {
        const fbx_model *model = &fbx->models[i];
        if (!model->has_mesh) continue;
        char *name = import_alloc((uint64_t)model->name_size + 1, 1);
        memcpy(name, model->name, model->name_size);
        uint32_t node = import_node_named(importer, name);
        uint32_t mesh = node == TENON_NONE ? TENON_NONE : importer->scene->nodes[node].mesh;
        if (mesh == TENON_NONE || importer->scene->meshes[mesh].primitive_count == 0)
            import_report_omission(importer, "meshes", "Assimp could not read them", 1,
                                   import_name(importer, name).data);
        free(name);
    }
    import_report_loss(importer, TENON_APPROXIMATED, "rotation orders",
                       "spheric order replaced by XYZ", fbx->spheric_count, NULL);
    uint32_t takes = fbx->take_count, clips = importer->assimp->mNumAnimations;
    import_report_loss(importer, TENON_DROPPED, "takes", "they contain no motion",
                       takes > clips ? takes - clips : 0, NULL);
    import_report_omission(importer, "animation layers", "not mixed: only the last layer is used",
                           fbx->layer_count, NULL);
}

static bool import_main_convert(assimp_importer *importer, tenon_error *err)
{
    importer->scene = tenon_scene_new(&(tenon_scene_opts){.max_memory = SCENE_MEMORY}, err);
    if (!importer->scene) return false;
    import_find_space(importer);
    import_find_nodes(importer);
    import_cameras(importer);
    import_nodes(importer);
    import_materials(importer);
    import_meshes(importer);
    import_animations(importer);
    import_report_skin_motion(importer);
    import_main_report_fbx(importer);
    import_store_report(importer);
    return tenon_scene_check(importer->scene, err);
}

int main(int argc, char **argv)
{
    char missing[200] = "";
    const char *option = argc == 2 ? argv[1] : "";
    if (strcmp(option, "--extensions") == 0) {
        struct aiString list;
        aiGetExtensionList(&list);
        return printf("%s\n", list.data) > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (strcmp(option, "--try-sandbox") == 0) return sandbox_try();
    if (strcmp(option, "--pipes") != 0) {
        (void)fputs("usage: tenon-import --extensions | --try-sandbox\n"
                    "tenon starts it with --pipes to read FBX and other models\n",
                    stderr);
        return 2;
    }
    assimp_importer importer = {0};
    tenon_error err = {0};
    (void)sandbox_enter(missing, sizeof missing);
    pipe_send_ready(missing);
    if (import_main_read_model(&importer, &err) && import_main_convert(&importer, &err) &&
        import_main_write_model(&importer, &err))
        return EXIT_SUCCESS;
    (void)fprintf(stderr, "tenon-import: %s%s%s\n", err.path, err.path[0] ? ": " : "", err.message);
    return EXIT_FAILURE;
}
