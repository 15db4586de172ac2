import type { LinePicture, LineUnit } from '@runledger/protocol'
import { Printer } from 'lucide-react'
import { facetLink } from '../../links'
import { RevisionLink } from '../../parts/revision-link'
import { FacetLink } from '../../parts/noun-links'
import { namePerson } from '../../parts/person'
import { Picture } from '../../parts/picture'
import { BackLink } from '../../ui/back-link'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { type Fact, FactLine } from '../../ui/facts'
import { MarkdownLink } from '../../ui/markdown-link'
import { MinuteTime } from '../../ui/time-text'

const SAMPLES = { golden: 'Golden sample', failing: 'Failing sample', ignored: 'Left out of statistics' }

export function UnitHead({ history }: { history: LineUnit }) {
  const { unit } = history
  const photo = findPhoto(history)
  return (
    <header className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2 print:hidden">
        <BackLink link={facetLink('part', unit.part.number)}>Runs of this part</BackLink>
        <div className="flex items-center gap-2">
          <MarkdownLink address={`/line/unit.md?serial_number=${encodeURIComponent(unit.serial_number)}`} />
          <Button onClick={() => window.print()}>
            <Printer aria-hidden className="size-4" />
            Print<span className="max-sm:sr-only"> certificate</span>
          </Button>
        </div>
      </div>
      <div className="flex flex-wrap items-start gap-x-5 gap-y-3">
        {photo && <Picture picture={photo} className="h-36 w-48 print:h-28 print:w-36" />}
        <div className="flex min-w-0 grow basis-72 flex-col gap-2">
          <p className="hidden text-sm text-soft print:block">Certificate of tests</p>
          <h1 className="text-2xl font-semibold wrap-anywhere">{unit.serial_number}</h1>
          {unit.sample !== null && (
            <span>
              <Badge tone="quiet" word={SAMPLES[unit.sample]} />
            </span>
          )}
          <FactLine facts={listFacts(history)} />
        </div>
      </div>
    </header>
  )
}

/** The unit's own picture, else the last one that a run of it left behind. */
function findPhoto({ unit, runs }: LineUnit): LinePicture | undefined {
  const ofRuns = runs.filter((run) => run.unit.id === unit.id).flatMap(({ pictures }) => pictures)
  return unit.pictures[0] ?? ofRuns[0]
}

function listFacts({ unit, runs, holders }: LineUnit): Fact[] {
  const { part, batch, created_at: createdAt, created_by_station: station, metadata } = unit
  const last = runs.find((run) => run.unit.id === unit.id)
  const [holder] = holders
  return [
    { label: 'Part', value: <FacetLink facet="part" value={part.number} /> },
    { label: 'Name', value: part.name !== part.number && part.name },
    { label: 'Revision', value: <RevisionLink part={part} /> },
    { label: 'Batch', value: batch && <FacetLink facet="batch" value={batch.number} /> },
    { label: 'Built into', value: holder && <FacetLink facet="unit" value={holder.serial_number} /> },
    {
      label: 'Last operator',
      value: last?.operated_by && (
        <FacetLink facet="operator" value={last.operated_by.id} text={namePerson(last.operated_by)} />
      ),
    },
    { label: 'First seen', value: <MinuteTime at={createdAt} /> },
    {
      label: 'Created by',
      value: station && <FacetLink facet="station" value={station.id} text={station.name} />,
    },
    ...Object.entries(metadata).map(([label, value]) => ({ label, value: String(value) })),
  ]
}
