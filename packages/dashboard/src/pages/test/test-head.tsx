import type { TestDetail } from '@runledger/protocol'
import { formatCount, splitStepName } from '@runledger/presentation'
import { Link, useNavigate } from '@tanstack/react-router'
import { formatInterval, formatMinutes, formatMs, formatRate } from '../../format/rate'
import { testLink, testListLink } from '../../history-links'
import { BuildName, BuildNote } from '../../parts/build-name'
import { OwnerLink } from '../../parts/noun-links'
import { Statistic, Statistics } from '../../parts/statistics'
import { StateBadge } from '../../parts/test-name'
import { BackLink } from '../../ui/back-link'
import { FactLine, type Fact } from '../../ui/facts'
import { Joined } from '../../ui/joined'
import { Picker } from '../../ui/picker'
import { DayTime, RelativeTime } from '../../ui/time-text'
import { type StoryPart, describeStory } from './story'

/** What the test is, what became of it, and its numbers. */
export function TestHead({ test, environment }: { test: TestDetail; environment: string | undefined }) {
  const { path, title } = splitStepName(test.name)
  return (
    <header className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <BackLink link={testListLink()}>All tests</BackLink>
        <Pickers test={test} environment={environment} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge state={test.state} />
        <h1 className="min-w-0 text-2xl font-semibold wrap-anywhere">
          {path.length > 0 && <span className="font-normal text-soft">{path.join(' › ')} › </span>}
          {title}
        </h1>
      </div>
      <FactLine facts={listFacts(test)} />
      <p className="rounded-lg border border-line bg-surface px-4 py-3 text-lg wrap-anywhere">
        {describeStory(test.segments, test.failing_rows).map((part, index) => (
          <StoryText key={index} part={part} />
        ))}
      </p>
      <Numbers test={test} />
    </header>
  )
}

function StoryText({ part }: { part: StoryPart }) {
  if (typeof part === 'string') return part
  return 'near' in part ? <BuildName build={part.near} /> : <BuildNote build={part} />
}

function Pickers({
  test: { id, branches, branch, environments },
  environment,
}: Parameters<typeof TestHead>[0]) {
  const navigate = useNavigate()
  const go = (search: Parameters<typeof testLink>[1]) =>
    void navigate({ ...testLink(id, search), replace: true })
  return (
    <div className="flex flex-wrap gap-2">
      <Picker
        label="Branch"
        all="All branches"
        value={branch ?? undefined}
        options={branches.map((one) => ({ value: one, text: one }))}
        onChoose={(value) => go({ branch: value, environment })}
      />
      {environments.length > 1 && (
        <Picker
          label="Environment"
          all="All environments"
          value={environment}
          options={environments.map((one) => ({ value: one, text: one }))}
          onChoose={(value) => go({ branch: branch ?? undefined, environment: value })}
        />
      )}
    </div>
  )
}

function listFacts(test: TestDetail): Fact[] {
  const { file, line, project, procedure, owner, tags } = test
  return [
    {
      label: 'File',
      value: file && (
        <>
          <Link {...testListLink({ file })} className="font-mono">
            {file}
          </Link>
          {line !== null && <span className="font-mono text-soft">:{line}</span>}
        </>
      ),
    },
    { label: 'Runs as', value: project && <Link {...testListLink({ project })}>{project}</Link> },
    { label: 'Project', value: <Link {...testListLink({ procedure: procedure.id })}>{procedure.name}</Link> },
    { label: 'Owner', value: owner && <OwnerLink owner={owner} /> },
    {
      label: 'Tags',
      value: tags.length > 0 && (
        <Joined
          parts={tags.map((tag) => (
            <Link key={tag} {...testListLink({ tag })}>
              {tag}
            </Link>
          ))}
        />
      ),
    },
    { label: 'First seen', value: <RelativeTime at={test.first_seen_at} /> },
    { label: 'Last seen', value: <DayTime at={test.last_seen_at} /> },
  ]
}

/** How often it fails and how long it takes, each with its sample. */
function Numbers({ test }: { test: TestDetail }) {
  return (
    <Statistics>
      <Statistic name="Failure rate" as="failures" value={formatRate(test.failures)}>
        {formatInterval(test.failures)}
      </Statistic>
      <Statistic name="Flake rate" as="flakes" value={formatRate(test.flakes)}>
        {formatInterval(test.flakes)}
      </Statistic>
      <Statistic name="Median duration" as="median" value={formatMs(test.p50_ms)}>
        mean {formatMs(test.mean_ms)}
      </Statistic>
      <Statistic name="Cost" as="cost" value={formatMinutes(test.cost_minutes)}>
        {formatCount(test.results, 'result')}
      </Statistic>
    </Statistics>
  )
}
