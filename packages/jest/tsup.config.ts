import { defineReporter } from '../../tsup.base'

export default defineReporter(['src/console.ts', 'src/sequencer.ts'])
