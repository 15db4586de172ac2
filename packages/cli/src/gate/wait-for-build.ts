import { type Build, type Client, describeBuild } from '@runledger/protocol'
import type { Clock } from '../clock'
import { askBuild, askBuilds } from './answers'
import { type Doubt, orDoubt } from './doubt'

export interface Patience {
  /** By `clock`. */
  endMs: number
  clock: Clock
  tell: (text: string) => void
}

export interface WaitedFor {
  /** As it was last read; undefined if nothing of it is on record. */
  build: Build | undefined
  doubts: Doubt[]
}

const POLL_MS = 5_000

/**
 * The build once it no longer runs, or as it is when the time is over. Once it was read, a service that does not respond is
 * asked again. @throws what the first request was answered with
 */
export async function waitForBuild(
  client: Client,
  group: string,
  { endMs, clock, tell }: Patience,
): Promise<WaitedFor> {
  let build = await askBuild(client, group)
  // A wrong address answers like a service without the build.
  if (!build) await askBuilds(client, { limit: 1 })
  let doubts: Doubt[] = []
  let told = ''
  for (;;) {
    const leftMs = endMs - clock.nowMs()
    const isDone = build !== undefined && build.state !== 'running' && doubts.length === 0
    if (isDone || leftMs <= 0) return { build, doubts }
    const text = `Waiting for build ${group}: ${doubts[0]?.message ?? describeWaiting(build)}`
    if (text !== told) tell(text)
    told = text
    await clock.sleep(Math.min(POLL_MS, leftMs))
    doubts = []
    const found = await orDoubt(doubts, async () => ({ build: await askBuild(client, group) }))
    if (found) ({ build } = found)
  }
}

function describeWaiting(build: Build | undefined): string {
  return build ? describeBuild(build) : 'nothing of it is on record'
}
