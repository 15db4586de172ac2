// `tests`: where the tests beside the mapping are, by default all of the package.
// `mutate`: the files in which a verdict, step, attempt, problem or suite is decided from what a framework tells.
export const PACKAGES = {
  jest: {
    // The hooks' own tests deliver to nowhere, and thousands of results to a service: both take longer than all replays.
    tests: ['src/!(reporter|mutated-results).test.ts'],
    mutate: [
      'map-!(*.test).ts',
      'collect-attempts.ts',
      'match-attempts.ts',
      'read-runner-result.ts',
      'execution-recorder.ts',
      'running-files.ts',
      'project-names.ts',
    ],
  },
  vitest: {
    tests: ['src/!(mutated-results).test.ts'],
    mutate: [
      'map-!(*.test).ts',
      'module-entities.ts',
      'module-notes.ts',
      'read-entity.ts',
      'execution-recorder.ts',
    ],
  },
  playwright: {
    tests: ['src/!(mutated-results).test.ts'],
    mutate: [
      'map-!(*.test).ts',
      'attempt-notes.ts',
      'error-origin.ts',
      'file-suites.ts',
      'read-result.ts',
      'execution-recorder.ts',
      'options.ts',
    ],
  },
  core: {
    tests: ['src/record/**/*.test.ts'],
    mutate: [
      'record/map-run.ts',
      'record/list-steps.ts',
      'record/name-steps.ts',
      'record/run-source.ts',
      'record/step-name.ts',
    ],
  },
}
