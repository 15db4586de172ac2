import { defineConfig, type Options } from 'tsup'

/** `splitting: undefined` is tsup's own choice: files that entries share in ESM, whole files in CJS. */
type Overrides = Omit<Options, 'splitting'> & { splitting?: boolean | undefined }

/** Every published package is built the same way: ESM and CJS with types, from `src/index.ts`. */
export function definePackage(overrides: Overrides = {}): ReturnType<typeof defineConfig> {
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
  } as Options)
}

type EsbuildOptions = Parameters<NonNullable<Options['esbuildOptions']>>[0]

/**
 * Loaded code stays in memory, so white space goes. Names stay readable, since ours may appear in a user's stack trace.
 */
export function shorten(options: EsbuildOptions): void {
  options.minifyWhitespace = true
  options.minifySyntax = true
}

/**
 * Makes the d.ts build read the kit's sources. Through `node_modules`, its types would stay imports of a private package.
 */
const KIT_PATHS = {
  '@runledger/reporter-kit': ['../reporter-kit/src/index.ts'],
  '@runledger/reporter-kit/test-side': ['../reporter-kit/src/test-side/index.ts'],
}

/**
 * A reporter's package, with the kit bundled into its code and its types. The reporter is a file of its own: test files load
 * the entry too, each of them anew. `others` are entries without types.
 */
export function defineReporter(others: readonly string[] = []): ReturnType<typeof defineConfig> {
  return definePackage({
    entry: ['src/index.ts', 'src/reporter.ts', ...others],
    dts: { entry: 'src/index.ts', compilerOptions: { paths: KIT_PATHS } },
    noExternal: [/^@runledger\/reporter-kit/, '@runledger/core/light'],
    // The CJS reporter takes the CJS core: making Node's ESM loader ready for it costs as much as a quarter of loading it.
    esbuildOptions: (options, { format }) => {
      shorten(options)
      if (format === 'cjs') options.supported = { ...options.supported, 'dynamic-import': false }
    },
    // `import.meta.url` in the CJS build.
    shims: true,
  })
}
