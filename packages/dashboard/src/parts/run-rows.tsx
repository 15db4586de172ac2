import type { RunListItem } from '@runledger/protocol'
import {
  describeOutcome,
  formatDuration,
  isOfSoftware,
  nameCommit,
  namePackage,
  nameRun,
} from '@runledger/protocol/reading'
import { Link } from '@tanstack/react-router'
import { nameGroup } from '../format/group'
import { buildLink } from '../history-links'
import { runLink } from '../links'
import { ROW_LINK } from '../navigation/keys'
import { Badge } from '../ui/badge'
import { OutsideLimits } from '../ui/outside-limits'
import { RelativeTime } from '../ui/time-text'
import { FirstError } from './first-error'
import { FacetLink } from './noun-links'

interface RunRowsProps {
  runs: RunListItem[]
  /** The group whose runs these are, which need not name it once more. */
  group: string | undefined
}

const COLUMNS =
  'md:grid md:grid-cols-[7rem_minmax(0,2fr)_minmax(0,1.5fr)_6rem_8rem] md:items-baseline md:gap-x-4'

/** The runs as a table, which turns into cards where it is narrow. */
export function RunRows({ runs, group }: RunRowsProps) {
  return (
    <div role="table" aria-label="Runs" className="overflow-hidden rounded-lg border border-line bg-surface">
      <div role="rowgroup" className="sr-only md:not-sr-only">
        <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
          <span role="columnheader">Outcome</span>
          <span role="columnheader">Run</span>
          <span role="columnheader">{nameSubjects(runs)}</span>
          <span role="columnheader" className="md:text-right">
            Duration
          </span>
          <span role="columnheader" className="md:text-right">
            Started
          </span>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} group={group} />
        ))}
      </div>
    </div>
  )
}

function RunRow({ run, group }: { run: RunListItem; group: string | undefined }) {
  const { word, tone } = describeOutcome(run.outcome)
  return (
    <div
      role="row"
      className={`relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken ${COLUMNS}`}
    >
      <span role="cell" className="order-1">
        <Badge tone={tone} word={word} />
      </span>
      <span role="cell" className="order-4 w-full min-w-0 md:order-2 md:w-auto">
        <RunName run={run} />
        <OutsideLimits run={run} />
        <FirstError message={explainFailure(run)} />
        <RunOrigin run={run} group={group} />
      </span>
      <span role="cell" className="order-5 w-full min-w-0 md:order-3 md:w-auto">
        <RunSubject run={run} />
      </span>
      <span role="cell" className="numeric order-2 ml-auto md:order-4 md:ml-0 md:text-right">
        {formatDuration(run.duration)}
      </span>
      <span role="cell" className="order-3 text-soft md:order-5 md:text-right">
        <RelativeTime at={run.started_at} />
      </span>
    </div>
  )
}

/** The first error, or what failed where none is on record, such as a measurement outside its limits. */
function explainFailure({ first_error: error, failures = [] }: RunListItem): string | undefined {
  if (error !== undefined) return error
  const [failure] = failures
  return failure && [failure.name, failure.message].filter(Boolean).join(': ')
}

function nameSubjects(runs: readonly RunListItem[]): string {
  const ofSoftware = runs.filter(isOfSoftware).length
  if (ofSoftware === runs.length) return 'Branch and commit'
  return ofSoftware === 0 ? 'Unit' : 'Branch or unit'
}

/** The tested software by branch and commit, anything else by its serial number. */
function RunSubject({ run }: { run: RunListItem }) {
  const { part, serial_number: serialNumber, batch } = run.unit
  if (isOfSoftware(run)) return <SoftwareSubject run={run} />
  return (
    <>
      <span className="block">
        <FacetLink facet="unit" value={serialNumber} />
      </span>
      <span className="block text-sm wrap-anywhere text-soft">
        {part.number} · revision {part.revision.number}
        {batch && (
          <>
            {' · batch '}
            <FacetLink facet="batch" value={batch.number} />
          </>
        )}
      </span>
    </>
  )
}

function SoftwareSubject({ run }: { run: RunListItem }) {
  const { git_branch: branch } = run.metadata ?? {}
  const others = [nameCommit(run), namePackage(run)].filter((text) => text !== undefined && text !== '')
  return (
    <>
      {branch !== undefined && branch !== '' && (
        <span className="block">
          <FacetLink facet="branch" value={String(branch)} />
        </span>
      )}
      <span className="block text-sm wrap-anywhere text-soft">{others.join(' · ')}</span>
    </>
  )
}

function RunName({ run }: { run: RunListItem }) {
  return (
    <Link
      {...runLink(run.id)}
      {...ROW_LINK}
      className="block font-medium wrap-anywhere no-underline after:absolute after:inset-0 after:content-['']"
    >
      {nameRun(run)}
    </Link>
  )
}

function RunOrigin({ run, group }: { run: RunListItem; group: string | undefined }) {
  const { framework, project, group: ownGroup } = run.metadata ?? {}
  const { name } = run.procedure
  const parts = [name === nameRun(run) ? undefined : name, framework, project].filter(
    (part) => part !== undefined && part !== '',
  )
  const isGroupNamed = ownGroup !== undefined && ownGroup !== group
  if (parts.length === 0 && !isGroupNamed) return null
  return (
    <span className="block text-sm break-words text-soft">
      {parts.join(' · ')}
      {isGroupNamed && (
        <>
          {parts.length > 0 && ' · '}
          <Link {...buildLink(String(ownGroup))} className="relative z-[1] underline wrap-anywhere">
            {nameGroup(String(ownGroup))}
          </Link>
        </>
      )}
    </span>
  )
}
