/** A call of `node --test` in a script, without those that watch: the reporter records none of these. */
export interface NodeTestCall {
  /** Where Node reads more options: after the last reporter, else after `--test`. */
  end: number
  reporters: readonly string[]
  destinations: number
}

/** Words as a shell takes them, and what stands between two commands. */
const TOKENS = /(?:[^\s"'&|;]|"(?:[^"\\]|\\.)*"|'[^']*')+|[&|;]+/g
const NODE = /^(?:[^=]*[\\/])?node(?:\.exe)?$/
const REPORTER = '--test-reporter'
const DESTINATION = '--test-reporter-destination'

/** Options of Node's whose value may be a word of its own. Others take none, or stand before it with `=`. */
const WITH_VALUE = new Set(
  `-C --conditions -r --require --import --loader --experimental-loader --env-file --env-file-if-exists --disable-warning
  --max-old-space-size --watch-path ${REPORTER} ${DESTINATION} --test-concurrency --test-timeout --test-shard
  --test-isolation --experimental-test-isolation --test-name-pattern --test-skip-pattern --test-rerun-failures
  --test-global-setup --test-coverage-include --test-coverage-exclude --test-coverage-lines --test-coverage-branches
  --test-coverage-functions`.split(/\s+/),
)

/** The flags that make Node print as usual and load the reporter. */
export function listReporterFlags(reporter: string): string {
  return `${REPORTER}=spec ${DESTINATION}=stdout ${REPORTER}=${reporter} ${DESTINATION}=stdout`
}

/**
 * The calls that another reporter can be added to: none of a script that names reporters where this does not read them, such
 * as in NODE_OPTIONS, since Node wants a destination for each.
 */
export function findNodeTestCalls(script: string): NodeTestCall[] {
  const calls: NodeTestCall[] = []
  const tokens = [...script.matchAll(TOKENS)].map(({ 0: text, index }) => ({
    text,
    end: index + text.length,
  }))
  tokens.forEach(({ text, end }, index) => {
    const call = NODE.test(text) ? readOptions(tokens.slice(index + 1)) : undefined
    if (call && (call.reporters.length > 0 || !mayBeRead(script.slice(end)))) calls.push(call)
  })
  const readCount = calls.reduce(
    (sum, { reporters, destinations }) => sum + reporters.length + destinations,
    0,
  )
  const namedCount = script.match(/--test-reporter/g)?.length ?? 0
  return readCount === namedCount ? calls : []
}

/** Reads Node's own options: what comes after the first other word is for the script. */
function readOptions(tokens: readonly { text: string; end: number }[]): NodeTestCall | undefined {
  const reporters: string[] = []
  const ends = { test: 0, reporters: 0 }
  let destinations = 0
  for (let at = 0; at < tokens.length; at += 1) {
    const { text = '' } = tokens[at] ?? {}
    if (!text.startsWith('-') || text === '--') break
    const [name = '', inline] = text.split(/=(.*)/s)
    if (name.startsWith('--watch')) return undefined
    if (inline === undefined && WITH_VALUE.has(name)) at += 1
    const { text: value = '', end = 0 } = tokens[at] ?? {}
    if (name === '--test') ends.test = end
    if (name === REPORTER) reporters.push(unquote(inline ?? value))
    if (name === DESTINATION) destinations += 1
    if (name === REPORTER || name === DESTINATION) ends.reporters = end
  }
  return ends.test === 0 ? undefined : { end: Math.max(ends.test, ends.reporters), reporters, destinations }
}

/**
 * Another program or a file may take the output, whose form depends on where Node writes it: anything after the call that
 * pipes or redirects, but for errors alone and for what stands in quotes.
 */
function mayBeRead(rest: string): boolean {
  const left = rest.replaceAll(/"(?:[^"\\$]|\\.)*"|'[^']*'|\b2>(?:&\d|\s*[^\s&|;>]+)|\|\|/g, ' ')
  return /[|>]/.test(left)
}

/** Counts the words at the beginning that are options of Node, with their values. */
export function countNodeOptions(words: readonly string[]): number {
  let at = 0
  for (let word = words[at]; word?.startsWith('-'); word = words[at]) {
    if (word === '--') return at + 1
    at += WITH_VALUE.has(word) ? 2 : 1
  }
  return at
}

function unquote(text: string): string {
  return text.replaceAll(/^(["'])(.*)\1$/g, '$2')
}

export function isMissing({ reporters }: Pick<NodeTestCall, 'reporters'>, reporter: string): boolean {
  return !reporters.includes(reporter)
}

/** What has to be added to a call; undefined where it has the reporter. Node wants as many destinations as reporters. */
export function writeMissingFlags(
  { reporters, destinations }: NodeTestCall,
  reporter: string,
): string | undefined {
  if (!isMissing({ reporters }, reporter)) return undefined
  if (reporters.length === 0) return ` ${listReporterFlags(reporter)}`
  const missing = ` ${DESTINATION}=stdout`.repeat(Math.max(0, reporters.length - destinations))
  return `${missing} ${REPORTER}=${reporter} ${DESTINATION}=stdout`
}
