export const TOO_FEW_FILES =
  'this process may open too few files: raise the limit (ulimit -n) to 1024 or more'

/** True for an error that the limit of open files caused. */
export function needsMoreFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || needsMoreFiles(error.cause)
}
