// fbx_import_textures.c: pictures, in the file or beside it, and textures of materials.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_materials.h"

#include "core/math/math.h"
#include "core/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/files.h>

#define PATH_MOST    512
#define DEGREES_MOST 1e9

// -- Paths

tenon_str fbx_import_textures_base(tenon_str path)
{
    uint32_t start = 0;
    for (uint32_t i = 0; i < path.size; i++)
        if (path.data[i] == '/' || path.data[i] == '\\') start = i + 1;
    return (tenon_str){path.data + start, path.size - start};
}

// Whether there is such a file beside the model.
static bool fbx_import_textures_exists(const fbx_importer *importer, tenon_str name)
{
    const tenon_scene_opts *opts = importer->builder->opts;
    const tenon_files *files = opts->files ? opts->files : tenon_system_files();
    char path[2 * PATH_MOST];
    tenon_file_info info;
    return opts->model_path && name.size &&
           tenon_file_beside(files, opts->model_path, name, path, sizeof path) &&
           files->look(files->user, path, &info) == 0 && info.kind == TENON_FILE_REGULAR;
}

// The path of a picture: as the file says, or, where that is a path of another computer, its name
// in one of the usual folders. Without such a file, its name.
static tenon_str fbx_import_textures_find(const fbx_importer *importer, tenon_str relative,
                                          tenon_str absolute, char out[PATH_MOST])
{
    tenon_str base = fbx_import_textures_base(relative.size ? relative : absolute), found = base;
    const char *model = importer->builder->opts->model_path;
    tenon_str stem = {"", 0};
    if (model) stem = fbx_import_textures_base((tenon_str){model, (uint32_t)strlen(model)});
    while (stem.size && stem.data[stem.size - 1] != '.') stem.size--;
    if (fbx_import_textures_exists(importer, relative)) return relative;
    for (int i = 0; i < 4; i++) {
        static const char *const folders[] = {"", "textures/", "Textures/"};
        int size = i < 3 ? snprintf(out, PATH_MOST, "%s%.*s", folders[i], (int)base.size, base.data)
                         : snprintf(out, PATH_MOST, "%.*sfbm/%.*s", (int)stem.size, stem.data,
                                    (int)base.size, base.data);
        found = (tenon_str){out, (uint32_t)size};
        if (size > 0 && size < PATH_MOST && fbx_import_textures_exists(importer, found))
            return found;
    }
    return base;
}

// -- Pictures

// Whether the bytes are a picture of a type that scenes have.
static bool fbx_import_textures_is_picture(const uint8_t *data, uint64_t size)
{
    if (size < 18) return false;
    return memcmp(data, "\x89PNG", 4) == 0 || memcmp(data, "\xff\xd8\xff", 3) == 0 ||
           memcmp(data, "DDS ", 4) == 0 ||
           // TGA: 24 or 32 bits, with or without runs.
           ((data[2] == 2 || data[2] == 10) && (data[16] == 24 || data[16] == 32) && data[1] == 0);
}

// The bytes of a video. False if it has none, or the import failed.
static bool fbx_import_textures_content(fbx_importer *importer, uint32_t video, tenon_span *bytes)
{
    tn_scene_builder *builder = importer->builder;
    const tenon_fbx_node *content = fbx_child(importer->objects[video].node, "Content");
    if (!content || builder->failed) return false;
    if (fbx_bytes(importer->doc, content, &importer->scratch, bytes, builder->err))
        return fbx_import_textures_is_picture(bytes->data, bytes->size);
    // A damaged picture is a missing one.
    if (builder->err->code == TENON_ERR_MEMORY || builder->err->code == TENON_ERR_LIMIT)
        builder->failed = true;
    else
        tn_error_clear(builder->err);
    return false;
}

static tenon_str fbx_import_textures_path(fbx_importer *importer, uint32_t object, bool is_relative)
{
    const tenon_fbx_node *node = importer->objects[object].node;
    const char *const names[] = {is_relative ? "RelativeFilename" : "FileName", "Filename"};
    tenon_str path = fbx_text(fbx_child(node, names[0]), 0);
    if (!path.size && !is_relative) path = fbx_text(fbx_child(node, names[1]), 0);
    // Textures of 3ds Max that other programs added have only a property.
    const tenon_fbx_node *list = importer->objects[object].properties;
    for (uint32_t i = 0; list && !path.size && !is_relative && i < list->child_count; i++) {
        const tenon_fbx_node *property = &list->children[i];
        tenon_str last = fbx_import_last_part(fbx_text(property, 0));
        if (tn_text_is(last, "filename") || tn_text_is(last, "Filename"))
            path = fbx_text(property, fbx_property_start(property));
    }
    return fbx_import_text(importer, path);
}

// The picture that is stored in a video, as an image of the scene; TENON_NONE: there is none, or
// the import failed.
static uint32_t fbx_import_textures_video(fbx_importer *importer, uint32_t video, tenon_str name)
{
    tn_scene_builder *builder = importer->builder;
    fbx_object *object = &importer->objects[video];
    if (object->is_read) return object->index;
    object->is_read = true;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    tenon_span bytes;
    if (fbx_import_textures_content(importer, video, &bytes)) {
        char path[32];
        int size = snprintf(path, sizeof path, "*%u", (unsigned)video);
        uint32_t image = tn_add_image(builder, (tenon_str){path, (uint32_t)size});
        uint8_t *copy = tn_scene_array(builder, bytes.size, 1);
        tenon_str text = tn_scene_text(builder, name);
        if (builder->failed) return TENON_NONE;
        memcpy(copy, bytes.data, (size_t)bytes.size);
        builder->scene->images[image].name = text;
        builder->scene->images[image].data = copy;
        builder->scene->images[image].size = bytes.size;
        object->index = image;
    }
    tn_arena_rewind(&importer->scratch, mark);
    return object->index;
}

// -- What is known of textures

// A video with content, by its path.
typedef struct fbx_video {
    tn_named named;
    uint32_t object;
} fbx_video;

bool fbx_import_begin_textures(fbx_importer *importer)
{
    uint32_t texture_count = 0, video_count = 0;
    for (uint32_t i = 0; i < importer->object_count; i++) {
        texture_count += importer->objects[i].kind == FBX_TEXTURE;
        video_count += importer->objects[i].kind == FBX_VIDEO;
    }
    importer->textures = fbx_import_alloc(importer, texture_count, sizeof *importer->textures);
    fbx_video *videos = fbx_import_alloc(importer, video_count, sizeof *videos);
    if (importer->builder->failed) return false;
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++) {
        const fbx_object *object = &importer->objects[i];
        const tenon_fbx_node *content = fbx_child(object->node, "Content");
        if (object->kind != FBX_VIDEO || !content || !content->value_count) continue;
        const tenon_str path = fbx_import_textures_path(importer, i, false);
        *videos = (fbx_video){.named.name = path, .object = i};
        (void)tn_name_enter(&importer->videos, &videos++->named);
    }
    return !importer->builder->failed;
}

// A point of the file's coordinates becomes T + P + R * (S * (point - Q) + Q - P), with the pivots
// P of rotation and Q of scale. To exchange U and V first is to mirror one of them and to turn the
// result by 90 degrees.
static void fbx_import_textures_place(fbx_importer *importer, uint32_t texture, fbx_texture *out)
{
    tenon_texture *to = &out->place;
    const fbx_object *object = &importer->objects[texture];
    double move[3] = {0, 0, 0}, size[3] = {1, 1, 1}, turn[3] = {0, 0, 0};
    double center[3] = {0, 0, 0}, pivot[3] = {0, 0, 0}, arm[2];
    (void)fbx_import_property_vec3(object, "Translation", move);
    (void)fbx_import_property_vec3(object, "Scaling", size);
    (void)fbx_import_property_vec3(object, "Rotation", turn);
    (void)fbx_import_property_vec3(object, "TextureRotationPivot", pivot);
    (void)fbx_import_property_vec3(object, "TextureScalingPivot", center);
    bool is_flat = turn[0] == 0 && turn[1] == 0 && fabs(turn[2]) < DEGREES_MOST;
    bool is_swapped = fbx_import_property_number(object, "UVSwap", 0) != 0;
    fbx_import_count(importer, FBX_UNREAD_TEXTURE_TURNS, !is_flat, texture);
    to->rotation = is_flat ? tn_radians(turn[2]) : 0;
    double sine = tn_sin(to->rotation), cosine = tn_cos(to->rotation);
    for (int k = 0; k < 2; k++) arm[k] = center[k] - size[k] * center[k] - pivot[k];
    double u = move[0] + pivot[0] + cosine * arm[0] - sine * arm[1];
    double v = move[1] + pivot[1] + sine * arm[0] + cosine * arm[1];
    to->scale[0] = is_swapped ? size[1] : size[0];
    to->scale[1] = is_swapped ? -size[0] : size[1];
    if (is_swapped) to->rotation += TN_PI / 2;
    if (is_swapped) sine = tn_sin(to->rotation), cosine = tn_cos(to->rotation);
    // The origin is at the bottom of the picture; that of scenes is at the top.
    to->offset[0] = u - sine * to->scale[1];
    to->offset[1] = 1 - cosine * to->scale[1] - v;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "WrapModeV" : "WrapModeU";
        to->wrap[k] = fbx_import_property_number(object, name, 0) == 1 ? TENON_CLAMP : TENON_REPEAT;
    }
    out->set = fbx_import_property_text(object, "UVSet");
    if (tn_text_is(out->set, "default")) out->set = (tenon_str){"", 0};
}

static fbx_texture *fbx_import_textures_get(fbx_importer *importer, uint32_t texture)
{
    fbx_object *object = &importer->objects[texture];
    if (object->index != TENON_NONE) return &importer->textures[object->index];
    object->index = importer->texture_count++;
    fbx_texture *made = &importer->textures[object->index];
    *made = (fbx_texture){.relative = fbx_import_textures_path(importer, texture, true),
                          .absolute = fbx_import_textures_path(importer, texture, false),
                          .image = TENON_NONE};
    fbx_import_textures_place(importer, texture, made);
    return made;
}

const fbx_texture *fbx_import_texture_of(fbx_importer *importer, uint32_t texture)
{
    return fbx_import_textures_get(importer, texture);
}

tenon_str fbx_import_texture_name(fbx_importer *importer, uint32_t texture)
{
    const fbx_texture *from = fbx_import_textures_get(importer, texture);
    return fbx_import_textures_base(from->relative.size ? from->relative : from->absolute);
}

uint32_t fbx_import_texture_image(fbx_importer *importer, uint32_t texture)
{
    fbx_texture *from = fbx_import_textures_get(importer, texture);
    uint32_t video = fbx_import_child_of(importer, texture, FBX_VIDEO);
    tenon_str relative = from->relative, absolute = from->absolute;
    if (from->has_image || importer->builder->failed) return from->image;
    from->has_image = true;
    if (video != TENON_NONE && !relative.size && !absolute.size) {
        relative = fbx_import_textures_path(importer, video, true);
        absolute = fbx_import_textures_path(importer, video, false);
    }
    tenon_str base = fbx_import_textures_base(relative.size ? relative : absolute);
    if (video != TENON_NONE) from->image = fbx_import_textures_video(importer, video, base);
    // The picture may be stored once for several videos of one file.
    const tn_named *same = absolute.size ? tn_name_find(&importer->videos, absolute) : NULL;
    if (from->image == TENON_NONE && same && !importer->builder->failed)
        from->image = fbx_import_textures_video(importer, ((const fbx_video *)same)->object, base);
    if (from->image != TENON_NONE || importer->builder->failed) return from->image;
    char path[PATH_MOST];
    if (relative.size || absolute.size)
        from->image = tn_add_image(importer->builder,
                                   fbx_import_textures_find(importer, relative, absolute, path));
    return from->image;
}

void fbx_import_finish_images(fbx_importer *importer)
{
    tenon_scene *scene = importer->builder->scene;
    // The paths of pictures in the file were only names until all are there.
    for (uint32_t i = 0; i < scene->image_count; i++)
        if (scene->images[i].data) scene->images[i].path = (tenon_str){"", 0};
}

// -- Materials

void fbx_import_texture(fbx_importer *importer, uint32_t texture, uint32_t material,
                        tenon_slot slot)
{
    uint32_t image = fbx_import_texture_image(importer, texture);
    if (importer->builder->failed || image == TENON_NONE) return;
    const fbx_texture *from = fbx_import_textures_get(importer, texture);
    tenon_texture *to = &importer->builder->scene->materials[material].textures[slot];
    *to = from->place;
    to->image = image;
    importer->uv_uses[material][slot].name = from->set;
}
