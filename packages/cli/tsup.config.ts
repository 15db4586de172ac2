import { definePackage } from '../../tsup.base'

export default definePackage({
  entry: ['src/bin.ts'],
  format: ['esm'],
  dts: false,
  // What only `mcp` needs is loaded by it.
  splitting: undefined,
})
