import path from 'node:path'
import { findProgram } from './programs'
import { isRecorded } from './read-flags'
import { splitCommands } from './shell-words'
import type { CallWord, TestCall } from './test-call'

/** A folder with the scripts of its package.json. */
export interface ScriptFolder {
  name: string | undefined
  dir: string
  scripts: Readonly<Record<string, string>>
}

interface Around {
  script: string
  extra: readonly CallWord[]
  env: Readonly<Record<string, string>>
  dir: string
  depth: number
}

const MAX_DEPTH = 5
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s
/** Programs whose arguments may be the name of a framework. */
const OTHERS = /^(?:echo|printf|rm|rimraf|cp|mv|mkdir|git|eslint|prettier|tsc|cat|grep|node_modules)$/
const MANAGERS = /^(?:npm|yarn|pnpm|bun)$/
const OTHER_COMMANDS = /^(?:install|i|add|ci|remove|uninstall|why|ls|list|update|up|audit|link)$/

/** Every call of a framework in the scripts of a package. Those that record nothing by design (watch, lists) are left out. */
export function listTestCalls(own: ScriptFolder, others: readonly ScriptFolder[] = []): TestCall[] {
  return Object.keys(own.scripts)
    .flatMap((script) =>
      expandScript({ own, name: script }, others, { script, extra: [], env: {}, dir: own.dir, depth: 0 }),
    )
    .filter(isRecorded)
}

function expandScript(
  { own, name }: { own: ScriptFolder; name: string },
  others: readonly ScriptFolder[],
  around: Around,
): TestCall[] {
  const commands = splitCommands(own.scripts[name] ?? '')
  let { dir } = around
  return commands.flatMap((words, index) => {
    const given = words.map((word) => ({ ...word, script: name, dir: own.dir }))
    const isLast = index === commands.length - 1
    const all = isLast ? [...given, ...around.extra] : given
    if (all[0]?.text === 'cd' && all[1]) dir = path.resolve(dir, all[1].text)
    return readCommand(all, { own, others, around: { ...around, dir } })
  })
}

function readCommand(
  words: readonly CallWord[],
  { own, others, around }: { own: ScriptFolder; others: readonly ScriptFolder[]; around: Around },
): TestCall[] {
  const env = { ...around.env, ...readVariables(words) }
  const start = words.findIndex(({ text }) => !ASSIGNMENT.test(text) && !/^(?:cross-env|env)$/.test(text))
  const command = start === -1 ? [] : words.slice(start)
  const chain = readChain(command, own, others)
  if (chain) {
    // Called by itself, the other script is listed under its own name.
    const isPlain = chain.extra.length === 0 && Object.keys(env).length === 0
    if (around.depth >= MAX_DEPTH || (isPlain && around.depth === 0)) return []
    const inner = { ...around, env, extra: chain.extra, depth: around.depth + 1 }
    return chain.targets.flatMap((target) =>
      expandScript({ own: target, name: chain.name }, others, { ...inner, dir: target.dir }),
    )
  }
  const call = readCall(command)
  return call ? [{ ...call, script: around.script, env, dir: around.dir }] : []
}

function readVariables(words: readonly CallWord[]): Record<string, string> {
  const program = words.findIndex(({ text }, index) => findProgram(text, words[index + 1]?.text))
  const before = program === -1 ? words : words.slice(0, program)
  return Object.fromEntries(
    before.flatMap(({ text }) => {
      const [, name, value = ''] = ASSIGNMENT.exec(text) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )
}

/** The scripts of this name that a command calls, here or in other packages, and what it hands to them. */
function readChain(
  [manager, ...rest]: readonly CallWord[],
  own: ScriptFolder,
  others: readonly ScriptFolder[],
): { targets: readonly ScriptFolder[]; name: string; extra: CallWord[] } | undefined {
  if (!manager || !MANAGERS.test(manager.text)) return undefined
  const dashes = rest.findIndex(({ text }) => text === '--')
  const before = dashes === -1 ? rest : rest.slice(0, dashes)
  const folders = findFolders(before, own, others)
  const at = before.findIndex(({ text }, index) => !isAside(text, before[index - 1]?.text))
  const name = nameScript(before[at]?.text ?? '')
  if (!folders.some(({ scripts }) => name in scripts)) return undefined
  const behind = manager.text === 'npm' ? rest.slice(before.length) : rest.slice(at + 1)
  const extra = behind.filter(({ text }) => text !== '--')
  return { targets: folders.filter(({ scripts }) => name in scripts), name, extra }
}

const WITH_VALUE = /^(?:-w|--workspace|--filter|-F|--prefix|-C|workspace)$/

/** A word between a package manager and the name of a script. */
function isAside(text: string, before = ''): boolean {
  return /^(?:-.*|run|run-script|workspace)$/.test(text) || WITH_VALUE.test(before)
}

function nameScript(text: string): string {
  return text === 't' || text === 'tst' ? 'test' : text
}

function findFolders(
  words: readonly CallWord[],
  own: ScriptFolder,
  others: readonly ScriptFolder[],
): readonly ScriptFolder[] {
  const texts = words.map(({ text }) => text)
  const elsewhere = others.filter(({ dir }) => dir !== own.dir)
  if (texts.some((text) => /^(?:--workspaces|-ws|-r|--recursive)$/.test(text))) return elsewhere
  const flag = texts.findIndex((text) => /^(?:-w|--workspace|--filter|-F|workspace)$/.test(text))
  const inline = texts.find((text) => /^--(?:workspace|filter)=/.test(text))?.replace(/^[^=]*=/, '')
  const wanted = inline ?? (flag === -1 ? undefined : texts[flag + 1])
  if (wanted === undefined) return [own]
  return elsewhere.filter(({ name, dir }) => name === wanted || dir === path.resolve(own.dir, wanted))
}

function readCall(words: readonly CallWord[]): Omit<TestCall, 'script' | 'env' | 'dir'> | undefined {
  const [first, second] = words
  if (!first || OTHERS.test(first.text)) return undefined
  if (MANAGERS.test(first.text) && OTHER_COMMANDS.test(second?.text ?? '')) return undefined
  const at = words.findIndex(({ text }, index) => findProgram(text, words[index + 1]?.text))
  const program = findProgram(words[at]?.text ?? '', words[at + 1]?.text)
  if (!program) return undefined
  const start = program.command === undefined ? at : at + 1
  const node = words.findLastIndex(({ text }, index) => index < at && /(?:^|[\\/])node$/.test(text))
  const nodeArgs = node === -1 ? [] : words.slice(node + 1, at).map(({ text }) => text)
  return { program, head: words[start], args: words.slice(start + 1), nodeArgs }
}
