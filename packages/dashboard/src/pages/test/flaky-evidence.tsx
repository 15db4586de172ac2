import type { FlakyEvidence as Evidence } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runLink } from '../../links'
import { BuildNote } from '../../parts/build-name'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'

const SHOWN = 5
const WORDS = {
  'passed-on-retry': 'passed on a retry',
  'both-verdicts': 'passed and failed on one commit',
}

/** What shows that the test is flaky, the newest first. */
export function FlakyEvidence({ evidence }: { evidence: Evidence[] }) {
  const [areAllShown, setAreAllShown] = useState(false)
  if (evidence.length === 0) return null
  const shown = areAllShown ? evidence : evidence.slice(0, SHOWN)
  return (
    <Card title={`Evidence that it is flaky (${evidence.length})`}>
      <ol className="divide-y divide-line">
        {shown.map(({ kind, build, run_id: runId }, index) => (
          <li key={`${runId} ${index}`} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2 text-sm">
            <Link {...runLink(runId)}>{WORDS[kind]}</Link>
            <span className="min-w-0 text-soft">
              in <BuildNote build={build} />
            </span>
          </li>
        ))}
      </ol>
      {evidence.length > shown.length && (
        <Button look="bare" className="m-1" onClick={() => setAreAllShown(true)}>
          Show {evidence.length - shown.length} more
        </Button>
      )}
    </Card>
  )
}
