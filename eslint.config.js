import tseslint from 'typescript-eslint'

/**
 * What oxlint cannot do: rules that need types, and the directions of imports, between packages
 * (`protocol ← core ← reporter-kit ← reporters`, `core ← cli`, `protocol ← server ← cli`, `protocol ← dashboard`) and
 * between the folders of core. Imports of types count.
 */

const REPORTERS = ['jest', 'vitest', 'playwright']

const MAY_IMPORT = {
  protocol: [],
  core: ['@runledger/protocol'],
  'reporter-kit': ['@runledger/core'],
  jest: ['@runledger/core', '@runledger/reporter-kit'],
  vitest: ['@runledger/core', '@runledger/reporter-kit'],
  playwright: ['@runledger/core', '@runledger/reporter-kit'],
  server: ['@runledger/protocol'],
  cli: ['@runledger/core', '@runledger/server', '@runledger/protocol'],
  dashboard: ['@runledger/protocol'],
}
const EVERYTHING = Object.keys(MAY_IMPORT).map((name) =>
  name === 'cli' ? 'runledger' : `@runledger/${name}`,
)

/** Core's folders: each imports only from those before it. The files beside them in core/src import from all. */
const LAYERS = [
  'util',
  'model',
  'config',
  'environment',
  'redact',
  'record',
  'transport',
  'api',
  'spool',
  'delivery',
  'report',
]

const OTHERS_FOLDER = {
  regex: '(^|/)packages/|^(\\.\\./){3,}[a-z-]+/src',
  message: 'Import a package by its name.',
}
const UNDICI_DOOR = {
  regex: '^undici(/|$)',
  message: 'undici has one door: core/src/transport/undici-transport.ts.',
}
const NODE_NETWORK = {
  regex: '^(node:)?(net|tls|https?|http2)$',
  message: 'Core speaks to the network through undici alone.',
}
const HEAVY_CORE = {
  regex: '^@runledger/core$',
  allowTypeImports: true,
  message: 'Reporters load core lazily: import types only, and the module with import().',
}
const LIGHT_CORE = {
  regex: '^@runledger/core/(?!light$)',
  message: 'The kit loads nothing of core but @runledger/core/light.',
}
const KIT_DOOR = {
  regex: '^@runledger/core/',
  message: 'Reporters take this from @runledger/reporter-kit.',
}
const NO_LAYER = {
  regex: '^\\.\\./',
  message: 'Give this folder its place in LAYERS of eslint.config.js.',
}

/** What a package must not import: other packages with their sub-paths, ways into their folders, and closed doors. */
function listForbidden(name) {
  const forbidden = EVERYTHING.filter((other) => !MAY_IMPORT[name].includes(other))
  const group = forbidden.flatMap((other) => [other, `${other}/*`])
  const patterns = [{ group, message: `${name} must not import this.` }, OTHERS_FOLDER]
  if (name === 'reporter-kit') return [...patterns, HEAVY_CORE, LIGHT_CORE]
  return REPORTERS.includes(name) ? [...patterns, HEAVY_CORE, KIT_DOOR] : patterns
}

function allowOnlyBefore(layer) {
  const before = LAYERS.slice(0, LAYERS.indexOf(layer))
  return {
    regex: `^\\.\\./(?!(${before.join('|')})/|\\.\\./package\\.json$)`,
    message: `${layer}/ imports only from: ${before.join(', ') || 'no other folder'}.`,
  }
}

/** For the same files, a later one of these replaces an earlier one whole. */
function restrictImports(files, patterns) {
  return { files: [files], rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } }
}

/** Also `import()` and `import('…').Type`, which the rule for imports does not see. */
function restrictAllImports(files, patterns) {
  const rule = restrictImports(files, patterns)
  const lazy = patterns.filter(({ regex }) => regex !== undefined)
  const syntax = lazy.map(({ regex, message }) => {
    // A selector's regular expression cannot have a slash in it.
    const matching = `/${regex.replaceAll('/', '\\u002F')}/`
    return { selector: `:matches(ImportExpression, TSImportType)[source.value=${matching}]`, message }
  })
  return { ...rule, rules: { ...rule.rules, 'no-restricted-syntax': ['error', ...syntax] } }
}

const DIRECTIONS = Object.keys(MAY_IMPORT).map((name) =>
  restrictImports(`packages/${name}/src/**/*.{ts,tsx}`, [...listForbidden(name), UNDICI_DOOR]),
)

/** Tests start servers of their own, and may use what their folder must not. */
function restrictCore() {
  const all = [...listForbidden('core'), NODE_NETWORK]
  return [
    restrictAllImports('packages/core/src/*.ts', [...all, UNDICI_DOOR]),
    restrictAllImports('packages/core/src/*/**/*.ts', [...all, UNDICI_DOOR, NO_LAYER]),
    ...LAYERS.map((layer) =>
      restrictAllImports(`packages/core/src/${layer}/**/*.ts`, [...all, UNDICI_DOOR, allowOnlyBefore(layer)]),
    ),
    restrictAllImports('packages/core/src/{transport/undici-transport.ts,untyped-modules.d.ts}', [
      ...all,
      allowOnlyBefore('transport'),
    ]),
    restrictAllImports('packages/core/src/**/*.test.ts', [...listForbidden('core'), UNDICI_DOOR]),
  ]
}

const DASHBOARD_FETCH = {
  files: ['packages/dashboard/src/**/*.{ts,tsx}'],
  ignores: ['packages/dashboard/src/api/client.ts', '**/*.test.*'],
  rules: {
    'no-restricted-globals': ['error', { name: 'fetch', message: 'fetch has one door: api/client.ts.' }],
  },
}

const SQL_DOOR = {
  files: ['packages/server/src/**/*.ts'],
  ignores: ['packages/server/src/**/*-store.ts', 'packages/server/src/database/**', '**/*.test.ts'],
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector:
          'Literal[value=/^\\s*(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM)\\b/i], TemplateElement[value.raw=/^\\s*(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM)\\b/i]',
        message: 'SQL stays in *-store.ts and database/.',
      },
    ],
  },
}

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '.cache/**',
      '**/node_modules/**',
      '**/*.config.*',
      'scripts/**',
      'examples/**',
      '**/*.mjs',
      '**/*.js',
      '**/*.cjs',
    ],
  },
  {
    files: ['packages/*/src/**/*.{ts,tsx}', 'test/**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: {
        project: ['./tsconfig.json', './packages/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
    },
  },
  ...DIRECTIONS,
  ...restrictCore(),
  DASHBOARD_FETCH,
  SQL_DOOR,
)
