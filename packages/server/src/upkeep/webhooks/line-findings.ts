import { DEFAULT_LINE_DAYS, type LineProcedure } from '@runledger/protocol'
import { wilsonInterval } from '@runledger/statistics'
import { describeProcedure } from '../../record/results/line/procedures'
import { readLineProcedures } from '../../record/results/line/read-store'
import { findStart } from '../../record/results/line/yields'
import type { WebhookRow } from '../../record/results/webhooks/store'
import { decideState, type Finding } from './finding'
import type { BuildContext } from './build-findings'

/** A yield of fewer units says too little. */
const LEAST_UNITS = 30
/** So does a control chart of fewer values. */
const LEAST_VALUES = 20
/**
 * Share of the values that break a rule. Of stable series of 200 values, 87 % break a rule somewhere; with the whole 95 % interval
 * of the share above this limit, 0.1 % cause a message (docs/webhooks.md).
 */
const MOST_VIOLATING = 0.05
const MAX_PROCEDURES = 500
/** Most measurements that are checked of one procedure. */
const MAX_MEASUREMENTS = 50

const DEFINITIONS = {
  yield: 'Units whose first run of the procedure passed ÷ units tested, samples left out.',
  control: `Values that break a Western Electric rule ÷ the last values of the measurement. Out of control: the 95 % interval of this share is above ${MOST_VIOLATING * 100} %.`,
}

/** Finds what messages the production lines may cause. @param procedureIds all if undefined */
export async function findInLines(
  context: BuildContext,
  procedureIds: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { query } = context.database
  if (procedureIds?.length === 0) return []
  const fromUs = findStart(context.clock(), DEFAULT_LINE_DAYS)
  const findings: Finding[] = []
  for (const row of await readLineProcedures(query, procedureIds, MAX_PROCEDURES)) {
    if (signal.aborted) return []
    const line = await describeProcedure(query, row, { fromUs, checked: MAX_MEASUREMENTS })
    const common = {
      procedure: line.procedure,
      url: `${context.publicUrl}/line/${line.procedure.id}`,
      days: DEFAULT_LINE_DAYS,
    }
    findings.push(findYield(row.id, line, common), ...findControl(row.id, line, common))
  }
  return findings
}

interface CommonData {
  procedure: LineProcedure['procedure']
  url: string
  days: number
}

function findYield(
  procedureId: number,
  { first_pass: firstPass }: LineProcedure,
  common: CommonData,
): Finding {
  return {
    event: 'line.yield_below',
    procedureId,
    subject: `line ${procedureId} yield`,
    decide: ({ yield_below: limit }: WebhookRow, sent) => {
      if (!limit) return undefined
      const data = { ...common, first_pass: firstPass, limit, definition: DEFINITIONS.yield }
      const isKnown = firstPass.rate !== null && firstPass.of >= LEAST_UNITS
      return decideState(
        {
          isOn: isKnown ? (firstPass.rate as number) < limit : undefined,
          on: { type: 'line.yield_below', data },
          off: { type: 'line.yield_recovered', data },
        },
        sent,
      )
    },
  }
}

function findControl(procedureId: number, { control }: LineProcedure, common: CommonData): Finding[] {
  return control.checked.map(({ phase, measurement, values, violating }) => {
    const data = { ...common, phase, measurement, values, violating, definition: DEFINITIONS.control }
    const isOn =
      values < LEAST_VALUES ? undefined : (wilsonInterval(violating, values).low ?? 0) > MOST_VIOLATING
    return {
      event: 'line.out_of_control',
      procedureId,
      subject: `line ${procedureId} control ${JSON.stringify([phase, measurement])}`,
      decide: (_webhook, sent) =>
        decideState(
          {
            isOn,
            on: { type: 'line.out_of_control', data },
            off: { type: 'line.in_control', data },
          },
          sent,
        ),
    }
  })
}
