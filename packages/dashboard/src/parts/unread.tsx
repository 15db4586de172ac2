import type { ReactNode } from 'react'
import { ApiError, isSignInNeeded } from '../api/api-error'
import { ErrorState } from '../ui/error-state'
import { Loading } from '../ui/loading'

interface UnreadProps {
  read: { isPending: boolean; error: Error | null; refetch: () => Promise<unknown> }
  /** The label while nothing has arrived. */
  label: string
  /** The title if nothing can be read. */
  title: string
  rows: number
  rowClass?: string
  /** Whether it stands for a whole page, which then has no other heading. */
  isPage?: boolean
  /** Shown where there is no such thing. */
  unknown?: ReactNode
}

/** Stands where something is not read yet: grey rows, or why it could not be read and a way to try again. */
export function Unread({ read, label, title, rows, rowClass = 'h-6', isPage = false, unknown }: UnreadProps) {
  const { isPending, error, refetch } = read
  if (isPending || error === null || isSignInNeeded(error))
    return <Loading label={label} rows={rows} rowClass={rowClass} />
  if (unknown !== undefined && isUnknown(error)) return unknown
  return <ErrorState isPage={isPage} title={title} error={error} onRetry={() => void refetch()} />
}

/** The service answers 400 for an id that cannot be one. */
function isUnknown(error: Error): boolean {
  return error instanceof ApiError && [400, 404].includes(error.statusCode)
}
