// scene_finish.h: the parts of tn_scene_finish().
// SPDX-License-Identifier: MIT

#ifndef TN_SCENE_MODEL_SCENE_FINISH_H
#define TN_SCENE_MODEL_SCENE_FINISH_H

#include "core/text/tally.h"
#include "scene/model/scene_build.h"

// Report what was counted as a loss, if there was any.
void tn_tally_report(const tn_scene_builder *builder, const tn_tally *tally, tenon_loss_kind kind,
                     const char *feature, const char *why);

// What is not finite becomes 0. Returns how many numbers were not.
uint64_t tn_make_finite(float *values, uint64_t count);
uint64_t tn_make_all_finite(double *values, uint32_t count);

void tn_finish_skins(tn_scene_builder *builder);
void tn_finish_meshes(tn_scene_builder *builder);
void tn_finish_weights(tn_scene_builder *builder);
void tn_finish_materials(tn_scene_builder *builder);
void tn_finish_animations(tn_scene_builder *builder);

#endif  // TN_SCENE_MODEL_SCENE_FINISH_H
