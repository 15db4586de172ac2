import { median } from './measure.mjs'
import { ANSWERED, noteAnswer, openBrowser } from './open-browser.mjs'

const ROUNDS = 3
const CHART = '[role=img] canvas'
const MEASUREMENT = '/line/LINE-0/measurement?phase=step%201&measurement=voltage%201'

/** With what of the service has to be there. */
const PAGES = [
  { name: 'page of the line', path: '/line', shows: ['[aria-label=Procedures] a'] },
  { name: 'page of the line, a year', path: '/line?days=365', shows: ['[aria-label=Procedures] a'] },
  {
    name: 'page of a procedure',
    path: '/line/LINE-0',
    shows: [CHART, '[aria-label="Measurements that fail"]'],
  },
  {
    name: 'page of a procedure, a year',
    path: '/line/LINE-0?days=365',
    shows: [CHART, '[aria-label="Measurements that fail"]'],
  },
  { name: 'page of a measurement', path: MEASUREMENT, shows: [CHART] },
  { name: 'page of a measurement, a year', path: `${MEASUREMENT}&days=365`, shows: [CHART] },
  { name: 'page of a unit', path: '/units/SN-1000500', shows: ['[aria-label="Time line"] a'] },
  { name: 'page of the part', path: '/parts/BOARD', shows: ['[aria-label=Yields] a', 'a[href^="/units/"]'] },
  {
    name: 'page of a batch',
    path: '/batches/LOT-1001',
    shows: ['[aria-label="Yields of its units"] a', 'a[href^="/units/"]'],
  },
  {
    name: 'page of a station',
    path: ({ station }) => `/stations/${station}`,
    shows: ['[aria-label="Yields at this station"] a', '[aria-labelledby=last-runs] a'],
  },
]

/**
 * How long each page whose name begins with `only` takes from its address to its content, with nothing of it to come and in
 * a browser that has not been here before. First, what a page without data takes on this machine.
 */
export async function measurePages({ RUNLEDGER_URL: url }, client, only = '') {
  const pages = PAGES.filter(({ name }) => name.startsWith(only))
  if (pages.length === 0) return []
  const { data: stations } = await client.json('GET', '/v2/stations')
  const opened = await openBrowser(client)
  const results = []
  try {
    await timeRounds(opened, `${url}/sign-in`, [])
    for (const { name, path, shows } of pages) {
      const address = url + (typeof path === 'string' ? path : path({ station: stations[0].id }))
      const value = await timeRounds(opened, address, shows)
      results.push({ name: `${name}: content shown`, target: 1_000, value, unit: 'ms', digits: 0 })
    }
  } finally {
    await opened.browser.close()
  }
  return results
}

async function timeRounds(opened, address, shows) {
  const times = []
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timePage(opened, address, shows))
  return median(times)
}

async function timePage({ browser, storageState }, address, shows) {
  const context = await browser.newContext({ storageState, viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const all = ['h1', ...shows].map((one) => `document.querySelector('main ${one}')`)
  await page.addInitScript(
    noteAnswer([...all, `!document.querySelector('[aria-label^=Reading]')`].join(' && ')),
  )
  await page.goto(address)
  const ms = await page.evaluate(ANSWERED)
  const slowest = await page.evaluate(`performance.getEntriesByType('resource')
    .map(({ name, duration }) => ({ path: new URL(name).pathname, duration }))
    .sort((one, other) => other.duration - one.duration)[0]`)
  console.log(
    `  ${new URL(address).pathname} after ${ms.toFixed(0)} ms; slowest request ${slowest.path}, ${slowest.duration.toFixed(0)} ms`,
  )
  await context.close()
  return ms
}
