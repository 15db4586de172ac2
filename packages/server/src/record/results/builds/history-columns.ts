import type { HistoryFacts } from './build-facts'
import { isAboutSoftware, type RunRecord, type RunRequest } from '../run-request'

interface HistoryKeys {
  buildId: number | undefined
  valueIds: readonly number[]
  definitionKeys: ReadonlyMap<string, number>
}

export function createHistoryColumns(
  request: RunRequest,
  facts: HistoryFacts | undefined,
  { buildId, valueIds, definitionKeys }: HistoryKeys,
) {
  return {
    build_id: buildId ?? null,
    branch_id: findBranchId(request.record, valueIds),
    environment: facts?.environment ?? null,
    rerun: facts?.rerun ?? null,
    shard: facts?.shard ?? null,
    file_id: findDefinitionId(facts?.file, definitionKeys),
    project_id: findDefinitionId(facts?.project, definitionKeys),
    is_of_line: isAboutSoftware(request) ? 0 : 1,
  }
}

function findBranchId({ metadata }: RunRecord, valueIds: readonly number[]): number | null {
  const index = metadata.findIndex(
    ([name, value]) => name === 'git_branch' && typeof value === 'string' && value !== '',
  )
  return index < 0 ? null : (valueIds[index] ?? null)
}

// Texts that no test of the run needs are no definitions.
function findDefinitionId(
  text: string | undefined,
  definitionKeys: ReadonlyMap<string, number>,
): number | null {
  return text === undefined ? null : (definitionKeys.get(text) ?? null)
}
