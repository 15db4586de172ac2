import type { LineUnit, PlacedMeasurement, TreeUnit, UnitVerdict } from '@runledger/protocol'
import type { HistoryLinks } from './history-links'
import { BoundedMarkdown, code, codeLink, joinFacts } from './markdown-text'
import { formatCount, formatNumber } from './number'
import { formatOutcome } from './outcome'
import { describeValueLimits, describeValuePlace, explainUnitVerdict, lookOfUnitVerdict } from './unit-text'
import { formatVerdict } from './verdict-markdown'

/** `GET /v2/line/unit` as Markdown: the verdicts first, then why runs failed, the tree and the values. */
export function formatLineUnit(history: LineUnit, links: HistoryLinks): string {
  const { unit, verdicts, holders, sub_units: subUnits, runs, measurements } = history
  const page = new BoundedMarkdown()
  page.add(`# Unit ${code(unit.serial_number)}`)
  page.add(describeUnit(unit))
  page.addEach(verdicts, {
    heading: '## Verdicts',
    format: (verdict) => `- ${describeVerdict(verdict, links)}`,
    what: (count) => formatCount(count, 'verdict'),
  })
  const describeTree = (one: TreeUnit) =>
    `- ${joinFacts([
      code(one.serial_number),
      `part ${code(one.part.number)}`,
      one.batch === null ? undefined : `batch ${code(one.batch.number)}`,
      one.parent === null ? undefined : `in ${code(one.parent)}`,
      ...one.verdicts.map(
        (verdict) => `${code(verdict.procedure.name)} ${lookOfUnitVerdict(verdict).word.toLowerCase()}`,
      ),
    ])}`
  const what = (count: number) => formatCount(count, 'unit')
  page.addEach(holders, { heading: '## Built into', format: describeTree, what })
  page.addEach(subUnits, { heading: '## Holds', format: describeTree, what })
  page.addEach(runs, {
    heading: '## Runs of the unit and its sub-units, the newest first',
    format: (run) => describeRun(run, history, links),
    what: (count) => formatCount(count, 'run'),
  })
  page.addEach(measurements, {
    heading: '## Values of the last runs',
    format: describeValue,
    what: (count) => formatCount(count, 'value'),
  })
  if (history.more_sub_units || history.more_runs || history.more_measurements)
    page.add('There are more sub-units, runs or values than the service answers at once.')
  return page.end('the operation `getLineUnit`')
}

function describeUnit({ part, batch, sample, created_at: createdAt }: LineUnit['unit']): string {
  return `- ${joinFacts([
    `part ${code(part.number)}`,
    `revision ${code(part.revision.number)}`,
    batch === null ? undefined : `batch ${code(batch.number)}`,
    sample === null ? undefined : `sample: ${sample}, left out of statistics`,
    `first seen ${createdAt}`,
  ])}`
}

function describeVerdict(verdict: UnitVerdict, links: HistoryLinks): string {
  const { procedure, last_run: run } = verdict
  return joinFacts([
    `**${lookOfUnitVerdict(verdict).word}** ${code(procedure.name)}`,
    explainUnitVerdict(verdict),
    run === null ? undefined : `last run ${codeLink(run.id, links.run(run.id))} of ${run.started_at}`,
  ])
}

function describeRun(
  run: LineUnit['runs'][number],
  { unit, failures }: LineUnit,
  links: HistoryLinks,
): string {
  const { operated_by: operator, created_by_station: station } = run
  const head = joinFacts([
    `**${formatOutcome(run)}** ${code(run.procedure.name)}`,
    codeLink(run.id, links.run(run.id)),
    run.started_at,
    run.unit.id === unit.id ? undefined : `of sub-unit ${code(run.unit.serial_number)}`,
    station === null ? undefined : `station ${code(station.name)}`,
    operator === null ? undefined : `operator ${code(operator.name ?? operator.email ?? operator.id)}`,
    run.pictures.length === 0 ? undefined : formatCount(run.pictures.length, 'picture'),
  ])
  const failed = (run.failures ?? []).map(({ name, message }) => {
    const verdict = failures.find((one) => one.run_id === run.id && one.name === name)
    return `  - ${joinFacts([
      code(name),
      message === undefined ? undefined : code(message),
      verdict && formatVerdict(verdict, links.run),
    ])}`
  })
  return [`- ${head}`, ...failed].join('\n')
}

function describeValue(measured: PlacedMeasurement): string {
  const { phase, measurement, unit, value, passed } = measured
  return `- ${joinFacts([
    phase === measurement ? code(measurement) : `${code(phase)}: ${code(measurement)}`,
    `${formatNumber(value)}${unit === null ? '' : ` ${code(unit)}`}${passed ? '' : ', failed'}`,
    describeValueLimits(measured) || undefined,
    describeValuePlace(measured),
  ])}`
}
