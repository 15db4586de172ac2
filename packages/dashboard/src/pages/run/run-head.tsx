import type { RunDetail } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { formatExact } from '../../format/date'
import { formatDuration } from '../../format/duration'
import { describeOutcome } from '../../format/outcome'
import { groupLink, runListLink } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { Badge } from '../../ui/badge'
import { Facts, type Fact } from '../../ui/facts'
import { RelativeTime } from '../../ui/time-text'

/** What the run was and what it came to. */
export function RunHead({ run }: { run: RunDetail }) {
  const { word, tone } = describeOutcome(run.outcome)
  const { file } = run.metadata
  return (
    <header className="flex flex-col gap-3">
      <Link {...runListLink(EMPTY_FILTER)} className="flex items-center gap-1 self-start text-sm">
        <ArrowLeft aria-hidden className="size-4" />
        All runs
      </Link>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Badge tone={tone} word={word} size="large" />
        <h1 className="min-w-0 text-2xl font-semibold break-words">
          {run.procedure.name}
          {run.procedure.version && (
            <span className="font-normal text-soft"> {run.procedure.version.tag}</span>
          )}
        </h1>
      </div>
      {file !== undefined && <p className="text-lg wrap-anywhere">{file}</p>}
      {run.docstring && <p className="max-w-prose whitespace-pre-line">{run.docstring}</p>}
      <div className="rounded-lg border border-line bg-surface p-4">
        <Facts facts={listFacts(run)} />
      </div>
    </header>
  )
}

function listFacts(run: RunDetail): Fact[] {
  const { unit, metadata } = run
  const framework = [metadata['framework'], metadata['framework_version']].filter(
    (part) => part !== undefined,
  )
  const group = metadata['group']
  const facts: (Fact | undefined)[] = [
    { label: 'Unit', value: unit.serial_number },
    { label: 'Part and revision', value: `${unit.part.number}, revision ${unit.part.revision.number}` },
    unit.batch ? { label: 'Batch', value: unit.batch.number } : undefined,
    { label: 'Started', value: <Started at={run.started_at} /> },
    { label: 'Duration', value: formatDuration(run.duration) },
    framework.length > 0 ? { label: 'Framework', value: framework.join(' ') } : undefined,
    metadata['project'] ? { label: 'Project', value: String(metadata['project']) } : undefined,
    group === undefined
      ? undefined
      : { label: 'Group', value: <Link {...groupLink(String(group))}>{group}</Link> },
    { label: 'Recorded by', value: nameRecorder(run) },
  ]
  return facts.filter((fact) => fact !== undefined)
}

function Started({ at }: { at: string }) {
  return (
    <>
      <RelativeTime at={at} />
      <span className="numeric block text-sm text-soft">{formatExact(at)}</span>
    </>
  )
}

function nameRecorder(run: RunDetail): string {
  if (run.created_by_station) return `station ${run.created_by_station.name ?? run.created_by_station.id}`
  const user = run.operated_by ?? run.created_by_user
  return user?.name ?? user?.email ?? user?.id ?? 'unknown'
}
