import { Linter } from 'eslint'
import path from 'node:path'
import { expect, it } from 'vitest'
import { layersRule } from '../../scripts/lint/layers-rule.mjs'

const LAYERS = { 'packages/shop/src': ['base', 'record'], 'packages/shop/src/record': ['access', 'runs'] }

function lint(file: string, code: string): string[] {
  const linter = new Linter({ cwd: path.resolve('/shop') })
  const config: Linter.Config = {
    files: ['**/*.ts'],
    plugins: { runledger: { rules: { layers: layersRule } } },
    rules: { 'runledger/layers': ['error', LAYERS] },
  }
  const messages = linter.verify(code, config, path.resolve('/shop/packages/shop/src', file))
  return messages.map(({ message }) => message)
}

it.each([
  ['a lower layer', 'record/runs/store.ts', "import '../../base/errors'"],
  ['a lower layer within its layer', 'record/runs/store.ts', "import '../access/keys'"],
  ['its own layer', 'record/runs/store.ts', "export * from './map'"],
  ['every layer, from beside them', 'server.ts', "import './record/runs/store'"],
  ['files outside of the layers', 'base/version.ts', "export { version } from '../../package.json'"],
])('allows imports from %s', (_, file, code) => {
  expect(lint(file, code)).toEqual([])
})

it.each([
  ['a higher layer', 'base/errors.ts', "import '../record/runs/store'"],
  ['a higher layer within its layer', 'record/access/keys.ts', "export * from '../runs/store'"],
  ['a higher layer, later', 'base/errors.ts', "void import('../record/runs/store')"],
  ['a file beside the layers', 'record/runs/store.ts', "import '../../server'"],
])('refuses imports from %s', (_, file, code) => {
  expect(lint(file, code)).toEqual([expect.stringContaining('imports only from:')])
})

it('refuses a folder that has no place among the layers', () => {
  expect(lint('other/one.ts', "import '../base/errors'")).toEqual([
    'Give packages/shop/src/other its place in LAYERS of eslint.config.js.',
  ])
})
