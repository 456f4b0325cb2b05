// web.h: what the sources of the WebAssembly module share.
// SPDX-License-Identifier: MIT

#ifndef TENON_WEB_H
#define TENON_WEB_H

#include <tenon/files.h>
#include <tenon/scene.h>

// The host calls an export by its name.
#define WEB_EXPORT(name) __attribute__((export_name(name))) extern

// The options of one call. Texts belong to the host, which frees them after the call.
typedef struct web_options {
    const char *model;  // The path of the model.
    const char *other;  // Of a second one, to compare it with.
    const char *from;   // Read the models as this format; NULL: found by content.
    const char *from_dialect;
    const char *output;    // The path of the file to write.
    const char *to;        // Its format; NULL: that of its extension.
    const char *as;        // Its dialect.
    const char *textures;  // "keep", "embed", "copy"; NULL: as the format is usually written.
    const char *grouping;  // GPB: "nodes", "encoder".
    const char *units;     // "keep", "meters"; NULL: as the target's engine expects.
    const char *profile;
    const char *clip;
    const char *style;  // Of a picture: "shaded", "normals", "uv", "colors", "wireframe".
    double seconds;
    double tolerance;
    double rate;
    double scale;
    double samples;
    double first, end;  // The range of a map; `end` 0: the end of the file.
    double max_per_rule;
    double node, primitive, triangle;  // To trace;
    double offset;                     // and back.
    double max_memory, max_output, max_work;
    double width, height, azimuth, elevation;  // Of a picture; degrees.
    double background[4];
    bool full, cells, verify, rest, strict, lead_in, without_materials, without_prefix;
    bool quantize, bones, without_textures;
} web_options;

// -- Results: JSON, as the command-line tool prints it with '--json'

typedef struct web_json {
    char *text;
    size_t size, room;
    bool needs_comma;
    bool failed;  // Out of memory.
} web_json;

// A value in a list has no key: NULL.
void web_json_begin(web_json *json, const char *key, char bracket);
void web_json_end(web_json *json, char bracket);
void web_json_bool(web_json *json, const char *key, bool value);
void web_json_uint(web_json *json, const char *key, uint64_t value);
void web_json_number(web_json *json, const char *key, double value);
void web_json_text(web_json *json, const char *key, const char *text);
// Text of a file; {"hex":"..."} if it is not UTF-8.
void web_json_str(web_json *json, const char *key, tenon_str text);
void web_json_hex(web_json *json, const char *key, const uint8_t *bytes, uint64_t size);
// Number `index` of an array of a file.
void web_json_typed(web_json *json, const char *key, tenon_type type, const uint8_t *bytes,
                    bool big_endian, uint64_t index);
// A list of what `items` has, which are values without brackets around them.
void web_json_list(web_json *json, const char *key, const web_json *items);
void web_json_error(web_json *json, const tenon_error *err);
void web_json_free(web_json *json);

// -- The call

// A call of the host: its options, what it costs and its result.
typedef struct web_call {
    web_options options;
    tenon_budget budget;
    uint64_t input_size;
    uint64_t *opened;  // Files that count as input already, by their numbers.
    size_t opened_count, opened_room;
    web_json json;    // The result.
    web_json losses;  // What a conversion lost: items of a list.
    web_json files;   // Names of files that were written: items of a list.
    tenon_error err;
} web_call;

// The only one: the module does one thing at a time.
extern web_call web;

tenon_allocator web_allocator(void);
tenon_events web_events(void);  // Progress and losses.
tenon_read_opts web_read_opts(void);

// Count the file of that number as input, unless it was counted before in this call.
void web_add_input(uint64_t number, uint64_t size);

// A file and its document.
typedef struct web_model {
    tenon_bytes bytes;
    tenon_doc *doc;
} web_model;

// On failure web.err is set and there is nothing to free.
bool web_model_read(web_model *model, const char *path);
void web_model_free(web_model *model);

// What a document is, in the members that every result about one starts with.
void web_put_document(const web_model *model, const tenon_info *info);

// Bytes that are written to memory; zeroed is empty. free() the data.
typedef struct web_bytes {
    uint8_t *data;
    size_t size, room;
    bool is_skipped;  // What is added now is not wanted.
} web_bytes;

bool web_bytes_add(void *user, const void *bytes, size_t size);

// A scene with its sidecars; NULL if web.err says why not. Clips of FBX files start at their first
// key, as conversions write them.
tenon_scene *web_load_scene(const char *path);

// -- Commands: each puts members of the result's object; false if web.err says why not.

bool web_info(void);
bool web_check(void);
bool web_map(void);
bool web_tree(void);
bool web_trace(void);
bool web_trace_back(void);
bool web_convert(void);
bool web_verify(void);
bool web_diff(void);
bool web_salvage(void);
bool web_render(void);
bool web_formats(void);

// -- What they share

bool web_fail(tenon_code code, const char *message);

// Report a loss as an item of web.losses.
void web_add_loss(void *user, const tenon_loss *loss);

// Add a written file to web.files.
bool web_add_file(void *user, const tenon_written_file *file);

void web_put_verdict(web_json *json, const tenon_verify_result *result);

#endif  // TENON_WEB_H
