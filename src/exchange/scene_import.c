// scene_import.c: make a scene from a document of any format.
// SPDX-License-Identifier: MIT

#include "exchange/scene_import.h"

#include "core/memory/budget.h"
#include "scene/model/scene_build.h"

bool tn_import_can(const tn_format *format, tenon_error *err)
{
    return format->import ||
           tn_error(err, TENON_ERR_UNSUPPORTED, "%s files hold no scene", format->face.name);
}

tenon_scene *tn_import(const tenon_doc *doc, const tenon_scene_opts *opts, tenon_error *err)
{
    const tn_format *format = doc->owner->format;
    if (!tn_import_can(format, err)) return NULL;
    uint64_t input_size = doc->source_size;  // Of all files that the scene is made from.
    for (uint32_t i = 0; i < opts->companion_count; i++)
        input_size += opts->companions[i].doc->source_size;
    tn_scene_builder builder;
    tenon_budget *budget = opts->allocator.budget;
    bool has_begun =
        tn_budget_work(budget, input_size) && tn_scene_begin(&builder, opts, input_size, err);
    if (!tn_budget_settle(budget, has_begun, err)) return NULL;
    builder.scene->source = &format->face;
    format->import(&builder, doc);
    bool is_finished = tn_scene_finish(&builder);
    tn_pulse_end(&builder.pulse);
    if (tn_budget_settle(budget, is_finished, err)) return builder.scene;
    tn_scene_free(builder.scene);
    return NULL;
}
