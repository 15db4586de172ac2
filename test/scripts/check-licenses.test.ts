import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, runScript } from './folder'

const lock = (license: string) =>
  JSON.stringify({
    packages: {
      'packages/tool': { dependencies: { ours: '1.0.0' } },
      'packages/ours': { dependencies: { theirs: '1.0.0' } },
      'packages/hidden': { dependencies: { builder: '1.0.0' } },
      'node_modules/ours': { resolved: 'packages/ours', link: true },
      'node_modules/theirs': { version: '1.0.0', license, dependencies: { deep: '1.0.0' } },
      'node_modules/theirs/node_modules/deep': { version: '2.0.0', license: 'ISC' },
      'node_modules/deep': { version: '1.0.0', license: 'GPL-3.0' },
      'node_modules/tailwindcss': { version: '4.0.0', license: 'MIT' },
      'node_modules/tsup': { version: '8.0.0', license: 'MIT' },
      'node_modules/playwright-core': { version: '1.65.1', license: 'Apache-2.0' },
      'node_modules/builder': { version: '1.0.0', license: 'GPL-3.0' },
    },
  })

const openFolder = ({ license = 'MIT', onThePage = '## on-the-page - 4.0.0 (0BSD)' } = {}) =>
  createFolder({
    'package-lock.json': lock(license),
    'packages/tool/package.json': '{}',
    'packages/ours/package.json': '{}',
    'packages/hidden/package.json': '{"private": true}',
    'packages/core/dist/licenses.md': '## in-core - 3.0.0 (BSD-3-Clause)\n\nText\n',
    'packages/dashboard/dist/licenses.md': `${onThePage}\n\nText\n`,
    '.cache/bundled/core-index.js.json': '["../../node_modules/in-core/index.js", "src/index.ts"]',
  })

it('lists what users get, installed or bundled, and nothing else', async () => {
  const folder = await openFolder()
  const stale = await runScript(folder, 'check-licenses.mjs')
  expect(stale).toMatchObject({ exitCode: 1 })
  expect(stale.output).toContain('LICENSES.md is out of date')
  const written = await runScript(folder, 'check-licenses.mjs', '--write')
  expect(written).toEqual({ exitCode: 0, output: 'licenses: 7 packages of others, 0 complaints\n' })
  expect(await runScript(folder, 'check-licenses.mjs')).toEqual(written)
})

it('complains about a licence that asks for more than to be named', async () => {
  const folder = await openFolder({ license: 'AGPL-3.0' })
  const { exitCode, output } = await runScript(folder, 'check-licenses.mjs', '--write')
  expect(output).toContain('theirs reaches users under AGPL-3.0\n')
  expect(exitCode).toBe(1)
})

it('complains about what is bundled without a licence, or without being named', async () => {
  const folder = await openFolder({ onThePage: '## on-the-page - 4.0.0' })
  await writeFile(
    path.join(folder, '.cache/bundled/core-index.js.json'),
    '["../../node_modules/@some/one/index.js"]',
  )
  const { exitCode, output } = await runScript(folder, 'check-licenses.mjs', '--write')
  expect(output).toContain('on-the-page reaches users under no licence\n')
  expect(output).toContain('@some/one is bundled, and its licence is in none of')
  expect(exitCode).toBe(1)
})
