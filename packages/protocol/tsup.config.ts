import { definePackage } from '../../tsup.base'

export default definePackage({ entry: ['src/index.ts', 'src/reading/index.ts'] })
