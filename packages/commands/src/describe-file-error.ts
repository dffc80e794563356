/** Explains a failed file operation to the person who ran a command. */

const faults: Record<string, [what: string, todo: string]> = {
  ENOENT: ["it doesn't exist", "Check the path"],
  ENOTDIR: ["a part of the path is a file, not a directory", "Choose another path"],
  EISDIR: ["it's a directory, not a file", "Choose another path"],
  EEXIST: ["a file with that name already exists", "Choose another path, or move the file"],
  ENOTEMPTY: ["the directory isn't empty", "Choose another path"],
  EACCES: ["this user isn't allowed to", "Change its owner or permissions, or choose another path"],
  EPERM: ["this user isn't allowed to", "Change its owner or permissions, or choose another path"],
  EROFS: ["the file system is read-only", "Choose a path on a file system that allows writing"],
  ENOSPC: ["the disk is full", "Free some space, or choose a path on another disk"],
  EDQUOT: ["this user's disk quota is used up", "Free some space, or choose a path on another disk"],
  EMFILE: ["too many files are open", "Raise the limit for open files (ulimit -n)"],
  EIO: ["the disk reports an error", "Check the disk, or choose a path on another disk"],
};

/**
 * @param paths tells the person which variables determine the path
 * @returns null if the error isn't from a file operation, or its cause isn't known
 */
export function describeFileError(error: unknown, paths = ""): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return null;
  const path = "dest" in error ? error.dest : "path" in error ? error.path : undefined;
  // Errors of a write have no path. Errors of sockets do, but they aren't about files.
  const isFile = typeof path === "string" || error.syscall === "write";
  const [what, todo] = faults[String(error.code)] ?? [];
  if (!isFile || what === undefined || error.syscall === "connect" || error.syscall === "listen") return null;
  const action = /^(open|read|stat|lstat|scandir|realpath)$/.test(String(error.syscall)) ? "use" : "write";
  const place = typeof path === "string" ? path : "a file";
  return `Can't ${action} ${place}: ${what} (${String(error.code)}). ${todo}.${paths === "" ? "" : ` ${paths}`}`;
}
