import type { ErrorDetail } from '@runledger/protocol'
import { firstLine, formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { buildListLink, errorListLink, testFinderLink } from '../../history-links'
import { facetLink, runLink } from '../../links'
import { ROW_LINK } from '../../navigation/keys'
import { Definitions } from '../../parts/definitions'
import { ErrorView } from '../../parts/error-view'
import { RunRows } from '../../parts/run-rows'
import { describePlace } from '../../parts/test-name'
import { BackLink } from '../../ui/back-link'
import { Card } from '../../ui/card'
import { FactLine, type Fact } from '../../ui/facts'
import { Joined } from '../../ui/joined'
import { RelativeTime } from '../../ui/time-text'
import { ErrorDays } from './error-days'
import { ErrorQuarantine } from './error-quarantine'
import { PageTitle } from '../../ui/page-title'

export function ErrorHistory({ error }: { error: ErrorDetail }) {
  const title = firstLine(error.message)
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={`Error: ${title}`} />
      <header className="flex flex-col gap-3">
        <BackLink link={errorListLink()}>All errors</BackLink>
        <h1 className="font-mono text-lg font-semibold wrap-anywhere">{title}</h1>
        <FactLine facts={listFacts(error)} />
      </header>
      <div className="rounded-lg border border-line bg-surface p-4">
        <ErrorView error={error.error} linkSource={() => undefined} />
      </div>
      {error.days.length > 0 && <ErrorDays days={error.days} />}
      <ErrorQuarantine fingerprint={error.fingerprint} />
      <ErrorTests error={error} />
      <section aria-labelledby="runs" className="flex flex-col gap-2">
        <h2 id="runs" className="text-base font-semibold">
          The last runs that had it
        </h2>
        <RunRows runs={error.runs} group={undefined} />
        <Link {...facetLink('error', error.fingerprint)} className="self-start text-sm">
          All runs that had it
        </Link>
      </section>
      <Definitions of={['occurrences', 'cause']} />
    </div>
  )
}

function ErrorTests({ error }: { error: ErrorDetail }) {
  return (
    <Card title={`Tests that had it (${error.tests_count.toLocaleString('en')})`}>
      <ul className="divide-y divide-line">
        {error.tests.map((test) => (
          <li
            key={[test.procedure.id, test.file, test.project, test.name].join(' ')}
            className="flex flex-wrap items-baseline gap-x-4 px-4 py-2"
          >
            <span className="numeric w-14 shrink-0 font-semibold">{test.count.toLocaleString('en')} ×</span>
            <span className="min-w-0 flex-1 basis-60">
              <Link
                {...testFinderLink({
                  procedure: test.procedure.id,
                  file: test.file ?? undefined,
                  project: test.project ?? undefined,
                  q: test.name,
                })}
                {...ROW_LINK}
                className="font-medium wrap-anywhere"
              >
                {test.name}
              </Link>
              <span className="block text-sm wrap-anywhere text-soft">{describePlace(test)}</span>
            </span>
          </li>
        ))}
      </ul>
      {error.tests_count > error.tests.length && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          and {formatCount(error.tests_count - error.tests.length, 'more test')}
        </p>
      )}
    </Card>
  )
}

function listFacts({ count, first_run: first, last_run: last, branches }: ErrorDetail): Fact[] {
  return [
    { label: 'Occurrences', value: <span className="numeric">{count.toLocaleString('en')}</span> },
    {
      label: 'First',
      value: (
        <Link {...runLink(first.id)}>
          <RelativeTime at={first.created_at} />
        </Link>
      ),
    },
    {
      label: 'Last',
      value: (
        <Link {...runLink(last.id)}>
          <RelativeTime at={last.created_at} />
        </Link>
      ),
    },
    {
      label: 'Branches',
      value: branches.length > 0 && (
        <Joined
          parts={branches.map((branch) => (
            <Link key={branch} {...buildListLink({ branch })}>
              {branch}
            </Link>
          ))}
        />
      ),
    },
  ]
}
