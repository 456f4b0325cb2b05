// bmw_sidecar_info.c: clips and facts from the sidecar of a BMW file.
// SPDX-License-Identifier: MIT

#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/files/file.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"

#include <tenon/files.h>

#include <inttypes.h>
#include <string.h>

// -- Clips

static tenon_clip_info bmw_sidecar_clip_info(const tenon_bmw *doc, const tenon_bmw_clip *clip)
{
    tenon_clip_info info = {.name = clip->name,
                            .seconds = -1,
                            .channels = TENON_ABSENT,
                            .frames = TENON_ABSENT,
                            .has_flags = true,
                            .loop = clip->loop,
                            .hold = clip->hold};
    // The files of clips are not read here; a range is always in the first animation.
    if (clip->file.size || doc->animation_count == 0) return info;
    const tenon_bmw_animation *animation = &doc->animations[0];
    bool is_lost = (doc->base.dialect->flags & TENON_BMW_FRAMES_INFERRED) != 0;
    double ticks = clip->end - clip->start;
    info.channels = animation->bone_count;
    if (!(ticks >= 0)) return info;
    if (ticks < (double)UINT32_MAX) info.frames = (uint64_t)ticks + 1;
    if (!is_lost && animation->rate) info.seconds = ticks / animation->rate;
    return info;
}

// List the clips instead of the animations, which have no names.
static void bmw_sidecar_info_clip_list(tn_info_builder *builder, const tenon_bmw *doc,
                                       const tenon_bmw_sidecar *sidecar)
{
    tenon_info *info = builder->info;
    if (sidecar->clip_count == 0) return;
    tenon_clip_info *clips = tn_info_alloc(builder, sidecar->clip_count, sizeof *clips);
    if (!clips) return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sidecar->clip_count; i++) {
        if (!bmw_sidecar_clip_plays(&sidecar->clips[i])) continue;  // Listed as a fault.
        tenon_clip_info *clip = &clips[count++];
        *clip = bmw_sidecar_clip_info(doc, &sidecar->clips[i]);
        char *name = tn_info_alloc(builder, (uint64_t)clip->name.size + 1, 1);
        if (!name) return;
        memcpy(name, clip->name.data, clip->name.size);
        clip->name.data = name;  // The sidecar will be freed.
    }
    if (count == 0) return;
    info->clips = clips;
    info->clip_count = count;
}

// -- Facts

static bool bmw_sidecar_info_is_equal(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void bmw_sidecar_info_vector(tn_info_builder *builder, const char *label, const double v[3])
{
    char text[3][TN_NUMBER_MAX];
    for (int i = 0; i < 3; i++) tn_f64_text(v[i], text[i]);
    tn_info_add(builder, label, "%s %s %s", text[0], text[1], text[2]);
}

static void bmw_sidecar_info_transform(tn_info_builder *builder, const tenon_bmw_sidecar *sidecar)
{
    const tenon_bmw_sidecar *usual = &bmw_default_sidecar;
    char angle[TN_NUMBER_MAX], axis[3][TN_NUMBER_MAX];
    tn_f64_text(sidecar->rotation, angle);
    for (int i = 0; i < 3; i++) tn_f64_text(sidecar->rotation_angle[i], axis[i]);
    if (sidecar->rotation != 0)
        tn_info_add(builder, "rotation", "%s degrees about %s %s %s", angle, axis[0], axis[1],
                    axis[2]);
    if (!bmw_sidecar_info_is_equal(sidecar->scale, usual->scale))
        bmw_sidecar_info_vector(builder, "scale", sidecar->scale);
    if (!bmw_sidecar_info_is_equal(sidecar->translation, usual->translation))
        bmw_sidecar_info_vector(builder, "translation", sidecar->translation);
}

static void bmw_sidecar_info_text(tn_info_builder *builder, const char *label, tenon_str text)
{
    char shown[200];
    tn_text_clean(text.data, text.size, shown, sizeof shown);
    tn_info_add(builder, label, "%s", shown);
}

static void bmw_info_sidecar(tn_info_builder *builder, const tenon_bmw *doc,
                             const tenon_bmw_sidecar *sidecar)
{
    bmw_sidecar_info_clip_list(builder, doc, sidecar);
    if (sidecar->clip_count) bmw_sidecar_info_text(builder, "first clip", sidecar->default_anim);
    bmw_sidecar_info_transform(builder, sidecar);
    for (uint32_t i = 0; i < sidecar->texture_override_count; i++)
        if (sidecar->texture_overrides[i].data)
            bmw_sidecar_info_text(builder, "override", sidecar->texture_overrides[i]);
    for (uint32_t i = 0; i < sidecar->ignored_count; i++)
        bmw_sidecar_info_text(builder, "ignored key", sidecar->ignored[i]);
    for (uint32_t i = 0; i < sidecar->listed_fault_count; i++) {
        const tenon_bmw_sidecar_fault *fault = &sidecar->faults[i];
        tn_info_add(builder, "sidecar", "line %" PRIu64 ", column %" PRIu64 ": %s: %s", fault->line,
                    fault->column, fault->path.data, fault->message.data);
    }
    if (sidecar->fault_count > sidecar->listed_fault_count)
        tn_info_add(builder, "sidecar", "%" PRIu64 " more values cannot be used",
                    sidecar->fault_count - sidecar->listed_fault_count);
}

bool bmw_info_sidecars(tenon_doc *doc, const char *model_path, const tenon_files *files,
                       tenon_info *info, tenon_error *err)
{
    tenon_error why;
    tn_error_clear(err);
    if (!tenon_as_bmw(doc)) return true;
    tn_info_builder builder = {.info = info, .arena = &doc->owner->arena};
    const tenon_read_opts opts = {.allocator = doc->owner->arena.allocator, .files = files};
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_beside(model_path, &opts, &why);
    if (!sidecar && tn_is_outage(&why)) {
        if (err) *err = why;
        return false;
    }
    if (sidecar)
        bmw_info_sidecar(&builder, tenon_as_bmw(doc), sidecar);
    else if (why.line)
        tn_info_add(&builder, "sidecar", "line %" PRIu64 ", column %" PRIu64 ": %s", why.line,
                    why.column, why.message);
    else if (why.code != TENON_OK)
        tn_info_add(&builder, "sidecar", "%s", why.message);
    tenon_bmw_sidecar_free(sidecar);
    return builder.failed ? tn_error(err, TENON_ERR_MEMORY, "out of memory") : true;
}
