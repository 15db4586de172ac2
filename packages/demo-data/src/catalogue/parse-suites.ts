import type { SuiteSpec, TestSpec } from './project'

/**
 * Reads a table of suites. A line without indentation names a file, its owner and the framework's project. A line with two spaces
 * names a `describe`. A line with four spaces names a test, with `@tags` and, after ` | `, the reason why it is skipped.
 */
export function parseSuites(table: string): SuiteSpec[] {
  const suites: (SuiteSpec & { tests: TestSpec[] })[] = []
  let describe = ''
  for (const line of table.split('\n').filter((each) => each.trim() !== '')) {
    const text = line.trim()
    const suite = suites.at(-1)
    if (!line.startsWith(' ')) suites.push(parseFile(text))
    else if (!line.startsWith('    ')) describe = text
    else suite?.tests.push(parseTest(text, describe, suite.tests.length))
  }
  return suites
}

function parseFile(text: string): SuiteSpec & { tests: TestSpec[] } {
  const [file = '', owner = '', project = ''] = text.split(' ')
  return { file, owner, project, tests: [] }
}

const LINES_OF_A_TEST = 14

function parseTest(text: string, describe: string, index: number): TestSpec {
  const [named = '', skipped] = text.split(' | ')
  const words = named.split(' ')
  const title = words.filter((word) => !word.startsWith('@')).join(' ')
  const tags = words.filter((word) => word.startsWith('@'))
  const line = 9 + index * LINES_OF_A_TEST
  return { titles: [describe, title], tags, line, ...(skipped !== undefined && { skipped }) }
}
