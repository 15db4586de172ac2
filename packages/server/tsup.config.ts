import { definePackage } from '../../tsup.base'
import { copyDashboard } from './scripts/copy-dashboard'

export default definePackage({ shims: true, onSuccess: copyDashboard })
