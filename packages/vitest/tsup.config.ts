import { defineReporter } from '../../tsup.base'

export default defineReporter()
