import type { HomeProject } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { formatGroup } from '../../format/group'
import { buildLink } from '../../history-links'

type StripBuild = HomeProject['builds'][number]

// Each state has a height of its own, so that the colour is not all that tells them apart.
const BARS = {
  passed: 'h-3 bg-good opacity-60',
  failed: 'h-6 bg-bad',
  incomplete: 'h-6 border-2 border-warn bg-warn-tint',
  running: 'h-3 border border-dashed border-soft',
}

/** The last builds of a project, the oldest first, each a link. */
export function BuildStrip({ builds }: { builds: StripBuild[] }) {
  if (builds.length === 0) return null
  return (
    <ol aria-label="Last builds, the oldest first" className="mt-1.5 flex h-6 items-end gap-px">
      {builds.map((build) => (
        <li key={build.group} className="flex h-6 max-w-2.5 min-w-0 grow items-end">
          <Link
            {...buildLink(build.group)}
            tabIndex={build === builds.at(-1) ? 0 : -1}
            title={describe(build)}
            aria-label={describe(build)}
            className="flex h-6 w-full items-end"
          >
            <span aria-hidden className={`w-full rounded-[1px] ${looksOf(build)}`} />
          </Link>
        </li>
      ))}
    </ol>
  )
}

function looksOf({ state, is_infrastructure: isInfrastructure }: StripBuild): string {
  return isInfrastructure ? 'h-6 bg-quiet opacity-60' : BARS[state]
}

function describe({ group, state, is_infrastructure: isInfrastructure }: StripBuild): string {
  return `Build ${formatGroup(group)}: ${BUILD_LOOKS[state].word.toLowerCase()}${isInfrastructure ? ', infrastructure' : ''}`
}
