import { config, IMPORT, type Files } from './playwright-projects'

/** Requests to a service that the global set-up starts; no test has a page. */
export const API_PROJECT: Files = {
  ...config("globalSetup: './start-bench.js', retries: 1, use: { trace: 'on' }"),
  'start-bench.js': `const { createServer } = require('node:http')
module.exports = async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/volts' ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ volts: 3.3 }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  process.env.BENCH_URL = 'http://127.0.0.1:' + server.address().port
  return () => server.close()
}
`,
  'read.spec.js': `${IMPORT}
test('reads the voltage', async ({ request }) => {
  const response = await request.get(process.env.BENCH_URL + '/volts')
  expect(await response.json()).toEqual({ volts: 3.3 })
})
`,
  'missing.spec.js': `${IMPORT}
test('finds the current', async ({ request }) => {
  expect((await request.get(process.env.BENCH_URL + '/amperes')).status()).toBe(200)
})
test.skip('finds the power', () => {})
`,
}

/** A React component in a real browser, by `@playwright/experimental-ct-react`. */
export const COMPONENT_PROJECT: Files = {
  'playwright.config.js': `const { defineConfig } = require('@playwright/experimental-ct-react')
module.exports = defineConfig({
  workers: 1,
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH }, screenshot: 'only-on-failure' },
  reporter: [['list'], ['json', { outputFile: 'report.json' }], ['@runledger/playwright']],
})
`,
  'playwright/index.html': `<!doctype html><html lang="en"><body><div id="root"></div>
<script type="module" src="./index.js"></script></body></html>
`,
  'playwright/index.js': '',
  'gauge.jsx': `import { useState } from 'react'
export function Gauge({ volts }) {
  const [shown, show] = useState(volts)
  return <button onClick={() => show(shown + 1)}>{shown} V</button>
}
`,
  'gauge.spec.jsx': `import { expect, test } from '@playwright/experimental-ct-react'
import { measure } from '@runledger/playwright'
import { Gauge } from './gauge'
test('shows the voltage', async ({ mount }) => {
  const gauge = await mount(<Gauge volts={3} />)
  await gauge.click()
  await expect(gauge).toHaveText('4 V')
  measure('volts', 4, { unit: 'V' })
})
test('shows more', async ({ mount }) => {
  await expect(await mount(<Gauge volts={3} />)).toHaveText('5 V', { timeout: 500 })
})
`,
}
