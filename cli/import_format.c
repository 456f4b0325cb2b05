// import_format.c: the formats that only tenon-import reads, and where that is.
// SPDX-License-Identifier: MIT

#define _POSIX_C_SOURCE 200809L

#include "import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// -- Formats

static const import_format formats[] = {
    {"fbx", "Autodesk FBX"},
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

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Whether "hero.FBX" ends in ".fbx".
static bool has_extension(const char *file, const char *extension)
{
    size_t size = strlen(file), end = strlen(extension);
    if (size < end + 2 || file[size - end - 1] != '.') return false;
    for (size_t i = 0; i < end; i++)
        if (lower(file[size - end + i]) != extension[i]) return false;
    return true;
}

const import_format *import_format_of(const char *file, const void *data, size_t size)
{
    static const char magic[] = "Kaydara FBX Binary";
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (has_extension(file, formats[i].name)) return &formats[i];
    bool is_fbx = size >= sizeof magic - 1 && memcmp(data, magic, sizeof magic - 1) == 0;
    return is_fbx ? &formats[0] : NULL;
}

// -- The program

#define PROGRAM "tenon-import"

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool join(const char *folder, size_t folder_size, const char *rest, char *out, size_t size)
{
    int used = snprintf(out, size, "%.*s/%s", (int)folder_size, folder, rest);
    return used > 0 && (size_t)used < size && is_program(out);
}

// Beside this program, or where it is installed.
static bool find_beside(char *out, size_t size)
{
    char self[4096];
    ssize_t used = readlink("/proc/self/exe", self, sizeof self - 1);
    if (used <= 0) return false;
    self[used] = '\0';
    const char *slash = strrchr(self, '/');
    if (!slash) return false;
    size_t folder = (size_t)(slash - self);
    return join(self, folder, PROGRAM, out, size) ||
           join(self, folder, "../libexec/tenon/" PROGRAM, out, size);
}

static bool find_on_path(char *out, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t folder = strcspn(path, ":");
        if (folder > 0 && join(path, folder, PROGRAM, out, size)) return true;
        path += folder + (path[folder] == ':');
    }
    return false;
}

bool import_find_program(char *out, size_t size)
{
    const char *told = getenv("TENON_IMPORT");
    if (!told) return find_beside(out, size) || find_on_path(out, size);
    int used = snprintf(out, size, "%s", told);
    return used > 0 && (size_t)used < size && is_program(out);
}

bool import_is_there(void)
{
    char path[4096];
    return import_find_program(path, sizeof path);
}
