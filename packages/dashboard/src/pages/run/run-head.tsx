import type { RunDetail } from '@runledger/protocol'
import {
  BUILD_LOOKS,
  describeOutcome,
  formatDuration,
  isOfSoftware,
  linkCommit,
  nameCommit,
  namePackage,
  webLink,
} from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buildQuery } from '../../api/build'
import { formatExact } from '../../format/date'
import { formatGroup } from '../../format/group'
import { buildLink, buildListLink } from '../../history-links'
import { markdownAddress, runListLink } from '../../links'
import { FacetLink } from '../../parts/noun-links'
import { namePerson } from '../../parts/person'
import { RevisionLink } from '../../parts/revision-link'
import { EMPTY_FILTER } from '../../run-filter'
import { BackLink } from '../../ui/back-link'
import { Badge } from '../../ui/badge'
import { FactLine, type Fact } from '../../ui/facts'
import { MarkdownLink } from '../../ui/markdown-link'
import { OutLink } from '../../ui/out-link'
import { OutsideLimits } from '../../ui/outside-limits'
import { RelativeTime } from '../../ui/time-text'

export function RunHead({ run }: { run: RunDetail }) {
  const { word, tone } = describeOutcome(run.outcome)
  const { file } = run.metadata
  const isFileFirst = file !== undefined && isOfSoftware(run)
  return (
    <header className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <BackLink link={runListLink(EMPTY_FILTER)}>All runs</BackLink>
        <MarkdownLink address={markdownAddress({ run: run.id })} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone} word={word} size="large" />
        <h1 className="min-w-0 text-xl font-semibold break-words">
          {isFileFirst ? file : <Procedure run={run} />}
        </h1>
        {file !== undefined && (
          <p className="min-w-0 text-lg wrap-anywhere text-soft">
            {isFileFirst ? <Procedure run={run} /> : file}
          </p>
        )}
      </div>
      <OutsideLimits run={run} />
      {run.docstring && <p className="max-w-prose whitespace-pre-line">{run.docstring}</p>}
      <FactLine facts={listFacts(run)} />
    </header>
  )
}

function Procedure({ run: { procedure } }: { run: RunDetail }) {
  return (
    <>
      <FacetLink facet="procedure" value={procedure.id} text={procedure.name} />
      {procedure.version && <span className="font-normal text-soft"> {procedure.version.tag}</span>}
    </>
  )
}

/** What was tested comes first: of software where it was built from, of anything else its unit. */
function listFacts(run: RunDetail): Fact[] {
  const { metadata } = run
  const textOf = (name: string) => (metadata[name] === undefined ? undefined : String(metadata[name]))
  const framework = [textOf('framework'), textOf('framework_version')].filter((part) => part !== undefined)
  const [group, branch, author, pull] = ['group', 'git_branch', 'git_author', 'pull_request'].map(textOf)
  const build = webLink(textOf('ci_build_url') ?? '')
  const commit = nameCommit(run)
  return [
    ...(isOfSoftware(run) ? [] : listUnitFacts(run)),
    { label: 'Project', value: textOf('project') },
    { label: 'Build', value: group && <Group group={group} /> },
    { label: 'Branch', value: branch && <Link {...buildListLink({ branch })}>{branch}</Link> },
    { label: 'Commit', value: commit && <Commit text={commit} address={linkCommit(run)} /> },
    { label: 'Author', value: author && <Link {...buildListLink({ author })}>{author}</Link> },
    { label: 'Pull request', value: pull },
    { label: 'CI', value: build && <OutLink address={build}>{textOf('ci') ?? 'open'}</OutLink> },
    { label: 'Started', value: <Started at={run.started_at} /> },
    { label: 'Duration', value: formatDuration(run.duration) },
    { label: 'Framework', value: framework.join(' ') },
    { label: 'Package', value: isOfSoftware(run) && namePackage(run) },
    ...listPeople(run),
  ]
}

function listUnitFacts({ unit }: RunDetail): Fact[] {
  const { serial_number: serialNumber, part, batch } = unit
  return [
    { label: 'Unit', value: <FacetLink facet="unit" value={serialNumber} /> },
    {
      label: 'Part and revision',
      value: (
        <>
          <FacetLink facet="part" value={part.number} />, revision <RevisionLink part={part} />
        </>
      ),
    },
    { label: 'Batch', value: batch && <FacetLink facet="batch" value={batch.number} /> },
  ]
}

/** The operator, and the station or user that recorded the run, except for software. */
function listPeople(run: RunDetail): Fact[] {
  const { operated_by: operator, created_by_station: station, created_by_user: user } = run
  return [
    {
      label: 'Operator',
      value: operator && <FacetLink facet="operator" value={operator.id} text={namePerson(operator)} />,
    },
    {
      label: 'Station',
      value: station && <FacetLink facet="station" value={station.id} text={station.name} />,
    },
    { label: 'Recorded by', value: !isOfSoftware(run) && user && namePerson(user) },
  ]
}

/** Shows the build's state while the build is incomplete. */
function Group({ group }: { group: string }) {
  const { data: build } = useQuery(buildQuery(group))
  return (
    <>
      <Link {...buildLink(group)}>{formatGroup(group)}</Link>{' '}
      {build && build.missing.length > 0 && <Badge {...BUILD_LOOKS[build.state]} />}
    </>
  )
}

function Started({ at }: { at: string }) {
  return (
    <>
      <RelativeTime at={at} /> <span className="numeric text-soft max-sm:hidden">({formatExact(at)})</span>
    </>
  )
}

function Commit({ text, address }: { text: string; address: string | undefined }) {
  if (address === undefined) return <span className="font-mono">{text}</span>
  return <OutLink address={address}>{text}</OutLink>
}
