import { createRequire } from 'node:module'
import type * as CoreTools from '@runledger/core/tools'

export type TakeShard = typeof CoreTools.takeFrameworkShard

/** Loads core only when a framework divides its files into shards. */
export const takeShard: TakeShard = async (suite, settings) => {
  const tools = createRequire(import.meta.url)('@runledger/core/tools') as typeof CoreTools
  return tools.takeFrameworkShard(suite, settings)
}
