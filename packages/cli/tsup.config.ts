import { definePackage } from '../../tsup.base'

export default definePackage({ entry: ['src/bin.ts'], format: ['esm'], dts: false })
