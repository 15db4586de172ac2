import type { Execution, ExecutionFacts, Options } from '@runledger/core'
import { messageOf, tellUser } from '@runledger/core/link'

/** Opens an execution; undefined when there is no recording it, which the user has then been told. */
export type OpenExecution = (facts: ExecutionFacts, options: Options) => Promise<Execution | undefined>

/** Loads the upload core only now that tests run; the process that loads the configuration pays nothing for it. */
export const openExecution: OpenExecution = async (facts, options) => {
  try {
    const { createExecution } = await import('@runledger/core')
    return createExecution(facts, options)
  } catch (error) {
    tellUser(`nothing is recorded: the upload module does not load: ${messageOf(error)}`)
    return undefined
  }
}
