// gpb_side.c: the files beside a bundle: which they are, and what they add to what is known of it.
// SPDX-License-Identifier: MIT

#include "../reading.h"
#include "gpb_attribute.h"
#include "gpb_format.h"
#include "gpb_properties.h"

#include "../../core/number.h"
#include "../../core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GPB_SAMPLERS_MOST 16     // Of a material that are looked at.
#define GPB_CLIPS_MOST    10000  // Of a file.

gpb_side_name gpb_side_name_of(tenon_str stem, const char *extension)
{
    gpb_side_name name = {""};
    if (stem.size + 1 + strlen(extension) + 1 > sizeof name.text) return name;
    memcpy(name.text, stem.data, stem.size);
    snprintf(name.text + stem.size, sizeof name.text - stem.size, ".%s", extension);
    return name;
}

void gpb_sides(const void *doc, tenon_str stem, tenon_side_fn *fn, void *user)
{
    static const char *const extensions[] = {"material", "animation"};
    (void)doc;
    for (uint32_t i = 0; i < 2; i++) {
        gpb_side_name name = gpb_side_name_of(stem, extensions[i]);
        if (name.text[0]) fn(user, name.text);
    }
}

tenon_gpb_properties *tenon_gpb_properties_beside(const char *model_path, const char *extension,
                                                  const tenon_read_opts *opts, tenon_error *err)
{
    tenon_read_opts settled = {0};
    if (opts) settled = *opts;
    if (!settled.files) settled.files = tenon_system_files();
    tn_error_clear(err);
    const char *file = model_path + tn_path_folder_size(model_path), *dot = strrchr(file, '.');
    size_t stem = dot && dot != file ? (size_t)(dot - file) : strlen(file);
    gpb_side_name name = gpb_side_name_of((tenon_str){file, (uint32_t)stem}, extension);
    char path[TN_PATH_SIZE];
    tenon_file_info info;
    tenon_bytes bytes;
    if (!name.text[0] ||
        !tenon_file_beside(settled.files, model_path,
                           (tenon_str){name.text, (uint32_t)strlen(name.text)}, path,
                           sizeof path) ||
        settled.files->look(settled.files->user, path, &info) != 0)
        return NULL;
    if (!tenon_load(path, &settled, &bytes, err)) return NULL;
    tenon_gpb_properties *result = tenon_gpb_properties_read(bytes.data, bytes.size, &settled, err);
    tenon_unload(&bytes);
    return result;
}

// -- Clips

static double gpb_property_number(const tenon_gpb_properties *block, const char *name)
{
    tenon_str value = tenon_gpb_property_value(block, name);
    double number;
    return value.data && tn_f64_parse(value.data, value.size, &number) ? number : NAN;
}

bool gpb_clip_at(const tenon_gpb_properties *file, uint32_t index, gpb_clip *clip)
{
    for (const tenon_gpb_properties *a = file->children; a; a = a->next) {
        for (const tenon_gpb_properties *b = a->children; b; b = b->next) {
            if (!gpb_is(b->type, "clip") || index-- > 0) continue;
            *clip = (gpb_clip){.name = b->id,
                               .begin = gpb_property_number(b, "begin"),
                               .end = gpb_property_number(b, "end"),
                               .frame_count = gpb_property_number(a, "frameCount"),
                               .line = b->line};
            return true;
        }
    }
    return false;
}

// -- Info

static tenon_str gpb_inform_text(tn_informer *informer, tenon_str text)
{
    char *copy = tn_inform_alloc(informer, (uint64_t)text.size + 1, 1);
    if (!copy) return (tenon_str){"", 0};
    if (text.size) memcpy(copy, text.data, text.size);
    return (tenon_str){copy, text.size};
}

// The first texture of a material is the one that is shown.
static bool gpb_take_texture(void *user, const tenon_gpb_properties *sampler)
{
    tenon_str *texture = user, path = tenon_gpb_property_value(sampler, "path");
    if (!path.size) return true;
    *texture = path;
    return false;
}

static bool gpb_count_block(void *user, const tenon_gpb_properties *block)
{
    (void)block;
    return ++*(uint32_t *)user < GPB_SAMPLERS_MOST;
}

static void gpb_tell_materials(tn_informer *informer, const tenon_gpb_properties *file)
{
    tenon_info *info = informer->info;
    gpb_directory materials;
    if (!gpb_directory_make(&materials, file, "material", informer->arena, NULL))
        informer->failed = true;
    for (uint32_t i = 0; i < info->material_count && !informer->failed; i++) {
        tenon_material_info *entry = &info->material_list[i];
        const tenon_gpb_properties *material = gpb_directory_find(&materials, entry->name);
        tenon_str texture = {"", 0};
        uint32_t samplers = 0;
        char name[64];
        tn_text_clean(entry->name.data, entry->name.size, name, sizeof name);
        if (!material) {
            tn_inform(informer, "material", "%s is not in the .material file", name);
            continue;
        }
        tenon_gpb_properties_each(material, "sampler", gpb_take_texture, &texture);
        tenon_gpb_properties_each(material, "sampler", gpb_count_block, &samplers);
        entry->texture = gpb_inform_text(informer, texture);
        if (samplers > 1)
            tn_inform(informer, "material", "%s has %u textures", name, (unsigned)samplers);
    }
}

static void gpb_tell_clips(tn_informer *informer, const tenon_gpb_properties *file)
{
    tenon_info *info = informer->info;
    uint32_t more = 0;
    double length = 0;
    gpb_clip clip;
    while (more < GPB_CLIPS_MOST && gpb_clip_at(file, more, &clip)) more++;
    for (uint32_t i = 0; i < info->clip_count; i++)
        if (info->clips[i].seconds > length) length = info->clips[i].seconds;
    tenon_clip_info *clips =
        tn_inform_alloc(informer, (uint64_t)info->clip_count + more, sizeof *clips);
    if (!clips || more == 0) return;
    if (info->clip_count) memcpy(clips, info->clips, info->clip_count * sizeof *clips);
    for (uint32_t i = 0; i < more && gpb_clip_at(file, i, &clip); i++) {
        double frames = clip.end - clip.begin;
        bool is_known = clip.frame_count > 0 && frames >= 0;
        clips[info->clip_count++] = (tenon_clip_info){
            .name = gpb_inform_text(informer, clip.name),
            .seconds = is_known ? frames / clip.frame_count * length : -1,
            .channels = TENON_ABSENT,
            .frames = frames >= 0 && frames < 1e15 ? (uint64_t)frames : TENON_ABSENT};
    }
    info->clips = clips;
}

bool tenon_gpb_inform_beside(tenon_doc *doc, const char *model_path, const tenon_files *files,
                             tenon_info *info, tenon_error *err)
{
    static const struct {
        const char *extension;
        void (*tell)(tn_informer *informer, const tenon_gpb_properties *file);
    } sides[] = {{"material", gpb_tell_materials}, {"animation", gpb_tell_clips}};
    tn_error_clear(err);
    if (!tenon_as_gpb(doc)) return true;
    tn_informer informer = {.info = info, .arena = &doc->owner->arena};
    tenon_read_opts opts = {.allocator = doc->owner->arena.allocator, .files = files};
    for (uint32_t i = 0; i < 2; i++) {
        tenon_error why;
        tenon_gpb_properties *file =
            tenon_gpb_properties_beside(model_path, sides[i].extension, &opts, &why);
        if (file)
            sides[i].tell(&informer, file);
        else if (why.code != TENON_OK)
            tn_inform(&informer, sides[i].extension, "the file beside the bundle: %s", why.message);
        tenon_gpb_properties_free(file);
    }
    return informer.failed ? tn_error(err, TENON_ERR_MEMORY, "out of memory") : true;
}
