import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '../support/repository'

it('SECURITY.md names every attack that there is, and none that there is not', async () => {
  const text = await readFile(path.join(REPOSITORY, 'SECURITY.md'), 'utf8')
  const table = text.slice(text.indexOf('| we promise'))
  const named = [...table.matchAll(/`([a-z-]+)`(?=[^|\n]*\|$)/gm)].map(([, name]) => name)
  const list = execFileSync(process.execPath, ['test/attack/run.mjs', '--list'], { cwd: REPOSITORY })
  const known = [...String(list).matchAll(/^\S+/gm)].map(([name]) => name)
  expect(known.length).toBeGreaterThan(20)
  expect(named.toSorted()).toEqual(known.toSorted())
})
