// fuzz_budget.c: a whole job with one budget: a model is read, inspected, changed, converted and
// compared. No limit is exceeded, by memory that is really allocated, bytes that are really handed
// out and branches that are really taken; and every call after a limit fails at once.
// SPDX-License-Identifier: MIT
//
// Limits depend on a hash of the input. With TENON_FUZZ_FORMAT=bmw in the environment every input
// is read as a BMW file.

#include "../tests/edits.h"
#include "../tests/limits/work_memory.h"
#include "../tests/robust_properties.h"
#include "fuzz.h"

#define MEMORY_MOST ((uint64_t)16 << 20)
#define OUTPUT_MOST ((uint64_t)4 << 20)
#define WORK_MOST   ((uint64_t)1 << 19)  // Steps, and some for each byte.
#define WORK_SHARE  64

// Branches that a call may take without counting a step, for each byte of the input in addition,
// and for each step.
#define BRANCHES_BASE     ((uint64_t)1 << 18)
#define BRANCHES_PER_BYTE ((uint64_t)1 << 10)
#define BRANCHES_PER_STEP ((uint64_t)1 << 10)

typedef struct job {
    uint64_t size;  // Of the input.
    tenon_budget budget;
    work_memory memory;
    tenon_allocator allocator;
    tenon_error err;
    uint64_t written;
    uint64_t branches, steps;  // When the last call began.
    uint64_t *chance;
} job;

// -- After every call

static bool is_exceeded(const job *j)
{
    return j->budget.memory.refused || j->budget.output.refused || j->budget.work.refused;
}

static void require_cost(const tenon_cost *cost, const char *what)
{
    require(cost->used <= cost->most && cost->most <= cost->limit, what, NULL);
    require(!cost->refused || cost->refused > cost->limit, what, NULL);
}

static void check_costs(job *j, const char *what)
{
    require_cost(&j->budget.memory, "memory stays within its limit");
    require_cost(&j->budget.output, "output stays within its limit");
    require_cost(&j->budget.work, "work stays within its limit");
    require(j->memory.peak <= j->budget.memory.most, "all memory is counted", NULL);
    require(j->written <= j->budget.output.used, "all output is counted", NULL);
    uint64_t branches = fuzz_work - j->branches, steps = j->budget.work.used - j->steps;
    uint64_t most = BRANCHES_BASE + BRANCHES_PER_BYTE * j->size + BRANCHES_PER_STEP * steps;
    if (branches > most) {
        fprintf(stderr, "%s: %llu branches, but %llu steps for %llu bytes\n", what,
                (unsigned long long)branches, (unsigned long long)steps,
                (unsigned long long)j->size);
        abort();
    }
    j->branches = fuzz_work;
    j->steps = j->budget.work.used;
}

// Returns `ok`, which must be false if a limit was reached, with a message that says so.
static bool check_call(job *j, bool ok, const char *what)
{
    check_costs(j, what);
    if (is_exceeded(j)) {
        require(!ok && j->err.code == TENON_ERR_LIMIT, what, &j->err);
        require(strstr(j->err.message, " are allowed") != NULL, what, &j->err);
    }
    return ok;
}

// -- Callbacks

static bool take_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    ((job *)user)->written += size;
    return true;
}

static bool begin(void *user, const char *name)
{
    (void)user;
    return name != NULL;
}

static bool end(void *user)
{
    (void)user;
    return true;
}

static void ignore_finding(void *user, const tenon_finding *finding)
{
    (void)user, (void)finding;
}

static void ignore_loss(void *user, const tenon_loss *loss)
{
    (void)user, (void)loss;
}

static bool ignore_node(void *user, const tenon_tree_node *node)
{
    (void)user, (void)node;
    return true;
}

static bool ignore_part(void *user, const tenon_part *part)
{
    (void)user, (void)part;
    return true;
}

static void ignore_difference(void *user, const tenon_difference *difference)
{
    (void)user, (void)difference;
}

// -- The job

static void use_document(job *j, tenon_doc *doc)
{
    tenon_info info;
    tenon_check_opts check = {.allocator = j->allocator};
    tenon_change_opts refresh = {.refresh = true, .events.on_loss = ignore_loss};
    (void)check_call(j, tenon_check(doc, &check, ignore_finding, NULL, NULL, &j->err), "checking");
    bool has_info = tenon_doc_info(doc, &(tenon_info_opts){.full = true}, &info, &j->err);
    (void)check_call(j, has_info, "information");
    if (has_info) tenon_info_free(&info);
    (void)check_call(j, tenon_tree(doc, ignore_node, NULL, &j->err), "nodes");
    (void)check_call(j, tenon_write(doc, take_bytes, j, &j->err) != TENON_ABSENT, "writing");
    (void)check_call(j, tenon_dump(doc, take_bytes, j, &j->err), "dumping");
    if (doc->format->caps & TENON_CAN_CHANGE)
        (void)check_call(j, tenon_change(doc, &refresh, &j->err), "refreshing");
}

static void pose_all(job *j, const tenon_scene *scene)
{
    double min[3], max[3];
    tenon_pose *pose = tenon_pose_new(scene, &j->allocator, &j->err);
    (void)check_call(j, pose != NULL, "a pose");
    for (uint32_t i = 0; pose && i < scene->animation_count; i++)
        (void)tenon_pose_clip_bounds(pose, i, min, max);
    tenon_pose_free(pose);
    check_costs(j, "posing");
}

static void use_scene(job *j, tenon_scene *scene)
{
    uint32_t format_count = 0;
    while (tenon_format_at(format_count)) format_count++;
    const tenon_format *format = tenon_format_at((uint32_t)pick(j->chance, format_count));
    const tenon_sink sink = {begin, take_bytes, end, j};
    edits reshape = {.meshes.normals = (tenon_make)pick(j->chance, 4),
                     .meshes.tangents = (tenon_make)pick(j->chance, 4),
                     .meshes.max_influences = (uint32_t)pick(j->chance, 6),
                     .meshes.join = (uint32_t)pick(j->chance, 8)};
    tenon_export_opts to = {.allocator = j->allocator, .format = format->name, .name = "x"};
    if (pick(j->chance, 2)) to.events.on_loss = ignore_loss;
    tenon_verify_opts verify = {.allocator = j->allocator};
    tenon_diff_opts diff = {.allocator = j->allocator};
    pose_all(j, scene);
    bool ok = tenon_diff(scene, scene, &diff, ignore_difference, NULL, NULL, &j->err);
    (void)check_call(j, ok, "comparing");
    ok = tenon_verify(scene, scene, &verify, NULL, &j->err);
    (void)check_call(j, ok, "verifying");
    // After a failure the scene can only be freed.
    if (!check_call(j, edit_scene(scene, &reshape, &j->err), "editing")) return;
    if (!(format->caps & TENON_FROM_SCENE)) return;
    (void)check_call(j, tenon_export(scene, &to, &sink, &j->err), "exporting");
    (void)check_call(j, tenon_export_verify(scene, &to, &verify, NULL, &j->err), "proving");
}

static void do_job(job *j, const uint8_t *data, size_t size)
{
    tenon_read_opts read = {.allocator = j->allocator, .format = fuzzed_format()};
    tenon_scene_opts to_scene = {.allocator = j->allocator, .events.on_loss = ignore_loss};
    bool ok = tenon_map(data, size, &read, ignore_part, NULL, &j->err);
    (void)check_call(j, ok, "mapping");
    read.partial = read.incomplete = pick(j->chance, 4) == 0;
    tenon_doc *doc = tenon_read(data, size, &read, &j->err);
    if (!check_call(j, doc != NULL, "reading")) return;
    use_document(j, doc);
    if (!(doc->format->caps & TENON_TO_SCENE)) {
        tenon_doc_free(doc);
        return;
    }
    tenon_scene *scene = tenon_to_scene(doc, &to_scene, &j->err);
    (void)check_call(j, scene != NULL, "making a scene");
    tenon_doc_free(doc);
    if (scene) use_scene(j, scene);
    tenon_scene_free(scene);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t chance = hash_of(data, size);
    job j = {.size = size, .chance = &chance, .branches = fuzz_work};
    j.budget.memory.limit = MEMORY_MOST;
    j.budget.output.limit = OUTPUT_MOST;
    j.budget.work.limit = WORK_MOST + WORK_SHARE * (uint64_t)size;
    switch (pick(&chance, 6)) {
    case 0:
        j.budget.memory.limit = 1 + (pick(&chance, 1 << 20) >> pick(&chance, 16));
        break;
    case 1:
        j.budget.output.limit = 1 + (pick(&chance, 1 << 16) >> pick(&chance, 12));
        break;
    case 2:
        j.budget.work.limit = 1 + (pick(&chance, 1 << 20) >> pick(&chance, 16));
        break;
    case 3:
        j.budget.memory = tenon_budget_for(size).memory;
        break;
    }
    j.allocator = work_allocator(&j.memory);
    j.allocator.budget = &j.budget;
    do_job(&j, data, size);
    require(j.budget.memory.used == 0 && j.memory.live == 0, "all memory is given back", NULL);
    return 0;
}
