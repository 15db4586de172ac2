import tseslint from 'typescript-eslint'

/**
 * What oxlint cannot do: rules that need types, and the directions of imports
 * (`protocol ← core ← reporters | cli`, `protocol ← server ← cli`, `protocol ← dashboard`).
 */

const REPORTERS = ['@runledger/jest', '@runledger/vitest', '@runledger/playwright']
const EVERYTHING = [
  '@runledger/core',
  '@runledger/server',
  '@runledger/dashboard',
  '@runledger/protocol',
  'runledger',
  ...REPORTERS,
]

const MAY_IMPORT = {
  protocol: [],
  core: ['@runledger/protocol'],
  jest: ['@runledger/core'],
  vitest: ['@runledger/core'],
  playwright: ['@runledger/core'],
  server: ['@runledger/protocol'],
  cli: ['@runledger/core', '@runledger/server', '@runledger/protocol'],
  dashboard: ['@runledger/protocol'],
}

/** Forbids packages (and their sub-paths) by name, and every way into another package's folder. */
function forbid(names, message, extra = []) {
  return [
    'error',
    {
      patterns: [
        ...(names.length === 0 ? [] : [{ group: names.flatMap((name) => [name, `${name}/*`]), message }]),
        { regex: '(^|/)packages/|^(\\.\\./){3,}[a-z]+/src', message: 'Import a package by its name.' },
        ...extra,
      ],
    },
  ]
}

const UNDICI_DOOR = {
  regex: '^undici(/|$)',
  message: 'undici has one door: core/src/transport/undici-transport.ts.',
}
const HEAVY_CORE = {
  regex: '^@runledger/core$',
  allowTypeImports: true,
  message: 'Reporters load core lazily: import types only, and the module with import().',
}

function directionRules(name) {
  const forbidden = EVERYTHING.filter((other) => !MAY_IMPORT[name].includes(other))
  const isReporter = REPORTERS.includes(`@runledger/${name}`)
  const extra = [UNDICI_DOOR, ...(isReporter ? [HEAVY_CORE] : [])]
  return {
    files: [`packages/${name}/src/**/*.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': forbid(forbidden, `${name} must not import this.`, extra),
    },
  }
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
  ...Object.keys(MAY_IMPORT).map(directionRules),
  {
    files: ['packages/core/src/transport/undici-{transport,parts.d}.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  DASHBOARD_FETCH,
  SQL_DOOR,
)
