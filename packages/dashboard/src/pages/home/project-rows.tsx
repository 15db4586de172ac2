import type { HomeProject } from '@runledger/protocol'
import { BUILD_LOOKS, formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { nameBuild } from '../../format/name-build'
import { buildLink, buildListLink, compareLink, testListLink } from '../../history-links'
import { ROW_LINK } from '../../navigation/keys'
import { BuildStrip } from './build-strip'
import { Defined } from '../../parts/definitions'
import { ResultCountsText } from '../../parts/result-counts'
import { Badge } from '../../ui/badge'
import { Card } from '../../ui/card'
import { RelativeTime } from '../../ui/time-text'

export function ProjectRows({ projects }: { projects: HomeProject[] }) {
  return (
    <Card title="Projects">
      <ul className="divide-y divide-line">
        {projects.map((project) => (
          <ProjectRow key={project.procedure.id} project={project} />
        ))}
      </ul>
    </Card>
  )
}

function ProjectRow({ project }: { project: HomeProject }) {
  const { procedure, default_branch: branch, builds, last_build: last } = project
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)_minmax(0,1fr)]">
      <div className="min-w-0">
        <Link
          {...buildListLink({ procedure: procedure.id, branch: branch ?? undefined })}
          {...ROW_LINK}
          className="font-semibold wrap-anywhere"
        >
          {procedure.name}
        </Link>
        <span className="block text-sm text-soft">{branch === null ? 'all branches' : `on ${branch}`}</span>
        <BuildStrip builds={builds} />
      </div>
      <div className="min-w-0">
        {last === null ? (
          <span className="text-soft">No build{branch === null ? '' : ` on ${branch}`} yet</span>
        ) : (
          <>
            <span className="flex items-baseline gap-2">
              <Badge {...BUILD_LOOKS[last.state]} />
              <Link {...buildLink(last.group)} className="min-w-0 truncate">
                {nameBuild(last)}
              </Link>
            </span>
            <span className="block text-sm text-soft">
              <ResultCountsText counts={last.tests} />, <RelativeTime at={last.started_at} />
              {last.author !== null && ` by ${last.author}`}
            </span>
            {last.missing.length > 0 && (
              <span className="block text-sm wrap-anywhere text-warn">{last.missing.join('; ')}</span>
            )}
          </>
        )}
      </div>
      <TestCounts project={project} />
    </li>
  )
}

/** How many tests are not healthy, each leading to those tests. */
function TestCounts({ project: { procedure, default_branch: branch, tests } }: { project: HomeProject }) {
  const scope = { procedure: procedure.id, branch: branch ?? undefined }
  return (
    <div className="min-w-0 text-sm">
      <p className="numeric flex flex-wrap gap-x-4">
        <Link {...testListLink({ ...scope, state: ['broken'], sort: 'failing' })}>
          <span className={`text-base font-semibold ${tests.broken > 0 ? 'text-bad' : ''}`}>
            {tests.broken}
          </span>{' '}
          broken
        </Link>
        <Link {...testListLink({ ...scope, state: ['flaky'], sort: 'flaky' })}>
          <span className={`text-base font-semibold ${tests.flaky > 0 ? 'text-warn' : ''}`}>
            {tests.flaky}
          </span>{' '}
          flaky
        </Link>
        <Link {...testListLink({ ...scope, sort: 'slower', days: '30' })}>slower</Link>
        <Link {...testListLink({ ...scope, sort: 'failing' })}>fail most</Link>
        <Link {...compareLink({ procedure: procedure.id, base_branch: branch ?? undefined })}>compare</Link>
      </p>
      <p className="text-soft">
        of <Defined as="state">{formatCount(tests.total, 'test')}</Defined> in 14 days,{' '}
        {tests.slower.toLocaleString('en')} <Defined as="slowerTests">slower</Defined>
      </p>
    </div>
  )
}
