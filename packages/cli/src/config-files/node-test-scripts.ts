import { findNodeTestCalls, writeMissingFlags } from '../node-test-command'
import type { ConfigSource, Edit } from './config-source'
import { listScripts } from './script-places'

/** What adds the reporter to each call of `node --test` in the scripts of a package.json. */
export function addToScripts(source: ConfigSource, reporter: string): Edit[] {
  return listScripts(source).flatMap(({ text, place }) =>
    findNodeTestCalls(text).flatMap((call) => {
      const flags = writeMissingFlags(call, reporter)
      const at = place(call.end)
      return flags === undefined ? [] : [{ start: at, end: at, text: flags }]
    }),
  )
}
