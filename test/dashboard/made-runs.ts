import { deflateSync, crc32 } from 'node:zlib'
import { formatAttachmentName } from '@runledger/protocol'
import type { Service } from '../support/service'

/** Runs made over the interface, for what reporters seldom send. */

const START_MS = Date.parse('2026-11-20T09:30:00.000Z')

/** A time so many milliseconds after the run's start. */
export function after(ms: number): string {
  return new Date(START_MS + ms).toISOString()
}

export interface MadeAttachment {
  step?: string
  attempt?: number
  fileName: string
  content: string | Buffer
}

/** Creates a run and links its attachments; returns its id. */
export async function makeRun(
  service: Service,
  body: Record<string, unknown>,
  attachments: MadeAttachment[] = [],
): Promise<string> {
  const unit = { serial_number: 'PSU-0042', part_number: 'PSU' }
  const { id } = (await send(service, 'POST', '/v2/runs', {
    procedure_id: service.procedureId,
    outcome: 'FAIL',
    started_at: after(0),
    ended_at: after(20_000),
    ...unit,
    ...body,
  })) as { id: string }
  const ids: string[] = []
  for (const { step: stepName, attempt, fileName, content } of attachments) {
    const name = formatAttachmentName({ stepName, attempt, fileName })
    const made = (await send(service, 'POST', '/v2/attachments', { name })) as {
      id: string
      upload_url: string
    }
    const put = await fetch(made.upload_url, { method: 'PUT', body: content })
    if (!put.ok) throw new Error(`${name}: ${put.status}`)
    ids.push(made.id)
  }
  if (ids.length > 0) await send(service, 'PATCH', `/v2/runs/${id}`, { attachments: ids })
  return id
}

export async function send(service: Service, method: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const TOTAL_ERROR = {
  message: 'expect(received).toEqual(expected) // deep equality',
  stack: [
    'Error: expect(received).toEqual(expected) // deep equality',
    '    at addUp (src/cart/add-up.ts:31:11)',
    '    at src/cart/cart.test.ts:42:19',
    '    at runTest (node_modules/@vitest/runner/dist/index.js:142:7)',
    '    at node:internal/process/task_queues:105:5',
  ].join('\n'),
  location: { file: 'src/cart/cart.test.ts', line: 42, column: 19 },
  diff: [
    '- Expected  - 2',
    '+ Received  + 2',
    '',
    '  Object {',
    '    "currency": "EUR",',
    '    "lines": Array [',
    '      Object {',
    '        "name": "Lamp, <b>brass</b>",',
    '-       "price": 1999,',
    '+       "price": 19.99,',
    '      },',
    '    ],',
    '-   "total": 2399,',
    '+   "total": 23.99,',
    '  }',
  ].join('\n'),
  snippet: [
    '  40 |     const cart = fillCart([lamp, bulb])',
    '  41 |     const bill = addUp(cart, { currency: "EUR" })',
    '> 42 |     expect(bill).toEqual(expectedBill)',
    '     |                  ^',
    '  43 |     expect(bill.lines).toHaveLength(1)',
    '  44 |   })',
  ].join('\n'),
}

const HEADING_ERROR = {
  message: [
    'expect(locator).toHaveText(expected) failed',
    '',
    "Locator:  getByRole('heading')",
    'Expected: "ready"',
    'Received: "starting"',
    'Timeout:  5000ms',
    '',
    'Call log:',
    '  - Expect "toHaveText" with timeout 5000ms',
    "  - waiting for getByRole('heading')",
  ].join('\n'),
  location: { file: 'src/panel.spec.ts', line: 12, column: 47 },
  snippet: [
    '  10 |   test("shows the state", async ({ page }) => {',
    '  11 |     await page.goto("/panel")',
    '> 12 |     await expect(page.getByRole("heading")).toHaveText("ready")',
    '     |                                               ^',
    '  13 |   })',
  ].join('\n'),
}

function phase(name: string, outcome: string, [start, length]: [number, number]) {
  return { name, outcome, started_at: after(start), ended_at: after(start + length) }
}

/** What the first attempt of `panel › shows the state` did; `place` is that of its first step. */
function describeFirstAttempt(place: number) {
  const name = 'panel › shows the state › Attempt 1 of 2'
  const step = (inner: string, outcome: string, parent: number) => ({
    ...phase(name + inner, outcome, [700, 5100]),
    kind: 'step',
    parent,
  })
  return [
    step('', 'FAIL', 1),
    { ...step(' › open the panel', 'FAIL', place), location: PANEL_PLACE },
    step(' › open the panel › Navigate to "/panel"', 'FAIL', place + 1),
    step(' › After Hooks', 'PASS', place),
    step(' › After Hooks › Attach "screenshot"', 'PASS', place + 3),
  ]
}

const PANEL_PLACE = { file: 'src/panel.spec.ts', line: 11, column: 5 }

/** A run with a failure of every kind that the page knows. */
export function describeRichRun() {
  const phases: Record<string, unknown>[] = [
    {
      ...phase('cart › adds up › prices in cents', 'FAIL', [400, 180]),
      kind: 'test',
      location: { file: 'src/cart/cart.test.ts', line: 38, column: 3 },
      errors: [TOTAL_ERROR],
      tags: ['@smoke', '@money'],
      worker: 0,
      owner: '@acme/checkout',
    },
    {
      ...phase('panel › shows the state', 'FAIL', [700, 11_200]),
      kind: 'test',
      location: { file: 'src/panel.spec.ts', line: 10, column: 3 },
      retry_count: 1,
      errors: [HEADING_ERROR, { message: 'Test timeout of 5000ms exceeded while closing the page.' }],
      attempts: [
        {
          outcome: 'ERROR',
          started_at: after(700),
          duration: 'PT5.100S',
          worker: 1,
          errors: [{ message: 'page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/panel' }],
        },
        {
          outcome: 'FAIL',
          started_at: after(5900),
          duration: 'PT6S',
          worker: 2,
          errors: [HEADING_ERROR, { message: 'Test timeout of 5000ms exceeded while closing the page.' }],
        },
      ],
    },
    { ...phase('Before Hooks', 'PASS', [5900, 400]), kind: 'step', parent: 1 },
    {
      ...phase('open the panel', 'PASS', [6300, 500]),
      kind: 'step',
      parent: 1,
      location: PANEL_PLACE,
      snippet: HEADING_ERROR.snippet
        .replace('  11 |', '> 11 |')
        .replace('> 12 |', '  12 |')
        .replace(/\n +\| +\^/, ''),
    },
    { ...phase('wait until it is ready', 'FAIL', [6800, 5000]), kind: 'step', parent: 1 },
    { ...phase('Expect "toHaveText"', 'FAIL', [6800, 5000]), kind: 'step', parent: 4 },
    {
      ...phase('panel › looks as it did', 'FAIL', [12_000, 900]),
      kind: 'test',
      tags: ['@slow', 'issue', 'owner', 'note'],
      annotations: [
        { type: 'issue', description: 'https://github.com/acme/shop/issues/87' },
        { type: 'owner', description: '@acme/checkout' },
        { type: 'note', description: 'javascript:alert(1) is what the vendor’s page says of <b>prices</b>' },
      ],
      owner: '@acme/checkout',
      worker: 3,
      location: { file: 'src/panel.spec.ts', line: 22, column: 3 },
      errors: [
        {
          message:
            'expect(page).toHaveScreenshot(expected) failed\n\n  2304 pixels (ratio 0.05) are different.',
          location: { file: 'src/panel.spec.ts', line: 24, column: 22 },
        },
      ],
    },
    {
      ...phase('supply › output', 'FAIL', [13_000, 300]),
      kind: 'test',
      measurements: [
        {
          name: 'output',
          outcome: 'FAIL',
          measured_value: 3.52,
          units: 'V',
          lower_limit: 3.2,
          upper_limit: 3.4,
        },
      ],
    },
    {
      ...phase('afterAll hook of panel', 'ERROR', [13_500, 40]),
      kind: 'hook',
      errors: [
        {
          message: "TypeError: Cannot read properties of undefined (reading 'close')",
          expected: 'a\nb',
          actual: 'a\nc',
        },
      ],
    },
    {
      ...phase('login › with a code', 'PASS', [14_000, 4000]),
      kind: 'test',
      worker: 4,
      retry_count: 1,
      attempts: [
        {
          outcome: 'FAIL',
          started_at: after(14_000),
          duration: 'PT2S',
          errors: [{ message: 'the code had expired' }],
        },
        { outcome: 'PASS', started_at: after(16_000), duration: 'PT2S' },
      ],
    },
    ...Array.from({ length: 18 }, (_, index) => ({
      ...phase(
        `login › ${['by mail', 'by phone', 'with a key', 'as a guest'][index % 4]} ${index + 1}`,
        'PASS',
        [18_000 + index * 100, 90],
      ),
      kind: 'test',
      worker: index % 2 === 0 ? 4 : 2,
    })),
  ]
  phases.push(...describeFirstAttempt(phases.length))
  const skipped = [
    {
      name: 'cart › pays by card',
      reason: 'no test card for this bank',
      tags: ['@slow'],
      location: { file: 'src/cart/pay.test.ts', line: 3 },
    },
    { name: 'cart › ships abroad' },
  ]
  const metadata = {
    framework: 'playwright',
    framework_version: '1.65.1',
    project: 'chromium',
    file: 'src/panel.spec.ts',
    file_in_repository: 'packages/shop/src/panel.spec.ts',
    repository: 'https://github.com/acme/shop',
    git_branch: 'feature/cents',
    git_default_branch: 'main',
    git_commit: '3f2a9c1e0b7d4f6a8c2e1d0f9b8a7c6d5e4f3a2b',
    ci: 'GitHub Actions',
    ci_build_url: 'https://github.com/acme/shop/actions/runs/1',
    group: 'build-1742',
  }
  return { phases, skipped, metadata }
}

/** What the failed steps of the rich run left behind. */
export function describeRichAttachments(): MadeAttachment[] {
  const step = 'panel › shows the state'
  const output = '\u001b[32m✓\u001b[39m server listens\n\u001b[31mERROR\u001b[39m the heart beat stopped\n'
  return [
    { step: 'cart › adds up › prices in cents', fileName: 'stdout.txt', content: output },
    { step, attempt: 1, fileName: 'screenshot.png', content: drawPicture([200, 60, 60]) },
    { step, attempt: 2, fileName: 'screenshot.png', content: drawPicture([60, 60, 200]) },
    { step, attempt: 2, fileName: 'trace.zip', content: Buffer.from('PK\u0003\u0004') },
    {
      step: 'panel › looks as it did',
      fileName: 'panel-expected.png',
      content: drawPicture([230, 230, 230]),
    },
    { step: 'panel › looks as it did', fileName: 'panel-actual.png', content: drawPicture([230, 230, 120]) },
    { step: 'panel › looks as it did', fileName: 'panel-diff.png', content: drawPicture([255, 0, 0]) },
    { fileName: 'panel.spec.ts.log', content: SUITE_LOG },
  ]
}

const SUITE_LOG = [
  'suite      src/panel.spec.ts',
  'outcome    failed',
  '',
  '✗ failed  panel › shows the state (11200 ms, 2 attempts)',
  '    attempt 1: failed (5100 ms)',
  '      page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/panel',
  '    stdout 2026-11-20T09:30:00.700Z',
  '      | the panel is cold',
  '    attempt 2: failed (6000 ms)',
  '    stdout 2026-11-20T09:30:05.900Z',
  ...Array.from({ length: 60 }, (_, index) => `      | asked ${index + 1} times whether it is ready`),
  '    stderr 2026-11-20T09:30:11.800Z',
  '      | ✗ failed  panel › looks as it did (900 ms)',
  '      | gave up',
  '✗ failed  panel › looks as it did (900 ms)',
  '      2304 pixels (ratio 0.05) are different.',
  '✗ failed  supply › output (300 ms)',
  '    measured 2026-11-20T09:30:13.100Z  ✗ output = 3.52 V',
  '    stdout 2026-11-20T09:30:13.000Z',
  '      | the meter needs 3 s to settle, see https://wiki.example/meters',
  '    stderr 2026-11-20T09:30:13.200Z',
  '      | \u001b[33mcareful\u001b[39m: out of range',
  '',
].join('\n')

/** A picture of 320 × 200 with a square in the given colour. */
function drawPicture([red, green, blue]: [number, number, number]): Buffer {
  const [width, height] = [320, 200]
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isInside = x > 110 && x < 210 && y > 50 && y < 150
      rows.set(isInside ? [red, green, blue] : [245, 245, 248], y * (width * 3 + 1) + 1 + x * 3)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
