// gpb_rules.h: the rules for gameplay bundles, and declarations that the checks share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_GPB_CHECK_GPB_RULES_H
#define TN_FORMATS_GPB_CHECK_GPB_RULES_H

#include "core/text/text.h"
#include "formats/gpb/gpb_format.h"
#include "formats/gpb/gpb_index.h"
#include "formats/gpb/sidecar/gpb_sidecar.h"

enum { GPB_RULE_COUNT = 69 };

extern const tenon_rule gpb_rules[GPB_RULE_COUNT];

// What the checks found out about the vertices of a mesh, computed when it is first needed.
typedef struct gpb_influences {
    bool is_known;
    bool has_both;              // Has weights and joint indices.
    uint64_t top_vertex;        // The vertex with the largest joint index.
    double top_index;           // That index; negative if there are none.
    uint64_t invalid_vertex;    // The first with a joint index that is not valid.
    uint64_t wrong_sum_vertex;  // The first vertex whose weights do not sum to 1.
    uint64_t wrong_sum_count;   // How many such vertices there are.
    double wrong_sum;           // The sum of the first.
} gpb_influences;

typedef struct gpb_checker {
    tn_check *check;
    const tenon_gpb *doc;
    gpb_index index;
    gpb_influences *influences;  // For each block.
    uint8_t *uses;               // For each block: how a mesh is used.
    gpb_links *links;            // NULL: do not search for other bundles.
} gpb_checker;

enum { GPB_USED = 1, GPB_USED_BY_SKIN = 2 };

void gpb_check(tn_check *check, const void *doc);

// Report a finding at a field of a node; "" is the node itself.
void gpb_check_found(const gpb_checker *checker, uint32_t node_index, const char *rule,
                     const char *field, const char *fmt, ...) TN_PRINTF(5, 6);

// A number for a message.
tn_shown gpb_show_number(double v);

// Report an xref that names no object of the bundle, unless another bundle has that object.
void gpb_check_missing(const gpb_checker *checker, tn_path_text path, tenon_str xref,
                       uint32_t kind);

// Check the reference of a material to its effect.
void gpb_check_effect(const gpb_checker *checker, tn_path_text path, tenon_str xref);

void gpb_check_node(const gpb_checker *checker, uint32_t node_index);
void gpb_check_mesh(const gpb_checker *checker, uint32_t block);
void gpb_check_animation(const gpb_checker *checker, const tenon_gpb_animation *animation,
                         const char *path);
void gpb_check_font(const gpb_checker *checker, uint32_t block);

#endif  // TN_FORMATS_GPB_CHECK_GPB_RULES_H
