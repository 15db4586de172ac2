import { drawScreenshot } from './screenshot'
import { zip } from './zip'

export interface TracedAction {
  title: string
  durationMs: number
  error?: string
}

export interface TracedTest {
  title: string
  startedAtMs: number
  page: string
  picture: number
  actions: readonly TracedAction[]
}

const PAGE = 'page@1'
const VIEWPORT = { width: 800, height: 500 }
/** The version of the trace format, as Playwright 1.53 and later write it. */
const FORMAT = 8
const BETWEEN_ACTIONS_MS = 8

/** A small trace for Playwright's viewer: the actions with their times, the page's content and the error. */
export function makeTrace({ title, startedAtMs, page, picture, actions }: TracedTest): Uint8Array {
  const events: object[] = [
    {
      type: 'context-options',
      version: FORMAT,
      origin: 'library',
      browserName: 'chromium',
      platform: 'linux',
      sdkLanguage: 'javascript',
      options: { viewport: VIEWPORT },
      wallTime: startedAtMs,
      monotonicTime: 0,
      title,
      contextId: 'context@1',
    },
  ]
  let atMs = 0
  for (const [index, action] of actions.entries()) {
    events.push(...traceAction(action, { callId: `call@${index + 1}`, atMs, page }))
    atMs += action.durationMs + BETWEEN_ACTIONS_MS
  }
  return zip([
    ['trace.trace', events.map((event) => JSON.stringify(event)).join('\n')],
    ['trace.network', ''],
    [`resources/${PICTURE}`, drawScreenshot(picture)],
  ])
}

const PICTURE = `${PAGE}-1.jpeg`

function traceAction(
  { title, durationMs, error }: TracedAction,
  { callId, atMs, page }: { callId: string; atMs: number; page: string },
): object[] {
  const [beforeSnapshot, afterSnapshot] = [`before@${callId}`, `after@${callId}`]
  const call = { class: 'Frame', method: error === undefined ? 'click' : 'expect', title, params: {} }
  const endTime = atMs + durationMs
  const shown = { callId, page, isFailed: error !== undefined }
  return [
    { type: 'before', callId, startTime: atMs, pageId: PAGE, beforeSnapshot, ...call },
    {
      type: 'frame-snapshot',
      snapshot: makeSnapshot({ ...shown, isFailed: false, name: beforeSnapshot, atMs }),
    },
    { type: 'screencast-frame', pageId: PAGE, sha1: PICTURE, ...VIEWPORT, timestamp: atMs },
    { type: 'frame-snapshot', snapshot: makeSnapshot({ ...shown, name: afterSnapshot, atMs: endTime }) },
    {
      type: 'after',
      callId,
      endTime,
      afterSnapshot,
      ...(error !== undefined && { error: { name: 'Error', message: error } }),
    },
  ]
}

interface Shown {
  callId: string
  page: string
  isFailed: boolean
  name: string
  atMs: number
}

const STYLE =
  'body{margin:0;font:16px sans-serif}header{background:#1e293b;color:#fff;padding:16px}main{padding:24px}p{background:#dc2626;color:#fff;padding:8px}'

/** The page's elements at that time, each a list of its name, its attributes and its content. */
function makeSnapshot({ callId, page, isFailed, name, atMs }: Shown): object {
  const message = isFailed ? [['P', { role: 'status' }, 'Not what the test expected']] : []
  const main = ['MAIN', {}, ['H1', {}, page], ['BUTTON', {}, 'Continue'], ...message]
  return {
    callId,
    snapshotName: name,
    pageId: PAGE,
    frameId: 'frame@1',
    frameUrl: `https://shop.example.com/${page}`,
    doctype: 'html',
    html: ['HTML', {}, ['HEAD', {}, ['STYLE', {}, STYLE]], ['BODY', {}, ['HEADER', {}, 'Shop'], main]],
    viewport: VIEWPORT,
    timestamp: atMs,
    resourceOverrides: [],
    isMainFrame: true,
  }
}
