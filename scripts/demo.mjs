// npm run demo [-- --exit]: builds, starts the service with fresh data, runs the five examples with their reporters,
// prints each run's link, and stays up for a look. With --exit it ends with 0 only if every run is on record.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')
const examples = path.join(repository, 'examples')
// Beside the examples, so that their reporters find the credentials by themselves.
const dataDir = path.join(examples, '.runledger')
const marker = path.join(dataDir, 'demo.pid')
const EXAMPLES = ['jest', 'vitest', 'playwright', 'node-test', 'bench']

prepare({ browser: true, build: true })

const service = await startService()
process.once('SIGINT', () => stop(130))
process.once('SIGTERM', () => stop(143))
let isComplete = false
try {
  isComplete = await runExamples()
} catch (error) {
  console.error(error)
}
if (process.argv.includes('--exit') || !isComplete) stop(isComplete ? 0 : 1)
else console.log(`\nHave a look: ${service.sign_in_url}\nCtrl-C stops the service.`)

async function runExamples() {
  const verdicts = []
  for (const name of EXAMPLES) {
    for (const fails of [false, true]) {
      console.log(`\n── examples/${name}${fails ? ', failing on purpose' : ''}`)
      const known = new Set((await listRuns()).map(({ id }) => id))
      const { exitCode, output } = await runExample(name, fails)
      const runs = (await listRuns()).filter(({ id }) => !known.has(id))
      verdicts.push(await checkRuns({ name, fails, exitCode, output, runs }))
    }
  }
  return verdicts.every(Boolean)
}

/** Every run that the reporter speaks of is on record, its link answers, and its verdicts are the framework's. */
async function checkRuns({ name, fails, exitCode, output, runs }) {
  for (const run of runs.toReversed()) {
    console.log(
      `   ${run.outcome}  ${run.metadata.framework}  ${run.metadata.file}  ${service.url}/runs/${run.id}`,
    )
  }
  // An example may run its framework more than once.
  const promises = [...output.matchAll(/Runledger: (\d+) runs? on record/g)].map(([, count]) => Number(count))
  const promised = promises.reduce((sum, count) => sum + count, 0)
  const failedRuns = runs.filter(({ outcome }) => outcome === 'FAIL').length
  const answers = await Promise.all(runs.map(({ id }) => answersLink(id)))
  const complaints = [
    runs.length === 0 && 'no run is on record',
    runs.length !== promised && `${runs.length} runs are on record, the reporter spoke of ${promised}`,
    (exitCode === 0) !== (failedRuns === 0) && `exit code ${exitCode}, but ${failedRuns} failed runs`,
    (exitCode === 0) === fails && `exit code ${exitCode}, which is not what this example is for`,
    !answers.every(Boolean) && 'a link does not answer',
  ].filter(Boolean)
  for (const complaint of complaints) console.error(`   examples/${name}: ${complaint}`)
  return complaints.length === 0
}

async function answersLink(id) {
  const [page, record] = await Promise.all([fetch(`${service.url}/runs/${id}`), get(`/v2/runs/${id}`)])
  return page.ok && (page.headers.get('content-type') ?? '').includes('text/html') && record.ok
}

async function listRuns() {
  const response = await get('/v2/runs?limit=100&include_metadata=true&sort_by=created_at')
  if (!response.ok) throw new Error(`the service answered ${response.status}`)
  return (await response.json()).data
}

function get(pathname) {
  const { url, api_key: key } = JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8'))
  return fetch(url + pathname, { headers: { authorization: `Bearer ${key}` } })
}

/** The example's own `npm test`, as its user would call it: nothing of Runledger's is set. */
function runExample(name, fails) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([variable]) => !variable.startsWith('RUNLEDGER_')),
  )
  if (fails) env.EXAMPLE_FAIL = '1'
  const child = spawn('npm', ['test', '--silent'], {
    cwd: path.join(examples, name),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      process.stdout.write(chunk)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })
}

async function startService() {
  prepareDataFolder()
  const cli = path.join(repository, 'packages/cli/dist/bin.js')
  const args = [cli, 'serve', '--json', '--port', '0', '--data', dataDir]
  const child = spawn(process.execPath, args, { cwd: examples, stdio: ['ignore', 'pipe', 'inherit'] })
  child.once('exit', (code) => {
    if (code !== null && code !== 0) process.exitCode = 1
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, sign_in_url } = JSON.parse(line)
    writeFileSync(marker, String(process.pid))
    console.log(`service: ${url}, data in ${path.relative(process.cwd(), dataDir)}`)
    return { url, sign_in_url, child }
  }
  throw new Error('the service did not start')
}

/** Only a folder that an earlier demo made is emptied, and only when that demo is over. */
function prepareDataFolder() {
  if (existsSync(dataDir)) {
    const pid = existsSync(marker) ? Number(readFileSync(marker, 'utf8')) : undefined
    if (pid === undefined) throw new Error(`${dataDir} is not a demo's: move it away first`)
    if (isAlive(pid)) throw new Error(`a demo is running already (process ${pid})`)
    rmSync(dataDir, { recursive: true, force: true })
  }
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(marker, String(process.pid))
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function stop(exitCode) {
  service.child.once('exit', () => process.exit(exitCode))
  service.child.kill('SIGTERM')
}
