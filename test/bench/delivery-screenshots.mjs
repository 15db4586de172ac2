import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { measure, median } from './measure.mjs'
import { newestVersion } from './overhead-project.mjs'
import { REPOSITORY, startService } from './start-service.mjs'

const FILES = 10
const SCREENSHOT_BYTES = 60_000

/** Attaches what a screenshot is to a reporter: a file of an image's size in the test's folder, bytes of its own. */
const HEAD = `const { test } = require('@playwright/test')
const { writeFileSync } = require('node:fs')
const { randomBytes } = require('node:crypto')
const shoot = (number) => test('screenshot ' + number, async () => {
  const file = test.info().outputPath('screenshot.png')
  writeFileSync(file, randomBytes(${SCREENSHOT_BYTES}))
  await new Promise((resolve) => setTimeout(resolve, 20))
  test.info().attachments.push({ name: 'screenshot', path: file, contentType: 'image/png' })
})
`

/** Notes when the tests had ended; it stands before ours, so that its hook is called first. */
const CLOCK = `module.exports = class {
  printsToStdio() { return false }
  onEnd() { require('node:fs').writeFileSync(process.env.BENCH_ENDED_FILE, String(Date.now())) }
  onExit() { require('node:fs').appendFileSync(process.env.BENCH_ENDED_FILE, ' ' + Date.now()) }
}
`

/**
 * How long a Playwright execution with so many screenshots takes from its last test to its end, with the reporter and
 * without.
 * @param {{ screenshots: number, rounds: number }} size
 */
export async function measureEnds({ screenshots, rounds }) {
  const version = newestVersion('playwright')
  console.log(
    `\nPlaywright ${version}, ${screenshots} screenshots of ${SCREENSHOT_BYTES / 1000} kB in ${FILES} files, 2 workers, ${rounds} rounds`,
  )
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-screenshots-')))
  const service = await startService()
  try {
    const waits = { without: [], with: [] }
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of round % 2 === 0 ? ['without', 'with'] : ['with', 'without']) {
        const dir = path.join(root, `${kind}-${round}`)
        await writeProject(dir, { screenshots, version, isReported: kind === 'with' })
        waits[kind].push(await measureEnd(dir, service))
      }
      console.log(`  without: ${waits.without.at(-1).toFixed(2)} s   with: ${waits.with.at(-1).toFixed(2)} s`)
    }
    const value = median(waits.with) - median(waits.without)
    return [{ name: `${screenshots} screenshots: wait at the end, more`, target: 1, value, unit: 's' }]
  } finally {
    await service.stop()
    await rm(root, { recursive: true, force: true })
  }
}

async function writeProject(dir, { screenshots, version, isReported }) {
  await mkdir(dir, { recursive: true })
  const reporters = [['line'], ['./clock.js'], ...(isReported ? [['@runledger/playwright']] : [])]
  const config = { testMatch: '*.test.js', workers: 2, preserveOutput: 'always', reporter: reporters }
  await writeFile(path.join(dir, 'package.json'), '{"name": "screenshots", "version": "1.0.0"}\n')
  await writeFile(path.join(dir, 'clock.js'), CLOCK)
  await writeFile(path.join(dir, 'playwright.config.js'), `module.exports = ${JSON.stringify(config)}\n`)
  const perFile = screenshots / FILES
  for (let file = 0; file < FILES; file += 1) {
    const tests = Array.from({ length: perFile }, (_, index) => `shoot(${file * perFile + index})`)
    await writeFile(path.join(dir, `file-${file}.test.js`), `${HEAD}${tests.join('\n')}\n`)
  }
  const modules = path.join(REPOSITORY, '.cache/frameworks', `playwright-${version}`, 'node_modules')
  await symlink(modules, path.join(dir, 'node_modules'), 'dir')
}

/** Seconds from the last test's end to the end of the last reporter's work. */
async function measureEnd(dir, service) {
  const ended = path.join(dir, 'ended')
  const env = { ...service.variables, BENCH_ENDED_FILE: ended, XDG_STATE_HOME: path.join(dir, 'state') }
  const cli = path.join(dir, 'node_modules/@playwright/test/cli.js')
  const { exitCode, output } = await measure([cli, 'test'], { cwd: dir, env })
  if (exitCode !== 0 || output.includes('not sent')) throw new Error(output)
  const [endedAt, exitedAt] = (await readFile(ended, 'utf8')).split(' ').map(Number)
  return (exitedAt - endedAt) / 1000
}
