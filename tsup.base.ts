import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig, type Options } from 'tsup'

/** `splitting: undefined` is tsup's own choice: files that entries share in ESM, whole files in CJS. */
type Overrides = Omit<Options, 'splitting'> & { splitting?: boolean | undefined }

type Config = ReturnType<typeof defineConfig>

/** Every published package is built the same way: ESM and CJS with types, from `src/index.ts`. */
export function definePackage(overrides: Overrides = {}): Config {
  return defineConfig(createOptions(overrides))
}

/** Notes which files are in a bundle, for the check of their licences. */
const noteBundled: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'note-bundled',
  setup(build) {
    build.onEnd(({ metafile: { outputs } = { outputs: {} } }) => {
      const [first = ''] = Object.keys(outputs)
      const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
      const names = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([name]) => name)
      const folder = path.resolve('../../.cache/bundled')
      mkdirSync(folder, { recursive: true })
      const file = `${path.basename(process.cwd())}-${path.basename(first)}.json`
      writeFileSync(path.join(folder, file), JSON.stringify(names))
    })
  },
}

// Without source maps: Jest would read and decode the map of a bundle for each error of ours that Node asks the stack of.
function createOptions(overrides: Overrides): Options {
  return {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    dts: true,
    target: 'node20',
    platform: 'node',
    clean: true,
    splitting: false,
    ...overrides,
    esbuildPlugins: [noteBundled, ...(overrides.esbuildPlugins ?? [])],
  } as Options
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

/** For a package of one entry with the kit in it. */
export const WITH_KIT: Overrides = {
  noExternal: [/^@runledger\/reporter-kit/, '@runledger/core/light'],
  esbuildOptions: shorten,
  // `import.meta.url` in the CJS build.
  shims: true,
  dts: { compilerOptions: { paths: KIT_PATHS } },
}

/**
 * A reporter's package, with the kit bundled into its code and its types. The reporter is a file of its own, as CJS only,
 * which the entry loads when it is constructed: test files load the entry too, each of them anew. `others` are
 * further entries.
 */
export function defineReporter(others: readonly string[] = []): Config {
  const shared: Overrides = { ...WITH_KIT, clean: false }
  const entry = ['src/index.ts', ...others]
  return defineConfig(() => {
    // Not by `clean`: one build might remove what the other has just written.
    rmSync('dist', { recursive: true, force: true })
    return [
      createOptions({
        ...shared,
        entry,
        dts: { entry, compilerOptions: { paths: KIT_PATHS } },
      }),
      createOptions({ ...shared, entry: ['src/reporter.ts'], format: ['cjs'], dts: false }),
    ]
  })
}
