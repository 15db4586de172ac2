import type { RunListItem } from '@runledger/protocol'
import {
  describeOutcome,
  formatDuration,
  isOfSoftware,
  nameCommit,
  namePackage,
  nameRun,
} from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { nameGroup } from '../format/group'
import { buildLink } from '../history-links'
import { runLink } from '../links'
import { Badge } from '../ui/badge'
import { OutsideLimits } from '../ui/outside-limits'
import { FirstError } from './first-error'
import { FacetLink } from './noun-links'
import { RevisionLink } from './revision-link'
import { RowName, TimedRow, TimedTable } from './timed-rows'

interface RunRowsProps {
  runs: RunListItem[]
  /** The group whose runs these are, which need not name it once more. */
  group: string | undefined
}

/** The runs as a table, which turns into cards where it is narrow. */
export function RunRows({ runs, group }: RunRowsProps) {
  return (
    <TimedTable label="Runs" heads={['Outcome', 'Run', nameSubjects(runs)]}>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} group={group} />
      ))}
    </TimedTable>
  )
}

function RunRow({ run, group }: { run: RunListItem; group: string | undefined }) {
  const { word, tone } = describeOutcome(run.outcome)
  return (
    <TimedRow
      badge={<Badge tone={tone} word={word} />}
      name={
        <>
          <RowName link={runLink(run.id)}>{nameRun(run)}</RowName>
          <OutsideLimits run={run} />
          <FirstError message={explainFailure(run)} />
          <RunOrigin run={run} group={group} />
        </>
      }
      about={<RunSubject run={run} />}
      duration={formatDuration(run.duration)}
      startedAt={run.started_at}
    />
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
        <FacetLink facet="part" value={part.number} /> · revision <RevisionLink part={part} />
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
