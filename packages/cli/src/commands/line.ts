import {
  describeCapability,
  describeControl,
  describeDrift,
  formatLimitPair,
  formatStatistic,
  writeCsvLine,
  writeMeasurementCsv,
} from '@runledger/presentation'
import {
  DEFAULT_LINE_DAYS,
  type LineFailureList,
  type LineMeasurement,
  MAX_LINE_DAYS,
  type Rate,
  YIELD_GROUPS,
  type YieldGroup,
  type YieldList,
} from '@runledger/protocol'
import { type Command, Option } from 'commander'
import { DIR_OPTION } from '../find-folder'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, CommandContext } from '../command-context'
import { formatTable } from '../table'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface LineFlags extends ServiceFlags {
  by: YieldGroup
  days: string
  phase?: string
  measurement?: string
  csv?: boolean
  json?: boolean
}

export function registerLine(program: Command, output: Output, context: CommandContext): void {
  program
    .command('line <procedure>')
    .description(
      'Tell the yields of a procedure and what fails most; with --phase, whether a measurement is in control and capable.',
    )
    .addOption(new Option('--by <what>', 'what yields are counted by').choices(YIELD_GROUPS).default('day'))
    .option('--days <number>', `days to look back, at most ${MAX_LINE_DAYS}`, String(DEFAULT_LINE_DAYS))
    .option('--phase <name>', 'the step whose measurement is asked for')
    .option('--measurement <name>', 'the measurement, where its name is not that of the step')
    .option(
      '--csv',
      'print yields as CSV, or with --phase the values with limits, unit of measure, station and batch',
    )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"yields", "failures"}, or with --phase as GET /v2/line/measurement',
    )
    .action((procedure: string, flags: LineFlags) => tellLine(procedure, flags, { output, context }))
}

async function tellLine(procedure: string, flags: LineFlags, surface: Surface): Promise<void> {
  await (flags.phase === undefined
    ? tellYields(procedure, flags, surface)
    : tellMeasurement({ procedure, phase: flags.phase }, flags, surface))
}

async function tellYields(
  procedure: string,
  { by, days, ...flags }: LineFlags,
  { output, context }: Surface,
): Promise<void> {
  const query = { procedure_id: procedure, days: Number(days) }
  const [yields, failures] = await withService(flags, context, ({ client }) =>
    Promise.all([client.listYields({ query: { ...query, by } }), client.listLineFailures({ query })]),
  )
  if (flags.json) return writeJson(output, { yields, failures })
  if (flags.csv) return writeYields(yields, output)
  if (yields.data.length === 0) return output.out(`No unit was tested in ${days} days.`)
  output.out(formatYields(yields, context.columns))
  const failing = formatFailures(failures, context.columns)
  if (failing !== undefined) output.out(`\n${failing}`)
}

const YIELD_HEADS = ['First pass', '95 % interval', 'Second pass', 'Last pass', 'Units', 'Runs']

function formatYields({ by, data, total }: YieldList, columns: number | undefined): string {
  const row = (name: string, yields: YieldList['total']) => [
    name,
    percent(yields.first_pass.rate),
    `${percent(yields.first_pass.low)} to ${percent(yields.first_pass.high)}`,
    percent(yields.second_pass.rate),
    percent(yields.last_pass.rate),
    String(yields.first_pass.of),
    String(yields.runs.of),
  ]
  const head = `${by.charAt(0).toUpperCase()}${by.slice(1)}`
  return formatTable(
    [head, ...YIELD_HEADS],
    [...data.map((each) => row(each.key ?? `no ${by}`, each)), row('all', total)],
    columns,
  )
}

const MOST_FAILING = 10

function formatFailures({ data }: LineFailureList, columns: number | undefined): string | undefined {
  const failing = data.filter(({ failures }) => failures.count > 0).slice(0, MOST_FAILING)
  if (failing.length === 0) return undefined
  const rows = failing.map(({ phase, measurement, failures, share }) => [
    String(failures.count),
    String(failures.of),
    percent(share),
    measurement === null || measurement === phase ? phase : `${phase}: ${measurement}`,
  ])
  return formatTable(['Failed', 'Of', 'Share', 'Measurement'], rows, columns)
}

function percent(share: number | null): string {
  return share === null ? '' : `${(share * 100).toFixed(1)} %`
}

function writeYields({ by, data }: YieldList, output: Output): void {
  const rates = ['first_pass', 'second_pass', 'last_pass', 'first_pass_of_day', 'runs'] as const
  const cells = ({ count, of, low, high }: Rate) => [count, of, low, high]
  const heads = rates.flatMap((name) => [`${name}_passed`, `${name}_of`, `${name}_low`, `${name}_high`])
  const lines = data.map((row) => writeCsvLine([row.key, ...rates.flatMap((name) => cells(row[name]))]))
  output.out([writeCsvLine([by, ...heads]), ...lines].join('').trimEnd())
}

async function tellMeasurement(
  { procedure, phase }: { procedure: string; phase: string },
  { days, measurement, ...flags }: LineFlags,
  { output, context }: Surface,
): Promise<void> {
  const query = { procedure_id: procedure, days: Number(days), phase, measurement }
  const found = await withService(flags, context, ({ client }) => client.getLineMeasurement({ query }))
  if (flags.json) writeJson(output, found)
  else if (flags.csv) output.out(writeMeasurementCsv(found).trimEnd())
  else output.out(toPlainText(describeMeasurement(found).join('\n')))
}

function describeMeasurement(found: LineMeasurement): string[] {
  const { measurement, unit, n, mean, standard_deviation: deviation, limits, failed } = found
  return [
    `${measurement}: ${n} values, mean ${formatStatistic(mean, unit)}, standard deviation ${formatStatistic(deviation, unit)}, ${failed} failed`,
    `Limits: ${formatLimitPair(limits, unit)}`,
    `In control? ${describeControl(found)}`,
    `Capable? ${describeCapability(found)}`,
    ...found.drifts.map((drift) => describeDrift(drift, unit)),
  ]
}
