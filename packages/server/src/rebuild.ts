import type { ServerConfig } from './base/config/server-config'
import { createContext } from './open-context'
import { type RebuiltRollUps, rebuildRollUps } from './upkeep/roll-ups/rebuild-roll-ups'

/** Rebuilds the roll-ups of a stopped service. `progress` receives how many of all runs are done. @throws StartError when its data cannot be used */
export async function rebuildRollUpsOf(
  config: ServerConfig,
  progress?: (runs: number, all: number) => void,
): Promise<RebuiltRollUps> {
  const context = await createContext(config)
  try {
    return await rebuildRollUps(context, progress)
  } finally {
    await context.close()
  }
}
