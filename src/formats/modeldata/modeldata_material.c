// modeldata_material.c: the values of a material that can be the engine's defaults.
// SPDX-License-Identifier: MIT

#include "formats/modeldata/modeldata_format.h"

#include <string.h>

void modeldata_values(const tenon_modeldata_material *m, modeldata_value values[])
{
    const modeldata_value all[MODELDATA_VALUE_COUNT] = {
        {"diffuse_color", m->default_diffuse_color, m->diffuse_color, 3, 1},
        {"glow_color", m->default_glow_color, m->glow_color, 3, 1},
        {"displacement_factor", m->default_displacement_factor, &m->displacement_factor, 1, 0},
        {"tiling", m->default_tiling, &m->tiling, 1, 0},
        {"shininess", m->default_shininess, &m->shininess, 1, 0},
        {"shine_damping", m->default_shine_damping, &m->shine_damping, 1, 0},
    };
    memcpy(values, all, sizeof all);
}

bool modeldata_is_default(const tenon_modeldata *doc, const modeldata_value *value)
{
    bool is_signed = !(doc->base.dialect->flags & TENON_MODELDATA_DOCUMENT);
    return value->flag >= 1 && value->flag <= (is_signed ? INT8_MAX : UINT8_MAX);
}
