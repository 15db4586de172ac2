import {
  type FailureVerdict,
  formatTimestampUs,
  type ListVerdictsQuery,
  type UnitHistory,
  type VerdictList,
  VERDICTS,
} from '@runledger/protocol'
import { mapInTurns } from '../../../base/clock'
import type { StorageContext } from '../../../storage/context'
import { listInfrastructureBuilds } from '../builds/infrastructure-store'
import { deriveUuid } from '../../../storage/database/keys'
import { readPast, readRuns, type Run } from './past'
import { deriveVerdict, type Finding, type FoundHistory, type KnownRun, type TestResult } from './rules'
import { countFailures, type FailureRow, listFailedRuns, listFailures } from './store'
import { deriveUnitVerdict } from './unit-rule'

export async function listVerdicts(
  { database: { query } }: Pick<StorageContext, 'database'>,
  list: ListVerdictsQuery,
): Promise<VerdictList> {
  const runIds = await listFailedRuns(query, list)
  const [counted, failures] = await Promise.all([countFailures(query, runIds), listFailures(query, runIds)])
  const runs = await readRuns(query, [...new Set(failures.map(({ run_id: id }) => id))])
  const past = await readPast(query, { runs, failures, rows: counted.rows })
  const ofRuns = [...runs.values()].flatMap(({ buildId }) => buildId ?? [])
  const buildIds = [...new Set([...ofRuns, ...past.listTroubledBuilds()])]
  const infrastructure = await listInfrastructureBuilds(query, { buildIds })
  const data = await mapInTurns(failures, (failure) => {
    const run = runs.get(failure.run_id) as Run
    const results = past.listResults(failure, run)
    const finding = run.isOfSoftware
      ? deriveVerdict(run, results.filter(isSoftwareBefore(run)), {
          hasFailedAgain: failure.has_failed_again === 1,
          infrastructure,
        })
      : deriveUnitVerdict(run, results)
    return mapVerdict({ failure, run, finding })
  })
  const count = (wanted: string) => data.filter(({ verdict }) => verdict === wanted).length
  return {
    data,
    counts: Object.fromEntries(VERDICTS.map((each) => [each, count(each)])) as VerdictList['counts'],
    more_failures: counted.failures - failures.length,
  }
}

function isSoftwareBefore(run: Run) {
  return ({ run: past }: TestResult) => past.isOfSoftware && past.id < run.id
}

interface Found {
  failure: FailureRow
  run: Run
  finding: Finding
}

function mapVerdict({ failure: { run_id: runId, id, name }, run, finding }: Found): FailureVerdict {
  const { verdict, basis, failingSince, isKnown, lastPassed, unit } = finding
  const isAlone = run.isOfSoftware && run.defaultBranch === null && (basis === 'branch' || basis === 'none')
  return {
    run_id: run.public_id,
    phase_id: deriveUuid('phase', { run_id: runId, id }),
    name,
    verdict,
    basis,
    failing_since: failingSince && { ...mapKnownRun(failingSince.run), builds: failingSince.builds },
    known_on_basis: isKnown,
    last_passed: lastPassed && mapKnownRun(lastPassed),
    unit: unit && mapHistory(unit),
    default_branch_unknown: isAlone || undefined,
  }
}

function mapHistory({ first_failed, passed_between, passed_later, ...counts }: FoundHistory): UnitHistory {
  return {
    ...counts,
    first_failed: first_failed && mapKnownRun(first_failed),
    passed_between: passed_between && mapKnownRun(passed_between),
    passed_later: passed_later && mapKnownRun(passed_later),
  }
}

function mapKnownRun({ public_id: id, started_at_us: startedAtUs, commit }: KnownRun) {
  return { id, started_at: formatTimestampUs(startedAtUs), commit }
}
