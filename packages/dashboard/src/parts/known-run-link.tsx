import type { KnownRun } from '@runledger/protocol'
import { shortenCommit } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { runLink } from '../links'
import { MinuteTime, RelativeTime } from '../ui/time-text'

/** Called by its commit, or by its time where it names none: a unit may be tested several times a day. */
export function KnownRunLink({ run }: { run: KnownRun }) {
  const commit = shortenCommit(run)
  return commit === undefined ? (
    <Link {...runLink(run.id)} className="underline">
      run of <MinuteTime at={run.started_at} />
    </Link>
  ) : (
    <>
      <Link {...runLink(run.id)} className="font-mono underline">
        {commit}
      </Link>
      , <RelativeTime at={run.started_at} />
    </>
  )
}
