import type { TestReference, TestState } from '@runledger/protocol'
import { splitStepName } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { testLink } from '../history-links'
import { runLink } from '../links'
import { ROW_LINK } from '../navigation/keys'
import { Badge, type Tone } from '../ui/badge'

export const STATE_LOOKS: Readonly<Record<TestState, { word: string; tone: Tone }>> = {
  healthy: { word: 'Healthy', tone: 'good' },
  flaky: { word: 'Flaky', tone: 'warn' },
  broken: { word: 'Broken', tone: 'bad' },
  unknown: { word: 'Unknown', tone: 'quiet' },
}

export function StateBadge({ state }: { state: TestState }) {
  return <Badge {...STATE_LOOKS[state]} />
}

interface TestNameProps {
  test: Pick<TestReference, 'id' | 'name'>
  /** The branch that its page shows; without it that of this page. */
  branch?: string | undefined
}

/** A test as a link to its page, the titles it lies under quieter than its own. */
export function TestName({ test, branch }: TestNameProps) {
  const { path, title } = splitStepName(test.name)
  const link = testLink(test.id, branch === undefined ? {} : { branch })
  return (
    <Link {...link} {...ROW_LINK} className="wrap-anywhere">
      {path.length > 0 && <span className="text-soft">{path.join(' › ')} › </span>}
      <span className="font-medium">{title}</span>
    </Link>
  )
}

/** Leads to the run of a result; `word` says which where there are several. */
export function RunOf({ runId, name, word = 'run' }: { runId: string; name: string; word?: string }) {
  return (
    <Link {...runLink(runId)} className="text-sm whitespace-nowrap">
      {word}
      <span className="sr-only"> of {name}</span>
    </Link>
  )
}

/** Where a test lies: file, project and procedure, as far as they differ. */
export function describePlace({ file, project, procedure }: Omit<TestReference, 'id' | 'name'>): string {
  return [file, project, procedure.name].filter((part) => part !== null && part !== '').join(' · ')
}
