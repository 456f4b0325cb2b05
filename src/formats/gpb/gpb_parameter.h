// gpb_parameter.h: how material parameters of dialect "document" are stored in a scene.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_GPB_PARAMETER_H
#define TN_FORMATS_GPB_GPB_PARAMETER_H

// Parameters that a scene cannot represent are extras of their material. Their name is this prefix
// and the name of the parameter, their value "TYPE:NUMBER/NUMBER". The shaders of an effect are
// also extras.
#define GPB_PARAMETER_PREFIX      "gpb.parameter."
#define GPB_EXTRA_VERTEX_SHADER   "gpb.effect.vertexShader"
#define GPB_EXTRA_FRAGMENT_SHADER "gpb.effect.fragmentShader"

#endif  // TN_FORMATS_GPB_GPB_PARAMETER_H
