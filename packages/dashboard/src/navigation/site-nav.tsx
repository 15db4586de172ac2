import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buildListLink, errorListLink, homeLink, testListLink } from '../history-links'
import { hasLineQuery } from '../api/line'
import { lineLink } from '../line-links'
import { runListLink } from '../links'
import { EMPTY_FILTER } from '../run-filter'
import type { Scope } from '../page-search'

/** The pages of the site; each keeps the project and branch that are chosen. */
export function SiteNav({ scope }: { scope: Scope }) {
  const hasLine = useQuery(hasLineQuery)
  return (
    <nav aria-label="Site" className="-ml-2 flex items-center gap-0.5 max-md:order-last max-md:w-full">
      <Link {...homeLink(scope)} activeOptions={{ exact: true, includeSearch: false }} {...LOOK}>
        Home
      </Link>
      <Link {...buildListLink(scope)} activeOptions={{ includeSearch: false }} {...LOOK}>
        Builds
      </Link>
      <Link {...testListLink(scope)} activeOptions={{ includeSearch: false }} {...LOOK}>
        Tests
      </Link>
      <Link {...errorListLink(scope)} activeOptions={{ includeSearch: false }} {...LOOK}>
        Errors
      </Link>
      <Link
        {...runListLink({ ...EMPTY_FILTER, ...scope })}
        activeOptions={{ includeSearch: false }}
        {...LOOK}
      >
        Runs
      </Link>
      {hasLine.data === true && (
        <Link {...lineLink(scope)} activeOptions={{ includeSearch: false }} {...LOOK}>
          Line
        </Link>
      )}
    </nav>
  )
}

const LOOK = {
  className: 'rounded-md px-2.5 py-1.5 text-sm font-medium no-underline',
  activeProps: { className: 'bg-sunken text-ink' },
  inactiveProps: { className: 'text-soft hover:bg-sunken hover:text-ink' },
}
