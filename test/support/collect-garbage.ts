import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Node has it with `--expose-gc`, and then only in new contexts. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
