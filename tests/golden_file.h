// golden_file.h: what the library reports about the files of a format, and their scenes.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GOLDEN_FILE_H
#define TENON_TESTS_GOLDEN_FILE_H

#include "golden_scene.h"

// -- Documents

static inline void golden_say_count(golden_text *text, const char *name, uint64_t count)
{
    if (count != TENON_ABSENT) golden_say(text, " %s %" PRIu64, name, count);
}

static inline void golden_say_info(golden_text *text, tenon_doc *doc, const char *path, bool full)
{
    tenon_info info;
    const tenon_info_opts opts = {.full = full, .model_path = full ? path : NULL};
    CHECK(tenon_doc_info(doc, &opts, &info, NULL));
    golden_say(text, "info version %s", info.version);
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"meshes", info.meshes},        {"vertices", info.vertices},
                  {"triangles", info.triangles},  {"nodes", info.nodes},
                  {"joints", info.joints},        {"animations", info.animations},
                  {"channels", info.channels},    {"frames", info.frames},
                  {"materials", info.materials},  {"fonts", info.fonts},
                  {"font sizes", info.font_sizes}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        golden_say_count(text, counts[i].name, counts[i].count);
    golden_say(text, "\n");
    if (info.has_bounds) golden_say_box(text, "told", true, info.bounds_min, info.bounds_max);
    for (uint32_t i = 0; i < info.clip_count; i++) {
        const tenon_clip_info *clip = &info.clips[i];
        golden_say(text, "  clip");
        golden_say_str(text, clip->name);
        golden_say_numbers(text, "seconds", &clip->seconds, 1);
        golden_say_count(text, "channels", clip->channels);
        golden_say_count(text, "frames", clip->frames);
        if (clip->has_flags) golden_say(text, " loop %d hold %d", clip->loop, clip->hold);
        golden_say(text, "\n");
    }
    for (uint32_t i = 0; i < info.material_count; i++) {
        golden_say(text, "  material");
        golden_say_str(text, info.material_list[i].name);
        golden_say_str(text, info.material_list[i].texture);
        golden_say(text, "\n");
    }
    for (uint32_t i = 0; i < info.fact_count; i++)
        golden_say(text, "  %s: %s\n", info.facts[i].label, info.facts[i].text);
    tenon_info_free(&info);
}

static inline bool golden_say_tree_node(void *user, const tenon_tree_node *node)
{
    golden_text *text = user;
    golden_say(text, "tree %*s%s", (int)node->depth, "", node->kind);
    golden_say_str(text, node->name);
    golden_say(text, "%s%s\n", node->what[0] ? " " : "", node->what);
    return true;
}

static inline void golden_say_finding(void *user, const tenon_finding *f)
{
    static const char *const words[] = {"info", "warning", "error"};
    golden_text *text = user;
    golden_say(text, "%s %s %s", words[f->severity], f->rule->id, f->path);
    if (f->offset != TENON_ABSENT) golden_say(text, " at %" PRIu64, f->offset);
    golden_say(text, ": %s", f->message);
    if (f->more) golden_say(text, " (%" PRIu64 " more)", f->more);
    golden_say(text, "\n");
}

static inline void golden_say_check(golden_text *text, const tenon_doc *doc, const char *path,
                                    const char *profile)
{
    tenon_doc *model = golden_model_of(doc, path);
    tenon_check_opts opts = {
        .model_path = path, .profile = profile, .max_per_rule = 3, .model = model};
    tenon_check_result result;
    CHECK(tenon_check(doc, &opts, golden_say_finding, text, &result, NULL));
    golden_say(text, "check%s%s: %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " infos\n",
               profile ? " " : "", profile ? profile : "", result.errors, result.warnings,
               result.infos);
    tenon_doc_free(model);
}

// The map, as a number of parts and a hash of all their texts.
typedef struct golden_map {
    uint64_t count, hash;
} golden_map;

static inline bool golden_map_part(void *user, const tenon_part *part)
{
    golden_map *map = user;
    const uint64_t numbers[] = {part->kind,       part->offset,
                                part->size,       part->type,
                                part->count,      part->text.size,
                                part->big_endian, golden_hash(part->path, strlen(part->path))};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        map->hash = golden_mix(map->hash, numbers[i]);
    for (uint32_t i = 0; part->layout && i < part->layout->element_count; i++) {
        const tenon_element *e = &part->layout->elements[i];
        map->hash = golden_mix(map->hash, golden_hash(e->name, strlen(e->name)) + e->count);
        map->hash = golden_mix(map->hash, e->type + 16 * e->offset);
    }
    map->count++;
    return true;
}

static inline void golden_say_side(void *user, const char *name)
{
    golden_say(user, "side %s\n", name);
}

// The dump's text, without its first lines, which name the version of the library.
static inline void golden_say_maps(golden_text *text, const golden_file *file, const tenon_doc *doc)
{
    tenon_read_opts opts = {.name = file->path};
    golden_map map = {0};
    golden_text json = {0};
    CHECK(tenon_map(file->data, file->size, &opts, golden_map_part, &map, NULL));
    golden_say(text, "map: %" PRIu64 " parts", map.count);
    golden_say_hash(text, map.hash);
    golden_say(text, "\n");
    CHECK(tenon_dump(doc, append_bytes, &json, NULL));
    golden_say_bytes(text, "dump", &json);
    CHECK(tenon_sidecars(doc, file->path, golden_say_side, text));
    free(json.data);
}

// -- Changes within the format

static inline void golden_say_written(golden_text *text, const tenon_doc *doc)
{
    golden_text bytes = {0};
    tenon_error err;
    if (tenon_write(doc, append_bytes, &bytes, &err) != TENON_ABSENT)
        golden_say_bytes(text, "  written", &bytes);
    else
        golden_say_error(text, &err);
    free(bytes.data);
}

// The file that is written, and a hash of the document's contents.
static inline void golden_say_changed(golden_text *text, tenon_doc *doc, const char *path)
{
    golden_text rest = {0};
    golden_say_written(text, doc);
    golden_say_info(&rest, doc, path, false);
    golden_say_check(&rest, doc, path, NULL);
    tenon_scene_free(golden_say_scene_of(&rest, doc, path, false));
    golden_say_bytes(text, "  changed", &rest);
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)rest.size, (char *)rest.data);
    free(rest.data);
}

static inline void golden_say_change(golden_text *text, const golden_file *file,
                                     tenon_change_opts opts)
{
    tenon_doc *doc = golden_read(file);
    tenon_error err;
    if (!doc) return;
    tenon_doc *model = golden_model_of(doc, file->path);
    opts.model = model;
    opts.events.on_loss = golden_say_loss;
    opts.events.user = text;
    golden_say(text, "change to %s spaces %" PRIu32 "%s\n", opts.dialect ? opts.dialect : "itself",
               opts.spaces, opts.refresh ? " refreshed" : "");
    if (tenon_change(doc, &opts, &err))
        golden_say_changed(text, doc, file->path);
    else
        golden_say_error(text, &err);
    tenon_doc_free(doc);
    tenon_doc_free(model);
}

static inline void golden_say_merge(golden_text *text, const golden_file *file,
                                    const golden_file *other)
{
    tenon_doc *into = golden_read(file), *from = golden_read(other);
    tenon_error err;
    tenon_merge_opts opts = {.events = {.user = text, .on_loss = golden_say_loss}};
    golden_say(text, "merge with %s\n", other->name);
    if (into && from && tenon_merge(into, from, &opts, &err))
        golden_say_changed(text, into, file->path);
    else if (into && from)
        golden_say_error(text, &err);
    tenon_doc_free(into);
    tenon_doc_free(from);
}

// -- Damage

static inline void golden_say_cut(void *user, const tenon_cut *cut)
{
    golden_say(user, "  cut %s at %" PRIu64 ": %" PRIu64 " of %" PRIu64 "\n", cut->path,
               cut->offset, cut->kept, cut->stated);
}

// What can be recovered from a broken file: where the error is, and a hash of the rest.
static inline void golden_say_broken(golden_text *text, const golden_file *file,
                                     const uint8_t *data, size_t size)
{
    tenon_error err;
    tenon_read_opts opts = {
        .name = file->path, .format = file->format->name, .partial = true, .incomplete = true};
    golden_text rest = {0};
    tenon_doc *doc = tenon_read(data, size, &opts, &err);
    golden_say(text, "%s", tenon_code_word(err.code));
    if (err.code && err.offset != TENON_ABSENT) golden_say(text, " at %" PRIu64, err.offset);
    if (err.code && err.path[0]) golden_say(text, " %s", err.path);
    if (err.code) golden_say_error(&rest, &err);
    if (doc) {
        tenon_change_opts mend = {.events = {.user = &rest, .on_loss = golden_say_loss}};
        tenon_cuts(doc, golden_say_cut, &rest);
        golden_say_check(&rest, doc, NULL, NULL);
        golden_say_info(&rest, doc, file->path, false);
        tenon_scene_free(golden_say_scene_of(&rest, doc, NULL, true));
        if (tenon_recover(doc, &mend, &err))
            golden_say_written(&rest, doc);
        else
            golden_say_error(&rest, &err);
    }
    if (rest.size) golden_say_hash(text, golden_hash(rest.data, rest.size));
    golden_say(text, "\n");
    if (golden_is_loud)
        fprintf(stderr, "%.*s\n", (int)rest.size, rest.size ? (char *)rest.data : "");
    tenon_doc_free(doc);
    free(rest.data);
}

// The file cut in some places, and with some bytes changed in others: the same ones each time.
static inline void golden_say_damage(golden_text *text, const golden_file *file)
{
    for (size_t i = 1; i < 8 && i < file->size; i++) {
        size_t size = file->size * i / 8;
        uint8_t *data = malloc(size + !size);
        if (!data) exit(1);
        memcpy(data, file->data, size);
        golden_say(text, "cut at %zu: ", size);
        golden_say_broken(text, file, data, size);
        free(data);
    }
    for (size_t i = 0; i < 12 && file->size; i++) {
        uint8_t *data = malloc(file->size);
        if (!data) exit(1);
        size_t at = (size_t)(golden_mix(file->size, i) % file->size);
        memcpy(data, file->data, file->size);
        data[at] ^= (uint8_t)(i % 3 == 0 ? 0xff : 1 << i % 8);
        golden_say(text, "%zu is %d: ", at, data[at]);
        golden_say_broken(text, file, data, file->size);
        free(data);
    }
}

// Implausible words: NaN in either byte order, huge counts, zero, and lengths that no model has.
static const uint8_t golden_words[][4] = {
    {0, 0, 0xc0, 0x7f}, {0x7f, 0xc0, 0, 0},       {0xff, 0xff, 0xff, 0xff}, {0, 0, 0, 0},
    {1, 0, 0, 0},       {0xca, 0xf2, 0x49, 0x71}, {0x71, 0x49, 0xf2, 0xca}, {0, 0, 0x80, 0xbf}};

// The places of some parts of a file, all about equally likely.
typedef struct golden_places {
    size_t items[4096], count;
} golden_places;

static inline bool golden_add_place(void *user, const tenon_part *part)
{
    golden_places *places = user;
    size_t at = (size_t)part->offset, words = (size_t)part->size / 4;
    // The start of a part, and a word somewhere in it.
    if (words && places->count + 2 <= sizeof places->items / sizeof places->items[0]) {
        places->items[places->count++] = at;
        places->items[places->count++] = at + 4 * (size_t)(golden_mix(at, words) % words);
    }
    return true;
}

// One hash of what is recovered from the file with each of many words replaced by others.
static inline void golden_say_more_damage(golden_text *text, const golden_file *file)
{
    enum { TIMES = 80, KINDS = sizeof golden_words / sizeof golden_words[0] };
    tenon_read_opts opts = {.name = file->path};
    golden_text all = {0};
    golden_places *places = calloc(1, sizeof *places);
    uint8_t *data = malloc(file->size + 1);
    if (!places || !data) exit(1);
    CHECK(tenon_map(file->data, file->size, &opts, golden_add_place, places, NULL));
    for (size_t i = 0; i < TIMES && i < places->count; i++) {
        size_t count = places->count, at = places->items[count > TIMES ? i * count / TIMES : i];
        memcpy(data, file->data, file->size);
        memcpy(data + at, golden_words[golden_mix(at, i) % KINDS], 4);
        golden_say(&all, "word at %zu: ", at);
        golden_say_broken(&all, file, data, file->size);
    }
    golden_say_bytes(text, "other words", &all);
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)all.size, all.size ? (char *)all.data : "");
    free(all.data);
    free(places);
    free(data);
}

// Put the text with one of its words, the one numbered `index` of `times` that are spread over it,
// replaced by another into `changed`. Returns the place of the word; 0 if there is none.
static inline size_t golden_change_word(golden_text *changed, const uint8_t *data, size_t size,
                                        size_t index, size_t times)
{
    static const char *const words[] = {"-1",   "0",    "1",  "2",     "1e40", "nan", "x", "1//1",
                                        "null", "true", "[]", "\"x\"", "0.5",  "",    "7", "-0.25"};
    const char *ends = " \t\r\n,:[]{}/";
    size_t count = 0, wanted, at = 0, rest;
    for (size_t i = 1; i < size; i++) count += strchr(ends, data[i - 1]) && !strchr(ends, data[i]);
    if (index >= count) return 0;
    wanted = count > times ? index * count / times : index;
    for (size_t i = 1; i < size && !at; i++)
        if (strchr(ends, data[i - 1]) && !strchr(ends, data[i]) && wanted-- == 0) at = i;
    for (rest = at; rest < size && !strchr(ends, data[rest]);) rest++;
    const char *word = words[golden_mix(at, index) % (sizeof words / sizeof words[0])];
    changed->size = 0;
    append_bytes(changed, data, at);
    append_bytes(changed, word, strlen(word));
    append_bytes(changed, data + rest, size - rest);
    return at;
}

// One hash of what is recovered from a text with each of many words replaced by another.
static inline void golden_say_other_text(golden_text *text, const golden_file *file)
{
    enum { TIMES = 400 };
    golden_text all = {0}, changed = {0};
    for (size_t i = 0, at; i < TIMES; i++) {
        if ((at = golden_change_word(&changed, file->data, file->size, i, TIMES)) == 0) break;
        golden_say(&all, "word at %zu: ", at);
        golden_say_broken(&all, file, changed.data, changed.size);
    }
    golden_say_bytes(text, "other text", &all);
    if (golden_is_loud) fprintf(stderr, "%.*s", (int)all.size, all.size ? (char *)all.data : "");
    free(all.data);
    free(changed.data);
}

// Which words of arrays become huge.
typedef struct golden_huge {
    golden_places places;
    bool big_endian;
} golden_huge;

static inline bool golden_add_huge(void *user, const tenon_part *part)
{
    golden_huge *huge = user;
    if (part->type == TENON_TYPE_RECORDS || part->type == TENON_TYPE_F32)
        golden_add_place(&huge->places, part);
    huge->big_endian = part->big_endian;
    return true;
}

// What recovery leaves out of a file of many numbers when one of them is far too large.
static inline void golden_say_mended(golden_text *text, const golden_file *file)
{
    enum { TIMES = 200 };
    tenon_read_opts opts = {.name = file->path, .partial = true, .incomplete = true};
    golden_huge *huge = calloc(1, sizeof *huge);
    uint8_t *data = malloc(file->size + 1);
    if (!huge || !data) exit(1);
    CHECK(tenon_map(file->data, file->size, &opts, golden_add_huge, huge, NULL));
    size_t count = huge->places.count, step = count / TIMES + 1;
    for (size_t i = 0; i < count; i += step) {
        golden_text losses = {0};
        tenon_change_opts mend = {.events = {.user = &losses, .on_loss = golden_say_loss}};
        memcpy(data, file->data, file->size);
        memcpy(data + huge->places.items[i], golden_words[huge->big_endian ? 6 : 5], 4);
        tenon_doc *doc = tenon_read(data, file->size, &opts, NULL);
        if (doc && tenon_recover(doc, &mend, NULL)) golden_say_written(&losses, doc);
        golden_say(text, "huge at %zu:", huge->places.items[i]);
        golden_say_hash(text, golden_hash(losses.data, losses.size));
        golden_say(text, "\n");
        if (golden_is_loud) fprintf(stderr, "%.*s", (int)losses.size, (char *)losses.data);
        tenon_doc_free(doc);
        free(losses.data);
    }
    free(huge);
    free(data);
}

// -- Files of a format

static inline void golden_tell_file(golden_book *book, const golden_file *file,
                                    const golden_file *next)
{
    golden_text text = {0};
    tenon_doc *doc = golden_read(file);
    if (!doc) return;
    golden_say(&book->text, "== %s\n", file->path);
    golden_say(&text, "read: %s%s%s\n", doc->dialect->name, doc->also ? " or " : "",
               doc->also ? doc->also->name : "");
    golden_say_maps(&text, file, doc);
    golden_add(book, "map", file->name, &text);
    golden_say_info(&text, doc, file->path, true);
    CHECK(tenon_tree(doc, golden_say_tree_node, &text, NULL));
    golden_add(book, "info", file->name, &text);
    golden_say_check(&text, doc, file->path, NULL);
    for (uint32_t i = 0; tenon_profile_at(i); i++)
        golden_say_check(&text, doc, file->path, tenon_profile_at(i));
    golden_add(book, "check", file->name, &text);
    tenon_scene_free(golden_say_scene_of(&text, doc, file->path, false));
    golden_add(book, "scene", file->name, &text);
    tenon_doc_free(doc);
    // Of many dialects each file uses some, the next file others.
    uint32_t count = file->format->dialect_count, step = count > 12 ? 6 : 1;
    for (uint32_t i = (uint32_t)book->part_count % step; i < count; i += step)
        golden_say_change(&text, file,
                          (tenon_change_opts){.dialect = file->format->dialects[i].name});
    golden_say_change(&text, file, (tenon_change_opts){.refresh = true});
    for (uint32_t spaces = 1; spaces < 8 && strcmp(file->format->name, "bbanim") == 0; spaces++)
        golden_say_change(&text, file, (tenon_change_opts){.spaces = spaces});
    golden_add(book, "change", file->name, &text);
    golden_say_merge(&text, file, next);
    golden_add(book, "merge", file->name, &text);
    if (file->is_large) return;
    golden_say_damage(&text, file);
    golden_say_more_damage(&text, file);
    if (!memchr(file->data, 0, file->size)) golden_say_other_text(&text, file);
    if (strncmp(file->path, "samples/", 8) == 0) golden_say_mended(&text, file);
    golden_add(book, "damage", file->name, &text);
}

static inline void golden_tell_files(const char *format)
{
    golden_book *book = golden_begin();
    golden_files *files = golden_collect(format);
    CHECK(files->count > 1);
    for (size_t i = 0; i < files->count; i++)
        golden_tell_file(book, &files->items[i], &files->items[(i + 1) % files->count]);
    golden_compare(book, format);
    golden_free_files(files);
}

#endif  // TENON_TESTS_GOLDEN_FILE_H
