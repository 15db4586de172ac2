import { messageOf } from '@runledger/core/tools'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import { findSpawn } from '../rerun/run-in-terminal'
import { findPatternFiles } from './find-pattern-files'
import type { ShardedCommand } from './sharded-command'

interface Place {
  folder: string
  env: CommandContext['env']
}

interface Listing {
  command: readonly string[]
  env?: Record<string, string>
  /** Reads the file that the framework writes, or else its output. */
  read: (text: string) => string[]
}

/** Lists the test files of a command, relative to the folder and sorted. @throws CommandError if the framework cannot list them */
export async function listFiles(command: ShardedCommand, { folder, env }: Place): Promise<string[]> {
  if (command.framework === 'node:test') return findPatternFiles(command.patterns, folder)
  const temporary = await mkdtemp(path.join(tmpdir(), 'runledger-shard-'))
  const file = path.join(temporary, 'files.json')
  try {
    const listing = await LISTINGS[command.framework](command, file)
    const printed = await run(listing.command, { folder, env: { ...env, ...listing.env } })
    const text = await readFile(file, 'utf8').catch(() => printed)
    const files = listing.read(text).map((each) => toName(path.resolve(folder, each), folder))
    return [...new Set(files)].toSorted()
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`cannot read the list of ${command.framework}'s files: ${messageOf(error)}`)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** The framework writes the list to `file`, if it supports that. */
const LISTINGS: Record<
  Exclude<ShardedCommand['framework'], 'node:test'>,
  (command: ShardedCommand, file: string) => Listing | Promise<Listing>
> = {
  jest: ({ start, options }, _file) => ({
    // Jest 30 would write the list to the file of the results.
    command: [...start, '--listTests', '--json', ...withoutOutputFile(options)],
    env: { CI: 'true' },
    read: findList,
  }),
  vitest: ({ start, options }, file) => ({
    command: [...start.slice(0, -1), 'list', '--filesOnly', `--json=${file}`, ...options],
    read: (text) =>
      z
        .array(VitestFileSchema)
        .parse(JSON.parse(text))
        .map((each) => each.file),
  }),
  playwright: async ({ start, options }, file) => {
    const reporter = path.join(path.dirname(file), 'reporter.cjs')
    await writeFile(reporter, PLAYWRIGHT_REPORTER)
    return {
      command: [...start, ...options, '--list', `--reporter=${reporter}`],
      env: { RUNLEDGER_FILES: file },
      read: (text) => listDividedFiles(text, options.includes('--no-deps')),
    }
  },
}

/** Jest takes both spellings. */
const OUTPUT_FILE = /^--output-?file(?:=|$)/i

function withoutOutputFile(options: readonly string[]): string[] {
  return options.filter(
    (word, index) => !OUTPUT_FILE.test(word) && !/^--output-?file$/i.test(options[index - 1] ?? ''),
  )
}

/** A config, or Yarn, may print other lines, and among them another list. */
function findList(text: string): string[] {
  const lists = text
    .split('\n')
    .map(readList)
    .filter((each) => each?.every((file) => path.isAbsolute(file)))
  const list = lists.findLast((each) => each?.length) ?? lists.at(-1)
  if (!list) throw new Error('its output has no list')
  return list
}

function readList(line: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

const VitestFileSchema = z.object({ file: z.string() })

/** Playwright's own JSON does not say which projects depend on which. */
const PLAYWRIGHT_REPORTER = `module.exports = class {
  printsToStdio() { return false }
  onBegin(config, { suites }) {
    const projects = suites.map((suite) => {
      const { name, dependencies, teardown } = suite.project()
      return { name, dependencies, teardown, files: suite.suites.map((file) => file.location.file) }
    })
    require('node:fs').writeFileSync(process.env.RUNLEDGER_FILES, JSON.stringify(projects))
  }
}
`

const PlaywrightProjectSchema = z.object({
  name: z.string(),
  dependencies: z.array(z.string()),
  teardown: z.string().optional(),
  files: z.array(z.string()),
})

/** Without projects that others depend on: Playwright runs these in every shard, unless it ignores dependencies. */
function listDividedFiles(text: string, ignoresDependencies: boolean): string[] {
  const projects = z.array(PlaywrightProjectSchema).parse(JSON.parse(text))
  const needed = ignoresDependencies
    ? []
    : projects.flatMap(({ dependencies, teardown }) => [...dependencies, teardown])
  return projects.filter(({ name }) => !needed.includes(name)).flatMap(({ files }) => files)
}

function toName(file: string, folder: string): string {
  return path.relative(folder, file).replaceAll(path.sep, '/')
}

/** Returns the standard output. @throws CommandError when the command fails */
function run(command: readonly string[], { folder, env }: Place): Promise<string> {
  const { program, args, shell } = findSpawn(command)
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...env, RUNLEDGER_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell,
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (output.stderr = (output.stderr + text).slice(-MAX_TAIL)))
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new CommandError(`cannot run ${program}: ${error.message}`)))
    child.once('close', (code) => {
      if (code === 0) resolve(output.stdout)
      else
        reject(
          new CommandError(
            `"${command.join(' ')}" did not list the files (exit code ${code}):\n${(output.stderr || output.stdout.slice(-MAX_TAIL)).trim()}`,
          ),
        )
    })
  })
}

const MAX_TAIL = 4_000
