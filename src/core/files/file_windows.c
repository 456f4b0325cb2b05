// file_windows.c: the file operations of Windows. Paths are UTF-8 here, too.
// SPDX-License-Identifier: MIT

#define _WIN32_WINNT        0x0601
#define WIN32_LEAN_AND_MEAN 1
#define _CRT_RAND_S         1  // rand_s(), before <stdlib.h>.

#include "core/files/file.h"

#ifdef TN_FILES_WINDOWS

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#define IO_MOST    ((size_t)1 << 30)  // In one call, which counts in 32 bits.
#define SHORT_MOST 240                // Paths that are longer need a prefix.
#define WAIT_MOST  100                // Milliseconds.
#define LOCK_AT    0x40000000u        // High half of the offset that is locked: beyond all files.

// Others may read, rename or remove the file while we have it open, as we do.
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

static HANDLE file_windows_handle_of(tenon_file file)
{
    return (HANDLE)file;
}

// -- Errors

typedef struct known_error {
    DWORD system;
    int error;
} known_error;

static const known_error known_errors[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT},
    {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT},
    {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_NOT_READY, ENOENT},
    {ERROR_INVALID_NAME, EINVAL},
    {ERROR_INVALID_PARAMETER, EINVAL},
    {ERROR_DIRECTORY, ENOTDIR},
    {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES},
    {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
    {ERROR_IO_PENDING, EWOULDBLOCK},
    {ERROR_DISK_FULL, ENOSPC},
    {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
    {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
    {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_INSUFFICIENT_BUFFER, ENAMETOOLONG},
    {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
    {ERROR_BROKEN_PIPE, EPIPE},
    {ERROR_NO_DATA, EPIPE},
    {ERROR_CANT_RESOLVE_FILENAME, ELOOP},
    {ERROR_INVALID_HANDLE, EBADF},
    {ERROR_INVALID_FUNCTION, ENOSYS},
    {ERROR_NOT_SUPPORTED, ENOSYS},
    {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS},
};

static int file_windows_last_error(void)
{
    DWORD system = GetLastError();
    for (size_t i = 0; i < sizeof known_errors / sizeof known_errors[0]; i++)
        if (known_errors[i].system == system) return known_errors[i].error;
    return EIO;
}

static int file_windows_done(BOOL ok)
{
    return ok ? 0 : file_windows_last_error();
}

// -- Paths

// "NUL" is to Windows what /dev/null is elsewhere. Users who write "nul.glb" or "aux.bbmod" want a
// file; some versions of Windows would send it to a device.
static int file_windows_refuse_device(const char *path)
{
    const char *name = path + tn_path_folder_size(path);
    if (!tn_name_is_device(name) || _stricmp(path, "NUL") == 0) return 0;
    return ENODEV;
}

// The path as the system wants it: in UTF-16 and absolute; a long one with the prefix that allows
// it.
static int file_windows_widen(const char *path, wchar_t out[TN_PATH_SIZE])
{
    static const wchar_t prefix[] = L"\\\\?\\";
    const DWORD prefix_size = 4;
    wchar_t given[TN_PATH_SIZE];
    int error = file_windows_refuse_device(path);
    if (error) return error;
    if (path[0] == '\0') return ENOENT;
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, TN_PATH_SIZE))
        return file_windows_last_error();
    DWORD size = GetFullPathNameW(given, TN_PATH_SIZE - prefix_size, out, NULL);
    if (size == 0) return file_windows_last_error();
    if (size >= TN_PATH_SIZE - prefix_size) return ENAMETOOLONG;
    if (size < SHORT_MOST || out[1] != L':') return 0;
    memmove(out + prefix_size, out, (size + 1) * sizeof *out);
    memcpy(out, prefix, prefix_size * sizeof *out);
    return 0;
}

// The path as the rest of the library wants it: in UTF-8, with slashes, without the prefix.
static int file_windows_narrow(const wchar_t *path, char *out, size_t out_size)
{
    bool is_share = wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0;
    if (is_share)
        path += 6;
    else if (wcsncmp(path, L"\\\\?\\", 4) == 0)
        path += 4;
    int room = out_size < INT_MAX ? (int)out_size : INT_MAX;
    if (!WideCharToMultiByte(CP_UTF8, 0, path, -1, out, room, NULL, NULL))
        return file_windows_last_error();
    if (is_share) out[0] = '/';  // "\\?\UNC\server" has ended as "C\server".
    for (char *c = out; *c; c++)
        if (*c == '\\') *c = '/';
    return 0;
}

// -- Opening and closing

static int file_windows_open_wide(const wchar_t *path, DWORD access, DWORD how, DWORD flags,
                                  tenon_file *file)
{
    HANDLE handle = CreateFileW(path, access, SHARE_ALL, NULL, how, flags, NULL);
    if (handle == INVALID_HANDLE_VALUE) return file_windows_last_error();
    *file = (tenon_file)handle;
    return 0;
}

static int file_windows_open_path(const char *path, DWORD access, DWORD how, DWORD flags,
                                  tenon_file *file)
{
    wchar_t wide[TN_PATH_SIZE];
    int error = file_windows_widen(path, wide);
    return error ? error : file_windows_open_wide(wide, access, how, flags, file);
}

static int file_windows_open(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_windows_open_path(path, GENERIC_READ, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN,
                                  file);
}

static int file_windows_close(void *user, tenon_file file)
{
    (void)user;
    return file_windows_done(CloseHandle(file_windows_handle_of(file)));
}

// Open a link itself, not its target, and refuse it. The query fails for devices, which are not
// links.
static int file_windows_open_write(void *user, const char *path, tenon_file *file)
{
    FILE_ATTRIBUTE_TAG_INFO about = {0};
    int error = file_windows_open_path(path, GENERIC_WRITE, OPEN_EXISTING,
                                       FILE_FLAG_OPEN_REPARSE_POINT, file);
    if (error) return error;
    bool is_known = GetFileInformationByHandleEx(file_windows_handle_of(*file),
                                                 FileAttributeTagInfo, &about, sizeof about);
    bool is_link = is_known && (about.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
                   (about.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
                    about.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
    if (!is_link) return 0;
    (void)file_windows_close(user, *file);
    return ELOOP;
}

static int file_windows_create(void *user, const char *path, tenon_file *file)
{
    (void)user;
    return file_windows_open_path(path, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, file);
}

// -- Looking

static int windows_tell_disk_file(HANDLE file, tenon_file_info *info)
{
    BY_HANDLE_FILE_INFORMATION about;
    if (!GetFileInformationByHandle(file, &about)) return file_windows_last_error();
    bool is_folder = about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    *info = (tenon_file_info){
        .kind = is_folder ? TENON_FILE_FOLDER : TENON_FILE_REGULAR,
        .size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow,
        .id = {about.dwVolumeSerialNumber,
               (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow},
    };
    return 0;
}

static int file_windows_stat(void *user, tenon_file file, tenon_file_info *info)
{
    (void)user;
    SetLastError(NO_ERROR);
    DWORD type = GetFileType(file_windows_handle_of(file));
    if (type == FILE_TYPE_DISK) return windows_tell_disk_file(file_windows_handle_of(file), info);
    if (type == FILE_TYPE_UNKNOWN && GetLastError() != NO_ERROR) return file_windows_last_error();
    *info = (tenon_file_info){
        .kind = type == FILE_TYPE_PIPE ? TENON_FILE_PIPE : TENON_FILE_DEVICE,
    };
    return 0;
}

// Opening without any access works even if the file is open elsewhere. Folders need the flag.
static int file_windows_look(void *user, const char *path, tenon_file_info *info)
{
    tenon_file file;
    int error = file_windows_open_path(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, &file);
    if (error) return error;
    error = file_windows_stat(user, file, info);
    (void)file_windows_close(user, file);
    return error;
}

// -- Reading and writing

static int file_windows_read(void *user, tenon_file file, void *dst, size_t size, size_t *got)
{
    (void)user;
    DWORD count = 0;
    if (!ReadFile(file_windows_handle_of(file), dst, (DWORD)(size < IO_MOST ? size : IO_MOST),
                  &count, NULL)) {
        int error = file_windows_last_error();
        if (error != EPIPE) return error;  // EPIPE: the writer has finished.
    }
    *got = count;
    return 0;
}

static int file_windows_write(void *user, tenon_file file, const void *src, size_t size,
                              size_t *put)
{
    (void)user;
    DWORD count = 0;
    if (!WriteFile(file_windows_handle_of(file), src, (DWORD)(size < IO_MOST ? size : IO_MOST),
                   &count, NULL))
        return file_windows_last_error();
    *put = count;
    return 0;
}

// A file that is mapped cannot be replaced here, which is what converting in place does.
static int file_windows_map(void *user, tenon_file file, size_t size, const void **memory)
{
    (void)user;
    (void)file;
    (void)size;
    (void)memory;
    return ENOSYS;
}

static void file_windows_unmap(void *user, const void *memory, size_t size)
{
    (void)user;
    (void)memory;
    (void)size;
}

static int file_windows_sync(void *user, tenon_file file)
{
    (void)user;
    if (FlushFileBuffers(file_windows_handle_of(file))) return 0;
    int error = file_windows_last_error();
    return error == ENOSYS ? 0 : error;
}

// Locks prevent others from reading, so a byte beyond the end of any file is locked.
static int file_windows_lock(void *user, tenon_file file)
{
    (void)user;
    OVERLAPPED place = {.OffsetHigh = LOCK_AT};
    DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    return file_windows_done(LockFileEx(file_windows_handle_of(file), how, 0, 1, 0, &place));
}

// A new file inherits the permissions of its folder, as Windows users expect.
static int file_windows_copy_mode(void *user, tenon_file file, const char *path)
{
    (void)user;
    (void)file;
    (void)path;
    return ENOSYS;
}

// -- Names

// Renaming has done this.
static int file_windows_sync_name(void *user, const char *path)
{
    (void)user;
    (void)path;
    return 0;
}

// Programs that open new files, such as virus scanners, close them soon.
static int file_windows_rename(void *user, const char *from, const char *to, bool replace)
{
    (void)user;
    wchar_t wide_from[TN_PATH_SIZE], wide_to[TN_PATH_SIZE];
    int error = file_windows_widen(from, wide_from);
    if (error == 0) error = file_windows_widen(to, wide_to);
    if (error) return error;
    DWORD how = MOVEFILE_WRITE_THROUGH | (replace ? MOVEFILE_REPLACE_EXISTING : 0);
    for (DWORD wait = 1;; wait *= 2) {
        error = file_windows_done(MoveFileExW(wide_from, wide_to, how));
        if (error != EACCES || wait > WAIT_MOST) return error;
        Sleep(wait);
    }
}

static int file_windows_remove(void *user, const char *path)
{
    (void)user;
    wchar_t wide[TN_PATH_SIZE];
    int error = file_windows_widen(path, wide);
    return error ? error : file_windows_done(DeleteFileW(wide));
}

// The path of an open file with all links resolved.
static int file_windows_path_of(tenon_file file, char *out, size_t out_size)
{
    wchar_t wide[TN_PATH_SIZE];
    DWORD size = GetFinalPathNameByHandleW(file_windows_handle_of(file), wide, TN_PATH_SIZE, 0);
    if (size == 0) return file_windows_last_error();
    return size < TN_PATH_SIZE ? file_windows_narrow(wide, out, out_size) : ENAMETOOLONG;
}

// The path, with all links resolved, of something that exists.
static int file_windows_resolve_existing(const char *path, char *out, size_t out_size)
{
    tenon_file file = 0;
    int error = file_windows_open_path(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, &file);
    if (error) return error;
    error = file_windows_path_of(file, out, out_size);
    (void)file_windows_close(NULL, file);
    return error;
}

static int file_windows_resolve(void *user, const char *path, char *out, size_t out_size)
{
    (void)user;
    char folder[TN_PATH_SIZE];
    int error = file_windows_resolve_existing(path, out, out_size);
    if (error != ENOENT) return error;
    size_t folder_size = tn_path_folder_size(path), name_size = strlen(path) - folder_size;
    if (name_size == 0) return ENOENT;
    if (folder_size >= sizeof folder) return ENAMETOOLONG;
    memcpy(folder, folder_size ? path : ".", folder_size ? folder_size : 1);
    folder[folder_size ? folder_size : 1] = '\0';
    error = file_windows_resolve_existing(folder, out, out_size);
    if (error) return error;
    size_t used = strlen(out);
    if (used > 0 && out[used - 1] == '/') used--;
    if (name_size + 2 > out_size - used) return ENAMETOOLONG;
    out[used] = '/';
    memcpy(out + used + 1, path + folder_size, name_size + 1);
    return 0;
}

// The path of the open file is checked, which links can no longer change.
static int file_windows_open_inside(void *user, const char *folder, const char *path,
                                    tenon_file *file)
{
    char root[TN_PATH_SIZE], real[TN_PATH_SIZE];
    int error = file_windows_resolve_existing(folder, root, sizeof root);
    if (error == 0) error = file_windows_open(user, path, file);
    if (error) return error;
    error = file_windows_path_of(*file, real, sizeof real);
    if (error == 0 && !tn_path_is_inside(root, real)) error = EXDEV;
    if (error) (void)file_windows_close(user, *file);
    return error;
}

static int file_windows_list(void *user, const char *folder, tenon_entry_fn *take, void *take_user)
{
    (void)user;
    wchar_t pattern[TN_PATH_SIZE];
    WIN32_FIND_DATAW found;
    int error = file_windows_widen(folder, pattern);
    if (error) return error;
    size_t size = wcslen(pattern);
    if (size + 3 > TN_PATH_SIZE) return ENAMETOOLONG;
    bool has_slash = pattern[size - 1] == L'\\' || pattern[size - 1] == L'/';
    (void)wcscpy(pattern + size, has_slash ? L"*" : L"\\*");
    HANDLE listing = FindFirstFileW(pattern, &found);
    if (listing == INVALID_HANDLE_VALUE) return file_windows_last_error();
    bool goes_on = true;
    do {
        char name[4 * MAX_PATH];
        if (file_windows_narrow(found.cFileName, name, sizeof name) == 0)
            goes_on = take(take_user, name);
    } while (goes_on && FindNextFileW(listing, &found));
    (void)FindClose(listing);
    return 0;
}

int tn_file_random(uint64_t *number)
{
    unsigned low, high;
    if (rand_s(&low) != 0 || rand_s(&high) != 0) return EIO;
    *number = (uint64_t)high << 32 | low;
    return 0;
}

tenon_file tenon_stdin(void)
{
    return (tenon_file)GetStdHandle(STD_INPUT_HANDLE);
}

const tenon_files *tenon_system_files(void)
{
    static const tenon_files operations = {
        .open = file_windows_open,
        .stat = file_windows_stat,
        .look = file_windows_look,
        .read = file_windows_read,
        .map = file_windows_map,
        .unmap = file_windows_unmap,
        .create = file_windows_create,
        .open_write = file_windows_open_write,
        .lock = file_windows_lock,
        .write = file_windows_write,
        .copy_mode = file_windows_copy_mode,
        .sync = file_windows_sync,
        .sync_name = file_windows_sync_name,
        .close = file_windows_close,
        .rename = file_windows_rename,
        .remove = file_windows_remove,
        .resolve = file_windows_resolve,
        .open_inside = file_windows_open_inside,
        .list = file_windows_list,
    };
    return &operations;
}

#endif  // TN_FILES_WINDOWS
