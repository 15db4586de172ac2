import { cutWell, type FailureVerdict, type Phase, type RunDetail } from '@runledger/protocol'
import { createLocator, listErrors } from '@runledger/presentation'
import type { CommandContext } from '../command-context'
import { askVerdicts } from '../gate/answers'
import { orDoubt } from '../gate/doubt'
import type { Failure } from '../gate/read-failures'
import { type ServiceFlags, withService } from '../with-service'
import type { Annotation } from './forge'

/** Facts about failures that the report shows and the gate does not need. */
export interface Details {
  findVerdict: (failure: Failure) => FailureVerdict | undefined
  annotations: Annotation[]
}

/** The number of runs whose failures are explained. Their ids must fit into a URL. */
const MAX_COMPARED = 50
/** The number of runs that are read to find the places of failures. */
const MAX_RUNS = 10
const MAX_TITLE = 200
const MAX_MESSAGE = 2_000

/** The details do not affect the result, so the report omits details that the service does not answer. */
export async function readDetails(
  flags: ServiceFlags,
  context: CommandContext,
  failures: readonly Failure[],
): Promise<Details> {
  const verdicts = new Map<string, FailureVerdict>()
  const findVerdict = ({ run_id: runId, name }: Failure) => verdicts.get(`${runId} ${name}`)
  const annotations: Annotation[] = []
  if (failures.length === 0) return { findVerdict, annotations }
  const runIds = [...new Set(failures.map(({ run_id: runId }) => runId))].slice(0, MAX_COMPARED)
  const marked = failures.filter(({ kind }) => kind !== 'known')
  await orDoubt([], () =>
    withService(flags, context, async ({ client }) => {
      for (const verdict of (await askVerdicts(client, runIds)).data)
        verdicts.set(`${verdict.run_id} ${verdict.name}`, verdict)
      const ofMarked = [...new Set(marked.map(({ run_id: runId }) => runId))].slice(0, MAX_RUNS)
      for (const id of ofMarked) {
        const run = await client.getRun({ params: { id } })
        for (const failure of marked.filter(({ run_id: runId }) => runId === id)) {
          const phase = run.phases.find((each) => each.id === findVerdict(failure)?.phase_id)
          annotations.push(...annotate(run, phase, failure))
        }
      }
    }),
  )
  return { findVerdict, annotations }
}

function annotate(run: RunDetail, phase: Phase | undefined, { name, error, file }: Failure): Annotation[] {
  const place = (phase && (phase.location ?? listErrors(phase)[0]?.location)) ?? { file }
  const located = createLocator(run)(place.file)
  if (located === undefined) return []
  const message = cutWell(error ?? 'it failed', MAX_MESSAGE)
  return [{ title: cutWell(name, MAX_TITLE), message, file: located, line: place.line ?? 1 }]
}
