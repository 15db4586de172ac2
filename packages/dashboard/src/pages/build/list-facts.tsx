import type { Build } from '@runledger/protocol'
import { linkCommit, webLink } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { formatExact } from '../../format/date'
import { formatMs } from '../../format/rate'
import { buildListLink } from '../../history-links'
import { shortenHash } from '../../parts/build-name'
import type { Fact } from '../../ui/facts'
import { Joined } from '../../ui/joined'
import { OutLink } from '../../ui/out-link'
import { RelativeTime } from '../../ui/time-text'

/** The origin of a build; each fact leads to the builds that share it. */
export function listFacts(build: Build): Fact[] {
  const { branch, author, pull_request: pull, event, group, procedures } = build
  const ci = webLink(build.ci_build_url ?? '')
  return [
    { label: 'Branch', value: branch && <Link {...buildListLink({ branch })}>{branch}</Link> },
    { label: 'Commit', value: build.commit && <Commit build={build} commit={build.commit} /> },
    { label: 'Author', value: author && <Link {...buildListLink({ author })}>{author}</Link> },
    { label: 'Pull request', value: pull && <PullRequest pull={pull} /> },
    { label: 'Event', value: event },
    { label: 'CI', value: ci && <OutLink address={ci}>open the CI build</OutLink> },
    {
      label: procedures.length === 1 ? 'Project' : 'Projects',
      value: (
        <Joined
          parts={procedures.map(({ id, name }) => (
            <Link key={id} {...buildListLink({ procedure: id })}>
              {name}
            </Link>
          ))}
        />
      ),
    },
    { label: 'Build', value: <span className="font-mono">{group}</span> },
    {
      label: 'Started',
      value: (
        <>
          <RelativeTime at={build.started_at} />{' '}
          <span className="numeric text-soft max-sm:hidden">({formatExact(build.started_at)})</span>
        </>
      ),
    },
    { label: 'First start to last end', value: formatMs(spanMs(build)) },
  ]
}

function spanMs({ started_at: start, ended_at: end }: Build): number | null {
  const length = Date.parse(end) - Date.parse(start)
  return Number.isNaN(length) ? null : length
}

/** Leads to its page on the web where that is known, and to its builds. */
function Commit({ build, commit }: { build: Build; commit: string }) {
  const { repository, ci_build_url: ci } = build
  const address = linkCommit({
    metadata: {
      git_commit: commit,
      ...(repository === null ? {} : { repository }),
      ...(ci === null ? {} : { ci }),
    },
  })
  const text = <span className="font-mono">{shortenHash(commit)}</span>
  if (address === undefined) return <Link {...buildListLink({ commit })}>{text}</Link>
  return (
    <>
      <OutLink address={address}>{text}</OutLink> (<Link {...buildListLink({ commit })}>its builds</Link>)
    </>
  )
}

function PullRequest({ pull }: { pull: string }) {
  const address = webLink(pull)
  if (address !== undefined) return <OutLink address={address}>{pull.split('/').at(-1)}</OutLink>
  return <>{/^\d+$/.test(pull) ? `#${pull}` : pull}</>
}
