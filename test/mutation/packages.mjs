// `tests`: where the tests beside the mapping are, by default all of the package.
// `mutate`: the files in which a verdict, step, attempt, problem or suite is decided from what a framework tells.
export const PACKAGES = {
  jest: {
    // The hooks' own tests deliver to nowhere, which takes longer than all replays.
    tests: ['src/!(reporter).test.ts'],
    mutate: ['map-!(*.test).ts', 'group-attempts.ts', 'recording.ts', 'running-files.ts', 'project-names.ts'],
  },
  vitest: {
    mutate: ['map-!(*.test).ts', 'module-notes.ts', 'module-clock.ts', 'recording.ts'],
  },
  playwright: {
    mutate: [
      'map-!(*.test).ts',
      'attempt-notes.ts',
      'error-place.ts',
      'file-suites.ts',
      'recording.ts',
      'purpose.ts',
    ],
  },
  core: {
    tests: ['src/record/**/*.test.ts'],
    mutate: [
      'run/map-suite.ts',
      'run/list-steps.ts',
      'run/count-tests.ts',
      'run/run-source.ts',
      'run/step-name.ts',
    ],
  },
}
