import path from 'node:path'

/** A file's path relative to the project root, with `/` separators, as runs name files on every system. */
export function toRelativePath(rootDir: string, file: string): string {
  const relative = path.isAbsolute(file) ? path.relative(rootDir, file) : file
  // Not every `\`: on POSIX it may be part of a name.
  return relative.split(path.sep).join('/')
}
