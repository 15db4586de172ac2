import type { ProjectKey } from './project'
import type { Failure, TestPlace } from './test-place'

/** A commit of the main branch. `at` is its place in the branch's history, from 0 to 1. */
export interface PlantedCommit {
  at: number
  author: string
  subject: string
}

/** A test that takes longer since a commit. */
export const SLOWER_TEST = {
  project: 'api',
  file: 'test/search.test.ts',
  name: 'Search › searches 10,000 orders',
  usualMs: 900,
  factor: 1.6,
  commit: { at: 0.6, author: 'Jonas Berg', subject: 'Rank search results by relevance' },
} as const satisfies TestPlace & { usualMs: number; factor: number; commit: PlantedCommit }

/** A test that one commit of main breaks and a later one fixes. */
export interface BrokenTest extends TestPlace {
  commit: PlantedCommit
  /** The fix: how many commits later, and by whom. */
  fix: { after: number; author: string; subject: string }
  failure: Failure
}

export const BROKEN_TESTS: readonly BrokenTest[] = [
  {
    project: 'api',
    file: 'test/payments.test.ts',
    name: 'Payments › captures a part of it',
    commit: { at: 0.7, author: 'Priya Raman', subject: 'Move amounts to integer cents' },
    fix: { after: 4, author: 'Samuel Adeyemi', subject: 'Compare captured amounts in cents' },
    failure: {
      message: 'AssertionError: expected 1999 to be 19.99 // Object.is equality',
      expected: '19.99',
      actual: '1999',
      code: 'expect(capture.amount).toBe(19.99)',
    },
  },
  {
    project: 'shop',
    file: 'tests/product.spec.ts',
    name: 'Product page › chooses a size from the table',
    commit: { at: 0.3, author: 'Ben Okafor', subject: 'Replace the size table by a dialog' },
    fix: { after: 2, author: 'Aiko Tanaka', subject: 'Open the size dialog in the test' },
    failure: {
      message:
        "TimeoutError: locator.click: Timeout 10000ms exceeded.\nCall log:\n  - waiting for getByRole('cell', { name: 'M' })",
      code: "await page.getByRole('cell', { name: 'M' }).click()",
    },
  },
  {
    project: 'library',
    file: 'test/format.test.js',
    name: 'format › escapes quotes',
    commit: { at: 0.65, author: 'Pavel Novák', subject: 'Write quotes only where needed' },
    fix: { after: 2, author: 'Pavel Novák', subject: 'Escape quotes in quoted phrases' },
    failure: {
      message: 'Expected values to be strictly equal:\n\n\'say "hi"\' !== \'say \\\\"hi\\\\"\'\n',
      expected: 'say \\"hi\\"',
      actual: 'say "hi"',
      code: 'assert.equal(format(parse(query)), query)',
    },
  },
]

/** A day on which the tests of one project cannot reach their database. */
export const OUTAGE = {
  project: 'api',
  /** Its place in the year, from 0 to 1. */
  at: 0.3,
  share: 0.82,
  failure: {
    message: 'Error: connect ECONNREFUSED 10.0.4.12:5432',
    code: 'await pool.connect()',
    file: 'test/support/database.ts',
  },
} as const satisfies { project: ProjectKey; at: number; share: number; failure: Failure }

/** A file or title that a commit renames. `file` and `title` (of a describe or a test) are the new names. */
export interface Rename {
  project: ProjectKey
  kind: 'file' | 'describe' | 'test'
  file: string
  title?: string
  former: string
  commit: PlantedCommit
}

export const RENAMES: readonly Rename[] = [
  {
    project: 'shop',
    kind: 'file',
    file: 'tests/account/addresses.spec.ts',
    former: 'tests/addresses.spec.ts',
    commit: { at: 0.55, author: 'Mara Lindqvist', subject: 'Move account tests into a folder' },
  },
  {
    project: 'mobile',
    kind: 'test',
    file: 'packages/format/src/format.test.ts',
    title: 'shows the weekday within a week',
    former: 'shows the day of the week for recent messages',
    commit: { at: 0.45, author: 'Emma Clarke', subject: 'Say what time stamps show' },
  },
  {
    project: 'shop',
    kind: 'describe',
    file: 'tests/wishlist.spec.ts',
    title: 'Wishlist',
    former: 'Favourites',
    commit: { at: 0.75, author: 'Julia Weiss', subject: 'Call favourites a wishlist' },
  },
]

/** A build of main in which one shard began and never reported. */
export const INCOMPLETE_BUILD = { project: 'shop', shard: 3 } as const

/** A test that fails in all builds of one branch, and nowhere else. */
export const BRANCH_TEST = {
  project: 'mobile',
  file: 'apps/mobile/src/chat-screen.test.tsx',
  name: 'Chat screen › replies to a message',
  branch: 'feature/threads',
  author: 'Linh Nguyen',
  title: 'Show replies as threads',
  /** How many of the project's last pull request builds belong to the branch. */
  builds: 6,
  failure: {
    message:
      'Unable to find an element with the text: Reply to Ada. This could be because the text is broken up by multiple elements.',
    code: "expect(screen.getByText('Reply to Ada')).toBeOnTheScreen()",
  },
} as const satisfies TestPlace & {
  branch: string
  author: string
  title: string
  builds: number
  failure: Failure
}

export const NEW_TEST = {
  project: 'api',
  file: 'test/stock.test.ts',
  name: 'Stock › splits an order over warehouses',
  commit: { at: 0.97, author: 'Chloé Martin', subject: 'Split orders over warehouses' },
} as const satisfies TestPlace & { commit: PlantedCommit }
