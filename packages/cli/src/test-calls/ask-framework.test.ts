import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunNode } from '../run-node'
import { askFramework } from './ask-framework'
import { listTestCalls } from './list-calls'

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

async function ask(test: string) {
  const [call] = listTestCalls({ name: 'a', dir: folder, scripts: { test } })
  if (!call) throw new Error(`no call in ${test}`)
  return askFramework(call, { runNode, env: {} })
}

it('asks Jest for its config before `--`, behind which all words are names of files', async () => {
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
