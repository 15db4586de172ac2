import type { Build, VerdictList } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/presentation'
import { Link, useSearch } from '@tanstack/react-router'
import { nameBuild } from '../../format/name-build'
import { buildLink } from '../../history-links'
import { Definitions } from '../../parts/definitions'
import { tabClass, Tabs } from '../../ui/tabs'
import { BuildHead } from './build-head'
import { BuildRuns } from './build-runs'
import { BuildTests } from './build-tests'
import { Causes } from './causes'
import { FailuresByVerdict } from './failures-by-verdict'
import { PageTitle } from '../../ui/page-title'

export function BuildView({ build, verdicts }: { build: Build; verdicts: VerdictList | undefined }) {
  const search = useSearch({ from: '/builds/$group' })
  const hasFailures = build.causes_count > 0 || (verdicts?.data.length ?? 0) > 0
  const title = `${BUILD_LOOKS[build.state].word}: ${nameBuild(build)}`
  const { passed, failed, flaky, skipped } = build.tests
  const results = passed + failed + flaky + skipped
  const tab = search.tab ?? (hasFailures ? 'failures' : results > 0 ? 'tests' : 'runs')
  const tabs = [
    ...(hasFailures ? [['failures', 'Why it failed'] as const] : []),
    ['tests', `Tests (${results.toLocaleString('en')})`] as const,
    ['runs', `Runs (${build.runs.total.toLocaleString('en')})`] as const,
  ]
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={title} />
      <BuildHead build={build} />
      <Tabs label="Parts of the build">
        {tabs.map(([name, text]) => (
          <Link
            key={name}
            {...buildLink(build.group, { tab: name })}
            replace
            resetScroll={false}
            aria-current={name === tab ? 'true' : undefined}
            className={tabClass(name === tab)}
          >
            {text}
          </Link>
        ))}
      </Tabs>
      {tab === 'failures' && (
        <>
          <Causes build={build} />
          <FailuresByVerdict build={build} verdicts={verdicts} />
        </>
      )}
      {tab === 'tests' && <BuildTests group={build.group} />}
      {tab === 'runs' && <BuildRuns group={build.group} />}
      <Definitions of={['cause', 'infrastructure', 'incomplete', 'duration']} />
    </div>
  )
}
