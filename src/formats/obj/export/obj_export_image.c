// obj_export_image.c: the paths of images; images that are stored in the scene become sidecars.
// SPDX-License-Identifier: MIT

#include "exchange/export_document.h"
#include "formats/obj/export/obj_export.h"

#include <string.h>

// -- Paths

static bool is_absolute(const char *path)
{
    return path[0] == '/' || (path[0] && path[1] == ':');
}

// A path relative to the MTL file. "./" is added before '-', which would begin an option.
static const char *path_from_library(const obj_exporter *exporter, tenon_str path)
{
    const char *root =
        exporter->export->opts->texture_root ? exporter->export->opts->texture_root : "";
    if (path.size == 0) return "";
    if (is_absolute(path.data)) root = "";
    size_t root_size = strlen(root), used = 0;
    char *text =
        tn_export_alloc(exporter->export, root_size + (uint64_t)path.size + sizeof ".//", 1);
    if (!text) return NULL;
    if (root_size == 0 ? path.data[0] == '-' : root[0] == '-')
        text[used++] = '.', text[used++] = '/';
    memcpy(text + used, root, root_size);
    used += root_size;
    if (root_size && root[root_size - 1] != '/') text[used++] = '/';
    memcpy(text + used, path.data, (size_t)path.size + 1);
    return text;
}

// -- Images without a file

static const char *extension(const tenon_image *image)
{
    static const struct {
        const char *start, *extension;
    } kinds[] = {{"\x89PNG", ".png"}, {"\xFF\xD8\xFF", ".jpg"}, {"DDS ", ".dds"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t size = strlen(kinds[i].start);
        if (image->size >= size && memcmp(image->data, kinds[i].start, size) == 0)
            return kinds[i].extension;
    }
    return ".tga";
}

// For example "crane_paint.png" for the image "paint" of the model "crane".
static const char *write_picture(const obj_exporter *exporter, uint32_t index)
{
    const tenon_image *image = &exporter->export->scene->images[index];
    tn_shared_picture *shared =
        tn_export_share_picture(exporter->export, index, "", (tenon_file_id){0, 0});
    if (!shared || shared->name) return shared ? shared->name : NULL;
    size_t stem_size = strlen(exporter->stem);
    char *prefix = tn_export_alloc(exporter->export, stem_size + 2, 1);
    tenon_str word = obj_name_word(exporter, image->name);
    if (!prefix || !word.data) return NULL;
    memcpy(prefix, exporter->stem, stem_size);
    prefix[stem_size] = '_';
    const char *file = tn_export_name(
        exporter->export, (tenon_str){prefix, (uint32_t)stem_size + 1}, word, extension(image));
    bool ok = file && image->size <= SIZE_MAX && tn_export_begin(exporter->export, file) &&
              tn_export_write(exporter->export, image->data, (size_t)image->size) &&
              tn_export_end(exporter->export);
    if (ok) shared->name = file;
    return shared->name;
}

bool obj_export_images(obj_exporter *exporter)
{
    const tenon_scene *s = exporter->export->scene;
    exporter->images = tn_export_alloc(exporter->export, s->image_count, sizeof *exporter->images);
    if (!exporter->images) return false;
    for (uint32_t i = 0; i < s->image_count; i++) {
        const tenon_image *image = &s->images[i];
        bool has_file = image->path.size > 0 || !image->data;
        if (exporter->export->opts->copy_textures)
            exporter->images[i] = tn_export_picture(exporter->export, i, TN_PICTURE_AS_COMMON);
        else if (has_file)
            exporter->images[i] = path_from_library(exporter, image->path);
        else
            exporter->images[i] = write_picture(exporter, i);
        if (!exporter->images[i]) return false;
    }
    return true;
}
