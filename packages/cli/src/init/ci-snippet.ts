import path from 'node:path'
import { findCiFile, GITHUB_WORKFLOWS } from '../project/find-ci-file'

/** What a CI's own configuration needs, so that its jobs put runs on record. */
export interface CiSnippet {
  /** The file or folder by which the CI was found, relative to the project. */
  file: string
  /** Where the key is kept. */
  advice: string
  code: string
}

interface Values {
  url: string
  procedureId: string | undefined
}

interface Provider {
  /** What its configuration is in, from the root of the repository. */
  place: string
  advice: string
  write: (values: Values) => string
}

const PROVIDERS: readonly Provider[] = [
  {
    place: GITHUB_WORKFLOWS,
    advice:
      'Add the key as a secret named RUNLEDGER_API_KEY (Settings, Secrets and variables, Actions), and to the step that runs the tests:',
    write: (values) =>
      ['env:', ...listPairs(values, '  '), '  RUNLEDGER_API_KEY: ${{ secrets.RUNLEDGER_API_KEY }}'].join(
        '\n',
      ),
  },
  {
    place: '.gitlab-ci.yml',
    advice:
      'Add the key as a masked variable named RUNLEDGER_API_KEY (Settings, CI/CD, Variables), which jobs get by themselves, and to the job that runs the tests:',
    write: (values) => ['variables:', ...listPairs(values, '  ')].join('\n'),
  },
  {
    place: 'azure-pipelines.yml',
    advice:
      'Add the key as a secret variable named RUNLEDGER_API_KEY to the pipeline, and to the step that runs the tests:',
    write: (values) =>
      ['env:', ...listPairs(values, '  '), '  RUNLEDGER_API_KEY: $(RUNLEDGER_API_KEY)'].join('\n'),
  },
  {
    place: 'Jenkinsfile',
    advice:
      "Add the key as a credential of the kind 'Secret text' with the id runledger-api-key, and to the stage that runs the tests:",
    write: ({ url, procedureId }) =>
      [
        'environment {',
        `  RUNLEDGER_URL = ${quote(url)}`,
        ...(procedureId === undefined ? [] : [`  RUNLEDGER_PROCEDURE_ID = ${quote(procedureId)}`]),
        "  RUNLEDGER_API_KEY = credentials('runledger-api-key')",
        '}',
      ].join('\n'),
  },
  {
    place: '.buildkite',
    advice:
      'Add the key as a secret of the cluster named RUNLEDGER_API_KEY, and to the step that runs the tests:',
    write: (values) => ['env:', ...listPairs(values, '  '), 'secrets:', '  - RUNLEDGER_API_KEY'].join('\n'),
  },
]

/** For each CI that the repository is set up for, from the project's folder upward. */
export function listCiSnippets(
  root: string,
  { url, procedureId }: { url: string | undefined; procedureId: string | undefined },
): CiSnippet[] {
  const isReachable = url !== undefined && !isOnThisMachine(url)
  const values = { url: isReachable ? url : 'https://runledger.example.com', procedureId }
  return PROVIDERS.flatMap(({ place, advice, write }) => {
    const found = findCiFile(root, place)
    return found === undefined ? [] : [{ file: path.relative(root, found), advice, code: write(values) }]
  })
}

/** A CI cannot reach a service on this machine. */
function isOnThisMachine(url: string): boolean {
  return /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(new URL(url).hostname)
}

function listPairs({ url, procedureId }: Values, indent: string): string[] {
  const pairs = { RUNLEDGER_URL: url, RUNLEDGER_PROCEDURE_ID: procedureId }
  return Object.entries(pairs).flatMap(([name, value]) =>
    value === undefined ? [] : [`${indent}${name}: ${quote(value)}`],
  )
}

/** For YAML and Groovy alike, unless the text has a quotation mark. */
function quote(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? `'${text}'` : JSON.stringify(text)
}
