import { pick } from './behaviour'
import type { Dialect } from './dialect'

/** Lists reporters in the framework's own way, for `dialect.config`; each is source text of a name, or of name and options. */
export function listReporters(dialect: Dialect, reporters: readonly string[]): string {
  const list = reporters.map((reporter) =>
    dialect.framework === 'playwright' || reporter.includes(',') ? `[${reporter}]` : reporter,
  )
  return `${dialect.framework === 'playwright' ? 'reporter' : 'reporters'}: [${list.join(', ')}],`
}

/** Name of our reporter, as source text. */
export function ours({ framework }: Dialect): string {
  return `'@runledger/${framework}'`
}

/** Name of the reporter that people see in their terminal by default, as source text. */
export function terminal(dialect: Dialect): string {
  return pick(dialect, { jest: "'default'", vitest: "'default'", playwright: "'list'" })
}

/** Our reporter beside the terminal's, with options given as source text. */
export function withOptions(dialect: Dialect, options: string): string {
  return listReporters(dialect, [terminal(dialect), `${ours(dialect)}, ${options}`])
}
