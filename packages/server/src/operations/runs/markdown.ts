import { text as readText } from 'node:stream/consumers'
import {
  formatQuery,
  type RunDetail,
  type RunListItem,
  type RunListPageQuery,
  toListRunsQuery,
} from '@runledger/protocol'
import {
  createSourceLink,
  findSuiteLog,
  formatRun,
  formatRunList,
  type GroupText,
  groupAttachments,
  type RunText,
  sumUpGroup,
} from '@runledger/presentation'
import { DOWNLOADS_PATH } from '../../record/files/attachments/addresses'
import { openAttachment } from '../../record/files/attachments/bytes'
import { readBuild } from '../../record/results/builds/read-build'
import { SteadyPace } from '../../base/clock'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import { groupBy } from '../../storage/database/rows'
import { addTestFacts, listPhases } from '../../record/results/phases/fact-store'
import {
  mapPhase,
  mapSkippedTest,
  mapFailedOrRetriedSteps,
  type FailedOrRetriedSteps,
} from '../../record/results/phases/map'
import {
  countTestsOfRun,
  listFailedOrRetriedSteps,
  type FailedOrRetriedStep,
} from '../../record/results/phases/store'
import { listVerdicts } from '../../record/results/verdicts/list-verdicts'
import { listRunPage } from './handlers'
import { formatGroupUrl, formatRunUrl, runNotFound } from '../../record/results/runs/map'
import { readRuns } from './read-runs'
import { findRunHead } from '../../record/results/runs/store'
import { listMeasurements } from '../../record/results/measurements/store'

const MAX_STEPS = 500
const MAX_MEASUREMENTS = 500
const MAX_SKIPPED = 50
const MAX_TOLD_FAILURES = 30
const MAX_TOLD_LENGTH = 200_000
const LOG_TAIL_BYTES = 4 * 1024
const MAX_GROUP_PAGES = 20
const MAX_FAILED_RUNS = 20

/** Reads only what the page shows. @throws HttpError NOT_FOUND */
export async function writeRun(context: Context, id: string): Promise<string> {
  const { query } = context.database
  const head = await findRunHead(query, id)
  if (!head) throw runNotFound(id)
  const [[read], counts, skipped, rows] = await Promise.all([
    // Treat the run as long: without steps and logs.
    readRuns(context, { heads: [head], counts: new Map([[head.id, Infinity]]) }),
    countTestsOfRun(query, head.id),
    listPhases(query, [head.id], { limit: MAX_SKIPPED, only: 'skipped' }),
    listFailedOrRetriedSteps(query, head.id, MAX_STEPS),
  ])
  if (!read) throw runNotFound(id)
  const run = { ...read.detail, skipped: skipped.map(mapSkippedTest) }
  const pace = new SteadyPace()
  const steps = await readTellingSteps(query, { runId: head.id, rows, pace })
  const files = placeAttachments(run, steps)
  const address = formatRunUrl(context.publicUrl, run.id)
  const text = {
    run,
    counts,
    tree: steps.tree,
    ...files,
    log: await readLogEnd(context, files.others),
    build: await findBuild(context, run.metadata['group']),
    verdicts: run.outcome === 'PASS' ? undefined : await listVerdicts(context, { ids: [run.id] }),
    address,
    recordAddress: `${context.publicUrl}/v2/runs/${run.id}`,
    linkSource: createSourceLink(run),
    linkRun: (runId) => formatRunUrl(context.publicUrl, runId),
    linkStep: (index) => `${address}#step-${steps.positions[index] ?? 0}`,
    linkAttachment: (attachment) =>
      attachment.download_url === null ? undefined : `${context.publicUrl}${DOWNLOADS_PATH}/${attachment.id}`,
  } satisfies RunText
  return formatRun(text, pace)
}

/** The steps that explain the failure; those shown in full have all details. */
async function readTellingSteps(
  query: Query,
  { runId, rows, pace }: { runId: number; rows: readonly FailedOrRetriedStep[]; pace: SteadyPace },
): Promise<FailedOrRetriedSteps> {
  const keys = rows.map(({ id }) => id)
  const measured = await listMeasurements(query, [runId], { phaseIds: keys, limit: MAX_MEASUREMENTS })
  const measurements = groupBy(measured, ({ phase_id: phaseId }) => phaseId)
  // If rows of several pages arrive together, one page continues in each turn.
  await pace.rest()
  const steps = await mapFailedOrRetriedSteps(rows, measurements)
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  let length = 0
  for (const index of steps.tree.failures.slice(0, MAX_TOLD_FAILURES)) {
    const [node, row] = [steps.tree.nodes[index], byPosition.get(steps.positions[index] ?? -1)]
    if (!node || !row || length > MAX_TOLD_LENGTH) break
    const [whole] = await addTestFacts(query, [row])
    if (!whole) continue
    node.phase = mapPhase(whole, measurements.get(row.id) ?? [])
    length += whole.errors.reduce(
      (sum, { message, stack, diff }) => sum + `${message}${stack}${diff}`.length,
      0,
    )
  }
  return steps
}

function placeAttachments(
  { attachments }: RunDetail,
  { tree }: FailedOrRetriedSteps,
): Pick<RunText, 'bySteps' | 'others' | 'otherFiles'> {
  const { bySteps, others } = groupAttachments(
    tree.nodes.map(({ phase }) => phase.name),
    attachments,
  )
  const ofRun = others.filter(({ name }) => !name.includes('/'))
  return { bySteps, others: ofRun, otherFiles: others.length - ofRun.length }
}

function findBuild(context: Context, group: unknown) {
  return group === undefined ? Promise.resolve(undefined) : readBuild(context, String(group))
}

async function readLogEnd(context: Context, attachments: RunText['others']): Promise<RunText['log']> {
  const log = findSuiteLog(attachments)
  if (!log?.size) return undefined
  const file = await openAttachment(context, log.id)
  const start = Math.max(0, file.sizeBytes - LOG_TAIL_BYTES)
  // Lost bytes of a log must not hide why the run failed.
  const text = await file
    .read({ start, end: file.sizeBytes - 1 })
    .then(readText)
    .catch((error: unknown) => {
      context.log.error(`The bytes of the attachment ${log.id} could not be read`, error)
      return undefined
    })
  return text === undefined
    ? undefined
    : { name: log.name, text: start === 0 ? text : text.slice(text.indexOf('\n') + 1) }
}

export async function writeRunList(context: Context, query: RunListPageQuery): Promise<string> {
  const { publicUrl } = context
  const { data, meta } = await listRunPage(context, toListRunsQuery(query))
  const { group } = query
  return formatRunList({
    runs: data,
    nextAddress: meta.next_cursor === null ? undefined : formatListUrl(publicUrl, query, meta.next_cursor),
    filter: listFilters(query),
    group: group === undefined ? undefined : await readGroup(context, group),
    linkRun: ({ id }) => formatRunUrl(publicUrl, id),
  })
}

const NO_FILTERS = new Set(['limit', 'cursor', 'group', 'outcome', 'q'])

function listFilters(query: RunListPageQuery): string[] {
  const named = Object.entries(query).filter(([name, value]) => value !== undefined && !NO_FILTERS.has(name))
  const texts = named.map(([name, value]) => `${name}:${String(value)}`)
  return [...(query.outcome ?? []), ...texts, ...(query.q === undefined ? [] : [query.q])]
}

function formatListUrl(publicUrl: string, query: RunListPageQuery, cursor: number): string {
  return `${publicUrl}/runs.md${formatQuery({ ...query, cursor })}`
}

async function readGroup(context: Context, group: string): Promise<GroupText> {
  const runs = new Map<string, RunListItem>()
  let cursor: number | undefined
  let isCut = true
  for (let page = 0; page < MAX_GROUP_PAGES && isCut; page += 1) {
    const { data, meta } = await listRunPage(context, toListRunsQuery({ group, limit: 100, cursor }))
    for (const run of data) runs.set(run.id, run)
    isCut = meta.has_more
    cursor = meta.next_cursor ?? undefined
  }
  const all = [...runs.values()]
  for (const run of await readFailures(context, all)) runs.set(run.id, run)
  return {
    name: group,
    address: formatGroupUrl(context.publicUrl, group),
    runs: [...runs.values()],
    isCut,
    build: await readBuild(context, group),
    verdicts: all.every(({ outcome }) => outcome === 'PASS')
      ? undefined
      : await listVerdicts(context, { ids: undefined, group }),
  }
}

async function readFailures(context: Context, runs: RunListItem[]): Promise<RunListItem[]> {
  if (runs.length === 0) return []
  const ids = sumUpGroup(runs)
    .failed.slice(0, MAX_FAILED_RUNS)
    .map(({ id }) => id)
  if (ids.length === 0) return []
  const list = toListRunsQuery({ limit: 100 })
  return (await listRunPage(context, { ...list, ids, include_failures: true })).data
}
