import type { BuildListItem } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/presentation'
import { nameBuild } from '../../format/name-build'
import { formatMs } from '../../format/rate'
import { buildLink } from '../../history-links'
import { BuildFacts } from '../../parts/build-facts'
import { ResultCountsText } from '../../parts/result-counts'
import { RowName, TimedRow, TimedTable } from '../../parts/timed-rows'
import { Badge } from '../../ui/badge'

export function BuildRows({ builds }: { builds: BuildListItem[] }) {
  return (
    <TimedTable label="Builds" heads={['State', 'Build', 'Results of tests']}>
      {builds.map((build) => (
        <BuildRow key={build.group} build={build} />
      ))}
    </TimedTable>
  )
}

function BuildRow({ build }: { build: BuildListItem }) {
  return (
    <TimedRow
      badge={<Badge {...BUILD_LOOKS[build.state]} />}
      name={
        <>
          <RowName link={buildLink(build.group)}>{nameBuild(build)}</RowName>
          <BuildFacts build={build} />
          {build.missing.length > 0 && (
            <span className="block text-sm wrap-anywhere text-warn">{build.missing.join('; ')}</span>
          )}
        </>
      }
      about={
        <span className="text-sm">
          <ResultCountsText counts={build.tests} />
          {build.is_infrastructure && (
            <span className="block text-warn">infrastructure, left out of rates</span>
          )}
        </span>
      }
      duration={formatMs(build.duration_ms)}
      startedAt={build.started_at}
    />
  )
}
