import { InvalidArgumentError, Option } from 'commander'

const DEFAULT_WAIT = '5m'

/** The option `--wait`: how long a command waits for a running build, in milliseconds. */
export function createWaitOption(): Option {
  return new Option('--wait <time>', 'how long to wait for a build that still runs: 0, 90s, 5m or 1h')
    .argParser(parseDuration)
    .default(parseDuration(DEFAULT_WAIT), DEFAULT_WAIT)
}

/** The option `--repeat-new`: a budget in milliseconds. */
export function createRepeatNewOption(): Option {
  return new Option(
    '--repeat-new <time>',
    'run the new tests of a build again and again, for this time: 90s, 5m or 1h',
  ).argParser(parseDuration)
}

const MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

function parseDuration(value: string): number {
  const [, number, unit = ''] = /^(\d{1,5})([smh])$/.exec(value) ?? []
  if (value !== '0' && number === undefined) throw new InvalidArgumentError('Give 0, 90s, 5m or 1h.')
  return Number(number ?? 0) * (MS[unit] ?? 0)
}
