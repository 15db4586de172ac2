import type { ErrorListItem } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { Link } from '@tanstack/react-router'
import { DEFINITIONS } from '../../definitions'
import { buildListLink } from '../../history-links'
import { runLink } from '../../links'
import { ErrorName } from '../../parts/error-name'
import { Joined } from '../../ui/joined'
import { RelativeTime } from '../../ui/time-text'

const SHOWN_BRANCHES = 3

export function ErrorRows({ errors }: { errors: ErrorListItem[] }) {
  return (
    <ul
      aria-label="Errors"
      className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface"
    >
      {errors.map((error) => (
        <ErrorRow key={error.fingerprint} error={error} />
      ))}
    </ul>
  )
}

function ErrorRow({ error }: { error: ErrorListItem }) {
  const { count, tests_count: tests, first_run: first, last_run: last, branches } = error
  const [test] = error.tests
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunken md:grid-cols-[9rem_minmax(0,1fr)_11rem]">
      <span className="numeric text-sm">
        <span className="text-base font-semibold">{formatCount(tests, 'test')}</span>{' '}
        <span className="text-soft md:block" title={DEFINITIONS.occurrences}>
          {formatCount(count, 'occurrence')}
        </span>
      </span>
      <span className="min-w-0">
        <ErrorName error={error} className="line-clamp-2" />
        <span className="block text-sm wrap-anywhere text-soft">
          {test && `${test.name} · ${[test.file, test.procedure.name].filter(Boolean).join(' · ')}`}
          {tests > 1 && ` and ${formatCount(tests - 1, 'more test')}`}
        </span>
        {branches.length > 0 && (
          <span className="block text-sm wrap-anywhere text-soft">
            on{' '}
            <Joined
              parts={branches.slice(0, SHOWN_BRANCHES).map((branch) => (
                <Link key={branch} {...buildListLink({ branch })} className="text-soft">
                  {branch}
                </Link>
              ))}
            />
            {branches.length > SHOWN_BRANCHES && ` and ${branches.length - SHOWN_BRANCHES} more`}
          </span>
        )}
      </span>
      <span className="text-sm text-soft md:text-right">
        <Link {...runLink(last.id)} className="text-soft">
          last <RelativeTime at={last.created_at} />
        </Link>
        <span className="md:block">
          <span className="md:hidden">, </span>
          <Link {...runLink(first.id)} className="text-soft">
            first <RelativeTime at={first.created_at} />
          </Link>
        </span>
      </span>
    </li>
  )
}
