import { definePackage, WITH_KIT } from '../../tsup.base'

export default definePackage(WITH_KIT)
