import { ListBuildsQuerySchema, WEBHOOK_EVENTS, type WebhookEvent } from '@runledger/protocol'
import { US_PER_DAY, US_PER_SECOND } from '../../base/clock'
import { listReportedBuilds, type ReportedBuild } from '../../record/results/builds/read-build'
import { findDefaultBranch, listBuilds } from '../../record/results/builds/store'
import type { ProcedureRow } from '../../record/results/history/home-store'
import { parseEvents } from '../../record/results/webhooks/map'
import { listProceduresWithBuilds } from '../../record/results/webhooks/result-store'
import { listEnabledWebhooks, type WebhookRow } from '../../record/results/webhooks/store'
import type { StorageContext } from '../../storage/context'
import { findInBuild } from './build-findings'
import { findInLines } from './line-findings'
import { isOfProcedure, queueMessages } from './queue-messages'

/** A build is judged when nothing of it came for this long. By then, renamed tests are merged. */
const QUIET_US = 90 * US_PER_SECOND
/** Builds that started earlier are not judged. */
const WATCHED_US = 2 * US_PER_DAY
const MAX_BUILDS = 50
const LINE_INTERVAL_US = 15 * 60 * US_PER_SECOND

type DetectorContext = Pick<StorageContext, 'database' | 'clock' | 'log' | 'nextKey'> & { publicUrl: string }

/** Finds events and queues their messages. Several detectors may watch one database. */
export class Detector {
  readonly #context: DetectorContext
  /** State and last report of each watched build when it was judged. */
  #judged = new Map<string, string>()
  #linesReadAtUs = -Infinity

  constructor(context: DetectorContext) {
    this.#context = context
  }

  /** Goes on after an error, which it logs. */
  async detect(signal: AbortSignal): Promise<void> {
    const webhooks = await listEnabledWebhooks(this.#context.database.query)
    if (webhooks.length === 0) return
    await this.#watchBuilds(
      webhooks.filter((webhook) => isForAny(webhook, ['test.', 'build.'])),
      signal,
    )
    const ofLines = webhooks.filter((webhook) => isForAny(webhook, ['line.']))
    if (!signal.aborted) await this.#watchLines(ofLines, signal)
  }

  async #watchBuilds(webhooks: readonly WebhookRow[], signal: AbortSignal): Promise<void> {
    if (webhooks.length === 0) return
    const { database, clock } = this.#context
    const before = this.#judged
    this.#judged = new Map()
    for (const procedure of await listProceduresWithBuilds(database.query, clock() - WATCHED_US)) {
      if (signal.aborted) return
      if (webhooks.some((webhook) => isOfProcedure(webhook, procedure.id)))
        await this.#attempt(() => this.#watchProcedure(procedure, webhooks, before))
    }
  }

  async #watchProcedure(
    procedure: ProcedureRow,
    webhooks: readonly WebhookRow[],
    before: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { clock, database } = this.#context
    const branch = await findDefaultBranch(database.query, procedure.id)
    if (branch === null) return
    const builds = await this.#listBuilds(procedure, branch)
    const openBuilds = new Set(builds.filter((build) => this.#isOpen(build)).map(({ id }) => id))
    let isAnew = false
    // Oldest first, so that messages follow the order of the builds. A late result may change how later builds are judged.
    for (const [index, build] of [...builds.entries()].toReversed()) {
      const { item, startedAtUs, lastReportedAtUs } = build
      if (startedAtUs < clock() - WATCHED_US || openBuilds.has(build.id)) continue
      const key = `${procedure.id} ${build.id}`
      const state = `${item.state} ${lastReportedAtUs}`
      isAnew ||= before.get(key) !== state
      if (isAnew) {
        const earlier = builds.slice(index + 1).filter(({ id }) => !openBuilds.has(id))
        const judged = { procedure, branch, build, earlier, openBuilds }
        const findings = await findInBuild(this.#context, judged)
        if (!(await queueMessages(this.#context, webhooks, findings))) continue
      }
      this.#judged.set(key, state)
    }
  }

  #isOpen({ item, lastReportedAtUs }: ReportedBuild): boolean {
    return item.state === 'running' || this.#context.clock() - lastReportedAtUs < QUIET_US
  }

  /** Newest first, without those of pull requests. */
  async #listBuilds(procedure: ProcedureRow, branch: string): Promise<ReportedBuild[]> {
    const list = { procedure_ids: procedure.id_text, branches: [branch], limit: MAX_BUILDS }
    const rows = await listBuilds(this.#context.database.query, ListBuildsQuerySchema.parse(list))
    return listReportedBuilds(
      this.#context,
      rows.filter(({ pull_request: request }) => request === null),
    )
  }

  async #watchLines(webhooks: readonly WebhookRow[], signal: AbortSignal): Promise<void> {
    const nowUs = this.#context.clock()
    if (webhooks.length === 0 || nowUs - this.#linesReadAtUs < LINE_INTERVAL_US) return
    this.#linesReadAtUs = nowUs
    const hasAll = webhooks.some(({ all_procedures: all }) => all === 1)
    const named = webhooks.flatMap(({ procedures }) => procedures.map(({ id }) => id))
    await this.#attempt(async () => {
      const findings = await findInLines(this.#context, hasAll ? undefined : [...new Set(named)], signal)
      await queueMessages(this.#context, webhooks, findings)
    })
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.#context.log.error('Looking for events of webhooks failed', error),
    )
  }
}

function isForAny(webhook: WebhookRow, prefixes: readonly string[]): boolean {
  const events: readonly WebhookEvent[] = parseEvents(webhook)
  return (events.length === 0 ? WEBHOOK_EVENTS : events).some((event) =>
    prefixes.some((prefix) => event.startsWith(prefix)),
  )
}
