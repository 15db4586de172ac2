import { blurTries, formatLogLine, type JudgedTest } from './expectation'
import { listMarks } from './own-report'

const TEST = /^[✓✗-] (passed|failed|skipped) {2}(.*) \(\d+ ms.*\)$/u
const PROBLEM = /^✗ failed {2}(.*)$/u
const UNRUN = /^- /u
const ATTEMPT = /^ {4}attempt \d+: /u

interface Entry {
  verdict: JudgedTest['verdict']
  name: string
  attempts: string[][]
}

/** What a suite's log says of each test that was tried and of each problem, as `formatLogLine` writes it; sorted. */
export function readLog(log: string, tellsTries: boolean): string[] {
  const entries: Entry[] = []
  let isUnrun = false
  for (const line of log.split('\n')) {
    const entry = readHead(line)
    if (entry) entries.push(entry)
    if (entry || UNRUN.test(line)) isUnrun = !entry
    else if (!isUnrun) addLine(line, entries.at(-1)?.attempts ?? [])
  }
  return entries
    .map(({ verdict, name, attempts }) => {
      const told = attempts.length === 0 ? [[]] : attempts
      return formatLogLine(name, verdict, tellsTries ? told : blurTries(told))
    })
    .toSorted()
}

function readHead(line: string): Entry | undefined {
  const [, word, name] = TEST.exec(line) ?? []
  if (word !== undefined && name !== undefined) {
    const verdict = word === 'skipped' ? 'none' : word === 'passed' ? 'passed' : 'failed'
    return { verdict, name, attempts: [] }
  }
  const [, problem] = PROBLEM.exec(line) ?? []
  return problem === undefined ? undefined : { verdict: 'failed', name: problem, attempts: [] }
}

/** A lone attempt has no line of its own. */
function addLine(line: string, attempts: string[][]): void {
  if (ATTEMPT.test(line) || attempts.length === 0) attempts.push([])
  const marks = attempts.at(-1)
  marks?.push(...listMarks(line).filter((mark) => !marks.includes(mark)))
}
