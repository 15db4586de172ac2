import type { Framework } from '../find-frameworks'
import { type AddOptions, listReporters } from './reporter-list'
import { styleOf, writeItem } from './reporter-style'

const FORM = { quote: "'", isJson: false } as const

/** The line that a config without reporters gets: the README's, with the procedure where one is given. */
export function writeLine(framework: Framework, { procedureId, isOnGithub }: AddOptions): string {
  if (framework.name === 'node:test') return framework.configLine
  const style = styleOf(framework, isOnGithub)
  const item = writeItem(framework, { ...FORM, procedureId })
  return `${style.property}: ${listReporters(FORM, { style, item })}`
}
