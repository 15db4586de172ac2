import type { RunAttachment, RunDetail } from '@runledger/protocol'
import {
  type AttemptAttachments,
  buildStepTree,
  createSourceLink,
  findSuiteLog,
  formatLocation,
  groupByWorker,
  groupAttachments,
  layOutTimes,
  type PlacedAttachment,
  type SourceLink,
  type StepTree,
  type TimeLine,
  type WorkerTest,
} from '@runledger/presentation'
import { createContext, useContext } from 'react'
import { pairAttachments } from './made-attachments'

/** What the parts of the page know of the run. */
export interface RunFacts {
  run: RunDetail
  tree: StepTree
  /** What steps left behind, by their places in the run. */
  bySteps: Map<number, AttemptAttachments[]>
  /** What single steps of a test attached, by their places. */
  made: Map<number, PlacedAttachment>
  /** The code around the calls of steps, by their places in the code. */
  codeAt: Map<string, string>
  /** What belongs to no step. */
  others: RunDetail['attachments']
  times: TimeLine | undefined
  /** Whether any step lies within another. */
  hasTree: boolean
  linkSource: SourceLink
  /** What each worker of the framework ran. */
  workers: Map<number, WorkerTest[]>
  /** The log of the run's suites, if there is one. */
  suiteLog: RunAttachment | undefined
  /** Its id if it explains why the run failed. */
  suiteLogId: string | undefined
}

/** Derives what the page shows from a run. */
export function readRunFacts(run: RunDetail): RunFacts {
  const names = run.phases.map(({ name }) => name)
  const { bySteps, others } = groupAttachments(names, run.attachments)
  const tree = buildStepTree(run.phases)
  const suiteLog = findSuiteLog(others)
  return {
    run,
    bySteps,
    made: pairAttachments(tree, bySteps),
    codeAt: new Map(
      run.phases.flatMap(({ location, snippet }) =>
        location && snippet !== undefined ? [[formatLocation(location), snippet] as const] : [],
      ),
    ),
    others,
    tree,
    hasTree: tree.roots.length < tree.nodes.length,
    times: run.phases.length > 1 ? layOutTimes(run.phases) : undefined,
    linkSource: createSourceLink(run),
    workers: groupByWorker(run.phases),
    suiteLog,
    suiteLogId: run.outcome === 'PASS' ? undefined : suiteLog?.id,
  }
}

export const RunContext = createContext<RunFacts | undefined>(undefined)

export function useRunFacts(): RunFacts {
  const facts = useContext(RunContext)
  if (!facts) throw new Error('RunContext is missing')
  return facts
}
