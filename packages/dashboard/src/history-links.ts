import { linkOptions } from '@tanstack/react-router'
import type {
  BuildListSearch,
  BuildSearch,
  CompareSearch,
  ErrorListSearch,
  QuarantineSearch,
  Scope,
  TestFinderSearch,
  TestListSearch,
  TestSearch,
} from './page-search'

export function homeLink(scope: Scope = {}) {
  return linkOptions({ to: '/', search: scope })
}

/** The list of builds; a part that is not named keeps the scope, and nothing else. */
export function buildListLink(search: BuildListSearch & Scope = {}) {
  return linkOptions({ to: '/builds', search })
}

/** All runs of one execution or CI build. */
export function buildLink(group: string, search: BuildSearch = {}) {
  return linkOptions({ to: '/builds/$group', params: { group }, search })
}

export function testListLink(search: TestListSearch & Scope = {}) {
  return linkOptions({ to: '/tests', search })
}

/** One test; without a branch all its results. */
export function testLink(id: string, search: TestSearch & Pick<Scope, 'branch'> = {}) {
  return linkOptions({ to: '/tests/$id', params: { id }, search })
}

/** The page of a test that is known by its name alone; the branch is left open. */
export function testFinderLink(search: TestFinderSearch & Scope) {
  return linkOptions({ to: '/tests/find', search: { ...search, branch: undefined } })
}

export function compareLink(search: CompareSearch & Scope = {}) {
  return linkOptions({ to: '/compare', search })
}

export function errorListLink(search: ErrorListSearch & Scope = {}) {
  return linkOptions({ to: '/errors', search })
}

/** The entries of the quarantine; a part that is not named keeps the scope. */
export function quarantineLink(search: QuarantineSearch & Scope = {}) {
  return linkOptions({ to: '/quarantine', search })
}

export function errorLink(fingerprint: string) {
  return linkOptions({ to: '/errors/$fingerprint', params: { fingerprint }, search: {} })
}
