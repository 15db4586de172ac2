export default { test: { globalSetup: 'set-up-throws.ts' } }
