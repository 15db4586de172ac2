import { defineReporter } from '../../tsup.base'

export default defineReporter(['src/sequencer.ts'])
