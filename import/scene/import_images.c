// import_images.c: pictures: bytes in the model's file, or files beside it.
// SPDX-License-Identifier: MIT

#include "../system/import_pipe.h"
#include "import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t add_image(assimp_importer *importer, tenon_image image)
{
    if (importer->scene->image_count == importer->image_room) return TENON_NONE;
    importer->scene->images[importer->scene->image_count] = image;
    return importer->scene->image_count++;
}

// -- In the file

// Pixels that Assimp has decoded, blue first.
static bool encode(const struct aiTexture *from, tenon_image *to)
{
    uint64_t count = (uint64_t)from->mWidth * from->mHeight;
    if (count == 0 || count > UINT32_MAX / 4) return false;
    uint8_t *pixels = import_alloc(count, 4);
    for (uint64_t i = 0; i < count; i++) {
        const struct aiTexel *t = &from->pcData[i];
        pixels[4 * i] = t->r, pixels[4 * i + 1] = t->g;
        pixels[4 * i + 2] = t->b, pixels[4 * i + 3] = t->a;
    }
    size_t size;
    uint8_t *file = import_png(pixels, from->mWidth, from->mHeight, 4, &size);
    free(pixels);
    to->data = file;
    to->size = file ? size : 0;
    return file != NULL;
}

static uint32_t embedded_image(assimp_importer *importer, uint32_t index)
{
    const struct aiTexture *from = importer->assimp->mTextures[index];
    if (importer->embedded[index] != TENON_NONE) return importer->embedded[index];
    tenon_image to = {.path = {"", 0}};
    const char *name = base_name(from->mFilename.data);
    to.name = import_text(importer, name, strlen(name));
    bool is_file = from->mHeight == 0;
    if (is_file) to.data = (const uint8_t *)from->pcData, to.size = from->mWidth;
    if (!from->pcData || (is_file ? to.size == 0 : !encode(from, &to))) return TENON_NONE;
    return importer->embedded[index] = add_image(importer, to);
}

// "*3", or the name of a file that is stored in the model. TENON_NONE: none of them.
static uint32_t find_embedded(const assimp_importer *importer, const char *path)
{
    if (path[0] == '*') {
        unsigned long index = strtoul(path + 1, NULL, 10);
        return index < importer->assimp->mNumTextures ? (uint32_t)index : TENON_NONE;
    }
    for (uint32_t i = 0; i < importer->assimp->mNumTextures; i++) {
        const char *name = importer->assimp->mTextures[i]->mFilename.data;
        if (name[0] && strcmp(base_name(name), base_name(path)) == 0) return i;
    }
    return TENON_NONE;
}

// -- Beside it

// Paths of the machine that a model was made on lead nowhere here: then its name alone counts.
static void find_beside(const char *path, char *out, size_t out_size)
{
    static const char *const folders[] = {"", "textures/", "Textures/", "../textures/"};
    (void)snprintf(out, out_size, "%s", path);
    if (pipe_file_exists(path)) return;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        (void)snprintf(out, out_size, "%s%s", folders[i], base_name(path));
        if (pipe_file_exists(out)) return;
    }
    (void)snprintf(out, out_size, "%s", base_name(path));
}

static uint32_t named_image(assimp_importer *importer, const char *path)
{
    char found[MAXLEN + 32];
    find_beside(path, found, sizeof found);
    tenon_str name = import_text(importer, found, strlen(found));
    for (uint32_t i = 0; i < importer->scene->image_count; i++) {
        tenon_str other = importer->scene->images[i].path;
        if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0) return i;
    }
    return name.size ? add_image(importer, (tenon_image){.name = name, .path = name}) : TENON_NONE;
}

uint32_t import_image(assimp_importer *importer, const char *path)
{
    char clean[MAXLEN];
    (void)snprintf(clean, sizeof clean, "%s", path);
    for (char *c = clean; *c; c++)
        if (*c == '\\') *c = '/';
    uint32_t index = find_embedded(importer, clean);
    if (index != TENON_NONE) return embedded_image(importer, index);
    const char *start = clean;
    while (strncmp(start, "./", 2) == 0) start += 2;
    return named_image(importer, start);
}
