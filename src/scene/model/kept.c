// kept.c: what a file says that scenes cannot hold, kept for exports to the same format.
// SPDX-License-Identifier: MIT

#include "scene/model/kept.h"

#include <string.h>

static const char *kept_copy_text(tn_scene_builder *builder, const char *text)
{
    return tn_scene_text(builder, (tenon_str){text, (uint32_t)strlen(text)}).data;
}

tn_kept *tn_keep(tn_scene_builder *builder)
{
    builder->kept = tn_scene_array(builder, 1, sizeof *builder->kept);
    if (!builder->kept) return NULL;
    builder->kept->format = builder->scene->source;
    builder->scene->kept = builder->kept;
    return builder->kept;
}

void tn_scene_report_unkept(tn_scene_builder *builder, tenon_loss_kind kind, const char *feature,
                            uint64_t count, const char *path, const char *why)
{
    if (!builder->kept) {
        tn_scene_report(builder, kind, feature, count, path, why);
        return;
    }
    if (!count || builder->failed) return;
    tn_kept_loss *entry = tn_scene_array(builder, 1, sizeof *entry);
    if (!entry) return;
    entry->loss = (tenon_loss){.kind = kind,
                               .count = count,
                               .feature = kept_copy_text(builder, feature),
                               .why = kept_copy_text(builder, why),
                               .path = path ? kept_copy_text(builder, path) : NULL};
    if (builder->kept->last)
        builder->kept->last->next = entry;
    else
        builder->kept->first = entry;
    builder->kept->last = entry;
}

void tn_report_kept(const tenon_scene *scene, const tenon_format *format,
                    const tenon_events *events)
{
    if (!scene->kept || scene->kept->format == format || !events->on_loss) return;
    for (const tn_kept_loss *entry = scene->kept->first; entry; entry = entry->next)
        events->on_loss(events->user, &entry->loss);
}
