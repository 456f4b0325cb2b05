// import_images.c: imports images, which are in the model's file or in files beside it.
// SPDX-License-Identifier: MIT

#include "../system/import_pipe.h"
#include "import.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *import_png(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels,
                    size_t *size)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = width,
                       .height = height,
                       .format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB};
    png_alloc_size_t room = 0;
    if (!png_image_write_to_memory(&image, NULL, &room, 0, pixels, 0, NULL)) return NULL;
    uint8_t *file = import_alloc(room, 1);
    if (!png_image_write_to_memory(&image, file, &room, 0, pixels, 0, NULL)) {
        free(file);
        return NULL;
    }
    *size = room;
    return file;
}

static const char *import_images_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t import_add_image(assimp_importer *importer, tenon_image image)
{
    tenon_scene *scene = importer->scene;
    if (scene->image_count == importer->image_room) return TENON_NONE;
    scene->images[scene->image_count] = image;
    return scene->image_count++;
}

// -- Images in the model's file

// The index of the embedded texture that `path` names: "*3", or the name of a file. TENON_NONE if
// there is none.
static uint32_t import_images_find_embedded(const struct aiScene *scene, const char *path)
{
    if (path[0] == '*') {
        unsigned long index = strtoul(path + 1, NULL, 10);
        return index < scene->mNumTextures ? (uint32_t)index : TENON_NONE;
    }
    for (uint32_t i = 0; i < scene->mNumTextures; i++) {
        const char *name = scene->mTextures[i]->mFilename.data;
        if (name[0] && strcmp(import_images_base_name(name), import_images_base_name(path)) == 0)
            return i;
    }
    return TENON_NONE;
}

static uint32_t import_embedded_image(assimp_importer *importer, uint32_t index)
{
    const struct aiTexture *from = importer->assimp->mTextures[index];
    if (importer->embedded[index] != TENON_NONE) return importer->embedded[index];
    const char *name = import_images_base_name(from->mFilename.data);
    tenon_image image = {.name = import_text(importer, name, strlen(name)), .path = {"", 0}};
    if (!from->pcData) return TENON_NONE;
    if (from->mHeight == 0) {
        // The texture is an image file.
        image.data = (const uint8_t *)from->pcData;
        image.size = from->mWidth;
    } else {
        // Assimp has decoded the pixels; blue is first.
        uint64_t count = (uint64_t)from->mWidth * from->mHeight;
        if (count == 0 || count > UINT32_MAX / 4) return TENON_NONE;
        uint8_t *pixels = import_alloc(count, 4);
        for (uint64_t i = 0; i < count; i++) {
            const struct aiTexel *texel = &from->pcData[i];
            pixels[4 * i] = texel->r, pixels[4 * i + 1] = texel->g;
            pixels[4 * i + 2] = texel->b, pixels[4 * i + 3] = texel->a;
        }
        size_t size = 0;
        image.data = import_png(pixels, from->mWidth, from->mHeight, 4, &size);
        image.size = size;
        free(pixels);
    }
    if (!image.data || image.size == 0) return TENON_NONE;
    return importer->embedded[index] = import_add_image(importer, image);
}

// -- Images beside the model

// Paths of another computer do not exist here: then the file's name is looked for in some folders.
static uint32_t import_sidecar_image(assimp_importer *importer, const char *path)
{
    static const char *const folders[] = {"", "textures/", "Textures/", "../textures/"};
    char found[MAXLEN + 32];
    (void)snprintf(found, sizeof found, "%s", path);
    bool exists = pipe_file_exists(path);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !exists; i++) {
        (void)snprintf(found, sizeof found, "%s%s", folders[i], import_images_base_name(path));
        exists = pipe_file_exists(found);
    }
    if (!exists) (void)snprintf(found, sizeof found, "%s", import_images_base_name(path));
    tenon_str name = import_text(importer, found, strlen(found));
    for (uint32_t i = 0; i < importer->scene->image_count; i++) {
        tenon_str other = importer->scene->images[i].path;
        if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0) return i;
    }
    return name.size ? import_add_image(importer, (tenon_image){.name = name, .path = name})
                     : TENON_NONE;
}

uint32_t import_image(assimp_importer *importer, const char *path)
{
    char clean[MAXLEN];
    (void)snprintf(clean, sizeof clean, "%s", path);
    for (char *c = clean; *c; c++)
        if (*c == '\\') *c = '/';
    uint32_t index = import_images_find_embedded(importer->assimp, clean);
    if (index != TENON_NONE) return import_embedded_image(importer, index);
    const char *start = clean;
    while (strncmp(start, "./", 2) == 0) start += 2;
    return import_sidecar_image(importer, start);
}
