const ENOUGH = 1024
export const TOO_FEW_FILES = `this process may open too few files: raise the limit (ulimit -n) to ${ENOUGH} or more`

/** True for an error that the limit of open files caused. */
export function needsMoreFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE') return true
  // Node also fails to find a package whose folder it cannot open.
  if (code === 'ERR_MODULE_NOT_FOUND' && readLimit() < ENOUGH) return true
  return needsMoreFiles(error.cause)
}

/** The limit of open files; infinite where it is not known. */
function readLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft) || Infinity
}
