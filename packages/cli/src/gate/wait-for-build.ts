import { type Build, type Client, describeBuild } from '@runledger/protocol'
import { findBuild } from '../ask/run'
import type { Clock } from '../clock'

export interface Patience {
  waitMs: number
  clock: Clock
  tell: (text: string) => void
}

const POLL_MS = 5_000

/** The build once it no longer runs, or as it is when the time is over; undefined if nothing of it is on record then. */
export async function waitForBuild(
  client: Client,
  group: string,
  { waitMs, clock, tell }: Patience,
): Promise<Build | undefined> {
  const endMs = clock.nowMs() + waitMs
  let told = ''
  for (;;) {
    const build = await findBuild(client, group)
    const leftMs = endMs - clock.nowMs()
    if ((build && build.state !== 'running') || leftMs <= 0) return build
    const text = `Waiting for build ${group}: ${build ? describeBuild(build) : 'nothing of it is on record'}`
    if (text !== told) tell(text)
    told = text
    await clock.sleep(Math.min(POLL_MS, leftMs))
  }
}
