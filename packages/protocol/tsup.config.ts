import { definePackage } from '../../tsup.base'

export default definePackage()
