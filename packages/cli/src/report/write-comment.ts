import type { Deadline } from '../clock'
import type { Forge, ForgeComment } from './forge'
import { BusyError, persist, RefusedError } from './forge-api'
import { formatMarker, type Marker, parseMarker } from './marker'

/** `none`: there is no comment, and the report does not create one. `later`: the comment of a later build stays. */
export type CommentAction = 'created' | 'edited' | 'unchanged' | 'none' | 'later'

export interface WrittenComment {
  action: CommentAction
  url: string | undefined
}

export interface Report {
  marker: Marker
  text: string
  /** Whether the report only edits an existing comment. */
  isSilent: boolean
}

/** Jobs of two builds may write at the same time, and comments cannot be locked. So each job checks again after at least this time. */
const SETTLE_MS = 2_000
const MAX_ROUNDS = 6

/**
 * Leaves one comment with the report of the last build. Edits the comment; if a test fails that it does not list, replaces it with a
 * new one, so that people are notified. @throws RefusedError, BusyError
 */
export async function writeComment(
  forge: Forge,
  report: Report,
  deadline: Deadline,
): Promise<WrittenComment> {
  const { clock, endMs } = deadline
  let written: WrittenComment | undefined
  let settleMs = 0
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    if (written) await clock.sleep(settleMs)
    let startMs = 0
    // A request without a response may have succeeded, so each try lists the comments first.
    const found = await persist(() => {
      startMs = clock.nowMs()
      return write(forge, report, written)
    }, deadline)
    if (found.isSettled) return { action: found.action, url: found.url }
    // If requests are slow here, they are slow in other jobs, too.
    const nowMs = clock.nowMs()
    settleMs = Math.max(SETTLE_MS, Math.min(2 * (nowMs - startMs), endMs - nowMs))
    written = { action: written?.action === 'created' ? 'created' : found.action, url: found.url }
  }
  return written as WrittenComment
}

type Found = ForgeComment & Marker
type Outcome = WrittenComment & { isSettled: boolean }

async function write(
  forge: Forge,
  { marker, text, isSilent }: Report,
  written: WrittenComment | undefined,
): Promise<Outcome> {
  const body = `${formatMarker(marker)}\n${text}`
  const found = (await forge.listReports())
    .flatMap(readReport)
    .filter(({ name, source }) => name === marker.name && source === marker.source)
  const last = found.toSorted((a, b) => a.build - b.build || a.id - b.id).at(-1)
  if (!last && isSilent) return { action: 'none', url: undefined, isSettled: true }
  const isLater = last !== undefined && last.build > marker.build
  const isSame = last !== undefined && normalize(last.body) === normalize(body)
  // Another job of this build has the same facts.
  const isOurs = written !== undefined && last?.build === marker.build
  if (last && (isLater || isSame || isOurs)) {
    await deleteAll(
      forge,
      found.filter(({ id }) => id !== last.id),
    )
    const action = isLater ? 'later' : (written?.action ?? 'unchanged')
    return { action, url: last.url, isSettled: true }
  }
  if (last && marker.failing.every((digest) => last.failing.includes(digest)))
    return edit(forge, last, { build: marker.build, body })
  // The list may not show the new comment yet.
  const url = written?.action === 'created' ? written.url : await forge.createComment(body)
  return { action: 'created', url, isSettled: false }
}

/** A later build may have written the comment since it was listed. */
async function edit(
  forge: Forge,
  { id, url }: Found,
  { build, body }: { build: number; body: string },
): Promise<Outcome> {
  const current = parseMarker(await forge.readComment(id).catch(expectIt))
  if (current && current.build > build) return { action: 'later', url, isSettled: true }
  await forge.editComment(id, body).catch(expectIt)
  return { action: 'edited', url, isSettled: false }
}

/** Makes a missing comment worth a retry, because another job may have replaced it. */
function expectIt(error: unknown): never {
  const isGone = error instanceof RefusedError && error.statusCode === 404
  throw isGone ? new BusyError(error.message) : error
}

function readReport(comment: ForgeComment): Found[] {
  const marker = parseMarker(comment.body)
  return marker ? [{ ...comment, ...marker }] : []
}

function normalize(body: string): string {
  return body.replaceAll('\r\n', '\n').trimEnd()
}

/** The next report deletes comments that remain. */
async function deleteAll(forge: Forge, comments: readonly Found[]): Promise<void> {
  for (const { id } of comments)
    await forge.deleteComment(id).catch((error: unknown) => {
      if (!(error instanceof RefusedError || error instanceof BusyError)) throw error
    })
}
