// npm run bench -- run-page [--steps N] [--lines N]: how soon the page of a long run says why it failed, and how it scrolls, in
// real Chromium; beside it what an empty page takes for a frame on this machine.
import { parseArgs } from 'node:util'
import { median } from './measure.mjs'
import { ANSWERED, noteAnswer, openBrowser } from './open-browser.mjs'
import { conclude } from './results.mjs'
import { createClient } from './service-client.mjs'
import { startService } from './start-service.mjs'

const FAILS_EACH = 80
const ROUNDS = 5
const FRAMES = 200
const START_MS = Date.parse('2026-11-20T09:30:00.000Z')

const { values } = parseArgs({
  options: { steps: { type: 'string', default: '5000' }, lines: { type: 'string', default: '100000' } },
})
const [steps, lines] = [Number(values.steps), Number(values.lines)]

const service = await startService()
const { RUNLEDGER_URL: url, RUNLEDGER_PROCEDURE_ID: procedureId } = service.variables
const client = createClient(service.variables)
const { browser, storageState } = await openBrowser(client)
try {
  const page = await browser.newPage({ storageState, viewport: { width: 1280, height: 900 } })
  await page.addInitScript(noteAnswer(`document.querySelector('[id^=failure-]')`))
  const run = await createLongRun()
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRun(page, run))
  process.exitCode = conclude(listResults(rounds, await measureLog(page)))
} finally {
  await browser.close()
  await client.close()
  await service.stop()
}

async function measureRun(page, run) {
  await page.goto('about:blank')
  const bareMs = await page.evaluate(measureFrames(''))
  await page.goto(`${url}/runs/${run}`)
  await page.locator('[id^=failure-]').first().waitFor()
  const shownMs = await page.evaluate(ANSWERED)
  const frameMs = await page.evaluate(measureFrames('window.scrollBy(0, 120)'))
  console.log(
    `  first failure after ${shownMs.toFixed(0)} ms; p95 of frames ${frameMs.toFixed(1)} ms, of an empty page ${bareMs.toFixed(1)} ms`,
  )
  return { shownMs, frameMs, bareMs }
}

async function measureLog(page) {
  const text = Array.from(
    { length: lines },
    (_, index) => `line number ${index + 1}, ${'x'.repeat(index % 60)}`,
  )
  await page.goto(`${url}/runs/${await createRun([createPhase(0, true)], text.join('\n'))}`)
  const more = page.locator('button', { hasText: 'Show the rest' })
  await more.click()
  await more.waitFor({ state: 'detached' })
  const scroll = `document.querySelector('[aria-label="Text of whole.log"]').scrollBy(0, 120)`
  return page.evaluate(measureFrames(scroll))
}

function listResults(rounds, logFrameMs) {
  const middle = (name) => median(rounds.map((round) => round[name]))
  const frame = { target: 20, unit: 'ms', digits: 1 }
  return [
    {
      name: `run of ${steps} steps: first failure shown`,
      target: 1_000,
      value: middle('shownMs'),
      unit: 'ms',
      digits: 0,
    },
    { name: `run of ${steps} steps: frames while scrolling, p95`, value: middle('frameMs'), ...frame },
    { name: `log of ${lines} lines: frames while scrolling, p95`, value: logFrameMs, ...frame },
  ]
}

/** Runs in the page: the 95th percentile of the times between frames while something moves, in milliseconds. */
function measureFrames(move) {
  return `(async () => {
    const frames = []
    let last = performance.now()
    for (let count = 0; count < ${FRAMES}; count += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = performance.now()
      frames.push(now - last)
      last = now
      ${move}
    }
    return frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.95)]
  })()`
}

async function createLongRun() {
  const phases = Array.from({ length: steps }, (_, index) =>
    createPhase(index, index % FAILS_EACH === FAILS_EACH / 2),
  )
  return createRun(phases)
}

function createPhase(index, fails) {
  const [message, location] = [
    `expected ${index} to be ${index + 1}`,
    { file: 'src/part.test.ts', line: index + 1 },
  ]
  return {
    name: `part ${index % 50} › group ${index % 7} › does thing number ${index}`,
    outcome: fails ? 'FAIL' : 'PASS',
    started_at: after(index * 10),
    ended_at: after(index * 10 + 9),
    kind: 'test',
    ...(fails ? { errors: [{ message, expected: String(index + 1), actual: String(index), location }] } : {}),
  }
}

async function createRun(phases, log) {
  const { id } = await client.json('POST', '/v2/runs', {
    procedure_id: procedureId,
    serial_number: 'bench',
    part_number: 'bench',
    outcome: 'FAIL',
    started_at: after(0),
    ended_at: after(60_000),
    phases,
  })
  if (log === undefined) return id
  const attachment = await client.json('POST', '/v2/attachments', { name: 'whole.log' })
  await fetch(attachment.upload_url, { method: 'PUT', body: log })
  await client.json('PATCH', `/v2/runs/${id}`, { attachments: [attachment.id] })
  return id
}

function after(ms) {
  return new Date(START_MS + ms).toISOString()
}
