// gpb_parameter.h: how material parameters of the format's own text travel through a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_PARAMETER_H
#define TN_FORMATS_GPB_GPB_PARAMETER_H

// Parameters that a scene has no place for are extras of their material: this and their name, with
// "TYPE:NUMBER/NUMBER" as the value. The shaders of an effect are extras as well.
#define GPB_PARAMETER_PREFIX      "gpb.parameter."
#define GPB_EXTRA_VERTEX_SHADER   "gpb.effect.vertexShader"
#define GPB_EXTRA_FRAGMENT_SHADER "gpb.effect.fragmentShader"

#endif  // TN_FORMATS_GPB_GPB_PARAMETER_H
