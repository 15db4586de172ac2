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

type EsbuildOptions = Parameters<NonNullable<Options['esbuildOptions']>>[0]

/**
 * What the process that runs the tests loads stays in its memory as text until the end. Names stay what they are: a
 * function of ours may be in the stack of a user's error.
 */
export function shorten(options: EsbuildOptions): void {
  options.minifyWhitespace = true
  options.minifySyntax = true
}

/**
 * A reporter's package. What it needs before core is loaded is bundled, and so is what tests speak with. The reporter is a
 * file of its own beside the entry, which test files load too, each of them anew. `others` are entries without types.
 */
export function defineReporter(others: readonly string[] = []): ReturnType<typeof defineConfig> {
  return definePackage({
    entry: ['src/index.ts', 'src/reporter.ts', ...others],
    dts: { entry: 'src/index.ts' },
    noExternal: ['@runledger/core/link', '@runledger/core/test-side'],
    // The CJS reporter takes the CJS core: making Node's ESM loader ready for it costs as much as a quarter of loading it.
    esbuildOptions: (options, { format }) => {
      shorten(options)
      if (format === 'cjs') options.supported = { ...options.supported, 'dynamic-import': false }
    },
    // `import.meta.url` in the CJS build.
    shims: true,
  })
}
