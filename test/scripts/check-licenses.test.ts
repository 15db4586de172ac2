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
      'node_modules/builder': { version: '1.0.0', license: 'GPL-3.0' },
    },
  })

const openFolder = ({ license = 'MIT' } = {}) =>
  createFolder({
    'package-lock.json': lock(license),
    'packages/tool/package.json': '{}',
    'packages/ours/package.json': '{}',
    'packages/hidden/package.json': '{"private": true}',
    'packages/core/dist/licenses.md': '## in-core - 3.0.0 (BSD-3-Clause)\n\nText\n',
    'packages/dashboard/dist/licenses.md': '## on-the-page - 4.0.0 (0BSD)\n\nText\n',
  })

it('lists what users get, installed or bundled, and nothing else', async () => {
  const folder = await openFolder()
  const stale = await runScript(folder, 'check-licenses.mjs')
  expect(stale).toMatchObject({ exitCode: 1 })
  expect(stale.output).toContain('LICENSES.md is out of date')
  const written = await runScript(folder, 'check-licenses.mjs', '--write')
  expect(written).toEqual({ exitCode: 0, output: 'licenses: 4 packages of others, 0 complaints\n' })
  expect(await runScript(folder, 'check-licenses.mjs')).toEqual(written)
})

it('complains about a licence that asks for more than to be named', async () => {
  const folder = await openFolder({ license: 'AGPL-3.0' })
  const { exitCode, output } = await runScript(folder, 'check-licenses.mjs', '--write')
  expect(output).toContain('theirs reaches users under AGPL-3.0\n')
  expect(exitCode).toBe(1)
})
