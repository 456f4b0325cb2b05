// robust_properties.h: what is true for every input, accepted or refused; also for the fuzzers.
// SPDX-License-Identifier: MIT
//
// Each function returns NULL if all is well, or what is wrong.

#ifndef TENON_TESTS_ROBUST_PROPERTIES_H
#define TENON_TESTS_ROBUST_PROPERTIES_H

#include <stdlib.h>
#include <string.h>

#include <tenon/scene.h>

// -- Refused

// Whether bytes alone can be the reason.
static inline bool blames_input(tenon_code code)
{
    switch (code) {
    case TENON_ERR_TRUNCATED:
    case TENON_ERR_FORMAT:
    case TENON_ERR_AMBIGUOUS:
    case TENON_ERR_VERSION:
    case TENON_ERR_VALUE:
    case TENON_ERR_TRAILING:
    case TENON_ERR_LIMIT:
        return true;
    default:
        return false;
    }
}

static inline const char *fault_in_error(const tenon_error *err, uint64_t size)
{
    if (!blames_input(err->code)) return "the code does not blame the input";
    if (err->offset > size) return "the offset is not in the input";
    if (!err->message[0]) return "there is no message";
    if (!memchr(err->message, 0, sizeof err->message)) return "the message has no end";
    if (!memchr(err->path, 0, sizeof err->path)) return "the path has no end";
    return NULL;
}

// -- Written

typedef struct compared {
    const uint8_t *expected;
    uint64_t size, at;
    bool differs;
} compared;

static inline bool compare_bytes(void *user, const void *bytes, size_t size)
{
    compared *c = user;
    if (size > c->size - c->at || memcmp(c->expected + c->at, bytes, size) != 0) c->differs = true;
    if (c->differs) return false;
    c->at += size;
    return true;
}

static inline const char *fault_in_writing(const tenon_doc *doc, const void *data, uint64_t size)
{
    compared c = {.expected = data, .size = size};
    tenon_error err;
    uint64_t measured = tenon_write(doc, NULL, NULL, &err);
    if (measured != size) return "measuring gives another size";
    uint64_t written = tenon_write(doc, compare_bytes, &c, &err);
    if (c.differs) return "it is not written back byte for byte";
    if (written != size || c.at != size) return "it is not written to its end";
    return NULL;
}

typedef struct growing_bytes {
    uint8_t *data;
    size_t size, room;
} growing_bytes;

// A tenon_write_fn that collects everything; the caller frees `data`.
static inline bool append_bytes(void *user, const void *bytes, size_t size)
{
    growing_bytes *g = user;
    if (size > g->room - g->size) {
        size_t room = 2 * (g->size + size);
        uint8_t *data = realloc(g->data, room);
        if (!data) return false;
        g->data = data;
        g->room = room;
    }
    if (size) memcpy(g->data + g->size, bytes, size);
    g->size += size;
    return true;
}

// The dump is complete: the same bytes are built from it.
static inline const char *fault_in_twin(const tenon_doc *doc, const void *data, uint64_t size)
{
    growing_bytes json = {0};
    compared c = {.expected = data, .size = size};
    tenon_error err;
    const char *fault = NULL;
    if (!tenon_dump(doc, append_bytes, &json, &err))
        fault = "it cannot be dumped";
    else if (!tenon_build((const char *)json.data, json.size, NULL, compare_bytes, &c, &err))
        fault = c.differs ? "its dump is built differently" : "its dump cannot be built";
    else if (c.at != size)
        fault = "its dump is not built to its end";
    free(json.data);
    return fault;
}

// -- Mapped

typedef struct mapped {
    const uint8_t *data;
    uint64_t size, end;
    const char *fault;
    bool has_rest;
} mapped;

static inline bool follow_part(void *user, const tenon_part *part)
{
    mapped *m = user;
    if (m->has_rest) m->fault = "a part of the map follows the rest";
    if (part->offset < m->end) m->fault = "parts of the map overlap";
    if (part->offset > m->end) m->fault = "the map has a gap";
    if (m->fault) return false;
    if (part->size > m->size - part->offset) {
        m->fault = "the map leaves the input";
        return false;
    }
    bool has_bytes = part->kind != TENON_PART_INFERRED;
    if (has_bytes && part->size && part->bytes != m->data + part->offset)
        m->fault = "the bytes of a part are not those of the input";
    if (!has_bytes && part->size) m->fault = "an inferred part has bytes";
    m->has_rest = part->kind == TENON_PART_REMAINDER;
    m->end = part->offset + part->size;
    return m->fault == NULL;
}

// `accepted`: whether reading with the same options succeeds.
static inline const char *fault_in_map(const void *data, uint64_t size, const tenon_read_opts *opts,
                                       bool accepted)
{
    mapped m = {.data = data, .size = size};
    tenon_error err;
    bool whole = tenon_map(data, (size_t)size, opts, follow_part, &m, &err);
    if (m.fault) return m.fault;
    if (whole != accepted) return "mapping and reading disagree";
    if (whole && m.has_rest) return "the map of a whole file has a rest";
    if (m.end != size) return "the map ends before the input";
    return whole ? NULL : fault_in_error(&err, size);
}

// -- Checked, and looked into

typedef struct judged {
    uint64_t size, last_offset, reported;
    bool whole;  // Every field of the document has a place.
    const char *fault;
} judged;

static inline void follow_finding(void *user, const tenon_finding *f)
{
    judged *j = user;
    j->reported += 1 + f->more;
    if (f->offset != TENON_ABSENT && f->offset > j->size) j->fault = "a finding is not in the file";
    if (f->offset == TENON_ABSENT && f->path[0] && j->whole) j->fault = "a finding has no place";
    if (f->offset < j->last_offset) j->fault = "findings are not in file order";
    if (!f->message[0]) j->fault = "a finding has no message";
    if (f->severity != f->rule->severity) j->fault = "a finding is not as severe as its rule";
    j->last_offset = f->offset;
}

// `whole`: nothing is missing in the document.
static inline const char *fault_in_check(const tenon_doc *doc, uint64_t size, bool whole)
{
    judged j = {.size = size, .whole = whole};
    tenon_check_result result;
    tenon_error err;
    if (!tenon_check(doc, NULL, follow_finding, &j, &result, &err)) return "it cannot be checked";
    if (j.reported != result.errors + result.warnings + result.infos)
        return "findings are reported and counted differently";
    return j.fault;
}

static inline const char *fault_in_info(tenon_doc *doc)
{
    tenon_info info;
    tenon_error err;
    if (!tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &err))
        return "there is no information about it";
    const char *fault = NULL;
    if (!memchr(info.version, 0, sizeof info.version)) fault = "the version has no end";
    if (info.clip_count && !info.clips) fault = "there are no clips, but they are counted";
    if (info.material_count && !info.material_list) fault = "materials are counted, but not there";
    tenon_info_free(&info);
    return fault;
}

// -- All of it

// `doc` was read from `data` with `opts`.
static inline const char *fault_in_accepted(tenon_doc *doc, const void *data, uint64_t size,
                                            const tenon_read_opts *opts)
{
    const char *fault = fault_in_writing(doc, data, size);
    if (!fault) fault = fault_in_map(data, size, opts, true);
    if (!fault) fault = fault_in_check(doc, size, true);
    if (!fault) fault = fault_in_info(doc);
    return fault;
}

// The part of a refused input that could be read can be used like any document.
static inline const char *fault_in_partial(const void *data, uint64_t size,
                                           const tenon_read_opts *opts)
{
    tenon_read_opts partial = *opts;
    tenon_error err, ignored;
    partial.partial = true;
    tenon_doc *doc = tenon_read(data, (size_t)size, &partial, &err);
    const char *fault = fault_in_error(&err, size);
    if (doc && !fault) fault = fault_in_check(doc, size, false);
    if (doc && !fault) fault = fault_in_info(doc);
    if (doc) tenon_write(doc, NULL, NULL, &ignored);
    tenon_doc_free(doc);
    return fault;
}

// -- Salvaged

static inline void follow_cut(void *user, const tenon_cut *cut)
{
    judged *j = user;
    if (cut->offset > j->size) j->fault = "a cut is not in the file";
    if (cut->kept >= cut->stated) j->fault = "a cut list lacks nothing";
    if (!cut->path[0]) j->fault = "a cut has no path";
}

// Some formats cannot be completed, or hold no scene.
static inline const char *fault_in_refusal(const tenon_error *err)
{
    return err->code == TENON_ERR_UNSUPPORTED ? NULL : fault_in_error(err, TENON_ABSENT);
}

// What was completed is written, and its format reads it.
static inline const char *fault_in_mended(tenon_doc *doc)
{
    tenon_error err;
    if (!tenon_recover(doc, NULL, &err)) return fault_in_refusal(&err);
    growing_bytes file = {0};
    tenon_read_opts opts = {.format = doc->format->name, .dialect = doc->dialect->name};
    const char *fault = NULL;
    if (tenon_write(doc, append_bytes, &file, &err) == TENON_ABSENT) {
        fault = fault_in_refusal(&err);
    } else {
        tenon_doc *again = tenon_read(file.data, file.size, &opts, &err);
        if (!again && err.code != TENON_ERR_LIMIT) fault = "what was made whole cannot be read";
        tenon_doc_free(again);
    }
    free(file.data);
    return fault;
}

static inline const char *fault_in_scene(const tenon_doc *doc)
{
    tenon_error err;
    tenon_scene_opts opts = {.salvage = true, .max_memory = (uint64_t)64 << 20};
    tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
    const char *fault = scene ? NULL : fault_in_refusal(&err);
    if (scene && !tenon_scene_check(scene, &err)) fault = "a salvaged scene does not hold";
    tenon_scene_free(scene);
    return fault;
}

// What can be recovered from any input.
static inline const char *fault_in_salvage(const void *data, uint64_t size,
                                           const tenon_read_opts *opts)
{
    tenon_read_opts torn = *opts;
    tenon_error err;
    judged j = {.size = size};
    torn.partial = torn.incomplete = true;
    tenon_doc *doc = tenon_read(data, (size_t)size, &torn, &err);
    if (!doc) return NULL;
    tenon_cuts(doc, follow_cut, &j);
    const char *fault = j.fault ? j.fault : fault_in_check(doc, size, false);
    if (!fault) fault = fault_in_info(doc);
    if (!fault) fault = fault_in_scene(doc);
    if (!fault) fault = fault_in_mended(doc);
    if (!fault) fault = fault_in_scene(doc);
    tenon_doc_free(doc);
    return fault;
}

static inline const char *fault_in_refused(const tenon_error *err, const void *data, uint64_t size,
                                           const tenon_read_opts *opts)
{
    const char *fault = fault_in_error(err, size);
    if (!fault) fault = fault_in_map(data, size, opts, false);
    if (!fault) fault = fault_in_partial(data, size, opts);
    return fault;
}

// Read, and use the result; also its dump if `with_twin`.
static inline const char *fault_in_reading(const void *data, uint64_t size,
                                           const tenon_read_opts *opts, bool with_twin)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(data, (size_t)size, opts, &err);
    if (!doc) return fault_in_refused(&err, data, size, opts);
    const char *fault = err.code == TENON_OK ? NULL : "it is accepted, but with an error";
    if (!fault) fault = fault_in_accepted(doc, data, size, opts);
    if (!fault && with_twin) fault = fault_in_twin(doc, data, size);
    tenon_doc_free(doc);
    return fault;
}

#endif  // TENON_TESTS_ROBUST_PROPERTIES_H
