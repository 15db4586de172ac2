import path from 'node:path'
import { readManifest, readScripts } from '../manifest'
import { ASSIGNMENT, findCommandStart, MANAGERS, nameProgram } from './launchers'
import { type ManagedPlace, readManagerCommand } from './manager-command'
import { findProgram, isOtherRunner, mentionsTests, runsNoTests } from './programs'
import { isRecorded } from './read-flags'
import {
  hasPlaceholder,
  listConcurrentWords,
  listRunAllWords,
  matchScripts,
  readTasks,
} from './script-runners'
import { readInnerScript, type ShellCommand, splitCommands } from './shell-words'
import type { CallWord, TestCall } from './test-call'

export interface ScriptFolder {
  name: string | undefined
  dir: string
  scripts: Readonly<Record<string, string>>
}

/** A command that may run tests, but that we cannot follow. */
export interface UnreadCommand {
  script: string
  text: string
  /** Whether it names a program that runs tests. */
  mentionsTests: boolean
}

/** The commands in a package's scripts that run tests or may run them. */
export interface ReadScripts {
  /** Includes calls that record nothing by design (watch mode, lists). */
  calls: readonly TestCall[]
  unread: readonly UnreadCommand[]
}

/** Every call of a framework in a package's scripts, except those that record nothing by design. */
export function listTestCalls(own: ScriptFolder, others: readonly ScriptFolder[] = []): TestCall[] {
  return readTestScripts(own, others).calls.filter(isRecorded)
}

export function readTestScripts(own: ScriptFolder, others: readonly ScriptFolder[] = []): ReadScripts {
  const reader = new ScriptReader(others)
  for (const script of Object.keys(own.scripts)) {
    const context = { script, extra: [], env: {}, computedEnv: [], isDirComputed: false, depth: 0 }
    reader.readScript(script, { ...context, own, dir: own.dir })
  }
  return reader
}

/** The variables, folder and arguments with which a command runs. */
type Context = Pick<TestCall, 'env' | 'computedEnv' | 'dir' | 'isDirComputed'> & {
  /** The script that the user runs. */
  script: string
  /** The package that has the script. */
  own: ScriptFolder
  /** Arguments that are appended to the last command. */
  extra: readonly CallWord[]
  depth: number
}

/** A script, or a quoted part of one. */
interface Text {
  text: string
  script: string
  start: number
}

const MAX_DEPTH = 5

class ScriptReader {
  readonly calls: TestCall[] = []
  readonly unread: UnreadCommand[] = []
  readonly #others: readonly ScriptFolder[]

  constructor(others: readonly ScriptFolder[]) {
    this.#others = others
  }

  readScript(name: string, context: Context): void {
    this.#readText({ text: context.own.scripts[name] ?? '', script: name, start: 0 }, context)
  }

  #readText({ text, script, start }: Text, context: Context): void {
    const commands = splitCommands(text)
    let exported: Pick<Context, 'env' | 'computedEnv'> = context
    commands.forEach((command, index) => {
      const isLast = index === commands.length - 1
      const place = { script, dir: context.own.dir }
      const own = command.words.map((word) => ({ ...word, ...place, end: word.end + start }))
      const words = isLast ? [...own, ...context.extra] : own
      if (/^(?:export|set)$/.test(words[0]?.text ?? '')) exported = readVariables(words, exported)
      const given = {
        env: exported.env,
        computedEnv: exported.computedEnv,
        ...followFolders(command, context),
      }
      this.#readCommand(words, { ...context, ...given, extra: [] })
    })
  }

  #readCommand(words: readonly CallWord[], given: Context): void {
    const start = findCommandStart(words)
    const command = words.slice(start)
    const context = { ...given, ...readVariables(words.slice(0, start), given) }
    const first = command[0]
    const inner = first && /^["'].*\s/s.test(first.raw) ? [first] : listConcurrentWords(command)
    const scripts = listRunAllWords(command)
    const tasks = readTasks(command)
    if (tasks) this.#readTasks(tasks, context)
    else if (inner) inner.forEach((word) => this.#readInner(word, context))
    else if (scripts) scripts.forEach((word) => this.#readNamed(word, context))
    else if (!this.#readManaged(words, start, context)) this.#readProgram(words, start, context)
  }

  #readInner(word: CallWord, context: Context): void {
    const named = /^(?:npm|yarn|pnpm|bun|node):(\S+)$/.exec(word.text)
    if (named) return this.#readNamed({ ...word, text: named[1] ?? '' }, context)
    const inner = hasPlaceholder(word) ? undefined : readInnerScript(word)
    if (inner && context.depth < MAX_DEPTH) this.#readText({ ...inner, script: word.script }, deepen(context))
    else this.#addUnread([word], context)
  }

  /** Reads the scripts that a pattern names, such as `test:*`. */
  #readNamed(word: CallWord, context: Context): void {
    const [pattern = '', ...rest] = word.text.split(/\s+/)
    if (rest.length > 0 || word.isComputed || context.isDirComputed) return this.#addUnread([word], context)
    const own = this.#findFolder(context)
    for (const name of matchScripts(pattern, Object.keys(own.scripts))) this.#runScript(name, own, context)
  }

  /** Reads `turbo run test -- --ci`: the script of each package that has it. */
  #readTasks({ names, extra }: NonNullable<ReturnType<typeof readTasks>>, context: Context): void {
    for (const own of this.#others)
      for (const name of names.filter((each) => Object.hasOwn(own.scripts, each)))
        this.#runScript(name, own, { ...context, extra })
  }

  /** Reads `npm run unit -- --ci` and its like. Returns false for other commands. */
  #readManaged(words: readonly CallWord[], start: number, context: Context): boolean {
    const at = words.findIndex(({ text }, index) => index < start && MANAGERS.test(text))
    const managed = at === -1 ? undefined : readManagerCommand(words.slice(at))
    if (!managed || context.isDirComputed) return false
    const { place, name, extra } = managed
    const targets = this.#findTargets(place, this.#findFolder(context))
    const withScript = targets.filter(({ scripts }) => Object.hasOwn(scripts, name))
    for (const target of withScript) this.#runScript(name, target, { ...context, extra })
    if (withScript.length > 0) return true
    if (place === 'here' || targets.length === 0) return false
    for (const { dir } of targets) this.#readProgram(words, start, { ...context, dir })
    return true
  }

  #runScript(name: string, own: ScriptFolder, context: Context): void {
    const isListed = own.dir === context.own.dir || this.#others.some(({ dir }) => dir === own.dir)
    const { extra, env, computedEnv } = context
    const isPlain = extra.length + computedEnv.length + Object.keys(env).length === 0
    // It is listed under its own name.
    if (context.depth >= MAX_DEPTH || (isListed && isPlain && context.depth === 0)) return
    this.readScript(name, deepen({ ...context, own, dir: own.dir }))
  }

  /** The package of the folder that a command runs in. */
  #findFolder({ own, dir }: Context): ScriptFolder {
    const known = [own, ...this.#others].find((each) => each.dir === dir)
    return known ?? readFolder(dir)[0] ?? own
  }

  #findTargets(place: ManagedPlace, own: ScriptFolder): readonly ScriptFolder[] {
    const others = this.#others.filter(({ dir }) => dir !== own.dir)
    if (place === 'here') return [own]
    if (place === 'everywhere') return others
    const dir = path.resolve(own.dir, place.nameOrPath)
    const found = others.filter((each) => each.dir === dir || each.name === place.nameOrPath)
    return found.length > 0 ? found : readFolder(dir)
  }

  #readProgram(words: readonly CallWord[], start: number, context: Context): void {
    const program = findProgram(words[start]?.text ?? '', words[start + 1]?.text)
    if (!program) return this.#addUnread(words, context)
    const head = start + (program.command === undefined ? 0 : 1)
    const node = words.findLastIndex(({ text }, index) => index < start && nameProgram(text) === 'node')
    const nodeArgs = node === -1 ? [] : words.slice(node + 1, start).map(({ text }) => text)
    const { script, env, computedEnv, dir, isDirComputed } = context
    const call = { script, env, computedEnv, dir, isDirComputed }
    this.calls.push({ ...call, program, nodeArgs, head: words[head], args: words.slice(head + 1) })
  }

  #addUnread(words: readonly CallWord[], { script }: Context): void {
    const [first, second] = words.slice(findCommandStart(words))
    if (!first || runsNoTests(first.text, second?.text)) return
    const isNamed = isOtherRunner(nameProgram(first.text)) || words.some(({ text }) => mentionsTests(text))
    this.unread.push({ script, text: words.map(({ raw }) => raw).join(' '), mentionsTests: isNamed })
  }
}

function readFolder(dir: string): ScriptFolder[] {
  const manifest = readManifest(dir)
  return manifest ? [{ name: manifest.name, dir, scripts: readScripts(manifest) }] : []
}

function deepen(context: Context): Context {
  return { ...context, depth: context.depth + 1 }
}

function followFolders(
  { folders }: ShellCommand,
  { dir, isDirComputed }: Context,
): Pick<Context, 'dir' | 'isDirComputed'> {
  return {
    dir: folders.reduce((from, { text }) => path.resolve(from, text), dir),
    isDirComputed: isDirComputed || folders.some(({ text, isComputed }) => isComputed || /^[-~]/.test(text)),
  }
}

function readVariables(
  words: readonly CallWord[],
  { env, computedEnv }: Pick<Context, 'env' | 'computedEnv'>,
): Pick<Context, 'env' | 'computedEnv'> {
  const known: Record<string, string> = { ...env }
  const computed = new Set(computedEnv)
  for (const { text, isComputed } of words) {
    const [, name, value = ''] = ASSIGNMENT.exec(text) ?? []
    if (name === undefined) continue
    if (isComputed) {
      delete known[name]
      computed.add(name)
    } else {
      known[name] = value
      computed.delete(name)
    }
  }
  return { env: known, computedEnv: [...computed] }
}
