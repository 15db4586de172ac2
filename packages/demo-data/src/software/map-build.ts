import { formatTimestampMs, type PutExecutionInput } from '@runledger/protocol'
import type { Build, ExecutionToSend, RunToSend } from '../build'
import { INCOMPLETE_BUILD } from '../catalogue/planted'
import type { Draw } from '../draw'
import { FailureDecider } from './decide-failure'
import { type ExecutedSuite, Executor } from './execute-suites'
import { addressOf, groupOf } from './identify-build'
import { mapRun } from './map-run'
import { isPassed } from './map-test'
import { type NamedSuite, nameSuites } from './name-tests'
import type { BuildPlan, Days, ProjectPlan } from './plan'

/** One job of a build: a shard, or all suites. */
interface Job {
  shard: number | undefined
  suites: readonly NamedSuite[]
}

const QUEUE_MS = 20_000
const RERUN_AFTER_MS = 6 * 60_000

/** Makes the data that reporters would have sent for a build. */
export class BuildMapper {
  readonly #executor: Executor
  readonly #incomplete: number | undefined

  constructor(
    private readonly plan: ProjectPlan,
    private readonly days: Days,
    private readonly draw: Draw,
  ) {
    this.#executor = new Executor(plan, new FailureDecider(plan, draw), draw)
    this.#incomplete = findIncompleteBuild(plan)
  }

  map(build: BuildPlan): Build {
    const { project, main } = this.plan
    const suites = nameSuites(project, { position: build.commit.position, commits: main.length })
    const jobs = build.kind === 'local' ? this.#planLocalJob(build, suites) : planJobs(project.shards, suites)
    const parts = jobs.flatMap((job) => this.#mapJob(build, job))
    const { index, kind, branch, commit, startedAtMs } = build
    return {
      project: project.key,
      index,
      kind,
      group: groupOf(build, this.draw),
      branch,
      commit,
      startedAtMs,
      executions: parts.flatMap(({ execution }) => execution ?? []),
      runs: parts.flatMap(({ runs }) => runs),
    }
  }

  /** A developer executes one or two files. */
  #planLocalJob({ index, breaks }: BuildPlan, suites: readonly NamedSuite[]): Job[] {
    const first = this.draw.index(suites.length, 'local', index)
    const chosen = suites.filter(({ spec }, place) => {
      return place === first || breaks.some((key) => key.startsWith(`${spec.file} `))
    })
    return [{ shard: undefined, suites: chosen }]
  }

  #mapJob(build: BuildPlan, job: Job) {
    const { key } = this.plan.project
    const queuedMs = QUEUE_MS * (0.5 + this.draw.fraction(key, 'queue', build.index, job.shard ?? 0))
    const startedAtMs = Math.round(build.startedAtMs + (build.kind === 'local' ? 0 : queuedMs))
    const isLost = build.index === this.#incomplete && job.shard === INCOMPLETE_BUILD.shard
    if (isLost) return [{ runs: [], execution: this.#mapExecution(build, job, { startedAtMs, rerun: 0 }) }]
    const executed = this.#executor.execute({ build, suites: job.suites, startedAtMs, rerun: 0 })
    const first = this.#mapExecuted(build, job, { executed, startedAtMs, rerun: 0 })
    if (!this.#isRerun(build, executed)) return [first]
    const againAtMs = endOf(executed, startedAtMs) + RERUN_AFTER_MS
    const again = this.#executor.execute({ build, suites: job.suites, startedAtMs: againAtMs, rerun: 1 })
    return [first, this.#mapExecuted(build, job, { executed: again, startedAtMs: againAtMs, rerun: 1 })]
  }

  /** A person reruns a job in which only flaky tests failed. */
  #isRerun(build: BuildPlan, executed: readonly ExecutedSuite[]): boolean {
    const failed = executed.flatMap(({ tests }) => tests).filter((test) => !isPassed(test))
    const isFlakyAlone = failed.length > 0 && failed.every(({ decision }) => decision?.isFlaky)
    return (
      build.kind !== 'local' && isFlakyAlone && this.draw.chance(0.9, build.project.key, 'rerun', build.index)
    )
  }

  #mapExecuted(
    build: BuildPlan,
    job: Job,
    { executed, startedAtMs, rerun }: { executed: ExecutedSuite[]; startedAtMs: number; rerun: number },
  ): { runs: RunToSend[]; execution: ExecutionToSend | undefined } {
    const group = groupOf(build, this.draw)
    const known = { build, group, shard: job.shard, rerun, days: this.days, draw: this.draw }
    const runs = executed.map((suite) => mapRun(suite, known))
    if (build.kind === 'local') return { runs, execution: undefined }
    const endedAtMs = endOf(executed, startedAtMs)
    return { runs, execution: this.#mapExecution(build, job, { startedAtMs, endedAtMs, rerun }) }
  }

  #mapExecution(
    build: BuildPlan,
    { shard }: Job,
    { startedAtMs, endedAtMs, rerun }: { startedAtMs: number; endedAtMs?: number; rerun: number },
  ): ExecutionToSend {
    const { key, ci, procedure, framework, node, repository, shards } = build.project
    const request: PutExecutionInput = {
      procedure_id: procedure.identifier,
      group: groupOf(build, this.draw),
      started_at: formatTimestampMs(startedAtMs),
      framework,
      host: `runner-${1 + this.draw.index(6, key, 'host', build.index, shard ?? 0)}`,
      environment: `linux node ${/\d+/.exec(node)?.[0]}`,
      ci_job: ci.job,
      ci_attempt: rerun,
      ci_build_url: addressOf(build),
      git_branch: build.branch,
      git_commit: build.commit.sha,
      repository,
      ...(shard !== undefined && { shard_index: shard, shard_total: shards }),
      ...(endedAtMs !== undefined && { ended_at: formatTimestampMs(endedAtMs), missing_runs: 0 }),
    }
    return { id: this.draw.uuid(key, 'execution', build.index, shard ?? 0, rerun), request }
  }
}

function endOf(executed: readonly ExecutedSuite[], startedAtMs: number): number {
  const last = executed.at(-1)
  return (last ? last.startedAtMs + last.durationMs : startedAtMs) + 800
}

function planJobs(shards: number, suites: readonly NamedSuite[]): Job[] {
  if (shards === 1) return [{ shard: undefined, suites }]
  return Array.from({ length: shards }, (_, index) => ({
    shard: index + 1,
    suites: suites.filter((_suite, place) => place % shards === index),
  }))
}

/** The second-last build of main. A later build of the branch has ended, so the service expects nothing more from this one. */
export function findIncompleteBuild({ project, builds }: ProjectPlan): number | undefined {
  if (project.key !== INCOMPLETE_BUILD.project) return undefined
  return builds.filter(({ kind }) => kind === 'main').at(-2)?.index
}
