// import_format.c: the formats that only tenon-import reads.
// SPDX-License-Identifier: MIT

#include "import/import_format.h"

#include "input/paths.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const import_format formats[] = {
    {"dae", "COLLADA", false},
    {"3ds", "3D Studio", false},
    {"ply", "Stanford PLY", false},
    {"stl", "Stereolithography", false},
    {"x", "DirectX X", false},
    {"md5mesh", "Doom 3 mesh", false},
    {"md2", "Quake II model", false},
    {"md3", "Quake III model", false},
    {"mdl", "Quake and Half-Life model", false},
    {"mdc", "Return to Castle Wolfenstein model", false},
    {"smd", "Valve SMD", false},
    {"b3d", "Blitz3D", false},
    {"blend", "Blender, before 2.8", false},
    {"bvh", "Biovision motion", false},
    {"ase", "3D Studio Max ASE", false},
    {"ask", "3D Studio Max ASE", false},
    {"ms3d", "MilkShape 3D", false},
    {"lwo", "LightWave object", false},
    {"lws", "LightWave scene", false},
    {"lxo", "Modo", false},
    {"ac", "AC3D", false},
    {"iqm", "Inter-Quake model", false},
    {"pmx", "MikuMikuDance", false},
    {"3mf", "3D Manufacturing", false},
    {"amf", "Additive Manufacturing", false},
    {"off", "Object File Format", false},
    {"irr", "Irrlicht scene", false},
    {"irrmesh", "Irrlicht mesh", false},
    {"ogex", "Open Game Engine Exchange", false},
    {"mesh.xml", "Ogre mesh", false},
    {"x3d", "X3D", false},
    {"dxf", "AutoCAD DXF", false},
    {"nff", "Neutral File Format", false},
    {"enff", "Neutral File Format", false},
    {"ndo", "Nendo", false},
    {"hmp", "3D GameStudio terrain", false},
    {"ter", "Terragen", false},
    {"cob", "trueSpace", false},
    {"ifc", "Industry Foundation Classes", false},
    {"q3o", "Quick3D object", false},
    {"q3s", "Quick3D scene", false},
    {"sib", "Silo", false},
    {"xgl", "XGL", false},
    {"csm", "CharacterStudio motion", false},
    {"assbin", "Assimp binary", false},
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
