import type { TestReference } from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import { deriveUuid } from '../../../storage/database/keys'
import { isInList } from '../../../storage/database/rows'
import { beginning } from './listed-text'

/** The public id of a test. */
export function formatTestId(key: number): string {
  return deriveUuid('test', { run_id: key, id: key })
}

/** Tests with their names and places, by their keys; those of deleted procedures are missing. */
export async function readTestReferences(
  query: Query,
  keys: readonly number[],
): Promise<Map<number, TestReference>> {
  if (keys.length === 0) return new Map()
  const rows = await query
    .selectFrom('tests')
    .innerJoin('suites', 'suites.id', 'tests.suite_id')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'suites.procedure_id')
    .innerJoin('definitions as names', 'names.id', 'tests.definition_id')
    .leftJoin('definitions as files', 'files.id', 'suites.file_id')
    .leftJoin('definitions as projects', 'projects.id', 'suites.project_id')
    .select(['tests.id', beginning('names.name').as('name')])
    .select(beginning<string | null>('files.name').as('file'))
    .select(beginning<string | null>('projects.name').as('project'))
    .select(['procedures.public_id', 'procedures.identifier', 'procedures.name as procedure_name'])
    .where(isInList(query, 'tests.id', keys))
    .execute()
  return new Map(
    rows.map(
      ({ id, name, file, project, public_id: publicId, identifier, procedure_name: procedureName }) => [
        id,
        {
          id: formatTestId(id),
          name,
          file,
          project,
          procedure: { id: publicId, identifier, name: procedureName },
        },
      ],
    ),
  )
}
