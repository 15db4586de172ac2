import type { Build } from '@runledger/protocol'
import { BUILD_LOOKS } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { GitCompare } from 'lucide-react'
import { nameBuild } from '../../format/name-build'
import { buildLink, buildListLink, compareLink } from '../../history-links'
import { markdownAddress } from '../../links'
import { EMPTY_FILTER } from '../../run-filter'
import { BackLink } from '../../ui/back-link'
import { Badge } from '../../ui/badge'
import { FactLine } from '../../ui/facts'
import { MarkdownLink } from '../../ui/markdown-link'
import { listFacts } from './list-facts'
import { MissingParts } from './missing-parts'
import { ShardBar } from './shard-bar'

/** What the build is, and what it came to. */
export function BuildHead({ build }: { build: Build }) {
  const { group, previous_group: previous } = build
  return (
    <header className="flex flex-col gap-3">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-x-4">
        <BackLink link={buildListLink()}>All builds</BackLink>
        <span className="flex flex-wrap items-center gap-x-4">
          <CompareWithDefault build={build} />
          {previous !== null && (
            <Link
              {...compareLink({ base: previous, head: group })}
              className="inline-flex items-center gap-1 text-sm"
            >
              <GitCompare aria-hidden className="size-4" />
              Compare with the build before
            </Link>
          )}
          <MarkdownLink address={markdownAddress({ filter: { ...EMPTY_FILTER, group } })} />
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge {...BUILD_LOOKS[build.state]} size="large" />
        <h1 className="min-w-0 text-2xl font-semibold wrap-anywhere">{nameBuild(build)}</h1>
      </div>
      <FactLine facts={listFacts(build)} />
      <ShardBar build={build} />
      {build.missing.length > 0 && <MissingParts build={build} />}
      {build.is_infrastructure && <InfrastructureNote />}
      <Counts build={build} />
    </header>
  )
}

/** Leads to what the build's branch changes against the default branch of its project. */
function CompareWithDefault({ build }: { build: Build }) {
  const { group, branch, default_branch: base, procedures } = build
  const [procedure] = procedures
  if (base === null || branch === null || branch === base) return null
  return (
    <Link
      {...compareLink({ procedure: procedure?.id, base_branch: base, head: group })}
      className="inline-flex items-center gap-1 text-sm"
    >
      <GitCompare aria-hidden className="size-4" />
      Compare with {base}
    </Link>
  )
}

function InfrastructureNote() {
  return (
    <p className="rounded-lg border border-warn bg-warn-tint px-4 py-2">
      <span className="font-semibold">Infrastructure build.</span> So much of it failed together that the
      environment is the likely cause. It is left out of every rate.
    </p>
  )
}

const COUNTS = [
  ['failed', 'failed', 'border-bad text-bad'],
  ['flaky', 'passed on a retry', 'border-warn text-warn'],
  ['passed', 'passed', 'border-line text-ink'],
  ['skipped', 'skipped', 'border-line text-soft'],
] as const

function Counts({ build: { group, tests } }: { build: Build }) {
  return (
    <p className="flex flex-wrap gap-2">
      {COUNTS.filter(([name]) => tests[name] > 0).map(([name, word, className]) => (
        <Link
          key={name}
          {...buildLink(group, { tab: 'tests', outcome: [name] })}
          resetScroll={false}
          className={`numeric rounded-md border bg-surface px-3 py-1 text-sm no-underline hover:bg-sunken ${className}`}
        >
          <span className="text-base font-semibold">{tests[name].toLocaleString('en')}</span> {word}
        </Link>
      ))}
    </p>
  )
}
