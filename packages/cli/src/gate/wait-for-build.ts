import { type Build, type Client, describeBuild } from '@runledger/protocol'
import { type Deadline, SYSTEM_CLOCK } from '../clock'
import type { Surface } from '../command-context'
import { askBuild, askBuilds } from './answers'
import { toLine } from './describe-result'
import { type Doubt, orDoubt } from './doubt'

export interface Patience extends Deadline {
  tell: (text: string) => void
}

/** Starts the wait now. `tell` prints a text only if it differs from the one before. */
export function createPatience(waitMs: number, { output, context }: Surface): Patience {
  const clock = context.clock ?? SYSTEM_CLOCK
  let told = ''
  const tell = (text: string) => {
    if (text !== told) output.err(toLine(text))
    told = text
  }
  return { endMs: clock.nowMs() + waitMs, clock, tell }
}

export interface WaitedFor {
  /** The build as last read; undefined if no run of it is on record. */
  build: Build | undefined
  doubts: Doubt[]
}

const POLL_MS = 5_000

/** Waits before the next request. Returns false when the time is over. */
export async function pause({ endMs, clock, tell }: Patience, reason: string): Promise<boolean> {
  const leftMs = endMs - clock.nowMs()
  if (leftMs <= 0) return false
  tell(reason)
  await clock.sleep(Math.min(POLL_MS, leftMs))
  return true
}

/** Waits until the build no longer runs or the time is over. Asks again if the service does not respond. */
export async function waitForBuild(client: Client, group: string, patience: Patience): Promise<WaitedFor> {
  let found: { build: Build | undefined } | undefined
  for (;;) {
    const doubts: Doubt[] = []
    const isFirst = found === undefined
    found = (await orDoubt(doubts, () => findBuild(client, group, isFirst))) ?? found
    const build = found?.build
    const isDone = build !== undefined && build.state !== 'running'
    const mayChange = doubts.length > 0 ? doubts.every(({ mayPass }) => mayPass) : !isDone
    const reason = `Waiting for build ${group}: ${doubts[0]?.message ?? describeWaiting(build)}`
    if (mayChange && (await pause(patience, reason))) continue
    if (found && !build)
      doubts.push({ name: 'no-build', message: `nothing of the build ${group} is on record` })
    return { build, doubts }
  }
}

async function findBuild(client: Client, group: string, isFirst: boolean) {
  const build = await askBuild(client, group)
  // A wrong address also answers 404, so check that a Runledger responds.
  if (!build && isFirst) await askBuilds(client, { limit: 1 })
  return { build }
}

function describeWaiting(build: Build | undefined): string {
  return build ? describeBuild(build) : 'nothing of it is on record'
}
