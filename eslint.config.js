import tseslint from 'typescript-eslint'
import { layersRule } from './scripts/lint/layers-rule.mjs'

/**
 * What oxlint cannot do: the directions of imports, between packages
 * (`protocol ← redact ← core ← reporter-kit ← reporters`, `core ← cli`, `protocol ← readers ← server ← cli`,
 * `protocol ← demo-data ← cli`, `statistics ← server`, `protocol ← presentation ← server, cli, dashboard`) and between the layers of core and server.
 * Imports of types count. And where SQL, `fetch` and `AbortSignal.any` may be used.
 */

const REPORTERS = ['jest', 'vitest', 'playwright', 'node-test']

const MAY_IMPORT = {
  protocol: [],
  redact: ['@runledger/protocol'],
  presentation: ['@runledger/protocol'],
  readers: ['@runledger/protocol'],
  statistics: [],
  'demo-data': ['@runledger/protocol'],
  core: ['@runledger/redact', '@runledger/protocol'],
  'reporter-kit': ['@runledger/core'],
  jest: ['@runledger/core', '@runledger/reporter-kit'],
  vitest: ['@runledger/core', '@runledger/reporter-kit'],
  playwright: ['@runledger/core', '@runledger/reporter-kit'],
  'node-test': ['@runledger/core', '@runledger/reporter-kit'],
  server: ['@runledger/presentation', '@runledger/protocol', '@runledger/readers', '@runledger/statistics'],
  cli: [
    '@runledger/core',
    '@runledger/demo-data',
    '@runledger/presentation',
    '@runledger/readers',
    '@runledger/server',
    '@runledger/statistics',
    '@runledger/protocol',
  ],
  dashboard: ['@runledger/presentation', '@runledger/protocol'],
}
const ALL_PACKAGES = Object.keys(MAY_IMPORT).map((name) =>
  name === 'cli' ? 'runledger' : `@runledger/${name}`,
)

/** Folders by the folder that they are in, lowest first: each imports only from those before it (scripts/lint/layers-rule.mjs). */
const LAYERS = {
  'packages/core/src': [
    'util',
    'model',
    'config',
    'environment',
    'redact',
    'record',
    'transport',
    'api',
    'shard',
    'spool',
    'quarantine',
    'delivery',
    'report',
  ],
  'packages/server/src': ['base', 'storage', 'record', 'operations', 'upkeep', 'http'],
  'packages/server/src/storage': ['folder', 'blobs', 'database'],
  'packages/server/src/record': ['access', 'files', 'catalogue', 'results'],
  'packages/server/src/http': ['transport', 'openapi', 'dashboard', 'routes', 'files'],
}

const OTHERS_FOLDER = {
  regex: '(^|/)packages/|^(\\.\\./){2,}[a-z-]+/src',
  message: 'Import a package by its name.',
}
const NODE_NETWORK = {
  regex: '^(node:)?(net|tls|https?|http2)$',
  message: 'Core speaks to the network in core/src/transport alone.',
}
const HEAVY_CORE = {
  regex: '^@runledger/core$',
  allowTypeImports: true,
  message: 'Import only types of core; `loadCore` of the kit loads it.',
}
const HEAVY_SERVER = {
  regex: '^@runledger/server(/|$)',
  allowTypeImports: true,
  message: 'Load the server with `await import()` where a command needs it; all commands would wait for it.',
}
const LIGHT_CORE = {
  regex: '^@runledger/core/(?!light$)',
  allowTypeImports: true,
  message: 'The kit imports nothing of core but @runledger/core/light; it loads the rest when it is needed.',
}
const KIT_DOOR = {
  regex: '^@runledger/core/',
  message: 'Reporters take this from @runledger/reporter-kit.',
}
const TEST_SIDE = {
  regex: '^(node:|\\.\\.(/|$))',
  allowTypeImports: true,
  message:
    'Test files load this, in browsers too: take modules of Node from getBuiltIn, and nothing from the kit’s root.',
}
const NOUN = {
  regex: '/record/(catalogue|results)/|/operations/(?!call/|sessions/)[^/]+/',
  message:
    'The HTTP layer knows keys, sessions and bytes, but no other noun: go through a file of operations/.',
}

/** What a package must not import: other packages with their sub-paths, ways into their folders, and closed doors. */
function listForbidden(name) {
  const forbidden = ALL_PACKAGES.filter((other) => !MAY_IMPORT[name].includes(other))
  const others = { regex: `^(${forbidden.join('|')})(/|$)`, message: `${name} must not import this.` }
  const patterns = [others, OTHERS_FOLDER]
  if (name === 'reporter-kit') return [...patterns, HEAVY_CORE, LIGHT_CORE]
  return REPORTERS.includes(name) ? [...patterns, HEAVY_CORE, KIT_DOOR] : patterns
}

/** When two entries match a file, ESLint uses only the last one's patterns. */
function restrictDeclarations(glob, patterns) {
  return { files: [glob], rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } }
}

/** Also `import()` and `import('…').Type`, which the rule for imports does not see. */
function restrictImports(glob, patterns) {
  const entry = restrictDeclarations(glob, patterns)
  const syntax = patterns.map(({ regex, allowTypeImports, message }) => {
    const nodes = allowTypeImports ? 'ImportExpression' : ':matches(ImportExpression, TSImportType)'
    // A selector's regular expression cannot have a slash in it.
    return { selector: `${nodes}[source.value=/${regex.replaceAll('/', '\\u002F')}/]`, message }
  })
  return { ...entry, rules: { ...entry.rules, 'no-restricted-syntax': ['error', ...syntax] } }
}

const DIRECTIONS = Object.keys(MAY_IMPORT).map((name) => {
  // Of the server, SQL_DOOR restricts the syntax.
  const restrict = name === 'server' ? restrictDeclarations : restrictImports
  return restrict(`packages/${name}/src/**/*.{ts,tsx}`, [...listForbidden(name)])
})

const NETWORK_OF_CORE = [
  restrictImports('packages/core/src/**/*.ts', [...listForbidden('core'), NODE_NETWORK]),
  restrictImports(
    'packages/core/src/transport/{client-request,node-transport,open-socket,proxies}.ts',
    listForbidden('core'),
  ),
  // Tests start servers of their own.
  restrictImports('packages/core/src/**/*.test.ts', listForbidden('core')),
]

const NOUNS_IN_HTTP = restrictDeclarations('packages/server/src/http/**/!(*.test).ts', [
  ...listForbidden('server'),
  NOUN,
])

/** Tests, and what helps them, may use what their folder must not. */
const LAYERS_IN_ORDER = {
  files: ['packages/{core,server}/src/**/*.ts'],
  ignores: ['**/*.test.ts', 'packages/server/src/testing/**'],
  plugins: { runledger: { rules: { layers: layersRule } } },
  rules: { 'runledger/layers': ['error', LAYERS] },
}

const SERVER_ON_DEMAND = {
  ...restrictDeclarations('packages/cli/src/**/*.ts', [...listForbidden('cli'), HEAVY_SERVER]),
  ignores: ['**/*.test.ts', 'packages/cli/src/testing/**'],
}

const KIT_TEST_SIDE = restrictImports('packages/reporter-kit/src/test-side/!(*.test).ts', [
  ...listForbidden('reporter-kit'),
  TEST_SIDE,
])

const DASHBOARD_FETCH = {
  files: ['packages/dashboard/src/**/*.{ts,tsx}'],
  ignores: ['packages/dashboard/src/api/client.ts', '**/*.test.*'],
  rules: {
    'no-restricted-globals': ['error', { name: 'fetch', message: 'fetch has one door: api/client.ts.' }],
  },
}

const SQL_DOOR = {
  files: ['packages/server/src/**/*.ts'],
  ignores: [
    'packages/server/src/**/{store,*-store}.ts',
    'packages/server/src/storage/database/**',
    '**/*.test.ts',
  ],
  rules: {
    'no-restricted-syntax': [
      'error',
      {
        selector:
          'Literal[value=/^\\s*(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM)\\b/i], TemplateElement[value.raw=/^\\s*(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM)\\b/i]',
        message: 'SQL stays in store.ts, *-store.ts and storage/database/.',
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
    languageOptions: { parser: tseslint.parser },
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'AbortSignal',
          property: 'any',
          message:
            'Given an AbortSignal.timeout it may be collected on Node 20 before it aborts: use startTimeLimit.',
        },
        {
          object: 'z',
          property: 'core',
          message: "It brings all languages of zod into the bundles: import * as core from 'zod/v4/core'.",
        },
      ],
    },
  },
  ...DIRECTIONS,
  ...NETWORK_OF_CORE,
  NOUNS_IN_HTTP,
  LAYERS_IN_ORDER,
  SERVER_ON_DEMAND,
  KIT_TEST_SIDE,
  DASHBOARD_FETCH,
  SQL_DOOR,
)
