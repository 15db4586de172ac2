import { expect, it } from 'vitest'
import { createFolder, runScript } from './folder'

const MANIFEST = JSON.stringify({ name: 'shop', exports: './dist/index.js' })

it('has no complaint about short functions that import one way', async () => {
  const folder = await createFolder({
    'packages/shop/src/index.ts': `import { buy } from './cart/buy'\nexport const shop = ${writeFunction(60)}\n`,
    'packages/shop/src/cart/buy.ts': 'export function buy() {}\n',
  })
  const { exitCode, output } = await runScript(folder, 'size.mjs', '--check')
  expect(output).toContain('0 import circles, 0 of folders, 0 functions over 60 lines')
  expect(exitCode).toBe(0)
})

it('complains about a circle that a type closes', async () => {
  const folder = await createFolder({
    'packages/shop/src/index.ts': "export { buy } from './cart/buy'\nexport interface Shop {}\n",
    'packages/shop/src/cart/buy.ts':
      "import type { Cart } from './cart'\nexport function buy(cart: Cart) {}\n",
    'packages/shop/src/cart/cart.ts': "export interface Cart { shop: import('..').Shop }\n",
    'packages/shop/src/cart/buy.test.ts': "import { buy } from './buy'\n",
  })
  const { exitCode, output } = await runScript(folder, 'size.mjs', '--check')
  expect(output).toContain('circle of 3 files')
  expect(output).toContain('packages/shop/src/cart/cart.ts imports index.ts')
  expect(output).not.toContain('buy.test.ts')
  expect(exitCode).toBe(1)
})

it('complains about folders that import one another though their files do not', async () => {
  const folder = await createFolder({
    'packages/shop/src/cart/buy.ts': "import { till } from '../till/till'\nexport const buy = till\n",
    'packages/shop/src/till/till.ts': 'export const till = 1\n',
    'packages/shop/src/till/close.ts': "import { sum } from '../cart/sum'\nexport const close = sum\n",
    'packages/shop/src/cart/sum.ts': 'export const sum = 1\n',
  })
  const { exitCode, output } = await runScript(folder, 'size.mjs', '--check')
  expect(output).toContain('circle of 2 folders:')
  expect(output).toContain('packages/shop/src/cart imports till')
  expect(exitCode).toBe(1)
})

it('complains about a function over 60 lines, but not about one in a test', async () => {
  const folder = await createFolder({
    'packages/shop/src/index.ts': `\nexport const shop = ${writeFunction(61)}\n`,
    'packages/shop/src/index.test.ts': `export const test = ${writeFunction(61)}\n`,
  })
  const { exitCode, output } = await runScript(folder, 'size.mjs', '--check')
  expect(output).toContain('packages/shop/src/index.ts:2: shop has 61 lines')
  expect(output).toContain('0 import circles, 0 of folders, 1 functions over 60 lines')
  expect(exitCode).toBe(1)
})

it('counts lines, functions, and the bytes that an entry loads at once', async () => {
  const folder = await createFolder({
    'packages/shop/package.json': MANIFEST,
    'packages/shop/src/index.ts': 'export const shop = () => [1].map((one) => one)\n',
    'packages/shop/src/index.test.ts': '\n\n\n',
    'packages/shop/dist/index.js': "export * from './chunk.js'; import('./later.js')",
    'packages/shop/dist/chunk.js': 'export const chunk = 1',
    'packages/shop/dist/later.js': 'export const later = 1',
  })
  const { exitCode, output } = await runScript(folder, 'size.mjs', '--json')
  const { packages, entries } = JSON.parse(output)
  expect(packages[0]).toMatchObject({ name: 'shop', files: 1, lines: 1, testLines: 3, functions: 1 })
  expect(entries[0].built).toEqual([{ entry: './dist/index.js', bytes: 48, loadedBytes: 70, loadedFiles: 2 }])
  expect(exitCode).toBe(0)
})

it('says what is not built', async () => {
  const folder = await createFolder({
    'packages/shop/package.json': MANIFEST,
    'packages/shop/src/index.ts': 'export const shop = 1\n',
  })
  const { output } = await runScript(folder, 'size.mjs')
  expect(output).toContain('shop: not built, npm run build')
})

/** A function with so many lines. */
function writeFunction(lines: number): string {
  return `() => {\n${'  buy()\n'.repeat(lines - 2)}}`
}
