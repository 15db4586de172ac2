import type { BuildListItem } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/protocol/reading'
import { Link } from '@tanstack/react-router'
import { formatMs } from '../../format/rate'
import { buildLink } from '../../history-links'
import { ROW_LINK } from '../../navigation/keys'
import { BuildFacts } from '../../parts/build-facts'
import { ResultCountsText } from '../../parts/result-counts'
import { nameBuild } from '../../format/name-build'
import { Badge } from '../../ui/badge'
import { RelativeTime } from '../../ui/time-text'

const COLUMNS =
  'md:grid md:grid-cols-[8rem_minmax(0,3fr)_minmax(0,2fr)_6rem_8rem] md:items-baseline md:gap-x-4'

/** Builds as a table, which turns into cards where it is narrow. */
export function BuildRows({ builds }: { builds: BuildListItem[] }) {
  return (
    <div
      role="table"
      aria-label="Builds"
      className="overflow-hidden rounded-lg border border-line bg-surface"
    >
      <div role="rowgroup" className="sr-only md:not-sr-only">
        <div role="row" className={`border-b border-line bg-sunken px-4 py-2 text-sm text-soft ${COLUMNS}`}>
          <span role="columnheader">State</span>
          <span role="columnheader">Build</span>
          <span role="columnheader">Results of tests</span>
          <span role="columnheader" className="md:text-right">
            Duration
          </span>
          <span role="columnheader" className="md:text-right">
            Started
          </span>
        </div>
      </div>
      <div role="rowgroup" className="divide-y divide-line">
        {builds.map((build) => (
          <BuildRow key={build.group} build={build} />
        ))}
      </div>
    </div>
  )
}

function BuildRow({ build }: { build: BuildListItem }) {
  return (
    <div
      role="row"
      className={`relative flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken ${COLUMNS}`}
    >
      <span role="cell" className="order-1">
        <Badge {...BUILD_LOOKS[build.state]} />
      </span>
      <span role="cell" className="order-4 w-full min-w-0 md:order-2 md:w-auto">
        <Link
          {...buildLink(build.group)}
          {...ROW_LINK}
          className="block font-medium wrap-anywhere no-underline after:absolute after:inset-0 after:content-['']"
        >
          {nameBuild(build)}
        </Link>
        <BuildFacts build={build} />
        {build.missing.length > 0 && (
          <span className="block text-sm wrap-anywhere text-warn">{build.missing.join('; ')}</span>
        )}
      </span>
      <span role="cell" className="order-5 w-full min-w-0 text-sm md:order-3 md:w-auto">
        <ResultCountsText counts={build.tests} />
        {build.is_infrastructure && (
          <span className="block text-warn">infrastructure, left out of rates</span>
        )}
      </span>
      <span role="cell" className="numeric order-2 ml-auto md:order-4 md:ml-0 md:text-right">
        {formatMs(build.duration_ms)}
      </span>
      <span role="cell" className="order-3 text-soft md:order-5 md:text-right">
        <RelativeTime at={build.started_at} />
      </span>
    </div>
  )
}
