import type { Clock } from '../clock'
import type { RecordedService } from './record'

export type Variables = Record<string, string>

const START = Date.parse('2026-11-20T08:00:00.000Z')

/** Records builds. Each test has its own project, so that its failures are compared only with its own runs. */
export class Builds {
  project = ''
  readonly #service: () => RecordedService
  #count = 0

  constructor(service: () => RecordedService) {
    this.#service = service
  }

  startProject(): void {
    this.project = `project-${(this.#count += 1)}`
  }

  /** Records a run of a build on the project's default branch, unless `metadata` names another branch. */
  readonly record = (build: string, phases: object[], metadata: Variables = {}): Promise<string> =>
    this.recordAs(undefined, { build, phases, metadata })

  /** Records a run whose outcome differs from that of its phases. */
  recordAs(
    outcome: string | undefined,
    { build, phases, metadata }: { build: string; phases: object[]; metadata?: Variables },
  ): Promise<string> {
    const facts = {
      group: `${this.project} ${build}`,
      file: `src/${this.project}.test.ts`,
      git_branch: `${this.project}-main`,
      git_default_branch: `${this.project}-main`,
      git_commit: build,
      ci: 'true',
    }
    const startedAt = new Date(START + (this.#count += 1) * 60_000).toISOString()
    return this.#service().createRun(phases, {
      startedAt,
      metadata: { ...facts, ...metadata },
      ...(outcome ? { outcome } : {}),
    })
  }

  readonly gate = (
    build: string,
    argv: string[] = [],
    { clock = createClock(), env = {} }: { clock?: Clock; env?: Variables } = {},
  ) => this.#service().run(['gate', `${this.project} ${build}`, ...argv], { clock, env })
}

export const onTopic = { git_branch: 'topic' }

export function shard(index: number, total = 2): Variables {
  return { framework: 'vitest', shard: `${index}/${total}`, shard_index: `${index}`, shard_total: `${total}` }
}

/** A clock that advances only while a caller sleeps. */
export function createClock(whileAsleep: (ms: number) => Promise<unknown> = () => Promise.resolve()): Clock {
  let nowMs = 0
  return {
    nowMs: () => nowMs,
    sleep: async (ms: number) => {
      nowMs += ms
      await whileAsleep(nowMs)
    },
  }
}
