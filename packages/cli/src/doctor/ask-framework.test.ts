import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunNode } from '../run-node'
import { askFramework } from './ask-framework'
import { listTestCalls } from '../test-calls/list-calls'

let folder: string
let asked: (readonly string[])[]

const runNode: RunNode = (args) => {
  asked.push(args)
  return Promise.resolve({
    stdout: '{\n"globalConfig": {"reporters": ["default"]}}',
    stderr: '',
    isLate: false,
  })
}

beforeEach(async () => {
  asked = []
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-ask-'))
  await mkdir(path.join(folder, 'node_modules/jest'), { recursive: true })
  await writeFile(path.join(folder, 'node_modules/jest/package.json'), '{"bin": "jest.js"}')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function ask(test: string, root = folder) {
  const [call] = listTestCalls({ name: 'a', dir: root, scripts: { test } })
  if (!call) throw new Error(`no call in ${test}`)
  return askFramework(call, { runNode, env: {}, root })
}

it('asks Jest for its config before `--`, because all words after it are file names', async () => {
  expect(await ask('jest -- a')).toEqual({ reporters: [{ name: 'default', options: {} }] })
  expect(asked[0]?.slice(1)).toEqual(['--showConfig', '--', 'a'])
})

it.each([
  ['node --inspect-brk=0.0.0.0:9229 node_modules/.bin/jest', '--inspect-brk=0.0.0.0:9229'],
  ['NODE_OPTIONS=--cpu-prof jest', '--cpu-prof'],
])('starts nothing for %s', async (script, flag) => {
  expect(await ask(script)).toEqual({ reason: `it starts Node with ${flag}` })
  expect(asked).toEqual([])
})

it.each([
  ['jest $FLAGS', 'only a shell knows its arguments'],
  ['cd $DIR && RUNLEDGER_URL=$URL jest', 'only a shell knows the folder that it runs in, RUNLEDGER_URL'],
])('names the parts that only a shell knows: %s', async (script, reason) => {
  expect(await ask(script)).toEqual({ reason })
  expect(asked).toEqual([])
})

describe.runIf(process.getuid?.() === 0)('above the project', () => {
  const NOBODY = 65_534

  async function makeBelow(): Promise<string> {
    const below = path.join(folder, 'below')
    await mkdir(path.join(below, 'node_modules/vitest'), { recursive: true })
    await writeFile(path.join(below, 'node_modules/vitest/package.json'), '{}')
    return below
  }

  it('runs no program of another user', async () => {
    const file = path.join(folder, 'node_modules/jest/package.json')
    const below = await makeBelow()
    await chown(file, NOBODY, NOBODY)
    expect(await ask('jest', below)).toEqual({ reason: `another user owns ${file}` })
    expect(asked).toEqual([])
  })

  it('runs no config of another user that Vitest would find', async () => {
    const file = path.join(folder, 'vitest.config.js')
    const below = await makeBelow()
    await writeFile(file, '')
    await chown(file, NOBODY, NOBODY)
    expect(await ask('vitest run', below)).toEqual({ reason: `another user owns ${file}` })
    expect(asked).toEqual([])
    await writeFile(path.join(below, 'vite.config.js'), '')
    await ask('vitest run', below)
    expect(asked).toHaveLength(1)
  })
})
