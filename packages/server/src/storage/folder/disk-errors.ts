// SQLite could not extend its index of the write-ahead log.
const SQLITE_IOERR_SHMSIZE = 4874

const POSTGRES_DISK_FULL = '53100'

const [SQLITE_CORRUPT, SQLITE_NOTADB] = [11, 26]

export function isDamaged(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  // The lowest byte is the kind.
  return typeof errcode === 'number' && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff)
}

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  if (
    code === 'ENOSPC' ||
    code === 'EDQUOT' ||
    code === POSTGRES_DISK_FULL ||
    errcode === SQLITE_IOERR_SHMSIZE
  )
    return true
  return /database or disk is full/i.test(error.message)
}
