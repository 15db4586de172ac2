import { type RunAttachment, SIGN_IN_FAILURES, type SignInFailure } from '@runledger/protocol'
import { linkOptions } from '@tanstack/react-router'
import type { AuditSearch } from './page-search'
import { EMPTY_FILTER, type RunFacet, type RunFilter, toFilterSearch } from './run-filter'

export function runListLink(filter: RunFilter) {
  return linkOptions({ to: '/runs', search: toFilterSearch(filter) })
}

/** The runs with one value (a unit, a batch, a station), in all projects and branches. */
export function facetLink(facet: RunFacet, value: string) {
  return runListLink({ ...EMPTY_FILTER, [facet]: value })
}

/** One run's page; `step`, a place among its steps, opens that one. */
export function runLink(id: string, step?: number) {
  return linkOptions({
    to: '/runs/$id',
    params: { id },
    ...(step === undefined ? {} : { hash: stepHash(step) }),
  })
}

/** Leads to a step on the page of its run. */
export function stepHash(index: number): string {
  return `step-${index}`
}

/** The address of a run's page, or of a filtered list, as Markdown. */
export function markdownAddress(page: { run: string } | { filter: RunFilter }): string {
  if ('run' in page) return `/runs/${encodeURIComponent(page.run)}.md`
  return `/runs.md${formatQuery({ ...toFilterSearch(page.filter) })}`
}

export type ManageSection = 'keys' | 'people' | 'projects' | 'stations' | 'settings' | 'webhooks' | 'sessions'

export function manageLink(section: ManageSection) {
  return linkOptions({ to: `/manage/${section}` })
}

/** The audit log, by default whole. */
export function auditLink(search: AuditSearch = {}) {
  return linkOptions({ to: '/manage/audit', search })
}

export function interfaceLink(operation?: string) {
  return linkOptions({ to: '/interface', ...(operation === undefined ? {} : { hash: operation }) })
}

/** The sign-in page, followed by `next`, a path of this site. */
export function signInLink(next?: string) {
  const path = safeNextPath(next)
  return linkOptions({ to: '/sign-in', search: path === undefined ? {} : { next: path } })
}

/** The parts of the sign-in page's address. */
export interface SignInSearch {
  code?: string | undefined
  next?: string | undefined
  /** Why the sign-in provider sent the browser back without a code. */
  failed?: SignInFailure | undefined
}

/**
 * Reads the parts of the sign-in page's address. One that is unsafe or makes no sense is there as undefined: the
 * router keeps what was sent for a part that is not named.
 */
export function parseSignInSearch({ code, next, failed }: Record<string, unknown>): SignInSearch {
  return {
    code: typeof code === 'string' && code !== '' ? code : undefined,
    next: typeof next === 'string' ? safeNextPath(next) : undefined,
    failed: SIGN_IN_FAILURES.find((one) => one === failed),
  }
}

/** The path to continue at after signing in; undefined if it leaves this site. */
export function safeNextPath(next: string | undefined): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next) || /[\u0000-\u001f]/.test(next)) return undefined
  return next.startsWith('/sign-in') ? undefined : next
}

/**
 * The address of an attachment's bytes on the origin that served this page. The service signs path and query
 * and writes its public address before them, which need not be the name that the viewer uses for it
 * (`localhost`, a tunnel); the page's policy allows its own origin only.
 */
export function attachmentLink(downloadUrl: string): string | undefined {
  try {
    const url = new URL(downloadUrl, 'http://origin.invalid')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
    return url.pathname.replace(/^\/+/, '/') + url.search
  } catch {
    return undefined
  }
}

/**
 * The address that opens an attachment on the origin of files. Where that is another port of the service's host, it is a port of the
 * name that the viewer uses for that host.
 */
export function openLink(
  { open_url: open, download_url: download }: Pick<RunAttachment, 'open_url' | 'download_url'>,
  hostname: string,
): URL | undefined {
  if (!open || !download || !URL.canParse(open) || !URL.canParse(download)) return undefined
  const url = new URL(open)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.hostname === new URL(download).hostname) url.hostname = hostname
  return url
}

/** Whether browsers run service workers at an address, which the trace viewer needs. */
export function isSecureAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(hostname)
}

/** Reads the query of an address as plain text: a group named `007` is no number. */
export function parseQuery(query: string): Record<string, string | string[]> {
  const params = new URLSearchParams(query)
  const parts: Record<string, string | string[]> = {}
  for (const key of new Set(params.keys())) {
    const values = params.getAll(key)
    parts[key] = values.length > 1 ? values : (values[0] ?? '')
  }
  return parts
}

/** Writes the query of an address, a list as a repeated key. */
export function formatQuery(parts: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(parts)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'string') params.append(key, item)
    }
  }
  const query = params.toString()
  return query === '' ? '' : `?${query}`
}
