// import_main.c: tenon-import: reads a model through Assimp and writes it as GLB.
// SPDX-License-Identifier: MIT
//
// Assimp may crash on a damaged file, use up all memory, or be taken over by a malicious file. So
// this is a separate program: tenon starts it with limits, it enters a sandbox before it reads the
// first byte, and tenon reads its result like any other file.

#include "../cli/import/import_protocol.h"
#include "../cli/system/sanitizer.h"
#include "draco/draco_meshes.h"
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

static bool import_main_read_model(assimp_importer *importer, const char *name,
                                   const pipe_file *model, tenon_error *err)
{
    importer->name = name;
    import_files files = {name, model->data, model->size};
    if (model->size == 0) {
        (void)snprintf(err->message, sizeof err->message, "the file is empty");
        return false;
    }
    struct aiPropertyStore *settings = aiCreatePropertyStore();
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
                    "tenon starts it with --pipes to read COLLADA and other models\n",
                    stderr);
        return 2;
    }
    assimp_importer importer = {0};
    tenon_error err = {0};
    char *name;
    pipe_file model;
    (void)sandbox_enter(missing, sizeof missing);
    pipe_send_ready(missing);
    pipe_receive_model(&name, &model);
    if (strcmp(name, IMPORT_DRACO) == 0) return draco_run(model.data, model.size);
    if (import_main_read_model(&importer, name, &model, &err) &&
        import_main_convert(&importer, &err) && import_main_write_model(&importer, &err))
        return EXIT_SUCCESS;
    (void)fprintf(stderr, "tenon-import: %s%s%s\n", err.path, err.path[0] ? ": " : "", err.message);
    return EXIT_FAILURE;
}
