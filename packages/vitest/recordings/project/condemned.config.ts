export default { test: { globalSetup: 'sets-exit-code.ts' } }
