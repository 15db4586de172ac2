import { type FailingRow, LEAST_FAILING_ROW } from '@runledger/protocol'
import { FAILED } from '../../../storage/database/schema/history'
import { mapBuildReference, type Result } from './results'

/** The last result of a build counts. `counted` is in the order of builds. */
export function findFailingRows(counted: readonly Result[]): FailingRow[] {
  const builds = [...new Map(counted.map((result) => [result.build.id, result])).values()]
  const rows: FailingRow[] = []
  for (let index = 0; index < builds.length; index += 1) {
    const from = index
    while (builds[index]?.outcome === FAILED) index += 1
    const [first, last, before, next] = [builds[from], builds[index - 1], builds[from - 1], builds[index]]
    if (index - from < LEAST_FAILING_ROW || !first || !last) continue
    rows.push({
      first_build: mapBuildReference(first.build),
      last_build: mapBuildReference(last.build),
      builds: index - from,
      passed_before: before ? mapBuildReference(before.build) : null,
      fixed_by: next ? mapBuildReference(next.build) : null,
    })
  }
  return rows
}
