// test_obj_import_plain.c: plain OBJ statements, which have a fast path, mean the same as others.
// SPDX-License-Identifier: MIT

#include "hand_scene.h"
#include "obj_import_help.h"

#define COUNT     300     // Vertices.
#define TEXT_SIZE 200000  // Enough for all lines.

// How the words of a line are put together; the first two are plain.
static const struct {
    const char *blank, *end;
} forms[] = {{" ", "\n"},     {"  ", " \r\n"}, {"\t", "\n"},      {"   ", "\r\n"},
             {" \\\n", "\n"}, {" \v", "\r"},   {" ", " # why\n"}, {" \\\r\n ", "\n\n"}};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

typedef struct writing {
    char *text;
    size_t used;
    int form;
    uint64_t state;
} writing;

static uint32_t next_random(writing *w, uint32_t below)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->state >> 33) % below;
}

static void put(writing *w, const char *word)
{
    size_t size = strlen(word);
    if (w->used + size + 1 > TEXT_SIZE) exit(1);
    memcpy(w->text + w->used, word, size + 1);
    w->used += size;
}

static void put_number(writing *w)
{
    char word[48];
    uint32_t whole = next_random(w, 3) ? next_random(w, 3) : next_random(w, 100000000);
    int places = (int)next_random(w, 18);
    const char *sign = next_random(w, 2) ? "-" : "";
    if (places)
        snprintf(word, sizeof word, "%s%u.%0*u", sign, (unsigned)whole, places,
                 (unsigned)next_random(w, 2000000000));
    else
        snprintf(word, sizeof word, "%s%u", sign, (unsigned)whole);
    put(w, forms[w->form].blank);
    put(w, word);
}

static void put_statement(writing *w, const char *key, uint32_t numbers)
{
    put(w, key);
    for (uint32_t i = 0; i < numbers; i++) put_number(w);
    put(w, forms[w->form].end);
}

static void put_index(writing *w, const char *before)
{
    char word[24];
    snprintf(word, sizeof word, "%s%u", before, (unsigned)(1 + next_random(w, COUNT)));
    put(w, word);
}

// "7", "7/7", "7//7" or "7/7/7".
static void put_face(writing *w)
{
    uint32_t style = next_random(w, 4), corners = 3 + next_random(w, 4) / 3;
    put(w, "f");
    for (uint32_t i = 0; i < corners; i++) {
        put_index(w, forms[w->form].blank);
        if (style % 2) put_index(w, "/");
        if (style > 1) put_index(w, style == 2 ? "//" : "/");
    }
    put(w, forms[w->form].end);
}

// The same statements in every form.
static made read_form(int form)
{
    writing w = {.text = malloc(TEXT_SIZE), .form = form, .state = 7};
    if (!w.text) exit(1);
    for (int i = 0; i < COUNT; i++) {
        put_statement(&w, "v", next_random(&w, 8) ? 3 : 6);
        put_statement(&w, "vt", 1 + next_random(&w, 2));
        put_statement(&w, "vn", 3);
    }
    for (int i = 0; i < COUNT; i++) put_face(&w);
    made m = good(w.text);
    free(w.text);
    return m;
}

static bool is_same_stream(const void *a, const void *b, uint64_t count, size_t size)
{
    return (!a && !b) || (a && b && memcmp(a, b, (size_t)count * size) == 0);
}

static bool is_same_part(const tenon_primitive *a, const tenon_primitive *b)
{
    uint64_t count = a->vertex_count;
    return a->vertex_count == b->vertex_count && a->index_count == b->index_count &&
           is_same_stream(a->positions, b->positions, count, 3 * sizeof(float)) &&
           is_same_stream(a->normals, b->normals, count, 3 * sizeof(float)) &&
           is_same_stream(a->uvs[0], b->uvs[0], count, 2 * sizeof(float)) &&
           is_same_stream(a->colors[0], b->colors[0], count, 4 * sizeof(float)) &&
           is_same_stream(a->indices, b->indices, a->index_count, sizeof(uint32_t));
}

// -- Tests

TEST(plain_statements_mean_the_same_as_others)
{
    made plain = read_form(0);
    CHECK(part(&plain, 0, 0)->vertex_count > COUNT);
    for (int i = 1; i < FORM_COUNT; i++) {
        made other = read_form(i);
        CHECK(is_same_part(part(&plain, 0, 0), part(&other, 0, 0)));
        free_made(&other);
    }
    free_made(&plain);
}

// After this the end of the text is far enough for plain forms.
#define FAR "# this is a comment that is longer than the longest word that has a plain form\n"

TEST(faults_in_plain_statements_have_their_place)
{
    static const struct {
        const char *text, *message;
        uint64_t line, column;
    } rows[] = {
        {"v 0 0\n" FAR, "2 numbers, but it needs 3", 1, 1},
        {"v 0.5 0.5 0.5x\n" FAR, "'0.5x' is not a number", 1, 11},
        {"v 0 1 2.5.5\n" FAR, "'2.5.5' is not a number", 1, 7},
        {"v 0 1 +-1\n" FAR, "'+-1' is not a number", 1, 7},
        {TRIANGLE "f 1 2 18446744073709551617\n" FAR, "vertex 18446744073..., but there are 3", 4,
         7},
        {TRIANGLE "f 1 2 4\n" FAR, "vertex 4, but there are 3", 4, 7},
        {TRIANGLE "f 1 2 0\n" FAR, "vertex 0, but there are 3", 4, 7},
        {TRIANGLE "f 1 2 4294967297\n" FAR, "vertex 4294967297, but there are 3", 4, 7},
        {TRIANGLE "f 1 2 3/1\n" FAR, "texture coordinate 1, but there are 0", 4, 7},
        {TRIANGLE "vn 0 0 1\nf 1 2 3//2\n" FAR, "normal 2, but there are 1", 5, 7},
        {TRIANGLE "f 1 2 3x\n" FAR, "'3x' is not a valid corner", 4, 7},
        {TRIANGLE "f 1 2 3/x\n" FAR, "'3/x' is not a valid corner", 4, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m = read_obj(rows[i].text);
        CHECK(!m.scene && m.err.code == TENON_ERR_VALUE);
        CHECK_STR(m.err.message, rows[i].message);
        CHECK(m.err.line == rows[i].line && m.err.column == rows[i].column);
        free_made(&m);
    }
}

int main(void)
{
    RUN(plain_statements_mean_the_same_as_others);
    RUN(faults_in_plain_statements_have_their_place);
    TEST_END();
}
