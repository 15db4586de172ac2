import type { Found } from '@runledger/protocol'
import { buildLink, buildListLink, errorLink, testLink, testListLink } from '../history-links'
import { nounLink } from '../unit-links'

/** The plural of each kind of result, in the order in which the service answers them. */
export const FOUND_KINDS: Readonly<Record<Found['kind'], string>> = {
  test: 'Tests',
  build: 'Builds',
  commit: 'Commits',
  branch: 'Branches',
  author: 'Authors',
  owner: 'Owners',
  unit: 'Units',
  batch: 'Batches',
  error: 'Errors',
}

/** The page of a result, in any project and branch. */
export function foundLink({ kind, id }: Pick<Found, 'kind' | 'id'>) {
  const scope = { procedure: undefined, branch: undefined }
  switch (kind) {
    case 'test':
      return testLink(id)
    case 'build':
      return buildLink(id)
    case 'commit':
      return buildListLink({ ...scope, commit: id })
    case 'branch':
      return buildListLink({ ...scope, branch: id })
    case 'author':
      return buildListLink({ ...scope, author: id })
    case 'owner':
      return testListLink({ ...scope, owner: id })
    case 'error':
      return errorLink(id)
    default:
      return nounLink(kind, id)
  }
}
