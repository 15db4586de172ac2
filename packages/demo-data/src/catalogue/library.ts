import { parseSuites } from './parse-suites'
import type { Project } from './project'

/** A library, tested with Node's own test runner. */
export const LIBRARY: Project = {
  key: 'library',
  procedure: { identifier: 'TINY-QUERY', name: 'tiny-query' },
  package: 'tiny-query',
  version: '1.8',
  framework: 'node:test',
  frameworkVersions: ['22.14.0', '24.4.1'],
  node: 'v24.4.1',
  ci: {
    name: 'GitHub Actions',
    job: 'test',
    address: 'https://github.example.com/acme/tiny-query/actions/runs/',
  },
  repository: 'https://github.example.com/acme/tiny-query',
  folder: '',
  people: ['Noor Haddad', 'Pavel Novák', 'Grace Mbeki'],
  shards: 1,
  retries: 0,
  buildsPerDay: 1.2,
  durationsMs: [1, 90],
  areas: ['the tokenizer', 'error messages', 'nested groups', 'the cache', 'typings', 'wildcards'],
  suites: parseSuites(`
test/parse.test.js @acme/query
  parse
    reads a single term
    reads quoted phrases
    reads nested groups
    binds AND before OR
    reads NOT
    reads ranges
    reads fields
    keeps positions for messages
    refuses an open quote
    refuses an empty group
    finishes within 50 ms
test/match.test.js @acme/query
  match
    matches a term
    matches a prefix
    ignores case
    ignores accents
    matches numbers in a range
    matches dates
    matches nothing for an empty query
    highlights what matched
test/cache.test.js @acme/query
  cache
    returns the parsed query again
    forgets the oldest
    forgets after a change of options
    holds at most 100
    shares nothing between instances
test/format.test.js @acme/query
  format
    writes what it read
    quotes where needed
    escapes quotes
    leaves out needless parentheses
    shortens a long list
test/errors.test.js @acme/query
  errors
    points at the column
    names what was expected
    shows one line of the query
    keeps the stack short
    translates messages | translations are not written yet
`),
}
