/** What the dashboard's addresses call the parameters of operations. */
const NAMES: Readonly<Record<string, string>> = {
  state: 'states',
  author: 'authors',
  commit: 'commits',
  owner: 'owners',
  tag: 'tags',
  file: 'files',
  project: 'projects',
  outcome: 'outcomes',
  q: 'search_query',
  sort: 'sort_by',
  procedure: 'procedure_ids',
}

const NAMES_OF_PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  builds: { ...NAMES, branch: 'branches' },
  errors: { ...NAMES, branch: 'branches' },
  tests: NAMES,
  compare: { procedure: 'procedure_id' },
}

/** Keeps the page's filters; undefined for a page without Markdown. */
export function findMarkdownAddress(url: string): string | undefined {
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  if (pathname === '/') return '/home.md'
  const [, unit] = /^\/units\/([^/]+)$/.exec(pathname) ?? []
  if (unit !== undefined)
    return `/line/unit.md?serial_number=${unit.replaceAll(/[+&=]/g, encodeURIComponent)}`
  const [, page = '', name] = /^\/(runs|builds|tests|errors|compare)(?:\/([^/]+))?$/.exec(pathname) ?? []
  if (page === '' || (page === 'compare' && name !== undefined)) return undefined
  if (page === 'runs') return `${pathname}.md${search}`
  const tab = page === 'builds' && searchParams.get('tab') === 'tests' ? '/tests' : ''
  const names = NAMES_OF_PAGES[page] ?? {}
  const query = new URLSearchParams(
    [...searchParams]
      .filter(([key]) => key !== 'tab')
      .map(([key, value]): [string, string] => [names[key] ?? key, value]),
  ).toString()
  return `${pathname}${tab}.md${query === '' ? '' : `?${query}`}`
}
