import { defineConfig, type Options } from 'tsup'

/** Every published package is built the same way: ESM and CJS with types, from `src/index.ts`. */
export function definePackage(overrides: Options = {}): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    dts: true,
    target: 'node20',
    platform: 'node',
    clean: true,
    sourcemap: true,
    splitting: false,
    ...overrides,
  })
}
