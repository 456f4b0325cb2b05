// draco_decode.cpp: one mesh, decoded by libdraco.
// SPDX-License-Identifier: MIT

#include "draco_meshes.h"

#include <cstdint>
#include <cstring>
#include <draco/compression/decode.h>
#include <new>

namespace
{

// The triangles, as unsigned integers of the size that was asked for.
bool write_indices(const draco::Mesh &mesh, draco_part *part, const char **why)
{
    const unsigned size = part->component_type == 5121 ? 1 : part->component_type == 5123 ? 2 : 4;
    if (part->width != 1 || part->count != 3 * static_cast<uint64_t>(mesh.num_faces())) {
        *why = "the compressed mesh has another number of triangles";
        return false;
    }
    unsigned char *out = part->out;
    for (draco::FaceIndex f(0); f < mesh.num_faces(); ++f)
        for (int k = 0; k < 3; k++) {
            const uint32_t index = mesh.face(f)[k].value();
            if (size < 4 && index >> 8 * size) {
                *why = "an index of the compressed mesh does not fit in its type";
                return false;
            }
            for (unsigned i = 0; i < size; i++) *out++ = static_cast<unsigned char>(index >> 8 * i);
        }
    return true;
}

template <typename T>
bool write_values(const draco::Mesh &mesh, const draco::PointAttribute &attribute, draco_part *part)
{
    unsigned char *out = part->out;
    for (draco::PointIndex i(0); i < mesh.num_points(); ++i, out += part->width * sizeof(T)) {
        T values[4] = {};
        if (!attribute.ConvertValue<T>(attribute.mapped_index(i), static_cast<int8_t>(part->width),
                                       values))
            return false;
        std::memcpy(out, values, part->width * sizeof(T));
    }
    return true;
}

bool write_attribute(const draco::Mesh &mesh, draco_part *part, const char **why)
{
    const draco::PointAttribute *attribute = mesh.GetAttributeByUniqueId(part->id);
    bool is_written = false;
    if (!attribute || attribute->num_components() < static_cast<int>(part->width)) {
        *why = "the compressed mesh lacks an attribute";
        return false;
    }
    if (part->count != mesh.num_points()) {
        *why = "the compressed mesh has another number of vertices";
        return false;
    }
    switch (part->component_type) {
    case 5120:
        is_written = write_values<int8_t>(mesh, *attribute, part);
        break;
    case 5121:
        is_written = write_values<uint8_t>(mesh, *attribute, part);
        break;
    case 5122:
        is_written = write_values<int16_t>(mesh, *attribute, part);
        break;
    case 5123:
        is_written = write_values<uint16_t>(mesh, *attribute, part);
        break;
    case 5125:
        is_written = write_values<uint32_t>(mesh, *attribute, part);
        break;
    case 5126:
        is_written = write_values<float>(mesh, *attribute, part);
        break;
    default:
        break;
    }
    if (!is_written) *why = "an attribute of the compressed mesh does not fit in its type";
    return is_written;
}

bool decode(const unsigned char *data, size_t size, draco_part *parts, unsigned part_count,
            const char **why)
{
    draco::DecoderBuffer buffer;
    draco::Decoder decoder;
    buffer.Init(reinterpret_cast<const char *>(data), size);
    auto result = decoder.DecodeMeshFromBuffer(&buffer);
    if (!result.ok()) {
        *why = "the compressed mesh is damaged";
        return false;
    }
    const draco::Mesh &mesh = *result.value();
    for (unsigned i = 0; i < part_count; i++) {
        const bool is_indices = parts[i].id == UINT32_MAX;
        if (!(is_indices ? write_indices(mesh, &parts[i], why)
                         : write_attribute(mesh, &parts[i], why)))
            return false;
    }
    return true;
}

}  // namespace

bool draco_decode(const unsigned char *data, size_t size, draco_part *parts, unsigned part_count,
                  const char **why)
{
    try {
        return decode(data, size, parts, part_count, why);
    } catch (const std::bad_alloc &) {
        *why = "out of memory";
    } catch (...) {
        *why = "the compressed mesh is damaged";
    }
    return false;
}
