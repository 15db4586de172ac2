import { definePackage } from '../../tsup.base'

// What only some commands need is loaded by them.
export default definePackage({
  entry: ['src/bin.ts'],
  format: ['esm'],
  dts: false,
  splitting: true,
  // Private, so bundled from its sources.
  noExternal: [
    '@runledger/demo-data',
    '@runledger/presentation',
    '@runledger/readers',
    '@runledger/statistics',
  ],
  esbuildOptions: (options) => {
    options.alias = {
      '@runledger/demo-data': '../demo-data/src/index.ts',
      '@runledger/presentation': '../presentation/src/index.ts',
      '@runledger/readers': '../readers/src/index.ts',
      '@runledger/statistics': '../statistics/src/index.ts',
    }
  },
})
