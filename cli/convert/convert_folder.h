// convert_folder.h: lists of files; folders for outputs.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_CONVERT_FOLDER_H
#define TENON_CLI_CONVERT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

// Names of files, all of them to be freed.
typedef struct file_list {
    char **names;
    uint32_t count, room;
} file_list;

// False if memory ran out.
bool file_list_add(file_list *list, const char *folder, const char *name);

void file_list_free(file_list *list);

// Create a folder, and those above it that are missing. What was created is added to `made`. False,
// with errno set, if that cannot be done.
bool folder_create(file_list *made, const char *folder);

// Whether folder_create() would succeed, as far as one can tell. False, with errno set, if not.
bool folder_can_create(const char *folder);

// Remove the folders that were created, if they are still empty, and free the list.
void folder_remove_created(file_list *made);

#endif  // TENON_CLI_CONVERT_FOLDER_H
