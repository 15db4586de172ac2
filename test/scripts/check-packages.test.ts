import { expect, it } from 'vitest'
import { createFolder, runScript } from './folder'

const MANIFEST = {
  name: 'shop',
  version: '1.0.0',
  license: 'MIT',
  type: 'commonjs',
  engines: { node: '>=20' },
}
const FILES = {
  'dist/index.js': 'exports.shop = 1\n',
  'dist/index.d.ts': 'export declare const shop: number\n',
}

it('has no complaint about a package whose types are found', async () => {
  const { exitCode, output } = await checkPackage({ main: './dist/index.js', types: './dist/index.d.ts' })
  expect(output).toContain('packages: 1 as published, 0 complaints')
  expect(exitCode).toBe(0)
})

it('complains about an entry that would not be published', async () => {
  const { exitCode, output } = await checkPackage({ exports: './src/index.js' })
  expect(output).toContain('shop-1.0.0.tgz: publint: pkg.exports is ./src/index.js but')
  expect(exitCode).toBe(1)
})

it('complains about types that one way to find modules misses', async () => {
  const { exitCode, output } = await checkPackage({
    exports: { './cart': { types: './dist/index.d.ts', default: './dist/index.js' } },
  })
  expect(output).toContain('attw: {"kind":"NoResolution","entrypoint":"./cart","resolutionKind":"node10"}')
  expect(exitCode).toBe(1)
})

/** Checks a project with one package, of these fields. */
async function checkPackage(fields: object) {
  const folder = await createFolder({
    'package.json': JSON.stringify({ private: true, workspaces: ['packages/*'] }),
    // Not published, so not asked about.
    'packages/stand/package.json': JSON.stringify({ name: 'stand', private: true, exports: './none.js' }),
    'packages/shop/package.json': JSON.stringify({ ...MANIFEST, ...fields }),
    ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`packages/shop/${name}`, text])),
  })
  return runScript(folder, 'check-packages.mjs')
}
