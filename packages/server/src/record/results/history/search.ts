import { type Found, MAX_FOUND, type SearchResult } from '@runledger/protocol'
import type { FileContext } from '../../files/attachments/file-context'
import {
  findBatches,
  findBuildColumn,
  findBuildsByName,
  findErrors,
  findOwners,
  findTests,
  findUnits,
} from './search-store'
import { readTestReferences } from '../tests/test-references'

/** The first of each kind; those that begin with the text come first. */
export async function search({ database: { query } }: FileContext, text: string): Promise<SearchResult> {
  const typed = text.trim()
  const [tests, builds, commits, branches, authors, owners, units, batches, errors] = await Promise.all([
    findTests(query, typed),
    findBuildsByName(query, typed),
    findBuildColumn(query, 'git_commit', typed),
    findBuildColumn(query, 'branch', typed),
    findBuildColumn(query, 'author', typed),
    findOwners(query, typed),
    findUnits(query, typed),
    findBatches(query, typed),
    findErrors(query, typed),
  ])
  const references = await readTestReferences(query, tests)
  const found: Found[] = [
    ...tests.flatMap((key): Found[] => {
      const test = references.get(key)
      return test
        ? [{ kind: 'test', id: test.id, title: test.name, detail: test.file ?? test.procedure.name }]
        : []
    }),
    ...builds.map(({ group, subject, branch }): Found => ({
      kind: 'build',
      id: group,
      title: subject ?? group,
      detail: branch,
    })),
    ...nameAll('commit', commits),
    ...nameAll('branch', branches),
    ...nameAll('author', authors),
    ...nameAll('owner', owners),
    ...nameAll('unit', units),
    ...nameAll('batch', batches),
    ...errors.map(({ fingerprint, message }): Found => ({
      kind: 'error',
      id: fingerprint,
      title: message.split('\n', 1)[0] ?? '',
      detail: null,
    })),
  ]
  return { data: found }
}

function nameAll(kind: Found['kind'], names: readonly string[]): Found[] {
  return names.slice(0, MAX_FOUND).map((name) => ({ kind, id: name, title: name, detail: null }))
}
