import { escapePattern } from '@runledger/presentation'
import { formatWholeNumber } from '@runledger/protocol'
import path from 'node:path'
import { CommandError, UsageError } from '../command-error'
import { countNodeOptions } from '../node-test-command'
import { escapeGlob } from '../rerun/select-tests'
import { quoteForCmd } from '../repeat/quote-for-cmd'
import { findCommandStart, nameProgram } from '../test-calls/launchers'
import { findProgram, type ReportingFramework } from '../test-calls/programs'
import { PATTERN_EXAMPLE } from './find-pattern-files'

/** A framework's command, split at the place of the file names. */
export interface ShardedCommand {
  framework: 'jest' | 'vitest' | 'playwright' | 'node:test'
  /** The words before the file names. */
  start: readonly string[]
  options: readonly string[]
  /** The files and patterns for Node's test runner. */
  patterns: readonly string[]
}

const PATTERN_EXAMPLES = 'npx vitest run, npx jest, npx playwright test, or node --test "test/**/*.test.js"'

/** @throws UsageError for a command that cannot be divided */
export function readCommand(command: readonly string[]): ShardedCommand {
  const words = command.map((text) => ({ text, raw: text, end: 0, isComputed: false }))
  const at = findCommandStart(words)
  const program = findProgram(command[at] ?? '', command[at + 1])
  if (program) {
    const head = at + (program.command === undefined ? 1 : 2)
    const { framework } = program
    return readFrameworkCommand(framework, command.slice(0, head), command.slice(head))
  }
  const node = command.findIndex((word) => nameProgram(word) === 'node')
  if (node !== -1 && command.includes('--test', node)) return readNodeCommand(command, node)
  throw new UsageError(
    `shard cannot tell which files "${command.join(' ')}" runs: write the framework's own command, such as ${PATTERN_EXAMPLES}`,
  )
}

function readFrameworkCommand(
  framework: ReportingFramework,
  head: readonly string[],
  args: readonly string[],
): ShardedCommand {
  const isRun = framework === 'Vitest' && args[0] === 'run'
  const options = isRun ? args.slice(1) : args
  const own = options.find((word) => /^--(?:shard|listTests|list|watch\w*|ui)(?:=(?!false$)|$)/.test(word))
  if (own !== undefined) throw new UsageError(`shard decides what runs: leave ${own} out`)
  const named = options.find((word, index) => isFile(word, options[index - 1], framework))
  if (named !== undefined)
    throw new UsageError(
      `shard names the files itself: leave "${named}" out, or write it as --option=${named} if it belongs to an option`,
    )
  const start = framework === 'Vitest' ? [...head, 'run'] : head
  return { framework: NAMES[framework], start, options, patterns: [] }
}

const NAMES = { Jest: 'jest', Vitest: 'vitest', Playwright: 'playwright' } as const

/** Options whose value may be a separate word. Other options may have no value: `vitest run --coverage src`. */
const WITH_VALUE: Record<ReportingFramework, ReadonlySet<string>> = {
  Jest: listWords(`-c --config -t --testNamePattern -w --maxWorkers --env --testEnvironment --rootDir --roots --projects
    --selectProjects --ignoreProjects --reporters --outputFile --coverageDirectory --coverageProvider --coverageReporters
    --collectCoverageFrom --testPathPattern --testPathPatterns --testPathIgnorePatterns --testMatch --testRegex --testTimeout
    --testRunner --runner --preset --setupFiles --setupFilesAfterEnv --globalSetup --globalTeardown --cacheDirectory
    --maxConcurrency --workerIdleMemoryLimit --seed`),
  Vitest:
    listWords(`-r --root -c --config -t --testNamePattern --dir --project --reporter --outputFile --mode --browser --pool
    --environment --exclude --maxWorkers --minWorkers --testTimeout --hookTimeout --teardownTimeout --bail --retry
    --maxConcurrency --slowTestThreshold --configLoader --tagsFilter --coverage.provider --coverage.reporter
    --coverage.reportsDirectory --coverage.include --coverage.exclude --sequence.seed`),
  Playwright:
    listWords(`-c --config -g --grep -gv --grep-invert -j --workers --project --reporter --output --retries --timeout
    --global-timeout --max-failures --repeat-each --browser --trace --tsconfig`),
}

function listWords(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

function isFile(word: string, before: string | undefined, framework: ReportingFramework): boolean {
  return !word.startsWith('-') && !(before !== undefined && WITH_VALUE[framework].has(before))
}

/** @throws UsageError if the command names no files */
function readNodeCommand(command: readonly string[], node: number): ShardedCommand {
  const end = node + 1 + countNodeOptions(command.slice(node + 1))
  const patterns = command.slice(end)
  if (patterns.length === 0)
    throw new UsageError(`name the files of node --test, or patterns of them in quotes: ${PATTERN_EXAMPLE}`)
  return { framework: 'node:test', start: command.slice(0, end), options: [], patterns }
}

export interface ListedFiles {
  /** The files to run, relative to the folder. */
  files: readonly string[]
  /** All files that the command runs without a shard. */
  all: readonly string[]
}

/** Returns the command that runs only `files`. */
export function nameFiles(
  { framework, start, options }: ShardedCommand,
  { files, all }: ListedFiles,
  folder: string,
): string[] {
  switch (framework) {
    case 'jest':
      return [...start, '--runTestsByPath', ...files.map((file) => path.resolve(folder, file)), ...options]
    case 'vitest':
      return [
        ...start,
        ...files,
        ...listNamesakes({ files, all }).map((file) => `--exclude=${writeGlob(path.resolve(folder, file))}`),
        ...options,
      ]
    case 'playwright':
      return [...start, ...files.map((file) => `^${escapePattern(path.resolve(folder, file))}$`), ...options]
    case 'node:test':
      return [...start, ...files.map((file) => nodeFile(file))]
  }
}

/** `cmd.exe` takes 8,191 characters. The rest is for what `npx` adds. */
const MAX_CMD_LENGTH = 6_000

/** @throws CommandError for a command that Windows cannot pass on whole */
export function checkLength(command: readonly string[], platform: NodeJS.Platform = process.platform): void {
  const length = command.map(quoteForCmd).join(' ').length
  if (platform !== 'win32' || length <= MAX_CMD_LENGTH) return
  throw new CommandError(
    `the command with the names of the shard's files has ${formatWholeNumber(length)} characters, and runledger passes on at most ${formatWholeNumber(MAX_CMD_LENGTH)} on Windows: use more shards`,
  )
}

/** Vitest runs every file whose path contains the name, ignoring case. Both paths are relative to its root or to a project's root. */
function listNamesakes({ files, all }: ListedFiles): string[] {
  const own = new Set(files)
  const names = files.map((file) => file.toLowerCase())
  return all.filter((file) => !own.has(file) && names.some((name) => contains(file.toLowerCase(), name)))
}

/** Whether one path contains the other, relative to any folder above both. The deepest such folder decides. */
function contains(file: string, name: string): boolean {
  if (!file.includes(path.posix.basename(name))) return false
  let at = 0
  while (file[at] === name[at] && at < name.length) at += 1
  const start = name.lastIndexOf('/', at - 1) + 1
  return file.slice(start).includes(name.slice(start))
}

/** Uses the whole path, because a part of it may also match an own file. Escapes the same characters as Vitest does in its root. */
function writeGlob(file: string): string {
  return file.replaceAll(path.sep, '/').replaceAll(/[\\*?[\](){}!|]|[+@](?=\()/g, String.raw`\$&`)
}

function nodeFile(file: string): string {
  const place = file.startsWith('.') ? file : `./${file}`
  return escapeGlob(place, Number.parseInt(process.versions.node, 10))
}
