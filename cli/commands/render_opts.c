// render_opts.c: the options of tenon render, and what their values mean.
// SPDX-License-Identifier: MIT

#include "commands/render_opts.h"

#include "input/paths.h"
#include "report/report.h"

#include <string.h>
#include <strings.h>

#define SIZE_DEFAULT   512
#define SHEET_DEFAULT  256
#define SIZE_MOST      32768
#define TURNTABLE_MOST 3600
#define RATE_MOST      1000
#define BACKGROUND     "#b4bdc8"
#define DEGREE         (3.14159265358979323846 / 180)

// -- Values

// "512" or "800x600"; false: something else.
static bool render_opts_read_size(const char *text, uint32_t size[2])
{
    const char *cross = strchr(text, 'x');
    size_t first = cross ? (size_t)(cross - text) : strlen(text);
    double width, height;
    if (strspn(text, "0123456789x") < strlen(text)) return false;
    if (!cli_read_decimal(text, first, &width)) return false;
    height = width;
    if (cross && !cli_read_decimal(cross + 1, strlen(cross + 1), &height)) return false;
    if (width < 1 || height < 1 || width > SIZE_MOST || height > SIZE_MOST) return false;
    size[0] = (uint32_t)width;
    size[1] = (uint32_t)height;
    return true;
}

static bool render_opts_read_angle(const char *text, size_t size, double *angle)
{
    bool is_negative = size > 0 && text[0] == '-';
    if (!cli_read_decimal(text + is_negative, size - is_negative, angle)) return false;
    *angle *= is_negative ? -DEGREE : DEGREE;
    return true;
}

// "front", or "AZ,EL" in degrees.
static bool render_opts_read_view(const char *text, double angles[2])
{
    static const struct {
        const char *name;
        double azimuth, elevation;
    } views[] = {
        {"front", 0, 0},
        {"right", 90, 0},
        {"back", 180, 0},
        {"left", -90, 0},
        {"top", 0, 90},
        {"bottom", 0, -90},
        {"iso", 45, 35.264389682754654},
    };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        if (strcmp(text, views[i].name) != 0) continue;
        angles[0] = views[i].azimuth * DEGREE;
        angles[1] = views[i].elevation * DEGREE;
        return true;
    }
    const char *comma = strchr(text, ',');
    return comma && render_opts_read_angle(text, (size_t)(comma - text), &angles[0]) &&
           render_opts_read_angle(comma + 1, strlen(comma + 1), &angles[1]);
}

static int render_opts_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// "none", a name, "#rgb", "#rrggbb" or "#rrggbbaa", with or without the '#'.
static bool render_opts_read_color(const char *text, double color[4])
{
    static const struct {
        const char *name, *value;
    } names[] = {
        {"none", "00000000"}, {"white", "ffffff"}, {"black", "000000"}, {"gray", "808080"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) text = names[i].value;
    text += *text == '#';
    size_t size = strlen(text), digits = size == 3 ? 1 : 2;
    if (size != 3 && size != 6 && size != 8) return false;
    color[3] = 1;
    for (size_t i = 0; i < size; i += digits) {
        int high = render_opts_digit(text[i]), low = render_opts_digit(text[i + digits - 1]);
        if (high < 0 || low < 0) return false;
        color[i / digits] = (16 * high + low) / 255.0;
    }
    return true;
}

// Whether a name says that the file is another picture or a video, which a PNG file in it would not
// be.
static bool render_opts_is_other_kind(const char *path)
{
    static const char *const others[] = {"jpg",  "jpeg", "gif", "bmp", "webp", "tga", "tif",
                                         "tiff", "svg",  "pdf", "mp4", "webm", "avi"};
    const char *name = path_base_name(path), *ending = name + path_stem_size(name);
    for (size_t i = 0; i < sizeof others / sizeof others[0] && *ending; i++)
        if (strcasecmp(ending + 1, others[i]) == 0) return true;
    return false;
}

int render_opts_finish(render_opts *opts, const cli_command *self)
{
    drawing_opts *drawn = &opts->drawing;
    uint32_t size[2] = {SIZE_DEFAULT, SIZE_DEFAULT};
    if (opts->sheet) size[0] = size[1] = SHEET_DEFAULT;
    double angles[2];
    if (opts->output && render_opts_is_other_kind(opts->output))
        return report_usage(self, "pictures are PNG files, and '%s' has another extension",
                            opts->output);
    if (opts->size && !render_opts_read_size(opts->size, size))
        return report_usage(self,
                            "invalid value '%s' for '--size': expected pixels such as 512 or "
                            "800x600, at most %d",
                            opts->size, SIZE_MOST);
    if (!render_opts_read_view(opts->view, angles))
        return report_usage(self,
                            "invalid value '%s' for '--view': expected front, back, left, right, "
                            "top, bottom, iso, or degrees such as 30,20",
                            opts->view);
    // Terminals have a background of their own.
    if (!opts->background) opts->background = opts->output ? BACKGROUND : "none";
    if (!render_opts_read_color(opts->background, drawn->background))
        return report_usage(self,
                            "invalid value '%s' for '--background': expected a color such as "
                            "'#20242c', white, black, gray or none",
                            opts->background);
    double seconds;
    if (drawn->at && !cli_read_decimal(drawn->at, strlen(drawn->at), &seconds))
        return report_usage(self, "invalid value '%s' for '--at': expected seconds such as 0.5",
                            drawn->at);
    if (opts->wireframe + opts->normals + opts->uv + opts->colors > 1)
        return report_usage(self, "'--wireframe', '--normals', '--uv' and '--colors' cannot be "
                                  "combined");
    if ((opts->turntable > 0) + (opts->play != NULL) + opts->sheet + opts->compare > 1)
        return report_usage(self, "'--turntable', '--play', '--sheet' and '--compare' cannot be "
                                  "combined");
    if (opts->play && (drawn->clip || drawn->at))
        return report_usage(self, "'--play' cannot be used with '--clip' or '--at'");
    if (opts->turntable > TURNTABLE_MOST)
        return report_usage(self, "'--turntable' takes at most %d frames", TURNTABLE_MOST);
    if (opts->rate > 0 && !opts->turntable && !opts->play)
        return report_usage(self, "'--rate' is for '--turntable' and '--play'");
    if (opts->rate > RATE_MOST)
        return report_usage(self, "'--rate' is at most %d frames per second", RATE_MOST);
    if (opts->play) drawn->clip = opts->play;
    drawn->width = size[0];
    drawn->height = size[1];
    drawn->azimuth = angles[0];
    drawn->elevation = angles[1];
    drawn->is_z_up = opts->source_up != 0;
    if (opts->wireframe) drawn->style = TENON_STYLE_WIREFRAME;
    if (opts->normals) drawn->style = TENON_STYLE_NORMALS;
    if (opts->uv) drawn->style = TENON_STYLE_UV;
    if (opts->colors) drawn->style = TENON_STYLE_COLORS;
    if (opts->edges) drawn->flags |= TENON_RENDER_EDGES;
    if (opts->bones) drawn->flags |= TENON_RENDER_BONES;
    if (opts->both_sides) drawn->flags |= TENON_RENDER_BOTH_SIDES;
    return CLI_GO_ON;
}

// -- The table

static const char *const axes[] = {"y", "z", NULL};

#define FIELD(field) offsetof(render_opts, field)

const cli_option render_options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT",
     .help = "the PNG file to write; a folder gets one for each FILE, such as hero.gpb.png; '-' "
             "is standard output",
     .field = FIELD(output)},
    {.long_name = "force", .help = "replace an existing output", .field = FIELD(force)},
    {.long_name = "sheet",
     .help = "all models in one picture, with their names",
     .field = FIELD(sheet)},
    {.long_name = "compare",
     .help = "two models side by side, and their distances as colors, with a scale",
     .field = FIELD(compare)},
    {.long_name = "turntable",
     .kind = CLI_SIZE,
     .metavar = "COUNT",
     .help = "an animation of so many frames all around the model; if OUT has #### in its name, "
             "one numbered file for each",
     .field = FIELD(turntable)},
    {.long_name = "play",
     .kind = CLI_TEXT,
     .metavar = "CLIP",
     .help = "an animation of this clip, in the same way",
     .field = FIELD(play)},
    {.long_name = "rate",
     .kind = CLI_NUMBER,
     .metavar = "FPS",
     .help = "frames per second",
     .fallback = "25; of turntables 10",
     .field = FIELD(rate)},
    {.long_name = "size",
     .kind = CLI_TEXT,
     .metavar = "WIDTHxHEIGHT",
     .help = "pixels of a picture, or of each model of a sheet; one number for both",
     .fallback = "512; in sheets 256",
     .field = FIELD(size)},
    {.long_name = "view",
     .kind = CLI_TEXT,
     .metavar = "VIEW",
     .help = "where it is seen from: front (+Z), back, left, right (+X), top, bottom, iso, or "
             "degrees to the right of the front and above the ground, such as 30,20",
     .fallback = "35,20",
     .field = FIELD(view)},
    {.long_name = "clip",
     .kind = CLI_TEXT,
     .metavar = "NAME",
     .help = "the clip to pose the model with; all of it fits into the picture",
     .fallback = "the rest pose",
     .field = FIELD(drawing.clip)},
    {.long_name = "at",
     .kind = CLI_TEXT,
     .metavar = "SECONDS",
     .help = "the time in '--clip', or in the only clip",
     .fallback = "0",
     .field = FIELD(drawing.at)},
    {.long_name = "model",
     .kind = CLI_FILE,
     .metavar = "FILE",
     .help = "the model that FILE is an animation of",
     .fallback = "for 'hero_walk.bbanim', 'hero.bbmod' beside it",
     .field = FIELD(drawing.model)},
    {.long_name = "source-up",
     .kind = CLI_CHOICE,
     .metavar = "AXIS",
     .help = "up axis of the model, if its file does not say: y or z",
     .fallback = "y",
     .choices = axes,
     .field = FIELD(source_up)},
    {.long_name = "background",
     .kind = CLI_TEXT,
     .metavar = "COLOR",
     .help = "'#rrggbb', '#rrggbbaa', white, black, gray, or none for transparent",
     .fallback = BACKGROUND ", in a terminal none",
     .field = FIELD(background)},
    {.long_name = "wireframe", .help = "edges of triangles alone", .field = FIELD(wireframe)},
    {.long_name = "edges", .help = "edges of triangles on the surface", .field = FIELD(edges)},
    {.long_name = "bones", .help = "joints and bones in front", .field = FIELD(bones)},
    {.long_name = "normals",
     .help = "directions of the surface: x, y, z as red, green, blue",
     .field = FIELD(normals)},
    {.long_name = "uv", .help = "texture coordinates as squares", .field = FIELD(uv)},
    {.long_name = "colors", .help = "vertex colors alone", .field = FIELD(colors)},
    {.long_name = "no-textures",
     .help = "materials without their textures",
     .field = FIELD(drawing.without_textures)},
    {.long_name = "both-sides",
     .help = "also show triangles from behind where materials hide that",
     .field = FIELD(both_sides)},
    {0},
};
