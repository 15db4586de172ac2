import type { BuildReference } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { formatGroup } from '../format/group'
import { buildLink } from '../history-links'
import { RelativeTime } from '../ui/time-text'

const COMMIT_LENGTH = 7

/** A commit as it is shown. */
export function shortenHash(commit: string): string {
  return /^[0-9a-f]{8,}$/i.test(commit) ? commit.slice(0, COMMIT_LENGTH) : commit
}

/** A build as a link, named by its group where that says something, else by its commit. */
export function BuildName({ build }: { build: BuildReference }) {
  return (
    <Link {...buildLink(build.group)} className="underline wrap-anywhere">
      {formatGroup(build.group)}
    </Link>
  )
}

/** A build with its commit, who made that, and when. */
export function BuildNote({ build }: { build: BuildReference }) {
  const { commit, author } = build
  return (
    <>
      <BuildName build={build} />
      <span className="text-soft">
        {' ('}
        {commit !== null && <span className="font-mono">{shortenHash(commit)}</span>}
        {commit !== null && ' '}
        {author !== null && `by ${author}, `}
        <RelativeTime at={build.started_at} />)
      </span>
    </>
  )
}
