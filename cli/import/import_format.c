// import_format.c: the formats that only tenon-import reads.
// SPDX-License-Identifier: MIT

#include "import/import_format.h"

#include "input/paths.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const import_format formats[] = {
    {"dae", "COLLADA"},
    {"3ds", "3D Studio"},
    {"ply", "Stanford PLY"},
    {"stl", "Stereolithography"},
    {"x", "DirectX X"},
    {"md5mesh", "Doom 3 mesh"},
    {"md2", "Quake II model"},
    {"md3", "Quake III model"},
    {"mdl", "Quake and Half-Life model"},
    {"mdc", "Return to Castle Wolfenstein model"},
    {"smd", "Valve SMD"},
    {"b3d", "Blitz3D"},
    {"blend", "Blender, before 2.8"},
    {"bvh", "Biovision motion"},
    {"ase", "3D Studio Max ASE"},
    {"ask", "3D Studio Max ASE"},
    {"ms3d", "MilkShape 3D"},
    {"lwo", "LightWave object"},
    {"lws", "LightWave scene"},
    {"lxo", "Modo"},
    {"ac", "AC3D"},
    {"iqm", "Inter-Quake model"},
    {"pmx", "MikuMikuDance"},
    {"3mf", "3D Manufacturing"},
    {"amf", "Additive Manufacturing"},
    {"off", "Object File Format"},
    {"irr", "Irrlicht scene"},
    {"irrmesh", "Irrlicht mesh"},
    {"ogex", "Open Game Engine Exchange"},
    {"mesh.xml", "Ogre mesh"},
    {"x3d", "X3D"},
    {"dxf", "AutoCAD DXF"},
    {"nff", "Neutral File Format"},
    {"enff", "Neutral File Format"},
    {"ndo", "Nendo"},
    {"hmp", "3D GameStudio terrain"},
    {"ter", "Terragen"},
    {"cob", "trueSpace"},
    {"ifc", "Industry Foundation Classes"},
    {"q3o", "Quick3D object"},
    {"q3s", "Quick3D scene"},
    {"sib", "Silo"},
    {"xgl", "XGL"},
    {"csm", "CharacterStudio motion"},
    {"assbin", "Assimp binary"},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

const import_format *import_format_at(uint32_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const import_format *import_format_by_name(const char *file)
{
    size_t size = strlen(file);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        // "hero.DAE" ends in ".dae"; ".dae" alone is not an extension.
        size_t extension_size = strlen(formats[i].name);
        if (size < extension_size + 2) continue;
        const char *end = file + size - extension_size;
        if (end[-1] == '.' && strcasecmp(end, formats[i].name) == 0) return &formats[i];
    }
    return NULL;
}

void import_refuse_writing(const char *title, char *text, size_t size)
{
    const tenon_format *other;
    const char *separator = " ";
    int used = snprintf(text, size, "%s can be read but not written; writable:", title);
    for (uint32_t i = 0; (other = tenon_format_at(i)); i++)
        for (size_t k = 0; k < EXTENSION_COUNT && other->extensions[k]; k++) {
            if (!(other->caps & TENON_FROM_SCENE) || used < 0 || (size_t)used >= size) continue;
            used +=
                snprintf(text + used, size - (size_t)used, "%s%s", separator, other->extensions[k]);
            separator = ", ";
        }
}

bool import_is_there(void)
{
    char path[PATH_SIZE];
    return import_find_program(path, sizeof path);
}
