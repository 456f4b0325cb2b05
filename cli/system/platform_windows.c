// platform_windows.c: what differs between POSIX systems and Windows: Windows.
// SPDX-License-Identifier: MIT

#define TICK_MOST           500000u  // Units of 100 ns in which all changes of a file get the same time.
#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1

#include "system/platform.h"

#include <tenon/files.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <shellapi.h>

#define PATH_SIZE 4096
#define TICK_MOST 500000u  // Units of 100 ns in which all changes of a file get the same time.

// The console outlives the process, so that its code page is restored at the end.
static UINT code_page;  // 0: it was not changed.

// -- Texts

static char *platform_windows_to_utf8(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *made = size > 0 ? malloc((size_t)size) : NULL;
    if (made) (void)WideCharToMultiByte(CP_UTF8, 0, text, -1, made, size, NULL, NULL);
    return made;
}

static bool platform_windows_to_wide(const char *text, wchar_t out[PATH_SIZE])
{
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, PATH_SIZE) > 0;
}

// -- Start and end

static void platform_windows_open_streams(void)
{
    FILE *const streams[] = {stdin, stdout, stderr};
    for (int i = 0; i < 3; i++) {
        // Opened for the wrong direction, so that using it fails as it would without.
        if (_fileno(streams[i]) < 0 && !freopen("NUL", i == 0 ? "wb" : "rb", streams[i])) continue;
        (void)_setmode(_fileno(streams[i]), _O_BINARY);
    }
}

static HANDLE platform_windows_console_of(FILE *stream)
{
    return GetStdHandle(stream == stdout ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

// Names in messages are UTF-8.
static void platform_windows_prepare_console(void)
{
    if (!platform_is_terminal(stdout) && !platform_is_terminal(stderr)) return;
    code_page = GetConsoleOutputCP();
    if (code_page) (void)SetConsoleOutputCP(CP_UTF8);
}

// -- The command line

typedef struct word_list {
    char **words;
    size_t count, room;  // `room` includes the NULL at the end.
} word_list;

// Takes the word, which may be NULL if there was no memory for it.
static bool platform_windows_add_word(word_list *list, char *word)
{
    if (list->count + 1 >= list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        char **longer = word ? realloc(list->words, room * sizeof *longer) : NULL;
        if (!longer) return false;
        list->words = longer;
        list->room = room;
    }
    list->words[list->count] = word;
    if (word) list->words[++list->count] = NULL;
    return word != NULL;
}

static int platform_windows_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The files that match "models\\*.gpb": the shell of Windows does not find them.
static bool platform_windows_add_matches(word_list *list, const wchar_t *pattern)
{
    WIN32_FIND_DATAW found;
    wchar_t path[PATH_SIZE];
    size_t start = list->count, folder = wcslen(pattern);
    while (folder > 0 && !wcschr(L"\\/:", pattern[folder - 1])) folder--;
    HANDLE listing = FindFirstFileW(pattern, &found);
    if (listing == INVALID_HANDLE_VALUE || folder + MAX_PATH >= PATH_SIZE)
        return platform_windows_add_word(list, platform_windows_to_utf8(pattern));
    bool ok = true;
    do {
        if (found.cFileName[0] == L'.') continue;
        memcpy(path, pattern, folder * sizeof *path);
        memcpy(path + folder, found.cFileName, (wcslen(found.cFileName) + 1) * sizeof *path);
        ok = platform_windows_add_word(list, platform_windows_to_utf8(path));
    } while (ok && FindNextFileW(listing, &found));
    (void)FindClose(listing);
    if (list->count > start)
        qsort(list->words + start, list->count - start, sizeof *list->words,
              platform_windows_by_name);
    return ok;
}

// The arguments of main() lack characters that are not in the system's old character set.
static char **platform_windows_take_words(void)
{
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    word_list list = {.words = calloc(1, sizeof(char *)), .room = 1};
    bool ok = wide && list.words;
    for (int i = 1; ok && i < count; i++) {
        bool is_pattern = wide[i][0] != L'-' && wcspbrk(wide[i], L"*?");
        ok = is_pattern ? platform_windows_add_matches(&list, wide[i])
                        : platform_windows_add_word(&list, platform_windows_to_utf8(wide[i]));
    }
    LocalFree(wide);
    return ok ? list.words : NULL;  // Leaks on failure, but then the program ends.
}

char **platform_begin(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    platform_windows_open_streams();
    platform_windows_prepare_console();
    return platform_windows_take_words();
}

void platform_end(void)
{
    if (code_page) (void)SetConsoleOutputCP(code_page);
}

void platform_clean_path(char *path)
{
    for (char *c = path; *c; c++)
        if (*c == '\\') *c = '/';
}

// -- The terminal

bool platform_is_terminal(FILE *stream)
{
    DWORD mode;
    HANDLE handle =
        stream == stdin ? GetStdHandle(STD_INPUT_HANDLE) : platform_windows_console_of(stream);
    return GetConsoleMode(handle, &mode) != 0;
}

// From Windows 10 on, consoles understand the codes if that is enabled.
bool platform_has_color(FILE *stream)
{
    DWORD mode;
    const DWORD wanted = 0x0004;  // ENABLE_VIRTUAL_TERMINAL_PROCESSING, which old headers lack.
    return GetConsoleMode(platform_windows_console_of(stream), &mode) &&
           SetConsoleMode(platform_windows_console_of(stream), mode | wanted);
}

uint32_t platform_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo(platform_windows_console_of(stdout), &about)) return 0;
    return (uint32_t)(about.srWindow.Right - about.srWindow.Left + 1);
}

uint32_t platform_rows(void)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    if (!GetConsoleScreenBufferInfo(platform_windows_console_of(stdout), &about)) return 0;
    return (uint32_t)(about.srWindow.Bottom - about.srWindow.Top + 1);
}

// The C library of Windows reports it as an invalid argument.
bool platform_is_closed_pipe(int error)
{
    return error == EPIPE || error == EINVAL;
}

// -- Streams into memory: Windows has none, so they are files that are deleted when closed

FILE *platform_memory_begin(char **text, size_t *size)
{
    wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
    *text = NULL;
    *size = 0;
    if (!GetTempPathW(MAX_PATH, folder) || !GetTempFileNameW(folder, L"tnn", 0, path)) return NULL;
    return _wfopen(path, L"w+bTD");
}

bool platform_memory_end(FILE *stream, char **text, size_t *size)
{
    long end = fseek(stream, 0, SEEK_END) == 0 ? ftell(stream) : -1;
    bool ok = end >= 0 && fseek(stream, 0, SEEK_SET) == 0;
    *text = ok ? malloc((size_t)end + 1) : NULL;
    ok = *text && fread(*text, 1, (size_t)end, stream) == (size_t)end;
    if (ok) {
        (*text)[end] = '\0';
        *size = (size_t)end;
    }
    (void)fclose(stream);
    return ok;
}

// -- Folders

int platform_list(const char *folder, bool (*take)(void *user, const char *name), void *user)
{
    const tenon_files *files = tenon_system_files();
    return files->list ? files->list(files->user, folder, take, user) : ENOSYS;
}

static int platform_windows_error_of(bool is_done)
{
    if (is_done) return 0;
    DWORD error = GetLastError();
    if (error == ERROR_ALREADY_EXISTS) return EEXIST;
    return error == ERROR_ACCESS_DENIED ? EACCES : ENOENT;
}

// Permissions are too complicated to predict on Windows: the caller has to try.
int platform_may_create(const char *folder)
{
    (void)folder;
    return 0;
}

int platform_look(const char *path, tenon_file_info *info, uint64_t *stamp)
{
    const tenon_files *files = tenon_system_files();
    if (stamp) *stamp = 0;
    return files->look(files->user, path, info);
}

bool platform_may_be_link(const char *path, uint64_t *stamp)
{
    (void)path;
    if (stamp) *stamp = 0;
    return true;
}

bool platform_is_absent(const char *path)
{
    (void)path;
    return false;
}

bool platform_stamp(const char *path, char stamp[72])
{
    wchar_t wide[PATH_SIZE];
    WIN32_FILE_ATTRIBUTE_DATA info;
    stamp[0] = '\0';
    if (!platform_windows_to_wide(path, wide) ||
        !GetFileAttributesExW(wide, GetFileExInfoStandard, &info) ||
        info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
        return false;
    unsigned long long size = (unsigned long long)info.nFileSizeHigh << 32 | info.nFileSizeLow;
    (void)snprintf(stamp, 72, "%llx.%lx.%lx.%lx.%lx", size, info.ftLastWriteTime.dwHighDateTime,
                   info.ftLastWriteTime.dwLowDateTime, info.ftCreationTime.dwHighDateTime,
                   info.ftCreationTime.dwLowDateTime);
    return true;
}

static uint64_t platform_windows_time(FILETIME time)
{
    return (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
}

bool platform_is_recent(const char *path)
{
    wchar_t wide[PATH_SIZE];
    WIN32_FILE_ATTRIBUTE_DATA info;
    FILETIME now;
    if (!platform_windows_to_wide(path, wide) ||
        !GetFileAttributesExW(wide, GetFileExInfoStandard, &info))
        return true;
    GetSystemTimeAsFileTime(&now);
    return platform_windows_time(info.ftLastWriteTime) + TICK_MOST > platform_windows_time(now);
}

int platform_enter_folder(const char *folder)
{
    wchar_t path[PATH_SIZE];
    return platform_windows_to_wide(folder, path)
               ? platform_windows_error_of(SetCurrentDirectoryW(path))
               : ENOENT;
}

// Handles have no limit that matters.
uint32_t platform_files_most(void)
{
    return 8192;
}

int platform_make_folder(const char *folder)
{
    wchar_t path[PATH_SIZE];
    return platform_windows_to_wide(folder, path)
               ? platform_windows_error_of(CreateDirectoryW(path, NULL))
               : ENOENT;
}

int platform_remove_folder(const char *folder)
{
    wchar_t path[PATH_SIZE];
    return platform_windows_to_wide(folder, path)
               ? platform_windows_error_of(RemoveDirectoryW(path))
               : ENOENT;
}

// -- Programs

bool platform_program_folder(char *folder, size_t size)
{
    wchar_t path[PATH_SIZE];
    DWORD used = GetModuleFileNameW(NULL, path, PATH_SIZE);
    char *text = used > 0 && used < PATH_SIZE ? platform_windows_to_utf8(path) : NULL;
    char *slash = text ? strrchr(text, '\\') : NULL;
    bool fits = slash && (size_t)(slash - text) < size;
    if (fits) (void)snprintf(folder, size, "%.*s", (int)(slash - text), text);
    free(text);
    return fits;
}

// The folder for temporary files is the user's own.
bool platform_make_temporary_folder(const char *prefix, char *folder, size_t size)
{
    wchar_t path[PATH_SIZE];
    DWORD used = GetTempPathW(PATH_SIZE, path);
    char *text = used > 0 && used < PATH_SIZE ? platform_windows_to_utf8(path) : NULL;
    int length = text ? snprintf(folder, size, "%s%s%lu-%lu", text, prefix, GetCurrentProcessId(),
                                 (unsigned long)GetTickCount())
                      : -1;
    free(text);
    int error = length > 0 && (size_t)length < size ? platform_make_folder(folder) : ENAMETOOLONG;
    if (error) errno = error;
    return error == 0;
}

int platform_open_document(const char *path)
{
    wchar_t wide[PATH_SIZE];
    if (!platform_windows_to_wide(path, wide)) return EINVAL;
    for (wchar_t *c = wide; *c; c++)
        if (*c == L'/') *c = L'\\';
    INT_PTR result = (INT_PTR)ShellExecuteW(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL);
    return result > 32 ? 0 : ENOENT;
}
