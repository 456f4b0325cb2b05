// gpb_material.h: names in materials that the importer and the exporter share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_MATERIAL_H
#define TN_FORMATS_GPB_GPB_MATERIAL_H

#include <tenon/scene.h>

// A sampler of the engine's shaders, in .material files.
typedef struct gpb_sampler {
    const char *id;
    tenon_slot slot;
    uint32_t uv_set;
} gpb_sampler;

enum { GPB_SAMPLER_COUNT = 4 };
extern const gpb_sampler gpb_samplers[GPB_SAMPLER_COUNT];

// Parameters that a scene cannot represent are extras of their material. Their name is this prefix
// and the name of the parameter, their value "TYPE:NUMBER/NUMBER". The shaders of an effect are
// also extras.
#define GPB_PARAMETER_PREFIX      "gpb.parameter."
#define GPB_EXTRA_VERTEX_SHADER   "gpb.effect.vertexShader"
#define GPB_EXTRA_FRAGMENT_SHADER "gpb.effect.fragmentShader"

#endif  // TN_FORMATS_GPB_GPB_MATERIAL_H
