// gpb_sampler.h: the samplers of the engine's shaders, for reading and writing .material files.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_SAMPLER_H
#define TN_FORMATS_GPB_GPB_SAMPLER_H

#include <tenon/scene.h>

typedef struct gpb_sampler {
    const char *id;
    tenon_slot slot;
    uint32_t uv_set;
} gpb_sampler;

enum { GPB_SAMPLER_COUNT = 4 };
extern const gpb_sampler gpb_samplers[GPB_SAMPLER_COUNT];

#endif  // TN_FORMATS_GPB_GPB_SAMPLER_H
