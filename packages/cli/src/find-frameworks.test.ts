import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findFrameworks } from './find-frameworks'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-frameworks-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function find(manifest: string): Promise<string[]> {
  await writeFile(path.join(folder, 'package.json'), manifest)
  const below = path.join(folder, 'src')
  await mkdir(below, { recursive: true })
  return findFrameworks(below).map(({ name }) => name)
}

it('are those that the nearest package.json names', async () => {
  expect(await find('{"devDependencies": {"vitest": "^4.0.0"}}')).toEqual(['Vitest'])
  expect(
    await find('{"dependencies": {"jest": "30"}, "devDependencies": {"@playwright/test": "1"}}'),
  ).toEqual(['Jest', 'Playwright'])
})

it('is Node itself where a script runs its tests', async () => {
  expect(await find('{"scripts": {"test": "node --test"}}')).toEqual(['node:test'])
  expect(await find('{"devDependencies": {"jest": "30"}, "scripts": {"unit": "node --test"}}')).toEqual([
    'Jest',
    'node:test',
  ])
})

it('are all four if package.json names none or is not JSON', async () => {
  for (const manifest of ['{"devDependencies": {"mocha": "11"}}', '{}', 'null', '{'])
    expect(await find(manifest)).toHaveLength(4)
})
